"""Rows of measurements, as text."""

from __future__ import annotations

Row = dict[str, str | int | float]


def table(rows: list[Row]) -> str:
    """Return rows as aligned columns under their names."""
    names = list(rows[0])
    cells = [names, *([shown(row[name]) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def shown(value: str | float) -> str:
    """Return a number in three digits."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)
