"""``python docs/build_site.py FOLDER``: these pages, and those made from the code, as a site of HTML in a folder."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
_LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+\.md)(?:#[^)\s]*)?\)")
_OUTSIDE = re.compile(r"\]\((?:\.\./)+((?:README|CONTRIBUTING)\.md|(?:examples|benchmarks|generated|nsdgen)[^)#\s]*)\)")


def staged(page: Path) -> str:
    """A page as Sphinx is to read it: the links of an index are its table of contents, files outside have no page."""
    text = page.read_text(encoding="utf-8")
    text = _OUTSIDE.sub(r"](#outside-\1)", text)
    text = re.sub(r"\[([^\]\[]*)\]\(#outside-([^)]*)\)", r"\1", text)
    if page.name == "index.md":
        links = dict.fromkeys(_LINK.findall(text))
        text += "\n```{toctree}\n:hidden:\n\n" + "\n".join(links) + "\n```\n"
    return text


def stage(source: Path) -> None:
    """Copy what changed, and write what is made from the code."""
    for path in DOCS.rglob("*"):
        target = source / path.relative_to(DOCS)
        if path.suffix == ".md":
            write(target, staged(path))
        elif (path.is_file() and path.suffix != ".py") or path.name == "conf.py":
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)


def write(path: Path, text: str) -> None:
    """Write a file unless it says that already: Sphinx reads again what is newer."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(folder: Path) -> int:
    source = folder.with_name(f"{folder.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    stage(source)
    return build_main(["-q", "-W", "--keep-going", "-b", "html", str(source), str(folder)])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
