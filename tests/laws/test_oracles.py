"""Laws of oracles on generated problems: ties, symmetry, what is irrelevant, and exact search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import slatewise as sw
from slatewise.testing import check_oracle

from .strategies import (
    ANY,
    SEEDS,
    beliefs,
    conflicts,
    feasible_sets,
    knapsacks,
    partitions,
    problems,
    separable_objectives,
    tables,
    weighted,
)

GROWING = [sw.Greedy(), sw.CostBenefitGreedy()]
SWEEP = sw.ThresholdSweep(epsilon=0.4)
FULL_SWEEP = sw.ThresholdSweep(epsilon=0.4, also=tuple(GROWING))
DETERMINISTIC = [*GROWING, sw.BestOf(*GROWING), sw.BestStart(2), SWEEP, FULL_SWEEP]


def known(problem, weights):
    return sw.Score(sw.KnownWeights(weights).prior(problem.n_features).at(), value_range=None)


def unsure(posterior, beta=0.6):
    return sw.Score(posterior.at(), beta=beta)


def outcome(slate):
    return slate.items, slate.threshold, slate.score


@given(problems(), st.sampled_from([*DETERMINISTIC, sw.Exact(), sw.RandomList()]), SEEDS)
def test_oracles_keep_their_contract(problem, oracle, seed):
    check_oracle(oracle, problems=[problem], seed=seed)


@given(problems(smallest=3, largest=5), st.sampled_from([sw.BestOf(*GROWING), sw.BestStart(2)]), SEEDS)
def test_the_best_of_maximal_lists_is_maximal(problem, oracle, seed):
    check_oracle(oracle, problems=[problem], seed=seed, maximal=True)


# ------------------------------------------------------------------------------------- greedy rules


@given(weighted())
def test_greedy_takes_the_best_score_and_of_equal_ones_the_smaller_index(drawn):
    problem, weights = drawn
    items = sw.maximize(problem, weights, sw.Greedy()).items
    score = known(problem, weights)
    for length, item in enumerate(items):
        gains = problem.objective.gains(grown(problem, items[:length]))
        others = [
            e
            for e in range(problem.n_items)
            if e not in items[:length] and problem.feasible((*items[:length], e))
        ]
        scores = score.exactly(gains[others])
        assert item == others[int(np.argmax(scores))]


@given(weighted())
def test_cost_benefit_takes_the_best_density_free_items_first(drawn):
    problem, weights = drawn
    items = sw.maximize(problem, weights, sw.CostBenefitGreedy()).items
    score = known(problem, weights)
    for length, item in enumerate(items):
        gains = problem.objective.gains(grown(problem, items[:length]))
        others = [
            e
            for e in range(problem.n_items)
            if e not in items[:length] and problem.feasible((*items[:length], e))
        ]

        def rank(e, gains=gains):
            value, cost = float(score.exactly(gains[[e]])[0]), problem.costs[e]
            if cost > 0:
                return (value / cost, 0.0)
            return (np.inf, value) if value > 0 else (0.0, 0.0)

        assert item == max(others, key=lambda e: (rank(e), -e))


def test_free_items_come_first_by_score_then_where_their_score_says():
    """+∞ (then by score) where the score is positive, 0 where it is 0, -∞ where it is negative."""
    values = np.array([[0.0, 0.2], [0.0, 0.0], [0.3, 0.0], [0.1, 0.0], [0.0, 0.1], [0.2, 0.0]])
    costs = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    problem = sw.Problem(sw.Modular(values), [sw.Knapsack(costs, 9.0)])
    score = known(problem, np.array([1.0, -1.0]))
    assert sw.CostBenefitGreedy()(problem, score).items == (2, 3, 5, 1, 4, 0)


def grown(problem, items):
    state = problem.objective.empty()
    for item in items:
        state = problem.objective.add(state, item)
    return state


# --------------------------------------------------------------------------------------------- sweep


@given(st.data(), problems(), st.floats(0.05, 2.0))
def test_also_never_makes_the_score_worse(data, problem, epsilon):
    score = unsure(data.draw(beliefs(problem.n_features)))
    plain = sw.ThresholdSweep(epsilon=epsilon)
    joined = replace(plain, also=tuple(GROWING))
    best = joined(problem, score).score
    for oracle in (plain, *GROWING):
        other = oracle(problem, score)
        assert best >= other.score - 1e-11 * score.size_of_list(other.mean.tolist(), other.std.tolist())


@given(st.data(), problems(), st.sampled_from([0.0, 1.0, 3.0, 7.5]), st.floats(0.0, 2.0))
def test_the_score_of_a_slate_has_its_own_factor(data, problem, factor, beta):
    """Σμ + factor·βΣσ, 3 where nothing else is said."""
    posterior = data.draw(beliefs(problem.n_features))
    width = sw.ConstantWidth(beta)
    for index, wanted in ((sw.UpperConfidence(width), 3.0), (sw.UpperConfidence(width, factor), factor)):
        slate = SWEEP(problem, index.score(posterior, posterior.at(), None))
        assert slate.score == pytest.approx(
            slate.mean.sum() + wanted * beta * slate.std.sum(), rel=1e-9, abs=1e-12
        )


@given(st.data(), problems())
def test_without_knapsacks_one_threshold_is_enough(data, problem):
    problem = sw.Problem(
        problem.objective, [c for c in problem.constraints if not isinstance(c, sw.Knapsack)]
    )
    score = unsure(data.draw(beliefs(problem.n_features)))
    slates = [
        sw.ThresholdSweep(epsilon=e, nu=nu, nu_max=nu)(problem, score)
        for e in (0.1, 1.0)
        for nu in (1e-3, 9.0)
    ]
    assert len({slate.items for slate in slates}) == 1


@given(st.data(), problems(), st.floats(0.05, 2.0))
def test_the_sweep_is_the_best_of_its_thresholds_one_by_one(data, problem, epsilon):
    """Shared prefixes change nothing: each threshold alone, by the two algorithms as printed."""
    score = unsure(data.draw(beliefs(problem.n_features)))
    oracle = sw.ThresholdSweep(epsilon=epsilon, nu=0.05, nu_max=0.6)
    search = sw.Search(problem, score)
    one_by_one = [(single_list(problem, score, rho), rho) for rho in oracle.grid(search)]
    found = {listed.items: listed.threshold for listed in oracle.lists(search)}
    first: dict[tuple[int, ...], float] = {}
    for items, rho in one_by_one:
        first.setdefault(items, rho)
    assert found == first


@given(
    problems(),
    st.floats(0.05, 2.0),
    st.floats(0.01, 1.0),
    st.floats(1.0, 5.0),
    st.one_of(st.none(), st.integers(1, 9)),
)
def test_the_grid_is_geometric_and_ends_with_the_longest_list(problem, epsilon, nu, growth, max_length):
    """ρ = rν/(1+ε), times 1+ε as long as ρ ≤ r·ν'·n; one threshold where no knapsack tells them apart."""
    nu_max = nu * growth
    oracle = sw.ThresholdSweep(epsilon=epsilon, nu=nu, nu_max=nu_max, max_length=max_length)
    score = sw.Score(sw.LinearModel().prior(problem.n_features).at(), beta=1.0)
    grid = oracle.grid(sw.Search(problem, score))
    r = 2.0 / (problem.k + 2 * problem.n_knapsacks + 1)
    assert grid[0] == pytest.approx(r * nu / (1 + epsilon), rel=1e-12)
    if not problem.n_knapsacks:
        assert len(grid) == 1
        return
    assert np.allclose(grid[1:] / grid[:-1], 1 + epsilon, rtol=1e-12)
    end = r * nu_max * (problem.n_items if max_length is None else max_length)
    assert np.all(grid[1:] <= end)
    assert grid[-1] * (1 + epsilon) * (1 + 1e-12) >= end


