"""The one mutable shell: users, numbered slates, and reactions that come when they come."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from slatewise.checks import instance, listed, real_array, whole_number
from slatewise.errors import reject
from slatewise.explaining import Explanation, Round, Tastes, explain, tastes
from slatewise.ledger import Entry, Ledger, Reader, User, number_of
from slatewise.policies import Policy, State
from slatewise.problem import Problem
from slatewise.randomness import stream
from slatewise.slate import Slate
from slatewise.typing import Bools, Floats

Rewards = Sequence[float] | Floats | Mapping[Hashable, float]


class Recommender:
    """Chooses slates for any number of users and learns from their reactions.

    Parameters
    ----------
    problem
        The items and limits where a call gives no others, and the features that all must share.
    policy
        How to choose and what to learn.
    seed
        A whole number, or a Generator, which is drawn from once: what random policies draw from.

    Notes
    -----
    A user is a key (a string, a whole number, or ``None`` where there is one user only), made when
    first met, from the prior. With d features, a linear model keeps 16 d (d + 1) bytes of one who has
    reacted: 17 KB at d = 32; one who has not costs some 200 bytes.

    It is for one thread at a time; several processes share nothing but what each has saved.

    Every slate has a number, and is remembered until it expires, so that reactions can come late, in
    parts and again: the same reward for a position counts once, a different one is an error.

    Examples
    --------
    >>> import slatewise as sw
    >>> topics = sw.Coverage([[1, 0], [1, 1], [0, 1]], names=["politics", "science"])
    >>> problem = sw.Problem(topics, [sw.Cardinality(2)], ids=["a", "b", "c"])
    >>> agent = sw.Recommender(problem, sw.afsm_ucb())
    >>> slate = agent.select(user="ada")
    >>> slate.ids
    ('b', 'a')
    >>> agent.clicked(slate, ["b"])
    >>> agent.open_slates
    {}
    """

    def __init__(self, problem: Problem, policy: Policy, seed: int | np.random.Generator = 0) -> None:
        instance(policy, Policy, "policy")
        self.problem = problem
        self.policy = policy
        self.seed = (
            int(seed.integers(2**63))
            if isinstance(seed, np.random.Generator)
            else whole_number(seed, "seed", minimum=0)
        )
        self._newcomer = Reader(policy.init(problem))
        self._readers: dict[User, Reader] = {}
        self._ledger = Ledger.empty()
        self._latest: tuple[int, Round] | None = None

    @property
    def users(self) -> tuple[User, ...]:
        """The users met so far, in that order."""
        return tuple(self._readers)

    def state(self, user: User = None) -> State:
        """Return what is known of a user: the prior, where they have not been met."""
        return self._readers.get(user, self._newcomer).state

    def select(  # noqa: PLR0913 - what may differ from round to round
        self,
        user: User = None,
        context: npt.ArrayLike | None = None,
        problem: Problem | None = None,
        available: npt.ArrayLike | None = None,
        limits: Mapping[str, Any] | None = None,
        exclude: Iterable[Hashable] = (),
        pinned: Iterable[Hashable] = (),
    ) -> Slate:
        """Return a user's next slate; it waits for rewards until they come or it expires.

        Save before a slate is sent, where a crash must not let its number be given out again.

        Parameters
        ----------
        user
            Who it is for.
        context
            φ, for a model that learns from contexts.
        problem
            This round's items and limits, over the same features; those of the start where none is given.
        available
            (n,) boolean: the items that there are this time.
        limits
            Other bounds of named limits for this round, such as ``{"minutes": 10}``.
        exclude
            Items that may not be chosen: ids where the items have ids, else indices.
        pinned
            Items that open the slate, in order: likewise.
        """
        user = checked_user(user)
        reader = self._readers.get(user, self._newcomer)
        asked = self.problem if problem is None else problem
        instance(asked, Problem, "problem")
        if limits is not None:
            asked = asked.with_limits(limits)
        keys = listed(pinned, "pinned")
        mask = mask_without(asked, available, asked.positions(exclude, "exclude"))
        # The state's own generator is made anew at each round, so nothing of it has to be kept.
        draws = self.seed, user, reader.rounds
        slate = self.policy.select(
            reader.state,
            asked,
            rng=stream(*draws),
            context=context,
            available=mask,
            pinned=keys,
        )
        self._readers[user] = replace(reader, rounds=reader.rounds + 1)
        numbered = self._ledger.show(user, slate)
        known = Round(asked, self.policy, reader.state, draws, slate.context, mask, keys)
        self._latest = number_of(numbered), known
        return numbered

    def update(self, slate: Slate | int, rewards: Rewards, user: User = None) -> None:
        """Learn a reward for each position, NaN where none was seen; nothing is assumed of a position.

        A mapping from items (ids where they have ids, else indices) must cover the slate. Rewards that
        were accepted before count once; one that contradicts them is an error, and changes nothing.

        Parameters
        ----------
        slate
            A slate or its number; or one of ``problem.slate``, which something else chose, and which is
            learned each time that it is given.
        rewards
            One reward a position, or a mapping.
        user
            Whose rewards they are, for a slate that something else chose.
        """
        if isinstance(slate, Slate) and slate.number is None:
            self._learn(checked_user(user), slate, by_position(slate, rewards))
            return
        entry = self._entry(slate)
        if user is not None and user != entry.user:
            reject("user", f"is {user!r}, but slate {entry.slate.number} was shown to {entry.user!r}")
        fresh = entry.fresh(by_position(entry.slate, rewards))
        self._learn(entry.user, entry.slate, fresh)
        self._ledger.entries[number_of(entry.slate)] = entry.rewarded(fresh)

    def clicked(self, slate: Slate | int, items: Iterable[Hashable], seen: int | None = None) -> None:
        """Learn 1 for these items and 0 for the others down to position `seen`; all were seen by default.

        Beyond `seen` nothing is assumed of a position that was not clicked.

        Parameters
        ----------
        slate
            A slate or its number.
        items
            The items that were clicked: ids where they have ids, else indices.
        seen
            How many positions were seen, from the top.
        """
        shown = self._entry(slate).slate
        keys = shown.keys
        hits = listed(items, "items")
        for item in hits:
            if item not in keys:
                reject("items", f"must be of the slate, but {item!r} is not on it")
        depth = len(shown) if seen is None else whole_number(seen, "seen", minimum=0)
        if depth > len(shown):
            reject("seen", f"must be at most the {len(shown)} positions of the slate, but is {depth}")
        self.update(
            shown,
            [
                1.0 if key in hits else 0.0 if position < depth else np.nan
                for position, key in enumerate(keys)
            ],
        )

    @property
    def open_slates(self) -> dict[int, Slate]:
        """The slates that still wait for a reward, by their numbers."""
        return {number: entry.slate for number, entry in self._ledger.items() if entry.waiting}

    def expire(self, before: int) -> None:
        """Forget the slates whose number is smaller; a reward for one of them is then an error."""
        self._ledger.expire(whole_number(before, "before", minimum=0))

    def explain(self, slate: Slate | int) -> Explanation:
        """Explain a slate: position by position, limit by limit, and which other lists lost.

        It prints as text, shows as a table in a notebook, and has ``to_dict()``. For the last slate
        chosen it looks at everything that could have been; for an earlier one it works from what the
        slate recorded.
        """
        entry = self._entry(slate)
        latest = self._latest
        known = latest[1] if latest is not None and latest[0] == entry.slate.number else None
        state = self.state(entry.user) if known is None else known.state
        return explain(entry.slate, known, tastes(self.policy, state, entry.slate.context))

    def tastes(self, user: User = None, context: npt.ArrayLike | None = None) -> Tastes:
        """Return what is believed of a user: how much each feature is worth to them, with intervals."""
        return tastes(self.policy, self.state(user), context)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file; a crash leaves the old file or the new one, never half of one."""
        from slatewise.keeping import Kept, write

        write(
            path,
            Kept(self.policy, self.seed, self._readers, self._ledger, self._newcomer.state.feature_space),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str], problem: Problem, policy: Policy) -> Recommender:
        """Return what was saved, to go on as if it had never stopped.

        Parameters
        ----------
        path
            The file.
        problem
            Items and limits, which may be others than before, over the same features.
        policy
            The same policy; where it differs, or the features do, an error names the difference.
        """
        from slatewise.keeping import read

        instance(problem, Problem, "problem")
        instance(policy, Policy, "policy")
        kept = read(path, policy, problem.feature_space)
        agent = cls(problem, policy, kept.seed)
        agent._readers = kept.readers
        agent._ledger = kept.ledger
        return agent

    def _entry(self, slate: Slate | int) -> Entry:
        number = number_of(slate) if isinstance(slate, Slate) else whole_number(slate, "slate", minimum=0)
        entry = self._ledger[number]
        if isinstance(slate, Slate) and slate is not entry.slate and not same(slate, entry.slate):
            reject("slate", f"number {number} is another slate here: {entry.slate.items}, not {slate.items}")
        return entry

    def _learn(self, user: User, slate: Slate, rewards: Floats) -> None:
        reader = self._readers.get(user, self._newcomer)
        self._readers[user] = replace(reader, state=self.policy.update(reader.state, slate, rewards))


