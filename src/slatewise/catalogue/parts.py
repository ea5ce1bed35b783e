"""How columns become features: each part is a frozen value, fitted or not, that makes an objective."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, fields
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from slatewise.catalogue.columns import label_lists, numbers, texts, vectors
from slatewise.checks import frozen
from slatewise.errors import reject
from slatewise.features import digest
from slatewise.objectives import AnyObjective, ProbabilisticCoverage
from slatewise.typing import Floats

if TYPE_CHECKING:
    import narwhals as nw

MOST_TERMS = 4096
"""At most so many words are looked at in texts: the most frequent."""

NAMING_WORDS = 3
"""A topic of texts is called after so many of its words."""

TEMPERATURE = 0.1
"""How soft memberships are: e to the power of the cosine divided by this."""

RIDGE = 1e-9
"""What is added to the topics' products, as a share of their mean, so that topics may be alike."""


class Part(ABC):
    """Some features of a catalogue."""

    @abstractmethod
    def objective(self, frame: nw.DataFrame[Any]) -> AnyObjective:
        """Return the objective of a table's rows; the same features for any table."""

    @property
    def fingerprint(self) -> str:
        """A digest of what was fitted."""
        values = [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]  # every part is a dataclass
        return digest(
            b"".join(
                value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode() for value in values
            )
        )


@dataclass(frozen=True, eq=False)
class TopicColumns(Part):
    """Columns that say how much of a topic a row has, in [0, 1]: probabilistic coverage."""

    columns: tuple[str, ...]

    def objective(self, frame: nw.DataFrame[Any]) -> AnyObjective:
        """Return the objective of a table's rows."""
        amounts = [numbers(frame, column, "topics", maximum=1.0) for column in self.columns]
        return ProbabilisticCoverage(frozen(np.stack(amounts, axis=1)), names=self.columns)


@dataclass(frozen=True, eq=False)
class Tags(Part):
    """A column of tags, one or a list: an item covers each of its tags to the part `strength`.

    Tags outside the vocabulary count for nothing.
    """

    column: str
    separator: str | None
    strength: float
    vocabulary: tuple[Hashable, ...]

    @classmethod
    def fit(
        cls, frame: nw.DataFrame[Any], column: str, separator: str | None, strength: float, n_tags: int
    ) -> Tags:
        """Return the part whose vocabulary is a table's most frequent tags."""
        counts = Counter(tag for tags in label_lists(frame, column, "tags", separator) for tag in tags)
        if not counts:
            reject("tags", f"column {column!r} must hold at least one tag, but holds none")
        common = sorted(counts, key=lambda tag: (-counts[tag], str(tag)))[:n_tags]
        return cls(column, separator, strength, tuple(sorted(common, key=str)))

    def objective(self, frame: nw.DataFrame[Any]) -> AnyObjective:
        """Return the objective of a table's rows."""
        place = {tag: position for position, tag in enumerate(self.vocabulary)}
        rows = label_lists(frame, self.column, "tags", self.separator)
        covers = np.zeros((len(rows), len(place)))
        for row, tags in enumerate(rows):
            covers[row, [place[tag] for tag in tags if tag in place]] = self.strength
        coverage = ProbabilisticCoverage(frozen(covers), names=[str(tag) for tag in self.vocabulary])
        return fitted(coverage, f"strength {self.strength:g}")


@dataclass(frozen=True, eq=False)
class TextTopics(Part):
    """A column of texts: shares of the topics that a factorisation of TF-IDF found, times `strength`."""

    column: str
    strength: float
    stop_words: str | None
    vocabulary: tuple[str, ...]
    rarity: Floats
    topics: Floats

    @classmethod
    def fit(
        cls, frame: nw.DataFrame[Any], column: str, strength: float, stop_words: str | None, n_topics: int
    ) -> TextTopics:
        """Return the part whose topics are a table's."""
        learned = sklearn_for("text")
        documents = texts(frame, column, "text")
        vectorizer = learned.TfidfVectorizer(
            max_features=MOST_TERMS, min_df=2 if len(documents) > MOST_TERMS // 64 else 1, sublinear_tf=True,
            stop_words=stop_words,
        )  # fmt: skip
        try:
            weights = vectorizer.fit_transform(documents)
        except ValueError:
            reject("text", f"column {column!r} must hold words, but holds none that could be learned from")
        count = min(n_topics, *weights.shape)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", learned.ConvergenceWarning)
            model = learned.NMF(count, init="nndsvda", random_state=0, max_iter=400).fit(weights)
        vocabulary = tuple(str(word) for word in vectorizer.get_feature_names_out())
        return cls(
            column,
            strength,
            stop_words,
            vocabulary,
            frozen(np.array(vectorizer.idf_, dtype=np.float64)),
            frozen(np.array(model.components_, dtype=np.float64)),
        )

    def objective(self, frame: nw.DataFrame[Any]) -> AnyObjective:
        """Return the objective of a table's rows."""
        learned = sklearn_for("text")
        vectorizer = learned.TfidfVectorizer(
            vocabulary=list(self.vocabulary), sublinear_tf=True, stop_words=self.stop_words
        )
        vectorizer.idf_ = self.rarity
        weights = vectorizer.transform(texts(frame, self.column, "text"))
        found = nonnegative_shares(weights @ self.topics.T, self.topics)
        totals = found.sum(axis=1, keepdims=True)
        shares = np.divide(found, totals, out=np.zeros_like(found), where=totals > 0)
        amounts = frozen(self.strength * np.minimum(shares, 1.0))
        return fitted(ProbabilisticCoverage(amounts, names=self.names), self.fingerprint)

    @property
    def names(self) -> list[str]:
        """A name for each topic: its strongest words."""
        strongest = np.argsort(-self.topics, axis=1)[:, :NAMING_WORDS]
        named = ["/".join(self.vocabulary[word] for word in row) for row in strongest.tolist()]
        return [name if named.count(name) == 1 else f"{name} #{row}" for row, name in enumerate(named)]


