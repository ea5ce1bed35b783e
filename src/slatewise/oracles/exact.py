"""Oracles that enumerate: the best feasible set, and the best start of a few items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import numpy as np

from slatewise.checks import whole_number
from slatewise.errors import reject
from slatewise.models.gaussian import GaussianBelief
from slatewise.objectives import Separable
from slatewise.oracles.base import Oracle
from slatewise.oracles.greedy import CostBenefitGreedy
from slatewise.oracles.search import EQUAL_LISTS, Candidate, Prefix, Search
from slatewise.problem import Problem
from slatewise.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class BestStart(Oracle):
    """MCSGreedy's: the feasible set of at most `size` items with the best list score, then by density.

    Of equal sets the lexicographically smallest, members in the order of their index; completed by
    cost-benefit greedy.

    Parameters
    ----------
    size
        The most items of the start.
    max_candidates
        With more candidates than this it refuses: the sets are looked at one by one, O(n^size).

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Knapsack([3.0, 2.0, 2.0], 4.0)])
    >>> sw.maximize(problem, [1.0], sw.BestStart(1)).items
    (0,)
    >>> sw.maximize(problem, [1.0], sw.BestStart(2)).items
    (1, 2)
    """

    size: int = 3
    max_candidates: int = 200

    precedence: ClassVar[float] = 2.0

    def __post_init__(self) -> None:
        self.settle(
            size=whole_number(self.size, "size", minimum=0),
            max_candidates=whole_number(self.max_candidates, "max_candidates", minimum=1),
        )

    def lists(self, search: Search) -> Iterator[Candidate]:
        """Yield the completed list."""
        if search.n_candidates > self.max_candidates:
            reject(
                "problem",
                f"has {search.n_candidates} candidates, but starts of {self.size} are tried one by one, "
                f"which is done for {self.max_candidates} at most (max_candidates)",
            )
        start = search.root
        for item in self._best_start(search):
            start = search.extend(start, item)
        yield CostBenefitGreedy().completed(search, start)

    def _best_start(self, search: Search) -> tuple[int, ...]:
        """Return the items of the best start: the smallest of those within rounding of the best."""
        nothing: Start = ((), 0.0, 0.0)
        starts = [nothing, *_starts(search, search.root, self.size, nothing)]
        best = max(starts, key=lambda start: start[1])
        pinned = search.root.listed
        size = best[2] + search.score.size_of_list(pinned.mean, pinned.std)
        return min(items for items, score, _ in starts if score >= best[1] - EQUAL_LISTS * size)


_ROUNDING = 1e-13
"""What a bound may exceed a value by, relative to its size, and still promise nothing better."""

Start = tuple[tuple[int, ...], float, float]


def _starts(search: Search, prefix: Prefix, size: int, grown: Start) -> Iterator[Start]:
    """Yield every set that adds up to `size` later items to a prefix, with its score and its size."""
    if size == 0:
        return
    before, score, extent = grown
    items = search.candidates(prefix)
    items = items[items > (before[-1] if before else -1)]
    x = search.problem.objective.gains(prefix.objective, items)
    mean, std = search.score.belief.predict(x)
    spread = search.score.list_factor * search.score.beta * std
    scores, extents = score + (mean + spread), extent + (np.abs(mean) + spread)
    for position, item in enumerate(items.tolist()):
        start = ((*before, item), float(scores[position]), float(extents[position]))
        yield start
        if size > 1:
            yield from _starts(search, search.extend(prefix, item, x[position]), size - 1, start)


@dataclass(frozen=True, eq=False)
class Exact(Oracle):
    """The best feasible set, by branch and bound: for small instances, and scores with β = 0.

    Of equal sets the one with the fewest items, then the lexicographically smallest; items by index.

    Notes
    -----
    A branch is bounded by what its remaining items could add at most: each by its gain under the
    positive weights alone, which only falls as the list grows, and no more of them than the capacities
    allow, each resource taken by itself and in fractions. The worst case is exponential in n.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Knapsack([3.0, 2.0, 2.0], 4.0)])
    >>> sw.maximize(problem, [1.0], sw.Exact()).items
    (1, 2)
    """

    needs_diminishing: ClassVar[bool] = True

    def lists(self, search: Search) -> Iterator[Candidate]:
        """Yield the best set, as a list in the order of the items' indices."""
        tree = _SetTree(search)
        yield tree.smallest_of_equals(tree.best_value())


