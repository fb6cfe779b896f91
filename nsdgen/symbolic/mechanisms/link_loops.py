"""Long chains: M and the forces of joints as loops over links, their bodies derived once.

The recursion is that of ``slopes.py``, spatial vectors along the inertial axes, each link's about its own origin, so
that nothing cancels however long a chain is. Every frame has one motion, about or along its third axis after its axes
are exchanged in turn; so links of all joints with one freedom are one class, and what tells them apart (where they
stand in their parents, masses, moments, weights, slides or turns) are numbers in tables, or arguments where it depends
on parameters. What is the same for all of them stands in the body, zeros and ones above all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import sympy as sp

from nsdgen.symbolic.graph.array_function import ArrayFunction, Pass, entry
from nsdgen.symbolic.graph.node import MINUS_ONE, ONE, ZERO, Node, add, call, mul, number
from nsdgen.symbolic.graph.sympy_graph import to_sympy
from nsdgen.symbolic.mechanisms.link_constants import SECOND, axes_of, bodies_of, constants_of, quaternion_of
from nsdgen.symbolic.mechanisms.links import Link
from nsdgen.symbolic.mechanisms.node_vectors import (
    IDENTITY,
    Square,
    Vector,
    composed,
    cross,
    dot,
    plus,
    scaled,
    times,
    transposed,
)
from nsdgen.symbolic.mechanisms.pass_body import PassBody
from nsdgen.symbolic.mechanisms.recursion import Frame, Inertia
from nsdgen.symbolic.mechanisms.slopes import (
    ConstantForce,
    Limb,
    SpatialForce,
    SpatialMotion,
    carried,
    pair_slopes,
    pushing,
    spinning,
    wrenches,
)

_LEAST = 32
"""Links from which on loops pay: with fewer, operations written out take less time, for they leave out more zeros.

