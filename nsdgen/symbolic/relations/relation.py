"""Relations as a user describes them: the base of every kind.

A kind of relation is a subclass: ``entries`` are the user's expressions (the systems whose functions of time occur
take part), ``describe`` gives the class over fresh symbols. Slots, bounds, parameters and copies are filled in for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import enter_matrix
from nsdgen.symbolic.families.copies import Instance, RelationCopies
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.laws.law import Law, Slot
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass

__all__ = ["Place", "Relation"]


@dataclass(frozen=True)
class Place:
    """Where a relation stands in its model: the symbols it may use, and its participants, already renamed.

    ``systems`` are the user's objects (systems or instances) and ``participants`` their classes as the relation
    sees them, in the same order. ``symbols`` maps functions of time, parameters and arguments to fresh symbols.
    """

    where: str
    symbols: Mapping[sp.Basic, sp.Expr]
    systems: tuple[System | Instance, ...]
    participants: tuple[Participant, ...]

    def entered(self, values: sp.Matrix, what: str) -> sp.Matrix:
        """A matrix over fresh symbols; raises ``ModelError`` naming every symbol that is nobody's."""
        return enter_matrix(values, self.symbols, where=f"{self.where}, {what}")


class Relation(ABC):
    """A relation between systems of a model, with a law: the base of all kinds.

    ``arguments`` maps symbols of the expressions to those of their slots (``slots``): relations that differ in
    the values of slots only share one class. ``multipliers`` and ``variables`` are the relation's own functions of
    time and their symbols.
    """

    name: str
    law: Law
    arguments: Mapping[sp.Symbol, sp.Symbol] = {}
    slots: tuple[Slot, ...] = ()
    multipliers: tuple[sp.Expr, ...] = ()
    variables: tuple[sp.Symbol, ...] = ()

    @property
    @abstractmethod
    def entries(self) -> Sequence[sp.Expr]:
        """The user's expressions: the systems whose functions of time occur in them take part."""

    @property
    def reacts_on(self) -> Sequence[System | Instance]:
        """Systems that take part whether they occur in the expressions or not."""
        return ()

    @abstractmethod
    def describe(self, place: Place) -> RelationClass:
        """The class of this relation over fresh symbols, its parameters and bounds left to the caller."""

    def copies(self, participants: Sequence[Any], like: Any, arguments: Mapping[sp.Symbol, Any] | None = None,
               names: Sequence[str] | None = None) -> RelationCopies:
        """One copy of this relation for each row of ``participants``, described once.

        ``like`` are the instances the relation is written in; a row names those that take their places, as
        instances or as numbers among the same copies: ``touch.copies([(0, 1), (1, 2)], like=(beads[0],
        beads[1]))``; where ``like`` is a single instance, rows may be single, too. ``arguments`` maps symbols of
        the expressions or of the law to arrays with one number for each row. Names default to "<name> 0", ....
        """
        return RelationCopies(self, participants, like, arguments or {}, names)


def checked_law(law: Any, where: str) -> Law:
    """``law``; raises ``ModelError`` for what is none."""
    if not isinstance(law, Law):
        raise ModelError(f"{law!r} is not a law", where=where,
                         fix="use nsd.Complementarity(), nsd.Equality(), nsd.Box(lower, upper), or for contacts "
                             "nsd.NewtonImpact(restitution)")
    return law
