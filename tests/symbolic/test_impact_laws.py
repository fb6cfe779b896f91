"""Impact laws: what they do to energies and rates, against formulas."""

from itertools import product

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y, a = dynamicsymbols("x y a")


e, mu = sp.symbols("e mu", nonnegative=True)
SPINS = np.linspace(-6, 6, 13)


def thrown_stick(law):
    """A slender stick of length 2 that meets the floor with its lower end; gap, rates and gradients of one place."""
    stick = nsd.LagrangianSystem("stick", [x, y, a], mass=sp.diag(1, 1, sp.Rational(1, 3)))
    tip = nsd.Contact("tip", gap=y - sp.cos(a), tangent=x.diff() + sp.cos(a) * a.diff(), law=law)
    scheme = nsd.MoreauJean(gradient_at="predicted", gap_at="predicted", gap_gamma=0.5)
    return nsd.Model(
        "m",
        [stick],
        [tip],
        step=1e-6,
        end=2e-6,
        scheme=scheme,
        parameters={e: 0.5, mu: 0.5},
        initial={x: 0, y: float(np.cos(0.7)), a: 0.7, x.diff(): 1.2, y.diff(): -1, a.diff(): 0},
    ).compile()


def energies(run):
    return (np.column_stack([run[f"{c}_dot"] for c in "xya"]) ** 2 * [1, 1, 1 / 3]).sum(axis=1) / 2


def test_fremonds_law_never_adds_energy():
    thrown = thrown_stick(nsd.FremondImpact(e, mu))
    impacts = 0
    for spin, friction, restitution in product(SPINS, (0.1, 0.8, 5.0), (0.0, 0.6, 1.0)):
        run = thrown.run(parameters={"e": restitution, "mu": friction}, initial={"a_dot": spin})
        energy = energies(run)
        assert energy[-1] <= energy[0] * (1 + 1e-14)
        if run["impulse[0]"].max() > 0:
            impacts += 1
            assert run["gap_rate"][-1] == pytest.approx(-restitution * run["gap_rate"][0], abs=1e-4)
    assert impacts > 30


def test_newtons_law_may_add_energy_where_friction_acts_on_the_rate_after():
    """Kane's paradox: the same throws."""
    thrown = thrown_stick(nsd.NewtonImpactFriction(e, mu))
    found = [energies(thrown.run(parameters={"e": 0.9, "mu": 0.8}, initial={"a_dot": spin})) for spin in SPINS]
    assert max(energy[-1] / energy[0] for energy in found) > 1.001


def test_rolling_friction_with_tangential_restitution():
    """A ball that meets a floor with such friction that it sticks: u_T = -e_T u_T,k."""
    ball = nsd.RigidBody("ball", mass=1, inertia=sp.eye(3) * 0.004)
    px, py, pz = ball.position
    floor = nsd.Contact(
        "floor",
        gap=pz - 0.1,
        bodies=(ball,),
        point=[px, py, pz - 0.1],
        law=nsd.NewtonImpactRollingFriction(0.5, 10, 0, 0.7),
    )
    run = nsd.Model(
        "m",
        [ball],
        [floor],
        scheme=nsd.MoreauJean(rotation="exponential"),
        step=1e-6,
        end=3e-6,
        initial={ball.position: [0, 0, 0.1], ball.velocity: [0.3, -0.2, -1], ball.angular_velocity: [1, 2, 3]},
    ).run()
    for i in range(2):
        assert run[f"sliding_rate[{i}]"][-1] == pytest.approx(-0.7 * run[f"sliding_rate[{i}]"][0], rel=1e-4)
    assert run["gap_rate"][-1] == pytest.approx(0.5)


def test_relay_friction_is_a_force_of_given_size():
    """A block that slides to rest under a friction force of 2 N, however hard it is pressed on: s = v^2 m / 2 F."""
    dry = nsd.multipliers("dry", 1)
    block = nsd.LagrangianSystem("block", [x], kinetic=3 * x.diff() ** 2 / 2)
    friction = nsd.OutputRelation("friction", dry, [x.diff()], {block: dry}, nsd.Relay(2.0))
    run = nsd.Model(
        "m", [block], [friction], scheme=nsd.MoreauJean(), step=1e-3, end=3, initial={x: 0, x.diff(): 1.5}
    ).run()
    assert run["x"][-1] == pytest.approx(1.5**2 * 3 / 4, abs=2e-6) and run["x_dot"][-1] == pytest.approx(0, abs=1e-15)
    assert run["dry[0]"][100] == pytest.approx(-2) and run["dry[0]"][-1] == pytest.approx(0, abs=1e-12)


def disc_on_a_slope(slope, law, speed=0.0):
    """A disc of radius 0.2 and mass 3 that rolls on an incline which falls along x."""
    disc = nsd.LagrangianSystem(
        "disc", [x, y, a], mass=sp.diag(3, 3, 0.06), external=[3 * 9.81 * np.sin(slope), -3 * 9.81 * np.cos(slope), 0]
    )
    ground = nsd.Contact("ground", gap=y - 0.2, tangent=x.diff() - 0.2 * a.diff(), rolling=a.diff(), law=law)
    return nsd.Model(
        "m",
        [disc],
        [ground],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=2,
        initial={x: 0, y: 0.2, a: 0, x.diff(): speed, a.diff(): speed / 0.2},
    ).run()


def test_a_disc_rolls_against_rolling_friction():
    """(I + m R^2) w' = -mu_r m g: v' = -2 mu_r g / 3 R, until it stops."""
    run = disc_on_a_slope(0.0, nsd.NewtonImpactPlanarRolling(0, 0.5, 0.01, exchange=3), speed=0.4)
    slow = 2 * 0.01 * 9.81 / (3 * 0.2)
    assert np.abs(run["x_dot"] - np.maximum(0, 0.4 - slow * run.time)).max() < 1e-3
    assert np.abs(run["sliding_rate"]).max() < 1e-10


@pytest.mark.parametrize(("slope", "moves"), [(0.04, False), (0.06, True)])
def test_rolling_friction_holds_a_disc_on_a_slope(slope, moves):
    """Up to tan(slope) = mu_r / R = 0.05."""
    run = disc_on_a_slope(slope, nsd.NewtonImpactPlanarRolling(0, 0.5, 0.01, exchange=3))
    speed = (9.81 * np.sin(slope) - 0.05 * 9.81 * np.cos(slope)) / 1.5 if moves else 0.0
    assert run["x_dot"][-1] == pytest.approx(2 * speed, abs=1e-3)
