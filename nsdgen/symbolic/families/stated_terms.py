"""What a family states of its classes: groups, terms and their shapes, checked where they are stated."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import matrix


def stated_matrix(value: Any, *, where: str, rows: int | None = None, cols: int | None = None, fix: str) -> sp.Matrix:
    """A matrix, nested list or scalar of expressions as a matrix of this shape; ``None`` leaves a side free.

    A SymPy matrix comes back as it is. Raises ``ModelError`` naming the shape it has and the one it should have.
    """
    found = value if isinstance(value, sp.MatrixBase) else matrix(value, where=where)
    wanted = (found.rows if rows is None else rows, found.cols if cols is None else cols)
    if found.shape != wanted:
        raise ModelError(f"has shape {found.rows}x{found.cols}, expected {wanted[0]}x{wanted[1]}", where=where, fix=fix)
    return found


def check_texts(values: Any, count: int, what: str, where: str) -> None:
    """Raise ``ModelError`` unless ``values`` are so many texts; one text is not a tuple of its letters."""
    if isinstance(values, str):
        raise ModelError(
            f"{what} are the text {values!r}, not a tuple of texts", where=where, fix=f"write ({values!r},)"
        )
    if not isinstance(values, Sequence) or not all(isinstance(v, str) for v in values):
        raise ModelError(
            f"{what} are {values!r}, not a tuple of texts", where=where, fix="give one text for each symbol"
        )
    if len(values) != count:
        raise ModelError(
            f"{len(values)} {what} for {count} symbols", where=where, fix="give one for each symbol, in order"
        )


def check_tuple(values: Any, kind: type | tuple[type, ...], what: str, made_by: str, where: str) -> None:
    """Raise ``ModelError`` unless ``values`` is a tuple of ``kind``; ``made_by`` says what makes its entries."""
    if not isinstance(values, tuple):
        raise ModelError(
            f"{what} is a {type(values).__name__}, not a tuple",
            where=where,
            fix=f"give a tuple of {made_by}: ({made_by}, ...)",
        )
    wrong = [v for v in values if not isinstance(v, kind)]
    if wrong:
        raise ModelError(f"{what} holds {wrong[0]!r}", where=where, fix=f"give a tuple of {made_by}")


def check_name(name: Any, what: str, where: str, reserved: Iterable[str] = ()) -> None:
    """Raise ``ModelError`` for a role or a term whose name no attribute or argument can have."""
    if not isinstance(name, str) or not name.isidentifier():
        raise ModelError(
            f"{what} {name!r} is no identifier",
            where=where,
            fix="use letters, digits and underscores: it becomes the name of an argument or attribute",
        )
    if name in reserved:
        raise ModelError(f"{what} {name!r} has a meaning of its own", where=where, fix="call it otherwise")


def twice(names: Iterable[Any]) -> Any:
    """The first that occurs more than once; ``None`` where there is none."""
    counts: Mapping[Any, int] = Counter(names)
    return next((name for name, count in counts.items() if count > 1), None)
