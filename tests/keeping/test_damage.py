"""A file that is cut off, altered, of another kind or hostile is told so, and nothing else happens."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF

import slatewise as sw

from .files import HERE, LEAD, altered, apart, at, learned, problem, together

BASIS = sw.Policy(
    model=sw.KernelModel(RBF(0.7), basis=sw.GreedyBasis(size=4)),
    index=sw.UpperConfidence(sw.ConstantWidth(0.3)),
    oracle=sw.Greedy(),
)
CONTEXTS = sw.Policy(
    model=sw.LinearModel(n_context=2),
    index=sw.UpperConfidence(sw.ConstantWidth(0.3)),
    oracle=sw.ThresholdSweep(),
)
FRAME = pl.DataFrame(
    {
        "id": ["a", "b", "c", "d"],
        "science": [0.1, 0.2, 0.3, 0.4],
        "tags": ["x|y", "y", "z|x", None],
        "title": ["cat dog", "dog fish", "fish bird", "cat bird"],
        "vector": [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [1.0, 1.0]],
    }
)


def catalogue() -> sw.Catalogue:
    """A catalogue with every kind of features."""
    return sw.Catalogue(
        FRAME,
        id="id",
        topics=["science"],
        tags="tags",
        text="title",
        embedding="vector",
        n_topics=2,
        separator="|",
    )


class Kind:
    """A kind of file: how it is written, how it is read, and what one is."""

    def __init__(self, policy: sw.Policy | None, context: Any = None) -> None:
        self.policy = policy
        self.context = context
        self.what = "a Catalogue" if policy is None else "a Recommender"

    def write(self, path: Any) -> None:
        if self.policy is None:
            catalogue().save(path)
        else:
            learned(self.policy, self.context).save(path)

    def read(self, path: Any) -> Any:
        if self.policy is None:
            return sw.Catalogue.load(path, FRAME)
        return sw.Recommender.load(path, problem(), self.policy)


KINDS = {
    "linear": Kind(sw.lsb_greedy()),
    "contexts": Kind(CONTEXTS, np.array([0.5, 1.0])),
    "kernel": Kind(sw.sm_ucb(RBF(0.7))),
    "basis": Kind(BASIS),
    "random": Kind(sw.random_policy()),
    "catalogue": Kind(None),
}


@pytest.fixture(scope="module", params=KINDS)
def whole(request, tmp_path_factory):
    """A kind of file, one of it, and a place for another."""
    path = tmp_path_factory.mktemp("kept") / "whole"
    KINDS[request.param].write(path)
    return KINDS[request.param], path.read_bytes(), path.with_name("other")


def test_a_file_that_was_cut_off_is_told_so_at_every_length(whole):
    kind, content, path = whole
    lengths = range(len(content)) if kind.what == "a Catalogue" else range(0, len(content), 3)
    start = LEAD.size + LEAD.unpack_from(content)[2]
    for length in {
        *lengths,
        *range(80),
        *range(start - 9, start + 9),
        *range(len(content) - 41, len(content)),
    }:
        path.write_bytes(content[:length])
        with pytest.raises(sw.ArgumentError, match=r"path: .* has been cut off"):
            kind.read(path)
    for more in (b"\0", b"\n", content):
        path.write_bytes(content + more)
        with pytest.raises(sw.ArgumentError, match=r"path: .* has been cut off or altered"):
            kind.read(path)


def test_a_file_with_one_byte_altered_is_told_so_wherever_that_is(whole):
    kind, content, path = whole
    start = LEAD.size + LEAD.unpack_from(content)[2]
    for place in {*range(64), *range(0, len(content), 7), *range(start - 4, start + 4), *range(-40, 0)}:
        for flip in (0x01, 0x80):
            other = bytearray(content)
            other[place] ^= flip
            path.write_bytes(other)
            told = (
                f"is no file of {kind.what}"
                if 0 <= place < 8
                else "which is later than can be read|altered"
                if 8 <= place < 12
                else "has been cut off or altered: its checksum is wrong"
            )
            with pytest.raises(sw.ArgumentError, match=f"path: .*({told})"):
                kind.read(path)


@pytest.mark.parametrize("version", [2, 3, 2**32 - 1])
def test_a_later_format_is_named(whole, version):
    kind, content, path = whole
    length = LEAD.unpack_from(content)[2]
    rest = content[LEAD.size + length : -32]
    path.write_bytes(together(content[:8], version, content[LEAD.size : LEAD.size + length], rest))
    with pytest.raises(
        sw.ArgumentError, match=rf"has format {version}, which is later than can be read here \(1\)"
    ):
        kind.read(path)
    path.write_bytes(together(content[:8], version, b"something else altogether", b""))
    with pytest.raises(sw.ArgumentError, match=f"has format {version}, which is later"):
        kind.read(path)


def test_there_is_no_format_0(whole):
    kind, content, path = whole
    length = LEAD.unpack_from(content)[2]
    rest = content[LEAD.size + length : -32]
    path.write_bytes(together(content[:8], 0, content[LEAD.size : LEAD.size + length], rest))
    with pytest.raises(sw.ArgumentError, match="is damaged: there is no format 0"):
        kind.read(path)


@pytest.mark.parametrize(
    "other", [b"PK\x03\x04 a zip", b"{}", b"SLATEXXX" + bytes(90), pickle.dumps([1, 2, 3])]
)
def test_a_file_of_another_kind_is_told_so(whole, other):
    kind, content, path = whole
    swapped = {b"SLATEWSE": b"SLATECAT", b"SLATECAT": b"SLATEWSE"}[content[:8]]
    for bytes_of_it in (other, swapped + content[8:]):
        path.write_bytes(bytes_of_it)
        with pytest.raises(sw.ArgumentError, match=f"path: .* is no file of {kind.what}"):
            kind.read(path)


def test_a_file_that_is_not_there_is_the_systems_error(whole):
    kind, _, path = whole
    with pytest.raises(FileNotFoundError):
        kind.read(path.with_name("nothing"))


# ------------------------------------------------------------------------------ hostile: the checksum fits


def used(kind: Kind, loaded: Any) -> None:
    """Go on with what was loaded: whatever a file holds, a `ValueError` is the worst."""
    if kind.policy is None:
        loaded.with_items(FRAME).problem([loaded.cardinality(1)])
        return
    for user in (*loaded.users[:2], "new"):
        try:
            slate = loaded.select(user, kind.context)
            loaded.update(slate, [0.5] * len(slate))
            str(loaded.explain(slate))
        except ValueError:
            continue
    for number in list(loaded.open_slates):
        try:
            loaded.update(number, [0.5] * len(loaded.open_slates[number]))
            str(loaded.explain(number))
        except ValueError:
            continue


def refused(kind: Kind, path: Any, content: bytes) -> None:
    """The file must be refused, as damaged or by what differs."""
    path.write_bytes(content)
    with pytest.raises(sw.ArgumentError):
        kind.read(path)


def endured(kind: Kind, path: Any, content: bytes) -> None:
    """The file may be read or be refused; nothing else."""
    path.write_bytes(content)
    try:
        loaded = kind.read(path)
    except ValueError:
        return
    with np.errstate(all="ignore"):
        used(kind, loaded)


MANY = 2**62
HEADERS = {
    "nothing": b"",
    "no JSON": b"\xff\xfe{",
    "no object": b"[1, 2]",
    "null": b"null",
    "empty": b"{}",
    "deep lists": b'{"policy": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "deep objects": b'{"policy": ' + b'{"a": ' * 100_000 + b"1" + b"}" * 100_000 + b"}",
    "a long number": b'{"next_number": ' + b"9" * 10_000 + b"}",
    "keys twice": b'{"arrays": [], "arrays": []}',
}


@pytest.mark.parametrize("header", HEADERS)
def test_headers_that_are_none(whole, header):
    kind, content, path = whole
    length = LEAD.unpack_from(content)[2]
    refused(kind, path, together(content[:8], 1, HEADERS[header], content[LEAD.size + length : -32]))


@pytest.mark.parametrize("length", [0, 1, 2**31, 2**63, 2**64 - 1])
def test_headers_of_another_length_than_they_say(whole, length):
    kind, content, path = whole
    own = LEAD.unpack_from(content)[2]
    body = content[LEAD.size : -32]
    refused(kind, path, together(content[:8], 1, body[:own], body[own:], length))


@pytest.mark.parametrize("more", [b"\0", bytes(8), bytes(800), -1, -8], ids=range(5))
def test_more_or_fewer_numbers_than_the_header_lists(whole, more):
    kind, content, path = whole
    length = LEAD.unpack_from(content)[2]
    data = content[LEAD.size + length : -32]
    data = data + more if isinstance(more, bytes) else data[:more]
    path.write_bytes(together(content[:8], 1, content[LEAD.size : LEAD.size + length], data))
    with pytest.raises(sw.ArgumentError, match=r"path: .* is damaged: ."):
        kind.read(path)


ARRAYS = {
    "huge": {"type": "<f8", "shape": [MANY, MANY]},
    "as large as can be": {"type": "<f8", "shape": [2**60 - 1]},
    "beyond any index": {"type": "<f8", "shape": [2**70]},
    "nothing, many times": {"type": "<f8", "shape": [0, MANY]},
    "nothing, beyond any index": {"type": "<f8", "shape": [0, 2**70]},
    "negative": {"type": "<f8", "shape": [-1]},
    "negative twice": {"type": "<f8", "shape": [-2, -3]},
    "of many axes": {"type": "<f8", "shape": [1] * 100},
    "no axis": {"type": "<f8", "shape": []},
    "a fraction long": {"type": "<f8", "shape": [1.5]},
    "no shape": {"type": "<f8"},
    "objects": {"type": "|O", "shape": [1]},
    "another order of bytes": {"type": ">f8", "shape": [1]},
    "text": {"type": "<U8", "shape": [1]},
    "a record": {"type": "V8", "shape": [1]},
    "a name": {"type": "float64", "shape": [1]},
    "a number for a type": {"type": 8, "shape": [1]},
    "nothing at all": None,
}


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("place", ["first", "last", "one more"])
def test_arrays_that_are_none(whole, array, place):
    kind, content, path = whole
    header, arrays = apart(content)
    if place == "one more":
        header["arrays"].append(ARRAYS[array])
    elif arrays:
        header["arrays"][0 if place == "first" else -1] = ARRAYS[array]
    else:
        pytest.skip("the file has no arrays")
    refused(kind, path, altered(content, header))


def references(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in a header an array is spoken of."""
    if isinstance(value, dict):
        own = [path] if value.get("type") == "array" else []
        return own + [one for key, part in value.items() for one in references(part, (*path, key))]
    if isinstance(value, list):
        return [one for place, part in enumerate(value) for one in references(part, (*path, place))]
    return []


