"""Tables of text for pages and notebooks."""

from collections.abc import Sequence
from html import escape


def table(rows: Sequence[Sequence[str]], head: Sequence[str] = ()) -> str:
    """An HTML table; without a head the first column is one."""
    top = f"<thead><tr>{_cells(head, 'th')}</tr></thead>" if head else ""
    body = "".join(
        f"<tr>{_cells(row, 'td')}</tr>" if head else f"<tr><th>{escape(row[0])}</th>{_cells(row[1:], 'td')}</tr>"
        for row in rows
    )
    return f"<table>{top}<tbody>{body}</tbody></table>"


def _cells(texts: Sequence[str], tag: str) -> str:
    return "".join(f"<{tag}>{escape(text)}</{tag}>" for text in texts)
