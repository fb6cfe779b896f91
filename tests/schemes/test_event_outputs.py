"""Relations by output and reaction, rates and laws of forces from event to event: the models of time-stepping."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

from ..example_models import load

x, y, z, phi, u = dynamicsymbols("x y z phi u")
lam = nsd.multipliers("lam", 1)
t = nsd.time


def body(force=0, **energies):
    return nsd.LagrangianSystem("body", [x], kinetic=x.diff() ** 2 / 2, forces=[force], **energies)


def events(system, relation, end=1.0, x0=0.0, v0=0.0, **settings):
    initial = {x: x0, x.diff(): v0} if len(system.functions) == 2 else {}
    return nsd.Model(
        "events_outputs",
        [system],
        [relation],
        scheme=nsd.EventDriven(),
        step=0.01,
        end=end,
        initial=initial,
        **settings,
    )


def test_dry_friction_as_a_law_of_the_rate():
    """It stops a mass, holds it against a growing push, lets go of it at its bound."""
    run = events(body(t), nsd.RateForce("drag", x, nsd.Relay(2)), 4.0, v0=1.0).run()
    stops = 2 - np.sqrt(2)
    assert [e.kind for e in run.events] == ["sticks", "slips"]
    np.testing.assert_allclose([e.time for e in run.events], [stops, 2.0], rtol=1e-12)
    np.testing.assert_allclose(run.final["body.x_dot"], 2.0, rtol=1e-10)
    held = run.time[(run.time > 1) & (run.time < 1.9)]
    np.testing.assert_allclose(run["drag.force"][(run.time > 1) & (run.time < 1.9), 0], -held, rtol=1e-9)


def test_a_characteristic_with_a_jump_and_slopes():
    """-(1 + v / 2) for v > 0: v + 2 falls as exp(-t / 2), then all stands."""
    law = nsd.PiecewiseLinear([(0, 1), (0, -1)], end_slopes=(-0.5, -0.5))
    run = events(body(), nsd.RateForce("drag", x, law), 2.0, v0=1.0).run()
    np.testing.assert_allclose(run.events[0].time, 2 * np.log(1.5), rtol=1e-10)
    before = run.time < 0.8
    np.testing.assert_allclose(run["body.x_dot"][before], 3 * np.exp(-run.time[before] / 2) - 2, atol=1e-10)
    assert abs(run.final["body.x_dot"]) < 1e-15


def test_a_speed_between_two_stops():
    """A characteristic that ends in vertical lines at both sides keeps the rate between -1 and 1."""
    law = nsd.PiecewiseLinear([(-1, 0), (1, 0)], end_slopes=(-sp.oo, -sp.oo))
    run = events(body(2 * sp.cos(t)), nsd.RateForce("governor", x, law), 8.0).run()
    rate = run["body.x_dot"]
    assert abs(rate).max() < 1 + 1e-12
    stuck, free = np.pi / 6, np.pi / 2
    np.testing.assert_allclose([e.time for e in run.events[:2]], [stuck, free], rtol=1e-11)
    np.testing.assert_allclose(rate[np.argmin(abs(run.time - 2))], 1 + 2 * (np.sin(2.0) - 1), rtol=1e-10)


def test_a_one_way_clutch():
    """0 <= x' orthogonal to the force >= 0: driven by cos t it goes, holds from pi to 3 pi / 2, and goes on."""
    clutch = nsd.RateForce("clutch", x, nsd.Complementarity())
    run = events(body(sp.cos(t)), clutch, 6.0).run()
    np.testing.assert_allclose([e.time for e in run.events], [np.pi, 1.5 * np.pi], rtol=1e-11)
    np.testing.assert_allclose(run.final["body.x_dot"], np.sin(6.0) + 1, rtol=1e-10)
    thrown = events(body(), clutch, 0.5, v0=-1.0).run()
    assert thrown.events[0].kind == "start" and thrown.final["body.x"] == 0


def test_a_skate_on_an_incline():
    """It cannot move sideways, and turns evenly: it goes along, not down (a closed form of nonholonomic mechanics)."""
    pull, turn = 9.81 * 0.5, 1.5
    skate = nsd.LagrangianSystem(
        "skate", [x, y, phi], kinetic=(x.diff() ** 2 + y.diff() ** 2 + phi.diff() ** 2) / 2, potential=-pull * x
    )
    edge = nsd.VelocityConstraint("edge", x.diff() * sp.sin(phi) - y.diff() * sp.cos(phi))
    run = nsd.Model(
        "events_skate",
        [skate],
        [edge],
        scheme=nsd.EventDriven(),
        step=0.05,
        end=6,
        initial={x: 0, y: 0, phi: 0, phi.diff(): turn},
    ).run()
    size = pull / (2 * turn**2)
    np.testing.assert_allclose(run["skate.x"], size * np.sin(turn * run.time) ** 2, atol=2e-9)
    np.testing.assert_allclose(run["skate.y"], size * (turn * run.time - np.sin(2 * turn * run.time) / 2), atol=2e-9)


def test_a_velocity_constraint_that_does_not_hold_at_the_start():
    run = events(body(), nsd.VelocityConstraint("motor", x.diff() - 2 - t)).run()
    assert run.events[0].kind == "start" and run["body.x_dot"][0] == 0
    np.testing.assert_allclose(run.final["body.x_dot"], 3, rtol=1e-12)
    np.testing.assert_allclose(run["motor.force"][-1], 1, rtol=1e-12)


