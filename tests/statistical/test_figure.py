"""The script behind docs/greedy-can-fail.md runs, at a tiny size, and its page quotes what it prints."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("greedy_can_fail", DOCS / "figures" / "greedy_can_fail.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for their annotations
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def test_it_draws_the_figure_and_prints_every_slope(
    script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figure.png"
    script.main(["--m", "4", "--runs", "2", "--rounds", "3", "4", "--out", str(path)])
    assert path.read_bytes().startswith(b"\x89PNG")
    rows = capsys.readouterr().out.splitlines()[2:]
    assert len(rows) == 8
    page = (DOCS / "greedy-can-fail.md").read_text(encoding="utf-8")
    for row in rows:
        instance, policy = (cell.strip() for cell in row.split("|")[1:3])
        assert f"| {instance} | {policy} |" in page


def test_the_page_shows_the_figure_that_is_there() -> None:
    page = (DOCS / "greedy-can-fail.md").read_text(encoding="utf-8")
    assert "](figures/greedy_can_fail.png)" in page
    assert (DOCS / "figures" / "greedy_can_fail.png").read_bytes().startswith(b"\x89PNG")
