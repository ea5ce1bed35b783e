"""CPU time of one action."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import TypeVar

Result = TypeVar("Result")


def timed(action: Callable[[], Result]) -> tuple[float, Result]:
    """Return the CPU seconds that an action took, and what it returned."""
    start = process_time()
    result = action()
    return process_time() - start, result