def checked_user(user: User) -> User:
    """Return a key that a user may have."""
    if isinstance(user, str) and not user.isascii():
        try:
            user.encode()
        except UnicodeEncodeError:
            reject("user", f"must be text that can be written as UTF-8, but is {user!r}")
    if user is None or isinstance(user, str):
        return None if user is None else str.__str__(user)
    given: object = user
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0:
        reject("user", f"must be a string, a whole number of at least 0, or None, but is {given!r}")
    return int(given)


def mask_without(
    problem: Problem, available: npt.ArrayLike | None, excluded: tuple[int, ...]
) -> Bools | None:
    """Return which items there are this time, without the excluded ones."""
    if available is None and not excluded:
        return None
    mask = problem.mask_of(available)
    mask[list(excluded)] = False
    return mask


def by_position(slate: Slate, rewards: Rewards) -> Floats:
    """Return rewards as one a position."""
    if not isinstance(rewards, Mapping):
        return real_array(rewards, "rewards", shape=(len(slate),), allow_nan=True)
    keys = slate.keys
    for key in keys:
        if key not in rewards:
            reject("rewards", f"must cover the slate, but {key!r} is missing")
    for key in rewards:
        if key not in keys:
            reject("rewards", f"must be of the slate's items, but {key!r} is not on it")
    return real_array([rewards[key] for key in keys], "rewards", shape=(len(slate),), allow_nan=True)


def same(one: Slate, other: Slate) -> bool:
    """Return whether two slates are the same choice."""
    return one.items == other.items and one.ids == other.ids and np.array_equal(one.features, other.features)
