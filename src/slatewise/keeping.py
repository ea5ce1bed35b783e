"""The file of a `Recommender`: format 1 of `docs/file-format.md`, in a `slatewise.container`."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib.metadata import version
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from slatewise.checks import whole_number
from slatewise.configuration import Specification
from slatewise.container import (
    ArrayRef,
    Header,
    array_at,
    damage,
    read_container,
    records,
    stored,
    write_container,
)
from slatewise.errors import reject
from slatewise.features import FeatureBlock, FeatureSpace
from slatewise.ledger import Entry, Ledger, Reader, User, number_of
from slatewise.models import Posterior
from slatewise.models.kernel import BasisPosterior, KernelPosterior
from slatewise.models.linear import LinearPosterior
from slatewise.policies import Policy, State
from slatewise.slate import Slate
from slatewise.typing import Array

MAGIC = b"SLATEWSE"
VERSION = 1
PLACE = re.compile("<lambda>|<locals>| at 0x[0-9a-f]+")
"""What stands in the name of a callable that goes by where it is in memory."""


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
    return value if isinstance(value, str) and PLACE.search(value) else None


def slate_record(entry: Entry, arrays: list[Array]) -> SlateRecord:
    """Return the record of a slate."""
    slate = entry.slate
    for place, identity in enumerate(slate.ids or ()):
        if isinstance(identity, bool) or not isinstance(identity, str | int):
            reject("ids", f"must be strings or whole numbers to be saved, but ids[{place}] is {identity!r}")
    return SlateRecord(
        user=entry.user,
        number=number_of(slate),
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
        elif is_kept(part):
            found[field.name] = part
    return Nested(found)


def is_kept(value: object) -> bool:
    """Return whether a posterior's field is knowledge, not configuration."""
    return value is None or isinstance(value, np.ndarray | Posterior | int | float)


def read(path: str | os.PathLike[str], policy: Policy, space: FeatureSpace) -> Kept:
    """Return what a file holds, for the same policy and features."""
    header, arrays = read_container(path, MAGIC, VERSION, RecommenderHeader, "a Recommender")
    with damage(path):
        found = checked_space(header.features)
    difference = found.difference(space)
    if difference is not None:
        reject("problem", f"is over other features than the file: {difference}, the file being the one")
    other = specification_difference(
        header.policy, msgspec.json.decode(msgspec.json.encode(policy.specification))
    )
    if other is not None:
        reject("policy", f"is another than the file's: {other}")
    prior = policy.model.prior(space.n_features)
    with damage(path):
        return Kept(
            policy,
            whole_number(int(header.seed), "seed", minimum=0),
            readers_of(header, arrays, State(space, prior, policy.model.fingerprint)),
            ledger_of(header, arrays, space),
            space,
        )


def checked_space(blocks: list[FeatureBlock]) -> FeatureSpace:
    """Return the feature space of a file, its blocks being what they say."""
    for block in blocks:
        if block.size < 0 or (block.names is not None and len(block.names) != block.size):
            raise ValueError(f"{block.size} features of the kind {block.kind} are named {block.names}")
    return FeatureSpace(tuple(blocks))


def readers_of(header: RecommenderHeader, arrays: list[Array], newcomer: State) -> dict[User, Reader]:
    """Return the users."""
    readers: dict[User, Reader] = {}
    for record in header.readers:
        if record.user in readers:
            raise ValueError(f"user {record.user!r} is there twice")
        state = newcomer
        if record.posterior is not None:
            state = replace(newcomer, posterior=restored(newcomer.posterior, record.posterior, arrays))
            check_shapes(state.posterior, newcomer.posterior)
        readers[record.user] = Reader(state, whole_number(record.rounds, "rounds", minimum=0))
    return readers


