"""One round's search: which items may come next, what they score, and which of several lists is best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from slatewise.checks import frozen, item_list
from slatewise.constraints.intersection import IntersectionState
from slatewise.errors import reject
from slatewise.indices import Score
from slatewise.problem import Problem
from slatewise.slate import Slate
from slatewise.typing import Bools, Floats, Ints

EQUAL_LISTS = 1e-12
"""Lists whose scores differ by no more than this share of their size count as equal."""


@dataclass(frozen=True)
class Candidate:
    """A finished list that may become the slate.

    Parameters
    ----------
    items
        The items, in order.
    mean, std
        What is believed of each.
    order
        What decides between lists of equal score: the smaller goes first; the oracle's `precedence`
        where it is left empty.
    threshold
        ρ, where one made the list.
    propensity
        The chance of each position's choice, where it was drawn.
    """

    items: tuple[int, ...] = ()
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    order: tuple[float, ...] = ()
    threshold: float | None = None
    propensity: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Prefix:
    """A list that may still grow, with the states of the objective and of the limits.

    Parameters
    ----------
    limits, objective
        The states.
    listed
        The list so far, with what is believed of it.
    """

    limits: IntersectionState
    objective: Any
    listed: Candidate = field(default_factory=Candidate)


@dataclass(frozen=True)
class Look:
    """A look at some items after a prefix.

    Parameters
    ----------
    items
        The items, ascending.
    x
        Their features, a row each.
    scores, error
        Their scores, and how far each may be off by rounding.
    """

    items: Ints
    x: Floats
    scores: Floats
    error: Floats

    def of(self, chosen: Bools) -> Look:
        """Return the look at some of the items."""
        return Look(self.items[chosen], self.x[chosen], self.scores[chosen], self.error[chosen])


class Search:
    """What an oracle works with in one round.

    Parameters
    ----------
    problem
        What lists are worth and which are allowed.
    score
        The round's scores.
    available
        (n,) boolean: the items that there are this time; all where none is given.
    pinned
        Items that open the list, in order.
    rng
        For oracles that draw.
    """

    def __init__(
        self,
        problem: Problem,
        score: Score,
        *,
        available: npt.ArrayLike | None = None,
        pinned: Iterable[int] = (),
        rng: np.random.Generator | None = None,
    ) -> None:
        self.problem = problem
        self.score = score
        self.rng = rng
        self.available = problem.mask_of(available)
        self.root = self._pin(item_list(pinned, problem.n_items, "pinned"))
        self.n_candidates = len(self.candidates(self.root))

    def candidates(self, prefix: Prefix) -> Ints:
        """Return the items that may come next, ascending: not listed, available, and allowed."""
        mask = self.available.copy()
        mask[list(prefix.listed.items)] = False
        return np.flatnonzero(self.problem.limits.feasible_within(prefix.limits, mask))

    def look(self, prefix: Prefix, items: Ints) -> Look:
        """Return the features and scores of items after a prefix."""
        x = self.problem.objective.gains(prefix.objective, items)
        scores, error = self.score.of(x)
        return Look(items, x, scores, error)

    def best(self, look: Look) -> int:
        """Return the position of the best score, the first of equal ones, exact where rounding decides."""
        close = np.flatnonzero(look.scores + look.error >= np.max(look.scores - look.error))
        if len(close) == 1:
            return int(close[0])
        return int(close[np.argmax(self.score.exactly(look.x[close]))])

    def extend(self, prefix: Prefix, item: int, x: Floats | None = None) -> Prefix:
        """Return the prefix with one more item, whose features may be known already."""
        row = self.problem.objective.gains(prefix.objective, np.array([item]))[0] if x is None else x
        mean, std = self.score.belief.predict_exactly(row[np.newaxis])
        listed = prefix.listed
        return Prefix(
            self.problem.limits.add(prefix.limits, item),
            self.problem.objective.add(prefix.objective, item),
            replace(
                listed,
                items=(*listed.items, item),
                mean=(*listed.mean, float(mean[0])),
                std=(*listed.std, float(std[0])),
            ),
        )

    def choose(self, candidates: Iterable[Candidate]) -> Candidate:
        """Return the list of the best score; of equal ones the one that goes first."""
        lists = list(candidates)
        scores = np.array([self.score.of_list(one.mean, one.std) for one in lists])
        if len(lists) == 1 or np.isnan(scores).any():
            return lists[0]
        best = int(np.argmax(scores))
        equal = scores[best] - EQUAL_LISTS * self.score.size_of_list(lists[best].mean, lists[best].std)
        return min((one for one, score in zip(lists, scores, strict=True) if score >= equal), key=_order)

    def slate(self, chosen: Candidate) -> Slate:
        """Return a list as a slate."""
        return Slate(
            items=chosen.items,
            ids=self.problem.ids_of(chosen.items),
            features=frozen(self.problem.objective.along(chosen.items)),
            feature_space=self.problem.feature_space,
            mean=frozen(np.array(chosen.mean, dtype=np.float64)),
            std=frozen(np.array(chosen.std, dtype=np.float64)),
            score=self.score.of_list(chosen.mean, chosen.std),
            threshold=chosen.threshold,
            n_candidates=self.n_candidates,
            propensity=None if chosen.propensity is None else frozen(np.array(chosen.propensity)),
        )

    @cached_property
    def first_look(self) -> Look:
        """The look at all candidates after the root: what the filter's ∅ means."""
        return self.look(self.root, self.candidates(self.root))

    @cached_property
    def largest_single_value(self) -> float:
        """The best score of a single candidate, 0 where none is positive."""
        look = self.first_look
        return max(0.0, float(self.score.exactly(look.x).max(initial=0.0)))

    def _pin(self, pinned: Sequence[int]) -> Prefix:
        prefix = Prefix(self.problem.limits.empty(), self.problem.objective.empty())
        for position, item in enumerate(pinned):
            if not self.available[item]:
                name = self.problem.name_of(item)
                reject("pinned", f"must be available, but pinned[{position}] is {name!r}, which is not")
            if not self.problem.limits.allows(prefix.limits, item):
                name, limit = self.problem.name_of(item), self.problem.refusing((*pinned[:position], item))
                reject("pinned", f"must fit together, but pinned[{position}], {name!r}, does not: {limit}")
            prefix = self.extend(prefix, item)
        return prefix


def _order(candidate: Candidate) -> tuple[float, ...]:
    return candidate.order
