"""The laws of policies: pure functions of a state, alone or for many users."""

# ruff: noqa: D401 - a law says what is so, and orders nothing

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from slatewise.policies import Policy, State
from slatewise.problem import Problem
from slatewise.randomness import stream
from slatewise.slate import Slate
from slatewise.testing.laws import other_features, sample_problems, uphold
from slatewise.typing import Array, Floats

ROUNDS = 3
USERS = 2


@dataclass(frozen=True)
class Trial:
    """A policy at work on a problem, with contexts where it takes them."""

    policy: Policy
    problem: Problem
    contexts: Floats | None
    seed: int

    def context(self, round_: int) -> Floats | None:
        """Return the context of a round."""
        return None if self.contexts is None else self.contexts[round_ % len(self.contexts)]

    def select(self, state: State, round_: int = 0) -> Slate:
        """Return a round's slate."""
        rng = stream(self.seed, 0, round_)
        return self.policy.select(state, self.problem, rng=rng, context=self.context(round_))

    def rewards(self, slate: Slate) -> Floats:
        """Return a reward for each position, the last one not observed."""
        rewards = np.random.default_rng(self.seed).random(len(slate))
        rewards[1:][-1:] = np.nan
        return rewards

    def states(self) -> Iterator[State]:
        """Yield the states of a few rounds, lived through anew."""
        state = self.policy.init(self.problem)
        for round_ in range(ROUNDS):
            yield state
            slate = self.select(state, round_)
            state = self.policy.update(state, slate, self.rewards(slate))

    def seen(self, state: State) -> Array:
        """Return all that a state shows: what it counts and what it believes."""
        belief = state.posterior.at(self.context(0))
        rows = np.random.default_rng(self.seed).random((5, self.problem.n_features))
        said = [state.posterior.logdet, float(state.posterior.n_observations)]
        return np.concatenate([said, *belief.predict(rows)])


def check_policy(
    policy: Policy,
    *,
    problem: Problem | None = None,
    n_context: int = 0,
    seed: int = 0,
) -> None:
    """Run a policy through the laws of `slatewise.Policy`.

    `init`, `select` and `update` change nothing that they are given; the same random numbers give the
    same slates; an empty slate teaches nothing; many users at once are a loop over users; a slate over
    other features is refused.

    Parameters
    ----------
    policy
        What is to be checked.
    problem
        What to try it on; a few small ones where none is given.
    n_context
        The length of the contexts to try it with; 0 for none.
    seed
        What contexts, rewards and the policy's own draws come from.

    Raises
    ------
    AssertionError
        Where a law is broken, with its name and the round.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.testing import check_policy
    >>> check_policy(sw.afsm_ucb())
    """
    rng = np.random.default_rng(seed)
    contexts = rng.standard_normal((ROUNDS, n_context)) if n_context else None
    for tried in sample_problems(rng) if problem is None else [problem]:
        uphold(LAWS, Trial(policy, tried, contexts, seed))


def choosing_changes_nothing(trial: Trial) -> Iterator[str]:
    """`select` leaves the state as it was."""
    for round_, state in enumerate(trial.states()):
        before = trial.seen(state)
        trial.select(state)
        if not same(before, trial.seen(state)):
            yield f"in round {round_} the state is another one after select"


def learning_leaves_the_old_state(trial: Trial) -> Iterator[str]:
    """`update` returns a new state and leaves the old one as it was."""
    for round_, state in enumerate(trial.states()):
        before = trial.seen(state)
        slate = trial.select(state)
        trial.policy.update(state, slate, trial.rewards(slate))
        if not same(before, trial.seen(state)):
            yield f"in round {round_} the old state is another one after update"


def the_same_random_numbers_give_the_same_slates(trial: Trial) -> Iterator[str]:
    """A round's slate depends on the state, the problem and the random numbers alone."""
    for round_, (one, other) in enumerate(zip(trial.states(), trial.states(), strict=True)):
        first, second = trial.select(one), trial.select(other)
        if not same_slate(first, second):
            yield f"in round {round_}, {first.items} is chosen first and {second.items} then"


def slates_are_feasible(trial: Trial) -> Iterator[str]:
    """All limits allow the slate."""
    for round_, state in enumerate(trial.states()):
        items = trial.select(state).items
        if not trial.problem.feasible(items):
            yield f"in round {round_}, {items} is not"


