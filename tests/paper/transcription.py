"""The paper's algorithms, slowly: a transcription that shares nothing with the library.

Written from the equations of ``submodular-bandit-multiple-constraints.tex`` and the rules of
DESIGN.md alone, so that a mistake would have to be made twice to go unseen. One function an
equation, the paper's letters, no speed: the posterior is solved anew from the whole history, and
marginal gains are differences of values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations, takewhile

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Items = tuple[int, ...]
Value = Callable[[Items], FloatArray]
Predict = Callable[[FloatArray], tuple[FloatArray, FloatArray]]
Kernel = Callable[[FloatArray, FloatArray], FloatArray]

BUDGET_SLACK = 1e-9
TIE_SHARE = 1e-12


# --------------------------------------------------------------- objectives: F(S) = (f_1(S) … f_d(S))


def probabilistic_coverage(P: FloatArray) -> Value:
    """f_g(S) = 1 - Π_{e in S} (1 - P_g(e))."""
    return lambda S: 1.0 - np.prod(1.0 - P[list(S)], axis=0)


def coverage(covers: BoolArray) -> Value:
    """f_g(S) = 1 where some e in S covers g."""
    return lambda S: covers[list(S)].astype(bool).any(axis=0).astype(float)


def modular(V: FloatArray) -> Value:
    """f_g(S) = Σ_{e in S} V_g(e)."""
    return lambda S: V[list(S)].sum(axis=0)


def facility_location(similarity: FloatArray) -> Value:
    """f_g(S) = max_{e in S} similarity[e, g]."""
    return lambda S: np.max(similarity[list(S)], axis=0, initial=0.0)


def concave_over_modular(V: FloatArray, g: Callable[[FloatArray], FloatArray]) -> Value:
    """f_g(S) = g(Σ_{e in S} V_g(e))."""
    return lambda S: g(V[list(S)].sum(axis=0))


def log_determinant(kernel: FloatArray) -> Value:
    """f(S) = ln det(I + K_S)."""
    return lambda S: np.array([np.linalg.slogdet(np.eye(len(S)) + kernel[np.ix_(S, S)])[1] if S else 0.0])


def stack(values: Sequence[Value]) -> Value:
    """The features of each, one after the other."""
    return lambda S: np.concatenate([value(S) for value in values])


# ---------------------------------------------------------------------------------------- constraints


@dataclass(frozen=True)
class Limit:
    """Which lists one constraint allows, and what DESIGN's rule for k and the costs reads of it."""

    allows: Callable[[Items], bool]
    costs: FloatArray | None = None  # c_j(e) = cost / budget, for a knapsack
    caps: BoolArray | None = None  # (n, g): the caps that can bind, and who falls under them
    k: int = 0  # what it adds to k besides


def cardinality(m: int) -> Limit:
    """|S| <= m; adds nothing to k."""
    return Limit(lambda S: len(S) <= m)


def knapsack(costs: FloatArray, budget: float) -> Limit:
    """Σ_{e in S} c(e) <= b, with the slack that every comparison with a budget has."""
    return Limit(lambda S: costs[list(S)].sum() <= budget * (1.0 + BUDGET_SLACK), costs=costs / budget)


def _within_caps(members: BoolArray, limits: npt.NDArray[np.int64]) -> Callable[[Items], bool]:
    return lambda S: bool((members[list(S)].sum(axis=0) <= limits).all())


def _binding(members: BoolArray, limits: npt.NDArray[np.int64]) -> BoolArray:
    """Caps that fewer items than they allow could ever reach count for nothing."""
    return members[:, members.sum(axis=0) > limits]


def label_limits(members: BoolArray, limits: int | npt.NDArray[np.int64]) -> Limit:
    """|S ∩ N_g| <= d_g, where an item may be in several N_g."""
    members = np.asarray(members, dtype=bool)
    d = np.broadcast_to(limits, members.shape[1])
    return Limit(_within_caps(members, d), caps=_binding(members, d))


def partition_matroid(labels: npt.NDArray[np.int64], limits: int | npt.NDArray[np.int64]) -> Limit:
    """|S ∩ N_i| <= d_i, where the N_i are disjoint."""
    n_blocks = max(int(labels.max()) + 1, np.size(limits))
    return label_limits(labels[:, None] == np.arange(n_blocks), limits)


def laminar_matroid(members: BoolArray, limits: npt.NDArray[np.int64]) -> Limit:
    """As label limits, but the groups are nested or disjoint: one matroid."""
    return Limit(_within_caps(np.asarray(members, dtype=bool), np.asarray(limits)), k=1)


