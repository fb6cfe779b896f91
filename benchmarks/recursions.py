"""Operations of M and F of mechanisms by several derivations: which recursion wins where.

    python benchmarks/recursions.py

Chains of hinges, trees that branch in two at every link, and stars of limbs of four hinges on a free base, all over the
same links. Counted are additions and multiplications on the expression graph, shared ones once, before anything
is compiled. Derived are

composite   M by composite bodies, F by the recursive Newton-Euler equations: what ``nsd.Mechanism`` takes
jacobians   M as the sum of m J^T J + J^T I J over bodies, J from velocities in the frames of the links
energy      M as second derivatives of the kinetic energy; F as that of the energy: dT/dq - d(M v)/dq v
entries     F_q, F_v entry by entry, from sums over limbs (``symbolic/mechanisms/slopes.py``)
operations  F_q, F_v by differentiation of the Newton-Euler equations, operation by operation
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import sympy as sp
from tables import table_text

import nsdgen as nsd
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.graph.derivative import directional, gradient, jacobian
from nsdgen.symbolic.graph.node import Node, add, leaf, mul, number
from nsdgen.symbolic.graph.sympy_graph import below
from nsdgen.symbolic.mechanisms.node_vectors import cross, dot, minus, plus, scaled, times
from nsdgen.symbolic.mechanisms.recursion import NO_INERTIA, forces, mass_matrix
from nsdgen.symbolic.mechanisms.slopes import force_slopes

AXES = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
HEADINGS = (
    *("mechanism", "velocities", "M composite", "M Jacobians", "M energy", "F Newton-Euler", "F energy"),
    *("F_q entries", "F_q operations", "F_v entries", "F_v operations"),
)


def mechanism(name: str, parents: Sequence[int], free: bool) -> nsd.Mechanism:
    """Links on hinges with axes in turn; ``parents`` are numbers, -1 is the ground or the free base."""
    inertia = sp.Matrix([[0.2, 0.01, 0.02], [0.01, 0.3, 0.03], [0.02, 0.03, 0.25]])
    base = nsd.RigidBody(f"{name} base", 2, inertia) if free else None
    links, joints = [nsd.RigidBody(f"{name} {i}", 1.5, inertia) for i in range(len(parents))], []
    for i, parent in enumerate(parents):
        axis, above = list(AXES[i % 3]), links[parent] if parent >= 0 else base
        there = nsd.Marker(above, [0.1, 0.2, 0.5], axis=axis) if above is not None else nsd.Marker(axis=axis)
        joints.append(nsd.Revolute(f"{name} joint {i}", nsd.Marker(links[i], [0.05, 0, -0.4], axis=axis), there))
    return nsd.Mechanism(name, joints)


def shapes() -> Iterator[tuple[str, list[int], bool]]:
    """Names, parents, and whether the base moves freely."""
    for n in (3, 6, 12, 24):
        yield f"chain of {n}", list(range(-1, n - 1)), False
    for n in (7, 15, 31):
        yield f"binary tree of {n}", [-1, *((i - 1) // 2 for i in range(1, n))], False
    for limbs in (2, 4, 6):
        yield f"{limbs} limbs of 4, free", [-1 if i % 4 == 0 else i - 1 for i in range(4 * limbs)], True


def cost(roots: Sequence[Node]) -> int:
    """Additions and multiplications."""
    return sum(max(1, len(node.args) - 1) for node in below(list(roots), lambda n: n.args) if node.args)


def counts(name: str, parents: Sequence[int], free: bool) -> tuple[str, ...]:
    """One row of the table."""
    own = mechanism(name, parents, free)
    tree = own._tree(Scope.of([], model="recursions"))
    frames, moving = tree.links.frames, tree.moving
    v = [column.rate.leaf for frame in frames for column in frame.columns]
    q = [s for s in own.functions.values() if s not in set(v)]
    bodies = [(f.inertia, m) for f, m in zip(frames, moving, strict=True) if f.inertia is not NO_INERTIA]

    def momentum(index: int) -> list[Node]:
        """Linear and angular momentum at the origin of a frame, whose product with its twist is twice the energy."""
        body, motion = bodies[index]
        linear = plus(scaled(body.mass, motion.velocity), cross(motion.omega, body.first))
        return [*linear, *plus(times(body.second, motion.omega), cross(body.first, motion.velocity))]

    composite = list(mass_matrix(frames).values())
    by_jacobians: dict[tuple[int, int], list[Node]] = {}
    for index, (_, motion) in enumerate(bodies):
        twist = jacobian([*motion.velocity, *motion.omega], v)
        pushed = jacobian(momentum(index), v)
        columns = sorted({j for row in twist for j in row})
        for i in columns:
            for j in columns:
                terms = [mul((a[i], b[j])) for a, b in zip(twist, pushed, strict=True) if i in a and j in b]
                by_jacobians.setdefault((min(i, j), max(i, j)), []).extend(terms if i <= j else [])
    halves = [dot([*m.velocity, *m.omega], momentum(k)) for k, (_, m) in enumerate(bodies)]
    energy = mul((number(sp.Rational(1, 2)), add(tuple(halves))))
    slopes = gradient(energy, v)
    by_energy = [e for row in jacobian(slopes, v) for e in row.values()]
    newton_euler = forces(frames, moving, [([number(0)] * 3, [number(0)] * 3) for _ in frames])
    lagrange: list[Node] = []
    if not free:  # with quaternions the energy needs Poincare's equations besides
        along = directional(slopes, {s: leaf(rate) for s, rate in zip(q, v, strict=True)})
        lagrange = [add((a, minus(b))) for a, b in zip(gradient(energy, q), along, strict=True)]
    slopes: list[list[Node]] = [[], [], [], []]
    if not free:
        by_entries = force_slopes(frames, [])
        by_operations = [[e for row in jacobian(newton_euler, s) for e in row.values()] for s in (q, v)]
        slopes = [part for a, b in zip(by_entries, by_operations, strict=True) for part in (list(a.values()), b)]
    found = [composite, [add(tuple(e)) for e in by_jacobians.values()], by_energy, newton_euler, lagrange, *slopes]
    return (name, str(len(v)), *(str(cost(e)) if e else "-" for e in found))


def main() -> None:
    began = time.process_time()
    print(table_text([HEADINGS, *(counts(*shape) for shape in shapes())]))
    print(f"{time.process_time() - began:.0f} s")


if __name__ == "__main__":
    main()
