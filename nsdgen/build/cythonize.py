"""Cython, in this process, with its messages captured."""

from __future__ import annotations

import re
import threading
import time
import traceback
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from nsdgen.errors import CompilerMissing

__all__ = ["CYTHON", "Outcome", "translate"]

CYTHON = "Cython"

# Cython's compiler keeps tables for the whole process and is not safe in two threads.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class Outcome:
    """What one run of a tool gave: its words, and whether it did its work."""

    tool: str
    command: tuple[str, ...]
    ok: bool
    log: str
    seconds: float


def translate(pyx: Path) -> Outcome:
    """Translate ``name.pyx`` to ``name.c`` beside it, as a module called ``name``.

    Raises ``CompilerMissing`` when Cython cannot be imported; whatever Cython itself
    objects to is in the outcome.
    """
    start = time.perf_counter()
    with _ONE_AT_A_TIME:
        ok, log = _run_cython(pyx)
    return Outcome(
        tool=CYTHON,
        command=("cython", "-3", pyx.name),
        ok=ok,
        log=log,
        seconds=time.perf_counter() - start,
    )


def _run_cython(pyx: Path) -> tuple[bool, str]:
    try:
        cython: Any = import_module("Cython.Compiler.Main")
    except ImportError as error:
        raise CompilerMissing(
            f"Cython cannot be imported: {error}",
            fix="python -m pip install --force-reinstall cython",
        ) from error
    # A listing file takes Cython's messages without touching the streams of the process.
    options = cython.CompilationOptions(
        cython.default_options,
        output_file=str(pyx.with_suffix(".c")),
        language_level=3,
        use_listing_file=True,
        errors_to_stderr=False,
    )
    try:
        result = cython.compile_single(str(pyx), options, pyx.stem)
    except Exception:  # a fault inside Cython: its traceback is all it has to say
        return False, traceback.format_exc()
    listing = pyx.with_suffix(".lis")
    log = listing.read_text(encoding="utf-8", errors="replace") if listing.exists() else ""
    listing.unlink(missing_ok=True)
    return result.num_errors == 0, _without_folder(log, pyx.name)


def _without_folder(log: str, name: str) -> str:
    """Cython's messages with the bare file name: the folder is about to be renamed."""
    place = re.compile(
        rf"^((?:warning|note|performance hint): )?.*[/\\](?={re.escape(name)}:\d+:\d+: )", re.M
    )
    return place.sub(r"\1", log)
