"""The programs of ``benchmarks/`` that tests of the solvers use; a distribution without that folder skips them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@contextmanager
def benchmark(name: str) -> Iterator[ModuleType]:
    """The module ``name`` of the folder, which is on the path meanwhile."""
    if not (BENCHMARKS / f"{name}.py").exists():
        pytest.skip("benchmarks are not here")
    sys.path.insert(0, str(BENCHMARKS))
    yield import_module(name)
    sys.path.remove(str(BENCHMARKS))


@pytest.fixture(scope="session")
def judging() -> Iterator[ModuleType]:
    """The judge: it asks each law by itself, in extended precision."""
    with benchmark("judge") as module:
        yield module


@pytest.fixture(scope="session")
def attack() -> Iterator[ModuleType]:
    """Hard families, judged."""
    with benchmark("attack") as module:
        yield module


@pytest.fixture(scope="session")
def campaign() -> Iterator[ModuleType]:
    """Random problems, held against what is known of them."""
    with benchmark("campaign") as module:
        yield module
