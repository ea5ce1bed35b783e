"""One plain specification for every configuration noun: what it is, and what it is made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from typing import Any

import numpy as np

Specification = dict[str, Any]


class Configuration:
    """Base of the frozen dataclasses that configure something.

    Two of them are equal where their specifications are; `fingerprint` is a digest of it, the same in
    every process.
    """

    @property
    def specification(self) -> Specification:
        """The class's name and the plain value of each argument, in order."""
        values = {
            field.metadata.get("argument", field.name): plain(getattr(self, field.name))
            for field in fields(self)  # type: ignore[arg-type]  # every subclass is a dataclass
        }
        return {"kind": type(self).__name__, **values}

    @cached_property
    def fingerprint(self) -> str:
        """A short digest of the specification."""
        return hashlib.sha256(json.dumps(self.specification).encode()).hexdigest()[:16]

    def settle(self, **values: object) -> None:
        """Put clean values in place of fields as they were given; for ``__post_init__`` alone."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Configuration):
            return NotImplemented
        return type(self) is type(other) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)


def plain(value: object) -> Any:  # noqa: ANN401 - whatever JSON can hold
    """Return a value as JSON can hold it; a callable goes by its qualified name."""
    if isinstance(value, Configuration):
        return value.specification
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "get_params"):
        return {"kind": qualified_name(type(value)), "parameters": plain_parameters(value)}
    if callable(value):
        return qualified_name(value)
    return repr(value)


def plain_parameters(estimator: Any) -> dict[str, Any]:  # noqa: ANN401 - any object with scikit-learn's get_params
    """Return the parameters of an object that follows scikit-learn's protocol."""
    return {name: plain(value) for name, value in sorted(estimator.get_params(deep=False).items())}


def qualified_name(value: Callable[..., Any]) -> str:
    """Return the dotted name by which a callable can be found again.

    One that has none (a lambda, a function in a function) is told apart by where it stands in memory,
    and means nothing in another process.
    """
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    module = getattr(value, "__module__", None) or type(value).__module__
    if name is None:
        return repr(value)
    return f"{module}.{name} at {id(value):#x}" if "<" in name else f"{module}.{name}"
