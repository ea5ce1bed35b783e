"""`sw.rerank` against pyversity's MMR and DPP: the front of relevance and similarity, and the time.

A method's front is what its lists of ten reach over the whole range of its diversity: mean relevance (in
standard deviations of the candidates' scores) against mean cosine within the list. Areas are those under
the front in the box that all methods' lists span. MMR is tried on the scores as they are and scaled to
[0, 1], DPP with its scale at 1 and at 5, each at half as many diversities as ours, so that all have as many
lists to show.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter

import numpy as np

import slatewise as sw
from benchmarks.candidates import Candidates, kinds
from benchmarks.tables import Row

CHOSEN, STEPS, DRAWS, REPEATS = 10, 41, 20, 200
LEVELS = np.linspace(0.0, 1.0, 21)
TIMED = (0.1, 0.3, 0.5, 0.7, 0.9)
MISSING = "no pyversity"

Rerank = Callable[[np.ndarray, np.ndarray, float], Sequence[int]]


def ours(scores: np.ndarray, embeddings: np.ndarray, diversity: float) -> Sequence[int]:
    """Return our list."""
    return sw.rerank(scores, embeddings, [sw.Cardinality(CHOSEN)], diversity).items


def mmr(scores: np.ndarray, embeddings: np.ndarray, diversity: float) -> Sequence[int]:
    """Return MMR's."""
    from pyversity import mmr as theirs

    return theirs(embeddings, scores, CHOSEN, diversity=diversity).indices


def scaled_mmr(scores: np.ndarray, embeddings: np.ndarray, diversity: float) -> Sequence[int]:
    """Return MMR's with scores scaled to [0, 1]."""
    return mmr((scores - scores.min()) / np.ptp(scores), embeddings, diversity)


def dpp(scores: np.ndarray, embeddings: np.ndarray, diversity: float, scale: float = 1.0) -> Sequence[int]:
    """Return the greedy MAP of a DPP."""
    from pyversity import dpp as theirs

    return theirs(embeddings, scores, CHOSEN, diversity=diversity, scale=scale).indices


def strong_dpp(scores: np.ndarray, embeddings: np.ndarray, diversity: float) -> Sequence[int]:
    """Return a DPP's with relevance counting more."""
    return dpp(scores, embeddings, diversity, scale=5.0)


def methods() -> dict[str, list[tuple[Rerank, int]]]:
    """Return each method's variants, and at how many diversities each is tried."""
    found: dict[str, list[tuple[Rerank, int]]] = {"rerank": [(ours, 2 * STEPS - 1)]}
    if find_spec("pyversity"):
        found |= {"MMR": [(mmr, STEPS), (scaled_mmr, STEPS)], "DPP": [(dpp, STEPS), (strong_dpp, STEPS)]}
    return found


def measure_rerank() -> list[Row]:
    """Return a row for each kind of candidates."""
    return [row(name, draw) for name, draw in kinds().items()]


def row(name: str, draw: Callable[[np.random.Generator], Candidates]) -> Row:
    """Return the areas, how far ours leads at its worst level of similarity, and the times."""
    fronts = [front(*draw(np.random.default_rng(seed))) for seed in range(DRAWS)]
    areas = {method: float(np.mean([one.area[method] for one in fronts])) for method in methods()}
    leads = np.array([one.lead for one in fronts if one.lead is not None])
    milliseconds = times(*draw(np.random.default_rng(DRAWS)))
    known = "MMR" in areas
    return {
        "candidates": name,
        "area": areas["rerank"],
        "area MMR": areas.get("MMR", MISSING),
        "area DPP": areas.get("DPP", MISSING),
        "lead": float(leads.mean()) if known else MISSING,
        "least lead": float(leads.mean(axis=0).min()) if known else MISSING,
        "ms": milliseconds["rerank"],
        "ms MMR": milliseconds.get("MMR", MISSING),
        "ms DPP": milliseconds.get("DPP", MISSING),
        "faster one / ours": milliseconds.get("ratio", MISSING),
        "on float64": milliseconds.get("float64", MISSING),
    }


