"""Limits, springs, friction, motors, couplers and force elements, each against a closed form."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError, ModelWarning

G = 9.81
I_AXIS = 0.3
t = nsd.time
SHARED = ("spring", "fast")  # what is tried under Moreau-Jean, too


def wheel(name: str, inertia: float = I_AXIS) -> tuple[nsd.RigidBody, nsd.Revolute]:
    """A balanced wheel on a shaft along y."""
    body = nsd.RigidBody(name, 2, sp.diag(0.6, inertia, 0.6))
    return body, nsd.Revolute(f"{name} hinge", nsd.Marker(body, axis=[0, 1, 0]), nsd.Marker(axis=[0, 1, 0]))


ELEMENTS = {  # by wheel: its spin at the start, and what acts on its hinge
    "spring": (2.0, lambda hinge: hinge.spring(30, rest=0.0)),
    "damper": (2.0, lambda hinge: hinge.spring(0, damping=0.6)),
    "brake": (2.0, lambda hinge: hinge.friction(1.5)),
    "stops": (2.0, lambda hinge: hinge.limits(-0.5, 1.0, nsd.NewtonImpact(0.5))),
    "fast": (0.0, lambda hinge: hinge.motor(speed=3 * sp.sin(2 * t))),
    "round": (0.0, lambda hinge: hinge.motor(position=5 * t**2)),
    "pushed": (0.0, lambda hinge: hinge.motor(force=0.6 * sp.cos(t))),
    "geared": (0.0, lambda hinge: hinge.motor(force=2.0)),
}


@cache
def workshop(scheme: type) -> nsd.Trajectory:
    """Each element on a wheel of its own, and a gear pair, in one model; three seconds."""
    bodies, relations, initial = [], [], {}
    for name, (spin, element) in ELEMENTS.items():
        if scheme is nsd.MoreauJean and name not in SHARED:
            continue
        body, hinge = wheel(name)
        bodies.append(body)
        relations += [hinge, element(hinge)]
        initial |= {body.position: [0, 0, 0], body.angular_velocity: [0, spin, 0]}
        if name == "geared":
            other, shaft = wheel("other", 0.9)
            bodies.append(other)
            relations += [shaft, nsd.Coupler("mesh", [(hinge, 2), (shaft, 3)])]
            initial |= {other.position: [0, 0, 0]}
    return nsd.Model("workshop", bodies, relations, scheme=scheme(), step=1e-3, end=3, initial=initial).run()


def angles(run: nsd.Trajectory, name: str) -> np.ndarray:
    p = run[f"{name}.quaternion"]
    return np.unwrap(2 * np.arctan2(p[:, 2], p[:, 0]))


def spins(run: nsd.Trajectory, name: str) -> np.ndarray:
    return run[f"{name}.angular_velocity"][:, 1]


@pytest.mark.parametrize("scheme", [pytest.param(nsd.Rattle, marks=pytest.mark.slow), nsd.MoreauJean])
def test_a_torsional_spring_swings_at_its_frequency(scheme: type) -> None:
    run = workshop(scheme)
    w, first = np.sqrt(30 / I_AXIS), run.time <= 1
    np.testing.assert_allclose(angles(run, "spring")[first], (2.0 / w * np.sin(w * run.time))[first], atol=3e-5)


@pytest.mark.parametrize("acts", ["spring", "motor"])
@pytest.mark.parametrize(
    ("scheme", "step", "off"),
    [
        (nsd.MoreauJean(theta=0.5), 5e-3, 1e-3),
        (nsd.Rattle(), 5e-3, 2e-4),
        (nsd.GeneralisedAlpha(), 5e-3, 2e-4),
        (nsd.Variational(), 1e-3, 2e-3),
        (nsd.EventDriven(), 2.0, 1e-7),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, nsd.schemes.scheme.Scheme) else "",
)
@pytest.mark.few(4)
def test_a_spring_is_wound_over_turns(scheme: nsd.schemes.scheme.Scheme, step: float, off: float, acts: str) -> None:
    """Four turns and back. Behind half a turn it had pulled the other way, without a word."""
    body, hinge = wheel("wheel")
    k, rest, w = 0.15, 1.0, np.sqrt(0.5)
    spring = hinge.spring(k, rest=rest) if acts == "spring" else hinge.motor(force=-k * (hinge.angle - rest))
    start = {body.position: [0, 0, 0], body.angular_velocity: [0, 18, 0]}
    run = nsd.Model("m", [body], [hinge, spring], scheme=scheme, step=step, end=8, initial=start).run()
    angle = rest - rest * np.cos(w * run.time) + 18 / w * np.sin(w * run.time)
    assert np.ptp(angle) > 14 * np.pi
    np.testing.assert_allclose(run[f"{spring.name}.force"], -k * (angle - rest), atol=k * off * 18 / w)


@pytest.mark.parametrize(
    "scheme",
    [nsd.Rattle(), nsd.MoreauJean(), nsd.GeneralisedAlpha(), nsd.EventDriven(), nsd.Variational()],
    ids=lambda s: type(s).__name__,
)
@pytest.mark.few(3)
def test_no_step_leaps_over_a_stop_near_half_a_turn_or_behind_it(scheme: nsd.schemes.scheme.Scheme) -> None:
    """0.09 rad a step, a stop 0.04 before pi: behind pi the angle was far below the stop, and the wheel went on.

    Stops behind it had been refused, and those by parameters taken: they count turns, also where a run goes on.
    """
    body, hinge = wheel("wheel")
    start = {body.position: [0, 0, 0], body.angular_velocity: [0, 9, 0]}
    far = sp.Symbol("far")
    stops, rest = hinge.limits(-far, far), {"scheme": scheme, "step": 1e-2, "initial": start}
    model = nsd.Model("m", [body], [hinge, *stops], end=1, parameters={far: 3.1}, **rest).compile()
    for stop, end in ((3.1, 1), (np.pi, 1), (4.0, 1), (9.5, 1.5)):
        whole = model.run(parameters={far: stop}, end=end)
        for run in (whole, model.run(restart=(whole, 38), parameters={far: stop}, end=end)):
            gap = run["wheel hinge upper limit.gap"]
            assert gap.min() > -0.1 and abs(gap[-1] - gap.min()) < 1e-6 and abs(spins(run, "wheel")[-1]) < 1e-9


def test_a_damper_has_its_time_constant() -> None:
    run = workshop(nsd.Rattle)
    np.testing.assert_allclose(spins(run, "damper"), 2 * np.exp(-2 * run.time), rtol=3e-6)


def test_dry_friction_stops_a_wheel_and_holds_it() -> None:
    """I w' = -level until it stands, after 0.4 s."""
    run = workshop(nsd.Rattle)
    np.testing.assert_allclose(spins(run, "brake"), np.maximum(2 - 1.5 / I_AXIS * run.time, 0), atol=1e-10)