def graphic_matroid(edges: npt.NDArray[np.int64]) -> Limit:
    """The edges of S form a forest."""

    def is_forest(S: Items) -> bool:
        tree = {vertex: vertex for vertex in np.unique(edges).tolist()}
        for u, v in edges[list(S)].tolist():
            if tree[u] == tree[v]:
                return False
            joined = tree[v]
            tree = {vertex: tree[u] if root == joined else root for vertex, root in tree.items()}
        return True

    return Limit(is_forest, k=1)


def transversal_matroid(fits: BoolArray) -> Limit:
    """The items of S can be given different slots: every assignment is tried."""

    def can_be_placed(S: Items) -> bool:
        assignments = permutations(range(fits.shape[1]), len(S))
        return any(all(fits[e, slot] for e, slot in zip(S, slots, strict=True)) for slots in assignments)

    return Limit(can_be_placed, k=1)


def conflicts(pairs: Sequence[tuple[int, int]], n_items: int) -> Limit:
    """No two items of a pair stand together."""
    apart = {frozenset(map(int, pair)) for pair in pairs}

    def allows(S: Items) -> bool:
        return not any(frozenset(pair) in apart for pair in combinations(S, 2))

    def largest_compatible(items: Items) -> int:
        if not items:
            return 0
        first, *others = items
        beside = tuple(other for other in others if allows((first, other)))
        with_first = 1 + largest_compatible(beside)
        return (
            with_first if len(beside) == len(others) else max(with_first, largest_compatible(tuple(others)))
        )

    def around(e: int) -> int:
        neighbours = neighbours_of(e)
        return len(neighbours) if len(neighbours) > 20 else largest_compatible(neighbours)

    def neighbours_of(e: int) -> Items:
        return tuple(other for other in range(n_items) if other != e and frozenset((e, other)) in apart)

    return Limit(allows, k=max(map(around, range(n_items))))


def k_system(is_independent: Callable[[Items], bool], k: int, n_items: int) -> Limit:
    """Whatever the caller says (`n_items` is for the library's signature)."""
    del n_items
    return Limit(is_independent, k=k)


def derived_k(limits: Iterable[Limit], n: int) -> int:
    """DESIGN, "k": the most binding caps over one item, and what the others add."""
    limits = list(limits)
    caps = [limit.caps for limit in limits if limit.caps is not None]
    over_one_item = int(np.hstack([np.zeros((n, 1), dtype=bool), *caps]).sum(axis=1).max())
    return max(1, over_one_item + sum(limit.k for limit in limits))


# -------------------------------------------------------------------------------------------- problem


@dataclass(frozen=True)
class Problem:
    """N, f_1 … f_d and the constraints."""

    n: int
    value: Value
    limits: tuple[Limit, ...]
    given_k: int | None = None

    @property
    def d(self) -> int:
        """The number of features."""
        return self.value(()).size

    @cached_property
    def k(self) -> int:
        """A caller's, or the derived one."""
        return derived_k(self.limits, self.n) if self.given_k is None else self.given_k

    @property
    def l(self) -> int:  # noqa: E743
        """The number of knapsacks."""
        return sum(limit.costs is not None for limit in self.limits)

    @cached_property
    def c(self) -> FloatArray:
        """c(e) = Σ_j c_j(e), budgets being one."""
        return sum((limit.costs for limit in self.limits if limit.costs is not None), np.zeros(self.n))

    def alpha(self, epsilon: float) -> float:
        """α = 1 / ((1 + ε)(k + 2l + 1))."""
        return 1.0 / ((1.0 + epsilon) * (self.k + 2 * self.l + 1))

    def allows(self, S: Items) -> bool:
        """S satisfies the constraints."""
        return all(limit.allows(S) for limit in self.limits)

    def x(self, S: Items) -> FloatArray:
        """x(e|S) = (f_i(S + e) - f_i(S))_i for every e, zero in S."""
        F = self.value(S)
        gains = [np.zeros(F.size) if e in S else self.value((*S, e)) - F for e in range(self.n)]
        return np.array(gains)


# ------------------------------------------------------------------------------------------ posterior


@dataclass
class History:
    """What was shown (x, φ) and what came back (y), one entry a reward seen."""

    x: list[FloatArray] = field(default_factory=list)
    phi: list[FloatArray | None] = field(default_factory=list)
    y: list[float] = field(default_factory=list)

    def observe(self, x: FloatArray, y: FloatArray, phi: FloatArray | None) -> None:
        """Append a slate's rewards; NaN is none."""
        for row, reward in zip(x, y, strict=True):
            if not math.isnan(reward):
                self.x.append(row)
                self.phi.append(phi)
                self.y.append(float(reward))

    @property
    def seen(self) -> int:
        """m_t, the number of rewards seen."""
        return len(self.y)


