"""First-order systems M x' = f(x, t) + r and the relations on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.classes import FirstOrderClass, Quantity
from nsdgen.symbolic.copies import Copyable, CopyableRelation, Instance
from nsdgen.symbolic.entry import column, enter_matrix, matrix
from nsdgen.symbolic.laws import Law
from nsdgen.symbolic.scope import Scope, display, function_symbols, unit_labels
from nsdgen.symbolic.time import time

__all__ = ["FirstOrderRelation", "FirstOrderSystem", "multipliers"]


@named_arguments
class FirstOrderSystem(Copyable):
    """The system M x' = f(x, t) + r.

    ``state`` lists n dynamicsymbols, ``rhs`` the n entries of f, ``mass`` is n x n and
    may depend on state and time (default: the identity). r is the sum of the reactions of
    the relations on this system.
    """

    def __init__(self, name: str, state: Sequence[sp.Expr] | sp.Expr, rhs: Any, mass: Any = None,
                 units: Sequence[str] = ()) -> None:
        self.name = name
        where = f"system {name!r}"
        self.state = tuple(state) if isinstance(state, Sequence | sp.MatrixBase) else (state,)
        n = len(self.state)
        self.variables = function_symbols(self.state, where=f"{where}, state")
        self.rhs = column(rhs, where=f"{where}, rhs", rows=n)
        self.mass = sp.eye(n) if mass is None else matrix(mass, where=f"{where}, mass", rows=n, cols=n)
        self.units = unit_labels(units, n, where)

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """The functions of time that belong to this system and the symbols they become."""
        return dict(zip(self.state, self.variables, strict=True))

    def describe(self, scope: Scope) -> FirstOrderClass:
        """The class of this system over fresh symbols."""
        where = f"system {self.name!r}"
        symbols = {**scope.parameters, **self.functions}
        mass = enter_matrix(self.mass, symbols, where=f"{where}, mass")
        rhs = enter_matrix(self.rhs, symbols, where=f"{where}, rhs")
        names = tuple(display(f) for f in self.state)
        return FirstOrderClass(
            name=self.name, parameters=scope.used([mass, rhs]), state=self.variables, mass=mass,
            rhs=rhs, quantities=(Quantity(names, self.variables, self.units),))

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the initial values, in the order of :meth:`initial_values`."""
        return (tuple(display(f) for f in self.state),)

    def initial_values(self, given: Mapping[Any, Any], *, model: str) -> list[float]:
        """The initial state in order; raises where a value is missing."""
        missing = [display(f) for f in self.state if f not in given]
        if missing:
            raise ModelError(f"no initial value for {', '.join(missing)}", model=model,
                             where=f"system {self.name!r}", fix="add it to initial={...}")
        return [given[f] for f in self.state]


@named_arguments
class FirstOrderRelation(CopyableRelation):
    """y = h(t, x, lambda) with r_i = g_i(t, x, lambda) added to the right-hand side of system i.

    ``multipliers`` lists m multipliers (:func:`multipliers`), ``output`` the m entries
    of y, ``reaction`` maps each system (or copy of one) to its entries of g, ``law`` joins y and lambda;
    ``units`` and ``output_units`` label the multipliers and outputs.
    """

    def __init__(self, name: str, multipliers: Any, output: Any,
                 reaction: Mapping[FirstOrderSystem | Instance, Any], law: Law, units: Sequence[str] = (),
                 output_units: Sequence[str] = ()) -> None:
        self.name = name
        where = f"relation {name!r}"
        many = isinstance(multipliers, Sequence | sp.MatrixBase)
        self.multipliers = tuple(multipliers) if many else (multipliers,)
        self.output = column(output, where=f"{where}, output", rows=len(self.multipliers))
        if not isinstance(reaction, Mapping):
            raise ModelError("reaction is not a mapping", where=where,
                             fix="give {system: [one entry per state of the system]}")
        foreign: list[Any] = [s for s in reaction if not isinstance(_prototype(s), FirstOrderSystem)]
        if foreign:
            name = str(getattr(foreign[0], "name", foreign[0]))
            raise ModelError(f"reacts on {name!r}, which is not a first-order system", where=where,
                             fix="use nsd.Contact or nsd.Bilateral for mechanical systems")
        self.reaction = {
            s: column(g, where=f"{where}, reaction on {s.name!r}", rows=len(_prototype(s).state))
            for s, g in reaction.items()
        }
        if not isinstance(law, Law):
            raise ModelError(f"{law!r} is not a law", where=where,
                             fix="use nsd.Complementarity(), nsd.Equality() or nsd.Box(lower, upper)")
        if law.of_rates:
            raise ModelError(f"{type(law).__name__} is a law for contacts: it needs a gap rate", where=where,
                             fix="use nsd.Complementarity(), nsd.Equality(), nsd.Box(...) or nsd.Mixed([...])")
        self.units, self.output_units = (
            unit_labels(given, len(self.multipliers), where) for given in (units, output_units))
        law.cones(len(self.multipliers))  # refuses a number of laws that does not fit
        self.law = law
        self.variables = function_symbols(self.multipliers, where=f"{where}, multipliers")


def _prototype(system: Any) -> Any:
    return system.prototype if isinstance(system, Instance) else system


@named_arguments
def multipliers(name: str, count: int) -> list[sp.Expr]:
    """``count`` multipliers name0, name1, ... as functions of time, recorded as name[0], name[1], ...

    The trajectory gives them one by one or, as ``name``, all of them: (instants, count), also where ``count`` is 1.
    """
    return [sp.Function(f"{name}{i}")(time) for i in range(count)]