Compilers then take 5 s and more for them (``benchmarks/long_chains.py``).
"""

_MEMBERS = 5
"""Links a kind, at least, that are alike up to their numbers: bodies of loops keep the zeros that all links have."""

_MOST = 250
"""Links up to which the arrays of pairs of them fit on a stack: a megabyte."""

_REST = SpatialMotion([ZERO] * 3, [ZERO] * 3)
_LIMB = (("inertia", 10), ("momentum", 3), ("moments", 9), ("wrench", 6), ("loads", 3), ("places", 9))
_JOINT = (("asked", 6), ("spun", 3), ("pushed", 3), ("along", 6), ("back", 6))
_MOVING = (("speed", 6), ("pull", 6), ("dragged", 6), ("pulled", 6))
_FRAME = (("turn", 9), ("place", 3), ("joint", 3), ("slide", 3), *_MOVING)


def link_loops(
    frames: Sequence[Frame],
    q: Sequence[sp.Symbol],
    loads: Sequence[ConstantForce] | None,
    links: Mapping[str, Link] | None = None,
) -> LinkLoops | None:
    """The loops of a tree; None where links are few, of many kinds, or have balls or forces that change with them."""
    acting = [load for load in loads or () if any(e != ZERO for e in load.force)]
    if loads is None or not _LEAST <= len(frames) <= _MOST or len({load.frame for load in acting}) < len(acting):
        return None
    constants = constants_of(frames, q, acting)
    kinds = {tuple(c if c in (ZERO, ONE) else None for c in own) for own in constants}
    if len(frames) < _MEMBERS * len(kinds):
        return None
    parents = tuple(frame.parent + 1 for frame in frames)
    turned = [(*own, *quaternion_of([*map(to_sympy, own[:9])])) for own in constants]
    return LinkLoops(parents, tuple(turned), bodies_of(parents, turned, axes_of(frames), q, links or {}))


@dataclass(frozen=True)
class LinkLoops:
    """The tree: the place of each parent (0: the ground, links from 1 on), and constants of links.

    What M, F and their slopes are as entries of calls; arguments are q, then v and accelerations where there are any,
    then what constants are made of parameters.
    """

    parents: tuple[int, ...]
    constants: tuple[tuple[Node, ...], ...]
    bodies: tuple[tuple[int, tuple[Node, ...]], ...] = ()
    _known: dict[tuple[bool, bool, bool], tuple[tuple[tuple[str, int], ...], tuple[Pass, ...]]] = field(
        default_factory=dict, repr=False
    )

    @cached_property
    def pairs(self) -> dict[tuple[int, int], int]:
        """Each link with itself and with those before it, and the number of the pair: those of the first link first."""
        found: list[tuple[int, int]] = []
        for k in range(len(self.parents)):
            at = k + 1
            while at:
                found.append((k, at - 1))
                at = self.parents[at - 1]
        return {pair: number for number, pair in enumerate(sorted(found, key=lambda pair: pair[::-1]))}

    @cached_property
    def _given(self) -> tuple[Node, ...]:
        """The constants that depend on parameters: one of each column where all links have the same."""
        found: list[Node] = []
        for column in zip(*self.constants, strict=True):
            if any(c.free for c in column):
                found += column[:1] if len(set(column)) == 1 else column
        return tuple(found)

    def mass(self, q: Sequence[Node]) -> dict[tuple[int, int], Node]:
        """The entries of M, both of each pair."""
        called = self._mass.of([*q, *self._given])
        found = {pair: entry(called, number) for pair, number in self.pairs.items()}
        return found | {(j, i): e for (i, j), e in found.items()}

    def poses(self, q: Sequence[Node]) -> list[list[Node]] | None:
        """Position and quaternion of each body; None where parameters place them."""
        if any(c.free for _, own in self.bodies for c in own):
            return None
        called = self._function("poses", False, False, False).of([*q, *self._given])
        return [[entry(called, 7 * k + i) for i in range(7)] for k in range(len(self.bodies))]

    def inverse_dynamics(
        self, q: Sequence[Node], v: Sequence[Node] = (), a: Sequence[Node] = (), loaded: bool = True
    ) -> list[Node]:
        """What joints must give, M a - F: without rates or accelerations where these are 0, without loads on demand."""
        called = self._inverse_dynamics(bool(v), bool(a), loaded).of([*q, *v, *a, *self._given])
        return [entry(called, k) for k in range(len(self.parents))]

    @cached_property
    def _mass(self) -> ArrayFunction:
        return self._function("mass", False, False, False)

    def _inverse_dynamics(self, moving: bool, accelerated: bool, loaded: bool) -> ArrayFunction:
        """Inverse dynamics with its slopes, from the mass on."""
        n, first, width = len(self.parents), len(self.parents) * (1 + moving), 4 if moving else 2
        slopes = self._function("slopes", moving, accelerated, loaded)
        rows: list[list[tuple[int, ArrayFunction, int]]] = [[] for _ in range(n)]
        for (i, at), pair in self.pairs.items():
            for row, column, place in ((i, at, 0), (at, i, width // 2))[: 1 + (i != at)]:
                rows[row].append((column, slopes, width * pair + place))
                if moving:
                    rows[row].append((n + column, slopes, width * pair + place + 1))
                if accelerated:
                    rows[row].append((first + column, self._mass, pair))
        return replace(
            self._function("tau", moving, accelerated, loaded),
            slopes=tuple(map(tuple, rows)),
            smooth=first + (n if accelerated else 0),
            size_of_terms=self._function("terms", moving, accelerated, loaded),
        )

    def _function(self, result: str, moving: bool, accelerated: bool, loaded: bool) -> ArrayFunction:
        """The function whose values are those of this array."""
        n, (arrays, passes) = len(self.parents), self._loops(moving, accelerated, loaded)
        given = [("q", n), *([("v", n)] if moving else []), *([("a", n)] if accelerated else [])]
        given += [("given", len(self._given))] if self._given else []
        columns = {
            f"{word}{i}": column
            for word, rows in (("constant", self.constants), ("body", [own for _, own in self.bodies]))
            for i, column in enumerate(zip(*rows, strict=True))
        }
        tables = tuple((name, column) for name, column in columns.items() if _is_table(column))
        return ArrayFunction(f"links: {result}", tuple(given), tables, arrays, passes, result)

    def _loops(
        self, moving: bool, accelerated: bool, loaded: bool
    ) -> tuple[tuple[tuple[str, int], ...], tuple[Pass, ...]]:
        """All arrays and all loops; what they are needed for decides which of them are."""
        key, n = (moving, accelerated, loaded), len(self.parents)
        if key not in self._known:
            arrays = [(name, width * (n + 1)) for name, width in (*_FRAME, *_LIMB, ("sizes", 6), ("quaternion", 4))]
            arrays += [(name, width * n) for name, width in (*_JOINT, ("tau", 1), ("terms", 1))]
            arrays += [("mass", len(self.pairs)), ("slopes", (4 if moving else 2) * len(self.pairs))]
            arrays += [("poses", 7 * len(self.bodies))]
            passes: tuple[Pass, ...] = (
                _ground(),
                self._outwards(*key),
                self._inwards(),
                self._joints(),
                self._pairs(moving),
            )
            passes += (self._quaternions(), self._poses()) if self.bodies else ()
            self._known[key] = tuple(arrays), passes
        return self._known[key]

    def _numbers(self, body: PassBody) -> list[Node]:
        """The constants of a link as a body reads them."""
        found, n, given = [], len(self.parents), 0
        for i, column in enumerate(zip(*self.constants, strict=True)):
            if _is_table(column):
                found += body.read(f"constant{i}", 1, range(n))
            elif not any(c.free for c in column):
                found.append(column[0])
            else:
                same = len(set(column)) == 1
                found += body.read("given", 1, [given] * n if same else range(given, given + n), f"given{i}")
                given += 1 if same else n
        return found

    def _motion_of(self, body: PassBody, at: Sequence[int], prefix: str = "") -> SpatialMotion:
        """The motion of a joint; where none slides, or none turns, only the other half is read."""
        slides, turns = (any(own[i] != ZERO for own in self.constants) for i in (13, 12))
        nothing = [ZERO] * 3
        return SpatialMotion(
            body.read("joint", 3, at, f"{prefix}joint") if turns else nothing,
            body.read("slide", 3, at, f"{prefix}slide") if slides else nothing,
        )

    def _outwards(self, moving: bool, accelerated: bool, loaded: bool) -> Pass:
        """How a link moves, and what it carries."""
        body, own = PassBody(), range(1, len(self.parents) + 1)
        c = self._numbers(body)
        outer = _square(body.read("turn", 9, self.parents, "up_turn"))
        (q,) = body.read("q", 1, range(len(own)))
        rate = body.read("v", 1, range(len(own)))[0] if moving else ZERO
        change = body.read("a", 1, range(len(own)))[0] if accelerated else ZERO
        axes, (angle, slide) = composed(outer, _square(c[:9])), c[12:14]
        cosine, sine = (call(f, [mul((angle, q))]) for f in (sp.cos, sp.sin))
        turned = [[add((mul((row[0], cosine)), mul((row[1], sine)))) for row in axes]]
        turned += [[add((mul((row[1], cosine)), mul((MINUS_ONE, row[0], sine)))) for row in axes]]
        axis = [row[2] for row in axes]
        turn = transposed([*turned, axis])
        way = plus(times(outer, c[9:12]), scaled(mul((slide, q)), axis))
        joint = SpatialMotion(scaled(angle, axis), scaled(slide, axis))
        before = _motion(body.read("speed", 6, self.parents, "up_speed")).shifted(way) if moving else _REST
        pull = _motion(body.read("pull", 6, self.parents, "up_pull")) if moving or accelerated else _REST
        dragged, pull = before.cross(joint), pull.shifted(way)
        speed = before + joint.scaled(rate)
        second = dict(zip(SECOND, c[18:24], strict=True))
        inertia = Inertia(c[14], list(c[15:18]), [[second[min(i, j), max(i, j)] for j in range(3)] for i in range(3)])
        frame = Frame(-1, turn, way, (), inertia)
        here = pull + dragged.scaled(rate) + joint.scaled(change)
        limb = carried(frame, turn, [ZERO] * 3, speed, here)
        spun = SpatialForce(limb.momentum, limb.pushed(speed).moment)
        limb = replace(limb, wrench=limb.pushed(here) + speed.moving(spun))
        load = pushing(c[24:27], times(turn, c[27:30]))
        limb, sizes = (limb + load, [limb.wrench, load.wrench]) if loaded else (limb, [limb.wrench])
        place = plus(body.read("place", 3, self.parents, "up_place"), way)
        values = (_rows(turn), place, joint.turn, joint.slide, _flat(speed), _flat(here), _flat(dragged))
        pulled = pull.cross(joint) + before.cross(dragged)
        for (name, _), value in zip(_FRAME, (*values, _flat(pulled)), strict=True):
            body.write(name, value, own)
        for (name, _), value in zip(_LIMB, _parts(limb), strict=True):
            body.write(name, value, own)
        body.write("sizes", plus(*([_size(e) for e in _flat_force(w)] for w in sizes)), own)
        return body.done("links outwards")

    def _quaternions(self) -> Pass:
        """How frames are turned, as quaternions."""
        body, own = PassBody(), range(1, len(self.parents) + 1)
        c, (q,) = self._numbers(body), body.read("q", 1, range(len(own)))
        half = mul((number(sp.Rational(1, 2)), c[12], q))
        before = _after(body.read("quaternion", 4, self.parents, "up_quaternion"), c[30:34])
        body.write("quaternion", _after(before, [call(sp.cos, [half]), ZERO, ZERO, call(sp.sin, [half])]), own)
        return body.done("quaternions outwards")

    def _poses(self) -> Pass:
        """Where bodies are in their frames."""
        body, at, numbers = PassBody(), [frame for frame, _ in self.bodies], range(len(self.bodies))
        columns = enumerate(zip(*(own for _, own in self.bodies), strict=True))
        c = [body.read(f"body{i}", 1, numbers)[0] if _is_table(column) else column[0] for i, column in columns]
        place = plus(body.read("place", 3, at), times(_square(body.read("turn", 9, at)), c[:3]))
        body.write("poses", [*place, *_after(body.read("quaternion", 4, at), c[3:])], numbers)
        return body.done("poses of bodies")

    def _inwards(self) -> Pass:
        """What a link carries goes to its parent."""
        body = PassBody()
        inner = [(k + 1, self.parents[k]) for k in range(len(self.parents) - 1, -1, -1) if self.parents[k]]
        own, to = zip(*inner, strict=True) if inner else ((), ())
        way = plus(body.read("place", 3, own), scaled(MINUS_ONE, body.read("place", 3, to, "up_place")))
        limb = _limb([body.read(name, width, own) for name, width in _LIMB]).shifted(way)
        for (name, _), value in zip(_LIMB, _parts(limb), strict=True):
            body.write(name, value, to, added=True)
        force, moment = _halves(body.read("sizes", 6, own))
        arm = [_size(e) for e in way]
        swept = [add((mul((arm[j], force[k])), mul((arm[k], force[j])))) for j, k in ((1, 2), (2, 0), (0, 1))]
        body.write("sizes", [*force, *plus(moment, swept)], to, added=True)
        return body.done("links inwards")

    def _joints(self) -> Pass:
        """What the limb of a joint asks of it, and how that changes with the coordinate and the rate of the joint."""
        body, own = PassBody(), range(1, len(self.parents) + 1)
        to = range(len(self.parents))
        joint = self._motion_of(body, own)
        dragged, pulled = (_motion(body.read(name, 6, own)) for name in ("dragged", "pulled"))
        limb = _limb([body.read(name, width, own) for name, width in _LIMB])
        along, back = wrenches(limb, joint, dragged, pulled)
        asked, (spun, pushed) = limb.pushed(joint), spinning(limb, joint)
        values = (_flat_force(asked), spun, pushed, _flat_force(along), _flat_force(back))
        for (name, _), value in zip(_JOINT, values, strict=True):
            body.write(name, value, to)
        body.write("tau", [joint.power(limb.wrench)], to)
        size = body.read("sizes", 6, own)
        force, moment = _halves(size)
        body.write("terms", [dot([*map(_size, _flat(joint))], [*moment, *force])], to)
        return body.done("joints")

    def _pairs(self, moving: bool) -> Pass:
        """What the motion of each joint asks of those before it."""
        body, own, before = PassBody(), [i for i, _ in self.pairs], [at + 1 for _, at in self.pairs]
        apart = plus(
            body.read("place", 3, [i + 1 for i in own]), scaled(MINUS_ONE, body.read("place", 3, before, "up_place"))
        )
        joint = self._motion_of(body, before, "up_")
        dragged, pulled = (_motion(body.read(name, 6, before, f"up_{name}")) for name in ("dragged", "pulled"))
        asked, along, back = (_force(body.read(name, 6, own)).shifted(apart) for name in ("asked", "along", "back"))
        spun, pushed = (body.read(name, 3, own) for name in ("spun", "pushed"))
        by_q, by_v = pair_slopes(joint, dragged, pulled, asked, spun, pushed)
        numbers = range(len(own))
        body.write("mass", [joint.power(asked)], numbers)
        first, second = joint.power(along), joint.power(back)
        body.write("slopes", [by_q, by_v, first, second] if moving else [by_q, first], numbers)
        starts = [k for k, at in enumerate(before) if k == 0 or at != before[k - 1]]
        return body.done("pairs of joints", [*starts, len(before)])


def _ground() -> Pass:
    """What links on the ground find there."""
    body = PassBody()
    known = {"turn": _rows(IDENTITY), "quaternion": [ONE, ZERO, ZERO, ZERO], "place": [ZERO] * 3}
    known |= dict.fromkeys(("speed", "pull"), [ZERO] * 6)
    for name, value in known.items():
        body.write(name, value, [0])
    return body.done("the ground")


def _after(p: Sequence[Node], q: Sequence[Node]) -> list[Node]:
    """The product of quaternions."""
    vector = plus(scaled(p[0], q[1:]), scaled(q[0], p[1:]), cross(p[1:], q[1:]))
    return [add((mul((p[0], q[0])), mul((MINUS_ONE, dot(p[1:], q[1:]))))), *vector]


def _is_table(column: Sequence[Node]) -> bool:
    """Whether links differ in a constant, by numbers alone."""
    return len(set(column)) > 1 and not any(c.free for c in column)


def _size(value: Node) -> Node:
    return value if value is ZERO else call(sp.Abs, [value])


def _rows(square: Square) -> list[Node]:
    return [e for row in square for e in row]


def _square(entries: Sequence[Node]) -> Square:
    return [list(entries[3 * i : 3 * i + 3]) for i in range(3)]


def _halves(entries: Sequence[Node]) -> tuple[Vector, Vector]:
    return list(entries[:3]), list(entries[3:])


def _motion(entries: Sequence[Node]) -> SpatialMotion:
    return SpatialMotion(*_halves(entries))


def _force(entries: Sequence[Node]) -> SpatialForce:
    return SpatialForce(*_halves(entries))


def _flat(motion: SpatialMotion) -> list[Node]:
    return [*motion.turn, *motion.slide]


def _flat_force(force: SpatialForce) -> list[Node]:
    return [*force.force, *force.moment]


def _parts(limb: Limb) -> tuple[list[Node], ...]:
    """The arrays of a limb."""
    inertia = limb.inertia
    second = [inertia.second[i][j] for i, j in SECOND]
    moments, places = _rows(limb.moments), _rows(limb.places)
    return [inertia.mass, *inertia.first, *second], limb.momentum, moments, _flat_force(limb.wrench), limb.loads, places


def _limb(parts: Sequence[Sequence[Node]]) -> Limb:
    """The limb of arrays."""
    (mass, *rest), momentum, moments, wrench, loads, places = parts
    second = dict(zip(SECOND, rest[3:], strict=True))
    square = [[second[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
    inertia = Inertia(mass, rest[:3], square)
    return Limb(inertia, list(momentum), _square(moments), _force(wrench), list(loads), _square(places))
