"""Ways to be silently wrong, or to stop for no reason, that the stepper must not have."""

from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NonFinite, NotConverged, ParameterError

x, y, z = dynamicsymbols("x y z")
m, e = sp.symbols("m e", positive=True)


def test_coupling_blocks_belong_to_the_rows_they_stand_in():
    """A relation whose reaction depends on each of two systems by itself leaves them separate groups.

    (Blocks that went to the first group wrote past its matrix where the second system is larger.)
    """
    ys = dynamicsymbols("y0:40")
    [lam] = nsd.multipliers("lam", 1)
    one = nsd.FirstOrderSystem("one", [x], [-x])
    many = nsd.FirstOrderSystem("many", list(ys), [-q for q in ys])
    sphere = nsd.FirstOrderRelation(
        "sum", [lam], [x + sum(ys) - 1], {one: [lam * x], many: [lam * q for q in ys]}, nsd.Equality()
    )
    run = nsd.Model(
        "split",
        [one, many],
        [sphere],
        scheme=nsd.ThetaGamma(theta=1.0),
        step=1e-2,
        end=0.1,
        initial={x: 0.1, **dict.fromkeys(ys, 0.0225)},
    ).run()
    total = run["one.x"] + sum(run[f"many.y{i}"] for i in range(40))
    np.testing.assert_allclose(total, 1.0, atol=1e-12)  # 41 terms of size 1/41


def test_separable_constraint_converges_as_fast_as_in_one_system():
    """sin q1 + sin q2 = 1 between two systems and within one: the same W, the same iterations."""

    def model(split):
        points = (
            [nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2) for n, q in (("a", x), ("b", y))]
            if split
            else [nsd.LagrangianSystem("ab", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2)]
        )
        return nsd.Model(
            f"sines {split}",
            points,
            [nsd.Bilateral("c", sp.sin(x) + sp.sin(y) - 1)],
            scheme=nsd.MoreauJean(),
            step=1e-2,
            end=1.0,
            initial={x: sp.pi / 6, y: sp.pi / 6, x.diff(): 1.0, y.diff(): -1.0},
        ).run()

    apart, together = model(True), model(False)
    np.testing.assert_array_equal(apart["newton_iterations"], together["newton_iterations"])
    np.testing.assert_allclose(apart["a.x"], together["ab.x"], atol=1e-12)


@pytest.mark.parametrize(
    "force", [x - x**3 - x.diff() / 5, -9.81 * sp.sin(x) + 3 * sp.cos(x) - 2 * x.diff(), -(x**3) - 9.81 - x.diff()]
)
def test_a_system_that_settles_keeps_converging(force):
    """At rest forces of size 1 cancel: what is left is their rounding, not an unconverged row."""
    system = nsd.LagrangianSystem("s", [x], mass=[[1]], external=[force])
    run = nsd.Model("settle", [system], scheme=nsd.MoreauJean(), step=1e-2, end=200.0, initial={x: 0.3}).run()
    assert abs(run["s.x_dot"][-1]) < 1e-6


def test_a_jump_is_not_affine():
    """x' = 1 - H(x - 1) / 2 has constant derivatives away from its jump; one iteration ended at 1.07."""
    system = nsd.FirstOrderSystem("s", [x], [1 - sp.Heaviside(x - 1) / 2])
    run = nsd.Model("jump", [system], scheme=nsd.ThetaGamma(theta=1.0), step=0.1, end=0.1, initial={x: 0.97}).run()
    assert run["s.x"][-1] == pytest.approx(0.97 + 0.1 * 0.5, abs=1e-14)
    sliding = nsd.FirstOrderSystem("s", [x], [-sp.sign(x)])
    with pytest.raises(NotConverged):  # a sliding mode is a relay's business, not a function's
        nsd.Model("chatter", [sliding], scheme=nsd.ThetaGamma(theta=1.0), step=0.1, end=1.0, initial={x: 0.33}).run()


