"""Theorem 1 where its conditions hold: λ >= m, ‖x‖ <= 1, ν <= max f({e}) <= ν', k large enough.

With probability at least 1 - δ, Reg_α(T) <= 8 A β_T sqrt(2 m T ln det(M_T/λ)), A = 1. The theorem is loose,
so the two inequalities that it is made of are looked at as well, each round, where Proposition 1 holds:
Lemma 1, f(S_t) + 4 β σ(S_t) >= α f(OPT), and Lemma 2 with the run's own ln det in place of 2γ,
Σ σ(S_t) <= sqrt(2 m T ln det(M_T/λ)).

False alarm of the count: at most 1e-6 (exact binomial bound). The lemmas have none: on the event of
Proposition 1 they are certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np
import pytest

import slatewise as sw
from slatewise.environments import GaussianNoise, SimulatedUser, play

from .chance import most_failures

pytestmark = pytest.mark.statistical

DELTA = 0.2
EPSILON = 0.3
NOISE = 0.1
ROUNDS = 40
RUNS = 16


@dataclass(frozen=True)
class Instance:
    problem: sw.Problem
    weights: np.ndarray
    longest: int


def coverage(rng: np.random.Generator) -> Instance:
    """Two knapsacks, blocks and a cardinality limit over topics."""
    n, d, m = 12, 3, 4
    levels = rng.random((n, d)) / np.sqrt(d)
    limits = [
        sw.Cardinality(m),
        sw.PartitionMatroid(rng.integers(4, size=n), 2),
        sw.Knapsack(rng.uniform(0.1, 1.0, n), 1.5),
        sw.Knapsack(rng.uniform(0.1, 1.0, n), 2.0),
    ]
    weights = rng.dirichlet(np.ones(d))
    return Instance(sw.Problem(sw.ProbabilisticCoverage(levels), limits), weights, m)


def needle(rng: np.random.Generator) -> Instance:
    """One item of thirty is worth anything, so that there is regret until it is found."""
    n = 30
    weights = np.zeros(n)
    weights[rng.integers(n)] = 1.0
    costs = rng.uniform(0.4, 1.0, n)
    problem = sw.Problem(sw.Modular(np.eye(n)), [sw.Cardinality(2), sw.Knapsack(costs, 1.0)])
    return Instance(problem, weights, 2)


@dataclass(frozen=True)
class Outcome:
    """What one run shows: the regret after every round, what bounds it, and where the lemmas stand."""

    regret: np.ndarray
    bound: np.ndarray
    covered: np.ndarray
    lemma_1: np.ndarray
    lemma_2: np.ndarray


def run(instance: Instance, number: int) -> Outcome:
    problem, weights, m = instance.problem, instance.weights, instance.longest
    singles = [problem.value([item]) @ weights for item in range(problem.n_items) if problem.feasible([item])]
    largest = float(max(singles))
    regularization = float(m)
    width = sw.TheoreticalWidth(
        norm_bound=float(np.sqrt(regularization) * np.linalg.norm(weights)), noise=NOISE, delta=DELTA
    )
    policy = sw.afsm_ucb(
        regularization=regularization, width=width, epsilon=EPSILON, nu=largest / 2, nu_max=1.0
    )
    target = problem.alpha(EPSILON) * sw.maximize(problem, weights, sw.Exact()).score
    user = SimulatedUser(problem, weights, GaussianNoise(NOISE))
    played = list(islice(play(policy, problem, user, seed=17, user=number), ROUNDS + 1))
    shown, after = played[:-1], [later.state.posterior for later in played[1:]]
    before = [one.state.posterior for one in shown]
    beta = np.array([width.beta(known) for known in before])
    sigma = np.array([one.slate.std.sum() for one in shown])
    value = np.array([one.value for one in shown])
    information = np.array([known.logdet for known in after])
    rounds = np.arange(1, ROUNDS + 1)
    error = [known.mean - weights for known in before]
    distance = np.array([np.sqrt(e @ known.precision @ e) for e, known in zip(error, before, strict=True)])
    final = np.array([width.beta(known) for known in after])
    return Outcome(
        regret=np.cumsum(target - value),
        bound=8 * final * np.sqrt(2 * m * rounds * information),
        covered=distance <= beta,
        lemma_1=value + 4 * beta * sigma - target,
        lemma_2=np.sqrt(2 * m * rounds * information) - np.cumsum(sigma),
    )


@pytest.mark.parametrize("make", [coverage, needle])
def test_the_theorem_and_what_it_is_made_of(make) -> None:
    outcomes = [run(make(sw.stream(17, make.__name__, number)), number) for number in range(RUNS)]
    failures = sum(bool((one.regret > one.bound).any()) for one in outcomes)
    assert failures <= most_failures(RUNS, DELTA)
    for one in outcomes:
        assert (one.lemma_1[one.covered] >= -1e-9).all()
        assert (one.lemma_2 >= -1e-9).all()


def test_there_is_regret_to_bound() -> None:
    """On the needle the regret is above zero for some time, so that the theorem says something."""
    outcomes = [run(needle(sw.stream(17, "needle", number)), number) for number in range(RUNS)]
    assert np.mean([one.regret.max() for one in outcomes]) > 0.5
