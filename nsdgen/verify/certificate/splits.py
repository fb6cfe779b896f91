"""Arguments of sines and exponentials as sums of few parts, so that addition theorems make them comparable."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from math import gcd, lcm

import sympy as sp

from .texts import written

_MOST_PARTS = 12  # each is one more addition theorem, and terms double with each
_MOST_OPERATIONS = 60  # of an argument: longer ones take their time to expand and are no sums of few parts


def splits_of(arguments: Iterable[sp.Expr]) -> dict[str, list[str]]:
    """The two parts, first one and all others, of every argument that is a sum or a multiple of what others share.

    Multiples of one term are made of its largest part of which all of them are whole multiples.
    """
    terms = {
        a: [t.as_coeff_Mul() for t in sp.Add.make_args(sp.expand(a))]
        for a in arguments
        if a != 0 and sp.count_ops(a) <= _MOST_OPERATIONS
    }
    parts: dict[sp.Expr, sp.Rational] = {}
    for k, rest in (t for own in terms.values() for t in own):
        if k.is_Rational:
            old = parts.get(rest, k)
            below = lcm(old.q, k.q)
            parts[rest] = sp.Rational(gcd(int(old * below), int(k * below)), below)
    found: dict[str, list[str]] = {}
    for a, own in terms.items():
        if all(k.is_Rational for k, _ in own) and sum(abs(k / parts[r]) for k, r in own) <= _MOST_PARTS:
            units = [_text(parts[r] * r, k < 0) for k, r in own for _ in range(abs(int(k / parts[r])))]
            _split(_parsed(written(a)), units, found)
    return found


def _split(text: str, units: list[str], found: dict[str, list[str]]) -> None:
    """Enter the split of a sum of units, and those of the sums that are left."""
    while len(units) > 1 and text not in found:
        first, *units = units
        rest = _parsed(" + ".join(units))
        found[text] = [first, rest]
        text = rest


def _text(unit: sp.Expr, negative: bool) -> str:
    return _parsed(f"-({written(unit)})" if negative else f"({written(unit)})")


def _parsed(text: str) -> str:
    """The spelling of ``ast.unparse``."""
    return ast.unparse(ast.parse(text))
