"""Tables of the benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["table_text"]


def table_text(rows: Sequence[Sequence[str]]) -> str:
    """Rows, the headings first, as a Markdown table."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)
