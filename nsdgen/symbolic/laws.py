"""Nonsmooth laws: which combination of rate, remembered rate and multiplier lives in which cone.

A law maps the rate ``u`` at the end of the step, the remembered rate ``u_k`` and the
multiplier to the rows ``y`` of the one-step problem, and names the cone of the pair
(y, lambda). Coefficients are *slots*: symbols whose value every relation gives for itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import sympy as sp

from nsdgen.abi import Cone
from nsdgen.errors import ModelError

__all__ = ["Complementarity", "Equality", "Law", "Mixed", "NewtonImpact", "Slot"]


@dataclass(frozen=True)
class Slot:
    """A coefficient or constructor argument of a relation: its symbol, value and range."""

    symbol: sp.Symbol
    value: sp.Expr
    min: float | None = None
    max: float | None = None
    unit: str = ""


@dataclass(frozen=True)
class Law:
    """The base of all laws; ``unilateral`` laws are in play only where the relation is active."""

    cone: Cone = field(init=False, default=Cone.EQUALITY)
    unilateral: bool = field(init=False, default=False)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The law's coefficients, in the order of its constructor."""
        return ()

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        """The cone of each block of rows, in order: (cone, number of rows)."""
        return ((self.cone, rows),)

    def rows(self, rate: sp.Matrix, last_rate: sp.Matrix) -> sp.Matrix:
        """y as a function of the rate at the end of the step and the remembered one."""
        return rate


@dataclass(frozen=True)
class Equality(Law):
    """y = 0, the multiplier is free."""


@dataclass(frozen=True)
class Complementarity(Law):
    """0 <= y orthogonal to lambda >= 0; for a contact, a plastic (restitution 0) one."""

    cone: Cone = field(init=False, default=Cone.COMPLEMENTARITY)
    unilateral: bool = field(init=False, default=True)


@dataclass(frozen=True)
class Mixed(Law):
    """One law for each row of a relation: ``Mixed([Equality()] * 5 + [Complementarity()] * 4)``."""

    parts: Sequence[Law] = ()

    def __post_init__(self) -> None:
        wrong = [p for p in self.parts if not isinstance(p, Equality | Complementarity)]
        if wrong or not self.parts:
            raise ModelError(f"{wrong[0] if wrong else 'nothing'!r} cannot be mixed", where="law Mixed",
                             fix="list nsd.Equality() and nsd.Complementarity(), one for each row")

    def cones(self, rows: int) -> tuple[tuple[Cone, int], ...]:
        if len(self.parts) != rows:
            raise ModelError(f"{len(self.parts)} laws for {rows} rows", where="law Mixed",
                             fix="give one law for each row of the output")
        return tuple((part.cone, 1) for part in self.parts)


@dataclass(frozen=True)
class NewtonImpact(Law):
    """Newton's impact law: 0 <= u + e u_k orthogonal to the impulse >= 0 (developer notes, eq. 12.2).

    ``restitution`` e is a number, a parameter or an expression of parameters; its
    value must lie in [0, 1] and is checked whenever a run starts.
    """

    restitution: Any = 0
    cone: Cone = field(init=False, default=Cone.COMPLEMENTARITY)
    unilateral: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        try:
            value = sp.sympify(self.restitution)
        except sp.SympifyError as error:
            raise ModelError(f"restitution {self.restitution!r} is not an expression",
                             where="law NewtonImpact") from error
        if value.is_number and not (value.is_extended_real and 0 <= float(value) <= 1):
            raise ModelError(
                f"restitution {self.restitution} lies outside [0, 1]", where="law NewtonImpact",
                fix="0 is a plastic impact, 1 conserves the relative speed",
            )

    @property
    def slots(self) -> tuple[Slot, ...]:
        symbol = sp.Symbol("law/restitution", real=True)  # "/" keeps it apart from users' names
        return (Slot(symbol, sp.sympify(self.restitution), 0.0, 1.0, "1"),)

    def rows(self, rate: sp.Matrix, last_rate: sp.Matrix) -> sp.Matrix:
        return rate + self.slots[0].symbol * last_rate
