"""The laws of constraints: downward-closed, blind to order, and with the k that they state."""

# ruff: noqa: D401 - a law says what is so, and orders nothing

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from slatewise.constraints import AnyConstraint, Intersection
from slatewise.errors import reject
from slatewise.testing.laws import ROUNDING, after, uphold
from slatewise.typing import Bools, Ints

SMALL = 8
"""Up to this many items, every set is looked at."""

LISTS = 40
"""So many lists are grown at random where there are more items."""


def check_constraint(
    constraint: AnyConstraint,
    *,
    n_items: int | None = None,
    seed: int = 0,
    allowed: Callable[[tuple[int, ...]], bool] | None = None,
) -> None:
    """Run a constraint through the laws of `slatewise.Constraint`.

    A list that is allowed stays allowed without any of its items and in any order; what may follow it
    does not depend on its order; `feasible_among` says what `feasible` says; `add` leaves the old state
    as it was; every allowed list satisfies the `relaxation`; and k is not smaller than the true one.

    Parameters
    ----------
    constraint
        What is to be checked.
    n_items
        n, for a constraint that fits any number.
    seed
        What lists and orders are drawn from.
    allowed
        The definition, where there is one: items -> whether the list is allowed.

    Raises
    ------
    AssertionError
        Where a law is broken, with its name, the list and the item.

    Notes
    -----
    Up to 8 items all sets are tried, and the true k is found by brute force; beyond that lists are
    grown at random, and k is not looked at.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.testing import check_constraint
    >>> check_constraint(sw.Cardinality(2), n_items=4, allowed=lambda items: len(items) <= 2)
    """
    n = number_of_items(constraint, n_items)
    rng = np.random.default_rng(seed)
    for items in allowed_sets(constraint, n) if n <= SMALL else random_growths(constraint, n, rng):
        shuffled = tuple(rng.permutation(items).astype(int).tolist())
        uphold(LAWS, constraint, n, items, shuffled)
        if allowed is not None:
            uphold((what_may_follow_is_what_the_definition_allows,), constraint, n, items, allowed)
    if n <= SMALL:
        uphold((k_is_not_smaller_than_the_true_one,), constraint, n)


def order_does_not_matter(
    constraint: AnyConstraint, n: int, items: tuple[int, ...], shuffled: tuple[int, ...]
) -> Iterator[str]:
    """A list that is allowed is so in any order, and the same items may follow it."""
    if not is_allowed(constraint, n, shuffled):
        yield f"{items} is allowed, but {shuffled} is not"
        return
    one, other = (may_follow(constraint, n, order) for order in (items, shuffled))
    for item in np.flatnonzero(one != other):
        yield f"{after(items, item)} may follow: {one[item]}, but after {shuffled}: {other[item]}"


def sublists_are_allowed(
    constraint: AnyConstraint, n: int, items: tuple[int, ...], _: tuple[int, ...]
) -> Iterator[str]:
    """A list that is allowed stays allowed when an item is taken away."""
    for item in items:
        rest = tuple(other for other in items if other != item)
        if not is_allowed(constraint, n, rest):
            yield f"{items} is allowed, but without item {item} it is not"


def feasible_among_agrees_with_feasible(
    constraint: AnyConstraint, n: int, items: tuple[int, ...], shuffled: tuple[int, ...]
) -> Iterator[str]:
    """feasible_among(S, some) = feasible(S)[some]."""
    state = state_of(constraint, shuffled)
    mask = feasible(constraint, state, n)
    others = np.setdiff1d(np.arange(n), items)
    for some in (others, others[::-2], others[:0]):
        found = constraint.feasible_among(state, some)
        if np.any(found != mask[some]):
            item = some[np.argmax(found != mask[some])]
            yield f"{after(items, item)}: feasible says {mask[item]}, feasible_among the opposite"


def states_are_values(
    constraint: AnyConstraint, n: int, items: tuple[int, ...], shuffled: tuple[int, ...]
) -> Iterator[str]:
    """Adding an item leaves the old state as it was."""
    state = state_of(constraint, shuffled)
    mask = feasible(constraint, state, n)
    for item in set(np.flatnonzero(mask).tolist()) - set(items):
        constraint.add(state, item)
        if np.any(feasible(constraint, state, n) != mask):
            yield f"{after(items, item)}, adding it changes what the old state allows"


def allowed_lists_satisfy_the_relaxation(
    constraint: AnyConstraint, n: int, items: tuple[int, ...], _: tuple[int, ...]
) -> Iterator[str]:
    """The packing that bounds read is never narrower than the limit itself."""
    packing = constraint.relaxation(n)
    used = packing.usage[list(items)].sum(axis=0)
    for resource in np.flatnonzero(used > packing.limits * (1.0 + ROUNDING)):
        room = packing.capacities[resource]
        yield f"{items} is allowed, but uses {used[resource]} of {room} in the relaxation"