def one_by_one(mu_sigma: Callable[[FloatArray], tuple[float, float]]) -> Predict:
    """Each row by itself, so that equal rows have equal scores to the last bit."""

    def predict(x: FloatArray) -> tuple[FloatArray, FloatArray]:
        pairs = [mu_sigma(row) for row in x]
        return np.array([mu for mu, _ in pairs]), np.array([sigma for _, sigma in pairs])

    return predict


def _kronecker(x: FloatArray, phi: FloatArray | None) -> FloatArray:
    return x if phi is None else np.outer(phi, x).ravel()


@dataclass(frozen=True)
class Linear:
    """w ~ N(w_0, M_0^{-1}) on x, or on φ ⊗ x where there are contexts; M_0 = λI in the paper."""

    w_0: FloatArray
    M_0: FloatArray

    @classmethod
    def ridge(cls, lam: float, size: int) -> Linear:
        """The paper's: w_0 = 0, M_0 = λI."""
        return cls(np.zeros(size), lam * np.eye(size))

    def _rows(self, history: History) -> list[FloatArray]:
        return [_kronecker(x, phi) for x, phi in zip(history.x, history.phi, strict=True)]

    def M(self, history: History) -> FloatArray:
        """M_t = λI + Σ x ⊗ x."""
        return self.M_0 + sum((np.outer(x, x) for x in self._rows(history)), np.zeros_like(self.M_0))

    def b(self, history: History) -> FloatArray:
        """b_t = Σ y x; with a prior mean y becomes y - w_0·x."""
        pairs = zip(self._rows(history), history.y, strict=True)
        return sum(((y - self.w_0 @ x) * x for x, y in pairs), np.zeros_like(self.w_0))

    def w(self, history: History) -> FloatArray:
        """w_t = M_t^{-1} b_t (from w_0)."""
        return self.w_0 + np.linalg.solve(self.M(history), self.b(history))

    def predict(self, history: History, phi: FloatArray | None) -> Predict:
        """μ(e|S) = w_t·x(e|S), σ(e|S)² = x(e|S)ᵀ M_t^{-1} x(e|S)."""
        w = self.w(history)
        inverse = np.linalg.solve(self.M(history), np.eye(w.size))

        def mu_sigma(x: FloatArray) -> tuple[float, float]:
            row = _kronecker(x, phi)
            return float(row @ w), math.sqrt(max(float(row @ inverse @ row), 0.0))

        return one_by_one(mu_sigma)

    def information(self, history: History) -> float:
        """ln det(M_t / λ), with a prior ln det(M_0^{-1} M_t)."""
        return float(np.linalg.slogdet(np.linalg.solve(self.M_0, self.M(history)))[1])


@dataclass(frozen=True)
class Kernelised:
    """The supplement's posterior on rows [φ, x(e|S)], its variance divided by λ."""

    kernel: Kernel
    lam: float

    def _rows(self, x: Sequence[FloatArray], phi: Sequence[FloatArray | None]) -> FloatArray:
        return np.array(
            [row if p is None else np.concatenate([p, row]) for row, p in zip(x, phi, strict=True)]
        )

    def K(self, history: History) -> FloatArray:
        """K_t = (κ(x_i, x_j))_ij."""
        rows = self._rows(history.x, history.phi)
        return self.kernel(rows, rows) if history.seen else np.empty((0, 0))

    def predict(self, history: History, phi: FloatArray | None) -> Predict:
        """μ_t(x) = κ_t(x)ᵀ(K_t + λI)^{-1} y; λσ_t²(x) = κ(x,x) - κ_t(x)ᵀ(K_t + λI)^{-1} κ_t(x)."""
        past, lam = self._rows(history.x, history.phi), self.lam
        inverse = np.linalg.solve(self.K(history) + lam * np.eye(history.seen), np.eye(history.seen))
        weights = inverse @ np.array(history.y)

        def mu_sigma(x: FloatArray) -> tuple[FloatArray, FloatArray]:
            rows = self._rows(list(x), [phi] * len(x))
            kappa_xx = np.array([self.kernel(row[None], row[None])[0, 0] for row in rows])
            kappa_t = self.kernel(rows, past) if history.seen else np.empty((len(rows), 0))
            mu = np.array([k @ weights for k in kappa_t])
            variance = np.array([k_xx - k @ inverse @ k for k, k_xx in zip(kappa_t, kappa_xx, strict=True)])
            return mu, np.sqrt(np.maximum(variance, 0.0) / lam)

        return mu_sigma

    def information(self, history: History) -> float:
        """ln det(I + K_t / λ)."""
        return float(np.linalg.slogdet(np.eye(history.seen) + self.K(history) / self.lam)[1])


