"""Files that are written whole or not at all."""

from __future__ import annotations

import glob
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[IO[bytes]]:
    """Open a file that takes a path's place once it is whole and on the disk.

    The target of a link is replaced, not the link, and keeps its permissions; a new file has those that
    the process gives to new files. Whatever stops the writing leaves the old file as it was.
    """
    place = Path(path).resolve()
    clear_leftovers(place)
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.{os.getpid()}.", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.chmod(place.stat().st_mode & 0o7777 if place.exists() else 0o666 & ~mask_of_new_files())
        part.replace(place)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    keep_entry(place.parent)


def clear_leftovers(place: Path) -> None:
    """Take away what processes that were killed while writing to a place have left beside it."""
    for part in place.parent.glob(f".{glob.escape(place.name)}.*.part"):
        writer = part.name.removeprefix(f".{place.name}.").split(".")[0]
        if writer.isdecimal() and not is_running(int(writer)):
            part.unlink(missing_ok=True)


def is_running(process: int) -> bool:
    """Return whether there is a process of this number, as far as can be told."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def mask_of_new_files() -> int:
    """Return the permissions that the process takes from new files."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def keep_entry(folder: Path) -> None:
    """See that a folder's list of files is on the disk, where folders can be opened for that."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
