"""The C compiler on files, and whether it can build extensions of this Python at all."""

import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from nsdgen.errors import CompilerMissing, ModuleMismatch

from .cythonize import ToolRun
from .flags import compile_flags, link_libraries, object_flags
from .loader import import_extension
from .toolchain import Toolchain

COMPILER = "the C compiler"
_LATER = 5  # by which files that are compiled beside come later
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
def compiling(
    toolchain: Toolchain, flags: tuple[str, ...], c_files: Sequence[str], folder: Path
) -> Iterator[Callable[[], tuple[str, ...]]]:
    """C files of a folder to object files beside them, all at once and in the background.

    Gives what waits for them and tells their names; where a compiler failed there is no such file. Those that still
    run at the end are stopped. Cython, and the compiler of what it makes, go first where processors are few.
    """
    objects = tuple(str(Path(file).with_suffix(".o")) for file in c_files)
    runs = [
        subprocess.Popen(
            (*toolchain.compiler, *object_flags(flags), file, "-o", made),
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for file, made in zip(c_files, objects, strict=True)
    ]
    for run in runs if hasattr(os, "setpriority") else ():
        with suppress(OSError):  # it has ended
            os.setpriority(os.PRIO_PROCESS, run.pid, os.getpriority(os.PRIO_PROCESS, 0) + _LATER)

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
    toolchain: Toolchain,
    flags: tuple[str, ...],
    c_file: str,
    shared: str,
    folder: Path,
    finished: Callable[[], tuple[str, ...]] | None = None,
) -> ToolRun:
    """Compile one C file of a folder and link it into an extension module beside it.

    ``finished`` waits for object files that belong to it: they are waited for once the file is compiled.
    """
    command = (*toolchain.compiler, *flags, *(f"-I{path}" for path in toolchain.includes), c_file)
    start = time.perf_counter()
    made, log = c_file, ""
    if finished is not None:
        made = str(Path(c_file).with_suffix(".o"))
        command = (*toolchain.compiler, *object_flags(flags), *command[len(toolchain.compiler) + len(flags) :])
        ok, log = run_in(folder, (*command, "-o", made))
        if not ok:
            return ToolRun(COMPILER, command, False, log, time.perf_counter() - start)
    objects = (made, *finished()) if finished is not None else ()
    linking = (*toolchain.compiler, *flags, *objects) if objects else command
    ok, words = run_in(folder, (*linking, "-o", shared, *link_libraries()))
    return ToolRun(COMPILER, command, ok and (folder / shared).is_file(), log + words, time.perf_counter() - start)


def run_in(folder: Path, command: tuple[str, ...]) -> tuple[bool, str]:
    """Run a compiler in a folder; whether it did its work, and its words."""
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
    return run.returncode == 0, log


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
        f"{toolchain.compiler[0]} {words}", fix="set CC to a compiler for this Python and this machine"
    )
