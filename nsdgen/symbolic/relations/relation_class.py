"""Classes of relations: what relations with the same equations share, whatever they relate.

A relation class gives terms over the symbols of its participants, a law, and what the law's cone needs. Two
kinds of terms are known to the schemes of this package: ``output`` with ``reactions`` on each participant, and ``gap``
(with ``sliding`` rates), whose reaction follows by duality from the rate that a scheme takes. The files of the
relations themselves say how a user writes them and which operators they have.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import label_of, own_symbol
from nsdgen.symbolic.expressions.jacobian import jacobian, jacobian_along
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import Operator, SystemClass
from nsdgen.symbolic.laws.law import Law

Expression = TypeVar("Expression", sp.Expr, sp.Matrix)


@dataclass(frozen=True)
class Participant:
    """A system as one relation class sees it: its class's symbols, renamed where several take part."""

    system: SystemClass
    renamed: Mapping[sp.Symbol, sp.Symbol]

    def rename(self, expr: Expression) -> Expression:
        """``expr``, written in the class's symbols, in those of this participant."""
        return expr.xreplace(self.renamed) if self.renamed else expr

    def group(self, role: str) -> tuple[sp.Symbol, ...]:
        """The symbols of a group of this participant."""
        return tuple(self.rename(s) for s in self.system.group(role))

    @property
    def states(self) -> tuple[sp.Symbol, ...]:
        """Those of the group v that are first-order states and no velocities."""
        v = self.group("v")
        return v[len(v) - self.system.configuration.states :]

    @property
    def twist_map(self) -> sp.Matrix:
        """T(q) of this participant, q' = T(q) v."""
        return self.system.configuration.twist_map(self.group("q"))

    def twist_gradient(self, values: sp.MatrixBase) -> sp.Matrix:
        """(d values / dq) T(q): how a column of functions of q moves with each velocity of this participant."""
        q = self.group("q")
        return jacobian(values, q) if self.system.configuration.identity else jacobian_along(values, q, self.twist_map)

    def moved(self, values: sp.MatrixBase) -> sp.Matrix:
        """(d values / dq) q': how fast a column of functions of q changes with the motion of this participant."""
        return product(self.twist_gradient(values), sp.Matrix(self.group("v")))


