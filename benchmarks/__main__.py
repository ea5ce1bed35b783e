"""``python -m benchmarks [NAME ...] [--json]``: measure, and print a table.

The process starts itself anew with one BLAS thread and with a malloc that keeps its pages, because
without that a NumPy baseline is slowed down by page faults, and every ratio to it flatters.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable

from benchmarks.drift import measure_drift
from benchmarks.requests import measure_requests
from benchmarks.rerank import measure_rerank
from benchmarks.rounds import measure_rounds
from benchmarks.tables import Row, table

FAIR = {
    "MALLOC_MMAP_THRESHOLD_": "1000000000",
    "MALLOC_TRIM_THRESHOLD_": "4000000000",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
BENCHMARKS: dict[str, Callable[[], list[Row]]] = {
    "rounds": measure_rounds,
    "drift": measure_drift,
    "rerank": measure_rerank,
    "requests": measure_requests,
}


def main() -> None:
    """Run the benchmarks that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(BENCHMARKS)}; all by default"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, for machines")
    asked = parser.parse_args()
    unknown = sorted(set(asked.names) - set(BENCHMARKS))
    if unknown:
        parser.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(BENCHMARKS)}")
    found = {name: BENCHMARKS[name]() for name in asked.names or BENCHMARKS}
    print(json.dumps(found, indent=2) if asked.json else "\n\n".join(map(table, found.values())))


if __name__ == "__main__":
    if any(os.environ.get(name) != value for name, value in FAIR.items()):
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]], os.environ | FAIR)  # noqa: S606 - itself
    main()
