"""What a policy knows of one user."""

from __future__ import annotations

from dataclasses import dataclass

from slatewise.features import FeatureSpace
from slatewise.models import Posterior


@dataclass(frozen=True, eq=False)
class State:
    """A value: what is known of one user, and of which features.

    Parameters
    ----------
    feature_space
        What the features mean.
    posterior
        What is known of their weights.
    model
        The fingerprint of the model that learns: policies with the same one share states.
    """

    feature_space: FeatureSpace
    posterior: Posterior
    model: str
