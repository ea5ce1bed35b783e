"""Models that don't learn: weights that are known, and no model at all."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from slatewise.checks import frozen, real_array
from slatewise.models.base import Belief, Model, Posterior, observed
from slatewise.models.gaussian import GaussianBelief
from slatewise.typing import Floats


@dataclass(frozen=True, eq=False)
class KnownWeights(Model):
    """w is known, and no reward changes it: every oracle becomes an offline algorithm.

    Parameters
    ----------
    weights
        (d,), finite.

    Examples
    --------
    >>> import slatewise as sw
    >>> sw.KnownWeights([2.0, 1.0]).prior(2).at().mean
    array([2., 1.])
    """

    weights: npt.ArrayLike

    def __post_init__(self) -> None:
        self.settle(weights=real_array(self.weights, "weights", shape=(None,)))

    def prior(self, n_features: int) -> FixedPosterior:
        """Return the weights as what is known."""
        weights = real_array(self.weights, "weights", shape=(n_features,))
        return FixedPosterior(n_features, GaussianBelief(weights, frozen(np.zeros((n_features, 0)))))


@dataclass(frozen=True, eq=False)
class NoModel(Model):
    """Nothing is learned and nothing is predicted; for policies that don't look at scores."""

    def prior(self, n_features: int) -> FixedPosterior:
        """Return what knows nothing."""
        return FixedPosterior(n_features, NoBelief())


@dataclass(frozen=True, eq=False)
class FixedPosterior(Posterior):
    """What no reward changes; it only counts them. A context makes no difference."""

    n_features: int
    belief: Belief
    count: int = 0

    @property
    def n_observations(self) -> int:
        """How many rewards were seen."""
        return self.count

    @property
    def logdet(self) -> float:
        """0: nothing is learned."""
        return 0.0

    def condition(
        self,
        x: npt.ArrayLike,
        y: npt.ArrayLike,
        context: npt.ArrayLike | None = None,  # noqa: ARG002 - makes no difference
    ) -> FixedPosterior:
        """Return the same knowledge, the rewards counted."""
        _, rewards = observed(x, y, self.n_features)
        return replace(self, count=self.count + len(rewards))

    def at(self, context: npt.ArrayLike | None = None) -> Belief:  # noqa: ARG002 - makes no difference
        """Return the belief, the same in every round."""
        return self.belief


class NoBelief(Belief):
    """Predicts nothing: NaN."""

    def predict(self, x: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return NaN for every row."""
        return self.predict_exactly(np.asarray(x))

    def predict_exactly(self, x: Floats) -> tuple[Floats, Floats]:
        """Return NaN for every row."""
        return np.full(len(x), np.nan), np.full(len(x), np.nan)

    def rounding(self, x: Floats, beta: float, scores: Floats) -> Floats:  # noqa: ARG002 - nothing is computed
        """Return 0 for every row."""
        return np.zeros(len(x))
