"""The notebooks of docs/notebooks: stripped, running from top to bottom, and true in what they say.

Each runs as a reader would run it, on data that it makes itself; the one on films also on the real ones,
where a copy of them is at hand (``SLATEWISE_DATA``).
"""

from __future__ import annotations

import base64
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
DATA = Path(os.environ.get("SLATEWISE_DATA", ROOT.parent / "shared" / "data"))
SECONDS_A_CELL = 120
SMALLEST_FIGURE = 10_000

CLAIMS = {
    "newsletter": """
        assert week.sign == 1
        assert learned[:, 7:].mean() > 1.5 * drawn[:, 7:].mean()
        ends = [(believed[topic]["low"], believed[topic]["high"]) for topic in TOPICS]
        assert sum(low <= true <= high for (low, high), true in zip(ends, tastes[reader])) >= 7
        assert len(letter) <= 10
    """,
    "film-evening": """
        assert gain.sign == 1
        for number in range(N_EVENINGS):
            items = [position.item for position in agent.explain(number).positions]
            assert sum(minutes[item] for item in items) <= MINUTES * (1 + 1e-9)
            assert table.filter(pl.col("movieId").is_in(items))["main_genre"].n_unique() == len(items) <= 3
        assert tonight.ids[0] == short
    """,
    "after-a-retriever": """
        assert ours["tokens"] <= TOKENS and ours["passages"] <= PASSAGES
        assert ours["mean cosine between them"] < theirs["mean cosine between them"] - 0.1
        assert ours["mean score"] > theirs["mean score"] - 0.03
        assert ours["sides of the question"] > theirs["sides of the question"]
        assert front[-1]["mean cosine between them"] == min(one["mean cosine between them"] for one in front)
        assert described(strict.items)["sides of the question"] == len(strict.items)
    """,
}
"""What holds after each notebook, in its own names: what its text and figures say."""


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def executed(path: Path) -> nbformat.NotebookNode:
    """Run a notebook, and then what it claims, in a kernel of its own."""
    notebook = read(path)
    lines = CLAIMS[path.stem].splitlines()
    claims = "\n".join(line.removeprefix(" " * 8) for line in lines)
    notebook.cells.append(nbformat.v4.new_code_cell(claims))
    client = NotebookClient(
        notebook,
        timeout=SECONDS_A_CELL,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
    )
    return client.execute()


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


@pytest.fixture(autouse=True)
def fonts() -> None:
    """Let matplotlib look for fonts here, where it can't be taken for a notebook's warning."""
    import matplotlib.font_manager  # noqa: F401


@pytest.fixture
def no_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLATEWISE_DATA", raising=False)


def test_each_notebook_says_what_holds_after_it() -> None:
    assert {path.stem for path in NOTEBOOKS} == set(CLAIMS)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stripped_and_small(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    for cell in notebook.cells:
        assert not cell.metadata
        if cell.cell_type == "code":
            assert cell.execution_count is None
            assert not cell.outputs
    assert path.read_text(encoding="utf-8") == nbformat.writes(notebook) + "\n", "nbformat.write makes it so"


@pytest.mark.usefixtures("no_data")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs_and_draws_and_keeps_its_word(path: Path) -> None:
    found = outputs(executed(path))
    assert not [output for output in found if output.get("name") == "stderr"], "it warns"
    figures = [output.data["image/png"] for output in found if "image/png" in output.get("data", {})]
    assert len(figures) == 1
    assert len(base64.b64decode(figures[0])) > SMALLEST_FIGURE


@pytest.mark.skipif(not (DATA / "movie-runtime").is_dir(), reason="the films are not at hand")
def test_the_evening_on_real_films(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLATEWISE_DATA", str(DATA))
    [path] = [path for path in NOTEBOOKS if path.stem == "film-evening"]
    said = "".join(output.text for output in outputs(executed(path)) if output.get("name") == "stdout")
    assert "7248 films" in said
