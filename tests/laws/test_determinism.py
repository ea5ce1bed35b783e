"""Same seed, same slates: in another process, and on one thread or two."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given

import slatewise as sw

from .strategies import SEEDS

# Large enough that BLAS and LAPACK share their work among threads where they may.
PROGRAM = """
import hashlib
import numpy as np
import slatewise as sw
from sklearn.gaussian_process.kernels import RBF

rng = np.random.default_rng(5)
n, d, p = 400, 40, 4
P = np.round(rng.random((n, d)), 1)
P[200:] = P[:200]
limits = [sw.Knapsack(np.round(rng.random(n), 1), 1.0), sw.Cardinality(6)]
problem = sw.Problem(sw.ProbabilisticCoverage(P), limits)
weights = rng.random(d) / d
contextual = sw.Policy(
    model=sw.LinearModel(n_context=p),
    index=sw.UpperConfidence(sw.ConstantWidth(0.3)),
    oracle=sw.ThresholdSweep(also=(sw.Greedy(), sw.CostBenefitGreedy())),
)
thompson = sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.ThresholdSweep())
policies = [
    (sw.afsm_ucb(), 30, None),
    (contextual, 6, rng.random(p)),
    (thompson, 10, None),
    (sw.sm_ucb(RBF(1.0)), 10, None),
    (sw.random_policy(), 3, None),
]
digest = hashlib.sha256()
for policy, rounds, context in policies:
    state = policy.init(problem)
    for round_ in range(rounds):
        slate = policy.select(state, problem, rng=sw.stream(1, 2, round_), context=context)
        rewards = sw.stream(3, 4, round_).random(len(slate)) < slate.features @ weights
        state = policy.update(state, slate, rewards)
        digest.update(np.array(slate.items).tobytes() + slate.features.tobytes())
        print(type(policy.oracle).__name__, *slate.items)
print(digest.hexdigest())
"""


def played(threads: int) -> str:
    """What a fresh process with so many threads chooses."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    environment = os.environ | dict.fromkeys(names, str(threads))
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.stdout


@pytest.mark.slow
def test_one_thread_and_two_choose_the_same_slates():
    one = played(1)
    assert len(one.splitlines()) == 60
    assert played(2) == one


@given(SEEDS)
def test_the_same_seed_draws_the_same_slates(seed):
    rng = np.random.default_rng(seed)
    problem = sw.Problem(sw.ProbabilisticCoverage(rng.random((8, 2))), [sw.Cardinality(3)])
    for policy in (
        sw.random_policy(),
        sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy()),
    ):
        states = policy.init_many(problem, 4)
        one, other = (policy.select_many(states, problem, seed=seed, round=2).items for _ in range(2))
        assert np.array_equal(one, other)


def test_no_user_depends_on_the_batch():
    problem = sw.Problem(sw.Modular(np.ones((20, 1))), [sw.Cardinality(5)])
    policy = sw.random_policy()
    many = policy.select_many(policy.init_many(problem, 6), problem, seed=9, round=1)
    few = policy.select_many(policy.init_many(problem, 3), problem, seed=9, round=1)
    assert np.array_equal(many.items[:3], few.items)
    assert len({tuple(items) for items in many.items.tolist()}) > 1


def test_streams_differ_by_seed_user_and_round():
    keys = [
        (0, 0, 0),
        (1, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (0, "a", 0),
        (0, "b", 0),
        (0, 2**40, 0),
        (2**70, 0, 0),
    ]
    drawn = [sw.stream(*key).random(4).tobytes() for key in keys]
    assert len(set(drawn)) == len(keys)
    assert drawn == [sw.stream(*key).random(4).tobytes() for key in keys]
