"""Forces of relations under Moreau-Jean: springs and dampers in contacts, nonlinear ones; models of several schemes."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y = dynamicsymbols("x y")
K, C = 400.0, 3.0
lam = nsd.multipliers("lam", 1)


def spring_contact(output, law, scheme, end=0.6):
    """A unit mass, at 0.1 with speed -2, that meets a spring at 0; no weight."""
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    touch = nsd.OutputRelation("touch", lam, [output], {mass: lam}, law, units=["N"])
    return nsd.Model("m", [mass], [touch], scheme=scheme, step=1e-3, end=end, initial={x: 0.1, x.diff(): -2}).compile()


def exact(t, damping):
    """Free to 0, then a damped oscillation until the force would pull, then free."""
    begin, w = 0.05, np.sqrt(K - damping**2 / 4)
    s = np.linspace(0, np.pi / w, 200001)
    decay = np.exp(-damping * s / 2)
    q = -2 / w * decay * np.sin(w * s)
    v = -2 * decay * (np.cos(w * s) - damping / (2 * w) * np.sin(w * s))
    leave = np.flatnonzero(K * q + damping * v > 0)
    leave = leave[leave > 1000][0] if damping else len(s) - 1
    inside = np.interp(t - begin, s, q)
    return np.where(
        t < begin, 0.1 - 2 * t, np.where(t < begin + s[leave], inside, q[leave] + v[leave] * (t - begin - s[leave]))
    )


@pytest.mark.parametrize(("damping", "relation_at"), [(0.0, "end"), (0.0, "theta"), (C, "end"), (C, "theta")])
def test_a_spring_with_a_damper_in_a_contact_never_pulls(damping, relation_at):
    """0 <= lambda + k x + c x' orthogonal to lambda >= 0 where x <= 0: spring and damper, as far as they push.

    The damper begins with a jump, beside which Newton's method may find no solution: its last iterate is kept.
    """
    pushes = sp.Piecewise((K * x + damping * x.diff(), x <= 0), (0, True)) if damping else K * x
    newton = nsd.Newton(max_iterations=8, on_limit="keep") if damping else nsd.Newton()
    found = spring_contact(
        lam[0] + pushes, nsd.Complementarity(), nsd.MoreauJean(relation_at=relation_at, newton=newton)
    )
    errors = [np.abs((run := found.run(step=h))["x"] - exact(run.time, damping)).max() for h in (2e-3, 1e-3, 5e-4)]
    assert errors[-1] < (2e-2 if relation_at == "end" else 2e-3)
    order = np.log2(errors[0] / errors[-1]) / 2
    assert order > (0.8 if relation_at == "end" or damping else 1.6)
    assert found.run()["lam[0]"].min() >= 0


def test_compliance_in_the_law():
    """0 <= x + lambda / k orthogonal to lambda >= 0, the same spring by its compliance."""
    by_force = spring_contact(lam[0] + K * x, nsd.Complementarity(), nsd.MoreauJean()).run()
    by_gap = spring_contact(x + lam[0] / K, nsd.Complementarity(), nsd.MoreauJean()).run()
    assert np.abs(by_force["x"] - by_gap["x"]).max() < 1e-12


def test_a_nonlinear_reaction():
    """p = g(t, q, lambda): a hanger at a moving angle, whose rope pulls along its own direction and only ever pulls."""
    bob = nsd.LagrangianSystem("bob", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * y)
    length = sp.sqrt(x**2 + y**2)
    rope = nsd.OutputRelation(
        "rope",
        lam,
        [1 - length + lam[0] / 1e5],
        {bob: [-lam[0] * x / length, -lam[0] * y / length]},
        nsd.Complementarity(),
        units=["N"],
    )
    scheme = nsd.MoreauJean(relation_at="theta")
    run = nsd.Model("m", [bob], [rope], scheme=scheme, step=2e-4, end=1.5, initial={x: 0.6, y: -0.8}).run()
    energy = (run["x_dot"] ** 2 + run["y_dot"] ** 2) / 2 + 9.81 * run["y"] + run["lam[0]"] ** 2 / 2e5
    assert np.ptp(energy) < 5e-3 and run["lam[0]"].min() >= 0
    assert np.abs(np.hypot(run["x"], run["y"]) - 1).max() < 3e-4


def test_forces_at_theta_are_of_order_two_where_they_are_smooth():
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    spring = nsd.OutputRelation("spring", lam, [lam[0] + 9 * x], {mass: lam}, nsd.Equality())
    for place, expected in (("theta", 2), ("end", 1)):
        model = nsd.Model(
            "m", [mass], [spring], scheme=nsd.MoreauJean(relation_at=place), step=0.02, end=2, initial={x: 1}
        ).compile()
        errors = [abs(model.run(step=h)["x"][-1] - np.cos(6)) for h in (0.02, 0.01)]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(expected, abs=0.15)


def test_forces_at_theta_on_a_body_that_turns():
    """A moment -9 sin(angle) about its axis: an angle of 2 at rest, as a pendulum; the quaternion between is a unit."""
    body = nsd.RigidBody("body", mass=1, inertia=sp.eye(3))
    p = body.quaternion
    hold = nsd.OutputRelation(
        "hold", lam, [lam[0] + 18 * p[0] * p[1]], {body: [0, 0, 0, lam[0], 0, 0]}, nsd.Equality(), units=["N m"]
    )
    truth = solve_ivp(lambda _, s: [s[1], -9 * np.sin(s[0])], [0, 1], [2, 0], rtol=1e-12, atol=1e-12).y[1, -1]
    for place, expected in (("theta", 2), ("end", 1)):
        model = nsd.Model(
            "m",
            [body],
            [hold],
            scheme=nsd.MoreauJean(relation_at=place),
            step=0.02,
            end=1,
            initial={body.position: [0, 0, 0], p: nsd.from_axis_angle([1, 0, 0], 2)},
        ).compile()
        errors = [abs(model.run(step=h)["angular_velocity"][-1, 0] - truth) for h in (0.02, 0.01, 0.005)]
        assert np.log2(errors[1] / errors[2]) == pytest.approx(expected, abs=0.2)


def test_schemes_side_by_side_give_what_they_give_alone():
    """Five integrators in one model, each system under its own, one step of all at a time."""
    schemes = [nsd.MoreauJean(), nsd.SchatzmanPaoli(), nsd.D1Minus(), nsd.Rattle(), nsd.GeneralisedAlpha()]
    coordinates = dynamicsymbols("c:5")
    systems = [
        nsd.LagrangianSystem(f"s{i}", [c], kinetic=c.diff() ** 2 / 2, potential=10 * c)
        for i, c in enumerate(coordinates)
    ]
    floors = [nsd.Contact(f"floor {i}", gap=c, law=nsd.NewtonImpact(0.8)) for i, c in enumerate(coordinates[:4])]
    together = nsd.Model(
        "all",
        systems,
        floors,
        scheme=dict(zip(systems, schemes, strict=True)),
        step=1e-3,
        end=1,
        initial=dict.fromkeys(coordinates, 1),
    ).run()
    for i, (system, scheme, c) in enumerate(zip(systems, schemes, coordinates, strict=True)):
        alone = nsd.Model("one", [system], floors[i : i + 1], scheme=scheme, step=1e-3, end=1, initial={c: 1}).run()
        assert (together[f"s{i}.c{i}"] == alone[f"s{i}.c{i}"]).all()
