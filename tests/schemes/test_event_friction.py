"""Friction from event to event, in space and of rolling and drilling, against closed forms and other integrators."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y, z, phi = dynamicsymbols("x y z phi")
G, R, M = 9.81, 0.1, 2.0
I_BALL = 0.4 * M * R**2


def sphere(law, velocity, spin, end=1.0, **settings):
    """A ball on the floor, from its centre over the origin."""
    ball = nsd.RigidBody("ball", mass=M, inertia=I_BALL * sp.eye(3)).apply_force([0, 0, -M * G])
    centre = ball.position
    lowest = sp.Matrix([centre[0], centre[1], centre[2] - R])
    floor = nsd.Contact("floor", centre[2] - R, law, bodies=ball, point=lowest)
    return nsd.Model(
        "events_sphere",
        [ball],
        [floor],
        step=0.01,
        end=end,
        **{"scheme": nsd.EventDriven(), **settings},
        initial={centre: [0, 0, R], ball.velocity: velocity, ball.angular_velocity: spin},
    )


@pytest.fixture(scope="module")
def compiled():
    return sphere(nsd.NewtonImpactFriction(0, 0.3), [1, 0.5, 0], [3, 20, -4]).compile()


class TestSphere:
    """Launched with a spin that is not that of its motion: a parabola while it slides, then a straight line."""

    def exact(self, mu, t):
        v, u = np.array([1.0, 0.5]), np.array([1.0 - 20 * R, 0.5 + 3 * R])
        stop = 2 * np.linalg.norm(u) / (7 * mu * G)
        slid, d = min(t, stop), u / np.linalg.norm(u)
        return stop, v * t - mu * G * d * (slid * t - slid**2 / 2), v - mu * G * slid * d

    @pytest.mark.parametrize(("rtol", "close"), [(1e-8, 1e-9), (1e-10, 1e-11), (1e-13, 1e-13)])
    def test_its_path_is_a_parabola_and_then_straight(self, compiled, rtol, close):
        run = compiled.run(options={"rtol": rtol, "atol": rtol / 100})
        stop, position, velocity = self.exact(0.3, 1.0)
        (event,) = run.events
        assert event.kind == "sticks"
        np.testing.assert_allclose(event.time, stop, rtol=0, atol=close)
        np.testing.assert_allclose(run["ball.position"][-1, :2], position, rtol=0, atol=close)
        np.testing.assert_allclose(run["ball.velocity"][-1, :2], velocity, rtol=0, atol=close)
        middle = run["ball.position"][6, :2]
        np.testing.assert_allclose(middle, self.exact(0.3, run.time[6])[1], rtol=0, atol=close)

    def test_forces_that_are_recorded_are_those_that_act(self, compiled):
        """Coulomb's force against the sliding rate; what rolls has none."""
        run = compiled.run()
        force, rate = run["floor.force"][3], run["floor.sliding_rate"][3]
        np.testing.assert_allclose(force, [M * G, *(-0.3 * M * G * rate / np.linalg.norm(rate))], rtol=1e-12)
        np.testing.assert_allclose(run["floor.force"][-1], [M * G, 0, 0], atol=1e-11)
        assert run["floor.side"][3] == 1 and run["floor.side"][-1] == 0


def inclined(forces=(0, 0, 0), slope=0.0, mu=0.5, velocity=(0.0, 0.0), end=1.5):
    body = nsd.LagrangianSystem(
        "body",
        [x, y, z],
        kinetic=(x.diff() ** 2 + y.diff() ** 2 + z.diff() ** 2) / 2,
        potential=G * (np.cos(slope) * z - np.sin(slope) * x),
        forces=list(forces),
    )
    plane = nsd.Contact("plane", z, nsd.NewtonImpactFriction(0, mu), tangent=[x, y])
    return nsd.Model(
        "events_incline",
        [body],
        [plane],
        scheme=nsd.EventDriven(),
        step=0.01,
        end=end,
        initial={x: 0, y: 0, z: 0, x.diff(): velocity[0], y.diff(): velocity[1]},
    )


