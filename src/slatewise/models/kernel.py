"""The kernel model of the supplement: any kernel on contexts and features, exactly or on a basis."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from slatewise.checks import check_shape, frozen, function, instance, real_number, whole_number
from slatewise.configuration import Configuration
from slatewise.errors import reject
from slatewise.models.base import Belief, Model, Posterior, checked_context, observed
from slatewise.models.linear import LinearModel, LinearPosterior
from slatewise.typing import Floats

Kernel = Callable[..., Any]
ROUNDING = 1e-9
"""Scores of a kernel that are this close, relative to the largest, count as reordered by rounding."""


class KernelScaleWarning(UserWarning):
    """κ(x, x) exceeds 1, which the theorem's bound assumes it does not."""


@dataclass(frozen=True, eq=False)
class GreedyBasis(Configuration):
    """Approximates a kernel by the features of a few observed points, for long histories.

    A new row becomes a basis point when what the basis leaves of it, κ(x, x) - ‖φ(x)‖², exceeds
    `tolerance` and there is room. With κ̂(x, y) = φ(x)·φ(y) on the present basis, the error |κ - κ̂|
    between observed rows is at most η, the largest that was left of one when it was learned, which the
    posterior's `basis_error` states. Rows are not learned again when the basis grows: what later points
    would show of them is left out, so that the kernel which was in effect learned with is off by up to
    sqrt(η max κ(x, x)) between them. The variance keeps what is left, so that what the basis cannot see
    stays uncertain.

    Parameters
    ----------
    size
        q, the most basis points.
    tolerance
        What may be left of a row that becomes none.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> import slatewise as sw
    >>> x = np.linspace(0.0, 1.0, 100)[:, np.newaxis]
    >>> model = sw.KernelModel(RBF(1.0), basis=sw.GreedyBasis(size=32, tolerance=1e-4))
    >>> posterior = model.prior(1).condition(x, np.sin(x[:, 0]))
    >>> len(posterior.points) < 10, posterior.basis_error <= 1e-4
    (True, True)
    """

    size: int = 256
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        self.settle(
            size=whole_number(self.size, "size", minimum=1),
            tolerance=real_number(self.tolerance, "tolerance", above=0.0),
        )


@dataclass(frozen=True, eq=False)
class NormalizedKernel(Configuration):
    """κ(x, y) / sqrt(κ(x, x) κ(y, y)): a kernel made to have κ(x, x) = 1; 0 where κ(x, x) is 0.

    Parameters
    ----------
    kernel
        A kernel of scikit-learn's, or a function of two arrays of rows.

    Examples
    --------
    >>> import numpy as np
    >>> import slatewise as sw
    >>> kernel = sw.NormalizedKernel(lambda x, y: x @ y.T)
    >>> kernel(np.array([[3.0, 0.0]]), np.array([[5.0, 0.0], [0.0, 2.0]]))
    array([[1., 0.]])
    """

    kernel: Kernel

    def __post_init__(self) -> None:
        self.settle(kernel=own_kernel(self.kernel))

    def __call__(self, x: Floats, y: Floats | None = None) -> Floats:
        """Return the kernel of every pair of rows."""
        other = x if y is None else y
        scale = np.sqrt(np.outer(diagonal(self.kernel, x), diagonal(self.kernel, other)))
        return np.divide(evaluate(self.kernel, x, other), scale, out=np.zeros_like(scale), where=scale > 0)

    def diag(self, x: Floats) -> Floats:
        """Return κ(x, x) of every row: 1, or 0."""
        return (diagonal(self.kernel, x) > 0).astype(np.float64)


