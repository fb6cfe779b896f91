"""Joints and beams: closed at the start, normals, rows of rotations, recorded quantities, inertias; planar contacts."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp
from sympy import cos, pi, sin, sqrt

from nsdgen.verify import (
    Claim,
    Inequality,
    NonNegative,
    UnitQuaternion,
    conjugate,
    pure,
    quaternion,
    quaternion_product,
    rotation_matrix,
)

from .common import Family
from .newton_euler import _twist_map, inertia, p

BEAMS = "ne_3ds_3knee_1prism_mlcp, springs_ne_3ds_3knee_1prism_mlcp"
half, root = sp.Rational(1, 2), sqrt(2)
m, r, length = sp.symbols("m R l", positive=True)
omega = sp.Matrix(sp.symbols("O1:4", real=True))
START = {
    1: ((half / root, 0, -half / root), pi / 4),
    2: ((half / root, 0, -3 * half / root), -pi / 4),
    3: ((0, 0, -root - half), pi / 2),
}
"""Centre and angle about y of the three beams."""


def claims() -> list[Claim]:
    """Beams, prismatic joints, rigid bodies, planar bodies, starts and tables."""
    return [*_beams(), *_prismatic(), *_bodies(), *_planar(), *_starts(), *_cam()]


def _turned(angle: sp.Expr) -> sp.Matrix:
    return sp.Matrix([cos(angle / 2), 0, sin(angle / 2), 0])


def _at(beam: int, place: Sequence[sp.Expr]) -> sp.Matrix:
    """Where a point of a beam is at the start."""
    centre, angle = START[beam]
    return (sp.Matrix(centre) + rotation_matrix(_turned(angle)) * sp.Matrix(place)).applyfunc(sp.nsimplify)


def _beams() -> list[Claim]:
    ends = [
        ("world", sp.zeros(3, 1), _at(1, (-half, 0, 0))),
        ("first", _at(1, (half, 0, 0)), _at(2, (half, 0, 0))),
        ("second", _at(2, (-half, 0, 0)), _at(3, (-half, 0, 0))),
    ]
    family = Family("joints", BEAMS, {}, {}, "")
    x = sp.Symbol("x", real=True)
    slender = sp.integrate(m / length * x**2, (x, -length / 2, length / 2)).subs({m: 1, length: 1})
    spin, skewed = sp.Matrix([0, 0, 100]), sp.Matrix([[1, 1, 0], [1, 10, 0], [0, 0, 10]]) / 10
    alone = Family("joints", "ne_1ds", {}, {}, "")
    return [
        *(
            family.formula(f"closed_{name}", one, other, f"ball joint of the start, {name}")
            for name, one, other in ends
        ),
        family.formula("axis", sp.Matrix([0, 0, -1]), _at(3, (1, 0, 0)) - _at(3, (0, 0, 0)), "the axis is -z"),
        family.formula(
            "normals",
            sp.Matrix([[0, -1, 0], [0, 0, -1]]),
            sp.Matrix.vstack(sp.Matrix([[0, -1, 0]]), sp.Matrix([1, 0, 0]).cross(sp.Matrix([0, -1, 0])).T),
            "n1 = (V2, -V1, 0) and n2 = V x n1 of V = (1, 0, 0)",
        ),
        alone.formula("spin", sp.zeros(3, 1), spin.cross(skewed * spin), "gyroscopic moment of the start"),
        family.formula(
            "beam_inertia",
            slender,
            sp.S.One,
            "transverse moment of inertia of a slender beam",
            note="all beams are given 1, twelve times that of a beam of length 1 and mass 1",
        ),
    ]


def _prismatic() -> list[Claim]:
    """Rows of the rotation: what they measure, that moving both bodies leaves them, and their rows by twists."""
    family = Family("prismatic", "prismatic_test, ne_3ds_3knee_1prism_mlcp", {}, {}, "")
    start, turn = quaternion("c"), quaternion("t")
    other = quaternion("s")

    def rows(first: sp.Matrix, second: sp.Matrix, reference: sp.Matrix) -> sp.Matrix:
        return sp.Matrix(quaternion_product(first, conjugate(quaternion_product(second, reference)))[1:])

    world = sp.Matrix([1, 0, 0, 0])
    moved = rows(sp.Matrix(p), world, start)
    by_twists = moved.jacobian(p) * _twist_map()[3:, 3:]
    columns = [sp.Matrix(quaternion_product(p, pure(sp.eye(3)[:, k]), conjugate(start))[1:]) / 2 for k in range(3)]
    common = rows(
        quaternion_product(turn, start), quaternion_product(turn, other), quaternion_product(conjugate(other), start)
    )
    return [
        family.formula(
            "rotation_start",
            sp.Matrix(turn[1:]),
            rows(quaternion_product(turn, start), world, start),
            "the rows are the vector part of the rotation since the start",
            assumptions=[UnitQuaternion(start)],
        ),
        family.formula("rotation_common", sp.zeros(3, 1), common, "turning both bodies leaves the rows 0"),
        family.formula("rotation_rows", by_twists, sp.Matrix.hstack(*columns), "H of the rows of rotation"),
    ]


def _bodies() -> list[Claim]:
    """Inertia and kinetic moment of rigid balls, rolling rows, norms and reactions in tables."""
    ball = Family("contact", "bouncing_ball_nets, rolling_bouncing_ball_nets, ball_newton_euler", {}, {}, "")
    rolling = Family("contact", "rolling_bouncing_ball_nets", {}, {}, "")
    plane = Family("moving_plane", "ball_newton_euler_on_moving_plane", {}, {}, "")
    frame = sp.Matrix([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    world = rotation_matrix(p) * omega
    impulse = sp.Symbol("lambda", real=True)
    both = sp.Matrix([impulse, *[0] * 5, -impulse, *[0] * 5])
    rest = (omega.T * inertia * omega / 2)[0, 0]
    moment = omega.cross(inertia * omega)
    return [
        ball.formula(
            "ball_inertia",
            (2 * m * r**2 / 5).subs({m: 1, r: sp.Rational(1, 10)}),
            sp.S.One,
            "moment of inertia of the ball of radius 0.1",
            note="the identity is given",
        ),
        rolling.formula(
            "rolling_rows",
            sp.Matrix([frame[1, :].dot(world), frame[2, :].dot(world)]),
            (frame * rotation_matrix(p))[1:, :] * omega,
            "angular velocity along the two tangents",
        ),
        plane.formula(
            "norm",
            both.norm(),
            sqrt(2) * impulse,
            "recorded norm of the generalised impulses",
            assumptions=[NonNegative(impulse)],
        ),
        ball.formula("power", rest.diff(omega[0]) * 0, omega.dot(moment), "the gyroscopic moment has no power"),
    ]


def _planar() -> list[Claim]:
    """The contact of a planar ball: height, abscissa, rotation; rows of the woodpecker's offsets; energies."""
    x, y, angle, w = sp.symbols("x y theta w", real=True)
    vx, vy = sp.symbols("vx vy", real=True)
    planar = Family("ball", "ball2d_kernel_only_with_friction", {}, {}, "")
    velocity = sp.Matrix([vx, vy, 0]) + sp.Matrix([0, 0, w]).cross(sp.Matrix([-r, 0, 0]))
    typed = sp.Matrix([[1, 0, 0], [0, 1, -r]])
    q = sp.symbols("y phi_M phi_S", real=True)
    ro, rm, hm, lm, lg, hs, ls = sp.symbols("r_O r_M h_M l_M l_G h_S l_S", positive=True)
    bird = Family("woodpecker", "woodpecker", {}, {}, "")
    outputs = sp.Matrix([lm + lg - ls - ro - hs * q[2], rm - ro + hm * q[1], rm - ro - hm * q[1]])
    one, two = sp.symbols("q0:2", real=True), sp.symbols("v0:2", real=True)
    tip = sp.Matrix([sin(one[0]) + sin(one[1]), -cos(one[0]) - cos(one[1])]).jacobian(one) * sp.Matrix(two)
    pendulum = Family("double_pendulum", "double_pendulum_ts", {}, {}, "")
    return [
        planar.formula("rows", velocity[:2, :], typed * sp.Matrix([vx, vy, w]), "velocity of the contact point"),
        planar.formula("gap", sp.Matrix([x - r]).jacobian([x, y, angle]), typed[:1, :], "gradient of the gap"),
        bird.formula(
            "offsets",
            outputs.subs(dict.fromkeys(q, 0)),
            sp.Matrix([lm + lg - ls - ro, rm - ro, rm - ro]),
            "b of the normal rows",
        ),
        pendulum.formula(
            "energy",
            (two[0] ** 2 + (tip.T * tip)[0, 0]) / 2,
            two[0] ** 2 + two[1] ** 2 / 2 + two[0] * two[1] * cos(one[0] - one[1]),
            "kinetic energy with unit lengths and masses",
        ),
    ]


