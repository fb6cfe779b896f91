"""Records from what ``json`` made of their text: objects as dataclasses, lists as tuples."""

import typing
from functools import cache
from typing import Any


def built(kind: Any, data: Any) -> Any:
    """``data`` as a value of ``kind``: a dataclass of scalars, of tuples, and of tuples of other dataclasses."""
    if isinstance(data, dict):
        kinds = _kinds(kind)
        return kind(**{name: built(kinds[name], value) for name, value in data.items()})
    if isinstance(data, list):
        inner = next(iter(typing.get_args(kind)), None)
        return tuple(built(inner, item) for item in data)
    return data


@cache
def _kinds(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
