"""Sums, and concave functions of sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from slatewise.checks import function
from slatewise.configuration import qualified_name
from slatewise.errors import reject
from slatewise.objectives.separable import Rule, Separable

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def whole_amount(amount: Any, level: Any) -> Any:  # noqa: ANN401, ARG001 - scalars and arrays alike; no level
    """Return the amount: a sum does not diminish."""
    return amount


def next_sum(amount: Any, level: Any) -> Any:  # noqa: ANN401 - scalars and arrays alike
    """Return the sum so far."""
    return level + amount


def square_root_gain(amount: Any, level: Any) -> Any:  # noqa: ANN401 - the same
    """Return sqrt(level + amount) - sqrt(level), in a form that rounding leaves diminishing."""
    return amount / np.maximum(np.sqrt(level + amount) + np.sqrt(level), SMALLEST)


SMALLEST = float(np.finfo(np.float64).tiny)
ADDITIVE = Rule(start=0.0, gain=whole_amount, step=next_sum)
SQUARE_ROOT = Rule(start=0.0, gain=square_root_gain, step=next_sum)


@dataclass(frozen=True)
class ConcaveGain:
    """concave(level + amount) - concave(level), for any concave function; diminishing but for rounding."""

    concave: Callable[[Any], Any]

    def __call__(self, amount: Any, level: Any) -> Any:  # noqa: ANN401 - scalars and arrays alike
        """Return the gain."""
        return np.maximum(self.concave(level + amount) - self.concave(level), 0.0)


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
        rule = Rule(start=0.0, gain=ConcaveGain(function(concave, "concave")), step=next_sum)
        kind = f"ConcaveOverModular({qualified_name(concave)})"
        super().__init__(V, SQUARE_ROOT if concave is np.sqrt else rule, argument="V", names=names, kind=kind)
        total = self.matrix.sum(axis=0).max() if self.n_items else 0.0
        refuse_unless_concave(concave, float(total))


def refuse_unless_concave(concave: Callable[[Any], Any], largest: float) -> None:
    """Raise where a function is seen not to be concave, nondecreasing and 0 at 0."""
    grid = np.linspace(0.0, largest or 1.0, 65)
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(concave(grid), dtype=np.float64)
    except (TypeError, ValueError) as error:
        reject("concave", f"must work on arrays, number by number, but {error}")
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