@pytest.mark.parametrize("index", [-1, -2, 10_000, 2**70, 0.5, "0", None, True])
def test_places_that_are_none(whole, index):
    kind, content, path = whole
    header, _ = apart(content)
    for place in references(header):
        other = copy.deepcopy(header)
        at(other, place)["index"] = index
        refused(kind, path, altered(content, other))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place within a header."""
    steps: Any = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    return [path, *(one for step, part in steps for one in places(part, (*path, step)))]


def test_whatever_is_missing_is_missed_and_whatever_is_more_is_left_out(whole):
    kind, content, path = whole
    header, _ = apart(content)
    optional = {"fitted", "names", "type"}
    for place in places(header):
        if place and isinstance(place[-1], str) and place[0] != "arrays":
            other = copy.deepcopy(header)
            del at(other, place[:-1])[place[-1]]
            unset = place[0] == "policy" and at(header, place) is None
            tell = endured if place[-1] in optional or unset else refused
            tell(kind, path, altered(content, other))
        if isinstance(at(header, place), dict) and place[:1] != ("policy",):
            other = copy.deepcopy(header)
            at(other, place)["__reduce__"] = "os.system"
            endured(kind, path, altered(content, other))


REFERENCE = {"type": "array", "index": 0}
EMPTY = {"type": "nested", "fields": {}}
WRONG = [None, True, -1, 0, 1, 7, 2**70, -0.5, 1e308, "", "x", "1e999", [], [1], [[]], {}, REFERENCE, EMPTY]


def test_anything_anywhere_in_the_header_is_endured(whole):
    """Each place takes values of all wrong types and sizes in turn."""
    kind, content, path = whole
    header, _ = apart(content)
    found = places(header)
    rng = np.random.default_rng(0)
    for place in [found[i] for i in rng.permutation(len(found))[:150]]:
        for value in [WRONG[i] for i in rng.permutation(len(WRONG))[:5]]:
            if not place:
                other = value
            else:
                other = copy.deepcopy(header)
                at(other, place[:-1])[place[-1]] = value
            endured(kind, path, altered(content, other))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_random_changes_are_endured(kind, data, tmp_path_factory):
    """Several changes at once: values moved about within the file, bytes of arrays anything at all."""
    kind = KINDS[kind]
    content = content_of(kind, tmp_path_factory)
    header, _ = apart(content)
    found = places(header)
    for _ in range(data.draw(st.integers(1, 3))):
        place, other = data.draw(st.sampled_from(found[1:])), data.draw(st.sampled_from(found))
        value = data.draw(st.just(copy.deepcopy(at(header, other))) | st.sampled_from(WRONG))
        try:
            at(header, place[:-1])[place[-1]] = copy.deepcopy(value)
        except (LookupError, TypeError):
            continue
        try:
            json.dumps(header)
        except ValueError:
            return
        found = places(header)
    start = LEAD.size + LEAD.unpack_from(content)[2]
    numbers = np.frombuffer(content[start:-32], "<f8").copy()
    if len(numbers):
        for _ in range(data.draw(st.integers(0, 2))):
            number = st.sampled_from([np.nan, np.inf, -np.inf, 0.0, -1.0, 1e308, 5e-324])
            numbers[data.draw(st.integers(0, len(numbers) - 1))] = data.draw(number)
    path = tmp_path_factory.getbasetemp() / "random"
    endured(kind, path, together(content[:8], 1, json.dumps(header).encode(), numbers.tobytes()))


CONTENTS: dict[int, bytes] = {}


def content_of(kind: Kind, tmp_path_factory: Any) -> bytes:
    """A file's content, written once."""
    if id(kind) not in CONTENTS:
        path = tmp_path_factory.mktemp("content") / "whole"
        kind.write(path)
        CONTENTS[id(kind)] = path.read_bytes()
    return CONTENTS[id(kind)]


