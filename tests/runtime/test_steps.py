"""The stepper on small models with known answers: sharing, coupling, redundancy, options."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

m1, m2, k, g, e, V = sp.symbols("m1 m2 k g e V", positive=True)
z, x1, x2 = dynamicsymbols("z x1 x2")
t = nsd.time


def mass_point(name, coordinate, mass, potential=0):
    return nsd.LagrangianSystem(name, [coordinate], kinetic=mass * coordinate.diff() ** 2 / 2, potential=potential)


def test_two_masses_collide_with_the_exact_velocities():
    """Newton's law for two bodies: momentum is kept, the relative velocity is reversed times e."""
    model = nsd.Model(
        "collision",
        [mass_point("left", x1, m1), mass_point("right", x2, m2)],
        [nsd.Contact("gap", x2 - x1, nsd.NewtonImpact(e))],
        scheme=nsd.MoreauJean(),
        step=1e-2,
        end=2.0,
        parameters={m1: 2.0, m2: 3.0, e: 0.5},
        initial={x1: 0.0, x2: 1.0, x1.diff(): 2.0, x2.diff(): -1.0},
    )
    assert len(model.derive().record.system_classes) == 1  # both masses share their kernels
    run = model.run()
    v = run["left.x1_dot"][-1], run["right.x2_dot"][-1]
    relative, momentum = -0.5 * 3.0, 2.0 * 2.0 - 3.0
    assert v == (
        pytest.approx((momentum + 3.0 * relative) / 5, abs=1e-14),
        pytest.approx((momentum - 2.0 * relative) / 5, abs=1e-14),
    )


def test_a_moving_floor_is_a_change_of_frame():
    """gap = z - V t has dh/dt = -V: seen from the floor, the motion is that over a fixed floor."""
    moving = nsd.Model(
        "moving",
        [mass_point("ball", z, m1, m1 * g * z)],
        [nsd.Contact("floor", z - V * t, nsd.NewtonImpact(e))],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=2.0,
        parameters={m1: 1.0, g: 9.81, e: 0.7, V: 0.5},
        initial={z: 0.5},
    )
    run = moving.run()
    fixed = moving.run(parameters={"V": 0.0}, initial={"ball.z_dot": -0.5})
    # Equal but for rounding, which four impacts amplify by little; positions are of size 1.
    np.testing.assert_allclose(run["ball.z"] - 0.5 * run.time, fixed["ball.z"], atol=1e-12)
    np.testing.assert_allclose(run["floor.impulse"], fixed["floor.impulse"], atol=1e-12)


def test_a_reaction_that_couples_two_systems_equals_one_big_system():
    """drho_i/dx_j joins both systems in one iteration matrix (a group)."""
    lam = nsd.multipliers("lam", 1)
    a, b = (nsd.FirstOrderSystem(name, [x], [0]) for name, x in (("a", x1), ("b", x2)))
    spring = nsd.FirstOrderRelation(
        "spring", lam, [lam[0]], {a: [k * (x2**3 - x1)], b: [k * (x1 - x2**3)]}, nsd.Equality()
    )
    scheme = nsd.ThetaGamma(theta=0.5, gamma=0.5, relation_at="gamma")
    settings = {"step": 0.01, "end": 1.0, "parameters": {k: 3.0}, "initial": {x1: 1.0, x2: 0.2}}
    split = nsd.Model("split", [a, b], [spring], scheme=scheme, **settings).run()
    whole = nsd.Model(
        "whole",
        [nsd.FirstOrderSystem("s", [x1, x2], [k * (x2**3 - x1), k * (x1 - x2**3)])],
        scheme=nsd.ThetaGamma(theta=0.5, rhs_at="theta"),
        **settings,
    ).run()
    # gamma = theta evaluates the same midpoint rule; Newton's tolerance is 1e-11 in each of 100 steps.
    np.testing.assert_allclose(split["a.x1"], whole["s.x1"], atol=1e-9)
    np.testing.assert_allclose(split["b.x2"], whole["s.x2"], atol=1e-9)


def test_consistent_redundant_constraints_share_their_multiplier():
    model = nsd.Model(
        "twice",
        [mass_point("ball", z, m1, m1 * g * z)],
        [nsd.Bilateral("first", z), nsd.Bilateral("second", 2 * z)],
        scheme=nsd.MoreauJean(),
        step=1e-2,
        end=0.1,
        parameters={m1: 1.0, g: 10.0},
        initial={z: 0.0},
    )
    run = model.run()
    # p1 + 2 p2 = m g h, least norm: (p1, p2) proportional to (1, 2).
    np.testing.assert_allclose(run["first.impulse"][1:], 0.1 / 5, rtol=1e-12)
    np.testing.assert_allclose(run["second.impulse"][1:], 0.2 / 5, rtol=1e-12)
    np.testing.assert_array_equal(run["rank_deficiency"][1:], 1)


