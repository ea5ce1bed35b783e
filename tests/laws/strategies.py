"""Problems as Hypothesis draws them: ties, duplicates, free items, exact fits, all scales, mixed limits."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

import slatewise as sw

TIED = st.sampled_from([0.0, 0.0, 0.1, 0.2, 0.3, 0.5, 0.5, 1.0])
ANY = st.one_of(TIED, st.floats(1e-9, 1.0))
SCALES = st.sampled_from([1.0, 1.0, 1e-9, 1e-3, 1e4, 1e12])
SEEDS = st.integers(0, 2**32 - 1)


def matrices(n, d, numbers=ANY):
    """(n, d) arrays of numbers that may repeat, rows that may repeat, zeros among them."""
    rows = st.lists(numbers, min_size=d, max_size=d)
    return st.lists(rows, min_size=n, max_size=n).map(lambda drawn: np.array(drawn, dtype=np.float64))


@st.composite
def tables(draw, n, d, numbers=ANY):
    """The same, with an item or two made equal to another."""
    table = draw(matrices(n, d, numbers))
    twins = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2))
    for one, other in twins:
        table[one] = table[other]
    return table


@st.composite
def in_general_position(draw, n, d):
    """(n, d) reals of which no two sums are near each other."""
    return np.random.default_rng(draw(SEEDS)).random((n, d))


def separable_objectives(n, d):
    """Objectives whose features are a matrix and two scalar functions, at any scale that they take."""
    scaled = st.builds(lambda table, scale: table * scale, tables(n, d), SCALES)
    return st.one_of(
        tables(n, d).map(sw.ProbabilisticCoverage),
        tables(n, d, st.booleans()).map(sw.Coverage),
        scaled.map(sw.Modular),
        scaled.map(sw.FacilityLocation),
        scaled.map(lambda table: sw.ConcaveOverModular(table, np.sqrt)),
        tables(n, d).map(lambda table: sw.ConcaveOverModular(table, np.log1p)),
        tables(n, d).map(lambda table: sw.ClippedCoverage(table, np.linspace(0.3, 2.0, d))),
    )


@st.composite
def log_determinants(draw, n):
    """Kernels of any rank."""
    factor = draw(tables(n, draw(st.integers(1, 3))))
    return sw.LogDeterminant(factor @ factor.T)


@st.composite
def entropies(draw, n):
    """Variables with a few outcomes in a few scenarios."""
    outcomes = draw(matrices(n, draw(st.integers(1, 6)), st.integers(0, 2)))
    return sw.Entropy(outcomes.astype(np.int64))


@st.composite
def informations(draw, n):
    """Noisy looks at a variable with two or three values."""
    chances = 0.01 + np.stack([draw(matrices(n, 2)) for _ in range(draw(st.integers(2, 3)))], axis=1)
    return sw.MutualInformation(chances / chances.sum(axis=2, keepdims=True))


def objectives(n, d=2):
    """Any objective on n items."""
    separable = separable_objectives(n, d)
    general = st.one_of(log_determinants(n), entropies(n), informations(n))
    stacks = st.lists(st.one_of(separable, general), min_size=2, max_size=3).map(sw.Stack)
    return st.one_of(separable, separable, general, stacks)


def sharp_objectives(n, d=2):
    """Objectives without entropies, whose terms cancel: where nothing is gained, exactly 0 is."""
    sharp = st.one_of(separable_objectives(n, d), separable_objectives(n, d), log_determinants(n))
    return st.one_of(sharp, sharp, st.lists(sharp, min_size=2, max_size=3).map(sw.Stack))


def knapsacks(n):
    """Costs in tenths, some zero, some beyond the budget, and any real ones."""
    tenths = st.sampled_from([0, 0, 1, 2, 3, 4, 5, 6, 8]).map(lambda tenth: tenth / 10)
    costs = st.lists(st.one_of(tenths, ANY), min_size=n, max_size=n)
    budgets = st.sampled_from([0.3, 0.6, 0.7, 1.0])

    def scaled(some, budget, scale):
        return sw.Knapsack(np.array(some) * scale, budget * scale)

    return st.builds(scaled, costs, budgets, SCALES)


def flags(n, width):
    """(n, width) truth values."""
    return matrices(n, width, st.booleans()).map(lambda drawn: drawn > 0)


@st.composite
def partitions(draw, n):
    labels = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    limits = draw(st.one_of(st.integers(0, 2), st.lists(st.integers(0, 2), min_size=3, max_size=3)))
    return sw.PartitionMatroid(labels, limits)


@st.composite
def labels(draw, n):
    width = draw(st.integers(1, 3))
    limits = st.lists(st.integers(0, 3), min_size=width, max_size=width)
    return sw.LabelLimits(draw(flags(n, width)), draw(limits))


@st.composite
def laminars(draw, n):
    """All items, halves of them, and quarters."""
    groups = [np.ones(n, dtype=bool), np.arange(n) < n // 2, np.arange(n) < n // 4, np.arange(n) >= n // 2]
    limits = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
    return sw.LaminarMatroid(np.array(groups).T, limits)


@st.composite
def forests(draw, n):
    vertex = st.integers(0, 4)
    return sw.GraphicMatroid(draw(st.lists(st.tuples(vertex, vertex), min_size=n, max_size=n)))


@st.composite
def conflicts(draw, n):
    pairs = draw(st.lists(st.sampled_from(list(combinations(range(n), 2))), max_size=n))
    return sw.Conflicts(pairs, n)


@st.composite
def systems(draw, n):
    """Whole numbers that add up to so much at most: a system with the k of its largest and smallest."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    room = draw(st.integers(0, 6))
    return sw.KSystem(lambda items: sum(sizes[item] for item in items) <= room, 3, n)