def test_a_residual_that_is_not_a_number_is_never_accepted():
    system = nsd.FirstOrderSystem("s", [x, y], [-sp.sqrt(x), -y])
    model = nsd.Model("root", [system], scheme=nsd.ThetaGamma(theta=1.0), step=0.1, end=5.0, initial={x: 0.01, y: 1.0})
    with pytest.raises((NonFinite, NotConverged)) as caught:
        model.run()
    assert (caught.value.trajectory["s.x"] >= 0).all()


def test_an_overflow_on_the_way_is_retried_with_smaller_moves():
    """x' = 1e6 - exp(x): the first full step overflows; the solution is log(1e6 + ...)."""
    system = nsd.FirstOrderSystem("s", [x], [1e6 - sp.exp(x)])
    run = nsd.Model("boil", [system], scheme=nsd.ThetaGamma(theta=1.0), step=1.0, end=1.0, initial={x: 0.0}).run()
    value = run["s.x"][-1]
    assert value == pytest.approx(1e6 - np.exp(value), rel=1e-6)


def test_a_division_by_zero_is_not_called_singular():
    system = nsd.LagrangianSystem("s", [x], mass=[[1]], external=[1 / x])
    with pytest.raises(NonFinite, match="not finite"):
        nsd.Model("pole", [system], scheme=nsd.MoreauJean(), step=0.1, end=1.0, initial={x: 0.0}).run()


def test_laws_of_one_type_with_different_rows_are_different_classes():
    @dataclass(frozen=True)
    class Shifted(nsd.NewtonImpact):
        """Newton's law with a factor written into the rows."""

        factor: sp.Expr = sp.S.Zero

        def rows(self, rate, last_rate):
            return rate + self.factor * last_rate

    balls = [nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2, potential=10 * q) for n, q in (("a", x), ("b", y))]
    floors = [nsd.Contact("p", x, Shifted(0, sp.S.Zero)), nsd.Contact("q", y, Shifted(0, sp.Rational(9, 10)))]
    model = nsd.Model("laws", balls, floors, scheme=nsd.MoreauJean(), step=1e-2, end=1.0, initial={x: 0.3, y: 0.3})
    assert len(model.derive().record.relation_classes) == 2
    run = model.run()
    assert run["a.x_dot"].max() <= 1e-12
    assert run["b.y_dot"].max() > 1.0


def test_relations_of_one_class_may_be_under_different_schemes():
    balls = [nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2, potential=10 * q) for n, q in (("a", x), ("b", y))]
    floors = [nsd.Contact("p", x, nsd.NewtonImpact(0.5)), nsd.Contact("q", y, nsd.NewtonImpact(0.5))]
    schemes = {balls[0]: nsd.MoreauJean(), balls[1]: nsd.MoreauJean(activation="iterated")}
    settings = {"step": 1e-2, "end": 0.5}
    for order in (balls, balls[::-1]):
        run = nsd.Model("both", order, floors, scheme=schemes, initial={x: 0.3, y: 0.3}, **settings).run()
        for ball, name in zip(balls, ("a.x", "b.y"), strict=True):
            alone = nsd.Model(
                "alone",
                [ball],
                [floors[balls.index(ball)]],
                scheme=schemes[ball],
                initial={ball.coordinates[0]: 0.3},
                **settings,
            ).run()
            np.testing.assert_array_equal(run[name], alone[name])


