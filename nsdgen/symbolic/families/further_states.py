"""First-order states beside a motion, z' = g(t, q, v, z): a current, a pressure, a temperature of a mechanical system.

M(t, q) v' = F(t, q, v, z) + p,  q' = T(q) v,  z' = g(t, q, v, z) + s

z stands behind v in the group of velocities, moves no coordinate, and its rows of the mass are those of the identity:
every scheme that steps velocities steps it in the same way and with the same order, impacts leave it as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import column, enter_matrix
from nsdgen.symbolic.expressions.scope import display, function_symbols
from nsdgen.symbolic.families.system_class import Variables


@dataclass(frozen=True)
class FurtherStates:
    """The states of a system as its user wrote them, the symbols they become, and their rates."""

    functions: tuple[sp.Expr, ...]
    symbols: tuple[sp.Symbol, ...]
    rhs: sp.Matrix
    where: str

    @classmethod
    def of(cls, state: Sequence[sp.Expr] | sp.Expr, rhs: Any, taken: Sequence[str], where: str) -> Self:
        """``state`` with the rates ``rhs``, maybe none.

        Raises ``ModelError`` for a state without a rate and the other way round, and for names that others in the
        system have, ``taken``.
        """
        functions = tuple(state) if isinstance(state, Sequence | sp.MatrixBase) else (state,)
        if not functions:
            if rhs is not None:
                raise ModelError("has rhs= without state=", where=where, fix="list in state=[...] whose rates they are")
            return cls((), (), sp.zeros(0, 1), where)
        symbols = function_symbols(functions, where=f"{where}, state")
        both = [display(f) for f in functions if display(f) in taken]
        if both:
            raise ModelError(
                f"{both[0]!r} is a state and a coordinate or a velocity",
                where=where,
                fix="a state is a function of its own: list in coordinates=[...] what has a velocity, in state=[...] "
                "what has a rate alone",
            )
        if rhs is None:
            raise ModelError(
                f"the state {display(functions[0])!r} has no rate",
                where=where,
                fix="give rhs=[...], the time derivative of each state",
            )
        rates = column(rhs, where=f"{where}, rhs", rows=len(functions), fix="give the time derivative of each state")
        return cls(functions, symbols, rates, where)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of their columns."""
        return tuple(display(f) for f in self.functions)

    def described(self, symbols: Mapping[sp.Basic, sp.Expr], units: Sequence[str]) -> tuple[Variables, sp.Matrix]:
        """The group z and its rates over fresh symbols."""
        rates = enter_matrix(self.rhs, symbols, where=f"{self.where}, rhs")
        return Variables("z", self.symbols, self.names, tuple(units)), rates
