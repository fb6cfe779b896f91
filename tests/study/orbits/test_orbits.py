"""Orbits, multipliers and branches against closed forms. The flow is right to 1e-13, what is found to 1e-10."""

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

from . import impact_oscillator as io

PERIOD = 2 * sp.pi / io.omega


@pytest.fixture(scope="module")
def oscillator():
    return io.model()


@pytest.fixture(scope="module")
def branch(oscillator):
    return nsd.follow_orbit(oscillator, PERIOD, io.force, (0.3, 0.6), parameters={io.force: 0.3})


def test_an_orbit_without_impacts_is_the_forced_response(oscillator):
    orbit = nsd.periodic_orbit(oscillator, PERIOD)
    assert np.abs(orbit.state - io.forced(0, 0.1)).max() < 1e-12
    exact = np.linalg.eigvals(io.expm(io.FREE * io.PERIOD))
    assert np.abs(np.sort_complex(orbit.multipliers) - np.sort_complex(exact)).max() < 1e-10
    assert orbit.stable and orbit.stability.startswith("stable") and not orbit.events


@pytest.mark.parametrize("F", [0.42, 0.5])
def test_multipliers_across_an_impact_are_those_with_the_saltation_matrix(oscillator, F):
    """One of them beyond -1: an orbit that no simulation stays on."""
    _, _, state, exact = io.impacting(F)
    orbit = nsd.periodic_orbit(oscillator, PERIOD, near=state + 1e-3, parameters={io.force: F})
    assert np.abs(orbit.state - state).max() < 1e-10
    assert np.abs(np.sort(orbit.multipliers.real) - np.sort(exact.real)).max() < 1e-8 * np.abs(exact).max()
    assert "unstable in 1 direction" in orbit.stability and "side to side" in orbit.stability


def test_a_branch_passes_its_grazing_and_names_what_it_meets(branch):
    """The grazing at |F| = |1 - w^2 + 2 i zeta w|; the flip where the closed form has a multiplier -1."""
    assert [s.kind for s in branch.special] == ["grazing of wall", "flip"]
    assert abs(branch.special[0].value - io.GRAZING) < 1e-10

    def test(F):
        return np.prod(io.impacting(F)[3] + 1).real

    assert abs(branch.special[1].value - brentq(test, 0.45, 0.54, xtol=1e-13)) < 1e-8
    assert max(orbit.missed for orbit in branch.orbits) < 1e-10
    assert branch.ended == "the end of the range"


def test_next_to_the_grazing_multipliers_grow_as_one_over_the_root(oscillator, branch):
    """Orbits that hit with v = 1e-3: a multiplier of -200 and more is followed as any other; their product is fixed."""
    low = [o for o in branch.orbits if o.events and np.isfinite(o.uncertain)][:3]
    assert min(o.multipliers[0].real for o in low) < -200
    for orbit in low:
        _, _, state, exact = io.impacting(
            orbit.parameters["F"],
            guess=(orbit.motion.events[0].time, orbit.motion["x_dot"][orbit.motion.events[0].before]),
        )
        assert np.abs(orbit.state - state).max() < 1e-10
        worst = np.abs(exact).max()
        assert abs(np.abs(orbit.multipliers).max() - worst) < 1e-6 * worst


def test_the_map_beside_a_grazing_is_a_square_root(oscillator):
    """How far a period carries what hits by d from what would not: d^(1/2), the exponent to 1 %."""
    flow = io.flow(0, io.forced(0, io.GRAZING), io.PERIOD, io.GRAZING)
    depth = np.array([1e-9, 1e-8, 1e-7, 1e-6])
    moved = []
    for d in depth:
        start = io.forced(0, io.GRAZING) + [d, 0]
        run = oscillator.run(
            end=io.PERIOD,
            step=io.PERIOD / 64,
            parameters={io.force: io.GRAZING},
            initial=dict(zip(("x", "x_dot"), start, strict=True)),
        )
        free = io.flow(0, start, io.PERIOD, io.GRAZING)
        moved.append(np.hypot(run["x"][-1] - free[0], run["x_dot"][-1] - free[1]))
    assert np.abs(flow - io.forced(0, io.GRAZING)).max() < 1e-12
    assert np.polyfit(np.log(depth), np.log(moved), 1)[0] == pytest.approx(0.5, rel=0.01)


def test_an_autonomous_orbit_has_a_free_period():
    """A relay with a linear system of second order: the half period and multiplier of describing matrices.

    x' = A x - b sign(c x): with the half period T, x* = (I + e^{AT})^{-1} A^{-1} (e^{AT} - I) b, c x* = 0, and the
    monodromy is that of two halves with the saltation x'_+ / x'_- along c.
    """
    A, b = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -2.0, -1.5]]), np.array([0.0, 0.0, 1.0])

    def start(T):
        return np.linalg.solve(np.eye(3) + io.expm(A * T), np.linalg.solve(A, (io.expm(A * T) - np.eye(3)) @ b))

    half = brentq(lambda T: start(T)[0], 2.0, 12.0)
    p, q, r = states = dynamicsymbols("p q r")
    plant = nsd.FirstOrderSystem("plant", states, rhs=[q, r, -p - 2 * q - sp.Rational(3, 2) * r])
    switch = nsd.multipliers("u", 1)
    relay = nsd.FirstOrderRelation("relay", switch, output=[p], reaction={plant: [0, 0, switch[0]]}, law=nsd.Relay(1))
    found = nsd.Model(
        "relay", [plant], [relay], scheme=nsd.EventDriven(), step=0.1, end=1, initial={p: 0.2, q: 0, r: 0}
    )
    orbit = nsd.periodic_orbit(found, 2 * half * 1.01, anchor=q, settle=20)
    assert orbit.period == pytest.approx(2 * half, rel=1e-8)
    assert np.abs(orbit.multipliers - 1).min() < 1e-7 and orbit.autonomous


def test_an_orbit_that_rests_forgets_every_disturbance():
    """A ball that comes to rest within the period: whatever moves its start, it lies on the floor, multipliers 0."""
    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=10 * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(sp.Rational(1, 2)))
    model = nsd.Model("rests", [ball], [floor], scheme=nsd.EventDriven(), step=1e-2, end=1, initial={z: 0.2})
    orbit = nsd.periodic_orbit(model, 1)
    np.testing.assert_array_equal(orbit.multipliers, [0, 0])
    assert "stable" in str(orbit) and orbit.uncertain == 0


def test_what_cannot_be_shot_at_is_refused(oscillator):
    with pytest.raises(ParameterError, match="makes steps"):
        nsd.periodic_orbit(io.model(scheme=nsd.MoreauJean()), PERIOD)
    with pytest.raises(ParameterError, match="no parameter"):
        nsd.periodic_orbit(oscillator, 2 * sp.pi / sp.Symbol("w"))
    with pytest.raises(ParameterError, match="range"):
        nsd.follow_orbit(oscillator, PERIOD, "F", (1, 2))
    with pytest.raises(ParameterError, match="no state"):
        nsd.periodic_orbit(oscillator, PERIOD, near={"zz": 1})
