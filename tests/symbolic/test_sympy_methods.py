"""Systems from SymPy's Lagrange's and Kane's methods, and from matrices of numbers."""

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm
from scipy.sparse import diags_array
from sympy.physics.mechanics import (
    KanesMethod,
    LagrangesMethod,
    Lagrangian,
    Particle,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

import nsdgen as nsd

m, l, g = sp.symbols("m l g", positive=True)
VALUES = {m: 2.0, l: 0.7, g: 9.81}


def double_pendulum():
    """Bodies, loads and coordinates of two particles on two rods."""
    a, b = dynamicsymbols("a b")
    frame = ReferenceFrame("N")
    origin = Point("O")
    origin.set_vel(frame, 0)
    first = origin.locatenew("P", l * (sp.sin(a) * frame.x - sp.cos(a) * frame.y))
    second = first.locatenew("Q", l * (sp.sin(b) * frame.x - sp.cos(b) * frame.y))
    for point in (first, second):
        point.set_vel(frame, point.pos_from(origin).dt(frame))
    particles = [Particle(n, p, m) for n, p in (("P", first), ("Q", second))]
    for particle, point in zip(particles, (first, second), strict=True):
        particle.potential_energy = m * g * point.pos_from(origin).dot(frame.y)
    return frame, particles, (a, b), [(p, -m * g * frame.y) for p in (first, second)]


def by_energies(a, b):
    kinetic = m * l**2 * (a.diff() ** 2 + b.diff() ** 2 / 2 + sp.cos(a - b) * a.diff() * b.diff())
    return nsd.LagrangianSystem("arm", [a, b], kinetic=kinetic, potential=-m * g * l * (2 * sp.cos(a) + sp.cos(b)))


def swing(system, names, initial):
    run = nsd.Model(
        "p", [system], scheme=nsd.MoreauJean(mass_at="implicit"), step=1e-3, end=1, parameters=VALUES, initial=initial
    ).run()
    return np.column_stack([run[name] for name in names])


def test_lagranges_method():
    frame, particles, (a, b), _ = double_pendulum()
    method = LagrangesMethod(Lagrangian(frame, *particles), [a, b])
    method.form_lagranges_equations()
    start = {a: 1.0, b: -0.4, a.diff(): 0.3}
    found = swing(nsd.LagrangianSystem.of("arm", method), ("a", "b"), start)
    assert np.abs(found - swing(by_energies(a, b), ("a", "b"), start)).max() < 1e-9


def test_kanes_method_with_rates_as_speeds():
    frame, particles, (a, b), loads = double_pendulum()
    u, w = dynamicsymbols("u w")
    for particle in particles:
        point = particle.point
        point.set_vel(frame, point.vel(frame).subs({a.diff(): u, b.diff(): w}))
    method = KanesMethod(frame, [a, b], [u, w], kd_eqs=[u - a.diff(), w - b.diff()])
    method.kanes_equations(particles, loads)
    found = swing(nsd.KaneSystem("arm", method), ("a", "b"), {a: 1.0, b: -0.4, u: 0.3})
    expected = swing(by_energies(a, b), ("a", "b"), {a: 1.0, b: -0.4, a.diff(): 0.3})
    assert np.abs(found - expected).max() < 1e-8


def test_speeds_that_are_no_rates():
    """A body in Euler angles with its angular velocities as speeds, against the body in quaternions."""
    q, w = dynamicsymbols("q1:4"), dynamicsymbols("w1:4")
    space, body_frame = ReferenceFrame("N"), ReferenceFrame("B")
    body_frame.orient_body_fixed(space, q, "123")
    turning = body_frame.ang_vel_in(space).to_matrix(body_frame)
    body_frame.set_ang_vel(space, sum((s * axis for s, axis in zip(w, body_frame, strict=True)), 0 * space.x))
    center = Point("C")
    center.set_vel(space, 0)
    body = RigidBody("body", center, body_frame, 1, (inertia(body_frame, 1, 2, 3), center))
    method = KanesMethod(space, q, w, kd_eqs=[s - t for s, t in zip(w, turning, strict=True)])
    method.kanes_equations([body], [(body_frame, 0 * space.x)])
    tumbling = nsd.KaneSystem("body", method)
    errors = []
    for h in (4e-3, 2e-3):
        run = nsd.Model(
            "k",
            [tumbling],
            scheme=nsd.MoreauJean(rotation="theta"),
            step=h,
            end=1,
            initial={**dict.fromkeys(q, 0.0), w[0]: 0.4, w[1]: 0.5, w[2]: 0.3},
        ).run()
        free = nsd.RigidBody("free", mass=1, inertia=sp.diag(1, 2, 3))
        same = nsd.Model(
            "f",
            [free],
            scheme=nsd.MoreauJean(),
            step=1e-4,
            end=1,
            initial={free.position: [0, 0, 0], free.angular_velocity: [0.4, 0.5, 0.3]},
        ).run()
        of_angles = sp.lambdify(q, space.dcm(body_frame))(*(run[f"q{i}"][-1] for i in (1, 2, 3)))
        w0, x, y, z = same["quaternion"][-1]
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w0 * z), 2 * (x * z + w0 * y)],
                [2 * (x * y + w0 * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w0 * x)],
                [2 * (x * z - w0 * y), 2 * (y * z + w0 * x), 1 - 2 * (x * x + y * y)],
            ]
        )
        errors.append(np.abs(of_angles - rotation).max())
    assert errors[1] < 1e-5 and np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.3)