@given(SEEDS)
def test_the_filter_looks_at_the_score_after_nothing_too(seed):
    """All items have a feature that is disliked: many score more after others than after nothing."""
    rng = np.random.default_rng(seed)
    P = np.column_stack([rng.random((7, 2)) * np.eye(2)[np.arange(7) % 2], 0.5 + 0.5 * rng.random(7)])
    problem = sw.Problem(sw.ProbabilisticCoverage(P), [sw.Knapsack(0.1 + 0.3 * rng.random(7), 1.0)])
    score = sw.Score(sw.GaussianBelief(np.array([1.0, 1.0, -0.5]), 0.1 * rng.random((3, 3))), beta=1.0)
    oracle = sw.ThresholdSweep(epsilon=0.1, nu=0.05, nu_max=1.0)
    search = sw.Search(problem, score)
    found = {listed.items: listed.threshold for listed in oracle.lists(search)}
    first: dict[tuple[int, ...], float] = {}
    for rho in oracle.grid(search):
        first.setdefault(single_list(problem, score, rho), rho)
    assert found == first


def single_list(problem, score, rho):
    """Algorithm 1, item by item."""
    first = score.exactly(problem.objective.gains(problem.objective.empty()))
    items: tuple[int, ...] = ()
    while True:
        now = score.exactly(problem.objective.gains(grown(problem, items)))
        able = [
            e
            for e in range(problem.n_items)
            if e not in items
            and problem.feasible((*items, e))
            and min(now[e], first[e]) >= rho * problem.costs[e]
        ]
        if not able:
            return items
        items = (*items, max(able, key=lambda e: (now[e], -e)))


