"""Hashes of what models compute and of what is emitted for them, to compare two states of the code.

``python benchmarks/bits.py --out before.json`` runs the models of ``examples/`` and of ``tests/conformance``, columns
and piles, each for at most ``--steps`` steps, and writes two hashes a model: of all bits of its table, and of its
emitted text.
``python benchmarks/bits.py --against before.json`` names the models whose hashes differ; the exit status is 1 where
a table does. A run that fails is hashed up to its failure, with the kind of error and its time.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path

import nsdgen as nsd
from nsdgen.errors import StepError
from nsdgen.model.pipeline import build_model, emit_model

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))


def models() -> Iterator[tuple[str, Callable[[], nsd.Model]]]:
    """Names, and functions that describe the models."""
    for folder in ("examples", "examples/mechanisms"):
        for path in sorted((ROOT / folder).glob("*.py")):
            if not path.stem.endswith("_audit"):
                yield f"example {path.stem}", lambda path=path: model_of(path)
    for path in sorted((ROOT / "tests/conformance/cases").glob("[a-z]*.py")):
        yield f"case {path.stem}", lambda path=path: case_of(path.stem)
    for example in ("bead_column", "disc_pile"):
        for size in (10, 100):
            path = ROOT / f"examples/{example}.py"
            yield f"{example} of {size}", lambda path=path, size=size: model_of(path, size)


def model_of(path: Path, *arguments: int) -> nsd.Model:
    """The model that a file defines under any name, or the one that its ``build`` makes of the arguments."""
    found = runpy.run_path(str(path))
    if arguments:
        made: nsd.Model = found["build"](*arguments)
        return made
    if isinstance(found.get("model"), nsd.Model):
        return found["model"]
    return next(value for value in found.values() if isinstance(value, nsd.Model))


def case_of(slug: str) -> nsd.Model:
    """The model of a conformance case."""
    return importlib.import_module(f"tests.conformance.cases.{slug}").case.model


def hashes(model: nsd.Model, steps: int) -> dict[str, str]:
    """Of the table of a run, of the emitted text."""
    emitted = emit_model(model)
    compiled, _ = build_model(emitted)
    record = compiled.record
    end = record.start + min(steps * record.step, record.end - record.start)
    functions = {b.name: b.computed_by for b in model.blocks if b.clock.computed}
    options = {"computed": functions} if functions else {}
    try:
        trajectory, failure = compiled.run(end=end, **options), ""
    except StepError as error:
        trajectory, failure = error.trajectory, f"{type(error).__name__} at {error.trajectory.time[-1]!r}"
    table = hashlib.sha256(trajectory.table.tobytes() + trajectory.time.tobytes() + failure.encode()).hexdigest()[:16]
    return {"table": table, "text": hashlib.sha256(emitted.text.encode()).hexdigest()[:16]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, help="write the hashes to this file")
    parser.add_argument("--against", type=Path, help="compare with the hashes of this file")
    parser.add_argument("--steps", type=int, default=3000, help="at most so many of each model (default 3000)")
    parser.add_argument("--only", default="*", help="models whose names match, as in 'example *'")
    options = parser.parse_args()
    found = {}
    for name, describe in models():
        if fnmatch(name, options.only):
            try:
                found[name] = hashes(describe(), options.steps)
            except Exception as error:
                traceback.print_exc()
                found[name] = {"table": f"{type(error).__name__}", "text": ""}
            print(f"{name}: {found[name]['table']} {found[name]['text']}", file=sys.stderr, flush=True)
    if options.out:
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if not options.against:
        return 0
    known = json.loads(options.against.read_text(encoding="utf-8"))
    differ = {what: [n for n in found if n in known and found[n][what] != known[n][what]] for what in ("table", "text")}
    print(
        f"{len(found)} models; tables differ: {', '.join(differ['table']) or 'none'}; "
        f"texts differ: {', '.join(differ['text']) or 'none'}"
    )
    return int(bool(differ["table"]))


if __name__ == "__main__":
    sys.exit(main())
