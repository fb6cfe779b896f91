"""What a model says about each operator of the platform: matrices over the symbols of its derived operators.

The platform writes M v' = F_ext(t) - F_int(t, q, v) - F_gyr(q, v). A model that gives these terms is taken at its word.
Of one that gives energies, F_gyr is what the kinetic energy yields; the rest is internal, and the terms of it that
depend on neither q nor v may as well be called external: both readings are offered. Rigid bodies are read the same way,
M v' = F_ext - F_int, I Omega' + Omega x I Omega = M_ext - M_int.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from nsdgen.base.operator_group import OperatorGroup
from nsdgen.derive.derived_operators import SymbolicOperator
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.verify.foreign.conventions import CONVENTIONS

if TYPE_CHECKING:
    from nsdgen.model.model import Model


@dataclass(frozen=True)
class PlatformOperator:
    """A truth for plugins of one convention: ``matrix`` over ``arguments`` (by the platform's names) and parameters."""

    instance: str
    convention: str
    matrix: sp.Matrix
    arguments: Mapping[str, tuple[sp.Symbol, ...]]
    parameters: Mapping[sp.Symbol, float]
    note: str = ""

    @property
    def operator(self) -> str:
        """The operator without its class: ``jachq``."""
        return self.convention.partition(".")[2]

    @property
    def label(self) -> str:
        """Instance and convention, as matches name them."""
        return f"{self.instance}: {self.convention}"


def platform_operators(model: Model) -> list[PlatformOperator]:
    """All operators of the platform that the systems and relations of a model have, in its order."""
    given: dict[str, Any] = {getattr(s, "name", ""): s for s in model.systems}
    described = model.description
    names = [*(s.name for s in described.systems), *(r.name for r in described.relations)]
    return [o for name in names for o in _of_instance(name, model[name], given.get(name))]


_ARGUMENTS = {"q": "q", "v": "velocity", "t": "time", "x": "x", "lambda": "lambda"}


def _of_instance(name: str, group: OperatorGroup[SymbolicOperator], system: Any) -> Iterator[PlatformOperator]:
    known = dict(group.items())
    arguments = {
        _ARGUMENTS[a]: symbols for o in known.values() for a, symbols in o.arguments.items() if a in _ARGUMENTS
    }
    parameters = {s: v for o in known.values() for s, v in o.parameters.items()}
    if "twist_map" in known:
        found = _rigid_body(known, arguments)
    elif "gap_twist" in known and known["gap_twist"].matrix.cols != known["gap_q"].matrix.cols:
        found = _rigid_contact(known)
    elif "kinetic_energy" in known and known["mass"].matrix.rows == len(arguments["q"]):
        found = _lagrangian(known, arguments, system)
    elif "gap_q" in known and "x" not in arguments:
        arguments["velocity"] = sp.symbols(f"velocity_0:{len(arguments['q'])}", real=True)
        found = _contact(known, arguments["velocity"])
    elif "rhs" in known:
        found = _first_order(known, arguments)
    elif "output_x" in known:
        found = _relation(known, arguments)
    else:
        return
    for convention, matrix, note in found:
        yield PlatformOperator(name, convention, matrix, arguments, parameters, note)


_Found = Iterator[tuple[str, sp.Matrix, str]]


def _lagrangian(known: Mapping[str, SymbolicOperator], arguments: Mapping[str, Any], system: Any) -> _Found:
    q, v = arguments["q"], arguments["velocity"]
    force = known["force"].matrix
    split = _given_terms(known["force"], system)
    if split is None:
        kinetic = known["kinetic_energy"].matrix[0, 0]
        time = known["force"]["t"][0]
        momentum = sp.Matrix([kinetic.diff(s) for s in v])
        inertia = jacobian(momentum, q) * sp.Matrix(v) + momentum.diff(time) - sp.Matrix([kinetic.diff(s) for s in q])
        external, internals = _readings((force + inertia).applyfunc(sp.expand), {*q, *v})
        yield "LagrangianDS.fExt", external, "the terms that depend on neither q nor v"
    else:
        inertia, internal, external = split
        internals = [(internal, "")]
        yield "LagrangianDS.fExt", external, ""
    yield "LagrangianDS.mass", known["mass"].matrix, ""
    yield "LagrangianDS.FGyr", inertia, ""
    for internal, note in internals:
        yield "LagrangianDS.fInt", internal, note
    for name, term in (("FGyr", inertia), ("FInt", internals[0][0])):
        yield f"LagrangianDS.jacobian{name}q", jacobian(term, q), ""
        yield f"LagrangianDS.jacobian{name}qDot", jacobian(term, v), ""


def _rigid_body(known: Mapping[str, SymbolicOperator], arguments: Mapping[str, Any]) -> _Found:
    """Forces and moments without the gyroscopic one, which has functions of its own, and the map of the twist."""
    q, v, mass = arguments["q"], arguments["velocity"], known["mass"].matrix
    yield "NewtonEulerDS.mass", mass, ""
    yield "NewtonEulerDS.T", known["twist_map"].matrix, ""
    if any(mass[:3, 3:]):
        return  # the terms of a point that is no centre of mass are not told apart here
    turning = sp.Matrix(v[3:])
    gyroscopic = turning.cross(mass[3:, 3:] * turning)
    yield "NewtonEulerDS.MGyr", gyroscopic, ""
    yield "NewtonEulerDS.jacobianMGyrv", jacobian(gyroscopic, v), ""
    applied = (known["force"].matrix + sp.Matrix([0, 0, 0, *gyroscopic])).applyfunc(sp.expand)
    yield "NewtonEulerDS.jacobianMExtq", jacobian(applied[3:, :], q), "of all moments"
    for letter, place in (("f", slice(0, 3)), ("m", slice(3, 6))):
        external, internals = _readings(applied[place, :], {*q, *v})
        yield f"NewtonEulerDS.{letter}Ext", external, "the terms that depend on neither q nor v"
        for internal, note in internals:
            yield f"NewtonEulerDS.{letter}Int", internal, note
        for by, symbols in (("q", q), ("v", v)):
            yield f"NewtonEulerDS.jacobian{letter.upper()}Int{by}", jacobian(internals[0][0], symbols), ""


def _rigid_contact(known: Mapping[str, SymbolicOperator]) -> _Found:
    """Gaps of rigid bodies, by their coordinates and by their twists."""
    yield "NewtonEulerR.h", known["gap"].matrix, ""
    yield "NewtonEulerR.jachq", known["gap_q"].matrix, ""
    for matrix, note in _with_sliding(known["gap_twist"].matrix, known):
        yield "NewtonEulerR.H", matrix, note


def _with_sliding(gradient: sp.Matrix, known: Mapping[str, SymbolicOperator]) -> Iterator[tuple[sp.Matrix, str]]:
    """The gradient of a gap, and where there are rows of sliding, with these below."""
    yield gradient, ""
    if "sliding_twist" in known and known["sliding_twist"].matrix.cols == gradient.cols:
        yield gradient.col_join(known["sliding_twist"].matrix), "the row of the gap, then those of sliding"


def _given_terms(operator: SymbolicOperator, system: Any) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix] | None:
    """N, F_int and F_ext of a system that states them, over the symbols of an operator; None where it does not."""
    if system is None or getattr(system, "mass", None) is None:
        return None
    own = {f: operator.labels[label_of(s)] for f, s in system.functions.items() if label_of(s) in operator.labels}
    terms = [term.xreplace(own).applyfunc(as_expression) for term in system.given]
    return tuple(operator.translated(term) for term in terms)  # type: ignore[return-value]