def what_may_follow_is_what_the_definition_allows(
    constraint: AnyConstraint, n: int, items: tuple[int, ...], allowed: Callable[[tuple[int, ...]], bool]
) -> Iterator[str]:
    """feasible(S)[e] says whether S + e is allowed."""
    mask = may_follow(constraint, n, items)
    for item in set(range(n)) - set(items):
        if mask[item] != allowed((*items, item)):
            yield f"{after(items, item)}: feasible says {mask[item]}, the definition the opposite"


def k_is_not_smaller_than_the_true_one(constraint: AnyConstraint, n: int) -> Iterator[str]:
    """Within any set of items, maximal allowed lists differ in length by a factor of at most k."""
    if constraint.k > 0 and constraint.k < (true := true_k(constraint, n_items=n)):
        yield f"k is {constraint.k}, but the true one is {true}"


LAWS = (
    order_does_not_matter,
    sublists_are_allowed,
    feasible_among_agrees_with_feasible,
    states_are_values,
    allowed_lists_satisfy_the_relaxation,
)


def true_k(constraint: AnyConstraint, *, n_items: int | None = None) -> int:
    """Return the smallest k for which the allowed lists are a k-system, by brute force.

    The largest ratio, rounded up, of the lengths of maximal allowed lists within any set of items; at
    least 1. Knapsacks in an `Intersection` are left out: they count in l.

    Parameters
    ----------
    constraint
        On a dozen items at most: O(4^n) time and memory.
    n_items
        n, for a constraint that fits any number.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.testing import true_k
    >>> true_k(sw.Conflicts([(0, 1), (0, 2), (0, 3)], 4))
    3
    """
    n = number_of_items(constraint, n_items)
    if isinstance(constraint, Intersection):
        constraint = Intersection([part for part in constraint.constraints if part.k > 0], n)
    sets = list(allowed_sets(constraint, n))
    members = np.array([bits(items) for items in sets])[:, np.newaxis]
    followers = [
        bits(np.setdiff1d(np.flatnonzero(may_follow(constraint, n, items)), items)) for items in sets
    ]
    within = np.arange(1 << n)
    maximal = (members & ~within == 0) & (np.array(followers)[:, np.newaxis] & within == 0)
    lengths = np.array([len(items) for items in sets])[:, np.newaxis]
    longest = np.where(maximal, lengths, 0).max(axis=0)
    shortest = np.where(maximal, lengths, n).min(axis=0)
    return int(np.max(-(-longest // np.maximum(shortest, 1)), initial=1))


def number_of_items(constraint: AnyConstraint, n_items: int | None) -> int:
    """Return n: the constraint's, or the caller's."""
    n = constraint.n_items if n_items is None else n_items
    if n is None:
        reject("n_items", "is needed for a constraint that fits any number of items, but is None")
    return n


def state_of(constraint: AnyConstraint, items: tuple[int, ...]) -> Any:  # noqa: ANN401 - the constraint's own
    """Return the state of a list."""
    state = constraint.empty()
    for item in items:
        state = constraint.add(state, item)
    return state


def feasible(constraint: AnyConstraint, state: Any, n: int) -> Bools:  # noqa: ANN401 - the constraint's own
    """Return (n,) truth values, as they are now."""
    return np.array(np.broadcast_to(constraint.feasible(state), (n,)))


def may_follow(constraint: AnyConstraint, n: int, items: tuple[int, ...]) -> Bools:
    """Return (n,): which items may follow a list; those in it count as not."""
    mask = feasible(constraint, state_of(constraint, items), n)
    mask[list(items)] = False
    return mask


def is_allowed(constraint: AnyConstraint, n: int, items: tuple[int, ...]) -> bool:
    """Return whether a list can be grown item by item."""
    state = constraint.empty()
    for item in items:
        if not feasible(constraint, state, n)[item]:
            return False
        state = constraint.add(state, item)
    return True


def allowed_sets(constraint: AnyConstraint, n: int) -> Iterator[tuple[int, ...]]:
    """Yield every set that can be grown, in the first order in which it is."""
    layer: dict[frozenset[int], tuple[int, ...]] = {frozenset(): ()}
    while layer:
        yield from layer.values()
        longer = (
            (*items, int(item))
            for items in layer.values()
            for item in np.flatnonzero(may_follow(constraint, n, items))
        )
        layer = {frozenset(items): items for items in longer}


def random_growths(constraint: AnyConstraint, n: int, rng: np.random.Generator) -> Iterator[tuple[int, ...]]:
    """Yield lists that grow at random until nothing fits, cut off somewhere."""
    for _ in range(LISTS):
        items: tuple[int, ...] = ()
        while len(followers := np.flatnonzero(may_follow(constraint, n, items))):
            items = (*items, int(rng.choice(followers)))
        yield items[: int(rng.integers(len(items) + 1))]


def bits(items: tuple[int, ...] | Ints) -> int:
    """Return a set as a number with a bit for each item."""
    return sum(1 << int(item) for item in items)
