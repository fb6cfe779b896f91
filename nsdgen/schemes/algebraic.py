"""Differential-algebraic equations M x' = f + r: combinations nu of equations with nu^T M = 0 have no derivative.

Each of them takes the place of one equation and holds at the end of the step, nu^T (f + r) = 0, where the others are
weighed between its ends: a mean of algebraic equations would let an error at t_k come back with changed sign in
every step, and would take reactions at another instant than what they balance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.generic_rank import RowRelation, row_relations
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import SystemClass

__all__ = ["AlgebraicEquations", "algebraic_equations", "constant_rank"]


@dataclass(frozen=True)
class AlgebraicEquations:
    """The algebraic equations of a class; ``relations`` say which combination of equations takes whose place."""

    relations: tuple[RowRelation, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.relations)

    @property
    def pivots(self) -> tuple[int, ...]:
        """The equations whose places are taken."""
        return tuple(r.pivot for r in self.relations)

    def replaced(self, weighed: sp.Matrix, at_end: sp.Matrix) -> sp.Matrix:
        """``weighed`` with the combinations of ``at_end`` in the places of the algebraic equations."""
        found = sp.Matrix(weighed)
        for relation in self.relations:
            found[relation.pivot] = sum((c * at_end[i] for i, c in relation.coefficients), sp.S.Zero)
        return found

    def alone(self, values: sp.Matrix) -> sp.Matrix:
        """The algebraic equations of ``values``, the other rows zero."""
        return self.replaced(sp.zeros(*values.shape), values)

    @property
    def rows(self) -> tuple[tuple[tuple[int, float], ...], ...]:
        """The combinations as numbers: (equation, coefficient)."""
        return tuple(tuple((i, float(c)) for i, c in r.coefficients) for r in self.relations)


def algebraic_equations(cls: SystemClass) -> AlgebraicEquations:
    """Those of a class with mass and right-hand side; raises ``ModelError`` where combinations depend on parameters."""
    mass = sp.ImmutableMatrix(cls.terms["mass"].values)
    found = _found(mass)
    if found is None:
        raise ModelError("its mass matrix is singular, and the combination of equations without a derivative depends "
                         "on parameters, states or time", where=f"system {cls.name!r}",
                         fix="combine the equations so that those without a derivative have a row of zeros in the mass")
    return found


def constant_rank(cls: SystemClass, algebraic: AlgebraicEquations) -> int | None:
    """The rank that a mass of parameters alone has as a rule; ``None`` for one of numbers, states or time.

    A run whose parameters make it smaller has algebraic equations that the scheme does not know.
    """
    mass = cls.terms["mass"].values
    if not mass.free_symbols or mass.free_symbols & {NOW, *cls.functions}:
        return None
    return int(mass.rows) - len(algebraic.relations)


@lru_cache(maxsize=64)
def _found(mass: sp.ImmutableMatrix) -> AlgebraicEquations | None:
    relations = row_relations(mass)
    return None if relations is None else AlgebraicEquations(relations)
