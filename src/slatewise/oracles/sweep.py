"""AFSM-UCB's oracle: a greedy list at each threshold of a grid, and the best of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

import numpy as np

from slatewise.checks import frozen, real_number, whole_number
from slatewise.errors import reject
from slatewise.oracles.base import Oracle
from slatewise.oracles.fast_sweep import WORTH_COMPILING, compiled_catalogue, compiled_prefixes
from slatewise.oracles.greedy import checked_oracles
from slatewise.oracles.search import Candidate, Look, Search
from slatewise.typing import Floats, Ints

MOST_THRESHOLDS = 100_000
"""A grid that would be longer is refused: its ε is a slip of the pen."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ThresholdSweep(Oracle):
    """Algorithms 1 and 2: at each ρ the greedy list among u(e|S), u(e|∅) ≥ ρ·c(e); the best list wins.

    With known weights it is the density sweep of Badanidiyuru and Vondrák.

    Parameters
    ----------
    epsilon
        ε > 0: each threshold is 1 + ε times the one before.
    nu, nu_max
        ν ≤ ν', bounds on the largest value of a single item. Where none are given: 0.01 and 1 in a
        policy; for known weights the largest value of an item that is available and fits.
    max_length
        The grid ends at r·ν'·max_length, r = 2/(k + 2l + 1); at r·ν'·n where none is given. The
        guarantee needs no more than the length of the longest list.
    also
        Oracles whose lists join the final choice: the slate is never worse than theirs by its score.

    Notes
    -----
    Thresholds that have chosen the same items share one prefix: a node is a list and the run of
    thresholds that arrive at it, and its children are the runs with the same best item.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Knapsack([3.0, 1.0, 1.0], 3.0)])
    >>> slate = sw.maximize(problem, [1.0], sw.ThresholdSweep(epsilon=0.1))
    >>> slate.items, round(slate.threshold, 3)
    ((1, 2), 3.215)
    """

    epsilon: float = 0.3
    nu: float | None = None
    nu_max: float | None = None
    max_length: int | None = None
    also: tuple[Oracle, ...] = ()

    precedence: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        self.settle(epsilon=real_number(self.epsilon, "epsilon", above=0.0))
        for name in ("nu", "nu_max"):
            if getattr(self, name) is not None:
                self.settle(**{name: real_number(getattr(self, name), name, above=0.0)})
        if self.nu is not None and self.nu_max is not None and self.nu > self.nu_max:
            reject("nu", f"must be at most nu_max, {self.nu_max}, but is {self.nu}")
        if self.max_length is not None:
            self.settle(max_length=whole_number(self.max_length, "max_length", minimum=1))
        self.settle(also=checked_oracles(self.also, "also"))

    def lists(self, search: Search) -> Iterator[Candidate]:
        """Yield the different lists of all thresholds, and those of the further oracles."""
        grid = self.grid(search)
        rho = grid.tolist()
        catalogue = compiled_catalogue(search) if search.n_candidates >= WORTH_COMPILING else None
        prefixes = (
            shared_prefixes(search, grid) if catalogue is None else compiled_prefixes(search, grid, catalogue)
        )
        swept = (
            Candidate(listed.items, listed.mean, listed.std, (self.precedence, rho[first]), rho[first])
            for listed, first in prefixes
        )
        return chain(swept, (oracle.best(search) for oracle in self.also))

    def grid(self, search: Search) -> Floats:
        """Return the thresholds, ascending; one where they would all give the same list."""
        low, high = self.value_range(search)
        problem = search.problem
        r = 2.0 / (problem.k + 2 * problem.n_knapsacks + 1)
        rho = r * low / (1.0 + self.epsilon)
        thresholds = [rho]
        if problem.n_knapsacks and rho > 0:
            last = r * high * (problem.n_items if self.max_length is None else self.max_length)
            expected = np.log(last / rho) / np.log1p(self.epsilon) if np.isfinite(last) else np.inf
            if expected > MOST_THRESHOLDS:
                reject("epsilon", f"is {self.epsilon}, which asks for more than {MOST_THRESHOLDS} thresholds")
            while rho < (rho := rho * (1.0 + self.epsilon)) <= last:
                thresholds.append(rho)
        return frozen(np.array(thresholds))

    def value_range(self, search: Search) -> tuple[float, float]:
        """Return ν and ν'."""
        known = search.score.value_range
        low, high = (search.largest_single_value,) * 2 if known is None else known
        low, high = self.nu or low, self.nu_max or high
        if low > high and known is not None:
            reject("nu", f"must be at most nu_max, {high}, but is {low}")
        return low, high


def shared_prefixes(search: Search, grid: Floats) -> Iterator[tuple[Candidate, int]]:
    """Yield each list that some threshold ends with, and the first threshold that does.

    A node is a prefix, the run ``first .. end - 1`` of thresholds that arrive at it, and for each item
    how many thresholds its score after ∅ passes. The best item of the smallest threshold of a run stays
    the best for as many thresholds as it passes itself, because the others only drop out.
    """
    look = search.first_look
    after_nothing = np.zeros(search.problem.n_items, dtype=np.int64)
    after_nothing[look.items] = passed(search, look, grid)
    pending = [(search.root, 0, len(grid))]
    while pending:
        prefix, first, end = pending.pop()
        items = search.candidates(prefix)
        items = items[after_nothing[items] > first]
        look = search.look(prefix, items)
        passing = np.minimum(passed(search, look, grid), after_nothing[items])
        while first < end:
            able = passing > first
            if not able.any():
                yield prefix.listed, first
                break
            position = int(np.flatnonzero(able)[search.best(look.of(able))])
            stop = min(end, int(passing[position]))
            pending.append((search.extend(prefix, int(items[position]), look.x[position]), first, stop))
            first = stop


def passed(search: Search, look: Look, grid: Floats) -> Ints:
    """Return how many thresholds each score passes, ``u >= ρ·c(e)``, exact where rounding could decide."""
    costs = search.problem.costs[look.items]
    low, high = (surely_passed(grid, costs, look.scores, sign * look.error) for sign in (-1.0, 1.0))
    unsure = np.flatnonzero(low != high)
    if len(unsure):
        scores = search.score.exactly(look.x[unsure])
        low[unsure] = (grid * costs[unsure, np.newaxis] <= scores[:, np.newaxis]).sum(axis=1)
    return low


def surely_passed(grid: Floats, costs: Floats, scores: Floats, error: Floats) -> Ints:
    """Return how many thresholds are passed by scores that are off by `error`, division's rounding in it."""
    shifted = scores + error
    beyond = np.finfo(np.float64).max / 4.0
    with np.errstate(over="ignore"):
        quotients = np.divide(shifted, costs, out=np.where(shifted >= 0, beyond, -beyond), where=costs > 0)
    quotients = np.clip(quotients, -beyond, beyond)
    margin = np.copysign(4.0 * np.finfo(np.float64).eps * np.abs(quotients), error)
    return np.searchsorted(grid, quotients + margin, side="right").astype(np.int64)
