"""A simulated user: known weights, and how reactions scatter around the gains w·x(e|S)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from slatewise.checks import nonnegative_array, real_number
from slatewise.configuration import Configuration
from slatewise.environments.base import Environment
from slatewise.errors import reject
from slatewise.problem import Problem
from slatewise.slate import Slate
from slatewise.typing import Floats


class Reactions(Configuration):
    """How rewards scatter around the gains of the positions."""

    @abstractmethod
    def mean(self, gains: Floats) -> Floats:
        """Return the rewards' means."""

    @abstractmethod
    def draw(self, gains: Floats, rng: np.random.Generator) -> Floats:
        """Return rewards, independent given the gains."""


@dataclass(frozen=True, eq=False)
class Bernoulli(Reactions):
    """1 with the gain's probability, clipped to [0, 1], otherwise 0; 1/2-sub-Gaussian."""

    def mean(self, gains: Floats) -> Floats:
        """Return the probabilities."""
        return np.clip(gains, 0.0, 1.0)

    def draw(self, gains: Floats, rng: np.random.Generator) -> Floats:
        """Return zeros and ones."""
        return (rng.random(len(gains)) < self.mean(gains)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class GaussianNoise(Reactions):
    """The gain with Gaussian noise added.

    Parameters
    ----------
    std
        R: the standard deviation, finite and not negative.
    """

    std: float

    def __post_init__(self) -> None:
        real_number(self.std, "std", minimum=0.0)

    def mean(self, gains: Floats) -> Floats:
        """Return the gains."""
        return gains

    def draw(self, gains: Floats, rng: np.random.Generator) -> Floats:
        """Return noisy gains."""
        return gains + self.std * rng.standard_normal(len(gains))


@dataclass(frozen=True, eq=False)
class SimulatedUser(Environment):
    """A user whose taste is a weight vector: f(S) = w·[f_1(S), ..., f_d(S)].

    Parameters
    ----------
    problem
        Whose features the weights are over.
    weights
        (d,), finite and not negative: w.
    reactions
        How rewards scatter; clicks by default.

    Notes
    -----
    `value` is f itself. Where a gain exceeds 1, `Bernoulli` clips it, and a list's expected reward is
    less than its value; ``expected(slate).sum()`` is the expected reward.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.environments import SimulatedUser
    >>> problem = sw.Problem(sw.Coverage([[1, 0], [1, 1], [0, 1]]), [sw.Cardinality(2)])
    >>> user = SimulatedUser(problem, [0.9, 0.4])
    >>> user.value([0, 2]), user.expected(problem.slate([0, 1]))
    (1.3, array([0.9, 0.4]))
    >>> rewards = user.reward(problem.slate([0, 1]), sw.stream(0, 0, 0))
    """

    problem: Problem
    weights: npt.ArrayLike
    reactions: Reactions = field(default_factory=Bernoulli)

    def __post_init__(self) -> None:
        clean = nonnegative_array(self.weights, "weights", shape=(self.problem.n_features,))
        object.__setattr__(self, "weights", clean)

    def gains(self, slate: Slate) -> Floats:
        """Return w·x of each position."""
        difference = self.problem.feature_space.difference(slate.feature_space)
        if difference is not None:
            reject("slate", f"is over other features than the user's taste: {difference}")
        found: Floats = slate.features @ np.asarray(self.weights)
        return found

    def expected(self, slate: Slate) -> Floats:
        """Return the mean reward of each position."""
        return self.reactions.mean(self.gains(slate))

    def reward(self, slate: Slate, rng: np.random.Generator) -> Floats:
        """Return a reward for each position."""
        return self.reactions.draw(self.gains(slate), rng)

    def value(self, items: Iterable[int]) -> float:
        """Return w·f(S)."""
        return float(self.problem.value(items) @ np.asarray(self.weights))
