"""The command ``slatewise``. It needs the extra ``lab``, and says so where that is missing.

Exit codes: 0 done, 1 failed (a file could not be written), 2 a bad option, 3 the extra is not installed,
130 stopped with Ctrl-C.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec

NEEDED = ("cyclopts", "rich", "matplotlib")
EXTRA_IS_MISSING, STOPPED = 3, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code.

    Parameters
    ----------
    arguments
        What stands after ``slatewise``; the process's own where none are given.
    """
    missing = [package for package in NEEDED if find_spec(package) is None]
    if missing:
        print(
            f"slatewise: the command needs {', '.join(missing)}; install the extra: "
            "pip install 'slatewise[lab]'",
            file=sys.stderr,
        )
        return EXTRA_IS_MISSING
    try:
        from slatewise.cli.app import run

        return run(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:
        print("slatewise: stopped", file=sys.stderr)
        return STOPPED
