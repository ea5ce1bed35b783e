"""How far the linear posterior drifts from the closed form over a million rewards."""

from __future__ import annotations

import numpy as np

import slatewise as sw
from benchmarks.tables import Row

REWARDS, BATCH = 1_000_000, 10


def measure_drift() -> list[Row]:
    """Return the largest error of the mean, the covariance and the log-determinant, as the game goes on."""
    return [row for d in (15, 100) for row in follow(d)]


def follow(d: int) -> list[Row]:
    """Return rows for one number of features, after 10³ .. 10⁶ rewards."""
    rng = np.random.default_rng(d)
    posterior = sw.LinearModel(regularization=0.1).prior(d)
    weights = rng.dirichlet(np.ones(d))
    precision, moment = 0.1 * np.eye(d), np.zeros(d)
    rows: list[Row] = []
    for done in range(BATCH, REWARDS + 1, BATCH):
        x = rng.random((BATCH, d)) * (rng.random((BATCH, d)) < 3.0 / d)
        y = (rng.random(BATCH) < x @ weights).astype(np.float64)
        posterior = posterior.condition(x, y)
        precision += x.T @ x
        moment += x.T @ y
        if done in {10**3, 10**4, 10**5, 10**6}:
            mean, covariance = np.linalg.solve(precision, moment), np.linalg.inv(precision)
            logdet = np.linalg.slogdet(precision / 0.1)[1]
            rows.append(
                {
                    "features": d,
                    "rewards": done,
                    "mean off by": float(np.abs(posterior.mean - mean).max() / np.abs(mean).max()),
                    "covariance off by": float(
                        np.abs(posterior.covariance - covariance).max() / np.abs(covariance).max()
                    ),
                    "ln det off by": abs(posterior.logdet - float(logdet)) / float(logdet),
                }
            )
    return rows
