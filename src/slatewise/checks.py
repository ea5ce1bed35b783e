"""Validation of arguments: each function returns the clean value, or says what is wrong, and where.

An array is copied, so that no later change of the caller's can reach into a frozen value; only one that
owns its numbers and can't be written to is shared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from slatewise.errors import reject
from slatewise.typing import Array, Bools, Floats, Ints

AnyArray = TypeVar("AnyArray", bound=np.ndarray[Any, Any])


def frozen(array: AnyArray) -> AnyArray:
    """Forbid writing to an array, and return it."""
    array.flags.writeable = False
    return array


def place(argument: str, bad: Bools) -> str:
    """Name the first element that is marked, such as ``P[3, 2]``."""
    where = np.argwhere(bad)[0]
    return f"{argument}[{', '.join(str(i) for i in where)}]" if len(where) else argument


def refuse(argument: str, array: Array, bad: Bools, rule: str) -> None:
    """Raise where anything is marked, naming the rule and the first value that breaks it."""
    if np.any(bad):
        first = array[tuple(np.argwhere(bad)[0])]
        reject(argument, f"{rule}, but {place(argument, bad)} is {first}")


def is_no_number(value: object) -> bool:
    """Return whether a value is none that stands for a real number."""
    return isinstance(value, bool) or not isinstance(value, Real)


def as_array(value: npt.ArrayLike, argument: str) -> Array:
    """Return an array of whatever type, or say why there is none: rows of different lengths."""
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        reject(argument, f"must be an array, but {error}")


def real_array(
    value: npt.ArrayLike,
    argument: str,
    *,
    shape: tuple[int | None, ...],
    allow_nan: bool = False,
) -> Floats:
    """Return a frozen array of finite numbers; ``None`` in `shape` leaves that length open."""
    array = as_array(value, argument)
    check_shape(array, argument, shape)
    if array.dtype == np.object_:
        refuse(argument, array, np.vectorize(is_no_number, otypes=[bool])(array), "must be numbers")
    elif array.size and array.dtype.kind not in "biuf":
        reject(argument, f"must be an array of real numbers, but has the type {array.dtype}")
    clean = np.asarray(array, dtype=np.float64, order="C")
    refuse(
        argument,
        clean,
        np.isinf(clean) if allow_nan else ~np.isfinite(clean),
        "must be finite or NaN" if allow_nan else "must be finite",
    )
    shared = np.shares_memory(clean, array)
    safe = array.flags.owndata and not array.flags.writeable
    return frozen(clean if safe or not shared else clean.copy())


class Shaped(Protocol):
    """Whatever has a shape: dense arrays and sparse ones."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        ...

    @property
    def ndim(self) -> int:
        """The number of axes."""
        ...


def check_shape(array: Shaped, argument: str, shape: tuple[int | None, ...]) -> None:
    """Raise unless the array has this shape, open where ``None`` stands."""
    fits = array.ndim == len(shape) and all(
        wanted is None or length == wanted for length, wanted in zip(array.shape, shape, strict=True)
    )
    if not fits:
        wanted = ", ".join("any" if length is None else str(length) for length in shape)
        reject(argument, f"must have shape ({wanted}), but has {array.shape}")


def nonnegative_array(value: npt.ArrayLike, argument: str, *, shape: tuple[int | None, ...]) -> Floats:
    """Return a frozen array of finite numbers that are not negative."""
    array = real_array(value, argument, shape=shape)
    refuse(argument, array, array < 0, "must not be negative")
    return array


def boolean_array(
    value: npt.ArrayLike, argument: str, *, shape: tuple[int | None, ...], allow_numbers: bool = False
) -> Bools:
    """Return a frozen array of truth values; numbers 0 and 1 pass only where that is said."""
    array = as_array(value, argument)
    check_shape(array, argument, shape)
    if array.dtype != np.bool_:
        if not allow_numbers and array.size:
            reject(argument, f"must be boolean, but has the type {array.dtype}")
        numbers = real_array(array, argument, shape=shape)
        refuse(argument, numbers, (numbers != 0) & (numbers != 1), "must be 0 or 1")
        array = numbers != 0
    return frozen(np.array(array, dtype=np.bool_, order="C"))


def whole_array(value: npt.ArrayLike, argument: str, *, shape: tuple[int | None, ...], minimum: int) -> Ints:
    """Return a frozen array of whole numbers that are at least `minimum`."""
    numbers = real_array(value, argument, shape=shape)
    refuse(argument, numbers, numbers != np.floor(numbers), "must be whole numbers")
    refuse(argument, numbers, numbers < minimum, f"must be at least {minimum}")
    return frozen(numbers.astype(np.int64))


def real_number(
    value: float,
    argument: str,
    *,
    above: float | None = None,
    minimum: float | None = None,
    below: float | None = None,
) -> float:
    """Return a finite number within its bounds."""
    given: object = value
    if isinstance(given, np.ndarray) and given.ndim == 0:
        given = given.item()
    if isinstance(given, bool | np.bool_) or not isinstance(given, Real):
        reject(argument, f"must be a number, but is {value!r}")
    try:
        number = float(given)
    except OverflowError:
        reject(argument, f"must be finite, but is too large: {str(value)[:9]}...")
    if not math.isfinite(number):
        reject(argument, f"must be finite, but is {number}")
    if above is not None and not number > above:
        reject(argument, f"must be greater than {above}, but is {number}")
    if minimum is not None and not number >= minimum:
        reject(argument, f"must be at least {minimum}, but is {number}")
    if below is not None and not number < below:
        reject(argument, f"must be less than {below}, but is {number}")
    return number


def whole_number(value: float, argument: str, *, minimum: int) -> int:
    """Return a whole number that is at least `minimum`."""
    number = real_number(value, argument)
    if number != math.floor(number):
        reject(argument, f"must be a whole number, but is {value}")
    if number < minimum:
        reject(argument, f"must be at least {minimum}, but is {value}")
    return int(value)


def item_list(items: Iterable[int], n_items: int, argument: str = "items") -> tuple[int, ...]:
    """Return a list of different items, each in ``0 .. n_items - 1``."""
    clean: list[int] = []
    seen: set[int] = set()
    for position, item in enumerate(listed(items, argument)):
        where = f"{argument}[{position}]"
        if isinstance(item, bool | np.bool_) or not isinstance(item, int | np.integer):
            reject(argument, f"must hold whole numbers, but {where} is {item!r}")
        index = int(item)
        if not 0 <= index < n_items:
            reject(argument, f"must be in 0 .. {n_items - 1}, but {where} is {index}")
        if index in seen:
            reject(argument, f"must not hold an item twice, but {where} is {index} again")
        seen.add(index)
        clean.append(index)
    return tuple(clean)


def listed(values: Iterable[Any], argument: str) -> tuple[Any, ...]:
    """Return the members of a list."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        reject(argument, f"must be a list, but is {values!r}")
    return tuple(values)


def instance(value: object, kind: type, argument: str) -> None:
    """Raise unless a value is of a kind."""
    if not isinstance(value, kind):
        reject(argument, f"must be a {kind.__name__}, but is {value!r}")


def function(value: object, argument: str) -> Callable[..., Any]:
    """Return a callable."""
    if not callable(value):
        reject(argument, f"must be callable, but is {value!r}")
    return value
