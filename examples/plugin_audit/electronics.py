"""Circuits: matrices against the laws of Kirchhoff, and reciprocity of those with ideal diodes only."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from nsdgen.verify import Claim, Equal

from .common import Family


def claims() -> list[Claim]:
    """Buck converter, Colpitts oscillator, parallel inverters, diode bridges, the saw tooth of the switch."""
    return [*_buck(), *_colpitts(), *_inverter(), *_bridges(), *_kirchhoff(), *_switch()]


def _rows(equations: Sequence[sp.Expr], unknown: Sequence[sp.Symbol], state: Sequence[sp.Symbol]) -> sp.Matrix:
    """The matrix of x' = A x from equations that vanish; unknowns are the rates, then what is eliminated."""
    solved = sp.solve(equations, unknown, dict=True)[0]
    return sp.Matrix([solved[r] for r in unknown[: len(state)]]).jacobian(state)


def _buck() -> list[Claim]:
    """Kirchhoff at the output and at the inverting input of the compensator, whose amplifier is of first order."""
    out, i, c11, c21, err = x = sp.symbols("v_out i_L v_C11 v_C21 v_err", real=True)
    rates = sp.symbols("r0:5", real=True)
    (node,) = sp.symbols("v_n,", real=True)
    cap, ind, load, r11, r12, r21, k11, k21, gain, ta = sp.symbols(
        "C L R_load R11 R12 R21 C11 C21 G_a t_a", positive=True
    )
    first, second = (out - node - c11) / r11, (err - node - c21) / r21
    equations = [
        cap * rates[0] - i + out / load + first + (out - node) / r12,
        ind * rates[1] + out,
        k11 * rates[2] - first,
        k21 * rates[3] - second,
        ta * rates[4] + gain * node + err,
        first + (out - node) / r12 + second,
    ]
    alpha, beta, t11, t21 = 1 / r11 + 1 / r12 + 1 / r21, 1 / r11 + 1 / r12, r11 * k11, r21 * k21
    a23, a33 = 1 / (alpha * r21 * t11), (1 / (alpha * r21) - 1) / t21
    typed = sp.Matrix(
        [
            [
                -(1 / (load * cap) + beta / (cap * alpha * r21)),
                1 / cap,
                1 / (cap * alpha * r21 * r11),
                -beta / (cap * alpha * r21),
                beta / (cap * alpha * r21),
            ],
            [-1 / ind, 0, 0, 0, 0],
            [(1 - beta / alpha) / t11, 0, (1 / (alpha * r11) - 1) / t11, a23, -a23],
            [-beta / (alpha * t21), 0, 1 / (alpha * r11 * t21), a33, -a33],
            [
                -beta * gain / (alpha * ta),
                0,
                gain / (alpha * r11 * ta),
                gain / (alpha * r21 * ta),
                -(gain / (alpha * r21) + 1) / ta,
            ],
        ]
    )
    family = Family("buck", "buck_converter", {}, {}, "")
    d = 1 / (2 * (1 + sp.sqrt(2)))
    hinges, slopes = (0, sp.radsimp((1 + sp.sqrt(2)) * d)), (2 * d, 2 * 2 * sp.sqrt(2) * d)
    piecewise = [
        sum(c * sp.Max(at - p, 0) for c, p in zip(slopes, hinges, strict=True)) for at in (sp.S.One, sp.Rational(1, 2))
    ]
    return [
        family.formula("A", _rows(equations, [*rates, node], x), typed, "A from the laws of Kirchhoff"),
        Claim(
            "buck/transistor.formula",
            statements=[Equal(piecewise[0], 1), Equal(sp.Rational(1, 4) - piecewise[1], d**2)],
            title="the two pieces meet the square at full drive, and miss it by d^2 at the hinge",
            source=family.case,
        ),
    ]


def _colpitts() -> list[Claim]:
    v1, v2, i, dc, de = sp.symbols("v1 v2 i lambda1 lambda2", real=True)
    c1, c2, ind, rc, re, af, ar, vcc, vee = sp.symbols("C1 C2 L Rc Re alpha_F alpha_R V_CC V_EE", positive=True)
    collector, emitter = af * de - dc, de - ar * dc
    supply = (vcc - v1 - v2) / rc + i
    rates = sp.Matrix(
        [(supply - collector) / c1, (supply - collector + emitter - (v2 + vee) / re) / c2, (vcc - v1 - v2) / ind]
    )
    a = sp.Matrix(
        [
            [-1 / (rc * c1), -1 / (rc * c1), 1 / c1],
            [-1 / (rc * c2), -(1 / rc + 1 / re) / c2, 1 / c2],
            [-1 / ind, -1 / ind, 0],
        ]
    )
    b = sp.Matrix([vcc / (rc * c1), (vcc / rc - vee / re) / c2, vcc / ind])
    reaction = sp.Matrix([[1 / c1, -af / c1], [(1 - ar) / c2, (1 - af) / c2], [0, 0]])
    family = Family("colpitts", "colpitts_oscillator", {}, {}, "")
    return [
        family.formula(
            "rates",
            rates,
            a * sp.Matrix([v1, v2, i]) + b + reaction * sp.Matrix([dc, de]),
            "A x + b + B lambda from the laws of Kirchhoff",
        ),
        family.formula("B", rates.jacobian([dc, de]), reaction, "B"),
    ]


