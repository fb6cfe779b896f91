"""How long until the first step: with an empty cache stage by stage, and with a warm one.

    python benchmarks/startup.py [--rounds 5] [--json FILE] [MODEL.py ...]

Every sample is a process of its own; its clock starts before the process does. *Cold* has a
fresh folder as NSDGEN_CACHE: model file, derivation, emission, interpreted kernels, first step; and when the
compiled ones were there, which a second process made meanwhile. *Cached* is
``nsdgen run MODEL.py --end <one step>`` with a cache that has seen the model.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EXAMPLES = [HERE.parent / "examples" / f"{name}.py" for name in ("bouncing_ball", "cam_follower", "diode_bridge")]


# -- in the process that is measured --------------------------------------------------------


def cold(path: Path, born: float) -> dict[str, Any]:
    """Every stage from the model file to the first step, in seconds; *imports* is what is between them.

    What ``nsdgen run`` does: the first step is made by interpreted kernels (*build* is what makes them), while another
    process compiles. *processor* is what this one has used by then: what the clock would say on two quiet cores.
    """
    seconds = {"python": time.monotonic() - born}
    from nsdgen.build.beside import Beside
    from nsdgen.cli.target import open_target, parse_target

    with Beside() as beside:
        opened = open_target(parse_target(str(path)), beside=beside)
        record = opened.compiled.record
        end = record.start + record.step
        began = time.monotonic()
        opened.compiled.run(end=end)
        now = time.monotonic()
        seconds |= opened.seconds | {"first step": now - began}
        total, processor = now - born, time.process_time()
    return {
        "seconds": {
            **seconds,
            "imports": total - sum(seconds.values()),
            "total": total,
            "processor": processor,
            "compiled": time.monotonic() - born,
        },
        "end": end,
        "sympy": "sympy" in sys.modules,
    }


def cached(path: Path, born: float, end: str) -> dict[str, Any]:
    """The command line, one step; seconds from the start of the process to its return."""
    from nsdgen.cli.main import main

    started = time.monotonic()
    try:
        code = main(["run", str(path), "--end", end, "--quiet"])
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("nsdgen."):
            raise
        return {"absent": str(error)}
    return {
        "seconds": {"python, options": started - born, "total": time.monotonic() - born},
        "code": code,
        "sympy": "sympy" in sys.modules,
        "modules": len(sys.modules),
    }


def child(arguments: Sequence[str]) -> None:
    """What a measured process does: ``--child KIND MODEL BORN [END]``."""
    kind, path, born, *rest = arguments
    work = cold if kind == "cold" else cached
    print(json.dumps(work(Path(path), float(born), *rest)))


# -- in the process that measures -----------------------------------------------------------


def sample(kind: str, path: Path, cache: str, *rest: str) -> dict[str, Any]:
    """One measured process; its answer with the seconds until it was gone."""
    born = time.monotonic()
    run = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--child", kind, str(path), repr(born), *rest],
        env={**os.environ, "NSDGEN_CACHE": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    gone = time.monotonic() - born
    answer: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    if answer.get("code", 0) != 0:
        raise RuntimeError(f"nsdgen run {path.name} failed with exit code {answer['code']}")
    if "seconds" in answer:
        answer["seconds"]["process gone"] = gone
    return answer


def medians(answers: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The median of every entry of ``seconds``."""
    return {key: statistics.median(a["seconds"][key] for a in answers) for key in answers[0]["seconds"]}


def measure(path: Path, rounds: int) -> dict[str, Any]:
    """Cold and cached processes of one model, in turns."""
    colds, warms = [], []
    with tempfile.TemporaryDirectory() as kept:
        first = sample("cold", path, kept)
        end = repr(first["end"])
        unseen = sample("cached", path, kept, end)  # remembers the model
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as fresh:
                colds.append(sample("cold", path, fresh))
            if "absent" not in unseen:
                warms.append(sample("cached", path, kept, end))
    result: dict[str, Any] = {"model": path.stem, "cold": medians(colds)}
    if not warms:
        return {**result, "absent": unseen["absent"]}
    return {
        **result,
        "cached": medians(warms),
        "rounds": rounds,
        "sympy imported when cached": sum(a["sympy"] for a in warms),
        "modules when cached": warms[-1]["modules"],
    }


def report(results: Sequence[Mapping[str, Any]]) -> str:
    """Both tables as Markdown, milliseconds."""
    lines = ["cold, stage by stage (ms)", ""]
    lines += _table({r["model"]: r["cold"] for r in results})
    warm = {r["model"]: r["cached"] for r in results if "cached" in r}
    if warm:
        lines += ["", "cached, `nsdgen run` of one step (ms)", "", *_table(warm), ""]
        lines += [
            f"{r['model']}: SymPy was imported in {r['sympy imported when cached']} of {r['rounds']} "
            f"cached starts, {r['modules when cached']} modules in the last"
            for r in results
            if "cached" in r
        ]
    lines += [
        f"{r['model']}: cached start not measured, `nsdgen run` is not there: {r['absent']}"
        for r in results
        if "absent" in r
    ]
    return "\n".join(lines)


def _table(rows: Mapping[str, Mapping[str, float]]) -> list[str]:
    heads = list(next(iter(rows.values())))
    lines = ["| model | " + " | ".join(heads) + " |", "|---|" + "---:|" * len(heads)]
    return lines + [
        f"| {name} | " + " | ".join(f"{1e3 * row[h]:.0f}" for h in heads) + " |" for name, row in rows.items()
    ]


def main() -> int:
    """Measure and print."""
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description="Seconds until the first step, cold and cached.")
    parser.add_argument("models", nargs="*", type=Path, default=EXAMPLES, help="model files (default: the examples)")
    parser.add_argument("--rounds", type=int, default=5, help="processes of each kind (default 5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results here too")
    options = parser.parse_args()
    results = [measure(path.resolve(), options.rounds) for path in options.models]
    print(f"medians of {options.rounds} processes; {os.cpu_count()} cpus")
    print(report(results))
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
