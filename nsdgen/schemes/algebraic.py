"""Differential-algebraic equations M x' = f + r: combinations nu of equations with nu^T M = 0 have no derivative.

Each of them holds at the end of the step, nu^T (f + r) = 0, where the other equations are
weighed between its ends: a mean of algebraic equations would let an error at t_k come back with changed sign in
every step, and would take reactions at another instant than what they balance.

A combination with constant coefficients takes the place of one of its equations. One whose coefficients depend on
parameters, states or time has no equation that could be left out everywhere (of cos(x), sin(x) either one is zero
somewhere): it is an equation more, beside an unknown more that balances the weighed ones along nu,

    M (x - x_k) = h f_theta + r - nu mu,    nu^T (h f + s) = 0 at the end,

which is regular wherever nu is not zero and leaves all that is orthogonal to nu as it was. s = h r, the reactions at
the end on the equations that nu combines, are unknowns as well: relations know neither nu nor what it depends on.
"""

from dataclasses import dataclass
from functools import lru_cache

import sympy as sp

from nsdgen.schemes.system_step import Instant
from nsdgen.symbolic.expressions.generic_rank import RowRelation, generic_rank
from nsdgen.symbolic.expressions.row_relations import row_relations
from nsdgen.symbolic.expressions.time import NOW
from nsdgen.symbolic.families.system_class import SystemClass


@dataclass(frozen=True)
class AlgebraicEquations:
    """The algebraic equations of a class of ``n`` equations.

    ``fixed`` say which combination of equations takes whose place, ``moving`` are those whose coefficients depend on
    symbols of the class.
    """

    n: int
    fixed: tuple[RowRelation, ...] = ()
    moving: tuple[RowRelation, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.fixed or self.moving)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self.fixed) + len(self.moving)

    @property
    def pivots(self) -> tuple[int, ...]:
        """An equation of each that none of the others contains."""
        return tuple(r.pivot for r in (*self.fixed, *self.moving))

    @property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """The equations that each of them combines."""
        return tuple(tuple(i for i, _ in r.coefficients) for r in (*self.fixed, *self.moving))

    def directions(self, at: Instant) -> sp.Matrix:
        """The coefficients nu of the moving ones at an instant, a column for each."""
        found = sp.zeros(self.n, len(self.moving))
        for k, relation in enumerate(self.moving):
            for i, coefficient in relation.coefficients:
                found[i, k] = coefficient.xreplace(at)
        return found

    @property
    def combined(self) -> tuple[int, ...]:
        """The equations that the moving ones combine."""
        return tuple(sorted({i for r in self.moving for i, _ in r.coefficients}))

    @property
    def more(self) -> int:
        """The rows and unknowns that a stage has besides: mu and s."""
        return len(self.moving) + len(self.combined)

    def imposed(self, weighed: sp.Matrix, values: sp.Matrix, at: Instant, own: sp.Matrix) -> sp.Matrix:
        """The residual with the combinations of ``values``, taken at an instant: fixed in place, moving below.

        ``own`` are the unknowns mu and s; ``weighed`` balances by mu already.
        """
        found, received = self._in_place(weighed, values), own[len(self.moving) :, :]
        if not self.moving:
            return found
        total = sp.Matrix(values)
        for i, s in zip(self.combined, received, strict=True):
            total[i] -= s
        return found.col_join(self.directions(at).T * total).col_join(received)

    def reaction(self, weighed: sp.Matrix, now: sp.Matrix) -> sp.Matrix:
        """What a reaction ``now`` at the instant of these equations, and ``weighed`` in others, adds to all rows."""
        received = sp.Matrix(len(self.combined), 1, [now[i] for i in self.combined])
        return self._in_place(weighed, now).col_join(sp.zeros(len(self.moving), 1)).col_join(received)

    def _in_place(self, weighed: sp.Matrix, values: sp.Matrix) -> sp.Matrix:
        found = sp.Matrix(weighed)
        for relation in self.fixed:
            found[relation.pivot] = sum((c * values[i] for i, c in relation.coefficients), sp.S.Zero)
        return found

    def feel(self, reaction: sp.Matrix) -> bool:
        """Whether a reaction acts on any algebraic equation."""
        fixed = self._in_place(sp.zeros(*reaction.shape), reaction)
        return not (fixed.is_zero_matrix and (self.directions({}).T * reaction).is_zero_matrix)

    def hold_all(self, reaction: sp.Matrix) -> bool:
        """Whether a reaction acts on algebraic equations only, for all values of its symbols."""
        left = sp.Matrix(reaction)
        for relation in self.fixed:
            left[relation.pivot] = 0
        if left.is_zero_matrix or not self.moving:
            return bool(left.is_zero_matrix)
        along = self.directions({})
        return generic_rank(along.row_join(left)) == generic_rank(along)


def algebraic_equations(cls: SystemClass) -> AlgebraicEquations:
    """Those of a class with mass and right-hand side."""
    return _found(sp.ImmutableMatrix(cls.terms["mass"].values))


def expected_rank(cls: SystemClass, algebraic: AlgebraicEquations) -> int | None:
    """The rank that a mass has as a rule; ``None`` for one of numbers, and where only a state or an instant decides.

    A run whose parameters make it smaller has algebraic equations that the scheme does not know.
    """
    mass = cls.terms["mass"].values
    if not mass.free_symbols or (not algebraic.moving and mass.free_symbols & {NOW, *cls.functions}):
        return None
    return int(mass.rows) - algebraic.count


@lru_cache(maxsize=64)
def _found(mass: sp.ImmutableMatrix) -> AlgebraicEquations:
    relations = row_relations(mass)
    fixed = tuple(r for r in relations if r.is_constant)
    return AlgebraicEquations(int(mass.rows), fixed, tuple(r for r in relations if not r.is_constant))
