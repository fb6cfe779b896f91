#!/bin/sh
# Sets up .venv with nsdgen, compiled in place, after checking what the machine must provide; "bootstrap.sh dev" adds
# the tools of development, "bootstrap.sh docs" those of the documentation. Quick when nothing changed. PYTHON=...
# chooses the interpreter.
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

# Prints the packages under the named keys of pyproject.toml, without nsdgen's own extras.
requirements() {
    .venv/bin/python -c '
import sys, tomllib
with open("pyproject.toml", "rb") as file:
    table = tomllib.load(file)
lists = {"build": table["build-system"]["requires"], "run": table["project"]["dependencies"],
         **table["project"]["optional-dependencies"]}
print(*(name for key in sys.argv[1:] for name in lists[key] if not name.startswith("nsdgen[")), sep="\n")
' "$@"
}

# Byte code is left to the first import: most of SymPy and SciPy is never imported.
install() {
    .venv/bin/python -m pip install --quiet --no-compile --disable-pip-version-check "$@" >>"$log" 2>&1 || {
        say "pip failed; $log ends with:"
        tail -n 30 "$log" >&2
        return 1
    }
}

log=.venv/setup.log
stamp=$(find nsdgen \( -name '*.pyx' -o -name '*.pxd' -o -name '*.pxi' -o -name '*.h' \) | LC_ALL=C sort |
    xargs cksum pyproject.toml setup.py bootstrap.sh | cksum)
if [ ! -f .venv/ready ] || [ "$(cat .venv/ready)" != "$stamp" ]; then
    if [ ! -x .venv/bin/python ]; then
        say "Making .venv with $("$python" --version)"
        "$python" -m venv .venv
    fi
    : >"$log"
    say "Installing Cython and NumPy"
    requirements build >.venv/requirements.txt
    install --requirement .venv/requirements.txt
    say "Installing SciPy, SymPy and Matplotlib, and compiling nsdgen meanwhile"
    # The byte code that every command needs is made here, too; images of containers often forbid Python to write it,
    # and without it each command would translate SymPy again, two seconds.
    requirements run plots >.venv/requirements.txt
    {
        install --requirement .venv/requirements.txt &&
            NSDGEN_PARTS=elsewhere install --no-deps --no-build-isolation --editable . &&
            PYTHONDONTWRITEBYTECODE= .venv/bin/python -c 'import sympy, scipy.sparse.linalg, matplotlib.pyplot, Cython.Build'
    } &
    packages=$!
    .venv/bin/python setup.py --quiet build_ext --inplace || {
        kill "$packages" 2>/dev/null
        exit 1
    }
    wait "$packages"
    # A script run from the folder that holds this clone sees a folder called nsdgen beside it, which
    # would pass for a namespace package; with the clone itself on the path the package wins.
    pwd >"$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/nsdgen-clone.pth"
    printf '%s' "$stamp" >.venv/ready
fi

# Installs the packages of extras of pyproject.toml, named from the second word on, unless that is done.
extras() {
    name=$1
    shift
    wanted=$(cat pyproject.toml bootstrap.sh | cksum)
    if [ ! -f ".venv/ready-$name" ] || [ "$(cat ".venv/ready-$name")" != "$wanted" ]; then
        say "Installing the packages of: $*"
        requirements "$@" >.venv/requirements.txt
        install --requirement .venv/requirements.txt
        printf '%s' "$wanted" >".venv/ready-$name"
    fi
}

case ${1:-} in
dev) extras dev data study dask dev ;;
docs) extras docs data study docs ;;
esac
