"""Every oracle, and a user's, through the contract of oracles."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

import slatewise as sw
from slatewise.testing import check_oracle

from .nouns import missing


@dataclass(frozen=True, eq=False)
class FirstThatFit(sw.Oracle):
    """A user's: items by their index, as long as they fit."""

    def lists(self, search):
        prefix = search.root
        while len(items := search.candidates(prefix)):
            prefix = search.extend(prefix, int(items[0]))
        yield prefix.listed


ORACLES = {
    "greedy": sw.Greedy(),
    "cost-benefit": sw.CostBenefitGreedy(),
    "best of": sw.BestOf(sw.Greedy(), sw.CostBenefitGreedy()),
    "best start": sw.BestStart(3),
    "best start of none": sw.BestStart(0),
    "sweep": sw.ThresholdSweep(epsilon=0.3),
    "sweep, with more": sw.ThresholdSweep(epsilon=0.2, also=(sw.Greedy(), sw.CostBenefitGreedy())),
    "sweep, short": sw.ThresholdSweep(epsilon=0.5, max_length=2),
    "exact": sw.Exact(),
    "random": sw.RandomList(),
    "a user's": FirstThatFit(),
}
MAXIMAL = {"best of", "best start", "best start of none", "a user's"}


@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("seed", range(4))
def test_oracles_keep_their_contract(name, seed):
    check_oracle(ORACLES[name], seed=seed, maximal=True if name in MAXIMAL else None)


def test_every_public_oracle_is_in_the_table():
    assert not missing(sw.Oracle, ORACLES.values())


class Everything(FirstThatFit):
    """Looks at no limit."""

    def lists(self, search):
        prefix = search.root
        for item in set(range(search.problem.n_items)) - set(prefix.listed.items):
            prefix = search.extend(prefix, item)
        yield prefix.listed


class One(FirstThatFit):
    """Stops early."""

    def lists(self, search):
        items = search.candidates(search.root)
        yield search.extend(search.root, int(items[0])).listed if len(items) else search.root.listed


class Unpinned(FirstThatFit):
    """Turns the list around."""

    def lists(self, search):
        (listed,) = super().lists(search)
        mean, std = search.score.belief.predict_exactly(search.problem.features(listed.items[::-1]))
        yield replace(listed, items=listed.items[::-1], mean=tuple(mean), std=tuple(std))


class Lying(FirstThatFit):
    """Claims more than is believed."""

    def lists(self, search):
        (listed,) = super().lists(search)
        yield replace(listed, mean=tuple(2.0 * one for one in listed.mean))


class Stale(FirstThatFit):
    """What it believes of each item is of that item alone."""

    def lists(self, search):
        (listed,) = super().lists(search)
        objective = search.problem.objective
        alone = objective.gains(objective.empty(), np.array(listed.items, dtype=np.int64))
        mean, std = search.score.belief.predict_exactly(alone)
        yield replace(listed, mean=tuple(mean), std=tuple(std))


class Fickle(FirstThatFit):
    """Draws from numbers of its own."""

    rng = np.random.default_rng(0)

    def lists(self, search):
        items = search.candidates(search.root)
        yield (
            search.extend(search.root, int(self.rng.choice(items))).listed
            if len(items)
            else search.root.listed
        )


BROKEN = [
    (Everything(), None, "slates are feasible|slates hold only what is available"),
    (One(), True, "lists leave nothing that fits"),
    (Unpinned(), None, "slates open with the pinned items"),
    (Lying(), None, "slates say what was believed"),
    (Stale(), None, "slates say what was believed"),
    (Fickle(), None, "choices are made again"),
]


@pytest.mark.parametrize(("oracle", "maximal", "law"), BROKEN)
def test_a_broken_law_is_named(oracle, maximal, law):
    with pytest.raises(AssertionError, match=f"^({law})"):
        check_oracle(oracle, maximal=maximal)
