"""The file of a catalogue's features: format 1 of `docs/file-format.md`, in a `slatewise.container`."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from slatewise.catalogue.parts import Clusters, Part, Tags, TextTopics, TopicColumns
from slatewise.container import ArrayRef, Header, read_container, records, stored, write_container
from slatewise.errors import reject
from slatewise.typing import Array

MAGIC = b"SLATECAT"
VERSION = 1
PARTS: dict[str, type[Part]] = {kind.__name__: kind for kind in (TopicColumns, Tags, TextTopics, Clusters)}


class PartRecord(msgspec.Struct):
    """A part's kind, and its fields by name."""

    kind: str
    fields: dict[str, str | tuple[str | int, ...] | ArrayRef | None]


class CatalogueHeader(Header):
    """Everything but the numbers of the arrays."""

    id: str
    separator: str | None
    parts: list[PartRecord]


def write(path: str | os.PathLike[str], id: str, separator: str | None, parts: tuple[Part, ...]) -> None:  # noqa: A002 - the column's name
    """Write what a catalogue's features are."""
    arrays: list[Array] = []
    described = [part_record(part, arrays) for part in parts]
    header = CatalogueHeader(records(arrays), id, separator, described)
    write_container(path, MAGIC, VERSION, header, arrays)


def part_record(part: Part, arrays: list[Array]) -> PartRecord:
    """Return the record of a part."""
    found: dict[str, Any] = {}
    for field in fields(part):  # type: ignore[arg-type]  # every part is a dataclass
        value = getattr(part, field.name)
        for one in value if isinstance(value, tuple) else ():
            if isinstance(one, bool) or not isinstance(one, str | int):
                reject("tags", f"must be text or whole numbers to be saved, but {one!r} is neither")
        found[field.name] = stored(value, arrays) if isinstance(value, np.ndarray) else value
    return PartRecord(type(part).__name__, found)


def read(path: str | os.PathLike[str]) -> tuple[str, tuple[Part, ...], str | None]:
    """Return the id column, the parts and the separator of a file."""
    header, arrays = read_container(path, MAGIC, VERSION, CatalogueHeader, "a Catalogue")
    parts = []
    for record in header.parts:
        if record.kind not in PARTS:
            reject("path", f"is damaged: there are no features of the kind {record.kind!r}")
        values = {
            name: arrays[value.index] if isinstance(value, ArrayRef) else value
            for name, value in record.fields.items()
        }
        parts.append(PARTS[record.kind](**values))
    return header.id, tuple(parts), header.separator
