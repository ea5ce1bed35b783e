"""Files that are written whole or not at all."""

from __future__ import annotations

import glob
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

POSIX = os.name == "posix"


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[IO[bytes]]:
    """Open a file that takes a path's place once it is whole and on the disk.

    The target of a link is replaced, not the link, and keeps its permissions; a new file has those that
    the process gives to new files. Whatever stops the writing leaves the old file as it was.
    """
    place = Path(path).resolve()
    clear_leftovers(place)
    part = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
    with os.fdopen(os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
        try:
            locked(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if place.exists():
                part.chmod(place.stat().st_mode & 0o7777)
            if not POSIX:
                file.close()  # elsewhere an open file cannot be moved
            part.replace(place)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    keep_entry(place.parent)


def clear_leftovers(place: Path) -> None:
    """Take away what was left beside a place by processes that were killed while writing to it."""
    for part in place.parent.glob(f".{glob.escape(place.name)}.*.part"):
        with suppress(OSError), part.open("r+b") as file:
            if locked(file):
                part.unlink()


def locked(file: IO[bytes]) -> bool:
    """Lock a file for as long as it is open; ``False`` where another process has, or none can."""
    if not POSIX:
        return False
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def keep_entry(folder: Path) -> None:
    """See that a folder's list of files is on the disk, where folders can be opened for that."""
    if not POSIX:
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
