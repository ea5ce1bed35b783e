"""Figures: curves with confidence bands, and estimates with intervals, that can be told apart without colour.

Nothing here touches pyplot or any other global state: a figure is made, drawn on, and saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from slatewise.files import replacing
from slatewise.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Style(NamedTuple):
    """How one policy is drawn, in every figure alike."""

    colour: str
    marker: str
    dashes: str | tuple[float, tuple[float, ...]]


STYLES = {
    "AFSM-UCB": Style("#0072b2", "o", "solid"),
    "LSBGreedy": Style("#d55e00", "s", (0, (6, 1.5))),
    "CGreedy": Style("#009e73", "^", (0, (4, 1.5, 1, 1.5))),
    "MCSGreedy": Style("#b2568d", "D", (0, (3, 1.5, 1, 1.5, 1, 1.5))),
    "RANDOM": Style("#6b6b6b", "X", (0, (1.5, 1.5))),
}
"""Okabe and Ito's colours, which colour-blind eyes tell apart, each with a marker and a dash of its own."""

OTHERS = (
    Style("#8a6d00", "v", "solid"),
    Style("#56b4e9", "P", (0, (6, 1.5))),
    Style("#000000", "*", (0, (1.5, 1.5))),
)
"""For what has no style of its own, in turn."""

INK, MUTED = "#222222", "#5f5f5f"
MARKERS = 8
"""About how many markers a curve carries."""

LINE_HEIGHT = 0.075
"""How far apart the labels at the ends of curves stand, as a share of the panel's height."""


@dataclass(frozen=True)
class Curve:
    """A curve over rounds 1, 2, ... with its band.

    Parameters
    ----------
    label
        Who it is about.
    mean, low, high
        (rounds,).
    """

    label: str
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class Estimate:
    """A number with its interval."""

    label: str
    mean: float
    low: float
    high: float


def style_of(label: str, position: int = 0) -> Style:
    """Return a policy's style; for an unknown name the one that is in turn at this position."""
    return STYLES.get(label, OTHERS[position % len(OTHERS)])


def blank(
    columns: Sequence[float], *, title: str, subtitle: str = "", right: float = 0.975
) -> tuple[Figure, list[Axes]]:
    """Return an empty figure with panels of these relative widths, under a title.

    Parameters
    ----------
    columns
        The relative widths of the panels.
    title
        What is seen.
    subtitle
        How it came about.
    right
        Where the last panel ends; further left where labels stand beside it.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 4.7), facecolor="white")
    grid = figure.add_gridspec(
        1, len(columns), width_ratios=columns, left=0.075, right=right, top=0.77, bottom=0.135, wspace=0.46
    )
    figure.text(0.015, 0.955, title, fontsize=13.5, fontweight="bold", color=INK, va="top")
    figure.text(0.015, 0.893, subtitle, fontsize=9.5, color=MUTED, va="top")
    panels = [figure.add_subplot(grid[0, column]) for column in range(len(columns))]
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(colors=MUTED, labelsize=9)
        panel.grid(visible=True, color="#e6e6e6", linewidth=0.8)
        panel.set_axisbelow(True)
    return figure, panels


def label_panel(panel: Axes, *, title: str, x: str, y: str = "") -> None:
    """Write a panel's title and what its axes are."""
    panel.set_title(title, loc="left", fontsize=10.5, color=INK, pad=9)
    panel.set_xlabel(x, fontsize=9.5, color=MUTED)
    panel.set_ylabel(y, fontsize=9.5, color=MUTED)


def draw_curves(panel: Axes, curves: Sequence[Curve]) -> None:
    """Draw curves with bands and markers, each named at its end."""
    from matplotlib.ticker import MaxNLocator

    for position, curve in enumerate(curves):
        style = style_of(curve.label, position)
        rounds = np.arange(1, len(curve.mean) + 1)
        step = max(1, len(rounds) // MARKERS)
        panel.fill_between(rounds, curve.low, curve.high, color=style.colour, alpha=0.14, linewidth=0)
        panel.plot(
            rounds,
            curve.mean,
            color=style.colour,
            linestyle=style.dashes,
            linewidth=1.9,
            marker=style.marker,
            markersize=5.5,
            markevery=((position * step) // max(1, len(curves)), step),
        )
    panel.set_xlim(1, max(2, *(len(curve.mean) for curve in curves)))
    panel.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=True))
    name_ends(panel, curves)


