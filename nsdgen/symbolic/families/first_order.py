"""First-order systems M x' = f(x, t) + r."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.base.suggest import named_arguments
from nsdgen.symbolic.expressions.entry import column, enter_matrix, matrix
from nsdgen.symbolic.expressions.scope import Scope, function_symbols, unit_labels
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.mechanical import beside_motion
from nsdgen.symbolic.families.stated_terms import stated_matrix
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import SystemClass, Term, Variables


@named_arguments
class FirstOrderSystem(System):
    """The system M x' = f(x, t) + r.

    ``state`` lists n dynamicsymbols, ``rhs`` the n entries of f, ``mass`` is n x n and
    may depend on state and time (default: the identity). r is the sum of the reactions of
    the relations on this system. ``beside_motion=True``: relations join it with mechanical systems, and their scheme
    steps its state as it steps velocities; its operators then are ``force`` and ``force_v``, its mass regular and
    without states.
    """

    def __init__(
        self,
        name: str,
        state: Sequence[sp.Expr] | sp.Expr,
        rhs: Any,
        mass: Any = None,
        units: Sequence[str] = (),
        beside_motion: bool = False,
    ) -> None:
        self.name, self.beside_motion = name, beside_motion
        where = f"system {name!r}"
        self.state = tuple(state) if isinstance(state, Sequence | sp.MatrixBase) else (state,)
        n = len(self.state)
        self.variables = function_symbols(self.state, where=f"{where}, state")
        self.rhs = column(rhs, where=f"{where}, rhs", rows=n)
        self.mass = sp.eye(n) if mass is None else matrix(mass, where=f"{where}, mass", rows=n, cols=n)
        self.units = unit_labels(units, n, where)

    @property
    def equations(self) -> int:
        """The number of states."""
        return len(self.state)

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """The functions of time that belong to this system and the symbols they become."""
        return dict(zip(self.state, self.variables, strict=True))

    def describe(self, scope: Scope) -> SystemClass:
        """The class of this system over fresh symbols."""
        where = f"system {self.name!r}"
        symbols = {**scope.parameters, **self.functions}
        mass = enter_matrix(self.mass, symbols, where=f"{where}, mass")
        rhs = enter_matrix(self.rhs, symbols, where=f"{where}, rhs")
        found = first_order_class(
            self.name,
            scope.used([mass, rhs]),
            self.variables,
            mass,
            rhs,
            names=self.describe_names()[0],
            units=self.units,
        )
        return beside_motion(found) if self.beside_motion else found


def first_order_class(
    name: str,
    parameters: Sequence[sp.Symbol],
    state: Sequence[sp.Symbol],
    mass: sp.Matrix,
    rhs: sp.Matrix,
    *,
    names: Sequence[str] = (),
    units: Sequence[str] = (),
    extra: Mapping[str, Term] | None = None,
    recorded: Mapping[str, tuple[tuple[str, str], ...]] | None = None,
) -> SystemClass:
    """The class of M(t, x) x' = f(t, x) + r: the group x of n symbols, the terms ``mass`` (n x n) and ``rhs`` (n).

    ``extra`` are further terms, which become operators; ``recorded`` lists those that are recorded, with name and unit
    of each entry. Whoever describes a family with these words is integrated by every scheme for first-order systems.
    Raises ``ModelError`` for matrices of another shape, or other numbers of names or units.
    """
    x, where = tuple(state), f"system {name!r}"
    n = len(x)
    mass = stated_matrix(mass, where=f"{where}, mass", rows=n, cols=n, fix=f"give {n}x{n}, one row for each state")
    rhs = stated_matrix(rhs, where=f"{where}, rhs", rows=n, cols=1, fix=f"give a column of {n}, one for each state")
    at = ("t", "x") if NOW in mass.free_symbols else ("x",)
    return SystemClass(
        name=name,
        parameters=tuple(parameters),
        variables=(Variables("x", x, _texts(names) or tuple(s.name for s in x), _texts(units) or ("",) * n),),
        terms={
            "mass": Term(mass, at, "M", f"M({', '.join(at)})"),
            "rhs": Term(rhs, ("t", "x"), "f", "f(t, x)", ("x",)),
            **(extra or {}),
        },
        recorded=recorded or {},
    )


def _texts(given: Sequence[str]) -> Any:
    """As a tuple, but one text as it is: it is refused where the group is made."""
    return given if isinstance(given, str) else tuple(given)