@dataclass(frozen=True)
class Front:
    """What methods reach on some candidates.

    `points` are rows of (relevance, similarity), in the box that all methods' lists span; `lead` is by how
    much our relevance exceeds the better of the others' at each of `LEVELS` of similarity.
    """

    points: dict[str, np.ndarray]
    area: dict[str, float]
    lead: np.ndarray | None


def front(scores: np.ndarray, embeddings: np.ndarray) -> Front:
    """Return the fronts of all methods."""
    relevance = (scores - scores.mean()) / scores.std()
    lengths = np.linalg.norm(embeddings, axis=1, keepdims=True)
    unit = np.divide(embeddings, lengths, out=np.zeros_like(embeddings), where=lengths > 0)
    above = np.triu_indices(CHOSEN, 1)

    def point(items: Sequence[int]) -> tuple[float, float]:
        rows = unit[list(items)]
        return float(relevance[list(items)].mean()), float((rows @ rows.T)[above].mean())

    raw = {
        method: np.array(
            [
                point(choose(scores, embeddings, diversity))
                for choose, steps in variants
                for diversity in np.linspace(0.0, 1.0, steps).tolist()
            ]
        )
        for method, variants in methods().items()
    }
    low, high = (bound(np.concatenate(list(raw.values())), axis=0) for bound in (np.min, np.max))
    high[1] = raw["rerank"][0, 1]
    points = {method: (found - low) / (high - low) for method, found in raw.items()}
    reached = {method: at_levels(found, LEVELS) for method, found in points.items()}
    others = [levels for method, levels in reached.items() if method != "rerank"]
    return Front(
        points,
        {method: area(found) for method, found in points.items()},
        reached["rerank"] - np.max(others, axis=0) if others else None,
    )


def at_levels(points: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return the best relevance of a list that is at most so similar, 0 where there is none."""
    within = points[:, 1] <= levels[:, np.newaxis] + 1e-9
    return np.where(within, points[:, 0], 0.0).max(axis=1)


def area(points: np.ndarray) -> float:
    """Return the area that points dominate within the unit box."""
    inside = points[points[:, 1] <= 1.0 + 1e-9]
    order = np.argsort(inside[:, 1])
    best = np.maximum.accumulate(inside[order, 0])
    widths = np.diff(np.append(inside[order, 1], 1.0))
    return float(best @ np.maximum(widths, 0.0))


def times(scores: np.ndarray, embeddings: np.ndarray) -> dict[str, float]:
    """Return milliseconds a call, in turns, the worst over five diversities, on float32 embeddings.

    `ratio` is how many times as long the faster of the others takes, at the diversity that is worst for us;
    `float64` is the same on float64 embeddings, which the others turn into float32 first.
    """
    single = {diversity: in_turns(scores, embeddings.astype(np.float32), diversity) for diversity in TIMED}
    double = [in_turns(scores, embeddings, diversity) for diversity in TIMED]
    worst = dict(max(single.values(), key=lambda found: found["rerank"]))
    if "MMR" in worst:
        worst["ratio"] = min(min(found["MMR"], found["DPP"]) / found["rerank"] for found in single.values())
        worst["float64"] = min(min(found["MMR"], found["DPP"]) / found["rerank"] for found in double)
    return worst


def in_turns(scores: np.ndarray, embeddings: np.ndarray, diversity: float) -> dict[str, float]:
    """Return the median milliseconds of each method, measured in turns."""
    spent: dict[str, list[float]] = {method: [] for method in methods()}
    for repeat in range(REPEATS + 5):
        for method, variants in methods().items():
            choose = variants[0][0]
            start = perf_counter()
            choose(scores, embeddings, diversity)
            if repeat >= 5:  # noqa: PLR2004 - the first ones warm up
                spent[method].append(1e3 * (perf_counter() - start))
    return {method: statistics.median(found) for method, found in spent.items()}
