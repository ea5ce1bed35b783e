"""Matroids that are no packing: forests of a graph, and lists that can be given different slots."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from slatewise.checks import as_array, boolean_array, frozen
from slatewise.constraints.base import Constraint
from slatewise.constraints.usage import Packing
from slatewise.errors import reject
from slatewise.typing import Bools, Ints


class GraphicMatroid(Constraint["Ints"]):
    """Item i is an edge of a graph; a list must be a forest. Its state is each vertex's tree.

    Parameters
    ----------
    edges
        (n, 2) names of vertices; a loop is never allowed.
    name
        What the limit is called.

    Examples
    --------
    >>> import slatewise as sw
    >>> forest = sw.GraphicMatroid([("a", "b"), ("b", "c"), ("c", "a")])
    >>> forest.feasible(forest.add(forest.add(forest.empty(), 0), 1))
    array([False, False, False])
    """

    def __init__(self, edges: npt.ArrayLike, *, name: str | None = None) -> None:
        names = as_array(edges, "edges")
        if names.ndim != 2 or names.shape[1] != 2:  # noqa: PLR2004 - an edge has two ends
            reject("edges", f"must have shape (any, 2), but has {names.shape}")
        number: dict[object, int] = {}
        ends = [number.setdefault(name, len(number)) for name in names.ravel().tolist()]
        self.n_vertices = len(number)
        self.ends: Ints = frozen(np.array(ends, dtype=np.int64).reshape(-1, 2))
        self.n_items = len(names)
        self.name = name

    @property
    def k(self) -> int:
        """1: a matroid."""
        return 1

    def empty(self) -> Ints:
        """Return the state of the empty list."""
        return frozen(np.arange(self.n_vertices))

    def feasible(self, state: Ints) -> Bools:
        """Return (n,) truth values: which edges close no circle."""
        trees = state[self.ends]
        return np.not_equal(trees[:, 0], trees[:, 1])

    def add(self, state: Ints, item: int) -> Ints:
        """Return the state of the list with an item appended."""
        kept, joined = state[self.ends[item]]
        return frozen(np.where(state == joined, kept, state))

    def relaxation(self, n_items: int) -> Packing:
        """Return the limit on the number of edges: fewer than vertices."""
        return Packing.total(n_items, max(self.n_vertices - 1, 0))


class TransversalMatroid(Constraint["Ints"]):
    """The items of a list can be given different slots. Its state is each slot's item, -1 where free.

    Parameters
    ----------
    fits
        (n, slots), boolean or 0/1: which slots each item can take.
    name
        What the limit is called.

    Examples
    --------
    >>> import slatewise as sw
    >>> slots = sw.TransversalMatroid([[True, False], [True, True], [True, False]])
    >>> slots.feasible(slots.add(slots.empty(), 1))
    array([ True,  True,  True])
    >>> slots.feasible(slots.add(slots.add(slots.empty(), 1), 0))
    array([False, False, False])
    """

    def __init__(self, fits: npt.ArrayLike, *, name: str | None = None) -> None:
        self.fits = boolean_array(fits, "fits", shape=(None, None), allow_numbers=True)
        self.n_items, self.n_slots = self.fits.shape
        self.name = name

    @property
    def k(self) -> int:
        """1: a matroid."""
        return 1

    def empty(self) -> Ints:
        """Return the state of the empty list."""
        return frozen(np.full(self.n_slots, -1))

    def feasible(self, state: Ints) -> Bools:
        """Return (n,) truth values: which items have a slot that is free or can be freed."""
        return np.asarray(self.fits[:, self._towards_free(state) >= 0].any(axis=1))

    def add(self, state: Ints, item: int) -> Ints:
        """Return the state of the list with an item appended, others moved to free its slot."""
        onward = self._towards_free(state)
        after = state.copy()
        slot = int(np.flatnonzero(self.fits[item] & (onward >= 0))[0])
        while True:
            moved, after[slot] = int(after[slot]), item
            if moved < 0:
                return frozen(after)
            item, slot = moved, int(onward[slot])

    def relaxation(self, n_items: int) -> Packing:
        """Return the limit on the number of items: one for each slot."""
        return Packing.total(n_items, self.n_slots)

    def _towards_free(self, state: Ints) -> Ints:
        """Return, for each slot, where its item can move so that it comes free.

        The slot itself where it is free already, -1 where nothing helps: a search backwards from the
        free slots, in which each slot points one step nearer to one.
        """
        onward = np.where(state < 0, np.arange(self.n_slots), -1)
        frontier = np.flatnonzero(state < 0)
        while len(frontier):
            waiting = np.flatnonzero(onward < 0)
            reachable = self.fits[state[waiting]][:, frontier]
            movable = reachable.any(axis=1)
            onward[waiting[movable]] = frontier[reachable[movable].argmax(axis=1)]
            frontier = waiting[movable]
        return onward
