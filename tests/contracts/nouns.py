"""Which public classes there are of a noun, so that no table forgets one."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

import slatewise as sw


def public_classes(noun: type) -> set[type]:
    """The classes of a noun that can be made, among what the package exports."""
    exported = (getattr(sw, name) for name in sw.__all__)
    return {
        one
        for one in exported
        if inspect.isclass(one) and issubclass(one, noun) and not inspect.isabstract(one)
    }


def missing(noun: type, made: Iterable[object]) -> set[str]:
    """The public classes of a noun that a table makes nothing of."""
    return {one.__name__ for one in public_classes(noun) - {type(thing) for thing in made}}