@dataclass(frozen=True)
class RelationClass:
    """The base of relation classes; parameters start with the slots of law and constructor.

    ``terms`` are columns over the participants' symbols, ``multipliers``, parameters and NOW. ``reactions`` holds
    one column for each participant, or nothing where duality gives them. ``bounds`` is what the law's cones take.
    ``gives_back`` says whether a law that holds beside this one, or this one, has a phase of expansion
    (:attr:`Law.expansion`); the derivation knows. ``memory`` maps symbols to the units of what a term ``remembered``
    was where the last step ended, 0 before. Raises ``ModelError`` for terms and reactions that are no columns,
    or where one of ``needs`` is missing.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    """The terms without which there is no relation of this kind."""
    own_step: ClassVar[str] = ""
    """Of relations that look at systems under any schemes: its kind, ``"block"``, ``"stop"`` or ``"observed"``."""
    ends_run: ClassVar[bool] = False
    """Whether a run ends where a quantity of it is zero."""

    name: str
    parameters: tuple[sp.Symbol, ...]
    participants: tuple[Participant, ...]
    law: Law
    terms: Mapping[str, sp.Matrix]
    reactions: tuple[sp.Matrix, ...] = ()
    multipliers: tuple[sp.Symbol, ...] = ()
    bounds: sp.Matrix = field(default_factory=lambda: sp.zeros(0, 1), kw_only=True)
    gives_back: bool = field(default=False, kw_only=True)
    memory: Mapping[sp.Symbol, str] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        where = f"relation {self.name!r}"
        if not isinstance(self.terms, Mapping):
            raise ModelError(f"terms is a {type(self.terms).__name__}", where=where, fix="give {name: column}")
        if any(name not in self.terms for name in self.needs):
            raise ModelError(
                f"needs the terms {' and '.join(map(repr, self.needs))}"
                if len(self.needs) > 1
                else f"needs the term {self.needs[0]!r}",
                where=where,
                fix=f"it has {', '.join(self.terms) or 'none'}; a term without rows is sympy.zeros(0, 1)",
            )
        columns = {f"term {name!r}": term for name, term in self.terms.items()}
        columns |= {f"reaction {i + 1}": g for i, g in enumerate(self.reactions)}
        for what, values in columns.items():
            if not isinstance(values, sp.MatrixBase):
                raise ModelError(
                    f"is a {type(values).__name__}, not a matrix",
                    where=f"{where}, {what}",
                    fix="give a SymPy column: place.entered(values, what) makes it",
                )
            if values.cols != 1:
                raise ModelError(
                    f"is {values.rows}x{values.cols}, not a column",
                    where=f"{where}, {what}",
                    fix="give one row for each entry",
                )
        if self.reactions and len(self.reactions) != len(self.participants):
            raise ModelError(
                f"{len(self.reactions)} reactions on {len(self.participants)} participants",
                where=where,
                fix="give one column for each participant, in their order, or none",
            )

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of the recorded values that are named by the user: the multipliers first."""
        return tuple((label_of(s), "") for s in self.multipliers)

    @property
    def height(self) -> int:
        """The number of rows of the law: those of all terms together."""
        return sum(int(term.rows) for name, term in self.terms.items() if name != "remembered")

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """All symbols of the class in slot order: variables of the participants, multipliers, parameters, memory."""
        variables = tuple(p.rename(s) for p in self.participants for s in p.system.functions)
        return variables + self.multipliers + self.parameters + tuple(self.memory)

    @property
    def force_units(self) -> tuple[str, ...]:
        """The unit of the force behind each row of gaps and rates: forces, then the moments of rolling and drilling."""
        turning = self.law.rolling
        return ("N",) * (self.height - turning) + ("N m",) * turning

    @cached_property
    def shape(self) -> tuple[Any, ...]:
        """What is no expression and agrees where two classes are the same: systems, law, cones, what impacts pass on.

        What a law says by its values is said of all instances: whether a step of a curve is a jump, whether a set has
        bounds.
        """
        cones = self.imposed[1], self._imposed_by(self.law.in_steps())[1]
        passed = tuple(self.law.impulses(self.height) or ())
        return (type(self), tuple(id(p.system) for p in self.participants), type(self.law), cones, passed)

    def matrices(self) -> tuple[sp.Matrix, ...]:
        """Every expression over parameters, in slot order."""
        return (*self.terms.values(), *self.reactions, self.bounds)

    def with_matrices(self, matrices: Sequence[sp.Matrix], slots: tuple[sp.Symbol, ...]) -> Self:
        """The class with these in the place of :meth:`matrices`, and parameters more."""
        own = iter(matrices)
        return replace(
            self,
            parameters=(*self.parameters, *slots),
            terms={name: next(own) for name in self.terms},
            reactions=tuple(next(own) for _ in self.reactions),
            bounds=next(own),
        )

    def expressions(self) -> tuple[sp.Basic, ...]:
        """Everything that decides whether two classes are the same: terms, reactions, bounds, the law's rows."""
        kinds, in_steps = sp.Tuple(*(sp.Symbol(name) for name in self.terms)), self.law.in_steps()
        rows = [self.imposed[0], *([] if in_steps is self.law else [self._imposed_by(in_steps)[0]])]
        return (*(sp.ImmutableMatrix(m) for m in (*self.matrices(), *rows)), kinds)

    @property
    def imposed(self) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        """What the law imposes on rates and multipliers that are symbols of their own: rows, and their cones."""
        return self._imposed_by(self.law)

    def _imposed_by(self, law: Law) -> tuple[sp.Matrix, tuple[tuple[Cone, int], ...]]:
        count = self.height + len(law.own_multipliers(self.height))
        rate, last, multiplier = (
            sp.Matrix([own_symbol(kind, f"{kind}{i}") for i in range(rows)])
            for kind, rows in (("rate", self.height), ("last_rate", self.height), ("multiplier", count))
        )
        return law.imposed(sp.Matrix(law.rows(rate, last)), multiplier)

    @property
    def rate(self) -> sp.Matrix:
        """u, the rates that a contact's law is about; raises ``ModelError`` where the relation has no gap."""
        raise self._without_gap()

    @cached_property
    def rate_change(self) -> sp.ImmutableMatrix:
        """(du/dq) q' + du/dt, how fast the rates change while no velocity does."""
        u = self.rate
        return sp.ImmutableMatrix(sum((p.moved(u) for p in self.participants), jacobian(u, (NOW,))))

    def gradient(self, participant: Participant) -> sp.Matrix:
        """H_i = du/dv_i; raises ``ModelError`` where the relation has no gap."""
        raise self._without_gap()

    def _without_gap(self) -> ModelError:
        return ModelError(
            f"has no gap and no rates, only {', '.join(self.terms)}",
            where=f"relation {self.name!r}",
            fix="use a scheme for relations by output and reaction, or write it as a nsd.Contact",
        )

    def operators(self) -> list[Operator]:
        """The quantities of this relation that people derive by hand; none unless its own file says so."""
        return []