# --------------------------------------------------------------------------------------------- exact


@given(weighted(largest=7))
def test_exact_is_brute_force_with_its_rule_of_ties(drawn):
    problem, weights = drawn
    assert sw.maximize(problem, weights, sw.Exact()).items == best_set(problem, weights)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=7), st.integers(1, 4))
def test_exact_breaks_ties_that_rounding_hides(tenths, m):
    """Tenths add up differently in another order, and are equal all the same."""
    problem = sw.Problem(sw.Modular(np.array(tenths)[:, np.newaxis] / 10), [sw.Cardinality(m)])
    assert sw.maximize(problem, [1.0], sw.Exact()).items == best_set(problem, np.ones(1))


@pytest.mark.parametrize("budget", [5.0, 5.5])
def test_exact_takes_the_lexicographically_smallest_of_equal_sets_of_one_size(budget):
    """With the larger budget the bound is loose, so that both sets are looked at."""
    assert 0.1 + 0.7 < 0.2 + 0.6
    values, costs = np.array([[0.1], [0.2], [0.6], [0.7]]), [1.0, 2.0, 3.0, 4.0]
    problem = sw.Problem(sw.Modular(values), [sw.Knapsack(costs, budget)])
    assert sw.maximize(problem, [1.0], sw.Exact()).items == (0, 3)


def best_set(problem, weights):
    sets = feasible_sets(problem)
    values = np.array([float(problem.value(items) @ weights) for items in sets])
    equal = [items for items, value in zip(sets, values, strict=True) if value >= values.max() * (1 - 1e-12)]
    return min(equal, key=lambda items: (len(items), items))


@given(st.data(), problems(largest=5))
def test_the_best_start_is_the_best_feasible_set_of_three(data, problem):
    score = unsure(data.draw(beliefs(problem.n_features)))

    def worth(items):
        mean, std = score.belief.predict_exactly(problem.features(items))
        return score.of_list(mean.tolist(), std.tolist()), score.size_of_list(mean.tolist(), std.tolist())

    starts = [(items, *worth(items)) for items in feasible_sets(problem) if len(items) <= 3]
    _, best, size = max(starts, key=lambda start: start[1])
    wanted = min(items for items, value, _ in starts if value >= best - 1e-12 * size)
    assert sw.BestStart(3)(problem, score).items[: len(wanted)] == wanted


# -------------------------------------------------------------------------- symmetry and irrelevance


@st.composite
def with_twins(draw):
    """A problem in which the last item is another's equal in everything."""
    n = draw(st.integers(2, 5))
    table = draw(tables(n, 2))
    twin = draw(st.integers(0, n - 1))
    costs = draw(st.lists(ANY, min_size=n, max_size=n))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    limits = [
        sw.Knapsack([*costs, costs[twin]], 1.0),
        sw.PartitionMatroid([*labels, labels[twin]], 2),
        sw.Cardinality(draw(st.integers(0, 4))),
    ]
    problem = sw.Problem(sw.ProbabilisticCoverage(np.concatenate([table, table[[twin]]])), limits)
    return problem, twin


@given(st.data(), with_twins(), st.sampled_from(DETERMINISTIC))
def test_of_two_equal_items_the_smaller_index_comes_first(data, drawn, oracle):
    """A start is scored in the order of its indices, so that there only known weights see equals."""
    problem, twin = drawn
    starts = isinstance(oracle, sw.BestStart)
    score = known(problem, np.ones(2)) if starts else unsure(data.draw(beliefs(2)))
    items = oracle(problem, score).items
    last = problem.n_items - 1
    assert last not in items or items.index(twin) < items.index(last)


@given(SEEDS, st.integers(3, 6), st.sampled_from([*DETERMINISTIC, sw.Exact()]))
def test_permuted_items_give_permuted_slates_in_general_position(seed, n, oracle):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    place = np.argsort(order)
    P, costs, labels = rng.random((n, 3)), rng.random(n), rng.integers(0, 3, n)
    pairs = rng.permutation(n)[:2][np.newaxis]

    def made(at, rename):
        limits = [
            sw.Knapsack(costs[at], 1.2),
            sw.PartitionMatroid(labels[at], [1, 2, 1]),
            sw.Conflicts(rename[pairs], n),
        ]
        return sw.Problem(sw.ProbabilisticCoverage(P[at]), limits)

    weights = rng.random(3)
    one = sw.maximize(made(np.arange(n), np.arange(n)), weights, oracle)
    other = sw.maximize(made(order, place), weights, oracle)
    renamed = [int(order[item]) for item in other.items]
    if isinstance(oracle, sw.Exact | sw.BestStart):  # these list items by their index
        assert sorted(renamed) == sorted(one.items)
    else:
        assert renamed == list(one.items)


