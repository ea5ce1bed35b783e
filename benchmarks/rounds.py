"""A round of AFSM-UCB against the direct transcription, on data like the paper's news: the same slates."""

from __future__ import annotations

import statistics

import numpy as np

import slatewise as sw
from benchmarks import transcription
from benchmarks.tables import Row
from benchmarks.timing import timed
from slatewise.models import GaussianBelief

EPSILON, NU, NU_MAX, M, BUDGET = 0.3, 0.01, 1.0, 10, 2.5
SIZES = ((1000, 15, 60), (1000, 30, 60), (1000, 100, 20), (10_000, 15, 10))
REPEATS = 3


def news(n: int, d: int, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return articles that cover two topics well each, and their costs."""
    rng = np.random.default_rng(seed)
    P = rng.uniform(0.0, 0.01, (n, d))
    topics = rng.random((n, d)).argsort(axis=1)[:, :2]
    np.put_along_axis(P, topics, rng.uniform(0.5, 0.8, (n, 2)), axis=1)
    return 0.2 * P, rng.uniform(0.0, 1.0, n)


def measure_rounds() -> list[Row]:
    """Return the milliseconds of a round both ways, averaged over a game, and their ratio."""
    return [row for n, d, rounds in SIZES for row in [measure(n, d, rounds)]]


def measure(n: int, d: int, rounds: int) -> Row:
    """Return one row: the median of the repeats, and the lowest and highest ratio."""
    games = [play(n, d, rounds, seed) for seed in range(REPEATS + 1)][1:]
    ratios = [direct / ours for direct, ours, _ in games]
    return {
        "items": n,
        "features": d,
        "rounds": rounds * REPEATS,
        "transcription ms": statistics.median(direct for direct, _, _ in games),
        "slatewise ms": statistics.median(ours for _, ours, _ in games),
        "ratio": statistics.median(ratios),
        "lowest": min(ratios),
        "highest": max(ratios),
        "slates that differ": sum(different for _, _, different in games),
    }


def play(n: int, d: int, rounds: int, seed: int) -> tuple[float, float, int]:
    """Play a game; return a round's milliseconds both ways, and how many slates differed."""
    P, costs = news(n, d)
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(d))
    problem = sw.Problem(sw.ProbabilisticCoverage(P), [sw.Cardinality(M), sw.Knapsack(costs, BUDGET)])
    policy = sw.afsm_ucb(regularization=0.1, epsilon=EPSILON, nu=NU, nu_max=NU_MAX)
    state = policy.init(problem)
    direct = ours = 0.0
    different = 0
    for _ in range(rounds):
        spent, slate = timed(lambda state=state: policy.select(state, problem))
        ours += spent
        belief, beta = state.posterior.at(), policy.index.width.beta(state.posterior)
        spent, items = timed(lambda belief=belief, beta=beta: by_the_book(P, costs, belief, beta))
        direct += spent
        different += slate.items != items
        state = policy.update(state, slate, rng.random(len(slate)) < slate.features @ weights)
    return 1e3 * direct / rounds, 1e3 * ours / rounds, different


def by_the_book(P: np.ndarray, costs: np.ndarray, belief: GaussianBelief, beta: float) -> tuple[int, ...]:  # noqa: N803 - the paper's letter
    """Return the transcription's slate."""
    return transcription.afsm_ucb(P, costs, BUDGET, M, belief.mean, belief.factor, beta, EPSILON, NU, NU_MAX)
