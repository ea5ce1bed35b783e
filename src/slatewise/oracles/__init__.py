"""How scores become a list: greedy rules, the threshold sweep, enumeration, chance."""

from slatewise.oracles.base import Oracle
from slatewise.oracles.exact import BestStart, Exact
from slatewise.oracles.greedy import BestOf, CostBenefitGreedy, Greedy, GrowingOracle, RandomList
from slatewise.oracles.search import Candidate, Look, Prefix, Search
from slatewise.oracles.sweep import ThresholdSweep

__all__ = [
    "BestOf",
    "BestStart",
    "Candidate",
    "CostBenefitGreedy",
    "Exact",
    "Greedy",
    "GrowingOracle",
    "Look",
    "Oracle",
    "Prefix",
    "RandomList",
    "Search",
    "ThresholdSweep",
]
