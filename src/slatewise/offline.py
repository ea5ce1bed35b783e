"""Known weights: the best slate, how good it can be at most, and how good one is at least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from slatewise.checks import instance, nonnegative_array
from slatewise.errors import reject
from slatewise.indices import Score
from slatewise.models.known import KnownWeights
from slatewise.oracles import CostBenefitGreedy, Greedy, Oracle, ThresholdSweep
from slatewise.problem import Problem
from slatewise.slate import Slate
from slatewise.typing import Bools, Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROUNDING = 1e-9
"""What a bound is raised by, as a share of itself, for the rounding in it."""

ROUNDS_OF_CUTS = 4
"""How often the linear programme is solved again with a bound around its own solution."""

LARGEST_PROGRAMME = 4_000_000
"""More numbers than this in a linear programme, and features are bounded together, not one by one."""


def known(weights: npt.ArrayLike, problem: Problem) -> Score:
    """Return the scores of weights that are known and not negative."""
    instance(problem, Problem, "problem")
    clean = nonnegative_array(weights, "weights", shape=(problem.n_features,))
    return Score(KnownWeights(clean).prior(problem.n_features).belief, value_range=None)


def maximize(problem: Problem, weights: npt.ArrayLike, oracle: Oracle | None = None) -> Slate:
    """Return a feasible slate that makes w·f(S) large.

    Parameters
    ----------
    problem
        What lists are worth and which are allowed.
    weights
        (d,), finite and not negative: w.
    oracle
        How; the threshold sweep with ε = 0.1 and both greedy lists where none is given, which reaches
        at least ``problem.alpha(0.1)`` of the best value.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Coverage([[1, 0], [1, 1], [0, 1]]), [sw.Knapsack([1.0, 3.0, 1.0], 2.0)])
    >>> slate = sw.maximize(problem, [1.0, 1.0])
    >>> slate.items, slate.score
    ((0, 2), 2.0)
    """
    chosen = ThresholdSweep(epsilon=0.1, also=(Greedy(), CostBenefitGreedy())) if oracle is None else oracle
    if not isinstance(chosen, Oracle):
        reject("oracle", f"must be a slatewise Oracle, but is {chosen!r}")
    return chosen(problem, known(weights, problem))


def certificate(problem: Problem, weights: npt.ArrayLike, slate: Slate) -> float:
    """Return a share of the best possible value that the slate is worth at least.

    Parameters
    ----------
    problem, weights
        As for `maximize`.
    slate
        Any slate of the problem's items.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Cardinality(2)])
    >>> round(sw.certificate(problem, [1.0], sw.maximize(problem, [1.0])), 6)
    1.0
    """
    instance(problem, Problem, "problem")
    instance(slate, Slate, "slate")
    difference = problem.feature_space.difference(slate.feature_space)
    if difference is not None:
        reject("slate", f"is over other features than the problem: {difference}")
    bound = upper_bound(problem, weights)
    if bound <= 0:
        return 1.0
    value = float(problem.value(slate.items) @ nonnegative_array(weights, "weights", shape=(None,)))
    return min(1.0, value / bound)


def upper_bound(problem: Problem, weights: npt.ArrayLike) -> float:
    """Return a number that no feasible list's w·f(S) exceeds.

    For any set A, f(S) ≤ f(A) + Σ_{e in S} x(e|A). A linear programme over fractions z of items, under
    all limits, finds the mixture of such bounds that is least; its solution is rounded to a
    further A, and solved again. The number returned is computed from the programme's dual variables,
    any of which prove a bound, and not from the solver's word for the optimum.

    Parameters
    ----------
    problem, weights
        As for `maximize`.

    Notes
    -----
    A limit that is no packing takes part by the packing that every list it allows satisfies (the most
    edges of a forest, one of two items in conflict); a `KSystem` has none, and only loosens the bound.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[3.0], [2.0], [2.0]]), [sw.Knapsack([3.0, 2.0, 2.0], 4.0)])
    >>> round(sw.upper_bound(problem, [1.0]), 6)
    4.0
    """
    score = known(weights, problem)
    w = np.asarray(weights, dtype=np.float64)
    fits = problem.limits.feasible(problem.limits.empty())
    together = float(w @ problem.objective.total(np.flatnonzero(fits)))
    cuts = list(_greedy_cuts(problem, score))
    longest = max(cut.length for cut in cuts)
    best = together
    for _ in range(ROUNDS_OF_CUTS):
        bound, shares = _bound_by(problem, w, fits, cuts)
        best = min(best, bound)
        cuts.append(_Cut.around(problem, rounded(shares, longest)))
    return min(best * (1.0 + ROUNDING), together)


@dataclass(frozen=True)
class _Cut:
    """A set A, by its length, with f(A) and the gains x(e|A) of all items."""

    length: int
    value: Floats
    gains: Floats

    @classmethod
    def around(cls, problem: Problem, items: Ints) -> _Cut:
        objective = problem.objective
        state = objective.empty()
        value = np.zeros(problem.n_features)
        for item in items.tolist():
            value = value + objective.gains(state, np.array([item]))[0]
            state = objective.add(state, item)
        return cls(len(items), value, objective.gains(state))


def rounded(shares: Floats, longest: int) -> Ints:
    """Return the items that have more than half a share, the largest shares, no more than so many."""
    order = np.argsort(-shares, kind="stable")[:longest]
    return np.sort(order[shares[order] > 0.5])  # noqa: PLR2004 - a half


def _greedy_cuts(problem: Problem, score: Score) -> Iterator[_Cut]:
    """Yield bounds around nothing, and around the halves and wholes of both greedy lists."""
    yield _Cut.around(problem, np.zeros(0, dtype=np.int64))
    for oracle in (Greedy(), CostBenefitGreedy()):
        items = np.array(oracle(problem, score).items, dtype=np.int64)
        for length in {len(items) // 2, len(items)} - {0}:
            yield _Cut.around(problem, items[:length])


def _bound_by(problem: Problem, w: Floats, fits: Bools, cuts: list[_Cut]) -> tuple[float, Floats]:
    """Return the least bound that mixtures of cuts prove, and the shares of items that reach it."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack, vstack

    items = np.flatnonzero(fits)
    if not len(items):
        return 0.0, np.zeros(len(fits))
    apart = len(items) * len(w) * len(cuts) <= LARGEST_PROGRAMME
    used = w > 0 if apart else np.ones(1, dtype=np.bool_)
    values = np.array([(cut.value * w)[used] if apart else [cut.value @ w] for cut in cuts])
    gains = np.array(
        [((cut.gains[items] * w)[:, used].T if apart else [cut.gains[items] @ w]) for cut in cuts]
    )
    n_cuts, n_parts, n = gains.shape
    scale = float(gains.max(initial=0.0))
    if not scale:
        return 0.0, np.zeros(len(fits))
    values, gains = values / scale, gains / scale
    packing = problem.limits.relaxed
    shape = (problem.n_items, len(packing.capacities))
    whole = csr_array((packing.amounts, packing.resources, packing.starts), shape=shape)[items]
    size = np.where(packing.limits > 0, packing.limits, 1.0)
    usage, capacities = (whole / size).T.tocsr(), packing.limits / size
    parts = csr_array(np.tile(np.eye(n_parts), (n_cuts, 1)))
    matrix: Any = vstack(
        [
            hstack([parts, csr_array(-gains.reshape(-1, n))]),
            hstack([csr_array((usage.shape[0], n_parts)), usage]),
        ]
    )
    right = np.concatenate([values.ravel(), capacities])
    limits = [(None, None)] * n_parts + [(0.0, 1.0)] * n
    cost = np.concatenate([-np.ones(n_parts), np.zeros(n)])
    solved = linprog(cost, A_ub=matrix, b_ub=right, bounds=limits, method="highs")
    if solved.x is None:
        return float(np.inf), np.zeros(len(fits))
    duals = np.maximum(-solved.ineqlin.marginals, 0.0)
    shares = np.zeros(len(fits))
    shares[items] = solved.x[n_parts:]
    return scale * _proven(values, gains, usage, capacities, duals), shares


def _proven(values: Floats, gains: Floats, usage: csr_array, capacities: Floats, duals: Floats) -> float:
    """Return the bound that dual variables prove, whatever they are.

    Cuts are mixed by their duals, scaled to sum to 1 for each part; then with prices y ≥ 0 of the
    resources, Σ c_e z_e ≤ y·capacities + Σ max(0, c_e - y·usage_e) for all z in [0, 1].
    """
    n_cuts, n_parts, _ = gains.shape
    mixture = duals[: n_cuts * n_parts].reshape(n_cuts, n_parts)
    total = mixture.sum(axis=0)
    mixture = np.divide(mixture, total, out=np.full(mixture.shape, 1.0 / n_cuts), where=total > 0)
    prices = duals[n_cuts * n_parts :]
    worth = np.einsum("cp,cpn->n", mixture, gains)
    left = np.maximum(worth - prices @ usage, 0.0).sum()
    return float((mixture * values).sum() + prices @ capacities + left)
