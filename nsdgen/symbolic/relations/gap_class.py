"""Classes of gaps: constraints and contacts on configurations, whose reactions follow by duality."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes_of import replaced
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.expressions.scope import unit_labels
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import Operator
from nsdgen.symbolic.relations.relation_class import Participant, RelationClass


@dataclass(frozen=True)
class GapClass(RelationClass):
    """gap(t, q) of one or more mechanical systems, and the rates along its tangents.

    The term ``sliding`` holds the tangential rates as functions of t, q and v, linear in v; the last
    ``law.rolling`` of them are rates of rotation. A constraint of velocities has no gap, only such
    rates. The rates u = H v + dh/dt (gap rows), then the sliding rates. ``units`` are those of the forces behind the
    rows up to rolling, where these are not newtons.
    Raises ``ModelError`` for a participant without velocities and for a gap that depends on them.
    """

    needs: ClassVar[tuple[str, ...]] = ("gap", "sliding")
    units: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        where = f"relation {self.name!r}, gap"
        for p in self.participants:
            if not p.group("q") or not p.group("v"):
                raise ModelError(
                    f"on {p.system.name!r}, which has {', '.join(p.system.roles)}, no coordinates q with velocities v",
                    where=where,
                    fix="use an output and reactions for such systems",
                )
            if read := self.terms["gap"].free_symbols & set(p.group("v")):
                raise ModelError(
                    "the gap depends on states" if read <= set(p.states) else "the gap depends on velocities",
                    where=where,
                    fix="a gap is a function of time and configuration; what is said of velocities is "
                    "an output, or a rate along a tangent",
                )
        unit_labels(self.units, self.height - self.law.rolling, where)

    @property
    def force_units(self) -> tuple[str, ...]:
        """The unit of the force behind each row."""
        known = super().force_units
        return self.units + known[len(self.units) :]

    def expressions(self) -> tuple[sp.Basic, ...]:
        """Forces and moments are of different classes, as their columns are."""
        named = tuple(sp.Symbol(unit) for unit in self.units)
        return (*super().expressions(), *(named if set(self.units) - {"N"} else ()))

    def gradient(self, participant: Participant) -> sp.Matrix:
        """H_i: the derivatives of all rates with respect to the velocities of a participant, rates x velocities."""
        return sp.Matrix(self._gradients[self.participants.index(participant)])

    @cached_property
    def _gradients(self) -> tuple[sp.ImmutableMatrix, ...]:
        return tuple(sp.ImmutableMatrix(self._gradient(p)) for p in self.participants)

    def _gradient(self, participant: Participant) -> sp.Matrix:
        gap, sliding = self.terms["gap"], self.terms["sliding"]
        gradient = participant.twist_gradient(gap)
        return gradient.col_join(jacobian(sliding, participant.group("v"))) if sliding.rows else gradient

    @property
    def rate(self) -> sp.Matrix:
        """u = sum_i H_i v_i + dh/dt of the gap rows, then the sliding rates."""
        return sp.Matrix(self._rate)

    @cached_property
    def _rate(self) -> sp.ImmutableMatrix:
        gap, sliding = self.terms["gap"], self.terms["sliding"]
        rate = jacobian(gap, (NOW,))
        for p in self.participants:
            rate = rate + product(self.gradient(p)[: gap.rows, :], sp.Matrix(p.group("v")))
        return sp.ImmutableMatrix(rate.col_join(sliding))

    def operators(self) -> list[Operator]:
        """Gap, its gradients (through the normalisation of a quaternion) and those of the sliding rates."""
        many = len(self.participants) > 1
        suffixes = [f"_{i + 1}" if many else "" for i in range(len(self.participants))]
        normal = [p.system.configuration.normalisation(p.group("q")) for p in self.participants]
        unit = {s: e for replaced, _ in normal for s, e in replaced.items()}
        operands = (
            ("t", (NOW,)),
            *((f"q{suffix}", p.group("q")) for p, suffix in zip(self.participants, suffixes, strict=True)),
        )
        gap = self.terms["gap"]
        if not gap.rows:
            return self._sliding_operators(operands, suffixes, unit)
        found = [
            Operator("gap", replaced(gap, unit), operands, "h(t, q)"),
            Operator("gap_t", replaced(jacobian(gap, (NOW,)), unit), operands, "dh/dt"),
        ]
        for p, suffix, (_, scaling) in zip(self.participants, suffixes, normal, strict=True):
            flat = p.system.configuration.flat
            gradient = replaced(jacobian(gap, p.group("q")), unit)
            twist = replaced(self.gradient(p)[: gap.rows, :], unit)
            found += [
                Operator(
                    f"gap_q{suffix}",
                    gradient if flat else product(gradient, scaling),
                    operands,
                    "dh/dq" if flat else "dh/dq, through the normalisation of the quaternion",
                ),
                Operator(f"gap_twist{suffix}", twist, operands, "H = dh/dq T(q), gap rate = H v + dh/dt"),
            ]
        return found + self._sliding_operators(operands, suffixes, unit)

    def _sliding_operators(
        self,
        operands: tuple[tuple[str, tuple[sp.Symbol, ...]], ...],
        suffixes: Sequence[str],
        unit: Mapping[sp.Symbol, sp.Expr],
    ) -> list[Operator]:
        """The rows of friction and rolling: what is left of them at rest, and their gradients in the velocities."""
        sliding = self.terms["sliding"]
        if not sliding.rows:
            return []
        at_rest, gradients = sliding, []
        for p, suffix in zip(self.participants, suffixes, strict=True):
            at_rest = replaced(at_rest, dict.fromkeys(p.group("v"), sp.S.Zero))
            gradients.append(
                Operator(
                    f"sliding_twist{suffix}",
                    replaced(jacobian(sliding, p.group("v")), unit),
                    operands,
                    "H_T, sliding rates = H_T v + sliding_t",
                )
            )
        return [Operator("sliding_t", replaced(at_rest, unit), operands, "sliding rates at rest"), *gradients]
