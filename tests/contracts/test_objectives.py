"""Every objective, and two that a user could write, through the contract of objectives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

import slatewise as sw
from slatewise.testing import check_objective

from .nouns import missing

RNG = np.random.default_rng(11)
N = 6
P = np.round(RNG.random((N, 3)), 1) * (RNG.random((N, 3)) < 0.8)
P[4] = P[1]
COVERS = P > 0.4
FACTOR = RNG.normal(size=(N, 4))
KERNEL = FACTOR @ FACTOR.T
EMBEDDINGS = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0], [-3.0, -6.0], [1e-9, 0.0], [5.0, -1.0]])
OUTCOMES = RNG.integers(0, 3, size=(N, 12))
CHANCES = RNG.dirichlet(np.ones(12))
LIKELIHOODS = RNG.dirichlet(np.ones(3), size=(N, 4))
LIKELIHOODS[2] = LIKELIHOODS[0]
PRIOR = RNG.dirichlet(np.ones(4))
WANTED = np.array([0.7, 1.0, 1.5])
TEXTS = ["the cat sat", "the dog sat on the mat", "a bird flew", "", "the the the", "the cat sat"]
REFERENCES = ["the cat sat and the dog sat", "a bird sat on the mat"]


class SquareRootOfTotal(sw.Objective[tuple[int, ...]]):
    """A user's: sqrt of the total, one feature, the state being the list itself."""

    def __init__(self, amounts: np.ndarray) -> None:
        self.amounts = amounts
        self.n_items = len(amounts)
        self.feature_space = sw.FeatureSpace.of("SquareRootOfTotal", 1)

    def empty(self) -> tuple[int, ...]:
        return ()

    def add(self, state: tuple[int, ...], item: int) -> tuple[int, ...]:
        return (*state, item)

    def gains(self, state: tuple[int, ...], items: np.ndarray | None = None) -> np.ndarray:
        asked = np.arange(self.n_items) if items is None else items
        total = self.amounts[list(state)].sum()
        found = np.sqrt(total + self.amounts[asked]) - np.sqrt(total)
        return np.where(np.isin(asked, state), 0.0, found)[:, np.newaxis]


def halving() -> sw.Separable:
    """A user's separable one: each further item counts half as much."""
    rule = sw.Rule(start=1.0, gain=lambda a, s: np.where(a > 0, a * s, 0.0), step=lambda a, s: s * (1 - a))
    return sw.Separable(P, rule, kind="halving")


def residual(items: tuple[int, ...]) -> np.ndarray:
    return 1.0 - np.prod(1.0 - P[list(items)], axis=0)


def entropy(chances: np.ndarray) -> float:
    positive = chances[chances > 0]
    return -float(positive @ np.log(positive))


def joint_entropy(items: tuple[int, ...]) -> np.ndarray:
    _, cells = (
        np.unique(OUTCOMES[list(items)], axis=1, return_inverse=True) if items else (None, np.zeros(12, int))
    )
    return np.array([entropy(np.bincount(cells.ravel(), weights=CHANCES))])


def information(items: tuple[int, ...]) -> np.ndarray:
    """I(Y; X_S) = H(X_S) - H(X_S | Y), by all joint outcomes."""
    given = np.ones((1, 4))
    for item in items:
        given = (given[:, np.newaxis, :] * LIKELIHOODS[item].T).reshape(-1, 4)
    rest = sum(PRIOR[y] * entropy(given[:, y]) for y in range(4))
    return np.array([entropy(given @ PRIOR) - rest])


def recall(items: tuple[int, ...]) -> np.ndarray:
    words = [word for item in items for word in TEXTS[item].split()]
    shares = []
    for reference in REFERENCES:
        tokens = reference.split()
        hits = sum(min(words.count(word), tokens.count(word)) for word in set(tokens))
        shares.append(hits / len(tokens))
    return np.array(shares)


def embedded_volume(items: tuple[int, ...]) -> np.ndarray:
    some = EMBEDDINGS[list(items)]
    lengths = np.linalg.norm(some, axis=1)
    scale = np.divide(1.0, lengths, out=np.zeros(len(some)), where=lengths > 0)
    K = 0.5 + 0.5 * (some @ some.T) * np.outer(scale, scale)
    np.fill_diagonal(K, 1.0)
    return np.array([np.linalg.slogdet(np.eye(len(items)) + K)[1] / np.log(2.0)])


def of(table: np.ndarray, items: tuple[int, ...]) -> np.ndarray:
    return table[list(items)]


