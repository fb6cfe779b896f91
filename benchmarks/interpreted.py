"""Kernels without a compiler: one evaluation beside the compiled one, and the time to a first trajectory.

    python benchmarks/interpreted.py [--rounds 7] [--start-rounds 3] [--json FILE] [MODEL ...]

``MODEL`` is the name of an example, or ``armN``, ``pendulumN`` (``kernels.py``). *Evaluation*: every kernel of a model
at one random point, its values compared to the bit before they are shown; the shortest of the rounds, compiled and
interpreted in turn. *Step*: runs with the general stepper, whose tables are compared likewise. *First trajectory*: a
process of its own with an empty cache, from its start to the return of a run of one step; all seconds are the
processor's, compilers included.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from tables import table_text

import nsdgen as nsd

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
EVALUATED = (
    "bouncing_ball",
    "cam_follower",
    "diode_bridge",
    "buck_converter",
    "colpitts_oscillator",
    "disc_pile",
    "gene_network",
    "motor_control",
    "tumbling_brick",
    "arm3",
    "arm7",
)
STARTED = ("cam_follower", "diode_bridge", "arm7")
CALLS = 300  # of a kernel in one sample
STEPS = 2000


def stated(name: str) -> nsd.Model:
    """The model of an example, or an arm or pendulum from its energies."""
    if match := re.fullmatch(r"(arm|pendulum)(\d+)", name):
        from kernels import stated as mechanism

        return mechanism(match[1], int(match[2]))
    from nsdgen.cli.load import load_model

    return load_model(EXAMPLES / f"{name}.py")[0]


def spent() -> float:
    """Processor seconds of this process and of those it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


# -- evaluation ---------------------------------------------------------------------------------------


def sample(table: Any, kernel: Any, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> float:
    """Seconds of one evaluation."""
    began = time.process_time()
    table.call_many(kernel, CALLS, inputs, [0] * len(inputs), outputs, [0] * len(outputs))
    return (time.process_time() - began) / CALLS


def evaluations(tables: list[Any], rounds: int) -> list[tuple[str, list[float]]]:
    """The shortest evaluation of each kernel in each table."""
    rng, found = np.random.default_rng(1), []
    for cls in tables[0].classes:
        for kernel in cls.kernels:
            inputs = [np.abs(rng.normal(size=max(a.size, 1))) for a in kernel.inputs]
            outputs = [[np.zeros(max(out.nnz, 1)) for out in kernel.outputs] for _ in tables]
            shortest = [np.inf] * len(tables)
            for _ in range(rounds):
                for i, table in enumerate(tables):
                    shortest[i] = min(shortest[i], sample(table, kernel, inputs, outputs[i]))
            for one, other in zip(*outputs, strict=True):
                if not np.array_equal(one, other, equal_nan=True):
                    raise SystemExit(f"{cls.name}, {kernel.name}: the values differ")
            found.append((f"{cls.name}: {kernel.name}", shortest))
    return found


def steps(models: list[Any], model: nsd.Model, rounds: int) -> list[float]:
    """Seconds of one step with the general stepper."""
    end = min(model.end, model.start + STEPS * model.step)
    computed = {b.name: b.computed_by for b in model.blocks if b.clock.computed}
    shortest, last = [np.inf] * len(models), [np.zeros(0)] * len(models)
    for _ in range(rounds):
        for i, compiled in enumerate(models):
            began = time.process_time()
            trajectory = compiled.run(end=end, generic=True, computed=computed)
            shortest[i] = min(shortest[i], (time.process_time() - began) / (len(trajectory) - 1))
            last[i] = trajectory.table
    if not np.array_equal(*last, equal_nan=True):
        raise SystemExit(f"{model.name}: the runs differ")
    return shortest


def evaluated(name: str, rounds: int) -> dict[str, Any]:
    """What one model takes, compiled and interpreted."""
    model = stated(name)
    models = [model.compile(interpret=False), model.compile(interpret=True)]
    found = evaluations([m.table for m in models], rounds)
    totals = [sum(seconds[i] for _, seconds in found) for i in (0, 1)]
    worst, ratio = max(((k, s[1] / s[0]) for k, s in found), key=lambda pair: pair[1])
    return {
        "model": name,
        "kernels": len(found),
        "seconds": totals,
        "ratio": totals[1] / totals[0],
        "median": statistics.median(s[1] / s[0] for _, s in found),
        "worst": [worst, ratio],
        "step": steps(models, model, rounds),
    }


# -- first trajectory ---------------------------------------------------------------------------------


def first(name: str, interpret: bool) -> None:
    """In a process of its own: the stages of a first run, in processor seconds, to standard output."""
    seconds = {"python": spent()}

    def measure(stage: str, work: Callable[[], Any]) -> Any:
        began = spent()
        result = work()
        seconds[stage] = spent() - began
        return result

    from nsdgen.model.pipeline import build_model, emit_model

    model = measure("stated", lambda: stated(name))
    emitted = measure("derived, emitted", lambda: emit_model(model))
    compiled, _ = measure("kernels", lambda: build_model(emitted, interpret=interpret))
    measure("first step", lambda: compiled.run(end=model.start + model.step))
    print(json.dumps({**seconds, "total": spent()}))


def started(name: str, rounds: int) -> dict[str, Any]:
    """The median stages of first runs, compiled and interpreted."""
    found: dict[str, Any] = {"model": name}
    for way in ("compiled", "interpreted"):
        samples = []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as cache:
                done = subprocess.run(
                    [sys.executable, __file__, "--first", way, name],
                    capture_output=True,
                    text=True,
                    env={**os.environ, "NSDGEN_CACHE": cache},
                    check=True,
                )
            samples.append(json.loads(done.stdout))
        found[way] = {stage: statistics.median(s[stage] for s in samples) for stage in samples[0]}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--start-rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--first", choices=("compiled", "interpreted"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first:
        first(options.models[0], options.first == "interpreted")
        return
    rows = [evaluated(name, options.rounds) for name in options.models or EVALUATED]
    print(
        table_text(
            [
                (
                    "model",
                    "kernels",
                    "ns compiled",
                    "ns interpreted",
                    "ratio",
                    "median of kernels",
                    "worst kernel",
                    "µs per step, general",
                    "interpreted",
                ),
                *(
                    (
                        r["model"],
                        str(r["kernels"]),
                        *(f"{1e9 * s:.0f}" for s in r["seconds"]),
                        f"{r['ratio']:.1f}",
                        f"{r['median']:.1f}",
                        f"{r['worst'][1]:.1f} ({r['worst'][0]})",
                        *(f"{1e6 * s:.2f}" for s in r["step"]),
                    )
                    for r in rows
                ),
            ]
        ),
        flush=True,
    )
    starts = [started(name, options.start_rounds) for name in options.models or STARTED]
    stages = list(starts[0]["compiled"])
    print(
        "",
        table_text(
            [
                ("model", "", *stages),
                *(
                    (s["model"], way, *(f"{s[way][stage]:.2f}" for stage in stages))
                    for s in starts
                    for way in ("compiled", "interpreted")
                ),
            ]
        ),
        sep="\n",
    )
    if options.json:
        options.json.write_text(json.dumps({"evaluation": rows, "first": starts}, indent=1))


if __name__ == "__main__":
    main()
