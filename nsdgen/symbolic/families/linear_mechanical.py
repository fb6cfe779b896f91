"""Linear mechanical systems M q'' + C q' + K q = f(t) + p, from matrices of numbers: finite elements, chains."""

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.base.definiteness import DEFINITE
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import enter_matrix
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.linear import initial_group, names_of, state_functions, sums
from nsdgen.symbolic.families.matrix_data import MatrixData
from nsdgen.symbolic.families.mechanical import mechanical_class
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import Requirement, SystemClass, Variables


@named_arguments
class LinearMechanicalSystem(System):
    """M q'' + C q' + K q = f + p in n coordinates; p are the reactions of relations.

    ``M``, ``K`` and ``C`` (n x n, zero by default) and ``f`` (n) are nested lists, NumPy arrays, SciPy sparse matrices,
    or SymPy matrices whose entries may depend on ``nsd.time`` and parameters. Every number is a parameter
    of the model, called by its place (``bar.K[0,1]``): another matrix of the same pattern needs no new compilation.
    M must be symmetric and positive semidefinite. ``coordinates`` are names or functions of time, ``units`` theirs
    (one for all, or a list). Raises ``ModelError`` for shapes that do not fit and names that repeat.
    """

    def __init__(
        self,
        name: str,
        M: Any,
        K: Any = None,
        C: Any = None,
        f: Any = None,
        *,
        coordinates: Sequence[Any] | None = None,
        units: str | Sequence[str] = "",
    ) -> None:
        self.name = name
        where, data = f"system {name!r}", MatrixData(name)
        self.M = data.matrix("M", M)
        data.refuse_wrong_square("M", self.M)
        n = self.M.rows
        self.K, self.C = (data.matrix(label, given, rows=n, cols=n) for label, given in (("K", K), ("C", C)))
        self.f = data.matrix("f", f, rows=n, cols=1)
        self.numbers = data.numbers
        self.names = names_of("q", n, coordinates, f"{where}, coordinates")
        if len(set(self.names)) < n:
            raise ModelError("two coordinates have one name", where=where, fix="give each its own")
        self.units = (units,) * n if isinstance(units, str) else tuple(units)
        if len(self.units) != n:
            raise ModelError(f"{len(self.units)} units for {n} coordinates", where=where, fix="give one for all, or n")
        self.coordinates = state_functions(name, self.names, coordinates)
        self.velocities = tuple(q.diff(time) for q in self.coordinates)

    def coordinate(self, name: str) -> sp.Expr:
        """The coordinate of this name as a function of time; ``.diff()`` is its velocity."""
        if name not in self.names:
            raise ModelError(
                f"has no coordinate {name!r}",
                where=f"system {self.name!r}",
                fix=f"it has {', '.join(self.names[:5])}{', ...' if len(self.names) > 5 else ''}",
            )
        return self.coordinates[self.names.index(name)]

    @property
    def q(self) -> sp.ImmutableMatrix:
        """The coordinates, a column: for initial values and expressions of relations."""
        return sp.ImmutableMatrix(self.coordinates)

    @property
    def v(self) -> sp.ImmutableMatrix:
        """The velocities, a column."""
        return sp.ImmutableMatrix(self.velocities)

    @property
    def equations(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """Coordinates and velocities as functions of time, and the symbols they become."""
        symbols = [sp.Symbol(n, real=True) for n in (*self.names, *self._rate_names)]
        return dict(zip((*self.coordinates, *self.velocities), symbols, strict=True))

    @property
    def _rate_names(self) -> tuple[str, ...]:
        return tuple(_rate_name(n) for n in self.names)

    @property
    def own_parameters(self) -> Mapping[sp.Symbol, Any]:
        """The numbers of all matrices: symbols called by their place, ``bar.K[0,1]``."""
        return self.numbers

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of coordinates and velocities."""
        return self.names, self._rate_names

    def functions_named(self, name: str) -> list[sp.Expr]:
        """Coordinates and velocities of a copy of this name."""
        copies = [sp.Function(f"{name}/{label}")(time) for label in self.names]
        return [*copies, *(q.diff(time) for q in copies)]

    def initial_values(self, given: Mapping[Any, Any], *, model: str) -> list[Any]:
        """Coordinates, then velocities, 0 where nothing is given; ``bar.q`` and ``bar.v`` stand for all of them."""
        groups = (self.q, self.names, "coordinates"), (self.v, self._rate_names, "velocities")
        return [
            value
            for group, names, what in groups
            for value in initial_group(given, group, names, what, model=model, system=self.name)
        ]

    def describe(self, scope: Scope) -> SystemClass:
        """The class of this system over fresh symbols."""
        where, symbols = f"system {self.name!r}", {**scope.parameters, **self.functions}
        n = self.equations
        inner = sums(n, [(self.K, self.q), (self.C, self.v)])
        force = enter_matrix(sp.Matrix([f - r for f, r in zip(self.f, inner, strict=True)]), symbols, where=where)
        mass = enter_matrix(sp.Matrix(self.M), symbols, where=f"{where}, M")
        q, v = (tuple(self.functions.values())[i * n : (i + 1) * n] for i in (0, 1))
        rates = tuple(f"{u}/s" if u else "" for u in self.units)
        return mechanical_class(
            self.name,
            scope.used([mass, force]),
            Variables("q", q, self.names, self.units),
            Variables("v", v, self._rate_names, rates),
            mass,
            force,
            requirements=(Requirement("mass", DEFINITE, 0, n),),
        )


def _rate_name(name: str) -> str:
    """``q_dot[3]`` for ``q[3]``."""
    stem, bracket, index = name.partition("[")
    return f"{stem}_dot{bracket}{index}"
