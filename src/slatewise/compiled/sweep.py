"""The threshold sweep over shared prefixes, for separable objectives, packings and Gaussian beliefs.

`slatewise.oracles.sweep.shared_prefixes` is the specification. Three things are different here:

* all thresholds of a run are served in one pass over the items: an item offers itself to every
  threshold that it passes, and the best offers of neighbouring thresholds make the children;
* an item is scored only where a bound on its score says that it could still win. With A the covariance
  and A⁺ its positive numbers, xᵀAx ≤ xᵀA⁺x ≤ Σ_g (Σ_k A⁺_gk) x_g² for x ≥ 0, so that
  Σ max(w_g, 0) x_g + β sqrt(Σ_g (Σ_k A⁺_gk) x_g²) bounds the score; it grows with every x_g, and x(e|S)
  only falls as the list grows, so it bounds the item's later scores too;
* every score is computed in the order that `GaussianBelief.predict_exactly` documents, so there is
  nothing for rounding to decide.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from slatewise.compiled.caching import kept
from slatewise.compiled.rules import gain, step
from slatewise.typing import Array, Bools, Floats, Ints


class Catalogue(NamedTuple):
    """Items as arrays: amounts (n, d) and their rule, the packing, and c(e)."""

    matrix: Floats
    rule: int
    starts: Ints
    resources: Ints
    amounts: Floats
    limits: Floats
    costs: Floats


class Gaussian(NamedTuple):
    """A round's scores: the belief, β, how wide each row of the factor is, and what bounds them.

    `hope` weighs the features and `doubt` their squares; both have what rounding can add in them.
    """

    mean: Floats
    factor: Floats
    widths: Ints
    beta: float
    hope: Floats
    doubt: Floats


class Live(NamedTuple):
    """Items that may still be taken, by their places in the ranking, with bounds on their scores."""

    position: Ints
    bound: Floats


class Offers(NamedTuple):
    """The best item so far at each threshold: its score, the item, and what the score is made of."""

    score: Floats
    item: Ints
    mean: Floats
    std: Floats


class Tree(NamedTuple):
    """Nodes, each a list that its parent's item by item gives, and the lists that thresholds end with.

    `ends` and `first` are, for each list, its node and the first threshold that ends with it.
    """

    parent: Ints
    item: Ints
    mean: Floats
    std: Floats
    ends: Ints
    first: Ints


@kept
def sweep(  # noqa: PLR0913 - a compiled loop takes arrays
    catalogue: Catalogue, score: Gaussian, grid: Floats, items: Ints, root_levels: Floats, root_used: Floats
) -> Tree:
    """Return the lists of all thresholds, grown from a root with these candidates."""
    n_thresholds, d = len(grid), len(root_levels)
    x, z = np.empty(d), np.empty(score.factor.shape[1])
    listed = np.zeros(len(catalogue.costs), dtype=np.bool_)
    items, after_nothing, bounds = ranked_by_threshold(catalogue, score, grid, items, root_levels, x, z)
    live = Live(np.arange(len(items)), bounds)

    parent, item = np.full(4 * n_thresholds, -1), np.full(4 * n_thresholds, -1)
    mean, std = np.zeros(4 * n_thresholds), np.zeros(4 * n_thresholds)
    ends, first = np.empty(n_thresholds, np.int64), np.empty(n_thresholds, np.int64)
    n_nodes, n_ends = 1, 0
    node_of, run_first, run_end, live_first, live_end = np.zeros((5, n_thresholds), np.int64)
    level_of, used_of = np.empty((n_thresholds, d)), np.empty((n_thresholds, len(root_used)))
    offer = Offers(
        np.empty(n_thresholds),
        np.empty(n_thresholds, np.int64),
        np.empty(n_thresholds),
        np.empty(n_thresholds),
    )
    run_end[0], live_end[0], pending = n_thresholds, len(items), 1
    level_of[0], used_of[0] = root_levels, root_used
    while pending:
        pending -= 1
        node: int = node_of[pending]
        start: int = run_first[pending]
        end: int = run_end[pending]
        levels, used = level_of[pending].copy(), used_of[pending].copy()
        inherited: tuple[int, int] = live_first[pending], live_end[pending]
        if len(live.position) < 2 * inherited[1] - inherited[0]:
            live = Live(doubled(live.position), doubled(live.bound))
        mark(listed, parent, item, node, True)
        kept = collect(
            catalogue, score, grid, items, after_nothing, live, inherited,
            levels, used, listed, start, end, offer, x, z,
        )  # fmt: skip
        mark(listed, parent, item, node, False)
        while start < end:
            best: int = offer.item[start]
            if best < 0:
                ends[n_ends], first[n_ends] = node, start
                n_ends += 1
                break
            stop = start + 1
            while stop < end and offer.item[stop] == best:
                stop += 1
            if n_nodes == len(parent):
                parent, item = doubled(parent), doubled(item)
                mean, std = doubled(mean), doubled(std)
            parent[n_nodes], item[n_nodes] = node, best
            mean[n_nodes], std[n_nodes] = offer.mean[start], offer.std[start]
            node_of[pending], run_first[pending], run_end[pending] = n_nodes, start, stop
            live_first[pending], live_end[pending] = inherited[1], kept
            for g in range(d):
                level_of[pending, g] = step(catalogue.rule, catalogue.matrix[best, g], levels[g])
            used_of[pending] = used
            for entry in range(catalogue.starts[best], catalogue.starts[best + 1]):
                used_of[pending, catalogue.resources[entry]] += catalogue.amounts[entry]
            n_nodes += 1
            pending += 1
            start = stop
    return Tree(
        parent[:n_nodes], item[:n_nodes], mean[:n_nodes], std[:n_nodes], ends[:n_ends], first[:n_ends]
    )


@kept
def ranked_by_threshold(  # noqa: PLR0913 - the same
    catalogue: Catalogue, score: Gaussian, grid: Floats, items: Ints, levels: Floats, x: Floats, z: Floats
) -> tuple[Ints, Ints, Floats]:
    """Return the items that pass any threshold at the root, those that pass most first.

    With each comes how many it passes, which is what u(e|∅) allows, and the bound on its score.
    """
    counts, bounds = np.empty(len(items), np.int64), np.empty(len(items))
    for position in range(len(items)):
        item: int = items[position]
        bounds[position] = look(catalogue, score, item, levels, x)
        mean, std = predict(score, x, z)
        upper = mean + score.beta * std
        counts[position] = last_passed(grid, catalogue.costs[item], upper, 0, len(grid) - 1) + 1
    order = np.argsort(-counts, kind="mergesort")[: np.count_nonzero(counts)]
    return items[order], counts[order], bounds[order]


@kept
def collect(  # noqa: PLR0913 - the same
    catalogue: Catalogue,
    score: Gaussian,
    grid: Floats,
    items: Ints,
    after_nothing: Ints,
    live: Live,
    inherited: tuple[int, int],
    levels: Floats,
    used: Floats,
    listed: Bools,
    start: int,
    end: int,
    offer: Offers,
    x: Floats,
    z: Floats,
) -> int:
    """Find, for each threshold of a run, the best item that passes it after a prefix; -1 where none does.

    What passes a threshold passes the smaller ones, so the best score never grows with the threshold:
    an item that cannot beat the best at the largest threshold that it passes beats none. The items
    that a longer list may still take are kept behind the inherited ones, up to the position returned.
    """
    offer.score[start:end], offer.item[start:end] = -np.inf, -1
    kept = inherited[1]
    for place in range(inherited[0], inherited[1]):
        position: int = live.position[place]
        bound: float = live.bound[place]
        item: int = items[position]
        cost: float = catalogue.costs[item]
        most: int = after_nothing[position]
        last = last_passed(grid, cost, bound, start, min(most, end) - 1)
        if last < start or listed[item] or not fits(catalogue, used, item):
            continue
        if bound >= offer.score[last]:
            bound = look(catalogue, score, item, levels, x)
            last = last_passed(grid, cost, bound, start, last)
            if last < start:
                continue
            if bound >= offer.score[last]:
                mean, std = predict(score, x, z)
                upper = mean + score.beta * std
                last = last_passed(grid, cost, upper, start, last)
                make_offer(offer, item, mean, std, upper, start, last)
        live.position[kept], live.bound[kept] = position, bound
        kept += 1
    return kept


@kept
def last_passed(grid: Floats, cost: float, score: float, start: int, last: int) -> int:
    """Return the largest threshold of ``start .. last`` that a score passes, ``score >= ρ·c(e)``; or less."""
    while last >= start and grid[last] * cost > score:
        last -= 1
    return last


@kept
def make_offer(  # noqa: PLR0913 - the same
    offer: Offers, item: int, mean: float, std: float, score: float, start: int, last: int
) -> None:
    """Put an item where it is better than the best so far; of equal ones the smaller stays."""
    while last >= start and (
        score > offer.score[last] or (score == offer.score[last] and item < offer.item[last])
    ):
        offer.score[last], offer.item[last] = score, item
        offer.mean[last], offer.std[last] = mean, std
        last -= 1


@kept
def look(catalogue: Catalogue, score: Gaussian, item: int, levels: Floats, x: Floats) -> float:
    """Write an item's features to `x`; return the bound on its score after this and any longer list."""
    hope, doubt = 0.0, 0.0
    for g in range(len(levels)):
        x[g] = gain(catalogue.rule, catalogue.matrix[item, g], levels[g])
        hope += score.hope[g] * x[g]
        doubt += score.doubt[g] * x[g] * x[g]
    return hope + score.beta * math.sqrt(doubt)


@kept
def predict(score: Gaussian, x: Floats, z: Floats) -> tuple[float, float]:
    """Return mean and standard deviation in the documented order of operations."""
    mean, square = 0.0, 0.0
    z[:] = 0.0
    for g in range(len(x)):
        mean += score.mean[g] * x[g]
        for k in range(score.widths[g]):
            z[k] += score.factor[g, k] * x[g]
    for k in range(len(z)):
        square += z[k] * z[k]
    return mean, math.sqrt(square)


@kept
def fits(catalogue: Catalogue, used: Floats, item: int) -> bool:
    """Return whether an item fits beside what is used."""
    for entry in range(catalogue.starts[item], catalogue.starts[item + 1]):
        resource = catalogue.resources[entry]
        if used[resource] + catalogue.amounts[entry] > catalogue.limits[resource]:
            return False
    return True


@kept
def mark(listed: Bools, parent: Ints, item: Ints, node: int, value: bool) -> None:  # noqa: FBT001 - compiled
    """Mark the items of a node's list."""
    while node > 0:
        listed[item[node]] = value
        node = parent[node]


@kept
def doubled(array: Array) -> Array:
    """Return an array with room for as much again."""
    return np.concatenate((array, array))
