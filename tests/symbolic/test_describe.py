"""The description of a model: what is refused and how it is said, names, values and ranges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError
from nsdgen.symbolic.description.model_description import ModelDescription

m, g, e = sp.symbols("m g e", positive=True)
x, y, s = dynamicsymbols("x y s")
VALUES = {m: 1.0, g: 9.81, e: 0.5}


def ball(name: str = "ball", q: sp.Expr = x) -> nsd.LagrangianSystem:
    return nsd.LagrangianSystem(name, [q], kinetic=m * q.diff() ** 2 / 2, potential=m * g * q)


def tank(name: str = "tank", q: sp.Expr = s) -> nsd.FirstOrderSystem:
    return nsd.FirstOrderSystem(name, [q], [-q])


def describe(
    systems: Any = None, relations: Any = (), *, parameters: Any = None, initial: Any = None, scheme: Any = None
) -> ModelDescription:
    model = nsd.Model(
        "model",
        [ball()] if systems is None else systems,
        relations,
        scheme=scheme or nsd.MoreauJean(),
        step=0.1,
        end=1.0,
        parameters=VALUES if parameters is None else parameters,
        initial={x: 1.0} if initial is None else initial,
    )
    return model.description


def contact(gap: Any, **options: Any) -> nsd.Contact:
    return nsd.Contact("floor", gap, nsd.NewtonImpact(e), **options)


def relation(multipliers: Any, output: Any, reaction: Any) -> nsd.FirstOrderRelation:
    return nsd.FirstOrderRelation("valve", multipliers, output, reaction, nsd.Complementarity())


LAM = nsd.multipliers("lam", 1)
TANK, OTHER = tank(), tank("other", y)
TANKS = {"scheme": nsd.ThetaGamma(), "initial": {s: 0.0}}


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: describe([ball(), ball("twin")]), "x(t) belongs to 'ball' too"),
        (lambda: describe([ball("a b"), ball("a_b", y)]), "would both be 'a_b'"),
        (lambda: describe([ball("a"), ball("a", y)]), "two systems or relations are called 'a'"),
        (lambda: describe([ball("floor")], [contact(x)]), "two systems or relations are called 'floor'"),
        (
            lambda: describe(parameters={**VALUES, sp.Symbol("a b"): 1, sp.Symbol("a_b"): 2}),
            "parameter names 'a b' and",
        ),
        (lambda: describe(parameters={**VALUES, "k": 1}), "'k' is not a SymPy symbol"),
        (lambda: describe(parameters={**VALUES, sp.Symbol("x"): 1}), "'x' is both a coordinate and a parameter"),
        (lambda: describe(parameters={**VALUES, sp.Symbol("m"): 1}), "two parameters are called 'm'"),
        (lambda: describe(parameters={**VALUES, nsd.time: 1}), "'t' is the time of every model"),
        (lambda: describe([]), "has no systems"),
        (lambda: describe([contact(x)]), "is not a system"),
        (lambda: describe(relations=[ball("b", y)]), "is not a relation"),
        (lambda: describe(initial={}), "no initial value for x"),
        (lambda: describe(initial={x: 1, y: 2}), "y(t) is no coordinate, state or multiplier of this model"),
        (lambda: describe(initial={x.diff(): 1}), "no initial value for x"),
        (lambda: describe(initial={x: 1, m: 2}), "m is no coordinate, state or multiplier"),
        (lambda: describe(relations=[contact(x + x.diff())]), "the gap depends on velocities"),
        (lambda: describe(relations=[contact(m - 1)]), "involves no system of this model"),
        (lambda: describe(relations=[contact(y)]), "involves no system of this model"),
        (lambda: describe(relations=[contact(x - y)]), "y(t): nobody's symbol"),
        (lambda: describe(relations=[contact([x, 2 * x])]), "the gap has 2 rows, expected 1"),
        (lambda: describe(relations=[contact(x - m, arguments={m: 1})]), "m is both an argument and a parameter"),
        (lambda: describe(relations=[nsd.Contact("c", x, nsd.NewtonImpact(x))]), "x(t): nobody's symbol"),
        (lambda: describe(relations=[nsd.Contact("c", x, nsd.NewtonImpact)]), "is not a law"),
        (lambda: describe([TANK], [contact(s)], **TANKS), "not a mechanical system"),
        (lambda: describe([TANK], [relation(LAM, [LAM[0]], {OTHER: LAM})], **TANKS), "reacts on 'other'"),
        (lambda: describe([TANK], [relation(LAM, [LAM[0]], {ball(): LAM})], **TANKS), "not a first-order system"),
        (lambda: describe([TANK], [relation(LAM, [LAM[0]], [LAM[0]])], **TANKS), "reaction is not a mapping"),
        (lambda: describe([TANK], [relation(LAM, [s, s], {TANK: LAM})], **TANKS), "has shape 2x1, expected 1x1"),
        (
            lambda: describe([TANK], [relation([s], [s], {TANK: [s]})], **TANKS),
            "'s' is a multiplier and something else",
        ),
        (
            lambda: describe([TANK], [relation(LAM, LAM, {TANK: LAM})], parameters={sp.Symbol("lam0"): 1}, **TANKS),
            "'lam0' is a multiplier and something else",
        ),
        (lambda: nsd.LagrangianSystem("b", [x, x], mass=sp.eye(2)), "two functions of time called 'x'"),
        (
            lambda: nsd.LagrangianSystem("b", [x, dynamicsymbols("x", real=True)], mass=sp.eye(2)),
            "two functions of time",
        ),
        (lambda: nsd.LagrangianSystem("b", [x, dynamicsymbols("x_dot")], mass=sp.eye(2)), "called like a velocity"),
        (lambda: nsd.LagrangianSystem("b", [m], mass=[[1]]), "m is not a function of time"),
        (lambda: nsd.LagrangianSystem("b", [x]), "either a kinetic energy or a mass matrix"),
        (lambda: nsd.LagrangianSystem("b", [x], kinetic=0, external=[1]), "mixes energies"),
        (lambda: nsd.LagrangianSystem("b", [x], mass=[[1]], potential=x), "mixes a mass matrix"),
        (lambda: nsd.LagrangianSystem("b", [x], mass=sp.eye(2)), "has shape 2x2, expected 1x1"),
        (lambda: describe([nsd.LagrangianSystem("b", [x], kinetic=x.diff() ** 4)]), "not quadratic in the velocities"),
        (
            lambda: describe([nsd.LagrangianSystem("b", [x], kinetic=x.diff() ** 2, potential=x.diff())]),
            "potential energy",
        ),
        (
            lambda: describe([nsd.LagrangianSystem("b", [x], mass=[[1 + x.diff() ** 2]])]),
            "mass matrix depends on velocities",
        ),
        (lambda: nsd.RigidBody("b", m, [[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "the inertia is not symmetric"),
        (lambda: nsd.Plane("p", [0, 0, 0]).gap(sp.zeros(3, 1)), "the normal is zero"),
    ],
)
def test_what_is_refused(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(ModelError) as caught:
        make()
    assert says in str(caught.value)


def test_errors_name_model_place_and_remedy() -> None:
    with pytest.raises(ModelError) as caught:
        describe(relations=[contact(x + sp.Symbol("k"))])
    assert (caught.value.model, caught.value.where) == ("model", "relation 'floor', gap")
    assert "parameters" in caught.value.fix


def test_entries_of_matrices_are_named() -> None:
    system = nsd.LagrangianSystem("arm", [x, y], mass=[[1, 0], [0, sp.Symbol("k")]])
    with pytest.raises(ModelError, match=r"system 'arm', mass, entry \(1, 1\): k: nobody's symbol"):
        describe([system], initial={x: 0, y: 0})


# Values


def test_velocities_start_at_rest_unless_given() -> None:
    assert describe().systems[0].initial == (1.0, 0.0)
    assert describe(initial={x: 1, x.diff(): sp.Rational(1, 2)}).systems[0].initial == (1.0, 0.5)
    assert describe().initial_names == (("x", "x_dot"),)


def body_values(**given: Any) -> tuple[float, ...]:
    body = nsd.RigidBody("body", m, sp.eye(3))
    initial = {getattr(body, key): value for key, value in given.items()}
    return describe([body], initial=initial).systems[0].initial


def test_initial_values_of_a_body() -> None:
    """Vectors by name; the identity and rest unless given."""
    assert body_values(position=[1, 2, 3]) == (1, 2, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    spinning = body_values(position=[0, 0, 0], quaternion=[0.6, 0, 0.8, 0], angular_velocity=sp.Matrix([4, 5, 6]))
    assert spinning == (0, 0, 0, 0.6, 0, 0.8, 0, 0, 0, 0, 4, 5, 6)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "no initial position"),
        ({"position": [0, 0]}, "has 2 components, expected 3"),
        ({"position": [0, 0, 0], "quaternion": [1, 1, 0, 0]}, "norm 1.414"),
    ],
)
def test_unusable_initial_values_of_a_body(given: Any, says: str) -> None:
    with pytest.raises(ModelError, match=says):
        body_values(**given)


def test_parameters_with_units_and_ranges() -> None:
    given = {m: nsd.Parameter(2.0, "kg", min=0.5, max=4), g: sp.Rational(1, 4), e: 1}
    found = {s.name: p for s, p in describe(parameters=given).parameters.items()}
    assert (found["m"].value, found["m"].unit, found["m"].min, found["m"].max) == (2.0, "kg", 0.5, 4)
    assert (found["g"].value, found["e"].value) == (0.25, 1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: nsd.Parameter(2.0, min=3.0),
        lambda: nsd.Parameter(2.0, max=1.0),
        lambda: nsd.Parameter(float("nan")),
        *(lambda value=value: describe(parameters={**VALUES, m: value}) for value in ("heavy", g, float("inf"))),
    ],
)
def test_unusable_parameters(wrong: Callable[[], Any]) -> None:
    with pytest.raises(ParameterError):
        wrong()


# Names


AWKWARD = ("h", "theta", "t_k", "t_next", "lambda", "I", "in", "T", "mode", "impulse", "E", "N", "unknown", "x_k")


def test_parameters_may_be_called_like_anything() -> None:
    """Names of nsdgen's own symbols, of SymPy's constants and of keywords: each enters only where the user put it."""
    symbols = [sp.Symbol(name) for name in AWKWARD]

    def force(names: Any, position: sp.Expr) -> sp.Expr:
        return sum((i + 2) * name for i, name in enumerate(names)) - names[0] * position

    system = nsd.LagrangianSystem("ball", [x], mass=[[sp.Symbol("theta")]], external=[force(symbols, x)])
    model = nsd.Model(
        "awkward",
        [system],
        [nsd.Contact("in", x - sp.Symbol("T"), nsd.NewtonImpact(sp.Symbol("I")))],
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=1.0,
        parameters={s: i / 20 for i, s in enumerate(symbols)},
        initial={x: 1.0},
    )
    cls = model.description.system_classes[0]
    assert [p.name for p in cls.parameters] == list(AWKWARD)
    assert cls.terms["force"].values[0] == force(cls.parameters, cls.group("q")[0])
    names = [a.symbols for k in model.derive().module.classes[0].kernels if k.name == "linearize" for a in k.inputs]
    flat = [s for group in names for s in group]
    assert len(set(flat)) == len(flat) and {"h", "run/h", "theta", "run/theta"} <= {s.name for s in flat}


def test_coordinates_that_look_like_last_values() -> None:
    """x and x_k are two coordinates; the last value of x is a third symbol, also with two participants."""
    x_k = dynamicsymbols("x_k")
    pair = nsd.LagrangianSystem("pair", [x, x_k], mass=sp.eye(2), external=[x_k, 0])
    model = nsd.Model(
        "names",
        [pair, ball("ball", y)],
        [nsd.Contact("touch", x * x_k - y, nsd.Complementarity())],
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=1.0,
        parameters={m: 1, g: 1},
        initial={x: 0, x_k: 0, y: 0},
    )
    for cls in model.derive().module.classes:
        for k in cls.kernels:
            flat = [s for a in k.inputs for s in a.symbols]
            assert len(set(flat)) == len(flat), k.name


def test_the_record_has_the_order_of_the_model() -> None:
    found = describe(relations=[contact(x)])
    assert [(s.name, p.value) for s, p in found.parameters.items()] == [("m", 1.0), ("g", 9.81), ("e", 0.5)]
    assert [str(a.value) for a in found.systems[0].arguments] == ["m", "g"]
    assert (found.relations[0].participants, [str(a.value) for a in found.relations[0].arguments]) == ((0,), ["e"])
