"""Small emitted texts, a cache of one's own, and processes that build beside this one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import nsdgen.build
from nsdgen.build.flags import BuildOptions
from nsdgen.build.kernel_source import KernelSource

PACKAGE = Path(nsdgen.build.__file__).resolve().parents[1]

MODULE = """\
# cython: language_level=3, binding=False, always_allow_keywords=False
cdef extern from *:
    \"\"\"
{header}
    \"\"\"
    ctypedef struct nsdgen_module:
        int abi_major
        const char *name
    int NSDGEN_ABI_MAJOR

from cpython.pycapsule cimport PyCapsule_New

# [tag] {model} / ball: residual
cdef int residual(const double *const *in_, double *const *out) noexcept nogil:
    out[0][0] = {formula}
    return 0

def call(double x):
    cdef double y
    cdef const double *arguments[1]
    cdef double *results[1]
    arguments[0] = &x
    results[0] = &y
    residual(arguments, results)
    return y

cdef nsdgen_module MODULE
MODULE.abi_major = NSDGEN_ABI_MAJOR
MODULE.name = "{model}"
__nsdgen__ = PyCapsule_New(<void *>&MODULE, "nsdgen.abi", NULL)
"""


@pytest.fixture
def make_source() -> Callable[..., KernelSource]:
    """A complete emitted module whose one kernel computes ``formula``."""
    header = (PACKAGE / "abi" / "include" / "nsdgen_abi.h").read_text()

    def make(formula: str = "2.0 * in_[0][0]", model: str = "ball") -> KernelSource:
        text = MODULE.format(header=header, model=model, formula=formula)
        return KernelSource(model=model, module="_kernels", text=text)

    return make


@pytest.fixture
def source(make_source: Callable[..., KernelSource]) -> KernelSource:
    return make_source()


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, also for the default options and for other processes."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("NSDGEN_CACHE", str(folder))
    return folder


@pytest.fixture
def options(cache_folder: Path) -> BuildOptions:
    return BuildOptions(cache=cache_folder)


BUILD_AND_CALL = """\
import sys
from pathlib import Path
from nsdgen.build.compile import compile_source
from nsdgen.build.flags import BuildOptions
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.loader import load_module
source = KernelSource("ball", "_kernels", Path(sys.argv[1]).read_text())
path = compile_source(source, options=BuildOptions(patience=float(sys.argv[2])))
print(path, load_module(path).call(4.0))
"""


@pytest.fixture
def build_environment(cache_folder: Path) -> dict[str, str]:
    """The environment of another Python that finds this nsdgen and this cache."""
    return {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}


@pytest.fixture
def build_elsewhere(
    tmp_path: Path, build_environment: dict[str, str], source: KernelSource
) -> Callable[..., subprocess.Popen[str]]:
    """Start another Python that builds ``source``, loads it and prints path and result."""
    text = tmp_path / "text.pyx"
    text.write_text(source.text)

    def start(patience: float = 60.0, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", BUILD_AND_CALL, str(text), str(patience)],
            env={**build_environment, **environ},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    return start


@pytest.fixture
def wrapped_compiler(tmp_path: Path) -> Path:
    """A compiler that notes each compilation, and never ends while $STALL is set."""
    from nsdgen.build.toolchain import find_compiler

    wrapper = tmp_path / "slow-cc"
    wrapper.write_text(
        f"""#!/bin/sh
compiler='{find_compiler()[0]}'
[ "$1" = --version ] && exec "$compiler" --version
echo run >> '{tmp_path}/runs'
[ -n "$STALL" ] && exec sleep 600
exec "$compiler" "$@"
"""
    )
    wrapper.chmod(0o755)
    return wrapper
