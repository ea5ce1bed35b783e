"""Proposition 2 as a pair of instances: the named policy's α-regret grows linearly, AFSM-UCB's on neither.

α is AFSM-UCB's own guarantee, 1 / ((1 + ε)(k + 2l + 1)), and all policies believe alike: the same linear
model and the theorem's width, which is right for the Gaussian noise (Proposition 1 needs no λ >= m); ν and
ν', 0.01 and 1, hold as well. Only the oracles differ.

The slope is the mean α-regret of a round over the second half of a run, once the values are learned. It is
"linear" where Student's lower bound, over independent runs, is above half of what the proof promises,
α - f(caught); "not linear" where the upper bound is below 0. Each such claim is wrong with a chance of 1e-6;
on right code the slopes are many standard errors from where they would fail.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import slatewise as sw
from slatewise.environments import GaussianNoise, Trap, play, trap_for_greedy, trap_for_mcs_greedy

from .chance import bounds_of_mean

pytestmark = pytest.mark.statistical

M = 30
NOISE = 0.01
REGULARIZATION = 0.01
EPSILON = 0.3
RUNS = 6


def policies(trap: Trap) -> dict[str, sw.Policy]:
    norm = float(np.sqrt(REGULARIZATION) * np.linalg.norm(trap.weights))
    width = sw.TheoreticalWidth(norm_bound=norm, noise=NOISE, delta=0.05)
    return {
        "MCSGreedy": sw.mcs_greedy(regularization=REGULARIZATION, width=width),
        "LSBGreedy": sw.lsb_greedy(regularization=REGULARIZATION, width=width),
        "AFSM-UCB": sw.afsm_ucb(
            regularization=REGULARIZATION, width=width, epsilon=EPSILON, nu=0.01, nu_max=1
        ),
    }


def slopes(trap: Trap, name: str, rounds: int) -> np.ndarray:
    policy, user = policies(trap)[name], trap.user(GaussianNoise(NOISE))
    alpha = trap.problem.alpha(EPSILON)
    runs = (play(policy, trap.problem, user, seed=31, user=run) for run in range(RUNS))
    return np.array(
        [np.mean([alpha - one.value for one in islice(run, rounds // 2, rounds)]) for run in runs]
    )


TRAPS = {
    "MCSGreedy": (trap_for_mcs_greedy(M, margin=0.1), 6),
    "LSBGreedy": (trap_for_greedy(M, margin=1.0), 800),
}


@pytest.mark.parametrize("name", TRAPS)
def test_the_instance_is_as_the_proposition_has_it(name: str) -> None:
    """No list is worth more than the best one's 1, and the caught policy's is worth less than α."""
    trap = TRAPS[name][0]
    value = trap.user().value
    assert trap.problem.feasible(trap.best)
    assert value(trap.best) == pytest.approx(1.0)
    assert sw.upper_bound(trap.problem, trap.weights) == pytest.approx(1.0, rel=1e-6)
    assert trap.caught < trap.problem.alpha(EPSILON)
    assert 0.01 <= trap.weights.max() <= 1
    oracle = {"MCSGreedy": sw.BestStart(3), "LSBGreedy": sw.Greedy()}[name]
    assert value(sw.maximize(trap.problem, trap.weights, oracle).items) == pytest.approx(trap.caught)
    swept = sw.maximize(trap.problem, trap.weights, sw.ThresholdSweep(epsilon=EPSILON))
    assert value(swept.items) == pytest.approx(1.0)


@pytest.mark.parametrize("name", [pytest.param("MCSGreedy", marks=pytest.mark.slow), "LSBGreedy"])
def test_the_named_policys_regret_grows_linearly(name: str) -> None:
    trap, rounds = TRAPS[name]
    promised = trap.problem.alpha(EPSILON) - trap.caught
    assert bounds_of_mean(slopes(trap, name, rounds))[0] > promised / 2


@pytest.mark.parametrize("name", TRAPS)
def test_the_regret_of_afsm_ucb_does_not(name: str) -> None:
    assert bounds_of_mean(slopes(TRAPS[name][0], "AFSM-UCB", 60))[1] < 0


def test_on_the_printed_instance_plain_greedy_is_no_victim() -> None:
    """Why the proposition needs two instances."""
    trap = TRAPS["MCSGreedy"][0]
    assert bounds_of_mean(slopes(trap, "LSBGreedy", 60))[1] < 0
    best = sw.maximize(trap.problem, trap.weights, sw.Greedy())
    assert set(best.items) == set(trap.best)
