"""Real news and films, from their tables to slates: where ``../shared/data`` is, else skipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import slatewise as sw

DATA = Path(__file__).parents[2].parent / "shared" / "data"
NEWS = DATA / "mind-small-subset" / "news.tsv.gz"
FILMS = DATA / "movielens-latest-small"
RUNTIMES = DATA / "movie-runtime" / "mlsmall_movie_runtime.csv"

pytestmark = pytest.mark.skipif(
    not all(path.exists() for path in (NEWS, FILMS, RUNTIMES)),
    reason=f"NO REAL DATA: {DATA} is not there, so neither news nor films were tried",
)


@pytest.fixture(scope="module")
def news():
    """Two thousand articles: id, category, title, and a reading time from the length of the abstract."""
    columns = [
        "id",
        "category",
        "subcategory",
        "title",
        "abstract",
        "url",
        "title_entities",
        "abstract_entities",
    ]
    table = pl.read_csv(NEWS, separator="\t", has_header=False, quote_char=None, new_columns=columns)
    minutes = 1.0 + table["abstract"].fill_null("").str.split(" ").list.len() / 20.0
    return table.select("id", "category", "title").with_columns(minutes=minutes.round(1))


@pytest.fixture(scope="module")
def films():
    """The films with a running time, genres in one cell."""
    runtimes = pl.read_csv(RUNTIMES).select("movieId", minutes="runtime_min").drop_nulls()
    return pl.read_csv(FILMS / "movies.csv").join(runtimes, on="movieId", how="inner").sort("movieId")


def newsletter(catalogue, **more):
    """Ten articles within thirty minutes, three of a category at most."""
    limits = [
        catalogue.cardinality(10),
        catalogue.knapsack("minutes", 30),
        catalogue.label_limits("category", 3),
    ]
    return catalogue.problem(limits, **more)


def test_a_newsletter_from_titles_and_categories(news, tmp_path):
    monday, tuesday = news[:1000], news[1000:]
    catalogue = sw.Catalogue(monday, id="id", text="title", n_topics=16)
    agent = sw.Recommender(newsletter(catalogue), sw.afsm_ucb())

    def check(slate, table):
        chosen = table.filter(pl.col("id").is_in(slate.ids))
        assert len(chosen) == len(slate) == len(set(slate.ids))
        assert 5 <= len(slate) <= 10
        assert chosen["minutes"].sum() <= 30 * (1 + 1e-9)
        assert chosen["category"].value_counts()["count"].max() <= 3

    for _ in range(3):
        slate = agent.select("ada")
        check(slate, monday)
        agent.clicked(slate, slate.ids[:2], seen=6)
    told = agent.explain(slate).to_dict()
    assert {limit["limit"].split()[0] for limit in told["limits"]} == {"items", "minutes", "category"}
    agent.save(tmp_path / "agent")
    catalogue.save(tmp_path / "features")

    loaded = sw.Catalogue.load(tmp_path / "features", tuesday)
    assert loaded.feature_space == catalogue.feature_space
    again = sw.Recommender.load(tmp_path / "agent", newsletter(loaded), sw.afsm_ucb())
    slate = again.select("ada")
    check(slate, tuesday)
    same = agent.select("ada", problem=newsletter(catalogue.with_items(tuesday)))
    assert same.ids == slate.ids
    assert np.array_equal(same.features, slate.features)
    check(again.select("bob", limits={"category": {"sports": 0}, "items": 5}), tuesday)


def test_the_features_of_a_title_do_not_depend_on_the_other_titles(news):
    catalogue = sw.Catalogue(news, id="id", text="title", n_topics=32)
    some = catalogue.with_items(news[:50])
    ours, theirs = (one.objective.matrix[:50] for one in (catalogue, some))
    np.testing.assert_allclose(ours, theirs, atol=1e-12)
    assert np.array_equal(ours > 0, theirs > 0)


def test_a_reader_of_sports_gets_more_of_them(news):
    """Twelve days of other articles; she clicks whatever is on sports, and nothing else."""
    rng = np.random.default_rng(0)
    order = rng.permutation(len(news))
    days = [news[order[start : start + 150].tolist()] for start in range(0, 1800, 150)]
    catalogue = sw.Catalogue(news, id="id", tags="category")
    agent = sw.Recommender(newsletter(catalogue), sw.afsm_ucb())
    shares = []
    for day in days:
        today = catalogue.with_items(day)
        problem = today.problem([today.cardinality(5), today.knapsack("minutes", 30)])
        slate = agent.select("ada", problem=problem)
        sports = set(day.filter(category="sports")["id"])
        agent.clicked(slate, [one for one in slate.ids if one in sports])
        shares.append(np.mean([one in sports for one in slate.ids]))
    assert np.mean(shares[-4:]) > np.mean(shares[:4])
    tastes = agent.tastes("ada").to_dict()
    assert max(tastes, key=lambda name: tastes[name]["mean"]) == "sports"


def test_a_film_evening_of_two_hours_and_a_half(films):
    catalogue = sw.Catalogue(films, id="movieId", tags="genres", separator="|")
    assert {"Comedy", "Drama", "Western"} <= set(catalogue.feature_space.names)
    assert "Comedy|Drama" not in catalogue.feature_space.names
    limits = [catalogue.knapsack("minutes", 150), catalogue.label_limits("genres", 2)]
    agent = sw.Recommender(catalogue.problem(limits), sw.afsm_ucb())
    liked = pl.read_csv(FILMS / "ratings.csv").filter(pl.col("rating") >= 4)
    reader = liked["userId"].value_counts(sort=True)["userId"][0]
    favourites = set(liked.filter(userId=reader)["movieId"])
    for budget in (None, 150, 300, 90):
        slate = agent.select(reader, limits=None if budget is None else {"minutes": budget})
        evening = films.filter(pl.col("movieId").is_in(slate.ids))
        assert len(evening) == len(slate) >= 1
        assert evening["minutes"].sum() <= (budget or 150) * (1 + 1e-9)
        genres = evening["genres"].str.split("|").explode().value_counts()
        assert genres["count"].max() <= 2
        agent.update(slate, {one: float(one in favourites) for one in slate.ids})
    assert agent.state(reader).posterior.n_observations >= 4
    some = agent.problem.among(films["movieId"][:500].to_list(), relevance=np.linspace(0, 1, 500))
    ranked = sw.Recommender(some, sw.afsm_ucb())
    assert films.filter(pl.col("movieId").is_in(ranked.select().ids))["minutes"].sum() <= 150 * (1 + 1e-9)


def test_films_without_a_running_time_are_named(films):
    every = pl.read_csv(FILMS / "movies.csv").join(
        films.select("movieId", "minutes"), on="movieId", how="left"
    )
    catalogue = sw.Catalogue(every, id="movieId", tags="genres", separator="|")
    missing = every["minutes"].is_null().arg_true().to_list()
    first = ", ".join(map(str, missing[:5]))
    message = f"column 'minutes' must hold no null; rows that do not: {first} and {len(missing) - 5} more"
    with pytest.raises(sw.ArgumentError, match=message):
        catalogue.knapsack("minutes", 150)
