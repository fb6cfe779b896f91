"""What a step evaluates for chains of free rigid bodies in joints, beside CasADi and Pinocchio; see ``kernels.py``.

N bodies with unit quaternions (``nsd.RigidBody``), each hung on the one before by ``nsd.Spherical`` or
``nsd.Revolute``, the first on the ground. Compared are, summed over the chain, all bodies and joints at generic
attitudes:

========= ==============================================================================================
force     F(v): gravity and gyroscopic moments
force_v   dF/dv
twist     T(q), q' = T(q) v, of q as it is
residual  R = M (V - v_k) - h/2 F(V) and W = dR/dV, the stage of positions of ``nsd.Rattle``
gap       h(q) at p / |p|
H         grad h T(q) at p / |p|
rows      h(q_k+1(V)) / h, its derivative by V through the exponential map, H(q_k)^T P, H(q_k)^T: same stage
========= ==============================================================================================

nsdgen calls one kernel for each body and each joint, as its stepper does, through a pointer in a loop in C. Like for
like, the first ratio, are functions of CasADi for one body and one joint in the same loop. The second ratio is
generous: to CasADi the whole chain in one function, where the rotation of a body is computed once for both its joints
and nothing is called. Both are written with and without its search for common subexpressions, and the one of fewer
instructions counts. Its exponential map has no case for the angle zero, where ours works.
Pinocchio has free-flyer bodies and constraints between them: nonlinear effects beside F, the Jacobian of the
constraints beside H; called from Python, which its time holds.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from kernel_calls import Arrays, described, library, matrix, pointer_to, positions, spent, together

import nsdgen as nsd
from nsdgen.model.pipeline import build_model, emit_model

HERE = Path(__file__).parent
OF_BODIES = {"force": "force", "force_v": "force_v", "twist": "twist_map", "residual": "linearize"}
OF_JOINTS = {"gap": "gap", "H": "gap_twist", "rows": "linearize"}
QUANTITIES = (*OF_BODIES, *OF_JOINTS)
HEADINGS = ("joints", "N", "nsdgen", "CasADi", *QUANTITIES, "all / CasADi", "F, H / Pinocchio")
VALUES = {"m": 1.2, "I1": 0.084, "I2": 0.09, "I3": 0.01, "g": 9.81, "a": 0.45}
H = 1e-2


def stated(joint: str, n: int) -> nsd.Model:
    """The chain as a model."""
    m, *inertia, g, a = (sp.Symbol(name, positive=True) for name in VALUES)
    bodies = [nsd.RigidBody(f"link{k}", m, sp.diag(*inertia)).apply_force([0, 0, -m * g]) for k in range(n)]
    pair = {"spherical": nsd.Spherical, "revolute": nsd.Revolute}[joint]
    joints = [
        pair(
            f"joint{k}",
            nsd.Marker(body, [0, 0, a], axis=[0, 1, 0]),
            nsd.Marker(bodies[k - 1], [0, 0, -a], axis=[0, 1, 0]) if k else nsd.Marker(axis=[0, 1, 0]),
        )
        for k, body in enumerate(bodies)
    ]
    initial = {body.position: [0, 0, -VALUES["a"] * (2 * k + 1)] for k, body in enumerate(bodies)}
    return nsd.Model(
        f"{joint}{n}",
        bodies,
        joints,
        scheme=nsd.Rattle(),
        step=H,
        end=0.1,
        parameters={sp.Symbol(name, positive=True): value for name, value in VALUES.items()},
        initial=initial,
    )


def samples(joint: str, n: int) -> dict[str, np.ndarray]:
    """Configurations, velocities and impulses of the bodies and joints, nothing special about them."""
    random = np.random.default_rng(1)
    q = random.uniform(-1, 1, (n, 7))
    q[:, 3:] /= np.linalg.norm(q[:, 3:], axis=1)[:, None]
    return {
        "q": q,
        "v": random.uniform(-1, 1, (n, 6)),
        "v_k": random.uniform(-1, 1, (n, 6)),
        "P": random.uniform(-1, 1, (n, 5 if joint == "revolute" else 3)),
    }


@dataclass
class Call:
    """One function with the arrays of one instance.

    A block for each output: which matrix of the quantity it is part of, its shape, places of values, rows and
    columns there.
    """

    arguments: Arrays
    results: Arrays
    blocks: list[tuple[int, tuple[int, int], Any, Sequence[int], Sequence[int]]]


@dataclass
class Way:
    """How a quantity of the chain is computed: loops over instances, and what their values stand for in the chain."""

    groups: list[tuple[Callable[..., float], Any, list[Call]]]
    shapes: list[tuple[int, int]]

    def __post_init__(self) -> None:
        """Arrays lie in the order of the calls, so that no load waits for a store 4096 bytes away by chance."""
        calls = [call for *_, calls in self.groups for call in calls]
        placed = iter(together([side.arrays for call in calls for side in (call.arguments, call.results)]))
        for call in calls:
            call.arguments, call.results = Arrays(next(placed)), Arrays(next(placed))

    def time(self, count: int) -> float:
        """Nanoseconds for the whole chain."""
        found = 0.0
        for loop, function, calls in self.groups:
            ins, outs = (
                (ctypes.c_void_p * len(calls))(*(ctypes.addressof(side.pointers) for side in sides))
                for sides in ([c.arguments for c in calls], [c.results for c in calls])
            )
            found += loop(function, ins, outs, len(calls), count)
        return found

    def values(self) -> list[np.ndarray]:
        """The matrices of the chain."""
        self.time(1)
        found = [np.zeros(shape) for shape in self.shapes]
        for *_, calls in self.groups:
            for call in calls:
                for values, (number, shape, place, rows, columns) in zip(call.results.arrays, call.blocks, strict=True):
                    if number < 0:  # zero
                        continue
                    found[number][np.ix_(rows, columns)] += matrix(values, shape, place)
        return found


def shapes_of(name: str, n: int, m: int) -> list[tuple[int, int]]:
    """Of the matrices of a quantity of a chain of n bodies, in joints of m rows."""
    return {
        "force": [(6 * n, 1)],
        "force_v": [(6 * n, 6 * n)],
        "twist": [(7 * n, 6 * n)],
        "residual": [(6 * n, 1), (6 * n, 6 * n)],
        "gap": [(m * n, 1)],
        "H": [(m * n, 6 * n)],
        "rows": [(m * n, 1), (6 * n, 1), (m * n, 6 * n), (6 * n, m * n)],
    }[name]


def of(each: int, *numbers: int) -> list[int]:
    """The entries of these bodies or joints among those of the chain."""
    return [each * k + i for k in numbers for i in range(each)]


def of_nsdgen(loop: Any, path: Path, record: Any, name: str, given: dict[str, np.ndarray]) -> Way:
    """The kernels of bodies or joints, those of a class after each other."""
    n, m = given["P"].shape
    items = record.systems if name in OF_BODIES else record.relations
    first = 0 if name in OF_BODIES else len(record.system_classes)
    groups: dict[int, list[Call]] = {}
    for k, item in enumerate(items):
        bodies = [k] if name in OF_BODIES else list(item.participants)
        for kernel in kernels_of(loop, path, first + item.cls, name):
            facts = described(kernel)
            values = [argument(facts.inputs[i], given, bodies, k, record) for i in range(facts.n_in)]
            outputs, blocks = [], []
            for i in range(facts.n_out):
                out = facts.out[i]
                outputs.append(np.zeros(max(1, out.nnz)))
                number, rows, columns = placed(out, name, bodies, k, m)
                blocks.append((number, (out.rows, out.cols), positions(kernel, i), rows, columns))
            groups.setdefault(kernel, []).append(Call(Arrays(values), Arrays(outputs), blocks))
    return Way(
        [(loop.time_instances, ctypes.c_void_p(kernel), calls) for kernel, calls in groups.items()],
        shapes_of(name, n, m),
    )


def kernels_of(loop: Any, path: Path, number: int, name: str) -> list[int]:
    """The kernels of a class that give a quantity; of the gradient one for each participant."""
    wanted = {**OF_BODIES, **OF_JOINTS}[name]
    try:
        return [pointer_to(loop, path, wanted, number)]
    except KeyError:
        return [pointer_to(loop, path, f"{wanted}_{i}", number) for i in (1, 2)]


def split(array: Any, bodies: list[int]) -> tuple[str, int]:
    """The name of an array, and the body that it is of: names end with the number of the participant of several."""
    name, _, number = array.name.decode().rpartition("_")
    return (name, bodies[int(number) - 1]) if number in ("1", "2") else (array.name.decode(), bodies[0])


def argument(array: Any, given: dict[str, np.ndarray], bodies: list[int], k: int, record: Any) -> np.ndarray:
    """What a kernel reads, by the name of the array."""
    name, body = split(array, bodies)
    if name == "parameters":
        cls = (record.system_classes if array.size > 1 else record.relation_classes)[0]
        return np.array([VALUES[p] for p in cls.parameters])
    return {
        "t": np.zeros(1),
        "q": given["q"][body],
        "v": given["v"][body],
        "unknown": given["v"][body],
        "state": np.concatenate([given["q"][body], given["v_k"][body], given["v_k"][body]]),
        "multiplier": given["P"][k],
        "run": np.array([H, 1e-8, 0.1]),
    }[name].copy()


def placed(out: Any, name: str, bodies: list[int], k: int, m: int) -> tuple[int, list[int], list[int]]:
    """Which matrix of a quantity an output is part of, its rows and its columns there."""
    label, body = split(out, bodies)
    if name in OF_BODIES:
        return int(label == "iteration_matrix"), of(7 if name == "twist" else 6, k), of(6, k) if out.cols > 1 else [0]
    joint, velocities = of(m, k), of(6, body)
    return {
        "gap": (0, joint, [0]),
        "gap_twist": (0, joint, velocities),
        "output": (0, joint, [0]),
        "reaction": (1, velocities, [0]),
        "output_lambda": (-1, joint, joint),
        "output_x": (2, joint, velocities),
        "reaction_lambda": (3, velocities, joint),
    }[label]


def of_casadi(loop: Any, lib: Any, facts: dict[str, Any], name: str, given: dict[str, np.ndarray]) -> list[Way]:
    """The chain in one function, and functions of instances."""
    n = len(given["P"])
    chain = [("chain", list(range(n)), list(range(n)))]
    each = (
        [("body", [k], [k]) for k in range(n)]
        if name in OF_BODIES
        else [("ground" if k == 0 else "pair", [k - 1, k] if k else [0], [k]) for k in range(n)]
    )
    return [casadi_way(loop, lib, facts, name, given, instances) for instances in (chain, each)]


def casadi_way(
    loop: Any,
    lib: Any,
    facts: dict[str, Any],
    name: str,
    given: dict[str, np.ndarray],
    instances: list[tuple[str, list[int], list[int]]],
) -> Way:
    """Functions of CasADi for instances: bodies and joints that each of them has."""
    n, m = given["P"].shape
    shapes = shapes_of(name, n, m)
    groups: dict[str, list[Call]] = {}
    for prefix, bodies, joints in instances:
        arguments = [given[k][bodies].reshape(-1) for k in ("q", "v", "v_k")]
        arguments += [given["P"][joints].reshape(-1), np.array([H]), np.array(list(VALUES.values()))]
        outputs, blocks = [], []
        for number, (entries, shape) in enumerate(zip(facts[f"{prefix}_{name}"]["entries"], shapes, strict=True)):
            rows, columns = (
                ([0] if size == 1 else of(size // n, *(joints if size == m * n and m != 6 else bodies)))
                for size in shape
            )
            outputs.append(np.zeros(max(1, len(entries[0]))))
            blocks.append((number, (len(rows), len(columns)), tuple(np.array(part) for part in entries), rows, columns))
        groups.setdefault(f"{prefix}_{name}", []).append(Call(Arrays(arguments), Arrays(outputs), blocks))
    work = np.zeros(100_000)

    def timed(function: Any, ins: Any, outs: Any, count: int, times: int) -> float:
        return float(loop.time_casadi_instances(function, ins, outs, work.ctypes, count, times))

    return Way([(timed, getattr(lib, function), calls) for function, calls in groups.items()], shapes)


def measure(joint: str, n: int, rounds: int, peer: str, loop: Any, folder: Path) -> tuple[str, ...]:
    """One row of the table."""
    os.environ["NSDGEN_CACHE"] = tempfile.mkdtemp(dir=folder)
    model, here = stated(joint, n), folder / f"{joint}{n}"
    began = spent()
    compiled, path = build_model(emit_model(model))
    ours = spent() - began
    here.mkdir()
    run = subprocess.run(
        [peer, "chains.py", joint, str(n), str(here), str(rounds), json.dumps(VALUES)],
        check=True,
        capture_output=True,
        cwd=HERE / "peer",
        text=True,
    )
    theirs = json.loads(run.stdout)
    casadi, seconds = library(here / "chains.c")
    given = samples(joint, n)
    contestants: dict[str, list[Way]] = {}
    for name in QUANTITIES:
        ways = contestants[name] = [
            of_nsdgen(loop, path, compiled.record, name, given),
            *of_casadi(loop, casadi, theirs["casadi"]["functions"], name, given),
        ]
        truth = ways[0].values()
        for way in ways[1:]:
            for found, value in zip(way.values(), truth, strict=True):
                assert np.allclose(found, value, rtol=1e-10, atol=1e-10), (joint, n, name)
    times = [[[way.time(2000) for way in ways] for ways in contestants.values()] for _ in range(rounds)]
    spans = dict(zip(QUANTITIES, np.min(times, axis=0).tolist(), strict=True))
    total = [sum(column) for column in zip(*spans.values(), strict=True)]
    cells = [f"{mine:.0f} ns ({mine / each:.2f}, {mine / whole:.2f})" for mine, whole, each in spans.values()]
    body = theirs.get("pinocchio", {})
    against = [f"{spans[name][0] / body[name]:.2f}" if name in body else "-" for name in ("force", "H")]
    return (
        joint,
        str(n),
        f"{ours:.1f} s",
        f"{theirs['casadi']['seconds'] + seconds:.1f} s",
        *cells,
        f"{total[0] / total[2]:.2f}, {total[0] / total[1]:.2f}",
        " ".join(against),
    )
