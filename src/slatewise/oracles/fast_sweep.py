"""When the threshold sweep can take its compiled path, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from slatewise.checks import frozen
from slatewise.indices import Score
from slatewise.models.gaussian import GaussianBelief
from slatewise.objectives.separable import Separable, SeparableState
from slatewise.oracles.search import Candidate, Search
from slatewise.typing import Floats, Ints

WORTH_COMPILING = 200
"""With fewer candidates than this the plain path is quick enough not to load a compiler for."""

ROUNDING = 1e-12
"""What the weights of a bound are raised by, as a share of themselves."""


def suits(search: Search) -> bool:
    """Return whether there is a compiled path for the problem and the scores."""
    objective, limits = search.problem.objective, search.problem.limits
    if not (isinstance(objective, Separable) and isinstance(objective.matrix, np.ndarray)):
        return False
    if limits.others or not isinstance(search.score.belief, GaussianBelief):
        return False
    from slatewise.compiled.rules import code_of

    return code_of(objective.rule) is not None


def compiled_prefixes(search: Search, grid: Floats) -> Iterator[tuple[Candidate, int]]:
    """Yield what `shared_prefixes` yields, the lists finished: by the compiled path."""
    from slatewise.compiled.rules import code_of
    from slatewise.compiled.sweep import Catalogue, Gaussian, sweep

    objective, packing, root = search.problem.objective, search.problem.limits.packing, search.root
    assert isinstance(objective, Separable)  # noqa: S101 - `suits` has looked
    assert isinstance(objective.matrix, np.ndarray)  # noqa: S101 - the same
    code = code_of(objective.rule)
    assert code is not None  # noqa: S101 - the same
    catalogue = Catalogue(
        objective.matrix,
        code,
        packing.starts,
        packing.resources,
        packing.amounts,
        packing.limits,
        search.problem.costs,
    )
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
        yield (
            replace(
                root.listed,
                items=root.listed.items + tuple(tree.item[path].tolist()),
                mean=root.listed.mean + tuple(tree.mean[path].tolist()),
                std=root.listed.std + tuple(tree.std[path].tolist()),
            ),
            first,
        )


def gaussian(score: Score) -> tuple[Floats, Floats, Ints, float, Floats, Floats]:
    """Return the belief's arrays, β, and the weights that bound a score from above.

    Rows of the factor are as wide as their last number that is not 0: adding zeros changes nothing.
    """
    belief = score.belief
    assert isinstance(belief, GaussianBelief)  # noqa: S101 - `suits` has looked
    factor = frozen(np.ascontiguousarray(belief.factor))
    columns = np.arange(1, factor.shape[1] + 1)
    widths = np.where(factor != 0, columns, 0).max(axis=1, initial=0).astype(np.int64)
    rounding = belief.rounding(np.eye(len(factor)), score.beta, belief.mean)
    hope = np.maximum(belief.mean, 0.0) * (1.0 + ROUNDING) + rounding
    doubt = np.maximum(factor @ factor.T, 0.0).sum(axis=1) * (1.0 + ROUNDING)
    return frozen(belief.mean), factor, widths, float(score.beta), hope, doubt
