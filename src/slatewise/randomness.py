"""Random numbers by counting: a generator for each user and round, whatever is drawn beside it."""

from __future__ import annotations

import hashlib

import numpy as np

from slatewise.checks import whole_number


def stream(seed: int, user: int | str, round: int) -> np.random.Generator:  # noqa: A002 - the promised name
    """Return the generator of one user's round.

    Parameters
    ----------
    seed
        A whole number, at least 0.
    user
        A whole number, at least 0, or a key.
    round
        A whole number, at least 0.

    Examples
    --------
    >>> import slatewise as sw
    >>> float(sw.stream(7, 3, 0).random()) == float(sw.stream(7, 3, 0).random())
    True
    """
    key = [int.from_bytes(hashlib.sha256(user.encode()).digest())] if isinstance(user, str) else []
    number = len(user) if isinstance(user, str) else whole_number(user, "user", minimum=0)
    entropy = whole_number(seed, "seed", minimum=0)
    place = (whole_number(round, "round", minimum=0), number, *words(key))
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(entropy, spawn_key=place)))


def words(numbers: list[int]) -> list[int]:
    """Return large numbers as 32-bit words, which is what a seed sequence takes."""
    return [(number >> shift) & 0xFFFFFFFF for number in numbers for shift in range(0, 256, 32)]
