"""``slatewise demo``, run in this process: what it prints, writes and says, and what it does when stopped."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import slatewise as sw
from slatewise.cli import demo as demo_module
from slatewise.cli import demo_report, main
from slatewise.cli.demo import POLICIES, Demo
from slatewise.cli.demo_report import sentence
from slatewise.environments import Interval, Newsletter, SimulatedUser, interval_of_mean

PNG = b"\x89PNG\r\n\x1a\n"
SMALL = ["demo", "--readers", "3", "--rounds", "4"]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def command(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        said = capsys.readouterr()
        return code, said.out, said.err

    return command


def as_json(run: Run, *more: str) -> dict[str, Any]:
    code, out, _ = run(*SMALL, "--json", *more)
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_it_prints_a_slate_a_comparison_and_a_sentence_and_writes_a_figure(run: Run, tmp_path: Path) -> None:
    code, out, err = run(*SMALL)
    assert code == 0
    assert not err
    assert (tmp_path / "slatewise-demo.png").read_bytes().startswith(PNG)
    assert [path.name for path in tmp_path.iterdir()] == ["slatewise-demo.png"]
    assert "in round 4" in out
    for name in POLICIES:
        assert name in out
    assert "95 % intervals over 3 readers" in out
    assert out.rstrip().endswith("(Articles a newsletter; 95 % intervals.)")


def test_its_json_holds_the_slate_the_intervals_and_the_sentence(run: Run, tmp_path: Path) -> None:
    found = as_json(run, "--out", "figure.png")
    assert found["readers"] == 3
    assert found["rounds"] == 4
    assert (tmp_path / found["figure"]).read_bytes().startswith(PNG)
    assert found["articles_read"].keys() == POLICIES.keys()
    assert list(found["compared_with"]) == list(POLICIES)[1:]
    for name, one in found["compared_with"].items():
        assert one["low"] <= one["mean"] <= one["high"]
        means = found["articles_read"]
        assert one["mean"] == pytest.approx(means["AFSM-UCB"]["mean"] - means[name]["mean"])
    assert 0 < len(found["slate"]) <= Newsletter.LENGTH
    assert sum(row["minutes"] for row in found["slate"]) <= Newsletter.MINUTES
    for name, most in (("section", Newsletter.PER_SECTION), ("publisher", Newsletter.PER_PUBLISHER)):
        chosen = [row[name] for row in found["slate"]]
        assert max(chosen.count(one) for one in chosen) <= most


def test_its_sentence_is_true_of_its_numbers(run: Run) -> None:
    found = as_json(run)
    check_sentence(
        found["summary"], {name: (one["low"], one["high"]) for name, one in found["compared_with"].items()}
    )


def check_sentence(said: str, intervals: dict[str, tuple[float, float]]) -> None:
    """Every policy stands in the clause that its interval earns, with the numbers of the interval."""
    heads = {"more articles": 1, "fewer articles": -1, "no difference": 0}
    parts = re.split("(" + "|".join(heads) + ")", said)
    clauses = {heads[head]: text for head, text in zip(parts[1::2], parts[2::2], strict=True)}
    for name, (low, high) in intervals.items():
        sign = 1 if low > 0 else -1 if high < 0 else 0
        assert [where for where, text in clauses.items() if name in text] == [sign]
        assert f"interval {low:+.2f} to {high:+.2f}" in clauses[sign]
    assert ("includes 0" in said) == any(low <= 0 <= high for low, high in intervals.values())


@pytest.mark.parametrize(
    "ends",
    [
        [(0.1, 0.3), (0.2, 0.4), (0.5, 0.7)],
        [(-0.1, 0.3), (0.2, 0.4), (0.5, 0.7)],
        [(-0.3, -0.1), (0.2, 0.4), (-0.1, 0.7)],
        [(-0.3, -0.1), (-0.2, -0.1), (-0.7, -0.2)],
        [(-0.3, 0.1), (-0.2, 0.3), (0.0, 0.2)],
        [(-0.3, -0.1), (0.1, 0.2), (0.3, 0.4)],
    ],
)
def test_the_sentence_is_true_whatever_the_numbers_are(ends: list[tuple[float, float]]) -> None:
    names = list(POLICIES)[1:]
    found = {
        name: Interval(np.array((low + high) / 2), np.array(low), np.array(high))
        for name, (low, high) in zip(names, ends, strict=True)
    }
    said = sentence(found, Demo(seed=0, readers=12, rounds=80))
    check_sentence(said, dict(zip(names, ends, strict=True)))


def test_the_same_seed_gives_the_same_numbers_and_figure(run: Run, tmp_path: Path) -> None:
    first = as_json(run, "--out", "a.png", "--seed", "5")
    again = as_json(run, "--out", "b.png", "--seed", "5")
    other = as_json(run, "--out", "c.png", "--seed", "6")
    assert first | {"figure": ""} == again | {"figure": ""}
    assert first["articles_read"] != other["articles_read"]
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


def test_its_means_are_those_of_the_readers(run: Run) -> None:
    """By playing the rounds again, without the command."""
    found = as_json(run)
    newsletter = Newsletter.invent(rng=sw.stream(0, "newsletter", 0))
    problem, policy = newsletter.problem, sw.afsm_ucb()
    means = []
    for reader in range(3):
        user, state, total = newsletter.reader(sw.stream(0, "tastes", reader)), policy.init(problem), 0.0
        for number in range(4):
            slate = policy.select(state, problem)
            rewards = user.reward(slate, sw.stream(0, f"reactions of {reader}", number))
            state = policy.update(state, slate, rewards)
            total += float(user.expected(slate).sum()) / 4
        means.append(total)
    expected = interval_of_mean(means)
    told = found["articles_read"]["AFSM-UCB"]
    assert [told["mean"], told["low"], told["high"]] == pytest.approx(
        [expected.mean, expected.low, expected.high]
    )


# ------------------------------------------------------------------------------------------ being stopped


def stop(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_stopped_while_learning_it_leaves_nothing(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reward, answered = SimulatedUser.reward, iter(range(20))

    def reward_until_stopped(user: SimulatedUser, *arguments: Any) -> Any:
        if next(answered) == 10:
            raise KeyboardInterrupt
        return reward(user, *arguments)

    monkeypatch.setattr(SimulatedUser, "reward", reward_until_stopped)
    code, out, err = run(*SMALL)
    assert (code, out, err) == (130, "", "slatewise: stopped\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("step", ["os.fsync", "Path.replace"])
def test_stopped_while_writing_it_leaves_the_old_figure(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    old = tmp_path / "slatewise-demo.png"
    old.write_bytes(b"old")
    monkeypatch.setattr(f"slatewise.files.{step}", stop)
    code, _, err = run(*SMALL)
    assert code == 130
    assert err == "slatewise: stopped\n"
    monkeypatch.undo()
    assert old.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [old]


def test_a_figure_that_cannot_be_written_is_one_line_and_exit_code_1(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("slatewise.files.os.fsync", full)
    code, _, err = run(*SMALL)
    assert code == 1
    assert "No space left" in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_on_a_terminal_it_shows_progress_with_rate_and_remaining_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    bar = demo_module.progress()
    assert not bar.disable
    task = bar.add_task("learning", total=100)
    for _ in range(50):
        bar.advance(task)
    columns = {type(column).__name__ for column in bar.columns}
    assert {"Rate", "TimeRemainingColumn", "MofNCompleteColumn"} <= columns
    assert demo_module.Rate().render(bar.tasks[0]).plain.endswith("rounds/s")


def test_a_curve_is_the_mean_of_the_latest_rounds() -> None:
    values = np.arange(20.0).reshape(2, 10)
    curve = demo_report.smoothed_curve("AFSM-UCB", values)
    expected = [values[:, max(0, t - demo_report.SMOOTHED + 1) : t + 1].mean() for t in range(10)]
    assert curve.mean == pytest.approx(expected)
