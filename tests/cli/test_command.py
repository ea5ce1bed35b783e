"""The command line itself: help, version, bad options, a missing extra."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import slatewise.cli
from slatewise.cli import main
from slatewise.cli.app import app

COMMANDS = [name for name in app if not name.startswith("-")]


def test_there_is_a_demo() -> None:
    assert "demo" in COMMANDS


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_lists_every_command_with_an_example(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 0
    said = capsys.readouterr().out
    examples = said.split("For example:")[1].split("Commands")[0]
    listed = said.split("Commands")[1]
    for command in COMMANDS:
        assert f"slatewise {command}" in examples
        assert command in listed


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_with_examples_and_every_option(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"]) == 0
    said = capsys.readouterr().out
    examples = said.split("For example:")[1]
    assert examples.count(f"slatewise {command}") >= 2
    for option in app[command].assemble_argument_collection():
        assert option.name in said


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == version("slatewise")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nonsense"], "nonsense"),
        (["demo", "--nonsense", "1"], "--nonsense"),
        (["demo", "extra"], "extra"),
        (["demo", "--rounds", "many"], "--rounds"),
        (["demo", "--rounds", "2.5"], "--rounds"),
        (["demo", "--rounds", "0"], "--rounds"),
        (["demo", "--rounds"], "--rounds"),
        (["demo", "--readers", "1"], "--readers"),
        (["demo", "--readers", "-3"], "--readers"),
        (["demo", "--seed", "-1"], "--seed"),
        (["demo", "--out", "figure.gif"], "--out"),
        (["demo", "--out", "no/such/folder/figure.png"], "--out"),
        (["demo", "--out", "folder.png"], "--out"),
    ],
)
def test_a_bad_option_is_one_line_and_exit_code_2(
    arguments: list[str],
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert not said.out
    assert named in said.err
    assert said.err.startswith("slatewise: ")
    assert said.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["folder.png"]


def test_without_the_extra_it_names_it_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(slatewise.cli, "NEEDED", ("rich", "no_such_package_at_all"))
    assert main(["demo"]) == slatewise.cli.EXTRA_IS_MISSING
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "no_such_package_at_all" in said
    assert "rich" not in said
    assert "slatewise[lab]" in said


def test_the_console_script_exits_with_the_commands_code() -> None:
    done = subprocess.run(  # noqa: S603 - our own command
        [Path(sys.executable).with_name("slatewise"), "demo", "--rounds", "0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "--rounds" in done.stderr
