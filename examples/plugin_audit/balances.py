"""Recorded energies, works and dissipations, and steps of schemes, against the equations of motion of the same case."""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim, Equation, NonNegative, NonZero, Zero

from .common import Family

h, m, e, theta = sp.symbols("h m e theta", positive=True)
u, u_k, v, v_k, force, impulse, gap = sp.symbols("u u_k v v_k F p y", real=True)
half = sp.Rational(1, 2)


def claims() -> list[Claim]:
    """Circuits at gamma = 1/2, the stick, impacts, D1-minus, laws of impact, the global form, projections."""
    return [*_circuits(), *_stick(), *_impacts(), *_half_explicit(), *_laws(), *_projections()]


def _circuits() -> list[Claim]:
    """Storage at the ends of a midpoint step and what the resistor takes in it, where the law holds at the middle."""
    c, ind, r = sp.symbols("C L R", positive=True)
    q, i, lam = sp.symbols("q i lambda", real=True)  # the state at the middle of the step
    rates = sp.Matrix([-i + lam, q / (ind * c)])
    change = h * (q / c * rates[0] + ind * i * rates[1])
    single = Family("theta_gamma", "circuit_rlcd_tg_gammafrhalf", {}, {}, "")
    w, j = sp.symbols("v i", real=True)
    a = sp.symbols("lambda0:4", real=True)
    load = (a[0] + a[1]) / r
    outputs = sp.Matrix([load - a[2], load - a[3], a[0] - w, w + a[1]])
    stored = h * (c * w * (-j - a[2] + a[3]) / c + ind * j * w / ind)
    bridge = Family("theta_gamma", "diode_bridge_tg_frhalf", {}, {}, "")
    return [
        single.formula(
            "balance",
            change,
            -h * r * lam**2,
            "storage falls by what is dissipated",
            assumptions=[Equation((q / c + r * lam) * lam, 0)],
        ),
        bridge.formula(
            "balance_bridge",
            stored,
            -h * (a[0] + a[1]) ** 2 / r,
            "storage falls by what is dissipated",
            assumptions=[Equation(outputs[k] * a[k], 0) for k in range(4)],
        ),
    ]


def _stick() -> list[Claim]:
    """Works of forces and contacts of a step with constant mass at theta = 1/2, and the local law of Fremond."""
    family = Family("small", "impacting_stick_fremond", {}, {}, "")
    end, begin = sp.Matrix(sp.symbols("v1:4", real=True)), sp.Matrix(sp.symbols("w1:4", real=True))
    load, l_n, l_t = sp.Matrix(sp.symbols("F1:4", real=True)), *sp.symbols("lambda_N lambda_T", real=True)
    rows = sp.Matrix(2, 3, sp.symbols("H11:14 H21:24", real=True))
    mass, mu = sp.diag(*sp.symbols("m1:4", positive=True)), sp.Symbol("mu", positive=True)
    change = ((end.T * mass * end - begin.T * mass * begin) / 2)[0, 0]
    local = rows * (end + begin) / 2
    works = h * ((end + begin) / 2).dot(load) + local[0] * l_n + local[1] * l_t
    step = mass * (end - begin) - h * load - rows.T * sp.Matrix([l_n, l_t])
    offset = theta * u + (1 - theta) * u_k + (theta * (1 + e) - 1) * u_k
    slides = [Equation(l_t, -mu * l_n * sp.sign(u + u_k)), NonNegative(l_n)]
    length = sp.Symbol("l", positive=True)
    s = sp.Symbol("s", real=True)
    return [
        family.formula(
            "stick_works",
            change,
            works,
            "kinetic energy grows by the works of forces and contact",
            assumptions=[Equation(row, 0) for row in step],
        ),
        family.formula("stick_law", theta * (u + e * u_k), offset, "the normal row is theta (u + e u_k)"),
        family.formula(
            "stick_dissipation",
            (u + u_k) * l_t / 2,
            -mu * sp.Abs(u + u_k) * l_n / 2,
            "tangential work of sliding is the dissipation",
            assumptions=slides,
        ),
        family.formula(
            "stick_mass",
            sp.integrate(m / length * s**2, (s, -length / 2, length / 2)),
            m * length**2 / 12,
            "moment of inertia of a stick",
        ),
    ]


def _impacts() -> list[Claim]:
    """One contact with u' = a under impulses: energies by mean rates, and what is given back of them."""
    case = Family("impacts", "bead_column_ed_lzb", {}, {}, "")
    a, step = sp.symbols("a dP", positive=True)
    mean = (u_k + u) / 2
    stiff, power, own, first_stiff, first_power, energy, first = sp.symbols(
        "K_i eta_i E_i K_p eta_p u_i E_p", positive=True
    )
    numbers = {power: sp.Rational(3, 2), first_power: sp.Rational(3, 2)}
    above, below = power / (1 + power), first_power / (1 + first_power)
    ratio = (
        (1 + power) ** above
        / (1 + first_power) ** below
        * stiff ** (1 / (1 + power))
        / first_stiff ** (1 / (1 + first_power))
    )
    start = (ratio * (energy * step) ** above / first**below) ** (1 + power)
    loaded = ratio * own**above / first**below
    stored, speed = sp.symbols("E w", positive=True)
    return [
        case.formula(
            "work",
            (u**2 - u_k**2) / (2 * a),
            mean * step,
            "work of an increment of impulse",
            assumptions=[Equation(u, u_k + a * step)],
        ),
        case.formula(
            "restitution",
            (e * speed) ** 2,
            2 * a * e**2 * stored,
            "square of the rate of separation, with e^2 of the stored energy given back",
            assumptions=[Equation(stored, speed**2 / (2 * a))],
        ),
        case.formula(
            "distribution_starting",
            loaded.subs(own, energy * start * step).subs(numbers),
            start.subs(numbers),
            "gamma of a contact that starts beside a loaded one, Hertz's power",
        ),
    ]


