"""Kills a process that saves, again and again: run as a program, it prints what it found as JSON.

Each process is forked from one that has imported everything, so that a kill costs milliseconds. It loads
what the one before has left, as after a crash, and goes on: select, learn, save, without end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import slatewise as sw

D = 48
POLICY = sw.lsb_greedy(width=sw.ConstantWidth(0.2))


def problem() -> sw.Problem:
    """Enough features for a file of some size."""
    amounts = np.random.default_rng(0).random((20, D))
    return sw.Problem(sw.ProbabilisticCoverage(amounts), [sw.Cardinality(3)])


def step(agent: sw.Recommender) -> None:
    """One more round of a user: what it does depends on nothing but what the agent knows."""
    number = agent._ledger.next_number
    slate = agent.select(number % 7)
    agent.update(slate, [(number % 5) / 4, 0.5, 0.0])


def live(path: Path) -> None:
    """Go on from the file, and save after each round."""
    agent = sw.Recommender.load(path, problem(), POLICY)
    while True:
        step(agent)
        agent.save(path)


def rebuilt(rounds: int) -> sw.Recommender:
    """What an agent knows after so many rounds that nothing interrupted."""
    agent = sw.Recommender(problem(), POLICY)
    for _ in range(rounds):
        step(agent)
    return agent


def equal(one: sw.Recommender, other: sw.Recommender) -> bool:
    """Whether two agents know the same, bit by bit."""
    return (
        one.users == other.users
        and one._ledger.keys() == other._ledger.keys()
        and all(
            np.array_equal(one.state(user).posterior.mean, other.state(user).posterior.mean)
            and np.array_equal(one.state(user).posterior.precision, other.state(user).posterior.precision)
            for user in one.users
        )
    )


def main(folder: Path, kills: int) -> dict[str, object]:
    """Kill, look, and start again."""
    path = folder / "agent"
    rng = np.random.default_rng(0)
    sw.Recommender(problem(), POLICY).save(path)
    steady, rounds, broken, during = rebuilt(0), [], [], 0
    left: set[Path] = set()
    most = 0
    for kill in range(kills):
        child = os.fork()
        if not child:
            os.close(2)
            live(path)
        time.sleep(float(rng.uniform(0.0, 0.03)))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        parts = set(folder.glob(".agent.*.part"))
        during += bool(parts - left)
        left, most = parts, max(most, len(parts))
        try:
            found = sw.Recommender.load(path, problem(), POLICY)
        except (ValueError, OSError) as error:
            broken.append(f"kill {kill}: {error}")
            break
        while steady._ledger.next_number < found._ledger.next_number:
            step(steady)
        rounds.append(found._ledger.next_number)
        if not equal(steady, found):
            broken.append(f"kill {kill}: {rounds[-1]} rounds were saved, but not these")
    if not broken:
        sw.Recommender.load(path, problem(), POLICY).save(path)
    return {
        "rounds": rounds,
        "broken": broken,
        "killed while writing": during,
        "most left at a time": most,
        "files": sorted(one.name for one in folder.iterdir()),
        "steady": steady._ledger.next_number,
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))  # noqa: T201 - its answer