class TestBlock:
    def test_launched_sideways_on_an_incline_it_turns_downhill_and_stops(self):
        """Against an integrator that is stopped just before the speed is zero, and goes on in a straight line."""
        slope, mu = np.radians(20), 0.5
        run = inclined(slope=slope, velocity=(0.3, 2.0)).run()
        pull, grip = G * np.sin(slope), mu * G * np.cos(slope)

        def slope_of(t, s):
            u = np.hypot(s[2], s[3])
            return [s[2], s[3], pull - grip * s[2] / u, -grip * s[3] / u]

        def slow(t, s):
            return np.hypot(s[2], s[3]) - 1e-8

        slow.terminal = True
        found = solve_ivp(slope_of, [0, 1.5], [0, 0, 0.3, 2.0], rtol=1e-13, atol=1e-14, events=slow, method="DOP853")
        stop = found.t[-1] + 1e-8 / (grip - pull)
        (event,) = run.events
        np.testing.assert_allclose(event.time, stop, rtol=0, atol=2e-10)
        np.testing.assert_allclose([run["body.x"][-1], run["body.y"][-1]], found.y[:2, -1], rtol=0, atol=1e-10)
        assert max(abs(run.final["body.x_dot"]), abs(run.final["body.y_dot"])) < 1e-15
        np.testing.assert_allclose(run["plane.force"][-1, 1:], [-pull, 0], atol=1e-12)

    def test_steeper_than_friction_it_slides_on_for_ever(self):
        slope, mu = np.radians(35), 0.5
        run = inclined(slope=slope, velocity=(0.0, 2.0)).run()
        pull, grip = G * np.sin(slope), mu * G * np.cos(slope)
        assert not run.events
        # dr/dt = pull cos a - grip, r da/dt = -pull sin a: energy of the motion by quadrature
        exact = solve_ivp(
            lambda t, s: [s[2], s[3], pull - grip * s[2] / np.hypot(s[2], s[3]), -grip * s[3] / np.hypot(s[2], s[3])],
            [0, 1.5],
            [0, 0, 0, 2.0],
            rtol=1e-12,
            atol=1e-13,
            method="DOP853",
        ).y[:, -1]
        np.testing.assert_allclose([run.final[f"body.{c}"] for c in ("x", "y", "x_dot", "y_dot")], exact, atol=1e-9)

    def test_a_growing_load_that_turns_makes_it_slip(self):
        """It leaves along the load of that instant and follows it, stiff and singular at first; against Radau's method.

        The reference starts 1e-5 s later from the first terms of the series, u = t^2 / 2 along the load.
        """
        load = 2 + nsd.time
        run = inclined(forces=(load * sp.cos(nsd.time), load * sp.sin(nsd.time), 0), mu=0.3, end=2.5).run()
        slips, later = 0.3 * G - 2, 1e-5
        (event,) = run.events
        assert event.kind == "slips"
        np.testing.assert_allclose(event.time, slips, rtol=1e-13)

        def slope_of(t, s):
            d = s[2:] / np.hypot(s[2], s[3])
            return [*s[2:], *((2 + t) * np.array([np.cos(t), np.sin(t)]) - 0.3 * G * d)]

        way = np.array([np.cos(slips + later), np.sin(slips + later)])
        exact = solve_ivp(
            slope_of,
            [slips + later, 2.5],
            [*(later**3 / 6 * way), *(later**2 / 2 * way)],
            method="Radau",
            rtol=1e-11,
            atol=1e-13,
        ).y[:, -1]
        np.testing.assert_allclose(
            [run.final[f"body.{c}"] for c in ("x", "y", "x_dot", "y_dot")], exact, rtol=0, atol=1e-9
        )

    def test_in_the_plane_it_is_the_friction_of_the_plane(self):
        """A push along one axis that turns back: stops and slips as with one tangent, instant by instant."""
        push = 5 * sp.sin(3 * nsd.time)
        space = inclined(forces=(push, 0, 0), mu=0.3, end=4.0).run()
        body = nsd.LagrangianSystem(
            "body", [x, z], kinetic=(x.diff() ** 2 + z.diff() ** 2) / 2, potential=G * z, forces=[push, 0]
        )
        plane = nsd.Contact("plane", z, nsd.NewtonImpactFriction(0, 0.3), tangent=x)
        flat = nsd.Model(
            "events_flat", [body], [plane], scheme=nsd.EventDriven(), step=0.01, end=4.0, initial={x: 0, z: 0}
        ).run()
        assert [e.kind for e in space.events] == [e.kind for e in flat.events] and len(flat.events) > 5
        np.testing.assert_allclose([e.time for e in space.events], [e.time for e in flat.events], atol=1e-9)
        np.testing.assert_allclose(space.final["body.x"], flat.final["body.x"], atol=1e-9)


