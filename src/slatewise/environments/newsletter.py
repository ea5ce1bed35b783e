"""An invented newspaper: articles with topics, minutes, sections and publishers, and its readers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from slatewise.checks import frozen, whole_number
from slatewise.constraints import Cardinality, Knapsack, PartitionMatroid
from slatewise.environments.simulated import SimulatedUser
from slatewise.objectives import ProbabilisticCoverage
from slatewise.problem import Problem
from slatewise.typing import Floats, Ints

SUBJECTS: dict[str, tuple[str, ...]] = {
    "politics": ("the coalition talks", "voting at sixteen", "the housing bill", "small-town mayors"),
    "economy": ("interest rates", "the four-day week", "corner shops", "the price of rent"),
    "climate": ("heat pumps", "the thaw", "street trees", "night trains"),
    "science": ("the new telescope", "sleep", "gut bacteria", "dark matter"),
    "health": ("long walks", "loneliness", "waiting lists", "cold water"),
    "food": ("sourdough", "school dinners", "the last fish market", "bitter vegetables"),
    "technology": ("chatbots", "passwords", "old laptops", "the village fibre line"),
    "games": ("chess streams", "pinball", "open worlds", "board-game cafés"),
    "football": ("the transfer window", "the away end", "the women's league", "penalties"),
    "cycling": ("the spring classics", "cargo bikes", "the last climb", "gravel roads"),
    "cinema": ("silent films", "the director's cut", "midnight screenings", "subtitles"),
    "music": ("brass bands", "vinyl", "the summer festivals", "lullabies"),
}
"""What articles of each topic are about."""

SECTIONS: dict[str, tuple[str, str]] = {
    "News": ("politics", "economy"),
    "Planet": ("climate", "science"),
    "Living": ("health", "food"),
    "Screens": ("technology", "games"),
    "Sport": ("football", "cycling"),
    "Culture": ("cinema", "music"),
}
"""The topics of each section."""

PUBLISHERS = (
    "Harbour Post",
    "Northern Ledger",
    "The Lamplighter",
    "Field Notes",
    "Evening Tram",
    "The Weathervane",
    "Quarto",
    "Seven Bridges",
    "The Almanac",
    "Market Hall",
    "Open Window",
    "The Signal Box",
)
"""Who publishes."""

TITLES = (
    "{0} and {1}",
    "{0}, explained by {1}",
    "Beyond {0}: {1}",
    "Notes on {0} and {1}",
    "{0} in the age of {1}",
    "From {0} to {1}",
    "{0}, a word on {1}",
    "The case for {0} and {1}",
)
"""How a title is made of two subjects."""


@dataclass(frozen=True, eq=False)
class Newsletter:
    """Articles and limits: at most ten, thirty minutes, three of a section, two of a publisher.

    Every article covers a main topic, to a lesser degree a second one, and others hardly at all. Long
    articles cover more, though not in proportion to their minutes.

    Parameters
    ----------
    levels
        (n, 12): how much of each topic an article covers.
    minutes
        (n,): how long it takes to read.
    section, publisher
        (n,): indices into `SECTIONS` and `PUBLISHERS`.
    titles
        A title for each.

    Examples
    --------
    >>> import slatewise as sw
    >>> from slatewise.environments import Newsletter
    >>> newsletter = Newsletter.invent(n_articles=400, rng=sw.stream(0, "newsletter", 0))
    >>> newsletter.problem.n_items, newsletter.problem.k, newsletter.problem.n_knapsacks
    (400, 2, 1)
    """

    levels: Floats
    minutes: Floats
    section: Ints
    publisher: Ints
    titles: tuple[str, ...]

    LENGTH = 10
    MINUTES = 30
    PER_SECTION = 3
    PER_PUBLISHER = 2

    @classmethod
    def invent(cls, *, n_articles: int = 400, rng: np.random.Generator) -> Newsletter:
        """Return so many invented articles."""
        count = whole_number(n_articles, "n_articles", minimum=1)
        topics = list(SUBJECTS)
        n_topics = len(topics)
        main = rng.integers(n_topics, size=count)
        second = (main + rng.integers(1, n_topics, size=count)) % n_topics
        minutes = np.clip(np.round(rng.lognormal(1.6, 0.6, size=count)), 1, 25)
        depth = minutes / (minutes + 4.0)
        levels = rng.uniform(0.0, 0.02, (count, n_topics))
        levels[np.arange(count), main] = depth * rng.uniform(0.5, 1.0, count)
        levels[np.arange(count), second] = depth * rng.uniform(0.1, 0.5, count)
        return cls(
            levels=frozen(levels),
            minutes=frozen(minutes),
            section=frozen(main // 2),
            publisher=frozen(rng.integers(len(PUBLISHERS), size=count)),
            titles=tuple(_title(topics[a], topics[b], rng) for a, b in zip(main, second, strict=True)),
        )

    @property
    def topics(self) -> tuple[str, ...]:
        """The names of the topics."""
        return tuple(SUBJECTS)

    @property
    def sections(self) -> tuple[str, ...]:
        """The names of the sections."""
        return tuple(SECTIONS)

    @property
    def publishers(self) -> tuple[str, ...]:
        """The names of the publishers."""
        return PUBLISHERS

    @cached_property
    def problem(self) -> Problem:
        """The articles under the newsletter's limits."""
        return Problem(
            ProbabilisticCoverage(self.levels, names=self.topics),
            [
                Cardinality(self.LENGTH, name="articles"),
                Knapsack(self.minutes, self.MINUTES, name="minutes"),
                PartitionMatroid(self.section, self.PER_SECTION, name="section"),
                PartitionMatroid(self.publisher, self.PER_PUBLISHER, name="publisher"),
            ],
        )

    def reader(self, rng: np.random.Generator) -> SimulatedUser:
        """Return a reader with a taste: three topics that are loved, two that are liked, little else.

        The weights are such that no probability of reading an article exceeds 1.
        """
        weights = rng.uniform(0.0, 0.05, len(self.topics))
        favourites = rng.permutation(len(weights))[:5]
        weights[favourites[:3]] = rng.uniform(0.55, 0.75, 3)
        weights[favourites[3:]] = rng.uniform(0.25, 0.45, 2)
        return SimulatedUser(self.problem, weights)


def _title(main: str, second: str, rng: np.random.Generator) -> str:
    """Return a title about two topics."""
    subjects = [rng.choice(SUBJECTS[topic]) for topic in (main, second)]
    title = str(rng.choice(TITLES)).format(*subjects)
    return title[0].upper() + title[1:]
