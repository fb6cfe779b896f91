"""Where Moreau-Jean takes masses, gradients and gaps: each against a recursion in NumPy."""

from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

x, y = dynamicsymbols("x y")
H = 0.02


def swinging(scheme: nsd.MoreauJean, **options):
    """(1 + x^2) x'' = -x^3 - x x'^2, whose mass varies."""
    system = nsd.LagrangianSystem("s", [x], kinetic=(1 + x**2) * x.diff() ** 2 / 2, potential=x**4 / 4)
    return nsd.Model("m", [system], scheme=scheme, step=H, end=2, initial={x: 0.3, x.diff(): 1.0}).run(**options)


def recursion(steps: int, mass_of_end: bool) -> np.ndarray:
    """theta = 1/2, every step by fixed point iteration to rounding."""

    def force(q, v):
        return -(q**3) - q * v**2

    q, v, found = 0.3, 1.0, [(0.3, 1.0)]
    for _ in range(steps):
        w, end = v, q
        for _ in range(200):
            end = q + H * (w + v) / 2
            mass = 1 + (end if mass_of_end else q + H * v / 2) ** 2
            w = v + H * (force(q, v) + force(end, w)) / 2 / mass
        q, v = end, w
        found.append((q, v))
    return np.array(found)


END = {"mass_at": "implicit", "mass_gamma": 1.0}


@pytest.mark.parametrize("places", [END, {"mass_at": "iterate"}, {"mass_at": "predicted"}])
def test_the_mass_is_that_of_its_configuration(places):
    run = swinging(nsd.MoreauJean(**places, newton=nsd.Newton(1e-14)))
    expected = recursion(100, places["mass_at"] != "predicted")
    assert np.abs(np.column_stack([run["x"], run["x_dot"]]) - expected).max() < 1e-11


def test_the_mass_of_the_last_iterate_is_no_part_of_newtons_matrix():
    exact, simple = (
        swinging(nsd.MoreauJean(**places))["newton_iterations"].sum() for places in (END, {"mass_at": "iterate"})
    )
    assert simple > exact


def test_an_absolute_test_stops_where_momenta_are_balanced():
    tolerance = 1e-5
    run = swinging(nsd.MoreauJean(**END, newton=nsd.Newton(tolerance, measure="absolute")))
    q, v = run["x"], run["x_dot"]
    force = -(q**3) - q * v**2
    left = (1 + q[1:] ** 2) * np.diff(v) - H * (force[1:] + force[:-1]) / 2
    assert 1e-12 < np.abs(left).max() <= tolerance
    assert set(run["newton_iterations"][1:]) == {1.0}


def test_an_absolute_tolerance_may_exceed_one():
    assert nsd.Newton(50.0, measure="absolute").tolerance == 50
    with pytest.raises(nsd.errors.ParameterError, match="outside"):
        nsd.Newton(50.0)
    with pytest.raises(nsd.errors.ParameterError, match="unit of the residual"):
        nsd.Newton(0.0, measure="absolute")


def pendulum(scheme):
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    rod = nsd.Bilateral("rod", (x**2 + y**2 - 1) / 2)
    return nsd.Model("p", [bob], [rod], scheme=scheme, step=H, end=1, initial={x: 0.6, y: -0.8}).run()


def test_gradients_of_the_last_iterate_settle_at_the_end_of_the_step():
    iterated, implicit = (pendulum(nsd.MoreauJean(gradient_at=word)) for word in ("iterate", "implicit"))
    assert np.abs(iterated["x"] - implicit["x"]).max() < 1e-9
    assert np.abs(iterated["rod.gap_rate"][1:]).max() < 1e-9


def test_where_iterations_end_after_the_first_the_constraint_holds_for_the_first_gradient():
    run = pendulum(nsd.MoreauJean(gradient_at="iterate", newton=nsd.Newton(1e3, measure="absolute")))
    q, v = (np.column_stack([run[f"{c}{of}"] for c in "xy"]) for of in ("", "_dot"))
    first = q[:-1] + H * v[:-1]
    assert np.abs((first * v[1:]).sum(axis=1)).max() < 1e-12 < np.abs((q[1:] * v[1:]).sum(axis=1)).max()


