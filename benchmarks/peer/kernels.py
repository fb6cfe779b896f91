"""Arms and pendulums stated to CasADi, to PyDy and, arms, to Pinocchio: one JSON object on stdout.

    python peer/kernels.py KIND N FOLDER ROUNDS [PYDY]

``FOLDER`` gets CasADi's C for mass, force and their derivatives (``casadi.c``) and, up to ``PYDY`` links, PyDy's for
mass and force (``pydy.c``). Seconds are the processor's.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from typing import Any

import casadi as ca
from mechanisms import ENERGIES, numbers

_AXES = "ZY"


def by_casadi(kind: str, n: int, folder: str) -> dict[str, Any]:
    """M, F, dF/dq, dF/dv of a mechanism as C, each a function of q, v and parameters; seconds to write it.

    Each with or without CasADi's search for common subexpressions, as it has fewer instructions.
    """
    began = time.process_time()
    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    names = list(numbers(kind, n))
    p = ca.SX.sym("p", len(names))
    given = dict(zip(names, ca.vertsplit(p), strict=True))
    kinetic, potential = ENERGIES[kind](n, ca.vertsplit(q), ca.vertsplit(v), given, ca)
    momentum = ca.gradient(kinetic, v)
    mass = ca.jacobian(momentum, v)
    force = ca.gradient(kinetic - potential, q) - ca.jtimes(momentum, q, v)
    outputs = {"mass": mass, "force": force, "force_q": ca.jacobian(force, q), "force_v": ca.jacobian(force, v)}
    generator = ca.CodeGenerator("casadi.c", {"with_header": False})
    operations, rows = {}, {}
    for name, value in outputs.items():
        function = min(
            (ca.Function(name, [q, v, p], [value], {"cse": cse}) for cse in (False, True)),
            key=lambda f: f.n_instructions(),
        )
        generator.add(function)
        operations[name] = function.n_instructions()
        rows[name] = [[int(k) for k in part] for part in (value.sparsity().row(), value.sparsity().get_col())]
    generator.generate(folder + os.sep)
    return {"seconds": time.process_time() - began, "operations": operations, "entries": rows}


def by_pydy(kind: str, n: int, folder: str) -> float:
    """M and F in one function, by SymPy's derivatives and common subexpressions as C; seconds to write it."""
    import sympy as sp
    from pydy.codegen.c_code import CMatrixGenerator

    began = time.process_time()
    q, v = sp.symbols(f"q1:{n + 1}"), sp.symbols(f"v1:{n + 1}")
    given = {name: sp.Symbol(name, positive=True) for name in numbers(kind, n)}
    kinetic, potential = ENERGIES[kind](n, q, v, given, sp)
    momentum = sp.Matrix([kinetic]).jacobian(v)
    force = sp.Matrix([kinetic - potential]).jacobian(q).T - momentum.jacobian(q) * sp.Matrix(v)
    CMatrixGenerator([list(q), list(v), list(given.values())], [momentum.jacobian(v), force]).write("pydy", folder)
    return time.process_time() - began


def by_pinocchio(n: int, rounds: int) -> dict[str, float]:
    """Nanoseconds of Pinocchio's recursive algorithms for the arm, called from Python."""
    import numpy as np
    import pinocchio as pin

    given = numbers("arm", n)
    model = pin.Model()
    joint, place = 0, pin.SE3.Identity()
    for i in range(1, n + 1):
        joint = model.addJoint(joint, getattr(pin, f"JointModelR{_AXES[(i - 1) % 2]}")(), place, f"q{i}")
        tensor = np.diag([given[f"Ix{i}"], given[f"Iy{i}"], given[f"Iz{i}"]])
        model.appendBodyToJoint(
            joint, pin.Inertia(given[f"m{i}"], np.array([0, 0, given[f"c{i}"]]), tensor), pin.SE3.Identity()
        )
        place = pin.SE3(np.eye(3), np.array([0, 0, given[f"l{i}"]]))
    data, zero = model.createData(), np.zeros(n)
    q, v = 0.1 * np.arange(1, n + 1), 0.2 * np.arange(1, n + 1)
    model.gravity.linear = np.array([0, 0, -given["g"]])
    calls = {
        "mass": lambda: pin.crba(model, data, q),
        "force": lambda: pin.nonLinearEffects(model, data, q, v),
        "derivatives": lambda: pin.computeRNEADerivatives(model, data, q, v, zero),
    }
    found = {}
    for name, call in calls.items():
        samples = []
        for _ in range(rounds):
            began = time.process_time()
            for _ in range(2000):
                call()
            samples.append((time.process_time() - began) / 2000 * 1e9)
        found[name] = sorted(samples)[len(samples) // 2]
    pin.crba(model, data, q)
    mass = np.triu(data.M) + np.triu(data.M, 1).T
    return {**found, "M": mass.tolist(), "N": pin.nonLinearEffects(model, data, q, v).tolist()}  # type: ignore[dict-item]


def main() -> None:
    """Write what was asked for."""
    kind, n, folder, rounds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    found: dict[str, Any] = {"casadi": by_casadi(kind, n, folder)}
    if n <= int(*sys.argv[5:]):
        with contextlib.suppress(ImportError):
            found["pydy"] = by_pydy(kind, n, folder)
    if kind == "arm":
        with contextlib.suppress(ImportError):
            found["pinocchio"] = by_pinocchio(n, rounds)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
