"""The functions that a shared library exports, as ``nm`` lists them, which comes with every C compiler."""

import subprocess
from pathlib import Path

from nsdgen.errors import CompilerMissing, ParameterError

_FUNCTIONS = "TWi"  # letters of nm: global, weak, chosen when it is loaded
_LINKER = {"_init", "_fini"}


def exported_functions(library: Path) -> tuple[str, ...]:
    """Names of the functions that a library defines and exports, sorted.

    Raises ``ParameterError`` for a file that is missing or no such library, ``CompilerMissing`` without ``nm``.
    """
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", str(library)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL)
    except OSError as error:
        raise CompilerMissing(
            f"the functions of a library cannot be listed: nm: {error.strerror}",
            fix="install the tools of the C compiler (binutils)",
        ) from error
    if done.returncode:
        raise ParameterError(
            f"the file is no shared library that can be read: {done.stderr.strip()}",
            where=str(library),
            fix="give the path of a .so, compiled with -shared -fPIC",
        )
    symbols = (line.split() for line in done.stdout.splitlines())
    return tuple(sorted({name.partition("@")[0] for name, kind, *_ in symbols if kind in _FUNCTIONS} - _LINKER))
