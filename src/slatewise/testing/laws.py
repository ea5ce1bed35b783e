"""What a law is, and what laws are tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from slatewise.constraints import AnyConstraint, Cardinality, Knapsack, LabelLimits, PartitionMatroid
from slatewise.objectives import Coverage, Modular, ProbabilisticCoverage, Stack
from slatewise.problem import Problem
from slatewise.typing import Array, Bools, Floats

Law = Callable[..., Iterator[str]]
"""A law is called with what it speaks of, and yields a sentence for each way in which it is broken."""

ROUNDING = 1e-9
"""What rounding may change, as a share of the size of the numbers that were added up."""

CANCELLED = 1e-14
"""What may be left of terms of size 1 that cancel each other, such as entropies."""


def uphold(laws: Iterable[Law], *subject: object) -> None:
    """Raise `AssertionError` with the name of the first law that is broken, and how it is."""
    for law in laws:
        for breach in law(*subject):
            raise AssertionError(f"{law.__name__.replace('_', ' ')}: {breach}")


def after(items: Iterable[int], item: int | np.integer[Any] | None = None) -> str:
    """Name a list, and an item that may follow it."""
    listed = f"after the list {tuple(int(one) for one in items)}"
    return listed if item is None else f"{listed}, item {int(item)}"


def close(found: Array | float, expected: Array | float, size: Array | float = 0.0) -> Bools:
    """Return where two results agree up to rounding; `size` is that of the terms that made them."""
    one, other = np.asarray(found), np.asarray(expected)
    scale = np.maximum(np.maximum(np.abs(one), np.abs(other)), size)
    both_nan = np.isnan(one) & np.isnan(other)
    return np.asarray(both_nan | (one == other) | (np.abs(one - other) <= ROUNDING * scale + CANCELLED))


def random_lists(n_items: int, rng: np.random.Generator, *, longest: int = 8) -> list[tuple[int, ...]]:
    """Return the empty list and a dozen lists of different items."""
    lengths = [0, *rng.integers(0, min(n_items, longest) + 1, size=12).tolist()]
    return [tuple(rng.permutation(n_items)[:length].tolist()) for length in lengths]


def sample_problems(rng: np.random.Generator) -> list[Problem]:
    """Return small problems over the same two features: ties, free items, items that never fit."""
    costs = rng.random(7)
    costs[[0, 3]] = 0.0
    costs[5] = 2.0
    labels = rng.integers(0, 2, size=(7, 3)).astype(np.bool_)
    tied: Floats = np.round(rng.random((7, 2)) * 3.0) / 3.0
    limits: list[list[AnyConstraint]] = [
        [Cardinality(3)],
        [Knapsack(costs, 1.0), Cardinality(4)],
        [Knapsack(costs, 1.0), Knapsack(rng.random(7), 0.9), PartitionMatroid([0, 0, 0, 1, 1, 2, 2], 1)],
        [LabelLimits(labels, 2)],
        [],
    ]
    return [Problem(ProbabilisticCoverage(tied), some) for some in limits]


def other_features(problem: Problem) -> Problem:
    """Return a problem on as many items, whose features mean something else than another problem's."""
    d = problem.n_features
    single = np.ones((problem.n_items, 1))
    kinds = [Modular, Coverage]
    parts = [kinds[g % 2](single) for g in range(d)]
    return Problem(Stack([*parts, Modular(single)]))
