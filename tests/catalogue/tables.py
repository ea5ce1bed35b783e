"""A table with a column of every kind, as polars and as pandas have it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl

SECTIONS = ["world", "local", "world", "sport", "sport", "world", "local", "sport"]
TAGS = [["moon", "rockets"], ["moon"], [], None, ["tea"], ["tea", "moon"], ["rockets"], ["cups", "tea"]]
TITLES = [
    "rocket reaches the moon",
    "moon rocks on show",
    "tea prices rise again",
    None,
    "why tea tastes better in thin cups",
    "astronauts drink tea on the moon",
    "rocket engine test fails",
    "cups and saucers",
]
COLUMNS = {
    "url": [f"/{letter}" for letter in "abcdefgh"],
    "number": [8, 7, 6, 5, 4, 3, 2, 1],
    "politics": [0.9, 0.1, 0.0, 0.3, 0.5, 0.0, 1.0, 0.25],
    "science": [0.0, 0.8, 0.7, 0.3, 0.0, 1.0, 0.5, 0.25],
    "minutes": [4.0, 7.0, 3.0, 5.0, 0.0, 2.0, 9.0, 4.0],
    "words": [400, 700, 300, 500, 0, 200, 900, 400],
    "section": SECTIONS,
    "tags": TAGS,
    "keywords": [None if tags is None else " | ".join(tags) for tags in TAGS],
    "title": TITLES,
    "vector": np.round(np.random.default_rng(0).normal(size=(8, 3)), 3).tolist(),
    "score": [0.5, 0.0, 1.5, 0.25, 2.0, 0.75, 0.1, 3.0],
}
FRAMES = {"polars": pl.DataFrame, "pandas": pd.DataFrame}
KINDS: dict[str, dict[str, Any]] = {
    "topics": {"topics": ["politics", "science"]},
    "tags": {"tags": "tags"},
    "tags in a cell": {"tags": "keywords", "separator": "|"},
    "one tag a row": {"tags": "section"},
    "numbers as tags": {"tags": "number", "n_tags": 5},
    "text": {"text": "title", "n_topics": 3},
    "embedding": {"embedding": "vector", "n_topics": 3},
    "a mixture": {
        "topics": ["science"],
        "tags": "tags",
        "text": "title",
        "embedding": "vector",
        "n_topics": 2,
    },
}


def polars(**changes: Any) -> pl.DataFrame:
    """The table, some columns being others."""
    return pl.DataFrame(COLUMNS | changes)


def pandas(**changes: Any) -> pd.DataFrame:
    """The same for pandas."""
    return pd.DataFrame(COLUMNS | changes)


def amounts(catalogue: Any) -> np.ndarray:
    """What each item covers by itself, (n, d)."""
    problem = catalogue.problem()
    return np.array([problem.features([item])[0] for item in range(catalogue.n_items)])
