"""Text that reaches an expression is refused by name and never executed."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ArgumentError, ModelError, NsdgenError
from nsdgen.symbolic import vector_algebra as algebra
from nsdgen.symbolic.expressions.conversion import as_entries, as_expression
from nsdgen.verify import statement
from nsdgen.verify.assumptions import Equation, NonZero, Positive

PACKAGE = Path(nsd.__file__).parent
x, y = dynamicsymbols("x y")
m = sp.Symbol("m", positive=True)


class Spy:
    """Text that leaves a file behind where somebody executes it."""

    def __init__(self, folder: Path) -> None:
        self.trace = folder / "executed"
        self.text = f"__import__('pathlib').Path({str(self.trace)!r}).touch() or 1"

    def forms(self):
        return [
            self.text,
            [self.text],
            (self.text,),
            [[self.text]],
            np.array(self.text),
            np.array([self.text]),
            np.array([[self.text]], dtype=object),
            np.str_(self.text),
            self.text.encode(),
            {self.text},
        ]


@pytest.fixture
def spy(tmp_path):
    return Spy(tmp_path)


def body():
    return nsd.RigidBody("body", m, sp.eye(3))


def system(name="s", **terms):
    return nsd.LagrangianSystem(name, [x], kinetic=m * x.diff() ** 2 / 2, **terms)


def model(part, *relations, **given):
    return nsd.Model(
        "model",
        [part],
        relations,
        scheme=nsd.MoreauJean(),
        step=0.1,
        end=1,
        **{"parameters": {m: 1}, "initial": {x: 1}, **given},
    )


def contact(**given):
    return nsd.Contact("c", **{"gap": x, "law": nsd.Complementarity(), **given})


PLACES = {
    "as_expression": as_expression,
    "as_entries": as_entries,
    "potential": lambda v: model(system(potential=v)),
    "dissipation": lambda v: model(system(dissipation=v)),
    "kinetic": lambda v: model(nsd.LagrangianSystem("s", [x], kinetic=v)),
    "forces": lambda v: system(forces=v),
    "mass": lambda v: nsd.LagrangianSystem("s", [x], mass=v),
    "internal": lambda v: nsd.LagrangianSystem("s", [x], mass=[[m]], internal=v),
    "coordinates": lambda v: nsd.LagrangianSystem("s", v, kinetic=m),
    "rhs": lambda v: nsd.FirstOrderSystem("s", [x], rhs=v),
    "first order mass": lambda v: nsd.FirstOrderSystem("s", [x], rhs=[x], mass=v),
    "body mass": lambda v: nsd.RigidBody("b", v, sp.eye(3)),
    "body inertia": lambda v: nsd.RigidBody("b", m, v),
    "body inertia entry": lambda v: nsd.RigidBody("b", m, [[v, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "force": lambda v: body().apply_force(v),
    "force entry": lambda v: body().apply_force([0, 0, v]),
    "force at": lambda v: body().apply_force([0, 0, 1], at=[v, 0, 0]),
    "moment": lambda v: body().apply_moment([v, 0, 0]),
    "point": lambda v: body().point([0, v, 0]),
    "gap": lambda v: contact(gap=v),
    "tangent": lambda v: contact(tangent=v, law=nsd.NewtonImpactFriction(0, 0.1)),
    "frame": lambda v: contact(gap=body().position[2], frame=[v, 0, 1], bodies=(body(),), point=[0, 0, 0]),
    "contact point": lambda v: contact(
        gap=body().position[2], bodies=(body(),), point=[v, 0, 0], law=nsd.NewtonImpactFriction(0, 0.1)
    ),
    "sketch": lambda v: nsd.Sketch().point([v, 0]),
    "radius of a sketch": lambda v: nsd.Sketch().circle([0, 0], v),
    "place of a solid": lambda v: body().draw(nsd.solids.Sphere(1), at=[v, 0, 0]),
    "arguments": lambda v: contact(arguments={y: v}),
    "bilateral": lambda v: nsd.Bilateral("b", v),
    "velocity constraint": lambda v: nsd.VelocityConstraint("b", v),
    "rate force": lambda v: nsd.RateForce("f", v, nsd.Relay(1)),
    "column of one's own": lambda v: nsd.Observed("o", {"height": v}),
    "recorded output": lambda v: nsd.Model(
        "m", [body()], scheme=nsd.MoreauJean(), step=1, end=1, outputs={"height": nsd.OutputColumn(v, "m")}
    ),
    "force element": lambda v: nsd.ForceElement("f", x, v),
    "coupling": lambda v: nsd.Coupling("c", {body(): [v, 0, 0, 0, 0, 0]}),
    "marker": lambda v: nsd.Marker(body(), at=[v, 0, 0]),
    "axis of a marker": lambda v: nsd.Marker(body(), axis=[v, 0, 0]),
    "pin": lambda v: nsd.Spherical("j", nsd.Marker(body()), [v, 0, 0]),
    "length of a rod": lambda v: nsd.Distance("j", nsd.Marker(body()), [0, 0, 0], v),
    "lead": lambda v: nsd.Screw("j", nsd.Marker(body()), [0, 0, 0], v),
    "stiffness": lambda v: nsd.Spring("s", nsd.Marker(body()), [0, 0, 0], v),
    "mount": lambda v: nsd.Bushing("s", nsd.Marker(body()), [0, 0, 0], v),
    "wrench": lambda v: nsd.Wrench("s", nsd.Marker(body()), [0, 0, 0], [v, 0, 0]),
    "spring of a joint": lambda v: nsd.Revolute("j", nsd.Marker(body()), nsd.Marker()).spring(v),
    "limit of a joint": lambda v: nsd.Revolute("j", nsd.Marker(body()), nsd.Marker()).limits(v),
    "motor": lambda v: nsd.Revolute("j", nsd.Marker(body()), nsd.Marker()).motor(speed=v),
    "ratio": lambda v: nsd.Coupler("c", [(nsd.Revolute("j", nsd.Marker(body()), nsd.Marker()), v)]),
    "plane": lambda v: nsd.Plane("p", [0, v, 1]).frame,
    "plane offset": lambda v: nsd.Plane("p", [0, 0, 1], v).gap(body().position),
    "restitution": nsd.NewtonImpact,
    "friction": lambda v: nsd.NewtonImpactFriction(0, v).slots,
    "rolling": lambda v: nsd.NewtonImpactRollingFriction(0, 0, v).slots,
    "Fremond's restitution": nsd.FremondImpact,
    "Poisson's restitution": lambda v: nsd.PoissonImpact(v).slots,
    "Poisson's friction": lambda v: nsd.PoissonImpactFriction(0, v).slots,
    "stiffness of a contact": lambda v: nsd.MultipleImpact(0.5, v).slots,
    "drilling": lambda v: nsd.NewtonImpactTorsionalFriction(0, 0, v).slots,
    "patch": lambda v: nsd.NewtonImpactContensouFriction(0, 0.1, v).slots,
    "bearing": lambda v: nsd.Revolute("j", nsd.Marker(body()), nsd.Marker(), nsd.Bearing(v, 1)),
    "radius of a bearing": lambda v: nsd.Revolute("j", nsd.Marker(body()), nsd.Marker(), nsd.Bearing(0.1, v)),
    "length of a bearing": lambda v: nsd.Revolute("j", nsd.Marker(body()), nsd.Marker(), nsd.Bearing(0.1, 1, v)),
    "planar rolling": lambda v: nsd.NewtonImpactPlanarRolling(0, 0, v).slots,
    "box": lambda v: nsd.Box(v, 1),
    "box list": lambda v: nsd.Box([v], 1),
    "relay": nsd.Relay,
    "mass matrix": lambda v: nsd.LinearMechanicalSystem("s", v),
    "stiffness matrix": lambda v: nsd.LinearMechanicalSystem("s", [[1]], v),
    "method of Kane": lambda v: nsd.KaneSystem("s", v),
    "joint": lambda v: nsd.Mechanism("s", [v]),
    "end of a run": nsd.StopWhen,
    "matrix": lambda v: nsd.LinearSystem("s", v),
    "matrix entry": lambda v: nsd.LinearSystem("s", [[1, v], [0, 1]]),
    "input": lambda v: nsd.LinearSystem("s", [[1]], [[1]], inputs={"u": v}),
    "characteristic": lambda v: nsd.PiecewiseLinear([(0, v), (1, 1)]),
    "end slope": lambda v: nsd.PiecewiseLinear([(0, 0), (1, 1)], end_slopes=(v, 0)),
    "faces": lambda v: nsd.NormalCone(v, [1]),
    "offsets": lambda v: nsd.NormalCone([[1]], v),
    "bounds of axes": lambda v: nsd.NormalCone.of_box([[1]], v, 1),
    "output": lambda v: nsd.FirstOrderRelation("r", nsd.multipliers("lam", 1), v, {}, nsd.Equality()),
    "sample": lambda v: nsd.Sampled("s", 1, samples={"e": v}, holds={m: 1}),
    "held": lambda v: nsd.Sampled("s", 1, samples={}, holds={m: v}),
    "block output": lambda v: nsd.Sampled(
        "s", 1, samples={}, holds={m: 1}, multipliers=nsd.multipliers("lam", 1), output=v, law=nsd.Equality()
    ),
    "when": lambda v: nsd.Reset("r", v, {x: 1}),
    "reset": lambda v: nsd.Reset("r", x >= 1, {x: v}),
    "on": lambda v: nsd.Latch("l", m, on=v, off=x >= 1),
    "off": lambda v: nsd.Latch("l", m, on=x >= 1, off=v),
    "let": lambda v: nsd.let("a", v),
    "mod": lambda v: nsd.mod(v, 2),
    "piecewise": lambda v: nsd.piecewise((v, True)),
    "condition": lambda v: nsd.piecewise((1, v), (2, True)),
    "parameter": lambda v: model(system(), parameters={m: v}),
    "parameter key": lambda v: model(system(), parameters={m: 1, v: 1} if isinstance(v, str | bytes) else {m: v}),
    "Parameter": nsd.Parameter,
    "initial": lambda v: model(system(), initial={x: v}),
    "step": lambda v: nsd.Model("model", [system()], scheme=nsd.MoreauJean(), step=v, end=1),
    "theta": lambda v: nsd.MoreauJean(theta=v),
    "rtol": lambda v: nsd.EventDriven(rtol=v),
    "spectral radius": lambda v: nsd.GeneralisedAlpha(v),
    "copies": lambda v: system().copies(2, parameters={m: v}),
    "copies initial": lambda v: system().copies(2, initial={x: v}),
    "axis": lambda v: nsd.from_axis_angle([0, 0, v], 1),
    "angle": lambda v: nsd.from_axis_angle([0, 0, 1], v),
    "claim column": algebra.column,
    "claim derivative": lambda v: algebra.derivative(v, m),
    "claim rate": lambda v: algebra.time_derivative(v, [(m, 1)]),
    "claim skew": lambda v: algebra.skew([0, 0, v]),
    "claim equation": Equation,
    "claim sign": Positive,
    "claim nonzero": NonZero,
    "claim bound": lambda v: statement.IntegralEqual(m, m, x, v, m),
}


@pytest.mark.parametrize("place", PLACES)
def test_text_is_refused_by_name_and_not_executed(place, spy):
    for form in spy.forms():
        with pytest.raises(NsdgenError) as refused:
            PLACES[place](form)
        assert len(str(refused.value)) < 1200, "a page for one bad value"
        assert not spy.trace.exists(), f"{place} executed {form!r}"


def test_the_message_says_that_text_is_not_evaluated():
    with pytest.raises(ModelError, match=r"potential energy: 'k\*x' is text, which is never evaluated"):
        model(system(potential="k*x"))
    with pytest.raises(ModelError, match=r"system 's', forces: 'k\*x' is text"):
        system(forces=["k*x"])


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_claim_with_text_is_refused(side, spy):
    for form in spy.forms():
        sides = {"left": m, "right": m, side: form}
        with pytest.raises((NsdgenError, ArgumentError)):
            nsd.verify.decide(nsd.verify.Claim("c", statement.Equal(**sides)), budget=2)
        assert not spy.trace.exists()


def test_what_is_no_text_is_converted():
    from fractions import Fraction

    assert as_expression(Fraction(1, 3)) == sp.Rational(1, 3)
    assert as_expression(np.float64(0.5)) == 0.5 and as_expression(np.array(2)) == 2
    assert as_expression(True) is sp.true
    assert as_entries([[1, m], [m, 2]]) == [[1, m], [m, 2]]
    assert as_entries(np.ones((2, 1))) == [[1.0], [1.0]] and as_entries(sp.eye(2)) == [[1, 0], [0, 1]]
    assert as_entries([1, m]) == [[1], [m]] and as_entries(m) == [[m]]


def test_the_package_converts_in_one_place():
    """``sympify``, ``S(...)`` and SymPy's parsers execute text; only the one door calls the strict form of one."""
    pattern = re.compile(r"\bsympify\(|parse_expr|parse_latex|parse_mathematica|\bsp\.S\(|[^.\w]eval\(|[^.\w]exec\(")
    found = {}
    for file in sorted(PACKAGE.rglob("*.py*")):
        if file.suffix in (".py", ".pyx", ".pxi"):
            hits = [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if pattern.search(line)]
            found |= {str(file.relative_to(PACKAGE)): hits} if hits else {}
    allowed = {
        "symbolic/expressions/conversion.py": ["return sp.sympify(value, strict=True)"],
        "symbolic/expressions/nodes.py": ["def eval(cls, *args: Any) -> sp.Expr | None:"],  # SymPy's hook
        "cli/load.py": ["exec(code, module.__dict__)"],  # the model file itself
    }
    assert found == allowed


def test_every_public_call_takes_part():
    """A new family, law or function with expressions in it has to be listed above."""
    named = inspect.getsource(inspect.getmodule(test_every_public_call_takes_part))
    plain = {
        "sweep",
        "basins_of_attraction",
        "bifurcation_diagram",
        "chaos_test",
        "frequency_response",
        "lyapunov_exponents",
        "poincare_section",
        "periodic_orbit",
        "follow_orbit",
        "World",
        "Pulses",
        "Ramp",
        "read_urdf",
        "read_mjcf",
        "D1Minus",
        "Rattle",
        "Variational",
        "SchatzmanPaoli",
        "Cylindrical",
        "Fixed",
        "Planar",
        "Prismatic",
        "Universal",
        "Joint",
        "Complementarity",
        "Equality",
        "Mixed",
        "Newton",
        "Projection",
        "ThetaGamma",
        "ZeroOrderHold",
        "Trajectory",
        "depends_on",
        "time",
        "period",
        "recorded",
        "sampled",
        "step",
        "__version__",
        "OutputRelation",
        "contacts_between",
    }
    assert {n for n in nsd.__all__ if f"nsd.{n}" not in named} <= plain
