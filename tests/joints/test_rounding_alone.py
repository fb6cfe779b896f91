"""Rows that hold rounding alone are measured by what the rounding of other unknowns leaves in them."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NotConverged

TURN = Rotation.from_rotvec([0.3, -0.5, 0.2])
PUSH = 8.0


def test_a_bearing_that_carries_nothing_rubs_not_at_all() -> None:
    """Bodies pushed apart along a sleeve: the forces that bound its friction are the rounding of those of the push."""
    bodies = {n: nsd.RigidBody(n, m, J * sp.eye(3)) for n, m, J in (("a", 2, 0.3), ("b", 3, 0.5))}
    along = TURN.apply([0, 1, 0])
    for sign, body in zip((1, -1), bodies.values(), strict=True):
        body.apply_force((sign * PUSH * along).tolist())
    markers = [nsd.Marker(body, [0, 0, 0], [0, 1, 0], [0, 0, 1]) for body in bodies.values()]
    sleeve = nsd.Prismatic("sleeve", *markers, nsd.Bearing(0.25))
    turned = np.roll(TURN.as_quat(), 1).tolist()
    initial = {b.position: [0, 0, 0] for b in bodies.values()} | {b.quaternion: turned for b in bodies.values()}
    run = (
        nsd.Model(
            "pushed", list(bodies.values()), [sleeve], scheme=nsd.MoreauJean(), step=2e-3, end=0.1, initial=initial
        )
        .compile(interpret=True)
        .run()
    )
    for sign, name in ((1, "a"), (-1, "b")):
        speed = sign * PUSH / {"a": 2, "b": 3}[name] * run.time
        np.testing.assert_allclose(run[f"{name}.velocity"], speed[:, np.newaxis] * along, atol=1e-11)
    assert np.abs(run["sleeve.impulse"]).max() < 1e-12


def test_a_cardan_shaft_turns_unevenly_though_its_joints_hold_more_than_they_must() -> None:
    """w_out = w cos b / (1 - sin^2 b cos^2 w t); 15 rows hold 12 rates, and nothing moves along any axis."""
    bend, speed = 0.5, 3.0
    cos, sin = np.cos(bend), np.sin(bend)
    drive, out = (nsd.RigidBody(n, 1, sp.diag(0.2, 0.2, 0.3)) for n in ("drive", "out"))
    joints = [
        nsd.Revolute("first", nsd.Marker(drive), nsd.Marker()),
        nsd.Revolute("second", nsd.Marker(out), nsd.Marker(axis=[sin, 0, cos], reference=[cos, 0, -sin])),
        nsd.Universal("cross", nsd.Marker(drive, axis=[1, 0, 0]), nsd.Marker(out, axis=[0, 1, 0])),
    ]
    compiled = nsd.Model(
        "cardan",
        [drive, out],
        [*joints, joints[0].motor(position=speed * nsd.time)],
        scheme=nsd.MoreauJean(),
        step=8e-3,
        end=0.8,
        initial={
            drive.position: [0, 0, 0],
            out.position: [0, 0, 0],
            out.quaternion: [np.cos(bend / 2), 0, np.sin(bend / 2), 0],
            drive.angular_velocity: [0, 0, speed],
            out.angular_velocity: [0, 0, speed / cos],
        },
    ).compile(interpret=True)

    def error(step: float) -> float:
        run = compiled.run(step=step)
        exact = speed * cos / (1 - sin**2 * np.cos(speed * run.time) ** 2)
        return float(np.abs(run["out.angular_velocity"][:, 2] - exact).max())

    coarse, fine = error(8e-3), error(4e-3)
    assert fine < 1e-4 and 3.9 < coarse / fine < 4.1


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_what_has_not_converged_is_not_taken_for_rounding(limit: int) -> None:
    """One freedom drives the other by an exponential, large far away; Newton's method takes five iterations."""
    x, y = dynamicsymbols("x y")
    driven = sp.exp(50 * x) / 10**6 - 10**4 * (y.diff() ** 3 + y.diff()) + 1000
    pair = nsd.LagrangianSystem("pair", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, forces=[0, driven])
    model = nsd.Model(
        "driven",
        [pair],
        scheme=nsd.MoreauJean(theta=1, newton=nsd.Newton(max_iterations=limit)),
        step=0.5,
        end=0.5,
        initial={x: 0, y: 0, x.diff(): 1, y.diff(): 1},
    )
    with pytest.raises(NotConverged):
        model.compile(interpret=True).run()


def test_the_far_end_of_a_straight_chain_falls_freely():
    """Each hinge bears a fraction of what the one before bears: the last forces are rounding of the velocities.

    The rows of the last bodies hold nothing but gravity and such forces, whose moments are all of their terms.
    """
    n, steps, h = 18, 3, 1e-3
    bodies = [nsd.RigidBody(f"b{i}", 1 + 0.1 * i, sp.diag(1, 2, 3) * (0.1 + 0.01 * i)) for i in range(n)]
    for i, body in enumerate(bodies):
        body.apply_force([0, 0, -9.81 * (1 + 0.1 * i)])
    ends = [nsd.Marker(axis=[0, 1, 0]), *(nsd.Marker(b, [0.5, 0, 0], axis=[0, 1, 0]) for b in bodies)]
    joints = [nsd.Revolute(f"j{i}", nsd.Marker(b, [-0.5, 0, 0], axis=[0, 1, 0]), ends[i]) for i, b in enumerate(bodies)]
    run = nsd.Model(
        "chain",
        bodies,
        joints,
        scheme=nsd.MoreauJean(),
        step=h,
        end=steps * h,
        initial={b.position: [i + 0.5, 0, 0] for i, b in enumerate(bodies)},
    ).run()
    # Exact under theta = 1/2, but for what the hinges hold back: 0.27 of it from one to the next.
    assert run[f"b{n - 1}.position[2]"][-1] == pytest.approx(-9.81 * (steps * h) ** 2 / 2, rel=1e-8)
    assert abs(run["b0.velocity[2]"][-1]) < 0.8 * 9.81 * steps * h  # the first one swings about its hinge
