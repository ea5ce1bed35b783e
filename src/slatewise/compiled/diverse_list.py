"""A greedy list for weighted relevance and the volume of embeddings.

`Greedy` on ``Stack([Modular, EmbeddingVolume])`` is the specification. Three things are different here:

* gains only fall as the list grows, so an item's score at an earlier pick bounds its present one, and an
  item is brought up to date only where that bound says that it could still win;
* with φ_e = (1, x_e/‖x_e‖)/√2, an item's entries of the Cholesky factor of I + K_S are φ_e·u_j, for one
  vector u_j = (φ_i - Σ_q (φ_i·u_q) u_q)/sqrt(left_i) a member i of the list: one product an entry, and
  no factor is kept;
* sums are added up in whatever order is fastest; where rounding could reorder items, the loop stops and
  hands them all out, for the plain objective to decide.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from slatewise.compiled.caching import kept
from slatewise.typing import Array, Bools, Floats, Ints

EPSILON = float(np.finfo(np.float64).eps)
SAFETY = 64.0
"""How many times larger than a plain estimate the error of a score is taken to be."""


class Growth(NamedTuple):
    """A list under way, and what is known of each item.

    After `known[e]` members of the list, item e has `left[e]` of its variance, 2 at first; `bound[e]`
    bounds its score there, and thereby its later ones. Member j is the item `listed[j]`, and its vector u_j
    is ``(constants[j], vectors[j])``, without the √2.
    """

    embeddings: Array
    inverse_lengths: Floats
    relevance: Floats
    weight: float
    listed: Ints
    constants: Floats
    vectors: Floats
    left: Floats
    bound: Floats
    known: Ints


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def product(rows: Array, e: int, others: Array, j: int) -> float:
    """Return x·y of two rows, in double precision."""
    total = 0.0
    for k in range(rows.shape[1]):
        total += np.float64(rows[e, k]) * np.float64(others[j, k])
    return total


@kept
def squares(embeddings: Array) -> Floats:
    """Return ‖x‖² of each row."""
    found = np.empty(len(embeddings))
    for e in range(len(embeddings)):
        found[e] = product(embeddings, e, embeddings, e)
    return found


@kept
def grow(growth: Growth, length: int, end: int, allowed: Bools, close: Ints) -> tuple[int, int]:
    """Let the list grow to `end` items as long as it is certain which is the best; return how long it is.

    The second number is how many items `close` then holds, among which the next one is; 0 where it need not
    be decided, or nothing is allowed.
    """
    while length < end:
        found = pick(growth, length, allowed, close)
        if found != 1:
            return length, found
        append(growth, length, close[0])
        allowed[close[0]] = False
        length += 1
    return length, 0


@kept
def pick(growth: Growth, length: int, allowed: Bools, close: Ints) -> int:
    """Write the allowed items that may score best into `close`, ascending, and return how many they are.

    One alone is the best for certain, the first of equal ones; none are allowed where it returns 0.
    """
    start = promising(growth, length, allowed)
    if start < 0:
        return 0
    error = 0.0
    if length and growth.weight > 0.0:
        terms = (growth.embeddings.shape[1] + 16.0) * (length + 1.0)
        error = SAFETY * EPSILON * (terms * growth.weight + growth.relevance.max())
    best = refresh(growth, length, allowed, start, start + 1, -math.inf, error)
    best = refresh(growth, length, allowed, 0, len(allowed), best, error)
    found = 0
    for e in range(len(allowed)):
        if allowed[e] and growth.bound[e] >= best - error:
            close[found] = e
            found += 1
            if error == 0.0:
                break
    return found


@kept
def promising(growth: Growth, length: int, allowed: Bools) -> int:
    """Return an allowed item that will score well: of those looked at lately the best; -1 for none."""
    known, bound = growth.known, growth.bound
    start, highest, latest = -1, -math.inf, -1
    for e in range(len(allowed)):
        if allowed[e]:
            late = min(known[e], max(length - 1, 0))
            if late > latest or (late == latest and bound[e] > highest):
                start, highest, latest = e, bound[e], late
    return start


@kept
def refresh(  # noqa: PLR0913 - a compiled loop takes arrays
    growth: Growth, length: int, allowed: Bools, first: int, end: int, best: float, error: float
) -> float:
    """Bring items ``first .. end - 1`` up to date as far as they may be best; return the best score.

    The logarithm is concave, so that its tangent bounds it: an item that falls short needs none.
    """
    embeddings, inverse, vectors, constants, relevance, weight, left, bounds, known = (
        growth.embeddings,
        growth.inverse_lengths,
        growth.vectors,
        growth.constants,
        growth.relevance,
        growth.weight,
        growth.left,
        growth.bound,
        growth.known,
    )
    slope = weight / math.log(2.0)
    for e in range(first, end):
        if not allowed[e] or bounds[e] < best - error:
            continue
        bound, variance, j = bounds[e], left[e], known[e]
        while j < length and bound >= best - error:
            entry = 0.5 * (constants[j] + inverse[e] * product(embeddings, e, vectors, j))
            bound -= slope * entry * entry / variance
            variance = max(variance - entry * entry, 1.0)
            j += 1
        if j > known[e] and bound >= best - error:
            bound = relevance[e] + weight * math.log2(variance)
        best = max(bound, best)
        left[e], bounds[e], known[e] = variance, bound, j
    return best


@kept
def append(growth: Growth, length: int, item: int) -> None:
    """Put an item that is up to date at the end of the list: its vector u_j."""
    embeddings, inverse, vectors, constants = (
        growth.embeddings,
        growth.inverse_lengths,
        growth.vectors,
        growth.constants,
    )
    p = embeddings.shape[1]
    constant = 1.0
    growth.listed[length] = item
    for k in range(p):
        vectors[length, k] = inverse[item] * np.float64(embeddings[item, k])
    for q in range(length):
        entry = 0.5 * (constants[q] + inverse[item] * product(embeddings, item, vectors, q))
        constant -= entry * constants[q]
        for k in range(p):
            vectors[length, k] -= entry * vectors[q, k]
    root = math.sqrt(growth.left[item])
    constants[length] = constant / root
    for k in range(p):
        vectors[length, k] /= root
