"""Why a slate is what it is: position by position, limit by limit, list by list; and what is believed."""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from slatewise.constraints import AnyConstraint, PackingConstraint
from slatewise.indices import UpperConfidence
from slatewise.oracles import Candidate, Search
from slatewise.policies import Policy, State
from slatewise.problem import Problem
from slatewise.randomness import stream
from slatewise.slate import Slate
from slatewise.typing import Bools, Floats, Ints

NEGLIGIBLE = 0.05
"""A topic that adds less than this share of what the largest adds is not named."""

MOST_TOPICS, MOST_RIVALS = 3, 5


@dataclass(frozen=True)
class Round:
    """What a slate was chosen from: all that is needed to look again at what could have been."""

    problem: Problem
    policy: Policy
    state: State
    draws: tuple[int, str | int | None, int]
    context: Floats | None
    available: Bools | None
    pinned: tuple[Hashable, ...]

    def search(self, problem: Problem, pinned: Sequence[int]) -> Search:
        """Return a search under this round's scores, drawn again where they were drawn."""
        rng = stream(*self.draws)
        posterior = self.state.posterior
        score = self.policy.index.score(posterior, posterior.at(self.context), rng)
        return Search(problem, score, available=self.available, pinned=pinned, rng=rng)


@dataclass(frozen=True)
class Topic:
    """A feature that an item adds to: how much of it, and what that is expected to be worth."""

    name: str
    adds: float
    worth: float


@dataclass(frozen=True)
class Position:
    """One position of a slate.

    `density` is the score for the item's cost, to be held against the slate's threshold ρ; `instead` is
    the item that would have stood there without any limit. Both are ``None`` where they are not known.
    """

    item: Hashable
    expected: float
    uncertainty: float
    topics: tuple[Topic, ...]
    density: float | None = None
    instead: Hashable | None = None


@dataclass(frozen=True)
class LimitUse:
    """How far a limit is used up, and how many items that are left it alone would refuse.

    `part` is the label, where a limit is one of several labels: each that refuses anything has its own
    line, or else the one that is nearest to it.
    """

    limit: str
    part: Hashable | None
    used: float
    bound: float
    refuses: int

    @property
    def binds(self) -> bool:
        """Whether it refuses any item."""
        return self.refuses > 0


@dataclass(frozen=True)
class Rival:
    """Another list that was a candidate, and by how much its score was less."""

    items: tuple[Hashable, ...]
    threshold: float | None
    score: float
    behind: float


