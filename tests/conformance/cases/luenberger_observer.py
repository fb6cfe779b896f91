"""An oscillator under incremental PID control, and an observer of it that reads the measurement before the last."""

import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

P, I, D, L1, L2 = sp.symbols("P I D L1 L2", real=True)
q, v = dynamicsymbols("q v")
u, e_1, e_2, measured, error, a, b = sp.symbols("u e_1 e_2 measured error a b")
e, y, dt, H = nsd.sampled("e"), nsd.sampled("y"), nsd.step, nsd.period

plant = nsd.FirstOrderSystem("plant", [q, v], [v, u - q])
sensor = nsd.Sampled("sensor", 0.1, samples={"q": q}, holds={measured: nsd.sampled("q")})
turn = sp.Matrix([[sp.cos(H), sp.sin(H)], [-sp.sin(H), sp.cos(H)]])  # the plant over a period, and its integral
turned = sp.Matrix([[sp.sin(H), 1 - sp.cos(H)], [sp.cos(H) - 1, sp.sin(H)]])
estimate = turn * sp.Matrix([a, b]) + turned * sp.Matrix([L1 * (a - y), L2 * (a - y) + u])
observer = nsd.Sampled(
    "observer",
    0.1,
    offset=0.1,
    samples={"y": measured},
    state=[a, b, error],
    holds={},
    update={a: estimate[0], b: estimate[1], error: a - y},
    initial={a: -10, b: -5},
)
pid = nsd.Sampled(
    "pid",
    0.1,
    samples={"e": -q},
    state=[u, e_1, e_2],
    holds={},
    update={u: u + (P + D / dt + I * dt) * e - (P + 2 * D / dt) * e_1 + D / dt * e_2, e_1: e, e_2: e_1},
)
model = nsd.Model(
    "luenberger_observer",
    [plant],
    scheme=nsd.ZeroOrderHold(),
    step=0.05,
    end=100,
    blocks=[sensor, observer, pid],
    initial={q: 10, v: 0},
    parameters={P: 0.25, I: 0.125, D: 2, L1: -8.71455866, L2: -24.02084375},
)

case = Case(
    model,
    {
        "x[0]": "plant.q",
        "x[1]": "plant.v",
        "u": "pid.u",
        "xhat[0]": "observer.a",
        "xhat[1]": "observer.b",
        "e": "error",
    },
)
