"""Cython, in this process, with its messages captured."""

import gc
import re
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from nsdgen.errors import CompilerMissing

CYTHON = "Cython"

_ALPHABET = {
    "unicode_start_ch_any": "_", "unicode_start_ch_range": "AZaz\x80\uffff\U0001d400\U0001d7ff",
    "unicode_continuation_ch_any": "_", "unicode_continuation_ch_range": "09",
}  # fmt: skip

# Cython's compiler keeps tables for the whole process and is not safe in two threads.
_ONE_AT_A_TIME = threading.Lock()


@dataclass(frozen=True)
class ToolRun:
    """What one run of a tool gave: its words, and whether it did its work."""

    tool: str
    command: tuple[str, ...]
    ok: bool
    log: str
    seconds: float


def translate(pyx: Path) -> ToolRun:
    """Translate ``name.pyx`` to ``name.c`` beside it, as a module called ``name``.

    Raises ``CompilerMissing`` when Cython cannot be imported; whatever Cython itself
    objects to is in the outcome.
    """
    start = time.perf_counter()
    with _ONE_AT_A_TIME:
        ok, log = _run_cython(pyx)
    return ToolRun(tool=CYTHON, command=("cython", "-3", pyx.name), ok=ok, log=log, seconds=time.perf_counter() - start)


def _run_cython(pyx: Path) -> tuple[bool, str]:
    try:
        cython: Any = import_module("Cython.Compiler.Main")
    except ImportError as error:
        raise CompilerMissing(
            f"Cython cannot be imported: {error}", fix="python -m pip install --force-reinstall cython"
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
        with _short_alphabet(), _no_collection():
            result = cython.compile_single(str(pyx), options, pyx.stem)
    except Exception:  # a fault inside Cython: its traceback is all it has to say
        return False, traceback.format_exc()
    listing = pyx.with_suffix(".lis")
    log = listing.read_text(encoding="utf-8", errors="replace") if listing.exists() else ""
    listing.unlink(missing_ok=True)
    return result.num_errors == 0, _without_folder(log, pyx.name)


@contextmanager
def _no_collection() -> Iterator[None]:
    """Without the collector of cycles, which walks through all that SymPy holds: a fifth of a small translation."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


@contextmanager
def _short_alphabet() -> Iterator[None]:
    """Let Cython build its scanner, which it does once in a process, from five ranges of characters.

    It lists all letters of all scripts, a thousand ranges, and spends a third of the time of a small module on them.
    Everything beyond ASCII that is in living use, letter or not, is more: what is valid is read the same.
    """
    lexicon: Any = import_module("Cython.Compiler.Lexicon")
    theirs = {name: getattr(lexicon, name) for name in _ALPHABET if hasattr(lexicon, name)}
    whole = len(theirs) == len(_ALPHABET)
    try:
        vars(lexicon).update(_ALPHABET if whole else {})
        yield
    finally:
        vars(lexicon).update(theirs)


def _without_folder(log: str, name: str) -> str:
    """Cython's messages with the bare file name: the folder is about to be renamed."""
    place = re.compile(rf"^((?:warning|note|performance hint): )?.*[/\\](?={re.escape(name)}:\d+:\d+: )", re.M)
    return place.sub(r"\1", log)
