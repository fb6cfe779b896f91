"""How the cost of a step grows with one large W: a chain of coupled cells, and a bar given as one system.

    python benchmarks/coupled.py [--chain 200,400,800,1600] [--ties 100,...] [--diodes 100,...] [--bar 50,100,...]
        [--rounds 5]

The chain: cells x' = -c x, neighbours joined by flows k (d + d^3) that are reactions of both states, so that all cells
share one iteration matrix; Newton's method needs two or three iterations a step. Ties and diodes: the same cells, with
flows d^3 + lambda of both states and a multiplier of their own, 0 = d + lambda / k or 0 <= d + lambda / k, lambda >= 0.
The bar: a free elastic bar, masses and stiffness of neighbours, one Lagrangian system with one banded matrix; three of
its nodes may meet walls.
µs per step of the stepping thread, median with the fastest and slowest round; and processor seconds from the
model's expressions to kernels that are loaded, stage by stage, without the cache.
"""

from __future__ import annotations

import argparse
import datetime
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols
from tables import table_text

import nsdgen as nsd
from nsdgen.model.pipeline import build_model, emit_model
from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.values import run_values

SETTLING = 3  # steps before anything is timed
HEADINGS = ("model", "N", "µs per step", "per unknown", "describe to emit", "Cython and compiler")

k, c = sp.symbols("k c", positive=True)
Cell = Any  # one of many copies of a system


def chain(n: int) -> nsd.Model:
    """n cells in one group."""

    def link(low: Cell, high: Cell, x: sp.Expr, lam: sp.Expr) -> nsd.FirstOrderRelation:
        d = high.coordinate(x) - low.coordinate(x)
        flow = k * (d + d**3)
        return nsd.FirstOrderRelation("link", [lam], [lam], {low: [flow], high: [-flow]}, nsd.Equality())

    return joined("chain", n, link)


def ties(n: int) -> nsd.Model:
    """n cells in one group, every relation with a multiplier."""
    return with_multipliers(n, nsd.Equality())


def diodes(n: int) -> nsd.Model:
    """The same with multipliers of one sign."""
    return with_multipliers(n, nsd.Complementarity())


def with_multipliers(n: int, law: nsd.Equality | nsd.Complementarity) -> nsd.Model:
    """n cells whose neighbours are joined by d^3 + lambda."""

    def link(low: Cell, high: Cell, x: sp.Expr, lam: sp.Expr) -> nsd.FirstOrderRelation:
        d = low.coordinate(x) - high.coordinate(x)
        flow = d**3 + lam
        return nsd.FirstOrderRelation("link", [lam], [d + lam / k], {low: [-flow], high: [flow]}, law)

    return joined("ties", n, link)


def joined(name: str, n: int, link: Callable[[Cell, Cell, sp.Expr, sp.Expr], nsd.FirstOrderRelation]) -> nsd.Model:
    """n cells, each joined to the next by the relation that ``link`` makes of two of them, x and a multiplier."""
    x = dynamicsymbols("x")
    cells = nsd.FirstOrderSystem("cell", [x], [-c * x]).copies(n, initial={x: np.sin(np.arange(n))})
    low, high = cells[0], cells[1]
    relation = link(low, high, x, nsd.multipliers("lam", 1)[0])
    return nsd.Model(
        name,
        [cells],
        [relation.copies([(i, i + 1) for i in range(n - 1)], like=(low, high))],
        scheme=nsd.ThetaGamma(theta=0.5, gamma=0.5, relation_at="gamma"),
        step=0.01,
        end=1.0,
        parameters={k: 3.0, c: 0.1},
    )


def bar(n: int) -> nsd.Model:
    """A bar of n nodes as one system."""
    q = dynamicsymbols(f"q:{n}")
    rates = [f.diff() for f in q]
    kinetic = sp.Add(*(c * (a * a + a * b + b * b) / 6 for a, b in pairwise(rates)))
    potential = sp.Add(*(k * (b - a) ** 2 / 2 for a, b in pairwise(q)))
    system = nsd.LagrangianSystem("bar", list(q), kinetic=kinetic, potential=potential)
    walls = [nsd.Contact(f"wall {i}", q[i] + sp.Rational(99, 100), nsd.NewtonImpact(0)) for i in (n - 3, n - 2, n - 1)]
    return nsd.Model(
        "bar",
        [system],
        walls,
        scheme=nsd.MoreauJean(theta=0.5),
        step=1e-3,
        end=1.0,
        parameters={k: 1e4, c: 1.0},
        initial={f: np.cos(np.pi * (i + 0.5) / n) for i, f in enumerate(q)},
        allow_penetration=True,
    )


def seconds_of(stepper: Any, steps: int) -> float:
    """Seconds per step, from the present state."""
    began = time.thread_time()
    made, *_ = stepper.advance(steps)
    if made < steps:
        raise RuntimeError(f"the run failed: {stepper.failed}")
    return (time.thread_time() - began) / steps


def measure(name: str, model: nsd.Model, n: int, rounds: int) -> tuple[str, ...]:
    """One row of the table."""
    os.environ["NSDGEN_CACHE"] = tempfile.mkdtemp()
    before = os.times()
    emitted = emit_model(model)
    middle = os.times()
    compiled, _ = build_model(emitted)
    after = os.times()
    stepper = prepare(compiled.record, compiled.table, run_values(compiled.record, compiled.table))
    seconds_of(stepper, SETTLING)
    samples = [1e6 * seconds_of(stepper, 10) for _ in range(rounds)]
    spent = middle.user - before.user, after.user + after.children_user - middle.user - middle.children_user
    return (
        name,
        str(n),
        f"{statistics.median(samples):.4g} [{min(samples):.4g}, {max(samples):.4g}]",
        f"{1e3 * statistics.median(samples) / n:.0f} ns",
        f"{spent[0]:.2f} s",
        f"{spent[1]:.2f} s",
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="The cost of a step with one large W.")
    parser.add_argument("--chain", default="200,400,800,1600")
    parser.add_argument("--ties", default="100,200,400,800,1600")
    parser.add_argument("--diodes", default="100,200,400,800,1600")
    parser.add_argument("--bar", default="50,100,200,400,800")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    rows = [
        measure(name, build(int(n)), int(n), options.rounds)
        for name, build, sizes in (
            ("chain", chain, options.chain),
            ("ties", ties, options.ties),
            ("diodes", diodes, options.diodes),
            ("bar", bar, options.bar),
        )
        for n in sizes.split(",")
        if n
    ]
    print(
        f"date {datetime.date.today().isoformat()}; cpus {os.cpu_count()}; load {os.getloadavg()[0]:.2f}; "
        f"{options.rounds} rounds of 10 steps"
    )
    print(table_text([HEADINGS, *rows]))


if __name__ == "__main__":
    main()