def _inverter() -> list[Claim]:
    """Three inverters into one capacitor and load; the first current is what the other states leave for it."""
    v, w, i2, i3 = x = sp.symbols("v0 w0 i2 i3", real=True)
    u = sp.symbols("u1:4", real=True)
    cp, rl, m = sp.symbols("C_p R_l m", positive=True)
    ls, rs, es = (sp.symbols(f"{n}1:4", positive=True) for n in "LrE")
    currents = (v / rl + cp * w - i2 - i3, i2, i3)
    slopes = [(e * s - v - r * i) / ind for e, s, r, i, ind in zip(es, u, rs, currents, ls, strict=True)]
    rates = sp.Matrix([w, (sum(slopes) - w / rl) / cp, slopes[1], slopes[2]])
    leq = 1 / sum(1 / ind for ind in ls)
    a = sp.Matrix(
        [
            [0, 1, 0, 0],
            [
                -1 / (cp * leq) - rs[0] / (cp * ls[0] * rl),
                -rs[0] / ls[0] - 1 / (cp * rl),
                rs[0] / (cp * ls[0]) - rs[1] / (cp * ls[1]),
                rs[0] / (cp * ls[0]) - rs[2] / (cp * ls[2]),
            ],
            [-1 / ls[1], 0, -rs[1] / ls[1], 0],
            [-1 / ls[2], 0, 0, -rs[2] / ls[2]],
        ]
    )
    b = sp.zeros(4, 3)
    for k in range(3):
        b[1, k] = es[k] / (cp * ls[k])
    b[2, 1], b[3, 2] = es[1] / ls[1], es[2] / ls[2]
    k1, k2 = sp.symbols("k1 k2", positive=True)
    c = sp.Matrix(
        [
            [cp * k1 / k2 + (m - 1) / rl, m * cp, -m, -m],
            [cp * k1 / k2 - 1 / rl, 0, m, 0],
            [cp * k1 / k2 - 1 / rl, 0, 0, m],
        ]
    )
    surfaces = sp.Matrix([cp * k1 / k2 * v + m * i - v / rl for i in currents])
    family = Family("inverter", "parallel_inverter", {}, {}, "")
    return [
        family.formula("A", rates.jacobian(x), a, "A"),
        family.formula("B", rates.jacobian(u), b, "B"),
        family.formula("C", surfaces.jacobian(x), c, "sliding surfaces of the three currents"),
    ]


def _bridges() -> list[Claim]:
    """P B = C^T with the energy x P x / 2, and D + D^T of the loads alone: diodes neither give nor take energy."""
    c, ind, r, cf = sp.symbols("C L R C_f", positive=True)
    half, one = sp.zeros(4), 1 / r
    half[0, 0] = half[0, 1] = half[1, 0] = half[1, 1] = 2 * one
    plain = (
        sp.diag(c, ind),
        sp.Matrix([[0, 0, -1 / c, 1 / c], [0, 0, 0, 0]]),
        sp.Matrix([[0, 0], [0, 0], [-1, 0], [1, 0]]),
        sp.Matrix([[one, one, -1, 0], [one, one, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]]),
        half,
    )
    switching = sp.Matrix([[0, -1, 0, 0], [1, 0, 1, -1], [0, -1, 0, 0], [0, 1, 0, 0]])
    filtered = (
        sp.diag(c, ind, cf),
        sp.Matrix([[0, 0, -1 / c, 1 / c], [0, 0, 0, 0], [1 / cf, 0, 1 / cf, 0]]),
        sp.Matrix([[0, 0, 1], [0, 0, 0], [-1, 0, 1], [1, 0, 0]]),
        switching,
        sp.zeros(4),
    )
    supply = (sp.diag(cf), sp.Matrix([[1 / cf, 0, 1 / cf, 0]]), sp.Matrix([1, 0, 1, 0]), switching, sp.zeros(4))
    single = (sp.diag(c, ind), sp.Matrix([-1 / c, 0]), sp.Matrix([[-1, 0]]), sp.Matrix([r]), sp.Matrix([2 * r]))
    cases = (
        ("diode_bridge", plain),
        ("diode_bridge_capfilter_be1us", filtered),
        ("diode_bridge_powsup", supply),
        ("circuit_rlcd", single),
    )
    return [
        Claim(
            f"{name}/reciprocity.formula",
            statements=[Equal(p * b, cx.T), Equal(d + d.T, loss)],
            source=name,
            title="P B = C^T, and D + D^T is the loss of the loads",
        )
        for name, (p, b, cx, d, loss) in cases
    ]