def _half_explicit() -> list[Claim]:
    """D1-minus-linear: exact in free fall, accelerations of gaps, rates after impacts."""
    ball = Family(
        "d1_minus", "bouncing_ball_ts_d1minus, impacting_bar_d1minus, slider_crank_d1minus_acceleration", {}, {}, ""
    )
    q, acceleration, time = sp.symbols("q a t", real=True)
    first = v_k + h * acceleration
    place = sp.Matrix([sp.Function("x")(time), sp.Function("y")(time)])
    length = sp.Symbol("L", positive=True)
    thread = length**2 - place.dot(place)
    rate, row = place.diff(time), sp.Matrix([thread]).jacobian(list(place))
    acceleration_of_gap = row * place.diff(time, 2) + row.diff(time) * rate
    inverse, lam = sp.symbols("d lambda", positive=True)
    return [
        ball.formula(
            "fall", q + h * v_k + h**2 * acceleration / 2, q + h / 2 * (v_k + first), "q_{k+1} of a constant force"
        ),
        ball.formula(
            "left_limit",
            v_k + h * acceleration,
            v_k + h / 2 * acceleration + h / 2 * acceleration,
            "v^- of a constant force",
        ),
        ball.formula("acceleration", thread.diff(time, 2), acceleration_of_gap[0, 0], "H a + (dH/dt) v is y''"),
        ball.formula(
            "impact",
            u + e * u_k,
            inverse * lam + (1 + e) * u_k,
            "w of the impact is u^+ + e u^-",
            assumptions=[Equation(u, u_k + inverse * lam)],
        ),
    ]


def _laws() -> list[Claim]:
    """What is orthogonal to the impulse in the schemes for velocities, and the global form."""
    moreau = Family("moreau_jean", "all cases of this scheme", {}, {}, "")
    whole = Family("moreau_jean", "bouncing_ball_ts_gosi", {}, {}, "")
    w, free, row, lam = sp.symbols("W v_free H lambda", real=True)
    paoli = Family("schatzman_paoli", "bouncing_ball_ts_schatzman_paoli", {}, {}, "")
    mass, stiffness, now, then, f_k, f_n = sp.symbols("M K q q_l F_k F_n", real=True)
    matrix = mass + h**2 * theta**2 * stiffness
    known = h**2 * ((1 - theta) * f_k + theta * f_n)
    new = now - (mass * (then - now) + h**2 * stiffness * now - known) / matrix
    residual = mass * (new - 2 * now + then) + h**2 * stiffness * (theta * new + (1 - theta) * now) - known
    return [
        moreau.formula(
            "law",
            row * v + e * u_k,
            row * (1 / w) * row * lam + row * free + e * u_k,
            "w of a contact is u + e u_k",
            assumptions=[Equation(w * (v - free), row * lam), NonZero(w)],
        ),
        whole.formula(
            "global",
            free + row * lam / w,
            v,
            "velocities of the global form are those of the local one",
            assumptions=[Equation(w * v, w * free + row * lam), NonZero(w)],
        ),
        paoli.formula(
            "free",
            residual,
            sp.S.Zero,
            "q_free makes the residual vanish",
            assumptions=[NonZero(matrix)],
            note="the matrix has theta^2 K where the force has theta K",
        ),
        paoli.formula(
            "free_force",
            residual.subs(stiffness, 0),
            sp.S.Zero,
            "the same without stiffness, as in the case",
            assumptions=[NonZero(mass)],
        ),
    ]


def _projections() -> list[Claim]:
    """q + H^T mu with H H^T mu = -y meets the constraint to first order, and moves along the rows only."""
    joints = Family("projection", "ne_3ds_3knee_1prism_mlcp_combined_projection", {}, {}, "")
    balls = Family(
        "projection",
        "bouncing_ball_ts_combined_projection, bouncing_ball_ts_direct_projection, "
        "column_of_beads_ts_direct_projection_level1, slider_crank_direct_projection",
        {},
        {},
        "",
    )
    row = sp.Matrix(1, 3, sp.symbols("H1:4", real=True))
    multiplier = sp.Symbol("mu", real=True)
    solved = [Equation((row * row.T)[0, 0] * multiplier, -gap)]
    q = sp.Matrix(sp.symbols("q1:4", real=True))
    moved = q + row.T * multiplier
    return [
        joints.formula("linear", gap + (row * (moved - q))[0, 0], sp.S.Zero, "y + J dq = 0", assumptions=solved),
        Claim(
            "projection/direction.formula",
            statements=[Zero((moved - q).cross(row.T))],
            source=balls.case,
            title="the correction is along the gradient, in the identity metric",
        ),
    ]
