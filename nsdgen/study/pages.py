"""Pages for a browser that fetch nothing: the body of a template with its style, its scripts and its numbers in it."""

import base64
import html
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PAGE = Path(__file__).with_name("page.html")


def page_of(template: Path, title: str, scene: Any, numbers: bytes, scripts: Sequence[str], **parts: str) -> str:
    """The text of a page; ``scripts`` are files beside the template, ``parts`` what else it has a place for."""

    def beside(name: str) -> str:
        return (template.parent / name).read_text(encoding="utf-8")

    known = {
        "TITLE": html.escape(title),
        "STYLE": beside(f"{template.stem}.css"),
        "SCENE": json.dumps(scene, separators=(",", ":"), allow_nan=False).replace("</", "<\\/"),
        "NUMBERS": deflated(numbers),
        "VIEWER": "\n".join(map(beside, scripts)),
        **parts,
    }
    page = _PAGE.read_text(encoding="utf-8").replace("@BODY@", template.read_text(encoding="utf-8"))
    return re.sub("@([A-Z]+)@", lambda place: known[place[1]], page)


def deflated(data: bytes) -> str:
    """Bytes as text for a page, which inflates them."""
    return base64.b64encode(zlib.compress(data, 9)).decode("ascii")
