"""Draws rerank_front.png, and prints the table that docs/rerank.md quotes: about half a minute.

    python -m docs.figures.rerank_front

from the root of the repository, with pyversity installed and the real data where benchmarks/candidates.py
looks for it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.candidates import kinds
from benchmarks.rerank import DRAWS, at_levels, front
from matplotlib.figure import Figure

from slatewise.plots import save_png

LEVELS = np.linspace(0.0, 1.0, 101)
STYLES = {
    "rerank": {"color": "#1b5e9b", "linewidth": 2.4, "linestyle": "-"},
    "MMR": {"color": "#c25b12", "linewidth": 1.6, "linestyle": "--"},
    "DPP": {"color": "#5f7f2e", "linewidth": 1.6, "linestyle": "-."},
}


def main() -> None:
    """Draw a panel for each kind of candidates."""
    figure = Figure(figsize=(10.0, 6.4), facecolor="white")
    figure.text(
        0.02,
        0.965,
        "At every level of similarity, rerank's list is level with MMR's and DPP's or more relevant",
        fontsize=13.5,
        fontweight="bold",
        va="top",
    )
    figure.text(
        0.02,
        0.918,
        f"Best list of ten out of 500 that is at most so similar; mean of {DRAWS} draws; both "
        "axes from the least to the most that any of the three reaches",
        fontsize=9.5,
        va="top",
        color="#555555",
    )
    panels = figure.subplots(
        2,
        3,
        sharex=True,
        sharey=True,
        gridspec_kw={"left": 0.07, "right": 0.98, "top": 0.83, "bottom": 0.09, "hspace": 0.3, "wspace": 0.1},
    )
    for panel, (name, draw) in zip(panels.flat, kinds().items(), strict=True):
        found = [front(*draw(np.random.default_rng(seed))) for seed in range(DRAWS)]
        for method, style in STYLES.items():
            mean = np.mean([at_levels(one.points[method], LEVELS) for one in found], axis=0)
            panel.plot(LEVELS, mean, label=method, **style)
        panel.set_title(name, loc="left", fontsize=10.5)
        panel.grid(visible=True, color="#e6e6e6", linewidth=0.8)
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=9, colors="#555555")
    panels[0, 0].legend(loc="lower right", frameon=False, fontsize=9.5)
    for panel in panels[1]:
        panel.set_xlabel("mean cosine within the list", fontsize=9.5, color="#555555")
    for panel in panels[:, 0]:
        panel.set_ylabel("mean relevance", fontsize=9.5, color="#555555")
    save_png(figure, Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()
