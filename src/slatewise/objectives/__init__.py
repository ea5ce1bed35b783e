"""What a slate is worth: d known monotone submodular functions on n items."""

from slatewise.objectives.base import AnyObjective, Objective
from slatewise.objectives.coverage import (
    ClippedCoverage,
    Coverage,
    FacilityLocation,
    NgramCoverage,
    ProbabilisticCoverage,
)
from slatewise.objectives.embeddings import EmbeddingVolume
from slatewise.objectives.information import Entropy, LogDeterminant, MutualInformation
from slatewise.objectives.modular import ConcaveOverModular, Modular
from slatewise.objectives.separable import Rule, Separable
from slatewise.objectives.stack import Stack

__all__ = [
    "AnyObjective",
    "ClippedCoverage",
    "ConcaveOverModular",
    "Coverage",
    "EmbeddingVolume",
    "Entropy",
    "FacilityLocation",
    "LogDeterminant",
    "Modular",
    "MutualInformation",
    "NgramCoverage",
    "Objective",
    "ProbabilisticCoverage",
    "Rule",
    "Separable",
    "Stack",
]
