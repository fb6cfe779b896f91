"""Mass and forces of large energies, on the expression graph."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.graph.computed import Unsupported, computed, is_large, stated
from nsdgen.symbolic.graph.derivative import directional, gradient
from nsdgen.symbolic.graph.node import ONE, ZERO, Node, add, leaf, mul, number

__all__ = ["from_energies"]

_DERIVATIVES = 3
"""How often energies are differentiated: M and F hold second derivatives, W the third ones."""

Described = tuple[sp.Matrix, sp.Matrix, dict[str, sp.Expr]]


def from_energies(kinetic: sp.Expr, potential: sp.Expr, dissipation: sp.Expr, forces: sp.Matrix,
                  q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> Described | None:
    """Mass, forces and energies as values of the graph; ``None`` for energies that are small, or not what T, V, D are.

    With p = dT/dv: M = dp/dv, one column at a time and from the diagonal up, F = Q - dD/dv + d(T - V)/dq - (dp/dq) v
    - dp/dt, where the last two are one directional derivative of p.
    """
    if not is_large([kinetic, potential], _DERIVATIVES):
        return None
    try:
        T, V, D, *Q = stated([kinetic, potential, dissipation, *forces])
        momentum = gradient(T, v)
        columns = [directional(momentum[:j + 1], {s: ONE}) for j, s in enumerate(v)]
        rates = frozenset(v)
        if any(not e.free.isdisjoint(rates) for column in columns for e in column) or any(
                column[-1] == ZERO for column in columns) or not V.free.isdisjoint(rates) or (
                dissipation != 0 and D.free.isdisjoint(rates)):
            return None
        moving = {qi: leaf(vi) for qi, vi in zip(q, v, strict=True)} | {NOW: ONE}
        turning, damping = directional(momentum, moving), gradient(D, v)
        along = gradient(add((T, _negative(V))), q)
    except Unsupported:
        return None
    mass = sp.Matrix(len(q), len(q), lambda i, j: computed(columns[max(i, j)][min(i, j)]))
    force = sp.Matrix([computed(add((Q[i], _negative(damping[i]), along[i], _negative(turning[i]))))
                       for i in range(len(q))])
    return mass, force, {"kinetic_energy": computed(T), "potential_energy": computed(V)}


def _negative(node: Node) -> Node:
    return mul((number(-1), node))