@dataclass(frozen=True, repr=False)
class Tastes:
    """What is believed of a user: what an item that adds 1 to one feature is worth, with an interval.

    `mean` ± `margin`; the margin is as many standard deviations as the policy's own bounds are wide.
    """

    names: tuple[str, ...]
    mean: tuple[float, ...]
    margin: tuple[float, ...]

    def to_dict(self) -> dict[str, dict[str, float | None]]:
        """Return each feature's expected worth and its interval, NaN as ``None``."""
        plain: dict[str, dict[str, float | None]] = without_nan(
            {
                name: {"mean": mean, "low": mean - margin, "high": mean + margin}
                for name, mean, margin in zip(self.names, self.mean, self.margin, strict=True)
            }
        )
        return plain

    def rows(self) -> list[list[str]]:
        """Return a table, the best liked first."""
        order = sorted(range(len(self.names)), key=lambda g: -self.mean[g])
        return [["feature", "worth", "interval"]] + [
            [
                self.names[g],
                f"{self.mean[g]:.3f}",
                f"{self.mean[g] - self.margin[g]:.3f} .. {self.mean[g] + self.margin[g]:.3f}",
            ]
            for g in order
        ]

    def __repr__(self) -> str:
        return text_table(self.rows())

    def _repr_html_(self) -> str:
        return html_table(self.rows())


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a slate is what it is. It prints as text and shows as a table in a notebook.

    Where the slate is not the last one that was chosen, only what it recorded is known: `complete` is
    false, `limits` and `rivals` are empty, and what topics are worth is today's belief.
    """

    number: int | None
    score: float
    threshold: float | None
    positions: tuple[Position, ...]
    limits: tuple[LimitUse, ...]
    rivals: tuple[Rival, ...]
    complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, NaN as ``None``."""
        limits = [asdict(one) | {"binds": one.binds} for one in self.limits]
        plain: dict[str, Any] = without_nan(asdict(self) | {"limits": limits})
        return plain

    def rows(self) -> list[list[str]]:
        """Return the positions as a table."""
        return [["", "item", "expected", "±", "density", "adds", "without limits"]] + [
            [
                str(place),
                str(one.item),
                shown(one.expected),
                shown(one.uncertainty),
                shown(one.density),
                ", ".join(f"{topic.name} {topic.adds:.2f}" for topic in one.topics),
                "" if one.instead is None else str(one.instead),
            ]
            for place, one in enumerate(self.positions, start=1)
        ]

    def notes(self) -> Iterator[str]:
        """Yield what is to be said of the slate as a whole, a sentence each."""
        rho = "" if self.threshold is None else f", from the threshold ρ = {self.threshold:.3g}"
        yield f"Score {shown(self.score) or 'unknown'}{rho}."
        if not self.complete:
            yield "Another slate was chosen since: limits and other lists are not known any more."
        for one in self.limits:
            part = "" if one.part is None else f" {one.part!r}"
            left = f"{one.limit}{part}: {one.used:g} of {one.bound:g} used"
            yield (
                f"{left}; it refuses {one.refuses} more items." if one.binds else f"{left}; it does not bind."
            )
        for rival in self.rivals:
            made = "a further oracle" if rival.threshold is None else f"ρ = {rival.threshold:.3g}"
            listed = ", ".join(map(str, rival.items)) or "nothing"
            yield f"Lost by {rival.behind:.3g}: {listed} (from {made})."

    def __repr__(self) -> str:
        return "\n".join([text_table(self.rows()), "", *map(visible, self.notes())])

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes())
        return f"{html_table(self.rows())}<ul>{notes}</ul>"


def tastes(policy: Policy, state: State, context: npt.ArrayLike | None = None) -> Tastes:
    """Return what is believed of each feature's worth."""
    d = state.posterior.n_features
    mean, std = state.posterior.at(context).predict(np.eye(d))
    wide = policy.index.width.beta(state.posterior) if isinstance(policy.index, UpperConfidence) else 1.0
    return Tastes(state.feature_space.names, tuple(mean.tolist()), tuple((wide * std).tolist()))


def explain(slate: Slate, known: Round | None, believed: Tastes) -> Explanation:
    """Return what can be said of a slate: all of it where its round is known, else what it recorded."""
    positions = tuple(
        Position(key, float(mean), float(std), named_topics(x, believed))
        for key, mean, std, x in zip(slate.keys, slate.mean, slate.std, slate.features, strict=True)
    )
    if known is None:
        return Explanation(slate.number, slate.score, slate.threshold, positions, (), (), complete=False)
    return Explanation(
        slate.number,
        slate.score,
        slate.threshold,
        tuple(compared(known, slate, positions)),
        tuple(limit_uses(known, slate)),
        tuple(rivals(known, slate)),
    )


def named_topics(x: Floats, believed: Tastes) -> tuple[Topic, ...]:
    """Return the features that an item adds most to, by what they are expected to be worth."""
    worth = np.abs(x * np.array(believed.mean)) + NEGLIGIBLE * x
    order = np.argsort(-worth, kind="stable")[:MOST_TOPICS]
    return tuple(
        Topic(believed.names[g], float(x[g]), float(x[g] * believed.mean[g]))
        for g in order.tolist()
        if x[g] > NEGLIGIBLE * float(x.max(initial=0.0))
    )


