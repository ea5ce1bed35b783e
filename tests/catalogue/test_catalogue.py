"""From tables to problems: every kind of column, of either kind of frame, from either kind of file."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import slatewise as sw

from .tables import COLUMNS, FRAMES, KINDS, SECTIONS, TAGS, amounts, pandas, polars

HERE = Path(__file__).parent


@pytest.fixture(params=FRAMES)
def frame(request):
    """The table as either library has it."""
    return FRAMES[request.param](COLUMNS)


@pytest.fixture(params=KINDS)
def kind(request):
    """The columns that features come from."""
    return KINDS[request.param]


# ------------------------------------------------------------------------------ features


def test_both_kinds_of_frame_make_the_same_catalogue(kind):
    one, other = (sw.Catalogue(make(), id="url", **kind) for make in (polars, pandas))
    assert one.ids == other.ids == tuple(COLUMNS["url"])
    assert one.feature_space == other.feature_space
    assert np.array_equal(amounts(one), amounts(other))


def test_what_is_covered_is_a_share(kind, frame):
    found = amounts(sw.Catalogue(frame, id="url", **kind))
    assert found.min() >= 0.0
    assert found.max() <= 1.0
    assert (found > 0).any(axis=0).all(), "every feature is some item's"


def test_topic_columns_are_taken_as_they_are(frame):
    catalogue = sw.Catalogue(frame, id="url", topics=["science", "politics"])
    assert catalogue.feature_space.names == ("science", "politics")
    assert np.array_equal(amounts(catalogue), np.array([COLUMNS["science"], COLUMNS["politics"]]).T)


@pytest.mark.parametrize(
    "given",
    [{"tags": "tags"}, {"tags": "keywords", "separator": "|"}, {"tags": "tags", "separator": "|"}],
    ids=["lists", "one cell", "lists, and a separator that they need not"],
)
@pytest.mark.parametrize("strength", [1.0, 0.25])
def test_tags_are_a_feature_each(frame, given, strength):
    catalogue = sw.Catalogue(frame, id="url", strength=strength, **given)
    names = catalogue.feature_space.names
    assert names == ("cups", "moon", "rockets", "tea")
    expected = [[strength * (tag in (tags or ())) for tag in names] for tags in TAGS]
    assert np.array_equal(amounts(catalogue), expected)


@pytest.mark.parametrize(
    ("most", "kept"), [(1, ("moon",)), (2, ("moon", "tea")), (9, ("cups", "moon", "rockets", "tea"))]
)
def test_the_most_frequent_tags_count(frame, most, kept):
    assert sw.Catalogue(frame, id="url", tags="tags", n_tags=most).feature_space.names == kept


def test_a_null_among_tags_is_no_tag():
    table = polars(tags=[["moon", None], [None], ["tea"]] + [["moon"]] * 5)
    assert sw.Catalogue(table, id="url", tags="tags").feature_space.names == ("moon", "tea")
    cells = pandas(tags=[["moon", None], ["moon", np.nan], ["tea"]] + [["moon", "moon"]] * 5)
    catalogue = sw.Catalogue(cells, id="url", tags="tags", strength=1.0)
    assert catalogue.feature_space.names == ("moon", "tea")
    assert amounts(catalogue)[:, 0].tolist() == [1, 1, 0, 1, 1, 1, 1, 1]


def test_texts_about_the_same_share_a_topic():
    titles = [
        "rocket moon",
        "moon rocket launch",
        "tea cups",
        "cups of tea",
        "launch of a rocket",
        "tea",
        "moon",
        "cup tea",
    ]
    catalogue = sw.Catalogue(polars(title=titles), id="url", text="title", n_topics=2, strength=1.0)
    found = amounts(catalogue)
    assert found.shape == (8, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-9)
    space = found.argmax(axis=1)
    assert len({space[row] for row in (0, 1, 4, 6)}) == len({space[row] for row in (2, 3, 5, 7)}) == 1
    assert space[0] != space[2]
    assert "tea" in catalogue.feature_space.names[space[2]].split("/")


def test_a_text_of_no_known_word_is_about_nothing():
    catalogue = sw.Catalogue(polars(), id="url", text="title", n_topics=3)
    other = catalogue.with_items(polars(title=["xyzzy", None, "the of and", "moon"] + [""] * 4))
    assert (amounts(other)[[0, 1, 2, 4, 5, 6, 7]] == 0).all()
    assert amounts(other)[3].sum() == pytest.approx(0.5)


def test_stop_words_are_left_out_unless_they_are_not():
    titles = ["the who", "who is the who", "the band", "a band is the band"] * 2
    catalogue = sw.Catalogue(polars(title=titles), id="url", text="title", stop_words=None)
    assert any("the" in name.split("/") for name in catalogue.feature_space.names)
    catalogue = sw.Catalogue(polars(title=titles), id="url", text="title")
    assert all("the" not in name.split("/") for name in catalogue.feature_space.names)


def test_vectors_that_point_the_same_way_share_a_cluster():
    east, north = np.array([1.0, 0.05]), np.array([0.0, 1.0])
    vectors = [east, 2 * east, north, 7 * north, east * 1e-3, north + 0.01, east, north]
    catalogue = sw.Catalogue(
        polars(vector=[one.tolist() for one in vectors]),
        id="url",
        embedding="vector",
        n_topics=2,
        strength=0.8,
    )
    found = amounts(catalogue)
    np.testing.assert_allclose(found.sum(axis=1), 0.8, atol=1e-12)
    places = found.argmax(axis=1)
    assert places.tolist() in ([0, 0, 1, 1, 0, 1, 0, 1], [1, 1, 0, 0, 1, 0, 1, 0])
    np.testing.assert_allclose(found[0], found[1], atol=1e-12)


@pytest.mark.parametrize("n_topics", [1, 3, 50])
@pytest.mark.parametrize("column", ["text", "embedding"])
def test_there_are_no_more_topics_than_there_can_be(n_topics, column):
    source = {"text": "title", "embedding": "vector"}[column]
    catalogue = sw.Catalogue(polars(), id="url", n_topics=n_topics, **{column: source})
    assert 1 <= catalogue.feature_space.n_features <= min(n_topics, 8)


def test_a_mixture_puts_its_parts_side_by_side():
    whole = sw.Catalogue(polars(), id="url", **KINDS["a mixture"])
    parts = [
        sw.Catalogue(polars(), id="url", n_topics=2, **{name: value})
        for name, value in KINDS["a mixture"].items()
        if name != "n_topics"
    ]
    assert whole.feature_space.names == tuple(name for part in parts for name in part.feature_space.names)
    assert np.array_equal(amounts(whole), np.concatenate([amounts(part) for part in parts], axis=1))


def test_pandas_own_types_are_columns_like_others():
    table = pd.DataFrame(
        {
            "url": pd.array(["a", "b", "c"], dtype="string"),
            "politics": pd.array([0.5, 0.25, 1.0], dtype="Float64"),
            "minutes": pd.array([1, 2, 3], dtype="Int64"),
            "section": pd.Categorical(["x", None, "y"]),
            "vector": [np.array([1.0, 0.0]), np.array([0.0, 1.0]), np.array([1.0, 1.0])],
        },
        index=[7, 7, 9],
    )
    catalogue = sw.Catalogue(table, id="url", topics=["politics"], embedding="vector", n_topics=2)
    assert catalogue.ids == ("a", "b", "c")
    assert catalogue.knapsack("minutes", 3).costs.tolist() == [1.0, 2.0, 3.0]
    assert catalogue.label_limits("section", 1).members.tolist() == [
        [True, False],
        [False, False],
        [False, True],
    ]
    assert catalogue.frame is table
    table = table.assign(minutes=pd.array([1, None, 3], dtype="Int64"))
    with pytest.raises(sw.ArgumentError, match="column 'minutes' must hold no null; rows that do not: 1"):
        catalogue.with_items(table).knapsack("minutes", 3)


def test_polars_own_types_are_columns_like_others():
    table = pl.DataFrame(
        {
            "number": pl.Series([3, 2, 1], dtype=pl.UInt16),
            "politics": pl.Series([0.5, 0.25, 1.0], dtype=pl.Float32),
            "section": pl.Series(["x", None, "y"], dtype=pl.Categorical),
            "vector": pl.Series([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=pl.Array(pl.Float32, 2)),
            "flag": [True, False, True],
        }
    )
    catalogue = sw.Catalogue(table, id="number", topics=["politics"], embedding="vector", n_topics=2)
    assert catalogue.ids == (3, 2, 1)
    assert catalogue.label_limits("section", 1).members.sum() == 2
    assert catalogue.knapsack("flag", 1).costs.tolist() == [1.0, 0.0, 1.0]
    assert sw.Recommender(catalogue.problem([catalogue.cardinality(1)]), sw.afsm_ucb()).select().ids[0] in (
        1,
        2,
        3,
    )


# ------------------------------------------------------------------------------ files


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl", ".ndjson", ".CSV"])
def test_a_file_is_read_by_its_ending(ending, tmp_path):
    path = tmp_path / f"articles{ending}"
    flat = polars().drop("tags", "vector") if ending.lower() == ".csv" else polars()
    writers = {
        ".parquet": flat.write_parquet,
        ".csv": flat.write_csv,
        ".jsonl": flat.write_ndjson,
        ".ndjson": flat.write_ndjson,
    }
    writers[ending.lower()](path)
    kinds = (
        KINDS
        if ending.lower() != ".csv"
        else {k: v for k, v in KINDS.items() if "tag" in k or k in {"topics", "text"}}
    )
    for given in kinds.values():
        if ending.lower() == ".csv" and given.get("tags") == "tags":
            continue
        for place in (path, str(path)):
            read, built = sw.Catalogue.read(place, id="url", **given), sw.Catalogue(flat, id="url", **given)
            assert read.ids == built.ids
            assert read.feature_space == built.feature_space
            assert np.array_equal(amounts(read), amounts(built))


def test_what_pandas_wrote_is_read_too(tmp_path):
    pandas().to_parquet(tmp_path / "articles.parquet")
    catalogue = sw.Catalogue.read(tmp_path / "articles.parquet", id="url", **KINDS["a mixture"])
    assert catalogue.feature_space == sw.Catalogue(polars(), id="url", **KINDS["a mixture"]).feature_space


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("articles.xlsx", b"", "path: must end in one of .parquet, .csv, .jsonl, .ndjson, but is"),
        ("articles", b"", "path: must end in one of"),
        ("articles.parquet", b"no such thing", "path: .*articles.parquet' cannot be read: "),
        ("articles.jsonl", b"{]", "path: .*articles.jsonl' cannot be read: "),
        ("articles.csv", b"", "path: .*articles.csv' cannot be read: "),
        ("articles.csv", b"url,politics\n", "frame: must have at least one row, but has none"),
        ("nothing.csv", None, "path: .*nothing.csv' cannot be read: "),
    ],
    ids=range(7),
)
def test_a_file_that_cannot_be_read_says_why(name, content, message, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(sw.ArgumentError, match=message):
        sw.Catalogue.read(tmp_path / name, id="url", topics=["politics"])


# ------------------------------------------------------------------------------ errors


def column_of(name, value, row=2):
    """The table with another value in one row; a list where there are lists."""
    cells = list(COLUMNS[name])
    cells[row] = value
    return {name: cells}


NULL, NAN = None, float("nan")
BAD = [
    (
        {"id": "url"},
        {"url": ["/a", "/b", "/a", "/b", "/e", "/f", "/g", "/a"]},
        "id: column 'url' must hold each id once; rows that do not: 2, 3, 7, the first with '/a'",
    ),
    (
        {"id": "url"},
        column_of("url", NULL),
        "id: column 'url' must hold no null; rows that do not: 2, the first",
    ),
    ({"id": "uri"}, {}, "id: there is no column 'uri'; there are 'url', 'number'"),
    (
        {"id": "vector"},
        {},
        "id: column 'vector' must hold texts or whole numbers; rows .*: 0, 1, 2, 3, 4 and 3 more",
    ),
    ({"topics": ["politics", "arts"]}, {}, "topics: there is no column 'arts'; there are 'url', "),
    (
        {"topics": ["politics"]},
        column_of("politics", NULL),
        "topics: column 'politics' must hold no null; .* 2, ",
    ),
    (
        {"topics": ["politics"]},
        column_of("politics", NAN),
        "topics: column 'politics' must hold no null; .* 2, ",
    ),
    (
        {"topics": ["politics"]},
        column_of("politics", -0.5),
        "topics: column 'politics' must hold numbers of at least 0; rows that do not: 2, the first with -0.5",
    ),
    (
        {"topics": ["politics"]},
        column_of("politics", 1.5),
        "topics: column 'politics' must hold numbers of at most 1; rows that do not: 2, the first with 1.5",
    ),
    (
        {"topics": ["politics"]},
        column_of("politics", float("inf")),
        "topics: column 'politics' must hold finite numbers; rows that do not: 2, the first with inf",
    ),
    (
        {"topics": ["politics"]},
        {"politics": [2.0] * 8},
        "topics: column 'politics' .*; rows that do not: 0, 1, 2, 3, 4 and 3 more, the first with 2.0",
    ),
    ({"topics": ["section"]}, {}, "topics: column 'section' must hold numbers; .* the first with 'world'"),
    ({"topics": "politics"}, {}, "topics: must be a list, but is 'politics'"),
    ({"topics": []}, {}, "topics: must name at least one column, but is empty"),
    (
        {"topics": ["politics", "politics"]},
        {},
        "names: must be different, but 'politics' stands at 0 and later",
    ),
    ({}, {}, "topics: must be given, or tags, text or embedding, because items need features"),
    ({"tags": "labels"}, {}, "tags: there is no column 'labels'"),
    (
        {"tags": "tags"},
        {"tags": [None, []] * 4},
        "tags: column 'tags' must hold at least one tag, but holds none",
    ),
    (
        {"tags": "tags"},
        {"tags": [[["a"]]] * 8},
        "tags: column 'tags' must hold labels or lists of them; .* 0, 1, 2",
    ),
    ({"tags": "tags", "n_tags": 0}, {}, "n_tags: must be at least 1, but is 0"),
    ({"tags": "tags", "separator": ""}, {}, "separator: must not be empty"),
    ({"tags": "tags", "strength": 0.0}, {}, "strength: must be greater than 0"),
    ({"tags": "tags", "strength": 1.5}, {}, "strength: must be at most 1, but is 1.5"),
    ({"text": "body"}, {}, "text: there is no column 'body'"),
    ({"text": "minutes"}, {}, "text: column 'minutes' must hold text; .* the first with 4.0"),
    (
        {"text": "title"},
        {"title": [None, "", "the of"] + [""] * 5},
        "text: column 'title' must hold words, but",
    ),
    ({"text": "title", "n_topics": 0}, {}, "n_topics: must be at least 1, but is 0"),
    (
        {"text": "title", "stop_words": "klingon"},
        {},
        "stop_words: must be 'english' or None, but is 'klingon'",
    ),
    ({"embedding": "vec"}, {}, "embedding: there is no column 'vec'"),
    ({"embedding": "minutes"}, {}, "embedding: column 'minutes' must hold vectors; .* the first with 4.0"),
    (
        {"embedding": "tags"},
        {"tags": [["a", "b"]] * 8},
        "embedding: column 'tags' must hold vectors; .* 0, 1, 2, 3",
    ),
    ({"embedding": "tags"}, {"tags": [["1", "2"]] * 8}, "embedding: column 'tags' must hold vectors"),
    ({"embedding": "vector"}, {"vector": [[]] * 8}, "embedding: column 'vector' must hold vectors"),
    (
        {"embedding": "vector"},
        column_of("vector", NULL),
        "embedding: column 'vector' must hold no null; .* 2, ",
    ),
    (
        {"embedding": "vector"},
        column_of("vector", [1.0, 2.0]),
        "embedding: column 'vector' must hold 3 numbers; rows that do not: 2, the first with",
    ),
    (
        {"embedding": "vector"},
        column_of("vector", [1.0, NAN, 2.0]),
        "embedding: column 'vector' must hold finite",
    ),
    (
        {"embedding": "vector"},
        column_of("vector", [1.0, NULL, 2.0]),
        "embedding: column 'vector' must hold finite",
    ),
]


@pytest.mark.parametrize(("given", "changes", "message"), BAD, ids=range(len(BAD)))
@pytest.mark.parametrize("make", [polars, pandas])
def test_a_bad_column_is_named_with_its_first_rows(make, given, changes, message):
    with pytest.raises(sw.ArgumentError, match=message):
        sw.Catalogue(
            make(**changes),
            **{"id": "url", **({"topics": ["science"]} if set(given) == {"id"} else {}), **given},
        )


@pytest.mark.parametrize(
    "frame", [[1, 2], "articles.csv", {"url": ["a"]}, polars().lazy(), None], ids=range(5)
)
def test_what_is_no_frame_is_told_so(frame):
    with pytest.raises(sw.ArgumentError, match="frame: must be a polars or pandas frame, but is a "):
        sw.Catalogue(frame, id="url", topics=["politics"])


def test_a_frame_without_rows_is_told_so(frame):
    with pytest.raises(sw.ArgumentError, match="frame: must have at least one row, but has none"):
        sw.Catalogue(frame[:0], id="url", topics=["politics"])


@pytest.mark.parametrize("make", [polars, pandas])
@pytest.mark.parametrize(
    ("column", "changes", "message"),
    [
        (
            "minutes",
            column_of("minutes", NULL),
            "column: column 'minutes' must hold no null; rows that do not: 2, ",
        ),
        (
            "minutes",
            column_of("minutes", NAN),
            "column: column 'minutes' must hold no null; rows that do not: 2, ",
        ),
        (
            "minutes",
            column_of("minutes", -1.0),
            "must hold numbers of at least 0; .*: 2, the first with -1.0",
        ),
        (
            "minutes",
            column_of("minutes", float("inf")),
            "column: column 'minutes' must hold finite numbers; .*: 2, ",
        ),
        (
            "words",
            column_of("words", NULL),
            "column: column 'words' must hold no null; rows that do not: 2, ",
        ),
        ("section", {}, "column: column 'section' must hold numbers; .* the first with 'world'"),
        ("tags", {}, "column: column 'tags' must hold no"),
        ("seconds", {}, "column: there is no column 'seconds'; there are 'url', 'number', 'politics'"),
    ],
    ids=range(8),
)
def test_a_bad_column_of_costs_is_named_with_its_first_rows(make, column, changes, message):
    catalogue = sw.Catalogue(make(**changes), id="url", topics=["politics"])
    with pytest.raises(sw.ArgumentError, match=message):
        catalogue.knapsack(column, 30)


# ------------------------------------------------------------------------------ limits


def test_limits_are_called_after_their_columns(frame):
    catalogue = sw.Catalogue(frame, id="url", topics=["politics"])
    assert catalogue.cardinality(3).name == "items"
    minutes, words = catalogue.knapsack("minutes", 30), catalogue.knapsack("words", 900.0)
    assert (minutes.name, minutes.budget, minutes.costs.tolist()) == ("minutes", 30.0, COLUMNS["minutes"])
    assert (words.name, words.costs.tolist()) == ("words", COLUMNS["words"])
    assert catalogue.label_limits("section", 2).name == "section"
    assert catalogue.label_limits("tags", 2).name == "tags"


def allowed(rows, limits, items):
    """Whether a list has no more of a label than is allowed, by counting."""
    counts: dict[object, int] = {}
    for item in items:
        for label in rows[item]:
            counts[label] = counts.get(label, 0) + 1
    most = limits if isinstance(limits, dict) else dict.fromkeys(counts, limits)
    return all(count <= most.get(label, 8) for label, count in counts.items())


@pytest.mark.parametrize("column", ["section", "tags", "keywords", "number"])
@pytest.mark.parametrize("limits", [0, 1, 2, "mapping", "empty mapping"])
def test_labels_are_limited(frame, column, limits):
    catalogue = sw.Catalogue(frame, id="url", topics=["politics"], separator="|")
    rows = {"section": [[one] for one in SECTIONS], "number": [[one] for one in COLUMNS["number"]]}.get(
        column, [tags or [] for tags in TAGS]
    )
    named = {"section": {"world": 1, "sport": 0}, "number": {8: 0, 1: 1}}.get(column, {"moon": 1, "tea": 2})
    given = {"mapping": named, "empty mapping": {}}.get(limits, limits)
    limit = catalogue.label_limits(column, given)
    single = column in {"section", "number"}
    assert isinstance(limit, sw.PartitionMatroid if single else sw.LabelLimits)
    problem = catalogue.problem([limit])
    rng = np.random.default_rng(0)
    for _ in range(60):
        items = rng.permutation(8)[: rng.integers(0, 6)].tolist()
        assert problem.feasible(items) == allowed(rows, given, items)


def test_a_null_carries_no_label(frame):
    some = [None if section == "sport" else section for section in SECTIONS]
    table = type(frame)(COLUMNS | {"section": some})
    limit = sw.Catalogue(table, id="url", topics=["politics"]).label_limits("section", 0)
    assert np.flatnonzero(limit.feasible(limit.empty())).tolist() == [3, 4, 7]


def test_a_limit_for_a_label_that_nothing_carries_warns(frame):
    catalogue = sw.Catalogue(frame, id="url", topics=["politics"])
    with pytest.warns(sw.UnknownLabelWarning, match="limits: no item carries the label 'sprot'"):
        limit = catalogue.label_limits("section", {"sprot": 1})
    assert limit.limits.tolist() == [8, 8, 8], "the others are free"
    agent = sw.Recommender(catalogue.problem([catalogue.label_limits("section", 1)]), sw.afsm_ucb())
    with pytest.warns(sw.UnknownLabelWarning, match="limits: no item carries the label 'sprot'"):
        agent.select(limits={"section": {"sprot": 1}})


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (-1, "limits: must be at least 0, but is -1"),
        (1.5, "limits: must be a whole number, but is 1.5"),
        ({"world": -1}, r"limits\['world'\]: must be at least 0, but is -1"),
        ({"world": None}, r"limits\['world'\]: must be a number"),
        ("three", "limits: must be"),
    ],
    ids=range(5),
)
def test_a_bad_limit_of_labels_says_what_is_wrong(limits, message):
    catalogue = sw.Catalogue(polars(), id="url", topics=["politics"])
    with pytest.raises(sw.ArgumentError, match=message):
        catalogue.label_limits("section", limits)


def test_limits_of_the_round_take_the_form_of_the_catalogues_own(frame):
    catalogue = sw.Catalogue(frame, id="url", topics=["politics", "science"])
    limits = [
        catalogue.cardinality(5),
        catalogue.knapsack("minutes", 30),
        catalogue.label_limits("section", 3),
    ]
    agent = sw.Recommender(catalogue.problem(limits), sw.c_greedy())
    for bounds in ({"section": 1}, {"section": {"world": 0, "sport": 1}}, {"items": 2}, {"minutes": 5.0}):
        slate = agent.select(limits=bounds)
        rows = [COLUMNS["url"].index(one) for one in slate.ids]
        sections = bounds.get("section", 3)
        assert allowed([[one] for one in SECTIONS], sections, rows)
        assert len(slate) <= bounds.get("items", 5)
        assert sum(COLUMNS["minutes"][row] for row in rows) <= bounds.get("minutes", 30)
    with pytest.raises(
        sw.ArgumentError, match="limits: there is no limit 'words'; there are items, minutes, section"
    ):
        agent.select(limits={"words": 3})


def test_an_explanation_names_the_label_that_binds(frame):
    catalogue = sw.Catalogue(frame, id="url", topics=["politics", "science"])
    agent = sw.Recommender(
        catalogue.problem([catalogue.label_limits("section", {"world": 1})]), sw.lsb_greedy()
    )
    (limit,) = agent.explain(agent.select()).limits
    assert (limit.limit, limit.part, limit.used, limit.bound, limit.refuses) == (
        "section",
        "world",
        1.0,
        1.0,
        2,
    )


# ------------------------------------------------------------------------------ other items


def test_other_items_have_the_same_features(kind, frame):
    catalogue = sw.Catalogue(frame, id="url", **kind)
    rows = [5, 1, 6]
    some = frame[rows] if isinstance(frame, pl.DataFrame) else frame.iloc[rows]
    other = catalogue.with_items(some)
    assert other.ids == tuple(COLUMNS["url"][row] for row in rows)
    assert other.feature_space == catalogue.feature_space
    np.testing.assert_allclose(amounts(other), amounts(catalogue)[rows], atol=1e-12)
    assert np.array_equal(amounts(catalogue.with_items(frame)), amounts(catalogue))
    again = other.with_items(frame)
    assert np.array_equal(amounts(again), amounts(catalogue)), "nothing is fitted anew, however often"


def test_what_was_learned_goes_on_with_tomorrows_items(kind, tmp_path):
    today = sw.Catalogue(polars(), id="url", **kind)
    agent = sw.Recommender(today.problem([today.cardinality(3)]), sw.afsm_ucb())
    slate = agent.select("ada")
    agent.clicked(slate, slate.ids[:1])
    reversed_ids = [f"/tomorrow/{letter}" for letter in "hgfedcba"]
    tomorrow = today.with_items(polars().reverse().with_columns(url=pl.Series(reversed_ids)))
    problem = tomorrow.problem([tomorrow.cardinality(3)])
    chosen = agent.select("ada", problem=problem)
    assert set(chosen.ids) <= set(reversed_ids)
    agent.save(tmp_path / "agent")
    loaded = sw.Recommender.load(tmp_path / "agent", problem, sw.afsm_ucb())
    assert loaded.select("ada").ids == agent.select("ada", problem=problem).ids
    other = sw.Catalogue(polars()[3:], id="url", **kind)
    if other.feature_space != today.feature_space:
        with pytest.raises(sw.ArgumentError, match="problem: is over other features than the state"):
            agent.select("ada", problem=other.problem())


def test_other_items_lack_nothing_that_features_need():
    catalogue = sw.Catalogue(polars(), id="url", **KINDS["a mixture"])
    for column in ("url", "science", "tags", "title", "vector"):
        with pytest.raises(sw.ArgumentError, match=f"there is no column '{column}'"):
            catalogue.with_items(polars().drop(column))
    with pytest.raises(sw.ArgumentError, match="embedding: column 'vector' must hold 3 numbers, but holds 2"):
        catalogue.with_items(polars(vector=[[1.0, 2.0]] * 8))
    catalogue.with_items(polars().select("url", "science", "tags", "title", "vector"))


LOADING = """
import json, sys
sys.path.insert(0, sys.argv[1])
import slatewise as sw
from tables import polars, pandas, amounts
found = [sw.Catalogue.load(sys.argv[2], make()) for make in (polars, pandas)]
one = found[0]
print(json.dumps([one.feature_space.fingerprint, one.feature_space.names, amounts(one).tolist(), one.ids]))
assert found[1].feature_space == one.feature_space
"""


@pytest.mark.parametrize("name", ["a mixture", "tags in a cell"])
def test_what_was_fitted_is_the_same_in_another_process(name, tmp_path):
    catalogue = sw.Catalogue(polars(), id="url", **KINDS[name])
    catalogue.save(tmp_path / "features")
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-c", LOADING, str(HERE), str(tmp_path / "features")],
        check=True,
        capture_output=True,
        text=True,
    )
    fingerprint, names, found, ids = json.loads(done.stdout)
    assert fingerprint == catalogue.feature_space.fingerprint
    assert tuple(names) == catalogue.feature_space.names
    assert np.array_equal(found, amounts(catalogue))
    assert tuple(ids) == catalogue.ids


def test_what_is_loaded_is_what_was_saved(kind, tmp_path):
    catalogue = sw.Catalogue(polars(), id="url", **kind)
    catalogue.save(tmp_path / "features")
    loaded = sw.Catalogue.load(tmp_path / "features", pandas())
    assert loaded.feature_space == catalogue.feature_space
    assert np.array_equal(amounts(loaded), amounts(catalogue))
    loaded.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "features").read_bytes()
    fewer = sw.Catalogue.load(tmp_path / "features", polars()[:2])
    assert fewer.feature_space == catalogue.feature_space
    if kind.get("separator"):
        assert loaded.label_limits("keywords", 1).members.shape == (8, 4)


def test_tags_that_a_file_cannot_hold_are_told_so(tmp_path):
    catalogue = sw.Catalogue(polars(), id="url", tags="politics")
    with pytest.raises(
        sw.ArgumentError, match=r"tags: must be text or whole numbers to be saved, but .* is neither"
    ):
        catalogue.save(tmp_path / "features")
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------ relevance and candidates


def limited(catalogue, relevance=None):
    """A problem under limits of all kinds that a catalogue makes."""
    limits = [
        catalogue.cardinality(3),
        catalogue.knapsack("minutes", 12),
        catalogue.label_limits("section", {"world": 1}),
        catalogue.label_limits("tags", 1),
    ]
    return catalogue.problem(limits, relevance=relevance)


def test_relevance_is_one_more_feature(kind, frame):
    catalogue = sw.Catalogue(frame, id="url", **kind)
    d = catalogue.feature_space.n_features
    for given in ("score", COLUMNS["score"], np.array(COLUMNS["score"])):
        problem = catalogue.problem(relevance=given)
        assert problem.n_features == d + 1
        assert problem.feature_space.names[-1] == "relevance"
        assert problem.features([4, 2])[:, -1].tolist() == [2.0, 1.5]
        assert np.array_equal(problem.features([4, 2])[:, :-1], catalogue.problem().features([4, 2]))
    assert catalogue.problem().n_features == d


def test_the_weight_of_relevance_is_learned():
    catalogue = sw.Catalogue(polars(), id="url", topics=["politics", "science"])
    agent = sw.Recommender(catalogue.problem([catalogue.cardinality(2)], relevance="score"), sw.lsb_greedy())
    for _ in range(60):
        slate = agent.select()
        scores = [COLUMNS["score"][COLUMNS["url"].index(one)] for one in slate.ids]
        agent.update(slate, [score / 3 for score in scores])
    tastes = agent.tastes().to_dict()
    assert tastes["relevance"]["mean"] == pytest.approx(1 / 3, abs=0.05)
    assert set(agent.select().ids) == {"/h", "/e"}


@pytest.mark.parametrize(
    ("relevance", "message"),
    [
        ("rank", "relevance: there is no column 'rank'; there are"),
        ("section", "relevance: column 'section' must hold numbers; .* the first with 'world'"),
        ([1.0, 2.0], r"relevance: must have shape \(8\), but has \(2,\)"),
        ([-1.0] + [0.0] * 7, r"relevance: must not be negative, but relevance\[0\] is -1.0"),
        ([np.nan] + [0.0] * 7, r"relevance: must be finite, but relevance\[0\] is nan"),
    ],
    ids=range(5),
)
def test_a_bad_relevance_says_what_is_wrong(relevance, message):
    with pytest.raises(sw.ArgumentError, match=message):
        sw.Catalogue(polars(), id="url", topics=["politics"]).problem(relevance=relevance)
    for value in (-1.0, NULL, NAN):
        other = sw.Catalogue(polars(**column_of("score", value)), id="url", topics=["politics"])
        with pytest.raises(
            sw.ArgumentError, match=r"relevance: column 'score' must hold n.* do not: 2, the first with"
        ):
            other.problem(relevance="score")


POLICIES = {
    "afsm_ucb": sw.afsm_ucb(),
    "c_greedy": sw.c_greedy(),
    "random": sw.random_policy(),
    "sampling": sw.Policy(model=sw.LinearModel(), index=sw.PosteriorSample(), oracle=sw.Greedy()),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("ranked", [False, True])
@pytest.mark.parametrize("name", ["topics", "tags", "a mixture"])
def test_among_is_the_problem_of_the_subset_from_scratch(name, policy, ranked):
    catalogue = sw.Catalogue(polars(), id="url", **KINDS[name])
    whole = limited(catalogue, "score" if ranked else None)
    rng = np.random.default_rng(1)
    for _ in range(6):
        rows = rng.permutation(8)[: rng.integers(2, 8)].tolist()
        ids = [COLUMNS["url"][row] for row in rows]
        scores = rng.random(len(rows))
        some = whole.among(ids, relevance=scores) if ranked else whole.among(ids)
        table = polars()[rows]
        # The same features to the last bit, so that the slates are the same wherever two are near a tie.
        part = catalogue.with_items(table)
        part.objective = catalogue.objective.take(np.array(rows))
        part_limits = {limit.name for limit in whole.constraints}
        with pytest.warns(sw.UnknownLabelWarning) if "world" not in set(table["section"]) else nullcontext():
            scratch = limited(part, scores if ranked else None)
        assert {limit.name for limit in scratch.constraints} == part_limits
        assert some.ids == scratch.ids == tuple(ids)
        assert some.feature_space == scratch.feature_space == whole.feature_space
        assert (some.k, some.n_knapsacks) == (scratch.k, scratch.n_knapsacks)
        np.testing.assert_array_equal(some.costs, scratch.costs)
        one, other = (sw.Recommender(problem, POLICIES[policy], 5) for problem in (some, scratch))
        for _ in range(3):
            slates = [agent.select("ada") for agent in (one, other)]
            assert slates[0].ids == slates[1].ids
            assert np.array_equal(slates[0].features, slates[1].features)
            assert slates[0].threshold == slates[1].threshold
            for agent, slate in zip((one, other), slates, strict=True):
                agent.update(slate, [0.5] * len(slate))
        bounds = {"items": 2, "minutes": 6, "tags": 2}
        assert one.select(limits=bounds).ids == other.select(limits=bounds).ids


def test_among_keeps_the_problems_own_relevance_where_none_is_given():
    problem = limited(sw.Catalogue(polars(), id="url", topics=["politics"]), "score")
    some = problem.among(["/e", "/a"])
    assert some.relevance.tolist() == [2.0, 0.5]
    assert problem.among(["/e", "/a"], relevance=[0.1, 0.2]).relevance.tolist() == [0.1, 0.2]
    assert some.among(["/a"]).relevance.tolist() == [0.5]
    assert some.with_limits({"items": 1}).among(["/e"]).feasible([0])


@pytest.mark.parametrize(
    ("ids", "relevance", "message"),
    [
        (["/a", "/z"], None, r"ids: must hold ids of items, but ids\[1\] is '/z', which is none"),
        (["/a", 0], None, r"ids: must hold ids of items, but ids\[1\] is 0, which is none"),
        (["/a", "/a"], None, r"ids: must not hold an item twice, but ids\[1\] is '/a' again"),
        ("/a", None, "ids: must be a list, but is '/a'"),
        ([], None, "ids: must hold at least one item, but is empty"),
        (["/a", "/b"], [1.0], r"relevance: must have shape \(2\), but has \(1,\)"),
        (["/a", "/b"], [1.0, -1.0], r"relevance: must not be negative, but relevance\[1\]"),
    ],
    ids=range(7),
)
def test_bad_candidates_are_told_so(ids, relevance, message):
    problem = limited(sw.Catalogue(polars(), id="url", topics=["politics"]))
    with pytest.raises(sw.ArgumentError, match=message):
        problem.among(ids, relevance=relevance)


def test_problems_with_relevance_and_without_do_not_share_what_is_learned():
    catalogue = sw.Catalogue(polars(), id="url", topics=["politics"])
    agent = sw.Recommender(catalogue.problem(relevance="score"), sw.afsm_ucb())
    with pytest.raises(
        sw.ArgumentError, match=r"problem: is over other features than the state: .*'relevance'"
    ):
        agent.select(problem=catalogue.problem())


# -------------------------------------------------------------------------- what is not needed is not loaded

WITHOUT = """
import sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[3].split():
    sys.modules[name] = None
