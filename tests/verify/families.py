"""Correct Jacobians of all families, single slips to plant in them, and harmless ways to write them differently."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import sympy as sp

from nsdgen.verify import UnitQuaternion, column, cross, derivative, matrix, quaternion, vector

SLIPS = ("sign", "index", "factor", "dropped term")
REWRITINGS = ("expanded", "factored", "regrouped", "trigonometric", "unit norm")


@dataclass(frozen=True)
class Family:
    """A Jacobian: the function, its variables, the assumptions under which it is used, and how a hand writes it."""

    name: str
    function: sp.ImmutableMatrix
    variables: sp.ImmutableMatrix
    assumptions: tuple[Any, ...] = ()

    @property
    def truth(self) -> sp.ImmutableMatrix:
        return derivative(self.function, self.variables)


def rotation(p: Any) -> sp.Matrix:
    """R(p) of a unit quaternion as it is written in texts."""
    p0, p1, p2, p3 = p
    return sp.Matrix(
        [
            [1 - 2 * p2**2 - 2 * p3**2, 2 * (p1 * p2 - p3 * p0), 2 * (p1 * p3 + p2 * p0)],
            [2 * (p1 * p2 + p3 * p0), 1 - 2 * p1**2 - 2 * p3**2, 2 * (p2 * p3 - p1 * p0)],
            [2 * (p1 * p3 - p2 * p0), 2 * (p2 * p3 + p1 * p0), 1 - 2 * p1**2 - 2 * p2**2],
        ]
    )


def double_pendulum() -> Family:
    """Centrifugal and gravity terms of a double pendulum, by angles and rates."""
    q, v = vector("q", 2), vector("v", 2)
    m1, m2, l1, l2, g, d = sp.symbols("m1 m2 l1 l2 g d", positive=True)
    force = sp.ImmutableMatrix(
        [
            m2 * l1 * l2 * v[1] ** 2 * sp.sin(q[0] - q[1]) + (m1 + m2) * g * l1 * sp.sin(q[0]) + d * v[0],
            -m2 * l1 * l2 * v[0] ** 2 * sp.sin(q[0] - q[1]) + m2 * g * l2 * sp.sin(q[1]) + d * (v[1] - v[0]),
        ]
    )
    return Family("Lagrangian", force, column([*q, *v]))


def newton_euler() -> Family:
    """Wrench of a body: a spring to a fixed point, an inertial moment carried to the body, the gyroscopic term; 6x7."""
    x, p, m, w = vector("x"), quaternion("p"), vector("m"), vector("w")
    inertia, a = matrix("J", 3, 3, symmetric=True), vector("a")
    k = sp.Symbol("k", positive=True)
    r = rotation(p)
    force = -k * (sp.Matrix(x) + r * sp.Matrix(a))
    moment = r.T * sp.Matrix(m) - sp.Matrix(cross(w, inertia * w)) - sp.Matrix(cross(a, r.T * sp.Matrix(x))) * k
    return Family("Newton-Euler", sp.ImmutableMatrix([*force, *moment]), column([*x, *p]), (UnitQuaternion(p),))


def contact_gap() -> Family:
    """Gap of a body point above a plane, the quaternion normalised: its gradient, 1x7."""
    x, p, a, n = vector("x"), quaternion("p"), vector("a"), vector("n")
    hat = sp.Matrix(p) / sp.sqrt(sum(c**2 for c in p))
    return Family(
        "contact", sp.ImmutableMatrix(sp.Matrix(n).T * (sp.Matrix(x) + rotation(hat) * sp.Matrix(a))), column([*x, *p])
    )


def circuit() -> Family:
    """A nonlinear circuit: two capacitors, an inductor, a cubic conductance and an exponential source."""
    x, lam = vector("x", 3), vector("lam", 2)
    c1, c2, ind, r1, r2, g = sp.symbols("C1 C2 L R1 R2 G", positive=True)
    rate = sp.ImmutableMatrix(
        [
            (x[2] - x[0] / r1 + lam[0] - g * (x[0] - x[1]) ** 3) / c1,
            (-x[2] - x[1] / r2 + g * (x[0] - x[1]) ** 3 + lam[1] * sp.exp(-x[1])) / c2,
            (x[1] - x[0] + x[2] * (r1 - r2) * lam[0]) / ind,
        ]
    )
    return Family("first order", rate, column([*x, *lam]))


def families() -> tuple[Family, ...]:
    return double_pendulum(), newton_euler(), contact_gap(), circuit()


# -- slips -----------------------------------------------------------------------------------------------------------


def places(e: sp.Expr, put: Callable[[sp.Expr], sp.Expr] = lambda new: new) -> Iterator[tuple[sp.Expr, Any, sp.Expr]]:
    """Every node that a slip can hit: (node, function that puts another one there, parent)."""
    for k, a in enumerate(e.args):
        if isinstance(e, sp.Pow) and k == 1:
            continue

        def inside(new: sp.Expr, k: int = k) -> sp.Expr:
            return put(e.func(*e.args[:k], new, *e.args[k + 1 :]))

        if isinstance(e, (sp.Add, sp.Mul, sp.Pow)):
            yield a, inside, e
        yield from places(a, inside)


def family_of(name: str) -> str:
    return re.sub(r"\d+$", "", name)


def with_slip(e: sp.Expr, kind: str, rng: Random, symbols: list[sp.Symbol]) -> sp.Expr | None:
    """The expression with one slip of the kind, None where it has no place for it."""
    nodes = [(e, lambda new: new, sp.S.Zero), *places(e)]
    if kind == "sign":
        found = [
            (n, put) for n, put, parent in nodes if not n.is_Number and (isinstance(parent, (sp.Add, sp.Mul)) or n is e)
        ]
        node, put = rng.choice(found)
        return put(-node)
    if kind == "index":
        found = [(n, put) for n, put, _ in nodes if isinstance(n, sp.Symbol) and n.name[-1].isdigit()]
        if not found:
            return None
        node, put = rng.choice(found)
        others = [s for s in symbols if s != node and family_of(s.name) == family_of(node.name)]
        return put(rng.choice(others)) if others else None
    if kind == "factor":
        found = [(n, put) for n, put, parent in nodes if isinstance(parent, sp.Add) or n is e]
        node, put = rng.choice(found)
        return put(node * rng.choice((sp.Integer(2), sp.Rational(1, 2), sp.Integer(3))))
    found = [(n, put) for n, put, parent in nodes if isinstance(parent, sp.Add)]
    if not found:
        return None
    _, put = rng.choice(found)
    return put(sp.S.Zero)


def planted(family: Family, kind: str, rng: Random) -> sp.ImmutableMatrix:
    """The true Jacobian with one slip in one entry, certainly different from it."""
    truth = family.truth
    symbols = sorted(truth.free_symbols | family.function.free_symbols, key=str)
    entries = [(i, j) for i in range(truth.rows) for j in range(truth.cols) if truth[i, j] != 0]
    while True:
        i, j = rng.choice(entries)
        wrong = with_slip(truth[i, j], kind, rng, symbols)
        if wrong is not None and differs(wrong, truth[i, j], family, rng):
            changed = sp.Matrix(truth)
            changed[i, j] = wrong
            return sp.ImmutableMatrix(changed)


def differs(a: sp.Expr, b: sp.Expr, family: Family, rng: Random) -> bool:
    """Whether two expressions differ at a random point, on the unit sphere where the family is used there."""
    values = {s: sp.Float(rng.uniform(0.5, 2.0), 30) for s in sorted(a.free_symbols | b.free_symbols, key=str)}
    for assumption in family.assumptions:
        values.update(assumption.sample(rng, 3))
    difference = (a - b).xreplace(values)
    return bool(abs(sp.N(difference, 25)) > 1e-12)


# -- harmless rewritings ---------------------------------------------------------------------------------------------


def rewritten(family: Family, kind: str, rng: Random) -> sp.ImmutableMatrix:
    """The true Jacobian with some entries written differently but equal (on the assumption set)."""
    truth = sp.Matrix(family.truth)
    for i in range(truth.rows):
        for j in range(truth.cols):
            if truth[i, j] != 0 and rng.random() < 0.6:
                truth[i, j] = rewrite(truth[i, j], kind, rng, family)
    return sp.ImmutableMatrix(truth)


def rewrite(e: sp.Expr, kind: str, rng: Random, family: Family) -> sp.Expr:
    if kind == "expanded":
        return sp.expand(e)
    if kind == "factored":
        # SymPy's factorisation of quotients in many symbols may take hours: large entries lose common factors only.
        return sp.factor(e) if sp.count_ops(e) <= 80 else sp.factor_terms(e)
    if kind == "regrouped":
        symbol = rng.choice(sorted(e.free_symbols, key=str) or [sp.Symbol("x1")])
        return sp.collect(sp.expand(e), symbol) if rng.random() < 0.5 else sp.together(e)
    if kind == "trigonometric":
        t = sp.Symbol("q1", real=True)
        one = rng.choice(
            (sp.sin(t) ** 2 + sp.cos(t) ** 2, 2 * sp.cos(t) ** 2 - sp.cos(2 * t), (1 + sp.tan(t) ** 2) * sp.cos(t) ** 2)
        )
        return sp.expand_trig(e) * (one if family.name == "Lagrangian" else 1)
    p = quaternion("p")
    square = sum(c**2 for c in p)
    if family.assumptions:
        component = rng.choice(list(p))
        return rng.choice(
            (
                e * square,
                sp.expand(e) + (square - 1) * rng.choice(list(vector("m"))),
                sp.expand(e).subs(component**2, 1 - square + component**2),
                e / sp.sqrt(square),
            )
        )
    return e * square / sp.expand(square)
