"""How long work goes on after Ctrl-C: processor time from a SIGINT at a random moment to KeyboardInterrupt.

    python benchmarks/interrupts.py [--rounds 3] [--seed 0] [CASE ...]

Each round is a process of its own. Processor time counts, so that other work on the machine does not. What takes more
than 0.2 s is marked.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from jams import example
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.solvers import solve_lcp, solve_mlcp

Work = Callable[[], Any]


def ball(scheme: Any, step: float, end: float) -> nsd.Model:
    """A ball on a table that shakes."""
    y = dynamicsymbols("y")
    body = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=y)
    floor = nsd.Contact("floor", y + sp.sin(7 * nsd.time) / 10, nsd.NewtonImpact(0.5))
    return nsd.Model("ball", [body], [floor], scheme=scheme, step=step, end=end, initial={y: 1})


def steps(scheme: Any) -> Work:
    """A run of many steps."""
    compiled = ball(scheme, 1e-5, 1e4).compile()
    return lambda: compiled.run(every=10**6)


def chain(links: int) -> nsd.Model:
    """A pendulum of many links, which takes long to derive."""
    q = dynamicsymbols(f"q:{links}")
    x = y = kinetic = potential = sp.S.Zero
    for angle in q:
        x, y = x + sp.sin(angle), y - sp.cos(angle)
        kinetic, potential = kinetic + (x.diff(nsd.time) ** 2 + y.diff(nsd.time) ** 2) / 2, potential + y
    body = nsd.LagrangianSystem("chain", q, kinetic=kinetic, potential=potential)
    return nsd.Model("chain", [body], scheme=nsd.MoreauJean(), step=1e-3, end=1, initial=dict.fromkeys(q, 0.1))


def pairs(n: int) -> Work:
    """A full complementarity problem."""
    full = np.random.default_rng(1).normal(size=(n, n))
    return lambda: solve_lcp(full @ full.T, full[0])


def equalities(n: int) -> Work:
    """Equalities beside as many pairs, without a diagonal."""
    rng = np.random.default_rng(1)
    full, across = rng.normal(size=(n, n)), rng.normal(size=(n, n))
    matrix = np.block([[full @ full.T, across], [-across.T, np.zeros((n, n))]])
    return lambda: solve_mlcp(matrix, rng.normal(size=2 * n), np.arange(2 * n) < n)


def spheres() -> Work:
    """Spheres that settle."""
    world = example("settling_spheres").build(1500)
    return lambda: world.run(100, step=5e-3, every=1000)


def bars() -> Work:
    """Mechanisms with redundant joints."""
    compiled = example("four_bars").make(8, nsd.Rattle(), end=1e4, redundant=True).compile()
    return lambda: compiled.run(every=10**6)


CASES: dict[str, Callable[[], Work]] = {
    **{
        kind.__name__: lambda kind=kind: steps(kind())  # type: ignore[misc]
        for kind in (nsd.MoreauJean, nsd.Rattle, nsd.Variational, nsd.D1Minus, nsd.SchatzmanPaoli, nsd.GeneralisedAlpha)
    },
    "EventDriven": lambda: steps(nsd.EventDriven()),
    "exponents": lambda: lambda: nsd.lyapunov_exponents(ball(nsd.EventDriven(), 0.1, 1e4), period=2 * np.pi / 7),
    "ensemble": lambda: lambda: ball(nsd.MoreauJean(), 1e-5, 1e4).ensemble(initial={"ball.y": np.linspace(1, 2, 64)}),
    "description": lambda: lambda: chain(30),
    "derivation": lambda: chain(20).derive,
    "pairs": lambda: pairs(2500),
    "equalities": lambda: equalities(1000),
    "spheres": spheres,
    "mechanisms": bars,
}


def work_on(case: str) -> None:
    """In the child: say when it is under way, and what processor time it had when it was interrupted."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    work = CASES[case]()
    print("under way", flush=True)
    try:
        work()
    except KeyboardInterrupt:
        print(time.process_time(), flush=True)


def processor_time(pid: int) -> float:
    """The seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def interrupted(case: str, after: float) -> float | None:
    """The seconds of processor time that a child goes on for; None where it ended before."""
    with subprocess.Popen([sys.executable, __file__, "--child", case], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "under way\n", case
        begin = processor_time(child.pid)
        while child.poll() is None and processor_time(child.pid) < begin + after:
            time.sleep(0.005)
        if child.poll() is not None:
            return None
        asked = processor_time(child.pid)
        child.send_signal(signal.SIGINT)
        said = child.stdout.read().split()
    return float(said[-1]) - asked if said else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", choices=[[], *CASES], default=[])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        work_on(given.child)
        sys.exit()
    draw = random.Random(given.seed)
    for name in given.cases or CASES:
        found = [interrupted(name, draw.uniform(0.05, 1.5)) for _ in range(given.rounds)]
        told = ["ended" if s is None else f"{1e3 * s:.0f}{' !' if s > 0.2 else ''}" for s in found]
        print(f"{name:20} ms of processor time: {', '.join(told)}", flush=True)
