"""Limits that are a usage matrix and capacities: knapsacks, cardinality, partition, label, laminar."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from functools import cached_property
from numbers import Real
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from slatewise.checks import (
    boolean_array,
    check_shape,
    frozen,
    nonnegative_array,
    real_number,
    whole_array,
    whole_number,
)
from slatewise.constraints.base import Constraint
from slatewise.constraints.usage import Packing
from slatewise.errors import reject
from slatewise.typing import Bools, Floats, Ints

Limits: TypeAlias = npt.ArrayLike | Mapping[Hashable, int]
"""A number for all labels, one for each, or some by name."""


class PackingConstraint(Constraint[Floats]):
    """A limit that is a `Packing`; its state is what the list uses of each resource."""

    @abstractmethod
    def packing(self, n_items: int) -> Packing:
        """Return the usage of n items and the capacities."""

    def relaxation(self, n_items: int) -> Packing:
        """Return the packing itself."""
        return self.packing(n_items)

    def changed(self, **fields: object) -> Self:
        """Return the same limit with some fields replaced by clean ones."""
        other = copy(self)
        vars(other).pop("_own", None)
        vars(other).update(fields)
        return other

    @cached_property
    def _own(self) -> Packing:
        return self.packing(self.n_items or 0)

    def empty(self) -> Floats:
        """Return the state of the empty list."""
        return frozen(np.zeros(len(self._own.capacities)))

    def feasible(self, state: Floats) -> Bools:
        """Return (n,) truth values: which items may be added."""
        return self._own.feasible(state)

    def add(self, state: Floats, item: int) -> Floats:
        """Return the state of the list with an item appended."""
        return self._own.add(state, item)


class Cardinality(PackingConstraint):
    """At most m items.

    Parameters
    ----------
    m
        A whole number, at least 0.
    name
        What the limit is called.

    Examples
    --------
    >>> import slatewise as sw
    >>> ten = sw.Cardinality(1)
    >>> bool(ten.feasible(ten.empty())), bool(ten.feasible(ten.add(ten.empty(), 3)))
    (True, False)
    """

    def __init__(self, m: int, *, name: str | None = None) -> None:
        self.m = whole_number(m, "m", minimum=0)
        self.name = name

    @property
    def k(self) -> int:
        """1: a uniform matroid."""
        return 1

    def burden(self) -> int:
        """Return 0: a truncated k-system keeps its k."""
        return 0

    def packing(self, n_items: int) -> Packing:
        """Return one resource, of which each item uses 1."""
        return Packing.total(n_items, self.m)

    def take(self, items: Ints) -> Cardinality:  # noqa: ARG002 - it fits any items
        """Return the same limit."""
        return self

    def with_bound(self, bound: int) -> Cardinality:
        """Return the limit with another m."""
        return Cardinality(bound, name=self.name)

    def feasible(self, state: Floats) -> Bools:
        """Return () truth value: whether there is room for any item."""
        return np.asarray(state[0] + 1.0 <= self.m)

    def add(self, state: Floats, item: int) -> Floats:  # noqa: ARG002 - every item is alike
        """Return the state of the list with an item appended."""
        return frozen(state + 1.0)


class Knapsack(PackingConstraint):
    """Σ_{e in S} costs[e] ≤ budget; several of this kind make l > 1.

    Parameters
    ----------
    costs
        (n,), finite and not negative.
    budget
        Finite and greater than 0.
    name
        What the limit is called.

    Examples
    --------
    >>> import slatewise as sw
    >>> minutes = sw.Knapsack([10.0, 20.0, 25.0], 30.0)
    >>> minutes.feasible(minutes.add(minutes.empty(), 0))
    array([ True,  True, False])
    """

    def __init__(self, costs: npt.ArrayLike, budget: float, *, name: str | None = None) -> None:
        self.costs = nonnegative_array(costs, "costs", shape=(None,))
        self.budget = real_number(budget, "budget", above=0.0)
        self.name = name
        self.n_items = len(self.costs)

    @property
    def k(self) -> int:
        """0: a knapsack counts in l."""
        return 0

    def take(self, items: Ints) -> Knapsack:
        """Return the same limit on some of the items, numbered anew."""
        return self.changed(costs=frozen(self.costs[items]), n_items=len(items))

    def with_bound(self, bound: float) -> Knapsack:
        """Return the limit with another budget."""
        return self.changed(budget=real_number(bound, "budget", above=0.0))

    def packing(self, n_items: int) -> Packing:  # noqa: ARG002 - it knows its items
        """Return one resource, of which each item uses its cost."""
        return Packing.from_dense(self.costs[:, np.newaxis], np.array([self.budget]))


class PartitionMatroid(PackingConstraint):
    """At most ``limits[g]`` items of each block g, every item being in one block.

    Parameters
    ----------
    labels
        (n,) whole numbers from 0: the block of each item.
    limits
        One whole number for all blocks, one for each, or by name for some, the others being free.
    name
        What the limit is called.
    label_names
        What the blocks are called.

    Examples
    --------
    >>> import slatewise as sw
    >>> publisher = sw.PartitionMatroid([0, 0, 1], 1)
    >>> publisher.feasible(publisher.add(publisher.empty(), 0))
    array([False, False,  True])
    """

    def __init__(
        self,
        labels: npt.ArrayLike,
        limits: Limits,
        *,
        name: str | None = None,
        label_names: Sequence[Hashable] | None = None,
    ) -> None:
        self.labels = whole_array(labels, "labels", shape=(None,), minimum=0)
        self.n_items = len(self.labels)
        if label_names is None and isinstance(limits, Real):
            self.labels = frozen(np.unique(self.labels, return_inverse=True)[1].astype(np.int64))
        n_labels = max(int(self.labels.max(initial=-1)) + 1, len(label_names or ()))
        self.limits = caps(limits, n_labels, label_names, unlimited=self.n_items)
        self.label_names = None if label_names is None else tuple(label_names)
        self.name = name

    @property
    def k(self) -> int:
        """1: a matroid."""
        return 1

    def burden(self) -> Ints:
        """Return 1 for the items of a block that has more items than its limit allows."""
        sizes = np.bincount(self.labels, minlength=len(self.limits))
        return (sizes > self.limits)[self.labels].astype(np.int64)

    def take(self, items: Ints) -> PartitionMatroid:
        """Return the same limit on some of the items, numbered anew."""
        return self.changed(labels=frozen(self.labels[items]), n_items=len(items))

    def with_bound(self, bound: Limits) -> PartitionMatroid:
        """Return the limit with other numbers."""
        limits = caps(bound, len(self.limits), self.label_names, unlimited=len(self.labels))
        return self.changed(limits=limits)

    def packing(self, n_items: int) -> Packing:
        """Return a resource for each block."""
        return Packing(np.arange(n_items + 1), self.labels, np.ones(n_items), self.limits.astype(np.float64))


class Labelled(PackingConstraint):
    """At most ``limits[g]`` items that carry label g: what label and laminar limits share."""

    def __init__(
        self,
        members: npt.ArrayLike,
        limits: Limits,
        *,
        name: str | None = None,
        label_names: Sequence[Hashable] | None = None,
    ) -> None:
        self.members = boolean_array(members, "members", shape=(None, None), allow_numbers=True)
        n_items, n_labels = self.members.shape
        self.n_items = n_items
        self.limits = caps(limits, n_labels, label_names, unlimited=n_items, exactly=True)
        self.label_names = None if label_names is None else tuple(label_names)
        self.name = name

    def take(self, items: Ints) -> Self:
        """Return the same limit on some of the items, numbered anew."""
        return self.changed(members=frozen(self.members[items]), n_items=len(items))

    def with_bound(self, bound: Limits) -> Self:
        """Return the limit with other numbers."""
        n_items, n_labels = self.members.shape
        limits = caps(bound, n_labels, self.label_names, unlimited=n_items, exactly=True)
        return self.changed(limits=limits)

    def packing(self, n_items: int) -> Packing:  # noqa: ARG002 - it knows its items
        """Return a resource for each label."""
        items, labels = np.nonzero(self.members)
        starts = np.searchsorted(items, np.arange(len(self.members) + 1)).astype(np.int64)
        return Packing(starts, labels.astype(np.int64), np.ones(len(items)), self.limits.astype(np.float64))


class LabelLimits(Labelled):
    """At most ``limits[g]`` items that carry label g; an item may carry several labels, or none.

    Parameters
    ----------
    members
        (n, g), boolean or 0/1: which labels each item carries.
    limits
        One whole number for all labels, one for each, or by name for some, the others being free.
    name
        What the limit is called.
    label_names
        What the labels are called.

    Examples
    --------
    >>> import slatewise as sw
    >>> genres = sw.LabelLimits([[True, False], [True, True], [False, True]], 1)
    >>> genres.feasible(genres.add(genres.empty(), 0))
    array([False, False,  True])
    """

    @property
    def k(self) -> int:
        """The most limits that one item falls under: a p-matchoid."""
        return max(1, int(self.burden().max(initial=0)))

    def burden(self) -> Ints:
        """Return each item's labels, leaving out those that no more items carry than is allowed."""
        binding = self.members.sum(axis=0) > self.limits
        return np.asarray(self.members[:, binding].sum(axis=1), dtype=np.int64)


