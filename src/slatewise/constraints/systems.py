"""Systems given by an oracle: conflicts between items, and any downward-closed rule."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from slatewise.checks import as_array, frozen, function, refuse, whole_array, whole_number
from slatewise.constraints.base import Constraint
from slatewise.constraints.usage import Packing
from slatewise.errors import reject
from slatewise.typing import Bools, Ints

EXACT_NEIGHBOURS = 20
"""Up to this many neighbours, the largest set of compatible ones is searched for."""


class Conflicts(Constraint["Bools"]):
    """Items that may not stand together. Its state is which items are still allowed.

    Parameters
    ----------
    pairs
        (p, 2): the pairs of items in conflict; an item is in none with itself.
    n_items
        n, the number of items.
    name
        What the limit is called.

    Examples
    --------
    >>> import slatewise as sw
    >>> rivals = sw.Conflicts([(0, 1), (0, 2)], 3)
    >>> rivals.feasible(rivals.add(rivals.empty(), 1))
    array([False,  True,  True])
    >>> rivals.k
    2
    """

    def __init__(self, pairs: npt.ArrayLike, n_items: int, *, name: str | None = None) -> None:
        self.n_items = n = whole_number(n_items, "n_items", minimum=0)
        ends = as_array(pairs, "pairs")
        clean = whole_array(
            ends.reshape(0, 2) if ends.size == 0 else ends, "pairs", shape=(None, 2), minimum=0
        )
        refuse("pairs", clean, clean >= n, f"must be in 0 .. {n - 1}")
        if np.any(clean[:, 0] == clean[:, 1]):
            row = int(np.argmax(clean[:, 0] == clean[:, 1]))
            reject(
                "pairs", f"must be of two different items, but pairs[{row}] is {tuple(clean[row].tolist())}"
            )
        self.pairs = clean
        self.name = name
        neighbours: list[set[int]] = [set() for _ in range(n)]
        for one, other in clean.tolist():
            neighbours[one].add(other)
            neighbours[other].add(one)
        self._neighbours = tuple(frozen(np.array(sorted(near), dtype=np.int64)) for near in neighbours)

    @property
    def k(self) -> int:
        """The most items that adding one can drive out: mutually compatible neighbours of one item."""
        return max(1, self.burden())

    def burden(self) -> int:
        """Return the most mutually compatible neighbours of one item; 0 without any pair."""
        return self._most_driven_out

    @cached_property
    def _most_driven_out(self) -> int:
        return max(map(self._compatible_neighbours, range(len(self._neighbours))), default=0)

    def empty(self) -> Bools:
        """Return the state of the empty list."""
        return frozen(np.ones(len(self._neighbours), dtype=np.bool_))

    def feasible(self, state: Bools) -> Bools:
        """Return (n,) truth values: which items are in conflict with none of the list."""
        return state

    def add(self, state: Bools, item: int) -> Bools:
        """Return the state of the list with an item appended."""
        after = state.copy()
        after[self._neighbours[item]] = False
        return frozen(after)

    def relaxation(self, n_items: int) -> Packing:
        """Return a resource for each pair, of which its two items use one each."""
        n_pairs = len(self.pairs)
        items = self.pairs.ravel()
        order = np.argsort(items, kind="stable")
        starts = np.searchsorted(items[order], np.arange(n_items + 1)).astype(np.int64)
        return Packing(
            starts, np.repeat(np.arange(n_pairs), 2)[order], np.ones(2 * n_pairs), np.ones(n_pairs)
        )

    def _compatible_neighbours(self, item: int) -> int:
        near = self._neighbours[item].tolist()
        if len(near) > EXACT_NEIGHBOURS:
            return len(near)
        position = {neighbour: bit for bit, neighbour in enumerate(near)}
        rivals = [
            sum(1 << position[other] for other in self._neighbours[one].tolist() if other in position)
            for one in near
        ]
        return largest_independent(rivals, (1 << len(near)) - 1)


class KSystem(Constraint[tuple[int, ...]]):
    """Any downward-closed rule, asked of lists. Its state is the list.

    Parameters
    ----------
    is_independent
        Says of a tuple of items whether they may stand together.
    k
        What the caller has proven: a k-system.
    n_items
        n, the number of items.
    name
        What the limit is called.

    Examples
    --------
    >>> import slatewise as sw
    >>> even = sw.KSystem(lambda items: sum(items) <= 3, k=3, n_items=4)
    >>> even.feasible(even.add(even.empty(), 1))
    array([ True,  True,  True, False])
    """

    def __init__(
        self,
        is_independent: Callable[[tuple[int, ...]], bool],
        k: int,
        n_items: int,
        *,
        name: str | None = None,
    ) -> None:
        self.is_independent = function(is_independent, "is_independent")
        self._k = whole_number(k, "k", minimum=1)
        self.n_items = self._size = whole_number(n_items, "n_items", minimum=0)
        self.name = name

    @property
    def k(self) -> int:
        """What the caller has proven."""
        return self._k

    def empty(self) -> tuple[int, ...]:
        """Return the state of the empty list."""
        return ()

    def feasible(self, state: tuple[int, ...]) -> Bools:
        """Return (n,) truth values: which items may be added."""
        return self.feasible_among(state, np.arange(self._size))

    def feasible_among(self, state: tuple[int, ...], items: Ints) -> Bools:
        """Return which of these items may be added: one question for each."""
        answers = (item in state or self.is_independent((*state, item)) for item in items.tolist())
        return np.fromiter((bool(answer) for answer in answers), dtype=np.bool_, count=len(items))

    def add(self, state: tuple[int, ...], item: int) -> tuple[int, ...]:
        """Return the state of the list with an item appended."""
        return (*state, item)


def largest_independent(rivals: list[int], left: int) -> int:
    """Return the size of the largest set of bits in `left` that are no rivals of each other."""
    if not left:
        return 0
    bit = (left & -left).bit_length() - 1
    rest = left & ~(1 << bit)
    taken = 1 + largest_independent(rivals, rest & ~rivals[bit])
    return taken if not rest & rivals[bit] else max(taken, largest_independent(rivals, rest))
