"""The forced impact oscillator in closed form: x'' + 2 zeta x' + x = F cos(omega t), a wall at x = 1, restitution e.

Between impacts the state is that of a linear system, at an impact the derivative jumps by the saltation matrix
((-e, 0), ((a_+ + e a_-) / v_-, -e)) of di Bernardo, Budd, Champneys, Kowalczyk, Piecewise-smooth Dynamical Systems
(2008), section 2.5.
"""

import numpy as np
import sympy as sp
from scipy.linalg import expm
from scipy.optimize import fsolve
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

ZETA, OMEGA, E = 0.05, 0.8, 0.8
PERIOD = 2 * np.pi / OMEGA
GRAZING = np.hypot(1 - OMEGA**2, 2 * ZETA * OMEGA)
"""F at which the motion without impacts touches the wall."""
FREE = np.array([[0.0, 1.0], [-1.0, -2 * ZETA]])

x = dynamicsymbols("x")
force, omega, e, zeta = sp.symbols("F omega e zeta", positive=True)


def model(**settings):
    mass = nsd.LagrangianSystem(
        "mass",
        [x],
        kinetic=x.diff() ** 2 / 2,
        potential=x**2 / 2,
        forces=[force * sp.cos(omega * nsd.time) - 2 * zeta * x.diff()],
        units=["m"],
    )
    wall = nsd.Contact("wall", 1 - x, nsd.NewtonImpact(e))
    return nsd.Model(
        "impact_oscillator",
        [mass],
        [wall],
        **{"scheme": nsd.EventDriven(rtol=1e-13, atol=1e-14), **settings},
        step=0.1,
        end=10,
        parameters={force: nsd.Parameter(0.1, "N"), omega: nsd.Parameter(OMEGA, "rad/s"), e: E, zeta: ZETA},
        initial={x: 0, x.diff(): 0},
    )


def forced(t, F):
    """The particular solution and its rate."""
    Z = F / (1 - OMEGA**2 + 2j * ZETA * OMEGA)
    return np.array([(Z * np.exp(1j * OMEGA * t)).real, (1j * OMEGA * Z * np.exp(1j * OMEGA * t)).real])


def flow(t, s, after, F):
    return forced(t + after, F) + expm(FREE * after) @ (s - forced(t, F))


def impacting(F, guess=(0.1, 1.0)):
    """Phase and speed before the impact of the orbit that hits once a period; its state at t = 0, and multipliers."""

    def missed(u):
        return flow(u[0], np.array([1.0, -E * u[1]]), PERIOD, F) - [1.0, u[1]]

    t, v = fsolve(missed, guess, xtol=1e-13)
    before, after = ((F * np.cos(OMEGA * t) - 1 - 2 * ZETA * w) for w in (v, -E * v))
    salt = np.array([[-E, 0], [(after + E * before) / v, -E]])
    return t, v, flow(t, np.array([1.0, -E * v]), PERIOD - t, F), np.linalg.eigvals(expm(FREE * PERIOD) @ salt)
