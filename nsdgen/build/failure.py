"""What is said when a tool refuses the emitted text."""

import re
import shlex
import warnings
from pathlib import Path

from nsdgen.errors import CompileError, KernelsInterpreted, NsdgenError

from .compiler import FIX_KILLED, was_killed
from .cythonize import CYTHON, ToolRun
from .kernel_source import KernelSource

_LINES_SHOWN = 14  # one error of Cython with the lines that it quotes

# `/* "name.pyx":12` above the C of line 12; a new section of the C file ends its reach.
_POSITION = re.compile(r'^\s*/\* "(?P<file>[^"]+)":(?P<line>\d+)$|^/\* #+ Code section')

_FIX = (
    "emitted text should compile, whatever the model: please report this, with that folder; "
    "`nsdgen doctor` says whether the compiler itself works"
)
_FIX_DEPTH = "a formula is too long for Cython in one expression: name parts of it with nsd.let(name, expression)"


def compile_error(source: KernelSource, outcome: ToolRun, c_text: str, kept: Path) -> CompileError:
    """The error for a failed outcome, whose text and log are kept in a folder."""
    line = offending_line(source, outcome, c_text)
    message = [f"{outcome.tool} refused the emitted text"]
    if line:
        message += [f"  {source.module}.pyx, line {line}: {source.lines[line - 1].strip()}"]
    message += ["  " + text for text in _first_words(outcome, source.module)]
    message += [f"  command: {shlex.join(outcome.command)}", f"  text and log: {kept}"]
    error = CompileError(
        "\n".join(message), model=source.model, where=source.tag_at(line) if line else "", fix=_advice(outcome.log)
    )
    error.log = outcome.log
    error.path = str(kept)
    return error


def offending_line(source: KernelSource, outcome: ToolRun, c_text: str) -> int | None:
    """The line of the Cython text that the first error of a tool is about, if known."""
    found = _first_error(outcome, source.module)
    if not found:
        return None
    line: int | None = int(found["line"])
    if outcome.tool != CYTHON:
        line = _line_behind(c_text.split("\n"), int(found["line"]), source)
    return line if line and 0 < line <= len(source.lines) else None


def _first_error(outcome: ToolRun, module: str) -> re.Match[str] | None:
    """The first line of the log that states an error at a line of the module."""
    if outcome.tool == CYTHON:  # whose warnings begin with that word
        pattern = rf"{module}\.pyx:(?P<line>\d+):\d+: "
    else:
        pattern = rf"{module}\.c:(?P<line>\d+):(?:\d+:)? (?:fatal )?error: "
    matches = (re.match(pattern, text) for text in outcome.log.splitlines())
    return next((match for match in matches if match), None)


def _line_behind(c_lines: list[str], line: int, source: KernelSource) -> int | None:
    """The Cython line that a line of C comes from."""
    for text in reversed(c_lines[:line]):
        if match := _POSITION.match(text):
            if match["file"] == f"{source.module}.pyx":
                return int(match["line"])
            break
    # Verbatim C has no position, but it is copied as it stands.
    words = c_lines[line - 1].strip() if 0 < line <= len(c_lines) else ""
    same = [n for n, text in enumerate(source.lines, 1) if words and text.strip() == words]
    return same[0] if len(same) == 1 else None


def _first_words(outcome: ToolRun, module: str) -> list[str]:
    """The first lines of a log, from the first error on if it is far down."""
    lines = [text for text in outcome.log.splitlines() if text.strip()]
    if found := _first_error(outcome, module):
        start = lines.index(found.string)
        lines = lines[start if start >= _LINES_SHOWN else 0 :]
    return lines[:_LINES_SHOWN]


def _advice(log: str) -> str:
    if "RecursionError" in log:
        return _FIX_DEPTH
    return FIX_KILLED if was_killed(log) else _FIX


def say_interpreted(missing: NsdgenError) -> None:
    """Warn, once for each reason, that kernels are not compiled and why."""
    warnings.warn(
        f"kernels are interpreted, not compiled: {missing.message}. The numbers are the same, an evaluation "
        f"takes two to five times as long. To compile: {missing.fix}",
        KernelsInterpreted,
        stacklevel=3,
    )
