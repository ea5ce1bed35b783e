"""A bad argument raises `ValueError` with its name, the value and the place, and changes nothing."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

import slatewise as sw

NAN, INF = float("nan"), float("inf")
ONES = np.ones((3, 2))
PROBLEM = sw.Problem(sw.ProbabilisticCoverage(ONES / 2), [sw.Knapsack([1.0, 2.0, 0.0], 2.0)])
OTHER = sw.Problem(sw.Modular(ONES))
POLICY = sw.afsm_ucb()
STATE = POLICY.init(PROBLEM)
SLATE = POLICY.select(STATE, PROBLEM)
FOREIGN = OTHER.slate([0])
WIDTH = sw.ConstantWidth(1.0)
CONTEXTUAL = sw.Policy(model=sw.LinearModel(n_context=2), index=sw.UpperConfidence(WIDTH), oracle=sw.Greedy())
THOMPSON = sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy())
KNOWN = sw.Score(sw.KnownWeights([1.0, 1.0]).prior(2).at())
UNSURE = sw.Score(sw.LinearModel().prior(2).at(), beta=1.0)


def with_bad(bad: float) -> np.ndarray:
    """An array of ones with one bad number, at [2, 1]."""
    table = ONES.copy()
    table[2, 1] = bad
    return table


@dataclass(frozen=True)
class Case:
    """Something that must be refused: which argument, and what the message has to name besides."""

    act: Callable[[], object]
    argument: str
    names: tuple[str, ...] = ()


def case(act: Callable[[], object], argument: str, *names: str) -> Case:
    return Case(act, argument, names)


OBJECTIVES = [
    case(lambda: sw.ProbabilisticCoverage(with_bad(1.5)), "P", "P[2, 1]", "1.5"),
    case(lambda: sw.ProbabilisticCoverage(with_bad(-0.5)), "P", "P[2, 1]", "-0.5"),
    case(lambda: sw.ProbabilisticCoverage(with_bad(NAN)), "P", "P[2, 1]", "nan"),
    case(lambda: sw.ProbabilisticCoverage(np.ones(3)), "P", "(3,)"),
    case(lambda: sw.ProbabilisticCoverage([["a"]]), "P"),
    case(lambda: sw.ProbabilisticCoverage([[0.5], [0.5, 0.5]]), "P"),
    case(lambda: sw.ProbabilisticCoverage(ONES / 2, names=["a"]), "names", "2", "1"),
    case(lambda: sw.ProbabilisticCoverage(ONES / 2, names=["a", "a"]), "names", "'a'"),
    case(lambda: sw.ProbabilisticCoverage(np.zeros((3, 0))), "P", "(3, 0)"),
    case(lambda: sw.Coverage(with_bad(0.5)), "covers", "covers[2, 1]", "0.5"),
    case(lambda: sw.Modular(with_bad(-1.0)), "V", "V[2, 1]", "-1.0"),
    case(lambda: sw.Modular(with_bad(INF)), "V", "V[2, 1]", "inf"),
    case(lambda: sw.Modular(ONES * 1j), "V"),
    case(lambda: sw.FacilityLocation(with_bad(-2.0)), "similarity", "similarity[2, 1]", "-2.0"),
    case(lambda: sw.ConcaveOverModular(with_bad(-1.0), np.sqrt), "V", "V[2, 1]", "-1.0"),
    case(lambda: sw.ConcaveOverModular(ONES, 3), "concave", "3"),
    case(lambda: sw.ConcaveOverModular(ONES, np.square), "concave"),
    case(lambda: sw.ConcaveOverModular(ONES, np.cos), "concave", "1.0"),
    case(lambda: sw.ConcaveOverModular(ONES, np.negative), "concave"),
    case(lambda: sw.LogDeterminant([[1.0, 2.0]]), "kernel", "(1, 2)"),
    case(lambda: sw.LogDeterminant([[1.0, 0.5], [0.0, 1.0]]), "kernel", "kernel[0, 1]", "0.5"),
    case(lambda: sw.LogDeterminant([[1.0, 2.0], [2.0, 1.0]]), "kernel", "-1"),
    case(lambda: sw.LogDeterminant([[NAN]]), "kernel", "kernel[0, 0]"),
    case(lambda: sw.Entropy([[0, 1], [0, -1]]), "outcomes", "outcomes[1, 1]", "-1"),
    case(lambda: sw.Entropy([[0.5]]), "outcomes", "outcomes[0, 0]", "0.5"),
    case(lambda: sw.Entropy([[0, 1]], [0.5, 0.6]), "probabilities", "1.1"),
    case(lambda: sw.Entropy([[0, 1]], [1.5, -0.5]), "probabilities", "probabilities[1]", "-0.5"),
    case(lambda: sw.MutualInformation([[[0.5, 0.6]]]), "likelihoods", "likelihoods[0, 0]", "1.1"),
    case(lambda: sw.MutualInformation([[[0.5, 0.5]]], prior=[0.5]), "prior", "0.5"),
    case(lambda: sw.ClippedCoverage(ONES, [1.0, 0.0]), "limits", "limits[1]", "0.0"),
    case(lambda: sw.ClippedCoverage(with_bad(-1.0), [1.0, 1.0]), "counts", "counts[2, 1]", "-1.0"),
    case(lambda: sw.NgramCoverage(["a b"], ["a"], n=2), "references", "references[0]"),
    case(lambda: sw.NgramCoverage(["a b"], ["a"], n=0), "n", "0"),
    case(lambda: sw.Stack([]), "objectives"),
    case(lambda: sw.Stack([sw.Modular(ONES), sw.Modular(ONES[:2])]), "objectives", "objectives[1]", "2", "3"),
    case(lambda: sw.Stack([sw.Modular(ONES), "topics"]), "objectives", "objectives[1]", "'topics'"),
]

CONSTRAINTS = [
    case(lambda: sw.Cardinality(-1), "m", "-1"),
    case(lambda: sw.Cardinality(1.5), "m", "1.5"),
    case(lambda: sw.Cardinality(NAN), "m", "nan"),
    case(lambda: sw.Cardinality("many"), "m", "'many'"),
    case(lambda: sw.Knapsack([1.0, -0.5], 1.0), "costs", "costs[1]", "-0.5"),
    case(lambda: sw.Knapsack([1.0, NAN], 1.0), "costs", "costs[1]", "nan"),
    case(lambda: sw.Knapsack([1.0, INF], 1.0), "costs", "costs[1]", "inf"),
    case(lambda: sw.Knapsack([[1.0]], 1.0), "costs", "(1, 1)"),
    case(lambda: sw.Knapsack([1.0], 0.0), "budget", "0.0"),
    case(lambda: sw.Knapsack([1.0], -2.0), "budget", "-2.0"),
    case(lambda: sw.Knapsack([1.0], INF), "budget", "inf"),
    case(lambda: sw.Knapsack([1.0], NAN), "budget", "nan"),
    case(lambda: sw.PartitionMatroid([0, -1], 1), "labels", "labels[1]", "-1"),
    case(lambda: sw.PartitionMatroid([0, 0.5], 1), "labels", "labels[1]", "0.5"),
    case(lambda: sw.PartitionMatroid([0, 1], [1, -1]), "limits", "limits[1]", "-1"),
    case(lambda: sw.PartitionMatroid([0, 1], 0.5), "limits", "0.5"),
    case(lambda: sw.PartitionMatroid([0, 2], [1, 1]), "limits", "3", "2"),
    case(lambda: sw.LabelLimits([[2, 0]], 1), "members", "members[0, 0]", "2"),
    case(lambda: sw.LabelLimits([[1, 0], [1]], 1), "members"),
    case(lambda: sw.LabelLimits([[1, 0]], [1]), "limits", "(2)", "(1,)"),
    case(lambda: sw.LabelLimits([[1, 0]], [1, 1.5]), "limits", "limits[1]", "1.5"),
    case(lambda: sw.LaminarMatroid([[1, 0], [1, 1], [0, 1]], [1, 1]), "members", "0", "1"),
    case(lambda: sw.GraphicMatroid(["a", "b"]), "edges", "(2,)"),
    case(lambda: sw.GraphicMatroid([("a", "b"), ("c",)]), "edges"),
    case(lambda: sw.TransversalMatroid([[2]]), "fits", "fits[0, 0]", "2"),
    case(lambda: sw.Conflicts([(0, 1), (2,)], 3), "pairs"),
    case(lambda: sw.Conflicts([(0, 5)], 3), "pairs", "pairs[0, 1]", "5"),
    case(lambda: sw.Conflicts([(0, 1), (1, 1)], 3), "pairs", "pairs[1]", "1"),
    case(lambda: sw.Conflicts([(0, -1)], 3), "pairs", "pairs[0, 1]", "-1"),
    case(lambda: sw.Conflicts([(0, 1)], -3), "n_items", "-3"),
    case(lambda: sw.KSystem(3, 1, 3), "is_independent", "3"),
    case(lambda: sw.KSystem(bool, 0, 3), "k", "0"),
    case(lambda: sw.KSystem(bool, 1, 1.5), "n_items", "1.5"),
]

PROBLEMS = [
    case(lambda: sw.Problem("topics"), "objective", "'topics'"),
    case(lambda: sw.Problem(sw.Modular(np.ones((0, 1)))), "objective", "item"),
    case(lambda: sw.Problem(sw.Modular(ONES), ["ten"]), "constraints", "constraints[0]", "'ten'"),
    case(
        lambda: sw.Problem(sw.Modular(ONES), [sw.Knapsack([1.0], 1.0)]),
        "constraints",
        "constraints[0]",
        "1",
        "3",
    ),
    case(
        lambda: sw.Problem(sw.Modular(ONES), [sw.Cardinality(1, name="a"), sw.Cardinality(2, name="a")]),
        "constraints",
        "constraints[1]",
        "'a'",
    ),
    case(lambda: sw.Problem(sw.Modular(ONES), k=0), "k", "0"),
    case(lambda: sw.Problem(sw.Modular(ONES), k=1.5), "k", "1.5"),
    case(lambda: PROBLEM.alpha(0.0), "epsilon", "0.0"),
    case(lambda: PROBLEM.alpha(NAN), "epsilon", "nan"),
    case(lambda: PROBLEM.value([0, 0]), "items", "items[1]", "0"),
    case(lambda: PROBLEM.value([0, 3]), "items", "items[1]", "3"),
    case(lambda: PROBLEM.value([-1]), "items", "items[0]", "-1"),
    case(lambda: PROBLEM.feasible([1, 2, 1]), "items", "items[2]", "1"),
    case(lambda: PROBLEM.feasible([0.5]), "items", "items[0]", "0.5"),
    case(lambda: PROBLEM.feasible([True]), "items", "items[0]", "True"),
    case(lambda: PROBLEM.slate([7]), "items", "items[0]", "7"),
    case(lambda: PROBLEM.slate([0], context=[[1.0]]), "context", "(1, 1)"),
    case(lambda: PROBLEM.slate([0], context=[NAN]), "context", "context[0]", "nan"),
]

MODELS = [
    case(lambda: sw.LinearModel(regularization=0.0), "regularization", "0.0"),
    case(lambda: sw.LinearModel(regularization=-1.0), "regularization", "-1.0"),
    case(lambda: sw.LinearModel(regularization=NAN), "regularization", "nan"),
    case(lambda: sw.LinearModel(n_context=-1), "n_context", "-1"),
    case(lambda: sw.LinearModel(n_context=0.5), "n_context", "0.5"),
    case(lambda: sw.LinearModel(mean=[NAN]), "mean", "mean[0]", "nan"),
    case(lambda: sw.LinearModel(mean=[1.0]).prior(2), "mean", "(2)", "(1,)"),
    case(lambda: sw.LinearModel(mean=[1.0, 1.0], n_context=2).prior(2), "mean", "(4)", "(2,)"),
    case(lambda: sw.LinearModel(precision=np.eye(3)).prior(2), "precision", "(3, 3)"),
    case(lambda: sw.LinearModel(precision=[[1.0, 2.0], [2.0, 1.0]]), "precision", "-1"),
    case(lambda: sw.LinearModel(precision=[[1.0, 0.5], [0.0, 1.0]]), "precision", "precision[0, 1]", "0.5"),
    case(lambda: sw.KernelModel("rbf"), "kernel", "'rbf'"),
    case(lambda: sw.KernelModel(np.dot, regularization=0.0), "regularization", "0.0"),
    case(lambda: sw.GreedyBasis(size=0), "size", "0"),
    case(lambda: sw.GreedyBasis(tolerance=0.0), "tolerance", "0.0"),
    case(lambda: sw.KnownWeights([NAN]), "weights", "weights[0]", "nan"),
    case(lambda: sw.KnownWeights([1.0]).prior(2), "weights", "(2)", "(1,)"),
    case(lambda: sw.LinearModel().prior(2).condition([[1.0]], [1.0]), "x", "(1, 1)"),
    case(lambda: sw.LinearModel().prior(2).condition([[1.0, NAN]], [1.0]), "x", "x[0, 1]", "nan"),
    case(lambda: sw.LinearModel().prior(2).condition([[1.0, 1.0]], [INF]), "y", "y[0]", "inf"),
    case(lambda: sw.LinearModel().prior(2).condition([[1.0, 1.0]], [1.0, 2.0]), "y", "(2,)"),
    case(lambda: sw.LinearModel().prior(2).at([1.0]), "context"),
    case(lambda: sw.LinearModel(n_context=2).prior(2).at(), "context", "2"),
    case(lambda: sw.LinearModel(n_context=2).prior(2).at([1.0]), "context", "(2)", "(1,)"),
    case(
        lambda: (
            sw.KernelModel(lambda x, y: np.full((len(x), len(y)), NAN)).prior(1).condition([[1.0]], [1.0])
        ),
        "kernel",
    ),
    case(
        lambda: sw.KernelModel(lambda x, y: np.ones(3)).prior(1).condition([[1.0]], [1.0]),
        "kernel",
        "(3,)",
    ),
]

NUMBERS = [
    case(lambda: sw.ConstantWidth(-1.0), "beta", "-1.0"),
    case(lambda: sw.ConstantWidth(INF), "beta", "inf"),
    *(
        case(
            lambda name=name, bad=bad: sw.TheoreticalWidth(
                **{"norm_bound": 1, "noise": 1, "delta": 0.1} | {name: bad}
            ),
            name,
            str(bad),
        )
        for name, bad in [
            ("norm_bound", -1.0),
            ("noise", NAN),
            ("delta", 0.0),
            ("delta", 1.0),
            ("delta", NAN),
        ]
    ),
    *(
        case(
            lambda name=name, bad=bad: sw.PracticalWidth(
                **{"norm_bound": 1, "r1": 1, "r2": 1, "delta": 0.1} | {name: bad}
            ),
            name,
            str(bad),
        )
        for name, bad in [
            ("norm_bound", INF),
            ("r1", -1.0),
            ("r2", NAN),
            ("delta", 2.0),
            ("dimension", 0.0),
            ("dimension", INF),
        ]
    ),
    case(lambda: sw.UpperConfidence(WIDTH, list_factor=-1.0), "list_factor", "-1.0"),
    case(lambda: sw.UpperConfidence(WIDTH, list_factor=NAN), "list_factor", "nan"),
    case(lambda: sw.UpperConfidence(0.5), "width", "0.5"),
    case(lambda: sw.PosteriorSample(scale=-1.0), "scale", "-1.0"),
    case(lambda: sw.ThresholdSweep(epsilon=0.0), "epsilon", "0.0"),
    case(lambda: sw.ThresholdSweep(epsilon=-0.1), "epsilon", "-0.1"),
    case(lambda: sw.ThresholdSweep(epsilon=NAN), "epsilon", "nan"),
    case(lambda: sw.ThresholdSweep(nu=0.0), "nu", "0.0"),
    case(lambda: sw.ThresholdSweep(nu_max=-1.0), "nu_max", "-1.0"),
    case(lambda: sw.ThresholdSweep(nu=2.0, nu_max=1.0), "nu", "2.0", "1.0"),
    case(lambda: sw.ThresholdSweep(max_length=0), "max_length", "0"),
    case(lambda: sw.ThresholdSweep(max_length=2.5), "max_length", "2.5"),
    case(lambda: sw.ThresholdSweep(also=("greedy",)), "also", "also[0]", "'greedy'"),
    case(lambda: sw.afsm_ucb(nu=2.0), "nu", "2.0"),
    case(lambda: sw.afsm_ucb(regularization=0.0), "regularization", "0.0"),
    case(sw.BestOf, "oracles"),
    case(lambda: sw.BestOf(sw.Greedy(), 3), "oracles", "oracles[1]", "3"),
    case(lambda: sw.BestStart(-1), "size", "-1"),
    case(lambda: sw.stream(-1, 0, 0), "seed", "-1"),
    case(lambda: sw.stream(0, -1, 0), "user", "-1"),
    case(lambda: sw.stream(0, 0, 0.5), "round", "0.5"),
]

ROUNDS = [
    case(lambda: sw.Policy(model="linear", index=sw.Mean(), oracle=sw.Greedy()), "model", "'linear'"),
    case(lambda: sw.Policy(model=sw.LinearModel(), index=3, oracle=sw.Greedy()), "index", "3"),
    case(lambda: sw.Policy(model=sw.LinearModel(), index=sw.Mean(), oracle=None), "oracle", "None"),
    case(lambda: POLICY.select(STATE, OTHER), "problem", "Modular", "ProbabilisticCoverage"),
    case(lambda: POLICY.select(STATE, PROBLEM, context=[1.0]), "context"),
    case(lambda: POLICY.select(STATE, PROBLEM, context=[NAN]), "context", "context[0]", "nan"),
    case(lambda: CONTEXTUAL.select(CONTEXTUAL.init(PROBLEM), PROBLEM), "context", "2"),
    case(
        lambda: CONTEXTUAL.select(CONTEXTUAL.init(PROBLEM), PROBLEM, context=[1.0]), "context", "(2)", "(1,)"
    ),
    case(lambda: POLICY.select(STATE, PROBLEM, available=[True]), "available", "(3)", "(1,)"),
    case(lambda: POLICY.select(STATE, PROBLEM, available=[1, 0, 1]), "available", "int"),
    case(lambda: POLICY.select(STATE, PROBLEM, pinned=[5]), "pinned", "pinned[0]", "5"),
    case(lambda: POLICY.select(STATE, PROBLEM, pinned=[0, 0]), "pinned", "pinned[1]", "0"),
    case(lambda: POLICY.select(STATE, PROBLEM, pinned=[0, 1]), "pinned", "pinned[1]", "1"),
    case(
        lambda: POLICY.select(STATE, PROBLEM, available=[False, True, True], pinned=[0]),
        "pinned",
        "pinned[0]",
        "0",
    ),
    case(lambda: THOMPSON.select(THOMPSON.init(PROBLEM), PROBLEM), "rng"),
    case(lambda: sw.random_policy().select(sw.random_policy().init(PROBLEM), PROBLEM), "rng"),
    case(lambda: POLICY.update(STATE, FOREIGN, [1.0]), "slate", "Modular", "ProbabilisticCoverage"),
    case(lambda: POLICY.update(STATE, SLATE, [1.0] * (len(SLATE) + 1)), "rewards", str(len(SLATE))),
    case(lambda: POLICY.update(STATE, SLATE, [[1.0] * len(SLATE)]), "rewards", f"(1, {len(SLATE)})"),
    case(
        lambda: POLICY.update(STATE, SLATE, [INF] + [0.0] * (len(SLATE) - 1)), "rewards", "rewards[0]", "inf"
    ),
    case(lambda: POLICY.update(STATE, SLATE, ["good"] * len(SLATE)), "rewards"),
    case(lambda: POLICY.init_many(PROBLEM, -1), "n_users", "-1"),
    case(lambda: POLICY.select_many([STATE] * 2, PROBLEM, contexts=[[1.0]]), "contexts", "(1, 1)"),
    case(
        lambda: POLICY.select_many([STATE] * 2, PROBLEM, available=np.ones((1, 3), dtype=bool)),
        "available",
        "(1, 3)",
    ),
    case(lambda: POLICY.select_many([STATE], PROBLEM, seed=-1), "seed", "-1"),
    case(lambda: POLICY.update_many([STATE], many(2), np.zeros((2, 2))), "slates", "1", "2"),
    case(lambda: POLICY.update_many([STATE] * 2, many(2), np.zeros((2, 9))), "rewards", "(2, 9)"),
    case(lambda: sw.Exact()(PROBLEM, UNSURE), "oracle", "Exact"),
    case(lambda: sw.maximize(PROBLEM, [1.0]), "weights", "(2)", "(1,)"),
    case(lambda: sw.maximize(PROBLEM, [1.0, -1.0]), "weights", "weights[1]", "-1.0"),
    case(lambda: sw.maximize(PROBLEM, [1.0, NAN]), "weights", "weights[1]", "nan"),
    case(lambda: sw.upper_bound(PROBLEM, [INF, 1.0]), "weights", "weights[0]", "inf"),
    case(lambda: sw.certificate(PROBLEM, [1.0], SLATE), "weights", "(2)", "(1,)"),
    case(lambda: sw.maximize(PROBLEM, [1.0, 1.0], oracle="greedy"), "oracle", "'greedy'"),
]


def many(n_users: int) -> sw.Slates:
    return POLICY.select_many(POLICY.init_many(PROBLEM, n_users), PROBLEM)


CASES = [*OBJECTIVES, *CONSTRAINTS, *PROBLEMS, *MODELS, *NUMBERS, *ROUNDS]


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: f"{CASES.index(bad)}-{bad.argument}")
def test_bad_arguments_are_refused_by_name_value_and_place(bad):
    with pytest.raises(ValueError, match=f"^{bad.argument}:") as refusal:
        bad.act()
    for name in bad.names:
        assert name in str(refusal.value)


def seen(state: sw.State) -> bytes:
    mean, std = state.posterior.at().predict(np.eye(2))
    return mean.tobytes() + std.tobytes() + bytes([state.posterior.n_observations])


@pytest.mark.parametrize("bad", ROUNDS, ids=lambda bad: f"{ROUNDS.index(bad)}-{bad.argument}")
def test_a_refusal_changes_nothing(bad):
    before = seen(STATE), SLATE.features.tobytes(), POLICY.fingerprint, PROBLEM.costs.tobytes()
    with pytest.raises(ValueError, match=bad.argument):
        bad.act()
    assert (seen(STATE), SLATE.features.tobytes(), POLICY.fingerprint, PROBLEM.costs.tobytes()) == before


def test_arguments_are_copied_unless_they_are_frozen():
    table, costs, limits = ONES / 2, np.ones(3), np.array([2, 2])
    problem = sw.Problem(
        sw.ProbabilisticCoverage(table),
        [sw.Knapsack(costs, 2.0), sw.PartitionMatroid([0, 0, 1], limits)],
    )
    before = sw.maximize(problem, [1.0, 1.0])
    table[:], costs[:], limits[:] = 0.0, 9.0, 0
    after = sw.maximize(problem, [1.0, 1.0])
    assert after.items == before.items
    assert np.array_equal(after.features, before.features)


FROZEN = {
    "costs of a problem": lambda: PROBLEM.costs,
    "matrix": lambda: PROBLEM.objective.matrix,
    "costs of a knapsack": lambda: PROBLEM.constraints[0].costs,
    "features": lambda: SLATE.features,
    "mean": lambda: SLATE.mean,
    "std": lambda: SLATE.std,
    "posterior mean": lambda: STATE.posterior.mean,
    "covariance": lambda: STATE.posterior.covariance,
    "items of many": lambda: many(2).items,
}


@pytest.mark.parametrize("name", FROZEN)
def test_what_is_frozen_cannot_be_written_to(name):
    with pytest.raises(ValueError, match="read-only"):
        FROZEN[name]()[...] = 0


def test_items_that_never_fit_are_left_out_and_nothing_that_fits_is_an_empty_slate():
    dear = sw.Problem(PROBLEM.objective, [sw.Knapsack([5.0, 1.0, 7.0], 2.0)])
    nothing = sw.Problem(PROBLEM.objective, [sw.Knapsack([5.0, 6.0, 7.0], 2.0)])
    for oracle in (
        None,
        sw.Greedy(),
        sw.CostBenefitGreedy(),
        sw.ThresholdSweep(),
        sw.Exact(),
        sw.BestStart(),
    ):
        assert sw.maximize(dear, [1.0, 1.0], oracle).items == (1,)
        assert sw.maximize(nothing, [1.0, 1.0], oracle).items == ()
    slate = POLICY.select(STATE, nothing)
    assert (slate.items, slate.features.shape, slate.score) == ((), (0, 2), 0.0)
    assert POLICY.update(STATE, slate, []).posterior.n_observations == 0
    assert sw.upper_bound(nothing, [1.0, 1.0]) == 0.0
    assert sw.certificate(nothing, [1.0, 1.0], slate) == 1.0


def test_errors_can_be_sent_to_another_process():
    with pytest.raises(sw.ArgumentError) as refusal:
        sw.Cardinality(-1)
    for sent in (pickle.loads(pickle.dumps(refusal.value)), copy.copy(refusal.value)):
        assert (str(sent), sent.argument) == (str(refusal.value), "m")


def test_a_kernel_beyond_one_is_used_as_it_is_with_a_warning():
    with pytest.warns(sw.KernelScaleWarning, match=r"up to 4.*NormalizedKernel"):
        sw.KernelModel(lambda x, y: x @ y.T).prior(1).condition([[2.0]], [1.0])
