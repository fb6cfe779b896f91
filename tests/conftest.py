"""What all tests share: how models get their kernels, one kernel cache, one compilation of each example per session."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

# Before SymPy is imported: many models are derived one after the other, from the same parts.
os.environ.setdefault("SYMPY_CACHE_SIZE", "20000")
# Before NumPy is: a second thread waits busily for matrices that are small, and the other process has its processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from nsdgen.build.beside import UNATTENDED
from nsdgen.build.kernels import Kernels
from nsdgen.model import pipeline

from .example_models import load

# The default suite draws the same examples every time; `make test-all` draws new ones.
settings.register_profile("seeded", derandomize=True, database=None, deadline=None)
settings.register_profile("random", database=None, deadline=None)
settings.load_profile("seeded")

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent

# Models of these folders and files are interpreted: a compiler takes longer than their steps. Both ways give the same
# bits (tests/interpret, tests/runtime/test_fused_steps.py). With --kernels=compiled, as in `make test-all`, all models
# are compiled.
INTERPRETED = (
    "analysis",
    "conformance",
    "docs",
    "examples",
    "extend",
    "joints",
    "robots",
    "runtime",
    "schemes",
    "study",
    "symbolic",
    "test_bad_input.py",
    "test_bad_values.py",
    "test_every_kind.py",
    "test_model.py",
    "test_numbers.py",
    "test_outputs.py",
    "test_suggestions.py",
    "world/test_drilling.py",
    "world/test_planar.py",
)
# Of those, the files whose models make many steps, and those that are about compiled code.
COMPILED = (
    "schemes/test_still_bodies.py",
    "runtime/test_abi.py",
    "runtime/test_ensemble.py",
    "runtime/test_fused_blocks.py",
    "runtime/test_fused_cuts.py",
    "runtime/test_fused_steps.py",
    "runtime/test_lanes.py",
)
# These are about compilers that work in processes nobody waits for; elsewhere no such process is started: each would
# load Cython again.
BUILDING_BESIDE = ("interpret/test_unattended.py",)
# The files that take longest, these first: with several processes none is left alone with one of them at the end.
LONGEST = (
    "joints/test_slender.py",
    "runtime/test_fused_steps.py",
    "verify/test_foreign_right_code.py",
    "verify/test_decided_claims.py",
    "docs/test_blocks.py",
    "verify/test_foreign_decide.py",
    "schemes/test_event_shared_friction.py",
    "joints/test_standing.py",
    "joints/test_mechanisms.py",
    "schemes/test_kinks.py",
    "cli/test_endings.py",
    "joints/test_shapes.py",
    "runtime/test_lanes.py",
    "verify/test_abstract.py",
    "cli/test_run.py",
    "schemes/test_laws_under_schemes.py",
    "verify/test_misleading_claims.py",
    "schemes/test_event_jumps.py",
    "verify/test_statements.py",
    "schemes/test_node_voltages.py",
    "verify/test_exact.py",
    "analysis/test_assembly.py",
    "interpret/test_unattended.py",
    "examples/test_bodies.py",
    "verify/test_points_of_claims.py",
    "joints/test_freedoms.py",
    "examples/test_first_order_examples.py",
    "verify/test_discovery.py",
    "world/test_turning.py",
    "world/test_joints.py",
    "verify/test_limits.py",
    "mechanisms/test_link_loops.py",
    "schemes/test_event_friction.py",
    "study/orbits/test_closed_forms.py",
    "schemes/test_diode_loops.py",
    "mechanisms/test_one_statement.py",
    "verify/test_mends.py",
    "schemes/test_events_that_meet.py",
    "schemes/test_undetermined_counts.py",
    "verify/test_jacobian_check.py",
    "schemes/test_turning_shares.py",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--kernels",
        choices=("quick", "compiled"),
        default="quick",
        help="quick: models whose tests make few steps are interpreted; compiled: none is",
    )


def pytest_report_header(config: pytest.Config) -> str:
    if config.getoption("kernels") == "compiled":
        return "kernels: compiled everywhere"
    return (
        f"kernels: interpreted in {', '.join(INTERPRETED)}; compiled in {', '.join(COMPILED)} and everywhere else "
        "(all are with --kernels=compiled)"
    )


def listed(path: Path, entries: tuple[str, ...]) -> bool:
    """Whether a test file, or a folder that holds it, stands in a list."""
    name = path.relative_to(TESTS).as_posix()
    return any(name == entry or name.startswith(f"{entry}/") for entry in entries)


def evenly(total: int, few: int) -> set[int]:
    """So many of the numbers below ``total``, spread over all of them: the first one is always there."""
    return {total * i // few for i in range(min(few, total))}


@pytest.hookimpl(tryfirst=True)  # before ``-m`` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked ``few(n)`` n cases, spread over all, are in the default suite; the others are ``slow``."""
    places = {f"tests/{name}": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.nodeid.partition("::")[0], len(places)))
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("few") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for of_one in cases.values():
        marker = of_one[0].get_closest_marker("few")
        assert marker is not None
        kept = evenly(len(of_one), marker.args[0])
        for place in set(range(len(of_one))) - kept:
            of_one[place].add_marker(pytest.mark.slow)


def pytest_collection_finish(session: pytest.Session) -> None:
    """The collector of cycles leaves alone what is there for good, and works seldom: expressions are no cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With -n, a file's tests run in one process: what they share (models, above all) is made once, not in each."""
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # by how many tests a file has, which says nothing of how long they take
    return LoadFileScheduling(config, log) if config.getvalue("dist") == "load" else None


@pytest.fixture(scope="session", autouse=True)
def kernel_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One empty cache for the whole session, shared between xdist workers; never the user's own."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "nsdgen-cache"
    folder.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NSDGEN_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="module", autouse=True)
def _kernels_as_chosen(request: pytest.FixtureRequest) -> Iterator[None]:
    """Models of a module get their kernels as the lists above say; those that its functions remember go with it."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("kernels") == "quick":
            if listed(request.path, INTERPRETED) and not listed(request.path, COMPILED):
                patch.setattr(pipeline, "make_kernels", _interpreting(pipeline.make_kernels))
            if not listed(request.path, BUILDING_BESIDE):
                patch.setattr(UNATTENDED, "build", lambda *_: None)
        yield
    for remembering in vars(request.module).values():
        if hasattr(remembering, "cache_clear") and remembering.__module__ == request.module.__name__:
            remembering.cache_clear()


def _interpreting(make_kernels: Callable[..., Kernels]) -> Callable[..., Kernels]:
    """``make_kernels`` that interprets unless it is told otherwise."""
    return lambda source, *, interpret=None, **others: make_kernels(
        source, interpret=interpret is None or interpret, **others
    )


@pytest.fixture(scope="session")
def example() -> Callable[[str], ModuleType]:
    """The module of an example by name: ``example("bouncing_ball").model``."""
    return load


@pytest.fixture(scope="session")
def emitted() -> Callable[[str], pipeline.Emitted]:
    """What is emitted of an example by name, once."""
    return cache(lambda name: pipeline.emit_model(load(name).model, derivation=load(name).model.derive()))


@pytest.fixture(scope="session")
def compiled(example: Callable[[str], ModuleType], kernel_cache: Path) -> Callable[[str], object]:
    """The compiled model of an example by name, made once per session: never interpreted, whoever asks first."""
    return cache(lambda name: example(name).model.compile(interpret=False))