@dataclass(frozen=True, eq=False)
class KernelModel(Model):
    """The gain is a function in the RKHS of a kernel on rows [φ, x(e|S)].

    μ = κ(x)ᵀ (K + λI)⁻¹ y and σ² = (κ(x, x) - κ(x)ᵀ (K + λI)⁻¹ κ(x)) / λ: the supplement's variance
    divided by λ, so that a linear kernel gives what `LinearModel` gives.

    Parameters
    ----------
    kernel
        A kernel of scikit-learn's, or a function of two arrays of rows. It is used as it is, never
        rescaled; where κ(x, x) exceeds 1 a `KernelScaleWarning` says so (`NormalizedKernel` mends it).
    regularization
        λ > 0.
    basis
        ``None`` keeps the whole history; a `GreedyBasis` keeps a bounded part of it.

    Notes
    -----
    With M rewards: exactly, O(M²) bytes, O(M² m) to learn m rewards and O(M² n) to look at n items. On
    a basis of q points, O(q²) bytes, O(q² m) and O(q² n), whatever M is.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> import slatewise as sw
    >>> posterior = sw.KernelModel(RBF(1.0), regularization=0.5).prior(1).condition([[0.0]], [1.0])
    >>> mean, std = posterior.at().predict([[0.0], [3.0]])
    >>> mean.round(3)
    array([0.667, 0.007])
    """

    kernel: Kernel
    regularization: float = 1.0
    basis: GreedyBasis | None = None

    def __post_init__(self) -> None:
        self.settle(
            kernel=own_kernel(self.kernel),
            regularization=real_number(self.regularization, "regularization", above=0.0),
        )
        if self.basis is not None:
            instance(self.basis, GreedyBasis, "basis")

    def prior(self, n_features: int) -> KernelPosterior | BasisPosterior:
        """Return what is known before the first reward."""
        if self.basis is None:
            nothing = frozen(np.zeros((0, 0)))
            return KernelPosterior(self, n_features, None, nothing, nothing, frozen(np.zeros(0)))
        linear = LinearModel(regularization=self.regularization).prior(0)
        nothing = frozen(np.zeros((0, 0)))
        return BasisPosterior(self, self.basis, n_features, None, nothing, nothing, linear, 0.0)


