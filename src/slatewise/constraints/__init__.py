"""Which slates are allowed: packings, other matroids and systems, in one intersection."""

from slatewise.constraints.base import AnyConstraint, Constraint
from slatewise.constraints.intersection import Intersection
from slatewise.constraints.matroids import GraphicMatroid, TransversalMatroid
from slatewise.constraints.packing import (
    Cardinality,
    Knapsack,
    LabelLimits,
    LaminarMatroid,
    PackingConstraint,
    PartitionMatroid,
    UnknownLabelWarning,
)
from slatewise.constraints.systems import Conflicts, KSystem
from slatewise.constraints.usage import Packing

__all__ = [
    "AnyConstraint",
    "Cardinality",
    "Conflicts",
    "Constraint",
    "GraphicMatroid",
    "Intersection",
    "KSystem",
    "Knapsack",
    "LabelLimits",
    "LaminarMatroid",
    "Packing",
    "PackingConstraint",
    "PartitionMatroid",
    "TransversalMatroid",
    "UnknownLabelWarning",
]
