"""The compiled sweep returns what the plain one returns, item for item, whatever the data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import slatewise as sw
from slatewise.indices import Score
from slatewise.oracles.fast_sweep import compiled_catalogue, compiled_prefixes
from slatewise.oracles.search import Search
from slatewise.oracles.sweep import shared_prefixes

OBJECTIVES = {
    "probabilistic": lambda a: sw.ProbabilisticCoverage(a / max(a.max(), 1.0)),
    "coverage": lambda a: sw.Coverage(a > np.median(a)),
    "modular": sw.Modular,
    "facility": sw.FacilityLocation,
    "clipped": lambda a: sw.ClippedCoverage(a, np.full(a.shape[1], max(2.0 * a.max(), 1e-9))),
    "square root": lambda a: sw.ConcaveOverModular(a, np.sqrt),
}


def amounts(rng: np.random.Generator, n: int, d: int, steps: int, scale: float) -> np.ndarray:
    """Numbers with many ties where there are few steps; some rows are zero, some are copies."""
    drawn = rng.integers(0, steps + 1, (n, d)) / steps if steps < 50 else rng.random((n, d))
    drawn[rng.random(n) < 0.1] = 0.0
    copies = rng.random(n) < 0.2
    drawn[copies] = drawn[rng.integers(0, n, copies.sum())]
    return drawn * scale


def limits(rng: np.random.Generator, n: int, steps: int) -> list[sw.Constraint]:
    """Knapsacks with free items and exact fits, and a mix of caps."""
    drawn: list[sw.Constraint] = [sw.Cardinality(int(rng.integers(1, 9)))]
    for _ in range(rng.integers(0, 4)):
        costs = rng.integers(0, steps + 1, n) / 10 if steps < 50 else rng.random(n)
        costs[rng.random(n) < 0.1] = 0.0
        drawn.append(sw.Knapsack(costs, float(rng.integers(1, 20) / 10)))
    if rng.random() < 0.5:
        drawn.append(sw.PartitionMatroid(rng.integers(0, 4, n), int(rng.integers(1, 4))))
    if rng.random() < 0.5:
        drawn.append(sw.LabelLimits(rng.random((n, 5)) < 0.3, int(rng.integers(0, 4))))
    if rng.random() < 0.3:
        outer = rng.random(n) < 0.7
        drawn.append(sw.LaminarMatroid(np.stack([outer, outer & (rng.random(n) < 0.5)], axis=1), [4, 2]))
    return drawn


def scores(rng: np.random.Generator, problem: sw.Problem) -> Score:
    """UCBs after some rewards, with negative weights too, or known weights."""
    if rng.random() < 0.3:
        return Score(
            sw.KnownWeights(rng.integers(0, 4, problem.n_features) / 4).prior(problem.n_features).at()
        )
    largest = float(problem.objective.gains(problem.objective.empty()).max()) or 1.0
    model = sw.LinearModel(regularization=float(rng.choice([0.1, 1.0, 10.0])) * largest**2)
    posterior = model.prior(problem.n_features)
    for _ in range(rng.integers(0, 5)):
        items = rng.choice(problem.n_items, 3, replace=False)
        posterior = posterior.condition(problem.features(items.tolist()), rng.integers(-1, 2, 3))
    return Score(posterior.at(), beta=float(rng.choice([0.0, 0.5, 2.0])))


def lists(found: object) -> dict[int, tuple[object, ...]]:
    return {first: (one.items, one.mean, one.std) for one, first in found}


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32),
    kind=st.sampled_from(sorted(OBJECTIVES)),
    steps=st.sampled_from([1, 2, 4, 10**6]),
    scale=st.sampled_from([1.0, 1e-9, 1e6]),
)
def test_compiled_and_plain_sweeps_find_the_same_lists(
    seed: int, kind: str, steps: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 40)), int(rng.integers(1, 6))
    problem = sw.Problem(OBJECTIVES[kind](amounts(rng, n, d, steps, scale)), limits(rng, n, steps))
    available = rng.random(n) < 0.9
    fitting = np.flatnonzero(available & problem.limits.feasible(problem.limits.empty()))
    pinned = fitting[:1] if rng.random() < 0.3 else []
    search = Search(problem, scores(rng, problem), available=available, pinned=[int(e) for e in pinned])
    catalogue = compiled_catalogue(search)
    assert catalogue is not None
    grid = sw.ThresholdSweep(epsilon=0.3).grid(search)
    assert lists(compiled_prefixes(search, grid, catalogue)) == lists(shared_prefixes(search, grid))


@pytest.mark.parametrize("kind", sorted(OBJECTIVES))
def test_compiled_games_go_as_plain_ones(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    problem = sw.Problem(
        OBJECTIVES[kind](0.2 * rng.random((300, 6))),
        [sw.Cardinality(6), sw.Knapsack(rng.random(300), 1.0), sw.LabelLimits(rng.random((300, 4)) < 0.3, 2)],
    )
    weights = rng.dirichlet(np.ones(6))
    played = {}
    for path, worth in (("compiled", 0), ("plain", 10**9)):
        monkeypatch.setattr("slatewise.oracles.sweep.WORTH_COMPILING", worth)
        policy, noise, slates = sw.afsm_ucb(regularization=0.1), np.random.default_rng(8), []
        state = policy.init(problem)
        for _ in range(30):
            slate = policy.select(state, problem)
            state = policy.update(state, slate, noise.random(len(slate)) < slate.features @ weights)
            slates.append(
                (slate.items, slate.threshold, slate.score, slate.mean.tolist(), slate.std.tolist())
            )
        played[path] = slates
    assert played["compiled"] == played["plain"]
