"""No learning at all: one call that makes a relevant, diverse slate from scores and embeddings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from slatewise.checks import check_shape, frozen, listed, real_array, real_number
from slatewise.constraints import AnyConstraint, Cardinality, Intersection
from slatewise.constraints.intersection import IntersectionState
from slatewise.errors import reject
from slatewise.features import FeatureSpace
from slatewise.indices import Score
from slatewise.objectives import EmbeddingVolume, Modular, Stack
from slatewise.objectives.embeddings import LARGEST_SQUARE, SMALLEST_SQUARE
from slatewise.offline import known, maximize
from slatewise.oracles import Greedy
from slatewise.problem import Problem
from slatewise.slate import Slate
from slatewise.typing import Array, Bools, Floats, Ints

if TYPE_CHECKING:
    from slatewise.compiled.diverse_list import Growth

NAMES = ("relevance", "diversity")

LEAST_RELEVANCE = 1e-6
"""At a diversity of 1, relevance still decides between lists that are equally diverse."""

APART = 1e-9
"""With a diversity of 0, what keeps scores apart that shifting and scaling would make equal."""

FEW_CANDIDATES = 32
"""So many are ranked by the plain path, which needs no compiler to be loaded."""

FIRST_LENGTH = 16
"""For how many items the compiled path makes room, before it knows how long a list becomes."""


def rerank(
    scores: npt.ArrayLike,
    embeddings: npt.ArrayLike,
    constraints: Sequence[AnyConstraint] = (),
    diversity: float = 0.5,
) -> Slate:
    """Return a slate of relevant items that differ from each other, under all of the limits.

    With δ the diversity, r the scores, shifted and scaled to [0, 1], and K_ij = (1 + cos(x_i, x_j))/2,
    K_ii = 1, of the embeddings x, it maximises the monotone submodular function

        f(S) = max(1 - δ, 10⁻⁶) Σ_{e in S} r_e + δ log₂ det(I + K_S).

    Parameters
    ----------
    scores
        (n,), finite, the higher the better: what a retriever or a ranker thinks of each candidate.
        Only their order and their relative distances matter: a·scores + b with a > 0 gives the same slate.
    embeddings
        (n, p), finite; only their directions matter. A row of zeros is at a right angle to all others.
    constraints
        Any of the library's limits. Where there are none, everything fits: the slate ranks all candidates.
    diversity
        δ in [0, 1]. 0: the most relevant that fit, in order of relevance; 1: the most diverse ones, in
        which relevance decides between lists that are equally diverse.

    Returns
    -------
    Slate
        Its items are indices into `scores`, in the order in which they were chosen; `features` has for
        each what it adds to both terms (its r, and its gain of log₂ det(I + K_S)), and `score` is f(S).

    Notes
    -----
    Without knapsacks it is the greedy list, otherwise the best of a threshold sweep (ε = 0.1) and both
    greedy lists; the list's f is at least 1/(k + 1), with l knapsacks ``Problem.alpha(0.1)``, of the best
    one's, and under `Cardinality` alone 1 - 1/e. Ties go to the smaller index.

    No n × n kernel is made. Without knapsacks, a compiled loop looks only at items whose bound says that
    they could still win: at most O(n p |S|) time, and O(n + p |S|) memory beside the embeddings, which
    are read where they lie (C-contiguous float32 or float64). With knapsacks and for a few dozen
    candidates the plain objective serves: O(n |S|) numbers for each list that the sweep follows.

    Examples
    --------
    >>> import slatewise as sw
    >>> scores = [0.9, 0.8, 0.7, 0.1]
    >>> embeddings = [[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [-1.0, 0.0]]
    >>> sw.rerank(scores, embeddings, [sw.Cardinality(2)], diversity=0.0).items
    (0, 1)
    >>> sw.rerank(scores, embeddings, [sw.Cardinality(2)], diversity=0.5).items
    (0, 2)
    """
    clean = real_array(scores, "scores", shape=(None,))
    if not len(clean):
        reject("scores", "must have at least one item, but has none")
    rows = embedding_rows(embeddings, len(clean))
    share = share_of(diversity)
    relevance = relevance_of(clean, exactly=share == 0)
    weights = np.array([max(1.0 - share, LEAST_RELEVANCE), share])
    rules = listed(constraints, "constraints")
    limits = Limits.of(rules, len(clean))
    if len(clean) > FEW_CANDIDATES and not limits.has_knapsacks:
        return compiled_slate(relevance, rows, limits, weights)
    problem = Problem(objective_of(relevance, rows), rules)
    return maximize(problem, weights, None if problem.n_knapsacks else Greedy())


def share_of(diversity: float) -> float:
    """Return a diversity, checked to be in [0, 1]."""
    share = real_number(diversity, "diversity", minimum=0.0)
    if share > 1:
        reject("diversity", f"must be at most 1, but is {share}")
    return share


def embedding_rows(embeddings: npt.ArrayLike, n_items: int) -> Array:
    """Return embeddings of the right shape as they are where they can be read fast, else as numbers.

    That those returned as they are hold only finite numbers is seen later, from their lengths.
    """
    if (
        isinstance(embeddings, np.ndarray)
        and embeddings.dtype in {np.dtype(np.float32), np.dtype(np.float64)}
        and embeddings.flags.c_contiguous
    ):
        check_shape(embeddings, "embeddings", (n_items, None))
        return np.asarray(embeddings)
    return real_array(embeddings, "embeddings", shape=(n_items, None))


def relevance_of(scores: Floats, *, exactly: bool) -> Floats:
    """Return scores shifted and scaled to [0, 1], zeros where all are equal.

    `exactly` keeps those apart that differ by less than rounding leaves of them.
    """
    lowest, highest = float(scores.min()), float(scores.max())
    if not lowest < highest:
        return np.zeros(len(scores))
    shrink = 1.0 if np.isfinite(highest - lowest) else 0.25
    relevance = (scores * shrink - lowest * shrink) / (highest * shrink - lowest * shrink)
    if exactly:
        values, ranks = np.unique(scores, return_inverse=True)
        if len(values) > len(np.unique(relevance)):
            return (1.0 - APART) * relevance + APART * (ranks / (len(values) - 1))
    return relevance


def objective_of(relevance: Floats, embeddings: Array) -> Stack:
    """Return the two features as an objective."""
    return Stack(
        [
            Modular(relevance[:, np.newaxis], names=NAMES[:1]),
            EmbeddingVolume(embeddings, names=NAMES[1:]),
        ]
    )


@cache
def feature_space() -> FeatureSpace:
    """Return the feature space of the objective."""
    return objective_of(np.zeros(1), np.zeros((1, 1))).feature_space


def compiled_slate(relevance: Floats, embeddings: Array, limits: Limits, weights: Floats) -> Slate:
    """Return what the greedy oracle returns, by the compiled path."""
    growth = started(relevance, embeddings, weights, min(limits.longest, FIRST_LENGTH))
    growth, length, n_candidates = grown(growth, limits, PlainPath(relevance, growth.embeddings, weights))
    items = growth.listed[:length]
    mean = growth.bound[items]
    return Slate(
        items=tuple(items.tolist()),
        features=frozen(np.stack([relevance[items], np.log2(growth.left[items])], axis=1)),
        feature_space=feature_space(),
        mean=frozen(mean),
        std=frozen(np.zeros(length)),
        score=sum(mean.tolist()),
        n_candidates=n_candidates,
    )


def grown(growth: Growth, limits: Limits, plain: PlainPath) -> tuple[Growth, int, int]:
    """Return the finished list, its length, and how many candidates there were at first.

    Where only the number of items is limited, the compiled loop runs on until rounding could decide;
    other limits are asked after every item.
    """
    from slatewise.compiled.diverse_list import append, grow

    unlisted = np.ones(limits.n_items, dtype=np.bool_)
    close: Ints = np.empty(limits.n_items, dtype=np.int64)
    state = None if limits.others is None else limits.others.empty()
    allowed = limits.allowed(state, unlisted)
    n_candidates = int(np.count_nonzero(allowed)) if limits.longest else 0
    length = 0
    while length < limits.longest:
        if length == len(growth.listed):
            growth = lengthened(growth, min(limits.longest, 2 * length))
        end = len(growth.listed) if limits.others is None else length + 1
        after, found = grow(growth, length, end, allowed, close)
        if found:
            append(growth, after, plain.best(growth.listed[:after], close[:found]))
            after += 1
        elif after == length:
            break
        if limits.others is not None and state is not None:
            state = limits.others.add(state, int(growth.listed[length]))
        unlisted[growth.listed[length:after]] = False
        allowed = limits.allowed(state, unlisted)
        length = after
    return growth, length, n_candidates


class Limits(NamedTuple):
    """What lists are allowed: at most so many items, and whatever else limits them."""

    n_items: int
    longest: int
    others: Intersection | None

    @classmethod
    def of(cls, constraints: Sequence[AnyConstraint], n_items: int) -> Limits:
        """Return limits, checked; those on the number of items alone need no packing."""
        most = [part.m for part in constraints if isinstance(part, Cardinality)]
        names = [part.name for part in constraints if isinstance(part, Cardinality) and part.name is not None]
        counted = len(most) == len(constraints) and len(names) == len(set(names))
        others = None if counted else Intersection(constraints, n_items)
        return cls(n_items, min([n_items, *most]), others)

    @property
    def has_knapsacks(self) -> bool:
        """Whether plain greedy is not enough."""
        return self.others is not None and bool(self.others.knapsacks)

    def allowed(self, state: IntersectionState | None, unlisted: Bools) -> Bools:
        """Return which items may come next, as an array that may be written to."""
        if self.others is None or state is None:
            return unlisted
        return self.others.feasible_within(state, unlisted.copy())


def started(relevance: Floats, embeddings: Array, weights: Floats, length: int) -> Growth:
    """Return the empty list for the compiled path, with room for some items."""
    from slatewise.compiled.diverse_list import Growth, squares

    n = len(relevance)
    rows = frozen(embeddings.view())
    found = squares(rows)
    if found.min() > SMALLEST_SQUARE and found.max() < LARGEST_SQUARE:
        inverse = frozen(1.0 / np.sqrt(found))
    else:
        volume = EmbeddingVolume(embeddings)
        rows, inverse = volume.embeddings, volume.inverse_lengths
    return Growth(
        embeddings=rows,
        inverse_lengths=inverse,
        relevance=frozen(weights[0] * relevance),
        weight=float(weights[1]),
        listed=np.empty(length, dtype=np.int64),
        constants=np.empty(length),
        vectors=np.empty((length, embeddings.shape[1])),
        left=np.full(n, 2.0),
        bound=weights[0] * relevance + weights[1],
        known=np.zeros(n, dtype=np.int64),
    )


def lengthened(growth: Growth, length: int) -> Growth:
    """Return the list under way with room for more items."""
    more = length - len(growth.listed)
    return growth._replace(
        listed=np.pad(growth.listed, (0, more)),
        constants=np.pad(growth.constants, (0, more)),
        vectors=np.pad(growth.vectors, ((0, more), (0, 0))),
    )


class PlainPath:
    """The plain objective, made when it is first needed: it decides where rounding could."""

    def __init__(self, relevance: Floats, embeddings: Array, weights: Floats) -> None:
        self.relevance = relevance
        self.embeddings = embeddings
        self.weights = weights
        self.length = 0

    def best(self, items: Ints, close: Ints) -> int:
        """Return the best of some items after a list, the first of equal ones."""
        first = int(close[0])
        copies = (self.relevance[close] == self.relevance[first]) & np.all(
            self.embeddings[close] == self.embeddings[first], axis=1
        )
        if copies.all():
            return first
        for item in items[self.length :].tolist():
            self.state = self.problem.objective.add(self.state, item)
        self.length = len(items)
        return int(close[np.argmax(self.score.exactly(self.problem.objective.gains(self.state, close)))])

    @cached_property
    def problem(self) -> Problem:
        """The problem, without its limits."""
        return Problem(objective_of(self.relevance, self.embeddings))

    @cached_property
    def score(self) -> Score:
        """What lists are judged by."""
        return known(self.weights, self.problem)

    @cached_property
    def state(self) -> tuple[Any, ...]:
        """The state of the list, as far as it has been followed."""
        empty: tuple[Any, ...] = self.problem.objective.empty()
        return empty
