"""The independent judge of ``benchmarks/judge.py`` for all tests of the solvers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(scope="session")
def judging() -> Iterator[ModuleType]:
    """The module ``judge``: it asks each law by itself, in extended precision."""
    if not (BENCHMARKS / "judge.py").exists():
        pytest.skip("benchmarks are not here")
    sys.path.insert(0, str(BENCHMARKS))
    yield import_module("judge")
    sys.path.remove(str(BENCHMARKS))