def test_pendulum_as_a_constraint_equals_the_pendulum_in_one_angle():
    """x^2 + y^2 = l^2 at velocity level against theta'' = -g/l sin(theta): the drift is first order in h."""
    X, Y, angle = dynamicsymbols("X Y angle")
    l = sp.Symbol("l", positive=True)
    bob = nsd.LagrangianSystem("bob", [X, Y], kinetic=m1 * (X.diff() ** 2 + Y.diff() ** 2) / 2, potential=m1 * g * Y)
    settings = {"scheme": nsd.MoreauJean(), "step": 5e-4, "end": 1.0}
    values = {m1: 1.0, g: 9.81, l: 1.0}
    rod = nsd.Model(
        "rod",
        [bob],
        [nsd.Bilateral("rod", (X**2 + Y**2 - l**2) / 2)],
        parameters=values,
        initial={X: 1.0, Y: 0.0},
        **settings,
    )
    swing = nsd.LagrangianSystem(
        "swing", [angle], kinetic=m1 * l**2 * angle.diff() ** 2 / 2, potential=-m1 * g * l * sp.cos(angle)
    )
    free = nsd.Model("swing", [swing], parameters=values, initial={angle: sp.pi / 2}, **settings).run()
    exact = np.sin(free["swing.angle"])  # second order: its own error, (w h)^2 ~ 1e-6, does not show here
    errors = [
        np.abs(rod.run(step=h)["bob.X"] - exact[::stride]).max() for h, stride in ((2e-3, 4), (1e-3, 2), (5e-4, 1))
    ]
    np.testing.assert_allclose(np.log2(np.divide(errors[:-1], errors[1:])), 1.0, atol=0.1)
    assert errors[-1] < 5e-3


def test_scheme_options_and_values_change_without_compiling():
    model = nsd.Model(
        "decay",
        [nsd.FirstOrderSystem("s", [x1], [-k * x1])],
        scheme=nsd.ThetaGamma(theta=0.5),
        step=0.1,
        end=1.0,
        parameters={k: 2.0},
        initial={x1: 1.0},
    )
    compiled = model.compile()
    for theta, rate, h in ((0.5, 2.0, 0.1), (1.0, 2.0, 0.1), (0.0, 3.0, 0.05), (0.3, 1.0, 0.02)):
        run = compiled.run(options={"theta": theta}, parameters={"k": rate}, step=h)
        factor = (1 - h * (1 - theta) * rate) / (1 + h * theta * rate)
        np.testing.assert_allclose(run["s.x1"], factor ** np.arange(len(run)), rtol=1e-13)


def test_newton_counts_are_recorded_and_affine_steps_take_one():
    linear = nsd.Model(
        "decay",
        [nsd.FirstOrderSystem("s", [x1], [-k * x1])],
        scheme=nsd.ThetaGamma(),
        step=0.1,
        end=1.0,
        parameters={k: 2.0},
        initial={x1: 1.0},
    ).run()
    np.testing.assert_array_equal(linear["newton_iterations"][1:], 1)
    cubic = nsd.FirstOrderSystem("s", [x1], [-k * x1**3])
    fixed = nsd.Model(
        "cubic",
        [cubic],
        scheme=nsd.ThetaGamma(newton=nsd.Newton(fixed_iterations=4)),
        step=0.1,
        end=1.0,
        parameters={k: 2.0},
        initial={x1: 1.0},
    ).run()
    np.testing.assert_array_equal(fixed["newton_iterations"][1:], 4)
    free = nsd.Model(
        "cubic", [cubic], scheme=nsd.ThetaGamma(), step=0.1, end=1.0, parameters={k: 2.0}, initial={x1: 1.0}
    ).run()
    assert 2 <= free["newton_iterations"][1:].max() <= 6
    np.testing.assert_allclose(free["s.x1"], fixed["s.x1"], rtol=1e-9)


def test_a_damped_retry_finds_what_plain_newton_overshoots():
    """x + c atan(s x) type residuals make Newton's method diverge from far away; backtracking does not."""
    stiff = nsd.FirstOrderSystem("s", [x1], [-1e3 * sp.atan(50 * (x1 - 3))])
    settings = {"step": 1.0, "end": 1.0, "initial": {x1: 0.0}}
    run = nsd.Model("stiff", [stiff], scheme=nsd.ThetaGamma(theta=1.0), **settings).run()
    x = run["s.x1"][-1]
    assert x + 1e3 * np.arctan(50 * (x - 3)) == pytest.approx(0.0, abs=1e-6)
    never = nsd.ThetaGamma(theta=1.0, newton=nsd.Newton(line_search="never", max_iterations=20))
    with pytest.raises(nsd.errors.NotConverged):
        nsd.Model("stiff", [stiff], scheme=never, **settings).run()


