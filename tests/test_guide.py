"""The Python blocks of the pages of docs/ run in order, each page as one session; so does that of README.md."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nsdgen import extend

from .conftest import ROOT

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of its own, no window, and sys.path and modules as before afterwards."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("carts", None)


def blocks(name: str) -> list[tuple[int, str]]:
    """The Python blocks of a text, each with the number of its first line."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)), found[1]) for found in BLOCK.finditer(text)]


def run(name: str, line: int, code: str, session: dict[str, Any]) -> None:
    """Run a block so that a traceback shows the line of the text."""
    exec(compile("\n" * line + code, str(ROOT / name), "exec", dont_inherit=True), session)


def test_the_guide(folder: Path) -> None:
    session: dict[str, Any] = {"__name__": "guide"}
    found = blocks("docs/guide.md")
    assert len(found) > 10
    for line, code in found:
        run("docs/guide.md", line, code, session)
    assert session["trajectory"].time[-1] == pytest.approx(2.0)
    assert len(session["reached"]) >= 1, "the model made to fail did not fail"
    assert {path.name for path in folder.iterdir()} >= {"carts.nc", "carts.png", "phase.pdf", "generated"}


def test_the_page_of_mechanisms(folder: Path) -> None:
    """The crane swings on its post and its boom comes to hang on the spring."""
    session: dict[str, Any] = {"__name__": "mechanisms"}
    for line, code in blocks("docs/mechanisms.md"):
        run("docs/mechanisms.md", line, code, session)
    assert session["swung"]["crane.turning angle"][-1] > 0.5


def test_the_page_of_steps_that_take_forces_once(folder: Path) -> None:
    session: dict[str, Any] = {"__name__": "one_evaluation"}
    for line, code in blocks("docs/one_evaluation.md"):
        run("docs/one_evaluation.md", line, code, session)


def test_the_page_of_animations(folder: Path) -> None:
    session: dict[str, Any] = {"__name__": "animation"}
    for line, code in blocks("docs/animation.md"):
        run("docs/animation.md", line, code, session)
    assert {path.name for path in folder.iterdir()} == {"thrown.html", "pendulum.html"}


def test_the_page_of_reports(folder: Path) -> None:
    session: dict[str, Any] = {"__name__": "reports"}
    for line, code in blocks("docs/reports.md"):
        run("docs/reports.md", line, code, session)
    assert {path.name for path in folder.iterdir()} == {"pendulum.html"}


def test_the_page_of_robots(folder: Path) -> None:
    """The door closes, and stays at its stop."""
    session: dict[str, Any] = {"__name__": "robots"}
    for line, code in blocks("docs/robots.md"):
        run("docs/robots.md", line, code, session)
    assert abs(session["shut"]["door.hinge angle"][-1]) < 1e-3


def test_the_page_of_sweeps(folder: Path) -> None:
    pytest.importorskip("zarr")
    session: dict[str, Any] = {"__name__": "studies"}
    for line, code in blocks("docs/studies.md"):
        run("docs/studies.md", line, code, session)
    assert session["highest"].sizes == {"omega": 26} and session["highest"].attrs["units"] == "m"
    assert 5 < float(session["drawn"]["landings"].mean()) < 100


def test_the_page_of_switching(folder: Path) -> None:
    """Its assertions are its tests."""
    session: dict[str, Any] = {"__name__": "switching"}
    for line, code in blocks("docs/switching.md"):
        run("docs/switching.md", line, code, session)
    assert session["reached"] > 4


def test_the_page_of_solvers(folder: Path) -> None:
    """Masses on springs that are thrown at a floor stay on it, pushed or at rest."""
    session: dict[str, Any] = {"__name__": "solvers"}
    for line, code in blocks("docs/solvers.md"):
        run("docs/solvers.md", line, code, session)
    assert session["landed"].v[::2].min() > -1e-8 and session["landed"].z[::2].min() >= 0


def test_the_page_of_extensions(folder: Path) -> None:
    """Its assertions are its tests."""
    session: dict[str, Any] = {"__name__": "extend"}
    for line, code in blocks("docs/extend.md"):
        run("docs/extend.md", line, code, session)
    assert {
        "Euler",
        "Heun",
        "Midpoint",
        "LeanHeun",
        "Sticky",
        "Softplus",
        "Spring",
        "KnifeEdge",
        "Population",
        "Sphere",
    } <= set(session)


def test_the_page_of_extensions_names_everything() -> None:
    """Every public name of ``nsdgen.extend`` and every call of the two builders."""
    words = set(re.findall(r"\w+", (ROOT / "docs/extend.md").read_text(encoding="utf-8")))
    builders = (extend.SystemStep, extend.RelationStep, extend.ParticipantStep)
    calls = {
        name
        for builder in builders
        for base in builder.__mro__[:2]
        for name, value in vars(base).items()
        if not name.startswith("_") and (callable(value) or isinstance(value, property))
    }
    assert (set(extend.__all__) | calls) - {"finish"} <= words


def test_the_links_inside_the_guide() -> None:
    text = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]*)\)", text)) <= anchors


def test_the_first_model_of_the_readme(folder: Path) -> None:
    ((line, code),) = [block for block in blocks("README.md") if block[1].startswith("import sympy")]
    session: dict[str, Any] = {"__name__": "readme"}
    run("README.md", line, code, session)
    assert len(session["trajectory"]) == 10_001
