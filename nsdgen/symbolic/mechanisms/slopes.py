"""Derivatives of the forces of joints by coordinates and rates, by recursion: what Jacobians of a robot are made of.

tau = M(q) a - F(t, q, v) is what joints must give. A coordinate q_j moves all that hangs on its joint as one body. Seen
from there nothing changes but how the link before moves, by a velocity c_j and an acceleration that all later links
share; and an angular velocity w that is added to bodies with velocities u adds 2 w x u to their accelerations. So mass,
first and second moments, momentum and the moments of momentum of a limb tell how its forces change, and they are sums
over its links. All vectors are along the inertial axes, about one point of each tree: the origin of the first frame
that turns, so that nothing depends on how far away the mechanism is.

An entry takes about twenty operations; derivatives operation by operation of the equations of Newton and Euler take
what the limb has for each of its coordinates (``benchmarks/recursions.py`` counts).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.symbolic.expressions.nodes_of import below
from nsdgen.symbolic.graph.derivative import directional
from nsdgen.symbolic.graph.node import ONE, ZERO, Node, add, mul, number
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
from nsdgen.symbolic.mechanisms.recursion import NO_INERTIA, Frame, Inertia

Entries = dict[tuple[int, int], Node]

_LOOKED_AT, _GIVEN_UP = 0.125, 1.5  # of the entries; of their share of the operations, about the same for each
_ZERO: Vector = [ZERO, ZERO, ZERO]
_ZEROS: Square = [_ZERO, _ZERO, _ZERO]


@dataclass(frozen=True)
class ConstantForce:
    """A force along the inertial axes that depends on no coordinate, at a ``place`` in the axes of a frame."""

    frame: int
    force: Vector
    place: Vector


@dataclass(frozen=True)
class SpatialMotion:
    """A spatial velocity or acceleration: angular, and that of the point about which all is taken."""

    turn: Vector
    slide: Vector

    def __add__(self, other: SpatialMotion) -> SpatialMotion:
        return SpatialMotion(plus(self.turn, other.turn), plus(self.slide, other.slide))

    def scaled(self, factor: Node) -> SpatialMotion:
        """The motion times a number."""
        return SpatialMotion(scaled(factor, self.turn), scaled(factor, self.slide))

    def cross(self, other: SpatialMotion) -> SpatialMotion:
        """How ``other``, fixed in what moves with this velocity, changes."""
        return SpatialMotion(
            cross(self.turn, other.turn), plus(cross(self.turn, other.slide), cross(self.slide, other.turn))
        )

    def moving(self, momentum: SpatialForce) -> SpatialForce:
        """How a momentum that is fixed in what moves with this velocity changes."""
        w, p = self.turn, momentum.force
        return SpatialForce(cross(w, p), plus(cross(w, momentum.moment), cross(self.slide, p)))

    def shifted(self, way: Vector) -> SpatialMotion:
        """The same about a point that is so far away."""
        return SpatialMotion(self.turn, plus(self.slide, cross(self.turn, way)))

    def power(self, force: SpatialForce) -> Node:
        """The power of a force."""
        return dot([*self.turn, *self.slide], [*force.moment, *force.force])


@dataclass(frozen=True)
class SpatialForce:
    """Force, and moment about the point about which all is taken."""

    force: Vector
    moment: Vector

    def __add__(self, other: SpatialForce) -> SpatialForce:
        return SpatialForce(plus(self.force, other.force), plus(self.moment, other.moment))

    def shifted(self, way: Vector) -> SpatialForce:
        """The same about a point from which it is so far to this one."""
        return SpatialForce(self.force, plus(self.moment, cross(way, self.force)))


_REST = SpatialMotion(_ZERO, _ZERO)


@dataclass(frozen=True)
class Limb:
    """Sums over the links of a limb: inertia, momentum p, U = sum m u x^T, what moves it, loads f, X = sum x f^T."""

    inertia: Inertia
    momentum: Vector
    moments: Square
    wrench: SpatialForce
    loads: Vector
    places: Square

    def __add__(self, other: Limb) -> Limb:
        return Limb(
            self.inertia + other.inertia,
            plus(self.momentum, other.momentum),
            _sum(self.moments, other.moments),
            self.wrench + other.wrench,
            plus(self.loads, other.loads),
            _sum(self.places, other.places),
        )

    def shifted(self, way: Vector) -> Limb:
        """The same about a point from which it is so far to this one."""
        return Limb(
            self.inertia.seen(IDENTITY, way),
            self.momentum,
            _sum(self.moments, _outer(self.momentum, way)),
            self.wrench.shifted(way),
            self.loads,
            _sum(self.places, _outer(way, self.loads)),
        )

    def pushed(self, a: SpatialMotion) -> SpatialForce:
        """What an acceleration takes."""
        m, h = self.inertia.mass, self.inertia.first
        force = plus(scaled(m, a.slide), cross(a.turn, h))
        return SpatialForce(force, plus(times(self.inertia.second, a.turn), cross(h, a.slide)))

    def turned(self, w: Vector) -> SpatialForce:
        """What w x u takes, u the velocities."""
        return SpatialForce(cross(w, self.momentum), _less(self.moments, w))

    def loaded(self, s: Vector) -> SpatialForce:
        """How loads that stay as they are change as seen from axes that turn by s, with the sign of what they ask."""
        return SpatialForce(cross(s, self.loads), _less(transposed(self.places), s))


_NOTHING = Limb(NO_INERTIA, _ZERO, _ZEROS, SpatialForce(_ZERO, _ZERO), _ZERO, _ZEROS)


def _sum(a: Square, b: Square) -> Square:
    return [plus(x, y) for x, y in zip(a, b, strict=True)]


def _outer(a: Vector, b: Vector) -> Square:
    return [[mul((x, y)) for y in b] for x in a]


def _trace(m: Square) -> Node:
    return add((m[0][0], m[1][1], m[2][2]))


def _less(m: Square, a: Vector) -> Vector:
    """(tr m - m) a."""
    return plus(scaled(_trace(m), a), [minus(e) for e in times(m, a)])


def force_slopes(frames: Sequence[Frame], loads: Sequence[ConstantForce]) -> tuple[Entries, Entries]:
    """The entries of d tau/dq and d tau/dv that are not zero; every frame has one velocity, the rate of its coordinate.

    Accelerations are those of the columns of the frames.
    """
    joints, speeds, accelerations, limbs = _outwards(frames, loads)
    for k in range(len(frames) - 1, -1, -1):
        if frames[k].parent >= 0:
            limbs[frames[k].parent] += limbs[k]
    by_q: Entries = {}
    by_v: Entries = {}
    before = [_REST if f.parent < 0 else speeds[f.parent] for f in frames]
    dragged = [v.cross(s) for v, s in zip(before, joints, strict=True)]
    pulled = [
        (_REST if f.parent < 0 else accelerations[f.parent]).cross(s) + v.cross(c)
        for f, s, v, c in zip(frames, joints, before, dragged, strict=True)
    ]
    for i, own in enumerate(joints):
        limb = limbs[i]
        inertia, (turning, loaded) = limb.pushed(own), spinning(limb, own)
        at = i
        while at >= 0:  # the joints before it, and itself: how they move its limb
            slope_q, slope_v = pair_slopes(joints[at], dragged[at], pulled[at], inertia, turning, loaded)
            _enter(by_q, i, at, slope_q)
            _enter(by_v, i, at, slope_v)
            at = frames[at].parent
        along, back = wrenches(limb, own, dragged[i], pulled[i])
        at = frames[i].parent
        while at >= 0:  # what its own motion asks of the joints before it
            _enter(by_q, at, i, joints[at].power(along))
            _enter(by_v, at, i, joints[at].power(back))
            at = frames[at].parent
    return by_q, by_v


def fewest(values: Sequence[Node], wrt: Sequence[sp.Symbol], found: Entries) -> Entries:
    """The derivatives that were ``found``, or those of the values operation by operation where they are fewer.

    These are given up where an eighth of them or more has taken half as much again as its share.
    """
    most, seen, count = _new_operations(found.values(), set()), set[Node](), 0
    known: dict[tuple[Node, tuple[Node, ...]], list[tuple[Node, Node]]] = {}
    other: Entries = {}
    for j, symbol in enumerate(wrt):
        column = directional(values, {symbol: ONE}, known)
        for i, value in enumerate(column):
            _enter(other, i, j, value)
        count += _new_operations(column, seen)
        share = len(other) / max(len(found), 1)
        if count > most or (share > _LOOKED_AT and count > _GIVEN_UP * share * most):
            return found
    return other


def _new_operations(values: Iterable[Node], seen: set[Node]) -> int:
    """Additions and multiplications of values beyond those of what was seen before, which they join."""
    count = 0
    for node in below(values, lambda n: [a for a in n.args if a not in seen]):
        if node.args and node not in seen:
            count += max(1, len(node.args) - 1)
            seen.add(node)
    return count


def spinning(limb: Limb, own: SpatialMotion) -> tuple[Vector, Vector]:
    """What a joint feels of its limb as that turns, by the rate of turning and, of loads, by the angle."""
    turning = scaled(number(2), plus(cross(limb.momentum, own.slide), _less(transposed(limb.moments), own.turn)))
    return turning, plus(cross(limb.loads, own.slide), _less(limb.places, own.turn))


def pair_slopes(
    joint: SpatialMotion,
    dragged: SpatialMotion,
    pulled: SpatialMotion,
    inertia: SpatialForce,
    turning: Vector,
    loaded: Vector,
) -> tuple[Node, Node]:
    """How the force of a joint changes with coordinate and rate of one before it, or with its own.

    ``inertia``, ``turning`` and ``loaded`` are what its own motion asks of its limb.
    """
    by_q = add((pulled.power(inertia), dot(turning, dragged.turn), dot(loaded, joint.turn)))
    return by_q, add((mul((number(2), dragged.power(inertia))), dot(turning, joint.turn)))


def wrenches(
    limb: Limb, own: SpatialMotion, dragged: SpatialMotion, pulled: SpatialMotion
) -> tuple[SpatialForce, SpatialForce]:
    """How what moves a limb changes with the coordinate of its joint, and with its rate."""
    two, w = number(2), limb.wrench
    rotated = SpatialForce(cross(own.turn, w.force), plus(cross(own.turn, w.moment), cross(own.slide, w.force)))
    along = limb.pushed(pulled) + limb.turned(scaled(two, dragged.turn)) + rotated + limb.loaded(own.turn)
    return along, limb.pushed(dragged.scaled(two)) + limb.turned(scaled(two, own.turn))


def _outwards(
    frames: Sequence[Frame], loads: Sequence[ConstantForce]
) -> tuple[list[SpatialMotion], list[SpatialMotion], list[SpatialMotion], list[Limb]]:
    """Axes of joints, velocities and accelerations of frames, and what each frame carries."""
    turns: list[Square] = []
    places: list[Vector] = []
    joints: list[SpatialMotion] = []
    speeds: list[SpatialMotion] = []
    accelerations: list[SpatialMotion] = []
    limbs: list[Limb] = []
    straight: list[bool] = []  # whether no frame up to this one turns
    for k, frame in enumerate(frames):
        (column,) = frame.columns
        parent = frame.parent
        first = parent < 0 or straight[parent]
        straight.append(first and all(e == ZERO for e in column.turn))
        outer = IDENTITY if parent < 0 else turns[parent]
        turn = composed(outer, frame.turn)
        place = _ZERO if first else plus(places[parent], times(outer, frame.origin))
        axis = times(turn, column.turn)
        joint = SpatialMotion(axis, plus(cross(place, axis), times(turn, column.slide)))
        before = _REST if parent < 0 else speeds[parent]
        speed = before + joint.scaled(column.rate)
        pull = before.cross(joint).scaled(column.rate) + joint.scaled(column.acceleration)
        acceleration = pull if parent < 0 else accelerations[parent] + pull
        turns.append(turn)
        places.append(place)
        joints.append(joint)
        speeds.append(speed)
        accelerations.append(acceleration)
        limbs.append(carried(frame, turn, place, speed, acceleration))
        for load in loads:
            if load.frame == k:
                limbs[k] += pushing(load.force, plus(place, times(turn, load.place)))
    return joints, speeds, accelerations, limbs


def carried(frame: Frame, turn: Square, place: Vector, v: SpatialMotion, a: SpatialMotion) -> Limb:
    """What a frame carries by itself."""
    if frame.inertia is NO_INERTIA:
        return _NOTHING
    body = frame.inertia.seen(turn, place)
    h, second = body.first, body.second
    half = mul((number(ONE.leaf / 2), _trace(second)))
    scatter = [[add((half if i == j else ZERO, minus(second[i][j]))) for j in range(3)] for i in range(3)]
    momentum = plus(scaled(body.mass, v.slide), cross(v.turn, h))
    spun = transposed([cross(v.turn, column) for column in transposed(scatter)])
    moments = _sum(_outer(v.slide, h), spun)
    limb = Limb(body, momentum, moments, SpatialForce(_ZERO, _ZERO), _ZERO, _ZEROS)
    moved = limb.pushed(a) + limb.turned(v.turn)
    return Limb(body, momentum, moments, moved, _ZERO, _ZEROS)


def pushing(force: Vector, place: Vector) -> Limb:
    """A load, which asks for its negative."""
    asked = [minus(e) for e in force]
    return Limb(NO_INERTIA, _ZERO, _ZEROS, SpatialForce(asked, cross(place, asked)), force, _outer(place, force))


def _enter(entries: Entries, i: int, j: int, value: Node) -> None:
    if value != ZERO:
        entries[i, j] = value
