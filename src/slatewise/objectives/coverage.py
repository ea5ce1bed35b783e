"""Coverage objectives: probabilistic, of sets, by the nearest facility, and of n-grams up to a limit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from slatewise.checks import frozen, real_array, refuse, whole_number
from slatewise.errors import reject
from slatewise.features import FeatureSpace, digest
from slatewise.objectives.base import Objective
from slatewise.objectives.separable import Rule, Separable, SeparableState, refuse_amounts
from slatewise.typing import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def residual_gain(amount: Any, residual: Any) -> Any:  # noqa: ANN401 - scalars and arrays alike
    """Return what is covered of what is left."""
    return amount * residual


def next_residual(amount: Any, residual: Any) -> Any:  # noqa: ANN401 - the same
    """Return what is left after it."""
    return residual * (1.0 - amount)


def largest_gain(amount: Any, level: Any) -> Any:  # noqa: ANN401 - the same
    """Return by how much an amount exceeds the largest so far."""
    return np.maximum(amount - level, 0.0)


def next_largest(amount: Any, level: Any) -> Any:  # noqa: ANN401 - the same
    """Return the largest amount."""
    return np.maximum(amount, level)


def clipped_gain(amount: Any, level: Any) -> Any:  # noqa: ANN401 - the same
    """Return how much of an amount there is still room for below 1."""
    return np.minimum(amount, 1.0 - level)


def next_clipped(amount: Any, level: Any) -> Any:  # noqa: ANN401 - the same
    """Return the sum so far, 1 at most."""
    return np.minimum(level + amount, 1.0)


RESIDUAL = Rule(start=1.0, gain=residual_gain, step=next_residual)
LARGEST = Rule(start=0.0, gain=largest_gain, step=next_largest)
CLIPPED = Rule(start=0.0, gain=clipped_gain, step=next_clipped)


class ProbabilisticCoverage(Separable):
    """f_g(S) = 1 - Π_{e in S} (1 - P_g(e)): the chance that at least one item of the list covers g.

    Parameters
    ----------
    P
        (n, d) probabilities in [0, 1], dense or `scipy.sparse`.
    names
        The names of the features.

    Notes
    -----
    The level is the residual Π (1 - P_g); a gain is P_g(e) times it. Cost: O(n d) a look at all items.

    Examples
    --------
    >>> import slatewise as sw
    >>> coverage = sw.ProbabilisticCoverage([[0.5, 0.0], [0.5, 0.8]])
    >>> state = coverage.add(coverage.empty(), 0)
    >>> coverage.gains(state)
    array([[0.  , 0.  ],
           [0.25, 0.8 ]])
    """

    def __init__(self, P: npt.ArrayLike | csr_array, *, names: Sequence[str] | None = None) -> None:  # noqa: N803 - the paper's letter
        super().__init__(P, RESIDUAL, argument="P", names=names)
        refuse_amounts(self.matrix, "P", lambda p: p > 1, "must be in [0, 1]")


class Coverage(Separable):
    """f_g(S) = 1 where an item of the list covers g, else 0: set coverage.

    Parameters
    ----------
    covers
        (n, d), boolean or 0/1, dense or `scipy.sparse`.
    names
        The names of the features.

    Examples
    --------
    >>> import slatewise as sw
    >>> coverage = sw.Coverage([[True, False], [True, True]])
    >>> coverage.gains(coverage.add(coverage.empty(), 0))
    array([[0., 0.],
           [0., 1.]])
    """

    def __init__(self, covers: npt.ArrayLike | csr_array, *, names: Sequence[str] | None = None) -> None:
        super().__init__(covers, RESIDUAL, argument="covers", names=names)
        refuse_amounts(self.matrix, "covers", lambda c: (c != 0) & (c != 1), "must be 0 or 1")


class FacilityLocation(Separable):
    """f_g(S) = max_{e in S} similarity[e, g]: how well the best item of the list serves g.

    Parameters
    ----------
    similarity
        (n, d), not negative, dense or `scipy.sparse`.
    names
        The names of the features.

    Examples
    --------
    >>> import slatewise as sw
    >>> facilities = sw.FacilityLocation([[3.0, 1.0], [2.0, 4.0]])
    >>> facilities.gains(facilities.add(facilities.empty(), 0))
    array([[0., 0.],
           [0., 3.]])
    """

    def __init__(self, similarity: npt.ArrayLike | csr_array, *, names: Sequence[str] | None = None) -> None:
        super().__init__(similarity, LARGEST, argument="similarity", names=names)


class ClippedCoverage(Separable):
    """f_g(S) = min(1, Σ_{e in S} counts[e, g] / limits[g]): what counts, counts up to a limit.

    Parameters
    ----------
    counts
        (n, d), not negative, dense or `scipy.sparse`: how often each item has g.
    limits
        (d,), positive: how often g is wanted.
    names
        The names of the features.

    Examples
    --------
    >>> import slatewise as sw
    >>> clipped = sw.ClippedCoverage([[2, 1], [2, 0]], limits=[3, 1])
    >>> clipped.gains(clipped.add(clipped.empty(), 0)).round(3)
    array([[0.   , 0.   ],
           [0.333, 0.   ]])
    """

    def __init__(
        self,
        counts: npt.ArrayLike | csr_array,
        limits: npt.ArrayLike,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        super().__init__(counts, CLIPPED, argument="counts", names=names)
        wanted = real_array(limits, "limits", shape=(self.n_features,))
        refuse("limits", wanted, wanted <= 0, "must be greater than 0")
        scaled = (
            self.matrix / wanted if isinstance(self.matrix, np.ndarray) else (self.matrix / wanted).tocsr()
        )
        if isinstance(scaled, np.ndarray):
            frozen(scaled)
        self.matrix = scaled
        self.feature_space = self.feature_space.with_fitted(digest(wanted.tobytes()))


class NgramCoverage(Objective[SeparableState]):
    """ROUGE-N recall: the share of a reference's n-grams that the list's texts repeat, clipped.

    With r_i(v) the count of n-gram v in reference i and c_S(v) its count in the texts of S,
    f_i(S) = Σ_v min(c_S(v), r_i(v)) / Σ_v r_i(v): one feature a reference.

    Parameters
    ----------
    texts
        The items: a text each, or its tokens.
    references
        What is to be summarised: a text each, or its tokens; at least `n` tokens long.
    n
        The length of the n-grams.
    names
        The names of the references.

    Notes
    -----
    Texts are split at white space and lower-cased. A `ClippedCoverage` of every pair of reference and
    n-gram, summed with the shares r_i(v) / Σ r_i: cost O(nnz) for the gains of all items.

    Examples
    --------
    >>> import slatewise as sw
    >>> texts = ["the cat sat", "the dog sat", "a bird flew"]
    >>> ngrams = sw.NgramCoverage(texts, ["the cat sat and the dog sat"], n=2)
    >>> ngrams.gains(ngrams.empty()).round(3).ravel()
    array([0.333, 0.333, 0.   ])
    """

    def __init__(
        self,
        texts: Sequence[str | Sequence[str]],
        references: Sequence[str | Sequence[str]],
        *,
        n: int = 1,
        names: Sequence[str] | None = None,
    ) -> None:
        from scipy.sparse import csr_array

        length = whole_number(n, "n", minimum=1)
        wanted = [ngrams(reference, length) for reference in references]
        for index, counts in enumerate(wanted):
            if not counts:
                reject("references", f"must have at least {length} tokens, but references[{index}] has fewer")
        pairs = [(index, ngram) for index, counts in enumerate(wanted) for ngram in counts]
        column = {pair: position for position, pair in enumerate(pairs)}
        limits = np.array([wanted[index][ngram] for index, ngram in pairs], dtype=np.float64)
        entries = [
            (row, column[index, ngram], count)
            for row, text in enumerate(texts)
            for ngram, count in ngrams(text, length).items()
            for index in range(len(wanted))
            if (index, ngram) in column
        ]
        rows, columns, found = (np.array([entry[i] for entry in entries], dtype=np.int64) for i in range(3))
        shape = (len(texts), len(pairs))
        self.n_items = len(texts)
        self.feature_space = FeatureSpace.of(f"NgramCoverage({length})", len(wanted), names)
        self.feature_space = self.feature_space.with_fitted(digest(repr((pairs, limits.tolist())).encode()))
        self._clipped = ClippedCoverage(csr_array((found, (rows, columns)), shape=shape), limits)
        self._reference_of = np.array([index for index, _ in pairs], dtype=np.int64)
        totals = np.bincount(self._reference_of, weights=limits)
        self._share = limits / totals[self._reference_of]

    def empty(self) -> SeparableState:
        """Return the state of the empty list."""
        return self._clipped.empty()

    def add(self, state: SeparableState, item: int) -> SeparableState:
        """Return the state of the list with an item appended."""
        return self._clipped.add(state, item)

    def gains(self, state: SeparableState, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        pairs = self._clipped.gains(state, items) * self._share
        starts = np.searchsorted(self._reference_of, np.arange(self.n_features))
        return np.add.reduceat(pairs, starts, axis=1)


def ngrams(text: str | Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of a text, or of its tokens."""
    tokens = text.lower().split() if isinstance(text, str) else list(text)
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))
