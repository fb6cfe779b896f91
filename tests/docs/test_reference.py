"""Every public name has a page, or stands on one."""

from importlib import import_module

import pytest

import nsdgen as nsd

from .pages import DOCS


def test_every_public_name_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(DOCS / "site")
    listed = import_module("reference").pages()["reference/names.md"]
    assert {name for name in nsd.__all__ if f"[`nsd.{name}`]" not in listed} == {"__version__"}
