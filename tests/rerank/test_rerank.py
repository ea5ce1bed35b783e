"""`sw.rerank`: what it promises, for any scores, embeddings and limits, on both of its paths."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slatewise as sw
from slatewise.reranking import Limits, compiled_slate, objective_of, relevance_of
from slatewise.testing import check_objective

SEEDS = st.integers(0, 2**32 - 1)
DIVERSITIES = st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0])


def directions(embeddings):
    lengths = np.linalg.norm(embeddings, axis=1, keepdims=True)
    return np.divide(embeddings, lengths, out=np.zeros_like(embeddings), where=lengths > 0)


def similarity(embeddings):
    """K, by its definition."""
    unit = directions(np.asarray(embeddings, dtype=np.float64))
    kernel = (1.0 + unit @ unit.T) / 2.0
    np.fill_diagonal(kernel, 1.0)
    return kernel


def relevance(scores):
    scores = np.asarray(scores, dtype=np.float64)
    span = np.ptp(scores)
    return (scores - scores.min()) / span if span else np.zeros(len(scores))


def value(items, scores, embeddings, diversity):
    """f(S), as the docstring of `rerank` has it."""
    chosen = list(items)
    inside = similarity(embeddings)[np.ix_(chosen, chosen)]
    volume = np.linalg.slogdet(np.eye(len(chosen)) + inside)[1] / np.log(2.0)
    share = max(1.0 - diversity, 1e-6)
    return float(share * relevance(scores)[chosen].sum() + diversity * volume)


def candidates(rng, n, p):
    """Scores and embeddings in general position."""
    return rng.normal(size=n), rng.normal(size=(n, p))


def tied(rng, n, p):
    """Whole numbers, copies and rows of zeros: many candidates score the same."""
    scores = rng.integers(0, 4, n).astype(np.float64)
    embeddings = rng.integers(0, 2, (n, p)).astype(np.float64)
    embeddings[rng.random(n) < 0.1] = 0.0
    copies = rng.random(n) < 0.3
    origin = rng.integers(0, n, n)
    scores[copies], embeddings[copies] = scores[origin[copies]], embeddings[origin[copies]]
    return scores, embeddings


def limits(rng, n, *, knapsacks=True):
    """A mixture of limits of several kinds."""
    drawn: list[sw.Constraint] = [sw.Cardinality(int(rng.integers(1, 6)), name="items")]
    if knapsacks and rng.random() < 0.7:
        drawn.append(sw.Knapsack(rng.random(n), 1.0))
    if rng.random() < 0.5:
        drawn.append(sw.PartitionMatroid(rng.integers(0, 3, n), 2))
    if rng.random() < 0.5:
        drawn.append(sw.LabelLimits(rng.random((n, 3)) < 0.4, 2))
    if n > 1 and rng.random() < 0.3:
        drawn.append(sw.Conflicts([(0, 1)], n))
    if rng.random() < 0.2:
        drawn = drawn[1:]
    return drawn


def by_both_paths(scores, embeddings, constraints, diversity):
    """The slates of the plain and of the compiled path, whatever the number of candidates."""
    found = relevance_of(np.asarray(scores, dtype=np.float64), exactly=diversity == 0)
    weights = np.array([max(1.0 - diversity, 1e-6), diversity])
    problem = sw.Problem(objective_of(found, embeddings), constraints)
    plain = sw.maximize(problem, weights, sw.Greedy())
    return plain, compiled_slate(found, embeddings, Limits.of(constraints, len(scores)), weights)


@given(SEEDS, st.integers(1, 12), DIVERSITIES, st.sampled_from([candidates, tied]))
def test_the_slate_is_feasible_maximal_and_worth_what_it_says(seed, n, diversity, drawn):
    rng = np.random.default_rng(seed)
    scores, embeddings = drawn(rng, n, 3)
    constraints = limits(rng, n)
    slate = sw.rerank(scores, embeddings, constraints, diversity)
    problem = sw.Problem(objective_of(relevance(scores), embeddings), constraints)
    assert problem.feasible(slate.items)
    if not problem.n_knapsacks:
        assert not any(problem.feasible((*slate.items, e)) for e in set(range(n)) - {*slate.items})
    assert slate.score == pytest.approx(value(slate.items, scores, embeddings, diversity), abs=1e-9)
    assert slate.feature_space.names == ("relevance", "diversity")
    weights = [max(1.0 - diversity, 1e-6), diversity]
    np.testing.assert_allclose(slate.features @ weights, slate.mean, atol=1e-12)
    np.testing.assert_allclose(slate.features, problem.features(slate.items), atol=1e-8)


def subsets(n):
    return chain.from_iterable(combinations(range(n), length) for length in range(n + 1))


@given(SEEDS, st.integers(1, 7), DIVERSITIES, st.sampled_from([candidates, tied]))
def test_the_slate_keeps_the_guarantee(seed, n, diversity, drawn):
    rng = np.random.default_rng(seed)
    scores, embeddings = drawn(rng, n, 2)
    constraints = limits(rng, n)
    problem = sw.Problem(objective_of(relevance(scores), embeddings), constraints)
    best = max(value(s, scores, embeddings, diversity) for s in subsets(n) if problem.feasible(s))
    if all(isinstance(limit, sw.Cardinality) for limit in constraints):
        share = 1.0 - np.exp(-1.0)
    else:
        share = problem.alpha(0.1) if problem.n_knapsacks else 1.0 / (problem.k + 1)
    slate = sw.rerank(scores, embeddings, constraints, diversity)
    assert slate.score >= share * best - 1e-9


@given(st.lists(st.floats(-1e308, 1e308), min_size=1, max_size=30), SEEDS)
def test_no_diversity_is_the_order_of_relevance(scores, seed):
    embeddings = np.random.default_rng(seed).normal(size=(len(scores), 2))
    expected = tuple(np.argsort(-np.array(scores), kind="stable"))
    assert sw.rerank(scores, embeddings, diversity=0.0).items == expected
    assert sw.rerank(scores, embeddings, [sw.Cardinality(3)], 0.0).items == expected[:3]


def test_no_diversity_under_limits_takes_the_most_relevant_that_fit():
    slate = sw.rerank([3.0, 2.0, 1.0, 0.0], np.eye(4), [sw.PartitionMatroid([0, 0, 1, 1], 1)], diversity=0.0)
    assert slate.items == (0, 2)


@given(SEEDS, st.sampled_from([0.2, 0.5, 0.8, 1.0]), st.sampled_from([8, 90]))
def test_only_relative_scores_and_directions_matter(seed, diversity, n):
    rng = np.random.default_rng(seed)
    scores, embeddings = candidates(rng, n, 5)
    limit = [sw.Cardinality(4)]
    slate = sw.rerank(scores, embeddings, limit, diversity)
    for scale, shift in ((2.0, 0.0), (1e-3, 7.0), (1e6, -3.0)):
        assert sw.rerank(scale * scores + shift, embeddings, limit, diversity).items == slate.items
    stretched = embeddings * rng.uniform(0.1, 10.0, (n, 1))
    assert sw.rerank(scores, stretched, limit, diversity).items == slate.items
    assert sw.rerank(scores, embeddings * 1e-200, limit, diversity).items == slate.items
    assert sw.rerank(scores, embeddings * 1e200, limit, diversity).items == slate.items


@given(SEEDS, DIVERSITIES, st.sampled_from([8, 90]))
def test_renumbering_the_candidates_renumbers_the_slate(seed, diversity, n):
    rng = np.random.default_rng(seed)
    scores, embeddings = candidates(rng, n, 5)
    order = rng.permutation(n)
    limit = [sw.Cardinality(5)]
    slate = sw.rerank(scores, embeddings, limit, diversity)
    renumbered = sw.rerank(scores[order], embeddings[order], limit, diversity)
    assert tuple(order[list(renumbered.items)]) == slate.items


@given(SEEDS, DIVERSITIES, st.sampled_from([candidates, tied]), st.sampled_from([np.float32, np.float64]))
def test_the_compiled_path_gives_the_plain_paths_slate(seed, diversity, drawn, dtype):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    scores, embeddings = drawn(rng, n, int(rng.integers(1, 6)))
    constraints = limits(rng, n, knapsacks=False)
    plain, compiled = by_both_paths(scores, embeddings.astype(dtype), constraints, diversity)
    assert compiled.items == plain.items
    assert compiled.n_candidates == plain.n_candidates
    assert compiled.threshold is None
    assert compiled.feature_space == plain.feature_space
    np.testing.assert_allclose(compiled.features, plain.features, atol=1e-9)
    np.testing.assert_allclose(compiled.mean, plain.mean, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("diversity", [0.1, 0.5, 1.0])
def test_the_compiled_path_gives_the_plain_paths_full_ranking(dtype, diversity):
    scores, embeddings = candidates(np.random.default_rng(5), 210, 24)
    plain, compiled = by_both_paths(scores, embeddings.astype(dtype), [], diversity)
    assert compiled.items == plain.items
    assert sorted(compiled.items) == list(range(210))


def test_a_copy_waits_until_something_different_was_listed():
    embeddings = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    scores = [1.0, 1.0, 0.9, 0.0]
    assert sw.rerank(scores, embeddings).items == (0, 2, 1, 3)
    assert sw.rerank(scores, embeddings, diversity=0.0).items == (0, 1, 2, 3)


def test_the_most_diverse_slate_still_begins_with_the_most_relevant():
    scores, embeddings = candidates(np.random.default_rng(0), 300, 8)
    assert sw.rerank(scores, embeddings, [sw.Cardinality(2)], diversity=1.0).items[0] == np.argmax(scores)


def test_diversity_trades_relevance_for_dissimilarity():
    scores, embeddings = candidates(np.random.default_rng(1), 300, 8)
    unit = directions(embeddings)

    def measured(diversity):
        items = list(sw.rerank(scores, embeddings, [sw.Cardinality(10)], diversity).items)
        return scores[items].mean(), (unit[items] @ unit[items].T)[np.triu_indices(10, 1)].mean()

    found = np.array([measured(diversity) for diversity in (0.0, 0.5, 1.0)])
    assert np.all(np.diff(found, axis=0) < 0)


@pytest.mark.parametrize(
    ("scores", "embeddings"),
    [([0.3], [[1.0, 2.0]]), ([0.3], [[0.0, 0.0]]), ([1.0, 1.0], [[0.0], [0.0]]), ([1.0, 2.0], [[], []])],
)
def test_the_smallest_inputs_and_rows_of_zeros_are_fine(scores, embeddings):
    slate = sw.rerank(scores, embeddings, diversity=0.5)
    assert sorted(slate.items) == list(range(len(scores)))


def test_nothing_fits_is_no_error():
    assert sw.rerank([1.0, 2.0], np.eye(2), [sw.Cardinality(0)]).items == ()
    assert sw.rerank(np.arange(300.0), np.ones((300, 2)), [sw.Cardinality(0)]).items == ()
    assert sw.rerank([1.0, 2.0], np.eye(2), [sw.Knapsack([2.0, 2.0], 1.0)]).items == ()


def test_what_the_caller_gave_stays_as_it_was():
    scores, embeddings = candidates(np.random.default_rng(2), 300, 4)
    before = scores.copy(), embeddings.copy()
    sw.rerank(scores, embeddings, [sw.Cardinality(5)])
    np.testing.assert_array_equal(scores, before[0])
    np.testing.assert_array_equal(embeddings, before[1])
    assert scores.flags.writeable
    assert embeddings.flags.writeable


def spoilt(n, place, wrong, dtype):
    embeddings = np.ones((n, 2), dtype=dtype)
    embeddings[place] = wrong
    return embeddings


ERRORS = [
    ({"scores": [1.0, np.nan]}, r"scores: must be finite, but scores\[1\] is nan"),
    ({"scores": [-np.inf, 1.0]}, r"scores: must be finite, but scores\[0\] is -inf"),
    ({"scores": [[1.0], [2.0]]}, "scores: must have shape"),
    ({"scores": []}, "scores: must have at least one item"),
    ({"scores": ["a", "b"]}, "scores: must be an array of"),
    ({"embeddings": [1.0, 2.0]}, "embeddings: must have shape"),
    ({"embeddings": np.ones((3, 2))}, r"embeddings: must have shape \(2, any\), but has \(3, 2\)"),
    ({"embeddings": [[1.0], [np.inf]]}, r"embeddings: must be finite, but embeddings\[1, 0\] is inf"),
    ({"diversity": 1.5}, "diversity: must be at most 1, but is 1.5"),
    ({"diversity": -0.1}, "diversity: must be at least 0"),
    ({"diversity": np.nan}, "diversity: must be finite"),
    ({"diversity": "much"}, "diversity: must be a number"),
    ({"constraints": [3]}, r"constraints: must hold constraints, but constraints\[0\] is 3"),
    ({"constraints": [sw.Knapsack([1.0], 1.0)]}, r"constraints: constraints\[0\] is on 1 items"),
    (
        {"constraints": [sw.Cardinality(1, name="a"), sw.Cardinality(2, name="a")]},
        "constraints: must have diff",
    ),
]


@pytest.mark.parametrize(("wrong", "message"), ERRORS)
def test_errors_name_the_argument_and_the_place(wrong, message):
    arguments = {"scores": [1.0, 2.0], "embeddings": np.eye(2)} | wrong
    with pytest.raises(sw.ArgumentError, match=f"^{message}"):
        sw.rerank(**arguments)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("constraints", [[], [sw.Knapsack(np.ones(300), 2.0)]])
def test_errors_name_the_place_among_many_candidates_too(dtype, wrong, constraints):
    with pytest.raises(ValueError, match=r"^embeddings: must be finite, but embeddings\[7, 1\] is"):
        sw.rerank(np.arange(300.0), spoilt(300, (7, 1), wrong, dtype), constraints)


@given(SEEDS, st.sampled_from([candidates, tied]), st.sampled_from([1.0, 1e-200, 1e200]))
def test_the_volume_of_embeddings_keeps_the_contract_of_objectives(seed, drawn, scale):
    rng = np.random.default_rng(seed)
    _, embeddings = drawn(rng, 6, 3)
    kernel = similarity(embeddings)

    def volume(items):
        inside = kernel[np.ix_(list(items), list(items))]
        return [np.linalg.slogdet(np.eye(len(items)) + inside)[1] / np.log(2.0)]

    check_objective(sw.EmbeddingVolume(scale * embeddings), seed=seed % 1000, value=volume)


def test_copies_gain_the_same_bits_wherever_they_stand():
    rng = np.random.default_rng(3)
    embeddings = rng.normal(size=(103, 385))
    embeddings[[17, 50, 102]] = embeddings[4]
    volume = sw.EmbeddingVolume(embeddings)
    gains = volume.gains(volume.add(volume.add(volume.empty(), 9), 30)).ravel()
    assert len({*gains[[4, 17, 50, 102]].tolist()}) == 1


def test_taken_items_keep_their_gains():
    volume = sw.EmbeddingVolume(np.random.default_rng(4).normal(size=(6, 3)))
    some = volume.take(np.array([5, 1, 3]))
    gains = some.gains(some.add(some.empty(), 0))
    np.testing.assert_array_equal(gains[1:], volume.gains(volume.add(volume.empty(), 5))[[1, 3]])