def test_limits_stop_and_bounce() -> None:
    run = workshop(nsd.Rattle)
    assert angles(run, "stops").max() < 1.0 + 2.1e-3 and angles(run, "stops").min() > -0.5 - 2e-3
    rates = np.unique(np.round(spins(run, "stops"), 9))
    np.testing.assert_allclose(sorted(rates, key=abs)[::-1][:3], [2, -1, 0.5], atol=1e-9)


@pytest.mark.parametrize("scheme", [nsd.Rattle, nsd.MoreauJean])
def test_a_motor_with_a_prescribed_speed_needs_this_torque(scheme: type) -> None:
    run = workshop(scheme)
    np.testing.assert_allclose(spins(run, "fast"), 3 * np.sin(2 * run.time), atol=1e-12)
    torque = run["fast hinge motor.impulse"][1:] / 1e-3
    np.testing.assert_allclose(torque, I_AXIS * 6 * np.cos(2 * (run.time[1:] - 5e-4)), rtol=1e-5, atol=2e-5)


def test_a_motor_with_a_prescribed_angle_goes_round_and_round() -> None:
    run = workshop(nsd.Rattle)
    np.testing.assert_allclose(angles(run, "round"), 5 * run.time**2, atol=1e-9)


def test_a_motor_with_a_torque() -> None:
    run = workshop(nsd.Rattle)
    np.testing.assert_allclose(spins(run, "pushed"), 2 * np.sin(run.time), atol=1e-6)


