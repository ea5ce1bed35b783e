"""What is learned: linear and kernel models, known weights, and none."""

from slatewise.models.base import Belief, Model, Posterior
from slatewise.models.gaussian import GaussianBelief
from slatewise.models.kernel import GreedyBasis, KernelModel, KernelScaleWarning, NormalizedKernel
from slatewise.models.known import KnownWeights, NoModel
from slatewise.models.linear import LinearModel, LinearPosterior

__all__ = [
    "Belief",
    "GaussianBelief",
    "GreedyBasis",
    "KernelModel",
    "KernelScaleWarning",
    "KnownWeights",
    "LinearModel",
    "LinearPosterior",
    "Model",
    "NoModel",
    "NormalizedKernel",
    "Posterior",
]
