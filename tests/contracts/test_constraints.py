"""Every constraint, and a user's, through the contract of constraints, beside its plain definition."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest

import slatewise as sw
from slatewise.testing import check_constraint, true_k

from .nouns import missing

N = 6
COSTS = np.array([0.1, 0.2, 0.0, 0.7, 0.3, 1.5])
LABELS = np.array([0, 0, 1, 1, 2, 1])
MEMBERS = np.array([[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 1], [0, 0, 0], [0, 0, 1]])
NESTED = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 1], [0, 0, 1]])
EDGES = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "d"), ("a", "b")]
FITS = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 0], [1, 0, 1]])
PAIRS = [(0, 1), (0, 2), (0, 3), (2, 3), (4, 5)]


class AtMostOneOdd(sw.Constraint[int]):
    """A user's: at most one odd item; the state is how many there are."""

    n_items = N

    @property
    def k(self) -> int:
        return 1

    def empty(self) -> int:
        return 0

    def feasible(self, state: int) -> np.ndarray:
        return (np.arange(N) % 2 == 0) | (state == 0)

    def add(self, state: int, item: int) -> int:
        return state + item % 2


def fits_labels(items: tuple[int, ...], limits: tuple[int, ...], members: np.ndarray) -> bool:
    return bool(np.all(members[list(items)].sum(axis=0) <= limits))


def is_forest(items: tuple[int, ...]) -> bool:
    """Edges are independent where the incidence vectors over the field of two elements are."""
    vertices = sorted({vertex for edge in EDGES for vertex in edge})
    for size in range(1, len(items) + 1):
        for some in combinations(items, size):
            degree = dict.fromkeys(vertices, 0)
            for item in some:
                for vertex in EDGES[item]:
                    degree[vertex] += 1
            if all(count % 2 == 0 for count in degree.values()):
                return False
    return True


def have_slots(items: tuple[int, ...]) -> bool:
    return any(
        all(FITS[item, slot] for item, slot in zip(items, slots, strict=True))
        for slots in permutations(range(3), len(items))
    )


def in_peace(items: tuple[int, ...]) -> bool:
    return not any({*pair} <= {*items} for pair in PAIRS)


def few_in_sum(items: tuple[int, ...]) -> bool:
    return sum(items) <= 6


def mixed(items: tuple[int, ...]) -> bool:
    return (
        len(items) <= 3
        and COSTS[list(items)].sum() <= 1.0 + 1e-9
        and fits_labels(items, (1, 2, 1), MEMBERS)
        and in_peace(items)
        and have_slots(items)
    )


CONSTRAINTS = {
    "cardinality": (sw.Cardinality(3), lambda s: len(s) <= 3),
    "nothing at all": (sw.Cardinality(0), lambda s: not s),
    "knapsack": (sw.Knapsack(COSTS, 1.0), lambda s: sum(COSTS[list(s)]) <= 1.0 + 1e-9),
    "exact fit": (sw.Knapsack(COSTS, 0.3), lambda s: sum(COSTS[list(s)]) <= 0.3 + 1e-9),
    "huge costs": (sw.Knapsack(1e200 * COSTS, 1e200), lambda s: sum(COSTS[list(s)]) <= 1.0 + 1e-9),
    "partition": (
        sw.PartitionMatroid(LABELS, [1, 2, 0]),
        lambda s: all(sum(LABELS[list(s)] == g) <= limit for g, limit in enumerate((1, 2, 0))),
    ),
    "labels": (sw.LabelLimits(MEMBERS, [1, 2, 1]), lambda s: fits_labels(s, (1, 2, 1), MEMBERS)),
    "labels, none of one": (sw.LabelLimits(MEMBERS, [0, 1, 2]), lambda s: fits_labels(s, (0, 1, 2), MEMBERS)),
    "laminar": (sw.LaminarMatroid(NESTED, [2, 1, 1]), lambda s: fits_labels(s, (2, 1, 1), NESTED)),
    "forest": (sw.GraphicMatroid(EDGES), is_forest),
    "slots": (sw.TransversalMatroid(FITS), have_slots),
    "conflicts": (sw.Conflicts(PAIRS, N), in_peace),
    "no conflicts": (sw.Conflicts([], N), lambda _: True),
    "any rule": (sw.KSystem(few_in_sum, 5, N), few_in_sum),
    "a user's": (AtMostOneOdd(), lambda s: sum(item % 2 for item in s) <= 1),
    "several": (
        sw.Intersection(
            [
                sw.Cardinality(3),
                sw.Knapsack(COSTS, 1.0),
                sw.LabelLimits(MEMBERS, [1, 2, 1]),
                sw.Conflicts(PAIRS, N),
                sw.TransversalMatroid(FITS),
            ],
            N,
        ),
        mixed,
    ),
    "none": (sw.Intersection([], N), lambda _: True),
}


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints_keep_their_contract(name):
    constraint, allowed = CONSTRAINTS[name]
    check_constraint(constraint, n_items=N, allowed=allowed)


