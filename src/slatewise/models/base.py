"""The nouns `Posterior` and `Belief`: what is known of one user, and this round's view of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from slatewise.checks import real_array
from slatewise.configuration import Configuration
from slatewise.errors import reject
from slatewise.typing import Floats

Self = TypeVar("Self", bound="Posterior")


class Belief(ABC):
    """What a round knows of the gains: a mean and a standard deviation for any features."""

    @abstractmethod
    def predict(self, x: npt.ArrayLike) -> tuple[Floats, Floats]:
        """Return the mean and standard deviation of each row's gain, as fast as possible."""

    @abstractmethod
    def predict_exactly(self, x: Floats) -> tuple[Floats, Floats]:
        """Return the same by the shared routine that decides where rounding could: equal rows, equal numbers.

        A Gaussian belief does it in one documented order of operations, no row looking at another, so
        that every path gets the same bits.
        """

    @abstractmethod
    def rounding(self, x: Floats, beta: float, scores: Floats) -> Floats:
        """Bound how far `scores`, mean + beta · std by `predict`, may be from `predict_exactly`'s."""


class Posterior(ABC):
    """What is known of one user: a value that grows by `condition`."""

    n_features: int

    @property
    @abstractmethod
    def n_observations(self) -> int:
        """How many rewards were learned from."""

    @property
    @abstractmethod
    def logdet(self) -> float:
        """The information so far: ln det(M₀⁻¹ M), for a kernel ln det(I + K/λ)."""

    @abstractmethod
    def condition(
        self: Self, x: npt.ArrayLike, y: npt.ArrayLike, context: npt.ArrayLike | None = None
    ) -> Self:
        """Return what is known after rewards y for the rows x; a NaN was not observed."""

    @abstractmethod
    def at(self, context: npt.ArrayLike | None = None) -> Belief:
        """Return this round's belief."""


class Model(Configuration, ABC):
    """Configuration of what is learned."""

    @abstractmethod
    def prior(self, n_features: int) -> Posterior:
        """Return what is known of a user that nothing is known of."""


def observed(x: npt.ArrayLike, y: npt.ArrayLike, n_features: int) -> tuple[Floats, Floats]:
    """Return the rows and rewards that were observed, checked."""
    rows = real_array(x, "x", shape=(None, n_features))
    rewards = real_array(y, "y", shape=(len(rows),), allow_nan=True)
    seen = ~np.isnan(rewards)
    return rows[seen], rewards[seen]


def checked_context(context: npt.ArrayLike | None, length: int | None) -> Floats | None:
    """Return a context of this length, ``None`` where none is taken; `length` ``None`` leaves it open."""
    if context is None:
        if length:
            reject("context", f"is needed, with {length} numbers, because contexts are learned from")
        return None
    if length == 0:
        reject("context", "was given, but nothing here takes one (n_context is 0)")
    return real_array(context, "context", shape=(length,))