import slatewise as sw
from tables import polars, KINDS
for name in ("topics", "tags", "tags in a cell"):
    catalogue = sw.Catalogue(polars(), id="url", **KINDS[name])
    limits = [catalogue.cardinality(2), catalogue.knapsack("minutes", 9), catalogue.label_limits("tags", 1)]
    agent = sw.Recommender(catalogue.problem(limits, relevance="score"), sw.afsm_ucb())
    slate = agent.select("ada")
    agent.clicked(slate, slate.ids[:1])
    agent.save(sys.argv[2])
    catalogue.save(sys.argv[2] + ".features")
    catalogue = sw.Catalogue.load(sys.argv[2] + ".features", polars()[:4])
    agent = sw.Recommender.load(sys.argv[2], catalogue.problem(relevance="score"), sw.afsm_ucb())
    agent.explain(agent.select("ada"))
for name in ("text", "embedding"):
    try:
        sw.Catalogue(polars(), id="url", **KINDS[name])
    except ValueError as error:
        print(error)
"""


def test_topics_and_tags_need_no_scikit_learn(tmp_path):
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-c", WITHOUT, str(HERE), str(tmp_path / "agent"), "sklearn scipy numba"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines() == [
        f"{name}: needs scikit-learn: pip install 'slatewise[kernels]'" for name in ("text", "embedding")
    ]


def test_a_frame_of_pandas_needs_no_polars(tmp_path):
    program = (
        "import sys; sys.modules['polars'] = None\n"
        "import pandas as pd, slatewise as sw\n"
        "frame = pd.DataFrame({'id': ['a', 'b'], 'x': [0.5, 0.25]})\n"
        "frame.to_csv(sys.argv[1])\n"
        "print(sw.Catalogue(frame, id='id', topics=['x']).ids)\n"
        "try:\n    sw.Catalogue.read(sys.argv[1], id='id', topics=['x'])\n"
        "except ValueError as error:\n    print(error)\n"
    )
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-c", program, str(tmp_path / "a.csv")], check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines() == [
        "('a', 'b')",
        "path: reading a file needs polars: pip install 'slatewise[tables]', or give a frame",
    ]


def test_importing_slatewise_loads_nothing_of_the_front_doors():
    program = (
        "import slatewise, sys\n"
        "heavy = {'scipy', 'numba', 'narwhals', 'msgspec', 'sklearn', 'polars', 'pandas', 'pyarrow'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_the_types_of_a_file_are_read_off_all_of_it(tmp_path, ending):
    """The first half has whole numbers only, and ids that look like numbers."""
    path, n_rows = tmp_path / f"items.{ending}", 400
    table = pl.DataFrame(
        {
            "id": [*map(str, range(n_rows - 1)), "last"],
            "topic": [0.5] * n_rows,
            "minutes": [3.0] * (n_rows - 1) + [7.5],
        }
    )
    lines = [f"{row[0]},{row[1]},{row[2]:g}" for row in table.rows()]
    if ending == "csv":
        path.write_text("\n".join(["id,topic,minutes", *lines]), encoding="utf-8")
    else:
        path.write_text(table.write_ndjson().replace("3.0", "3"), encoding="utf-8")
    catalogue = sw.Catalogue.read(path, id="id", topics=["topic"])
    assert catalogue.ids[-1] == "last"
    assert catalogue.knapsack("minutes", 10).costs[-1] == 7.5


def test_ids_that_became_fractions_are_whole_again():
    frame = pd.DataFrame({"id": [1.0, 2.0], "topic": [0.1, 0.2]})
    assert sw.Catalogue(frame, id="id", topics=["topic"]).ids == (1, 2)
