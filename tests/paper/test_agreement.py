"""The library and the transcription, side by side: the same slate at every round.

Agreement over rounds is tried on random reals, where rounding cannot decide; the rules of ties have
tests of their own, on numbers that are exact in binary.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, DotProduct

import slatewise as sw

from . import transcription as paper
from .transcription import BoolArray, FloatArray, History, Items, Problem, Proposal, Round

Rng = np.random.Generator
Spec = tuple[str, tuple[object, ...]]  # a kind, and the arguments that both sides take

# ------------------------------------------------------------- one place that says what answers to what

OBJECTIVES: dict[str, tuple[Callable[..., object], Callable[..., paper.Value]]] = {
    "probabilistic_coverage": (sw.ProbabilisticCoverage, paper.probabilistic_coverage),
    "coverage": (sw.Coverage, paper.coverage),
    "modular": (sw.Modular, paper.modular),
    "facility_location": (sw.FacilityLocation, paper.facility_location),
    "concave_over_modular": (sw.ConcaveOverModular, paper.concave_over_modular),
    "log_determinant": (sw.LogDeterminant, paper.log_determinant),
}

CONSTRAINTS: dict[str, tuple[Callable[..., object], Callable[..., paper.Limit]]] = {
    "cardinality": (sw.Cardinality, paper.cardinality),
    "knapsack": (sw.Knapsack, paper.knapsack),
    "partition": (sw.PartitionMatroid, paper.partition_matroid),
    "labels": (sw.LabelLimits, paper.label_limits),
    "laminar": (sw.LaminarMatroid, paper.laminar_matroid),
    "graphic": (sw.GraphicMatroid, paper.graphic_matroid),
    "transversal": (sw.TransversalMatroid, paper.transversal_matroid),
    "conflicts": (sw.Conflicts, paper.conflicts),
    "k_system": (sw.KSystem, paper.k_system),
}


@dataclass(frozen=True)
class Both:
    """One problem, as the library's and as the transcription's."""

    library: sw.Problem
    paper: Problem


def both(n: int, objective: Sequence[Spec], constraints: Sequence[Spec], k: int | None = None) -> Both:
    objectives = [OBJECTIVES[kind][0](*arguments) for kind, arguments in objective]
    values = [OBJECTIVES[kind][1](*arguments) for kind, arguments in objective]
    rules = [CONSTRAINTS[kind][0](*arguments) for kind, arguments in constraints]
    limits = tuple(CONSTRAINTS[kind][1](*arguments) for kind, arguments in constraints)
    single = len(objectives) == 1
    return Both(
        sw.Problem(objectives[0] if single else sw.Stack(objectives), rules, k=k),
        Problem(n, values[0] if single else paper.stack(values), limits, given_k=k),
    )


# ------------------------------------------------------------------------- objectives in general position


def _levels(rng: Rng, n: int, d: int) -> FloatArray:
    """Reals in [0, 1], a fifth of them zero."""
    return rng.random((n, d)) * (rng.random((n, d)) < 0.8)


def _gram(rng: Rng, n: int) -> FloatArray:
    factor = rng.normal(size=(n, n)) / math.sqrt(n)
    return factor @ factor.T


OBJECTIVE_DRAWS: dict[str, Callable[[Rng, int], list[Spec]]] = {
    "probabilistic_coverage": lambda rng, n: [("probabilistic_coverage", (_levels(rng, n, 4),))],
    "modular": lambda rng, n: [("modular", (_levels(rng, n, 3),))],
    "facility_location": lambda rng, n: [("facility_location", (_levels(rng, n, 5),))],
    "sqrt": lambda rng, n: [("concave_over_modular", (_levels(rng, n, 3), np.sqrt))],
    "log1p": lambda rng, n: [("concave_over_modular", (_levels(rng, n, 4), np.log1p))],
    "log_determinant": lambda rng, n: [("log_determinant", (_gram(rng, n),))],
    "stack": lambda rng, n: [
        ("probabilistic_coverage", (_levels(rng, n, 2),)),
        ("log_determinant", (_gram(rng, n),)),
        ("modular", (_levels(rng, n, 2),)),
    ],
    # Many items that are equal, which only a prior in general position tells from the others.
    "coverage": lambda rng, n: [("coverage", (rng.random((n, 6)) < 0.35,))],
}
GENERAL = [name for name in OBJECTIVE_DRAWS if name != "coverage"]

# ------------------------------------------------------------------------------------- mixes of constraints


def _knapsacks(rng: Rng, n: int, count: int) -> list[Spec]:
    """Costs of which some are free and some never fit, and budgets for about four items."""

    def one() -> Spec:
        kinds = rng.choice(3, size=n, p=[0.1, 0.8, 0.1])
        costs = np.choose(kinds, [np.zeros(n), rng.uniform(0.1, 1.0, n), np.full(n, 9.0)])
        return "knapsack", (costs, float(rng.uniform(1.2, 2.5)))

    return [one() for _ in range(count)]


def _partition(rng: Rng, n: int) -> Spec:
    return "partition", (rng.integers(4, size=n), rng.integers(3, size=4))


def _labels(rng: Rng, n: int) -> Spec:
    return "labels", (rng.random((n, 5)) < 0.3, rng.integers(1, 4, size=5))


def _laminar(rng: Rng, n: int) -> Spec:
    order, cuts = rng.permutation(n), (n // 4, n // 2)
    rank = np.empty(n, dtype=int)
    rank[order] = np.arange(n)
    members = np.stack([rank < cuts[0], rank < cuts[1], rank >= n - 3, rank >= 0], axis=1)
    return "laminar", (members, np.array([1, 3, 1, 5]))


def _graphic(rng: Rng, n: int) -> Spec:
    return "graphic", (rng.integers(5, size=(n, 2)),)


def _transversal(rng: Rng, n: int) -> Spec:
    return "transversal", (rng.random((n, 4)) < 0.4,)


def _conflicts(rng: Rng, n: int) -> Spec:
    pairs = [(a, b) for a in range(n) for b in range(a) if rng.random() < 0.25]
    return "conflicts", (pairs, n)


def _packing(rng: Rng, n: int) -> Spec:
    """Each item takes three of twelve resources, and none is taken twice: a 3-system."""
    taken = [frozenset(rng.choice(12, size=3, replace=False).tolist()) for _ in range(n)]

    def disjoint(S: Sequence[int]) -> bool:
        return len(frozenset().union(*(taken[e] for e in S))) == 3 * len(S)

    return "k_system", (disjoint, 3, n)


def _mixed(rng: Rng, n: int) -> list[Spec]:
    labels = [_partition(rng, n), _labels(rng, n)]
    return [*_knapsacks(rng, n, 2), ("cardinality", (4,)), *labels, _conflicts(rng, n)]


MIXES: dict[str, Callable[[Rng, int], list[Spec]]] = {
    "nothing": lambda _rng, _n: [],
    "cardinality": lambda _rng, _n: [("cardinality", (4,))],
    "one_knapsack": lambda rng, n: _knapsacks(rng, n, 1),
    "two_knapsacks": lambda rng, n: [*_knapsacks(rng, n, 2), ("cardinality", (5,))],
    "three_knapsacks": lambda rng, n: _knapsacks(rng, n, 3),
    "partition": lambda rng, n: [_partition(rng, n), *_knapsacks(rng, n, 1)],
    "labels": lambda rng, n: [_labels(rng, n), ("cardinality", (4,)), *_knapsacks(rng, n, 2)],
    "labels_only": lambda rng, n: [_labels(rng, n), _partition(rng, n), ("cardinality", (4,))],
    "laminar": lambda rng, n: [*_knapsacks(rng, n, 1), _laminar(rng, n)],
    "graphic": lambda rng, n: [_graphic(rng, n), *_knapsacks(rng, n, 1)],
    "transversal": lambda rng, n: [_transversal(rng, n), *_knapsacks(rng, n, 1)],
    "matroids": lambda rng, n: [_graphic(rng, n), _transversal(rng, n), _laminar(rng, n)],
    "conflicts": lambda rng, n: [_conflicts(rng, n), *_knapsacks(rng, n, 1)],
    "k_system": lambda rng, n: [_packing(rng, n), *_knapsacks(rng, n, 1)],
    "mixed": _mixed,
}

# ----------------------------------------------------------------------------------- models, widths, oracles


@dataclass(frozen=True)
class ModelCase:
    """A model for d features, with contexts of length `n_context` (0: none)."""

    library: Callable[[int], object]
    paper: Callable[[int], paper.Linear | paper.Kernelised]
    n_context: int = 0


def _prior(size: int) -> paper.Linear:
    rng = np.random.default_rng([77, size])
    factor = rng.normal(size=(size, size)) / math.sqrt(size)
    return paper.Linear(0.3 * rng.normal(size=size), factor @ factor.T + 0.5 * np.eye(size))


def _linear(lam: float, n_context: int = 0) -> ModelCase:
    return ModelCase(
        lambda _d: sw.LinearModel(regularization=lam, n_context=n_context),
        lambda d: paper.Linear.ridge(lam, d * max(n_context, 1)),
        n_context,
    )


def _with_prior(n_context: int = 0) -> ModelCase:
    def library(d: int) -> object:
        prior = _prior(d * max(n_context, 1))
        return sw.LinearModel(mean=prior.w_0, precision=prior.M_0, n_context=n_context)

    return ModelCase(library, lambda d: _prior(d * max(n_context, 1)), n_context)


def _with_mean(lam: float) -> ModelCase:
    return ModelCase(
        lambda d: sw.LinearModel(regularization=lam, mean=_prior(d).w_0),
        lambda d: paper.Linear(_prior(d).w_0, lam * np.eye(d)),
    )


def _with_losses() -> ModelCase:
    """Sure of weights of both signs, so that scores rise as well as fall while a list grows."""

    def prior(d: int) -> paper.Linear:
        return paper.Linear(np.where(np.arange(d) % 2 == 0, 1.0, -0.9) + _prior(d).w_0, 40.0 * np.eye(d))

    return ModelCase(lambda d: sw.LinearModel(regularization=40.0, mean=prior(d).w_0), prior)


def _kernel(kernel: Callable[..., FloatArray], lam: float, n_context: int = 0) -> ModelCase:
    return ModelCase(
        lambda _d: sw.KernelModel(kernel, regularization=lam),
        lambda _d: paper.Kernelised(kernel, lam),
        n_context,
    )


MODELS: dict[str, ModelCase] = {
    "linear": _linear(1.0),
    "linear_small": _linear(0.1),
    "linear_tiny": _linear(1e-4),
    "prior": _with_prior(),
    "prior_mean": _with_mean(0.7),
    "losses": _with_losses(),
    "contexts": _linear(0.5, n_context=2),
    "contexts_prior": _with_prior(n_context=3),
    "dot_product": _kernel(DotProduct(sigma_0=0.0), 0.4),
    "dot_product_contexts": _kernel(DotProduct(sigma_0=0.0), 1.0, n_context=2),
    "rbf": _kernel(RBF(0.8), 0.5),
    "rbf_contexts": _kernel(RBF(1.5), 1.0, n_context=2),
}


@dataclass(frozen=True)
class WidthCase:
    """β_t, from (information, rewards seen, d) on the transcription's side."""

    library: object
    paper: Callable[[float, int, int], float]


