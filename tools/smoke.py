"""Tries an installed Slatewise where there is no source tree: imports it, and learns for a few rounds.

Run with ``python -I``, so that only what is installed can be imported. ``--without-extras`` also shows that
the command says politely what is missing.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import slatewise as sw


def check_installation() -> None:
    """See that it is the installed package, light to import, with its types."""
    assert Path(sw.__file__).is_relative_to(sys.prefix), sw.__file__
    assert files("slatewise").joinpath("py.typed").is_file()
    heavy = {"scipy", "numba", "sklearn", "matplotlib", "rich", "cyclopts"} & sys.modules.keys()
    assert not heavy, f"import slatewise has loaded {heavy}"


def check_learning() -> None:
    """Learn for some rounds from slates that fit, then choose one for known weights."""
    import numpy as np

    rng = np.random.default_rng(0)
    n_items, n_features = 30, 4
    objective = sw.ProbabilisticCoverage(rng.uniform(0, 1, (n_items, n_features)))
    problem = sw.Problem(objective, [sw.Cardinality(5), sw.Knapsack(rng.uniform(0.1, 1, n_items), 2.0)])
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    policy = sw.afsm_ucb()
    state = policy.init(problem)
    for _ in range(5):
        slate = policy.select(state, problem)
        assert slate.items
        assert problem.feasible(slate.items)
        state = policy.update(state, slate, slate.features @ weights)
    best = sw.maximize(problem, weights)
    assert 0 < sw.certificate(problem, weights, best) <= 1


def check_polite_command() -> None:
    """See that the command, without its extras, fails with a sentence that names them and no traceback."""
    command = Path(sys.executable).with_name("slatewise")
    done = subprocess.run([command, "demo"], capture_output=True, text=True, check=False)  # noqa: S603 - our own
    said = done.stdout + done.stderr
    assert done.returncode != 0, said
    assert "Traceback" not in said, said
    assert "slatewise[" in said, said


if __name__ == "__main__":
    check_installation()
    check_learning()
    if "--without-extras" in sys.argv[1:]:
        check_polite_command()
    print(f"slatewise {version('slatewise')} works as installed")
