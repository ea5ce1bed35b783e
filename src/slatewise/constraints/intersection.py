"""All limits of a problem as one: the packings merged, the others side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from slatewise.checks import frozen
from slatewise.constraints.base import AnyConstraint, Constraint
from slatewise.constraints.packing import Knapsack, PackingConstraint
from slatewise.constraints.usage import Packing
from slatewise.errors import reject
from slatewise.typing import Bools, Floats, Ints


class IntersectionState(NamedTuple):
    """What the list uses of each resource, and the states of the limits that are no packing."""

    used: Floats
    others: tuple[Any, ...]


class Intersection(Constraint[IntersectionState]):
    """Lists that several limits all allow.

    Parameters
    ----------
    constraints
        Any number of limits; each on `n_items` items, or on any number.
    n_items
        n, the number of items.
    """

    def __init__(self, constraints: Sequence[AnyConstraint], n_items: int) -> None:
        self.constraints = tuple(flattened(constraints))
        self.n_items = self._size = n_items
        names: set[str] = set()
        for position, constraint in enumerate(self.constraints):
            where = f"constraints[{position}]"
            if not isinstance(constraint, Constraint):
                reject("constraints", f"must hold constraints, but {where} is {constraint!r}")
            if constraint.n_items not in {None, n_items}:
                reject("constraints", f"{where} is on {constraint.n_items} items, but there are {n_items}")
            if constraint.name is not None and constraint.name in names:
                reject("constraints", f"must have different names, but {where} is {constraint.name!r} again")
            names.update({constraint.name} if constraint.name is not None else ())
        packings = [part.packing(n_items) for part in self.constraints if isinstance(part, PackingConstraint)]
        self.packing = Packing.merge(packings, n_items)
        self.others = tuple(part for part in self.constraints if not isinstance(part, PackingConstraint))

    @cached_property
    def relaxed(self) -> Packing:
        """A packing that every allowed list satisfies, the limits that are none taking part loosely."""
        return Packing.merge([part.relaxation(self._size) for part in self.constraints], self._size)

    @property
    def knapsacks(self) -> tuple[Knapsack, ...]:
        """The knapsacks among the limits, in order."""
        return tuple(part for part in self.constraints if isinstance(part, Knapsack))

    @property
    def k(self) -> int:
        """The derived k: what all limits together put on the item that is worst off, at least 1."""
        return self._derived_k

    @cached_property
    def _derived_k(self) -> int:
        burden = np.zeros(self._size, dtype=np.int64)
        for constraint in self.constraints:
            burden = burden + constraint.burden()
        return max(1, int(burden.max(initial=0)))

    def empty(self) -> IntersectionState:
        """Return the state of the empty list."""
        used = frozen(np.zeros(len(self.packing.capacities)))
        return IntersectionState(used, tuple(part.empty() for part in self.others))

    def feasible(self, state: IntersectionState) -> Bools:
        """Return (n,) truth values: which items every limit allows."""
        return self._narrow(self.packing.feasible(state.used), state)

    def feasible_within(self, state: IntersectionState, mask: Bools) -> Bools:
        """Return (n,) truth values: which of the marked items every limit allows."""
        return self._narrow(mask & self.packing.feasible(state.used), state)

    def allows(self, state: IntersectionState, item: int) -> bool:
        """Return whether every limit allows one item: what `feasible` says of it, for less."""
        one = np.array([item])
        return self.packing.fits(state.used, item) and all(
            part.feasible_among(its, one)[0] for part, its in zip(self.others, state.others, strict=True)
        )

    def add(self, state: IntersectionState, item: int) -> IntersectionState:
        """Return the state of the list with an item appended."""
        others = tuple(part.add(its, item) for part, its in zip(self.others, state.others, strict=True))
        return IntersectionState(self.packing.add(state.used, item), others)

    def _narrow(self, allowed: Bools, state: IntersectionState) -> Bools:
        for part, its in zip(self.others, state.others, strict=True):
            items: Ints = np.flatnonzero(allowed)
            allowed[items[~part.feasible_among(its, items)]] = False
        return allowed


def flattened(constraints: Iterable[AnyConstraint]) -> Iterator[AnyConstraint]:
    """Yield limits one by one, those of an intersection in its place."""
    for constraint in constraints:
        if isinstance(constraint, Intersection):
            yield from constraint.constraints
        else:
            yield constraint
