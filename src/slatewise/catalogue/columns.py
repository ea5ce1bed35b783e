"""Columns of a table as clean values; an error names the column and the first rows concerned."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
import numpy.typing as npt

from slatewise.checks import frozen
from slatewise.errors import reject
from slatewise.typing import Bools, Floats

if TYPE_CHECKING:
    import os

    import narwhals as nw

MOST_ROWS = 5
READERS = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".jsonl": "read_ndjson",
    ".ndjson": "read_ndjson",
}


def read_table(path: str | os.PathLike[str]) -> object:
    """Return the table of a Parquet, CSV or JSON-lines file, by its ending."""
    ending = Path(path).suffix.lower()
    if ending not in READERS:
        reject("path", f"must end in one of {', '.join(READERS)}, but is {str(path)!r}")
    try:
        import polars as pl
    except ImportError:
        reject("path", "reading a file needs polars: pip install 'slatewise[tables]', or give a frame")
    try:
        # Types are read off the whole file, not off its first rows: the last row may tell.
        whole = {} if ending == ".parquet" else {"infer_schema_length": None}
        return getattr(pl, READERS[ending])(path, **whole)
    except (OSError, pl.exceptions.PolarsError) as error:
        reject("path", f"{str(path)!r} cannot be read: {error}")


def as_frame(table: object) -> nw.DataFrame[Any]:
    """Return a polars, pandas or other eager frame behind one interface."""
    import narwhals as nw

    try:
        frame: nw.DataFrame[Any] = nw.from_native(table, eager_only=True)
    except TypeError:
        reject("frame", f"must be a polars or pandas frame, but is a {type(table).__name__}")
    if not len(frame):
        reject("frame", "must have at least one row, but has none")
    return frame


def values(frame: nw.DataFrame[Any], column: str, argument: str) -> list[Any]:
    """Return a column's cells; null where a cell is null or NaN."""
    if column not in frame.columns:
        reject(argument, f"there is no column {column!r}; there are {', '.join(map(repr, frame.columns))}")
    return [None if is_null(cell) else cell for cell in map(plain, frame[column].to_list())]


def is_null(cell: Any) -> bool:  # noqa: ANN401 - any cell
    """Return whether a cell is null or NaN."""
    try:
        return cell is None or bool(cell != cell)  # noqa: PLR0124 - NaN differs from itself
    except TypeError:  # pandas' NA cannot say
        return True


def plain(cell: Any) -> Any:  # noqa: ANN401 - whatever a cell holds
    """Return a cell as Python's own types."""
    if isinstance(cell, np.ndarray | np.generic):
        return cell.tolist()
    return list(cell) if isinstance(cell, tuple | set) else cell


def refuse_rows(
    argument: str, column: str, bad: Bools | Sequence[bool], rule: str, cells: Sequence[Any]
) -> None:
    """Raise where rows are marked, naming the first of them and the first value."""
    rows = np.flatnonzero(bad)
    if len(rows):
        complain(argument, column, rule, rows.tolist(), cells[int(rows[0])])


def complain(argument: str, column: str, rule: str, rows: list[int], value: Any) -> NoReturn:  # noqa: ANN401 - any cell
    """Raise, naming the column, the rule, the first rows and the first value."""
    more = f" and {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    named = ", ".join(map(str, rows[:MOST_ROWS]))
    reject(argument, f"column {column!r} {rule}; rows that do not: {named}{more}, the first with {value!r}")


def identities(frame: nw.DataFrame[Any], column: str) -> tuple[Hashable, ...]:
    """Return ids: texts or whole numbers, none null, none twice."""
    ids = [as_key(one) for one in values(frame, column, "id")]
    refuse_rows("id", column, [one is None for one in ids], "must hold no null", ids)
    other = [isinstance(one, bool) or not isinstance(one, str | int) for one in ids]
    refuse_rows("id", column, other, "must hold texts or whole numbers", ids)
    first: dict[Hashable, int] = {}
    again = [first.setdefault(one, row) != row for row, one in enumerate(ids)]
    refuse_rows("id", column, again, "must hold each id once", ids)
    return tuple(ids)


def as_key(cell: Any) -> Any:  # noqa: ANN401 - any cell
    """Return a cell, a whole number as one: what a column of them becomes once one was missing."""
    return int(cell) if isinstance(cell, float) and cell.is_integer() else cell


def numbers(
    frame: nw.DataFrame[Any], column: str, argument: str, *, minimum: float = 0.0, maximum: float = np.inf
) -> Floats:
    """Return a column of finite numbers within bounds, none null."""
    cells = values(frame, column, argument)
    refuse_rows(argument, column, [cell is None for cell in cells], "must hold no null", cells)
    numeric = [isinstance(cell, int | float | Decimal) for cell in cells]
    refuse_rows(argument, column, [not one for one in numeric], "must hold numbers", cells)
    found = np.array(cells, dtype=np.float64)
    refuse_rows(argument, column, ~np.isfinite(found), "must hold finite numbers", cells)
    refuse_rows(argument, column, found < minimum, f"must hold numbers of at least {minimum:g}", cells)
    refuse_rows(argument, column, found > maximum, f"must hold numbers of at most {maximum:g}", cells)
    return frozen(found)


def texts(frame: nw.DataFrame[Any], column: str, argument: str) -> list[str]:
    """Return a column of texts, empty where null."""
    cells = values(frame, column, argument)
    wrong = [not (cell is None or isinstance(cell, str)) for cell in cells]
    refuse_rows(argument, column, wrong, "must hold text", cells)
    return [cell or "" for cell in cells]


def label_lists(
    frame: nw.DataFrame[Any], column: str, argument: str, separator: str | None
) -> list[tuple[Hashable, ...]]:
    """Return the labels of each row: one, or a list of them; none where null."""

    def labels(cell: Any) -> tuple[Hashable, ...]:  # noqa: ANN401 - any cell
        if cell is None:
            return ()
        if isinstance(cell, str) and separator is not None:
            return tuple(dict.fromkeys(part.strip() for part in cell.split(separator) if part.strip()))
        if not isinstance(cell, list):
            return (as_key(cell),)
        return tuple(dict.fromkeys(as_key(part) for part in map(plain, cell) if not is_null(part)))

    cells = values(frame, column, argument)
    deep = [
        any(isinstance(part, list | dict) for part in (cell if isinstance(cell, list) else [cell]))
        for cell in cells
    ]
    refuse_rows(argument, column, deep, "must hold labels or lists of them", cells)
    return [labels(cell) for cell in cells]


def vectors(frame: nw.DataFrame[Any], column: str, argument: str) -> npt.NDArray[np.float64]:
    """Return a column of vectors of one length, (n, p), finite."""
    cells = values(frame, column, argument)
    refuse_rows(argument, column, [cell is None for cell in cells], "must hold no null", cells)
    numeric = [
        isinstance(cell, list) and all(isinstance(part, int | float | None) for part in cell)
        for cell in cells
    ]
    refuse_rows(argument, column, [not one for one in numeric], "must hold vectors", cells)
    length = len(cells[0])
    refuse_rows(argument, column, [not cell for cell in cells], "must hold vectors", cells)
    refuse_rows(
        argument, column, [len(cell) != length for cell in cells], f"must hold {length} numbers", cells
    )
    found = np.array(cells, dtype=np.float64)
    refuse_rows(argument, column, ~np.isfinite(found.sum(axis=1)), "must hold finite numbers", cells)
    return found