@st.composite
def with_and_without_an_item_that_never_fits(draw):
    n = draw(st.integers(1, 5))
    table, extra = draw(tables(n, 2)), draw(tables(1, 2))
    knapsack = draw(knapsacks(n))
    blocks = draw(partitions(n))
    limits = blocks.limits if len(blocks.limits) == 4 else np.resize(blocks.limits, 4)
    small = [knapsack, sw.PartitionMatroid(blocks.labels, limits)]
    large = [
        sw.Knapsack([*knapsack.costs, 2.0 * knapsack.budget], knapsack.budget),
        sw.PartitionMatroid([*blocks.labels, 3], limits),
    ]
    return (
        sw.Problem(sw.ProbabilisticCoverage(table), small),
        sw.Problem(sw.ProbabilisticCoverage(np.concatenate([table, extra])), large),
    )


@given(st.data(), with_and_without_an_item_that_never_fits(), st.sampled_from([*GROWING, sw.BestStart(2)]))
def test_an_item_that_never_fits_changes_nothing(data, pair, oracle):
    score = unsure(data.draw(beliefs(2)))
    small, large = (oracle(problem, score) for problem in pair)
    assert outcome(small) == outcome(large)


@given(st.data(), with_and_without_an_item_that_never_fits())
def test_an_item_that_never_fits_changes_only_the_end_of_the_grid(data, pair):
    score = unsure(data.draw(beliefs(2)))
    fixed = sw.ThresholdSweep(epsilon=0.4, max_length=3)
    small, large = (fixed(problem, score) for problem in pair)
    assert outcome(small) == outcome(large)
    grids = [SWEEP.grid(sw.Search(problem, score)) for problem in pair]
    assert np.array_equal(grids[0], grids[1][: len(grids[0])])


@given(
    st.data(),
    problems(smallest=3),
    st.sampled_from([*GROWING, sw.BestStart(2), sw.ThresholdSweep(max_length=2)]),
)
def test_an_item_that_is_not_available_is_as_if_it_were_not_there(data, problem, oracle):
    """A knapsack that the others fill keeps the last item out as well as a mask does."""
    score = unsure(data.draw(beliefs(problem.n_features)))
    n = problem.n_items
    mask = np.arange(n) < n - 1
    closed = sw.PartitionMatroid((~mask).astype(int), [n, 0])
    limited = sw.Problem(problem.objective, [*problem.constraints, closed], k=problem.k)
    masked = oracle(sw.Problem(problem.objective, problem.constraints, k=problem.k), score, available=mask)
    assert outcome(masked) == outcome(oracle(limited, score))


@given(st.data(), problems(smallest=3), st.sampled_from(DETERMINISTIC))
def test_the_order_of_the_limits_does_not_matter(data, problem, oracle):
    """Up to the rounding of c(e), which adds up costs in the order of the knapsacks."""
    assume(problem.n_knapsacks <= 1)
    score = unsure(data.draw(beliefs(problem.n_features)))
    turned = sw.Problem(problem.objective, problem.constraints[::-1])
    assert outcome(oracle(problem, score)) == outcome(oracle(turned, score))


@given(st.integers(2, 5).flatmap(conflicts), st.data())
def test_pinned_items_are_where_the_list_starts(limit, data):
    n = limit.n_items
    problem = sw.Problem(data.draw(separable_objectives(n, 2)), [limit, sw.Cardinality(3)])
    pinned = data.draw(st.integers(0, n - 1))
    score = known(problem, np.ones(2))
    slate = sw.Greedy()(problem, score, pinned=[pinned])
    rest = [e for e in range(n) if e != pinned and problem.feasible((pinned, e))]
    gains = problem.objective.gains(grown(problem, [pinned]))
    assert slate.items[:1] == (pinned,)
    assert not rest or slate.items[1] == rest[int(np.argmax(score.exactly(gains[rest])))]


def test_best_start_refuses_large_catalogues_and_says_why():
    problem = sw.Problem(sw.Modular(np.ones((300, 1))), [sw.Cardinality(5)])
    with pytest.raises(ValueError, match=r"problem: has 300 candidates.*200 at most"):
        sw.maximize(problem, [1.0], sw.BestStart(3))
    hundred = sw.Problem(sw.Modular(np.ones((100, 1))), [sw.Cardinality(5)])
    assert sw.maximize(hundred, [1.0], sw.BestStart(3)).items == (0, 1, 2, 3, 4)