def known(w: FloatArray) -> Predict:
    """The offline case: μ(e|S) = w·x(e|S), σ = 0."""
    return one_by_one(lambda x: (float(w @ x), 0.0))


# ------------------------------------------------------------------------------------------------- β_t


def beta_theoretical(information: float, B: float, R: float, delta: float) -> float:
    """β_t = B + R sqrt(ln det(λ^{-1} M_t) + 2 + 2 ln(1/δ))."""
    return B + R * math.sqrt(information + 2.0 + 2.0 * math.log(1.0 / delta))


def beta_practical(m_t: int, q: float, B: float, R1: float, R2: float, delta: float) -> float:
    """β_t = B + R_1 sqrt(R_2 q ln max(m_t, 1) + 1 + ln(1/δ))."""
    return B + R1 * math.sqrt(R2 * q * math.log(max(m_t, 1)) + 1.0 + math.log(1.0 / delta))


# ------------------------------------------------------------------------------------ one round's scores


@dataclass
class Round:
    """What a round's choice may look at; scores of a list's extensions are kept once computed."""

    problem: Problem
    predict: Predict
    beta: float = 0.0
    available: BoolArray | None = None
    pinned: Items = ()
    list_factor: float = 3.0
    _kept: dict[Items, tuple[FloatArray, FloatArray, FloatArray]] = field(default_factory=dict)

    def scored(self, S: Items) -> tuple[FloatArray, FloatArray, FloatArray]:
        """x(e|S), μ(e|S) and σ(e|S) for every e."""
        if S not in self._kept:
            x = self.problem.x(S)
            self._kept[S] = (x, *self.predict(x))
        return self._kept[S]

    def ucb(self, S: Items) -> FloatArray:
        """ucb(e|S) = μ(e|S) + βσ(e|S) for every e."""
        _, mu, sigma = self.scored(S)
        return mu + self.beta * sigma

    def along(self, S: Items) -> tuple[FloatArray, FloatArray, FloatArray]:
        """x, μ and σ of e^(i) given S^(1:i-1), for each position i."""
        steps = [tuple(part[e] for part in self.scored(S[:i])) for i, e in enumerate(S)]
        x = np.array([step[0] for step in steps]).reshape(len(S), self.problem.d)
        mu, sigma = (np.array([step[part] for step in steps], dtype=float) for part in (1, 2))
        return x, mu, sigma

    def list_ucb(self, S: Items) -> float:
        """ucb(S) = μ(S) + 3βσ(S), sums over the positions."""
        _, mu, sigma = self.along(S)
        return float(mu.sum() + self.list_factor * self.beta * sigma.sum())

    def list_scale(self, S: Items) -> float:
        """Σ(|μ| + 3βσ), what a tie of lists is measured by."""
        _, mu, sigma = self.along(S)
        return float(np.abs(mu).sum() + self.list_factor * self.beta * sigma.sum())

    def offered(self, e: int) -> bool:
        """Item e may be shown this round."""
        return self.available is None or bool(self.available[e])

    def candidates(self, S: Items) -> list[int]:
        """N_S: not in S, available, feasible with S."""
        outside = (e for e in range(self.problem.n) if e not in S and self.offered(e))
        return [e for e in outside if self.problem.allows((*S, e))]


@dataclass(frozen=True)
class Proposal:
    """A list, and the ρ that made it (None: no threshold did)."""

    items: Items
    rho: float | None = None


def best(round_: Round, proposals: Sequence[Proposal]) -> Proposal:
    """argmax ucb(S); of those within 1e-12 Σ(|μ| + 3βσ) of the best, the first."""
    scores = [round_.list_ucb(proposal.items) for proposal in proposals]
    top = int(np.argmax(scores))
    slack = TIE_SHARE * round_.list_scale(proposals[top].items)
    return next(p for p, score in zip(proposals, scores, strict=True) if score >= scores[top] - slack)


# ------------------------------------------------------------------------------------------- algorithms


def gm_ucb(round_: Round, rho: float) -> Items:
    """Algorithm 1; ∅ is the pinned list, and the filter is u >= ρ c(e)."""
    S = round_.pinned
    floor = rho * round_.problem.c
    while True:
        u, u_0 = round_.ucb(S), round_.ucb(round_.pinned)
        passing = [e for e in round_.candidates(S) if u[e] >= floor[e] and u_0[e] >= floor[e]]
        if not passing:
            return S
        S = (*S, max(passing, key=lambda e: (u[e], -e)))


