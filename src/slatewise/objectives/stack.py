"""Several objectives side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from slatewise.checks import listed
from slatewise.errors import reject
from slatewise.features import FeatureSpace
from slatewise.objectives.base import AnyObjective, Objective
from slatewise.typing import Floats, Ints


class Stack(Objective[tuple[Any, ...]]):
    """The functions of several objectives on the same items, one after the other.

    Parameters
    ----------
    objectives
        At least one; all on the same number of items.

    Examples
    --------
    >>> import slatewise as sw
    >>> topics, quality = sw.Coverage([[1, 0], [1, 1]]), sw.Modular([[0.5], [0.25]])
    >>> both = sw.Stack([topics, quality])
    >>> both.gains(both.add(both.empty(), 0))
    array([[0.  , 0.  , 0.  ],
           [0.  , 1.  , 0.25]])
    """

    def __init__(self, objectives: Sequence[AnyObjective]) -> None:
        self.objectives = listed(objectives, "objectives")
        if not self.objectives:
            reject("objectives", "must hold at least one objective, but is empty")
        for position, part in enumerate(self.objectives):
            if not isinstance(part, Objective):
                reject("objectives", f"must hold objectives, but objectives[{position}] is {part!r}")
            if part.n_items != self.objectives[0].n_items:
                reject(
                    "objectives",
                    f"must have the same number of items, but objectives[0] has "
                    f"{self.objectives[0].n_items} and objectives[{position}] has {part.n_items}",
                )
        self.n_items = self.objectives[0].n_items
        self.feature_space = FeatureSpace.concatenate(part.feature_space for part in self.objectives)

    def take(self, items: Ints) -> Stack:
        """Return the same functions on some of the items, numbered anew."""
        return Stack([part.take(items) for part in self.objectives])

    def empty(self) -> tuple[Any, ...]:
        """Return the state of the empty list."""
        return tuple(part.empty() for part in self.objectives)

    def add(self, state: tuple[Any, ...], item: int) -> tuple[Any, ...]:
        """Return the state of the list with an item appended."""
        return tuple(part.add(its, item) for part, its in zip(self.objectives, state, strict=True))

    def gains(self, state: tuple[Any, ...], items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        parts = [part.gains(its, items) for part, its in zip(self.objectives, state, strict=True)]
        return np.concatenate(parts, axis=1)