def _readings(applied: sp.Matrix, symbols: set[sp.Symbol]) -> tuple[sp.Matrix, list[tuple[sp.Matrix, str]]]:
    """The terms of sums without these symbols, and the internal ones as they may be read."""
    free = applied.applyfunc(lambda e: sp.Add(*(t for t in sp.Add.make_args(e) if not t.free_symbols & symbols)))
    internals = [(-applied, "all but inertia is taken as internal")]
    if any(free):
        internals.append((free - applied, "what depends on neither q nor v is taken as external"))
    return free, internals


def _contact(known: Mapping[str, SymbolicOperator], velocity: Sequence[sp.Symbol]) -> _Found:
    """Outputs h, their gradients, and the time derivative of these."""
    gap, rate, q = known["gap"].matrix, known["gap_t"].matrix, known["gap"]["q"]
    gradients = list(_with_sliding(known["gap_q"].matrix, known))
    for cls in ("LagrangianScleronomousR", "LagrangianRheonomousR"):
        yield f"{cls}.h", gap, ""
        for matrix, note in gradients:
            yield f"{cls}.jachq", matrix, note
    yield "LagrangianRheonomousR.hDot", rate, ""
    for matrix, note in gradients:
        along = matrix.applyfunc(lambda e: sum(e.diff(s) * r for s, r in zip(q, velocity, strict=True)))
        yield "LagrangianScleronomousR.dotjachq", along, note


def _first_order(known: Mapping[str, SymbolicOperator], arguments: Mapping[str, Any]) -> _Found:
    rhs, slope, x = known["rhs"].matrix, known["rhs_x"].matrix, arguments["x"]
    yield "FirstOrderNonLinearDS.f", rhs, ""
    yield "FirstOrderNonLinearDS.jacobianfx", slope, ""
    yield "FirstOrderNonLinearDS.M", known["mass"].matrix, ""
    if not slope.free_symbols & set(x):
        yield "FirstOrderLinearDS.A", slope, ""
        yield "FirstOrderLinearDS.b", rhs.xreplace(dict.fromkeys(x, sp.S.Zero)), ""


def _relation(known: Mapping[str, SymbolicOperator], arguments: Mapping[str, Any]) -> _Found:
    names = {"h": "output", "g": "reaction", "jachx": "output_x", "jachlambda": "output_lambda"}
    names |= {"jacgx": "reaction_x", "jacglambda": "reaction_lambda"}
    variables = {*arguments["x"], *arguments["lambda"]}
    for cls in ("FirstOrderNonLinearR", "FirstOrderType1R", "FirstOrderType2R"):
        for operator, name in names.items():
            if name in known and f"{cls}.{operator}" in CONVENTIONS:
                yield f"{cls}.{operator}", known[name].matrix, ""
    linear = {"C": "output_x", "D": "output_lambda", "B": "reaction_lambda"}
    if all(not known[name].matrix.free_symbols & variables for name in linear.values() if name in known):
        for operator, name in linear.items():
            if name in known:
                yield f"FirstOrderLinearR.{operator}", known[name].matrix, ""
        yield "FirstOrderLinearR.e", known["output"].matrix.xreplace(dict.fromkeys(variables, sp.S.Zero)), ""
