"""The laws of oracles: what is chosen is allowed, was there to choose, and is chosen again."""

# ruff: noqa: D401 - a law says what is so, and orders nothing

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from slatewise.indices import Score
from slatewise.models import GaussianBelief
from slatewise.oracles import Oracle, RandomList
from slatewise.oracles.greedy import GrowingOracle
from slatewise.problem import Problem
from slatewise.slate import Slate
from slatewise.testing.laws import close, sample_problems, uphold
from slatewise.typing import Bools


@dataclass(frozen=True)
class Round:
    """What an oracle is asked in one round."""

    problem: Problem
    score: Score
    available: Bools
    pinned: tuple[int, ...]
    seed: int

    def ask(self, oracle: Oracle) -> Slate:
        """Return the oracle's slate."""
        return oracle(
            self.problem,
            self.score,
            available=self.available,
            pinned=self.pinned,
            rng=np.random.default_rng(self.seed),
        )

    def __str__(self) -> str:
        limits = [type(limit).__name__ for limit in self.problem.constraints]
        there = np.flatnonzero(self.available).tolist()
        return f"under {limits} with the items {there} and {list(self.pinned)} pinned"


def check_oracle(
    oracle: Oracle,
    *,
    problems: Iterable[Problem] | None = None,
    maximal: bool | None = None,
    seed: int = 0,
) -> None:
    """Run an oracle through the laws of `slatewise.Oracle`.

    What it chooses is feasible and available, opens with the pinned items, and is the same when asked
    again with the same random numbers; where nothing fits it is empty. A slate says the features, means
    and standard deviations of its items, in order, and their score. An oracle that grows lists until
    nothing fits leaves no candidate that does.

    Parameters
    ----------
    oracle
        What is to be checked.
    problems
        The problems to try it on; a few small ones where none are given.
    maximal
        Whether its lists leave nothing that fits; where it is not said, so for lists that grow greedily
        or at random.
    seed
        What scores, masks and pinned items are drawn from.

    Raises
    ------
    AssertionError
        Where a law is broken, with its name and the round.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.testing import check_oracle
    >>> check_oracle(sw.CostBenefitGreedy())
    """
    rng = np.random.default_rng(seed)
    grows = isinstance(oracle, GrowingOracle | RandomList) if maximal is None else maximal
    for problem in sample_problems(rng) if problems is None else problems:
        for asked in rounds(problem, oracle, rng):
            uphold(LAWS, oracle, asked)
            if grows:
                uphold((lists_leave_nothing_that_fits,), oracle, asked)
        uphold((slates_are_empty_where_nothing_is_there,), oracle, problem)


def slates_are_feasible(oracle: Oracle, asked: Round) -> Iterator[str]:
    """All limits allow the slate."""
    items = asked.ask(oracle).items
    if not asked.problem.feasible(items):
        yield f"{asked}, {items} is not"


def slates_hold_only_what_is_available(oracle: Oracle, asked: Round) -> Iterator[str]:
    """Nothing is chosen that there is not."""
    items = asked.ask(oracle).items
    for item in items:
        if not asked.available[item]:
            yield f"{asked}, item {item} of {items} is not"


def slates_open_with_the_pinned_items(oracle: Oracle, asked: Round) -> Iterator[str]:
    """The pinned items come first, in order."""
    items = asked.ask(oracle).items
    if items[: len(asked.pinned)] != asked.pinned:
        yield f"{asked}, {items} does not"


def choices_are_made_again(oracle: Oracle, asked: Round) -> Iterator[str]:
    """The same round gives the same slate, to the last bit."""
    one, other = asked.ask(oracle), asked.ask(oracle)
    if one.items != other.items or one.features.tobytes() != other.features.tobytes():
        yield f"{asked}, {one.items} is chosen first and {other.items} then"


def slates_say_what_was_believed(oracle: Oracle, asked: Round) -> Iterator[str]:
    """A slate has the features, means and standard deviations of its items, and the list's score."""
    slate = asked.ask(oracle)
    features = asked.problem.features(slate.items)
    mean, std = asked.score.belief.predict_exactly(features)
    wanted = asked.score.of_list(mean.tolist(), std.tolist())
    if not np.all(close(slate.features, features)):
        yield f"{asked}, the features of {slate.items} are {features}, not {slate.features}"
    elif not (np.all(close(slate.mean, mean, 1.0)) and np.all(close(slate.std, std, 1.0))):
        yield f"{asked}, of {slate.items} means {mean} and deviations {std} are believed"
    elif not close(slate.score, wanted, 1.0):
        yield f"{asked}, the score of {slate.items} is {wanted}, not {slate.score}"


def lists_leave_nothing_that_fits(oracle: Oracle, asked: Round) -> Iterator[str]:
    """No available item fits beside those of the list."""
    items = asked.ask(oracle).items
    for item in set(np.flatnonzero(asked.available).tolist()) - set(items):
        if asked.problem.feasible((*items, item)):
            yield f"{asked}, {items} leaves item {item}, which fits"


def slates_are_empty_where_nothing_is_there(oracle: Oracle, problem: Problem) -> Iterator[str]:
    """No items, no error."""
    nothing = Round(problem, known(problem), np.zeros(problem.n_items, dtype=np.bool_), (), 0)
    slate = nothing.ask(oracle)
    if slate.items or slate.features.shape != (0, problem.n_features):
        yield f"{nothing}, the slate is {slate.items}, with features {slate.features.shape}"


LAWS = (
    slates_are_feasible,
    slates_hold_only_what_is_available,
    slates_open_with_the_pinned_items,
    choices_are_made_again,
    slates_say_what_was_believed,
)


def rounds(problem: Problem, oracle: Oracle, rng: np.random.Generator) -> Iterator[Round]:
    """Yield rounds with known weights and, unless the oracle needs better, with upper confidence bounds."""
    everything = np.ones(problem.n_items, dtype=np.bool_)
    for score in (known(problem), unsure(problem, rng)):
        if score.diminishing or not oracle.needs_diminishing:
            some = rng.random(problem.n_items) < 0.7  # noqa: PLR2004 - about two in three
            pinned = tuple(
                item for item in rng.permutation(np.flatnonzero(some)).tolist() if problem.feasible([item])
            )
            for available, first in ((everything, ()), (some, ()), (some, pinned[:1])):
                yield Round(problem, score, available, first, int(rng.integers(1 << 30)))


def known(problem: Problem) -> Score:
    """Return the scores of equal weights that are known."""
    d = problem.n_features
    return Score(GaussianBelief(np.ones(d), np.zeros((d, 0))), value_range=None)


def unsure(problem: Problem, rng: np.random.Generator) -> Score:
    """Return upper confidence bounds for weights of any sign."""
    d = problem.n_features
    return Score(GaussianBelief(rng.standard_normal(d), np.tril(rng.standard_normal((d, d)))), beta=0.7)
