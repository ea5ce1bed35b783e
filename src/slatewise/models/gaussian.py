"""The belief that compiled and batched code take: a mean and a factor of the covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import numpy.typing as npt

from slatewise.models.base import Belief
from slatewise.typing import Floats

BLOCK = 4096
"""How many products `predict_exactly` holds at a time, in thousands of numbers."""


@dataclass(frozen=True, eq=False)
class GaussianBelief(Belief):
    """A weight vector w ~ N(mean, factor factorᵀ); a row x gains w·x.

    Parameters
    ----------
    mean
        (d,).
    factor
        (d, r), any matrix with factor factorᵀ = covariance; no columns where w is known.

    Examples
    --------
    >>> import numpy as np
    >>> import slatewise as sw
    >>> belief = sw.GaussianBelief(np.array([1.0, 2.0]), 0.5 * np.eye(2))
    >>> belief.predict([[3.0, 4.0]])
    (array([11.]), array([2.5]))
    """

    mean: Floats
    factor: Floats

    def predict(self, x: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return x·mean and ‖factorᵀ x‖ by matrix products."""
        rows = np.asarray(x, dtype=np.float64)
        spread = rows @ self.factor
        return rows @ self.mean, np.sqrt(np.einsum("ij,ij->i", spread, spread))

    def predict_exactly(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the same by sums in the order of the features, from the first to the last.

        mean = Σ_g mean_g x_g; z_k = Σ_g factor_gk x_g; std = sqrt(Σ_k z_k²): every product rounded,
        every sum in ascending order, nothing fused.
        """
        mean = np.cumsum(x * self.mean, axis=1)[:, -1] if x.shape[1] else np.zeros(len(x))
        square = np.zeros(len(x))
        if self.factor.size:
            step = max(1, BLOCK * 1000 // self.factor.size)
            for start in range(0, len(x), step):
                rows = x[start : start + step, :, np.newaxis]
                z = np.cumsum(rows * self.factor, axis=1)[:, -1]
                square[start : start + step] = np.cumsum(z * z, axis=1)[:, -1]
        return mean, np.sqrt(square)

    def rounding(self, x: Floats, beta: float, scores: Floats) -> Floats:  # noqa: ARG002 - x tells enough
        """Bound the difference between two orders of summation.

        A sum of d products is off by at most d·u·Σ|products| in any order, u the unit of rounding; for
        the norm the sum of |z_k| bounds it. Twice that, and some for the root and the last sum.
        """
        size = np.abs(self.mean) + beta * np.abs(self.factor).sum(axis=1)
        bound: Floats = (4 * len(self.mean) + 32) * np.finfo(np.float64).eps * (np.abs(x) @ size)
        return bound

    @staticmethod
    def factorise(covariance: Floats) -> Floats:
        """Return a factor of a covariance: Cholesky's, or by eigenvalues where it is singular."""
        try:
            factor = cast("Floats", np.linalg.cholesky(covariance))
        except np.linalg.LinAlgError:
            values, vectors = np.linalg.eigh(covariance)
            factor = vectors * np.sqrt(np.maximum(values, 0.0))
        return factor
