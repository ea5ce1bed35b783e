"""The noun `Slate`: an ordered list of items with all that learning from it needs."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

from slatewise.features import FeatureSpace
from slatewise.typing import Floats


@dataclass(frozen=True, eq=False)
class Slate:
    """An ordered list, as it was when it was chosen: a value that can be learned from at any time.

    Parameters
    ----------
    items
        The items, in order.
    features
        (length, d): x(e_i | S^(1:i-1)) at selection.
    feature_space
        What the features mean.
    mean, std
        (length,): what was believed of each item's gain; NaN where nothing was.
    score
        The list's score by the index; NaN where there was none.
    threshold
        ρ, the smallest that made this list; ``None`` where no threshold did.
    context
        The context that it was chosen under.
    ids
        The items' ids, where the problem has ids.
    number
        What tells slates of one `Recommender` apart.
    n_candidates
        How many items there were to choose from.
    propensity
        (length,): the chance that each position was filled as it was, given those before; ``None``
        where it is not known or was certain.
    policy
        The fingerprint of the policy that chose it.

    Examples
    --------
    >>> import slatewise as sw
    >>> problem = sw.Problem(sw.Coverage([[1, 0], [1, 1], [0, 1]]), [sw.Cardinality(1)])
    >>> slate = sw.maximize(problem, [1.0, 2.0])
    >>> slate.items, slate.mean, slate.score
    ((1,), array([3.]), 3.0)
    """

    items: tuple[int, ...]
    features: Floats
    feature_space: FeatureSpace
    mean: Floats
    std: Floats
    score: float = math.nan
    threshold: float | None = None
    context: Floats | None = None
    ids: tuple[Hashable, ...] | None = None
    number: int | None = None
    n_candidates: int | None = None
    propensity: Floats | None = None
    policy: str | None = None

    def __repr__(self) -> str:
        shown = f"items={self.items}" if self.ids is None else f"ids={self.ids}"
        made = "" if self.threshold is None else f", threshold={self.threshold:.4g}"
        return f"Slate({shown}, score={self.score:.4g}{made})"

    @property
    def keys(self) -> tuple[Hashable, ...]:
        """What the items are called: ids where they have ids, else indices."""
        return self.items if self.ids is None else self.ids

    def __len__(self) -> int:
        return len(self.items)