@pytest.mark.parametrize("feet", [pytest.param(4, marks=pytest.mark.slow), 3])
def test_a_brick_slides_and_turns_to_a_stop_on_its_feet(feet):
    """Its energy falls, and it ends at rest; on three feet, where the forces are unique, where time-stepping ends."""

    def brick(scheme, **settings):
        body = nsd.RigidBody("brick", mass=1, inertia=sp.diag(0.02, 0.03, 0.04)).apply_force([0, 0, -G])
        points = (
            [[-0.2, -0.15], [-0.2, 0.15], [0.2, -0.15], [0.2, 0.15]]
            if feet == 4
            else [[-0.2, -0.15], [-0.2, 0.15], [0.2, 0]]
        )
        contacts = nsd.contacts_between(
            [body.point([*xy, -0.05]) for xy in points], nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, 0.3)
        )
        return nsd.Model(
            "events_slid_brick",
            [body],
            contacts,
            scheme=scheme,
            initial={body.position: [0, 0, 0.05], body.velocity: [1.0, 0.3, 0], body.angular_velocity: [0, 0, 3.0]},
            **settings,
        )

    run = brick(nsd.EventDriven(), step=0.01, end=0.8).run()
    energy = (run["brick.velocity"] ** 2).sum(1) / 2 + (run["brick.angular_velocity"] ** 2 * [0.01, 0.015, 0.02]).sum(1)
    assert np.all(np.diff(energy) < 1e-12) and energy[-1] < 1e-12
    assert np.abs(run["brick.position"][:, 2] - 0.05).max() < 1e-9
    if feet == 3:
        steps = brick(nsd.MoreauJean(theta=1), step=1e-4, end=0.8).run()
        np.testing.assert_allclose(run["brick.position"][-1], steps["brick.position"][-1], atol=5e-4)
        np.testing.assert_allclose(run["brick.quaternion"][-1], steps["brick.quaternion"][-1], atol=2e-3)


