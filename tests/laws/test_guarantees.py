"""What is proven of the algorithms, on instances that are small enough to enumerate."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import slatewise as sw

from .strategies import ANY, SEEDS, beliefs, best_value, feasible_sets, objectives, problems, weighted

SLACK = 1e-9
EPSILONS = st.sampled_from([0.05, 0.3, 1.0])


@given(weighted(), EPSILONS)
def test_the_sweep_reaches_its_share_of_the_best_value(drawn, epsilon):
    """Theorem 1 with σ = 0: w·f(S) ≥ α·OPT, at any scale of w and of the features."""
    problem, weights = drawn
    slate = sw.maximize(problem, weights, sw.ThresholdSweep(epsilon=epsilon))
    value = float(problem.value(slate.items) @ weights)
    assert value >= problem.alpha(epsilon) * best_value(problem, weights) * (1 - SLACK)


@given(weighted())
def test_the_default_reaches_its_share_and_is_never_worse_than_the_greedy_lists(drawn):
    problem, weights = drawn
    value = float(problem.value(sw.maximize(problem, weights).items) @ weights)
    assert value >= problem.alpha(0.1) * best_value(problem, weights) * (1 - SLACK)
    for oracle in (sw.Greedy(), sw.CostBenefitGreedy()):
        other = sw.maximize(problem, weights, oracle)
        assert value >= float(problem.value(other.items) @ weights) * (1 - SLACK)


@given(weighted(), st.integers(1, 6), EPSILONS)
def test_the_length_of_the_longest_list_is_enough_for_the_guarantee(drawn, m, epsilon):
    problem, weights = drawn
    problem = sw.Problem(problem.objective, [*problem.constraints, sw.Cardinality(m)])
    slate = sw.maximize(problem, weights, sw.ThresholdSweep(epsilon=epsilon, max_length=m))
    value = float(problem.value(slate.items) @ weights)
    assert value >= problem.alpha(epsilon) * best_value(problem, weights) * (1 - SLACK)


ORACLES = [
    None,
    sw.ThresholdSweep(epsilon=0.2),
    sw.Greedy(),
    sw.CostBenefitGreedy(),
    sw.BestStart(),
    sw.Exact(),
]


@given(weighted(), st.sampled_from(ORACLES), st.integers(-60, 60))
def test_weights_times_a_power_of_two_change_no_list(drawn, oracle, exponent):
    """Exactly scaled, ties and all."""
    problem, weights = drawn
    one, other = (sw.maximize(problem, w, oracle) for w in (weights, weights * 2.0**exponent))
    assert one.items == other.items


@given(SEEDS, st.sampled_from(ORACLES), st.sampled_from([-100, -30, -6, -1, 1, 6, 30, 100]))
def test_weights_times_a_power_of_ten_change_no_list_in_general_position(seed, oracle, exponent):
    rng = np.random.default_rng(seed)
    P, w = rng.random((6, 3)), rng.random(3)
    limits = [sw.Knapsack(rng.random(6), 1.0), sw.PartitionMatroid(rng.integers(0, 2, 6), 2)]
    problem = sw.Problem(sw.ProbabilisticCoverage(P), limits)
    one, other = (sw.maximize(problem, weights, oracle) for weights in (w, w * 10.0**exponent))
    assert one.items == other.items


# ------------------------------------------------------------------------------------- Proposition 3


@given(
    st.data(),
    problems(largest=5),
    st.sampled_from([0.0, 1e-3, 0.05, 0.2, 0.7, 2.0, 10.0]),
    st.floats(0.0, 3.0),
)
def test_the_list_of_a_threshold_meets_proposition_3(data, problem, rho, beyond):
    """On the event |w_t - w| ≤ β in the norm of M_t, for every feasible C.

    f(S) + 2βσ(S) ≥ min{ρ/2, (f(S and C) - lρ) / (k + 1)}.
    """
    posterior = data.draw(beliefs(problem.n_features))
    w = np.array(data.draw(st.lists(ANY, min_size=problem.n_features, max_size=problem.n_features)))
    gap = w - posterior.mean
    beta = float(np.sqrt(gap @ posterior.precision @ gap)) * (1.0 + SLACK) + beyond
    score = sw.Score(posterior.at(), beta=beta)
    listed = list_of_threshold(problem, score, rho)
    assume(np.isfinite(score.of_list(listed.mean, listed.std)))
    hoped = float(problem.value(listed.items) @ w) + 2.0 * beta * sum(listed.std)
    k, n_knapsacks = problem.k, problem.n_knapsacks
    for other in feasible_sets(problem):
        both = float(problem.value(sorted({*listed.items, *other})) @ w)
        promised = min(rho / 2.0, (both - n_knapsacks * rho) / (k + 1.0))
        assert hoped >= promised - 1e-7 * max(abs(promised), both, rho)


def list_of_threshold(problem, score, rho):
    """GM-UCB's list at one threshold: of a grid that begins with it, the list of the smallest one."""
    if rho == 0.0:
        tiny = 1e-300  # a threshold of 0 by a ν that is next to nothing
        rho = tiny
    r = 2.0 / (problem.k + 2 * problem.n_knapsacks + 1)
    nu = rho * 1001.0 / r
    oracle = sw.ThresholdSweep(epsilon=1000.0, nu=nu, nu_max=nu, max_length=1)
    search = sw.Search(problem, score)
    assert oracle.grid(search)[0] == pytest.approx(rho, rel=1e-12)
    return min(oracle.lists(search), key=lambda listed: listed.threshold)


