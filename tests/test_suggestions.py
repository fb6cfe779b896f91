"""Names that do not exist: the error says which do and which is near, and tools still see Python's own kinds."""

from __future__ import annotations

import inspect

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ArgumentError, NsdgenError, UnknownName

z = dynamicsymbols("z")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Runge", "schemes: D1Minus, EventDriven, "),
        ("Hysteresis", "laws: Box, Complementarity, "),
        ("moreaujean", "did you mean 'MoreauJean'"),
        ("LagrangeSystem", "did you mean 'LagrangianSystem'"),
        ("NewtonImpactFriktion", "did you mean 'NewtonImpactFriction'"),
        ("solver", "did you mean 'solvers'"),
    ],
)
def test_an_absent_name_of_nsdgen(name, said):
    with pytest.raises(UnknownName, match="module 'nsdgen' has no attribute") as caught:
        getattr(nsd, name)
    assert said in str(caught.value)
    assert not hasattr(nsd, name)
    assert getattr(nsd, name, None) is None


@pytest.mark.parametrize(
    ("module", "name", "near"),
    [
        ("solvers", "solve_lpc", "solve_lcp"),
        ("study", "Trajektory", "Trajectory"),
        ("verify", "Equals", "Equal"),
        ("schemes", "x", None),
        ("symbolic", "x", None),
    ],
)
def test_an_absent_name_of_a_module(module, name, near):
    with pytest.raises(AttributeError, match="has no attribute") as caught:
        getattr(getattr(nsd, module), name)
    assert near is None or f"did you mean {near!r}" in str(caught.value)


@pytest.mark.parametrize("name", ["__wrapped__", "__path_of__", "_repr_html_"])
def test_names_that_tools_ask_for_cost_no_search(name):
    with pytest.raises(AttributeError) as caught:
        getattr(nsd.solvers, name)
    assert type(caught.value) is AttributeError


PUBLIC = [getattr(nsd, name) for name in nsd.__all__ if not name.startswith("_")]
CALLED = [
    c
    for c in PUBLIC
    if callable(c)
    and c.__module__.startswith(("nsdgen.symbolic", "nsdgen.schemes", "nsdgen.model"))
    and c.__name__ not in ("let", "mod", "piecewise", "depends_on", "from_axis_angle")
]


@pytest.mark.parametrize("constructor", CALLED, ids=lambda c: c.__name__)
def test_every_public_constructor_explains_its_arguments(constructor):
    first = next(iter(inspect.signature(constructor).parameters), "")
    with pytest.raises(ArgumentError, match=f"{constructor.__name__}: takes no argument '{first}x'") as caught:
        constructor(**{f"{first}x": 1})
    assert not first or f"did you mean {first!r}" in caught.value.fix
    assert f"it is called as {constructor.__name__}({first}" in caught.value.fix
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, NsdgenError)


@pytest.mark.parametrize(
    ("call", "near"),
    [
        (lambda: nsd.MoreauJean(tehta=0.5), "theta"),
        (lambda: nsd.LagrangianSystem("b", [z], kinetc=z.diff() ** 2), "kinetic"),
        (lambda: nsd.Newton(tolerence=1e-9), "tolerance"),
        (lambda: nsd.Projection(max_iteration=3), "max_iterations"),
        (lambda: nsd.Contact("c", z, nsd.NewtonImpact(resitution=0.5)), "restitution"),
        (lambda: nsd.Bilateral("c", constrain=z), "constraint"),
    ],
)
def test_typing_errors_in_arguments(call, near):
    with pytest.raises(ArgumentError, match=f"did you mean '{near}'"):
        call()


def test_arguments_that_are_missing_or_too_many():
    with pytest.raises(ArgumentError, match=r"(?s)missing a required.*'coordinates'.*LagrangianSystem\(name, coord"):
        nsd.LagrangianSystem("b")
    with pytest.raises(ArgumentError, match=r"(?s)too many positional.*called as Newton"):
        nsd.Newton(*range(20))


def test_an_option_of_a_run_that_does_not_exist():
    ball = nsd.LagrangianSystem("ball", [z], mass=[[1]], external=[-9.81])
    model = nsd.Model("ball", [ball], scheme=nsd.MoreauJean(), step=0.1, end=0.2, initial={z: 1.0})
    with pytest.raises(ArgumentError, match="did you mean 'parameters'"):
        model.run(paramters={})
    with pytest.raises(ArgumentError, match=r"it belongs to nsd\.Model\(\.\.\., allow_penetration=\.\.\.\)"):
        model.run(allow_penetration=True)


@pytest.mark.parametrize("given", [{"velocity": 3}, {"level": 1, "sped": 2}])
@pytest.mark.parametrize("method", ["motor", "spring", "friction", "limits"])
def test_what_is_added_to_a_joint_says_how_it_is_called(method, given):
    hinge = nsd.Revolute("hinge", nsd.Marker(nsd.RigidBody("rod", 1, sp.eye(3))), nsd.Marker())
    with pytest.raises(ArgumentError, match=rf"(?s){method}: takes no argument .*called as {method}\("):
        getattr(hinge, method)(**given)


def test_runs_of_models_and_worlds_say_how_they_are_called():
    body = nsd.RigidBody("rod", 1, sp.eye(3))
    model = nsd.Model("m", [body], scheme=nsd.MoreauJean(), step=1e-3, end=0.01, initial={body.position: [0, 0, 1]})
    with pytest.raises(ArgumentError, match=r"(?s)run: too many positional .*called as run\(initial="):
        model.run(10)
    with pytest.raises(ArgumentError, match="did you mean 'position'"):
        nsd.World().add(nsd.solids.Sphere(1), postion=[0, 0, 1])


def test_a_type_error_of_the_callers_own_passes_through():
    class Odd:
        def __iter__(self):
            raise TypeError("mine")

    with pytest.raises(TypeError, match="mine") as caught:
        nsd.multipliers("lam", Odd().__iter__())
    assert not isinstance(caught.value, ArgumentError)


def test_constructors_keep_their_signatures():
    assert list(inspect.signature(nsd.Newton).parameters)[:2] == ["tolerance", "max_iterations"]
    assert "kinetic" in inspect.signature(nsd.LagrangianSystem).parameters
