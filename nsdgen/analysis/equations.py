"""All systems and relations of a model as one set of equations x' = F(t, x, lambda), y = h(t, x, lambda).

A state is called ``system.label``. Differential-algebraic systems are left out, by name, and what relates to them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import sympy as sp

from nsdgen.schemes.algebraic import algebraic_equations
from nsdgen.symbolic.description.model_description import ModelDescription, RelationInstance, SystemInstance
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.generic_rank import generic_rank
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.relation_class import RelationClass

_LARGEST = 60  # rows of a mass that is eliminated entry by entry: a humanoid's; a chain of hundreds takes minutes


@dataclass(frozen=True)
class OutputRow:
    """A row of what relations are about: its name, y, and the multiplier that it meets in its law."""

    name: str
    value: sp.Expr
    multiplier: sp.Symbol


@dataclass(frozen=True)
class Equations:
    """``rates`` maps states to x'(t, x, lambda); ``values`` holds what time, states and parameters are at t_0.

    ``omitted`` says by name what was left out, and why.
    """

    rates: Mapping[sp.Symbol, sp.Expr]
    outputs: tuple[OutputRow, ...]
    values: Mapping[sp.Symbol, float]
    omitted: Mapping[str, str] = field(default_factory=dict)

    @property
    def multipliers(self) -> tuple[sp.Symbol, ...]:
        """Those of all outputs, in order."""
        return tuple(o.multiplier for o in self.outputs)


def equations_of(description: ModelDescription, start: float = 0.0) -> Equations:
    """The equations of a model that starts at t_0 = ``start``; blocks are left out, what they hold is a parameter."""
    omitted = {s.name: reason for s in description.systems if (reason := _unusable(description, s))}
    forces: dict[str, sp.Matrix] = {}
    outputs: list[OutputRow] = []
    blocks = {b.relation for b in description.blocks}
    for number, relation in enumerate(description.relations):
        if number in blocks:
            continue
        owners = [description.systems[i].name for i in relation.participants]
        if left := [name for name in owners if name in omitted]:
            omitted[relation.name] = f"it is on {left[0]}"
            continue
        found, reactions = _relation(description, relation)
        outputs += found
        for name, r in zip(owners, reactions, strict=True):
            forces[name] = forces.get(name, sp.zeros(*r.shape)) + r
    rates: dict[sp.Symbol, sp.Expr] = {}
    values: dict[sp.Symbol, float] = {NOW: start, **{s: p.value for s, p in description.parameters.items()}}
    for system in description.systems:
        if system.name not in omitted:
            rates |= _rates(description, system, forces.get(system.name))
            values |= zip(_states(description, system), system.initial, strict=False)
    return Equations(rates, tuple(outputs), values, omitted)


def _states(description: ModelDescription, system: SystemInstance) -> list[sp.Symbol]:
    cls = description.system_classes[system.cls]
    return [sp.Symbol(f"{system.name}.{s.name}", real=True) for s in cls.functions]


def _symbols(description: ModelDescription, system: SystemInstance) -> dict[sp.Basic, sp.Basic]:
    """What the symbols of its class are for an instance."""
    cls = description.system_classes[system.cls]
    arguments = {
        p: as_expression(a.value, where="analysis") for p, a in zip(cls.parameters, system.arguments, strict=True)
    }
    return {**dict(zip(cls.functions, _states(description, system), strict=True)), **arguments}


def _unusable(description: ModelDescription, system: SystemInstance) -> str:
    """Why a system cannot be written as x' = F; empty where it can."""
    cls = description.system_classes[system.cls]
    mass = cls.terms.get("mass")
    if mass is None or not ("rhs" in cls.terms or ("force" in cls.terms and cls.group("q") and cls.group("v"))):
        return "its family has neither mass and rhs nor mass and force"
    if "rhs" in cls.terms and algebraic_equations(cls):
        return "it is differential-algebraic"
    if generic_rank(mass.values) < mass.values.rows:
        return "its mass is singular"
    return "" if mass.values.is_diagonal() or mass.values.rows <= _LARGEST else f"its mass has {mass.values.rows} rows"


def _rates(
    description: ModelDescription, system: SystemInstance, reaction: sp.Matrix | None
) -> dict[sp.Symbol, sp.Expr]:
    cls = description.system_classes[system.cls]
    known, states = _symbols(description, system), _states(description, system)
    force = cls.terms["rhs" if "rhs" in cls.terms else "force"].values.xreplace(known)
    total = force if reaction is None else force + reaction
    mass = cls.terms["mass"].values.xreplace(known)
    change = (
        [f / m for f, m in zip(total, mass.diagonal(), strict=True)] if mass.is_diagonal() else _solved(mass, total)
    )
    moved: list[sp.Expr] = []
    if cls.group("q"):
        moved = [e.xreplace(known) for e in cls.configuration.rate(cls.group("q"), cls.group("v"))]
    return dict(zip(states, [*moved, *change], strict=True))


def _solved(mass: sp.Matrix, force: sp.Matrix) -> list[sp.Expr]:
    """M^-1 F by elimination in the given order, whose pivots are positive as a mass is; nothing is multiplied out.

    An inverse would be checked by SymPy, which simplifies its determinant: minutes for the nine rows of a bicycle.
    """
    rows = mass.rows
    m, f = mass.tolist(), list(force)
    for k in range(rows):
        for i in range(k + 1, rows):
            if m[i][k] != 0:
                factor = m[i][k] / m[k][k]
                for j in range(k + 1, rows):
                    m[i][j] -= factor * m[k][j]
                f[i] -= factor * f[k]
    for k in reversed(range(rows)):
        f[k] = (f[k] - sum(m[k][j] * f[j] for j in range(k + 1, rows))) / m[k][k]
    return f


def _relation(description: ModelDescription, relation: RelationInstance) -> tuple[list[OutputRow], list[sp.Matrix]]:
    """Its outputs, and its reaction on each participant."""
    cls: RelationClass = description.relation_classes[relation.cls]
    known: dict[sp.Basic, sp.Basic] = {
        p: as_expression(a.value, where="analysis") for p, a in zip(cls.parameters, relation.arguments, strict=True)
    }
    for participant, i in zip(cls.participants, relation.participants, strict=True):
        system = description.systems[i]
        own_states = (participant.rename(s) for s in participant.system.functions)
        known |= zip(own_states, _states(description, system), strict=True)
    if "gap" in cls.terms:
        rows = [*cls.terms["gap"], *cls.terms["sliding"]]
        names = ["gap"] * cls.terms["gap"].rows + ["sliding_rate"] * cls.terms["sliding"].rows
        own = [sp.Symbol(f"{relation.name}.impulse[{i}]", real=True) for i in range(len(rows))]
        reactions = [cls.gradient(p).T * sp.Matrix(own) for p in cls.participants]
    else:
        rows = list(cls.terms.get("recorded", cls.terms.get("output", ())))  # forces and what is observed have none
        names = ["output"] * len(rows)
        own = [sp.Symbol(f"{relation.name}.{s.name}", real=True) for s in cls.multipliers[: len(rows)]]
        known |= zip(cls.multipliers, own, strict=False)
        reactions = list(cls.reactions)
    numbered = [
        f"{relation.name}.{n}" if names.count(n) == 1 else f"{relation.name}.{n}[{names[:i].count(n)}]"
        for i, n in enumerate(names)
    ]
    outputs = [OutputRow(n, y.xreplace(known), m) for n, y, m in zip(numbered, rows, own, strict=True)]
    return outputs, [r.xreplace(known) for r in reactions]
