"""Witnesses: what every name of a claim stands for at one point.

A witness of a counterexample comes from its point; those of challenges are drawn. Values of unknown functions
are given at places; a function is then, near each of its places, the Taylor polynomial of what is known there, and
elsewhere some smooth function that depends on its name alone. Such pieces are parts of one smooth function.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from math import factorial, prod
from typing import Any
from zlib import crc32

import mpmath
import sympy as sp

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.verify.cleaning import Value

_ENTRY = re.compile(r"(.+)\[(\d+), (\d+)\]")
_NEAR = 1e-4  # within it a function is the Taylor polynomial of a place; within its square two places are one


@dataclass(frozen=True)
class Witness:
    """Exact or numerical values by name: scalars, entries of matrices (``A[0, 1]``), sizes.

    ``known`` are the names that are values of unknown functions.
    """

    scalars: Mapping[str, Any]
    sizes: Mapping[str, int] = field(default_factory=dict)
    known: tuple[Value, ...] = ()

    def written(self) -> tuple[tuple[str, str], ...]:
        """Names and values as texts: sizes, numbers in the order of their names, then matrices, row by row."""
        entries: dict[str, dict[tuple[int, int], str]] = {}
        told = [(name, str(n)) for name, n in self.sizes.items()]
        for name, value in sorted(self.scalars.items()):
            place = _ENTRY.fullmatch(name)
            if place:
                entries.setdefault(place[1], {})[int(place[2]), int(place[3])] = _text(value)
            else:
                told.append((name, _text(value)))
        for name, own in sorted(entries.items()):
            last = max(own)
            if len(own) < (last[0] + 1) * (last[1] + 1):  # the others may be anything
                told += [(f"{name}[{i}, {j}]", value) for (i, j), value in own.items()]
                continue
            rows = (" ".join(own[i, j] for j in range(last[1] + 1)) for i in range(last[0] + 1))
            told.append((name, f"[{'; '.join(rows)}]"))
        return tuple(told)

    @cached_property
    def exact(self) -> bool:
        """Whether no value came from an iteration."""
        return not any(isinstance(v, mpmath.mpf | mpmath.mpc) for v in self.scalars.values())

    def scalar(self, name: str) -> Any:
        """The number that a name stands for at the working precision; None where it stands for none."""
        if name in self.sizes:
            return mpmath.mpf(self.sizes[name])
        value = self.scalars.get(name)
        return None if value is None else self.number(value)

    @staticmethod
    def number(value: Any) -> Any:
        """A value as a number of the working precision."""
        if isinstance(value, mpmath.mpf | mpmath.mpc):
            return value
        value = as_expression(value)
        if isinstance(value, sp.Rational):
            return mpmath.mpf(value.p) / value.q
        return sp.N(value, mpmath.mp.dps + 5)._to_mpmath(mpmath.mp.prec + 10)

    def function(self, name: str, arguments: Sequence[Any], evaluate: Any) -> Any:
        """The value of an unknown function."""
        places: dict[tuple[Any, ...], dict[tuple[int, ...], Any]] = {}
        for k in self.known:
            if k.function == name and len(k.arguments) == len(arguments):
                at = tuple(evaluate(a) for a in k.arguments)
                value = self.scalar(k.symbol.name)
                if value is not None and all(abs(x - a) < _NEAR for x, a in zip(arguments, at, strict=True)):
                    key = next(
                        (p for p in places if all(abs(x - a) < _NEAR**2 for x, a in zip(p, at, strict=True))), at
                    )
                    places.setdefault(key, {})[k.orders] = value
        if not places:
            return _generic(name, arguments)
        place = min(places, key=lambda p: sum(abs(x - a) for x, a in zip(arguments, p, strict=True)))
        return mpmath.fsum(
            value * mpmath.fprod((x - a) ** n / factorial(n) for x, a, n in zip(arguments, place, orders, strict=True))
            for orders, value in places[place].items()
        )


def _text(value: Any) -> str:
    return str(value) if isinstance(value, sp.Basic | int) else str(mpmath.nstr(value, 30))


def _generic(name: str, arguments: Sequence[Any]) -> Any:
    """A smooth function without symmetry that depends on the name."""
    seed = crc32(name.encode())
    weights = [mpmath.mpf(1 + (seed >> (5 * k)) % 29) / 17 for k in range(len(arguments) + 1)]
    inner = mpmath.fsum(w * x for w, x in zip(weights, arguments, strict=False))
    cross = mpmath.fsum(a * b for a, b in pairwise(arguments)) if len(arguments) > 1 else mpmath.mpf(0)
    return weights[-1] + inner / 3 + mpmath.sin(inner + prod(weights)) + cross / 7
