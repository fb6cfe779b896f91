"""Fixtures shared by all tests: one kernel cache and one compilation of each example per session."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

# Before SymPy is imported: many models are derived one after the other, from the same parts.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")

from nsdgen.build.beside import UNATTENDED
from nsdgen.build.kernels import Kernels
from nsdgen.model import pipeline

# The default suite draws the same examples every time; `make test-all` draws new ones.
settings.register_profile("seeded", derandomize=True, database=None, deadline=None)
settings.register_profile("random", database=None, deadline=None)
settings.load_profile("random" if os.environ.get("NSDGEN_RANDOM_TESTS") else "seeded")

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ("bouncing_ball", "cam_follower", "diode_bridge", "tumbling_brick")
INTERPRETED = ("analysis", "extend", "joints", "schemes", "symbolic")


def pytest_collection_finish(session: pytest.Session) -> None:
    """The collector of cycles leaves alone what is there for good, and works seldom: expressions are no cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With -n, a file's tests run in one process: what they share (models, above all) is made once, not in each."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(scope="session", autouse=True)
def kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One empty cache for the whole session, shared between xdist workers; never the user's own."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "nsdgen-cache"
    folder.mkdir(parents=True, exist_ok=True)
    before = os.environ.get("NSDGEN_CACHE")
    os.environ["NSDGEN_CACHE"] = str(folder)
    yield folder
    if before is None:
        os.environ.pop("NSDGEN_CACHE", None)
    else:
        os.environ["NSDGEN_CACHE"] = before


@pytest.fixture(scope="module", autouse=True)
def interpreted(request: pytest.FixtureRequest) -> Iterator[None]:
    """Models of these folders are interpreted, for a compiler takes longer than their steps.

    Both ways give the same bits (``tests/interpret``); ``make test-all`` compiles everything. A module whose models
    make many steps says ``COMPILED = True``, one elsewhere whose models make few ``COMPILED = False``.
    """
    wanted = not getattr(request.module, "COMPILED", request.path.parent.name not in INTERPRETED)
    with pytest.MonkeyPatch.context() as patch:
        if wanted and not os.environ.get("NSDGEN_RANDOM_TESTS"):
            patch.setattr(pipeline, "make_kernels", _interpreting(pipeline.make_kernels))
        yield


def _interpreting(make_kernels: Callable[..., Kernels]) -> Callable[..., Kernels]:
    """``make_kernels`` that interprets unless it is told otherwise."""
    return lambda source, *, interpret=None, **others: make_kernels(source, interpret=interpret is None or interpret,
                                                                   **others)


@pytest.fixture(scope="module", autouse=True)
def attended(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs wait for the compiler: a process for each model would load Cython again.

    A module that is about processes that nobody waits for says ``UNATTENDED = True``.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not getattr(request.module, "UNATTENDED", False) and not os.environ.get("NSDGEN_RANDOM_TESTS"):
            patch.setattr(UNATTENDED, "build", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def example() -> Callable[[str], ModuleType]:
    """The module of an example by name: ``example("bouncing_ball").model``."""

    @cache
    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"example_{name}", ROOT / "examples" / f"{name}.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def compiled(example: Callable[[str], ModuleType], kernel_cache: Path) -> Callable[[str], object]:
    """The compiled model of an example by name, made once per session: never interpreted, whoever asks first."""
    return cache(lambda name: example(name).model.compile(interpret=False))
