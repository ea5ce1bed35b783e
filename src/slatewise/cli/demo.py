"""``slatewise demo``: a newsletter that learns. What is tried, and the trying of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

import slatewise as sw
from slatewise.checks import whole_number
from slatewise.environments import (
    Interval,
    Newsletter,
    Round,
    Run,
    SimulatedUser,
    collect,
    interval_of_mean,
    paired_difference,
    play,
)
from slatewise.typing import Floats

POLICIES: Mapping[str, sw.Policy] = {
    "AFSM-UCB": sw.afsm_ucb(),
    "LSBGreedy": sw.lsb_greedy(),
    "CGreedy": sw.c_greedy(),
    "RANDOM": sw.random_policy(),
}
"""Who competes, all with their defaults; the others are compared with the first."""


@dataclass(frozen=True)
class Demo:
    """What is tried.

    Parameters
    ----------
    seed, readers, rounds
        As the command's options say.
    """

    seed: int
    readers: int
    rounds: int

    def __post_init__(self) -> None:
        whole_number(self.seed, "seed", minimum=0)
        whole_number(self.readers, "readers", minimum=2)
        whole_number(self.rounds, "rounds", minimum=1)


@dataclass(frozen=True)
class Outcome:
    """What came out.

    Parameters
    ----------
    newsletter
        The articles.
    values
        For each policy (readers, rounds): f(S_t), the expected number of articles read.
    last, reader
        The first policy's last round with the first reader, and that reader.
    """

    newsletter: Newsletter
    values: Mapping[str, Floats]
    last: Round
    reader: SimulatedUser

    @property
    def means(self) -> dict[str, Interval]:
        """Each policy's mean over rounds, over readers."""
        return {name: interval_of_mean(values.mean(axis=1)) for name, values in self.values.items()}

    @property
    def differences(self) -> dict[str, Interval]:
        """The first policy's mean over rounds minus each other's, paired by reader."""
        ours, *others = self.values
        mine = self.values[ours].mean(axis=1)
        return {name: paired_difference(mine, self.values[name].mean(axis=1)) for name in others}


class Rate(ProgressColumn):
    """Rounds a second."""

    def render(self, task: Task) -> Text:
        """Return the rate, once there is one."""
        return Text("" if task.speed is None else f"{task.speed:,.0f} rounds/s", style="cyan")


def simulate(setting: Demo) -> Outcome:
    """Let every policy learn from every reader, under a progress bar."""
    newsletter = Newsletter.invent(rng=sw.stream(setting.seed, "newsletter", 0))
    readers = [newsletter.reader(sw.stream(setting.seed, "tastes", i)) for i in range(setting.readers)]
    runs: dict[str, list[Run]] = {name: [] for name in POLICIES}
    with progress() as bar:
        task = bar.add_task("learning", total=len(POLICIES) * setting.readers * setting.rounds)
        for number, reader in enumerate(readers):
            for name, policy in POLICIES.items():
                rounds = play(policy, newsletter.problem, reader, seed=setting.seed, user=number)
                runs[name].append(collect(counted(islice(rounds, setting.rounds), bar, task)))
    return Outcome(
        newsletter=newsletter,
        values={name: np.array([run.values for run in found]) for name, found in runs.items()},
        last=runs[next(iter(POLICIES))][0].last,
        reader=readers[0],
    )


def progress() -> Progress:
    """Return a progress bar with rate and remaining time, on the terminal alone, gone when it is done."""
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def counted(rounds: Iterator[Round], bar: Progress, task: TaskID) -> Iterator[Round]:
    """Yield rounds, each one counted on the bar."""
    for played in rounds:
        yield played
        bar.advance(task)
