"""Problems over the same three features: with ids and without, under named limits; and what states are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import slatewise as sw

NAMES = ["politics", "science", "sport"]
D = len(NAMES)
Learned = tuple[np.ndarray, np.ndarray, "np.ndarray | None"]
"""Features of a slate, its rewards, and the context that it was chosen under."""


def coverage(n: int, seed: int) -> sw.ProbabilisticCoverage:
    """Items whose amounts are tenths, so that ties come up."""
    amounts = np.round(np.random.default_rng(seed).random((n, D)), 1)
    return sw.ProbabilisticCoverage(amounts, names=NAMES)


def home() -> sw.Problem:
    """Six items with ids, under a budget, a length and a limit of labels."""
    limits = [
        sw.Cardinality(3, name="items"),
        sw.Knapsack([1.0, 2.0, 3.0, 0.0, 2.0, 4.0], 6.0, name="minutes"),
        sw.LabelLimits([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [0, 0]], 2, name="section"),
    ]
    return sw.Problem(coverage(6, 0), limits, ids=["a", "b", "c", "d", "e", "f"])


def tomorrow() -> sw.Problem:
    """Five other items, whose ids are numbers that are no indices of theirs."""
    limits = [sw.Knapsack([1.0, 1.0, 2.0, 5.0, 9.0], 4.0, name="minutes"), sw.Cardinality(4, name="items")]
    return sw.Problem(coverage(5, 1), limits, ids=[14, 13, 12, 11, 10])


def nameless() -> sw.Problem:
    """Four items without ids, at most two."""
    return sw.Problem(coverage(4, 2), [sw.Cardinality(2, name="items")])


def keys(problem: sw.Problem) -> list[str | int]:
    """What the items are called."""
    return list(range(problem.n_items)) if problem.ids is None else list(problem.ids)


def rebuilt(model: sw.LinearModel, log: Iterable[Learned]) -> tuple[np.ndarray, np.ndarray, float, int]:
    """The mean, covariance, ln det(M₀⁻¹ M) and count in closed form: all rows at once, nothing kept."""
    size = D * (model.n_context or 1)
    start = np.zeros(size) if model.mean is None else np.asarray(model.mean)
    prior = model.regularization * np.eye(size) if model.precision is None else np.asarray(model.precision)
    precision, moment, count = prior.copy(), prior @ start, 0
    for features, rewards, context in log:
        for x, y in zip(features, rewards, strict=True):
            if not np.isnan(y):
                row = x if context is None else np.kron(context, x)
                precision += np.outer(row, row)
                moment += y * row
                count += 1
    grown = np.linalg.slogdet(precision)[1] - np.linalg.slogdet(prior)[1]
    return np.linalg.solve(precision, moment), np.linalg.inv(precision), float(grown), count


def same_slate(one: sw.Slate, other: sw.Slate) -> bool:
    """Whether two slates agree in everything that they record, bit by bit."""
    arrays = [
        (one.features, other.features),
        (one.mean, other.mean),
        (one.std, other.std),
        (one.score, other.score),
    ]
    arrays += [(a, b) for a, b in ((one.context, other.context), (one.propensity, other.propensity))]
    plain = [
        (s.items, s.ids, s.number, s.threshold, s.n_candidates, s.policy, s.feature_space)
        for s in (one, other)
    ]
    return plain[0] == plain[1] and all(
        (a is None and b is None)
        or (a is not None and b is not None and np.array_equal(a, b, equal_nan=True))
        for a, b in arrays
    )


def table(*rows: tuple[Any, ...]) -> list[Any]:
    """Cases of a parametrised test, called by their place: what tells them apart need not be text."""
    return [pytest.param(*row, id=str(place)) for place, row in enumerate(rows)]