def _practical(dimension: float | None) -> WidthCase:
    return WidthCase(
        sw.PracticalWidth(norm_bound=0.01, r1=0.1, r2=1.0, delta=0.1, dimension=dimension),
        lambda _information, seen, d: paper.beta_practical(seen, dimension or d, 0.01, 0.1, 1.0, 0.1),
    )


WIDTHS: dict[str, WidthCase] = {
    "theoretical": WidthCase(
        sw.TheoreticalWidth(norm_bound=0.2, noise=0.1, delta=0.05),
        lambda information, _seen, _d: paper.beta_theoretical(information, 0.2, 0.1, 0.05),
    ),
    "practical": _practical(None),
    "practical_dimension": _practical(1.5),
    "constant": WidthCase(sw.ConstantWidth(0.25), lambda *_: 0.25),
    "zero": WidthCase(sw.ConstantWidth(0.0), lambda *_: 0.0),
}


@dataclass(frozen=True)
class OracleCase:
    """A list from scores."""

    library: object
    paper: Callable[[Round], Proposal]


BOTH_GREEDY = (paper.lsb_greedy, paper.cost_benefit_greedy)

ORACLES: dict[str, OracleCase] = {
    "sweep": OracleCase(
        sw.ThresholdSweep(epsilon=0.3), lambda round_: paper.afsm_ucb(round_, 0.3, 0.01, 1.0)
    ),
    "sweep_grid": OracleCase(
        sw.ThresholdSweep(epsilon=0.9, nu=0.05, nu_max=0.6, max_length=5),
        lambda round_: paper.afsm_ucb(round_, 0.9, 0.05, 0.6, max_length=5),
    ),
    "sweep_also": OracleCase(
        sw.ThresholdSweep(epsilon=0.6, nu=0.2, also=(sw.Greedy(), sw.CostBenefitGreedy())),
        lambda round_: paper.afsm_ucb(round_, 0.6, 0.2, 1.0, also=BOTH_GREEDY),
    ),
    "greedy": OracleCase(sw.Greedy(), paper.lsb_greedy),
    "cost_benefit": OracleCase(sw.CostBenefitGreedy(), paper.cost_benefit_greedy),
    "c_greedy": OracleCase(sw.BestOf(sw.Greedy(), sw.CostBenefitGreedy()), paper.c_greedy),
    "mcs_greedy": OracleCase(sw.BestStart(3), paper.mcs_greedy),
}

