"""The commands, their options, and what becomes of errors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, Parameter, Token
from rich.console import Console

from slatewise.cli.demo import Demo
from slatewise.cli.demo_report import show
from slatewise.errors import ArgumentError, reject

DONE, FAILED, BAD_OPTION = 0, 1, 2

SUMMARY = """\
Choose short, diverse lists under several limits at once, and learn taste from reactions.

For example:

  slatewise demo             a newsletter that learns: no data needed

  slatewise demo --help      its options
"""

DEMO = """\
Watch a newsletter learn what its readers like: no data needed, a few seconds.

Four policies choose from 400 invented articles, for readers whose tastes they don't know: at most ten \
articles, thirty minutes, three of a section and two of a publisher. It ends with a slate, a comparison, \
a figure and a sentence on what was seen.

For example:

  slatewise demo

  slatewise demo --seed 7 --readers 20 --out tastes.png

  slatewise demo --json > demo.json
"""


def whole(_: object, tokens: Sequence[Token]) -> int:
    """Return a whole number; 2.5 is none."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"must be a whole number, but is {tokens[0].value!r}") from None


Whole = Annotated[int, Parameter(converter=whole)]

app = App(name="slatewise", help=SUMMARY, help_format="plaintext", version_flags=["--version"])


@app.command(help=DEMO)
def demo(
    *,
    out: Path = Path("slatewise-demo.png"),
    seed: Whole = 0,
    readers: Whole = 12,
    rounds: Whole = 80,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Run ``slatewise demo``.

    Parameters
    ----------
    out
        Where the figure is written, as PNG.
    seed
        What everything random comes from: a whole number, at least 0.
    readers
        How many simulated readers, at least 2 (an interval needs as many).
    rounds
        How many newsletters each reader gets, at least 1.
    json
        Print the results as JSON.
    """
    check_figure(out)
    show(Demo(seed=seed, readers=readers, rounds=rounds), out, as_json=json)


def check_figure(path: Path) -> None:
    """Raise where a PNG could not be written to, before any work is done."""
    if path.suffix.lower() != ".png":
        reject("out", f"must end in .png, but is {str(path)!r}")
    if path.is_dir():
        reject("out", f"must be a file, but {str(path)!r} is a folder")
    if not path.absolute().parent.is_dir():
        reject("out", f"must be in a folder that exists, but {str(path.parent)!r} does not")


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code; an error is one line on stderr."""
    try:
        command, bound, _ = app.parse_args(arguments, exit_on_error=False, print_error=False)
        command(*bound.args, **bound.kwargs)
    except CycloptsError as error:
        return complain(f"{' '.join(str(error).split())} (slatewise --help shows what there is)", BAD_OPTION)
    except ArgumentError as error:
        return complain(f"--{error.argument} {error.problem}", BAD_OPTION)
    except OSError as error:
        return complain(str(error), FAILED)
    return DONE


def complain(message: str, code: int) -> int:
    """Print one line on stderr, and return the exit code."""
    Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"slatewise: {message}")
    return code
