"""The noun `Oracle`: a list from scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from slatewise.configuration import Configuration
from slatewise.errors import reject
from slatewise.indices import Score
from slatewise.oracles.search import Candidate, Search
from slatewise.problem import Problem
from slatewise.slate import Slate


class Oracle(Configuration, ABC):
    """Makes a list from scores: a rule that grows candidates, of which the best becomes the slate.

    Whoever writes one writes `lists`; whatever it yields has to be feasible.
    """

    needs_diminishing: ClassVar[bool] = False
    """Whether it is right only for scores with diminishing majorants, which a UCB has not."""

    precedence: ClassVar[float] = 1.0
    """Among lists of equal score, which oracle's goes first: the smaller."""

    @abstractmethod
    def lists(self, search: Search) -> Iterator[Candidate]:
        """Yield the candidates, at least one."""

    def __call__(
        self,
        problem: Problem,
        score: Score,
        *,
        available: npt.ArrayLike | None = None,
        pinned: Iterable[int] = (),
        rng: np.random.Generator | None = None,
    ) -> Slate:
        """Return the best of its lists, by the list's score, as a slate.

        Parameters
        ----------
        problem
            What lists are worth and which are allowed.
        score
            The round's scores.
        available
            (n,) boolean: the items that there are this time.
        pinned
            Items that open the list, in order.
        rng
            For an oracle that draws.
        """
        search = Search(problem, score, available=available, pinned=pinned, rng=rng)
        return search.slate(self.best(search))

    def best(self, search: Search) -> Candidate:
        """Return the best of its lists."""
        if self.needs_diminishing and not search.score.diminishing:
            reject("oracle", f"{type(self).__name__} needs diminishing scores, which these are not")
        return search.choose(
            one if one.order else replace(one, order=(self.precedence,)) for one in self.lists(search)
        )
