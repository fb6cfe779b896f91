"""Large kernels: from stated energies to a loaded module, and one evaluation, beside CasADi, PyDy and Pinocchio.

    python benchmarks/kernels.py [--pendulum 2,4,8,16] [--arm 3,5,7] [--spherical 2,4,8,16] [--revolute 2,4,8,16]
                                 [--rounds 25] [--pydy 4] [--peer PYTHON]

Pendulums of N links in a plane, arms of N joints in space, stated by the same lines of arithmetic to SymPy and to
CasADi (``peer/mechanisms.py``). Compared are M(q), the forces F(t, q, v) and dF/dq, dF/dv, each a function of its own;
CasADi's C is compiled with nsdgen's flags, in as many functions. Then chains of N free rigid bodies in ball joints or
hinges (``chains.py``). PyDy's C, for pendulums and arms of up to as many links as ``--pydy`` says, holds M and F in one
function; it searches trees for what they have in common, which takes it minutes beyond. ``PYTHON`` is an
interpreter with casadi, pydy and, for arms and chains, pin (``pip install casadi pydy pin``), called from
Python: its numbers hold that call. Values are compared before anything is timed. Seconds are the processor's,
compilers included; nanoseconds are the shortest of rounds that take quantities and contestants in turn.
"""

from __future__ import annotations

import argparse
import ctypes
import datetime
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import chains
import numpy as np
import sympy as sp
from kernel_calls import Arrays, library, matrix, pointer_to, positions, spent, timing_loop
from sympy.physics.mechanics import dynamicsymbols
from tables import table_text

import nsdgen as nsd
from nsdgen.model.pipeline import build_model, emit_model

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "peer"))

from mechanisms import ENERGIES, numbers  # noqa: E402

QUANTITIES = ("mass", "force", "force_q", "force_v")
HEADINGS = (
    "model",
    "N",
    "stated",
    "nsdgen",
    "CasADi",
    *QUANTITIES,
    "all / CasADi",
    "PyDy",
    "M and F / PyDy",
    "M, F, derivatives / Pinocchio",
)


def stated(kind: str, n: int) -> nsd.Model:
    """The mechanism as a model."""
    q = list(dynamicsymbols(f"q1:{n + 1}"))
    values = {sp.Symbol(name, positive=True): value for name, value in numbers(kind, n).items()}
    kinetic, potential = ENERGIES[kind](n, q, [s.diff() for s in q], {s.name: s for s in values}, sp)
    system = nsd.LagrangianSystem(kind, q, kinetic=kinetic, potential=potential)
    return nsd.Model(
        f"{kind}{n}",
        [system],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=0.01,
        parameters=values,
        initial=dict.fromkeys(q, 0.1),
    )


def of_nsdgen(loop: Any, path: Path, record: Any, kind: str, n: int, q: np.ndarray, v: np.ndarray) -> dict[str, Any]:
    """The kernels of the module: how to call each, and the matrix its last values stand for."""
    given = np.array([numbers(kind, n)[name] for name in record.system_classes[0].parameters])
    found = {}
    for name in QUANTITIES:
        kernel = pointer_to(loop, path, name)
        operands = [q] if name == "mass" else [np.zeros(1), q, v]
        shape = (n, 1) if name == "force" else (n, n)
        found[name] = kernel, Arrays([*operands, given]), Arrays([np.zeros(n * n)]), shape, positions(kernel)
    return found


def beside_pydy(
    loop: Any, here: Path, theirs: dict[str, Any], arg: Arrays, model: nsd.Model, given: np.ndarray, rounds: int
) -> tuple[float, float] | None:
    """Seconds to PyDy's library, and our time for M and F in its; ``None`` where there is none.

    PyDy computes both in one function. So does the linearisation of the accelerations a (``EventDriven``): W = M, and
    R = M a - F, at a = 0; the products M a it does besides.
    """
    if "pydy" not in theirs:
        return None
    n = len(arg.arrays[0])
    pydy, seconds = library(here / "pydy.c")
    res = Arrays([np.zeros(n * n), np.zeros(n)])
    smooth = nsd.Model(
        model.name,
        model.systems,
        scheme=nsd.EventDriven(),
        step=1e-3,
        end=0.01,
        parameters=model.parameters,
        initial=model.initial,
    )
    kernel = pointer_to(loop, build_model(emit_model(smooth))[1], "linearize")
    inputs = Arrays([np.zeros(n), np.concatenate(arg.arrays[:2]), given])
    outputs = Arrays([np.zeros(n), np.zeros(n * n)])
    times = [
        (
            loop.time_kernel(ctypes.c_void_p(kernel), inputs.pointers, outputs.pointers, count),
            loop.time_pydy(pydy.evaluate, arg.pointers, res.pointers, count),
        )
        for count in (1, *[2000] * rounds)
    ]
    mass = matrix(outputs.arrays[1], (n, n), positions(kernel, 1))
    for value, own in zip(res.arrays, (mass.reshape(-1), -outputs.arrays[0]), strict=True):
        assert np.allclose(value, own, rtol=1e-9, atol=1e-9)
    ours, others = (min(pair[side] for pair in times[1:]) for side in (0, 1))
    return theirs["pydy"] + seconds, ours / others


