"""Relations as a user describes them: the base of every kind.

A kind of relation is a subclass: ``entries`` are the user's expressions (the systems whose functions of time occur
take part), ``describe`` gives the class over fresh symbols. Slots, bounds, parameters and copies are filled in for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import sympy as sp

from nsdgen.base.checks import check_complete
from nsdgen.errors import ModelError
from nsdgen.symbolic.drawing.figure import Figure
from nsdgen.symbolic.expressions.entry import column, enter_matrix
from nsdgen.symbolic.families.copies import RelationCopies, SystemCopy
from nsdgen.symbolic.families.system import System
from nsdgen.symbolic.laws.law import Law, Slot
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass

if TYPE_CHECKING:
    from nsdgen.symbolic.joints.freedom import Freedom


@dataclass(frozen=True)
class Place:
    """Where a relation stands in its model: the symbols it may use, and its participants, already renamed.

    ``systems`` are the user's objects (systems or instances) and ``participants`` their classes as the relation
    sees them, in the same order. ``symbols`` maps functions of time, parameters and arguments to fresh symbols.
    """

    where: str
    symbols: Mapping[sp.Basic, sp.Expr]
    systems: tuple[System | SystemCopy, ...]
    participants: tuple[Participant, ...]

    def entered(self, values: Any, what: str) -> sp.Matrix:
        """A matrix, list or expression of the user's over fresh symbols, a list as a column.

        Raises ``ModelError`` naming every symbol that is nobody's.
        """
        where = f"{self.where}, {what}"
        return enter_matrix(
            values if isinstance(values, sp.MatrixBase) else column(values, where=where), self.symbols, where=where
        )


@dataclass(frozen=True)
class Held:
    """A value that a run sets itself: the user's symbol, its name in the model, what it is at t_0, its unit."""

    symbol: sp.Symbol
    name: str
    initial: float
    unit: str = ""


@dataclass(frozen=True)
class Clock:
    """When a relation acts: at offset + k period [s] from the start of a run, and what it holds until then.

    ``period`` and ``offset`` are held values themselves, which nothing changes; without them it acts where its
    conditions come true only, and ``at_start`` as if they had done so there. ``cut`` ends steps at instants that
    lie between two; else such a period is refused. ``computed``: by a Python function.
    """

    period: Held | None
    offset: Held | None
    holds: tuple[Held, ...]
    cut: bool = False
    computed: bool = False
    at_start: bool = False


class Relation(ABC):
    """A relation between systems of a model, with a law: the base of all kinds.

    ``arguments`` maps symbols of the expressions to those of their slots (``slots``): relations that differ in
    the values of slots only share one class. ``multipliers`` and ``variables`` are the relation's own functions of
    time and their symbols. One with a ``clock`` acts at instants of its own only, and holds values in between;
    ``resets`` are the states of systems that it sets there; multipliers of other relations may stand in the expressions
    of one that ``reads_others``. One that acts on a freedom ``of`` another wants that in the
    model; turns of a freedom are ``counted`` in its expressions where that is an angle. ``doubtful`` are pairs
    (expression, text): a warning where the expression is negative at the start. What a picture shows of it are its
    ``figures``.
    """

    name: str
    law: Law
    arguments: Mapping[sp.Symbol, sp.Symbol] = {}
    slots: tuple[Slot, ...] = ()
    multipliers: tuple[sp.Expr, ...] = ()
    variables: tuple[sp.Symbol, ...] = ()
    clock: Clock | None = None
    resets: Mapping[sp.Expr, sp.Expr] = {}
    reads_others: bool = False
    of: Relation | None = None
    counted: Freedom | None = None
    doubtful: Sequence[tuple[sp.Expr, str]] = ()
    figures: Sequence[Figure] = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """The bare relation; raises ``ArgumentError`` for a kind that leaves out what every kind gives."""
        check_complete(cls)
        return super().__new__(cls)

    @property
    @abstractmethod
    def entries(self) -> Sequence[sp.Expr]:
        """The user's expressions: the systems whose functions of time occur in them take part."""

    @property
    def reacts_on(self) -> Sequence[System | SystemCopy]:
        """Systems that take part whether they occur in the expressions or not."""
        return ()

    @abstractmethod
    def describe(self, place: Place) -> RelationClass:
        """The class of this relation over fresh symbols, its parameters and bounds left to the caller."""

    def copies(
        self,
        participants: Sequence[Any],
        like: Any,
        arguments: Mapping[sp.Symbol, Any] | None = None,
        names: Sequence[str] | None = None,
    ) -> RelationCopies:
        """One copy of this relation for each row of ``participants``, described once.

        ``like`` are the instances the relation is written in; a row names those that take their places, as
        instances or as numbers among the same copies: ``touch.copies([(0, 1), (1, 2)], like=(beads[0],
        beads[1]))``; where ``like`` is a single instance, rows may be single, too. ``arguments`` maps symbols of
        the expressions or of the law to arrays with one number for each row. Names default to "<name> 0", ....
        """
        return RelationCopies(self, participants, like, arguments or {}, names)


def checked_law(law: Any, where: str) -> Law:
    """``law``; raises ``ModelError`` for what is none."""
    if isinstance(law, type) and issubclass(law, Law):
        raise ModelError(
            f"{law.__name__} is not a law, but a class of laws", where=where, fix=f"give a law of it: {law.__name__}()"
        )
    if not isinstance(law, Law):
        raise ModelError(
            f"{law!r} is not a law",
            where=where,
            fix="use nsd.Complementarity(), nsd.Equality(), nsd.Box(lower, upper), or for contacts "
            "nsd.NewtonImpact(restitution)",
        )
    return law
