"""The contracts of the nouns as functions: run your own implementation through them.

Each raises an `AssertionError` that names the law, the list and the item which break it, and returns
nothing where all laws hold. They need NumPy alone, so that any test runner can call them.
"""

from slatewise.testing.constraints import check_constraint, true_k
from slatewise.testing.models import check_model
from slatewise.testing.objectives import check_objective
from slatewise.testing.oracles import check_oracle
from slatewise.testing.policies import check_policy

__all__ = [
    "check_constraint",
    "check_model",
    "check_objective",
    "check_oracle",
    "check_policy",
    "true_k",
]