def test_many_items_are_tried_by_growing():
    rng = np.random.default_rng(0)
    limits = [sw.Knapsack(rng.random(50), 3.0), sw.TransversalMatroid(rng.random((50, 6)) < 0.2)]
    check_constraint(sw.Intersection(limits, 50))


def test_every_public_constraint_is_in_the_table():
    assert not missing(sw.Constraint, [constraint for constraint, _ in CONSTRAINTS.values()])


def test_the_true_k_of_systems_that_are_known():
    star = sw.Conflicts([(0, leaf) for leaf in range(1, 5)], 5)
    cube = sw.LabelLimits(np.eye(3, dtype=bool)[[0, 1, 2, 0]] | (np.arange(4) == 3)[:, np.newaxis], 1)
    assert true_k(star) == 4
    assert true_k(cube) == 3
    assert true_k(sw.GraphicMatroid(EDGES)) == 1
    assert true_k(sw.KSystem(lambda items: items in {(), (0,), (1,), (2,), (1, 2), (2, 1)}, 1, 3)) == 2


class Remembering(AtMostOneOdd):
    """Counts in itself, not in the state."""

    def __init__(self):
        self.count = 0

    def add(self, state, item):
        self.count += item % 2
        return state

    def feasible(self, state):
        return (np.arange(N) % 2 == 0) | (self.count == 0)


class Downhill(AtMostOneOdd):
    """Only items below the last: an order matters."""

    def empty(self):
        return N

    def add(self, state, item):
        return item

    def feasible(self, state):
        return np.arange(N) > state if state < N else np.ones(N, dtype=bool)


class Forgetful(AtMostOneOdd):
    def feasible_among(self, state, items):
        return np.ones(len(items), dtype=bool)


class Tight(AtMostOneOdd):
    def relaxation(self, n_items):
        return sw.Cardinality(1).packing(n_items)


class Pairs(AtMostOneOdd):
    """Item 0 needs item 1 beside it: not downward-closed."""

    def empty(self):
        return ()

    def add(self, state, item):
        return (*state, item)

    def feasible(self, state):
        mask = np.ones(N, dtype=bool)
        mask[0] = 1 in state
        return mask


BROKEN = [
    (Remembering, ""),
    (Downhill, "order does not matter"),
    (Forgetful, "feasible among agrees with feasible"),
    (Tight, "allowed lists satisfy the relaxation"),
    (Pairs, "order does not matter|sublists are allowed"),
    (lambda: sw.KSystem(lambda items: sum(items) <= 3, 1, N), "k is not smaller than the true one"),
]


@pytest.mark.parametrize(("make", "law"), BROKEN)
def test_a_broken_law_is_named(make, law):
    with pytest.raises(AssertionError, match=f"^({law})"):
        check_constraint(make())


def test_a_rule_that_is_no_rule_of_its_definition_is_found():
    with pytest.raises(AssertionError, match="what may follow is what the definition allows"):
        check_constraint(sw.Cardinality(2), n_items=N, allowed=lambda s: len(s) <= 3)
