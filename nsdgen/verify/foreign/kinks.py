"""Where an expression changes its formula: kinks, jumps and branch points, and points on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mpmath
import sympy as sp
from sympy.core.relational import Relational

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign
from nsdgen.symbolic.graph.running_error import evaluate

NEAR = 1e-11
"""A switch whose value is smaller than this, relative to its terms, may go either way in double precision."""


@dataclass(frozen=True)
class Switch:
    """``value`` is 0 where the formula changes; ``text`` says so to a reader."""

    value: sp.Expr
    text: str


def switches(expressions: Iterable[sp.Basic]) -> tuple[Switch, ...]:
    """The switches of expressions, each once, in the order they are met; those without symbols are left out."""
    found: dict[sp.Expr, Switch] = {}
    for expression in expressions:
        for node in sp.preorder_traversal(expression):
            for switch in _of(node):
                if switch.value.free_symbols:
                    found.setdefault(switch.value, switch)
    return tuple(found.values())


def _of(node: sp.Basic) -> Iterator[Switch]:
    if isinstance(node, sp.Abs | sp.sign | Sign | sp.Heaviside):
        yield _zero(node.args[0])
    elif isinstance(node, sp.Max | sp.Min):
        args = list(node.args)
        yield from (_zero(a - b) for i, a in enumerate(args) for b in args[:i])
    elif isinstance(node, sp.Mod | Modulo):
        a, b = node.args
        yield Switch(sp.sin(sp.pi * a / b), f"{a} is a multiple of {b}")
    elif isinstance(node, sp.floor | sp.ceiling | Floor):
        yield Switch(sp.sin(sp.pi * node.args[0]), f"{node.args[0]} is an integer")
    elif isinstance(node, sp.Piecewise | Branch):
        for condition in node.conditions if isinstance(node, Branch) else [c for _, c in node.args]:
            for relation in condition.atoms(Relational):
                yield _zero(relation.lhs - relation.rhs)
    elif isinstance(node, sp.Pow) and not node.exp.is_integer and node.exp.is_number and not node.base.is_positive:
        yield _zero(node.base)
    elif isinstance(node, sp.atan2):
        yield Switch(node.args[0], f"{node.args[0]} = 0 in atan2")


def _zero(value: sp.Expr) -> Switch:
    return Switch(value, f"{value} = 0")


def nearby(found: Sequence[Switch], values: Mapping[sp.Symbol, Any]) -> Switch | None:
    """The first switch that a point is on or near, to the accuracy of double precision."""
    for switch in found:
        try:
            value = abs(evaluate(switch.value, values))
            terms = switch.value.args if isinstance(switch.value, sp.Add) else ()
            size = max([abs(evaluate(t, values)) for t in terms], default=mpmath.mpf(0))
        except (TypeError, ZeroDivisionError, ValueError):
            continue
        if value <= NEAR * size or value == 0 or (isinstance(switch.value, sp.sin) and value <= 1e-9):
            return switch
    return None


def onto_switch(
    switch: Switch, values: Mapping[sp.Symbol, float], movable: Sequence[sp.Symbol]
) -> tuple[dict[sp.Symbol, float], sp.Symbol] | None:
    """The point moved onto a switch along one symbol, and that symbol; None where no symbol reaches it."""
    for symbol in movable:
        if symbol not in switch.value.free_symbols:
            continue
        try:
            with mpmath.workdps(40):
                root = mpmath.findroot(
                    lambda x, s=symbol: evaluate(switch.value, {**values, s: x}), values[symbol] or 0.25, tol=1e-60
                )
        except (ValueError, ZeroDivisionError, TypeError):
            continue
        if isinstance(root, mpmath.mpf) and mpmath.isfinite(root):
            return {**values, symbol: float(root)}, symbol
    return None