@given(st.data(), problems(largest=5))
def test_on_the_event_the_upper_confidence_bound_of_a_list_is_one(data, problem):
    """|Σμ - f(S)| ≤ βΣσ, so that Σμ + 3βΣσ ≥ f(S) + 2βΣσ: Lemma 1's first step."""
    posterior = data.draw(beliefs(problem.n_features))
    w = np.array(data.draw(st.lists(ANY, min_size=problem.n_features, max_size=problem.n_features)))
    gap = w - posterior.mean
    beta = float(np.sqrt(gap @ posterior.precision @ gap))
    slate = sw.Greedy()(problem, sw.Score(posterior.at(), beta=beta))
    value, spread = float(problem.value(slate.items) @ w), beta * float(slate.std.sum())
    size = abs(value) + spread + float(np.abs(slate.mean).sum())
    assert abs(float(slate.mean.sum()) - value) <= spread + SLACK * size
    assert slate.score >= value + 2.0 * spread - SLACK * size


# ------------------------------------------------------------------------------- bounds and certificates


@given(weighted())
def test_the_upper_bound_lies_between_the_best_value_and_that_of_all_that_fits(drawn):
    problem, weights = drawn
    bound = sw.upper_bound(problem, weights)
    alone = [item for item in range(problem.n_items) if problem.feasible([item])]
    assert bound >= best_value(problem, weights) * (1 - 1e-12)
    assert bound <= float(problem.value(alone) @ weights) * (1 + 1e-12)


@given(st.integers(1, 6).flatmap(lambda n: st.tuples(objectives(n), st.integers(0, 3))))
def test_the_upper_bound_of_a_problem_with_room_for_all_is_its_value(drawn):
    objective, room = drawn
    problem = sw.Problem(objective, [sw.Cardinality(objective.n_items + room)])
    weights = np.ones(objective.n_features)
    everything = float(problem.value(range(objective.n_items)) @ weights)
    assert sw.upper_bound(problem, weights) == pytest.approx(everything, rel=1e-9, abs=1e-14)


@given(weighted(), st.data())
def test_certificates_are_shares_and_true(drawn, data):
    problem, weights = drawn
    best = best_value(problem, weights)
    for items in [sw.maximize(problem, weights).items, data.draw(st.sampled_from(feasible_sets(problem)))]:
        slate = problem.slate(items)
        share = sw.certificate(problem, weights, slate)
        assert 0.0 <= share <= 1.0
        assert float(problem.value(items) @ weights) >= share * best * (1 - 1e-12)
        if best == 0:
            assert share == 1.0


@given(st.lists(st.integers(0, 20), min_size=1, max_size=7), st.integers(1, 4))
def test_the_certificate_of_the_best_items_of_a_sum_is_one(values, m):
    """One cardinality limit over a sum: the bound is tight, and greedy is best."""
    problem = sw.Problem(sw.Modular(np.array(values, dtype=float)[:, np.newaxis]), [sw.Cardinality(m)])
    slate = sw.maximize(problem, [1.0])
    assert sw.certificate(problem, [1.0], slate) >= 1.0 - 1e-8


@given(weighted(largest=7))
def test_no_oracle_beats_the_exact_one(drawn):
    problem, weights = drawn
    exact = sw.maximize(problem, weights, sw.Exact())
    assert exact.score == pytest.approx(best_value(problem, weights), rel=1e-11, abs=0.0)
    for oracle in ORACLES:
        assert sw.maximize(problem, weights, oracle).score <= exact.score * (1 + 1e-11)