# ------------------------------------------------------------------------------ lies that hang together


def lies() -> dict[str, Any]:
    """Changes of a linear agent's header that no type would show, each with a word of the complaint."""

    def of(*path: Any, value: Any) -> Any:
        return lambda header: at(header, path[:-1]).__setitem__(path[-1], value)

    def swapped(header: Any) -> None:
        fields = header["readers"][1]["posterior"]["fields"]
        fields["mean"], fields["covariance"] = fields["covariance"], fields["mean"]

    def doubled(name: str) -> Any:
        return lambda header: header[name].append(copy.deepcopy(header[name][0]))

    block = ("features", 0)
    fields = ("readers", 1, "posterior", "fields")
    return {
        "a block of less than nothing": of(*block, "size", value=-3),
        "blocks that add up": lambda h: h["features"].extend(
            [{"kind": "Modular", "size": 10**15}, {"kind": "Modular", "size": -(10**15)}]
        ),
        "more names than features": of(*block, "names", value=["a", "b", "c", "d"]),
        "a seed below 0": of("seed", value="-1"),
        "a seed that is none": of("seed", value="one"),
        "a seed without end": of("seed", value="9" * 5000),
        "a large seed": of("seed", value="9" * 400),
        "rounds below 0": of("readers", 0, "rounds", value=-1),
        "a user twice": doubled("readers"),
        "a slate twice": doubled("slates"),
        "a slate from the future": of("slates", 0, "number", value=1000),
        "a slate that had expired": of("slates", 0, "number", value=0),
        "numbers that went back": of("next_number", value=0),
        "numbers below 0": lambda h: h.update(first_remembered=-2),
        "all expired": of("first_remembered", value=10**6),
        "an item twice": of("slates", 0, "items", value=[1, 1, 2]),
        "an item below 0": of("slates", 0, "items", value=[-1, 1, 2]),
        "an item less": lambda h: h["slates"][0]["items"].pop(),
        "an id less": lambda h: h["slates"][0]["ids"].pop(),
        "mean for covariance": swapped,
        "another field's array": lambda h: h["slates"][0].update(rewards=h["slates"][0]["features"]),
        "contexts where there are none": of(*fields, "n_context", value=2),
        "other features": of(*fields, "n_features", value=2),
        "a count that is none": of(*fields, "count", value=-1),
        "half a count": of(*fields, "count", value=0.5),
        "no count": of(*fields, "count", value=None),
        "a number for an array": of(*fields, "mean", value=1.0),
        "nothing for an array": of(*fields, "mean", value=None),
        "a posterior for an array": of(*fields, "mean", value={"type": "nested", "fields": {}}),
        "a posterior of nothing": of(*fields, value={}),
    }