def test_gears_keep_mesh_over_many_turns() -> None:
    """20 and 30 teeth: 2 a + 3 b = 0; the motor on one carries both inertias."""
    run = workshop(nsd.Rattle)
    effective = I_AXIS + 0.9 * (2 / 3) ** 2
    np.testing.assert_allclose(angles(run, "geared"), run.time**2 / effective, atol=1e-8)
    np.testing.assert_allclose(angles(run, "other"), -2 / 3 * run.time**2 / effective, atol=1e-8)
    assert angles(run, "geared")[-1] > 12 and np.abs(run["mesh.gap"]).max() < 1e-10


def test_a_screw_falls_by_its_lead() -> None:
    """Along the axis: (m + I (2 pi / lead)^2) z'' = -m g, over many turns."""
    body = nsd.RigidBody("nut", 2, sp.diag(0.2, 0.2, I_AXIS)).apply_force([0, 0, -2 * G])
    lead = 0.05
    screw = nsd.Screw("screw", nsd.Marker(body), nsd.Marker(), lead)
    run = nsd.Model(
        "m", [body], [screw], scheme=nsd.Rattle(), step=1e-3, end=8, initial={body.position: [0, 0, 0]}
    ).run()
    effective = 2 + I_AXIS * (2 * np.pi / lead) ** 2
    np.testing.assert_allclose(run["position"][:, 2], -2 * G / effective * run.time**2 / 2, atol=1e-10)
    assert abs(run["position"][-1, 2]) > 2 * lead


def test_a_universal_joint_turns_unevenly() -> None:
    """The ratio of speeds of a cardan joint bent by beta: cos beta / (1 - sin^2 beta cos^2 angle)."""
    beta = 0.5
    driven, driver = nsd.RigidBody("driven", 1, 0.1 * sp.eye(3)), nsd.RigidBody("driver", 1, 0.1 * sp.eye(3))
    out = [float(np.sin(beta)), 0.0, float(np.cos(beta))]
    cross = nsd.Universal("cross", nsd.Marker(driven, axis=[0, 1, 0]), nsd.Marker(driver, axis=[1, 0, 0]))
    bearing = nsd.Revolute("bearing", nsd.Marker(driver, axis=[0, 0, 1]), nsd.Marker(axis=[0, 0, 1]))
    shaft = nsd.Cylindrical("shaft", nsd.Marker(driven, axis=out), nsd.Marker(axis=out))
    motor = bearing.motor(speed=1)
    run = nsd.Model(
        "m",
        [driven, driver],
        [cross, bearing, shaft, motor],
        scheme=nsd.Rattle(),
        step=2e-3,
        end=7,
        initial={
            driven.position: [0, 0, 0],
            driver.position: [0, 0, 0],
            driver.angular_velocity: [0, 0, 1],
            driven.angular_velocity: [c / np.cos(beta) for c in out],
        },
    ).run()
    speed = run["driven.angular_velocity"] @ np.array(out)
    np.testing.assert_allclose(speed, np.cos(beta) / (1 - np.sin(beta) ** 2 * np.cos(run.time) ** 2), atol=1e-5)


MOMENTS = {"a": (1, 0.1), "b": (2, 0.2)}


