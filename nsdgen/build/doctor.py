"""What this machine has and lacks for deriving, compiling and running models."""

import importlib.metadata
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from nsdgen.errors import CompilerMissing, NsdgenError

from .cache import open_cache
from .compiler import try_compiler
from .toolchain import compiler_version, cython_version, find_compiler, find_includes, find_toolchain

_OLDEST_PYTHON = (3, 11)  # as requires-python in pyproject.toml
_FREE_MEGABYTES = 200  # some hundred models, with what the compiler writes meanwhile

_REQUIRED = ("NumPy", "SciPy", "SymPy", "Jinja2", "setuptools")
_OPTIONAL = {"matplotlib": "plots", "xarray": "datasets"}


@dataclass(frozen=True)
class Finding:
    """One thing looked for: whether it is all right, what was found, how to mend it.

    ``required`` is False for what only some uses need.
    """

    name: str
    ok: bool
    found: str
    fix: str = ""
    required: bool = True


def examine() -> list[Finding]:
    """Look at everything; imports none of the packages it looks for but Cython."""
    tools = [
        _tool("C compiler", lambda: compiler_version(find_compiler()).partition("\n")[0]),
        _tool("Python.h", lambda: " ".join(find_includes())),
        _tool("Cython", cython_version),
    ]
    complete = all(tool.ok for tool in tools)
    cache = _tool("cache", _cache_place)
    build = _tool("a build", _trial) if complete else Finding("a build", False, "could not be tried", required=False)
    return [
        _python(),
        *[replace(tool, required=False) for tool in tools],
        build,
        _kernels(complete and cache.ok, build.ok and cache.ok),
        *[_package(name) for name in _REQUIRED],
        cache,
        *_ignored(),
        _venv(),
        *[_package(name, needed_for=use) for name, use in _OPTIONAL.items()],
    ]


def report(findings: Sequence[Finding]) -> str:
    """A table of findings; what is missing is followed by how to get it."""
    width = max((len(finding.name) for finding in findings), default=0)
    lines = []
    for finding in findings:
        lines.append(f"{_mark(finding):<8} {finding.name:<{width}}  {finding.found}")
        if not finding.ok and finding.fix:
            lines.append(f"{'':<8} {'':<{width}}  -> {finding.fix}")
    missing = [f.name for f in findings if f.required and not f.ok]
    verdict = f"to be mended: {', '.join(missing)}" if missing else "nothing is missing"
    return "\n".join([*lines, "", verdict])


def _mark(finding: Finding) -> str:
    if finding.ok:
        return "ok"
    return "MISSING" if finding.required else "absent"


def _python() -> Finding:
    version = ".".join(str(part) for part in sys.version_info[:3])
    oldest = ".".join(str(part) for part in _OLDEST_PYTHON)
    return Finding(
        name="Python",
        ok=sys.version_info >= _OLDEST_PYTHON,
        found=f"{version} ({sys.executable})",
        fix=f"make an environment with Python {oldest} or newer",
    )


def _tool(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, look())
    except NsdgenError as error:
        return Finding(name, False, error.message, error.fix)


def _package(name: str, needed_for: str = "") -> Finding:
    """A package by its metadata, without importing it."""
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        use = f" (optional: {needed_for})" if needed_for else ""
        return Finding(name, False, f"not installed{use}", f"python -m pip install {name}", not needed_for)
    return Finding(name, True, found, required=not needed_for)


def _kernels(complete: bool, built: bool) -> Finding:
    """Which way kernels go here: what is missing for a compiler costs speed, one that fails is to be mended."""
    if built:
        return Finding("kernels", True, "compiled; interpreted with --interpret or interpret=True")
    found = "interpreted: the same numbers, an evaluation takes two to five times as long"
    return (
        Finding("kernels", True, found)
        if not complete
        else Finding("kernels", False, "compiled by what cannot build them", "run with --interpret, or mend the build")
    )


def _ignored() -> list[Finding]:
    """Variables of the compiler that builds of models do not read, where they are set."""
    found = [name for name in ("CFLAGS", "CPPFLAGS", "LDFLAGS") if os.environ.get(name)]
    return (
        [Finding(", ".join(found), True, "set, and ignored: models are compiled with fixed flags; CC counts")]
        if found
        else []
    )


def _venv() -> Finding:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    return Finding(
        name="venv",
        ok=not missing,
        found=f"no module {' and '.join(missing)}" if missing else "present",
        fix=f"Debian, Ubuntu: sudo apt install python{version}-venv",
    )


def _cache_place() -> str:
    root = open_cache().root
    with open_cache().workspace() as folder:
        free = shutil.disk_usage(folder).free // 2**20
    if free < _FREE_MEGABYTES:
        raise CompilerMissing(
            f"{root}: only {free} MB are free", fix="free some space, or set NSDGEN_CACHE to a folder on another disk"
        )
    return f"{root} (yours alone, {free} MB free)"


def _trial() -> str:
    """Compile, link and load an extension of ten lines; raises ``CompilerMissing``."""
    with _trial_folder() as folder:
        return f"compiled and loaded in {try_compiler(find_toolchain(), folder):.2f} s"


@contextmanager
def _trial_folder() -> Iterator[Path]:
    """Where kernels will be loaded from, as another disk may forbid or allow that."""
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(open_cache().workspace())
        except CompilerMissing:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        yield folder
