"""The scalar functions of separable objectives, compiled.

They are the objectives' own: what is compiled here is what NumPy runs there. Only functions that IEEE
754 rounds correctly are listed, so that both give the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from numba import njit

from slatewise.compiled.caching import kept
from slatewise.objectives.coverage import CLIPPED, LARGEST, RESIDUAL
from slatewise.objectives.modular import ADDITIVE, SQUARE_ROOT
from slatewise.objectives.separable import Elementwise, Rule

RULES = (RESIDUAL, ADDITIVE, LARGEST, CLIPPED, SQUARE_ROOT)
"""The rules that have compiled functions; a rule's place is its code."""

_RESIDUAL, _ADDITIVE, _LARGEST, _CLIPPED = range(len(RULES) - 1)


def compiled(function: Elementwise) -> Callable[[float, float], float]:
    """Return a scalar function, compiled."""
    return cast("Callable[[float, float], float]", njit(function))


_residual, _additive, _largest, _clipped, _square_root = (compiled(rule.gain) for rule in RULES)
_next_residual, _next_additive, _next_largest, _next_clipped, _next_square_root = (
    compiled(rule.step) for rule in RULES
)


def code_of(rule: Rule) -> int | None:
    """Return the code of a rule; ``None`` where it has no compiled functions."""
    return next((code for code, known in enumerate(RULES) if known == rule), None)


@kept
def gain(code: int, amount: float, level: float) -> float:
    """Return the rule's gain."""
    if code == _RESIDUAL:
        return _residual(amount, level)
    if code == _ADDITIVE:
        return _additive(amount, level)
    if code == _LARGEST:
        return _largest(amount, level)
    if code == _CLIPPED:
        return _clipped(amount, level)
    return _square_root(amount, level)


@kept
def step(code: int, amount: float, level: float) -> float:
    """Return the rule's next level."""
    if code == _RESIDUAL:
        return _next_residual(amount, level)
    if code == _ADDITIVE:
        return _next_additive(amount, level)
    if code == _LARGEST:
        return _next_largest(amount, level)
    if code == _CLIPPED:
        return _next_clipped(amount, level)
    return _next_square_root(amount, level)