@cache
def pairs(scheme: type) -> nsd.Trajectory:
    """Three pairs of free bodies: a spring, a bushing, and a moment of one's own between the two."""
    bodies = {
        f"{kind} {n}": nsd.RigidBody(f"{kind} {n}", m, sp.diag(*(i * sp.Matrix([1, 2, 3]))))
        for kind in ("spring", "mount", "twist")
        for n, (m, i) in MOMENTS.items()
    }

    def ends(kind: str, *at) -> list:
        return [bodies[f"{kind} {n}"].point(list(p)) for n, p in zip("ab", at, strict=True)]

    relations = [
        nsd.Spring("spring", *ends("spring", (0, 0, 0), (0, 0, 0)), stiffness=60, length=1),
        nsd.Bushing("mount", *ends("mount", (0.1, 0, 0), (0, 0.2, 0)), stiffness=[300, 400, 500], turning=[30, 40, 50]),
        nsd.Wrench("twist", *ends("twist", (0, 0, 0), (0, 0, 0)), moment=[0, 0, 0.3]),
    ]
    start = {"spring b": [1.2, 0, 0], "mount a": [-0.1, 0.2, 0], "twist b": [1, 0, 0]}
    initial = {b.position: start.get(name, [0, 0, 0]) for name, b in bodies.items()}
    initial |= {bodies["mount a"].velocity: [0.1, 0.2, -0.3], bodies["mount a"].angular_velocity: [0.4, -1, 0.7]}
    return nsd.Model(
        "pairs", list(bodies.values()), relations, scheme=scheme(), step=1e-3, end=2, initial=initial
    ).run()


BOTH = pytest.mark.parametrize("scheme", [nsd.Rattle, pytest.param(nsd.MoreauJean, marks=pytest.mark.slow)])


@BOTH
def test_a_spring_between_two_bodies(scheme: type) -> None:
    """Two masses on a line: reduced mass 2/3, and momentum stays."""
    run = pairs(scheme)
    w, apart = np.sqrt(60 * 1.5), run["spring b.position"][:, 0] - run["spring a.position"][:, 0]
    np.testing.assert_allclose(apart, 1 + 0.2 * np.cos(w * run.time), atol=4e-4)
    np.testing.assert_allclose(run["spring a.velocity"] + 2 * run["spring b.velocity"], 0, atol=1e-13)
    np.testing.assert_allclose(run["spring.force"], -60 * (apart - 1), atol=1e-12)


@BOTH
def test_a_bushing_has_its_stiffnesses_and_keeps_momentum_and_energy(scheme: type) -> None:
    run = pairs(scheme)
    total = run["mount a.velocity"] + 2 * run["mount b.velocity"]
    np.testing.assert_allclose(total, [[0.1, 0.2, -0.3]] * len(run.time), atol=1e-9)
    turn_a, turn_b = (rotations(run[f"mount {n}.quaternion"]) for n in "ab")
    place_a = run["mount a.position"] + turn_a[:, :, 0] * 0.1
    apart = np.einsum("nij,ni->nj", turn_b, place_a - run["mount b.position"] - turn_b[:, :, 1] * 0.2)
    g = np.array([40 + 50 - 30, 50 + 30 - 40, 30 + 40 - 50]) / 2
    elastic = apart**2 @ np.array([300, 400, 500]) / 2 + (1 - np.einsum("nij,nij->nj", turn_a, turn_b)) @ g
    kinetic = sum(
        m * (run[f"mount {n}.velocity"] ** 2).sum(axis=1) / 2
        + run[f"mount {n}.angular_velocity"] ** 2 @ (i * np.array([1, 2, 3])) / 2
        for n, (m, i) in MOMENTS.items()
    )
    np.testing.assert_allclose(elastic + kinetic, kinetic[0], rtol=1e-3)
    assert elastic.max() > 0.3 * kinetic[0]


def rotations(p: np.ndarray) -> np.ndarray:
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(np.roll(p, -1, axis=1)).as_matrix()