# ------------------------------------------------------------------------------------------------- a game


@dataclass(frozen=True)
class Game:
    """Everything that one game of rounds needs to be played again."""

    policy: object
    oracle: Callable[[Round], Proposal]
    model: str
    width: str
    mix: str
    objective: str
    n_rounds: int = 16
    sizes: tuple[int, int] = (9, 14)
    list_factor: float = 3.0
    seed: int = 0

    def draw(self, rng: Rng) -> Both:
        """Another catalogue with other limits; sometimes with a k of the caller's."""
        n = int(rng.integers(self.sizes[0], self.sizes[1] + 1))
        k = None if rng.random() < 0.7 else int(rng.integers(1, 6))
        return both(n, OBJECTIVE_DRAWS[self.objective](rng, n), MIXES[self.mix](rng, n), k)


def game(oracle: str, model: str, width: str, mix: str, objective: str, **others: object) -> Game:
    """A game of the policy that is put together of these three."""
    d = OBJECTIVE_SIZES[objective]
    policy = sw.Policy(
        model=MODELS[model].library(d),
        index=sw.UpperConfidence(WIDTHS[width].library, list_factor=others.get("list_factor", 3.0)),
        oracle=ORACLES[oracle].library,
    )
    return Game(policy, ORACLES[oracle].paper, model, width, mix, objective, **others)


def _size(name: str) -> int:
    drawn = OBJECTIVE_DRAWS[name](np.random.default_rng(0), 4)
    return both(4, drawn, []).paper.d


OBJECTIVE_SIZES = {name: _size(name) for name in OBJECTIVE_DRAWS}


@dataclass
class Taste:
    """The user: w·x, or (Wφ)·x where there are contexts; noise, and rewards that never come."""

    w: FloatArray
    bernoulli: bool

    @classmethod
    def draw(cls, rng: Rng, d: int, n_context: int) -> Taste:
        return cls(rng.uniform(-0.2, 0.6, size=(d, max(n_context, 1))), bool(rng.random() < 0.5))

    def rewards(self, rng: Rng, x: FloatArray, phi: FloatArray | None) -> FloatArray:
        w = self.w[:, 0] if phi is None else self.w @ phi
        expected = x @ w
        if self.bernoulli:
            y = (rng.random(len(x)) < expected).astype(float)
        else:
            y = expected + rng.normal(scale=0.3, size=len(x))
        return np.where(rng.random(len(x)) < 0.2, np.nan, y)


def draw_available(rng: Rng, n: int) -> BoolArray | None:
    return None if rng.random() < 0.4 else rng.random(n) < 0.8


def draw_pinned(rng: Rng, problem: Problem, available: BoolArray | None) -> Items:
    """Up to two available items that fit together, in any order."""
    if rng.random() < 0.6:
        return ()
    pinned: Items = ()
    for e in rng.permutation(problem.n).tolist():
        if len(pinned) < 2 and (available is None or available[e]) and problem.allows((*pinned, e)):
            pinned = (*pinned, e)
    return pinned


