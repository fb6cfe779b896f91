"""How a function is called in a process of its own, and what one call gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Answer:
    """What one call gave: rows * cols numbers in row-major order, or why there are none.

    ``unwritten`` and ``unstable`` are positions in that order: entries that kept their canary,
    and entries that differ between two calls with equal inputs. ``changed`` names inputs that the function wrote.
    """

    kind: Literal["value", "exception", "shape", "status"]
    values: tuple[float, ...] = ()
    message: str = ""
    unwritten: tuple[int, ...] = ()
    unstable: tuple[int, ...] = ()
    changed: tuple[str, ...] = ()


Evaluate: TypeAlias = Callable[[Sequence[Sequence[float]]], Answer]


@dataclass(frozen=True)
class ForeignCall:
    """A function as a worker opens it; ``where`` says in messages where it is from.

    ``guards`` are other ways to call it, by what a memory fault shows.
    """

    where: str
    open: Callable[[], Evaluate]
    guards: Mapping[str, Callable[[], Evaluate]] = field(default_factory=dict)
