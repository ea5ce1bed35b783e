"""Users to practise on, and what it takes to let policies learn from them and to compare them.

An `Environment` answers a slate with rewards and knows what lists are worth; `play` lets a policy learn
from one, round by round; `paired_difference` compares two policies over the same users. What changes a
user's answers (reading only so far, drifting, replaying a log) is to wrap or to replace an environment;
`play` knows none of it.
"""

from slatewise.environments.base import Environment
from slatewise.environments.comparison import Interval, interval_of_mean, paired_difference, trailing_mean
from slatewise.environments.newsletter import Newsletter
from slatewise.environments.simulated import Bernoulli, GaussianNoise, Reactions, SimulatedUser
from slatewise.environments.simulation import Round, Run, collect, play, simulate
from slatewise.environments.traps import Trap, trap_for_greedy, trap_for_mcs_greedy

__all__ = [
    "Bernoulli",
    "Environment",
    "GaussianNoise",
    "Interval",
    "Newsletter",
    "Reactions",
    "Round",
    "Run",
    "SimulatedUser",
    "Trap",
    "collect",
    "interval_of_mean",
    "paired_difference",
    "play",
    "simulate",
    "trailing_mean",
    "trap_for_greedy",
    "trap_for_mcs_greedy",
]