def empty_slates_teach_nothing(trial: Trial) -> Iterator[str]:
    """`update` takes a slate without items, and nothing comes of it."""
    for round_, state in enumerate(trial.states()):
        empty = trial.problem.slate([], context=trial.context(0))
        if not same(trial.seen(state), trial.seen(trial.policy.update(state, empty, []))):
            yield f"in round {round_} something else is known after an empty slate"


def slates_that_something_else_chose_are_learned_from(trial: Trial) -> Iterator[str]:
    """A slate over the same features teaches the same, whoever chose it."""
    for round_, state in enumerate(trial.states()):
        slate = trial.select(state)
        logged = trial.problem.slate(slate.items, context=slate.context)
        one, other = (trial.policy.update(state, some, trial.rewards(slate)) for some in (slate, logged))
        if not np.allclose(trial.seen(one), trial.seen(other), rtol=1e-9, atol=1e-12, equal_nan=True):
            yield f"in round {round_}, {slate.items} teaches something else when another has chosen it"


def many_users_are_a_loop_over_users(trial: Trial) -> Iterator[str]:
    """`select_many` and `update_many` give what `select` and `update` give one user after the other."""
    policy, problem, seed = trial.policy, trial.problem, trial.seed
    several = policy.init_many(problem, USERS)
    single = [policy.init(problem) for _ in range(USERS)]
    contexts = None if trial.contexts is None else trial.contexts[np.arange(USERS) % len(trial.contexts)]
    for round_ in range(ROUNDS):
        slates = policy.select_many(several, problem, seed=seed, round=round_, contexts=contexts)
        rewards = np.full(slates.items.shape, np.nan)
        for user, state in enumerate(single):
            rng = stream(seed, user, round_)
            slate = policy.select(
                state, problem, rng=rng, context=None if contexts is None else contexts[user]
            )
            if not same_slate(slate, slates[user]):
                yield f"in round {round_}, user {user} gets {slates[user].items}, alone {slate.items}"
            if slates.items[user].tolist() != [*slate.items, *[-1] * (slates.items.shape[1] - len(slate))]:
                yield f"in round {round_}, row {user} of the items is {slates.items[user]}, not {slate.items}"
            rewards[user, : len(slate)] = trial.rewards(slate) + user
            single[user] = policy.update(state, slate, trial.rewards(slate) + user)
        several = policy.update_many(several, slates, rewards)
        for user, state in enumerate(single):
            if not same(trial.seen(several[user]), trial.seen(state)):
                yield f"after round {round_}, of user {user} something else is known than alone"


def other_features_are_refused(trial: Trial) -> Iterator[str]:
    """A problem or a slate over other features raises `ValueError`, and nothing has changed."""
    other = other_features(trial.problem)
    for round_, state in enumerate(trial.states()):
        before = trial.seen(state)
        foreign = other.slate([0], context=trial.context(0))
        if not refused(lambda state=state, foreign=foreign: trial.policy.update(state, foreign, [1.0])):  # type: ignore[misc]
            yield f"in round {round_}, update takes a slate over other features"
        if not refused(lambda state=state: trial.policy.select(state, other, rng=stream(0, 0, 0))):  # type: ignore[misc]
            yield f"in round {round_}, select takes a problem over other features"
        if not same(before, trial.seen(state)):
            yield f"in round {round_} the state is another one after a refusal"


LAWS = (
    choosing_changes_nothing,
    learning_leaves_the_old_state,
    the_same_random_numbers_give_the_same_slates,
    slates_are_feasible,
    empty_slates_teach_nothing,
    slates_that_something_else_chose_are_learned_from,
    many_users_are_a_loop_over_users,
    other_features_are_refused,
)


def same(one: Array, other: Array) -> bool:
    """Return whether two arrays are equal to the last bit, NaN included."""
    return np.array_equal(one, other, equal_nan=True)


def same_slate(one: Slate, other: Slate) -> bool:
    """Return whether two slates hold the same items, with the same features and beliefs."""
    return one.items == other.items and all(
        same(getattr(one, name), getattr(other, name)) for name in ("features", "mean", "std")
    )


def refused(act: Callable[[], object]) -> bool:
    """Return whether something raises `ValueError`."""
    try:
        act()
    except ValueError:
        return True
    return False
