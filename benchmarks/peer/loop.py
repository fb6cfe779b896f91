"""The peer's side of a comparison: build a simulation on request, time its bare loop.

A script of this folder runs under the Python that has the peer (``siconos``), needs nothing of
nsdgen and answers requests of one JSON object a line:

    {"steps": n, "h": h, "parameters": {...}, "clock": "cpu" | "wall", "record": null | "file.npy"}

with ``{"seconds": s, "final": [...], "version": v}``. Without ``record`` the loop does nothing
but step. With it every step's columns are kept and saved, and the time means nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import siconos.kernel as sk

CLOCKS = {"cpu": time.thread_time, "wall": time.perf_counter}
Build = Callable[[dict[str, float], float, float], tuple[Any, Callable[[], list[float]]]]
"""(parameters, h, end) -> (simulation, what to observe)."""


def stepping(end: float, h: float, system: Any, interaction: Any, osi: Any) -> Any:
    """The peer's time stepping of one system with one interaction and an LCP."""
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    nsds.insertDynamicalSystem(system)
    nsds.link(interaction, system)
    return sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h), osi, sk.LCP())


def bare_loop(simulation: Any, now: Callable[[], float]) -> float:
    """Seconds of the loop alone."""
    began = now()
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        simulation.nextStep()
    return now() - began


def recorded_loop(simulation: Any, observe: Callable[[], list[float]]) -> np.ndarray:
    """What ``observe`` gives at the start and after every step."""
    rows = [observe()]
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        rows.append(observe())
        simulation.nextStep()
    return np.array(rows)


def answer(build: Build, request: dict[str, Any]) -> dict[str, Any]:
    """Run once; raises ``RuntimeError`` where the peer made another number of steps."""
    steps, h = request["steps"], request["h"]
    simulation, observe = build(request["parameters"], h, (steps + 0.5) * h)
    seconds = 0.0
    if request["record"]:
        rows = recorded_loop(simulation, observe)
        if len(rows) != steps + 1:
            raise RuntimeError(f"the peer made {len(rows) - 1} steps instead of {steps}")
        np.save(request["record"], rows)
    else:
        seconds = bare_loop(simulation, CLOCKS[request["clock"]])
    return {"seconds": seconds, "final": observe(), "version": version()}


@cache
def version() -> str:
    """The version of the installed package; the module itself does not know it."""
    try:
        found = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", "python3-siconos"], capture_output=True, text=True
        )
    except OSError:
        return "of unknown version"
    return found.stdout.strip() or "of unknown version"


def serve(build: Build) -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        print(json.dumps(answer(build, json.loads(line))), flush=True)