class LaminarMatroid(Labelled):
    """At most ``limits[g]`` items of group g, any two groups being nested or disjoint.

    Parameters
    ----------
    members
        (n, g), boolean or 0/1: which groups each item is in.
    limits
        One whole number for all groups, one for each, or by name for some, the others being free.
    name
        What the limit is called.
    label_names
        What the groups are called.

    Examples
    --------
    Two of sport, and of these one of football:

    >>> import slatewise as sw
    >>> sport = sw.LaminarMatroid([[True, True], [True, True], [True, False]], [2, 1])
    >>> sport.feasible(sport.add(sport.empty(), 0))
    array([False, False,  True])
    """

    def __init__(
        self,
        members: npt.ArrayLike,
        limits: Limits,
        *,
        name: str | None = None,
        label_names: Sequence[Hashable] | None = None,
    ) -> None:
        super().__init__(members, limits, name=name, label_names=label_names)
        counts = self.members.astype(np.float64)
        shared = counts.T @ counts
        sizes = np.diag(shared)
        crossing = (shared > 0) & (shared != sizes) & (shared != sizes[:, np.newaxis])
        if crossing.any():
            one, other = np.argwhere(crossing)[0]
            reject("members", f"any two groups must be nested or disjoint, but {one} and {other} cross")

    @property
    def k(self) -> int:
        """1: a matroid."""
        return 1


