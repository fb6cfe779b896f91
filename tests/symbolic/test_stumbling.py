"""What strangers stumbled over in their first ten minutes: each works, or says what to write."""

import warnings

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ArgumentError, ModelError, ModelWarning, NotConverged, ParameterError, SolverError
from nsdgen.study.events import Event, Events

x = dynamicsymbols("x")
R, u, other = sp.symbols("R u other")


def model(rhs=-x, relations=(), **more):
    plant = nsd.FirstOrderSystem("plant", [x], [rhs])
    options = {"initial": {x: 1}, **more}
    return nsd.Model("model", [plant], list(relations), scheme=nsd.ThetaGamma(), step=1e-2, end=0.1, **options)


def block(**more):
    return nsd.Sampled("block", 0.1, samples={"a": x}, **more)


def test_multipliers_are_a_column():
    lam = nsd.multipliers("lam", 2)
    B = sp.Matrix([[1, 2], [3, 4]])
    assert B * lam == sp.Matrix([lam[0] + 2 * lam[1], 3 * lam[0] + 4 * lam[1]])
    assert R * lam == sp.Matrix([R * lam[0], R * lam[1]]) and lam / R == lam * (1 / R)
    assert 2 * nsd.multipliers("i", 1) == sp.Matrix([2 * nsd.multipliers("i", 1)[0]])  # a list would be twice as long
    assert (np.eye(2) @ lam).shape == (2, 1) and [*lam] == [lam[0], lam[1]]


def test_multipliers_by_matrices_make_a_relation():
    lam = nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x], [sp.sin(20 * nsd.time)])
    stop = nsd.FirstOrderRelation("stop", lam, [x], {plant: sp.eye(1) * lam}, nsd.Complementarity())
    run = nsd.Model("m", [plant], [stop], scheme=nsd.ThetaGamma(), step=1e-3, end=1, initial={x: 0.05}).run()
    assert run["x"].min() > -1e-9


def test_a_sample_that_is_not_taken():
    with pytest.raises(ModelError, match="sample/b: nobody's symbol") as refused:
        model(u, blocks=[block(holds={u: nsd.sampled("b")})])
    assert "samples={'b': ...}" in refused.value.fix
    with pytest.raises(ModelError, match="relation 'block', guard: sample/b"):
        model(u, blocks=[block(holds={u: 1}, guard=nsd.sampled("b") > 0)])


def test_keys_that_are_text():
    with pytest.raises(ModelError, match="the key 'x' is a text") as refused:
        model(initial={"x": 1})
    assert "{x: 1}" in refused.value.fix


def test_points_out_of_order_are_named():
    with pytest.raises(ModelError, match=r"the points \(2, 1\) and \(1, 2\) are out of order"):
        nsd.PiecewiseLinear([(0, 0), (2, 1), (1, 2)])


def test_an_output_without_matrices():
    with pytest.raises(ModelError, match="has no output 'y'") as refused:
        nsd.LinearSystem("s", A=[[0]], B=[[1]], inputs=["u"]).output("y")
    assert "wants C" in refused.value.fix


def test_limits_by_parameters_in_wrong_order():
    arm = nsd.RigidBody("arm", mass=1, inertia=sp.eye(3))
    pin = nsd.Revolute("pin", nsd.Marker(arm), nsd.Marker())
    with pytest.warns(ModelWarning, match="the lower limit lies above the upper one"):
        nsd.Model(
            "m",
            [arm],
            [pin, pin.limits(u, -u)],
            scheme=nsd.Rattle(),
            step=1e-3,
            end=1,
            parameters={u: 1},
            initial={arm.position: [0, 0, 0]},
        )


def test_what_nothing_reads_is_said():
    with pytest.warns(ModelWarning, match="nothing of the model reads other$"):
        model(R * x, parameters={other: 1, R: 2})
    for of, said in (
        (block(holds={u: nsd.sampled("a")}), "block.u"),
        (nsd.Latch("latch", u, on=x > 1, off=x < 0), "latch.u"),
        (nsd.Pulses("pulses", 1, 0.5), "pulses_on.pulses_rises, pulses_off.pulses_falls"),
        (nsd.Ramp("ramp", 1), "ramp.ramp_fell, ramp.ramp_length"),
    ):
        with pytest.warns(ModelWarning, match=f"nothing of the model reads {said}$"):
            model(blocks=[of])


def test_what_is_read_is_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        count = sp.Symbol("count")
        own = block(holds={u: R * nsd.sampled("a")}, state=[count], update={count: count + 1})
        model(u, blocks=[own], parameters={R: 1})
        lam = nsd.multipliers("lam", 1)
        plant = nsd.FirstOrderSystem("plant", [x], [1])
        bounded = nsd.FirstOrderRelation("r", lam, [x], {plant: lam}, nsd.Relay(other))
        nsd.Model(
            "m",
            [plant],
            [bounded],
            scheme=nsd.ThetaGamma(),
            step=1e-2,
            end=1,
            initial={x: 0},
            parameters={other: nsd.Parameter(1)},
        )


