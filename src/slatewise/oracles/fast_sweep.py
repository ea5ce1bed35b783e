"""When the threshold sweep can take its compiled path, and how."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from slatewise.checks import frozen
from slatewise.indices import Score
from slatewise.models.gaussian import GaussianBelief
from slatewise.objectives.separable import Separable, SeparableState
from slatewise.oracles.search import Candidate, Search
from slatewise.typing import Floats, Ints

if TYPE_CHECKING:
    from slatewise.compiled.sweep import Catalogue

WORTH_COMPILING = 200
"""With fewer candidates than this the plain path is quick enough not to load a compiler for."""

ROUNDING = 1e-12
"""What the weights of a bound are raised by, as a share of themselves."""


def compiled_catalogue(search: Search) -> Catalogue | None:
    """Return the problem as arrays; ``None`` where it, or the scores, have no compiled path."""
    objective, limits = search.problem.objective, search.problem.limits
    if not (isinstance(objective, Separable) and isinstance(objective.matrix, np.ndarray)):
        return None
    if limits.others or not isinstance(search.score.belief, GaussianBelief):
        return None
    from slatewise.compiled.rules import code_of
    from slatewise.compiled.sweep import Catalogue

    code = code_of(objective.rule)
    if code is None:
        return None
    packing = limits.packing
    return Catalogue(
        objective.matrix,
        code,
        packing.starts,
        packing.resources,
        packing.amounts,
        packing.limits,
        search.problem.costs,
    )


def compiled_prefixes(search: Search, grid: Floats, catalogue: Catalogue) -> Iterator[tuple[Candidate, int]]:
    """Yield what `shared_prefixes` yields, by the compiled path."""
    from slatewise.compiled.sweep import Gaussian, sweep

    root = search.root
    state: SeparableState = root.objective
    score = Gaussian(*gaussian(search.score))
    tree = sweep(catalogue, score, grid, search.candidates(root), state.levels, root.limits.used)
    for end, first in zip(tree.ends.tolist(), tree.first.tolist(), strict=True):
        path = []
        node = end
        while node:
            path.append(node)
            node = int(tree.parent[node])
        path.reverse()
        grown = Candidate(
            root.listed.items + tuple(tree.item[path].tolist()),
            root.listed.mean + tuple(tree.mean[path].tolist()),
            root.listed.std + tuple(tree.std[path].tolist()),
        )
        yield grown, first


def gaussian(score: Score) -> tuple[Floats, Floats, Ints, float, Floats, Floats]:
    """Return the belief's arrays, β, and the weights that bound a score from above.

    Rows of the factor are as wide as their last number that is not 0: adding zeros changes nothing.
    """
    belief = cast("GaussianBelief", score.belief)
    factor = frozen(np.ascontiguousarray(belief.factor))
    columns = np.arange(1, factor.shape[1] + 1)
    widths = np.where(factor != 0, columns, 0).max(axis=1, initial=0).astype(np.int64)
    rounding = belief.rounding(np.eye(len(factor)), score.beta, belief.mean)
    hope = np.maximum(belief.mean, 0.0) * (1.0 + ROUNDING) + rounding
    doubt = np.maximum(factor @ factor.T, 0.0).sum(axis=1) * (1.0 + ROUNDING)
    return frozen(belief.mean), factor, widths, float(score.beta), hope, doubt
