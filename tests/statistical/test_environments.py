"""Simulated users react as they say, and intervals hold what they should.

False alarm: at most 1e-6 a test, from exact binomial and chi-square laws, for fixed seeds.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from scipy.stats import binomtest

import slatewise as sw
from slatewise.environments import (
    Bernoulli,
    GaussianNoise,
    Newsletter,
    SimulatedUser,
    interval_of_mean,
    paired_difference,
    play,
    simulate,
)

from .chance import FALSE_ALARM, chi_square_range

pytestmark = pytest.mark.statistical

PROBLEM = sw.Problem(
    sw.ProbabilisticCoverage([[0.9, 0.1], [0.5, 0.5], [0.0, 0.8], [1.0, 1.0]]), [sw.Cardinality(3)]
)
WEIGHTS = np.array([0.7, 0.2])


def test_clicks_come_with_the_probability_of_the_gain() -> None:
    """The false alarm of three exact two-sided binomial tests together."""
    user, slate, count = SimulatedUser(PROBLEM, WEIGHTS), PROBLEM.slate([1, 0, 2]), 4000
    rng = sw.stream(41, "clicks", 0)
    clicks = np.array([user.reward(slate, rng) for _ in range(count)])
    assert set(np.unique(clicks)) <= {0.0, 1.0}
    gains = slate.features @ WEIGHTS
    assert user.expected(slate) == pytest.approx(gains)
    for found, p in zip(clicks.sum(axis=0), gains, strict=True):
        assert binomtest(int(found), count, p).pvalue > FALSE_ALARM / 3


def test_a_gain_above_one_is_a_certain_click_and_keeps_its_value() -> None:
    user, slate = SimulatedUser(PROBLEM, [2.0, 1.0]), PROBLEM.slate([3])
    assert user.expected(slate) == [1.0]
    assert all(user.reward(slate, sw.stream(0, 0, number)) == [1.0] for number in range(100))
    assert user.value([3]) == 3.0


def test_noise_is_gaussian_around_the_gain() -> None:
    """Mean and variance by their exact laws, half of the false alarm each."""
    user, slate, count = SimulatedUser(PROBLEM, WEIGHTS, GaussianNoise(0.3)), PROBLEM.slate([1, 0]), 2000
    rng = sw.stream(43, "noise", 0)
    errors = (
        np.array([user.reward(slate, rng) - slate.features @ WEIGHTS for _ in range(count)]).ravel() / 0.3
    )
    assert len(errors) * errors.mean() ** 2 <= chi_square_range(1, FALSE_ALARM)[1]
    low, high = chi_square_range(len(errors), FALSE_ALARM / 2)
    assert low <= (errors**2).sum() <= high


def test_the_value_of_a_list_is_the_sum_of_its_gains() -> None:
    user = SimulatedUser(PROBLEM, WEIGHTS)
    assert user.value([1, 0, 2]) == pytest.approx(float(user.expected(PROBLEM.slate([1, 0, 2])).sum()))
    assert user.value([]) == 0


BAD = {
    "too few weights": ("weights", lambda: SimulatedUser(PROBLEM, [1.0])),
    "negative weight": ("weights", lambda: SimulatedUser(PROBLEM, [1.0, -0.1])),
    "negative noise": ("std", lambda: GaussianNoise(-1.0)),
    "one user": ("samples", lambda: interval_of_mean([1.0])),
    "not a number": ("samples", lambda: interval_of_mean([1.0, np.nan])),
    "certainty": ("confidence", lambda: interval_of_mean([1.0, 2.0], confidence=1.0)),
    "unpaired": ("theirs", lambda: paired_difference([1.0, 2.0], [1.0])),
    "no rounds": (
        "rounds",
        lambda: simulate(sw.lsb_greedy(), PROBLEM, SimulatedUser(PROBLEM, WEIGHTS), rounds=0, seed=0),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_named(case: str) -> None:
    argument, make = BAD[case]
    with pytest.raises(sw.ArgumentError) as caught:
        make()
    assert caught.value.argument == argument


def test_a_slate_over_other_features_is_refused() -> None:
    other = sw.Problem(sw.Modular(np.ones((2, 2))), [])
    with pytest.raises(sw.ArgumentError, match="slate"):
        SimulatedUser(PROBLEM, WEIGHTS).reward(other.slate([0]), sw.stream(0, 0, 0))


@pytest.mark.parametrize("reactions", [Bernoulli(), GaussianNoise(0.1)])
def test_playing_is_selecting_reacting_and_updating(reactions: Bernoulli | GaussianNoise) -> None:
    """Also for a policy that draws, and again the same for the same seed."""
    user, policy = SimulatedUser(PROBLEM, WEIGHTS, reactions), sw.random_policy()
    played = list(islice(play(policy, PROBLEM, user, seed=3, user=2), 5))
    again = simulate(policy, PROBLEM, user, rounds=5, seed=3, user=2)
    assert again.rewards == pytest.approx([one.rewards.sum() for one in played])
    assert again.values == pytest.approx([one.value for one in played])
    assert again.last.slate.items == played[-1].slate.items
    assert again.regret(1.0)[-1] == pytest.approx(5 - sum(one.value for one in played))
    for number, one in enumerate(played):
        assert one.number == number
        assert one.state.posterior.n_observations == sum(len(earlier.slate) for earlier in played[:number])
        assert policy.select(one.state, PROBLEM, rng=sw.stream(3, 2, number)).items == one.slate.items


def test_intervals_hold_the_mean_as_often_as_they_say() -> None:
    """Student's interval is exact for normal numbers: coverage by an exact two-sided binomial test."""
    trials, rng = 4000, sw.stream(47, "intervals", 0)
    found = interval_of_mean(rng.normal(1.5, 2.0, size=(6, trials)), confidence=0.9)
    held = int(((found.low <= 1.5) & (found.high >= 1.5)).sum())
    assert binomtest(held, trials, 0.9).pvalue > FALSE_ALARM


def test_a_paired_difference_forgets_what_users_share() -> None:
    """Users differ by far more than policies do; the paired interval sees the policies alone."""
    users = 100 * sw.stream(53, "users", 0).standard_normal(8)
    found = paired_difference(users + np.linspace(0.9, 1.1, 8), users)
    assert found.mean == pytest.approx(1.0)
    assert found.sign == 1
    assert interval_of_mean(users).sign == 0
    assert paired_difference(users, users + 1).sign == -1


def test_the_newsletters_readers_have_probabilities() -> None:
    """No article's chance of being read exceeds 1, so that what is read on average is f."""
    for seed in range(20):
        newsletter = Newsletter.invent(rng=sw.stream(seed, "newsletter", 0))
        reader = newsletter.reader(sw.stream(seed, "tastes", 0))
        assert (newsletter.levels @ np.asarray(reader.weights)).max() <= 1
        assert newsletter.minutes.min() >= 1
        assert len(newsletter.titles) == newsletter.problem.n_items == 400
