"""Proposition 2 as instances: problems on which a greedy rule never gets near the best list.

Both are modular with one indicator feature an item, so that nothing learned of one item says anything of
another, and in both the best list is worth 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slatewise.checks import frozen, real_number, whole_number
from slatewise.constraints import Cardinality, Knapsack
from slatewise.environments.simulated import Bernoulli, Reactions, SimulatedUser
from slatewise.objectives import Modular
from slatewise.problem import Problem
from slatewise.typing import Floats


@dataclass(frozen=True, eq=False)
class Trap:
    """An instance of Proposition 2.

    Parameters
    ----------
    problem
        Modular, with a cardinality limit m and one knapsack of budget 1.
    weights
        (n,): the value v(e) of each item.
    best
        The best list, worth 1.
    caught
        The most that the caught policy's list is worth once the values are learned.
    """

    problem: Problem
    weights: Floats
    best: tuple[int, ...]
    caught: float

    def user(self, reactions: Reactions | None = None) -> SimulatedUser:
        """Return a user with these values."""
        return SimulatedUser(self.problem, self.weights, Bernoulli() if reactions is None else reactions)


def trap_for_mcs_greedy(m: int = 30, *, margin: float = 0.1) -> Trap:
    """Return the paper's instance, on which going by value for cost fails.

    m items of cost 1/m and value 1/m, which together are the best list, then m items of cost 1/m² and
    value (1 + margin)/m². The latter are worth more for their cost, and fill the list: only the at most
    three items that MCSGreedy starts with can be of the former.

    Parameters
    ----------
    m
        At least 4: the cardinality limit.
    margin
        ϵ > 0: by how much the density of the small items is greater.

    Examples
    --------
    >>> from slatewise.environments import trap_for_mcs_greedy
    >>> trap = trap_for_mcs_greedy(30, margin=0.1)
    >>> round(trap.user().value(trap.best), 3), round(trap.caught, 3), round(trap.problem.alpha(0.3), 3)
    (1.0, 0.133, 0.192)
    """
    size = whole_number(m, "m", minimum=4)
    density = 1.0 + real_number(margin, "margin", above=0.0)
    costs = np.repeat([1.0 / size, 1.0 / size**2], size)
    values = np.repeat([1.0 / size, density / size**2], size)
    caught = 3.0 / size + (size - 3) * density / size**2
    return _trap(size, costs, values, tuple(range(size)), caught)


def trap_for_greedy(m: int = 30, *, margin: float = 0.1) -> Trap:
    """Return the instance on which going by value alone fails; the paper leaves it to the reader.

    One item of cost 1 and value (1 + margin)/m, then m items of cost 1/m and value 1/m, which together
    are the best list. The first is worth most by itself, and leaves room for nothing else.

    Parameters
    ----------
    m
        At least 2: the cardinality limit.
    margin
        ε > 0: by how much the value of the costly item is greater.

    Examples
    --------
    >>> from slatewise.environments import trap_for_greedy
    >>> trap = trap_for_greedy(30, margin=0.1)
    >>> round(trap.user().value(trap.best), 3), round(trap.caught, 3), round(trap.problem.alpha(0.3), 3)
    (1.0, 0.037, 0.192)
    """
    size = whole_number(m, "m", minimum=2)
    value = (1.0 + real_number(margin, "margin", above=0.0)) / size
    costs = np.append(1.0, np.full(size, 1.0 / size))
    values = np.append(value, np.full(size, 1.0 / size))
    return _trap(size, costs, values, tuple(range(1, size + 1)), value)


def _trap(m: int, costs: Floats, values: Floats, best: tuple[int, ...], caught: float) -> Trap:
    problem = Problem(Modular(np.eye(len(values))), [Cardinality(m), Knapsack(costs, 1.0)])
    return Trap(problem, frozen(values), best, caught)