def test_a_spring_by_output_and_reaction():
    """lambda = -4 x."""
    b = body()
    spring = nsd.OutputRelation("spring", lam, output=[x + lam[0] / 4], reaction={b: lam}, law=nsd.Equality())
    run = events(b, spring, 3.0, x0=1.0).run()
    np.testing.assert_allclose(run["body.x"], np.cos(2 * run.time), atol=1e-9)
    np.testing.assert_allclose(run["spring.lam"][:, 0], -4 * np.cos(2 * run.time), atol=4e-9)


def test_a_contact_with_a_compliance():
    """0 <= x + lambda / k orthogonal to lambda >= 0: half a swing of the spring, then it flies."""
    k = 100
    stop = nsd.OutputRelation(
        "stop", lam, output=[x + lam[0] / k], reaction={(b := body()): lam}, law=nsd.Complementarity()
    )
    run = events(b, stop, 1.0, x0=0.1, v0=-1.0).run()
    np.testing.assert_allclose(run.final["body.x_dot"], 1.0, rtol=1e-9)
    np.testing.assert_allclose(run.final["body.x"], 1.0 - 0.1 - np.pi / 10, rtol=1e-9)


def test_a_constraint_of_positions_by_output_and_reaction():
    """The rod of a pendulum: the motion of nsd.Bilateral, whose multiplier is half of this one's."""
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    rod = nsd.OutputRelation(
        "rod", lam, output=[x**2 + y**2 - 1], reaction={bob: [lam[0] * x, lam[0] * y]}, law=nsd.Equality()
    )
    start = {x: 0.6, y: -0.8}
    run, same = (
        nsd.Model("events_rod", [bob], [r], scheme=nsd.EventDriven(), step=0.01, end=2, initial=start).run()
        for r in (rod, nsd.Bilateral("rod", x**2 + y**2 - 1))
    )
    np.testing.assert_allclose(run["bob.x"], same["bob.x"], atol=1e-9)
    np.testing.assert_allclose(run["rod.lam"][:, 0], 2 * same["rod.force"], atol=1e-8)


def test_constraints_of_rates_take_part_in_impacts():
    """A ball joined to another by equal speeds hits the floor: both turn round."""
    balls = [
        nsd.LagrangianSystem(f"ball {i}", [q], kinetic=q.diff() ** 2 / 2, potential=9.81 * q)
        for i, q in enumerate((x, y))
    ]
    lambdas = nsd.multipliers("pull", 1)
    link = nsd.OutputRelation(
        "link",
        lambdas,
        output=[x.diff() - y.diff()],
        reaction={balls[0]: lambdas, balls[1]: [-lambdas[0]]},
        law=nsd.Equality(),
    )
    run = nsd.Model(
        "events_linked",
        balls,
        [link, nsd.Contact("floor", x, nsd.NewtonImpact(0.5))],
        scheme=nsd.EventDriven(),
        step=0.01,
        end=0.6,
        initial={x: 1, y: 2},
    ).run()
    after = run.events[0].after
    np.testing.assert_allclose(
        [run["ball 0.x_dot"][after], run["ball 1.y_dot"][after]], 0.5 * np.sqrt(2 * 9.81), rtol=1e-9
    )
    np.testing.assert_allclose(run["link.impulse"][after], -1.5 * np.sqrt(2 * 9.81), rtol=1e-9)


class TestFirstOrder:
    def test_a_relay_that_its_state_slides_along(self):
        """x' = cos t - 2 Sgn(x): to zero, and there for good."""
        system = nsd.FirstOrderSystem("state", [u], [sp.cos(t)])
        relay = nsd.FirstOrderRelation("relay", lam, [u], {system: lam}, nsd.Relay(2))
        run = nsd.Model(
            "events_relay", [system], [relay], scheme=nsd.EventDriven(), step=0.01, end=3, initial={u: 1}
        ).run()
        (event,) = run.events
        np.testing.assert_allclose(1 + np.sin(event.time) - 2 * event.time, 0, atol=1e-11)
        held = run.time > event.time
        assert abs(run["state.u"][held]).max() < 1e-12
        np.testing.assert_allclose(run["relay.lam"][held, 0], -np.cos(run.time[held]), atol=1e-10)

    def test_the_diode_bridge(self):
        """The example under the other scheme: the limit of its small steps."""
        model = load("diode_bridge").model
        settings = {"parameters": model.parameters, "initial": model.initial}
        run = nsd.Model(
            "events_bridge",
            model.systems,
            model.relations,
            scheme=nsd.EventDriven(),
            step=model.step,
            end=1e-3,
            **settings,
        ).run()
        steps = nsd.Model(
            "steps_bridge",
            model.systems,
            model.relations,
            scheme=nsd.ThetaGamma(theta=0.5, gamma=0.5),
            step=model.step / 20,
            end=1e-3,
            **settings,
        ).run()
        name = run.names[0]
        size = np.abs(steps[name]).max()
        np.testing.assert_allclose(run.final[name], steps.final[name], atol=1e-3 * size)


@pytest.mark.parametrize(
    ("output", "law", "message"),
    [
        (x, nsd.Complementarity(), "a position.*nsd.Contact"),
        (x, nsd.Relay(1), "a position"),
        (x.diff(), nsd.Box(-1, 1 + x**2), "bounds that depend on states"),
        (x.diff(), nsd.NormalCone([[1], [-1]], [1, 1]), "characteristic row by row"),
        (sp.cos(t), nsd.Equality(), "depends on no state"),
    ],
)
def test_what_has_no_motion_of_its_own_is_refused(output, law, message):
    b = body()
    relation = nsd.OutputRelation("odd", lam, output=[output], reaction={b: lam}, law=law)
    with pytest.raises(ModelError, match=message) as caught:
        events(b, relation).derive()
    assert caught.value.fix
