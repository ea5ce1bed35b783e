"""Many users over one catalogue: their states and slates, stacked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from slatewise.checks import frozen
from slatewise.policies.state import State
from slatewise.slate import Slate
from slatewise.typing import Floats, Ints


@dataclass(frozen=True, eq=False)
class States(Sequence[State]):
    """A state for each user.

    Parameters
    ----------
    states
        The states, in the order of the users.
    """

    states: tuple[State, ...]

    def __len__(self) -> int:
        return len(self.states)

    @overload
    def __getitem__(self, user: int) -> State: ...
    @overload
    def __getitem__(self, user: slice) -> States: ...
    def __getitem__(self, user: int | slice) -> State | States:
        return States(self.states[user]) if isinstance(user, slice) else self.states[user]


@dataclass(frozen=True, eq=False)
class Slates:
    """A slate for each user, as arrays; ``slates[u]`` is that user's `Slate`.

    Parameters
    ----------
    items
        (users, longest), -1 after the end.
    features
        (users, longest, d), 0 after the end.
    mean, std
        (users, longest), NaN after the end.
    score
        (users,).
    slates
        The slates one by one.
    """

    items: Ints
    features: Floats
    mean: Floats
    std: Floats
    score: Floats
    slates: tuple[Slate, ...]

    @classmethod
    def stack(cls, slates: Sequence[Slate], n_features: int) -> Slates:
        """Return slates as arrays as long as the longest."""
        shape = (len(slates), max((len(slate) for slate in slates), default=0))
        items, features = np.full(shape, -1, dtype=np.int64), np.zeros((*shape, n_features))
        mean, std = np.full(shape, np.nan), np.full(shape, np.nan)
        for user, slate in enumerate(slates):
            row = (user, slice(len(slate)))
            items[row], features[row], mean[row], std[row] = (
                slate.items,
                slate.features,
                slate.mean,
                slate.std,
            )
        score = np.array([slate.score for slate in slates], dtype=np.float64)
        return cls(
            frozen(items), frozen(features), frozen(mean), frozen(std), frozen(score), slates=tuple(slates)
        )

    def __len__(self) -> int:
        return len(self.slates)

    def __getitem__(self, user: int) -> Slate:
        return self.slates[user]

    def __iter__(self) -> Iterator[Slate]:
        return iter(self.slates)
