"""Kinetic energies that are sums of squares of velocities: what their equations of motion need not hold.

T = sum_k c_k s_k**2 / 2 with constant c_k, where every s_k = d r_k / dt is the velocity of a point, or the rate of an
angle, in a frame at rest: s_k = a_k(t, q) v + b_k(t, q). Then ds_k/dq_i = d/dt ds_k/dv_i, so that in

    dT/dq - d/dt dT/dv = sum_k c_k s_k (ds_k/dq - d/dt a_k) - c_k a_k ds_k/dt        (v held)

the first part vanishes (Lagrange, Mecanique analytique, 1788). As a difference of two gradients all of it is computed.
Rates along axes that turn with a body are no such s_k.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import sympy as sp

from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.graph.derivative import directional, gradient
from nsdgen.symbolic.graph.node import ONE, ZERO, Node, add, leaf, mul, number
from nsdgen.symbolic.graph.sympy_graph import replaced

_Square = tuple[Node, Node]


def along_inertial(
    T: Node, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol], moving: Mapping[sp.Symbol, Node]
) -> list[Node] | None:
    """dT/dq - (d2T/dv dq) v - d2T/dv dt by the accelerations ds_k/dt at constant v; ``None`` for another T.

    ``moving`` is the direction of time: v of each q, and one of time itself.
    """
    motion = frozenset((*q, *v, NOW))
    squares = _squares(T, ONE, ONE, motion)
    if squares is None or not all(_is_velocity(s, q, v, moving) for _, s in squares):
        return None
    accelerations = directional([s for _, s in squares], moving)
    held = [sp.Symbol(f"acceleration/{k}", real=True) for k in range(len(squares))]
    pairing = add(
        mul((number(2), c, leaf(a), s))
        for (c, s), a, rate in zip(squares, held, accelerations, strict=True)
        if rate != ZERO
    )
    known = replaced(dict(zip(held, accelerations, strict=True)))
    return [mul((number(-1), known(slope))) for slope in gradient(pairing, v)]


def _squares(node: Node, factor: Node, root: Node, motion: frozenset[sp.Symbol]) -> list[_Square] | None:
    """Coefficients c and roots s of factor root**2 node = sum c s**2, where it is such a sum."""
    if node.func is sp.Add:
        parts = [_squares(term, factor, root, motion) for term in node.args]
        return None if None in parts else [square for part in parts if part is not None for square in part]
    if node.func is Let:
        return _squares(node.args[1], factor, root, motion)
    factors = node.args if node.func is sp.Mul else (node,)
    still = mul((factor, *(a for a in factors if motion.isdisjoint(a.free))))
    moved = [a for a in factors if not motion.isdisjoint(a.free)]
    squares = [a for a in moved if a.func is sp.Pow and a.args[1].leaf == 2]
    rest = [a for a in moved if a not in squares]
    under = mul((root, *(a.args[0] for a in squares)))
    if not rest:
        return [(still, under)]
    return _squares(rest[0], still, under, motion) if len(rest) == 1 and rest[0].func in (sp.Add, Let) else None


def _is_velocity(s: Node, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol], moving: Mapping[sp.Symbol, Node]) -> bool:
    """Whether ds/dq_i = d/dt ds/dv_i for all i, as the graph sees it."""
    own = [i for i, pair in enumerate(zip(q, v, strict=True)) if not s.free.isdisjoint(pair)]
    rates, slopes = frozenset(v), gradient(s, [v[i] for i in own])
    if any(not slope.free.isdisjoint(rates) for slope in slopes):
        return False
    along, turning = gradient(s, [q[i] for i in own]), directional(slopes, moving)
    return all(_terms(a) == _terms(b) for a, b in zip(along, turning, strict=True))


def _terms(node: Node) -> dict[frozenset[tuple[Node, int]], sp.Number]:
    """The terms of a sum, nested ones too: numerical coefficients by the factors, with how often each stands there."""
    found: dict[frozenset[tuple[Node, int]], sp.Number] = {}
    for term in _flat(node, sp.Add):
        coefficient, factors = sp.S.One, Counter[Node]()
        for factor in _flat(term, sp.Mul):
            if factor.is_number:
                coefficient = coefficient * factor.leaf
            else:
                factors[factor] += 1
        key = frozenset(factors.items())
        found[key] = found.get(key, sp.S.Zero) + coefficient
    return {key: c for key, c in found.items() if c != 0}


def _flat(node: Node, func: type) -> list[Node]:
    """The operands of a sum or a product and of those inside it."""
    if node.func is not func or node.fixed:
        return [node]
    return [part for arg in node.args for part in _flat(arg, func)]
