"""Recursion over frames: kinematics outwards, forces inwards (Newton-Euler), inertias inwards (composite bodies).

Everything is written in the frames themselves, with vectors taken at their origins. The equations are those of
R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 5 and 6, with three-dimensional vectors: what a frame
inherits from its parent is turned once, by its own R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nsdgen.symbolic.graph.node import ZERO, Node, add, let, mul, number, power
from nsdgen.symbolic.mechanisms.node_vectors import (
    IDENTITY,
    Square,
    Vector,
    composed,
    cross,
    dot,
    minus,
    plus,
    scaled,
    times,
    transposed,
)

_ZERO: Vector = [ZERO, ZERO, ZERO]


@dataclass(frozen=True)
class RateColumn:
    """One velocity of a joint: with it the frame turns by ``turn`` and its origin moves by ``slide``, in own axes.

    ``acceleration`` is its derivative, where that is not to be 0.
    """

    rate: Node
    turn: Vector
    slide: Vector
    acceleration: Node = ZERO


@dataclass(frozen=True)
class Inertia:
    """Mass, first moment m c and inertia about the origin of the frame it is written in."""

    mass: Node
    first: Vector
    second: Square

    def seen(self, turn: Square, origin: Vector) -> Inertia:
        """The same in a frame where this one has the axes ``turn`` and this ``origin``."""
        first, m = times(turn, self.first), self.mass
        second = composed(composed(turn, self.second), transposed(turn))
        both = dot(origin, plus(scaled(number(2), first), scaled(m, origin)))
        shifted = [
            [
                add(
                    (
                        second[i][j],
                        *((both,) if i == j else ()),
                        minus(mul((origin[i], first[j]))),
                        minus(mul((first[i], origin[j]))),
                        minus(mul((m, origin[i], origin[j]))),
                    )
                )
                for j in range(3)
            ]
            for i in range(3)
        ]
        return Inertia(m, plus(first, scaled(m, origin)), _symmetric(shifted))

    def __add__(self, other: Inertia) -> Inertia:
        rows = [plus(a, b) for a, b in zip(self.second, other.second, strict=True)]
        return Inertia(add((self.mass, other.mass)), plus(self.first, other.first), rows)

    def named(self, label: str) -> Inertia:
        """The same with names for emitted code."""
        second = [[let(f"{label}_{'xyz'[i]}{'xyz'[j]}", e) for j, e in enumerate(r)] for i, r in enumerate(self.second)]
        return Inertia(self.mass, _named(f"{label}_first", self.first), _symmetric(second))


NO_INERTIA = Inertia(ZERO, _ZERO, [_ZERO, _ZERO, _ZERO])


@dataclass(frozen=True)
class Frame:
    """A frame and what it carries: ``turn`` are its axes and ``origin`` its origin in ``parent`` (-1: the ground)."""

    parent: int
    turn: Square
    origin: Vector
    columns: tuple[RateColumn, ...]
    inertia: Inertia


@dataclass(frozen=True)
class FrameMotion:
    """How a frame moves, in its own axes: angular velocity, velocity of its origin, both accelerations.

    ``turn`` and ``origin`` are its axes and its origin in the inertial frame.
    """

    turn: Square
    origin: Vector
    omega: Vector
    velocity: Vector
    alpha: Vector
    acceleration: Vector


GROUND = FrameMotion(IDENTITY, _ZERO, _ZERO, _ZERO, _ZERO, _ZERO)


def motions(frames: Sequence[Frame], ground: FrameMotion = GROUND) -> list[FrameMotion]:
    """The motion of every frame; a ``ground`` that accelerates upwards is a weight."""
    found: list[FrameMotion] = []
    for k, frame in enumerate(frames):
        parent = found[frame.parent] if frame.parent >= 0 else ground
        found.append(_moved(parent, frame, str(k + 1)))
    return found


def _moved(parent: FrameMotion, frame: Frame, label: str) -> FrameMotion:
    back, r = transposed(frame.turn), frame.origin
    turning = _sum([scaled(c.rate, c.turn) for c in frame.columns])
    sliding = _sum([scaled(c.rate, c.slide) for c in frame.columns])
    carried = times(back, parent.omega)
    spin = _sum([scaled(c.acceleration, c.turn) for c in frame.columns])
    rush = _sum([scaled(c.acceleration, c.slide) for c in frame.columns])
    pull = plus(parent.acceleration, cross(parent.alpha, r), cross(parent.omega, cross(parent.omega, r)))
    return FrameMotion(
        [
            [let(f"R{label}_{i}{j}", e) for j, e in enumerate(row)]
            for i, row in enumerate(composed(parent.turn, frame.turn))
        ],
        _named(f"x{label}", plus(parent.origin, times(parent.turn, r))),
        _named(f"omega{label}", plus(carried, turning)),
        _named(f"v{label}", plus(times(back, plus(parent.velocity, cross(parent.omega, r))), sliding)),
        _named(f"alpha{label}", plus(times(back, parent.alpha), cross(carried, turning), spin)),
        _named(f"a{label}", plus(times(back, pull), scaled(number(2), cross(carried, sliding)), rush)),
    )


def forces(
    frames: Sequence[Frame],
    moving: Sequence[FrameMotion],
    acting: Sequence[tuple[Vector, Vector]],
    passed: list[tuple[Vector, Vector]] | None = None,
) -> list[Node]:
    """What acts on every velocity, in order, less what the motion takes: at v' = 0 the F of M v' = F.

    ``acting`` are force and moment (about the origin) on every frame, in its own axes. Into ``passed`` goes, frame by
    frame, what is left for its joint to take: force and moment about its origin, less what the motion takes.
    """
    force, moment = [list(f) for f, _ in acting], [list(m) for _, m in acting]
    found: dict[int, list[Node]] = {}
    for k in range(len(frames) - 1, -1, -1):
        frame, motion, body = frames[k], moving[k], frames[k].inertia
        if body is not NO_INERTIA:
            spin = plus(cross(motion.alpha, body.first), cross(motion.omega, cross(motion.omega, body.first)))
            taken = plus(scaled(body.mass, motion.acceleration), spin)
            turned = plus(
                times(body.second, motion.alpha),
                cross(motion.omega, times(body.second, motion.omega)),
                cross(body.first, motion.acceleration),
            )
            force[k], moment[k] = plus(force[k], [minus(e) for e in taken]), plus(moment[k], [minus(e) for e in turned])
        f, m = _named(f"f{k + 1}", force[k]), _named(f"m{k + 1}", moment[k])
        found[k] = [add((dot(c.turn, m), dot(c.slide, f))) for c in frame.columns]
        if frame.parent >= 0:
            pushed = times(frame.turn, f)
            force[frame.parent] = plus(force[frame.parent], pushed)
            moment[frame.parent] = plus(moment[frame.parent], times(frame.turn, m), cross(frame.origin, pushed))
    if passed is not None:
        passed += zip(force, moment, strict=True)
    return [entry for k in range(len(frames)) for entry in found[k]]


def mass_matrix(frames: Sequence[Frame]) -> dict[tuple[int, int], Node]:
    """The entries of M that are not zero, both of each pair, by the numbers of velocities."""
    composite = [frame.inertia for frame in frames]
    for k in range(len(frames) - 1, -1, -1):
        frame = frames[k]
        composite[k] = composite[k].named(f"I{k + 1}")
        if frame.parent >= 0:
            composite[frame.parent] += composite[k].seen(frame.turn, frame.origin)
    first = [sum(len(f.columns) for f in frames[:k]) for k in range(len(frames))]
    found: dict[tuple[int, int], Node] = {}
    for k, frame in enumerate(frames):
        body = composite[k]
        for i, column in enumerate(frame.columns):
            force = plus(scaled(body.mass, column.slide), cross(column.turn, body.first))
            moment = plus(times(body.second, column.turn), cross(body.first, column.slide))
            at, f, m = k, force, moment
            while at >= 0:
                for j, other in enumerate(frames[at].columns):
                    if at < k or j <= i:
                        entry = add((dot(other.turn, m), dot(other.slide, f)))
                        if entry != ZERO:
                            found[first[k] + i, first[at] + j] = found[first[at] + j, first[k] + i] = entry
                f = times(frames[at].turn, f)
                m = plus(times(frames[at].turn, m), cross(frames[at].origin, f))
                at = frames[at].parent
    return found


def _sum(vectors: Sequence[Vector]) -> Vector:
    return plus(*vectors) if vectors else _ZERO


def _symmetric(m: Square) -> Square:
    """Entries below the diagonal are those above it, so that they are computed once."""
    return [[m[min(i, j)][max(i, j)] for j in range(3)] for i in range(3)]


def _named(label: str, entries: Sequence[Node]) -> Vector:
    return [let(f"{label}_{a}", e) for a, e in zip("xyz", entries, strict=True)]


def solved(matrix: Mapping[tuple[int, int], Node], right: Sequence[Node]) -> Vector:
    """M^-1 b of an inertia of a tree, M = L^T D L from the last row to the first: nothing is filled in.

    Featherstone, section 6.5. ``matrix`` has the entries that are not zero, both of each pair.
    """
    n = len(right)
    rows = [{j: matrix[i, j] for j in range(i) if (i, j) in matrix} for i in range(n)]
    pivots, x = [matrix[i, i] for i in range(n)], list(right)
    for k in range(n - 1, -1, -1):
        inverse = let(f"inverse{k + 1}", power(pivots[k], number(-1)))
        factors = {i: let(f"l{k + 1}_{i + 1}", mul((e, inverse))) for i, e in rows[k].items()}
        for i, factor in factors.items():
            pivots[i] = add((pivots[i], minus(mul((factor, rows[k][i])))))
            for j in (j for j in rows[k] if j < i):
                rows[i][j] = add((rows[i].get(j, ZERO), minus(mul((factor, rows[k][j])))))
            x[i] = add((x[i], minus(mul((factor, x[k])))))
        rows[k], pivots[k] = factors, inverse
    for k in range(n):
        x[k] = add((mul((x[k], pivots[k])), *(minus(mul((factor, x[i]))) for i, factor in rows[k].items())))
    return x
