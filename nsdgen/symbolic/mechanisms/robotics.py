"""What robotics asks of a mechanism: frames and their speeds, inverse dynamics, Coriolis matrix, regressor, momentum.

Each is derived by the recursions of ``recursion.py``, inverse dynamics by the same one as the forces, with
accelerations in it (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 5).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import sympy as sp

from nsdgen.base.names import mangle
from nsdgen.base.suggest import nearest
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import own_symbol
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.families.system_class import Operator
from nsdgen.symbolic.graph.computed import computed, stated
from nsdgen.symbolic.graph.derivative import directional
from nsdgen.symbolic.graph.node import ZERO, Node, add, leaf, mul, number, power
from nsdgen.symbolic.mechanisms.derived_frames import Derived, FramePlace
from nsdgen.symbolic.mechanisms.link_constants import SECOND
from nsdgen.symbolic.mechanisms.links import square
from nsdgen.symbolic.mechanisms.node_vectors import Vector, cross, dot, minus, plus, scaled, times, transposed
from nsdgen.symbolic.mechanisms.recursion import (
    GROUND,
    NO_INERTIA,
    Frame,
    FrameMotion,
    Inertia,
    forces,
    mass_matrix,
    motions,
    solved,
)
from nsdgen.symbolic.mechanisms.slopes import fewest, force_slopes


def derived_operators(
    derived: Derived, wanted: Sequence[str], markers: Mapping[str, FramePlace], where: str
) -> list[Operator]:
    """The operators of these names, and pose, Jacobian and drift of markers; raises ``ModelError`` for other names."""
    found = {o.name: o for name, place in markers.items() for o in _of_marker(derived, mangle(name), place)}
    for name in wanted:
        if name in OPERATORS:
            found |= {o.name: o for o in OPERATORS[name](derived)}
    for name in wanted:
        base, _, role = name.rpartition("_")
        if name in found:
            continue
        if base in OPERATORS and base not in found:
            found |= {o.name: o for o in OPERATORS[base](derived)}
        if base not in found or role not in dict(found[base].operands):
            raise ModelError(
                f"there is no operator {name!r}",
                where=where,
                fix=f"{nearest(name, OPERATORS)} there are {', '.join(OPERATORS)}, and their derivatives: "
                f"{next(iter(OPERATORS))}_q".strip(),
            )
        found.setdefault(name, _derivative(found[base], role))
    return list(found.values())


def _derivative(of: Operator, role: str) -> Operator:
    """The derivative of all entries of an operator, row by row, by one of its operands."""
    entries = sp.Matrix(list(of.values))
    meaning = f"d {of.name} / d{role}, a row for each entry"
    return Operator(f"{of.name}_{role}", jacobian(entries, dict(of.operands)[role]), of.operands, meaning)


def _column(nodes: Sequence[Node]) -> sp.Matrix:
    return sp.Matrix([computed(node) for node in nodes])


def _of_marker(derived: Derived, name: str, marker: FramePlace) -> list[Operator]:
    """Place and quaternion; J of velocity and angular velocity, inertial axes; the accelerations J' v at v' = 0."""
    motion, r = (derived.moving[marker.frame] if marker.frame >= 0 else GROUND), marker.place
    place = plus(motion.origin, times(motion.turn, r))
    speed = plus(motion.velocity, cross(motion.omega, r))
    pull = plus(motion.acceleration, cross(motion.alpha, r), cross(motion.omega, cross(motion.omega, r)))
    twist = _column([*times(motion.turn, speed), *times(motion.turn, motion.omega)])
    drift = _column([*times(motion.turn, pull), *times(motion.turn, motion.alpha)])
    pose = _column([*place, *marker.quaternion])
    J = jacobian(twist, derived.v)
    moved = _rate(derived, list(J))
    return [
        derived.operator(f"{name}_pose", pose, "q", f"position and quaternion of {name}"),
        derived.operator(f"{name}_jacobian", J, "q", f"J(q), twist of {name} = J v"),
        derived.operator(f"{name}_jacobian_rate", sp.Matrix(*J.shape, moved), "q v", f"J'(q, v) of {name}"),
        derived.operator(f"{name}_drift", drift, "q v", f"J'(q, v) v of {name}"),
    ]


def _rate(derived: Derived, values: Sequence[sp.Expr]) -> list[sp.Expr]:
    """How fast functions of q change with the motion."""
    along = derived.space.twist_map(derived.q) * sp.Matrix(derived.v)
    direction = dict(zip(derived.q, stated(list(along)), strict=True))
    return [computed(node) for node in directional(stated(list(values)), direction)]


def _with_accelerations(derived: Derived, a: Sequence[sp.Symbol]) -> list[Frame]:
    """The frames with accelerations of joints."""
    given, frames = iter(a), []
    for frame in derived.frames:
        columns = tuple(replace(column, acceleration=leaf(next(given))) for column in frame.columns)
        frames.append(replace(frame, columns=columns))
    return frames


def _accelerated(derived: Derived, a: Sequence[sp.Symbol], start: FrameMotion = GROUND) -> list[FrameMotion]:
    """The motions with accelerations of joints."""
    return motions(_with_accelerations(derived, a), start)


def inertia_and_forces(derived: Derived) -> tuple[dict[tuple[int, int], Node], list[Node]]:
    """The entries of M that are not zero, and F: of long chains by loops, else operation by operation."""
    loops = derived.loops
    if loops is None:
        return _inertia(derived), forces(derived.frames, derived.moving, derived.acting)
    q, v = ([leaf(s) for s in group] for group in (derived.q, derived.v))
    return _with_rotors(derived, loops.mass(q)), [minus(e) for e in loops.inverse_dynamics(q, v)]


def inertia_forces(derived: Derived) -> tuple[tuple[sp.Symbol, ...], sp.Matrix] | None:
    """Accelerations and M a, of long chains."""
    if derived.loops is None:
        return None
    a = _accelerations(derived)
    nodes = [leaf(s) for s in a]
    taken = derived.loops.inverse_dynamics([leaf(s) for s in derived.q], a=nodes, loaded=False)
    rotors = [mul((derived.rotors.get(i, ZERO), node)) for i, node in enumerate(nodes)]
    return a, _column(plus(taken, rotors))


def derivatives_of_force(derived: Derived, force: Sequence[Node]) -> dict[str, sp.Matrix]:
    """dF/dq and dF/dv by recursion, or by differentiation where that takes fewer operations.

    None where balls turn, and where loops know them.
    """
    if derived.loops is not None:
        return {}
    return _slopes(derived, derived.frames, force, minus)


def _slopes(
    derived: Derived, frames: Sequence[Frame], values: Sequence[Node], sign: Callable[[Node], Node]
) -> dict[str, sp.Matrix]:
    """Derivatives of ``values``, which are those of the recursion with a sign."""
    loads = derived.loads
    if loads is None:
        return {}
    found = {}
    for role, wrt, entries in zip("qv", (derived.q, derived.v), force_slopes(frames, loads), strict=True):
        best = fewest(values, wrt, {place: sign(e) for place, e in entries.items()})
        cells = {place: computed(e) for place, e in best.items()}
        found[role] = sp.Matrix(sp.SparseMatrix(len(values), len(wrt), cells))
    return found


def _accelerations(derived: Derived) -> tuple[sp.Symbol, ...]:
    return tuple(own_symbol("joint", f"a_{s.name}") for s in derived.v)


def _inverse_dynamics(derived: Derived) -> list[Operator]:
    a = _accelerations(derived)
    left = forces(derived.frames, _accelerated(derived, a), derived.acting)
    rotors = [mul((derived.rotors.get(i, ZERO), leaf(s))) for i, s in enumerate(a)]
    given = plus([minus(e) for e in left], rotors)
    tau, meaning = _column(given), "tau = M a - F(t, q, v)"
    whole = derived.operator("inverse_dynamics", tau, "t q v a", meaning, a=a)
    slopes = _slopes(derived, _with_accelerations(derived, a), given, lambda e: e)
    if not slopes:
        unit, _ = derived.space.normalisation(derived.q)
        slopes = {r: jacobian(tau.xreplace(unit), wrt) for r, wrt in (("q", derived.q), ("v", derived.v))}
    return [
        whole,
        *(derived.operator(f"inverse_dynamics_{r}", J, "t q v a", f"dtau/d{r}", a=a) for r, J in slopes.items()),
    ]


def _inertia(derived: Derived) -> dict[tuple[int, int], Node]:
    """The entries of M with its armature."""
    return _with_rotors(derived, mass_matrix(derived.frames))


def _with_rotors(derived: Derived, found: dict[tuple[int, int], Node]) -> dict[tuple[int, int], Node]:
    for i, rotor in derived.rotors.items():
        found[i, i] = add((found.get((i, i), ZERO), rotor))
    return found


def _forward_dynamics(derived: Derived) -> list[Operator]:
    """a of M a = F + tau, M eliminated from the limbs inwards."""
    tau = tuple(own_symbol("joint", f"tau_{s.name}") for s in derived.v)
    force = forces(derived.frames, derived.moving, derived.acting)
    a = _column(solved(_inertia(derived), plus(force, [leaf(s) for s in tau])))
    return [derived.operator("forward_dynamics", a, "t q v tau", "a = M^-1 (F(t, q, v) + tau)", tau=tau)]


def _solve_mass(derived: Derived) -> list[Operator]:
    """The action of M^-1."""
    b = tuple(own_symbol("joint", f"b_{s.name}") for s in derived.v)
    x = _column(solved(_inertia(derived), [leaf(s) for s in b]))
    return [derived.operator("solve_mass", x, "q b", "M(q)^-1 b", b=b)]


def _joint_forces(derived: Derived) -> list[Operator]:
    """What parents do to links: the recursion of inverse dynamics keeps it on the way inwards.

    ``w`` are forces and moments besides, which contacts, springs and loops do to bodies.
    """
    a, rows = _accelerations(derived), []
    w = tuple(own_symbol("joint", f"w_{k}_{i}") for k in range(len(derived.bodies)) for i in range(6))
    moving, acting = _accelerated(derived, a), list(derived.acting)
    for k, body in enumerate(derived.bodies):
        link = derived.links.links[body.name]
        if link.frame >= 0:
            back = transposed(moving[link.frame].turn)
            force, moment = (times(back, [leaf(s) for s in w[6 * k + i : 6 * k + i + 3]]) for i in (0, 3))
            before = acting[link.frame]
            moment = plus(before[1], moment, cross(stated(link.centre), force))
            acting[link.frame] = plus(before[0], force), moment
    passed: list[tuple[Vector, Vector]] = []
    forces(derived.frames, moving, acting, passed)
    own = {name: link.frame for name, link in derived.links.links.items()}
    for body in derived.bodies:
        frame = own[body.name]
        pair = passed[frame] if frame >= 0 else ([ZERO] * 3, [ZERO] * 3)
        turn = moving[frame].turn if frame >= 0 else GROUND.turn
        rows.append([minus(e) for part in pair for e in times(turn, part)])
    values = sp.Matrix([[computed(e) for e in row] for row in rows])
    meaning = "force, and moment about the origin of its last motion, that a link gets through its joint; inertial axes"
    return [derived.operator("joint_forces", values, "t q v a w", meaning, a=a, w=w)]


def _coriolis(derived: Derived) -> list[Operator]:
    """With Christoffel's symbols: half the derivative of what is quadratic in v."""
    if not derived.space.flat:
        raise ModelError(
            "quaternions have velocities that are no rates: there are no Christoffel symbols",
            where="operator 'coriolis'",
            fix="take 'inverse_dynamics', whose value at a = 0 is C v - F",
        )
    nothing = [([ZERO] * 3, [ZERO] * 3) for _ in derived.frames]
    quadratic = _column([mul((number(sp.Rational(-1, 2)), e)) for e in forces(derived.frames, derived.moving, nothing)])
    return [derived.operator("coriolis", jacobian(quadratic, derived.v), "q v", "C(q, v), M' - 2 C skew")]


