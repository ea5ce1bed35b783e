"""Every model, and a user's, through the contract of models; every width on what they know."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

import slatewise as sw
from slatewise.testing import check_model

from .nouns import missing

D = 3
PRECISION = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.1], [0.0, 0.1, 3.0]])


def cosine(x, y):
    return x @ y.T / 50.0


@dataclass(frozen=True, eq=False)
class ByHand(sw.Model):
    """A user's: M and b, solved anew each time."""

    ridge: float = 1.0

    def prior(self, n_features: int) -> ByHandPosterior:
        return ByHandPosterior(n_features, self.ridge, np.zeros((0, n_features)), np.zeros(0))


@dataclass(frozen=True, eq=False)
class ByHandPosterior(sw.Posterior):
    n_features: int
    ridge: float
    x: np.ndarray
    y: np.ndarray

    @property
    def n_observations(self) -> int:
        return len(self.y)

    @property
    def precision(self) -> np.ndarray:
        return self.ridge * np.eye(self.n_features) + self.x.T @ self.x

    @property
    def logdet(self) -> float:
        prior = self.n_features * math.log(self.ridge)
        return float(np.linalg.slogdet(self.precision)[1] - prior) if len(self.y) else 0.0

    def condition(self, x, y, context=None):
        seen = ~np.isnan(y)
        return replace(self, x=np.concatenate([self.x, np.asarray(x)[seen]]), y=np.append(self.y, y[seen]))

    def at(self, context=None):
        covariance = np.linalg.inv(self.precision)
        return sw.GaussianBelief(covariance @ (self.y @ self.x), np.linalg.cholesky(covariance))


MODELS = {
    "linear": (sw.LinearModel(regularization=0.5), 0),
    "linear, weak prior": (sw.LinearModel(regularization=1e-6), 0),
    "linear, strong prior": (sw.LinearModel(regularization=1e6), 0),
    "linear, with a prior": (sw.LinearModel(mean=[0.5, -1.0, 0.0], precision=PRECISION), 0),
    "linear, with contexts": (sw.LinearModel(n_context=2), 2),
    "linear, with contexts and a prior": (
        sw.LinearModel(
            mean=np.arange(6.0), precision=np.kron(np.array([[2.0, 1.0], [1.0, 3.0]]), PRECISION), n_context=2
        ),
        2,
    ),
    "kernel": (sw.KernelModel(RBF(0.7), regularization=0.3), 0),
    "kernel, with contexts": (sw.KernelModel(Matern(1.0, nu=1.5), regularization=0.3), 2),
    "kernel, a function": (sw.KernelModel(cosine), 2),
    "kernel, normalised": (sw.KernelModel(sw.NormalizedKernel(lambda x, y: (1 + x @ y.T) ** 2)), 0),
    "kernel, on a basis": (
        sw.KernelModel(RBF(0.7), regularization=0.3, basis=sw.GreedyBasis(size=64, tolerance=1e-13)),
        0,
    ),
    "kernel, on a basis, with contexts": (
        sw.KernelModel(RBF(1.5), regularization=0.3, basis=sw.GreedyBasis(size=64, tolerance=1e-13)),
        2,
    ),
    "known": (sw.KnownWeights([1.0, 0.0, 2.0]), 0),
    "none": (sw.NoModel(), 0),
    "a user's": (ByHand(0.5), 0),
}


@pytest.mark.parametrize("name", MODELS)
def test_models_keep_their_contract(name):
    model, n_context = MODELS[name]
    check_model(model, D, n_context=n_context)


def test_every_public_model_is_in_the_table():
    assert not missing(sw.Model, [model for model, _ in MODELS.values()])


@dataclass(frozen=True, eq=False)
class Impatient(ByHandPosterior):
    """Takes a reward that was not observed for 0."""

    def condition(self, x, y, context=None):
        return super().condition(x, np.nan_to_num(y))


@dataclass(frozen=True, eq=False)
class Overconfident(ByHandPosterior):
    """Its variance is half of what it should be."""

    def at(self, context=None):
        belief = super().at(context)
        return sw.GaussianBelief(belief.mean, belief.factor / math.sqrt(2.0))


@dataclass(frozen=True, eq=False)
class Moody(ByHandPosterior):
    """The last rewards count double."""

    def condition(self, x, y, context=None):
        wiser = super().condition(x, y)
        return replace(wiser, y=np.append(self.y / 2, wiser.y[len(self.y) :]))


@dataclass(frozen=True, eq=False)
class Mutable(ByHandPosterior):
    """Learns in place."""

    def condition(self, x, y, context=None):
        wiser = super().condition(x, y)
        object.__setattr__(self, "x", wiser.x)
        object.__setattr__(self, "y", wiser.y)
        return wiser


@dataclass(frozen=True, eq=False)
class Rough(sw.GaussianBelief):
    """Predicts in single precision, and claims not to."""

    def predict(self, x):
        mean, std = super().predict(x)
        return mean.astype(np.float32).astype(np.float64), std


@dataclass(frozen=True, eq=False)
class RoughPosterior(ByHandPosterior):
    def at(self, context=None):
        belief = super().at(context)
        return Rough(belief.mean, belief.factor)


BROKEN = [
    (Impatient, "what is not observed teaches nothing"),
    (Overconfident, "information grows by the logarithm of one plus variance"),
    (Moody, "batches and single rewards teach the same"),
    (Mutable, ""),
    (RoughPosterior, "fast and exact predictions agree within rounding"),
]


@dataclass(frozen=True, eq=False)
class Starting(sw.Model):
    """A model of a given kind of posterior."""

    kind: type

    def prior(self, n_features):
        return self.kind(n_features, 1.0, np.zeros((0, n_features)), np.zeros(0))


@pytest.mark.parametrize(("kind", "law"), BROKEN)
def test_a_broken_law_is_named(kind, law):
    with pytest.raises(AssertionError, match=f"^({law})"):
        check_model(Starting(kind), D)


WIDTHS = [
    sw.TheoreticalWidth(norm_bound=0.5, noise=0.2, delta=0.1),
    sw.PracticalWidth(norm_bound=0.1, r1=0.1, r2=1.0, delta=0.1),
    sw.PracticalWidth(norm_bound=0.1, r1=0.1, r2=1.0, delta=0.1, dimension=1),
    sw.ConstantWidth(0.3),
]


def test_every_public_width_is_in_the_table():
    assert not missing(sw.Width, WIDTHS)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", MODELS)
def test_widths_are_not_negative_and_never_shrink(width, name):
    model, n_context = MODELS[name]
    rng = np.random.default_rng(0)
    phi = rng.random(n_context) if n_context else None
    posterior = model.prior(D)
    betas = [width.beta(posterior)]
    for _ in range(4):
        posterior = posterior.condition(rng.random((3, D)), rng.random(3), phi)
        betas.append(width.beta(posterior))
    assert betas[0] >= 0
    assert np.all(np.diff(betas) >= -1e-12)
    assert np.all(np.isfinite(betas))