@BOTH
def test_a_wrench_of_ones_own_acts_and_reacts(scheme: type) -> None:
    """A constant moment between two free wheels turns them against each other."""
    run = pairs(scheme)
    at = np.searchsorted(run.time, 1.0 - 1e-9)
    np.testing.assert_allclose(run["twist a.angular_velocity"][at], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose(run["twist b.angular_velocity"][at], [0, 0, -0.5], atol=1e-12)


@pytest.mark.parametrize(("scheme", "bound"), [(nsd.Rattle(), 1e-4), (nsd.MoreauJean(), 3e-2)])
def test_a_knife_edge_goes_round_in_a_circle(scheme, bound: float) -> None:
    x, y, a = (sp.Function(n)(nsd.time) for n in "xya")
    sled = nsd.LagrangianSystem("sled", [x, y, a], kinetic=(x.diff() ** 2 + y.diff() ** 2 + a.diff() ** 2) / 2)
    edge = nsd.VelocityConstraint("edge", sp.cos(a) * y.diff() - sp.sin(a) * x.diff())
    run = nsd.Model(
        "m", [sled], [edge], scheme=scheme, step=1e-2, end=2, initial={x: 0, y: 0, a: 0, x.diff(): 1, a.diff(): 1.5}
    ).run()
    np.testing.assert_allclose(run["x"], np.sin(1.5 * run.time) / 1.5, atol=bound)
    np.testing.assert_allclose(run["y"], (1 - np.cos(1.5 * run.time)) / 1.5, atol=bound)
    assert np.abs(run["edge.rate"]).max() < 1e-12


def test_a_ball_that_rolls_without_slip() -> None:
    """A ball rolls down an incline: 5/7 of g sin; the no-slip rows are a constraint of velocities."""
    radius, slope = 0.1, 0.3
    ball = nsd.RigidBody("ball", 1, 0.4 * radius**2 * sp.eye(3)).apply_force([G * np.sin(slope), 0, -G * np.cos(slope)])
    floor = nsd.Bilateral("floor", ball.position[2] - radius)
    point = ball.velocity + (ball.rotation * ball.angular_velocity).cross(sp.Matrix([0, 0, -radius]))
    rolling = nsd.VelocityConstraint("rolling", point[:2])
    run = nsd.Model(
        "m", [ball], [floor, rolling], scheme=nsd.Rattle(), step=1e-3, end=1, initial={ball.position: [0, 0, radius]}
    ).run()
    np.testing.assert_allclose(run["position"][:, 0], 5 / 14 * G * np.sin(slope) * run.time**2, atol=1e-10)


def test_limits_in_degrees_are_said_and_those_in_the_wrong_order_refused() -> None:
    """A pin with limits(-90, 90) turned by 19 rad without a word; by parameters it did so still."""
    body, hinge = wheel("arm")
    far = sp.Symbol("far")
    rest = {"scheme": nsd.Rattle(), "step": 1e-2, "end": 1, "initial": {body.position: [0, 0, 0]}}
    for stops, values in (hinge.limits(-90, 1), {}), (hinge.limits(-far, 1), {far: 90}):
        with pytest.warns(ModelWarning, match=r"arm hinge lower limit': the lower limit -\w+ is more than a turn"):
            nsd.Model("m", [body], [hinge, stops], parameters=values, **rest)
    with pytest.raises(ModelError, match="the lower limit 1 lies above the upper one, -1"):
        hinge.limits(1, -1)


def test_stops_from_event_to_event() -> None:
    """In absolute coordinates: 1 rad at 2 rad/s, back to -0.5 rad at half of it, and from there at a quarter."""
    body, hinge = wheel("wheel")
    initial = {body.position: [0, 0, 0], body.angular_velocity: [0, 2.0, 0]}
    stops = hinge.limits(-0.5, 1.0, nsd.NewtonImpact(0.5))
    run = nsd.Model("stops", [body], [hinge, stops], scheme=nsd.EventDriven(), step=0.01, end=3, initial=initial).run()
    np.testing.assert_allclose([event.time for event in run.events], [0.5, 2.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose([angles(run, "wheel")[-1], spins(run, "wheel")[-1]], [0, 0.5], rtol=0, atol=1e-8)


def test_a_negative_friction_names_its_joint():
    hinge = nsd.Revolute("hinge", nsd.Marker(at=[0, 0, 0]), nsd.Marker(nsd.RigidBody("rod", 1, sp.eye(3)), [0, 0, 0]))
    with pytest.raises(nsd.errors.ModelError, match="relation 'hinge friction', law Relay: the level -1 is negative"):
        hinge.friction(-1)
