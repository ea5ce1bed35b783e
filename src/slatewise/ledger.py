"""What is remembered: of each user, and of each slate that was shown, with its rewards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from slatewise.checks import frozen, refuse
from slatewise.errors import reject
from slatewise.policies import State
from slatewise.slate import Slate
from slatewise.typing import Floats

User = str | int | None


@dataclass(frozen=True, eq=False, slots=True)
class Reader:
    """What is kept of one user: the policy's state, and how many slates were chosen."""

    state: State
    rounds: int = 0


@dataclass(frozen=True, eq=False)
class Entry:
    """A slate that was shown, to whom, and the rewards accepted so far; NaN where none was."""

    user: User
    slate: Slate
    rewards: Floats

    @property
    def waiting(self) -> bool:
        """Whether a position has no reward yet."""
        return bool(np.isnan(self.rewards).any())

    def fresh(self, rewards: Floats) -> Floats:
        """Return the rewards that are new; the same again is none, and a different one is an error."""
        known = ~np.isnan(self.rewards)
        other = known & ~np.isnan(rewards) & (rewards != self.rewards)
        refuse(
            "rewards",
            rewards,
            other,
            f"must repeat what slate {self.slate.number} was rewarded with where it was rewarded already",
        )
        return frozen(np.where(known, np.nan, rewards))

    def rewarded(self, fresh: Floats) -> Entry:
        """Return the entry with further rewards."""
        return replace(self, rewards=frozen(np.where(np.isnan(fresh), self.rewards, fresh)))


class Ledger(Mapping[int, Entry]):
    """The slates that are remembered, by their numbers, which only grow."""

    def __init__(self, entries: dict[int, Entry], next_number: int, first_remembered: int) -> None:
        self.entries = entries
        self.next_number = next_number
        self.first_remembered = first_remembered

    @classmethod
    def empty(cls) -> Ledger:
        """Return a ledger of no slate."""
        return cls({}, 0, 0)

    def __getitem__(self, number: int) -> Entry:
        if number in self.entries:
            return self.entries[number]
        if 0 <= number < self.first_remembered:
            reject(
                "slate", f"number {number} has expired: slates before {self.first_remembered} are forgotten"
            )
        return reject("slate", f"there is none with the number {number}")

    def __iter__(self) -> Iterator[int]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, number: object) -> bool:
        return number in self.entries

    def show(self, user: User, slate: Slate) -> Slate:
        """Return the slate with its number, and remember it."""
        numbered = replace(slate, number=self.next_number)
        self.entries[self.next_number] = Entry(user, numbered, frozen(np.full(len(slate), np.nan)))
        self.next_number += 1
        return numbered

    def expire(self, before: int) -> None:
        """Forget the slates before a number."""
        self.first_remembered = max(self.first_remembered, min(before, self.next_number))
        for number in [number for number in self.entries if number < self.first_remembered]:
            del self.entries[number]


def number_of(slate: Slate) -> int:
    """Return the number of a slate that has one."""
    if slate.number is None:
        reject("slate", "has no number: it was not chosen here")
    return slate.number