@dataclass(frozen=True, eq=False)
class KernelPosterior(Posterior):
    """The whole history, with the Cholesky factor of K + λI, grown by the new rows.

    Parameters
    ----------
    model
        The kernel and λ.
    n_features, n_context
        d, and p once a context was learned from.
    rows
        (M, p + d): what was observed.
    factor
        (M, M): the lower factor L of K + λI.
    whitened
        (M,): L⁻¹ y.
    """

    model: KernelModel
    n_features: int
    n_context: int | None
    rows: Floats
    factor: Floats
    whitened: Floats

    @property
    def n_observations(self) -> int:
        """M, how many rewards were learned from."""
        return len(self.whitened)

    @property
    def logdet(self) -> float:
        """ln det(I + K/λ)."""
        scale = self.n_observations * np.log(self.model.regularization)
        return float(2.0 * np.log(self.factor.diagonal()).sum() - scale)

    def condition(
        self, x: npt.ArrayLike, y: npt.ArrayLike, context: npt.ArrayLike | None = None
    ) -> KernelPosterior:
        """Return what is known after rewards y for the rows x; a NaN was not observed."""
        phi = checked_context(context, self.n_context)
        features, rewards = observed(x, y, self.n_features)
        if not len(rewards):
            return self
        rows = beside(phi, features)
        history = self.rows if self.n_observations else np.zeros((0, rows.shape[1]))
        cross = solve_lower(self.factor, evaluate(self.model.kernel, history, rows))
        ridge = self.model.regularization * np.eye(len(rows))
        gram = among_themselves(self.model.kernel, rows) + ridge - cross.T @ cross
        try:
            corner = cast("Floats", np.linalg.cholesky(gram))
        except np.linalg.LinAlgError:
            reject("kernel", "must be positive semidefinite, but is not on the rows that were observed")
        grown = np.block([[self.factor, np.zeros(cross.shape)], [cross.T, corner]])
        fresh = solve_lower(corner, rewards - cross.T @ self.whitened)
        warn_of_scale(diagonal(self.model.kernel, rows))
        return replace(
            self,
            n_context=0 if phi is None else len(phi),
            rows=frozen(np.concatenate([history, rows])),
            factor=frozen(grown),
            whitened=frozen(np.append(self.whitened, fresh)),
        )

    def at(self, context: npt.ArrayLike | None = None) -> KernelBelief:
        """Return this round's belief."""
        return KernelBelief(self, checked_context(context, self.n_context))

    def predict(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the mean and variance of rows [φ, x]."""
        own = diagonal(self.model.kernel, rows)
        if not self.n_observations:
            return np.zeros(len(rows)), own / self.model.regularization
        half = solve_lower(self.factor, evaluate(self.model.kernel, self.rows, rows))
        return self.whitened @ half, (own - np.einsum("ij,ij->j", half, half)) / self.model.regularization


@dataclass(frozen=True, eq=False)
class BasisPosterior(Posterior):
    """A linear posterior on the features φ(x) = L⁻¹ κ(B, x) of a growing basis B.

    Parameters
    ----------
    model, basis
        The kernel and λ; how the basis grows.
    n_features, n_context
        d, and p once a context was learned from.
    points
        (q, p + d): the basis.
    factor
        (q, q): the lower factor L of κ(B, B).
    linear
        What is known of the weights of the q features.
    basis_error
        The most that the basis left of any row when it was learned from: a bound on |κ - κ̂| between them
        on the present basis.
    """

    model: KernelModel
    basis: GreedyBasis
    n_features: int
    n_context: int | None
    points: Floats
    factor: Floats
    linear: LinearPosterior
    basis_error: float

    @property
    def n_observations(self) -> int:
        """M, how many rewards were learned from."""
        return self.linear.n_observations

    @property
    def logdet(self) -> float:
        """ln det(I + K̂/λ)."""
        return self.linear.logdet

    def condition(
        self, x: npt.ArrayLike, y: npt.ArrayLike, context: npt.ArrayLike | None = None
    ) -> BasisPosterior:
        """Return what is known after rewards y for the rows x; a NaN was not observed."""
        phi = checked_context(context, self.n_context)
        features, rewards = observed(x, y, self.n_features)
        if not len(rewards):
            return self
        rows = beside(phi, features)
        warn_of_scale(diagonal(self.model.kernel, rows))
        points = self.points if len(self.points) else np.zeros((0, rows.shape[1]))
        n_context = 0 if phi is None else len(phi)
        grown = replace(self, n_context=n_context, points=frozen(points)).grown(rows)
        seen, left = grown.embed(rows)
        return replace(
            grown,
            linear=grown.linear.condition(seen, rewards),
            basis_error=max(grown.basis_error, float(left.max())),
        )

    def at(self, context: npt.ArrayLike | None = None) -> KernelBelief:
        """Return this round's belief."""
        return KernelBelief(self, checked_context(context, self.n_context))

    def embed(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return φ of each row, and what the basis leaves of it."""
        own = diagonal(self.model.kernel, rows)
        if not len(self.points):
            return np.zeros((len(rows), 0)), own
        half = solve_lower(self.factor, evaluate(self.model.kernel, self.points, rows))
        return half.T, np.maximum(own - np.einsum("ij,ij->j", half, half), 0.0)

    def grown(self, rows: Floats) -> BasisPosterior:
        """Return the same knowledge, the basis grown by those rows that it leaves the most of."""
        seen, left = self.embed(rows)
        worst = int(np.argmax(left))
        if len(self.points) >= self.basis.size or left[worst] <= self.basis.tolerance:
            return self
        size = len(self.points)
        factor = np.zeros((size + 1, size + 1))
        factor[:size, :size] = self.factor
        factor[size] = np.append(seen[worst], np.sqrt(left[worst]))
        wider = replace(
            self,
            points=frozen(np.concatenate([self.points, rows[[worst]]])),
            factor=frozen(factor),
            linear=self.linear.widened(1, self.model.regularization),
        )
        return wider.grown(rows)

    def predict(self, rows: Floats) -> tuple[Floats, Floats]:
        """Return the mean and variance of rows [φ, x], what the basis leaves counted as unknown."""
        seen, left = self.embed(rows)
        variance = np.einsum("ij,jk,ik->i", seen, self.linear.covariance, seen, optimize=True)
        return seen @ self.linear.mean, variance + left / self.model.regularization


@dataclass(frozen=True, eq=False)
class KernelBelief(Belief):
    """What a kernel's posterior predicts under this round's context; it only predicts."""

    posterior: KernelPosterior | BasisPosterior
    context: Floats | None

    def predict(self, x: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the mean and standard deviation of each row's gain."""
        features = np.asarray(x, dtype=np.float64)
        check_shape(features, "x", (None, self.posterior.n_features))
        rows = beside(self.context, features)
        mean, variance = self.posterior.predict(rows)
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def predict_exactly(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the same, equal rows computed once, so that they get equal numbers."""
        distinct, which = np.unique(x, axis=0, return_inverse=True)
        mean, std = self.predict(distinct)
        return mean[which.ravel()], std[which.ravel()]

    def rounding(self, x: Floats, beta: float, scores: Floats) -> Floats:
        """Bound the error: a share of the largest score, and what cancels in the variance."""
        model = self.posterior.model
        own = diagonal(model.kernel, beside(self.context, np.asarray(x, dtype=np.float64)))
        digits = (self.posterior.n_observations + 8) * np.finfo(np.float64).eps
        cancelled = np.sqrt(64.0 * digits * np.maximum(own, 0.0) / model.regularization)
        bound: Floats = beta * cancelled + ROUNDING * float(np.abs(scores).max(initial=0.0))
        return bound


def beside(context: Floats | None, features: Floats) -> Floats:
    """Return the rows [φ, x]."""
    if context is None:
        return features
    return np.concatenate([np.broadcast_to(context, (len(features), len(context))), features], axis=1)


def own_kernel(kernel: Kernel) -> Kernel:
    """Return a kernel that no later change of the caller's reaches."""
    if isinstance(kernel, type):
        reject("kernel", f"must be a kernel, but is the class {kernel.__name__}: give one of its objects")
    checked: Kernel = function(kernel, "kernel")
    return deepcopy(checked) if hasattr(checked, "get_params") else checked


def among_themselves(kernel: Kernel, x: Floats) -> Floats:
    """Return the kernel of observations with each other, noise of their own (`WhiteKernel`) in it."""
    if not hasattr(kernel, "get_params"):
        return evaluate(kernel, x, x)
    return evaluate(lambda rows, _: kernel(rows), x, x)


def evaluate(kernel: Kernel, x: Floats, y: Floats) -> Floats:
    """Return the kernel of every pair of rows, checked."""
    if not len(x) or not len(y):
        return np.zeros((len(x), len(y)))
    values = np.asarray(kernel(x, y), dtype=np.float64)
    check_shape(values, "kernel", (len(x), len(y)))
    if not np.all(np.isfinite(values)):
        reject("kernel", "must give finite numbers, but gave others")
    return values


def diagonal(kernel: Kernel, x: Floats) -> Floats:
    """Return κ(x, x) of every row; by the kernel's own `diag` where it has one."""
    own = getattr(kernel, "diag", None)
    if own is None:
        return np.array([evaluate(kernel, row[np.newaxis], row[np.newaxis])[0, 0] for row in x])
    return np.asarray(own(x), dtype=np.float64)


def warn_of_scale(own: Floats) -> None:
    """Warn where κ(x, x) exceeds 1."""
    largest = float(own.max(initial=0.0))
    if largest > 1.0 + ROUNDING:
        warnings.warn(
            f"kernel(x, x) is up to {largest:.3g}, but the bound on regret takes it to be at most 1; "
            "slatewise.NormalizedKernel(kernel) makes it so",
            KernelScaleWarning,
            stacklevel=4,
        )


def solve_lower(factor: Floats, right: Floats) -> Floats:
    """Return factor⁻¹ right, the factor being lower triangular."""
    from scipy.linalg import solve_triangular

    if not len(factor):
        return right
    solved: Floats = solve_triangular(factor, right, lower=True, check_finite=False)
    return solved
