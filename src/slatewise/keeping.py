"""The file of a `Recommender`: format 1 of `docs/file-format.md`, in a `slatewise.container`."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib.metadata import version
from typing import Any

import msgspec
import numpy as np

from slatewise.configuration import Specification
from slatewise.container import ArrayRef, Header, read_container, records, stored, write_container
from slatewise.errors import reject
from slatewise.features import FeatureBlock, FeatureSpace
from slatewise.ledger import Entry, Ledger, Reader, User
from slatewise.models import Posterior
from slatewise.policies import Policy, State
from slatewise.slate import Slate
from slatewise.typing import Array

MAGIC = b"SLATEWSE"
VERSION = 1


class Nested(msgspec.Struct, tag="nested"):
    """The fields of a value within a value."""

    fields: dict[str, int | float | ArrayRef | Nested | None]


Field = int | float | None | ArrayRef | Nested


class ReaderRecord(msgspec.Struct):
    """A user: the key, how many slates were chosen, and what is known beyond the prior, if anything."""

    user: str | int | None
    rounds: int
    posterior: Nested | None


class SlateRecord(msgspec.Struct):
    """A remembered slate, and the rewards accepted for it."""

    user: str | int | None
    number: int
    items: tuple[int, ...]
    ids: tuple[str | int, ...] | None
    features: ArrayRef
    mean: ArrayRef
    std: ArrayRef
    rewards: ArrayRef
    score: float | None
    threshold: float | None
    context: ArrayRef | None
    n_candidates: int | None
    propensity: ArrayRef | None
    policy: str | None


class RecommenderHeader(Header):
    """Everything but the numbers of the arrays."""

    slatewise: str
    policy: dict[str, Any]
    features: list[FeatureBlock]
    seed: str
    next_number: int
    first_remembered: int
    readers: list[ReaderRecord]
    slates: list[SlateRecord]


@dataclass(frozen=True)
class Kept:
    """What a `Recommender` is made of, but for its problem."""

    policy: Policy
    seed: int
    readers: dict[User, Reader]
    ledger: Ledger
    feature_space: FeatureSpace


def write(path: str | os.PathLike[str], kept: Kept) -> None:
    """Write a file, or leave the old one as it was."""
    arrays: list[Array] = []
    write_container(path, MAGIC, VERSION, described(kept, arrays), arrays)


def described(kept: Kept, arrays: list[Array]) -> RecommenderHeader:
    """Return the header, and put the arrays that it speaks of on the list."""
    specification = kept.policy.specification
    nameless = unnameable([specification, [block.kind for block in kept.feature_space.blocks]])
    if nameless is not None:
        reject(
            "policy", f"cannot be saved, because {nameless!r} has no name by which it could be found again"
        )
    slates = [slate_record(entry, arrays) for entry in kept.ledger.entries.values()]
    readers = [
        ReaderRecord(
            user,
            reader.rounds,
            None if reader.state.posterior.n_observations == 0 else nested(reader.state.posterior, arrays),
        )
        for user, reader in kept.readers.items()
    ]
    return RecommenderHeader(
        slatewise=version("slatewise"),
        policy=specification,
        features=list(kept.feature_space.blocks),
        seed=str(kept.seed),
        next_number=kept.ledger.next_number,
        first_remembered=kept.ledger.first_remembered,
        readers=readers,
        slates=slates,
        arrays=records(arrays),
    )


def unnameable(value: object) -> str | None:
    """Return a name within a specification that says where a callable was, not where it is found."""
    if isinstance(value, dict):
        return unnameable(list(value.values()))
    if isinstance(value, list | tuple):
        return next((found for part in value if (found := unnameable(part)) is not None), None)
    return value if isinstance(value, str) and ("<lambda>" in value or "<locals>" in value) else None


def slate_record(entry: Entry, arrays: list[Array]) -> SlateRecord:
    """Return the record of a slate."""
    slate = entry.slate
    for place, identity in enumerate(slate.ids or ()):
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            reject("ids", f"must be strings or whole numbers to be saved, but ids[{place}] is {identity!r}")
    return SlateRecord(
        user=entry.user,
        number=-1 if slate.number is None else slate.number,
        items=slate.items,
        ids=slate.ids,  # type: ignore[arg-type]  # just looked at
        features=stored(slate.features, arrays),
        mean=stored(slate.mean, arrays),
        std=stored(slate.std, arrays),
        rewards=stored(entry.rewards, arrays),
        score=None if math.isnan(slate.score) else slate.score,
        threshold=slate.threshold,
        context=None if slate.context is None else stored(slate.context, arrays),
        n_candidates=slate.n_candidates,
        propensity=None if slate.propensity is None else stored(slate.propensity, arrays),
        policy=slate.policy,
    )


def nested(value: object, arrays: list[Array]) -> Nested:
    """Return what a posterior knows: its numbers and arrays, and those of posteriors within it."""
    if not is_dataclass(value):
        reject("model", f"cannot be saved, because a {type(value).__name__} is no dataclass")
    found: dict[str, Field] = {}
    for field in fields(value):
        part = getattr(value, field.name)
        if isinstance(part, np.ndarray):
            found[field.name] = stored(part, arrays)
        elif isinstance(part, Posterior):
            found[field.name] = nested(part, arrays)
        elif part is None or isinstance(part, int | float):
            found[field.name] = part
    return Nested(found)


def read(path: str | os.PathLike[str], policy: Policy, space: FeatureSpace) -> Kept:
    """Return what a file holds, for the same policy and features."""
    header, arrays = read_container(path, MAGIC, VERSION, RecommenderHeader, "a Recommender")
    found = FeatureSpace(tuple(header.features))
    difference = found.difference(space)
    if difference is not None:
        reject("problem", f"is over other features than the file: {difference}, the file being the one")
    other = specification_difference(
        header.policy, msgspec.json.decode(msgspec.json.encode(policy.specification))
    )
    if other is not None:
        reject("policy", f"is another than the file's: {other}")
    prior = policy.model.prior(space.n_features)
    return Kept(
        policy,
        int(header.seed),
        {
            record.user: Reader(
                State(space, restored(prior, record.posterior, arrays), policy.model.fingerprint),
                record.rounds,
            )
            for record in header.readers
        },
        Ledger(
            {record.number: entry_of(record, arrays, space) for record in header.slates},
            header.next_number,
            header.first_remembered,
        ),
        space,
    )


def restored(prior: Posterior, record: Nested | None, arrays: list[Array]) -> Posterior:
    """Return a posterior from what it knows, its configuration being the prior's."""
    if record is None:
        return prior
    values: dict[str, Any] = {}
    for name, part in record.fields.items():
        if not hasattr(prior, name):
            reject("path", f"is damaged: a {type(prior).__name__} has no {name}")
        values[name] = (
            arrays[part.index]
            if isinstance(part, ArrayRef)
            else restored(getattr(prior, name), part, arrays)
            if isinstance(part, Nested)
            else part
        )
    return replace(prior, **values)  # type: ignore[type-var]  # only dataclasses are saved


def entry_of(record: SlateRecord, arrays: list[Array], space: FeatureSpace) -> Entry:
    """Return a remembered slate."""

    def array(ref: ArrayRef | None) -> Any:  # noqa: ANN401 - None where there was none
        return None if ref is None else arrays[ref.index]

    slate = Slate(
        items=record.items,
        features=array(record.features),
        feature_space=space,
        mean=array(record.mean),
        std=array(record.std),
        score=math.nan if record.score is None else record.score,
        threshold=record.threshold,
        context=array(record.context),
        ids=record.ids,
        number=record.number,
        n_candidates=record.n_candidates,
        propensity=array(record.propensity),
        policy=record.policy,
    )
    return Entry(record.user, slate, array(record.rewards))


def specification_difference(theirs: Specification, ours: Specification, where: str = "policy") -> str | None:
    """Name the first field in which two specifications differ."""
    for name in [*theirs, *(name for name in ours if name not in theirs)]:
        one, other = theirs.get(name), ours.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            found = specification_difference(one, other, f"{where}.{name}")
            if found is not None:
                return found
        elif one != other:
            return f"{where}.{name} is {one!r} in the file, {other!r} here"
    return None
