"""Whole bandits: a model, an index and an oracle, and the algorithms that have names."""

from slatewise.policies.many import Slates, States
from slatewise.policies.named import (
    afsm_ucb,
    c_greedy,
    cost_benefit_greedy,
    lsb_greedy,
    mcs_greedy,
    random_policy,
    sm_ucb,
)
from slatewise.policies.policy import Policy
from slatewise.policies.state import State

__all__ = [
    "Policy",
    "Slates",
    "State",
    "States",
    "afsm_ucb",
    "c_greedy",
    "cost_benefit_greedy",
    "lsb_greedy",
    "mcs_greedy",
    "random_policy",
    "sm_ucb",
]