@pytest.mark.parametrize("lie", lies())
def test_a_file_that_contradicts_itself_is_damaged(lie, tmp_path):
    kind = KINDS["linear"]
    kind.write(tmp_path / "agent")
    content = (tmp_path / "agent").read_bytes()
    header, _ = apart(content)
    assert header["readers"][1]["posterior"] is not None
    lies()[lie](header)
    (tmp_path / "agent").write_bytes(altered(content, header))
    with pytest.raises(sw.ArgumentError, match=r"path: .* is damaged: ."):
        kind.read(tmp_path / "agent")


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_damage(number, tmp_path):
    for name in ("linear", "contexts", "kernel", "basis", "catalogue"):
        kind = KINDS[name]
        kind.write(tmp_path / "file")
        content = (tmp_path / "file").read_bytes()
        header, arrays = apart(content)
        start = LEAD.size + LEAD.unpack_from(content)[2]
        numbers = np.frombuffer(content[start:-32], "<f8").copy()
        numbers[:] = number
        assert len(arrays)
        (tmp_path / "file").write_bytes(
            together(content[:8], 1, json.dumps(header).encode(), numbers.tobytes())
        )
        with pytest.raises(sw.ArgumentError, match=r"path: .* is damaged: ."):
            kind.read(tmp_path / "file")


