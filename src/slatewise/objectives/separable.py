"""Objectives whose features are scalar state machines: a matrix and two scalar functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slatewise.checks import check_shape, frozen, nonnegative_array, refuse
from slatewise.configuration import qualified_name
from slatewise.errors import reject
from slatewise.features import FeatureSpace
from slatewise.objectives.base import Objective
from slatewise.typing import Bools, Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Elementwise = Callable[[Any, Any], Any]
"""A function of two numbers, or of two arrays number by number."""


@dataclass(frozen=True)
class Rule:
    """How one feature of an item meets the level that its list has reached.

    With a = the item's amount and s = the level, x(e|S) = gain(a, s), and the level of S + e is
    step(a, s). Both work on NumPy arrays and compile as scalar functions.

    Parameters
    ----------
    start
        The level of the empty list.
    gain
        Not negative, growing in the amount, falling as the level moves on; 0 for an amount of 0.
    step
        The next level; the same level for an amount of 0.

    Examples
    --------
    >>> import slatewise as sw
    >>> largest = sw.Rule(
    ...     start=0.0, gain=lambda a, s: np.maximum(a - s, 0.0), step=lambda a, s: np.maximum(a, s)
    ... )
    >>> objective = sw.Separable([[3.0], [5.0]], largest)
    >>> objective.gains(objective.add(objective.empty(), 0))
    array([[0.],
           [2.]])
    """

    start: float
    gain: Elementwise
    step: Elementwise


class SeparableState(NamedTuple):
    """The items of a list, in order, and the level of each feature."""

    items: tuple[int, ...]
    levels: Floats


class Separable(Objective[SeparableState]):
    """Objectives f_g(S) that one number a feature carries from item to item.

    Parameters
    ----------
    matrix
        (n, d) amounts, not negative: what each item brings to each feature. A `scipy.sparse` matrix
        stays sparse; its gains are dense, for the items that are asked for.
    rule
        The two scalar functions.
    argument
        The name of the matrix in the caller's words, for errors.
    names
        The names of the features.
    kind
        The kind of the feature space; where none is given the class's name, or those of the functions.

    Notes
    -----
    Cost: O(n d) for the gains of all items, O(d) to add one.

    Examples
    --------
    >>> import slatewise as sw
    >>> adding = sw.Rule(start=0.0, gain=lambda a, s: a + 0.0 * s, step=lambda a, s: s + 0.0 * a)
    >>> sums = sw.Separable([[1.0, 2.0]], adding)
    >>> sums.gains(sums.empty())
    array([[1., 2.]])
    """

    def __init__(
        self,
        matrix: npt.ArrayLike | csr_array,
        rule: Rule,
        *,
        argument: str = "matrix",
        names: Sequence[str] | None = None,
        kind: str | None = None,
    ) -> None:
        self.rule = rule
        self.matrix = checked_amounts(matrix, argument)
        self.n_items, size = (int(length) for length in self.matrix.shape)
        if size == 0:
            reject(argument, f"must have at least one feature, but has shape {self.matrix.shape}")
        rules = f"Separable({qualified_name(rule.gain)}, {qualified_name(rule.step)})"
        own = rules if type(self) is Separable else type(self).__name__
        self.feature_space = FeatureSpace.of(kind or own, size, names)

    def empty(self) -> SeparableState:
        """Return the state of the empty list."""
        return SeparableState((), frozen(np.full(self.n_features, self.rule.start)))

    def add(self, state: SeparableState, item: int) -> SeparableState:
        """Return the state of the list with an item appended."""
        levels = self.rule.step(self.amounts_of(item), state.levels)
        return SeparableState((*state.items, item), frozen(levels))

    def gains(self, state: SeparableState, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        if isinstance(self.matrix, np.ndarray):
            amounts = self.matrix if items is None else self.matrix[items]
            found = np.empty(amounts.shape)
            found[...] = self.rule.gain(amounts, state.levels)
        else:
            entries = (self.matrix if items is None else self.matrix[items]).tocoo()
            found = np.zeros(entries.shape)
            found[entries.coords] = self.rule.gain(entries.data, state.levels[entries.coords[1]])
        if state.items:
            members = list(state.items) if items is None else np.isin(items, state.items)
            found[members] = 0.0
        return found

    def along(self, items: Sequence[int]) -> Floats:
        """Return x(e_i | S^(1:i-1)) of a list, (length, d)."""
        rows = np.zeros((len(items), self.n_features))
        levels = self.empty().levels
        for position, item in enumerate(items):
            amounts = self.amounts_of(item)
            rows[position] = self.rule.gain(amounts, levels)
            levels = self.rule.step(amounts, levels)
        return rows

    def take(self, items: Ints) -> Separable:
        """Return the same functions on some of the items, numbered anew."""
        taken = copy(self)
        rows = self.matrix[items]
        taken.matrix = frozen(rows) if isinstance(rows, np.ndarray) else rows
        taken.n_items = len(items)
        return taken

    def amounts_of(self, item: int) -> Floats:
        """Return the amounts of one item, (d,)."""
        if isinstance(self.matrix, np.ndarray):
            amounts: Floats = self.matrix[item]
            return amounts
        row: Floats = self.matrix[[item]].toarray()[0]
        return row


def checked_amounts(matrix: npt.ArrayLike | csr_array, argument: str) -> Floats | csr_array:
    """Return a frozen matrix of finite amounts that are not negative, sparse where it was."""
    given: Any = matrix
    if not hasattr(given, "tocsr"):
        return nonnegative_array(given, argument, shape=(None, None))
    if np.iscomplexobj(given):
        reject(argument, "must be an array of real numbers, but it is complex")
    from scipy.sparse import csr_array

    sparse: csr_array[Any, tuple[int, int]] = csr_array(given).astype(np.float64, copy=True)
    check_shape(sparse, argument, (None, None))
    sparse.sum_duplicates()
    sparse.eliminate_zeros()
    refuse_amounts(sparse, argument, lambda a: ~np.isfinite(a), "must be finite")
    refuse_amounts(sparse, argument, lambda a: a < 0, "must not be negative")
    frozen(sparse.data)
    return sparse


def refuse_amounts(
    matrix: Floats | csr_array, argument: str, bad: Callable[[Floats], Bools], rule: str
) -> None:
    """Raise where an amount breaks a rule, which zero never does."""
    if isinstance(matrix, np.ndarray):
        refuse(argument, matrix, bad(matrix), rule)
        return
    entries = matrix.tocoo()
    broken = np.flatnonzero(bad(entries.data))
    if broken.size:
        where = ", ".join(str(int(axis[broken[0]])) for axis in entries.coords)
        reject(argument, f"{rule}, but {argument}[{where}] is {entries.data[broken[0]]}")
