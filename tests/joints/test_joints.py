"""Joints between two bodies in general position: rank, free directions, drift of position and energy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import nsdgen as nsd
from nsdgen.errors import ModelError

G = 9.81
INERTIA = {"A": np.array([0.02, 0.03, 0.04]), "B": np.array([0.05, 0.04, 0.02])}
MASS = {"A": 1.0, "B": 2.0}
X = {"A": np.array([0.3, -0.2, 0.1]), "B": np.array([-0.1, 0.25, 0.4])}
TURN = {"A": Rotation.from_rotvec([0.4, -0.7, 0.2]), "B": Rotation.from_rotvec([-0.3, 0.1, 1.1])}
PLACE = np.array([0.15, 0.05, 0.3])
AXES = Rotation.from_rotvec([0.5, 0.9, -0.4]).as_matrix()  # columns e1, e2, e3 of the joint
E1, E2, E3 = AXES.T


def body(name: str) -> nsd.RigidBody:
    return nsd.RigidBody(name, MASS[name], sp.diag(*INERTIA[name].tolist())).apply_force([0, 0, -G * MASS[name]])


def marker(body_: nsd.RigidBody, axis=E3, reference=E1, place=PLACE) -> nsd.Marker:
    """On a body that starts where A does unless it is B."""
    name = "B" if body_.name == "B" else "A"
    to_body = TURN[name].inv()
    return nsd.Marker(
        body_,
        to_body.apply(place - X[name]).tolist(),
        axis=to_body.apply(axis).tolist(),
        reference=to_body.apply(reference).tolist(),
    )


def turning(axis):
    return axis, np.zeros(3)


def sliding(axis):
    return np.zeros(3), axis


KINDS = {  # the joint, and the free motions of A relative to B: (angular velocity, velocity of the place)
    "Spherical": (lambda i, j: nsd.Spherical("j", i, j), [turning(E1), turning(E2), turning(E3)]),
    "Revolute": (lambda i, j: nsd.Revolute("j", i, j), [turning(E3)]),
    "Prismatic": (lambda i, j: nsd.Prismatic("j", i, j), [sliding(E3)]),
    "Cylindrical": (lambda i, j: nsd.Cylindrical("j", i, j), [turning(E3), sliding(E3)]),
    "Planar": (lambda i, j: nsd.Planar("j", i, j), [sliding(E1), sliding(E2), turning(E3)]),
    "Universal": (
        lambda i, j: nsd.Universal("j", marker(i.body, axis=E1, reference=E2), j),
        [turning(E1), turning(E3)],
    ),
    "Fixed": (lambda i, j: nsd.Fixed("j", i, j), []),
    "Screw": (lambda i, j: nsd.Screw("j", i, j, lead=0.3), [(E3, 0.3 / (2 * np.pi) * E3)]),
    "Distance": (
        lambda i, j: nsd.Distance("j", marker(i.body, place=PLACE + 0.2 * E1), j, length=0.2),
        [turning(E1), turning(E2), turning(E3), sliding(E2), sliding(E3)],
    ),
}
START = {f"{n}.position": X[n].tolist() for n in "AB"} | {
    f"{n}.quaternion": np.roll(TURN[n].as_quat(), 1).tolist() for n in "AB"
}


@cache
def linkage(kind: str) -> tuple[nsd.Model, nsd.Joint]:
    """B hangs on the ground by a ball joint, A on B by the joint."""
    a, b = body("A"), body("B")
    joint = KINDS[kind][0](marker(a), marker(b))
    hang = nsd.Spherical("hang", b.point([0, 0, 0.3]), (X["B"] + TURN["B"].apply([0, 0, 0.3])).tolist())
    initial = {o.position: START[f"{n}.position"] for n, o in (("A", a), ("B", b))}
    initial |= {o.quaternion: START[f"{n}.quaternion"] for n, o in (("A", a), ("B", b))}
    return nsd.Model("linkage", [a, b], [joint, hang], scheme=nsd.Rattle(), step=1e-3, end=0.5, initial=initial), joint


def energy(run: nsd.Trajectory) -> np.ndarray:
    return sum(
        (
            MASS[n] * (G * run[f"{n}.position"][:, 2] + (run[f"{n}.velocity"] ** 2).sum(axis=1) / 2)
            + run[f"{n}.angular_velocity"] ** 2 @ INERTIA[n] / 2
        )
        for n in "AB"
    )


def exact_rows(joint: nsd.Joint, bodies: list[nsd.RigidBody], twists: np.ndarray) -> np.ndarray:
    """Rates of the rows for twists (v, omega in the frame of the body) of the first body, by a complex step."""
    rows = sp.lambdify([[*(c for b in bodies for c in (*b.position, *b.quaternion))]], list(joint.gap), "numpy")
    start = np.concatenate([np.concatenate([START[f"{n}.position"], START[f"{n}.quaternion"]]) for n in "AB"])
    found, step = [], 1e-30
    for twist in twists:
        p, omega = start[3:7], twist[3:]
        turned = np.concatenate([[-p[1:] @ omega], p[0] * omega + np.cross(p[1:], omega)]) / 2
        off = np.concatenate([twist[:3], turned, np.zeros(7)])
        found.append(np.imag(np.array(rows(start + 1j * step * off), complex)) / step)
    return np.array(found).T


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.few(3)
def test_rank_and_free_directions(kind: str) -> None:
    """H of A has as many independent rows as there are, and its null space is what the joint leaves free."""
    bodies, free = [body("A"), body("B")], KINDS[kind][1]
    joint = KINDS[kind][0](*(marker(b) for b in bodies))
    H = exact_rows(joint, bodies, np.eye(6))
    assert H.shape == (len(joint.gap), 6) and len(joint.gap) == 6 - len(free)
    assert np.linalg.matrix_rank(H, tol=1e-8) == len(joint.gap)
    for omega, v in free:
        at = PLACE + 0.2 * E1 if kind == "Distance" else PLACE
        twist = np.concatenate([v + np.cross(omega, X["A"] - at), TURN["A"].inv().apply(omega)])
        np.testing.assert_allclose(H @ twist, 0, atol=1e-14)


@cache
def hung() -> nsd.Model:
    """Each kind holds a body of its own to the ground."""
    bodies, joints, initial = [], [], {}
    for kind, (make, free) in KINDS.items():
        a = nsd.RigidBody(kind, MASS["A"], sp.diag(*INERTIA["A"].tolist())).apply_force([0, 0, -G * MASS["A"]])
        ground = nsd.Marker(None, PLACE.tolist(), axis=E3.tolist(), reference=E1.tolist())
        joint = make(marker(a), ground)
        joint.name = f"{kind} joint"
        bodies.append(a)
        joints.append(joint)
        initial |= {a.position: START["A.position"], a.quaternion: START["A.quaternion"]}
        if free:  # started along what is free
            omega, v = free[0]
            at = PLACE + 0.2 * E1 if kind == "Distance" else PLACE
            initial |= {
                a.velocity: (v + np.cross(omega, X["A"] - at)).tolist(),
                a.angular_velocity: TURN["A"].inv().apply(omega).tolist(),
            }
    return nsd.Model("hung", bodies, joints, scheme=nsd.Rattle(), step=1e-3, end=0.3, initial=initial)


@cache
def fallen(step: float) -> nsd.Trajectory:
    return hung().run(step=step)


def energy_of(run: nsd.Trajectory, kind: str) -> np.ndarray:
    return (
        MASS["A"] * (G * run[f"{kind}.position"][:, 2] + (run[f"{kind}.velocity"] ** 2).sum(axis=1) / 2)
        + run[f"{kind}.angular_velocity"] ** 2 @ INERTIA["A"] / 2
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.few(3)
def test_no_drift_of_position_and_energy_on_the_ground(kind: str) -> None:
    fine, coarse = fallen(1e-3), fallen(2e-3)
    for run in (fine, coarse):
        assert np.abs(run[f"{kind} joint.gap"]).max() < 1e-10 and np.abs(run[f"{kind} joint.gap_rate"]).max() < 1e-10
        assert run["rank_deficiency"].max() == 0
    change, larger = (np.abs(energy_of(run, kind) - energy_of(run, kind)[0]).max() for run in (fine, coarse))
    assert change < 3e-4 and (larger < 1e-10 or larger == pytest.approx(4 * change, rel=0.1))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, scope="module")
def test_no_drift_of_position_and_energy(kind: str) -> None:
    model, _ = linkage(kind)
    run = model.run()
    assert np.abs(run["j.gap"]).max() < 1e-10 and np.abs(run["hang.gap"]).max() < 1e-10
    assert np.abs(run["j.gap_rate"]).max() < 1e-10
    assert run["rank_deficiency"].max() == 0
    change = np.abs(energy(run) - energy(run)[0]).max()
    coarse = model.run(step=2e-3)
    assert change < 3e-4 and np.abs(energy(coarse) - energy(coarse)[0]).max() == pytest.approx(4 * change, rel=0.1)
    H = model.compile()["j"].gap_twist_1(
        0.0, *(np.concatenate([START[f"{n}.position"], START[f"{n}.quaternion"]]) for n in "AB")
    )
    bodies = [body("A"), body("B")]
    truth = exact_rows(KINDS[kind][0](*(marker(b) for b in bodies)), bodies, np.eye(6))
    np.testing.assert_allclose(H, truth, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_drift_over_1e5_steps(kind: str) -> None:
    model, _ = linkage(kind)
    run = model.run(end=100, every=20)
    off = energy(run) - energy(run)[0]
    tenth = len(off) // 10
    assert np.abs(run["j.gap"]).max() < 1e-9
    # The linkages tumble chaotically, and extremes grow with how long one looks; a drift shows in the means.
    assert abs(off[-tenth:].mean() - off[:tenth].mean()) < np.abs(off[:tenth]).max()


def test_what_a_freedom_is_called() -> None:
    i, j = marker(body("A")), marker(body("B"))
    joint = nsd.Cylindrical("shaft", i, j)
    assert set(joint.freedoms) == {"angle", "displacement"}
    with pytest.raises(ModelError, match="leaves 2 freedoms"):
        joint.spring(1)
    with pytest.raises(ModelError, match="'angel'"):
        joint.spring(1, of="angel")
    with pytest.raises(ModelError, match="one of position"):
        joint.motor(position=1, speed=2, of="angle")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a: nsd.Spherical("j", nsd.Marker(), [0, 0, 0]), "joins the ground to itself"),
        (lambda a: nsd.Spherical("j", a.point([0, 0, 0]), a.point([1, 0, 0])), "joins 'A' to itself"),
        (lambda a: nsd.Revolute("j", a, [0, 0, 0]), "is no marker"),
        (lambda a: nsd.Marker(a, axis=[0, 0, 0]), "the axis is zero"),
        (lambda a: nsd.Marker(a, axis=[0, sp.nan, 1]), "a component is nan"),
        (lambda a: nsd.Marker(a, at=[0, float("inf"), 1]), "a component is oo"),
        (lambda a: nsd.Marker(a, axis=[0, 0, 2], reference=[0, 0, -1]), "lies along the axis"),
        (lambda a: nsd.Distance("j", a.point([0, 0, 0]), [0, 0, 0], 0), "the length is zero"),
        (lambda a: nsd.Screw("j", nsd.Marker(a), nsd.Marker(), 0), "the lead is zero"),
        (lambda a: nsd.Coupler("j", [(nsd.Revolute("h", nsd.Marker(a), nsd.Marker()), 0.5)]), "not a whole number"),
        (lambda a: nsd.Coupler("j", []), "couples 'nothing'"),
        (lambda a: nsd.Marker("A"), "does not move like a rigid body"),
    ],
)
def test_refusals_say_what_to_do(make, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        make(body("A"))
    assert caught.value.fix
