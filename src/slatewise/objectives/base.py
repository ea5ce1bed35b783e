"""The noun `Objective`: d known monotone submodular functions, read one item at a time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from slatewise.features import FeatureSpace
from slatewise.typing import Floats, Ints

State = TypeVar("State")


class Objective(ABC, Generic[State]):
    """d known monotone submodular functions f_1 .. f_d on n items.

    A list is grown from `empty` by `add`; `gains` are the features x(e|S) of every item after it,
    ``[f_g(S + e) - f_g(S) for g]``. States are values: `add` returns a new one.

    Laws, which `slatewise.testing.check_objective` runs on any implementation: gains are what values
    differ by, are never negative, never grow as the list does, and are zero for the items in it.
    """

    n_items: int
    feature_space: FeatureSpace

    @property
    def n_features(self) -> int:
        """d, the number of functions."""
        return self.feature_space.n_features

    @abstractmethod
    def empty(self) -> State:
        """Return the state of the empty list."""

    @abstractmethod
    def add(self, state: State, item: int) -> State:
        """Return the state of the list with an item appended; `state` stays as it is."""

    @abstractmethod
    def gains(self, state: State, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""

    def along(self, items: Sequence[int]) -> Floats:
        """Return x(e_i | S^(1:i-1)) of a list, (length, d)."""
        rows = np.zeros((len(items), self.n_features))
        state = self.empty()
        for position, item in enumerate(items):
            rows[position] = self.gains(state, np.array([item]))[0]
            state = self.add(state, item)
        return rows

    def total(self, items: Ints) -> Floats:
        """Return [f_1(S), ..., f_d(S)] of a long list, or bounds on it where that would be dear."""
        return np.asarray(self.along(items.tolist()).sum(axis=0), dtype=np.float64)

    def take(self, items: Ints) -> Objective[Any]:
        """Return the same functions on some of the items, numbered anew; worth overriding for speed."""
        return Taken(self, items)


class Taken(Objective[State]):
    """An objective on some of another's items, numbered in the order in which they were taken."""

    def __init__(self, whole: Objective[State], items: Ints) -> None:
        self.whole = whole
        self.items = items
        self.n_items = len(items)
        self.feature_space = whole.feature_space

    def empty(self) -> State:
        """Return the state of the empty list."""
        return self.whole.empty()

    def add(self, state: State, item: int) -> State:
        """Return the state of the list with an item appended."""
        return self.whole.add(state, int(self.items[item]))

    def gains(self, state: State, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        return self.whole.gains(state, self.items if items is None else self.items[items])


AnyObjective = Objective[Any]
