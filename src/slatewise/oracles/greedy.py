"""Lists that grow by the best item until nothing fits: by score, by score for its cost, at random."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from slatewise.checks import listed
from slatewise.errors import reject
from slatewise.oracles.base import Oracle
from slatewise.oracles.search import Candidate, Look, Prefix, Search
from slatewise.typing import Bools, Floats


class GrowingOracle(Oracle):
    """An oracle that adds one item after the other until nothing more fits, whatever its score."""

    def lists(self, search: Search) -> Iterator[Candidate]:
        """Yield the one list."""
        yield self.completed(search, search.root)

    def completed(self, search: Search, prefix: Prefix) -> Candidate:
        """Return the list that a prefix grows into."""
        while len(items := search.candidates(prefix)):
            look = search.look(prefix, items)
            position = self.next(search, look)
            prefix = search.extend(prefix, int(items[position]), look.x[position])
        return prefix.listed

    @abstractmethod
    def next(self, search: Search, look: Look) -> int:
        """Return the position of the item to add."""


@dataclass(frozen=True, eq=False)
class Greedy(GrowingOracle):
    """Always the item of the best score: LSBGreedy's rule, and SM-UCB's.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Coverage([[1, 0], [1, 1], [0, 1]]), [sw.Cardinality(2)])
    >>> sw.maximize(problem, [1.0, 2.0], sw.Greedy()).items
    (1, 0)
    """

    def next(self, search: Search, look: Look) -> int:
        """Return the position of the best score."""
        return search.best(look)


@dataclass(frozen=True, eq=False)
class CostBenefitGreedy(GrowingOracle):
    """Always the item of the best score for its cost c(e): the modified UCB rule.

    A free item's density is +∞ (then by score) where its score is positive, 0 where it is 0, and -∞
    where it is negative.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Knapsack([3.0, 1.0, 1.0], 3.0)])
    >>> sw.maximize(problem, [1.0], sw.CostBenefitGreedy()).items
    (1, 2)
    """

    precedence: ClassVar[float] = 2.0

    def next(self, search: Search, look: Look) -> int:
        """Return the position of the best density."""
        costs = search.problem.costs[look.items]
        unsure = (costs == 0) & (np.abs(look.scores) <= look.error) & (look.error > 0)
        if unsure.any():
            look = settled(search, look, unsure)
        gifts = (costs == 0) & (look.scores > 0)
        if gifts.any():
            return int(np.flatnonzero(gifts)[search.best(look.of(gifts))])
        low, high = (densities(look.scores + sign * look.error, costs) for sign in (-1.0, 1.0))
        close = np.flatnonzero(high >= low.max())
        if len(close) == 1:
            return int(close[0])
        exact = densities(search.score.exactly(look.x[close]), costs[close])
        return int(close[np.argmax(exact)])


def settled(search: Search, look: Look, unsure: Bools) -> Look:
    """Return the look with some scores replaced by exact ones."""
    scores, error = look.scores.copy(), look.error.copy()
    scores[unsure] = search.score.exactly(look.x[unsure])
    error[unsure] = 0.0
    return replace(look, scores=scores, error=error)


def densities(scores: Floats, costs: Floats) -> Floats:
    """Return score / c(e); for a free item ±∞ by the sign of its score, 0 where that is 0."""
    free = np.where(scores == 0, 0.0, np.copysign(np.inf, scores))
    with np.errstate(over="ignore"):
        return np.divide(scores, costs, out=free, where=costs > 0)


@dataclass(frozen=True, eq=False)
class RandomList(Oracle):
    """Any item that fits, each as likely as another, until nothing does; it knows its propensities.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Cardinality(2)])
    >>> policy = sw.random_policy()
    >>> slate = policy.select(policy.init(problem), problem, rng=sw.stream(0, 0, 0))
    >>> slate.propensity.round(3)
    array([0.333, 0.5  ])
    """

    precedence: ClassVar[float] = 3.0

    def lists(self, search: Search) -> Iterator[Candidate]:
        """Yield a drawn list, with the chance of each choice given those before."""
        if search.rng is None:
            reject("rng", "is needed, because items are drawn, but is None")
        prefix = search.root
        chances = [1.0] * len(prefix.listed.items)
        while len(items := search.candidates(prefix)):
            chances.append(1.0 / len(items))
            prefix = search.extend(prefix, int(items[search.rng.integers(len(items))]))
        yield replace(prefix.listed, propensity=tuple(chances))


@dataclass(frozen=True, eq=False, init=False)
class BestOf(Oracle):
    """The best of several oracles' lists, by the list's score: with both greedy rules, CGreedy's.

    Parameters
    ----------
    oracles
        At least one.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Knapsack([3.0, 1.0, 1.0], 3.0)])
    >>> sw.maximize(problem, [1.0], sw.BestOf(sw.Greedy(), sw.CostBenefitGreedy())).items
    (1, 2)
    """

    oracles: tuple[Oracle, ...]

    def __init__(self, *oracles: Oracle) -> None:
        if not oracles:
            reject("oracles", "must hold at least one oracle, but is empty")
        self.settle(oracles=checked_oracles(oracles, "oracles"))

    def lists(self, search: Search) -> Iterator[Candidate]:
        """Yield each oracle's best list."""
        return (oracle.best(search) for oracle in self.oracles)


def checked_oracles(oracles: Iterable[Oracle], argument: str) -> tuple[Oracle, ...]:
    """Return oracles, each one checked to be one."""
    clean = listed(oracles, argument)
    for position, oracle in enumerate(clean):
        if not isinstance(oracle, Oracle):
            reject(argument, f"must hold oracles, but {argument}[{position}] is {oracle!r}")
    return clean
