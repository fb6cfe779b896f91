"""Outputs of contacts with their typed gradients, inertias and stiffnesses of bodies, tables of the mechanisms."""

from __future__ import annotations

import sympy as sp
from sympy import cos, sin

from nsdgen.verify import Claim

from . import slider_crank as crank
from .common import Family

x, y, th = sp.symbols("x y theta", real=True)
m, r, length = sp.symbols("m R l", positive=True)
half = sp.Rational(1, 2)


def claims() -> list[Claim]:
    """Stick, woodpecker, beads, bar, slider-crank, manipulator, cam, adjoint state, reduced genes."""
    return [*_stick(), *_woodpecker(), *_bodies(), *_bar(), *_corners(), *_stops(), *_cam(), *_adjoint(), *_genes()]


def _stick() -> list[Claim]:
    """The tip is below the centre; the tangential output is not written, and its row stands beside the normal one."""
    family = Family("small", "impacting_stick_fremond", {}, {}, "")
    output = sp.Matrix([y - length / 2 * cos(th), 0])
    rows = sp.Matrix([[0, 1, length / 2 * sin(th)], [-1, 0, -length / 2 * cos(th)]])
    tip = sp.Matrix([-(x - length / 2 * sin(th))])
    start = sp.Matrix([half * sin(sp.pi / 4) - length / 2 * sin(sp.pi / 4)])
    return [
        family.formula(
            "stick_output",
            output.jacobian([x, y, th]),
            rows,
            "gradient of the outputs as written",
            note="output 2 is never written: its row is a velocity, no gradient",
        ),
        family.formula(
            "stick_tip",
            tip.jacobian([x, y, th]),
            rows[1, :],
            "tangential row of the tip",
            note="the initial values put the tip at x - l/2 sin(theta): the term of theta' has the "
            "other sign; with the tip at x + l/2 sin(theta) the row is right",
        ),
        family.formula("stick_start", start.subs(length, 1), sp.zeros(1, 1), "the tip starts at abscissa 0"),
    ]


def _woodpecker() -> list[Claim]:
    ro, rm, hm, lm, lg, hs, ls = sp.symbols("r_O r_M h_M l_M l_G h_S l_S", positive=True)
    q = sp.symbols("y phi_M phi_S", real=True)
    family = Family("woodpecker", "woodpecker", {}, {}, "")
    beak = sp.Matrix([lm + lg - ls - ro - hs * q[2], q[0] + lm * q[1] + (lg - ls) * q[2]])
    lower, upper = (sp.Matrix([rm - ro + s * hm * q[1], q[0] + rm * q[1]]) for s in (1, -1))
    typed = ([[0, 0, -hs], [1, lm, lg - ls]], [[0, hm, 0], [1, rm, 0]], [[0, -hm, 0], [1, rm, 0]])
    return [
        family.formula(f"contact_{k}", at.jacobian(q), sp.Matrix(h), f"H of contact {k}")
        for k, (at, h) in enumerate(zip((beak, lower, upper), typed, strict=True), 1)
    ]


def _bodies() -> list[Claim]:
    """Moments of inertia of balls, and Hertz stiffness of beads of one material."""
    rho, polar = sp.symbols("rho phi", positive=True)
    density = m / (4 * sp.pi * r**3 / 3)
    # A ball about a diameter: the integral of s^2 sin^2 over the volume, in spherical coordinates.
    moment = sp.integrate(sp.integrate(2 * sp.pi * rho**4 * sin(polar) ** 3 * density, (polar, 0, sp.pi)), (rho, 0, r))
    balls = Family("ball", "bouncing_ball_ts, ball2d_kernel_only_with_friction", {}, {}, "")
    beads = Family("beads", "column_of_beads_ts", {}, {}, "")
    young, poisson = sp.symbols("E nu", positive=True)
    effective = young / (1 - poisson**2) / 2
    hertz = Family("beads", "bead_column_ed_lzb", {}, {}, "")
    return [
        balls.formula("inertia", moment, 2 * m * r**2 / 5, "moment of inertia of a ball"),
        beads.formula("inertia", moment, 3 * m * r**2 / 5, "moment of inertia of a bead"),
        hertz.formula(
            "stiffness_ball",
            4 * effective * sp.sqrt(r / 2) / 3,
            sp.sqrt(r / 2) * 2 * young / (1 - poisson**2) / 3,
            "Hertz stiffness, ball on ball",
        ),
        hertz.formula(
            "stiffness_wall",
            4 * effective * sp.sqrt(r) / 3,
            4 * sp.sqrt(r) * young * young / (6 * (1 - poisson**2) * young),
            "Hertz stiffness, ball on wall",
        ),
    ]


def _bar() -> list[Claim]:
    """A bar of length 1 in n - 1 elements, whose matrices were made with elements of length 1 / n."""
    n, (density, young, section) = 10, sp.symbols("rho E S", positive=True)

    def assembled(size: sp.Expr) -> tuple[sp.Matrix, sp.Matrix]:
        mass, stiffness = sp.zeros(n), sp.zeros(n)
        for k in range(n - 1):
            for i in range(2):
                for j in range(2):
                    mass[k + i, k + j] += density * section * size * sp.Rational(2 if i == j else 1, 6)
                    stiffness[k + i, k + j] += young * section / size * (1 if i == j else -1)
        return mass, stiffness

    right, typed = assembled(sp.Rational(1, n - 1)), assembled(sp.Rational(1, n))
    family = Family("bar", "impacting_bar_d1minus", {}, {}, "")
    return [
        family.formula(
            "mass",
            density * section,
            sum(typed[0]),
            "the entries of M sum to the mass of the bar",
            note="ten nodes bound nine elements, of length 1/9 and not 1/10",
        ),
        family.formula("stiffness", right[1], typed[1], "K of nine elements of a bar of length 1"),
        family.formula("damping", right[1] * 1000 / young, typed[1] * 1000 / young, "C = 1000 K / E of the bar"),
    ]


