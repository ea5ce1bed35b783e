"""The noun `Environment`: a user to practise on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from slatewise.slate import Slate
from slatewise.typing import Floats


class Environment(ABC):
    """Answers a slate with rewards, and knows what lists are really worth.

    A value: what an answer depends on is the slate and the generator alone, so that runs can be
    repeated and run side by side.
    """

    @abstractmethod
    def reward(self, slate: Slate, rng: np.random.Generator) -> Floats:
        """Return a reward for each position of the slate, NaN where none was observed."""

    @abstractmethod
    def value(self, items: Iterable[int]) -> float:
        """Return f(S), what the list is worth to the user on average."""
