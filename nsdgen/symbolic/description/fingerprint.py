"""What a user can still change about a model after it was made, as a value that is cheap to make and to compare.

Systems and relations are objects with lists and matrices in them: forces are applied to a body, relations added to a
model. A fingerprint holds what these refer to. Comparing two of the same objects compares references, so that a
model which nobody touched is recognised in microseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import sympy as sp

__all__ = ["fingerprint"]


def fingerprint(objects: Sequence[Any], *values: Any) -> tuple[Any, ...]:
    """The attributes of systems and relations (and of the prototypes of copies), and further values.

    Two fingerprints are equal where nothing was exchanged, added, removed or set between them. Tuples and whatever
    else cannot be changed count as what they are; lists, dictionaries and mutable matrices by their entries.
    """
    return (*(_of_object(o) for o in objects), *(_of_value(v) for v in values))


def _of_object(item: Any) -> tuple[Any, ...]:
    """An object and what its attributes refer to, its prototype's attributes included."""
    attributes = getattr(item, "__dict__", {})
    own = tuple([(name, _of_value(value)) for name, value in attributes.items() if name != "prototype"])
    return (id(item), own, _of_object(attributes["prototype"])) if "prototype" in attributes else (id(item), own)


def _of_value(value: Any) -> Any:
    kind: Any = type(value)
    made = _of_type(kind)
    return value if made is None else made(value)


@cache
def _of_type(kind: type) -> Callable[[Any], Any] | None:
    """How values of a type are written down; None: as what they are."""
    if issubclass(kind, Mapping):
        return _of_mapping
    if issubclass(kind, list):
        return _of_list
    if issubclass(kind, sp.MatrixBase) and not issubclass(kind, sp.Basic):
        return _of_matrix
    return _of_array if hasattr(kind, "dtype") and hasattr(kind, "flat") else None


def _of_mapping(value: Mapping[Any, Any]) -> Any:
    return tuple([(key, _of_value(entry)) for key, entry in value.items()])


def _of_list(value: list[Any]) -> Any:
    """Entries that are arrays cannot be compared as they are."""
    kinds: set[Any] = set(map(type, value))
    return tuple(map(_of_value, value)) if any(_of_type(kind) is _of_array for kind in kinds) else tuple(value)


def _of_matrix(value: Any) -> Any:
    items = getattr(value, "iter_items", None)  # from SymPy 1.14 on, and four times as fast
    return value.shape, value.todok() if items is None else dict(items())  # a banded matrix costs what its entries do


def _of_array(value: Any) -> Any:
    return tuple(value.flat)
