"""The noun `Problem`: what slates are worth and which are allowed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from slatewise.checks import (
    boolean_array,
    frozen,
    instance,
    item_list,
    listed,
    nonnegative_array,
    real_array,
    real_number,
    whole_number,
)
from slatewise.constraints import AnyConstraint, Intersection
from slatewise.errors import ArgumentError, reject
from slatewise.features import FeatureSpace
from slatewise.objectives import AnyObjective, Modular, Objective, Stack
from slatewise.slate import Slate
from slatewise.typing import Bools, Floats

RELEVANCE = "relevance"
"""The name of the feature that an upstream ranker's scores are."""


class Problem:
    """An objective under constraints; read-only.

    Parameters
    ----------
    objective
        What lists are worth.
    constraints
        Which lists are allowed; any number, of any kinds.
    k
        The k of the system that the limits other than knapsacks are; derived where none is given.
        A smaller k than the derived one leaves the approximation ratio `alpha` unproven.
    ids
        What the items are called; their indices where none are given.
    relevance
        (n,) scores of an upstream ranker, not negative: one more feature, the last, that adds up.

    Examples
    --------
    >>> import slatewise as sw
    >>> topics = sw.Coverage([[1, 0], [1, 1], [0, 1]])
    >>> problem = sw.Problem(topics, [sw.Cardinality(2), sw.Knapsack([1.0, 3.0, 1.0], 3.0)])
    >>> problem.value([0, 2]), problem.feasible([0, 1]), problem.k, problem.n_knapsacks
    (array([1., 1.]), False, 1, 1)
    """

    def __init__(
        self,
        objective: AnyObjective,
        constraints: Sequence[AnyConstraint] = (),
        k: int | None = None,
        *,
        ids: Sequence[Hashable] | None = None,
        relevance: npt.ArrayLike | None = None,
    ) -> None:
        if not isinstance(objective, Objective):
            reject("objective", f"must be an objective, but is {objective!r}")
        limits = listed(constraints, "constraints")
        if objective.n_items < 1:
            reject("objective", "must have at least one item, but has none")
        self._unranked = objective
        self.relevance = (
            None if relevance is None else nonnegative_array(relevance, RELEVANCE, shape=(objective.n_items,))
        )
        self.objective: AnyObjective = objective
        if self.relevance is not None:
            ranked = Modular(self.relevance[:, np.newaxis], names=[RELEVANCE])
            self.objective = Stack([objective, ranked])
        self.limits = Intersection(limits, objective.n_items)
        self._k = None if k is None else whole_number(k, "k", minimum=1)
        self.ids = None if ids is None else checked_ids(ids, objective.n_items)

    def __repr__(self) -> str:
        limits = ", ".join(constraint.name or type(constraint).__name__ for constraint in self.constraints)
        return f"Problem({self.n_items} items, {self.n_features} features, limits: {limits or 'none'})"

    @property
    def n_items(self) -> int:
        """n, the number of items."""
        return self.objective.n_items

    @property
    def n_features(self) -> int:
        """d, the number of features."""
        return self.objective.n_features

    @property
    def feature_space(self) -> FeatureSpace:
        """What the features mean."""
        return self.objective.feature_space

    @property
    def constraints(self) -> tuple[AnyConstraint, ...]:
        """The limits, in the order in which they were given."""
        return self.limits.constraints

    @property
    def k(self) -> int:
        """The k of the k-system: the caller's, or the derived one."""
        return self.limits.k if self._k is None else self._k

    @property
    def n_knapsacks(self) -> int:
        """l, the number of knapsacks."""
        return len(self.limits.knapsacks)

    @cached_property
    def costs(self) -> Floats:
        """c(e) = Σ_j c_j(e) / b_j, (n,)."""
        total = np.zeros(self.n_items)
        for knapsack in self.limits.knapsacks:
            with np.errstate(over="ignore"):  # a cost beyond all numbers never fits
                total = total + knapsack.costs / knapsack.budget
        return frozen(total)

    def alpha(self, epsilon: float) -> float:
        """Return α = 1 / ((1 + ε)(k + 2l + 1)), the share of the best value that is guaranteed."""
        step = 1.0 + real_number(epsilon, "epsilon", above=0.0)
        return 1.0 / (step * (self.k + 2 * self.n_knapsacks + 1))

    def value(self, items: Iterable[int]) -> Floats:
        """Return [f_1(S), ..., f_d(S)]."""
        value: Floats = self.features(items).sum(axis=0)
        return value

    def feasible(self, items: Iterable[int]) -> bool:
        """Return whether the list as a whole is allowed, in whatever order."""
        state = self.limits.empty()
        for item in item_list(items, self.n_items):
            if not self.limits.allows(state, item):
                return False
            state = self.limits.add(state, item)
        return True

    def refusing(self, items: Sequence[int]) -> AnyConstraint | None:
        """Return the first limit that by itself does not allow a list; ``None`` where all do."""
        for constraint in self.constraints:
            alone = Intersection([constraint], self.n_items)
            state = alone.empty()
            for item in items:
                if not alone.allows(state, item):
                    return constraint
                state = alone.add(state, item)
        return None

    def features(self, items: Iterable[int]) -> Floats:
        """Return x(e_i | S^(1:i-1)) of a list, (length, d)."""
        return frozen(self.objective.along(item_list(items, self.n_items)))

    def among(self, ids: Iterable[Hashable], relevance: npt.ArrayLike | None = None) -> Problem:
        """Return the problem of some of the items, in this order: a request's candidates.

        Parameters
        ----------
        ids
            The candidates: ids where the items have ids, else indices.
        relevance
            An upstream ranker's score of each, one more feature; where none is given, the problem's
            own, if it has any.
        """
        items = np.array(self.positions(ids, "ids"), dtype=np.int64)
        if not len(items):
            reject("ids", "must hold at least one item, but is empty")
        scores = relevance
        if relevance is None and self.relevance is not None:
            scores = self.relevance[items]
        return Problem(
            self._unranked.take(items),
            [constraint.take(items) for constraint in self.constraints],
            k=self._k,
            ids=None if self.ids is None else [self.ids[item] for item in items.tolist()],
            relevance=scores,
        )

    def with_limits(self, limits: Mapping[str, Any]) -> Problem:
        """Return the problem with other bounds of named constraints, in their constructors' form.

        The k is derived anew, unless the caller gave it.
        """
        names = [constraint.name for constraint in self.constraints if constraint.name is not None]
        instance(limits, Mapping, "limits")
        for name in limits:
            if name not in names:
                reject(
                    "limits",
                    f"there is no limit {name!r}; there are {', '.join(names) or 'none with a name'}",
                )
        other = copy(self)
        vars(other).pop("costs", None)
        bounded = [
            bounded_by(constraint, limits[constraint.name])
            if constraint.name is not None and constraint.name in limits
            else constraint
            for constraint in self.constraints
        ]
        other.limits = Intersection(bounded, self.n_items)
        return other

    def positions(self, ids: Iterable[Hashable], argument: str) -> tuple[int, ...]:
        """Return the indices of items by their ids; of indices, where the items have no ids."""
        if self.ids is None:
            return item_list(cast("Iterable[int]", ids), self.n_items, argument)
        names = listed(ids, argument)
        seen: set[Hashable] = set()
        for place, identity in enumerate(names):
            if not isinstance(identity, Hashable) or identity not in self._position:
                reject(
                    argument,
                    f"must hold ids of items, but {argument}[{place}] is {identity!r}, which is none",
                )
            if identity in seen:
                reject(
                    argument, f"must not hold an item twice, but {argument}[{place}] is {identity!r} again"
                )
            seen.add(identity)
        return tuple(self._position[identity] for identity in names)

    @cached_property
    def _position(self) -> dict[Hashable, int]:
        return {identity: item for item, identity in enumerate(self.ids or ())}

    def mask_of(self, available: npt.ArrayLike | None) -> Bools:
        """Return (n,) truth values of the caller's own: the items that there are this time."""
        if available is None:
            return np.ones(self.n_items, dtype=np.bool_)
        return boolean_array(available, "available", shape=(self.n_items,)).copy()

    def name_of(self, item: int) -> Hashable:
        """Return what an item is called: its id, or its index where it has none."""
        return item if self.ids is None else self.ids[item]

    def ids_of(self, items: Iterable[int]) -> tuple[Hashable, ...] | None:
        """Return the ids of items, where they have any."""
        return None if self.ids is None else tuple(self.ids[item] for item in items)

    def slate(self, items: Iterable[int], context: npt.ArrayLike | None = None) -> Slate:
        """Return a slate that something else chose, over the limits too, so that it can be learned from.

        Its mean, std and score are NaN: nothing was believed of it.
        """
        order = item_list(items, self.n_items)
        unknown = frozen(np.full(len(order), np.nan))
        return Slate(
            items=order,
            features=self.features(order),
            feature_space=self.feature_space,
            ids=self.ids_of(order),
            mean=unknown,
            std=unknown,
            context=None if context is None else real_array(context, "context", shape=(None,)),
        )

    def slate_of(self, ids: Iterable[Hashable], context: npt.ArrayLike | None = None) -> Slate:
        """Return a slate that something else chose, as `slate` does, by the items' ids."""
        return self.slate(self.positions(ids, "ids"), context)


def checked_ids(ids: Sequence[Hashable], n_items: int) -> tuple[Hashable, ...]:
    """Return an id for each item, all different."""
    clean = tuple(one.item() if isinstance(one, np.generic) else one for one in listed(ids, "ids"))
    for position, identity in enumerate(clean):
        if not isinstance(identity, Hashable):
            reject("ids", f"must be hashable, but ids[{position}] is {identity!r}")
    if len(clean) != n_items:
        reject("ids", f"must be one for each of {n_items} items, but are {len(clean)}")
    if len(set(clean)) != n_items:
        seen: set[Hashable] = set()
        for position, identity in enumerate(clean):
            if identity in seen:
                reject("ids", f"must be different, but ids[{position}] is {identity!r} again")
            seen.add(identity)
    return clean


def bounded_by(constraint: AnyConstraint, bound: Any) -> AnyConstraint:  # noqa: ANN401 - what its constructor takes
    """Return a limit with another bound; an error speaks of the round's limits."""
    try:
        return constraint.with_bound(bound)
    except ArgumentError as error:
        reject(f"limits[{constraint.name!r}]", error.problem)
