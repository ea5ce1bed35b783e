"""How different items are by their embeddings: a log-determinant that needs no n × n kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from slatewise.checks import frozen, real_array
from slatewise.features import FeatureSpace
from slatewise.objectives.base import Objective
from slatewise.typing import Floats, Ints

SMALLEST_SQUARE, LARGEST_SQUARE = 1e-280, 1e280
"""Squared lengths between these are told apart from each other without any scaling."""

KEPT_NUMBERS = 4_000_000
"""How many numbers of the kernel's rows are kept, so that a row asked for again is not computed again."""


class EmbeddingState(NamedTuple):
    """The items, the rows of the Cholesky factor of I + K_S for all items, and what is left of each."""

    items: tuple[int, ...]
    rows: tuple[Floats, ...]
    left: Floats


class EmbeddingVolume(Objective[EmbeddingState]):
    """f(S) = log₂ det(I + K_S), with K_ij = (1 + cos(x_i, x_j))/2 and K_ii = 1.

    An item alone is worth 1. Beside a copy of itself it adds log₂ 1.5 = 0.58, beside an item at a right
    angle 0.91, beside its opposite 1: the smaller the cosines, the larger the value.

    Parameters
    ----------
    embeddings
        (n, p), finite, of any lengths; a row of zeros has cosine 0 with all others.
    names
        The name of the one feature.

    Notes
    -----
    K is the Gram matrix of the vectors (1, x/‖x‖)/√2, plus ½ for a row of zeros, hence positive
    semidefinite, and f is the entropy-like function of `LogDeterminant`: monotone and submodular. Its
    rows are computed when an item is added. Cost: O(n (p + |S|)) to add one, O(n) for gains; O(n |S|)
    numbers a state.

    Examples
    --------
    >>> import slatewise as sw
    >>> volume = sw.EmbeddingVolume([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    >>> volume.gains(volume.add(volume.empty(), 0)).round(3).ravel()
    array([0.   , 0.585, 0.907, 1.   ])
    """

    def __init__(self, embeddings: npt.ArrayLike, *, names: Sequence[str] | None = None) -> None:
        self.embeddings, self.inverse_lengths = directions(
            real_array(embeddings, "embeddings", shape=(None, None))
        )
        self.n_items = len(self.embeddings)
        self.feature_space = FeatureSpace.of(type(self).__name__, 1, names)
        self._similarities = lru_cache(max(8, KEPT_NUMBERS // max(self.n_items, 1)))(self._row)

    def __reduce__(self) -> tuple[Callable[..., EmbeddingVolume], tuple[Floats, tuple[str, ...] | None]]:
        return embedding_volume, (self.embeddings, self.feature_space.blocks[0].names)

    def _row(self, item: int) -> Floats:
        """Return K[item]; copies of one embedding get the same bits, wherever they stand."""
        products = np.einsum("ij,j->i", self.embeddings, self.embeddings[item])
        cosines = products * (self.inverse_lengths * self.inverse_lengths[item])
        row = 0.5 + 0.5 * np.clip(cosines, -1.0, 1.0)
        row[item] = 1.0
        return frozen(row)

    def empty(self) -> EmbeddingState:
        """Return the state of the empty list."""
        return EmbeddingState((), (), frozen(np.full(self.n_items, 2.0)))

    def add(self, state: EmbeddingState, item: int) -> EmbeddingState:
        """Return the state of the list with an item appended."""
        row = self._similarities(item).copy()
        row[item] += 1.0
        for earlier in state.rows:
            row -= earlier[item] * earlier
        row /= np.sqrt(state.left[item])
        left = np.maximum(state.left - row * row, 1.0)
        return EmbeddingState((*state.items, item), (*state.rows, frozen(row)), frozen(left))

    def gains(self, state: EmbeddingState, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        left = state.left.copy()
        left[list(state.items)] = 1.0
        found: Floats = np.log2(left if items is None else left[items])[:, np.newaxis]
        return found


def directions(embeddings: Floats) -> tuple[Floats, Floats]:
    """Return embeddings, scaled where their squares would leave the range of numbers, and 1/‖x‖ or 0."""
    with np.errstate(over="ignore"):
        squares = np.einsum("ij,ij->i", embeddings, embeddings)
    if np.any((squares < SMALLEST_SQUARE) | (squares > LARGEST_SQUARE)):
        largest = np.abs(embeddings).max(axis=1, initial=0.0)
        _, exponents = np.frexp(largest)
        embeddings = frozen(np.ldexp(embeddings, -exponents[:, np.newaxis]))
        squares = np.einsum("ij,ij->i", embeddings, embeddings)
    lengths = np.sqrt(squares)
    return embeddings, frozen(np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0))


def embedding_volume(embeddings: Floats, names: tuple[str, ...] | None) -> EmbeddingVolume:
    """Return the objective of embeddings: what a copy in another process is made by."""
    return EmbeddingVolume(embeddings, names=names)
