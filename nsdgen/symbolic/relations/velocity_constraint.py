"""Constraints on velocities: prescribed motions, blades, wheels that roll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.suggest import named_arguments
from nsdgen.symbolic.expressions.entry import column
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import Operator
from nsdgen.symbolic.laws.law import Equality
from nsdgen.symbolic.relations.relation import Place, Relation
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass

__all__ = ["VelocityClass", "VelocityConstraint"]


@named_arguments
class VelocityConstraint(Relation):
    """a(t, q, v) = 0, linear in the velocities of one or more mechanical systems: A(t, q) v + b(t, q) = 0.

    ``constraint`` lists the rows, such as ``x.diff() - speed`` for a prescribed motion or the velocity across a blade.
    The reaction is A^T lambda; lambda, recorded as ``impulse``, is what the constraint exerts in a step. It holds
    at the end of every step and need not hold at the start: then the first step is an impact. What follows for
    positions drifts as the scheme does; constraints that are functions of positions are better
    a :class:`~nsdgen.Bilateral`. Raises ``ModelError`` for rows that are not linear in velocities.
    """

    def __init__(self, name: str, constraint: Any) -> None:
        self.name, self.law = name, Equality()
        self.constraint = column(constraint, where=f"relation {name!r}, constraint")

    @property
    def entries(self) -> Sequence[sp.Expr]:
        """The rows."""
        return list(self.constraint)

    def describe(self, place: Place) -> VelocityClass:
        """The class of this constraint over fresh symbols."""
        rate, where = place.entered(self.constraint, "constraint"), f"{place.where}, constraint"
        v = [s for p in place.participants for s in p.group("v")]
        for i, row in enumerate(rate):
            slopes = [row.diff(s) for s in v]
            if not any(slopes):
                raise ModelError(f"row {i}, {self.constraint[i]}, holds no velocity", where=where,
                                 fix="write it over derivatives x.diff() (or a body's velocity, angular_velocity); "
                                     "what holds for positions is a nsd.Bilateral")
            if any(not slope.free_symbols.isdisjoint(v) for slope in slopes):
                raise ModelError(f"row {i}, {self.constraint[i]}, is not linear in the velocities", where=where,
                                 fix="divide it into a part that is; a speed |v| is two or three rows")
        return VelocityClass(self.name, (), place.participants, self.law, {"rate": rate})


@dataclass(frozen=True)
class VelocityClass(RelationClass):
    """Rows u = A(t, q) v + b(t, q), whose reaction is A^T lambda."""

    needs: ClassVar[tuple[str, ...]] = ("rate",)

    @property
    def rate(self) -> sp.Matrix:
        """u."""
        return self.terms["rate"]

    def gradient(self, participant: Participant) -> sp.Matrix:
        """A_i = du/dv_i."""
        return jacobian(self.rate, participant.group("v"))

    def operators(self) -> list[Operator]:
        """The rate at rest and its gradients."""
        many = len(self.participants) > 1
        suffixes = [f"_{i + 1}" if many else "" for i in range(len(self.participants))]
        operands = (("t", (NOW,)), *((f"q{s}", p.group("q")) for p, s in zip(self.participants, suffixes, strict=True)))
        at_rest = self.rate.xreplace({v: sp.S.Zero for p in self.participants for v in p.group("v")})
        return [Operator("rate_at_rest", at_rest, operands, "b, u = A v + b"),
                *(Operator(f"rate_twist{s}", self.gradient(p), operands, "A, u = A v + b")
                  for p, s in zip(self.participants, suffixes, strict=True))]