OBJECTIVES = {
    "probabilistic": (sw.ProbabilisticCoverage(P), residual),
    "probabilistic, sparse": (sw.ProbabilisticCoverage(csr_array(P)), residual),
    "coverage": (sw.Coverage(COVERS), lambda s: of(COVERS, s).any(axis=0)),
    "coverage, sparse": (sw.Coverage(csr_array(COVERS)), lambda s: of(COVERS, s).any(axis=0)),
    "modular": (sw.Modular(P), lambda s: of(P, s).sum(axis=0)),
    "modular, sparse": (sw.Modular(csr_array(P)), lambda s: of(P, s).sum(axis=0)),
    "modular, huge": (sw.Modular(1e200 * P), lambda s: 1e200 * of(P, s).sum(axis=0)),
    "facilities": (sw.FacilityLocation(P), lambda s: of(P, s).max(axis=0, initial=0)),
    "facilities, sparse": (sw.FacilityLocation(csr_array(P)), lambda s: of(P, s).max(axis=0, initial=0)),
    "roots": (sw.ConcaveOverModular(P, np.sqrt), lambda s: np.sqrt(of(P, s).sum(axis=0))),
    "logarithms": (sw.ConcaveOverModular(P, np.log1p), lambda s: np.log1p(of(P, s).sum(axis=0))),
    "logarithms, sparse": (
        sw.ConcaveOverModular(csr_array(P), np.log1p),
        lambda s: np.log1p(of(P, s).sum(axis=0)),
    ),
    "clipped": (
        sw.ClippedCoverage(P, WANTED),
        lambda s: np.minimum(of(P, s).sum(axis=0) / WANTED, 1),
    ),
    "clipped, sparse": (
        sw.ClippedCoverage(csr_array(P), WANTED),
        lambda s: np.minimum(of(P, s).sum(axis=0) / WANTED, 1),
    ),
    "volume": (
        sw.LogDeterminant(KERNEL),
        lambda s: [np.linalg.slogdet(np.eye(len(s)) + KERNEL[np.ix_(s, s)])[1]],
    ),
    "volume of embeddings": (sw.EmbeddingVolume(EMBEDDINGS), embedded_volume),
    "entropy": (sw.Entropy(OUTCOMES, CHANCES), joint_entropy),
    "information": (sw.MutualInformation(LIKELIHOODS, PRIOR), information),
    "words": (sw.NgramCoverage(TEXTS, REFERENCES), recall),
    "bigrams": (sw.NgramCoverage(TEXTS, REFERENCES, n=2), None),
    "stack": (
        sw.Stack([sw.ProbabilisticCoverage(P), sw.LogDeterminant(KERNEL), sw.Modular(csr_array(P))]),
        None,
    ),
    "a user's separable": (halving(), residual),
    "a user's": (SquareRootOfTotal(P[:, 0]), lambda s: [np.sqrt(P[list(s), 0].sum())]),
}


@pytest.mark.parametrize("name", OBJECTIVES)
def test_objectives_keep_their_contract(name):
    objective, value = OBJECTIVES[name]
    check_objective(objective, seed=3, value=value)


def test_every_public_objective_is_in_the_table():
    assert not missing(sw.Objective, [objective for objective, _ in OBJECTIVES.values()])


class Supermodular(SquareRootOfTotal):
    """Grows faster and faster."""

    def gains(self, state, items=None):
        asked = np.arange(self.n_items) if items is None else items
        total = self.amounts[list(state)].sum()
        found = (total + self.amounts[asked]) ** 2 - total**2
        return np.where(np.isin(asked, state), 0.0, found)[:, np.newaxis]


class Repeating(SquareRootOfTotal):
    """Forgets that an item is listed."""

    def gains(self, state, items=None):
        asked = np.arange(self.n_items) if items is None else items
        return np.full((len(asked), 1), 1.0)


class Ordered(SquareRootOfTotal):
    """The first item counts double."""

    def gains(self, state, items=None):
        asked = np.arange(self.n_items) if items is None else items
        found = self.amounts[asked] * (1.0 if state else 2.0)
        return np.where(np.isin(asked, state), 0.0, found)[:, np.newaxis]


class Mutating(SquareRootOfTotal):
    """Adds to the state that it is given."""

    def empty(self):
        return []

    def add(self, state, item):
        state.append(item)
        return state


class Falling(SquareRootOfTotal):
    """Loses by every item."""

    def gains(self, state, items=None):
        return -super().gains(state, items)


BROKEN = [
    (Supermodular(1.0 + P[:, 0]), "gains diminish"),
    (Repeating(P[:, 0]), "gains of listed items are zero"),
    (Ordered(1.0 + P[:, 0]), "gains are differences of values"),
    (Falling(1.0 + P[:, 0]), "gains are not negative"),
    (Mutating(1.0 + P[:, 0]), "gains of listed items are zero|gains diminish|states are values"),
]


@pytest.mark.parametrize(("objective", "law"), BROKEN, ids=lambda part: part if isinstance(part, str) else "")
def test_a_broken_law_is_named_with_the_list_and_the_item(objective, law):
    with pytest.raises(AssertionError, match=rf"^({law}): after the list \(.*\), item \d"):
        check_objective(objective)


def test_a_value_that_is_another_is_found():
    with pytest.raises(AssertionError, match="gains add up to the value"):
        check_objective(sw.Modular(P), value=lambda s: P[list(s)].max(axis=0, initial=0))
