"""The noun `Problem`: what slates are worth and which are allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from slatewise.checks import frozen, item_list, real_array, real_number, whole_number
from slatewise.constraints import AnyConstraint, Intersection
from slatewise.errors import reject
from slatewise.features import FeatureSpace
from slatewise.objectives import AnyObjective, Objective
from slatewise.slate import Slate
from slatewise.typing import Floats


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
    ) -> None:
        if not isinstance(objective, Objective):
            reject("objective", f"must be an objective, but is {objective!r}")
        if objective.n_items < 1:
            reject("objective", "must have at least one item, but has none")
        self.objective = objective
        self.limits = Intersection(constraints, objective.n_items)
        self._k = None if k is None else whole_number(k, "k", minimum=1)

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
            if not self.limits.feasible(state)[item]:
                return False
            state = self.limits.add(state, item)
        return True

    def features(self, items: Iterable[int]) -> Floats:
        """Return x(e_i | S^(1:i-1)) of a list, (length, d)."""
        return frozen(self.objective.along(item_list(items, self.n_items)))

    def slate(self, items: Iterable[int], context: npt.ArrayLike | None = None) -> Slate:
        """Return a slate that something else chose, over the limits too, so that it can be learned from.

        Its mean, std and score are NaN: nothing was believed of it.
        """
        listed = item_list(items, self.n_items)
        unknown = frozen(np.full(len(listed), np.nan))
        return Slate(
            items=listed,
            features=self.features(listed),
            feature_space=self.feature_space,
            mean=unknown,
            std=unknown,
            context=None if context is None else real_array(context, "context", shape=(None,)),
        )
