"""Records from what ``json`` made of a text: every value is of the type that its field declares, or is refused by name.

A package or a cache may be edited, cut or made up; what is read from it becomes sizes and indices of arrays.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from functools import cache
from typing import Any

from nsdgen.base.checks import shown

_LARGEST = 2**31 - 1  # of sizes and indices


class Damaged(ValueError):
    """What a text says cannot be a record; the message says where."""


def read_object(text: str) -> dict[str, Any]:
    """The object that a JSON text holds; raises ``Damaged``."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Damaged(f"it is no JSON: {error}") from error
    if not isinstance(data, dict):
        raise Damaged(f"it holds {shown(data)}, not an object")
    return data


def typed(kind: Any, data: Any, where: str) -> Any:
    """``data`` as a value of ``kind``: a dataclass, a tuple, a union with None, int, float, str or bool.

    Integers lie within 32 bits and floats are no NaN. Raises ``Damaged``, naming the place, for anything else.
    """
    if kind is object:
        return data
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return _object(kind, data, where)
    origin = typing.get_origin(kind)
    if origin is tuple:
        return _sequence(typing.get_args(kind), data, where)
    if origin in (typing.Union, types.UnionType):
        inner = next(k for k in typing.get_args(kind) if k is not type(None))
        return None if data is None else typed(inner, data, where)
    if kind is float and isinstance(data, int | float) and not isinstance(data, bool):
        number = float(data) if isinstance(data, float) or abs(data) < 2**1000 else math.nan
        if not math.isnan(number):
            return data if isinstance(data, int) else number
    elif kind is int and isinstance(data, int) and not isinstance(data, bool):
        if abs(data) <= _LARGEST:
            return data
    elif kind in (str, bool) and isinstance(data, kind):
        return data
    raise Damaged(f"{where} is {shown(data)}, not {'a number' if kind is float else f'of type {kind.__name__}'}")


def each(kind: Any, data: Any, where: str) -> tuple[Any, ...]:
    """A list of values of one kind as a tuple."""
    return _sequence((kind, Ellipsis), data, where)


def _sequence(kinds: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list | tuple):
        raise Damaged(f"{where} is {shown(data)}, not a list")
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(typed(kinds[0], item, f"{where}[{i}]") for i, item in enumerate(data))
    if len(kinds) != len(data):
        raise Damaged(f"{where} has {len(data)} entries, not {len(kinds)}")
    return tuple(typed(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(zip(kinds, data, strict=True)))


def _object(kind: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise Damaged(f"{where} is {shown(data)}, not an object")
    fields = _fields(kind)
    strange = [key for key in data if key not in fields]
    missing = [name for name, (_, needed) in fields.items() if needed and name not in data]
    if strange or missing:
        raise Damaged(f"{where} has no {missing[0]!r}" if missing else f"{where} has a strange {shown(strange[0])}")
    return kind(
        **{
            name: typed(hint, data[name], f"{where}.{name}" if where else name)
            for name, (hint, _) in fields.items()
            if name in data
        }
    )


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    """The type of each field, and whether it must be given."""
    hints = typing.get_type_hints(kind)
    return {
        f.name: (hints[f.name], f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING)
        for f in dataclasses.fields(kind)
    }
