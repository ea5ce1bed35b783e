"""The linear model: ridge regression of rewards on features, with a prior and with contexts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import numpy.typing as npt

from slatewise.checks import check_shape, frozen, real_array, real_number, whole_number
from slatewise.errors import reject
from slatewise.models.base import Model, Posterior, checked_context, observed
from slatewise.models.gaussian import GaussianBelief
from slatewise.typing import Floats

REFRESH_AFTER = 256
"""After this many rewards the covariance is computed anew from the precision."""

LARGEST_SHRINKAGE = 1e3
"""An update that shrinks a variance by more than this factor is computed anew, not by rank update."""


@dataclass(frozen=True, eq=False)
class LinearModel(Model):
    """w ~ N(mean, precision⁻¹), rewards w·x + noise; with contexts, rewards Θ·(φ ⊗ x) + noise.

    M_t = M₀ + Σ x xᵀ, b_t = M₀ mean + Σ y x, w_t = M_t⁻¹ b_t.

    Parameters
    ----------
    regularization
        λ > 0: the prior precision is M₀ = λI.
    mean
        (d,), or (p·d,) with contexts; zero where none is given.
    precision
        (d, d), or (p·d, p·d): M₀ in place of λI.
    n_context
        p, the length of the contexts φ; 0 for none.

    Examples
    --------
    >>> import slatewise as sw
    >>> posterior = sw.LinearModel(regularization=1.0).prior(2).condition([[1.0, 0.0]], [0.5])
    >>> posterior.mean, round(posterior.logdet, 3)
    (array([0.25, 0.  ]), 0.693)
    """

    regularization: float = 1.0
    mean: npt.ArrayLike | None = None
    precision: npt.ArrayLike | None = None
    n_context: int = 0

    def __post_init__(self) -> None:
        self.settle(
            regularization=real_number(self.regularization, "regularization", above=0.0),
            n_context=whole_number(self.n_context, "n_context", minimum=0),
        )
        if self.mean is not None:
            self.settle(mean=real_array(self.mean, "mean", shape=(None,)))
        if self.precision is not None:
            self.settle(precision=checked_precision(self.precision))

    def prior(self, n_features: int) -> LinearPosterior:
        """Return N(mean, precision⁻¹) for d features."""
        size = n_features * (self.n_context or 1)
        mean = real_array(np.zeros(size) if self.mean is None else self.mean, "mean", shape=(size,))
        precision = real_array(
            self.regularization * np.eye(size) if self.precision is None else self.precision,
            "precision",
            shape=(size, size),
        )
        start = LinearPosterior(
            n_features=n_features,
            n_context=self.n_context,
            count=0,
            mean=mean,
            covariance=precision,
            precision=precision,
            moment=frozen(precision @ mean),
            information=0.0,
            prior_logdet=float(np.linalg.slogdet(precision)[1]),
            since_refresh=0,
        )
        return replace(start.refreshed(), mean=mean, information=0.0)


@dataclass(frozen=True, eq=False)
class LinearPosterior(Posterior):
    """What a linear model knows: M, b and what follows from them.

    Parameters
    ----------
    n_features, n_context, count
        d, p, and how many rewards were learned from.
    mean
        w_t = M⁻¹ b.
    covariance
        M⁻¹, kept by rank updates and computed anew every `REFRESH_AFTER` rewards.
    precision
        M = M₀ + Σ x xᵀ.
    moment
        b = M₀ mean₀ + Σ y x.
    information
        ln det(M₀⁻¹ M).
    prior_logdet
        ln det M₀.
    since_refresh
        Rewards since the covariance was last computed anew.

    Notes
    -----
    Cost of m rewards: O(m D²) with D = d, or p·d with contexts; O(D²) bytes a user.
    """

    n_features: int
    n_context: int
    count: int
    mean: Floats
    covariance: Floats
    precision: Floats
    moment: Floats
    information: float
    prior_logdet: float
    since_refresh: int

    @property
    def n_observations(self) -> int:
        """How many rewards were learned from."""
        return self.count

    @property
    def logdet(self) -> float:
        """ln det(M₀⁻¹ M)."""
        return self.information

    def condition(
        self, x: npt.ArrayLike, y: npt.ArrayLike, context: npt.ArrayLike | None = None
    ) -> LinearPosterior:
        """Return what is known after rewards y for the rows x; a NaN was not observed."""
        phi = checked_context(context, self.n_context)
        rows, rewards = observed(x, y, self.n_features)
        if not len(rows):
            return self
        if phi is not None:
            rows = np.kron(phi, rows).astype(np.float64, copy=False)
        return self._updated(rows, rewards)

    def at(self, context: npt.ArrayLike | None = None) -> GaussianBelief:
        """Return the Gaussian of w, contracted with φ where there are contexts."""
        phi = checked_context(context, self.n_context)
        if phi is None:
            return GaussianBelief(self.mean, GaussianBelief.factorise(self.covariance))
        d, p = self.n_features, self.n_context
        mean = phi @ self.mean.reshape(p, d)
        covariance = np.einsum("i,igjh,j->gh", phi, self.covariance.reshape(p, d, p, d), phi)
        return GaussianBelief(mean, GaussianBelief.factorise(covariance))

    def refreshed(self) -> LinearPosterior:
        """Return the same knowledge, everything computed anew from M and b."""
        half, logdet = inverse_root(self.precision)
        covariance = half.T @ half
        return replace(
            self,
            mean=frozen(half.T @ (half @ self.moment)),
            covariance=frozen(covariance),
            information=logdet - self.prior_logdet,
            since_refresh=0,
        )

    def widened(self, count: int, regularization: float) -> LinearPosterior:
        """Return the same knowledge with further features, of precision λ and not seen so far."""

        def bordered(matrix: Floats, diagonal: float) -> Floats:
            wide = np.diag(np.full(len(matrix) + count, diagonal))
            wide[: len(matrix), : len(matrix)] = matrix
            return frozen(wide)

        return replace(
            self,
            n_features=self.n_features + count,
            mean=frozen(np.append(self.mean, np.zeros(count))),
            moment=frozen(np.append(self.moment, np.zeros(count))),
            covariance=bordered(self.covariance, 1.0 / regularization),
            precision=bordered(self.precision, regularization),
            prior_logdet=self.prior_logdet + count * float(np.log(regularization)),
        )

    def _updated(self, rows: Floats, rewards: Floats) -> LinearPosterior:
        """Add the rows: M⁻¹ by the matrix inversion lemma, or anew where that would lose digits."""
        added = len(rewards)
        spread = self.covariance @ rows.T
        gram = rows @ spread
        after = replace(
            self,
            count=self.count + added,
            precision=frozen(self.precision + rows.T @ rows),
            moment=frozen(self.moment + rewards @ rows),
            since_refresh=self.since_refresh + added,
        )
        if after.since_refresh >= REFRESH_AFTER or gram.diagonal().max() > LARGEST_SHRINKAGE:
            # Beside features that are far larger than the prior, M is singular to working precision: then
            # the rank update knows more than M does.
            with suppress(np.linalg.LinAlgError):
                return after.refreshed()
        factor = np.linalg.cholesky(np.eye(added) + gram)
        half = np.linalg.solve(factor, spread.T)
        innovation = np.linalg.solve(factor, rewards - rows @ self.mean)
        return replace(
            after,
            mean=frozen(self.mean + half.T @ innovation),
            covariance=frozen(self.covariance - half.T @ half),
            information=self.information + float(2.0 * np.log(factor.diagonal()).sum()),
        )


def checked_precision(precision: npt.ArrayLike) -> Floats:
    """Return a symmetric positive definite matrix."""
    matrix = real_array(precision, "precision", shape=(None, None))
    check_shape(matrix, "precision", (len(matrix), len(matrix)))
    if not np.allclose(matrix, matrix.T, rtol=1e-9, atol=0.0):
        row, column = np.argwhere(~np.isclose(matrix, matrix.T, rtol=1e-9, atol=0.0))[0]
        reject("precision", f"must be symmetric, but precision[{row}, {column}] is {matrix[row, column]}")
    lowest = float(np.linalg.eigvalsh(matrix).min(initial=np.inf))
    if lowest <= 0:
        reject("precision", f"must be positive definite, but has the eigenvalue {lowest}")
    return matrix


def inverse_root(precision: Floats) -> tuple[Floats, float]:
    """Return H with HᵀH = M⁻¹, and ln det M."""
    factor = np.linalg.cholesky(precision)
    return cast("Floats", np.linalg.inv(factor)), float(2.0 * np.log(factor.diagonal()).sum())
