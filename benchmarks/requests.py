"""What a request costs beside its selection: 500 candidates of a catalogue, with a ranker's scores."""

from __future__ import annotations

import statistics

import numpy as np

import slatewise as sw
from benchmarks.tables import Row
from benchmarks.timing import timed

CANDIDATES, D, REQUESTS = 500, 16, 200


def measure_requests() -> list[Row]:
    """Return the milliseconds of building a request's problem, of selecting, and their ratio."""
    return [measure(n) for n in (5_000, 50_000)]


def measure(n: int) -> Row:
    """Return one row: medians over requests of other candidates each."""
    rng = np.random.default_rng(n)
    problem = sw.Problem(
        sw.ProbabilisticCoverage(0.5 * rng.dirichlet(np.full(D, 0.3), n)),
        [
            sw.Cardinality(10, name="items"),
            sw.Knapsack(rng.uniform(1.0, 9.0, n), 30.0, name="minutes"),
            sw.PartitionMatroid(rng.integers(0, 20, n), 3, name="section"),
        ],
        ids=[f"/{number}" for number in range(n)],
        relevance=rng.random(n),
    )
    agent = sw.Recommender(problem, sw.afsm_ucb())
    built, chosen = [], []
    for _ in range(REQUESTS):
        ids = [f"/{number}" for number in rng.choice(n, CANDIDATES, replace=False)]
        scores = rng.random(CANDIDATES)
        spent, request = timed(lambda ids=ids, scores=scores: problem.among(ids, relevance=scores))
        built.append(spent)
        spent, slate = timed(lambda request=request: agent.select("ada", problem=request))
        chosen.append(spent)
        agent.update(slate, rng.integers(0, 2, len(slate)))
    return {
        "items": n,
        "candidates": CANDIDATES,
        "building ms": 1e3 * statistics.median(built),
        "selecting ms": 1e3 * statistics.median(chosen),
        "building / selecting": statistics.median(built) / statistics.median(chosen),
    }
