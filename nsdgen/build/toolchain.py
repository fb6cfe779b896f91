"""Which compiler, headers and Cython there are; three things that can be missing."""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path

from nsdgen.errors import CompilerMissing

_COMMON_COMPILERS = ("cc", "gcc", "clang")

_FIX_COMPILER = (
    "install one (Debian, Ubuntu: sudo apt install gcc; Fedora: sudo dnf install gcc; "
    "macOS: xcode-select --install), or set CC to the compiler you have"
)
_FIX_HEADERS = (
    f"install the headers of Python {sys.version_info[0]}.{sys.version_info[1]} "
    f"(Debian, Ubuntu: sudo apt install python{sys.version_info[0]}.{sys.version_info[1]}-dev; "
    "Fedora: sudo dnf install python3-devel; macOS: use the Python of python.org or of "
    "Homebrew, which bring them)"
)
_OLDEST_CYTHON = 3  # noexcept, which all kernels are declared with
_FIX_CYTHON = f"python -m pip install 'cython>={_OLDEST_CYTHON}'"


@dataclass(frozen=True)
class Toolchain:
    """What turns a Cython text into an extension of this Python.

    ``compiler`` is the full path and the arguments that belong to it; ``suffix`` is the
    ending of extension modules, which names Python's version and the platform.
    """

    compiler: tuple[str, ...]
    compiler_version: str
    cython_version: str
    includes: tuple[str, ...]
    suffix: str
    machine: str


def find_toolchain() -> Toolchain:
    """Everything a build needs; raises ``CompilerMissing`` for the first thing missing."""
    compiler = find_compiler()
    return Toolchain(
        compiler=compiler,
        compiler_version=compiler_version(compiler),
        cython_version=cython_version(),
        includes=find_includes(),
        suffix=extension_suffix(),
        machine=f"{sys.platform}-{platform.machine()}",
    )


def find_compiler(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The C compiler: ``$CC``, else the one Python was built with, else cc, gcc, clang.

    Raises ``CompilerMissing`` when there is none, or when ``$CC`` names none: somebody
    who sets it does not want another.
    """
    environ = os.environ if environ is None else environ
    wanted = shlex.split(environ.get("CC", ""))
    if wanted:
        if found := _resolve(wanted, environ):
            return found
        raise CompilerMissing(
            f"CC is set to {environ['CC']!r}, and there is no program {wanted[0]!r}",
            fix="unset CC, or set it to a C compiler; " + _FIX_COMPILER,
        )
    for candidate in _candidates():
        if found := _resolve(candidate, environ):
            return found
    raise CompilerMissing("there is no C compiler on this machine", fix=_FIX_COMPILER)


def _candidates() -> Iterator[list[str]]:
    yield shlex.split(sysconfig.get_config_var("CC") or "")
    for name in _COMMON_COMPILERS:
        yield [name]


def _resolve(command: list[str], environ: Mapping[str, str]) -> tuple[str, ...] | None:
    # os.defpath would be searched if PATH were absent: an absent PATH means no program.
    path = shutil.which(command[0], path=environ.get("PATH", "")) if command else None
    return (os.path.abspath(path), *command[1:]) if path else None


def compiler_version(compiler: tuple[str, ...]) -> str:
    """What ``compiler --version`` prints.

    Raises ``CompilerMissing`` when it cannot be run or fails, as the placeholder for a
    compiler does that macOS has before its tools are installed.
    """
    try:
        stat = os.stat(compiler[0])
    except OSError as error:
        raise CompilerMissing(
            f"the C compiler {compiler[0]} cannot be read: {error.strerror}", fix=_FIX_COMPILER
        ) from error
    return _ask_version(compiler, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=16)
def _ask_version(compiler: tuple[str, ...], modified: int, size: int) -> str:
    """``modified`` and ``size`` make an upgraded compiler another argument."""
    try:
        answer = subprocess.run(
            [*compiler, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as error:
        raise CompilerMissing(
            f"the C compiler {compiler[0]} does not run: {error.strerror}", fix=_FIX_COMPILER
        ) from error
    if answer.returncode != 0:
        words = (answer.stderr or answer.stdout).strip() or f"exit status {answer.returncode}"
        raise CompilerMissing(f"the C compiler {shlex.join(compiler)} does not work: {words}", fix=_FIX_COMPILER)
    return answer.stdout.strip()


def find_includes() -> tuple[str, ...]:
    """The folders of Python's headers; raises ``CompilerMissing`` without ``Python.h``."""
    # pyconfig.h may live apart from the headers that do not depend on the platform.
    folders = tuple(dict.fromkeys(sysconfig.get_path(name) for name in ("include", "platinclude")))
    if not any(Path(folder, "Python.h").is_file() for folder in folders):
        raise CompilerMissing(
            f"Python's C headers are not installed: no Python.h in {' or '.join(folders)}", fix=_FIX_HEADERS
        )
    return folders


def cython_version() -> str:
    """Cython's version; raises ``CompilerMissing`` when it is absent or too old."""
    try:
        # Only the top of the package: the compiler in it takes a tenth of a second.
        version = str(import_module("Cython").__version__)
    except ImportError as error:
        raise CompilerMissing("Cython is not installed", fix=_FIX_CYTHON) from error
    if int(version.partition(".")[0]) < _OLDEST_CYTHON:
        raise CompilerMissing(f"Cython {version} is too old", fix=_FIX_CYTHON)
    return version


def extension_suffix() -> str:
    """The ending of extension modules of this Python, such as ``.cpython-311-….so``."""
    return str(sysconfig.get_config_var("EXT_SUFFIX") or ".so")
