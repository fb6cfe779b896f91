"""The gallery: a page of each example, from its docstring, with its picture, its animation and its text."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

from links import literally
from staging import DOCS, ROOT, contents

from examples import EXAMPLES

__all__ = ["pages"]

MOVING = ROOT / "build" / "gallery"


def _docstring(path: Path) -> tuple[str, str]:
    """The first line of an example's docstring, and the rest."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first, _, rest = text.partition("\n")
    return first.rstrip("."), rest.strip()


def _page(path: Path, folder: Path) -> str:
    """A page: what the docstring says, the picture, the page that moves, and the code."""
    first, rest = _docstring(path)
    name = path.relative_to(ROOT).as_posix()
    out = [f"# {path.stem.replace('_', ' ').capitalize()}", "", f"{first}.", ""]
    if (DOCS / "gallery" / f"{path.stem}.png").exists():
        out += [f"![A run of {path.stem}]({path.stem}.png)", ""]
    if (MOVING / f"{path.stem}.html").exists():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy2(MOVING / f"{path.stem}.html", folder)
        out += [f'<a href="../moving/{path.stem}.html">See it move</a>, in a page of its own.', ""]
    else:
        out += [f"`nsdgen run {name} --animate {path.stem}.html` writes a page that moves.", ""]
    out += ["```{eval-rst}", literally(rest), "```", "", f"## {name}", "", "```python"]
    code = path.read_text(encoding="utf-8")
    body = re.sub(r'^r?""".*?"""\n+', "", code, count=1, flags=re.S)
    return "\n".join([*out, body.rstrip(), "```", ""])


def pages(folder: Path) -> dict[str, str]:
    """The pages of the gallery by path, and its index of pictures; what moves is copied to a folder."""
    found = {f"gallery/{path.stem}.md": _page(path, folder) for path in EXAMPLES}
    cards = ["# Gallery", "", "Every example is a page to read, and a model to run.", "", '<div class="gallery">']
    for path in EXAMPLES:
        first, _ = _docstring(path)
        title = re.sub(r":\w+:`([^`]*)`|`+", r"\1", first)
        picture = f'<img src="../_images/{path.stem}.png" alt="">'
        cards.append(f'<a href="{path.stem}.html">{picture}<span>{title}</span></a>')
    return {**found, "gallery/index.md": "\n".join([*cards, "</div>", contents([f"{p.stem}.md" for p in EXAMPLES])])}
