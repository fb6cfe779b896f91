"""A sweep on Dask workers of this machine beside the same sweep in one process on one thread: how linear it scales.

    python benchmarks/cluster.py [--workers 2] [--members 6000] [--end 40] [--rounds 2]

Both write a store, and take turns. By the clock, linear is the time of one thread divided by the number of workers. On
a machine where others work, the clock says little; processor time says what the sweep cost more than on one thread: in
the workers, and in the process that gives tasks away and writes what comes, with Dask's scheduler. Where there are as
many cores as workers, that takes time of the workers, too, and the last column is how linear the sweep could be there.
Exit status 1 where numbers differ.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import distributed
import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols
from tables import table_text

import nsdgen as nsd


def shaken(end: float) -> nsd.Model:
    """A ball on a table that shakes."""
    (z,) = dynamicsymbols("z,")
    omega = sp.Symbol("omega", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-sp.Rational(981, 100)], units=["m"])
    table = nsd.Contact("table", z - sp.sin(omega * nsd.time) / 100, nsd.NewtonImpact(sp.Rational(1, 2)))
    given = {"step": 1e-3, "end": end, "parameters": {omega: 40.0}, "initial": {z: 0.02, z.diff(): 0}}
    return nsd.Model("shaken_for_long", [ball], [table], scheme=nsd.MoreauJean(), **given)


def swept(model: Any, members: int, **how: Any) -> tuple[float, float, Any]:
    """Seconds by the clock, of this process's processor time, and what was found."""
    with tempfile.TemporaryDirectory() as folder:
        clock, processor = time.perf_counter(), time.process_time()
        over = {"omega": np.linspace(30, 80, members)}
        found = nsd.sweep(model, over, last=["z"], reduce=["max z"], out=Path(folder) / "s.zarr", **how)
        return time.perf_counter() - clock, time.process_time() - processor, found


def spent(client: Any) -> float:
    """Processor time of all workers so far [s]."""
    return float(sum(client.run(time.process_time).values()))


def main() -> int:
    """Measure, print, and say by the exit status whether both have found the same."""
    parser = argparse.ArgumentParser(description="A sweep on Dask workers of one machine.")
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--members", type=int, default=6000)
    parser.add_argument("--end", type=float, default=40.0)
    parser.add_argument("--rounds", type=int, default=2)
    options = parser.parse_args()
    model = shaken(options.end).compile()
    rows, same = [], True
    given = {"n_workers": options.workers, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**given) as cluster, distributed.Client(cluster) as client:
        for _ in range(options.rounds):
            clock, processor, here = swept(model, options.members, threads=1)
            before = spent(client)
            there_clock, there_processor, there = swept(model, options.members, scheduler=client)
            workers = spent(client) - before
            same = same and here.equals(there)
            rows.append(
                [
                    f"{clock:.1f}",
                    f"{processor:.1f}",
                    f"{there_clock:.1f}",
                    f"{workers:.1f}",
                    f"{there_processor:.1f}",
                    f"{clock / there_clock / options.workers:.2f}",
                    f"{processor / workers:.2f}",
                    f"{processor / (workers + there_processor):.2f}",
                ]
            )
    names = ["one thread [s]", "its processor [s]", "workers [s]", "their processor [s]", "giving and writing [s]"]
    print(f"{options.members} members, {options.workers} workers, load {os.getloadavg()[0]:.1f}")
    print(table_text([[*names, "linear by clock", "by workers", "by all"], *rows]))
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
