"""The C compiler on files, and whether it can build extensions of this Python at all."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from nsdgen.errors import CompilerMissing, ModuleMismatch

from .cythonize import Outcome
from .flags import compile_flags, link_libraries, object_flags
from .loader import import_extension
from .toolchain import Toolchain

__all__ = ["COMPILER", "FIX_KILLED", "compiling", "run_compiler", "try_compiler", "was_killed"]

COMPILER = "the C compiler"
FIX_KILLED = "the compiler was killed, mostly for want of memory: free some, or split the model"

_TRIAL = """\
#include <Python.h>
#include <math.h>
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "trial", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_trial(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddIntConstant(module, "answer", (long)floor(sqrt(1764.5))) < 0)
        return NULL;
    return module;
}
"""


@contextmanager
def compiling(toolchain: Toolchain, flags: tuple[str, ...], c_files: Sequence[str], folder: Path
              ) -> Iterator[Callable[[], tuple[str, ...]]]:
    """C files of a folder to object files beside them, all at once and in the background.

    Gives what waits for them and tells their names; where a compiler failed there is no such file. Those that still
    run at the end are stopped.
    """
    objects = tuple(str(Path(file).with_suffix(".o")) for file in c_files)
    runs = [
        subprocess.Popen((*toolchain.compiler, *object_flags(flags), file, "-o", made), cwd=folder,
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for file, made in zip(c_files, objects, strict=True)
    ]

    def finished() -> tuple[str, ...]:
        for run in runs:
            run.wait()
        return objects

    try:
        yield finished
    finally:
        for run in runs:
            run.kill()
            run.wait()


def run_compiler(
    toolchain: Toolchain, flags: tuple[str, ...], c_file: str, shared: str, folder: Path, objects: Sequence[str] = ()
) -> Outcome:
    """Compile one C file of a folder and link it, with object files, into an extension module beside it."""
    includes = [f"-I{path}" for path in toolchain.includes]
    command = (*toolchain.compiler, *flags, *includes, c_file, *objects, "-o", shared, *link_libraries())
    start = time.perf_counter()
    # Names relative to the folder keep its temporary name out of messages and results.
    run = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        env={**os.environ, "LC_ALL": "C"},
    )
    log = run.stdout + run.stderr
    if run.returncode < 0:
        log += f"killed by signal {-run.returncode}\n"
    ok = run.returncode == 0 and (folder / shared).is_file()
    return Outcome(COMPILER, command, ok, log, time.perf_counter() - start)


def was_killed(log: str) -> bool:
    """Whether a tool's words say that it, or a part of it, was ended from outside."""
    return bool(re.search(r"\b[Kk]illed\b|out of memory|virtual memory exhausted", log))


def try_compiler(toolchain: Toolchain, folder: Path) -> float:
    """Compile, link and load an extension of ten lines in a folder; the seconds that took.

    Raises ``CompilerMissing``: a compiler that cannot do that is as good as none.
    """
    shared = "trial" + toolchain.suffix
    (folder / "trial.c").write_text(_TRIAL, encoding="utf-8")
    outcome = run_compiler(toolchain, compile_flags(), "trial.c", shared, folder)
    if not outcome.ok:
        words = outcome.log.strip() or "it makes no file"
        raise _broken(toolchain, f"cannot build an extension: {words}")
    try:
        module = import_extension(folder / shared, "nsdgen_trial.trial")
    except ModuleMismatch as error:
        raise _broken(toolchain, f"builds what this Python refuses: {error.message}") from error
    if module.answer != 42:
        raise _broken(toolchain, "builds an extension that gives wrong results")
    return outcome.seconds


def _broken(toolchain: Toolchain, words: str) -> CompilerMissing:
    return CompilerMissing(
        f"{toolchain.compiler[0]} {words}",
        fix="set CC to a compiler for this Python and this machine",
    )
