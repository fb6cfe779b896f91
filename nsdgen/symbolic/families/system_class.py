"""Classes of systems: what systems with the same equations share, whatever their family.

A class is data: variables in groups (q and v, or x), terms that are functions of them (mass, force, rhs, ...)
over fresh real symbols, and the space in which its configuration moves. A *family* is whoever makes such
classes from the user's words (:class:`nsdgen.symbolic.families.system.System`); schemes ask a class for the groups and
terms they need, the derivation makes an operator of every term, and nobody asks for the family.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.configuration import Configuration
from nsdgen.symbolic.families.stated_terms import check_name, check_texts, check_tuple, stated_matrix, twice


@dataclass(frozen=True)
class Variables:
    """A group of variables of a class: the role that schemes know it by, its symbols, one column each.

    ``names`` are those of the columns, relative to the instance; ``units`` one for each, maybe empty.
    """

    role: str
    symbols: tuple[sp.Symbol, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]

    def __post_init__(self) -> None:
        where = f"group {self.role!r}"
        check_name(self.role, "the role", where, reserved=("t", "lambda_"))
        check_tuple(self.symbols, sp.Symbol, "symbols", "symbols", where)
        for values, what in ((self.names, "names"), (self.units, "units")):
            check_texts(values, len(self.symbols), what, where)


@dataclass(frozen=True)
class Term:
    """A function of some groups of a class: ``values``, a matrix over its symbols, NOW and its parameters.

    ``of`` lists the operands of the operator made of it, ``"t"`` and roles; ``derivatives`` the roles with
    respect to which that operator has a Jacobian. ``notation`` is its symbol in formulas (F, M), ``meaning`` what the
    operator says of itself. ``normalise`` is off for functions of an unnormalised q. Raises ``ModelError`` for values
    that are no matrix.
    """

    values: sp.Matrix
    of: tuple[str, ...]
    notation: str = ""
    meaning: str = ""
    derivatives: tuple[str, ...] = ()
    normalise: bool = True

    def __post_init__(self) -> None:
        where = f"term {self.notation or self.meaning or self.of!r}"
        found = stated_matrix(self.values, where=where, fix="give a SymPy matrix")
        object.__setattr__(self, "values", found)
        for roles, what in ((self.of, "of"), (self.derivatives, "derivatives")):
            if isinstance(roles, str):
                raise ModelError(
                    f"{what} is the text {roles!r}, not a tuple of roles", where=where, fix=f"write {what}=({roles!r},)"
                )


@dataclass(frozen=True)
class Operator:
    """A derived quantity as a function of its own operands: name, values, (operand, its symbols), formula."""

    name: str
    values: sp.Matrix
    operands: tuple[tuple[str, tuple[sp.Symbol, ...]], ...]
    meaning: str


@dataclass(frozen=True)
class Requirement:
    """What rows and columns ``first`` to ``end`` of a term must be where a run starts (``base/definiteness.py``)."""

    term: str
    kind: str
    first: int
    end: int


@dataclass(frozen=True)
class SystemClass:
    """A class of systems: name for display, parameters (slots first), groups of variables, terms, configuration.

    ``inertia_forces`` are symbols for accelerations a and M a, where that is known better than as a product.
    ``recorded`` lists terms that are recorded besides the state, with name and unit of each entry,
    ``requirements`` on terms are checked at the start of every run. ``further`` are operators that are no terms.
    ``lent`` is a mass that Newton's matrix has besides, and no equation: of what has none of its own.

    Raises ``ModelError`` for two groups of one role or with one symbol, for terms of groups that there are not, and
    for operators (terms, and their derivatives ``<term>_<role>``) of one name.
    """

    name: str
    parameters: tuple[sp.Symbol, ...]
    variables: tuple[Variables, ...]
    terms: Mapping[str, Term]
    configuration: Configuration = field(default_factory=Configuration)
    requirements: tuple[Requirement, ...] = ()
    recorded: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    further: tuple[Operator, ...] = ()
    inertia_forces: tuple[tuple[sp.Symbol, ...], sp.Matrix] | None = None
    lent: sp.Matrix | None = None

    def __post_init__(self) -> None:
        where = f"system {self.name!r}"
        check_tuple(self.variables, Variables, "variables", "Variables", where)
        check_tuple(self.parameters, sp.Symbol, "parameters", "symbols", where)
        if (role := twice(self.roles)) is not None:
            raise ModelError(f"two groups have the role {role!r}", where=where, fix="give each group a role of its own")
        if (symbol := twice(self.symbols)) is not None:
            raise ModelError(
                f"the symbol {symbol} stands for two variables or parameters",
                where=where,
                fix="give each its own symbol",
            )
        if not isinstance(self.configuration, Configuration):
            raise ModelError(
                f"its configuration is {self.configuration!r}", where=where, fix="give a Configuration, or leave it out"
            )
        if not isinstance(self.terms, Mapping):
            raise ModelError(f"terms is a {type(self.terms).__name__}", where=where, fix="give {name: Term(...)}")
        for name, term in self.terms.items():
            self._check_term(name, term, f"{where}, term {name!r}")
        if (
            name := twice(
                n for key, term in self.terms.items() for n in (key, *(f"{key}_{role}" for role in term.derivatives))
            )
        ) is not None:
            raise ModelError(
                f"two operators are called {name!r}",
                where=where,
                fix="rename a term: the derivative of f with respect to x is called f_x",
            )
        for name, pairs in self.recorded.items():
            if name not in self.terms or len(pairs) != self.terms[name].values.rows:
                raise ModelError(
                    f"records {name!r} under {len(pairs)} names",
                    where=where,
                    fix="name a term, with a pair (name, unit) for each of its rows",
                )

    def _check_term(self, name: str, term: Term, where: str) -> None:
        """Refuse what is no term, or one of groups that the class does not have."""
        check_name(name, "the name", where)
        if not isinstance(term, Term):
            raise ModelError(
                f"is a {type(term).__name__}, not a Term", where=where, fix="write Term(values, of=('t', 'x'), ...)"
            )
        for roles, known, what in ((term.of, ("t", *self.roles), "of"), (term.derivatives, self.roles, "derivatives")):
            strange = [role for role in roles if role not in known]
            if strange:
                raise ModelError(
                    f"{what} names {strange[0]!r}, there is only {', '.join(known)}",
                    where=where,
                    fix="name roles of the groups of this class" + (" and 't'" if what == "of" else ""),
                )

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles of the groups, in order."""
        return tuple(group.role for group in self.variables)

    def group(self, role: str) -> tuple[sp.Symbol, ...]:
        """The symbols of a group; empty where the class has none of this role."""
        return next((group.symbols for group in self.variables if group.role == role), ())

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of every recorded value; instances of one class may have their own."""
        variables = tuple(pair for group in self.variables for pair in zip(group.names, group.units, strict=True))
        return variables + tuple(pair for pairs in self.recorded.values() for pair in pairs)

    @property
    def functions(self) -> tuple[sp.Symbol, ...]:
        """The symbols of all variables, in slot order."""
        return tuple(s for group in self.variables for s in group.symbols)

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """All symbols of the class in slot order: variables, then parameters."""
        return self.functions + self.parameters

    @property
    def shape(self) -> tuple[Any, ...]:
        """What is no expression and agrees where two classes are the same: configuration and roles."""
        return (type(self), self.configuration, self.roles)

    def matrices(self) -> tuple[sp.Matrix, ...]:
        """Every expression over parameters: terms, further operators, what is lent."""
        lent = () if self.lent is None else (self.lent,)
        return (*(term.values for term in self.terms.values()), *(operator.values for operator in self.further), *lent)

    def with_matrices(self, matrices: Sequence[sp.Matrix], slots: tuple[sp.Symbol, ...]) -> Self:
        """The class with these in the place of :meth:`matrices`, and parameters more."""
        own = iter(matrices)
        return replace(
            self,
            parameters=(*self.parameters, *slots),
            terms={name: replace(term, values=next(own)) for name, term in self.terms.items()},
            further=tuple(replace(operator, values=next(own)) for operator in self.further),
            lent=next(own, None),
        )

    def expressions(self) -> tuple[sp.Basic, ...]:
        """Everything that decides whether two classes are the same, besides their symbols."""
        shape = sp.Tuple(
            *(sp.Symbol(name) for name in (*self.roles, *self.terms, *self.recorded)),
            *(sp.Tuple(*group) for group in self.configuration.unit_norm),
            *(sp.Symbol(f"{r.term} {r.kind} {r.first} {r.end}") for r in self.requirements),
        )
        return (*(sp.ImmutableMatrix(m) for m in self.matrices()), shape)

    def operators(self) -> list[Operator]:
        """An operator for every term, followed by its Jacobians, exact through the normalisation of q."""
        unit, _ = self.configuration.normalisation(self.group("q"))
        found = []
        for name, term in self.terms.items():
            values = term.values.xreplace(unit) if term.normalise else term.values
            operands = tuple((role, (NOW,) if role == "t" else self.group(role)) for role in term.of)
            found.append(Operator(name, values, operands, term.meaning))
            found += [
                Operator(f"{name}_{role}", jacobian(values, self.group(role)), operands, f"d{term.notation}/d{role}")
                for role in term.derivatives
            ]
        return [*found, *self.further]
