"""Systems in generalised speeds, from SymPy's Kane's method; the terms of its Lagrange's method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.physics.mechanics import KanesMethod, LagrangesMethod, kinetic_energy

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import enter, enter_matrix
from nsdgen.symbolic.expressions.scope import Scope, display, function_symbols, unit_labels
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.configuration import Configuration
from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass, Variables


@dataclass(frozen=True)
class KinematicMap(Configuration):
    """Coordinates whose rates are linear in speeds, q' = T(q) u; ``symbols`` are those that T is written in."""

    symbols: tuple[sp.Symbol, ...]
    map: sp.ImmutableMatrix

    @property
    def flat(self) -> bool:
        """Whether the speeds are the rates of the coordinates."""
        return bool(self.map == sp.eye(len(self.symbols)))

    def twist_map(self, q: Sequence[sp.Expr]) -> sp.Matrix:
        """T(q)."""
        return sp.Matrix(self.map.xreplace(dict(zip(self.symbols, q, strict=True))))


@named_arguments
class KaneSystem(System):
    """M(q) u' = F(t, q, u) + p, q' = T(q) u, as a ``KanesMethod`` has formed it.

    ``method`` is asked for its coordinates, speeds, kinematic equations, mass matrix and forcing; ``kanes_equations``
    must have been called. Gaps and constraints are written in coordinates, sliding rates and velocity constraints in
    speeds, and reactions act on the equations of the speeds. ``units`` are those of coordinates, then of speeds.
    Where the speeds are the rates of the coordinates every mechanical scheme integrates it, else those that know
    bodies. Raises ``ModelError`` for dependent speeds, and kinematics that are not linear in the speeds.
    """

    def __init__(self, name: str, method: KanesMethod, units: Sequence[str] = ()) -> None:
        self.name = name
        where = f"system {name!r}"
        if not isinstance(method, KanesMethod):
            raise ModelError(
                f"{type(method).__name__} is no KanesMethod",
                where=where,
                fix="give the object on which kanes_equations(...) was called; for a LagrangesMethod use "
                "nsd.LagrangianSystem.of(name, method)",
            )
        self.coordinates, self.speeds = tuple(method.q), tuple(method.u)
        dependent = [display(s) for s in getattr(method, "_udep", ())]
        if dependent:
            raise ModelError(
                f"the speed {dependent[0]!r} depends on others",
                where=where,
                fix="form the equations with independent speeds and no velocity_constraints, and give "
                "these to the model as nsd.VelocityConstraint",
            )
        try:
            mass, forcing = method.mass_matrix, method.forcing
        except (ValueError, AttributeError) as error:
            raise ModelError(
                "its equations have not been formed",
                where=where,
                fix="call method.kanes_equations(bodies, loads) first",
            ) from error
        rates = method.kindiffdict()
        self.mass, self.forcing = (sp.Matrix(m).xreplace(rates) for m in (mass, forcing))
        self.rates = sp.Matrix([sp.expand(rates[q.diff(time)]) for q in self.coordinates])
        still = {**rates, **dict.fromkeys(method._uaux, sp.S.Zero)}
        self.kinetic = kinetic_energy(method._inertial, *method.bodies).xreplace(still)
        self.units = unit_labels(units, len(self.coordinates) + len(self.speeds), where)
        self.variables = function_symbols((*self.coordinates, *self.speeds), where=where)

    @property
    def equations(self) -> int:
        """The number of speeds."""
        return len(self.speeds)

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """Coordinates and speeds, and the symbols they become."""
        return dict(zip((*self.coordinates, *self.speeds), self.variables, strict=True))

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of coordinates and speeds."""
        return tuple(tuple(display(f) for f in group) for group in (self.coordinates, self.speeds))

    @property
    def resting(self) -> tuple[sp.Expr, ...]:
        """Speeds; coordinates must be given."""
        return self.speeds

    def describe(self, scope: Scope) -> SystemClass:
        """The class of this system over fresh symbols."""
        where, symbols = f"system {self.name!r}", {**scope.parameters, **self.functions}
        mass, force, rates = (
            enter_matrix(m, symbols, where=f"{where}, {what}")
            for m, what in ((self.mass, "mass matrix"), (self.forcing, "forcing"), (self.rates, "kinematic equations"))
        )
        n = len(self.coordinates)
        q, u = self.variables[:n], self.variables[n:]
        turn = rates.jacobian(u)
        if (rates - turn * sp.Matrix(u)).applyfunc(sp.simplify) != sp.zeros(n, 1) or turn.free_symbols & set(u):
            raise ModelError(
                "its kinematic equations are not linear in the speeds",
                where=where,
                fix="choose speeds with q' = T(q) u, without terms of time alone",
            )
        names, speeds, at_rest = self.describe_names(), sp.Matrix(u), dict.fromkeys(u, sp.S.Zero)
        kinetic = enter(self.kinetic, symbols, where=f"{where}, kinetic energy")
        carried = kinetic.xreplace(at_rest) + sum(s * kinetic.diff(s).xreplace(at_rest) for s in u)  # by what is driven
        return mechanical_class(
            self.name,
            scope.used([mass, force, turn, carried]),
            Variables("q", q, names[0], self.units[:n]),
            Variables("v", u, names[1], self.units[n:]),
            mass,
            force,
            configuration=KinematicMap(tuple(q), sp.ImmutableMatrix(turn)),
            energies={"kinetic_energy": (speeds.T * mass * speeds)[0, 0] / 2 + carried},
        )


def lagranges_terms(method: Any, where: str) -> tuple[list[sp.Expr], sp.Matrix, sp.Matrix]:
    """Coordinates, mass matrix and force of a ``LagrangesMethod``, without the multipliers of its constraints.

    Raises ``ModelError`` for another object, and where ``form_lagranges_equations`` was not called.
    """
    if not isinstance(method, LagrangesMethod):
        raise ModelError(
            f"{type(method).__name__} is no LagrangesMethod",
            where=where,
            fix="give the object on which form_lagranges_equations() was called; for a KanesMethod use "
            "nsd.KaneSystem(name, method)",
        )
    try:
        mass, force = method.mass_matrix, method.forcing
    except (ValueError, AttributeError) as error:
        raise ModelError(
            "its equations have not been formed", where=where, fix="call method.form_lagranges_equations() first"
        ) from error
    return list(method.q), sp.Matrix(mass[:, : len(method.q)]), sp.Matrix(force)
