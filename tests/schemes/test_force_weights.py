"""Where a step of Moreau-Jean takes forces: at its ends, at mean values, on the way between, or by their own weight."""

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

x, y = dynamicsymbols("x y")
H, STEPS, THETA = 0.05, 40, 0.6
EXACT = nsd.Newton(1e-13)


def force(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Of a driven oscillator, nonlinear in everything."""
    return -(q**3) - 0.3 * v * abs(v) - q * v + np.cos(3 * t)


def driven(**options: object) -> nsd.Trajectory:
    symbols = -(x**3) - sp.Rational(3, 10) * x.diff() * sp.Abs(x.diff()) - x * x.diff() + sp.cos(3 * nsd.time)
    system = nsd.LagrangianSystem("s", [x], kinetic=x.diff() ** 2, forces=[2 * symbols])
    scheme = nsd.MoreauJean(theta=THETA, newton=EXACT, **options)
    return nsd.Model("m", [system], scheme=scheme, step=H, end=STEPS * H, initial={x: 1, x.diff(): 0.5}).run()


RULES = {
    "ends": lambda w, ends, mid: w * force(*ends[1]) + (1 - w) * force(*ends[0]),
    "theta": lambda w, ends, mid: force(*mid(w)),
    "mean": lambda w, ends, mid: (force(*ends[0]) + 4 * force(*mid(0.5)) + force(*ends[1])) / 6,
}


@pytest.mark.parametrize(
    ("at", "weight"), [("ends", None), ("ends", 0.0), ("ends", 1.0), ("theta", None), ("theta", 0.0), ("mean", None)]
)
def test_a_step_is_that_of_its_formula(at: str, weight: float | None) -> None:
    """Every step satisfies its equations; ``force_theta`` moves forces alone."""
    run = driven(force_at=at, force_theta=weight)
    ends = [np.array([run.time, run["x"], run["x_dot"]])[:, part] for part in (slice(None, -1), slice(1, None))]
    start, end = ends
    pushed = RULES[at](THETA if weight is None else weight, ends, lambda s: s * end + (1 - s) * start)
    assert abs(end[2] - start[2] - H * pushed).max() < 1e-11
    assert abs(end[1] - start[1] - H * (THETA * end[2] + (1 - THETA) * start[2])).max() < 1e-13


def bar(scheme: object) -> nsd.Trajectory:
    """A rubber bar from the origin to a mass, by Green's strain E = (|q|^2 - 1) / 2: energy of degree four."""
    strain = (x**2 + y**2 - 1) / 2
    mass = nsd.LagrangianSystem(
        "mass", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=50 * strain**2 + 9.81 * y
    )
    start = {x: 1.2, y: 0, y.diff(): 2}
    return nsd.Model("bar", [mass], scheme=scheme, step=0.02, end=40, initial=start).run()


def energy(run: nsd.Trajectory) -> np.ndarray:
    q, v = np.array([run["x"], run["y"]]), np.array([run["x_dot"], run["y_dot"]])
    return (v**2).sum(0) / 2 + 50 * (((q**2).sum(0) - 1) / 2) ** 2 + 9.81 * q[1]


def test_the_mean_force_keeps_energies_of_degree_four() -> None:
    """To Newton's tolerance in 2000 steps; weighed between the ends it moves by some percent."""
    kept, moved = (energy(bar(nsd.MoreauJean(force_at=at, newton=EXACT))) for at in ("mean", "ends"))
    assert abs(kept / kept[0] - 1).max() < 1e-10
    assert 1e-3 < abs(moved / moved[0] - 1).max() < 0.2


def test_the_mean_force_between_systems() -> None:
    """The same bar as a force element that joins two masses."""
    one, two = (nsd.LagrangianSystem(n, [c], kinetic=c.diff() ** 2 / 2) for n, c in (("one", x), ("two", y)))
    pull = nsd.ForceElement("pull", x - y, -100 * (x - y) ** 3)
    scheme = nsd.MoreauJean(force_at="mean", newton=EXACT)
    run = nsd.Model("pair", [one, two], [pull], scheme=scheme, step=0.02, end=10, initial={x: 0.3, y: -0.1}).run()
    kept = (run["x_dot"] ** 2 + run["y_dot"] ** 2) / 2 + 25 * (run["x"] - run["y"]) ** 4
    assert abs(kept / kept[0] - 1).max() < 1e-10


@pytest.mark.parametrize("rotation", ["nearly_implicit", "exponential"])
def test_a_body_takes_mid_values_at_a_unit_quaternion(rotation: str) -> None:
    """A moment in space, and -Omega x I Omega, at (1 - theta) p_k + theta p_k+1, normalised."""
    body = nsd.RigidBody("body", 1, sp.diag(1, 2, 3)).apply_moment([0, 4, 2], frame="inertial")
    scheme = nsd.MoreauJean(theta=THETA, force_at="theta", rotation=rotation, newton=EXACT)
    initial = {body.position: [0, 0, 0], body.angular_velocity: [1, 2, 3]}
    run = nsd.Model("turning", [body], scheme=scheme, step=H, end=20 * H, initial=initial).run()
    inertia, p, spins = np.array([1.0, 2.0, 3.0]), run["quaternion"], run["angular_velocity"]
    middle, mean = ((THETA * a[1:] + (1 - THETA) * a[:-1]) for a in (p, spins))
    turn = Rotation.from_quat(np.roll(middle, -1, axis=1))  # normalises
    moment = turn.inv().apply([0, 4, 2]) - np.cross(mean, inertia * mean)
    assert abs(inertia * np.diff(spins, axis=0) - H * moment).max() < 1e-11


def test_the_semi_explicit_scheme_of_bodies() -> None:
    """M (v - v_k) = h F_k with T and H at q_k and positions by theta."""
    body = nsd.RigidBody("body", 1, sp.diag(1, 2, 3)).apply_moment([0, 4, 2], frame="inertial")
    scheme = nsd.MoreauJean(
        theta=THETA, force_theta=0, rotation="semi_implicit", gradient_at="predicted", gradient_gamma=0
    )
    initial = {body.position: [0, 0, 0], body.angular_velocity: [1, 2, 3]}
    run = nsd.Model("explicit", [body], scheme=scheme, step=H, end=20 * H, initial=initial).run()
    inertia, p, spins = np.array([1.0, 2.0, 3.0]), run["quaternion"], run["angular_velocity"]
    turn = Rotation.from_quat(np.roll(p[:-1], -1, axis=1))
    moment = turn.inv().apply([0, 4, 2]) - np.cross(spins[:-1], inertia * spins[:-1])
    assert abs(spins[:-1] + H * moment / inertia - spins[1:]).max() < 1e-12
    assert set(run["newton_iterations"][1:]) == {1.0}


def test_what_has_no_mean_is_refused() -> None:
    with pytest.raises(ParameterError, match="force_at='middle' is unknown"):
        nsd.MoreauJean(force_at="middle")
    with pytest.raises(ParameterError, match=r"force_theta = 2 lies outside \[0, 1\]"):
        nsd.MoreauJean(force_theta=2)
    body = nsd.RigidBody("body", 1, sp.eye(3))
    with pytest.raises(ModelError, match="force_at='mean' is for generalised coordinates"):
        nsd.Model(
            "m", [body], scheme=nsd.MoreauJean(force_at="mean"), step=0.1, end=1, initial={body.position: [0, 0, 0]}
        ).run()
