"""A hand side in LaTeX: the text, and what its names stand for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .decorated_names import declared
from .operations import scalar
from .parser import Parser


@dataclass(frozen=True)
class Latex:
    """A formula as it stands in a document: ``Latex(r"2 q_0 \\hat a^\\top", symbols={"q_0": q0, r"\\hat a": a})``.

    ``symbols`` maps names as the text spells them to SymPy symbols, matrices, or functions that are applied
    to an argument in parentheses. A subscript that is a number picks an entry of a declared vector or
    matrix, counted from ``first_index``. ``expression()`` raises ``ModelError`` with the place where the
    text cannot be read or holds an undeclared name, and SymPy's ``ShapeError`` where shapes cannot agree.
    """

    text: str
    symbols: Mapping[str, Any]
    first_index: int = 1

    hand_side = "text"

    def expression(self) -> Any:
        """The formula in SymPy: a scalar (also for a 1 x 1 product such as a^T b) or a matrix."""
        return scalar(Parser(self.text, declared(self.symbols), self.first_index).whole())

    def __call__(self) -> Any:
        return self.expression()