def measure(kind: str, n: int, rounds: int, peer: str, pydy: int, loop: Any, folder: Path) -> tuple[str, ...]:
    """One row of the table."""
    os.environ["NSDGEN_CACHE"] = tempfile.mkdtemp(dir=folder)
    before = spent()
    model = stated(kind, n)
    made = spent()
    compiled, path = build_model(emit_model(model))
    ours = spent() - made
    here = folder / f"{kind}{n}"
    here.mkdir()
    run = subprocess.run(
        [peer, "kernels.py", kind, str(n), str(here), str(rounds), str(pydy)],
        check=True,
        capture_output=True,
        cwd=HERE / "peer",
        text=True,
    )
    theirs = json.loads(run.stdout)
    casadi, seconds = library(here / "casadi.c")
    q, v = 0.1 * np.arange(1, n + 1), 0.2 * np.arange(1, n + 1)
    given, work = np.array(list(numbers(kind, n).values())), np.zeros(100_000)
    kernels = of_nsdgen(loop, path, compiled.record, kind, n, q, v)
    arg, res = Arrays([q, v, given]), Arrays([np.zeros(n * n)])
    times: dict[str, list[list[float]]] = {name: [] for name in QUANTITIES}
    for name in QUANTITIES:
        kernel, inputs, outputs, shape, place = kernels[name]
        loop.time_kernel(ctypes.c_void_p(kernel), inputs.pointers, outputs.pointers, 1)
        loop.time_casadi(getattr(casadi, name), arg.pointers, res.pointers, work.ctypes, 1)
        entries = tuple(np.array(part) for part in theirs["casadi"]["entries"][name])
        assert np.allclose(
            matrix(outputs.arrays[0], shape, place), matrix(res.arrays[0], shape, entries), rtol=1e-10, atol=1e-10
        ), (kind, n, name)
    for _ in range(rounds):
        for name in QUANTITIES:
            kernel, inputs, outputs = kernels[name][:3]
            times[name].append(
                [
                    loop.time_kernel(ctypes.c_void_p(kernel), inputs.pointers, outputs.pointers, 2000),
                    loop.time_casadi(getattr(casadi, name), arg.pointers, res.pointers, work.ctypes, 2000),
                ]
            )
    mine, others = ([min(pair[side] for pair in times[name]) for name in QUANTITIES] for side in (0, 1))
    trees = beside_pydy(loop, here, theirs, arg, model, kernels["mass"][1].arrays[-1], rounds)
    recursive = theirs.get("pinocchio")
    if recursive is not None:
        for name, sign, truth in (("mass", 1, "M"), ("force", -1, "N")):
            outputs, shape, place = kernels[name][2:]
            assert np.allclose(
                sign * matrix(outputs.arrays[0], shape, place),
                np.reshape(recursive[truth], shape),
                rtol=1e-9,
                atol=1e-9,
            ), (kind, n, truth)
    against = (
        ""
        if recursive is None
        else " ".join(
            f"{a / recursive[name]:.2f}"
            for a, name in ((mine[0], "mass"), (mine[1], "force"), (mine[2] + mine[3], "derivatives"))
        )
    )
    return (
        kind,
        str(n),
        f"{made - before:.1f} s",
        f"{ours:.1f} s",
        f"{theirs['casadi']['seconds'] + seconds:.1f} s",
        *(f"{a:.0f} ns ({a / b:.2f})" for a, b in zip(mine, others, strict=True)),
        f"{sum(mine) / sum(others):.2f}",
        *(("", "") if trees is None else (f"{trees[0]:.1f} s", f"{trees[1]:.2f}")),
        against,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Large kernels beside CasADi, PyDy and Pinocchio.")
    parser.add_argument("--pendulum", default="2,4,8,16")
    parser.add_argument("--arm", default="3,5,7")
    parser.add_argument("--spherical", default="2,4,8,16")
    parser.add_argument("--revolute", default="2,4,8,16")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--pydy", type=int, default=4)
    parser.add_argument("--peer", default=sys.executable)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loop = timing_loop(folder)
        rows = [
            measure(kind, int(n), options.rounds, options.peer, options.pydy, loop, folder)
            for kind, sizes in (("pendulum", options.pendulum), ("arm", options.arm))
            for n in sizes.split(",")
            if n
        ]
        bodies = [
            chains.measure(joint, int(n), options.rounds, options.peer, loop, folder)
            for joint, sizes in (("spherical", options.spherical), ("revolute", options.revolute))
            for n in sizes.split(",")
            if n
        ]
    print(f"date {datetime.date.today().isoformat()}; cpus {os.cpu_count()}; load {os.getloadavg()[0]:.2f}")
    for headings, table in ((HEADINGS, rows), (chains.HEADINGS, bodies)):
        if table:
            print(table_text([headings, *table]))


if __name__ == "__main__":
    main()