def _starts() -> list[Claim]:
    """What the initial values of a case must satisfy."""
    stick = Family("small", "impacting_stick_fremond", {}, {}, "")
    taut = Family("small", "simple_pendulum_ed_lsodar", {}, {}, "")
    crank = Family(
        "slider_crank",
        "slider_crank_moreau_jean, slider_crank_direct_projection, slider_crank_d1minus_acceleration",
        {},
        {},
        "",
    )
    beads = Family("beads", "bead_column_ed_lzb, bead_column_ed_newton", {}, {}, "")
    planar = Family("ball", "bouncing_ball_ed, bouncing_ball_ed_initial_impact, bouncing_ball_ed_resting", {}, {}, "")
    big, b, c = sp.symbols("L b c", positive=True)
    q = sp.Rational
    return [
        stick.formula(
            "stick_gap", (half * cos(pi / 4) + q(1, 100)) - half * cos(pi / 4), q(1, 100), "gap of the start"
        ),
        taut.formula(
            "pendulum_start",
            big**2 - (big * sin(pi / 3)) ** 2 - (big * cos(pi / 3)) ** 2,
            sp.S.Zero,
            "the thread is taut at the start",
        ),
        crank.formula("start", q(153, 1000) * 150 + q(306, 1000) * -75, sp.S.Zero, "the slider follows its guide"),
        crank.formula("clearance", (2 * (b + c)) / 2 - b, c, "gaps of the four corners at the start"),
        beads.formula("start", q(55, 1000) - q(5, 1000), q(5, 100), "height of the column above the floor"),
        beads.formula("gaps", q(1, 100) - 2 * q(5, 1000), sp.S.Zero, "the beads touch"),
        beads.formula(
            "mass",
            q(4, 3) * pi * q(5, 1000) ** 3 * 7780,
            q(4, 3) * q(314159265, 10**8) * q(5, 1000) ** 3 * 7780,
            "mass of a bead",
            note="pi is the literal 3.14159265",
        ),
        planar.formula("inertia_ed", 2 * m * r**2 / 5, 3 * m * r**2 / 5, "inertia of the ball, event driven"),
    ]