def compared(known: Round, slate: Slate, positions: tuple[Position, ...]) -> Iterator[Position]:
    """Yield the positions with their densities, and what would have stood there without limits."""
    free = known.search(Problem(known.problem.objective), ())
    prefix = free.root
    for place, (position, item) in enumerate(zip(positions, slate.items, strict=True)):
        look = free.look(prefix, free.candidates(prefix))
        best = item if np.isnan(look.scores).any() else int(look.items[free.best(look)])
        cost = float(known.problem.costs[item])
        score = position.expected + free.score.beta * position.uncertainty
        pinned = place < len(known.pinned)
        yield replace(
            position,
            density=score / cost if cost > 0 else None,
            instead=None if best == item or pinned else known.problem.name_of(best),
        )
        prefix = free.extend(prefix, item)


def limit_uses(known: Round, slate: Slate) -> Iterator[LimitUse]:
    """Yield how far each limit is used up by the slate."""
    left = known.problem.mask_of(known.available)
    left[list(slate.items)] = False
    items = np.flatnonzero(left)
    for constraint in known.problem.constraints:
        if isinstance(constraint, PackingConstraint):
            yield from resource_uses(constraint, slate.items, left)
        else:
            refuses = int((~allowed(constraint, slate.items, items)).sum()) if len(items) else 0
            yield LimitUse(called(constraint), None, float(len(slate)), math.inf, refuses)


def resource_uses(constraint: PackingConstraint, listed: Sequence[int], left: Bools) -> Iterator[LimitUse]:
    """Yield the use of each resource that refuses items, or of the one that is nearest to it."""
    packing = constraint.packing(len(left))
    used = np.zeros(len(packing.capacities))
    for item in listed:
        used = packing.add(used, item)
    over = used[packing.resources] + packing.amounts > packing.limits[packing.resources]
    refused = np.bincount(packing.resources[over & left[packing.items]], minlength=len(used))
    names: Sequence[Hashable] | None = getattr(constraint, "label_names", None)
    nearest = np.argsort(packing.capacities - used, kind="stable")[:1]
    for resource in (np.flatnonzero(refused) if refused.any() else nearest).tolist():
        yield LimitUse(
            called(constraint),
            names[resource] if names else None if len(used) == 1 else resource,
            float(used[resource]),
            float(packing.capacities[resource]),
            int(refused[resource]),
        )


def called(constraint: AnyConstraint) -> str:
    """Return what a limit is called: its name, or what it is."""
    return constraint.name or type(constraint).__name__


def allowed(constraint: AnyConstraint, listed: Sequence[int], items: Ints) -> Bools:
    """Return which items a limit alone would let follow a list."""
    state = constraint.empty()
    for item in listed:
        state = constraint.add(state, item)
    return constraint.feasible_among(state, items)


def rivals(known: Round, slate: Slate) -> Iterator[Rival]:
    """Yield the best of the other lists that were candidates."""
    search = known.search(known.problem, known.problem.positions(known.pinned, "pinned"))
    if math.isnan(slate.score):
        return
    others: dict[tuple[int, ...], Candidate] = {}
    for candidate in known.policy.oracle.lists(search):
        if candidate.items != slate.items:
            others.setdefault(candidate.items, candidate)
    scored = [(search.score.of_list(one.mean, one.std), one) for one in others.values()]
    for score, one in sorted(scored, key=lambda pair: -pair[0])[:MOST_RIVALS]:
        named = known.problem.ids_of(one.items) or one.items
        yield Rival(named, one.threshold, score, slate.score - score)


def shown(value: float | None) -> str:
    """Return a number in three digits, nothing where there is none."""
    return "" if value is None or math.isnan(value) else f"{value:.3g}"


def without_nan(value: Any) -> Any:  # noqa: ANN401 - any plain value
    """Return a plain value, NaN and infinities as ``None``."""
    if isinstance(value, dict):
        return {key: without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def visible(text: str) -> str:
    """Return a text whose line breaks and control characters are spelt out: a terminal obeys none."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def text_table(cells: list[list[str]]) -> str:
    """Return rows as aligned columns under their names."""
    rows = [[visible(cell) for cell in row] for row in cells]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def html_table(rows: list[list[str]]) -> str:
    """Return rows as an HTML table, whatever stands in them escaped."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in rows[0])
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows[1:]
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