def test_activation_within_newtons_method_catches_a_contact_in_its_own_step():
    """A plastic ball: with the iterated rule the step that would end under the floor already stops it."""

    def run(activation):
        model = nsd.Model(
            f"drop {activation}",
            [mass_point("ball", z, m1, m1 * g * z)],
            [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
            scheme=nsd.MoreauJean(activation=activation),
            step=1e-2,
            end=1.0,
            parameters={m1: 1.0, g: 10.0, e: 0.0},
            initial={z: 1.0},
        )
        return model.run()

    iterated, predicted = run("iterated"), run("predicted")
    hit = np.flatnonzero(iterated["floor.impulse"] > 0)[0]
    free = 1.0 - 5.0 * iterated.time**2  # exact in flight
    assert free[hit - 1] > 0 >= free[hit]  # the step of the impact is the one whose free end is under the floor
    assert hit <= np.flatnonzero(predicted["floor.impulse"] > 0)[0]
    assert iterated["ball.z_dot"][hit] == 0
    assert iterated["newton_iterations"][hit] <= 2
    np.testing.assert_array_equal(iterated["newton_iterations"][1:hit], 1)


def test_the_mass_matrix_may_depend_on_the_state():
    """M(x) x' = -x with M = 1 + x^2: the implicit step solved by hand with NumPy's roots."""
    system = nsd.FirstOrderSystem("s", [x1], [-x1], mass=[[1 + x1**2]])
    run = nsd.Model("mass", [system], scheme=nsd.ThetaGamma(theta=1.0), step=0.5, end=0.5, initial={x1: 1.0}).run()
    # (1 + x^2)(x - 1) + x / 2 = 0
    root = next(r.real for r in np.roots([1, -1, 1.5, -1]) if abs(r.imag) < 1e-12)
    assert run["s.x1"][-1] == pytest.approx(root, rel=1e-10)


def test_runs_are_repeatable_and_independent():
    model = nsd.Model(
        "decay",
        [nsd.FirstOrderSystem("s", [x1], [-k * x1])],
        scheme=nsd.ThetaGamma(),
        step=0.1,
        end=1.0,
        parameters={k: 2.0},
        initial={x1: 1.0},
    )
    compiled = model.compile()
    first = compiled.run()
    compiled.run(parameters={"k": 5.0}, step=0.01)
    np.testing.assert_array_equal(compiled.run().table, first.table)


def test_time_is_a_multiple_of_the_step_never_a_sum():
    model = nsd.Model(
        "clock", [nsd.FirstOrderSystem("s", [x1], [1])], scheme=nsd.ThetaGamma(), step=1e-4, end=1.0, initial={x1: 0.0}
    )
    run = model.run()
    np.testing.assert_array_equal(run.time, np.arange(10_001) * 1e-4)


def test_systems_under_different_schemes_share_a_simulation():
    """A projected ball and a circuit: two stages and one, each as if it were alone."""
    ball = mass_point("ball", z, m1, m1 * g * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(e))
    circuit = nsd.FirstOrderSystem("circuit", [x1], [-k * x1])
    moreau = nsd.MoreauJean(projection=nsd.Projection(tolerance=1e-10))
    settings = {"step": 1e-2, "end": 1.0}
    values = {m1: 1.0, g: 9.81, e: 0.5}
    both = nsd.Model(
        "both",
        [circuit, ball],
        [floor],
        scheme={ball: moreau, circuit: nsd.ThetaGamma(theta=1.0)},
        parameters={**values, k: 3.0},
        initial={x1: 1.0, z: 0.3},
        **settings,
    ).run()
    alone = nsd.Model("alone", [ball], [floor], scheme=moreau, parameters=values, initial={z: 0.3}, **settings).run()
    np.testing.assert_array_equal(both["ball.z"], alone["ball.z"])
    np.testing.assert_array_equal(both["floor.position_impulse"], alone["floor.position_impulse"])
    np.testing.assert_allclose(both["circuit.x1"], 1.03 ** -np.arange(101.0), rtol=1e-13)


def test_a_relation_between_systems_under_different_schemes_is_refused():
    left, right = mass_point("left", x1, m1), mass_point("right", x2, m2)
    model = nsd.Model(
        "mixed",
        [left, right],
        [nsd.Contact("gap", x2 - x1, nsd.NewtonImpact(e))],
        scheme={left: nsd.MoreauJean(theta=0.5), right: nsd.MoreauJean(theta=1.0)},
        step=1,
        end=2,
        parameters={m1: 1, m2: 1, e: 0},
        initial={x1: 0, x2: 1},
    )
    with pytest.raises(nsd.errors.ModelError, match="'gap': joins systems under different schemes"):
        model.derive()
