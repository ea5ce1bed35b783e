"""The noun `Catalogue`: a table of items, with the features that tomorrow's table will have too."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from slatewise.catalogue.columns import as_frame, identities, label_lists, numbers, read_table
from slatewise.catalogue.parts import Clusters, Part, Tags, TextTopics, TopicColumns
from slatewise.checks import listed, real_number, whole_number
from slatewise.constraints import AnyConstraint, Cardinality, Knapsack, LabelLimits, PartitionMatroid
from slatewise.constraints.packing import Limits
from slatewise.errors import reject
from slatewise.features import FeatureSpace
from slatewise.objectives import AnyObjective, Stack
from slatewise.problem import Problem
from slatewise.typing import Floats

ITEMS = "items"
"""The name of a catalogue's cardinality limit."""


class Catalogue:
    """A table of items: their ids, their features, and the columns that limits are made of.

    Parameters
    ----------
    frame
        A polars or pandas frame, a row an item.
    id
        The column of ids: no null, none twice.
    topics
        Columns that say how much of a topic an item has, in [0, 1].
    tags
        A column of tags: one a row, or a list of them.
    text
        A column of texts, from which topics are learned (needs scikit-learn).
    embedding
        A column of vectors, from which clusters are learned (needs scikit-learn).
    n_topics
        How many topics of a text and clusters of an embedding there are at most.
    n_tags
        How many different tags count at most: the most frequent.
    strength
        How far one item covers a tag that it has, or a topic or cluster that it is wholly of; greater
        than 0 and at most 1. At 1 a second item of the same kind adds nothing, at 0.5 half as much.
        Topic columns say it themselves.
    stop_words
        Words that texts are learned without: scikit-learn's ``"english"`` ones, or ``None``.
    separator
        What stands between several tags or labels in one cell of text, such as ``"|"``; ``None`` where
        a cell of text is one.

    Notes
    -----
    What is learned from this table (the vocabulary, the topics, the clusters) is part of the feature
    space: `with_items` gives other items the same features, in the same process; `save` and `load`
    carry them to another.

    Examples
    --------
    >>> import polars as pl
    >>> import slatewise as sw
    >>> frame = pl.DataFrame(
    ...     {
    ...         "url": ["a", "b", "c"],
    ...         "politics": [0.9, 0.1, 0.0],
    ...         "science": [0.0, 0.8, 0.7],
    ...         "minutes": [4.0, 7.0, 3.0],
    ...         "section": ["home", "lab", "lab"],
    ...     }
    ... )
    >>> catalogue = sw.Catalogue(frame, id="url", topics=["politics", "science"])
    >>> limits = [
    ...     catalogue.cardinality(2),
    ...     catalogue.knapsack("minutes", 8),
    ...     catalogue.label_limits("section", 1),
    ... ]
    >>> agent = sw.Recommender(catalogue.problem(limits), sw.afsm_ucb())
    >>> agent.select(user="ada", limits={"minutes": 12}).ids
    ('a', 'b')
    """

    def __init__(  # noqa: PLR0913 - each kind of column
        self,
        frame: object,
        *,
        id: str,  # noqa: A002 - the promised name
        topics: Sequence[str] | None = None,
        tags: str | None = None,
        text: str | None = None,
        embedding: str | None = None,
        n_topics: int = 32,
        n_tags: int = 256,
        strength: float = 0.5,
        stop_words: str | None = "english",
        separator: str | None = None,
    ) -> None:
        table = as_frame(frame)
        most = whole_number(n_topics, "n_topics", minimum=1)
        if separator == "":
            reject("separator", "must not be empty; give none where a cell is one tag or label")
        if stop_words not in {None, "english"}:
            reject("stop_words", f"must be 'english' or None, but is {stop_words!r}")
        covered = real_number(strength, "strength", above=0.0)
        if covered > 1:
            reject("strength", f"must be at most 1, but is {covered}")
        parts: list[Part] = []
        if topics is not None:
            parts.append(TopicColumns(checked_columns(topics)))
        if tags is not None:
            parts.append(Tags.fit(table, tags, separator, covered, whole_number(n_tags, "n_tags", minimum=1)))
        if text is not None:
            parts.append(TextTopics.fit(table, text, covered, stop_words, most))
        if embedding is not None:
            parts.append(Clusters.fit(table, embedding, covered, most))
        if not parts:
            reject("topics", "must be given, or tags, text or embedding, because items need features")
        self._fill(table, id, tuple(parts), separator)

    def _fill(self, table: Any, id: str, parts: tuple[Part, ...], separator: str | None) -> None:  # noqa: A002, ANN401 - see above; narwhals' frame
        self._table = table
        self._id = id
        self._parts = parts
        self._separator = separator
        self.ids = identities(table, id)
        objectives = [part.objective(table) for part in parts]
        self.objective: AnyObjective = objectives[0] if len(objectives) == 1 else Stack(objectives)

    @classmethod
    def read(cls, path: str | os.PathLike[str], **columns: Any) -> Catalogue:  # noqa: ANN401 - the constructor's own
        """Return the catalogue of a Parquet, CSV or JSON-lines file.

        Parameters
        ----------
        path
            The file; its ending says what it is (``.parquet``, ``.csv``, ``.jsonl``).
        **columns
            What the constructor takes.
        """
        return cls(read_table(path), **columns)

    def __repr__(self) -> str:
        return f"Catalogue({self.n_items} items, {self.feature_space.n_features} features)"

    @property
    def frame(self) -> Any:  # noqa: ANN401 - the caller's own kind
        """The table, as it was given."""
        return self._table.to_native()

    @property
    def n_items(self) -> int:
        """n, the number of items."""
        return len(self.ids)

    @property
    def feature_space(self) -> FeatureSpace:
        """What the features mean, an upstream ranker's relevance not counted."""
        return self.objective.feature_space

    def with_items(self, frame: object) -> Catalogue:
        """Return the catalogue of other items, with the same features, and nothing fitted anew."""
        return self._with(self._id, self._parts, self._separator, frame)

    @classmethod
    def _with(cls, id: str, parts: tuple[Part, ...], separator: str | None, frame: object) -> Catalogue:  # noqa: A002 - see above
        catalogue = cls.__new__(cls)
        catalogue._fill(as_frame(frame), id, parts, separator)  # noqa: SLF001 - its own
        return catalogue

    def cardinality(self, m: int) -> Cardinality:
        """Return the limit of m items; its name is ``items``."""
        return Cardinality(m, name=ITEMS)

    def knapsack(self, column: str, budget: float) -> Knapsack:
        """Return the budget of a column of costs; its name is the column's."""
        return Knapsack(numbers(self._table, column, "column"), budget, name=column)

    def label_limits(self, column: str, limits: Limits) -> LabelLimits | PartitionMatroid:
        """Return the limit of so many items a label; its name is the column's.

        Parameters
        ----------
        column
            One label a row, or a list of them; a null carries none.
        limits
            One number for all labels, or a mapping from labels, the others being free.
        """
        rows = label_lists(self._table, column, "column", self._separator)
        names = tuple(sorted({label for labels in rows for label in labels}, key=str))
        place = {label: position for position, label in enumerate(names)}
        if all(len(labels) == 1 for labels in rows):
            codes = np.array([place[labels[0]] for labels in rows], dtype=np.int64)
            return PartitionMatroid(codes, limits, name=column, label_names=names)
        members = np.zeros((len(rows), len(names)), dtype=np.bool_)
        for row, labels in enumerate(rows):
            members[row, [place[label] for label in labels]] = True
        return LabelLimits(members, limits, name=column, label_names=names)

    def problem(
        self,
        constraints: Sequence[AnyConstraint] = (),
        relevance: npt.ArrayLike | str | None = None,
        k: int | None = None,
    ) -> Problem:
        """Return the problem of all items under limits.

        Parameters
        ----------
        constraints
            Which lists are allowed.
        relevance
            An upstream ranker's score of each item, or the column of it, not negative: one more feature,
            whose weight is learned. Every problem that shares what is learned has it, or none.
        k
            As for `Problem`.
        """
        scores: npt.ArrayLike | Floats | None = relevance
        if isinstance(relevance, str):
            scores = numbers(self._table, relevance, "relevance")
        return Problem(self.objective, constraints, k, ids=self.ids, relevance=scores)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what the features are and what was fitted to make them; none of the items."""
        from slatewise.catalogue.keeping import write

        write(path, self._id, self._separator, self._parts)

    @classmethod
    def load(cls, path: str | os.PathLike[str], frame: object) -> Catalogue:
        """Return the catalogue of a table with the features that were saved."""
        from slatewise.catalogue.keeping import read

        return cls._with(*read(path), frame)


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """Return names of columns, at least one."""
    names = listed(columns, "topics")
    if not names:
        reject("topics", "must name at least one column, but is empty")
    return names