def test_the_kinetic_energy_of_what_is_driven():
    """A pendulum on a support that moves by itself: the energy of its bodies, which u M u / 2 does not hold all of."""
    q, u = dynamicsymbols("q u")
    speed, length = sp.symbols("speed length")
    frame, support = ReferenceFrame("N"), Point("O")
    support.set_vel(frame, speed * frame.x)
    bob = support.locatenew("P", length * (sp.sin(q) * frame.x - sp.cos(q) * frame.y))
    bob.set_vel(frame, speed * frame.x + length * u * (sp.cos(q) * frame.x + sp.sin(q) * frame.y))
    method = KanesMethod(frame, [q], [u], kd_eqs=[u - q.diff()])
    method.kanes_equations([Particle("bob", bob, 2)], [(bob, -20 * frame.y)])
    system = nsd.KaneSystem("arm", method)
    given = {"parameters": {speed: 3, length: 0.5}, "initial": {q: 1, u: 0}}
    compiled = nsd.Model("m", [system], scheme=nsd.MoreauJean(), step=0.1, end=1, **given).compile()
    x, rate = 0.7, 1.3
    velocity = np.array([3 + 0.5 * rate * np.cos(x), 0.5 * rate * np.sin(x)])
    assert float(compiled.arm.kinetic_energy(0.0, [x], [rate])) == pytest.approx(velocity @ velocity)


def test_what_cannot_be_taken():
    x, u = dynamicsymbols("x u")
    method = LagrangesMethod(x.diff() ** 2 / 2, [x])
    with pytest.raises(nsd.errors.ModelError, match="form_lagranges_equations"):
        nsd.LagrangianSystem.of("s", method)
    with pytest.raises(nsd.errors.ModelError, match=r"LagrangianSystem\.of"):
        nsd.KaneSystem("s", method)
    kane = KanesMethod(ReferenceFrame("N"), [x], [u], kd_eqs=[u - x.diff()])
    with pytest.raises(nsd.errors.ModelError, match="kanes_equations"):
        nsd.KaneSystem("s", kane)
    with pytest.raises(nsd.errors.ModelError, match="KaneSystem"):
        nsd.LagrangianSystem.of("s", kane)


def bar(n):
    """Consistent mass and stiffness of a bar of length 1, fixed at its left end."""
    h = 1 / n
    mass = diags_array([np.ones(n - 1), np.r_[4 * np.ones(n - 1), 2.0], np.ones(n - 1)], offsets=[-1, 0, 1]) * h / 6
    stiff = diags_array([-np.ones(n - 1), np.r_[2 * np.ones(n - 1), 1.0], -np.ones(n - 1)], offsets=[-1, 0, 1]) / h
    return mass, stiff


def test_a_bar_of_sparse_matrices_against_its_exponential():
    n, h = 12, 1e-3
    mass, stiff = bar(n)
    damping = 0.02 * stiff
    rod = nsd.LinearMechanicalSystem("rod", mass, stiff, damping, [0] * (n - 1) + [sp.sin(nsd.time)], units="m")
    model = nsd.Model("m", [rod], scheme=nsd.MoreauJean(), step=h, end=2).compile()
    run = model.run(initial={"q": np.linspace(0, 0.1, n).tolist()})
    M, K = mass.toarray(), stiff.toarray()
    A = np.zeros((2 * n + 2, 2 * n + 2))  # with sin t and cos t as states
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n, :n], A[n : 2 * n, n : 2 * n] = -np.linalg.solve(M, K), -np.linalg.solve(M, 0.02 * K)
    A[n : 2 * n, 2 * n] = np.linalg.solve(M, np.eye(n)[-1])
    A[2 * n, 2 * n + 1], A[2 * n + 1, 2 * n] = 1, -1
    start = np.concatenate([np.linspace(0, 0.1, n), np.zeros(n), [0, 1]])
    end = expm(2 * A) @ start
    assert np.abs(run["q"][-1] - end[:n]).max() < 1e-5 and run.unit("q_dot[3]") == "m/s"
    stiffer = model.run(parameters={"rod.K[3,3]": K[3, 3] * 2})
    assert np.abs(stiffer["q"][-1] - run["q"][-1]).max() > 1e-3  # numbers are data


def test_matrices_that_do_not_fit():
    with pytest.raises(nsd.errors.ModelError, match="expected 2x2"):
        nsd.LinearMechanicalSystem("s", np.eye(2), np.eye(3))
    with pytest.raises(nsd.errors.ModelError, match="one name"):
        nsd.LinearMechanicalSystem("s", np.eye(2), coordinates=["a", "a"])
    rod = nsd.LinearMechanicalSystem("s", -np.eye(2))
    with pytest.raises(nsd.errors.NsdgenError, match="mass matrix"):
        nsd.Model("m", [rod], scheme=nsd.MoreauJean(), step=0.1, end=1).run()