def test_newton_options_belong_to_a_scheme_not_to_a_model():
    """Each scheme has stages with options of its own; schemes with the same stages share them."""
    balls = [
        nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2, potential=10 * q + sp.cos(5 * q))
        for n, q in (("a", x), ("b", y))
    ]
    floors = [nsd.Contact("p", x, nsd.NewtonImpact(0.5)), nsd.Contact("q", y, nsd.NewtonImpact(0.5))]
    exact, rough = (
        nsd.MoreauJean(theta=1),
        nsd.MoreauJean(newton=nsd.Newton(fixed_iterations=2), projection=nsd.Projection(level="all")),
    )
    settings = {"step": 1e-2, "end": 0.5}
    both = nsd.Model(
        "both", balls, floors, scheme={balls[0]: exact, balls[1]: rough}, initial={x: 0.3, y: 0.3}, **settings
    )
    stages = both.derive().record.stages
    assert [(s.name, s.schemes, s.fixed_iterations) for s in stages] == [
        ("velocity", (0,), None),
        ("velocity", (1,), 2),
        ("projection", (1,), 2),
    ]
    run = both.run()
    for i, scheme in enumerate((exact, rough)):
        alone = nsd.Model(
            "alone", [balls[i]], [floors[i]], scheme=scheme, initial={balls[i].coordinates[0]: 0.3}, **settings
        ).run()
        for name in alone.names[:-2]:
            np.testing.assert_array_equal(run[name], alone[name])
    shared = {balls[0]: nsd.MoreauJean(theta=1), balls[1]: nsd.MoreauJean(theta=0.5)}
    record = nsd.Model("shared", balls, floors, scheme=shared, initial={x: 0.3, y: 0.3}, **settings).derive().record
    assert [(s.name, s.schemes) for s in record.stages] == [("velocity", (0, 1))]


def test_fixed_iterations_with_activation_in_every_iteration():
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=10 * z + sp.cos(z))
    scheme = nsd.MoreauJean(activation="iterated", newton=nsd.Newton(fixed_iterations=3))
    run = nsd.Model(
        "fixed",
        [ball],
        [nsd.Contact("floor", z, nsd.NewtonImpact(0.5))],
        scheme=scheme,
        step=1e-2,
        end=2.0,
        initial={z: 1.0},
    ).run()
    np.testing.assert_array_equal(run["newton_iterations"][1:], 3)
    assert run["ball.z"].min() > -0.05


def test_a_bilateral_constraint_must_hold_at_the_start():
    system = nsd.LagrangianSystem("s", [z], mass=[[1]])
    settings = {"scheme": nsd.MoreauJean(), "step": 0.1, "end": 1.0, "initial": {z: 1.0}}
    with pytest.raises(ParameterError, match="relation 'pin': it is violated by 1 at the start"):
        nsd.Model("off", [system], [nsd.Bilateral("pin", z - 2)], **settings).run()
    nsd.Model("off", [system], [nsd.Bilateral("pin", z - 2)], allow_penetration=True, **settings).run()


def test_an_assumption_is_a_promise_that_values_must_keep():
    """sqrt(a^2) was simplified to a because a is positive: a = -2 would be wrong without a word."""
    a = sp.Symbol("a", positive=True)
    system = nsd.LagrangianSystem("s", [z], mass=[[1]], external=[sp.sqrt(a**2)])
    model = nsd.Model(
        "promise", [system], scheme=nsd.MoreauJean(), step=0.1, end=1.0, parameters={a: 1.0}, initial={z: 0.0}
    )
    with pytest.raises(ParameterError, match=r"-2.0 lies outside its range \[0"):
        model.run(parameters={"a": -2.0})


def test_two_columns_of_one_name_are_refused_before_the_run():
    lam = dynamicsymbols("output")
    system = nsd.FirstOrderSystem("s", [x], [0])
    relation = nsd.FirstOrderRelation("r", [lam], [x + lam], {system: [lam]}, nsd.Equality())
    with pytest.raises(ModelError, match=r"two recorded values are called 'r\.output'"):
        nsd.Model("twins", [system], [relation], scheme=nsd.ThetaGamma(), step=0.1, end=1.0, initial={x: 0.0}).compile()


def test_forces_added_after_a_run_count():
    body = nsd.RigidBody("b", mass=1, inertia=sp.eye(3))
    model = nsd.Model("late", [body], scheme=nsd.MoreauJean(), step=0.1, end=1.0, initial={body.position: [0, 0, 0]})
    assert model.run()["b.position"][-1, 0] == 0
    body.apply_force([2, 0, 0], at=[0, 0, 0])
    assert model.run()["b.position"][-1, 0] == pytest.approx(1.0, abs=1e-12)
    moved = model.run(initial={body.position: [5, 0, 0]})
    assert moved["b.position"][0, 0] == 5