@pytest.mark.filterwarnings("ignore::sympy.utilities.exceptions.SymPyDeprecationWarning")
def test_a_condition_is_no_number():
    with pytest.raises(ModelError, match="is not a matrix of expressions") as refused:
        model([x > 0])
    assert "nsd.piecewise((1, condition), (0, True))" in refused.value.fix


def test_a_sample_called_like_its_state_leaves_the_short_name_to_the_state():
    named = nsd.Sampled("block", 0.1, samples={"x": x}, holds={u: -nsd.sampled("x")})
    run = model(u, blocks=[named]).run()
    np.testing.assert_array_equal(run["x"], run["plant.x"])
    assert run["block.x"][5] != run["x"][5]


def test_a_level_by_a_parameter_is_called_negative():
    i = nsd.multipliers("i", 1)
    plant = nsd.FirstOrderSystem("plant", [x], [1])
    rubs = nsd.FirstOrderRelation("rubs", i, [x], {plant: -i}, nsd.Relay(R))
    made = nsd.Model("m", [plant], [rubs], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={x: 1}, parameters={R: -2})
    with pytest.raises(ParameterError, match=r"\[2, -2\] of bounded row 0 \(the level -2 is negative\) is empty"):
        made.run()


def test_levels_that_are_negative_by_their_numbers():
    arm = nsd.RigidBody("arm", mass=1, inertia=sp.eye(3))
    pin = nsd.Revolute("pin", nsd.Marker(arm), nsd.Marker())
    for make in (lambda: nsd.Relay(-1), lambda: pin.friction(-1)):
        with pytest.raises(ModelError, match="the level -1 is negative") as refused:
            make()
        assert "for the other sign change that of the reaction" in refused.value.fix


@pytest.mark.parametrize("assumption", ["real", "positive"])
def test_a_time_of_ones_own(assumption):
    with pytest.raises(ModelError, match="t: nobody's symbol") as refused:
        model(sp.Symbol("t", **{assumption: True}))
    assert "time is nsd.time" in refused.value.fix


@pytest.mark.parametrize(
    ("law", "at"), [(nsd.Complementarity(), "end"), (nsd.Equality(), "end"), (nsd.Complementarity(), "gamma")]
)
def test_a_reaction_of_the_start_alone_is_told_where_nothing_else_solves_the_output(law, at):
    lam = nsd.multipliers("lam", 1)
    plant = nsd.FirstOrderSystem("plant", [x], [-1])
    stop = nsd.FirstOrderRelation("stop", lam, [x], {plant: lam}, law)
    scheme = nsd.ThetaGamma(gamma=0, relation_at=at)
    with pytest.raises(SolverError) as refused:
        nsd.Model("m", [plant], [stop], scheme=scheme, step=0.01, end=2, initial={x: 1}).run()
    assert "act at the start of a step alone" in refused.value.fix and "have them act at its end" in refused.value.fix
    assert "diode" not in refused.value.fix


def test_many_switches_are_not_told_of_rest():
    """rest_rate ends impacts that accumulate; the relays of this spiral switch without end before 2 s."""
    y = dynamicsymbols("y")
    lam = nsd.multipliers("lam", 2)
    plant = nsd.FirstOrderSystem("plant", [x, y], [0, 0])
    spiral = nsd.FirstOrderRelation(
        "spiral", lam, [x, y], {plant: [lam[0] - 2 * lam[1], 2 * lam[0] + lam[1]]}, nsd.Relay(1)
    )
    scheme = nsd.EventDriven(most_events=2)
    made = nsd.Model("m", [plant], [spiral], scheme=scheme, step=1, end=3, initial={x: 1, y: 0.5})
    with pytest.raises(NotConverged, match="more than 2 events") as refused:
        made.run()
    assert "rest_rate" not in refused.value.fix and "raise most_events" in refused.value.fix


def test_the_rate_of_a_point_of_a_body_names_its_velocities():
    """d/dt of a place holds derivatives of its quaternion; the message had asked for a system named Derivative(body."""
    body = nsd.RigidBody("body", 1, sp.eye(3))
    corner = body.point([1, 0, 0]).position
    law = nsd.NewtonImpactFriction(0, 0.3)
    touch = nsd.Contact("touch", corner[2], law, tangent=[corner[0].diff(nsd.time), corner[1].diff(nsd.time)])
    with pytest.raises(ModelError, match="nobody's symbols") as refused:
        nsd.Model(
            "m", [body], [touch], scheme=nsd.Rattle(), step=0.1, end=1, initial={body.position: [0, 0, 1]}
        ).derive()
    assert "body.velocity" in refused.value.fix and "point=" in refused.value.fix


def test_a_relation_that_acts_on_nothing_is_said():
    x, lam = dynamicsymbols("x lam")
    cart = nsd.FirstOrderSystem("cart", [x], [1])

    def run(reaction):
        ramp = nsd.OutputRelation("ramp", lam, lam - x, reaction, nsd.Complementarity())
        model = nsd.Model("m", [cart], [ramp], scheme=nsd.ThetaGamma(), step=0.1, end=0.3, initial={x: 0})
        return model.compile(interpret=True).run()

    with pytest.warns(ModelWarning, match="'ramp': its reaction is empty, so that it acts on no system"):
        assert run({})["lam"] == pytest.approx([0, 0.1, 0.2, 0.3])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        run({cart: [0]})


