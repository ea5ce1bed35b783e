"""Compiled functions that are kept on disk, and compiled anew when anything that they are made of changes.

Numba's own cache looks at the file of a function alone, not at those of the functions that it calls.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from numba import njit

from slatewise.features import digest
from slatewise.objectives import coverage, modular

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

SOURCES = [*sorted(Path(__file__).parent.glob("*.py")), Path(coverage.__file__), Path(modular.__file__)]
STAMP = digest(b"".join(path.read_bytes() for path in SOURCES))


def kept(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Compile a function when it is first called, without the GIL; keep it for other processes."""
    function.__qualname__ = f"{function.__qualname__}-{STAMP}"
    jitted: Any = njit(cache=True, nogil=True)(function)
    return cast("Callable[Arguments, Result]", jitted)
