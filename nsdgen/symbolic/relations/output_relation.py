"""Relations by output and reaction: y = h(t, x, lambda), r_i = g_i(t, x, lambda), a law between y and lambda."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy as sp

from nsdgen.abi import Cone, bound_count
from nsdgen.base.checks import named, whole_number
from nsdgen.base.names import as_vector, numbered
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import column, label_of
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.scope import function_symbols, unit_labels
from nsdgen.symbolic.expressions.time import NOW, time
from nsdgen.symbolic.families.copies import SystemCopy, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.families.system_class import Operator
from nsdgen.symbolic.laws.check_law import check_law
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.relations.dependent_bounds import rewritten
from nsdgen.symbolic.relations.relation import Place, Relation, checked_law
from nsdgen.symbolic.relations.relation_class import RelationClass


def listed_multipliers(given: Any, where: str) -> tuple[sp.Expr, ...]:
    """The multipliers of a relation, given as one or as several; raises ``ModelError`` for text."""
    if isinstance(given, str):
        raise ModelError(
            f"multipliers={given!r} is text", where=where, fix=f"make them first: nsd.multipliers({given!r}, 1)"
        )
    return tuple(given) if isinstance(given, Sequence | sp.MatrixBase) else (given,)


@named_arguments
def multipliers(name: str, count: int) -> sp.ImmutableMatrix:
    """A column of ``count`` multipliers name0, name1, ..., functions of time, recorded as name[0], name[1], ...

    Matrices and numbers multiply it, ``B * lam``, ``lam / C``; ``lam[0]`` is an entry.

    The trajectory gives them one by one or, as ``name``, all of them: (instants, count), also where ``count`` is 1.
    """
    whole_number(count, 1, 1_000_000, where="multipliers, count")  # more names would fill the memory first
    return sp.ImmutableMatrix(count, 1, [sp.Function(f"{name}{i}")(time) for i in range(count)])


@named_arguments
class OutputRelation(Relation):
    """y = h(t, x, lambda) with r_i = g_i(t, x, lambda) added to the equations of motion of system i.

    ``multipliers`` lists m multipliers (:func:`multipliers`), ``output`` the m entries
    of y, ``reaction`` maps each system (or copy of one) to its entries of g: one for each state of a first-order
    system, one for each velocity of a mechanical one (a generalised force), then for its states. ``law`` joins y and
    lambda; ``units`` and ``output_units`` label the multipliers and outputs. Raises ``ModelError`` for shapes and laws
    that do not fit; a model warns where ``reaction`` is empty.
    """

    def __init__(
        self,
        name: str,
        multipliers: Any,
        output: Any,
        reaction: Mapping[System | SystemCopy, Any],
        law: Law,
        units: Sequence[str] = (),
        output_units: Sequence[str] = (),
    ) -> None:
        self.name = name
        where = f"relation {name!r}"
        self.multipliers = listed_multipliers(multipliers, where)
        self.output = column(output, where=f"{where}, output", rows=len(self.multipliers))
        self.reaction = reaction_columns(reaction, self.reaction_rows, where)
        pushes = [e for entries in self.reaction.values() for e in entries if e != 0]
        if not self.reaction:
            self.doubtful = [
                (
                    sp.S.NegativeOne,
                    "its reaction is empty, so that it acts on no system; give {system: [one entry an equation]}, "
                    "zeros where it only says what its multipliers are",
                )
            ]
        elif pushes and not any(e.has(*self.multipliers) for e in (*pushes, *self.output)):
            own = ", ".join(str(m.func) for m in self.multipliers)
            text = f"neither its reaction nor its output holds {own}, so that its law acts on nothing"
            self.doubtful = [(sp.S.NegativeOne, text)]
        self.law = checked_law(law, where)
        if law.of_rates:
            raise ModelError(
                f"{type(law).__name__} is a law for contacts: it needs a gap rate",
                where=where,
                fix="use nsd.Complementarity(), nsd.Equality(), nsd.Box(...) or nsd.Mixed([...])",
            )
        self.units, self.output_units = (
            unit_labels(given, len(self.multipliers), where) for given in (units, output_units)
        )
        check_law(law, len(self.multipliers), where)
        self.recorded = self.output
        if (found := rewritten(law, self.multipliers, self.output)) is not None:
            self.multipliers += found.multipliers
            self.output, self.law = found.output, found.law
            self.units += ("",) * len(found.multipliers)
        self.variables = function_symbols(self.multipliers, where=f"{where}, multipliers")

    def reaction_rows(self, system: System | SystemCopy, where: str) -> int:
        """How many entries a reaction on this system has: the number of its equations of motion."""
        return prototype_of(system).equations

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """Outputs and reactions."""
        return [*self.output, *(e for g in self.reaction.values() for e in g)]

    @property
    def reacts_on(self) -> Sequence[System | SystemCopy]:
        """The keys of ``reaction``."""
        return list(self.reaction)

    def describe(self, place: Place) -> OutputClass:
        """The class of this relation over fresh symbols."""
        output = place.entered(self.output, "output")
        reactions = entered_reactions(self.reaction, place)
        terms = {"output": output}
        if self.recorded != self.output:
            terms["recorded"] = place.entered(self.recorded, "output")
        return OutputClass(
            self.name,
            (),
            place.participants,
            self.law,
            terms,
            reactions,
            self.variables,
            units=self.units,
            output_units=self.output_units,
        )


def reaction_columns(
    reaction: Mapping[System | SystemCopy, Any], rows_of: Callable[[System | SystemCopy, str], int], where: str
) -> dict[System | SystemCopy, sp.Matrix]:
    """What a user adds to the equations of each system, as columns; raises ``ModelError`` for other keys and shapes."""
    if not isinstance(reaction, Mapping):
        raise ModelError(
            "reaction is not a mapping",
            where=where,
            fix="give {system: [one entry per state or velocity of the system]}",
        )
    for system in reaction:
        if not isinstance(system, System | SystemCopy):
            raise ModelError(
                f"reacts on {named(system)}, which is not a system",
                where=where,
                fix="the keys of reaction={...} are the systems themselves, or copies of one",
            )
    return {s: column(g, where=f"{where}, reaction on {s.name!r}", rows=rows_of(s, where)) for s, g in reaction.items()}


def entered_reactions(reaction: Mapping[System | SystemCopy, sp.Matrix], place: Place) -> tuple[sp.Matrix, ...]:
    """A column for each participant over fresh symbols, zero where nothing is added."""
    return tuple(
        place.entered(reaction.get(s, sp.zeros(prototype_of(s).equations, 1)), f"reaction on {s.name!r}")
        for s in place.systems
    )


@dataclass(frozen=True)
class OutputClass(RelationClass):
    """y = h(t, x, lambda), r_i = g_i(t, x, lambda), multipliers as the user named them.

    Where bounds were rewritten, ``output`` are the rows that the law joins with all multipliers, and the term
    ``recorded`` is the user's y, a function of his multipliers, which come first.

    Raises ``ModelError`` without a reaction for each participant, or with another number of units.
    """

    needs: ClassVar[tuple[str, ...]] = ("output",)
    units: tuple[str, ...] = ()
    output_units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f"relation {self.name!r}"
        if len(self.reactions) != len(self.participants):
            raise ModelError(
                f"{len(self.reactions)} reactions on {len(self.participants)} participants",
                where=where,
                fix="give one column for each participant, in their order",
            )
        unit_labels(self.units, len(self.multipliers), f"{where}, multipliers")
        unit_labels(self.output_units, self.shown.rows, f"{where}, output")

    @property
    def height(self) -> int:
        """The rows that the law joins with the multipliers."""
        return int(self.terms["output"].rows)

    @property
    def shown(self) -> sp.Matrix:
        """y, as the user wrote it."""
        return self.terms.get("recorded", self.terms["output"])

    @property
    def multiplier_labels(self) -> tuple[tuple[str, str], ...]:
        """The user's multipliers, those of a vector as its entries, and what was added where bounds were rewritten."""
        names, own = [label_of(s) for s in self.multipliers], self.shown.rows
        names[:own] = as_vector(names[:own])
        return tuple(zip(names, self.units or ("",) * len(names), strict=True))

    @property
    def output_labels(self) -> tuple[tuple[str, str], ...]:
        """A single output is called ``output``, several ``output[0]``, ``output[1]``, ..."""
        count = self.shown.rows
        return tuple(zip(numbered("output", count), self.output_units or ("",) * count, strict=True))

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """Multipliers, then outputs."""
        return self.multiplier_labels + self.output_labels

    def operators(self) -> list[Operator]:
        """Output and reactions with their Jacobians."""
        many = len(self.participants) > 1
        groups = [
            [(f"{role}_{i + 1}" if many else role, p.group(role)) for role in p.system.roles]
            for i, p in enumerate(self.participants)
        ]
        y, own = self.shown, self.multipliers[: self.shown.rows]
        operands = (("t", (NOW,)), *(pair for pairs in groups for pair in pairs), ("lambda_", own))
        found: list[Operator] = []

        def add(name: str, values: sp.Matrix, meaning: str) -> None:
            found.append(Operator(name, values, operands, meaning))

        add("output", y, "y = h(t, x, lambda)")
        add("output_lambda", jacobian(y, own), "dh/dlambda")
        for i, pairs in enumerate(groups):
            g, suffix = self.reactions[i], f"_{i + 1}" if many else ""
            for role, (_, symbols) in zip(self.participants[i].system.roles, pairs, strict=True):
                add(f"output_{role}{suffix}", jacobian(y, symbols), f"dh/d{role}")
            add(f"reaction{suffix}", g, "r = g(t, x, lambda)")
            for role, (_, symbols) in zip(self.participants[i].system.roles, pairs, strict=True):
                add(f"reaction_{role}{suffix}", jacobian(g, symbols), f"dg/d{role}")
            add(f"reaction_lambda{suffix}", jacobian(g, own), "dg/dlambda")
        boxes = self._boxes()
        if boxes.rows and boxes.free_symbols <= {NOW, *self.parameters}:
            moving = (("t", (NOW,)),) if boxes.has(NOW) else ()
            found.append(Operator("box", boxes, moving, "lower and upper bound of one row after the other"))
        return found

    def _boxes(self) -> sp.Matrix:
        """Lower and upper bound of one row of a box after the other."""
        own, found = list(self.bounds), list[sp.Expr]()
        for cone, rows in self.imposed[1]:
            count = bound_count(cone, rows)
            found += own[:count] if cone == Cone.BOX else []
            own = own[count:]
        return sp.Matrix(len(found), 1, found)


@named_arguments
class FirstOrderRelation(OutputRelation):
    """y = h(t, x, lambda) with r_i = g_i(t, x, lambda) added to the right-hand side of first-order system i.

    The arguments are those of :class:`~nsdgen.symbolic.relations.output_relation.OutputRelation`.
    """

    def reaction_rows(self, system: System | SystemCopy, where: str) -> int:
        """The number of states; raises ``ModelError`` for a system with velocities besides."""
        if len(system.functions) != prototype_of(system).equations:
            raise ModelError(
                f"reacts on {system.name!r}, which is not a first-order system",
                where=where,
                fix="use nsd.Contact or nsd.Bilateral for mechanical systems, or nsd.OutputRelation",
            )
        return prototype_of(system).equations