@dataclass(frozen=True, eq=False)
class Clusters(Part):
    """A column of embeddings: soft memberships of fitted centroids, by cosine, times `strength`."""

    column: str
    strength: float
    centroids: Floats

    @classmethod
    def fit(cls, frame: nw.DataFrame[Any], column: str, strength: float, n_topics: int) -> Clusters:
        """Return the part whose centroids are a table's."""
        learned = sklearn_for("embedding")
        directions = unit(vectors(frame, column, "embedding"))
        distinct = len(np.unique(directions, axis=0))
        model = learned.KMeans(min(n_topics, distinct), n_init=4, random_state=0).fit(directions)
        return cls(column, strength, frozen(unit(np.array(model.cluster_centers_, dtype=np.float64))))

    def objective(self, frame: nw.DataFrame[Any]) -> AnyObjective:
        """Return the objective of a table's rows."""
        found = vectors(frame, self.column, "embedding")
        length = self.centroids.shape[1]
        if found.shape[1] != length:
            reject(
                "embedding", f"column {self.column!r} must hold {length} numbers, but holds {found.shape[1]}"
            )
        closeness = unit(found) @ self.centroids.T / TEMPERATURE
        weights = np.exp(closeness - closeness.max(axis=1, keepdims=True))
        shares = weights / weights.sum(axis=1, keepdims=True)
        names = [f"{self.column} {place}" for place in range(len(self.centroids))]
        amounts = frozen(self.strength * np.minimum(shares, 1.0))
        return fitted(ProbabilisticCoverage(amounts, names=names), self.fingerprint)


def nonnegative_shares(products: Floats, topics: Floats) -> Floats:
    """Return, for each text, the w ≥ 0 that makes ‖x - w H‖ least, from its products x Hᵀ, row by row.

    With H Hᵀ = L Lᵀ that is the least ‖Lᵀ w - L⁻¹ H x‖: a small problem, solved exactly, in which no text
    looks at another.
    """
    from scipy.linalg import solve_triangular
    from scipy.optimize import nnls

    gram = topics @ topics.T
    ridge = RIDGE * float(np.trace(gram)) / len(gram) * np.eye(len(gram))
    factor = np.linalg.cholesky(gram + ridge)
    targets: Floats = solve_triangular(factor, np.asarray(products).T, lower=True)
    found = [nnls(factor.T, targets[:, row])[0] for row in range(targets.shape[1])]
    return np.array(found, dtype=np.float64).reshape(-1, len(topics))


def unit(rows: Floats) -> Floats:
    """Return rows of length 1; those of length 0 as they are."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    scaled: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return scaled


def fitted(objective: AnyObjective, fingerprint: str) -> AnyObjective:
    """Return an objective whose feature space knows what it was fitted from."""
    objective.feature_space = objective.feature_space.with_fitted(fingerprint)
    return objective


def sklearn_for(argument: str) -> Any:  # noqa: ANN401 - a namespace of a package without types
    """Return what is used of scikit-learn, imported when a column needs it."""
    try:
        from sklearn.cluster import KMeans
        from sklearn.decomposition import NMF
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError:
        reject(argument, "needs scikit-learn: pip install 'slatewise[kernels]'")
    return SimpleNamespace(
        KMeans=KMeans,
        NMF=NMF,
        TfidfVectorizer=TfidfVectorizer,
        ConvergenceWarning=ConvergenceWarning,
    )