def _regressor(derived: Derived) -> list[Operator]:
    """Linear in mass, first moment and inertia of every body about its own origin, along its own axes."""
    a, g = _accelerations(derived), tuple(own_symbol("joint", f"g_{axis}") for axis in "xyz")
    names = ("m", "hx", "hy", "hz", *(f"I{'xyz'[i]}{'xyz'[j]}" for i, j in SECOND))
    parameters, frames = [], [replace(frame, inertia=NO_INERTIA) for frame in derived.frames]
    for number_, body in enumerate(derived.bodies):
        own = [own_symbol("joint", f"{name}_{number_}") for name in names]
        parameters += own
        link, nodes = derived.links.links[body.name], [leaf(s) for s in own]
        if link.frame < 0:
            continue
        places = dict(zip(SECOND, nodes[4:], strict=True))
        second = [[places[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
        inertia = Inertia(nodes[0], nodes[1:4], second).seen(square(link.axes), stated(link.centre))
        frame = frames[link.frame]
        frames[link.frame] = replace(frame, inertia=frame.inertia + inertia)
    falling = replace(GROUND, acceleration=[minus(leaf(s)) for s in g])
    nothing = [([ZERO] * 3, [ZERO] * 3) for _ in frames]
    tau = _column([minus(e) for e in forces(frames, _accelerated(derived, a, falling), nothing)])
    meaning = "Y(q, v, a, g), M a + C v - weight = Y pi, pi = (m, m c, Ixx, Ixy, Ixz, Iyy, Iyz, Izz) of every body"
    return [derived.operator("regressor", jacobian(tau, parameters), "q v a g", meaning, a=a, g=g)]


def _mass_centre(derived: Derived) -> tuple[Node, Vector]:
    """1 / mass, and mass times the place of the centre of mass."""
    heavy = [(f.inertia, m) for f, m in zip(derived.frames, derived.moving, strict=True) if f.inertia is not NO_INERTIA]
    first = plus(*(plus(scaled(i.mass, m.origin), times(m.turn, i.first)) for i, m in heavy))
    return power(plus(*([i.mass] for i, _ in heavy))[0], number(-1)), first


def _centre_of_mass(derived: Derived) -> list[Operator]:
    inverse, first = _mass_centre(derived)
    centre = _column(scaled(inverse, first))
    return [derived.operator("centre_of_mass", centre, "q", "x of the centre of mass")]


def _momentum(derived: Derived) -> list[Operator]:
    """m v, and angular momentum about the centre of mass; inertial axes."""
    inverse, first = _mass_centre(derived)
    nothing: Vector = [ZERO] * 3
    linear, angular = nothing, nothing
    for frame, motion in zip(derived.frames, derived.moving, strict=True):
        body = frame.inertia
        if body is NO_INERTIA:
            continue
        p = times(motion.turn, plus(scaled(body.mass, motion.velocity), cross(motion.omega, body.first)))
        own = times(motion.turn, plus(times(body.second, motion.omega), cross(body.first, motion.velocity)))
        linear, angular = plus(linear, p), plus(angular, own, cross(motion.origin, p))
    about = plus(angular, [minus(e) for e in cross(scaled(inverse, first), linear)])
    return [derived.operator("momentum", _column([*linear, *about]), "q v", "m v and L about the centre of mass")]


def _energy(derived: Derived) -> list[Operator]:
    """Kinetic energy by frames, and the potential of what is applied to bodies and does not depend on their state."""
    state, terms, half = {*derived.q, *derived.v}, [], number(sp.Rational(1, 2))
    for body, force in zip(derived.bodies, derived.pushes, strict=True):
        place = derived.centre(body.name)
        if any(not computed(e).free_symbols.isdisjoint(state) for e in force) or body.applied[1] != sp.zeros(3, 1):
            raise ModelError(
                f"what is applied to body {body.name!r} is a moment or depends on the state: no sure potential",
                where="operator 'energy'",
                fix="take 'kinetic_energy', or state springs and motors as relations",
            )
        terms.append(minus(dot(force, place)))
    for frame, motion in zip(derived.frames, derived.moving, strict=True):
        body_ = frame.inertia
        if body_ is not NO_INERTIA:
            p = plus(scaled(body_.mass, motion.velocity), scaled(number(2), cross(motion.omega, body_.first)))
            terms.append(mul((half, dot(motion.velocity, p))))
            terms.append(mul((half, dot(motion.omega, times(body_.second, motion.omega)))))
    for i, rotor in derived.rotors.items():
        terms.append(mul((half, rotor, leaf(derived.v[i]), leaf(derived.v[i]))))
    whole = _column([add(tuple(terms))])
    return [derived.operator("energy", whole, "t q v", "T(q, v) - sum f x, f on bodies")]


OPERATORS: dict[str, Callable[[Derived], list[Operator]]] = {
    "inverse_dynamics": _inverse_dynamics,
    "forward_dynamics": _forward_dynamics,
    "solve_mass": _solve_mass,
    "joint_forces": _joint_forces,
    "coriolis": _coriolis,
    "regressor": _regressor,
    "centre_of_mass": _centre_of_mass,
    "momentum": _momentum,
    "energy": _energy,
}
