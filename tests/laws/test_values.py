"""Values stay what they are, mean what they say, and go from process to process."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF, WhiteKernel

import slatewise as sw
from slatewise.objectives.coverage import CLIPPED, LARGEST, RESIDUAL
from slatewise.objectives.modular import ADDITIVE, SQUARE_ROOT
from slatewise.oracles.fast_sweep import compiled_catalogue
from slatewise.oracles.search import Search

RULES = {"residual": RESIDUAL, "largest": LARGEST, "clipped": CLIPPED, "root": SQUARE_ROOT, "sum": ADDITIVE}
OBJECTIVES = [
    sw.ProbabilisticCoverage([[0.5, 0.1]]),
    sw.Modular([[1.0, 2.0]]),
    sw.FacilityLocation([[1.0, 2.0]]),
    sw.ClippedCoverage([[1.0, 2.0]], [2.0, 3.0]),
    sw.ConcaveOverModular([[1.0, 2.0]], np.sqrt),
    sw.ConcaveOverModular([[1.0, 2.0]], np.log1p),
    sw.LogDeterminant([[1.0]]),
    sw.EmbeddingVolume([[1.0, 0.5]]),
]


def column() -> tuple[object, object]:
    frame = pd.DataFrame({"minutes": [1.0, 2.0, 3.0]})
    return frame["minutes"], lambda: frame.__setitem__("minutes", [9.0, 9.0, 9.0])


def view() -> tuple[object, object]:
    owner = np.array([1.0, 2.0, 3.0])
    seen = owner[:]
    seen.flags.writeable = False
    return seen, lambda: owner.fill(9.0)


def own() -> tuple[object, object]:
    owner = np.array([1.0, 2.0, 3.0])
    return owner, lambda: owner.fill(9.0)


@pytest.mark.parametrize("source", [column, view, own])
def test_no_later_change_of_the_callers_reaches_a_value(source):
    costs, change = source()
    knapsack = sw.Knapsack(costs, 30.0)
    change()
    assert knapsack.costs.tolist() == [1.0, 2.0, 3.0]


def test_a_kernel_is_the_models_own():
    kernel = RBF(0.5)
    model = sw.KernelModel(kernel)
    posterior, mark = model.prior(1).condition([[0.0]], [1.0]), model.fingerprint
    before = posterior.at().predict([[0.5]])
    kernel.length_scale = 5.0
    assert posterior.at().predict([[0.5]]) == before
    assert sw.KernelModel(kernel).fingerprint != mark


def test_noise_of_a_kernel_counts_between_an_observation_and_itself():
    kernel = 0.7 * RBF(0.5) + WhiteKernel(0.3)
    x, y = np.linspace(0.0, 2.0, 6)[:, np.newaxis], np.arange(6.0) / 6
    posterior = sw.KernelModel(kernel, regularization=0.5).prior(1)
    for row, reward in zip(x, y, strict=True):
        posterior = posterior.condition([row], [reward])
    asked = np.array([[0.3], [1.1]])
    inverse = np.linalg.inv(kernel(x) + 0.5 * np.eye(6))
    cross = kernel(asked, x)
    mean, std = posterior.at().predict(asked)
    np.testing.assert_allclose(mean, cross @ inverse @ y, rtol=1e-9)
    variance = kernel.diag(asked) - np.einsum("ij,jk,ik->i", cross, inverse, cross)
    np.testing.assert_allclose(std, np.sqrt(variance / 0.5), rtol=1e-9)


def test_configurations_that_are_equal_share_states():
    one, other = sw.afsm_ucb(regularization=1, epsilon=1), sw.afsm_ucb(regularization=1.0, epsilon=1.0)
    problem = sw.Problem(sw.Modular([[1.0]]))
    assert one == other
    assert hash(one) == hash(other)
    assert one.select(other.init(problem), problem).items == (0,)


def test_a_specification_can_be_changed_without_changing_the_policy():
    policy = sw.afsm_ucb()
    policy.specification["kind"] = "another"
    assert policy == sw.afsm_ucb()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (sw.ConcaveOverModular([[1.0]], lambda s: s), sw.ConcaveOverModular([[1.0]], lambda s: s / 2)),
        (sw.ClippedCoverage([[1.0]], [2.0]), sw.ClippedCoverage([[1.0]], [3.0])),
        (sw.NgramCoverage(["a b"], ["a c"]), sw.NgramCoverage(["a b"], ["a d"])),
        (sw.Separable([[1.0]], RESIDUAL), sw.Separable([[1.0]], LARGEST)),
    ],
)
def test_features_that_mean_different_things_are_different(one, other):
    assert one.feature_space != other.feature_space


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda one: one.feature_space.blocks[0].kind)
def test_problems_go_to_other_processes_and_stay_as_fast(objective):
    problem = sw.Problem(objective, [sw.Cardinality(1), sw.Knapsack([1.0], 2.0)])
    score = sw.Mean().score(
        None, sw.KnownWeights(np.ones(problem.n_features)).prior(problem.n_features).at(), None
    )
    for twin in (pickle.loads(pickle.dumps(problem)), copy.deepcopy(problem)):
        assert twin.feature_space == problem.feature_space
        assert twin.value([0]).tolist() == problem.value([0]).tolist()
        fast = [compiled_catalogue(Search(one, score)) is not None for one in (problem, twin)]
        assert fast[0] == fast[1]


@pytest.mark.parametrize("name", sorted(RULES))
@given(
    amounts=st.lists(st.floats(0, 1e5) | st.floats(0, 1e-4), min_size=2, max_size=8),
    scale=st.sampled_from([1.0, 1e-9, 1e6]),
)
def test_compiled_gains_never_grow_in_floating_point(name, amounts, scale):
    """The compiled sweep relies on it to the last bit: a bound on a gain bounds all later ones."""
    rule = RULES[name]
    numbers = np.array(amounts) * scale
    if name == "residual":
        numbers = numbers / max(numbers.max(), 1.0)
    level, last = rule.start, np.full(len(numbers), np.inf)
    for amount in numbers:
        gains = rule.gain(numbers, level) * np.ones(len(numbers))
        assert np.all(gains <= last)
        last, level = gains, rule.step(amount, level)


def test_pinned_items_are_named_by_their_ids():
    problem = sw.Problem(sw.Modular(np.eye(3)), [sw.Cardinality(2)], ids=[2, 0, 1])
    policy = sw.lsb_greedy()
    assert policy.select(policy.init(problem), problem, pinned=[1]).ids[0] == 1


@pytest.mark.parametrize("values", [1.0, 1e-12, 1e14])
@pytest.mark.parametrize("costs", [1.0, 1e-12, 1e16])
def test_a_certificate_does_not_depend_on_units(values, costs):
    rng = np.random.default_rng(0)
    amounts, needs = rng.random((30, 3)), rng.random(30)
    problem = sw.Problem(sw.Modular(amounts * values), [sw.Knapsack(needs * costs, 2.0 * costs)])
    plain = sw.Problem(sw.Modular(amounts), [sw.Knapsack(needs, 2.0)])
    weights = np.ones(3)
    found, expected = (sw.certificate(one, weights, sw.maximize(one, weights)) for one in (problem, plain))
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("n_items", [12, 30])
def test_exact_search_does_not_drown_in_ties(n_items):
    weights = [1.0, 1.0]
    problem = sw.Problem(sw.Modular(np.ones((n_items, 2))), [sw.Cardinality(8)])
    assert sw.maximize(problem, weights, sw.Exact()).items == tuple(range(8))
