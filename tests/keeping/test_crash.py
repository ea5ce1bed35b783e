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


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """What the killing program found, in a process of its own, which has one thread and may fork."""
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork here to kill processes by the hundred with")
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, str(HERE / "crashing.py"), str(tmp_path_factory.mktemp("crash")), str(KILLS)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    )
    return json.loads(done.stdout)


def test_after_each_kill_the_file_loads_and_holds_what_was_saved(found):
    assert found["broken"] == []
    assert len(found["rounds"]) == KILLS
    assert all(earlier <= later for earlier, later in pairwise(found["rounds"])), "nothing saved was lost"
    assert found["rounds"][-1] >= 10, "or the processes never came to saving"
    assert found["killed while writing"] >= 10, "or the moments were not those that matter"


def test_what_killed_processes_left_does_not_pile_up(found):
    """The next to save takes it away; until then it is one hidden file."""
    assert found["most left at a time"] == 1
    assert found["files"] == ["agent"]
