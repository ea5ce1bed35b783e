"""Laws of models: the closed forms, for any λ, prior, context, kernel and basis."""

from __future__ import annotations

import math
import warnings

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF, DotProduct

import slatewise as sw
from slatewise.testing import check_model

from .strategies import SEEDS

LAMBDAS = st.sampled_from([1e-3, 0.1, 1.0, 7.0, 1e4])
CONTEXTS = st.integers(0, 3)
LINEAR = DotProduct(0.0)


def precision(rng, size):
    factor = rng.standard_normal((size, size))
    return factor @ factor.T + 0.3 * np.eye(size)


def lessons(rng, d, p, count=5, logged=()):
    """Slates of one to four rows, then a log of many, each with its context; rows that repeat."""
    for length in [*rng.integers(1, 5, count), *logged]:
        rows = rng.random((length, d))
        rows[-1] = rows[0]
        rows[rng.random(rows.shape) < 0.2] = 0.0
        yield rows, rng.standard_normal(len(rows)), rng.standard_normal(p) if p else None


def quietly(posterior, taught):
    """Learn, whatever the scale of the kernel."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sw.KernelScaleWarning)
        for x, y, phi in taught:
            posterior = posterior.condition(x, y, phi)
    return posterior


def agree(one, other, tolerance=1e-7):
    scale = max(1.0, float(np.abs(other).max(initial=0.0)))
    np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale)


@given(SEEDS, st.integers(1, 5), CONTEXTS, LAMBDAS, st.booleans(), st.sampled_from([(), (300,), (200, 100)]))
def test_the_linear_posterior_is_the_closed_form(seed, d, p, regularization, with_prior, logged):
    rng = np.random.default_rng(seed)
    size = d * max(p, 1)
    m0 = precision(rng, size) if with_prior else regularization * np.eye(size)
    mean = rng.standard_normal(size) if with_prior else np.zeros(size)
    prior = {"mean": mean, "precision": m0} if with_prior else {"regularization": regularization}
    posterior = sw.LinearModel(**prior, n_context=p).prior(d)
    M, b = m0, m0 @ mean
    for x, y, phi in lessons(rng, d, p, logged=logged):
        posterior = posterior.condition(x, y, phi)
        rows = x if phi is None else np.array([np.outer(phi, row).ravel() for row in x])
        M, b = M + rows.T @ rows, b + y @ rows
    phi = rng.standard_normal(p) if p else None
    probes = rng.random((6, d))
    wide = probes if phi is None else np.array([np.outer(phi, row).ravel() for row in probes])
    w = np.linalg.solve(M, b)
    variance = np.einsum("ij,ji->i", wide, np.linalg.solve(M, wide.T))
    for predicted in (posterior.at(phi).predict(probes), posterior.at(phi).predict_exactly(probes)):
        agree(predicted[0], wide @ w)
        agree(predicted[1] ** 2, variance)
    agree(posterior.logdet, np.linalg.slogdet(M)[1] - np.linalg.slogdet(m0)[1])


@given(SEEDS, st.integers(1, 4), CONTEXTS, LAMBDAS)
def test_linear_models_keep_their_contract(seed, d, p, regularization):
    check_model(sw.LinearModel(regularization=regularization, n_context=p), d, n_context=p, seed=seed)


@given(SEEDS, st.integers(1, 4), LAMBDAS)
def test_a_linear_kernel_gives_what_the_linear_model_gives(seed, d, regularization):
    rng = np.random.default_rng(seed)
    taught = list(lessons(rng, d, 0))
    linear = quietly(sw.LinearModel(regularization=regularization).prior(d), taught)
    kernel = quietly(sw.KernelModel(LINEAR, regularization=regularization).prior(d), taught)
    probes = rng.random((6, d))
    agree(kernel.logdet, linear.logdet, 1e-6)
    for one, other in zip(kernel.at().predict(probes), linear.at().predict(probes), strict=True):
        agree(one, other, 1e-6)


@given(SEEDS, st.integers(1, 3), st.integers(1, 3), LAMBDAS)
def test_contexts_are_the_kernel_of_products(seed, d, p, regularization):
    """A linear model with contexts is the kernel (φ·φ')(x·x')."""
    rng = np.random.default_rng(seed)
    taught = list(lessons(rng, d, p))
    linear = quietly(sw.LinearModel(regularization=regularization, n_context=p).prior(d), taught)

    def product(one, other):
        return (one[:, :p] @ other[:, :p].T) * (one[:, p:] @ other[:, p:].T)

    kernel = quietly(sw.KernelModel(product, regularization=regularization).prior(d), taught)
    phi, probes = rng.standard_normal(p), rng.random((6, d))
    agree(kernel.logdet, linear.logdet, 1e-6)
    for one, other in zip(kernel.at(phi).predict(probes), linear.at(phi).predict(probes), strict=True):
        agree(one, other, 1e-6)


@given(SEEDS, st.integers(1, 3), CONTEXTS, LAMBDAS, st.sampled_from([0.2, 1.0, 5.0]))
def test_the_kernel_posterior_is_the_closed_form(seed, d, p, regularization, length):
    rng = np.random.default_rng(seed)
    taught = list(lessons(rng, d, p))
    kernel = RBF(length)
    posterior = quietly(sw.KernelModel(kernel, regularization=regularization).prior(d), taught)

    def rows(x, phi):
        return x if phi is None else np.concatenate([np.tile(phi, (len(x), 1)), x], axis=1)

    history = np.concatenate([rows(x, phi) for x, _, phi in taught])
    y = np.concatenate([some for _, some, _ in taught])
    phi = rng.standard_normal(p) if p else None
    probes = rows(rng.random((6, d)), phi)
    K = kernel(history) + regularization * np.eye(len(y))
    cross = kernel(history, probes)
    mean, std = posterior.at(phi).predict(probes[:, p:])
    agree(mean, cross.T @ np.linalg.solve(K, y), 1e-6)
    left = kernel.diag(probes) - np.einsum("ij,ij->j", cross, np.linalg.solve(K, cross))
    agree(std**2, left / regularization, 1e-6)
    agree(posterior.logdet, np.linalg.slogdet(K / regularization)[1], 1e-6)


BASES = st.builds(sw.GreedyBasis, st.integers(1, 12), st.sampled_from([1e-9, 1e-3, 0.2]))


@given(SEEDS, st.integers(1, 3), CONTEXTS, BASES, st.sampled_from([0.3, 1.0]))
def test_a_basis_keeps_its_stated_error(seed, d, p, basis, length):
    """|κ - κ̂| between observed rows is at most `basis_error`, and the basis never outgrows its size."""
    rng = np.random.default_rng(seed)
    kernel = RBF(length)
    posterior = sw.KernelModel(kernel, basis=basis).prior(d)
    seen = []
    for x, y, phi in lessons(rng, d, p):
        posterior = posterior.condition(x, y, phi)
        seen.append(x if phi is None else np.concatenate([np.tile(phi, (len(x), 1)), x], axis=1))
        observed = np.concatenate(seen)
        features, left = posterior.embed(observed)
        error = np.abs(kernel(observed) - features @ features.T)
        assert error.max() <= posterior.basis_error + 1e-9
        assert left.max() <= posterior.basis_error + 1e-9
        assert len(posterior.points) <= basis.size
        assert len(posterior.points) == basis.size or posterior.basis_error <= basis.tolerance


@given(SEEDS, st.integers(1, 3), CONTEXTS, st.sampled_from([0.05, 1.0, 20.0]))
def test_a_full_basis_is_the_exact_kernel(seed, d, p, regularization):
    rng = np.random.default_rng(seed)
    taught = list(lessons(rng, d, p))
    full = sw.GreedyBasis(size=100, tolerance=1e-12)
    exact = quietly(sw.KernelModel(RBF(0.5), regularization=regularization).prior(d), taught)
    basis = quietly(sw.KernelModel(RBF(0.5), regularization=regularization, basis=full).prior(d), taught)
    phi, probes = rng.standard_normal(p) if p else None, rng.random((6, d))
    agree(basis.logdet, exact.logdet, 1e-5)
    for one, other in zip(basis.at(phi).predict(probes), exact.at(phi).predict(probes), strict=True):
        agree(one, other, 1e-5)


@given(SEEDS, BASES, LAMBDAS)
def test_a_basis_knows_what_its_own_kernel_says(seed, basis, regularization):
    """ln det(I + K̂/λ) and the mean of κ̂ = φ·φ, after many rewards too."""
    rng = np.random.default_rng(seed)
    model = sw.KernelModel(RBF(0.6), regularization=regularization, basis=basis)
    ((x, y, _),) = lessons(rng, 2, 0, count=0, logged=(300,))
    posterior = quietly(model.prior(2), [(x, y, None), (x, -2.0 * y, None)])
    features, _ = posterior.embed(x)
    M = regularization * np.eye(features.shape[1]) + 2.0 * features.T @ features
    agree(posterior.logdet, np.linalg.slogdet(M / regularization)[1], 1e-6)
    agree(posterior.at().predict(x)[0], -features @ np.linalg.solve(M, features.T @ y), 1e-5)


@given(SEEDS, BASES)
def test_what_a_basis_cannot_see_stays_uncertain(seed, basis):
    rng = np.random.default_rng(seed)
    model = sw.KernelModel(RBF(0.3), regularization=0.5, basis=basis)
    posterior = quietly(model.prior(2), list(lessons(rng, 2, 0)))
    probes = 3.0 * rng.random((8, 2))
    _, left = posterior.embed(probes)
    assert np.all(posterior.at().predict(probes)[1] ** 2 >= left / 0.5 - 1e-12)


@given(
    SEEDS,
    st.integers(1, 4),
    LAMBDAS,
    st.floats(0.0, 5.0),
    st.floats(0.0, 3.0),
    st.floats(0.001, 0.999),
)
def test_widths_are_their_formulas(seed, d, regularization, bound, noise, delta):
    rng = np.random.default_rng(seed)
    taught = list(lessons(rng, d, 0))
    posterior = quietly(sw.LinearModel(regularization=regularization).prior(d), taught)
    x = np.concatenate([rows for rows, _, _ in taught])
    information = np.linalg.slogdet(np.eye(d) + x.T @ x / regularization)[1]
    theory = sw.TheoreticalWidth(norm_bound=bound, noise=noise, delta=delta)
    agree(theory.beta(posterior), bound + noise * math.sqrt(information + 2 + 2 * math.log(1 / delta)))
    practice = sw.PracticalWidth(norm_bound=bound, r1=noise, r2=0.7, delta=delta)
    inside = 0.7 * d * math.log(len(x)) + 1 + math.log(1 / delta)
    agree(practice.beta(posterior), bound + noise * math.sqrt(inside))
    other = sw.PracticalWidth(norm_bound=bound, r1=noise, r2=0.7, delta=delta, dimension=9.5)
    agree(other.beta(posterior), bound + noise * math.sqrt(inside + 0.7 * (9.5 - d) * math.log(len(x))))


@given(SEEDS, st.integers(1, 3))
def test_a_posterior_sample_has_the_mean_and_covariance_of_the_belief(seed, d):
    """w = mean + scale · factor z, z from the generator: the draw is one affine map of z."""
    rng = np.random.default_rng(seed)
    belief = quietly(sw.LinearModel(regularization=0.3).prior(d), list(lessons(rng, d, 0))).at()
    draw = np.random.default_rng(seed).standard_normal(d)
    score = sw.PosteriorSample(scale=2.0).score(
        sw.LinearModel().prior(d), belief, np.random.default_rng(seed)
    )
    agree(score.exactly(np.eye(d)), belief.mean + 2.0 * belief.factor @ draw)
    assert score.beta == 0
