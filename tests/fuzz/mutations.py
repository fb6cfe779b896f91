"""Damage to records and files, drawn from a seed: the rule is exit 0 or a named error, whatever comes."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

SCALARS = (
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    7,
    255,
    2**31 - 1,
    2**31,
    -(2**31),
    2**63,
    10**23,
    0.5,
    -0.0,
    1e308,
    1e-320,
    float("nan"),
    float("inf"),
    -float("inf"),
    "",
    "x",
    "1",
    "../x",
    "a\x00b",
    "é" * 50,
    [],
    {},
    [[]],
    [None],
    [0],
    [-1],
    {"0": []},
    [[1, 1]],
    ["x"],
    [1e300],
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values of a JSON document."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def at(data: Any, path: tuple[Any, ...]) -> Any:
    """The value at a path."""
    for key in path:
        data = data[key]
    return data


def mutated(data: Any, rng: random.Random, changes: int = 1) -> Any:
    """A document with some values replaced, left out, doubled, exchanged or moved a little."""
    data = copy.deepcopy(data)
    for _ in range(changes):
        path = rng.choice(list(places(data))[1:] or [()])
        if not path:
            return rng.choice(SCALARS)
        owner, key, value = at(data, path[:-1]), path[-1], at(data, path)
        kind = rng.randrange(6)
        if kind == 0:
            del owner[key]
        elif kind == 1 and isinstance(value, int | float) and not isinstance(value, bool):
            owner[key] = value + rng.choice((-1, 1, 1000, -value - 1))
        elif kind == 2 and isinstance(value, list):
            owner[key] = rng.choice((value * 2, value[:-1], value[::-1], value[1:], [value]))
        elif kind == 3 and isinstance(owner, list):
            owner.insert(key, copy.deepcopy(rng.choice(owner)))
        elif kind == 4:
            owner[key] = copy.deepcopy(at(data, rng.choice(list(places(data)))))
        else:
            owner[key] = copy.deepcopy(rng.choice(SCALARS))
    return data


def spoilt(content: bytes, rng: random.Random) -> bytes:
    """Bytes cut, emptied, with a bit or a byte or a digit changed, a part doubled, moved or overwritten."""
    if not content:
        return b"\x00"
    i, j = sorted((rng.randrange(len(content)), rng.randrange(len(content))))
    part = content[i : min(j, i + 4096)]
    kind = rng.randrange(8)
    if kind == 0:
        return content[:i]
    if kind == 1:
        return b""
    if kind == 2:
        return content[:i] + bytes([content[i] ^ 1 << rng.randrange(8)]) + content[i + 1 :]
    if kind == 3:
        return content[:i] + bytes([rng.randrange(256)]) + content[i + 1 :]
    if kind == 4:
        return content[:i] + part + content[i:]
    if kind == 5:
        return content[:i] + content[i + len(part) :]
    if kind == 6:
        return content[:i] + rng.randbytes(len(part)) + content[i + len(part) :]
    return content[:i] + rng.choice((b"\xff" * 8, b"\x7f\xff\xff\xff", b"[" * 5000, b"\x00" * 64)) + content[i:]


def text_of(data: Any) -> str:
    """A document as a text, also what JSON has no words for."""
    return json.dumps(data, ensure_ascii=False)
