"""Random numbers by counting: a generator for each user and round, whatever is drawn beside it."""

from __future__ import annotations

import hashlib

import numpy as np

from slatewise.checks import whole_number


def stream(seed: int, user: int | str | None, round: int) -> np.random.Generator:  # noqa: A002 - the promised name
    """Return the generator of one user's round.

    Parameters
    ----------
    seed
        A whole number, at least 0.
    user
        A whole number, at least 0, or a key; ``None`` for the one user there is.
    round
        A whole number, at least 0.

    Examples
    --------
    >>> import slatewise as sw
    >>> float(sw.stream(7, 3, 0).random()) == float(sw.stream(7, 3, 0).random())
    True
    """
    entropy = whole_number(seed, "seed", minimum=0)
    place = (whole_number(round, "round", minimum=0), *words(user))
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(entropy, spawn_key=place)))


def words(user: int | str | None) -> tuple[int, ...]:
    """Return different whole numbers for different users."""
    if user is None:
        return ()
    if isinstance(user, str):
        digest = np.frombuffer(hashlib.sha256(user.encode()).digest(), dtype="<u4")
        return tuple(digest.tolist())
    return (whole_number(user, "user", minimum=0),)
