"""What most limits are: a usage matrix and capacities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slatewise.checks import frozen
from slatewise.typing import Bools, Floats, Ints

TOLERANCE = 1e-9
"""A list fits where its cost is at most its budget times one more than this."""


@dataclass(frozen=True)
class Packing:
    """How much of each resource an item uses, row by row, and how much of each there is.

    Parameters
    ----------
    starts
        (n + 1,): item e's entries are ``starts[e] .. starts[e + 1] - 1``.
    resources
        The resource of each entry, ascending within an item.
    amounts
        What the entry uses of it; greater than 0.
    capacities
        (r,): what there is of each resource.
    """

    starts: Ints
    resources: Ints
    amounts: Floats
    capacities: Floats

    def __post_init__(self) -> None:
        for name in ("starts", "resources", "amounts", "capacities"):
            object.__setattr__(self, name, frozen(getattr(self, name).view()))

    @classmethod
    def from_dense(cls, usage: Floats, capacities: Floats) -> Packing:
        """Return the packing of an (n, r) usage matrix."""
        items, resources = np.nonzero(usage)
        starts = np.searchsorted(items, np.arange(len(usage) + 1)).astype(np.int64)
        return cls(starts, resources.astype(np.int64), usage[items, resources], capacities)

    @classmethod
    def merge(cls, packings: Sequence[Packing], n_items: int) -> Packing:
        """Return the packing of several limits on the same items at once."""
        offsets = np.cumsum([0, *(len(packing.capacities) for packing in packings)])
        items = np.concatenate([np.zeros(0, np.int64), *(packing.items for packing in packings)])
        resources = np.concatenate(
            [np.zeros(0, np.int64), *(p.resources + o for p, o in zip(packings, offsets, strict=False))]
        )
        amounts = np.concatenate([np.zeros(0), *(packing.amounts for packing in packings)])
        capacities = np.concatenate([np.zeros(0), *(packing.capacities for packing in packings)])
        order = np.argsort(items, kind="stable")
        starts = np.searchsorted(items[order], np.arange(n_items + 1)).astype(np.int64)
        return cls(starts, resources[order], amounts[order], capacities)

    @classmethod
    def total(cls, n_items: int, most: int) -> Packing:
        """Return the packing of at most so many items of any kind."""
        return cls.from_dense(np.ones((n_items, 1)), np.array([float(most)]))

    def take(self, items: Ints) -> Packing:
        """Return the packing of some of the items, numbered anew."""
        counts = np.diff(self.starts)[items]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        entries = np.arange(starts[-1]) + np.repeat(self.starts[items] - starts[:-1], counts)
        return Packing(starts, self.resources[entries], self.amounts[entries], self.capacities)

    @property
    def n_items(self) -> int:
        """n, the number of items."""
        return len(self.starts) - 1

    @property
    def items(self) -> Ints:
        """The item of each entry."""
        return np.repeat(np.arange(self.n_items), np.diff(self.starts))

    @cached_property
    def limits(self) -> Floats:
        """The most that a list may use of each resource, rounding allowed for."""
        with np.errstate(over="ignore"):
            return frozen(self.capacities * (1.0 + TOLERANCE))

    @cached_property
    def _using(self) -> Ints:
        """The items that use anything."""
        return np.flatnonzero(np.diff(self.starts))

    def feasible(self, used: Floats) -> Bools:
        """Return (n,) truth values: which items fit beside what is used."""
        fits = np.ones(self.n_items, dtype=np.bool_)
        with np.errstate(over="ignore"):  # a sum beyond all numbers does not fit
            within = used[self.resources] + self.amounts <= self.limits[self.resources]
        if len(within):
            fits[self._using] = np.logical_and.reduceat(within, self.starts[self._using])
        return fits

    def fits(self, used: Floats, item: int) -> bool:
        """Return whether one item fits beside what is used."""
        entries = slice(self.starts[item], self.starts[item + 1])
        resources = self.resources[entries]
        with np.errstate(over="ignore"):  # a sum beyond all numbers does not fit
            return bool(np.all(used[resources] + self.amounts[entries] <= self.limits[resources]))

    def add(self, used: Floats, item: int) -> Floats:
        """Return what is used with one more item."""
        entries = slice(self.starts[item], self.starts[item + 1])
        after = used.copy()
        after[self.resources[entries]] += self.amounts[entries]
        return frozen(after)

    @cached_property
    def usage(self) -> Floats:
        """The (n, r) usage matrix, dense."""
        usage = np.zeros((self.n_items, len(self.capacities)))
        usage[self.items, self.resources] = self.amounts
        return frozen(usage)