def test_multipliers_that_nothing_holds_are_said():
    """A reaction of numbers alone pushed all the time, whatever the law said, without a word."""
    lam = nsd.multipliers("lam", 1)
    cart = nsd.FirstOrderSystem("cart", [x], [1])
    told = nsd.OutputRelation("told", lam, [x], {cart: [1]}, nsd.Relay(1))
    with pytest.warns(ModelWarning, match="'told': neither its reaction nor its output holds lam0, so that its law"):
        nsd.Model("m", [cart], [told], scheme=nsd.ThetaGamma(), step=0.1, end=0.3, initial={x: 0})


@pytest.mark.parametrize("count", [0, -1, 1.5, "2", None])
def test_a_count_of_multipliers(count):
    with pytest.raises(ParameterError, match=r"multipliers, count(.|\n)*give a whole number"):
        nsd.multipliers("lam", count)


def test_multipliers_that_are_text():
    """A text was taken letter by letter: three multipliers of 'lam'."""
    plant = nsd.FirstOrderSystem("plant", [x], [-x])
    with pytest.raises(ModelError, match=r"multipliers='lam' is text(.|\n)*nsd.multipliers\('lam', 1\)"):
        nsd.FirstOrderRelation("stop", "lam", [x], {plant: [0]}, nsd.Complementarity())


@pytest.mark.parametrize("call", [lambda m: m.run(initial=[1]), lambda m: m.assemble([1])])
def test_a_start_that_is_a_list(call):
    with pytest.raises(ModelError, match=r"initial is \[1\], not a mapping"):
        call(model())


@pytest.mark.parametrize("study", [lambda m: nsd.sweep(m, {R: [1]}), lambda m: nsd.periodic_orbit(m, 1)])
def test_a_file_name_in_place_of_a_model(study):
    with pytest.raises(ModelError, match=r"'model.py' is no model"):
        study("model.py")


@pytest.mark.parametrize("gap", [sp.Abs(x), x**2, sp.sqrt(x**2 + R**2), sp.Max(x, 0), sp.exp(x), 3 + sp.Abs(x) * x**4])
def test_a_gap_that_is_never_negative(gap):
    """A ball fell through |y| and y**2 without a word: nothing was ever entered."""
    with pytest.raises(ModelError, match=r"is never negative, so that nothing is kept apart(.|\n)*changes its sign"):
        nsd.Contact("floor", gap, nsd.NewtonImpact(0.5))
    nsd.Contact("floor", gap - R, nsd.NewtonImpact(0.5))


def test_what_stands_in_the_wrong_list():
    """It was told as an object at an address."""
    floor, pulses = nsd.Contact("floor", x, nsd.NewtonImpact(0)), nsd.Pulses("pulses", 0.1, 0.05)
    for kind, more in (
        ("Pulses 'pulses' is not a relation", {"relations": [pulses]}),
        ("FirstOrderSystem 'plant' is not a relation", {"relations": [nsd.FirstOrderSystem("plant", [x], [0])]}),
        ("Contact 'floor' is no block", {"blocks": [floor]}),
    ):
        with pytest.raises(ModelError, match=kind) as refused:
            model(**more).derive()
        assert "=[...]" in refused.value.fix
    with pytest.raises(ModelError, match="pulses_rises") as refused:
        model(rhs=pulses.pulse - x).derive()
    assert "blocks=[...]" in refused.value.fix


def test_one_law_mixed_a_sweep_over_a_name_and_a_body_for_a_marker():
    """Two were bare errors of Python, the third an object at an address."""
    assert nsd.Mixed(nsd.Equality()).parts == (nsd.Equality(),)
    with pytest.raises(ParameterError, match=r"over is 'x', not a mapping(.|\n)*over=\{parameter"):
        nsd.sweep(model(), over="x")
    body = nsd.RigidBody("body", 1, sp.eye(3))
    with pytest.raises(ModelError, match="RigidBody 'body' is no marker"):
        nsd.Revolute("hinge", body, nsd.Marker())


def test_an_integral_is_a_state():
    """It failed where code is emitted, with a tuple of symbols that nobody wrote."""
    with pytest.raises(ModelError, match=r"Integral(.|\n)*is not evaluated(.|\n)*a state of its own"):
        model(rhs=-sp.Integral(x, nsd.time)).derive()


def test_events_are_no_columns():
    events = Events([Event(0.5, "wall", "closes", 3, 4)])
    assert events[0].name == "wall" and events[-1:] == (events[0],)
    with pytest.raises(ArgumentError, match=r"'closes' is no index(.|\n)*e\.kind == 'closes'\](.|\n)*wall\.closes"):
        events["closes"]
    with pytest.raises(ArgumentError, match=r"e\.kind == 'closes' and e\.name == 'wall'"):
        events["wall.closes"]