def name_ends(panel: Axes, curves: Sequence[Curve]) -> None:
    """Write each curve's name beside its end, apart from the others."""
    low, high = panel.get_ylim()
    heights = np.array([(curve.mean[-1] - low) / (high - low) for curve in curves])
    for position, height in enumerate(spread(heights, LINE_HEIGHT)):
        panel.annotate(
            curves[position].label,
            (1.0, float(height)),
            xycoords="axes fraction",
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            fontsize=9.5,
            fontweight="bold",
            color=style_of(curves[position].label, position).colour,
        )


def spread(heights: Floats, apart: float) -> Floats:
    """Return heights in the same order, moved as little as it takes to stand this far apart."""
    order = np.argsort(heights, kind="stable")
    steps = apart * np.arange(len(heights))
    # The nearest ascending sequence to these has means over blocks: pool neighbours that are out of order.
    blocks: list[tuple[float, int]] = []
    for wish in (heights[order] - steps).tolist():
        value, size = wish, 1
        while blocks and blocks[-1][0] > value:
            before, count = blocks.pop()
            value, size = (before * count + value * size) / (count + size), count + size
        blocks.append((value, size))
    moved = np.empty(len(heights))
    moved[order] = np.repeat([value for value, _ in blocks], [size for _, size in blocks]) + steps
    return moved


def draw_level(panel: Axes, height: float, label: str) -> None:
    """Draw a level to be compared with, named at its end."""
    panel.axhline(height, color=INK, linewidth=1.2)
    panel.annotate(
        label,
        (1.0, height),
        xycoords=("axes fraction", "data"),
        xytext=(-4, 4),
        textcoords="offset points",
        ha="right",
        fontsize=11,
        color=INK,
    )


def draw_estimates(panel: Axes, estimates: Sequence[Estimate]) -> None:
    """Draw estimates one below the other, with their intervals, their numbers and a line at 0."""
    panel.axvline(0.0, color=INK, linewidth=1.0)
    for position, estimate in enumerate(estimates):
        style = style_of(estimate.label, position)
        panel.plot([estimate.low, estimate.high], [position, position], color=style.colour, linewidth=2.6)
        panel.plot([estimate.mean], [position], color=style.colour, marker=style.marker, markersize=9)
        panel.annotate(
            f"{estimate.mean:+.2f}  ({estimate.low:+.2f} to {estimate.high:+.2f})",
            (estimate.mean, position),
            xytext=(0, 11),
            textcoords="offset points",
            ha="center",
            fontsize=9,
            color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )
    panel.set_yticks(range(len(estimates)), [estimate.label for estimate in estimates], fontsize=9.5)
    panel.set_ylim(len(estimates) - 0.5, -0.7)
    reach = [0.0, *(end for estimate in estimates for end in (estimate.low, estimate.high))]
    room = 0.3 * (max(reach) - min(reach)) or 1.0
    panel.set_xlim(min(reach) - room, max(reach) + room)
    panel.grid(visible=False, axis="y")


def learning_figure(
    curves: Sequence[Curve], differences: Sequence[Estimate], *, title: str, subtitle: str, y: str
) -> Figure:
    """Return what policies earn as they learn, beside what sets the first one apart from the others.

    Parameters
    ----------
    curves
        One for each policy.
    differences
        The first policy's mean minus that of each other, paired by user.
    title, subtitle
        What is seen, and how it came about.
    y
        What the curves are of.
    """
    figure, (left, right) = blank([1.45, 1.0], title=title, subtitle=subtitle)
    draw_curves(left, curves)
    label_panel(left, title=y, x="round")
    draw_estimates(right, differences)
    label_panel(right, title=f"{curves[0].label} minus …", x="difference, paired by reader")
    return figure


def save_png(figure: Figure, path: Path) -> None:
    """Write a figure as PNG: the whole file or, whatever happens, none of it.

    The same figure gives the same bytes.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=150, metadata={"Software": None})
    with replacing(path) as file:
        file.write(buffer.getvalue())