def matroids_and_systems(n):
    """A limit that is no knapsack."""
    return st.one_of(
        st.integers(0, n).map(sw.Cardinality),
        partitions(n),
        labels(n),
        laminars(n),
        forests(n),
        flags(n, 3).map(sw.TransversalMatroid),
        conflicts(n),
        systems(n),
    )


@st.composite
def limits(draw, n, most_knapsacks=2, most_others=3):
    """A mix of limits, in any order."""
    some = draw(st.lists(knapsacks(n), max_size=most_knapsacks))
    others = draw(st.lists(matroids_and_systems(n), max_size=most_others))
    return draw(st.permutations([*some, *others]))


@st.composite
def problems(draw, smallest=2, largest=6, kinds=objectives):
    """A problem that is small enough to enumerate."""
    n = draw(st.integers(smallest, largest))
    return sw.Problem(draw(kinds(n)), draw(limits(n)))


@st.composite
def weighted(draw, smallest=2, largest=6, kinds=sharp_objectives):
    """A problem, and weights of its features, some of them zero."""
    problem = draw(problems(smallest, largest, kinds))
    numbers = st.lists(TIED, min_size=problem.n_features, max_size=problem.n_features)
    return problem, np.array(draw(numbers)) * draw(SCALES)


@st.composite
def beliefs(draw, d):
    """Posteriors of a linear model after a few rewards, negative ones too."""
    rows = draw(tables(draw(st.integers(0, 4)) + 1, d))
    rewards = draw(st.lists(st.floats(-1.0, 1.0), min_size=len(rows), max_size=len(rows)))
    regularization = draw(st.sampled_from([1e-2, 1.0, 30.0]))
    return sw.LinearModel(regularization=regularization).prior(d).condition(rows, rewards)


def feasible_sets(problem):
    """Every feasible set, by asking of each; lexicographic within a length."""
    n = problem.n_items
    return [
        items for size in range(n + 1) for items in combinations(range(n), size) if problem.feasible(items)
    ]


def best_value(problem, weights):
    """OPT, by enumeration."""
    return max(float(problem.value(items) @ weights) for items in feasible_sets(problem))
