"""Files of a header in JSON and arrays: versioned, checked, written whole or not at all, and no pickle.

All numbers are little-endian: 8 bytes of magic; a 4-byte version; an 8-byte length and so many bytes of
JSON; the arrays that it lists, one after the other; 32 bytes, the SHA-256 of everything before.
"""

from __future__ import annotations

import hashlib
import math
import os
import struct
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec
import numpy as np

from slatewise.checks import frozen, real_array
from slatewise.errors import reject
from slatewise.files import replacing
from slatewise.typing import Array, Floats

LEAD = struct.Struct("<8sIQ")
DIGEST = hashlib.sha256().digest_size
TYPES = ("<f8", "<i8", "|b1")
"""What arrays may hold."""


class ArrayRef(msgspec.Struct, tag="array"):
    """The place of an array in the header's list."""

    index: int


class ArrayRecord(msgspec.Struct):
    """The type and shape of an array."""

    type: str
    shape: tuple[int, ...]


class Header(msgspec.Struct):
    """What every header has: the list of the file's arrays."""

    arrays: list[ArrayRecord]


AnyHeader = TypeVar("AnyHeader", bound=Header)


def records(arrays: Sequence[Array]) -> list[ArrayRecord]:
    """Return the header's list of arrays."""
    return [ArrayRecord(array.dtype.str, array.shape) for array in arrays]


def stored(array: Array, arrays: list[Array]) -> ArrayRef:
    """Put an array on the list, and return its place."""
    arrays.append(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False))
    return ArrayRef(len(arrays) - 1)


def write_container(
    path: str | os.PathLike[str], magic: bytes, version: int, header: Header, arrays: Sequence[Array]
) -> None:
    """Write a file, or leave the old one as it was."""
    encoded = msgspec.json.encode(header)
    digest = hashlib.sha256()
    with replacing(path) as file:
        for part in (
            LEAD.pack(magic, version, len(encoded)),
            encoded,
            *(array.tobytes() for array in arrays),
        ):
            digest.update(part)
            file.write(part)
        file.write(digest.digest())


def read_container(
    path: str | os.PathLike[str], magic: bytes, version: int, kind: type[AnyHeader], what: str
) -> tuple[AnyHeader, list[Array]]:
    """Return the header and the arrays of a file that is whole, and of a version that can be read."""
    content = Path(path).read_bytes()
    if content[: len(magic)] != magic[: len(content)]:
        reject("path", f"{str(path)!r} is no file of {what}")
    if len(content) < LEAD.size + DIGEST:
        reject("path", f"{str(path)!r} has been cut off: it has {len(content)} bytes")
    _, written, length = LEAD.unpack_from(content)
    if written > version:
        reject(
            "path", f"{str(path)!r} has format {written}, which is later than can be read here ({version})"
        )
    if hashlib.sha256(content[:-DIGEST]).digest() != content[-DIGEST:]:
        reject("path", f"{str(path)!r} has been cut off or altered: its checksum is wrong")
    body = memoryview(content)[LEAD.size : -DIGEST]
    with damage(path):
        if written < 1:
            raise ValueError(f"there is no format {written}")
        header = msgspec.json.decode(body[:length], type=kind)
        return header, list(sliced(header.arrays, body[length:]))


@contextmanager
def damage(path: str | os.PathLike[str]) -> Generator[None]:
    """Say of a file that it is damaged, whatever fails while it is made sense of."""
    try:
        yield
    except (
        msgspec.MsgspecError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        ArithmeticError,
        RecursionError,
    ) as error:
        reject("path", f"{str(path)!r} is damaged: {error}")


def array_at(ref: ArrayRef, arrays: Sequence[Array], shape: tuple[int | None, ...]) -> Floats:
    """Return an array of real numbers from the list, of this shape; none of them infinite."""
    if not 0 <= ref.index < len(arrays):
        raise ValueError(f"there is no array {ref.index}")
    return real_array(arrays[ref.index], f"array {ref.index}", shape=shape, allow_nan=True)


def sliced(listed: list[ArrayRecord], data: memoryview) -> Iterator[Array]:
    """Yield the arrays that stand one after the other."""
    start = 0
    for record in listed:
        if record.type not in TYPES or any(length < 0 for length in record.shape):
            raise ValueError(f"there is an array of type {record.type} and shape {record.shape}")
        kind = np.dtype(record.type)
        count = math.prod(record.shape)
        end = start + count * kind.itemsize
        yield frozen(np.frombuffer(data[start:end], dtype=kind, count=count).reshape(record.shape).copy())
        start = end
    if start != len(data):
        raise ValueError(f"its arrays take {start} bytes, but there are {len(data)}")
