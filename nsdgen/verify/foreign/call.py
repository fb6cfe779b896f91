"""What a worker is told about the function it calls: plain data, which any process can unpickle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

GUARD_WORDS = 64
"""Words before and after the output whose change is a write out of bounds."""


@dataclass(frozen=True)
class CArgument:
    """One argument of a C call.

    ``kind`` is ``integer`` (``value`` is passed), ``real`` (input number ``value``, a scalar),
    ``input`` (input number ``value``, an array of ``length``) or ``output``.
    """

    kind: Literal["integer", "real", "input", "output"]
    name: str
    ctype: str
    value: int = 0
    length: int = 0


@dataclass(frozen=True)
class CCall:
    """A function of a shared library; ``status`` says that it returns an int, 0 for success, ``zeroed`` that its
    output is filled with zeros before the call."""

    library: str
    name: str
    slots: tuple[CArgument, ...]
    rows: int
    cols: int
    order: Literal["row", "column"]
    status: bool = False
    zeroed: bool = False


@dataclass(frozen=True)
class PythonCall:
    """A Python function found by module and name; ``path`` is the search path to find it with."""

    module: str
    name: str
    path: tuple[str, ...]
    rows: int
    cols: int
    scalars: tuple[bool, ...]


@dataclass(frozen=True)
class ForkedCall:
    """A Python function handed to a forked process as it is."""

    function: Callable[..., Any]
    rows: int
    cols: int
    scalars: tuple[bool, ...]


@dataclass(frozen=True)
class Answer:
    """What one call gave: rows * cols numbers in row-major order, or why there are none.

    ``unwritten`` and ``unstable`` are positions in that order: entries that kept their canary,
    and entries that differ between two calls with equal inputs. ``overrun`` counts changed guard
    words (before, after); ``changed`` names inputs that the function wrote; ``outside`` says that it touches a guard
    page beside one of its arrays, by reading or writing.
    """

    kind: Literal["value", "exception", "shape", "status"]
    values: tuple[float, ...] = ()
    message: str = ""
    unwritten: tuple[int, ...] = ()
    unstable: tuple[int, ...] = ()
    overrun: tuple[int, int] = (0, 0)
    changed: tuple[str, ...] = ()
    outside: bool = False
