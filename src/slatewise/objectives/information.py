"""Objectives of information: log-determinant, entropy, mutual information. Each has one feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from slatewise.checks import check_shape, frozen, nonnegative_array, real_array, refuse, whole_array
from slatewise.errors import reject
from slatewise.features import FeatureSpace
from slatewise.objectives.base import Objective
from slatewise.typing import Floats, Ints

SYMMETRY = 1e-9
"""How far, relative to its largest entry, a kernel may be from symmetric and from positive semidefinite."""

ROUNDING = 256 * np.finfo(np.float64).eps
"""A gain that is a smaller share of the information that there is, is none."""

MOST_NUMBERS = 1_000_000
"""How large a table of joint chances may be that is made at once."""


class LogDeterminantState(NamedTuple):
    """The items, the rows of the Cholesky factor of I + K_S for all items, and what variance is left."""

    items: tuple[int, ...]
    rows: tuple[Floats, ...]
    left: Floats


class LogDeterminant(Objective[LogDeterminantState]):
    """f(S) = ln det(I + K_S): twice the information about a Gaussian that noisy looks at S give.

    Parameters
    ----------
    kernel
        (n, n), symmetric and positive semidefinite.
    names
        The name of the one feature.

    Notes
    -----
    The Cholesky factor of I + K_S grows by a row an item. Cost: O(n |S|) to add one, O(n) for gains.

    Examples
    --------
    >>> import slatewise as sw
    >>> volume = sw.LogDeterminant([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> volume.gains(volume.add(volume.empty(), 0)).round(3).ravel()
    array([0.   , 0.405, 0.693])
    """

    def __init__(self, kernel: npt.ArrayLike, *, names: Sequence[str] | None = None) -> None:
        matrix = real_array(kernel, "kernel", shape=(None, None))
        check_shape(matrix, "kernel", (len(matrix), len(matrix)))
        scale = float(np.abs(matrix).max(initial=0.0))
        refuse("kernel", matrix, np.abs(matrix - matrix.T) > SYMMETRY * scale, "must be symmetric")
        refuse_indefinite(matrix, SYMMETRY * scale * len(matrix))
        self.kernel = matrix
        self.n_items = len(matrix)
        self.feature_space = FeatureSpace.of(type(self).__name__, 1, names)

    def empty(self) -> LogDeterminantState:
        """Return the state of the empty list."""
        return LogDeterminantState((), (), frozen(1.0 + np.maximum(self.kernel.diagonal(), 0.0)))

    def add(self, state: LogDeterminantState, item: int) -> LogDeterminantState:
        """Return the state of the list with an item appended."""
        row = self.kernel[item].copy()
        row[item] += 1.0
        for earlier in state.rows:
            row -= earlier[item] * earlier
        row /= np.sqrt(state.left[item])
        left = np.maximum(state.left - row * row, 1.0)
        return LogDeterminantState((*state.items, item), (*state.rows, frozen(row)), frozen(left))

    def gains(self, state: LogDeterminantState, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        left = state.left.copy()
        left[list(state.items)] = 1.0
        found: Floats = np.log(left if items is None else left[items])[:, np.newaxis]
        return found


def refuse_indefinite(kernel: Floats, tolerance: float) -> None:
    """Raise where a symmetric matrix has an eigenvalue below zero by more than a tolerance."""
    try:
        np.linalg.cholesky(kernel + max(tolerance, np.finfo(np.float64).tiny) * np.eye(len(kernel)))
    except np.linalg.LinAlgError:
        lowest = float(np.linalg.eigvalsh(kernel).min())
        reject("kernel", f"must be positive semidefinite, but has the eigenvalue {lowest}")


class EntropyState(NamedTuple):
    """The items, and for each scenario which joint outcome of them it shows."""

    items: tuple[int, ...]
    cells: Ints
    entropy: float


class Entropy(Objective[EntropyState]):
    """f(S) = H(X_S), the entropy of discrete variables, in nats.

    Parameters
    ----------
    outcomes
        (n, scenarios) whole numbers from 0: the value of each variable in each scenario.
    probabilities
        (scenarios,), not negative, summing to 1; equal where none are given.
    names
        The name of the one feature.

    Notes
    -----
    Cost: O(n · scenarios · ln scenarios) for the gains of all items.

    Examples
    --------
    >>> import slatewise as sw
    >>> coins = sw.Entropy([[0, 0, 1, 1], [0, 1, 0, 1], [0, 0, 1, 1]])
    >>> coins.gains(coins.add(coins.empty(), 0)).round(3).ravel()
    array([0.   , 0.693, 0.   ])
    """

    def __init__(
        self,
        outcomes: npt.ArrayLike,
        probabilities: npt.ArrayLike | None = None,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        values = whole_array(outcomes, "outcomes", shape=(None, None), minimum=0)
        self.n_items, scenarios = values.shape
        if scenarios == 0:
            reject("outcomes", "must have at least one scenario, but has none")
        self.outcomes: Ints = np.zeros_like(values)
        for row, different in zip(self.outcomes, values, strict=True):
            row[:] = np.unique(different, return_inverse=True)[1]
        frozen(self.outcomes)
        self.probabilities = distribution(probabilities, "probabilities", scenarios)
        self.feature_space = FeatureSpace.of(type(self).__name__, 1, names)

    def empty(self) -> EntropyState:
        """Return the state of the empty list."""
        return EntropyState((), frozen(np.zeros(self.outcomes.shape[1], dtype=np.int64)), 0.0)

    def add(self, state: EntropyState, item: int) -> EntropyState:
        """Return the state of the list with an item appended."""
        joint = state.cells * (self.outcomes[item].max() + 1) + self.outcomes[item]
        _, cells = np.unique(joint, return_inverse=True)
        chances: Floats = np.bincount(cells, weights=self.probabilities).astype(np.float64)
        return EntropyState((*state.items, item), frozen(cells.astype(np.int64)), float(entropy(chances)))

    def gains(self, state: EntropyState, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        asked = np.arange(self.n_items) if items is None else np.asarray(items)
        outcomes = self.outcomes[asked]
        joint = state.cells * (outcomes.max(initial=0) + 1) + outcomes
        order = np.argsort(joint, axis=1, kind="stable")
        ranked = np.take_along_axis(joint, order, axis=1)
        first = np.ones(ranked.shape, dtype=bool)
        first[:, 1:] = ranked[:, 1:] != ranked[:, :-1]
        chances = np.add.reduceat(self.probabilities[order].ravel(), np.flatnonzero(first))
        rows = np.nonzero(first)[0]
        joined = np.bincount(rows, weights=surprise(chances), minlength=len(asked))
        found = told(joined - state.entropy, joined)
        found[np.isin(asked, state.items)] = 0.0
        return found.reshape(-1, 1)


class MutualInformationState(NamedTuple):
    """The items, the joint chances of their outcomes and Y, and the information that they give."""

    items: tuple[int, ...]
    joint: Floats
    information: float


class MutualInformation(Objective[MutualInformationState]):
    """f(S) = I(Y; X_S) in nats, for variables X that are independent given Y.

    That is the reading in which it is monotone submodular; for dependent X it need not be.

    Parameters
    ----------
    likelihoods
        (n, values of Y, outcomes): the chance of each outcome of each X given Y; each row sums to 1.
    prior
        (values of Y,): the chances of Y, summing to 1; equal where none are given.
    names
        The name of the one feature.

    Notes
    -----
    Exact: it carries the joint chances of Y and all outcomes of X_S, so that memory and time grow as
    outcomes^|S|. For a Gaussian Y seen through linear noisy looks it is half of a `LogDeterminant`.

    Examples
    --------
    A coin and its noisy copies: the second look tells less than the first.

    >>> import slatewise as sw
    >>> looks = sw.MutualInformation([[[0.9, 0.1], [0.1, 0.9]]] * 2)
    >>> first = looks.gains(looks.empty())[1, 0]
    >>> second = looks.gains(looks.add(looks.empty(), 0))[1, 0]
    >>> bool(second < first)
    True
    """

    def __init__(
        self,
        likelihoods: npt.ArrayLike,
        prior: npt.ArrayLike | None = None,
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        self.likelihoods = nonnegative_array(likelihoods, "likelihoods", shape=(None, None, None))
        totals = self.likelihoods.sum(axis=2)
        refuse("likelihoods", totals, np.abs(totals - 1.0) > SYMMETRY, "must sum to 1 over outcomes")
        self.n_items, hypotheses, _ = self.likelihoods.shape
        if hypotheses == 0:
            reject("likelihoods", "must have at least one value of Y, but has none")
        self.prior = distribution(prior, "prior", hypotheses)
        self.feature_space = FeatureSpace.of(type(self).__name__, 1, names)

    def empty(self) -> MutualInformationState:
        """Return the state of the empty list."""
        return MutualInformationState((), frozen(self.prior[np.newaxis, :].copy()), 0.0)

    def add(self, state: MutualInformationState, item: int) -> MutualInformationState:
        """Return the state of the list with an item appended."""
        joint = (state.joint[:, np.newaxis, :] * self.likelihoods[item].T).reshape(-1, len(self.prior))
        possible = joint[joint.sum(axis=1) > 0]
        information = entropy(self.prior) - remaining(possible)
        return MutualInformationState((*state.items, item), frozen(possible), float(information))

    def gains(self, state: MutualInformationState, items: Ints | None = None) -> Floats:
        """Return x(e|S), a row for each of `items`, or for all; zero for the items in S."""
        asked = np.arange(self.n_items) if items is None else np.asarray(items)
        step = max(1, MOST_NUMBERS // max(state.joint.size * self.likelihoods.shape[2], 1))
        known = np.concatenate(
            [
                self._information(state.joint, asked[start : start + step])
                for start in range(0, max(len(asked), 1), step)
            ]
        )
        found = told(known - state.information, entropy(self.prior))
        found[np.isin(asked, state.items)] = 0.0
        return found.reshape(-1, 1)

    def total(self, items: Ints) -> Floats:
        """Return I(Y; X_S), or for many items the bound H(Y) on it."""
        if self.likelihoods.shape[2] ** len(items) <= MOST_NUMBERS:
            return super().total(items)
        return np.array([entropy(self.prior)])

    def _information(self, before: Floats, items: Ints) -> Floats:
        """Return what each item and those before it tell together."""
        joint = np.einsum("sy,eyx->esxy", before, self.likelihoods[items])
        outcomes = before.shape[0] * self.likelihoods.shape[2]
        tables = joint.reshape(len(items), outcomes, len(self.prior))
        doubt = surprise(tables).sum(axis=(1, 2)) - surprise(tables.sum(axis=2)).sum(axis=1)
        return np.asarray(entropy(self.prior) - doubt, dtype=np.float64)


def told(gains: npt.ArrayLike, size: npt.ArrayLike) -> Floats:
    """Return gains of information, those that are within rounding of none as none."""
    found = np.asarray(gains, dtype=np.float64)
    return np.where(found > ROUNDING * np.maximum(size, 1.0), found, 0.0)


def surprise(chances: Floats) -> Floats:
    """Return -p ln p for each chance."""
    logarithms: Floats = np.log(chances, where=chances > 0, out=np.zeros_like(chances))
    return -chances * logarithms


def entropy(chances: Floats) -> float:
    """Return -Σ p ln p."""
    return float(surprise(chances).sum())


def remaining(joint: Floats) -> float:
    """Return H(Y | X) of a table of joint chances, a row for each outcome of X."""
    return float(surprise(joint).sum() - surprise(joint.sum(axis=1)).sum())


def distribution(chances: npt.ArrayLike | None, argument: str, size: int) -> Floats:
    """Return chances that sum to 1, equal ones where none are given."""
    if chances is None:
        return frozen(np.full(size, 1.0 / size))
    clean = nonnegative_array(chances, argument, shape=(size,))
    if abs(clean.sum() - 1.0) > SYMMETRY:
        reject(argument, f"must sum to 1, but sum to {clean.sum()}")
    return clean
