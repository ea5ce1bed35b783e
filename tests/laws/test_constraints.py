"""Laws of constraints on generated limits: feasibility and k, by brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import slatewise as sw
from slatewise.testing import check_constraint, true_k

from .strategies import flags, knapsacks, limits, matroids_and_systems, problems


@given(st.data(), st.integers(2, 6))
def test_constraints_keep_their_contract(data, n):
    check_constraint(data.draw(st.one_of(knapsacks(n), matroids_and_systems(n))), n_items=n)


@given(st.data(), st.integers(2, 6))
def test_the_derived_k_is_never_smaller_than_the_true_one(data, n):
    some = data.draw(limits(n, most_knapsacks=1))
    problem = sw.Problem(sw.Modular(np.ones((n, 1))), some)
    assert problem.k >= true_k(problem.limits)
    assert problem.n_knapsacks == sum(isinstance(limit, sw.Knapsack) for limit in some)


@settings(max_examples=150)
@given(st.data(), st.integers(3, 6))
def test_the_derived_k_of_overlapping_caps_is_never_smaller_than_the_true_one(data, n):
    """Caps that bind by a single item: leaving one out of the count would be too few."""
    blocks = st.lists(st.integers(0, 3), min_size=n, max_size=n).map(
        lambda some: sw.PartitionMatroid(some, 1)
    )
    tags = st.tuples(flags(n, 3), st.integers(1, 2)).map(lambda drawn: sw.LabelLimits(*drawn))
    some = data.draw(st.lists(st.one_of(blocks, tags), min_size=2, max_size=3))
    problem = sw.Problem(sw.Modular(np.ones((n, 1))), some)
    assert problem.k >= true_k(problem.limits)


def test_the_derived_k_is_tight_where_two_caps_meet_in_one_item():
    blocks = [sw.PartitionMatroid([0, 0, 1], 1), sw.PartitionMatroid([0, 1, 1], 1)]
    tags = [sw.LabelLimits([[1, 0], [1, 1], [0, 1]], 1)]
    for some in (blocks, tags):
        problem = sw.Problem(sw.Modular(np.ones((3, 1))), some)
        assert problem.k == true_k(problem.limits) == 2


def test_caps_that_never_bind_add_nothing_to_k():
    some = [*[sw.PartitionMatroid([0, 0, 1], 2)] * 3, sw.LabelLimits(np.ones((3, 4)), 3)]
    assert sw.Problem(sw.Modular(np.ones((3, 1))), [*some, sw.Cardinality(2)]).k == 1


@given(st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6), st.integers(-9, 9), st.floats(1e-8, 1e-2))
def test_lists_that_cost_more_than_rounding_allows_do_not_fit(costs, exponent, excess):
    costs = np.array(costs) * 10.0**exponent
    budget = float(costs.sum()) / (1.0 + excess)
    problem = sw.Problem(sw.Modular(np.ones((len(costs), 1))), [sw.Knapsack(costs, budget)])
    assert not problem.feasible(range(len(costs)))


@given(problems(largest=5))
def test_feasible_is_what_every_limit_alone_says(problem):
    n = problem.n_items
    alone = [sw.Problem(problem.objective, [limit]) for limit in problem.constraints]
    for size in range(n + 1):
        for items in combinations(range(n), size):
            assert problem.feasible(items) == all(each.feasible(items) for each in alone)


@given(problems(largest=4))
def test_feasible_is_blind_to_order_and_downward_closed(problem):
    n = problem.n_items
    for size in range(n + 1):
        for items in combinations(range(n), size):
            allowed = problem.feasible(items)
            assert {problem.feasible(order) for order in permutations(items)} == {allowed}
            if allowed:
                assert all(problem.feasible(rest) for rest in combinations(items, max(size - 1, 0)))


@given(
    st.lists(st.integers(0, 30), min_size=1, max_size=8),
    st.sampled_from([1.0, 10.0, 100.0, 3.0, 7.0]),
    st.integers(-6, 6),
)
def test_lists_that_cost_exactly_the_budget_fit(amounts, parts, exponent):
    """Tenths, hundredths, thirds, at any scale: the sum of floats may be off, the fit not."""
    scale = 10.0**exponent
    costs = np.array(amounts) / parts * scale
    budget = sum(amounts) / parts * scale
    if budget > 0:
        problem = sw.Problem(sw.Modular(np.ones((len(costs), 1))), [sw.Knapsack(costs, budget)])
        assert problem.feasible(range(len(costs)))
        assert sorted(sw.maximize(problem, [1.0], sw.Greedy()).items) == list(range(len(costs)))


def test_a_tenth_and_two_tenths_fit_three():
    assert 0.1 + 0.2 > 0.3
    problem = sw.Problem(sw.Modular([[1.0], [1.0]]), [sw.Knapsack([0.1, 0.2], 0.3)])
    for oracle in (sw.Greedy(), sw.CostBenefitGreedy(), sw.ThresholdSweep(), sw.Exact(), sw.BestStart()):
        assert sorted(sw.maximize(problem, [1.0], oracle).items) == [0, 1]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6), st.integers(1, 40), st.integers(-9, 9))
def test_a_knapsack_decides_as_exact_fractions_do(costs, budget, exponent):
    scale = 10.0**exponent
    knapsack = sw.Knapsack(np.array(costs) / 10 * scale, budget / 10 * scale)
    problem = sw.Problem(sw.Modular(np.ones((len(costs), 1))), [knapsack])
    for size in range(len(costs) + 1):
        for items in combinations(range(len(costs)), size):
            exact = sum((Fraction(costs[item], 10) for item in items), Fraction(0))
            assert problem.feasible(items) == (exact <= Fraction(budget, 10))
