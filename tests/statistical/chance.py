"""Exact bounds on what chance can do to a test: each test says how often it may fail on right code."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom, chi2, t

FALSE_ALARM = 1e-6
"""How often, at most, a test fails on right code for one seed; all seeds are fixed."""


def most_failures(runs: int, share: float, false_alarm: float = FALSE_ALARM) -> int:
    """The most of `runs` independent runs that fail with a chance above `false_alarm`, where each fails with
    a chance of at most `share`: P(failures > this) <= false_alarm."""
    return int(binom.isf(false_alarm, runs, share))


def chi_square_range(freedom: int, false_alarm: float = FALSE_ALARM) -> tuple[float, float]:
    """Where a chi-square number lies, but for a chance of `false_alarm`."""
    return float(chi2.ppf(false_alarm / 2, freedom)), float(chi2.isf(false_alarm / 2, freedom))


def bounds_of_mean(samples: np.ndarray, doubt: float = FALSE_ALARM) -> tuple[float, float]:
    """Student's one-sided bounds below and above the mean of independent runs, each wrong with `doubt`."""
    reach = t.isf(doubt, len(samples) - 1) * samples.std(ddof=1) / np.sqrt(len(samples))
    return float(samples.mean() - reach), float(samples.mean() + reach)
