"""How unsure values become one score: mean, upper confidence bound, posterior sample."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from slatewise.checks import frozen, real_number
from slatewise.configuration import Configuration
from slatewise.errors import reject
from slatewise.models.base import Belief, Posterior
from slatewise.models.gaussian import GaussianBelief
from slatewise.typing import Floats
from slatewise.widths import Width

DEFAULT_RANGE = (0.01, 1.0)
"""ν and ν' where nothing better is known: for rewards in [0, 1]."""


@dataclass(frozen=True, eq=False)
class Score:
    """What an oracle sees of a round: a score for any features, and one for any list.

    Parameters
    ----------
    belief
        What scores are made of.
    beta
        β: an item's score is μ + βσ.
    list_factor
        A list's score is Σμ + list_factor·β·Σσ.
    value_range
        ν and ν': bounds on the largest value of a single item; ``None`` where the scores are the
        true values, so that it can be looked up.
    """

    belief: Belief
    beta: float = 0.0
    list_factor: float = 3.0
    value_range: tuple[float, float] | None = field(default=DEFAULT_RANGE)

    @property
    def diminishing(self) -> bool:
        """Whether a list's score is a set function with diminishing majorants: linear, with β = 0."""
        return self.beta == 0 and isinstance(self.belief, GaussianBelief)

    def of(self, x: Floats) -> tuple[Floats, Floats]:
        """Return each row's score, and a bound on how far it is from `exactly`'s."""
        mean, std = self.belief.predict(x)
        scores = mean + self.beta * std
        return scores, self.belief.rounding(x, self.beta, scores)

    def exactly(self, x: Floats) -> Floats:
        """Return each row's score by the shared routine that decides."""
        mean, std = self.belief.predict_exactly(x)
        return mean + self.beta * std

    def of_list(self, mean: Sequence[float], std: Sequence[float]) -> float:
        """Return the score of a list from its items' means and standard deviations."""
        return sum(mean) + self.list_factor * self.beta * sum(std)

    def size_of_list(self, mean: Sequence[float], std: Sequence[float]) -> float:
        """Return Σ(|μ| + list_factor·βσ), to which the tolerance of equal lists is relative."""
        return sum(map(abs, mean)) + self.list_factor * self.beta * sum(std)


class Index(Configuration, ABC):
    """How a belief becomes scores."""

    @abstractmethod
    def score(self, posterior: Posterior, belief: Belief, rng: np.random.Generator | None) -> Score:
        """Return the round's scores."""


@dataclass(frozen=True, eq=False)
class UpperConfidence(Index):
    """μ + βσ for an item, Σμ + 3βΣσ for a list.

    Parameters
    ----------
    width
        What gives β_t.
    list_factor
        The 3 of the list's score, which the proof of the paper's Lemma 1 needs.

    Examples
    --------
    >>> import numpy as np
    >>> import slatewise as sw
    >>> posterior = sw.LinearModel().prior(2)
    >>> score = sw.UpperConfidence(sw.ConstantWidth(0.5)).score(posterior, posterior.at(), None)
    >>> score.exactly(np.array([[1.0, 0.0], [3.0, 4.0]]))
    array([0.5, 2.5])
    """

    width: Width
    list_factor: float = 3.0

    def __post_init__(self) -> None:
        if not isinstance(self.width, Width):
            reject("width", f"must be a slatewise Width, but is {self.width!r}")
        self.settle(list_factor=real_number(self.list_factor, "list_factor", minimum=0.0))

    def score(
        self,
        posterior: Posterior,
        belief: Belief,
        rng: np.random.Generator | None,  # noqa: ARG002 - draws nothing
    ) -> Score:
        """Return upper confidence bounds."""
        return Score(belief, self.width.beta(posterior), self.list_factor)


@dataclass(frozen=True, eq=False)
class Mean(Index):
    """μ alone: what is expected, with no hope beyond.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[1.0, 0.0], [0.0, 1.0]]), [sw.Cardinality(1)])
    >>> known = sw.Policy(model=sw.KnownWeights([1.0, 2.0]), index=sw.Mean(), oracle=sw.Greedy())
    >>> known.select(known.init(problem), problem).items
    (1,)
    """

    def score(
        self,
        posterior: Posterior,  # noqa: ARG002 - the belief is enough
        belief: Belief,
        rng: np.random.Generator | None,  # noqa: ARG002 - draws nothing
    ) -> Score:
        """Return means."""
        return Score(belief)


@dataclass(frozen=True, eq=False)
class PosteriorSample(Index):
    """Thompson sampling: weights drawn from the belief, then taken for true.

    Parameters
    ----------
    scale
        What the draw's distance from the mean is multiplied by.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Modular([[1.0, 0.0], [0.0, 1.0]]), [sw.Cardinality(1)])
    >>> policy = sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy())
    >>> slate = policy.select(policy.init(problem), problem, rng=sw.stream(0, 0, 0))
    >>> slate.std
    array([0.])
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        self.settle(scale=real_number(self.scale, "scale", minimum=0.0))

    def score(
        self,
        posterior: Posterior,  # noqa: ARG002 - the belief is enough
        belief: Belief,
        rng: np.random.Generator | None,
    ) -> Score:
        """Return the gains under one draw of the weights."""
        if not isinstance(belief, GaussianBelief):
            reject("index", "a posterior sample needs a Gaussian belief, which a kernel has not")
        if rng is None:
            reject("rng", "is needed, because the index draws weights, but is None")
        draw = rng.standard_normal(belief.factor.shape[1])
        weights = frozen(belief.mean + self.scale * (belief.factor @ draw))
        return Score(GaussianBelief(weights, frozen(np.zeros((len(weights), 0)))))