@pytest.mark.parametrize("speed", [0.0, 5.0])
def test_reactions_of_one_joint_that_cancel_are_measured_by_their_terms(speed):
    """A hinge as one constraint of five rows moves as five constraints of one row do.

    Its reactions at two points cancel in the rows of rotation. These were measured beside |sum H lambda|, which
    is rounding there, and the first step never converged.
    """

    def swing(apart):
        bar = nsd.RigidBody("bar", 2.0, sp.diag(0.01, 0.17, 0.17)).apply_force([0, 0, -2 * 9.81])
        near, far = (bar.point([-0.5, side, 0]).position for side in (-0.1, 0.1))
        rows = [near[0], near[1] + sp.Rational(1, 10), near[2], far[0], far[2]]
        hinge = (
            [nsd.Bilateral(f"row {i}", row) for i, row in enumerate(rows)] if apart else [nsd.Bilateral("hinge", rows)]
        )
        return nsd.Model(
            "hinge",
            [bar],
            hinge,
            scheme=nsd.MoreauJean(),
            step=1e-3,
            end=0.5,
            initial={bar.position: [0.5, 0, 0], bar.angular_velocity: [0, speed, 0], bar.velocity: [0, 0, -speed / 2]},
        ).run()

    together, apart = swing(False), swing(True)
    assert together["newton_iterations"].max() <= 4
    for column in ("bar.position", "bar.angular_velocity"):
        np.testing.assert_allclose(together[column], apart[column], atol=1e-9)


def test_a_run_that_decays_to_nothing_goes_on(compiled):
    """Its numbers end on the grid of subnormal ones, where no residual is small beside its terms."""
    run = compiled("diode_bridge").run(initial={"oscillator.v": 1e-312}, end=0.05, every=1000)
    assert np.abs(run["oscillator.v"]).max() <= 1e-311


def test_steps_down_to_subnormal_states_end(compiled):
    """From 1e-280 the oscillation falls by e every 2 RC, below the smallest normal double at 0.13 s, and goes on."""
    run = compiled("diode_bridge").run(initial={"oscillator.v": 1e-280}, end=0.2, every=1000)
    size = np.abs(run["oscillator.v"])
    assert len(run) == 201
    assert size[:100].min() > 0.0 and size[150:].max() < 2.3e-308


@pytest.mark.slow
@pytest.mark.parametrize("generic", [False, True])
def test_two_million_steps_down_to_subnormal_states_end(compiled, generic):
    """The oscillation falls by e every 2 RC, below the smallest normal double at 1.43 s, and goes on from there."""
    run = compiled("diode_bridge").run(end=2.0, every=1000, generic=generic)
    size = np.abs(run["oscillator.v"])
    assert len(run) == 2001 and size[0] == 10.0
    assert size[:1300].min() > 0.0 and size[1450:].max() < 2.3e-308


@pytest.mark.parametrize("scheme", [nsd.MoreauJean(), nsd.EventDriven()])
@pytest.mark.parametrize("large", [0.0, 1e9])
def test_what_is_rounding_of_a_gap_is_told_by_what_it_lies_between(scheme, large):
    """Overlaps of 5 cm, at the start and by a block, were rounding where another system had a state of 1e9."""
    falls = nsd.LagrangianSystem("falls", [x], kinetic=x.diff() ** 2 / 2, potential=10 * x)
    other = nsd.LagrangianSystem("other", [y], kinetic=y.diff() ** 2 / 2)
    floor = nsd.Contact("floor", gap=x, law=nsd.NewtonImpact(0))
    sunk = nsd.Reset("sunk", nsd.time >= 0.5, {x: -0.05})
    given = {"scheme": scheme, "step": 0.125, "end": 1.0}
    systems = {"systems": [falls, other], "relations": [floor]}
    with pytest.raises(ParameterError, match=r"relation 'floor': the gap is -0\.05 at the start"):
        nsd.Model("start", **systems, **given, initial={x: -0.05, y: large}).run()
    with pytest.raises(NotConverged, match=r"relation 'floor': the gap is -0\.05 after what blocks have set"):
        nsd.Model("block", **systems, **given, initial={x: 9.0, y: large}, blocks=[sunk]).run()
