"""`import slatewise` is light: what is heavy is imported where it is first needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("scipy", "numba", "sklearn", "matplotlib", "pandas", "hypothesis", "pytest")


def loaded(program: str) -> set[str]:
    """The top-level modules of a fresh process after a program has run."""
    tail = "; import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-c", program + tail], check=True, capture_output=True, text=True
    )
    return set(done.stdout.split())


def test_import_slatewise_loads_numpy_and_the_core_alone():
    assert not loaded("import slatewise") & {*HEAVY}


def test_the_contracts_need_numpy_alone():
    run = "import slatewise as sw, slatewise.testing as t; t.check_objective(sw.Modular([[1.0], [2.0]]))"
    assert not loaded(run) & {*HEAVY}


@pytest.mark.parametrize(
    ("program", "heavy"),
    [
        ("sw.KernelModel(lambda x, y: x @ y.T).prior(1).condition([[0.5]], [1.0])", "sklearn"),
        ("sw.afsm_ucb().select(sw.afsm_ucb().init(p), p)", "scipy"),
        ("sw.maximize(p, [1.0], sw.Greedy())", "scipy"),
    ],
)
def test_what_is_not_needed_is_not_loaded(program, heavy):
    problem = (
        "import slatewise as sw; p = sw.Problem(sw.Modular([[1.0], [2.0]]), [sw.Knapsack([1.0, 1.0], 1.0)]); "
    )
    assert heavy not in loaded(problem + program)


def test_the_measurement_sees_what_is_loaded():
    assert {"scipy", "numpy"} <= loaded("import slatewise, scipy")
