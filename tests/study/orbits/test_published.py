"""Published bifurcations: the buck converter with a ramp, and the simplest walking model."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve, root
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

PERIOD = 400e-6


def converter():
    """Fossas and Olivar, IEEE Trans. Circuits Syst. I 43 (1996): 20 mH, 47 uF, 22 ohm, 11.3 V.

    A period begins with its ramp, so that none has to be repeated: the flow over one period is all that shooting asks.
    """
    i, v = dynamicsymbols("i v")
    source = sp.Symbol("E", positive=True)
    u = nsd.multipliers("u", 1)[0]  # 1: the switch conducts, -1: it does not
    half = source / 2 / sp.Float(20e-3)
    plant = nsd.FirstOrderSystem(
        "converter", [i, v], rhs=[half - v / sp.Float(20e-3), (i - v / 22) / sp.Float(47e-6)], units=["A", "V"]
    )
    ramp = sp.Float(3.8) + sp.Float(4.4 / PERIOD) * nsd.time
    switch = nsd.FirstOrderRelation(
        "switch", u, [sp.Float(8.4) * (v - sp.Float(11.3)) - ramp], {plant: [half * u, 0]}, nsd.Relay(1)
    )
    return source, nsd.Model(
        "converter",
        [plant],
        [switch],
        scheme=nsd.EventDriven(rtol=1e-13, atol=1e-14),
        step=PERIOD / 64,
        end=PERIOD,
        parameters={source: nsd.Parameter(22, "V")},
        initial={i: 0.6, v: 12},
    )


A = np.array([[0, -1 / 20e-3], [1 / 47e-6, -1 / (22 * 47e-6)]])


def flip_of_the_converter():
    """Off until the ramp passes the controller at t, then on: the orbit by matrix exponentials, its multiplier -1."""

    def on(x, time, source):
        rest = np.linalg.solve(A, [-source / 20e-3, 0])
        return rest + expm(A * time) @ (x - rest)

    def multipliers(source):
        def missed(y):
            x, t = y[:2], y[2] * PERIOD
            crossing = expm(A * t) @ x
            ramp = 3.8 + 4.4 * t / PERIOD
            return np.append(on(crossing, PERIOD - t, source) - x, 8.4 * (crossing[1] - 11.3) - ramp)

        y = fsolve(missed, [0.6, 12.0, 0.5], xtol=1e-13)
        t = y[2] * PERIOD
        rate = A @ expm(A * t) @ y[:2]
        jump, normal = np.array([source / 20e-3, 0]), np.array([0, 8.4])
        salt = np.eye(2) + np.outer(jump, normal) / (normal @ rate - 4.4 / PERIOD)
        return np.linalg.eigvals(expm(A * (PERIOD - t)) @ salt @ expm(A * t))

    return brentq(lambda s: np.prod(multipliers(s) + 1).real, 24, 25, xtol=1e-13)


@pytest.mark.slow
def test_the_period_of_the_buck_converter_doubles_at_24_516_volts():
    source, model = converter()
    branch = nsd.follow_orbit(model, PERIOD, source, (22, 25.5), settle=300)
    (flip,) = branch.special
    assert flip.kind == "flip" and flip.value == pytest.approx(24.516, abs=1e-3)
    assert flip.value == pytest.approx(flip_of_the_converter(), abs=1e-8 * 24.5)


def walked(slope, strike):
    """The state of the simplest walker, angle and rate of the stance leg, from one heel strike to the next."""

    def rates(_, y):
        lean = np.sin(y[0] - slope)
        return [y[1], lean, y[3], lean + y[1] ** 2 * np.sin(y[2]) - np.cos(y[0] - slope) * np.sin(y[2])]

    def touches(_, y):
        return y[2] - 2 * y[0]

    touches.terminal, touches.direction = True, 1
    given = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
    c = np.cos(2 * strike[0])
    start = [strike[0], strike[1], 2 * strike[0], (1 - c) * strike[1]]
    swings = solve_ivp(rates, (0, 1), start, **given).y[:, -1]  # past the strike it starts from
    theta, rate = solve_ivp(rates, (1, 8), swings, events=touches, **given).y_events[0][0][:2]
    return np.array([-theta, np.cos(2 * theta) * rate])


def flip_of_the_walker():
    """The slope at which det(P' + 1) = 0 of that map P, its derivative by differences of sixth order."""
    known = np.array([0.2003109, -0.19983247])  # the gait at a slope of 0.009

    def test(slope):
        nonlocal known
        known = root(lambda x: walked(slope, x) - x, known, tol=1e-13).x

        def along(i, h):
            return (walked(slope, known + h * np.eye(2)[i]) - walked(slope, known - h * np.eye(2)[i])) / (2 * h)

        columns = [(64 * along(i, 1e-4) - 20 * along(i, 2e-4) + along(i, 4e-4)) / 45 for i in (0, 1)]
        return np.linalg.det(np.stack(columns, axis=1) + np.eye(2))

    for slope in np.linspace(0.009, 0.0148, 4):
        test(slope)
    return brentq(test, 0.0148, 0.0155, xtol=1e-12)


def test_the_gait_of_the_simplest_walker_and_its_period_doubling():
    """Garcia, Chatterjee, Ruina, Coleman, J. Biomech. Eng. 120 (1998): at a slope of 0.009 the gait with multipliers
    -0.19 +- 0.56 i and a step of 3.8824; its period doubles at a slope of about 0.015."""
    theta, rate, phi, swing = states = dynamicsymbols("theta theta_rate phi phi_rate")
    slope = sp.Symbol("gamma", positive=True)
    legs = nsd.FirstOrderSystem(
        "legs",
        states,
        rhs=[
            rate,
            sp.sin(theta - slope),
            swing,
            sp.sin(theta - slope) + rate**2 * sp.sin(phi) - sp.cos(theta - slope) * sp.sin(phi),
        ],
    )
    c = sp.cos(2 * theta)
    strike = nsd.Reset(
        "strike",  # not while the leg swings past: theta > 0
        phi - 2 * theta - 10 * sp.Max(theta, 0) >= 0,
        {theta: -theta, rate: c * rate, phi: -2 * theta, swing: c * (1 - c) * rate},
    )
    model = nsd.Model(
        "walker",
        [legs],
        blocks=[strike],
        scheme=nsd.EventDriven(rtol=1e-12, atol=1e-13),
        step=0.05,
        end=8,
        parameters={slope: 0.009},
        initial={theta: 0.1006, rate: -0.10876, phi: 0.34234, swing: -0.16498},
    )
    branch = nsd.follow_orbit(model, 3.8824, slope, (0.009, 0.017), anchor=theta)
    gait = branch.orbits[0]
    assert gait.period == pytest.approx(3.8824, abs=2e-4) and gait.stable and gait.autonomous
    pair = gait.transverse[:2]
    assert np.abs(pair.real + 0.19).max() < 0.005 and np.abs(np.abs(pair.imag) - 0.56).max() < 0.005
    assert [s.kind for s in branch.special] == ["flip"] and branch.special[0].value == pytest.approx(0.0151, abs=1e-4)
    assert branch.special[0].value == pytest.approx(flip_of_the_walker(), abs=1e-10)
