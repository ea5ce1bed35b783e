"""The laws of objectives: monotone, submodular, and told by gains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from slatewise.objectives import AnyObjective
from slatewise.testing.laws import CANCELLED, ROUNDING, after, close, random_lists, uphold
from slatewise.typing import Floats

Value = Callable[[tuple[int, ...]], npt.ArrayLike]


def check_objective(
    objective: AnyObjective,
    *,
    seed: int = 0,
    lists: Iterable[Iterable[int]] | None = None,
    value: Value | None = None,
) -> None:
    """Run an objective through the laws of `slatewise.Objective`.

    gains(S)[e] = f(S + e) - f(S), whatever the order in which f adds them up; gains are never
    negative, never grow as the list does, and are zero for the items in it; those of some items are
    rows of those of all; `add` leaves the old state as it was.

    Parameters
    ----------
    objective
        What is to be checked.
    seed
        What the lists are drawn from where none are given.
    lists
        The lists to try.
    value
        The definition, where there is one besides the gains: items -> [f_1(S), ..., f_d(S)].

    Raises
    ------
    AssertionError
        Where a law is broken, with its name, the list and the item.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.testing import check_objective
    >>> covers = np.eye(3)
    >>> check_objective(sw.Coverage(covers), value=lambda items: covers[list(items)].max(axis=0, initial=0))
    """
    rng = np.random.default_rng(seed)
    tried = random_lists(objective.n_items, rng) if lists is None else lists
    for items in tried:
        listed = tuple(int(item) for item in items)
        uphold(LAWS, objective, listed)
        if value is not None:
            uphold((gains_add_up_to_the_value,), objective, listed, value)


def gains_are_a_row_for_each_item(objective: AnyObjective, items: tuple[int, ...]) -> Iterator[str]:
    """gains(S) is (n, d) and finite."""
    gains = objective.gains(state_of(objective, items))
    wanted = (objective.n_items, objective.n_features)
    if np.shape(gains) != wanted:
        yield f"{after(items)}, gains has the shape {np.shape(gains)}, not {wanted}"
    elif not np.all(np.isfinite(gains)):
        item, feature = np.argwhere(~np.isfinite(gains))[0]
        yield f"{after(items, item)}, the gain of feature {feature} is {gains[item, feature]}"


def gains_are_not_negative(objective: AnyObjective, items: tuple[int, ...]) -> Iterator[str]:
    """x(e|S) ≥ 0: each f_g is monotone."""
    gains = objective.gains(state_of(objective, items))
    for item, feature in np.argwhere(gains < 0):
        yield f"{after(items, item)}, the gain of feature {feature} is {gains[item, feature]}"


def gains_diminish(objective: AnyObjective, items: tuple[int, ...]) -> Iterator[str]:
    """x(e|S) ≤ x(e|A) for every prefix A of S: each f_g is submodular."""
    gains = objective.gains(state_of(objective, items))
    size = value_of(objective, items) + gains
    for length in range(len(items)):
        before = objective.gains(state_of(objective, items[:length]))
        for item, feature in np.argwhere(gains > before + ROUNDING * size + CANCELLED):
            yield (
                f"{after(items, item)}, the gain of feature {feature} is {gains[item, feature]}, "
                f"but after {items[:length]} it is {before[item, feature]}"
            )


def gains_of_listed_items_are_zero(objective: AnyObjective, items: tuple[int, ...]) -> Iterator[str]:
    """x(e|S) = 0 for e in S."""
    gains = objective.gains(state_of(objective, items))
    for item in items:
        if np.any(gains[item] != 0):
            yield f"{after(items, item)}, the gains are {gains[item]}"


def gains_are_differences_of_values(objective: AnyObjective, items: tuple[int, ...]) -> Iterator[str]:
    """x(e|S) = f(S + e) - f(S), f(S + e) being added up in another order than S's."""
    gains = objective.gains(state_of(objective, items))
    value = value_of(objective, items)
    for item in set(range(objective.n_items)) - set(items):
        together = value_of(objective, (item, *reversed(items)))
        if not np.all(close(value + gains[item], together)):
            yield f"{after(items, item)}, the gains are {gains[item]}, but f grows by {together - value}"


def gains_of_some_items_are_rows_of_all(objective: AnyObjective, items: tuple[int, ...]) -> Iterator[str]:
    """gains(S, some) = gains(S)[some], to the last bit."""
    state = state_of(objective, items)
    gains = objective.gains(state)
    every = np.arange(objective.n_items)
    for some in (every[::-1], every[::2], every[:0], *every[:, np.newaxis]):
        found = objective.gains(state, some)
        if np.shape(found) != (len(some), objective.n_features) or np.any(found != gains[some]):
            yield f"{after(items)}, gains(S, {some.tolist()}) is {found}, but these rows are {gains[some]}"


def states_are_values(objective: AnyObjective, items: tuple[int, ...]) -> Iterator[str]:
    """Adding an item leaves the old state as it was."""
    state = state_of(objective, items)
    gains = np.array(objective.gains(state))
    for item in set(range(objective.n_items)) - set(items):
        objective.add(state, item)
        if np.any(objective.gains(state) != gains):
            yield f"{after(items, item)}, adding it changes the gains of the state that it was added to"


def gains_add_up_to_the_value(objective: AnyObjective, items: tuple[int, ...], value: Value) -> Iterator[str]:
    """Σ_i x(e_i|S^(1:i-1)) = f(S)."""
    found, wanted = value_of(objective, items), np.asarray(value(items), dtype=np.float64)
    if not np.all(close(found, wanted, np.abs(wanted).max(initial=0.0))):
        yield f"{after(items)}, the gains add up to {found}, but the value is {wanted}"


LAWS = (
    gains_are_a_row_for_each_item,
    gains_are_not_negative,
    gains_diminish,
    gains_of_listed_items_are_zero,
    gains_are_differences_of_values,
    gains_of_some_items_are_rows_of_all,
    states_are_values,
)


def state_of(objective: AnyObjective, items: Iterable[int]) -> Any:  # noqa: ANN401 - the objective's own
    """Return the state of a list."""
    state = objective.empty()
    for item in items:
        state = objective.add(state, item)
    return state


def value_of(objective: AnyObjective, items: Iterable[int]) -> Floats:
    """Return f(S), added up from gains in the order of the list."""
    state, value = objective.empty(), np.zeros(objective.n_features)
    for item in items:
        value = value + objective.gains(state)[item]
        state = objective.add(state, item)
    return value
