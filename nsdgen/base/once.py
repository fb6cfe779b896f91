"""What is computed once for each object that does not change, and forgotten with it."""

import weakref
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Found = TypeVar("Found")


def once_for_each(function: Callable[[Any], Found]) -> Callable[[Any], Found]:
    """The function of one object, computed once for each object (not for equal ones: comparing them may take long)."""
    known: dict[int, tuple[weakref.ref[Any], Found]] = {}

    @wraps(function)
    def found(thing: Any) -> Found:
        key = id(thing)
        entry = known.get(key)
        if entry is None or entry[0]() is not thing:
            entry = known[key] = weakref.ref(thing, lambda _: known.pop(key, None)), function(thing)
        return entry[1]

    return found
