"""A process that is killed while it saves, at random moments, 200 times: the file always loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest

from .files import HERE

KILLS = 200


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here to kill processes by the hundred with")
def test_after_each_kill_the_file_loads_and_holds_what_was_saved(tmp_path):
    """The killing is done in a process of its own, which has one thread and may fork."""
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, str(HERE / "crashing.py"), str(tmp_path), str(KILLS)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )
    found = json.loads(done.stdout)
    assert found["broken"] == []
    assert len(found["rounds"]) == KILLS
    assert all(earlier <= later for earlier, later in pairwise(found["rounds"])), "nothing saved was lost"
    assert found["rounds"][-1] >= 10, "or the processes never came to saving"
    assert found["killed while writing"] >= 10, "or the moments were not those that matter"
    # What a killed process leaves is hidden, and the next to save takes it away: it does not pile up.
    assert found["most left at a time"] == 1
    assert found["files"] == ["agent"]
