"""Circuits by nodes and meshes: bridges with thresholds and a filter, the drive of the buck converter, outputs."""

from __future__ import annotations

import sympy as sp

from nsdgen.verify import Claim, Equal, Equation

from .common import Family

lam = sp.symbols("lambda0:12", real=True)
v, i, v_f, source = sp.symbols("v i v_f V", real=True)
c, ind, r, c_f, drop = sp.symbols("C L R C_f V_d", positive=True)


def claims() -> list[Claim]:
    """Bridges, the buck converter, the Colpitts oscillator, the inverters, the switch."""
    return [*_bridges(), *_buck(), *_colpitts(), *_inverter(), *_modes()]


def _bridge(supply: sp.Expr, threshold: sp.Expr) -> sp.Matrix:
    """(i_R1 law, i_F2, i_F1 law, i_R2 law) of a bridge between a supply and a capacitor at v_f.

    lambda = (i_R1, shifted reverse voltage of F2, i_F1, i_R2). R1 and F2 lie in series over the capacitor through one
    end of the supply, F1 and R2 through the other; a diode's shifted reverse voltage is threshold - forward voltage.
    """
    forward_f2 = threshold - lam[1]
    forward_r1 = -v_f - forward_f2
    forward = {"R1": forward_r1, "F1": supply + forward_r1, "R2": forward_f2 - supply}
    return sp.Matrix(
        [threshold - forward["R1"], lam[0] + lam[2] - lam[3], threshold - forward["F1"], threshold - forward["R2"]]
    )


def _bridges() -> list[Claim]:
    state, four = [v, i, v_f], list(lam[:4])
    switching = sp.Matrix([[0, -1, 0, 0], [1, 0, 1, -1], [0, -1, 0, 0], [0, 1, 0, 0]])
    rates = sp.Matrix([(-i - (lam[2] - lam[3])) / c, v / ind, (lam[0] + lam[2] - v_f / r) / c_f])
    a = sp.Matrix([[0, -1 / c, 0], [1 / ind, 0, 0], [0, 0, -1 / (r * c_f)]])
    b = sp.Matrix([[0, 0, -1 / c, 1 / c], [0, 0, 0, 0], [1 / c_f, 0, 1 / c_f, 0]])
    cx = sp.Matrix([[0, 0, 1], [0, 0, 0], [-1, 0, 1], [1, 0, 0]])
    outputs, shifted = _bridge(v, sp.S.Zero), _bridge(source, drop)
    typed = (
        sp.Matrix([1, 0, 1, 0]) * v_f
        + switching * sp.Matrix(four)
        + sp.Matrix([2 * drop, 0, 2 * drop - source, source])
    )
    filtered = "diode_bridge_capfilter_be1us, diode_bridge_capfilter_stdhalf"
    closed = [lam[0], lam[2], lam[3]]
    off = outputs.subs(dict.fromkeys(closed, 0))
    load = (lam[0] + lam[1]) / r
    return [
        Claim(
            "diode_bridge_capfilter/kirchhoff.formula",
            statements=[
                Equal(rates.jacobian(state), a),
                Equal(rates.jacobian(four), b),
                Equal(outputs.jacobian(state), cx),
                Equal(outputs.jacobian(four), switching),
            ],
            source=filtered,
            title="A, B, Cx, D with a filter",
        ),
        Claim(
            "diode_bridge_capfilter/blocking.formula",
            sp.Min(lam[1], *[off[k] for k in (0, 2, 3)]),
            sp.Min(lam[1] - sp.Max(0, -v), sp.Min(v_f, v_f - v) - lam[1]),
            source=filtered,
            title="all four diodes block for lambda1 from max(0, -v) to min(v_f, v_f - v)",
        ),
        Claim(
            "diode_bridge_capfilter/conditions.formula",
            off,
            sp.Matrix([v_f - lam[1], 0, v_f - lam[1] - v, v + lam[1]]),
            source=filtered,
            title="outputs while all four diodes block",
        ),
        Claim(
            "diode_bridge_powsup/kirchhoff.formula",
            statements=[
                Equal(shifted, typed),
                Equal(
                    sp.Matrix([(lam[0] + lam[2] - v_f / r) / c_f]).jacobian(four), sp.Matrix([[1 / c_f, 0, 1 / c_f, 0]])
                ),
            ],
            source="diode_bridge_powsup",
            title="B, and Cx x + D lambda + e with the thresholds shifted",
        ),
        Claim(
            "diode_bridge_powsup/recorded.formula",
            statements=[Equal(-v_f - (drop - lam[1]), -shifted[0] + drop), Equal(shifted[1] - lam[0], lam[2] - lam[3])],
            source="diode_bridge_powsup",
            title="recorded voltage of R1, and the current of the source",
        ),
        Claim(
            "diode_bridge/recorded.formula",
            load,
            (load - lam[2]) + lam[2],
            source="diode_bridge",
            title="y0 + lambda2 is the current of the resistor",
        ),
    ]