class TestRolling:
    MU, MU_R = 0.3, 0.004

    def wheel(self, speed, spin, end=3.0):
        disc = nsd.LagrangianSystem(
            "disc",
            [x, y, phi],
            potential=M * G * y,
            kinetic=M * (x.diff() ** 2 + y.diff() ** 2) / 2 + M * R**2 * phi.diff() ** 2 / 4,
        )
        floor = nsd.Contact(
            "floor",
            y - R,
            nsd.NewtonImpactPlanarRolling(0, self.MU, self.MU_R, exchange=M),
            tangent=x - R * phi,
            rolling=phi,
        )
        return nsd.Model(
            "events_wheel",
            [disc],
            [floor],
            scheme=nsd.EventDriven(),
            step=0.01,
            end=end,
            initial={x: 0, y: R, phi: 0, x.diff(): speed, phi.diff(): spin},
        )

    def test_a_wheel_slides_rolls_and_stands(self):
        """Thrown without a spin: three phases of constant acceleration, two events."""
        run = self.wheel(1.0, 0.0, 20.0).run()
        inertia = M * R**2 / 2
        turns = (self.MU * R - self.MU_R) * M * G / inertia
        grips = 1.0 / (self.MU * G + R * turns)
        speed = 1.0 - self.MU * G * grips
        slows = self.MU_R * M * G * R / (inertia + M * R**2)
        assert [e.kind for e in run.events] == ["sticks", "stops rolling"]
        np.testing.assert_allclose([e.time for e in run.events], [grips, grips + speed / slows], rtol=1e-9)
        np.testing.assert_allclose(
            run.final["disc.x"], grips - self.MU * G * grips**2 / 2 + speed**2 / (2 * slows), rtol=1e-9
        )
        assert max(abs(run.final["disc.x_dot"]), abs(run.final["disc.phi_dot"])) < 1e-15

    def test_a_ball_rolls_to_a_stop_in_space(self):
        """Its centre slows down along a straight line."""
        law = nsd.NewtonImpactRollingFriction(0, self.MU, self.MU_R)
        way = np.array([0.6, 0.8])
        run = sphere(law, [*way, 0], [-way[1] / R, way[0] / R, 0], end=5.0).run()
        slows = self.MU_R * M * G * R / (I_BALL + M * R**2)
        assert [e.kind for e in run.events] == ["stops rolling"]
        np.testing.assert_allclose(run.events[0].time, 1 / slows, rtol=1e-9)
        np.testing.assert_allclose(run["ball.position"][-1, :2], way / (2 * slows), rtol=1e-9)
        np.testing.assert_allclose(
            run["floor.force"][100],
            [M * G, *(-M * slows * way), *(self.MU_R * M * G * np.array([way[1], -way[0]]))],
            rtol=1e-8,
            atol=1e-8,
        )

    def test_a_ball_spins_to_a_stop_on_the_spot(self):
        """A moment mu_t N against drilling, beside friction that has nothing to do."""
        law = nsd.NewtonImpactTorsionalFriction(0, self.MU, 0.002, exchange=I_BALL)
        run = sphere(law, [0, 0, 0], [0, 0, 2.0], end=1.0).run()
        assert [e.kind for e in run.events] == ["stops drilling"]
        np.testing.assert_allclose(run.events[0].time, 2 * I_BALL / (0.002 * M * G), rtol=1e-9)
        assert np.abs(run["ball.position"][-1, :2]).max() < 1e-12

    def test_a_spin_takes_the_friction_of_a_slow_sliding(self):
        """Contensou's law: |(F, M / r)| = mu N against (u, r omega), to the instant at which both stop."""
        radius, mu = 0.02, 0.3
        run = sphere(nsd.NewtonImpactContensouFriction(0, mu, radius, exchange=M), [0.4, 0, 0], [0, 0, 30.0], 3.0).run()

        def slope_of(t, s):  # sliding rate at the floor, spin
            u, w = s
            size = np.hypot(u, radius * w)
            return [-3.5 * mu * G * u / size, -(radius**2) * w / size * mu * M * G / I_BALL]

        before = run.time < 0.3
        exact = solve_ivp(slope_of, [0, 0.3], [0.4, 30.0], t_eval=run.time[before], rtol=1e-12, atol=1e-13).y
        np.testing.assert_allclose(run["floor.rolling_rate"][before], exact[1], rtol=1e-8)
        np.testing.assert_allclose(run["floor.sliding_rate"][before, 0], exact[0], rtol=0, atol=1e-9)
        assert abs(run["floor.rolling_rate"][-1]) < 1e-9 and run.events[-1].kind == "sticks"


@pytest.mark.parametrize("drift", [0, 1e-12, 3e-11])
def test_a_rate_of_friction_passes_zero_while_a_stop_prescribes_it(drift):
    """A block that a moving wall pushes along a belt: its sliding rate passes zero at the wall's speed, not at its own.

    The wall holds the rate to the integrator's tolerance, and friction would hold it at zero: by less than that the two
    contradict each other, and the run ended. The start is off by as much.
    """
    bx, by = dynamicsymbols("bx by")
    block = nsd.LagrangianSystem(
        "block", [bx, by], kinetic=(bx.diff() ** 2 + by.diff() ** 2) / 2, potential=10 * by, forces=[8, 0]
    )
    belt = nsd.Contact("belt", by, nsd.NewtonImpactFriction(0, 0.3), tangent=bx.diff() - 0.221)
    wall = nsd.Contact("wall", 1 + sp.sin(7 * nsd.time) / 20 - bx, nsd.NewtonImpact(0.3))
    start = {bx: 1, by: 0, bx.diff(): 0.35 * (1 + drift), by.diff(): 0}
    run = nsd.Model("pushed", [block], [belt, wall], scheme=nsd.EventDriven(), step=0.02, end=3, initial=start).run()
    assert abs(run["wall.gap"]).max() < 1e-9
    times = [event.time for event in run.events if event.name == "belt"]
    turns = np.arccos(0.221 / 0.35)
    exact = sorted(
        (s * turns + 2 * np.pi * k) / 7 for s in (-1, 1) for k in range(5) if 0 < (s * turns + 2 * np.pi * k) / 7 < 3
    )
    assert abs(np.unique(np.round(times, 9)) - np.array(exact)).max() < 1e-8
