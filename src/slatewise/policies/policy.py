"""The noun `Policy`: model × index × oracle, a frozen record of three independent choices."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from slatewise.checks import as_array, boolean_array, instance, real_array, whole_number
from slatewise.configuration import Configuration
from slatewise.errors import reject
from slatewise.features import FeatureSpace
from slatewise.indices import Index
from slatewise.models import Model, NoModel
from slatewise.oracles import Oracle, RandomList
from slatewise.policies.many import Slates, States
from slatewise.policies.state import State
from slatewise.problem import Problem
from slatewise.randomness import stream
from slatewise.slate import Slate


@dataclass(frozen=True, eq=False, kw_only=True)
class Policy(Configuration):
    """A way to choose slates and to learn from the reactions to them.

    Parameters
    ----------
    model
        What is learned.
    index
        How unsure values become one score.
    oracle
        How scores become a list.

    Notes
    -----
    Nothing here changes: `init` gives the state of a new user, `select` reads it, `update` returns the
    next. Whoever adds an oracle gets a bandit with every model, and the other way round.

    Examples
    --------
    Thompson sampling with the best feasible set, which no paper has named:

    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Coverage([[1, 0], [1, 1], [0, 1]]), [sw.Knapsack([1.0, 3.0, 1.0], 2.0)])
    >>> policy = sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Exact())
    >>> state = policy.init(problem)
    >>> slate = policy.select(state, problem, rng=sw.stream(0, 0, 0))
    >>> state = policy.update(state, slate, [1.0] * len(slate))
    """

    model: Model
    index: Index
    oracle: Oracle

    def __post_init__(self) -> None:
        for name, kind in (("model", Model), ("index", Index), ("oracle", Oracle)):
            if not isinstance(getattr(self, name), kind):
                reject(name, f"must be a slatewise {kind.__name__}, but is {getattr(self, name)!r}")
        if isinstance(self.model, NoModel) and not isinstance(self.oracle, RandomList):
            reject("model", f"must predict something, because {type(self.oracle).__name__} looks at scores")

    def init(self, problem: Problem) -> State:
        """Return the state of a user that nothing is known of."""
        instance(problem, Problem, "problem")
        return State(problem.feature_space, self.model.prior(problem.n_features), self.model.fingerprint)

    def select(  # noqa: PLR0913 - what may differ from round to round
        self,
        state: State,
        problem: Problem,
        rng: np.random.Generator | None = None,
        context: npt.ArrayLike | None = None,
        available: npt.ArrayLike | None = None,
        pinned: Iterable[Hashable] = (),
    ) -> Slate:
        """Return the slate for one round.

        Parameters
        ----------
        state
            What is known of the user.
        problem
            This round's items and limits, over the features of the state.
        rng
            For a policy that draws.
        context
            φ, for a model that learns from contexts.
        available
            (n,) boolean: the items that there are this time; all where none is given.
        pinned
            Items that open the list, in order: ids where the items have ids, else indices.
        """
        instance(problem, Problem, "problem")
        self._demand(state, problem.feature_space, "problem")
        if rng is not None:
            instance(rng, np.random.Generator, "rng")
        phi = None if context is None else real_array(context, "context", shape=(None,))
        score = self.index.score(state.posterior, state.posterior.at(phi), rng)
        opening = problem.positions(pinned, "pinned")
        slate = self.oracle(problem, score, available=available, pinned=opening, rng=rng)
        return replace(slate, context=phi, policy=self.fingerprint)

    def update(self, state: State, slate: Slate, rewards: npt.ArrayLike) -> State:
        """Return the state after a reward for each position, NaN where none was observed.

        Whoever chose the slate is welcome, as are other items and limits; only the features must be the
        state's. It is arithmetic: the same rewards twice count twice.
        """
        instance(slate, Slate, "slate")
        self._demand(state, slate.feature_space, "slate")
        clean = real_array(rewards, "rewards", shape=(len(slate),), allow_nan=True)
        return replace(state, posterior=state.posterior.condition(slate.features, clean, slate.context))

    def _demand(self, state: State, space: FeatureSpace, argument: str) -> None:
        """Raise unless a state is of this policy's model and of these features."""
        instance(state, State, "state")
        if state.model != self.model.fingerprint:
            reject("state", "was made by a policy with another model, whose knowledge means nothing here")
        difference = state.feature_space.difference(space)
        if difference is not None:
            reject(argument, f"is over other features than the state: {difference}")

    def init_many(self, problem: Problem, n_users: int) -> States:
        """Return the states of users that nothing is known of."""
        return States((self.init(problem),) * whole_number(n_users, "n_users", minimum=0))

    def select_many(  # noqa: PLR0913 - what may differ from round to round
        self,
        states: Sequence[State],
        problem: Problem,
        seed: int | None = None,
        round: int = 0,  # noqa: A002 - the promised name
        contexts: npt.ArrayLike | None = None,
        available: npt.ArrayLike | None = None,
    ) -> Slates:
        """Return a slate for each user: what `select` gives with ``rng=stream(seed, user, round)``.

        Parameters
        ----------
        states
            What is known of each user.
        problem
            This round's items and limits.
        seed, round
            What each user's random numbers are drawn from, for a policy that draws.
        contexts
            (users, p), for a model that learns from contexts.
        available
            (n,) or (users, n) boolean.
        """
        instance(states, Sequence, "states")
        instance(problem, Problem, "problem")
        users = range(len(states))
        phi = None if contexts is None else real_array(contexts, "contexts", shape=(len(states), None))
        masks = per_user_masks(available, len(states), problem.n_items)
        return Slates.stack(
            [
                self.select(
                    states[user],
                    problem,
                    rng=None if seed is None else stream(seed, user, round),
                    context=None if phi is None else phi[user],
                    available=None if masks is None else masks[user],
                )
                for user in users
            ],
            problem.n_features,
        )

    def update_many(self, states: Sequence[State], slates: Slates, rewards: npt.ArrayLike) -> States:
        """Return the states after rewards (users, longest), NaN where there is none.

        Beyond the end of a user's slate only NaN may stand.
        """
        instance(states, Sequence, "states")
        instance(slates, Slates, "slates")
        if len(states) != len(slates):
            reject("slates", f"must be one for each of {len(states)} states, but are {len(slates)}")
        clean = real_array(rewards, "rewards", shape=slates.items.shape, allow_nan=True)
        beyond = (slates.items < 0) & ~np.isnan(clean)
        if beyond.any():
            user, position = np.argwhere(beyond)[0]
            reject("rewards", f"must be NaN after the end of a slate, but rewards[{user}, {position}] is not")
        return States(
            tuple(
                self.update(state, slates[user], clean[user, : len(slates[user])])
                for user, state in enumerate(states)
            )
        )


def per_user_masks(
    available: npt.ArrayLike | None, n_users: int, n_items: int
) -> npt.NDArray[np.bool_] | None:
    """Return a mask for each user."""
    if available is None:
        return None
    if as_array(available, "available").ndim == 1:
        return np.broadcast_to(boolean_array(available, "available", shape=(n_items,)), (n_users, n_items))
    return boolean_array(available, "available", shape=(n_users, n_items))
