"""The file of a catalogue's features: format 1 of `docs/file-format.md`, in a `slatewise.container`."""

from __future__ import annotations

import os
from dataclasses import fields
from typing import Any

import msgspec
import numpy as np

from slatewise.catalogue.parts import Clusters, Part, Tags, TextTopics, TopicColumns
from slatewise.container import (
    ArrayRef,
    Header,
    array_at,
    damage,
    read_container,
    records,
    stored,
    write_container,
)
from slatewise.errors import reject
from slatewise.typing import Array, Floats

MAGIC = b"SLATECAT"
VERSION = 1
PARTS: dict[str, type[Part]] = {kind.__name__: kind for kind in (TopicColumns, Tags, TextTopics, Clusters)}


class PartRecord(msgspec.Struct):
    """A part's kind, and its fields by name."""

    kind: str
    fields: dict[str, str | float | tuple[str | int, ...] | ArrayRef | None]


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
    with damage(path):
        parts = tuple(part_of(record, arrays) for record in header.parts)
        if not parts:
            raise ValueError("there are no features")
    return header.id, parts, header.separator


def part_of(record: PartRecord, arrays: list[Array]) -> Part:
    """Return a part, its fields being of its own kinds."""
    if record.kind not in PARTS:
        raise ValueError(f"there are no features of the kind {record.kind!r}")
    given = record.fields

    def text(name: str) -> str:
        return str(one_of(given[name], str))

    def words(name: str, *kinds: type) -> tuple[Any, ...]:
        found: tuple[Any, ...] = one_of(given[name], tuple)
        if not found or len(set(found)) < len(found) or not all(isinstance(one, kinds) for one in found):
            raise ValueError(f"{name} cannot be {found!r}")
        return found

    def amounts(name: str, *shape: int | None) -> Floats:
        found = array_at(one_of(given[name], ArrayRef), arrays, shape)
        if not found.size or not np.isfinite(found).all():
            raise ValueError(f"{name} must hold finite numbers")
        return found

    def strength() -> float:
        found = float(one_of(given["strength"], int, float))
        if not 0.0 < found <= 1.0:
            raise ValueError(f"strength cannot be {found}")
        return found

    part: Part
    match record.kind:
        case "TopicColumns":
            part = TopicColumns(words("columns", str))
        case "Tags":
            separator = one_of(given["separator"], str, type(None))
            part = Tags(text("column"), separator, strength(), words("vocabulary", str, int))
        case "TextTopics":
            vocabulary = words("vocabulary", str)
            rarity = amounts("rarity", len(vocabulary))
            stop_words = one_of(given["stop_words"], str, type(None))
            topics = amounts("topics", None, len(vocabulary))
            part = TextTopics(text("column"), strength(), stop_words, vocabulary, rarity, topics)
            if rarity.min() < 0 or part.topics.min() < 0:
                raise ValueError("rarity and topics must not be negative")
        case _:
            part = Clusters(text("column"), strength(), amounts("centroids", None, None))
    return part


def one_of(value: Any, *kinds: type) -> Any:  # noqa: ANN401 - any field
    """Return a value of one of these kinds."""
    if not isinstance(value, kinds):
        raise TypeError(f"{value!r} is of another kind than {kinds[0].__name__}")
    return value
