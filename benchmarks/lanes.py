"""Members of ensembles alone and in lanes of vectors: nanoseconds of processor time per step, by kind of step.

    python benchmarks/lanes.py [--members 16] [--steps 40000] [--rounds 5]

One thread; both ways take turns, and what a member costs before its steps is taken off (a run of 100 steps). Exit
status 1 where they differ in a bit.
"""

from __future__ import annotations

import argparse
import os
import runpy
import statistics
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tables import table_text

from nsdgen.study import run_ensemble

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
FEW = 100


@dataclass(frozen=True)
class Kind:
    """An example, what its steps are, and the value in which members differ: by the factors from 0.97 to 1.03."""

    example: str
    title: str
    group: str
    name: str


KINDS = (
    Kind("bouncing_ball", "affine, one row", "parameters", "e"),
    Kind("cam_follower", "affine, one row, loads", "parameters", "omega"),
    Kind("diode_bridge", "affine, several rows", "parameters", "R"),
    Kind("rectifiers", "affine, seven rows, three sines", "parameters", ""),
    Kind("buck_converter", "bounds", "parameters", ""),
    Kind("gene_network", "bounds, three problems", "parameters", "k"),
    Kind("dzhanibekov", "Newton's method", "initial", "angular_velocity"),
    Kind("heavy_top", "Newton's method, stages, equalities", "initial", "angular_velocity"),
)


def varied(compiled: Any, kind: Kind, members: int) -> dict[str, dict[str, Any]]:
    """What members differ in; the first parameter where none is named."""
    factors = np.linspace(0.97, 1.03, members)
    if kind.group == "parameters":
        name = kind.name or compiled.record.parameters[0].name
        value = next(p.value for p in compiled.record.parameters if p.name == name)
        return {"parameters": {name: value * factors}}
    system = compiled.record.systems[0]
    start = [v for n, v in zip(system.initial_names, system.initial, strict=True) if n.startswith(f"{kind.name}[")]
    return {"initial": {f"{system.name}.{kind.name}": np.outer(factors, start)}}


def seconds(compiled: Any, vary: Mapping[str, Any], steps: int, in_lanes: bool) -> tuple[float, Any]:
    """Processor time of an ensemble, and the ensemble."""
    run_ensemble._WORTH = 0 if in_lanes else sys.maxsize
    began = time.process_time()
    found = compiled.ensemble(**vary, end=compiled.record.start + steps * compiled.record.step, threads=1)
    return time.process_time() - began, found


def measure(kind: Kind, options: argparse.Namespace) -> tuple[tuple[str, ...], bool]:
    """A row of the table, and whether the bits are the same."""
    compiled = runpy.run_path(str(EXAMPLES / f"{kind.example}.py"))["model"].compile()
    vary = varied(compiled, kind, options.members)
    times: dict[bool, list[float]] = {False: [], True: []}
    found = {}
    for _ in range(options.rounds + 1):
        for in_lanes in times:
            before, _ = seconds(compiled, vary, FEW, in_lanes)
            taken, found[in_lanes] = seconds(compiled, vary, options.steps, in_lanes)
            times[in_lanes].append(1e9 * (taken - before) / (options.members * (options.steps - FEW)))
    alone, lanes = times[False][1:], times[True][1:]  # the first round compiles
    ratio = statistics.median(a / b for a, b in zip(alone, lanes, strict=True))
    same = found[False].final.tobytes() == found[True].final.tobytes()
    return (
        kind.example,
        kind.title,
        f"{statistics.median(alone):.1f}",
        f"{statistics.median(lanes):.1f}",
        f"{ratio:.2f}",
        "same" if same else "DIFFERENT",
    ), same


def main() -> int:
    """Measure, print, and say by the exit status whether the bits are the same."""
    parser = argparse.ArgumentParser(description="Members of ensembles alone and in lanes.")
    parser.add_argument("--members", type=int, default=16)
    parser.add_argument("--steps", type=int, default=40_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows, all_same = [], True
    for kind in KINDS:
        row, same = measure(kind, options)
        rows.append(row)
        all_same = all_same and same
    print(
        f"{options.members} members of {options.steps} steps, {options.rounds} rounds, "
        f"load {os.getloadavg()[0]:.1f}; ns of processor time per step of a member, medians"
    )
    print(table_text([("model", "steps", "alone", "in lanes", "gain", "bits"), *rows]))
    return 0 if all_same else 1


if __name__ == "__main__":
    sys.exit(main())
