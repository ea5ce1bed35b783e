"""Files taken apart and put together again, the checksum made to fit."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np

import slatewise as sw

LEAD = struct.Struct("<8sIQ")
NAMES = ["politics", "science", "sport"]
D = len(NAMES)
HERE = Path(__file__).parent


def problem() -> sw.Problem:
    """Five items with ids under two limits."""
    amounts = [[0.5, 0.0, 0.25], [0.25, 0.5, 0.0], [0.0, 1.0, 0.0], [0.75, 0.25, 0.5], [0.0, 0.0, 0.125]]
    limits = [sw.Cardinality(3, name="items"), sw.Knapsack([1.0, 2.0, 3.0, 1.0, 0.0], 5.0, name="minutes")]
    return sw.Problem(sw.ProbabilisticCoverage(amounts, names=NAMES), limits, ids=["a", "b", "ç", 4, 2**70])


def learned(policy: sw.Policy, context: np.ndarray | None = None, seed: int = 2**80) -> sw.Recommender:
    """An agent with several users, slates of all sorts, and some that have expired."""
    agent = sw.Recommender(problem(), policy, seed)
    for user in ("ada", None, 0, "0", 2**70):
        agent.select(user, context)
    agent.update(1, [1.0, np.nan, 0.25][: len(agent.open_slates[1])])
    agent.clicked(2, agent.open_slates[2].ids[:1], seen=2)
    agent.expire(before=1)
    agent.select("ada", context, limits={"items": 0})
    slate = agent.select("ada", context, pinned=["b"])
    agent.clicked(slate, ["b"])
    agent.update(problem().slate([4, 0], context), [0.5, -1.0], user="from elsewhere")
    agent.select("met, and no more", context)
    return agent


def apart(content: bytes) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the arrays of a file, read without the library."""
    _, _, length = LEAD.unpack_from(content)
    header = json.loads(content[LEAD.size : LEAD.size + length])
    arrays, start = [], LEAD.size + length
    for listed in header["arrays"]:
        count = int(np.prod(listed["shape"]))
        arrays.append(np.frombuffer(content, listed["type"], count, start).reshape(listed["shape"]))
        start += arrays[-1].nbytes
    return header, arrays


def together(magic: bytes, version: int, header: bytes, data: bytes, length: int | None = None) -> bytes:
    """A file of these parts, with a checksum that fits."""
    body = LEAD.pack(magic, version, len(header) if length is None else length) + header + data
    return body + hashlib.sha256(body).digest()


def altered(content: bytes, header: Any) -> bytes:
    """The file with another header, its arrays as they were."""
    magic, version, length = LEAD.unpack_from(content)
    return together(magic, version, json.dumps(header).encode(), content[LEAD.size + length : -32])


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a place within lists and objects."""
    for step in path:
        value = value[step]
    return value
