"""Every public name has a page, or stands on one."""

import subprocess
import sys

import nsdgen as nsd

from .pages import DOCS

_PAGES = "import reference; print(reference.pages()['reference/names.md'])"


def test_every_public_name_is_listed() -> None:
    made = subprocess.run([sys.executable, "-c", _PAGES], cwd=DOCS / "site", capture_output=True, text=True, check=True)
    assert {name for name in nsd.__all__ if f"[`nsd.{name}`]" not in made.stdout} == {"__version__"}
