"""Sums, and concave functions of sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from slatewise.checks import function
from slatewise.errors import reject
from slatewise.objectives.separable import Rule, Separable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ADDITIVE = Rule(
    start=0.0,
    gain=lambda amount, level: amount + 0.0 * level,
    step=lambda amount, level: level + 0.0 * amount,
)


class Modular(Separable):
    """f_g(S) = Σ_{e in S} V[e, g]: no diminishing at all.

    Parameters
    ----------
    V
        (n, d), not negative, dense or `scipy.sparse`.
    names
        The names of the features.

    Examples
    --------
    >>> import slatewise as sw
    >>> values = sw.Modular([[1.0, 2.0], [0.0, 3.0]])
    >>> values.gains(values.add(values.empty(), 0))
    array([[0., 0.],
           [0., 3.]])
    """

    def __init__(self, V: npt.ArrayLike | csr_array, *, names: Sequence[str] | None = None) -> None:  # noqa: N803 - the paper's letter
        super().__init__(V, ADDITIVE, argument="V", names=names)


class ConcaveOverModular(Separable):
    """f_g(S) = concave(Σ_{e in S} V[e, g]).

    Parameters
    ----------
    V
        (n, d), not negative, dense or `scipy.sparse`.
    concave
        A concave, nondecreasing function that works on arrays and is 0 at 0: `numpy.sqrt`,
        `numpy.log1p`, or one's own. It is tried on a grid up to the largest sum, and refused where it
        is seen to be none.
    names
        The names of the features.

    Examples
    --------
    >>> import numpy as np
    >>> import slatewise as sw
    >>> diminishing = sw.ConcaveOverModular([[4.0], [5.0]], np.sqrt)
    >>> diminishing.gains(diminishing.add(diminishing.empty(), 0))
    array([[0.],
           [1.]])
    """

    def __init__(
        self,
        V: npt.ArrayLike | csr_array,  # noqa: N803 - the paper's letter
        concave: Callable[[Any], Any],
        *,
        names: Sequence[str] | None = None,
    ) -> None:
        rule = SQUARE_ROOT if concave is np.sqrt else concave_rule(function(concave, "concave"))
        name = getattr(concave, "__qualname__", None) or getattr(concave, "__name__", repr(concave))
        super().__init__(V, rule, argument="V", names=names, kind=f"ConcaveOverModular({name})")
        total = self.matrix.sum(axis=0).max() if self.n_items else 0.0
        refuse_unless_concave(concave, float(total))


def concave_rule(concave: Callable[[Any], Any]) -> Rule:
    """Return the rule whose level is the sum so far."""

    def gain(amount: Any, level: Any) -> Any:  # noqa: ANN401 - scalars and arrays alike
        return np.maximum(concave(level + amount) - concave(level), 0.0)

    def step(amount: Any, level: Any) -> Any:  # noqa: ANN401 - scalars and arrays alike
        return level + amount

    return Rule(start=0.0, gain=gain, step=step)


SQUARE_ROOT = concave_rule(np.sqrt)


def refuse_unless_concave(concave: Callable[[Any], Any], largest: float) -> None:
    """Raise where a function is seen not to be concave, nondecreasing and 0 at 0."""
    grid = np.linspace(0.0, max(largest, 1.0), 65)
    values = np.asarray(concave(grid), dtype=np.float64)
    if values.shape != grid.shape or not np.all(np.isfinite(values)):
        reject("concave", f"must give a finite number for each of an array's, but gave {values}")
    tolerance = 1e-9 * float(np.abs(values).max())
    if abs(values[0]) > tolerance:
        reject("concave", f"must be 0 at 0, but is {values[0]}")
    steps = np.diff(values)
    if np.any(steps < -tolerance):
        reject("concave", f"must not decrease, but does after {grid[int(np.argmin(steps))]}")
    if np.any(np.diff(steps) > tolerance):
        reject("concave", f"must be concave, but is not near {grid[int(np.argmax(np.diff(steps))) + 1]}")
