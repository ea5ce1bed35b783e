"""Candidates with scores and embeddings, of several kinds, as a retriever or a ranker hands them over."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

Candidates = tuple[np.ndarray, np.ndarray]

DATA = Path(os.environ.get("SLATEWISE_DATA", Path(__file__).parents[2] / "shared" / "data"))
"""Where the real data lies; what is not there is left out."""

N, P = 500, 384


def clustered(rng: np.random.Generator) -> Candidates:
    """Twenty clusters; relevance goes with the cluster."""
    centres = rng.normal(size=(20, P))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    cluster = rng.integers(0, 20, N)
    embeddings = centres[cluster] + 0.7 / np.sqrt(P) * rng.normal(size=(N, P))
    return rng.normal(size=20)[cluster] + 0.5 * rng.normal(size=N), embeddings


def isotropic(rng: np.random.Generator) -> Candidates:
    """No structure at all, and scores that know nothing of the embeddings."""
    return rng.normal(size=N), rng.normal(size=(N, P))


def sentences(rng: np.random.Generator) -> Candidates:
    """Like a sentence encoder's: a common direction, a spectrum that decays; scored by a query."""
    spectrum = 1.0 / np.sqrt(1.0 + np.arange(P))
    embeddings = rng.normal(size=(N, P)) * spectrum
    embeddings[:, 0] += 2.0
    embeddings /= np.linalg.norm(embeddings, axis=1, keepdims=True)
    query = embeddings[rng.integers(N)] + 0.3 * rng.normal(size=P) * spectrum / np.linalg.norm(spectrum)
    return embeddings @ query / np.linalg.norm(query), embeddings


@cache
def titles() -> np.ndarray:
    """MIND's news titles as TF-IDF in 384 directions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    with gzip.open(DATA / "mind-small-subset" / "news.tsv.gz", "rt", encoding="utf-8") as lines:
        texts = [line.split("\t")[3] for line in lines]
    weighted = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(texts)
    return TruncatedSVD(P, random_state=0).fit_transform(weighted)


def news(rng: np.random.Generator) -> Candidates:
    """News by title, scored by their similarity to three that a reader has read, with some noise."""
    embeddings = titles()[rng.choice(len(titles()), N, replace=False)]
    taste = embeddings[rng.choice(N, 3, replace=False)].sum(axis=0)
    lengths = np.linalg.norm(embeddings, axis=1) + 1e-12
    return embeddings @ taste / lengths / np.linalg.norm(taste) + 0.05 * rng.normal(size=N), embeddings


@cache
def factors() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Thirty-two factors of MovieLens's users and films, and how often each film was rated."""
    ratings = np.loadtxt(DATA / "movielens-100k" / "u.data", dtype=np.int64)
    table = np.zeros((943, 1682))
    table[ratings[:, 0] - 1, ratings[:, 1] - 1] = ratings[:, 2] - 3.0
    users, strengths, films = np.linalg.svd(table, full_matrices=False)
    return users[:, :32] * strengths[:32], films[:32].T, np.bincount(ratings[:, 1] - 1, minlength=1682)


@cache
def genres() -> np.ndarray:
    """MovieLens's films by genre, 0 or 1."""
    with (DATA / "movielens-100k" / "u.item").open(encoding="latin-1") as lines:
        return np.array([[float(flag) for flag in line.split("|")[5:]] for line in lines])


def films(rng: np.random.Generator) -> Candidates:
    """Films by their factors, scored by the rating that a user is predicted to give."""
    users, items, counts = factors()
    chosen = rng.choice(np.argsort(-counts)[:1200], N, replace=False)
    return items[chosen] @ users[rng.integers(len(users))], items[chosen]


def films_by_genre(rng: np.random.Generator) -> Candidates:
    """Films embedded by their genres, scored likewise."""
    users, items, counts = factors()
    chosen = rng.choice(np.argsort(-counts)[:1200], N, replace=False)
    return items[chosen] @ users[rng.integers(len(users))], genres()[chosen]


def kinds() -> dict[str, Callable[[np.random.Generator], Candidates]]:
    """Return the kinds of candidates that can be had here."""
    found = {"clusters": clustered, "isotropic": isotropic, "sentence-like": sentences}
    if (DATA / "mind-small-subset").is_dir():
        found["news titles"] = news
    if (DATA / "movielens-100k").is_dir():
        found |= {"film factors": films, "film genres": films_by_genre}
    return found
