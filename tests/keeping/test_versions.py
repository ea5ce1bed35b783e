"""A file of each format that there has been, read by today's code; `make_format_1.py` wrote the first."""

from __future__ import annotations

import numpy as np
import pytest

import slatewise as sw
from slatewise import container, keeping
from slatewise.catalogue import keeping as catalogue_keeping

from .files import HERE, LEAD, apart
from .make_format_1 import frame, policy, problem

RECOMMENDERS = sorted(HERE.glob("recommender-format-*.bin"))
CATALOGUES = sorted(HERE.glob("catalogue-format-*.bin"))


def test_there_is_a_file_of_each_format():
    for files, newest in ((RECOMMENDERS, keeping.VERSION), (CATALOGUES, catalogue_keeping.VERSION)):
        written = [LEAD.unpack_from(path.read_bytes())[1] for path in files]
        assert written == list(range(1, newest + 1)), "a new format comes with a file of it, kept here"
        assert [path.stem.rpartition("-")[2] for path in files] == [str(version) for version in written]


@pytest.fixture(scope="module")
def agent():
    return sw.Recommender.load(HERE / "recommender-format-1.bin", problem(), policy())


def test_format_1_keeps_users_numbers_and_the_seed(agent):
    assert agent.users == ("expired", "ada", 7, None)
    assert agent.seed == 2**65 + 1
    assert [agent._readers[user].rounds for user in agent.users] == [1, 2, 1, 1]
    assert [agent.state(user).posterior.n_observations for user in agent.users] == [0, 3, 0, 0]


SLATES = {
    1: ("ada", ("ç", "a"), (2, 0), [1.0, 0.0], [1.0, 0.5], [[0.0, 1.0], [0.5, 0.0]]),
    2: ("ada", ("b", 4), (1, 3), [0.5, np.nan], [-1.0, -0.5], [[0.25, 0.5], [0.5625, 0.125]]),
    3: (7, ("ç", 4), (2, 3), [np.nan, np.nan], [1.0, 0.5], [[0.0, 1.0], [0.75, 0.0]]),
    4: (None, (), (), [], [1.0, 0.5], np.zeros((0, 2))),
}


def test_format_1_keeps_slates_and_what_was_accepted_for_them(agent):
    assert agent._ledger.keys() == SLATES.keys()
    for number, (user, ids, items, rewards, context, features) in SLATES.items():
        entry = agent._ledger[number]
        assert (entry.user, entry.slate.ids, entry.slate.items, entry.slate.number) == (
            user,
            ids,
            items,
            number,
        )
        assert np.array_equal(entry.rewards, rewards, equal_nan=True)
        assert np.array_equal(entry.slate.context, context)
        assert np.array_equal(entry.slate.features, features)
        assert entry.slate.feature_space == problem().feature_space
    assert agent.open_slates.keys() == {2, 3}
    with pytest.raises(sw.ArgumentError, match="number 0 has expired: slates before 1 are forgotten"):
        agent.explain(0)


def test_format_1_keeps_what_was_learned(agent):
    precision, moment = np.eye(4), np.zeros(4)
    for _, _, _, rewards, context, features in (SLATES[1], SLATES[2]):
        for x, y in zip(features, rewards, strict=True):
            if not np.isnan(y):
                row = np.kron(context, x)
                precision += np.outer(row, row)
                moment += y * row
    posterior = agent.state("ada").posterior
    assert np.array_equal(posterior.precision, precision), "binary fractions, whose sums are exact"
    assert np.array_equal(posterior.moment, moment)
    np.testing.assert_allclose(posterior.covariance, np.linalg.inv(precision), atol=1e-12)
    np.testing.assert_allclose(posterior.mean, np.linalg.solve(precision, moment), atol=1e-12)
    np.testing.assert_allclose(posterior.logdet, np.linalg.slogdet(precision)[1], atol=1e-12)


def test_format_1_goes_on(tmp_path):
    agent = sw.Recommender.load(HERE / "recommender-format-1.bin", problem(), policy())
    agent.update(2, {"b": 0.5, 4: 1.0})
    assert agent.open_slates.keys() == {3}
    assert agent.select("ada", [1.0, 0.5]).number == 5
    agent.save(tmp_path / "newest")
    again = sw.Recommender.load(tmp_path / "newest", problem(), policy())
    assert again.state("ada").posterior.n_observations == 4


def test_a_catalogue_of_format_1_makes_the_same_features():
    catalogue = sw.Catalogue.load(HERE / "catalogue-format-1.bin", frame())
    assert catalogue.ids == ("/a", "/b", "/c")
    space = catalogue.feature_space
    assert space.names[:3] == ("politics", "moon", "rockets")
    assert space.names[-2:] == ("vector 0", "vector 1")
    assert {name.count("/") for name in space.names[3:5]} == {2}, "a topic is called after three words"
    values = catalogue.problem().features([0])[0]
    alone = np.array([catalogue.problem().features([item])[0] for item in range(3)])
    assert np.array_equal(values, alone[0])
    assert alone[:, 0].tolist() == [0.5, 0.0, 1.0]
    assert alone[:, 1:3].tolist() == [[0.5, 0.5], [0.0, 0.5], [0.0, 0.0]]
    np.testing.assert_allclose(alone[:, 3:5].sum(axis=1), 0.5, atol=1e-9)
    np.testing.assert_allclose(alone[:, 5:].max(axis=1), 0.5, atol=1e-4)
    assert np.array_equal(alone[0, 5:], alone[2, 5:])
    assert catalogue.label_limits("tags", 1).members.tolist() == [[True, True], [False, True], [False, False]]


def test_a_catalogue_of_format_1_keeps_what_was_fitted(tmp_path):
    catalogue = sw.Catalogue.load(HERE / "catalogue-format-1.bin", frame())
    header, arrays = apart((HERE / "catalogue-format-1.bin").read_bytes())
    assert header["id"] == "url"
    _, _, text, clusters = catalogue._parts
    fields = {part["kind"]: part["fields"] for part in header["parts"]}
    assert np.array_equal(text.topics, arrays[fields["TextTopics"]["topics"]["index"]])
    assert np.array_equal(text.rarity, arrays[fields["TextTopics"]["rarity"]["index"]])
    assert np.array_equal(clusters.centroids, arrays[fields["Clusters"]["centroids"]["index"]])
    catalogue.save(tmp_path / "again")
    again = sw.Catalogue.load(tmp_path / "again", frame())
    assert again.feature_space == catalogue.feature_space


def test_the_container_says_what_arrays_may_hold():
    for path in (*RECOMMENDERS, *CATALOGUES):
        header, arrays = apart(path.read_bytes())
        assert {listed["type"] for listed in header["arrays"]} <= set(container.TYPES)
        assert len(arrays) == len(header["arrays"])
