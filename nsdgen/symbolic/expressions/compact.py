"""Formulas in little room: typeset where that is short, as text where it is not, cut where nobody would read it.

What is wrong is shown longer than what is right; the records of ``--json`` hold all.
"""

from collections.abc import Collection
from html import escape
from itertools import islice
from typing import Any

import sympy as sp

from nsdgen.symbolic.expressions.mathml import MARK, formula

_TYPESET = 2400  # characters of MathML that a panel may take
_NODES = 300  # of an expression whose typesetting is tried
_ALL, _RIGHT, _WRONG = 1800, 240, 600  # characters as text: of all entries, of one that is right, and of a wrong one
_LEAST = 16  # characters of an entry, however many there are: fewer show nothing
_MOST_ENTRIES = 150  # above it only those that are wrong are shown: a table of more has no legible cells

_COUNTED = '<p class="text">⟨n⟩: an expression of n operations, which the kernel has step by step</p>'


def shown(value: Any, wrong: Collection[tuple[int, int]] = (), *, room: int = 1) -> str:
    """The HTML of a formula; ``wrong`` holds the entries (from 1; (0, 0) for a scalar) to be marked.

    With ``room`` formulas so many times as long are typeset.
    """
    if not isinstance(value, sp.Basic | sp.MatrixBase) or _is_small(value, room * _NODES):
        text = formula(value, wrong)
        if len(text) <= room * _TYPESET:
            return text + (_COUNTED if "⟨" in text else "")
    if isinstance(value, sp.MatrixBase):
        return _table(value, wrong)
    return f'<p class="text">{_entry(value, (0, 0) in wrong)}</p>'


def cut(text: str, most: int = _WRONG) -> str:
    """A text of at most about so many characters, and how many there are."""
    return text if len(text) <= most else f"{text[:most].rstrip()} … ({len(text)})"


def _is_small(value: Any, most: int) -> bool:
    parts = list(value) if isinstance(value, sp.MatrixBase) else [value]
    nodes = (n for e in parts for n in sp.preorder_traversal(e))
    return next(islice(nodes, most, None), None) is None


def _table(value: sp.MatrixBase, wrong: Collection[tuple[int, int]]) -> str:
    if value.rows * value.cols > _MOST_ENTRIES:
        lines = [f"<p>({i}, {j}): {_entry(value[i - 1, j - 1], True)}</p>" for i, j in sorted(wrong) if i]
        return f"<p>a matrix of shape ({value.rows}, {value.cols})</p>{''.join(lines)}"
    most = max(_LEAST, min(_RIGHT, _ALL // max(1, value.rows * value.cols)))
    rows = (
        "".join(
            f'<td class="wrong">{_entry(value[i, j], True)}</td>'
            if (i + 1, j + 1) in wrong
            else f"<td>{_entry(value[i, j], False, most)}</td>"
            for j in range(value.cols)
        )
        for i in range(value.rows)
    )
    return f'<table class="values text">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _entry(e: Any, wrong: bool, most: int = _RIGHT) -> str:
    mark = f'<span class="mark">{MARK}</span> ' if wrong else ""
    nodes = sum(1 for _ in islice(sp.preorder_traversal(e), 5000)) if isinstance(e, sp.Basic) else 1
    text = f"({nodes} nodes)" if nodes == 5000 else cut(str(e).replace("**", "^"), _WRONG if wrong else most)
    return f"{mark}{escape(text)}"
