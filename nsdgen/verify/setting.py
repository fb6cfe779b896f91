"""The setting of a decision: all assumptions taken together."""

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import sympy as sp
from sympy.matrices.expressions import MatrixExpr

from nsdgen.verify.assumption import KINDS, said
from nsdgen.verify.shapes import is_abstract


class OutOfTime(Exception):
    """An exact method used up its budget; caught inside ``verify``, never seen by a caller."""


@dataclass(frozen=True)
class Deadline:
    """A moment on the clock of this process's own processor time: a busy machine changes no verdict."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """The moment so many seconds of processor time from now."""
        return cls(time.process_time() + seconds)

    def check(self) -> None:
        """Raises ``OutOfTime`` when the moment has passed."""
        if time.process_time() > self.at:
            raise OutOfTime

    def left(self) -> float:
        """Seconds that remain."""
        return self.at - time.process_time()

    def within(self, seconds: float) -> Self:
        """This moment, or an earlier one so many seconds from now."""
        return type(self)(min(self.at, time.process_time() + seconds))

    def share(self, fraction: float) -> Self:
        """The moment when a fraction of what remains is used up."""
        return self.after(fraction * max(self.left(), 0.0))


@dataclass(frozen=True)
class Setting:
    """Assumptions taken together; ``texts`` names them, ``seed`` starts the drawing of points."""

    assumptions: tuple[Any, ...] = ()
    seed: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The assumptions in words, in their order."""
        return tuple(a.text for a in self.assumptions)

    def but(self, *more: Any) -> Self:
        """The same setting with further assumptions."""
        return type(self)((*self.assumptions, *more), self.seed)

    @cached_property
    def conditions(self) -> tuple[sp.Expr, ...]:
        """All scalar expressions of which the assumptions say something."""
        return tuple(said(self.assumptions, *KINDS))

    @cached_property
    def equations(self) -> tuple[sp.Expr, ...]:
        """Scalar expressions that vanish."""
        return tuple(said(self.assumptions, "given"))

    @cached_property
    def relations(self) -> tuple[MatrixExpr, ...]:
        """Matrix expressions that vanish, of the assumptions about abstract matrices."""
        return tuple(e for a in self.assumptions for kind, e in a.said() if kind == "given" and is_abstract(e))
