"""A posterior that was updated very often is still the closed form, to a stated tolerance."""

from __future__ import annotations

import numpy as np
import pytest

import slatewise as sw


def tolerance(precision):
    """The stated drift of M⁻¹, w and ln det(M/λ) after 10⁵ rewards, relative to the largest entry."""
    return 1e-12 + 2e-14 * np.linalg.cond(precision)


REWARDS = 100_000


def easy(rng, d):
    return rng.random((REWARDS, d))


def hardly_apart(rng, d):
    """All rows near one direction, the others a thousand times smaller: M is nearly singular."""
    return rng.random((REWARDS, 1)) + 1e-3 * rng.standard_normal((REWARDS, d))


def growing(rng, d):
    """Each row a little larger than the one before, over six decades."""
    return rng.random((REWARDS, d)) * np.logspace(-3, 3, REWARDS)[:, np.newaxis]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [easy, hardly_apart, growing])
@pytest.mark.parametrize("batch", [5, 37])
def test_the_posterior_does_not_drift(rows, batch):
    rng = np.random.default_rng(3)
    d, regularization = 8, 0.5
    x = rows(rng, d)
    y = x @ rng.random(d) + 0.1 * rng.standard_normal(REWARDS)
    posterior = sw.LinearModel(regularization=regularization).prior(d)
    for start in range(0, REWARDS, batch):
        posterior = posterior.condition(x[start : start + batch], y[start : start + batch])
    M = regularization * np.eye(d) + x.T @ x
    assert posterior.n_observations == REWARDS
    for found, wanted in (
        (posterior.covariance, np.linalg.inv(M)),
        (posterior.mean, np.linalg.solve(M, y @ x)),
        (posterior.logdet, np.linalg.slogdet(M / regularization)[1]),
    ):
        assert np.abs(found - wanted).max() <= tolerance(M) * np.abs(wanted).max()


@pytest.mark.parametrize("regularization", [1e-12, 1e-6, 1.0, 1e9])
def test_a_weak_prior_costs_no_digits(regularization):
    """A variance that shrinks by twelve orders of magnitude at once: the difference of two near numbers."""
    posterior = sw.LinearModel(regularization=regularization).prior(3)
    for feature in range(3):
        for _ in range(2):
            posterior = posterior.condition(np.eye(3)[[feature]], [0.7])
    assert np.allclose(posterior.covariance, np.eye(3) / (2.0 + regularization), rtol=1e-12, atol=0.0)
    assert np.allclose(posterior.mean, 1.4 / (2.0 + regularization), rtol=1e-12, atol=0.0)
