"""What a user can still change about a model after it was made, and whether he did.

Systems and relations are objects with lists and matrices in them: forces are applied to a body, relations added to a
model. A snapshot holds what these referred to, and what was in all that can be changed in place. Asking it again
compares references first, so that a model which nobody touched is recognised in microseconds.
"""

import operator
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Literal

import sympy as sp


class Snapshot:
    """The attributes of systems and relations (and of the prototypes of copies), and further values, as they are now.

    Lists, dictionaries, arrays and mutable matrices count by their entries, also inside each other and inside tuples;
    whatever else is an attribute counts as what it is.
    """

    def __init__(self, objects: Sequence[Any], *values: Any) -> None:
        self._objects, self._values = tuple(objects), values
        self._attributes = [(o, dict(_attributes(o))) for o in _with_prototypes(objects)]
        self._contents: list[tuple[Any, Any]] = []
        self._arrays: list[tuple[Any, Any]] = []
        for value in (*values, *(v for _, attributes in self._attributes for v in attributes.values())):
            self._look_into(value)

    def holds(self, objects: Sequence[Any], *values: Any) -> bool:
        """Whether these are the objects and values it was taken of, and nothing in them was exchanged, added, removed
        or set.

        What is equal to what it takes the place of is no change, whichever of the two is changed later.
        """
        try:
            return (
                len(objects) == len(self._objects)
                and all(map(operator.is_, objects, self._objects))
                and values == self._values
                and all(_attributes(o) == then for o, then in self._attributes)
                and all(now == then for now, then in self._contents)
                and all(_entries(now) == then for now, then in self._arrays)
            )
        except Exception:  # an array or a matrix took the place of something else, with which it cannot be compared
            return False

    def _look_into(self, value: Any) -> None:
        """Note what is in a value that can be changed in place."""
        own: Any = type(value)
        kind = _kind(own)
        if kind == "array":
            self._arrays.append((value, _entries(value)))
        elif kind == "matrix":
            self._contents.append((value, value.copy()))
        elif kind is not None:
            inside = dict(value) if kind == "mapping" else list(value)
            if kind != "tuple":
                self._contents.append((value, inside))
            for entry in inside.values() if isinstance(inside, dict) else inside:
                self._look_into(entry)


def _attributes(item: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(item, "__dict__", {})
    return found


def _with_prototypes(objects: Sequence[Any]) -> Iterator[Any]:
    """Objects, each followed by what it is a copy of."""
    for item in objects:
        yield item
        if "prototype" in (attributes := _attributes(item)):
            yield from _with_prototypes([attributes["prototype"]])


@cache
def _kind(kind: type) -> Literal["mapping", "list", "tuple", "matrix", "array"] | None:
    """What there is in values of a type that can be changed; None: nothing."""
    if issubclass(kind, Mapping):
        return "mapping"
    if issubclass(kind, list | tuple):
        return "list" if issubclass(kind, list) else "tuple"
    if issubclass(kind, sp.MatrixBase) and not issubclass(kind, sp.Basic):
        return "matrix"
    return "array" if hasattr(kind, "dtype") and hasattr(kind, "flat") else None


def _entries(array: Any) -> tuple[Any, ...]:
    return array.shape, tuple(array.flat)
