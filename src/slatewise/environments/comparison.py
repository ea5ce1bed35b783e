"""Comparing policies over the same users: means and paired differences with their intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slatewise.checks import real_array, real_number, whole_number
from slatewise.errors import reject
from slatewise.typing import Floats


@dataclass(frozen=True)
class Interval:
    """A mean over users, and where the mean of all such users lies with the stated confidence.

    Parameters
    ----------
    mean, low, high
        Of the same shape; numbers (0-dimensional) or arrays.
    """

    mean: Floats
    low: Floats
    high: Floats

    @property
    def sign(self) -> int:
        """1 where the whole of a single interval is above 0, -1 where it is below, 0 where it reaches 0."""
        return int(self.low > 0) - int(self.high < 0)


def interval_of_mean(samples: npt.ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Return the mean over users with Student's interval.

    Parameters
    ----------
    samples
        (users, ...), at least two users; each further axis has intervals of its own.
    confidence
        How often such an interval holds the mean, each one for itself, where the users are a random
        sample and their numbers near to normal.

    Examples
    --------
    >>> from slatewise.environments import interval_of_mean
    >>> found = interval_of_mean([1.0, 2.0, 3.0])
    >>> round(float(found.low), 2), float(found.mean), round(float(found.high), 2)
    (-0.48, 2.0, 4.48)
    """
    array = np.asarray(samples, dtype=np.float64)
    clean = real_array(array, "samples", shape=(None,) * max(array.ndim, 1))
    users = len(clean)
    if users < 2:  # noqa: PLR2004 - nothing is known of the spread of one
        reject("samples", f"must hold at least two users, but has {users}")
    level = real_number(confidence, "confidence", above=0.0, below=1.0)
    mean = clean.mean(axis=0)
    reach = student(level, users - 1) * clean.std(axis=0, ddof=1) / np.sqrt(users)
    return Interval(mean, mean - reach, mean + reach)


def paired_difference(ours: npt.ArrayLike, theirs: npt.ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Return the mean of ours - theirs over the same users, with its interval.

    Parameters
    ----------
    ours, theirs
        (users, ...): a row of both for each user.
    confidence
        As for `interval_of_mean`.
    """
    left, right = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    if left.shape != right.shape:
        reject("theirs", f"must have a row for each of the same users, {left.shape}, but has {right.shape}")
    return interval_of_mean(left - right, confidence=confidence)


def trailing_mean(values: npt.ArrayLike, window: int) -> Floats:
    """Return, for each round, the mean of the latest rounds: `window` of them, or as many as there were.

    Parameters
    ----------
    values
        (users, rounds).
    window
        At least 1.

    Examples
    --------
    >>> from slatewise.environments import trailing_mean
    >>> trailing_mean([[1.0, 2.0, 3.0, 4.0]], 2)
    array([[1. , 1.5, 2.5, 3.5]])
    """
    clean = real_array(values, "values", shape=(None, None))
    total = np.cumsum(np.insert(clean, 0, 0.0, axis=1), axis=1)
    end = np.arange(1, clean.shape[1] + 1)
    start = np.maximum(end - whole_number(window, "window", minimum=1), 0)
    means: Floats = (total[:, end] - total[:, start]) / (end - start)
    return means


def student(confidence: float, freedom: int) -> float:
    """Return how many standard errors Student's two-sided interval reaches."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1.0 + confidence) / 2.0))
