"""Blocks from event to event: friction that holds and lets go, and a block that rocks until it rests."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y, phi = dynamicsymbols("x y phi")
mu = sp.symbols("mu", nonnegative=True)
G = 9.81


def slider(friction, force, v0=0.0, **settings):
    block = nsd.LagrangianSystem(
        "block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y, forces=[force, 0]
    )
    ground = nsd.Contact("ground", y, nsd.NewtonImpactFriction(0, mu), tangent=x)
    return nsd.Model(
        "events_slider",
        [block],
        [ground],
        scheme=nsd.EventDriven(),
        parameters={mu: friction},
        initial={x: 0, y: 0, x.diff(): v0},
        **{"step": 0.01, "end": 2.0, **settings},
    )


class TestFriction:
    def test_a_block_slides_to_a_stop(self):
        """It stops at v0 / (mu g), having gone v0^2 / (2 mu g)."""
        run = slider(0.3, 0, 2.0).run()
        (event,) = run.events
        assert event.kind == "sticks"
        np.testing.assert_allclose(event.time, 2 / (0.3 * G), rtol=1e-13)
        np.testing.assert_allclose(run.final["block.x"], 4 / (2 * 0.3 * G), rtol=1e-13)
        assert run.final["block.x_dot"] == 0 and abs(run.final["ground.force[1]"]) < 1e-12

    def test_a_growing_push_makes_it_slip(self):
        """At k t = mu m g; then x'' = k t - mu g."""
        run = slider(0.3, 2 * nsd.time).run()
        (event,) = run.events
        assert event.kind == "slips"
        slips = 0.3 * G / 2
        np.testing.assert_allclose(event.time, slips, rtol=1e-13)
        t = 2.0 - slips
        np.testing.assert_allclose(run.final["block.x"], t**3 / 3, rtol=1e-11)

    def test_a_push_to_the_other_side(self):
        run = slider(0.3, -2 * nsd.time).run()
        np.testing.assert_allclose(run.final["block.x"], -((2.0 - 0.3 * G / 2) ** 3) / 3, rtol=1e-11)

    @pytest.mark.parametrize("pushed", [2.0, 4.0])
    def test_a_block_that_comes_to_rest_under_a_push_stays_or_turns_back(self, pushed):
        """Sliding against a push of 2 N it stops and sticks (mu m g = 2.943 N); against 4 N it turns back."""
        run = slider(0.3, -pushed, 1.0, end=1.0).run()
        stops = 1.0 / (0.3 * G + pushed)
        np.testing.assert_allclose(run.events[0].time, stops, rtol=1e-13)
        t = max(0.0, pushed - 0.3 * G) and 1.0 - stops
        wanted = stops / 2 - max(0.0, pushed - 0.3 * G) * t**2 / 2
        np.testing.assert_allclose(run.final["block.x"], wanted, rtol=1e-11)

    def test_stick_and_slip_on_a_belt(self):
        """A mass on a spring, at rest, on a belt at v: dragged along an arc of the oscillator about mu g / k until it
        has the speed of the belt, then carried by it to mu g / k.
        """
        k, v = 10.0, 0.5
        mass = nsd.LagrangianSystem(
            "mass", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=G * y + k * x**2 / 2
        )
        belt = nsd.Contact("belt", y, nsd.NewtonImpactFriction(0, 0.3), tangent=x.diff() - v)
        run = nsd.Model(
            "events_belt",
            [mass],
            [belt],
            scheme=nsd.EventDriven(),
            step=0.01,
            end=1.0,
            initial={x: 0, y: 0, x.diff(): 0},
        ).run()
        middle, omega = 0.3 * G / k, np.sqrt(k)
        sticks, slips = run.events[:2]
        assert (sticks.kind, slips.kind) == ("sticks", "slips")
        caught = np.arcsin(v / (middle * omega)) / omega
        np.testing.assert_allclose(sticks.time, caught, rtol=1e-11)
        np.testing.assert_allclose(slips.time, caught + middle * np.cos(omega * caught) / v, rtol=1e-10)


def block(law, **settings):
    half, height = 0.1, 0.3
    body = nsd.LagrangianSystem(
        "block",
        [x, y, phi],
        potential=G * y,
        kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2 + (half**2 + height**2) * phi.diff() ** 2 / 6,
    )
    corners = [
        nsd.Contact(
            name,
            y - height * sp.cos(phi) + s * half * sp.sin(phi),
            law,
            tangent=x + s * half * sp.cos(phi) + height * sp.sin(phi),
        )
        for name, s in (("left", -1), ("right", 1))
    ]
    start = 0.2
    return nsd.Model(
        "events_block",
        [body],
        corners,
        scheme=nsd.EventDriven(),
        initial={x: 0, y: height * np.cos(start) + half * np.sin(start), phi: start},
        **{"step": 0.01, "end": 6.0, **settings},
    )


class TestRockingBlock:
    def test_from_rocking_to_rest(self):
        """Each change of corners keeps 1 - 3/2 sin^2(alpha) of the rate of rotation (Housner 1963), until all rests."""
        run = block(nsd.NewtonImpactFriction(0, 2)).run()
        keeps = 1 - 1.5 * 0.1**2 / (0.1**2 + 0.3**2)
        ratios = [
            run["block.phi_dot"][event.after] / run["block.phi_dot"][event.before]
            for event in run.events
            if event.kind == "closes" and abs(run["block.phi_dot"][event.before]) > 1e-4
        ]
        assert len(ratios) > 40
        np.testing.assert_allclose(ratios, keeps, rtol=1e-10)
        final = run.final
        assert final["left.closed"] == final["right.closed"] == 1
        assert max(abs(final[f"block.{c}_dot"]) for c in ("x", "y", "phi")) < 1e-11
        np.testing.assert_allclose([final["left.force[0]"], final["right.force[0]"]], G / 2, rtol=1e-9)

    def test_the_first_quarter_of_a_swing(self):
        """The time from release to the first change of corners, by quadrature of the energy about a corner."""
        run = block(nsd.NewtonImpactFriction(0, 2), end=0.5).run()
        radius, alpha = np.hypot(0.1, 0.3), np.arctan2(0.1, 0.3)
        inertia = 4 * radius**2 / 3

        def speed(angle):
            return np.sqrt(2 * G * radius * (np.cos(alpha - 0.2) - np.cos(alpha - angle)) / inertia)

        # the square root at the turning point is taken out by angle = 0.2 - s^2
        period, _ = quad(lambda s: 2 * s / speed(0.2 - s * s), 0, np.sqrt(0.2), epsabs=1e-13, epsrel=1e-13)
        np.testing.assert_allclose(run.events[0].time, period, rtol=1e-9)

    @pytest.mark.parametrize(
        "law",
        [
            nsd.NewtonImpactFriction(0.5, 2),
            nsd.NewtonImpactFriction(0, 0.3),
            nsd.NewtonImpactFriction(0.5, 0.1),
            nsd.NewtonImpactFriction(0.3, 0),
        ],
    )
    @pytest.mark.few(2)
    def test_it_comes_to_rest_whatever_its_law(self, law):
        final = block(law, end=8.0).run().final
        assert final["left.closed"] == final["right.closed"] == 1
        assert abs(final["block.phi"]) < 1e-8 and abs(final["block.phi_dot"]) < 1e-8