def _kirchhoff() -> list[Claim]:
    """Rates and outputs of a bridge on an oscillator, and of a resistor with a diode on one, from nodes and meshes."""
    v, i, q = sp.symbols("v i q", real=True)
    c, ind, r = sp.symbols("C L R", positive=True)
    lam = r1, f2, i_f1, i_r2 = sp.symbols("lambda0:4", real=True)
    load = (r1 + f2) / r  # F1 and R1 lead to one end of the load, F2 and R2 away from the other
    rates = sp.Matrix([(-i - i_f1 + i_r2) / c, v / ind])
    outputs = sp.Matrix([load - i_f1, load - i_r2, r1 - v, v + f2])
    typed = sp.Matrix([[0, -1 / c, 0, 0, -1 / c, 1 / c], [1 / ind, 0, 0, 0, 0, 0]])
    rows = sp.Matrix(
        [[0, 0, 1 / r, 1 / r, -1, 0], [0, 0, 1 / r, 1 / r, 0, -1], [-1, 0, 1, 0, 0, 0], [1, 0, 0, 1, 0, 0]]
    )
    current = lam[0]
    single = sp.Matrix([(-i - current) / c, v / ind, r * current - v])
    by_charge = sp.Matrix([-i + current, q / (ind * c), q / c + r * current])
    return [
        Claim(
            "diode_bridge/kirchhoff.formula",
            statements=[Equal(rates.jacobian([v, i, *lam]), typed), Equal(outputs.jacobian([v, i, *lam]), rows)],
            title="A, B, Cx, D of the bridge",
            source="diode_bridge, diode_bridge_tg_frhalf",
        ),
        Claim(
            "circuit_rlcd/kirchhoff.formula",
            single.jacobian([v, i, current]),
            sp.Matrix([[0, -1 / c, -1 / c], [1 / ind, 0, 0], [-1, 0, r]]),
            title="A, B, Cx, D of the branch",
            source="circuit_rlcd",
        ),
        Claim(
            "circuit_rlcd_tg/kirchhoff.formula",
            by_charge.jacobian([q, i, current]),
            sp.Matrix([[0, -1, 1], [1 / (ind * c), 0, 0], [1 / c, 0, r]]),
            title="the same by the charge q, v = q / C and the current of the diode into the capacitor",
            source="circuit_rlcd_tg_gamma1",
        ),
    ]


def _switch() -> list[Claim]:
    """dh/dlambda of the ideal switch, written out, and dh/dt of its saw tooth within a period."""
    lam = sp.symbols("lambda0:9", real=True)
    x, t = sp.symbols("x t", real=True)
    r, low, high, gain, period, top, bottom = sp.symbols("R R1 R2 G T_p E_p E_m", positive=True)
    drive = top - (top + bottom) / period * t
    h = sp.Matrix(
        [
            lam[4] - drive,
            x - lam[3] / r,
            lam[2] - 20 + lam[0] * (lam[6] + low),
            lam[2] + lam[1] * (lam[8] + low),
            x - lam[0] - lam[1],
            high - low - lam[6],
            gain * (lam[4] - lam[3]) + lam[5],
            high - low - lam[8],
            lam[7] - lam[2],
        ]
    )
    hand = sp.zeros(9)
    entries = {
        (0, 4): 1,
        (1, 3): -1 / r,
        (2, 0): lam[6] + low,
        (2, 2): 1,
        (2, 6): lam[0],
        (3, 1): lam[8] + low,
        (3, 2): 1,
        (3, 8): lam[1],
        (4, 0): -1,
        (4, 1): -1,
        (5, 6): -1,
        (6, 3): -gain,
        (6, 4): gain,
        (6, 5): 1,
        (7, 8): -1,
        (8, 2): -1,
        (8, 7): 1,
    }
    for place, value in entries.items():
        hand[place] = value
    family = Family("switch", "nonlinear_switch", {}, {}, "")
    return [
        family.formula("dh_dl", h.jacobian(lam), hand, "dh/dlambda"),
        family.formula(
            "saw_tooth",
            sp.Matrix([-bottom, top]),
            sp.Matrix([drive.subs(t, period), drive.subs(t, 0)]),
            "the saw tooth falls from E+ to E- in a period",
        ),
    ]
