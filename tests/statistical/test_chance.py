"""What draws draws as it says: RANDOM's lists and propensities, and posterior samples.

False alarm: at most 1e-6 a test, from exact chi-square laws (Bonferroni over directions), but for RANDOM's
counts, where Pearson's statistic is chi-square only in the limit; every cell expects at least 20.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import slatewise as sw

from .chance import FALSE_ALARM, chi_square_range

pytestmark = pytest.mark.statistical

# Five items, of which 0 and 1 are of one block, 2 is heavy, and 4 fits no list.
PROBLEM = sw.Problem(
    sw.Modular(np.ones((5, 1))),
    [sw.Cardinality(2), sw.PartitionMatroid([0, 0, 1, 2, 3], 1), sw.Knapsack([1, 1, 3, 1, 9], 3.0)],
)


def all_lists(items: tuple[int, ...] = (), chance: float = 1.0) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every list that RANDOM can end with, and the chance of it, by asking what fits as a whole."""
    fits = [e for e in range(PROBLEM.n_items) if e not in items and PROBLEM.feasible([*items, e])]
    if not fits:
        yield items, chance
    for item in fits:
        yield from all_lists((*items, item), chance / len(fits))


def draws(count: int) -> Iterator[sw.Slate]:
    policy = sw.random_policy()
    state = policy.init(PROBLEM)
    return (policy.select(state, PROBLEM, rng=sw.stream(23, 0, number)) for number in range(count))


def test_random_says_the_chance_of_each_position() -> None:
    expected = dict(all_lists())
    for slate in draws(100):
        assert slate.propensity is not None
        assert len(slate.propensity) == len(slate)
        assert np.prod(slate.propensity) == pytest.approx(expected[slate.items], rel=1e-12)


def test_random_draws_each_list_as_often_as_it_says() -> None:
    expected, count = dict(all_lists()), 2000
    assert sum(expected.values()) == pytest.approx(1.0)
    assert min(expected.values()) * count >= 20
    found = Counter(slate.items for slate in draws(count))
    assert found.keys() <= expected.keys()
    statistic = sum((found[items] - count * p) ** 2 / (count * p) for items, p in expected.items())
    assert statistic <= chi_square_range(len(expected) - 1)[1]


def drawn_weights(scale: float, count: int) -> tuple[sw.GaussianBelief, np.ndarray]:
    """A belief after some rewards, and what `PosteriorSample` draws from it."""
    rng = sw.stream(29, "posterior", 0)
    model = sw.LinearModel(mean=[0.5, -0.2, 0.1], precision=np.diag([1.0, 2.0, 4.0]) + 0.5)
    posterior = model.prior(3).condition(rng.random((6, 3)), rng.random(6))
    belief, index = posterior.at(), sw.PosteriorSample(scale)
    samples = [index.score(posterior, belief, rng).belief for _ in range(count)]
    return belief, np.array([one.mean for one in samples if isinstance(one, sw.GaussianBelief)])


@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_posterior_samples_have_the_beliefs_mean_and_covariance(scale: float) -> None:
    """Whitened, they are standard normal: mean by its length, covariance along directions that fix it.

    A symmetric matrix is fixed by its quadratic form at e_i and (e_i + e_j)/√2.
    """
    count = 4000
    belief, weights = drawn_weights(scale, count)
    covariance = scale**2 * belief.factor @ belief.factor.T
    whitened = np.linalg.solve(np.linalg.cholesky(covariance), (weights - belief.mean).T).T
    d = whitened.shape[1]
    directions = [np.eye(d)[i] for i in range(d)]
    directions += [(directions[i] + directions[j]) / np.sqrt(2) for i in range(d) for j in range(i)]
    share = FALSE_ALARM / (1 + len(directions))
    assert count * (whitened.mean(axis=0) ** 2).sum() <= chi_square_range(d, 2 * share)[1]
    low, high = chi_square_range(count, share)
    for direction in directions:
        assert low <= ((whitened @ direction) ** 2).sum() <= high


def test_the_sampled_belief_is_certain() -> None:
    """A draw is then taken for true: no spread, no width."""
    posterior = sw.LinearModel().prior(2)
    score = sw.PosteriorSample().score(posterior, posterior.at(), sw.stream(0, 0, 0))
    assert score.beta == 0
    assert (score.belief.predict(np.eye(2))[1] == 0).all()
