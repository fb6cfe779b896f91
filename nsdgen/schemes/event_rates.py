"""Derivatives of outputs in time, up to the first that forces move and one more."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from nsdgen.schemes.relation_step import RelationStep
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.relations.relation_class import Participant

__all__ = ["OutputRates"]

_MOST = 4
"""Derivatives that are looked at: where switchings accumulate the second one is moved, beyond it they hardly do."""


@dataclass(frozen=True)
class OutputRates:
    """y, y', y'', ... of one row by the equations of its relation and its systems, others left out.

    ``order`` is the first of them that holds multipliers, 2 at least where none is found; ``chain`` begins with y.
    ``held`` is the derivative that is zero where the row is held on a jump, ``None`` where it cannot be.
    """

    order: int
    chain: tuple[sp.Expr, ...]
    held: int | None

    @classmethod
    def of(cls, step: RelationStep, row: sp.Expr) -> OutputRates:
        """Those of a row of the output of a relation."""
        own = set(step.cls.multipliers)
        if row.free_symbols & own:
            return cls(0, (row,), 1)
        if not all(_plain(p) for p in step.cls.participants):
            return cls(1, (row,), None)
        chain = [row]
        while len(chain) <= _MOST and not chain[-1].free_symbols & own:
            chain.append(_derivative(step, chain[-1]))
        order = len(chain) - 1
        if not chain[-1].free_symbols & own:
            return cls(2, tuple(chain[:2]), None)
        if order > 1:
            return cls(order, tuple(chain), order)
        gains = jacobian(sp.Matrix([chain[1]]), step.cls.multipliers).free_symbols
        states = {p.rename(s) for p in step.cls.participants for s in p.system.functions} | {NOW}
        return cls(1, tuple(chain), 2 if gains & states else None)

    def moved(self, step: RelationStep, stage: RelationStep, number: int) -> sp.Expr:
        """A derivative as the rates of all states move it: that of the one before."""
        return _total(step, self.chain[number - 1], [p.unknown for p in stage.participants])


def _plain(participant: Participant) -> bool:
    """Whether it is M x' = f, or M v' = F with q' = v, where M is diagonal, without zeros and without states."""
    cls = participant.system
    mass = cls.terms["mass"].values
    return (
        cls.configuration.flat
        and mass.is_diagonal()
        and all(m != 0 for m in mass.diagonal())
        and mass.free_symbols.isdisjoint(cls.functions)
    )


def _derivative(step: RelationStep, value: sp.Expr) -> sp.Expr:
    """dy/dt with M x' = f + g, M v' = F + g."""
    rates = []
    for p, g in zip(step.cls.participants, step.cls.reactions, strict=True):
        terms = p.system.terms
        total = p.rename(terms["rhs" if "rhs" in terms else "force"].values) + g
        rates.append(sp.Matrix([e / m for e, m in zip(total, terms["mass"].values.diagonal(), strict=True)]))
    return _total(step, value, rates)


def _total(step: RelationStep, value: sp.Expr, rates: list[sp.Matrix]) -> sp.Expr:
    """dy/dt, ``rates`` those of states or velocities."""
    found, row = value.diff(NOW), sp.Matrix([value])
    for p, rate in zip(step.cls.participants, rates, strict=True):
        moving = p.group("x") or p.group("v")
        found += (jacobian(row, moving) * rate)[0]
        if p.group("q"):
            found += p.moved(row)[0]
    return found
