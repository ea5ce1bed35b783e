"""Letting a policy learn from an environment, round by round."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from slatewise.checks import frozen, whole_number
from slatewise.environments.base import Environment
from slatewise.policies import Policy, State
from slatewise.problem import Problem
from slatewise.randomness import stream
from slatewise.slate import Slate
from slatewise.typing import Floats


@dataclass(frozen=True)
class Round:
    """One round as it was played.

    Parameters
    ----------
    number
        From 0.
    state
        What was known when the slate was chosen.
    slate
        What was shown.
    rewards
        (length,): what was observed, NaN where nothing was.
    value
        f(S), what the slate was really worth.
    """

    number: int
    state: State
    slate: Slate
    rewards: Floats
    value: float


@dataclass(frozen=True, eq=False)
class Run:
    """Rounds as arrays, with the last of them.

    Parameters
    ----------
    rewards
        (rounds,): the sum over the slate of what was observed.
    values
        (rounds,): f(S_t).
    lengths
        (rounds,): how many items each slate has.
    last
        The last round.
    """

    rewards: Floats
    values: Floats
    lengths: Floats
    last: Round

    def regret(self, target: float) -> Floats:
        """Return Σ_{s ≤ t} (target - f(S_s)) for each t; with target = α·f(OPT), the α-regret."""
        return np.cumsum(target - self.values)


def play(
    policy: Policy, problem: Problem, environment: Environment, *, seed: int, user: int = 0
) -> Iterator[Round]:
    """Yield round after round, without end: choose, show, learn.

    Parameters
    ----------
    policy, problem
        Who chooses, and from what.
    environment
        Who reacts.
    seed, user
        What both sides draw from: the policy from ``stream(seed, user, round)``, the user from a stream
        of its own that is the same for every policy.

    Examples
    --------
    >>> from itertools import islice
    >>> import slatewise as sw
    >>> from slatewise.environments import SimulatedUser, play
    >>> problem = sw.Problem(sw.Coverage([[1, 0], [1, 1], [0, 1]]), [sw.Cardinality(2)])
    >>> user = SimulatedUser(problem, [1.0, 0.0])
    >>> [round.value for round in islice(play(sw.lsb_greedy(), problem, user, seed=0), 3)]
    [1.0, 1.0, 1.0]
    """
    state, number = policy.init(problem), 0
    while True:
        slate = policy.select(state, problem, rng=stream(seed, user, number))
        rewards = environment.reward(slate, stream(seed, f"reactions of {user}", number))
        yield Round(number, state, slate, rewards, environment.value(slate.items))
        state = policy.update(state, slate, rewards)
        number += 1


def simulate(  # noqa: PLR0913 - who plays, and how long
    policy: Policy,
    problem: Problem,
    environment: Environment,
    *,
    rounds: int,
    seed: int,
    user: int = 0,
) -> Run:
    """Return so many rounds of `play`.

    Parameters
    ----------
    policy, problem, environment, seed, user
        As for `play`.
    rounds
        How many, at least 1.
    """
    count = whole_number(rounds, "rounds", minimum=1)
    return collect(islice(play(policy, problem, environment, seed=seed, user=user), count))


def collect(rounds: Iterator[Round]) -> Run:
    """Return rounds, at least one, as arrays."""
    rows: list[tuple[float, float, int]] = []
    last = next(rounds)
    rows.append(_row(last))
    for last in rounds:
        rows.append(_row(last))
    rewards, values, lengths = np.array(rows, dtype=np.float64).T
    return Run(frozen(rewards), frozen(values), frozen(lengths), last)


def _row(played: Round) -> tuple[float, float, int]:
    return float(np.nansum(played.rewards)), played.value, len(played.slate)
