"""Tutorials are run when the site is made: what a block prints, draws or writes is shown below it."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl

__all__ = ["ran"]

_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.M | re.S)


@contextlib.contextmanager
def _inside(folder: str) -> Iterator[None]:
    """The working folder, for what a block writes by a bare name."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _shown(file: Path, stem: str, pictures: Path, moving: Path) -> str:
    """A file that a block wrote: a picture on the page, or a page that moves beside it."""
    name = f"{stem}-{file.name}"
    folder = pictures if file.suffix == ".png" else moving
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy2(file, folder / name)
    if file.suffix == ".png":
        return f"\n\n![{file.name}]({name})"
    return f'\n\n<a href="../moving/{name}">{file.name}</a>: see it move.'


def ran(text: str, stem: str, pictures: Path, moving: Path) -> str:
    """A page with what came of its blocks, which are one session; pictures and pages go to these two folders."""
    mpl.use("Agg")
    session: dict[str, Any] = {"__name__": stem}
    with tempfile.TemporaryDirectory() as folder:

        def result(found: re.Match[str]) -> str:
            before = set(Path(folder).iterdir())
            said = io.StringIO()
            with _inside(folder), contextlib.redirect_stdout(said):
                exec(compile(found[1], f"{stem}.md", "exec", dont_inherit=True), session)
            files = sorted(p for p in set(Path(folder).iterdir()) - before if p.suffix in {".png", ".html"})
            shown = "".join(_shown(file, stem, pictures, moving) for file in files)
            return (
                found[0] + (f"\n\n```text\n{said.getvalue().rstrip()}\n```" if said.getvalue().strip() else "") + shown
            )

        return _BLOCK.sub(result, text)