def _cam() -> list[Claim]:
    """The force that stands for a moving cam, and where the pieces of its profile meet."""
    mass, stiffness = sp.symbols("mu kappa", positive=True)
    t, angle = sp.symbols("t beta", real=True)
    cam, moved = sp.Function("c")(t), sp.Function("u")(t)
    whole = moved + cam
    relative = mass * moved.diff(t, 2) + stiffness * moved - -(mass * cam.diff(t, 2) + stiffness * cam)
    family = Family("cam", "cam_follower_driven_358, cam_follower_driven_700", {}, {}, "")
    q = sp.Rational
    k1, rho1, base = q(45, 100), q(85, 100), q(40, 100)
    k2, rho2, rho3 = q(40393320723821, 10**14), q(55393320723821, 10**14), q(15, 100)
    first = -k1 * sin(angle) + rho1 * sqrt(1 - (k1 * cos(angle) / rho1) ** 2)
    second = -k2 * cos(angle + pi / 9) + rho3 * sqrt(1 - (k2 * sin(angle + pi / 9) / rho3) ** 2)
    one, two = pi / 2 + q(1050328174371336, 10**15), pi / 2 + q(122173047639603, 10**14)
    return [
        family.formula(
            "force",
            mass * whole.diff(t, 2) + stiffness * whole,
            relative,
            "equivalent force of the cam, without damping",
        ),
        family.formula("join_1", first.subs(angle, pi / 2), base, "the first arc starts at the base circle"),
        family.formula("join_1_rate", first.diff(angle).subs(angle, pi / 2), sp.S.Zero, "and with its slope"),
        *(
            Claim(
                f"cam/{name}.formula",
                statements=[Inequality(sp.Abs(one_side - other), "<=", q(1, 10**12))],
                title=title,
                source=family.case,
                note="to the digits of the typed constants",
            )
            for name, one_side, other, title in (
                ("join_2", first.subs(angle, one), second.subs(angle, one), "the two arcs meet"),
                (
                    "join_2_rate",
                    first.diff(angle).subs(angle, one),
                    second.diff(angle).subs(angle, one),
                    "and with one slope",
                ),
                ("join_3", second.subs(angle, two), rho2, "the second arc ends at the nose"),
            )
        ),
    ]
