#!/bin/sh
# Sets up .venv with nsdgen and its development tools, after checking what the machine must provide.
# Quick when nothing changed. PYTHON=... chooses the interpreter.
set -eu
cd "$(dirname "$0")"

say() { printf '%s\n' "$*" >&2; }

find_python() {
    for candidate in ${PYTHON:-} python3.14 python3.13 python3.12 python3.11 python3; do
        if command -v "$candidate" >/dev/null 2>&1 &&
            "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    say "nsdgen needs Python 3.11 or newer; none was found on PATH."
    say "  Debian: apt install python3 python3-venv python3-dev   macOS: brew install python"
    return 1
}

python=$(find_python)

if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    say "$python cannot make virtual environments."
    say "  Debian: apt install python3-venv"
    exit 1
fi
if ! "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))'; then
    say "Python.h, the header file of $python, is missing."
    say "  Debian: apt install python3-dev"
    exit 1
fi
if ! command -v "${CC:-cc}" >/dev/null 2>&1 && ! command -v gcc >/dev/null 2>&1 && ! command -v clang >/dev/null 2>&1; then
    say "No C compiler was found (cc, gcc, clang or \$CC)."
    say "  Debian: apt install gcc   macOS: xcode-select --install"
    exit 1
fi

# The compiled parts are rebuilt when their sources or the packaging changed.
stamp=$(cat pyproject.toml setup.py nsdgen/include/*.h nsdgen/*/*.pyx nsdgen/*/*.pxd | cksum)
if [ ! -f .venv/ready ] || [ "$(cat .venv/ready)" != "$stamp" ]; then
    [ -x .venv/bin/python ] || "$python" -m venv .venv
    .venv/bin/python -m pip install --quiet --upgrade pip setuptools
    .venv/bin/python -m pip install --quiet --editable '.[dev]'
    # A script run from the folder that holds this clone sees a folder called nsdgen beside it, which
    # would pass for a namespace package; with the clone itself on the path the package wins.
    pwd >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nsdgen-clone.pth"
    printf '%s' "$stamp" >.venv/ready
fi