def slide(scheme):
    """A mass on a bowl y = x^2 / 2 that falls onto it, e = 1/2."""
    mass = nsd.LagrangianSystem("mass", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    bowl = nsd.Contact("bowl", gap=y - x**2 / 2, law=nsd.NewtonImpact(0.5))
    return nsd.Model("b", [mass], [bowl], scheme=scheme, step=H, end=1.5, initial={x: 1, y: 1, x.diff(): -0.3}).run()


@pytest.mark.parametrize("gamma", [0.0, 0.5, 1.5])
def test_gap_and_rate_before_the_impact_are_those_of_the_predicted_configuration(gamma):
    run = slide(nsd.MoreauJean(gap_at="predicted", gap_gamma=gamma, gradient_at="predicted", gradient_gamma=gamma))
    q, v, rows = np.array([1.0, 1.0]), np.array([-0.3, 0.0]), []
    for _ in range(75):
        there = q + gamma * H * v
        gradient = np.array([-there[0], 1.0])
        rate = gradient @ v
        free = v + H * np.array([0, -9.81])
        if there[1] - there[0] ** 2 / 2 + 0.5 * H * rate <= 0:
            free = free + gradient * max(0.0, -(gradient @ free + 0.5 * rate) / (gradient @ gradient))
        q, v = q + H * (free + v) / 2, free
        rows.append([*q, *v])
    found = np.column_stack([run[name] for name in ("x", "y", "x_dot", "y_dot")])[1:]
    assert np.abs(found - np.array(rows)).max() < 1e-11 and (run["impulse"] > 0).sum() > 3


def test_unused_gammas_are_no_options():
    assert {"gap_gamma", "activation_gap"} & {o.name for o in nsd.MoreauJean().options} == set()
    hysteresis = nsd.MoreauJean(activation="hysteresis", activation_gap=1e-6).options
    assert {o.name: o.value for o in hysteresis}["activation_gap"] == 1e-6


@pytest.mark.parametrize(
    ("scheme", "given"),
    [
        (nsd.MoreauJean, {"activation": "iterated", "activation_gamma": 0.4}),
        (nsd.MoreauJean, {"activation_gap": 1e-6}),
        (nsd.MoreauJean, {"mass_at": "iterate", "mass_gamma": 0.4}),
        (nsd.MoreauJean, {"gradient_gamma": 0.4}),
        (nsd.MoreauJean, {"gap_gamma": 0.4}),
        (nsd.MoreauJean, {"force_at": "mean", "force_theta": 0.4}),
        (nsd.ThetaGamma, {"output_time": "end"}),
        (nsd.ZeroOrderHold, {"output_time": "end"}),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_an_option_that_would_change_nothing_is_refused(scheme: type, given: dict[str, Any]) -> None:
    """Runs with the first, third and last of them were the same to the last bit as those without."""
    with pytest.raises(ParameterError, match=f"{list(given)[-1]}=.* would change nothing"):
        scheme(**given)


class TestConstraintsOnVelocities:
    def test_a_prescribed_velocity_and_its_reaction(self):
        cart = nsd.LagrangianSystem("cart", [x], kinetic=2 * x.diff() ** 2 / 2, potential=5 * x)
        drive = nsd.VelocityConstraint("drive", x.diff() - sp.sin(3 * nsd.time))
        run = nsd.Model("m", [cart], [drive], scheme=nsd.MoreauJean(), step=1e-3, end=2, initial={x: 0}).run()
        assert np.abs(run["x_dot"] - np.sin(3 * run.time)).max() < 1e-13
        assert np.abs(run["drive.rate"]).max() < 1e-13
        force = run["drive.impulse"][1:] / 1e-3
        middle = run.time[1:] - 5e-4
        assert np.abs(force - (2 * 3 * np.cos(3 * middle) + 5)).max() < 1e-5

    def test_the_velocities_of_two_systems(self):
        carts = [nsd.LagrangianSystem(n, [c], kinetic=m * c.diff() ** 2 / 2) for n, c, m in (("a", x, 1), ("b", y, 3))]
        geared = nsd.VelocityConstraint("gear", x.diff() + 2 * y.diff())
        run = nsd.Model(
            "m", carts, [geared], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={x: 0, y: 0, x.diff(): 7.0}
        ).run()
        # An impact at once: v + M^-1 A^T lambda with A = (1, 2), A M^-1 A^T = 1 + 4/3, lambda = -3.
        assert np.abs(run["x_dot"][1:] - 4).max() < 1e-13 and np.abs(run["y_dot"][1:] + 2).max() < 1e-13
        assert run["gear.impulse"][1] == pytest.approx(-3)

    def test_rows_that_are_not_linear(self):
        cart = nsd.LagrangianSystem("cart", [x], kinetic=x.diff() ** 2 / 2)
        drive = nsd.VelocityConstraint("drive", [x.diff() ** 2])
        with pytest.raises(nsd.errors.ModelError, match="not linear"):
            nsd.Model("m", [cart], [drive], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={x: 0}).run()