def assert_same(slate: object, proposal: Proposal, round_: Round, phi: FloatArray | None) -> None:
    """The library's slate is the proposal, and says of it what the transcription says."""
    x, mu, sigma = round_.along(proposal.items)
    assert slate.items == proposal.items
    assert slate.threshold == (None if proposal.rho is None else pytest.approx(proposal.rho, rel=1e-9))
    assert slate.score == pytest.approx(round_.list_ucb(proposal.items), rel=1e-9, abs=1e-9)
    assert slate.features.shape == x.shape
    np.testing.assert_allclose(slate.features, x, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(slate.mean, mu, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(slate.std, sigma, rtol=1e-9, atol=1e-9)
    if phi is not None:
        np.testing.assert_array_equal(slate.context, phi)


@dataclass
class Table:
    """A game while it is played: both learners, and the rewards that are still on their way."""

    game: Game
    rng: Rng
    problem: Both
    state: object
    model: paper.Linear | paper.Kernelised
    history: History = field(default_factory=History)
    late: list[tuple[object, FloatArray, FloatArray, FloatArray | None]] = field(default_factory=list)

    @classmethod
    def lay(cls, played: Game) -> Table:
        rng = np.random.default_rng([played.seed, *map(ord, played.mix + played.objective + played.model)])
        problem = played.draw(rng)
        model = MODELS[played.model].paper(problem.paper.d)
        return cls(played, rng, problem, played.policy.init(problem.library), model)

    def round(self, phi: FloatArray | None) -> Round:
        """This round as the transcription sees it, with a mask and pinned items."""
        problem = self.problem.paper
        width = WIDTHS[self.game.width].paper
        available = draw_available(self.rng, problem.n)
        return Round(
            problem,
            self.model.predict(self.history, phi),
            beta=width(self.model.information(self.history), self.history.seen, problem.d),
            available=available,
            pinned=draw_pinned(self.rng, problem, available),
            list_factor=self.game.list_factor,
        )

    def context(self) -> FloatArray | None:
        length = MODELS[self.game.model].n_context
        return self.rng.uniform(-1.0, 1.0, size=length) if length else None

    def deliver(self) -> None:
        """Some of the rewards arrive, in any order."""
        self.rng.shuffle(self.late)
        kept = []
        for parcel in self.late:
            if self.rng.random() < 0.3:
                kept.append(parcel)
                continue
            slate, x, y, phi = parcel
            self.state = self.game.policy.update(self.state, slate, y)
            self.history.observe(x, y, phi)
        self.late = kept

    def somebody_elses(self) -> tuple[object, FloatArray, FloatArray | None]:
        """A list that an editor made, over the limits too."""
        count = int(self.rng.integers(1, 4))
        items = tuple(self.rng.permutation(self.problem.paper.n)[:count].tolist())
        phi = self.context()
        x = np.array([self.problem.paper.x(items[:i])[e] for i, e in enumerate(items)])
        slate = self.problem.library.slate(items, context=phi)
        np.testing.assert_allclose(slate.features, x, rtol=1e-9, atol=1e-9)
        return slate, x, phi


def play(played: Game) -> int:
    """Play it through; the number of items shown, so that a game of empty lists is no success."""
    table = Table.lay(played)
    taste = Taste.draw(table.rng, table.problem.paper.d, MODELS[played.model].n_context)
    shown = 0
    for t in range(played.n_rounds):
        if t % 4 == 3:
            table.problem = played.draw(table.rng)
        phi = table.context()
        round_ = table.round(phi)
        slate = played.policy.select(
            table.state, table.problem.library, context=phi, available=round_.available, pinned=round_.pinned
        )
        proposal = played.oracle(round_)
        assert_same(slate, proposal, round_, phi)
        x = round_.along(proposal.items)[0]
        table.late.append((slate, x, taste.rewards(table.rng, x, phi), phi))
        if table.rng.random() < 0.15:
            slate, x, phi = table.somebody_elses()
            table.late.append((slate, x, taste.rewards(table.rng, x, phi), phi))
        table.deliver()
        shown += len(proposal.items)
    return shown


def rotated() -> Iterator[Game]:
    """Every oracle with every mix, and models, objectives and widths in turn."""
    models, objectives, widths = list(MODELS), GENERAL, list(WIDTHS)
    for (i, oracle), (j, mix) in product(enumerate(ORACLES), enumerate(MIXES)):
        slow = oracle == "mcs_greedy"
        yield game(
            oracle,
            models[(3 * i + j) % len(models)],
            widths[(i + j) % len(widths)],
            mix,
            objectives[(5 * i + j + j // len(objectives)) % len(objectives)],
            n_rounds=6 if slow else 16,
            sizes=(7, 10) if slow else (9, 14),
        )


def name_of(played: Game) -> str:
    oracle = next((name for name, case in ORACLES.items() if case.paper is played.oracle), "named")
    return f"{oracle}-{played.model}-{played.width}-{played.mix}-{played.objective}"


quiet = pytest.mark.filterwarnings("ignore")  # a kernel above 1 is warned about, which is not the matter here


@quiet
@pytest.mark.parametrize("played", list(rotated()), ids=name_of)
def test_every_round_has_the_slate_of_the_transcription(played: Game) -> None:
    assert play(played) > 0


@quiet
@pytest.mark.parametrize("oracle", ["sweep", "greedy", "c_greedy"])
@pytest.mark.parametrize("model", ["linear", "contexts_prior", "rbf"])
def test_longer_games_over_larger_catalogues(oracle: str, model: str) -> None:
    n_rounds = 15 if model == "rbf" else 30
    played = game(
        oracle, model, "practical", "labels", "probabilistic_coverage", n_rounds=n_rounds, sizes=(25, 40)
    )
    assert play(played) > n_rounds


@pytest.mark.parametrize("model", ["linear_tiny", "contexts_prior"])
def test_games_of_several_hundred_rewards(model: str) -> None:
    assert play(game("greedy", model, "theoretical", "cardinality", "modular", n_rounds=120)) > 400


# Short lists, because gains by differences of values have no digits left once they are tiny.
@pytest.mark.parametrize(
    ("model", "mix", "objective"),
    [
        ("linear_small", "labels", "probabilistic_coverage"),
        ("contexts", "one_knapsack", "facility_location"),
        ("prior", "partition", "sqrt"),
        ("losses", "labels_only", "modular"),
        ("contexts_prior", "laminar", "log1p"),
        ("prior_mean", "two_knapsacks", "coverage"),
    ],
)
def test_catalogues_of_hundreds_of_items(model: str, mix: str, objective: str) -> None:
    assert play(game("sweep_also", model, "practical", mix, objective, n_rounds=4, sizes=(320, 340))) > 0


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("objective", ["probabilistic_coverage", "facility_location", "coverage"])
def test_scores_that_rise_pass_the_filter_only_where_they_did_at_the_start(mix: str, objective: str) -> None:
    play(game("sweep", "losses", "practical", mix, objective, n_rounds=10))


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("model", ["prior", "prior_mean", "contexts_prior"])
def test_set_coverage_with_items_that_are_equal(oracle: str, model: str) -> None:
    assert play(game(oracle, model, "practical", "labels_only", "coverage", n_rounds=8)) > 0


@quiet
@pytest.mark.parametrize("oracle", ORACLES)
def test_the_factor_of_the_list_score_is_used(oracle: str) -> None:
    assert play(game(oracle, "linear_small", "constant", "one_knapsack", "sqrt", list_factor=0.5, seed=3)) > 0


# ------------------------------------------------------------------------------- the limits of one round


def test_the_recommender_plays_the_same_game_under_the_limits_of_the_round() -> None:
    rng, n = np.random.default_rng(17), 14
    P, costs, members = _levels(rng, n, 4), rng.uniform(0.1, 1.0, n), rng.random((n, 3)) < 0.6
    problem = sw.Problem(
        sw.ProbabilisticCoverage(P),
        [
            sw.Cardinality(5, name="items"),
            sw.Knapsack(costs, 2.0, name="minutes"),
            sw.LabelLimits(members, 2, name="section"),
        ],
    )
    agent = sw.Recommender(problem, sw.afsm_ucb(), seed=0)
    learner, history = paper.Linear.ridge(1.0, 4), History()
    for t in range(16):
        bounds = {
            "items": int(rng.integers(1, 7)),
            "minutes": float(rng.uniform(0.5, 3.0)),
            "section": (9, 3, 1),
        }
        changed = {name: bound for name, bound in bounds.items() if rng.random() < 0.5}
        now = {"items": 5, "minutes": 2.0, "section": 2} | changed
        limits = (
            paper.cardinality(now["items"]),
            paper.knapsack(costs, now["minutes"]),
            paper.label_limits(members, np.array(now["section"])),
        )
        available = rng.random(n) < 0.9
        exclude = tuple(rng.permutation(n)[: t % 3].tolist())
        beta = WIDTHS["practical"].paper(0.0, history.seen, 4)
        offered = available & ~np.isin(np.arange(n), exclude)
        limited = Problem(n, paper.probabilistic_coverage(P), limits)
        pinned = draw_pinned(rng, limited, offered)
        predict = learner.predict(history, None)
        round_ = Round(limited, predict, beta=beta, available=offered, pinned=pinned)
        slate = agent.select(limits=changed or None, available=available, exclude=exclude, pinned=pinned)
        proposal = paper.afsm_ucb(round_)
        assert_same(slate, proposal, round_, None)
        y = rng.normal(0.3, 0.3, size=len(proposal.items))
        agent.update(slate, y)
        history.observe(round_.along(proposal.items)[0], y, None)


# ------------------------------------------------------------------------------------- named constructors

LAMBDA, BETA = 0.1, WIDTHS["theoretical"].library

NAMED: dict[str, tuple[object, Callable[[Round], Proposal], str, str]] = {
    name: (policy, oracle, model, "theoretical")
    for name, (policy, oracle, model) in {
        "afsm_ucb": (
            sw.afsm_ucb(regularization=LAMBDA, width=BETA, epsilon=0.5, nu=0.05, nu_max=2.0),
            lambda round_: paper.afsm_ucb(round_, 0.5, 0.05, 2.0),
            "linear_small",
        ),
        "afsm_ucb_kernel": (
            sw.afsm_ucb(regularization=0.5, width=BETA, epsilon=0.5, nu=0.05, nu_max=2.0, kernel=RBF(0.8)),
            lambda round_: paper.afsm_ucb(round_, 0.5, 0.05, 2.0),
            "rbf",
        ),
        "sm_ucb": (sw.sm_ucb(RBF(0.8), regularization=0.5, width=BETA), paper.lsb_greedy, "rbf"),
        "lsb_greedy": (sw.lsb_greedy(regularization=LAMBDA, width=BETA), paper.lsb_greedy, "linear_small"),
        "c_greedy": (sw.c_greedy(regularization=LAMBDA, width=BETA), paper.c_greedy, "linear_small"),
        "mcs_greedy": (sw.mcs_greedy(regularization=LAMBDA, width=BETA), paper.mcs_greedy, "linear_small"),
        "cost_benefit_greedy": (
            sw.cost_benefit_greedy(regularization=LAMBDA, width=BETA),
            paper.cost_benefit_greedy,
            "linear_small",
        ),
    }.items()
} | {
    f"{policy.__name__}_defaults": (policy(), oracle, "linear", "practical")
    for policy, oracle in (
        (sw.afsm_ucb, paper.afsm_ucb),
        (sw.lsb_greedy, paper.lsb_greedy),
        (sw.c_greedy, paper.c_greedy),
        (sw.mcs_greedy, paper.mcs_greedy),
        (sw.cost_benefit_greedy, paper.cost_benefit_greedy),
    )
}


@quiet
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("mix", ["two_knapsacks", "labels"])
def test_the_named_constructors_are_the_algorithms_of_the_paper(name: str, mix: str) -> None:
    policy, oracle, model, width = NAMED[name]
    assert play(Game(policy, oracle, model, width, mix, "probabilistic_coverage", n_rounds=10)) > 0


@pytest.mark.parametrize("mix", MIXES)
def test_random_lists_go_on_until_nothing_fits(mix: str) -> None:
    rng = np.random.default_rng(5)
    policy = sw.random_policy()
    for _ in range(8):
        n = int(rng.integers(6, 13))
        problem = both(n, OBJECTIVE_DRAWS["modular"](rng, n), MIXES[mix](rng, n))
        available = draw_available(rng, n)
        pinned = draw_pinned(rng, problem.paper, available)
        predict = paper.known(np.ones(problem.paper.d))
        round_ = Round(problem.paper, predict, available=available, pinned=pinned)
        state = policy.init(problem.library)
        slate = policy.select(state, problem.library, rng=rng, available=available, pinned=pinned)
        assert problem.paper.allows(slate.items)
        assert len(set(slate.items)) == len(slate.items)
        assert slate.items[: len(pinned)] == pinned
        assert all(round_.offered(e) for e in slate.items)
        assert not round_.candidates(slate.items)
        assert slate.threshold is None


# ------------------------------------------------------------------------------------------- the problem


@pytest.mark.parametrize("mix", MIXES)
@pytest.mark.parametrize("seed", range(3))
def test_a_problem_knows_what_the_transcription_reads_of_its_limits(mix: str, seed: int) -> None:
    rng = np.random.default_rng([seed, *map(ord, mix)])
    n = int(rng.integers(8, 15))
    problem = both(n, OBJECTIVE_DRAWS["stack"](rng, n), MIXES[mix](rng, n))
    assert problem.library.n_items == n
    assert problem.library.k == problem.paper.k
    assert problem.library.n_knapsacks == problem.paper.l
    assert problem.library.alpha(0.3) == pytest.approx(problem.paper.alpha(0.3), rel=1e-12)
    for _ in range(60):
        items = tuple(rng.permutation(n)[: rng.integers(5)].tolist())
        assert problem.library.feasible(items) == problem.paper.allows(items)
        value = problem.library.value(items)
        np.testing.assert_allclose(value, problem.paper.value(items), rtol=1e-9, atol=1e-9)


K_CASES: dict[str, tuple[list[Spec], int]] = {
    "nothing": ([], 1),
    "cardinality": ([("cardinality", (2,))], 1),
    "knapsacks": ([("knapsack", (np.ones(30), 2.0))] * 3, 1),
    "caps_that_bind": ([("labels", (np.ones((30, 3), dtype=bool), np.array([29, 30, 1])))], 2),
    "caps_and_blocks_together": (
        [
            ("labels", (np.ones((30, 2), dtype=bool), 3)),
            ("partition", (np.arange(30) % 2, 15)),
            ("partition", (np.arange(30) % 2, np.array([14, 15]))),
        ],
        3,
    ),
    "caps_over_different_items": ([("labels", (np.arange(30)[:, None] % 2 == np.arange(2), 3))] * 2, 2),
    "matroids_add_up": (
        [
            ("graphic", (np.arange(60).reshape(30, 2) % 7,)),
            ("transversal", (np.ones((30, 2), dtype=bool),)),
            ("laminar", (np.ones((30, 1), dtype=bool), np.array([2]))),
            ("partition", (np.zeros(30, dtype=int), 1)),
        ],
        4,
    ),
    "a_system_brings_its_own": ([("k_system", (lambda S: len(S) < 4, 5, 30)), ("cardinality", (3,))], 5),
    "no_conflicts": ([("conflicts", ([], 30))], 1),
    "conflicts_with_a_clique": ([("conflicts", ([(0, 1), (0, 2), (1, 2), (2, 3)], 30))], 2),
    "twenty_neighbours_are_looked_at": (
        [("conflicts", ([(a, b) for a in range(21) for b in range(a)], 30))],
        1,
    ),
    "more_than_twenty_are_counted": (
        [("conflicts", ([(a, b) for a in range(22) for b in range(a)], 30))],
        21,
    ),
    "a_star": ([("conflicts", ([(0, e) for e in range(1, 30)], 30))], 29),
    "a_small_star": ([("conflicts", ([(0, e) for e in range(1, 21)], 30))], 20),
}


@pytest.mark.parametrize("name", K_CASES)
def test_the_derived_k(name: str) -> None:
    constraints, k = K_CASES[name]
    problem = both(30, [("modular", (np.ones((30, 1)),))], constraints)
    assert problem.paper.k == k
    assert problem.library.k == k


# --------------------------------------------------------------------------------------------- w known

MAXIMIZERS: dict[str, OracleCase] = {
    "default": OracleCase(None, paper.maximize),
    "sweep": OracleCase(sw.ThresholdSweep(epsilon=0.4), lambda round_: paper.offline_sweep(round_, 0.4)),
    "exact": OracleCase(sw.Exact(), paper.exact),
    **{name: ORACLES[name] for name in ("greedy", "cost_benefit", "c_greedy", "mcs_greedy")},
}


def draw_small(rng: Rng, mix: str, objective: str) -> tuple[Both, FloatArray]:
    n = int(rng.integers(6, 10))
    problem = both(n, OBJECTIVE_DRAWS[objective](rng, n), MIXES[mix](rng, n))
    w = rng.random(problem.paper.d) * (rng.random(problem.paper.d) < 0.8)
    return problem, w


def each_mix() -> Iterator[tuple[str, str]]:
    objectives = GENERAL
    for i, mix in enumerate(MIXES):
        yield mix, objectives[i % len(objectives)]
        yield mix, objectives[(i + 3) % len(objectives)]


@pytest.mark.parametrize("name", MAXIMIZERS)
@pytest.mark.parametrize(("mix", "objective"), list(each_mix()))
def test_maximize_at_any_scale(name: str, mix: str, objective: str) -> None:
    problem, w = draw_small(np.random.default_rng([11, *map(ord, mix + objective)]), mix, objective)
    proposal = MAXIMIZERS[name].paper(Round(problem.paper, paper.known(w)))
    for scale in (1.0, 1e-6, 1e6):
        slate = sw.maximize(problem.library, scale * w, MAXIMIZERS[name].library)
        round_ = Round(problem.paper, paper.known(scale * w))
        assert slate.items == proposal.items
        assert_same(slate, MAXIMIZERS[name].paper(round_), round_, None)


@pytest.mark.parametrize(("mix", "objective"), list(each_mix()))
def test_maximize_keeps_a_grid_that_is_given(mix: str, objective: str) -> None:
    problem, w = draw_small(np.random.default_rng([12, *map(ord, mix + objective)]), mix, objective)
    round_ = Round(problem.paper, paper.known(w))
    slate = sw.maximize(problem.library, w, sw.ThresholdSweep(epsilon=0.8, nu=0.2, nu_max=1.5, max_length=3))
    assert_same(slate, paper.afsm_ucb(round_, 0.8, 0.2, 1.5, max_length=3), round_, None)


@pytest.mark.parametrize("name", MAXIMIZERS)
def test_maximize_where_nothing_is_worth_anything(name: str) -> None:
    problem, w = draw_small(np.random.default_rng(13), "one_knapsack", "modular")
    round_ = Round(problem.paper, paper.known(0.0 * w))
    slate = sw.maximize(problem.library, 0.0 * w, MAXIMIZERS[name].library)
    assert_same(slate, MAXIMIZERS[name].paper(round_), round_, None)
    assert sw.certificate(problem.library, 0.0 * w, slate) == 1.0


@pytest.mark.parametrize(("mix", "objective"), list(each_mix()))
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_bounds_and_certificates_hold(mix: str, objective: str, scale: float) -> None:
    rng = np.random.default_rng([14, *map(ord, mix + objective)])
    problem, w = draw_small(rng, mix, objective)
    w = scale * w
    optimum = float(w @ problem.paper.value(paper.exact(Round(problem.paper, paper.known(w))).items))
    bound = sw.upper_bound(problem.library, w)
    assert bound >= optimum * (1.0 - 1e-9)
    assert bound <= paper.value_of_all_that_fit(problem.paper, w) * (1.0 + 1e-9)
    by_chance = Round(problem.paper, paper.known(rng.random(problem.paper.d)))
    lists = [(), paper.lsb_greedy(by_chance).items, sw.maximize(problem.library, w, sw.Exact()).items]
    for items in lists:
        share = sw.certificate(problem.library, w, problem.library.slate(items))
        assert 0.0 <= share <= 1.0
        assert share * optimum <= float(w @ problem.paper.value(items)) * (1.0 + 1e-9)


# -------------------------------------------------------------------------------------------- many users


@quiet
@pytest.mark.parametrize("oracle", ["sweep", "sweep_also", "greedy", "cost_benefit", "c_greedy"])
@pytest.mark.parametrize("model", ["linear", "contexts_prior", "rbf_contexts"])
def test_many_users_are_the_loop_over_users(oracle: str, model: str) -> None:
    n_users = 3
    rng = np.random.default_rng(21)
    played = game(oracle, model, "practical", "labels", "probabilistic_coverage")
    policy, length = played.policy, MODELS[model].n_context
    problem = played.draw(rng)
    learner = MODELS[model].paper(problem.paper.d)
    n = problem.paper.n
    states, histories = policy.init_many(problem.library, n_users), [History() for _ in range(n_users)]
    for _ in range(4):
        contexts = rng.uniform(-1.0, 1.0, size=(n_users, length)) if length else None
        available = rng.random((n_users, n)) < 0.8
        slates = policy.select_many(states, problem.library, contexts=contexts, available=available)
        longest = slates.items.shape[1]
        rewards = np.full((n_users, longest), np.nan)
        for u, history in enumerate(histories):
            phi = None if contexts is None else contexts[u]
            beta = WIDTHS["practical"].paper(0.0, history.seen, problem.paper.d)
            round_ = Round(problem.paper, learner.predict(history, phi), beta=beta, available=available[u])
            proposal = played.oracle(round_)
            alone = policy.select(states[u], problem.library, context=phi, available=available[u])
            assert_same(slates[u], proposal, round_, phi)
            assert alone.items == slates[u].items
            size = len(proposal.items)
            assert tuple(slates.items[u, :size].tolist()) == proposal.items
            assert (slates.items[u, size:] == -1).all()
            y = rng.normal(0.3, 0.3, size=size)
            y[rng.random(size) < 0.2] = np.nan
            rewards[u, :size] = y
            history.observe(round_.along(proposal.items)[0], y, phi)
        states = policy.update_many(states, slates, rewards)


def test_many_users_share_a_mask_and_may_all_be_shown_nothing() -> None:
    rng = np.random.default_rng(23)
    problem = both(9, OBJECTIVE_DRAWS["modular"](rng, 9), MIXES["one_knapsack"](rng, 9))
    policy = sw.afsm_ucb()
    states = policy.init_many(problem.library, 3)
    available = np.arange(9) % 2 == 0
    alone = policy.select(states[0], problem.library, available=available)
    shared = policy.select_many(states, problem.library, available=available)
    assert all(shared[u].items == alone.items for u in range(3))
    nothing = policy.select_many(states, problem.library, available=np.zeros(9, dtype=bool))
    assert nothing.items.shape == (3, 0)
    assert nothing[1].items == ()


def test_many_random_users_each_have_their_stream() -> None:
    rng = np.random.default_rng(22)
    problem = both(9, OBJECTIVE_DRAWS["modular"](rng, 9), MIXES["two_knapsacks"](rng, 9))
    policy = sw.random_policy()
    states = policy.init_many(problem.library, 5)
    slates = policy.select_many(states, problem.library, seed=8, round=3)
    for u in range(5):
        alone = policy.select(states[u], problem.library, rng=sw.stream(8, u, 3))
        assert slates[u].items == alone.items


# -------------------------------------------------------------------------------------------- exact ties


def in_binary(rng: Rng) -> Both:
    """Set coverage with many equal items, costs in quarters, and r = 2/(k + 2l + 1) = 1/2."""
    n = int(rng.integers(6, 10))
    covers = rng.random((n, 4)) < 0.5
    covers[rng.integers(n, size=3)] = covers[rng.integers(n, size=3)]
    costs = rng.choice([0.0, 0.25, 0.5, 1.0, 4.0], size=n)
    limits: list[Spec] = [("knapsack", (costs, 2.0)), ("cardinality", (4,))]
    return both(n, [("coverage", (covers,))], limits, k=1)


BINARY_ORACLES: dict[str, OracleCase] = {
    "sweep": OracleCase(
        sw.ThresholdSweep(epsilon=1.0, nu=0.25), lambda round_: paper.afsm_ucb(round_, 1.0, 0.25, 1.0)
    ),
    "sweep_also": OracleCase(
        sw.ThresholdSweep(epsilon=1.0, nu=1.0, also=(sw.Greedy(), sw.CostBenefitGreedy())),
        lambda round_: paper.afsm_ucb(round_, 1.0, 1.0, 1.0, also=BOTH_GREEDY),
    ),
    **{name: ORACLES[name] for name in ("greedy", "cost_benefit", "c_greedy", "mcs_greedy")},
}


@pytest.mark.parametrize("name", BINARY_ORACLES)
@pytest.mark.parametrize(
    "model", [_linear(1.0), _kernel(DotProduct(sigma_0=0.0), 1.0)], ids=["linear", "kernel"]
)
@pytest.mark.parametrize("seed", range(8))
def test_ties_before_anything_is_known(name: str, model: ModelCase, seed: int) -> None:
    problem = in_binary(np.random.default_rng([31, seed]))
    d = problem.paper.d
    index = sw.UpperConfidence(sw.ConstantWidth(1.0))
    policy = sw.Policy(model=model.library(d), index=index, oracle=BINARY_ORACLES[name].library)
    slate = policy.select(policy.init(problem.library), problem.library)
    round_ = Round(problem.paper, model.paper(d).predict(History(), None), beta=1.0)
    assert_same(slate, BINARY_ORACLES[name].paper(round_), round_, None)


BINARY_MAXIMIZERS = {
    **MAXIMIZERS,
    "sweep": OracleCase(sw.ThresholdSweep(epsilon=1.0), lambda round_: paper.offline_sweep(round_, 1.0)),
}


@pytest.mark.parametrize("name", BINARY_MAXIMIZERS)
@pytest.mark.parametrize("seed", range(12))
def test_ties_where_the_weights_are_known(name: str, seed: int) -> None:
    rng = np.random.default_rng([32, seed])
    problem = in_binary(rng)
    w = rng.integers(3, size=problem.paper.d).astype(float)
    round_ = Round(problem.paper, paper.known(w))
    slate = sw.maximize(problem.library, w, BINARY_MAXIMIZERS[name].library)
    assert_same(slate, BINARY_MAXIMIZERS[name].paper(round_), round_, None)


def modular(values: Sequence[float], *constraints: object) -> sw.Problem:
    return sw.Problem(sw.Modular(np.array(values)[:, None]), list(constraints))


ONE = np.ones(1)


@pytest.mark.parametrize("oracle", [case.library for case in MAXIMIZERS.values()], ids=list(MAXIMIZERS))
def test_of_equal_items_the_first_is_taken(oracle: object) -> None:
    problem = modular([1.0, 3.0, 3.0, 3.0, 2.0], sw.Cardinality(2), sw.Knapsack(np.ones(5), 5.0))
    assert sw.maximize(problem, ONE, oracle).items == (1, 2)


def test_exact_prefers_fewer_items_and_then_the_lexicographically_smallest() -> None:
    covers = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0], [1, 0, 0, 1], [1, 1, 1, 1], [1, 1, 1, 1]])
    pairs = sw.Problem(sw.Coverage(covers), [sw.Cardinality(3)])
    assert sw.maximize(pairs, np.ones(4), sw.Exact()).items == (4,)
    without = sw.Problem(sw.Coverage(covers[:4]), [sw.Cardinality(3)])
    assert sw.maximize(without, np.ones(4), sw.Exact()).items == (0, 1)
    assert sw.maximize(without, np.zeros(4), sw.Exact()).items == ()


def test_exact_takes_sums_that_rounding_alone_tells_apart_as_equal() -> None:
    values = [0.3, 0.1, 0.2, 0.1 + 0.2]
    assert sw.maximize(modular(values, sw.Cardinality(1)), ONE, sw.Exact()).items == (0,)
    capped = modular(values, sw.Knapsack(np.array([2.0, 1.0, 1.0, 2.0]), 2.0))
    assert sw.maximize(capped, ONE, sw.Exact()).items == (0,)


def test_the_smallest_threshold_stands_for_equal_lists_and_comes_before_the_greedy_ones() -> None:
    problem = modular([1.0, 1.0, 1.0], sw.Knapsack(np.ones(3), 2.0))
    sweep = sw.ThresholdSweep(epsilon=1.0, also=(sw.Greedy(), sw.CostBenefitGreedy()))
    slate = sw.maximize(problem, ONE, sweep)
    assert slate.items == (0, 1)
    assert slate.threshold == pytest.approx(2.0 / 4.0 / 2.0)


def test_a_threshold_that_is_just_met_lets_an_item_through() -> None:
    # r = 1/2 and the thresholds are 4 and 8, while the densities are 3, 4 and 2.
    problem = modular([3.0, 1.0, 2.0], sw.Knapsack(np.array([1.0, 0.25, 1.0]), 1.0))
    sweep = sw.ThresholdSweep(epsilon=1.0, nu=16.0, nu_max=16.0, max_length=1)
    slate = sw.maximize(problem, ONE, sweep)
    assert slate.items == (1,)
    assert slate.threshold == 4.0


@pytest.mark.parametrize(("max_length", "masked"), [(None, False), (8, False), (None, True), (7, False)])
def test_the_grid_ends_at_the_number_of_all_items(max_length: int | None, *, masked: bool) -> None:
    # Item 0 (density 3) keeps out 1 and 2 (density 9). With r = 1/2 only a threshold of 4 avoids it, which
    # is the last of 1/4, 1/2, 1, 2, 4 = r·ν'·8. Items 3 to 7 never fit, or are masked.
    fitting, others = np.array([1 / 3, 0.1, 0.1]), np.full(5, 0.1 if masked else 9.0)
    features = np.diag([1.0, 0.9, 0.9, 0.0, 0.0, 0.0, 0.0, 0.0])
    rules = [sw.Knapsack(np.concatenate([fitting, others]), 1.0), sw.Conflicts([(0, 1), (0, 2)], 8)]
    problem = sw.Problem(sw.Modular(features), rules, k=1)
    policy = known_policy(
        np.ones(8), sw.ThresholdSweep(epsilon=1.0, nu=0.5, nu_max=1.0, max_length=max_length)
    )
    slate = policy.select(policy.init(problem), problem, available=np.arange(8) < 3 if masked else None)
    assert slate.items == ((0,) if max_length == 7 else (1, 2))
    assert slate.threshold == (0.125 if max_length == 7 else 4.0)


@pytest.mark.parametrize(("more", "items"), [(1e-13, (0,)), (1e-11, (1,))])
def test_what_makes_lists_equal_for_exact_search(more: float, items: Items) -> None:
    assert sw.maximize(modular([1.0, 1.0 + more], sw.Cardinality(1)), ONE, sw.Exact()).items == items


@pytest.mark.parametrize(("more", "items"), [(1e-9, (0, 1, 4)), (1e-8, (0, 3, 2, 4))])
@pytest.mark.parametrize(
    "oracle",
    [sw.BestOf(sw.Greedy(), sw.CostBenefitGreedy()), sw.BestOf(sw.CostBenefitGreedy(), sw.Greedy())],
    ids=["greedy_first", "greedy_last"],
)
def test_lists_are_equal_by_the_size_of_their_parts(oracle: object, more: float, items: Items) -> None:
    # Both lists hold a gain and a loss of 1000, so that a billionth of their score, 1, is no difference.
    costs = np.array([0.001, 2.0, 0.9, 0.9, 0.001])
    problem = sw.Problem(sw.Modular(np.eye(5)), [sw.Knapsack(costs, 2.1)])
    mean = [1000.0, 1.0, 0.5, 0.5 + more, -1000.0]
    policy = known_policy(mean, oracle)
    assert policy.select(policy.init(problem), problem).items == items


def test_without_knapsacks_the_first_threshold_stands_for_all() -> None:
    slate = sw.maximize(modular([1.0, 2.0], sw.Cardinality(1)), ONE, sw.ThresholdSweep(epsilon=0.5))
    assert slate.items == (1,)
    assert slate.threshold == pytest.approx(2.0 / 1.5)


def known_policy(mean: Sequence[float], oracle: object) -> sw.Policy:
    """One that is sure of w, negative weights included."""
    model = sw.LinearModel(mean=np.array(mean))
    return sw.Policy(model=model, index=sw.UpperConfidence(sw.ConstantWidth(0.0)), oracle=oracle)


FREE = np.eye(5), np.array([0.0, 0.0, 0.5, 0.0, 0.5])


@pytest.mark.parametrize(
    ("oracle", "items"),
    [
        (sw.CostBenefitGreedy(), (3, 0, 4, 2, 1)),
        (sw.Greedy(), (4, 3, 0, 2, 1)),
        (sw.ThresholdSweep(epsilon=0.3), (4, 3, 0)),
    ],
)
def test_free_items_come_first_last_or_among_the_others_by_their_sign(oracle: object, items: Items) -> None:
    mean = [0.1, -0.2, -0.1, 0.2, 0.9]
    features, costs = FREE
    problem = sw.Problem(sw.Modular(features), [sw.Knapsack(costs, 1.0)])
    policy = known_policy(mean, oracle)
    assert policy.select(policy.init(problem), problem).items == items


def test_a_free_item_worth_nothing_stands_between_gains_and_losses() -> None:
    problem = sw.Problem(sw.Modular(np.eye(3)), [sw.Knapsack(np.array([1.0, 0.0, 1.0]), 3.0)])
    policy = known_policy([-0.5, 0.0, 0.5], sw.CostBenefitGreedy())
    assert policy.select(policy.init(problem), problem).items == (2, 1, 0)


@pytest.mark.parametrize(("cost", "fits"), [(1.0 + 5e-10, True), (1.0 + 2e-9, False)])
@pytest.mark.parametrize("budget", [1.0, 1e-6, 1e6])
def test_budgets_leave_a_thousand_millionth(cost: float, budget: float, *, fits: bool) -> None:
    problem = modular([1.0], sw.Knapsack(np.array([cost * budget]), budget))
    assert problem.feasible((0,)) is fits
    assert sw.maximize(problem, ONE).items == ((0,) if fits else ())


def test_tenths_that_add_up_to_the_budget_fit() -> None:
    problem = modular([1.0, 1.0, 1.0], sw.Knapsack(np.array([0.1, 0.2, 0.3]), 0.6))
    assert problem.feasible((0, 1, 2))
    assert len(sw.maximize(problem, ONE, sw.Exact()).items) == 3


@pytest.mark.parametrize("oracle", [case.library for case in ORACLES.values()], ids=list(ORACLES))
def test_where_nothing_fits_the_slate_is_empty(oracle: object) -> None:
    problem = sw.Problem(sw.Modular(np.eye(3)), [sw.Knapsack(np.full(3, 2.0), 1.0)])
    policy = known_policy([1.0, 1.0, 1.0], oracle)
    for available in (None, np.zeros(3, dtype=bool)):
        slate = policy.select(policy.init(problem), problem, available=available)
        assert slate.items == ()
        assert slate.features.shape == (0, 3)
        assert slate.score == 0.0


# ------------------------------------------------------------------------- the transcription, by itself


def test_the_two_posteriors_agree_on_a_linear_kernel() -> None:
    rng = np.random.default_rng(41)
    history = History()
    history.observe(rng.random((7, 4)), rng.normal(size=7), None)
    x = rng.random((5, 4))
    linear, kernel = paper.Linear.ridge(0.3, 4), paper.Kernelised(DotProduct(sigma_0=0.0), 0.3)
    for one, other in zip(linear.predict(history, None)(x), kernel.predict(history, None)(x), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    assert linear.information(history) == pytest.approx(kernel.information(history))


def test_the_grid_is_the_printed_one() -> None:
    problem = both(8, [("modular", (np.ones((8, 1)),))], [("knapsack", (np.ones(8), 1.0))]).paper
    assert paper.grid(problem, 1.0, 0.5, 1.0) == [0.125, 0.25, 0.5, 1.0, 2.0, 4.0]
    assert paper.grid(problem, 1.0, 0.5, 1.0, max_length=2) == [0.125, 0.25, 0.5, 1.0]
