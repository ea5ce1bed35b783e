"""Every named policy, and every model, index and oracle in some policy, through the contract of policies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

import slatewise as sw
from slatewise.testing import check_policy

from .nouns import missing

WIDTH = sw.ConstantWidth(0.5)


def policy(**parts):
    usual = {"model": sw.LinearModel(), "index": sw.UpperConfidence(WIDTH), "oracle": sw.Greedy()}
    return sw.Policy(**(usual | parts))


POLICIES = {
    "AFSM-UCB": (sw.afsm_ucb(), 0),
    "AFSM-UCB, kernel": (sw.afsm_ucb(kernel=RBF(1.0)), 0),
    "AFSM-UCB, kernel, contexts": (sw.afsm_ucb(kernel=RBF(1.0)), 2),
    "LSBGreedy": (sw.lsb_greedy(), 0),
    "SM-UCB": (sw.sm_ucb(RBF(1.0)), 0),
    "CGreedy": (sw.c_greedy(), 0),
    "MCSGreedy": (sw.mcs_greedy(), 0),
    "cost-benefit": (sw.cost_benefit_greedy(), 0),
    "RANDOM": (sw.random_policy(), 0),
    "contexts": (policy(model=sw.LinearModel(n_context=3)), 3),
    "mean": (policy(index=sw.Mean()), 0),
    "Thompson sampling": (policy(index=sw.PosteriorSample(), oracle=sw.Exact()), 0),
    "Thompson sampling, contexts": (
        policy(model=sw.LinearModel(n_context=2), index=sw.PosteriorSample(2.0), oracle=sw.ThresholdSweep()),
        2,
    ),
    "known": (policy(model=sw.KnownWeights([1.0, 2.0])), 0),
    "basis": (policy(model=sw.KernelModel(RBF(1.0), basis=sw.GreedyBasis(4))), 0),
}


@pytest.mark.parametrize("name", POLICIES)
def test_policies_keep_their_contract(name):
    some, n_context = POLICIES[name]
    check_policy(some, n_context=n_context, seed=1)


def test_every_public_index_is_in_the_table():
    assert not missing(sw.Index, [some.index for some, _ in POLICIES.values()])


def test_every_public_model_is_in_the_table():
    assert not missing(sw.Model, [some.model for some, _ in POLICIES.values()])


@dataclass(frozen=True, eq=False)
class DrawsAlone(sw.Index):
    """Draws from numbers of its own."""

    rng = np.random.default_rng(0)

    def score(self, posterior, belief, rng):
        return sw.PosteriorSample(5.0).score(posterior, belief, self.rng)


class Hasty(sw.Policy):
    """Learns while it chooses."""

    def select(self, state, problem, rng=None, context=None, available=None, pinned=()):
        slate = super().select(state, problem, rng, context, available, pinned)
        wiser = super().update(state, slate, np.ones(len(slate)))
        object.__setattr__(state, "posterior", wiser.posterior)
        return slate


class InPlace(sw.Policy):
    """Learns in place."""

    def update(self, state, slate, rewards):
        wiser = super().update(state, slate, rewards)
        object.__setattr__(state, "posterior", wiser.posterior)
        return wiser


class Careless(sw.Policy):
    """Learns from slates over any features."""

    def update(self, state, slate, rewards):
        if slate.features.shape[1] == state.feature_space.n_features:
            return super().update(state, slate, rewards)
        return state


class Favourites(sw.Policy):
    """All users get what the first one gets."""

    def select_many(self, states, problem, seed=None, round=0, contexts=None, available=None):  # noqa: A002
        return super().select_many([states[0]] * len(states), problem, seed, round, contexts, available)


class Partisan(sw.Policy):
    """Learns nothing from the slates of others."""

    def update(self, state, slate, rewards):
        return state if slate.policy is None and len(slate) else super().update(state, slate, rewards)


BROKEN = [
    (policy(index=DrawsAlone()), "the same random numbers give the same slates"),
    (Hasty(**vars(policy())), "choosing changes nothing"),
    (InPlace(**vars(policy())), "learning leaves the old state"),
    (Careless(**vars(policy())), "other features are refused"),
    (Favourites(**vars(policy(oracle=sw.RandomList()))), "many users are a loop over users"),
    (Partisan(**vars(policy())), "slates that something else chose are learned from"),
]


@pytest.mark.parametrize(("some", "law"), BROKEN)
def test_a_broken_law_is_named(some, law):
    with pytest.raises(AssertionError, match=f"^({law})"):
        check_policy(some)


def test_a_policy_is_a_value():
    one, other = sw.afsm_ucb(), sw.afsm_ucb()
    assert one == other
    assert one.fingerprint == other.fingerprint
    assert one != replace(one, model=sw.LinearModel(regularization=2.0))