def _buck() -> list[Claim]:
    """Comparator, transistors as differences of two squares, diodes, and the node they share at lambda11 - V_d."""
    family = Family("buck", "buck_converter", {}, {}, "")
    supply, low, high, err, ramp, p1, vtn, vtp = sp.symbols("V_I X1 X2 v_err ramp p1 V_tN V_tP", real=True)
    current, half_k, c0, c1, reference, gain, ta, ts, t, slope = sp.symbols(
        "i_L K_h c0 c1 V_ref G_a t_a T_s t S", positive=True
    )
    gate, drain, hinges = slope * (lam[0] - lam[1]), lam[11] - drop, (sp.S.Zero, p1)
    # Overdrives by the supply and by the drain, of the upper transistor and of the lower one, less the two hinges.
    upper = [
        lam[2 + k] - (end + vtp - gate - p)
        for k, (end, p) in enumerate((end, p) for end in (supply, drain) for p in hinges)
    ]
    lower = [
        lam[6 + k] - (gate - end - vtn - p)
        for k, (end, p) in enumerate((end, p) for end in (sp.S.Zero, drain) for p in hinges)
    ]
    channels = [half_k * (c0 * g[0] + c1 * g[1] - c0 * g[2] - c1 * g[3]) for g in (lam[2:6], lam[6:10])]
    truth = sp.Matrix(
        [
            lam[0] - (ramp - err - low),
            lam[1] - (ramp - err - high),
            *upper,
            *lower,
            supply + drop - drain,
            current + channels[1] + lam[10] - channels[0],
        ]
    )
    typed = _typed_relation(slope, half_k, c0, c1) * sp.Matrix(lam) + sp.Matrix(
        [
            err + low - ramp,
            err + high - ramp,
            -vtp - supply,
            -vtp - supply + p1,
            -vtp + drop,
            -vtp + drop + p1,
            vtn,
            vtn + p1,
            vtn - drop,
            vtn - drop + p1,
            supply + 2 * drop,
            current,
        ]
    )
    ramp_up = reference * t / ts
    return [
        family.formula("relation", truth, typed, "C x + D lambda + e of comparator, transistors and diodes"),
        family.formula(
            "input",
            sp.Matrix([(drain - v) / ind, (gain * (reference - v) - err) / ta]),
            sp.Matrix([-v / ind + lam[11] / ind - drop / ind, -(gain * v + err) / ta + gain / ta * reference]),
            "B and b(t)",
        ),
        Claim(
            "buck/reference.formula",
            statements=[
                Equal(ramp_up.subs(t, ts), reference),
                Equal((3 * reference - ramp_up).subs(t, 2 * ts), reference),
            ],
            source=family.case,
            title="the reference is continuous",
        ),
        family.formula(
            "comparator",
            3 / (sp.Rational(1, 10) + sp.Rational(1, 10)),
            sp.Integer(15),
            "S takes the gate to the supply between X1 and X2",
        ),
        family.formula(
            "bandwidth",
            1 / (2 * sp.pi * 30 * 10**6),
            1 / (2 * sp.Rational(314159, 10**5) * 30 * 10**6),
            "time constant of the amplifier",
            note="pi is the literal 3.14159",
        ),
    ]


def _typed_relation(slope: sp.Expr, half_k: sp.Expr, c0: sp.Expr, c1: sp.Expr) -> sp.Matrix:
    """D, 12 x 12, as the case changes an identity."""
    d = sp.eye(12)
    for k in range(2, 6):
        d[k, 0], d[k, 1], d[k + 4, 0], d[k + 4, 1] = slope, -slope, -slope, slope
    d[4, 11] = d[5, 11] = -1
    d[8, 11] = d[9, 11] = 1
    for k, factor in enumerate((c0, c1, -c0, -c1)):
        d[11, 2 + k], d[11, 6 + k] = -half_k * factor, half_k * factor
    d[10, 10], d[10, 11], d[11, 10], d[11, 11] = 0, -1, 1, 0
    return d


