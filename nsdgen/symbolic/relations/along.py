"""Relations along given directions: constraints of velocities, forces by law, forces by formula; and columns alone.

A direction is said by a coordinate s(t, q), or by a rate that is linear in velocities; the reaction on each
participant is dual to the rate, J_i^T f with J_i = d(rate)/dv_i, so that the force has the power f . rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import sympy as sp

from nsdgen.base.checks import shown
from nsdgen.base.names import check_display_name, numbered
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError, of_model
from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.entry import column
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.scope import function_symbols, unit_labels
from nsdgen.symbolic.families.copies import SystemCopy, prototype_of
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.laws.check_law import check_law
from nsdgen.symbolic.laws.law import Law
from nsdgen.symbolic.laws.rows import Equality
from nsdgen.symbolic.relations.gap_class import GapClass
from nsdgen.symbolic.relations.output_relation import OutputClass, entered_reactions, multipliers, reaction_columns
from nsdgen.symbolic.relations.relation import Place, Relation, checked_law
from nsdgen.symbolic.relations.relation_class import RelationClass
from nsdgen.symbolic.relations.sliding import sliding_rates
from nsdgen.symbolic.relations.turns import counting_turns


class _Along(Relation):
    """What is common: directions, said by coordinates or rates."""

    law: Law = Equality()

    def __init__(self, name: str, along: Any) -> None:
        self.name = name
        self.along = column(along, where=f"relation {name!r}, along")

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """The coordinates or rates."""
        return list(self.along)

    def rates(self, place: Place) -> sp.Matrix:
        """The rates over fresh symbols; raises ``ModelError`` for what moves with no velocity, or not linearly."""
        for system, participant in zip(place.systems, place.participants, strict=True):
            if not participant.group("v"):
                raise ModelError(
                    f"acts on {system.name!r}, which is not a mechanical system",
                    where=place.where,
                    fix="use nsd.FirstOrderRelation for first-order systems",
                )
        return sliding_rates(self.along, sp.zeros(0, 1), place, "along")


@named_arguments
class VelocityConstraint(_Along):
    """``rate`` = 0 at the end of every step: one or more rates, linear in velocities; nonholonomic ones among them.

    A coordinate in place of a rate means that it does not change. The multiplier is an impulse. Positions are not
    looked at: for a constraint of positions use :class:`~nsdgen.symbolic.relations.contact.Bilateral`. ``units`` are
    those of the forces behind it, newtons unless said: ``"N m"`` for rates of rotation.
    """

    def __init__(self, name: str, rate: Any, units: Sequence[str] = ()) -> None:
        super().__init__(name, rate)
        self.units = unit_labels(units, self.along.rows, f"relation {name!r}") if units else ()

    def describe(self, place: Place) -> GapClass:
        """The class of this constraint over fresh symbols: rates without a gap."""
        return GapClass(
            self.name,
            (),
            place.participants,
            self.law,
            {"gap": sp.zeros(0, 1), "sliding": self.rates(place)},
            units=self.units,
        )


@named_arguments
class RateForce(_Along):
    """Forces f along coordinates or rates, joined with the rates by a law: dry friction, a clutch, a valve.

    ``along`` lists coordinates or rates, ``law`` joins (rate, force) row by row: ``nsd.Relay(level)`` is Coulomb
    friction with a constant bound, f in -level Sgn(rate). Recorded as ``force`` and ``output``, the rate.
    """

    def __init__(self, name: str, along: Any, law: Law, units: Sequence[str] = ()) -> None:
        super().__init__(name, along)
        where = f"relation {name!r}"
        self.law = checked_law(law, where)
        if law.of_rates:
            raise ModelError(
                f"{type(law).__name__} is a law for contacts",
                where=where,
                fix="use nsd.Relay(level), nsd.Box(...) or nsd.PiecewiseLinear(...)",
            )
        check_law(law, self.along.rows, where)
        self.multipliers = tuple(multipliers("force", self.along.rows))
        self.variables = function_symbols(self.multipliers, where=where)
        self.units = unit_labels(units, self.along.rows, where)

    def describe(self, place: Place) -> OutputClass:
        """The class of this relation over fresh symbols: y = rate, r_i = J_i^T f."""
        rates = self.rates(place)
        force = sp.Matrix(self.variables)
        reactions = tuple(jacobian(rates, p.group("v")).T * force for p in place.participants)
        return OutputClass(
            self.name, (), place.participants, self.law, {"output": rates}, reactions, self.variables, units=self.units
        )


@named_arguments
class ForceElement(_Along):
    """Forces ``force`` along coordinates or rates: springs, dampers, motors, a wrench of one's own, between systems.

    ``along`` lists coordinates s(t, q) or rates linear in velocities, ``force`` as many expressions of time,
    coordinates, velocities and parameters, positive where they push the way s grows. The reaction on each system
    follows by duality; systems that share an element are solved together. ``force`` is recorded.
    """

    def __init__(self, name: str, along: Any, force: Any, units: Sequence[str] = ()) -> None:
        super().__init__(name, along)
        where = f"relation {name!r}"
        self.force = column(
            force, where=f"{where}, force", rows=self.along.rows, fix="give one force for each entry of along"
        )
        self.units = unit_labels(units, self.along.rows, where)

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """Coordinates or rates, and forces."""
        return [*self.along, *self.force]

    def describe(self, place: Place) -> ForceClass:
        """The class of this element over fresh symbols."""
        rates = self.rates(place)
        place, terms, memory = counting_turns(self.counted, self.force, place)
        force = place.entered(self.force, "force")
        reactions = tuple(jacobian(rates, p.group("v")).T * force for p in place.participants)
        own = place.participants, self.law, {"force": force, **terms}, reactions
        return ForceClass(self.name, (), *own, units=self.units, memory=memory)


@named_arguments
class Coupling(Relation):
    """Terms of equations that read several systems: r_i = g_i(t, q, v, x) is added to the equations of system i.

    ``reaction`` maps each system (or copy of one) to its entries of g, one for each equation: a generalised force for
    a velocity, what is added to the right-hand side for a first-order state. There is no multiplier and no law: what
    the current of a motor does to a shaft, and the shaft to the current. Schemes take the terms where they take those
    of systems, and solve for all systems that they join together. The entries that are not 0 are recorded as
    ``force``, system by system; ``units`` are theirs. Raises ``ModelError`` for other keys and shapes, and where all
    entries are 0.
    """

    law: Law = Equality()

    def __init__(self, name: str, reaction: Mapping[System | SystemCopy, Any], units: Sequence[str] = ()) -> None:
        self.name = name
        where = f"relation {name!r}"
        self.reaction = reaction_columns(reaction, lambda s, _: prototype_of(s).equations, where)
        if not any(self.entries):
            raise ModelError("adds nothing to any system", where=where, fix="give terms: {system: [one an equation]}")
        self.units = unit_labels(units, sum(e != 0 for e in self.entries), where)

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """The terms, system by system."""
        return [e for g in self.reaction.values() for e in g]

    @property
    def reacts_on(self) -> Sequence[System | SystemCopy]:
        """The keys of ``reaction``."""
        return list(self.reaction)

    def describe(self, place: Place) -> ForceClass:
        """The class of this relation over fresh symbols."""
        force = place.entered([e for e in self.entries if e != 0], "reaction")
        reactions = entered_reactions(self.reaction, place)
        return ForceClass(self.name, (), place.participants, self.law, {"force": force}, reactions, units=self.units)


@named_arguments
class Observed(Relation):
    """Columns of one's own: ``columns`` maps names to expressions of time, parameters, coordinates, rates and states.

    Multipliers of relations may stand in them, and columns (:func:`nsd.recorded`). They are functions of what else is
    recorded at an instant, whatever the schemes of the systems, and act on nothing; ``units`` are theirs. Joints make
    theirs (:meth:`Joint.motion`). Raises ``ModelError`` without columns, and for other numbers of units.
    """

    law: Law = Equality()
    reads_others = True

    def __init__(self, name: str, columns: Mapping[str, Any], units: Sequence[str] = ()) -> None:
        self.name = name
        where = f"relation {name!r}"
        if not columns:
            raise ModelError("records nothing", where=where, fix="give columns: {'height': body.position[2]}")
        for text in columns:
            check_display_name(text)
        self.names = tuple(columns)
        self.values = [as_expression(e, where=f"{where}, {text}") for text, e in columns.items()]
        self.units = unit_labels(units, len(self.names), where)

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """What is recorded."""
        return self.values

    def describe(self, place: Place) -> ObservedClass:
        """The class of this relation over fresh symbols: reactions that are zero."""
        nothing = tuple(sp.zeros(prototype_of(s).equations, 1) for s in place.systems)
        columns = {s: s for e in self.values for s in e.free_symbols if s.name.startswith("recorded/")}
        shown = replace(place, symbols={**place.symbols, **columns}).entered(self.values, "columns")
        free = {s for e in shown for s in e.free_symbols}
        others = (s for s in place.symbols.values() if isinstance(s, sp.Symbol) and s.name.startswith("read/"))
        return ObservedClass(
            self.name,
            (),
            place.participants,
            self.law,
            {"force": shown},
            nothing,
            units=self.units,
            names=self.names,
            reads=tuple(s for s in (*dict.fromkeys(others), *sorted(columns, key=str)) if s in free),
        )


@dataclass(frozen=True)
class ForceClass(RelationClass):
    """Reactions r_i(t, q, v) without a law; the term ``force`` is recorded, under ``names`` where it has any."""

    needs: ClassVar[tuple[str, ...]] = ("force",)
    units: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def height(self) -> int:
        """No rows: there is nothing to solve for."""
        return 0

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """``force``, or ``force[0]``, ``force[1]``, ...."""
        count = self.terms["force"].rows
        return tuple(zip(self.names or numbered("force", count), self.units or ("",) * count, strict=True))


@dataclass(frozen=True)
class ObservedClass(ForceClass):
    """Columns that are functions of the record of an instant; ``reads`` are symbols of what others record there."""

    own_step: ClassVar[str] = "observed"

    reads: tuple[sp.Symbol, ...] = ()

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """Those of every relation, and what is read of others."""
        return super().symbols + self.reads


OUTPUTS = "outputs"
"""The instance whose columns they are: ``outputs.power``."""


@named_arguments
@dataclass(frozen=True)
class OutputColumn:
    """An expression of time, parameters, coordinates, velocities, states and multipliers, and its unit (a label).

    What a scheme records besides is :func:`nsd.recorded`.
    """

    value: Any
    unit: str = ""


def observed_outputs(given: Any, model: str) -> list[Observed]:
    """What ``outputs=`` of a model says, as one relation that acts on nothing; raises ``ModelError`` for no mapping."""
    if given is None or (isinstance(given, Mapping) and not given):
        return []
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ModelError(
            f"{shown(given)} is no mapping of names to expressions",
            model=model,
            where="outputs",
            fix="write outputs={'power': nsd.OutputColumn(force * x.diff(), 'W')}",
        )
    items = {name: item if isinstance(item, OutputColumn) else OutputColumn(item) for name, item in given.items()}
    with of_model(model):
        return [Observed(OUTPUTS, {n: o.value for n, o in items.items()}, [o.unit for o in items.values()])]
