"""Draws greedy_can_fail.png and prints the slopes that docs/greedy-can-fail.md quotes: about four minutes.

    python docs/figures/greedy_can_fail.py

On both instances of Proposition 2 every policy learns from the same model with the theorem's width; only the
oracles differ. A slope is the mean α-regret of a round, α·f(OPT) - f(S_t), over the second half of a run.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import slatewise as sw
from slatewise.environments import (
    GaussianNoise,
    Interval,
    Trap,
    interval_of_mean,
    simulate,
    trailing_mean,
    trap_for_greedy,
    trap_for_mcs_greedy,
)
from slatewise.plots import Curve, blank, draw_curves, draw_level, label_panel, save_png

EPSILON = 0.3
NOISE = 0.01
REGULARIZATION = 0.01
DELTA = 0.05
SMOOTHED = 20


@dataclass(frozen=True)
class Experiment:
    """An instance, whom it catches, and how long it is played."""

    title: str
    trap: Trap
    rounds: int


def policies(trap: Trap) -> Mapping[str, sw.Policy]:
    """The policies, all with the same model and a width for which Proposition 1 holds."""
    norm = float(np.sqrt(REGULARIZATION) * np.linalg.norm(trap.weights))
    width = sw.TheoreticalWidth(norm_bound=norm, noise=NOISE, delta=DELTA)
    return {
        "AFSM-UCB": sw.afsm_ucb(regularization=REGULARIZATION, width=width, epsilon=EPSILON),
        "LSBGreedy": sw.lsb_greedy(regularization=REGULARIZATION, width=width),
        "CGreedy": sw.c_greedy(regularization=REGULARIZATION, width=width),
        "MCSGreedy": sw.mcs_greedy(regularization=REGULARIZATION, width=width),
    }


def worths(experiment: Experiment, runs: int) -> dict[str, np.ndarray]:
    """What each policy's slates are worth, (runs, rounds); the best list is worth 1."""
    trap, rounds = experiment.trap, experiment.rounds
    user = trap.user(GaussianNoise(NOISE))

    def worth(policy: sw.Policy, run: int) -> np.ndarray:
        return simulate(policy, trap.problem, user, rounds=rounds, seed=0, user=run).values

    return {
        name: np.array([worth(policy, run) for run in range(runs)]) for name, policy in policies(trap).items()
    }


def slope(worth: np.ndarray, alpha: float) -> Interval:
    """The mean α-regret of a round over the second half, over runs."""
    return interval_of_mean(alpha - worth[:, worth.shape[1] // 2 :].mean(axis=1))


def draw(experiments: Sequence[Experiment], found: Sequence[Mapping[str, np.ndarray]], path: Path) -> None:
    """Draw what each policy's slates are worth on each instance, and α."""
    runs = len(next(iter(found[0].values())))
    figure, panels = blank(
        [1.0] * len(experiments),
        title="Each greedy rule has its trap, and learning does not lead out of it",
        subtitle="The best list is worth 1. Who stays below α, which AFSM-UCB guarantees, has linear "
        f"α-regret. Means and 95 % bands over {runs} runs.",
        right=0.89,
    )
    for panel, experiment, worth in zip(panels, experiments, found, strict=True):
        means = {name: interval_of_mean(trailing_mean(rows, SMOOTHED)) for name, rows in worth.items()}
        panel.set_ylim(0.0, 1.08)
        draw_curves(panel, [Curve(name, at.mean, at.low, at.high) for name, at in means.items()])
        draw_level(panel, experiment.trap.problem.alpha(EPSILON), "α")
        label_panel(
            panel,
            title=experiment.title,
            x="round",
            y=f"worth of a slate, mean of the latest {SMOOTHED} rounds",
        )
    save_png(figure, path)


def table(experiments: Sequence[Experiment], found: Sequence[Mapping[str, np.ndarray]]) -> str:
    """The slopes as a table in Markdown."""
    lines = ["| instance | policy | α-regret a round (95 % interval) |", "|---|---|---|"]
    for experiment, worth in zip(experiments, found, strict=True):
        for name, rows in worth.items():
            at = slope(rows, experiment.trap.problem.alpha(EPSILON))
            numbers = f"{float(at.mean):+.3f} ({float(at.low):+.3f} to {float(at.high):+.3f})"
            lines.append(f"| {experiment.title} | {name} | {numbers} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run both instances, draw the figure and print the slopes."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--m", type=int, default=30)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--rounds", type=int, nargs=2, default=(100, 800), help="on each instance")
    options.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".png"))
    chosen = options.parse_args(arguments)
    first, second = chosen.rounds
    experiments = [
        Experiment("the paper's instance", trap_for_mcs_greedy(chosen.m, margin=0.1), first),
        Experiment("one costly item", trap_for_greedy(chosen.m, margin=1.0), second),
    ]
    found = [worths(experiment, chosen.runs) for experiment in experiments]
    draw(experiments, found, chosen.out)
    print(table(experiments, found))


if __name__ == "__main__":
    main()