def _corners() -> list[Claim]:
    """The recorded columns 7 to 10 of the slider-crank are gaps over the clearance; on row 0 two are divided by -c."""
    c, b = sp.Symbol("c", positive=True), crank.b
    wide = {crank.d: 2 * (b + c)}
    shift = {1: -1, 2: 1}
    found = []
    for k, corner in enumerate(crank.CORNERS, 1):
        side = shift[(k - 1) % 2 + 1] * crank.a * sin(crank.q2)
        up = k < 3
        column = (crank.Y + side + (b if up else -b) * cos(crank.q2) + (-b if up else b)) / c
        gap = corner[0].subs(wide) / c
        found.append(
            crank.SYSTEM.formula(f"column_{k}", gap, 1 - column if up else 1 + column, f"recorded gap of corner {k}")
        )
        if not up:
            found.append(
                crank.SYSTEM.formula(
                    f"column_{k}_start", gap, 1 - column, f"recorded gap of corner {k}, row 0", note="divided by -c"
                )
            )
    return found


def _stops() -> list[Claim]:
    """The four linear stops of the manipulator."""
    q = sp.symbols("q0 q1", real=True)
    stops = sp.Matrix([sp.pi - q[0], q[0], sp.Rational(1, 10000) - q[1], q[1] + sp.pi - sp.Rational(1, 10000)])
    family = Family("two_link", "two_link_manipulator", {}, {}, "")
    return [
        family.formula(
            "stops", stops.jacobian(q), sp.Matrix([[-1, 0], [1, 0], [0, -1], [0, 1]]), "gradients of the stops"
        )
    ]


def _cam() -> list[Claim]:
    """The typed rates of the two arcs of the cam, for b' = w."""
    angle, w = sp.symbols("beta w", real=True)
    k, rho = sp.symbols("k rho", positive=True)
    turned = angle + sp.pi / 9
    first, third = sp.sqrt(1 - (k * cos(angle) / rho) ** 2), sp.sqrt(1 - (k * sin(turned) / rho) ** 2)
    family = Family("cam", "cam_follower_driven_358, cam_follower_driven_700", {}, {}, "")
    return [
        family.formula(
            "arc_1",
            w * (-k * sin(angle) + rho * first).diff(angle),
            w * (-k * cos(angle) + k**2 * sin(angle) * cos(angle) / (rho * first)),
            "rate of the first arc",
        ),
        family.formula(
            "arc_2",
            w * (-k * cos(turned) + rho * third).diff(angle),
            w * (k * sin(turned) - k**2 * sin(turned) * cos(turned) / (rho * third)),
            "rate of the second arc",
        ),
    ]


def _adjoint() -> list[Claim]:
    """The costates of the optimal control follow from the dynamics of the states, and y0 from the Hamiltonian."""
    x1, x2, p1, p2, u, l1 = sp.symbols("x1 x2 p1 p2 u lambda1", real=True)
    state = sp.Matrix([x2 / 2 + half, -x1 / 2 - x2]) + u * sp.Matrix([(1 - x2) / 2, x1 / 2])
    hamiltonian = ((x1 - 2) ** 2 + (x2 + 1) ** 2) / 2 + (sp.Matrix([[p1, p2]]) * state)[0, 0]
    rates = -sp.Matrix([hamiltonian.diff(x1), hamiltonian.diff(x2)])
    typed = sp.Matrix([-(x1 - 2) + p2 / 2, -(x2 + 1) - p1 / 2 + p2]) + u * sp.Matrix([-p2 / 2, p1 / 2])
    family = Family("optimal_control", "optimal_control", {}, {}, "")
    return [
        family.formula("adjoint", rates, typed, "f and g of the costates are - dH/dx"),
        family.formula(
            "switching", 2 * hamiltonian.diff(u) + l1, l1 + (1 - x2) * p1 + x1 * p2, "y0 is the switching function"
        ),
    ]


def _genes() -> list[Claim]:
    """Above the lower thresholds the reduced network is the full one; f is linear."""
    y0, y1 = sp.symbols("y0 y1", real=True)
    a = sp.symbols("lambda0:4", real=True)
    full = 40 * sp.Matrix([(1 - a[2]) * a[1], a[0] * (1 - a[3])])
    rates = sp.Matrix([-sp.Rational(9, 2) * y0, -sp.Rational(3, 2) * y1])
    family = Family("genes", "step_system, step_system_reduced", {}, {}, "")
    return [
        family.formula(
            "reduction", full.subs({a[0]: 1, a[1]: 1}), 40 * sp.Matrix([1 - a[2], 1 - a[3]]), "g of the reduced network"
        ),
        family.formula("f", rates.jacobian([y0, y1]), sp.diag(-sp.Rational(9, 2), -sp.Rational(3, 2)), "df/dx"),
    ]
