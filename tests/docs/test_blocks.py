"""The Python blocks of every page of docs/ run in order, each page as one session; so does that of README.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nsdgen import extend

from ..conftest import ROOT
from .pages import DOCS, blocks, pages, run, session, text

ELSEWHERE = {f"how-to/{name}.md" for name in ("verify", "verify_latex", "verify_code", "test_jacobians")}
"""Pages whose blocks want files beside them, which tests/verify/test_docs.py has."""
RUNNING = [page for page in pages() if blocks(DOCS / page) and page not in ELSEWHERE]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own, no window, and sys.path and modules as before afterwards."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("carts", None)


# What pages claim beyond the assertions in their blocks, of the session and of the files that are left.
CLAIMS: Mapping[str, Callable[[dict[str, Any], set[str]], bool]] = {
    "how-to/animate.md": lambda s, files: files == {"thrown.html", "pendulum.html"},
    "how-to/write_a_family.md": lambda s, files: set(s) >= {"Population", "Sphere"},
    "how-to/mechanisms.md": lambda s, files: s["swung"]["crane.turning angle"][-1] > 0.5,
    "how-to/orbits.md": lambda s, files: (
        [special.kind for special in s["branch"].special] == ["grazing of wall", "flip"]
        and files == {"branch.svg", "diagram.pdf", "impacts.svg"}
    ),
    "how-to/packages.md": lambda s, files: "generated" in files,
    "how-to/report.md": lambda s, files: files == {"pendulum.html"},
    "how-to/robots.md": lambda s, files: abs(s["shut"]["door.hinge angle"][-1]) < 1e-3,
    "how-to/run.md": lambda s, files: bool(np.isclose(s["trajectory"].time[-1], 2)),
    "how-to/solvers.md": lambda s, files: s["landed"].v[::2].min() > -1e-8 and s["landed"].z[::2].min() >= 0,
    "how-to/sweep.md": lambda s, files: (
        s["highest"].sizes == {"omega": 26}
        and s["highest"].attrs["units"] == "m"
        and 5 < float(s["drawn"]["landings"].mean()) < 100
    ),
    "how-to/switching.md": lambda s, files: s["reached"] > 4,
    "how-to/trajectories.md": lambda s, files: files >= {"carts.nc", "carts.png", "phase.pdf"},
    "how-to/worlds.md": lambda s, files: abs(s["sled"].velocity[0] - (1 - 0.2 * 0.981)) < 1e-4,
    "reference/errors.md": lambda s, files: len(s["reached"]) >= 1,
}
EXTENSIONS = [
    *(f"how-to/write_a_{kind}.md" for kind in ("scheme", "law", "relation", "family")),
    "how-to/extend.md",
    "reference/builders.md",
]
NEEDS = {"how-to/sweep.md": "zarr"}


def test_pages_have_blocks() -> None:
    assert len(RUNNING) > 50 and set(CLAIMS) | set(NEEDS) <= set(RUNNING)


LONG = ("how-to/linearise.md", "how-to/orbits.md", "how-to/worlds.md")  # three to five seconds each


@pytest.mark.parametrize("page", [pytest.param(p, marks=pytest.mark.slow) if p in LONG else p for p in RUNNING])
def test_a_page(page: str, folder: Path) -> None:
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    found = session(page)
    assert CLAIMS.get(page, lambda *_: True)(found, {path.name for path in folder.iterdir()})


def test_the_pages_of_extensions_name_everything() -> None:
    """Every public name of ``nsdgen.extend`` and every call of the two builders."""
    words = set(re.findall(r"\w+", " ".join(text(page) for page in EXTENSIONS)))
    builders = (extend.SystemStep, extend.RelationStep, extend.ParticipantStep)
    calls = {
        name
        for builder in builders
        for base in builder.__mro__[:2]
        for name, value in vars(base).items()
        if not name.startswith("_") and (callable(value) or isinstance(value, property))
    }
    assert (set(extend.__all__) | calls) - {"finish"} <= words


def test_the_first_model_of_the_readme(folder: Path) -> None:
    ((_, code),) = [block for block in blocks(ROOT / "README.md") if block[1].startswith("import sympy")]
    page = folder / "first.md"
    page.write_text(f"```python\n{code}```\n", encoding="utf-8")
    assert len(run(page, {"__name__": "readme"})["trajectory"]) == 10_001
