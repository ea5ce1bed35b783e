"""What `slatewise demo` tells: a slate, a comparison, a figure, and a sentence on what was seen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from slatewise.cli.demo import POLICIES, Demo, Outcome, simulate
from slatewise.environments import Interval, interval_of_mean, trailing_mean
from slatewise.plots import Curve, Estimate, learning_figure, save_png
from slatewise.typing import Floats

OURS = next(iter(POLICIES))
"""The policy that the others are compared with."""

SMOOTHED = 5
"""A point of a curve is the mean of so many rounds."""


def show(setting: Demo, figure: Path, *, as_json: bool) -> None:
    """Run the demo, print what came out, and write the figure.

    Parameters
    ----------
    setting
        What is tried.
    figure
        Where the figure goes.
    as_json
        Whether to print JSON in place of tables.
    """
    outcome = simulate(setting)
    said = sentence(outcome.differences, setting)
    draw(outcome, setting, figure)
    if as_json:
        print(json.dumps(report(outcome, setting, said, figure), indent=2, ensure_ascii=False))
        return
    console = Console()
    console.print(*slate_part(outcome), "", *comparison_part(outcome, setting), "", sep="\n")
    console.print(Text(f"Figure: {figure}", style="dim"), Text(said), sep="\n", soft_wrap=True)


def draw(outcome: Outcome, setting: Demo, path: Path) -> None:
    """Write the figure."""
    curves = [smoothed_curve(name, values) for name, values in outcome.values.items()]
    differences = [
        Estimate(name, float(found.mean), float(found.low), float(found.high))
        for name, found in outcome.differences.items()
    ]
    newsletter = outcome.newsletter
    subtitle = (
        f"{setting.readers} simulated readers; at most {newsletter.LENGTH} of "
        f"{len(newsletter.titles)} articles, {newsletter.MINUTES} minutes, "
        f"{newsletter.PER_SECTION} of a section, {newsletter.PER_PUBLISHER} of a publisher. "
        "Bands and bars: 95 % intervals over readers."
    )
    figure = learning_figure(
        curves,
        differences,
        title="A newsletter that learns what its readers like",
        subtitle=subtitle,
        y=f"articles read of a newsletter, mean of the latest {SMOOTHED} rounds",
    )
    save_png(figure, path)


def smoothed_curve(name: str, values: Floats) -> Curve:
    """Return the mean over readers of the mean of the latest rounds."""
    found = interval_of_mean(trailing_mean(values, SMOOTHED))
    return Curve(name, found.mean, found.low, found.high)


def slate_rows(outcome: Outcome) -> list[dict[str, Any]]:
    """Return the articles of the last slate."""
    slate, newsletter = outcome.last.slate, outcome.newsletter
    chances = outcome.reader.expected(slate)
    return [
        {
            "title": newsletter.titles[item],
            "section": newsletter.sections[newsletter.section[item]],
            "publisher": newsletter.publishers[newsletter.publisher[item]],
            "minutes": int(newsletter.minutes[item]),
            "expected_gain": float(slate.mean[position]),
            "true_gain": float(chances[position]),
            "read": bool(outcome.last.rewards[position] > 0),
        }
        for position, item in enumerate(slate.items)
    ]


def slate_part(outcome: Outcome) -> tuple[RenderableType, ...]:
    """Return the last slate as a table, between a title and a remark."""
    rows = slate_rows(outcome)
    minutes = sum(row["minutes"] for row in rows)
    table = Table("title", "section", box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for name in ("min", "expected", "true"):
        table.add_column(name, justify="right")
    table.add_column("read")
    for row in rows:
        gains = (f"{row[name]:.2f}" for name in ("expected_gain", "true_gain"))
        table.add_row(row["title"], row["section"], str(row["minutes"]), *gains, "yes" if row["read"] else "")
    title = (
        f"What {OURS} sent the first reader in round {outcome.last.number + 1}: "
        f"{len(rows)} articles, {minutes} of {outcome.newsletter.MINUTES} minutes"
    )
    remark = "expected, true: the chance that it is read after those above it, as learned, as it is"
    return Text(title, style="bold"), table, Text(remark, style="dim")


def comparison_part(outcome: Outcome, setting: Demo) -> tuple[RenderableType, ...]:
    """Return the policies side by side, each with intervals, between a title and a remark."""
    table = Table("policy", box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    table.add_column("articles read", justify="right")
    table.add_column(f"{OURS} has more by", justify="right")
    for name, mean in outcome.means.items():
        more = "" if name == OURS else bracketed(outcome.differences[name], "+")
        table.add_row(name, bracketed(mean), more)
    title = f"Articles read of a newsletter, on average over {counted('round', setting.rounds)}"
    remark = (
        f"in brackets: 95 % intervals over {setting.readers} readers, differences paired by reader; "
        "what is read on average follows from the readers' true tastes"
    )
    return Text(title, style="bold"), table, Text(remark, style="dim")


def bracketed(found: Interval, sign: str = "") -> str:
    """Return a mean and its interval as text."""
    return f"{float(found.mean):{sign}.2f} ({float(found.low):{sign}.2f} to {float(found.high):{sign}.2f})"


def report(outcome: Outcome, setting: Demo, said: str, figure: Path) -> dict[str, Any]:
    """Return what came out, as JSON can hold it."""
    return {
        "seed": setting.seed,
        "readers": setting.readers,
        "rounds": setting.rounds,
        "articles_read": {name: plain(found) for name, found in outcome.means.items()},
        "compared_with": {name: plain(found) for name, found in outcome.differences.items()},
        "slate": slate_rows(outcome),
        "figure": str(figure),
        "summary": said,
    }


def plain(found: Interval) -> dict[str, float]:
    """Return an interval as numbers."""
    return {"mean": float(found.mean), "low": float(found.low), "high": float(found.high)}


def sentence(differences: Mapping[str, Interval], setting: Demo) -> str:
    """Return what was seen, in words that hold whatever the numbers are."""
    more, fewer, unclear = (
        {name: found for name, found in differences.items() if found.sign == sign} for sign in (1, -1, 0)
    )
    seen = [
        f"{how} articles by {OURS} than by {listed(found)}"
        for how, found in (("more", more), ("fewer", fewer))
        if found
    ]
    who = f"Over {counted('round', setting.rounds)}, {counted('simulated reader', setting.readers)}"
    clauses = [f"{who} would read {', but '.join(seen)}"] if seen else []
    if unclear:
        start = "no difference is shown" if seen else f"{who} show no difference"
        clauses.append(f"{start} between {OURS} and {listed(unclear)}, where the interval includes 0")
    return f"{'; '.join(clauses)}. (Articles a newsletter; 95 % intervals.)"


def listed(differences: Mapping[str, Interval]) -> str:
    """Return policies with their differences as a phrase."""
    parts = [
        f"{name} ({float(found.mean):+.2f}, interval {float(found.low):+.2f} to {float(found.high):+.2f})"
        for name, found in differences.items()
    ]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def counted(noun: str, count: int) -> str:
    """Return a number of things as a phrase."""
    return f"{count} {noun}{'' if count == 1 else 's'}"
