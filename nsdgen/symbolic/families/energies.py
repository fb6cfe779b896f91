"""Mass and forces of large energies, on the expression graph."""

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.squares import along_inertial
from nsdgen.symbolic.graph.computed import Unsupported, computed, expanded, is_for_graph, stated
from nsdgen.symbolic.graph.derivative import directional, gradient
from nsdgen.symbolic.graph.node import ONE, ZERO, Node, add, leaf, mul, number

_DERIVATIVES = 3
"""How often energies are differentiated: M and F hold second derivatives, W the third ones."""

Described = tuple[sp.Matrix, sp.Matrix, dict[str, sp.Expr]]


def from_energies(
    kinetic: sp.Expr,
    potential: sp.Expr,
    dissipation: sp.Expr,
    forces: sp.Matrix,
    q: Sequence[sp.Symbol],
    v: Sequence[sp.Symbol],
) -> Described | None:
    """Mass, forces and energies as values of the graph; ``None`` for energies that are small, or not what T, V, D are.

    With p = dT/dv: M = dp/dv, one column at a time and from the diagonal up, F = Q - dD/dv + d(T - V)/dq - (dp/dq) v
    - dp/dt, where the last two are one directional derivative of p; or by accelerations (``squares.py``).
    """
    if not is_for_graph([kinetic, potential], _DERIVATIVES):
        return None
    try:
        T, V, D, *Q = stated([kinetic, potential, dissipation, *forces])
        momentum = gradient(T, v)
        columns = [directional(momentum[: j + 1], {s: ONE}) for j, s in enumerate(v)]
        rates = frozenset(v)
        if (
            any(not e.free.isdisjoint(rates) for column in columns for e in column)
            or any(column[-1] == ZERO for column in columns)
            or not V.free.isdisjoint(rates)
            or (dissipation != 0 and D.free.isdisjoint(rates))
        ):
            return None
        moving = _time_passing(q, v)
        damping, inertial = gradient(D, v), along_inertial(T, q, v, moving)
        if inertial is None:
            inner = [gradient(add((T, _negative(V))), q), [_negative(e) for e in directional(momentum, moving)]]
        else:
            inner = [[_negative(slope) for slope in gradient(V, q)], inertial]
    except Unsupported:
        return None
    mass = sp.Matrix(len(q), len(q), lambda i, j: computed(columns[max(i, j)][min(i, j)]))
    force = sp.Matrix(
        [computed(add((own, _negative(damped), *rest))) for own, damped, *rest in zip(Q, damping, *inner, strict=True)]
    )
    return mass, force, {"kinetic_energy": computed(T), "potential_energy": computed(V)}


def inertial_forces(kinetic: sp.Expr, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> list[sp.Expr] | None:
    """dT/dq - (d2T/dv dq) v - d2T/dv dt in SymPy's operations where accelerations tell it; ``None`` elsewhere."""
    try:
        (T,) = stated([kinetic])
        found = along_inertial(T, q, v, _time_passing(q, v))
    except Unsupported:
        return None
    return None if found is None else [expanded(computed(e)) for e in found]


def _time_passing(q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> dict[sp.Symbol, Node]:
    """The direction of time at constant velocities."""
    return {qi: leaf(vi) for qi, vi in zip(q, v, strict=True)} | {NOW: ONE}


def _negative(node: Node) -> Node:
    return mul((number(-1), node))
