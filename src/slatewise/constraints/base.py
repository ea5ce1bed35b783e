"""The noun `Constraint`: which lists are allowed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Generic, TypeVar

import numpy as np

from slatewise.constraints.usage import Packing
from slatewise.errors import reject
from slatewise.typing import Bools, Ints

State = TypeVar("State")


class Constraint(ABC, Generic[State]):
    """A downward-closed rule: a list that it allows stays allowed when an item is taken away.

    A list is grown from `empty` by `add`; `feasible` says which items may come next. What it says of
    the items already in the list does not matter. States are values: `add` returns a new one.

    Laws, which `slatewise.testing.check_constraint` runs on any implementation: downward-closed, blind
    to the order of the list, and with maximal lists within every set of items that differ in length by
    a factor of at most `k`.
    """

    name: str | None = None
    n_items: int | None = None
    """How many items it speaks of; ``None`` for a rule that fits any number."""

    def __repr__(self) -> str:
        named = "" if self.name is None else f" {self.name!r}"
        size = "" if self.n_items is None else f" on {self.n_items} items"
        return f"<{type(self).__name__}{named}{size}>"

    @property
    @abstractmethod
    def k(self) -> int:
        """The smallest proven k for which the allowed lists are a k-system; 0 for a knapsack."""

    @abstractmethod
    def empty(self) -> State:
        """Return the state of the empty list."""

    @abstractmethod
    def feasible(self, state: State) -> Bools:
        """Return (n,) truth values: which items may be added; () where all may or none."""

    @abstractmethod
    def add(self, state: State, item: int) -> State:
        """Return the state of the list with an item appended; `state` stays as it is."""

    def feasible_among(self, state: State, items: Ints) -> Bools:
        """Return which of these items may be added; worth overriding where asking is dear."""
        return np.broadcast_to(self.feasible(state), (self.n_items or int(items.max(initial=0)) + 1,))[items]

    def burden(self) -> int | Ints:
        """Return what the rule adds to the k of an intersection: a number, or one for each item."""
        return self.k

    def relaxation(self, n_items: int) -> Packing:
        """Return a packing that every allowed list satisfies: what bounds on the best value read."""
        return Packing.from_dense(np.zeros((n_items, 0)), np.zeros(0))

    def take(self, items: Ints) -> Constraint[Any]:
        """Return the same rule on some of the items, numbered anew; worth overriding for speed."""
        return Taken(self, items)

    def with_bound(self, bound: Any) -> Constraint[Any]:  # noqa: ANN401 - what the constructor takes
        """Return the same rule with another bound, in the form that its constructor takes."""
        reject(
            "limits", f"{self.name!r} is a {type(self).__name__}, which has no bound, but {bound!r} was given"
        )


class Taken(Constraint[State]):
    """A rule on some of another's items, numbered in the order in which they were taken."""

    def __init__(self, whole: Constraint[State], items: Ints) -> None:
        self.whole = whole
        self.items = items
        self.n_items = len(items)
        self.name = whole.name

    @property
    def k(self) -> int:
        """The k of the whole, which holds for any part of it."""
        return self.whole.k

    def empty(self) -> State:
        """Return the state of the empty list."""
        return self.whole.empty()

    def feasible(self, state: State) -> Bools:
        """Return (n,) truth values: which items may be added."""
        return self.whole.feasible_among(state, self.items)

    def feasible_among(self, state: State, items: Ints) -> Bools:
        """Return which of these items may be added."""
        return self.whole.feasible_among(state, self.items[items])

    def add(self, state: State, item: int) -> State:
        """Return the state of the list with an item appended."""
        return self.whole.add(state, int(self.items[item]))

    def burden(self) -> int | Ints:
        """Return what the rule adds to the k of an intersection."""
        burden = self.whole.burden()
        return burden if isinstance(burden, int) else burden[self.items]

    def relaxation(self, n_items: int) -> Packing:
        """Return a packing that every allowed list satisfies."""
        return self.whole.relaxation(self.whole.n_items or n_items).take(self.items)

    def with_bound(self, bound: Any) -> Constraint[Any]:  # noqa: ANN401 - what the constructor takes
        """Return the same rule with another bound."""
        return self.whole.with_bound(bound).take(self.items)


AnyConstraint = Constraint[Any]