def _colpitts() -> list[Claim]:
    """The base is at 0: reverse voltages of the two junctions; the constant term with the values of the case."""
    v1, v2 = sp.symbols("v1 v2", real=True)
    q, rc, re, c1, c2, vcc, vee = sp.Rational, 10, 20, 2, sp.Rational(4, 5), 10, 20
    family = Family("colpitts", "colpitts_oscillator", {}, {}, "")
    emitter = v2
    return [
        family.formula(
            "C",
            sp.Matrix([emitter + v1, emitter]).jacobian([v1, v2]),
            sp.Matrix([[1, 1], [0, 1]]),
            "outputs are the reverse voltages",
        ),
        family.formula(
            "b",
            sp.Matrix([q(vcc, rc * c1), (q(vcc, rc) - q(vee, re)) / c2, vcc * 10]),
            sp.Matrix([q(1, 2), 0, 100]),
            "b in numbers",
        ),
    ]


def _inverter() -> list[Claim]:
    """Mean of the three surfaces, recorded current, the first outputs, the rounded inductance."""
    v0, w, i2, i3 = sp.symbols("v0 w0 i2 i3", real=True)
    cp, rl, k1, k2 = sp.symbols("C_p R_l k1 k2", positive=True)
    cx = sp.Matrix(
        [[cp * k1 / k2 + 2 / rl, 3 * cp, -3, -3], [cp * k1 / k2 - 1 / rl, 0, 3, 0], [cp * k1 / k2 - 1 / rl, 0, 0, 3]]
    )
    state = sp.Matrix([v0, w, i2, i3])
    surfaces = cx * state
    family = Family("inverter", "parallel_inverter", {}, {}, "")
    q = sp.Rational
    numbers = {cp: q(60, 10**6), rl: 5, k1: 1, k2: q(6, 10**5), v0: 50, w: 7, i2: 4, i3: 4}
    parallel = 1 / sum(1 / ind for ind in (q(15, 10**4), q(122, 10**5), q(9, 10**4)))
    return [
        family.formula("mean", cp * (k1 / k2 * v0 + w), sum(surfaces) / 3, "mean of the surfaces"),
        family.formula("start", surfaces.subs(numbers), sp.Matrix([q(4600126, 10**5), 52, 52]), "outputs of row 0"),
        family.formula("inductance", parallel, q(385, 10**6), "inductances in parallel", note="a rounded literal"),
        family.formula(
            "first_current",
            cp * w + v0 / rl,
            (v0 / rl - i2 - i3 + cp * w) + i2 + i3,
            "recorded current of the first inverter",
        ),
    ]


def _modes() -> list[Claim]:
    """The exact description of a step of the switch makes the equalities vanish, and says which side of a law is 0."""
    family = Family("switch", "nonlinear_switch", {}, {}, "")
    x, x_k, s, h, res, r_s, r_d, low, high, gain = sp.symbols("x x_k s h R R_s R_d R_1 R_2 G", positive=True)
    pot, one = sp.Symbol("v", real=True), sp.S.One
    known = {
        lam[4]: s,
        lam[3]: res * x,
        lam[0]: (20 - pot) / r_s,
        lam[1]: -pot / r_d,
        lam[2]: pot,
        lam[6]: r_s - low,
        lam[8]: r_d - low,
    }
    equal = sp.Matrix(
        [
            lam[4] - s,
            x - lam[3] / res,
            lam[2] - 20 + lam[0] * (lam[6] + low),
            lam[2] + lam[1] * (lam[8] + low),
            x - lam[0] - lam[1],
        ]
    )
    law = sp.Matrix([high - low - lam[6], gain * (lam[4] - lam[3]) + lam[5], high - low - lam[8], lam[7] - lam[2]])
    met = [Equation(x, known[lam[0]] + known[lam[1]])]
    return [
        family.formula("modes", equal.subs(known), sp.zeros(5, 1), "the five equalities", assumptions=met),
        family.formula(
            "modes_on",
            law.subs(known).subs({r_s: low, lam[5]: 0, res: one})[1],
            gain * (s - x),
            "switch on: y6 is G (s - x)",
        ),
        family.formula(
            "modes_off",
            law.subs(known).subs({lam[5]: gain * (x - s), r_s: high, res: one})[:2, :],
            sp.zeros(2, 1),
            "switch off: lambda5 = G (x - s)",
        ),
        family.formula("modes_diode", law.subs({lam[7]: 0, **known})[3], -pot, "diode on: y8 is -v"),
        family.formula(
            "modes_step",
            x - x_k - h * (lam[2] - lam[3]).subs(known) / ind,
            sp.S.Zero,
            "the state of the step",
            assumptions=[Equation(x, x_k + h / ind * (pot - res * x))],
        ),
    ]
