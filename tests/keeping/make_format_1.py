"""Wrote ``recommender-format-1.bin`` and ``catalogue-format-1.bin``, once, when format 1 was the newest.

Later formats get a script and files of their own; these stay as they are. What is in them is in
`test_versions.py`. Run it in this folder only to see how they came about::

    python make_format_1.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

import slatewise as sw


def policy() -> sw.Policy:
    """One that has been the same from the beginning: few settings, none of them likely to be joined."""
    return sw.Policy(
        model=sw.LinearModel(regularization=1.0, n_context=2),
        index=sw.UpperConfidence(sw.ConstantWidth(0.5)),
        oracle=sw.Greedy(),
    )


def problem() -> sw.Problem:
    """Four items whose numbers are binary fractions."""
    amounts = [[0.5, 0.0], [0.25, 0.5], [0.0, 1.0], [0.75, 0.25]]
    topics = sw.ProbabilisticCoverage(amounts, names=["politics", "science"])
    return sw.Problem(topics, [sw.Cardinality(2, name="items")], ids=["a", "b", "ç", 4])


def frame() -> pl.DataFrame:
    """Rows with every kind of column."""
    return pl.DataFrame(
        {
            "url": ["/a", "/b", "/c"],
            "politics": [0.5, 0.0, 1.0],
            "tags": ["moon|rockets", "rockets", None],
            "title": ["moon landing", "landing rockets", "rockets moon"],
            "vector": [[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]],
        }
    )


def agent() -> sw.Recommender:
    """Users of each kind, slates of each kind: expired, learned from, in part, and open."""
    made = sw.Recommender(problem(), policy(), seed=2**65 + 1)
    context = np.array([1.0, 0.5])
    made.select("expired", context)
    made.expire(before=1)
    first = made.select("ada", context, pinned=["ç", "a"])
    made.update(first, {"ç": 1.0, "a": 0.0})
    second = made.select("ada", -context, pinned=["b", 4])
    made.update(second, [0.5, np.nan])
    made.select(7, context, exclude=["a"], pinned=["ç"])
    made.select(None, context, limits={"items": 0})
    return made


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    agent().save(folder / "recommender-format-1.bin")
    catalogue = sw.Catalogue(
        frame(),
        id="url",
        topics=["politics"],
        tags="tags",
        text="title",
        embedding="vector",
        n_topics=2,
        separator="|",
    )
    catalogue.save(folder / "catalogue-format-1.bin")
