"""β_t: how many standard deviations a score may hope for."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from slatewise.checks import real_number
from slatewise.configuration import Configuration
from slatewise.models.base import Posterior


class Width(Configuration, ABC):
    """The width of the confidence bounds, from what is known so far."""

    @abstractmethod
    def beta(self, posterior: Posterior) -> float:
        """Return β_t, not negative."""


@dataclass(frozen=True, eq=False, kw_only=True)
class TheoreticalWidth(Width):
    """The theorem's β_t = B + R sqrt(ln det(M/λ) + 2 + 2 ln(1/δ)).

    For kernels the determinant is that of I + K/λ, with a prior that of M₀⁻¹ M.

    Parameters
    ----------
    norm_bound
        B, a bound on √λ·‖w‖ (kernel: √λ·‖χ‖), which is what Proposition 1 needs; with a prior, on
        the norm of w - mean in the precision M₀.
    noise
        R: the rewards are R-sub-Gaussian around their means (1/2 for rewards in [0, 1]).
    delta
        δ: how often the bounds may fail.

    Notes
    -----
    Proposition 1 holds for any λ > 0. The bound on regret also needs λ ≥ m, the longest list.

    Examples
    --------
    >>> import slatewise as sw
    >>> width = sw.TheoreticalWidth(norm_bound=1.0, noise=0.5, delta=0.05)
    >>> round(width.beta(sw.LinearModel().prior(3)), 3)
    2.413
    """

    norm_bound: float
    noise: float
    delta: float

    def __post_init__(self) -> None:
        self.settle(
            norm_bound=real_number(self.norm_bound, "norm_bound", minimum=0.0),
            noise=real_number(self.noise, "noise", minimum=0.0),
            delta=real_number(self.delta, "delta", above=0.0, below=1.0),
        )

    def beta(self, posterior: Posterior) -> float:
        """Return β_t, which grows with the information so far."""
        inside = max(posterior.logdet, 0.0) + 2.0 + 2.0 * math.log(1.0 / self.delta)
        return self.norm_bound + self.noise * math.sqrt(inside)


@dataclass(frozen=True, eq=False, kw_only=True)
class PracticalWidth(Width):
    """The experiments' β_t = B + R₁ sqrt(R₂ q ln max(m_t, 1) + 1 + ln(1/δ)).

    Parameters
    ----------
    norm_bound, r1, r2, delta
        B, R₁, R₂ and δ of the supplement's last section.
    dimension
        q; the problem's d where none is given, contexts not counted.

    Notes
    -----
    m_t is the number of rewards seen so far.

    Examples
    --------
    >>> import slatewise as sw
    >>> width = sw.PracticalWidth(norm_bound=0.01, r1=0.1, r2=1.0, delta=0.1)
    >>> round(width.beta(sw.LinearModel().prior(3)), 3)
    0.192
    """

    norm_bound: float
    r1: float
    r2: float
    delta: float
    dimension: float | None = None

    def __post_init__(self) -> None:
        self.settle(
            norm_bound=real_number(self.norm_bound, "norm_bound", minimum=0.0),
            r1=real_number(self.r1, "r1", minimum=0.0),
            r2=real_number(self.r2, "r2", minimum=0.0),
            delta=real_number(self.delta, "delta", above=0.0, below=1.0),
        )
        if self.dimension is not None:
            self.settle(dimension=real_number(self.dimension, "dimension", above=0.0))

    def beta(self, posterior: Posterior) -> float:
        """Return β_t, which grows with the logarithm of the rewards seen."""
        dimension = posterior.n_features if self.dimension is None else self.dimension
        seen = math.log(max(posterior.n_observations, 1))
        inside = self.r2 * dimension * seen + 1.0 + math.log(1.0 / self.delta)
        return self.norm_bound + self.r1 * math.sqrt(inside)


@dataclass(frozen=True, eq=False, init=False)
class ConstantWidth(Width):
    """The same β in every round.

    Parameters
    ----------
    beta
        β, finite and not negative.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.ConstantWidth(0.5).beta(sw.LinearModel().prior(3))
    0.5
    """

    value: float = field(metadata={"argument": "beta"})

    def __init__(self, beta: float) -> None:
        self.settle(value=real_number(beta, "beta", minimum=0.0))

    def beta(self, posterior: Posterior) -> float:  # noqa: ARG002 - the same for every posterior
        """Return β."""
        return self.value
