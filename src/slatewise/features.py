"""What the d features of an objective mean: the one thing that learning and choosing must share."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property

from slatewise.checks import listed
from slatewise.errors import reject


def digest(content: bytes) -> str:
    """Return a short digest, the same in every process."""
    return hashlib.sha256(content).hexdigest()[:16]


@dataclass(frozen=True)
class FeatureBlock:
    """Features that stand side by side and are of one kind.

    Parameters
    ----------
    kind
        The kind of objective, with whatever defines its functions (``ConcaveOverModular(sqrt)``).
    size
        How many features the block has.
    names
        Their names, where they have any.
    fitted
        A fingerprint of what was fitted to make the features (a vocabulary, centroids).
    """

    kind: str
    size: int
    names: tuple[str, ...] | None = None
    fitted: str = ""


@dataclass(frozen=True)
class FeatureSpace:
    """The meaning of the d features, in order; items, costs and limits are no part of it.

    Two problems share what is learned exactly where their feature spaces are equal.

    Parameters
    ----------
    blocks
        Features of one kind each, in order; `of` makes a space of one block, `concatenate` joins spaces.

    Examples
    --------
    >>> import slatewise as sw
    >>> today = sw.Modular([[1.0, 2.0]], names=["politics", "science"]).feature_space
    >>> tomorrow = sw.Modular([[0.0, 5.0], [1.0, 1.0]], names=["politics", "science"]).feature_space
    >>> today == tomorrow
    True
    >>> other = sw.Coverage([[True, False]], names=["politics", "science"]).feature_space
    >>> today.difference(other)
    'the kind of objective is Modular in one, Coverage in the other'
    """

    blocks: tuple[FeatureBlock, ...]

    @classmethod
    def of(cls, kind: str, size: int, names: Sequence[str] | None = None) -> FeatureSpace:
        """Return the space of one block, its names checked."""
        if names is None:
            return cls((FeatureBlock(kind, size),))
        clean = tuple(str(name) for name in listed(names, "names"))
        if len(clean) != size:
            reject("names", f"must name each of the {size} features, but has {len(clean)}")
        if len(set(clean)) != size:
            twice = next(name for name in clean if clean.count(name) > 1)
            reject("names", f"must be different, but {twice!r} stands at {clean.index(twice)} and later")
        return cls((FeatureBlock(kind, size, clean),))

    @classmethod
    def concatenate(cls, spaces: Iterable[FeatureSpace]) -> FeatureSpace:
        """Return the features of several spaces, one after the other."""
        return cls(tuple(block for space in spaces for block in space.blocks))

    def with_fitted(self, fingerprint: str) -> FeatureSpace:
        """Return the space whose blocks know what was fitted to make them."""
        return FeatureSpace(tuple(replace(block, fitted=fingerprint) for block in self.blocks))

    @property
    def n_features(self) -> int:
        """d, the number of features."""
        return sum(block.size for block in self.blocks)

    @property
    def names(self) -> tuple[str, ...]:
        """A different name for each feature; ``feature 3`` where none was given."""
        names: list[str] = []
        for block in self.blocks:
            unnamed = (f"feature {len(names) + i}" for i in range(block.size))
            names.extend(block.names or unnamed)
        seen: set[str] = set()
        for place, name in enumerate(names):
            if name in seen:
                names[place] = f"{name} (feature {place})"
            seen.add(names[place])
        return tuple(names)

    @cached_property
    def fingerprint(self) -> str:
        """A short digest, the same in every process."""
        return digest(json.dumps([astuple(block) for block in self.blocks]).encode())

    def difference(self, other: FeatureSpace) -> str | None:
        """Say how another space differs from this one; ``None`` where it does not."""
        if self == other:
            return None
        if self.n_features != other.n_features:
            longer, shorter = sorted((self, other), key=lambda space: -space.n_features)
            only = next((name for name in longer.names if name not in shorter.names), longer.names[-1])
            return (
                f"there are {self.n_features} features in one, {other.n_features} in the other; "
                f"{only!r}, for one, is only on one side"
            )
        mine, theirs = (" + ".join(block.kind for block in space.blocks) for space in (self, other))
        if mine != theirs:
            return f"the kind of objective is {mine} in one, {theirs} in the other"
        for index, (name, its) in enumerate(zip(self.names, other.names, strict=True)):
            if name != its:
                return f"feature {index} is {name!r} in one, {its!r} in the other"
        return "what was fitted to make the features differs"