class _SetTree:
    """The tree of all feasible sets, a set's children being those with one later item."""

    def __init__(self, search: Search) -> None:
        self.search = search
        if not isinstance(search.score.belief, GaussianBelief):
            reject("score", "must be linear, so that sets can be bounded, but is not")
        self.positive = np.maximum(search.score.belief.mean, 0.0)
        self.longest = search.problem.n_items
        packing = search.problem.limits.packing
        whole = (packing.usage == np.floor(packing.usage)).all(axis=0)
        self.capacities = np.where(whole, np.floor(packing.limits), packing.limits)
        self.kinds = kinds_of_items(search.problem)

    def value(self, listed: Candidate) -> float:
        """Return a list's score."""
        return self.search.score.of_list(listed.mean, listed.std)

    def size(self, listed: Candidate) -> float:
        """Return what rounding is relative to."""
        return self.search.score.size_of_list(listed.mean, listed.std)

    def best_value(self) -> Candidate:
        """Return a set that none is better than, but for rounding."""
        best = self.search.root.listed

        def no_better(hope: float) -> bool:
            return hope <= self.value(best) + _ROUNDING * self.size(best)

        for listed in self.walk(no_better):
            if self.value(listed) > self.value(best):
                best = listed
        return best

    def smallest_of_equals(self, best: Candidate) -> Candidate:
        """Return, of the sets that count as equal to the best, the shortest and then the first."""
        enough = self.value(best) - EQUAL_LISTS * self.size(best)
        self.longest = len(best.items)
        for listed in self.walk(lambda hope: hope < enough):
            if self.value(listed) >= enough and len(listed.items) <= self.longest:
                best, self.longest = listed, len(listed.items) - 1
        return best

    def walk(self, hopeless: Callable[[float], bool]) -> Iterator[Candidate]:
        """Yield sets in lexicographic order, without the branches that are hopeless or too long.

        Of items that are alike in all respects, a set has the first ones: it is worth as much as any
        other of them, and stands before it.

        `hopeless` is asked with the most that any set of a branch could be worth.
        """
        pending = [(self.search.root, self.search.candidates(self.search.root))]
        while pending:
            prefix, later = pending.pop()
            yield prefix.listed
            room = self.longest - len(prefix.listed.items)
            if room <= 0:
                continue
            items = later[np.isin(later, self.search.candidates(prefix), assume_unique=True)]
            x = self.search.problem.objective.gains(prefix.objective, items)
            gains = x @ self.positive
            value = self.value(prefix.listed)
            children = []
            passed_over: set[int] = set()
            for position, item in enumerate(items.tolist()):
                if self.kinds[item] in passed_over:
                    continue
                passed_over.add(int(self.kinds[item]))
                if hopeless(value + self.most(prefix, items[position:], gains[position:], room)):
                    break
                child = self.search.extend(prefix, item, x[position])
                children.append((child, items[position + 1 :]))
            pending.extend(reversed(children))

    def most(self, prefix: Prefix, items: Ints, gains: Floats, room: int) -> float:
        """Bound what so many items can add: each resource alone and in fractions, the least of them."""
        packing = self.search.problem.limits.packing
        free = self.capacities - prefix.limits.used
        bound = float(np.sort(gains)[-room:].sum())
        for amounts, left in zip(packing.usage[items].T, free, strict=True):
            bound = min(bound, fractional_knapsack(gains, amounts, left))
        return bound


def kinds_of_items(problem: Problem) -> Ints:
    """Return a number for each item, the same for items that are alike in features and in what they use."""
    objective, limits = problem.objective, problem.limits
    alike = isinstance(objective, Separable) and isinstance(objective.matrix, np.ndarray)
    if not alike or limits.others:
        return np.arange(problem.n_items)
    rows = np.concatenate([cast("Any", objective).matrix, limits.packing.usage], axis=1)
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel()


def fractional_knapsack(gains: Floats, amounts: Floats, capacity: float) -> float:
    """Return the most that items are worth together where parts of them can be taken."""
    with np.errstate(over="ignore", invalid="ignore"):  # amounts beyond all numbers are never taken
        density = np.divide(gains, amounts, out=np.full(len(gains), np.inf), where=amounts > 0)
        order = np.argsort(-density)
        needed = amounts[order]
        before = np.cumsum(needed) - needed
        share = np.divide(capacity - before, needed, out=np.ones(len(order)), where=needed > 0)
    return float(gains[order] @ np.clip(np.nan_to_num(share, nan=1.0), 0.0, 1.0))