def grid(
    problem: Problem, epsilon: float, nu: float, nu_max: float, max_length: int | None = None
) -> list[float]:
    """Algorithm 2's ρ: from rν/(1+ε) by factors 1+ε while ρ <= rν'|N| (or rν'·max_length)."""
    r = 2.0 / (problem.k + 2 * problem.l + 1)
    end = r * nu_max * (problem.n if max_length is None else max_length)

    def upwards() -> Iterable[float]:
        rho = r * nu / (1.0 + epsilon)
        while True:
            yield rho
            rho *= 1.0 + epsilon

    return list(takewhile(lambda rho: rho <= end, upwards()))


def afsm_ucb(
    round_: Round,
    epsilon: float = 0.3,
    nu: float = 0.01,
    nu_max: float = 1.0,
    max_length: int | None = None,
    also: Sequence[Callable[[Round], Proposal]] = (),
) -> Proposal:
    """Algorithm 2 at one round: the best list of the thresholds, and of further oracles."""
    rhos = grid(round_.problem, epsilon, nu, nu_max, max_length)
    lists = [Proposal(gm_ucb(round_, rho), rho) for rho in rhos]
    return best(round_, lists + [oracle(round_) for oracle in also])


def lsb_greedy(round_: Round) -> Proposal:
    """argmax ucb(e|S) until nothing fits."""
    S = round_.pinned
    while fitting := round_.candidates(S):
        u = round_.ucb(S)
        S = (*S, max(fitting, key=lambda e: (u[e], -e)))
    return Proposal(S)


def density(u: float, c: float) -> tuple[float, float]:
    """The modified score u / c(e), +∞ (then by u), 0 or -∞ for a free item."""
    if c > 0.0:
        return u / c, 0.0
    return (math.inf, u) if u > 0.0 else (0.0 if u == 0.0 else -math.inf, 0.0)


def cost_benefit_greedy(round_: Round, start: Items | None = None) -> Proposal:
    """argmax ucb(e|S)/c(e) until nothing fits."""
    S = round_.pinned if start is None else start
    c = round_.problem.c
    while fitting := round_.candidates(S):
        u = round_.ucb(S)
        S = (*S, max(fitting, key=lambda e: (*density(float(u[e]), float(c[e])), -e)))
    return Proposal(S)


def c_greedy(round_: Round) -> Proposal:
    """The better of the two greedy lists by list UCB."""
    return best(round_, [lsb_greedy(round_), cost_benefit_greedy(round_)])


def mcs_greedy(round_: Round, size: int = 3) -> Proposal:
    """The best feasible set of at most three items, completed by cost-benefit greedy."""
    free = [e for e in range(round_.problem.n) if round_.offered(e) and e not in round_.pinned]
    sets = sorted(members for count in range(size + 1) for members in combinations(free, count))
    starts = [(*round_.pinned, *members) for members in sets]
    start = best(round_, [Proposal(S) for S in starts if round_.problem.allows(S)])
    return cost_benefit_greedy(round_, start.items)


def exact(round_: Round) -> Proposal:
    """OPT by enumeration: fewest items first, then lexicographically."""
    n = round_.problem.n
    sets = (members for count in range(n + 1) for members in combinations(range(n), count))
    return best(round_, [Proposal(S) for S in sets if round_.problem.allows(S)])


# -------------------------------------------------------------------------------------------- w known


def largest_single_value(round_: Round) -> float:
    """max f({e}) over the available items that fit."""
    return max((float(round_.ucb(())[e]) for e in round_.candidates(())), default=0.0)


def offline_sweep(
    round_: Round, epsilon: float = 0.1, also: Sequence[Callable[[Round], Proposal]] = ()
) -> Proposal:
    """Algorithm 2 where w is known: ν = ν' = max f({e}); where that is 0, one run at ρ = 0."""
    nu = largest_single_value(round_)
    if nu > 0.0:
        return afsm_ucb(round_, epsilon, nu, nu, also=also)
    only = Proposal(gm_ucb(round_, 0.0), 0.0)
    return best(round_, [only, *(oracle(round_) for oracle in also)])


def maximize(round_: Round) -> Proposal:
    """`maximize`'s default: the sweep at ε = 0.1 with both greedy lists."""
    return offline_sweep(round_, 0.1, also=(lsb_greedy, cost_benefit_greedy))


def value_of_all_that_fit(problem: Problem, w: FloatArray) -> float:
    """w·F of the items that fit alone, what no upper bound may exceed."""
    alone = tuple(e for e in range(problem.n) if problem.allows((e,)))
    return float(w @ problem.value(alone))