WATCHED = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import slatewise as sw
from files import apart, altered, problem, learned
policy = sw.lsb_greedy()
learned(policy).save(sys.argv[2])
sw.Recommender.load(sys.argv[2], problem(), policy)
content = open(sys.argv[2], "rb").read()
hostile = "os.system", "__import__('os').system('touch ' + sys.argv[2] + '.run')", "gASVHQAAAA"
events = []
watching = False
def hook(event, arguments):
    if watching and event not in ("open", "object.__getattr__"):
        events.append(event)
sys.addaudithook(hook)
for text in hostile:
    for change in (
        lambda h: h["policy"].update(kind=text),
        lambda h: h["policy"]["model"].update(kind=text, kernel=text),
        lambda h: h["features"][0].update(kind=text),
        lambda h: h["readers"][1]["posterior"]["fields"].update({text: 1, "__class__": text}),
        lambda h: h["readers"][1]["posterior"].update(type=text),
        lambda h: h["slates"][0].update(policy=text, ids=[text] * 3, user=text),
        lambda h: h.update(slatewise=text),
    ):
        header, _ = apart(content)
        change(header)
        with open(sys.argv[2], "wb") as file:
            file.write(altered(content, header))
        watching = True
        try:
            sw.Recommender.load(sys.argv[2], problem(), policy)
        except ValueError:
            pass
        watching = False
print(sorted(set(events)))
"""


def test_nothing_in_a_file_is_run(tmp_path):
    """Python's own audit sees no import, no compiling, no running, no process."""
    done = subprocess.run(  # noqa: S603 - this test's own program
        [sys.executable, "-c", WATCHED, str(HERE), str(tmp_path / "agent")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
    assert [one.name for one in tmp_path.iterdir()] == ["agent"]
