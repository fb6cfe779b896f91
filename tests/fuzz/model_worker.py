"""Run mutated model files in a process of its own: ``python model_worker.py FILE FOLDER FIRST END``.

Exit status 0 where each of them ran or was refused by name; the texts of the others stay in the folder.
"""

import ast
import contextlib
import faulthandler
import io
import os
import random
import resource
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from Cython.Compiler import Main, Pipeline  # noqa: F401  once, like SymPy, not by every child

import nsdgen
from nsdgen.build.beside import Beside
from nsdgen.cli.load import load_model
from nsdgen.cli.main import main
from nsdgen.errors import NsdgenError

NASTY = [
    "0",
    "-1",
    "1e400",
    "1e-320",
    "True",
    "None",
    "'1'",
    "b'1'",
    "[]",
    "()",
    "{}",
    "{1}",
    "10**30",
    "1j",
    "lambda: 0",
    "...",
    "[[1, 2], [3]]",
    "float('nan')",
    "sp.oo",
    "sp.nan",
    "sp.I",
    "sp.zoo",
    "sp.eye(2)",
    "sp.true",
    "sp.DiracDelta(nsd.time)",
    "nsd.time",
    "sp.Symbol('stray')",
    "sp.Function('f')(nsd.time)",
    "sp.Matrix()",
    "object()",
    "nsd",
    "sp.Integral(nsd.time)",
    "sp.Symbol('m') > 0",
    "nsd.Complementarity()",
    "'x' * 999",
    "sp.sqrt(-1 - nsd.time**2)",
]
SECONDS = 120
PACKAGE = str(Path(nsdgen.__file__).parent)


def mutated(text: str, rng: random.Random) -> str:
    """Some expressions of a file replaced by others of it or by values that no model can use."""
    tree = ast.parse(text)
    places = [
        (owner, field, index)
        for owner in ast.walk(tree)
        if not isinstance(owner, ast.ImportFrom | ast.Import)
        for field, index in _expressions(owner)
    ]
    words = [ast.unparse(_at(*place)) for place in places]
    for owner, field, index in rng.sample(places, rng.choice((1, 1, 1, 2, 3))):
        new = ast.parse(rng.choice((rng.choice(NASTY), rng.choice(NASTY), rng.choice(words))), mode="eval").body
        value = getattr(owner, field)
        if index is None:
            setattr(owner, field, new)
        else:
            value[index] = new
    return ast.unparse(ast.fix_missing_locations(tree))


def _expressions(owner: ast.AST) -> Iterator[tuple[str, int | None]]:
    """Where a node holds expressions whose values are used."""
    for field, value in ast.iter_fields(owner):
        for index, item in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(item, ast.expr) and isinstance(getattr(item, "ctx", ast.Load()), ast.Load):
                yield field, index


def _at(owner: ast.AST, field: str, index: int | None) -> ast.expr:
    value = getattr(owner, field)
    return value if index is None else value[index]


def raw_error(error: NsdgenError) -> bool:
    """Whether an error that is said to be the model file's was raised below a call of nsdgen."""
    if "the model file raises" not in error.message or error.__cause__ is None:
        return False
    frames = traceback.extract_tb(error.__cause__.__traceback__)
    last = max((i for i, f in enumerate(frames) if f.name == "<module>"), default=-1)
    return any(f.filename.startswith(PACKAGE) for f in frames[last + 1 :])


def tried(path: Path) -> int:
    """0 for a short run, 1 for a refusal by name, 2 for anything else, which is printed."""
    err = io.StringIO()
    try:
        try:
            load_model(path)
        except NsdgenError as error:
            if not raw_error(error):
                return 1
            raise
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
            code = main(["run", str(path), "--end", "0.02", "--every", "5"])
        if code == 0 or "nsdgen: " in err.getvalue():
            return int(code != 0)
        said = f"exit code {code}: {err.getvalue()}"
    except BaseException:
        said = traceback.format_exc()
    print(said[-3000:], file=sys.stderr, flush=True)
    return 2


def in_a_child(path: Path) -> int:
    """The same in a process of its own, since a model file may change SymPy for all; 3 where a signal ended it."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(SECONDS)  # a hang is a failure
        os._exit(tried(path))
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return 3 if status < 0 else status


def campaign() -> int:
    source, folder, first, end = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    Beside.start = lambda self: None  # a child builds by itself: another process would load Cython again
    text, found = source.read_text(encoding="utf-8"), []
    path = folder / f"{source.stem}.py"
    for seed in range(first, end):
        path.write_text(mutated(text, random.Random(f"{source.stem} {seed}")), encoding="utf-8")
        found.append(in_a_child(path))
        if found[-1] > 1:
            print(f"seed {seed} of {source.name} ends with {found[-1]}: no named error", file=sys.stderr)
            (folder / f"seed_{seed}.txt").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    print(f"{found.count(0)} of {end - first} ran, {found.count(1)} were refused by name")
    return min(sum(code > 1 for code in found), 100)


if __name__ == "__main__":
    sys.exit(campaign())