class UnknownLabelWarning(UserWarning):
    """A limit by name is for a label that no item carries: a slip of the pen, or none of it today."""


def caps(
    limits: Limits,
    n_labels: int,
    label_names: Sequence[Hashable] | None = None,
    *,
    unlimited: int,
    exactly: bool = False,
) -> Ints:
    """Return a limit for each label."""
    if isinstance(limits, Mapping):
        if label_names is None:
            reject("limits", "are given by name, but the labels have none (label_names)")
        return caps_by_name(limits, label_names, unlimited)
    if isinstance(limits, str | Real | np.generic):
        one: Any = limits
        return frozen(np.full(n_labels, whole_number(one, "limits", minimum=0)))
    clean = whole_array(limits, "limits", shape=(None,), minimum=0)
    if exactly:
        check_shape(clean, "limits", (n_labels,))
    if len(clean) < n_labels:
        reject("limits", f"must have a limit for each of the {n_labels} labels, but has {len(clean)}")
    return clean


def caps_by_name(limits: Mapping[Hashable, int], label_names: Sequence[Hashable], unlimited: int) -> Ints:
    """Return a limit for each label, those that have none being free; warn of one that no item carries."""
    for name in limits:
        if name not in label_names:
            warnings.warn(f"limits: no item carries the label {name!r}", UnknownLabelWarning, stacklevel=4)
    return frozen(
        np.array(
            [
                whole_number(limits.get(name, unlimited), f"limits[{name!r}]", minimum=0)
                for name in label_names
            ],
            dtype=np.int64,
        )
    )
