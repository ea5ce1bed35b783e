"""Algorithms 1 and 2 as they are printed, in plain NumPy: every threshold scores every item anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def afsm_ucb(  # noqa: PLR0913 - the algorithm's parameters
    P: Floats,  # noqa: N803 - the paper's letter
    costs: Floats,
    budget: float,
    m: int,
    w: Floats,
    factor: Floats,
    beta: float,
    epsilon: float,
    nu: float,
    nu_max: float,
) -> tuple[int, ...]:
    """Return the slate of Algorithm 2, under one knapsack and a cardinality limit (k = l = 1)."""
    r = 2.0 / 4.0
    rho, best, slate = r / (1.0 + epsilon) * nu, -np.inf, ()
    mean, std = scores(P, w, factor)
    after_nothing = mean + beta * std
    while rho <= r * nu_max * len(P):
        items, score = gm_ucb(P, costs, budget, m, w, factor, beta, rho, after_nothing)
        if score > best:
            best, slate = score, items
        rho *= 1.0 + epsilon
    return slate


def gm_ucb(  # noqa: PLR0913 - the same
    P: Floats,  # noqa: N803 - the paper's letter
    costs: Floats,
    budget: float,
    m: int,
    w: Floats,
    factor: Floats,
    beta: float,
    rho: float,
    after_nothing: Floats,
) -> tuple[tuple[int, ...], float]:
    """Return the list of Algorithm 1 at one threshold, and its score μ(S) + 3βσ(S)."""
    c = costs / budget
    items: list[int] = []
    residual, left, score = np.ones(P.shape[1]), budget, 0.0
    able = after_nothing >= rho * c
    while len(items) < m:
        mean, std = scores(P * residual, w, factor)
        ucb = mean + beta * std
        allowed = able & (ucb >= rho * c) & (costs <= left * (1.0 + 1e-9))
        if not allowed.any():
            break
        item = int(np.argmax(np.where(allowed, ucb, -np.inf)))
        items.append(item)
        score += mean[item] + 3.0 * beta * std[item]
        able[item] = False
        left -= costs[item]
        residual *= 1.0 - P[item]
    return tuple(items), score


def scores(x: Floats, w: Floats, factor: Floats) -> tuple[Floats, Floats]:
    """Return μ and σ of every item."""
    return x @ w, np.sqrt(((x @ factor) ** 2).sum(axis=1))