def restored(prior: Posterior, record: Nested, arrays: list[Array]) -> Posterior:
    """Return a posterior from what it knows, its configuration being the prior's."""
    if not is_dataclass(prior):
        raise ValueError(f"a {type(prior).__name__} is no dataclass")
    own = {field.name: getattr(prior, field.name) for field in fields(prior)}
    known = {name for name, value in own.items() if is_kept(value)}
    if missing := known - record.fields.keys():
        raise ValueError(f"a {type(prior).__name__} must have {sorted(missing)}")
    values = {name: restored_field(name, own[name], record.fields[name], arrays) for name in known}
    return replace(prior, **values)


def restored_field(name: str, own: object, part: Field, arrays: list[Array]) -> object:
    """Return a field of a posterior, of the kind that it has in the prior."""
    if isinstance(own, np.ndarray) and isinstance(part, ArrayRef):
        array = array_at(part, arrays, (None,) * own.ndim)
        if not np.isfinite(array).all():
            raise ValueError(f"{name} is not finite")
        return array
    if isinstance(own, Posterior) and isinstance(part, Nested):
        return restored(own, part, arrays)
    if isinstance(own, float) and isinstance(part, int | float) and math.isfinite(part):
        return float(part)
    if own is None and part is None:
        return None
    if (own is None or isinstance(own, int)) and isinstance(part, int) and part >= 0:
        return part
    raise ValueError(f"{name} cannot be {part!r}")


def check_shapes(posterior: Posterior, prior: Posterior) -> None:
    """Raise where the arrays of a posterior do not fit each other, or the features."""
    size = posterior.n_features
    if isinstance(posterior, LinearPosterior):
        wide = size * (posterior.n_context or 1)
        square, row = (wide, wide), (wide,)
        shapes = {"mean": row, "covariance": square, "precision": square, "moment": row}
    elif isinstance(posterior, KernelPosterior):
        length = posterior.n_observations
        shapes = {"rows": (length, size + (posterior.n_context or 0)), "factor": (length, length)}
    elif isinstance(posterior, BasisPosterior):
        length = posterior.linear.n_features
        shapes = {"points": (length, size + (posterior.n_context or 0)), "factor": (length, length)}
        check_shapes(posterior.linear, replace(posterior.linear, n_context=0))
    else:
        shapes = {}
    for name, shape in shapes.items():
        if getattr(posterior, name).shape != shape:
            raise ValueError(f"{name} has the shape {getattr(posterior, name).shape}, not {shape}")
    if size != prior.n_features or (
        isinstance(posterior, LinearPosterior)
        and isinstance(prior, LinearPosterior)
        and posterior.n_context != prior.n_context
    ):
        raise ValueError("what is known is of other features or contexts")


def ledger_of(header: RecommenderHeader, arrays: list[Array], space: FeatureSpace) -> Ledger:
    """Return the slates."""
    numbers = [header.first_remembered - 1, *(record.number for record in header.slates), header.next_number]
    if header.first_remembered < 0 or header.next_number < header.first_remembered:
        raise ValueError(f"slates {header.first_remembered} to {header.next_number} are none")
    if any(one >= other for one, other in pairwise(numbers)):
        raise ValueError("the slates' numbers do not ascend")
    entries = {record.number: entry_of(record, arrays, space) for record in header.slates}
    return Ledger(entries, header.next_number, header.first_remembered)


def entry_of(record: SlateRecord, arrays: list[Array], space: FeatureSpace) -> Entry:
    """Return a remembered slate."""
    length = len(record.items)
    if any(item < 0 for item in record.items) or len(set(record.items)) != length:
        raise ValueError(f"slate {record.number} cannot hold the items {record.items}")
    if record.ids is not None and len(record.ids) != length:
        raise ValueError(f"slate {record.number} has {length} items, but {len(record.ids)} ids")

    def array(ref: ArrayRef | None, shape: tuple[int | None, ...] = (length,)) -> Any:  # noqa: ANN401 - None where there was none
        return None if ref is None else array_at(ref, arrays, shape)

    slate = Slate(
        items=record.items,
        features=array(record.features, (length, space.n_features)),
        feature_space=space,
        mean=array(record.mean),
        std=array(record.std),
        score=math.nan if record.score is None else record.score,
        threshold=record.threshold,
        context=array(record.context, (None,)),
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
