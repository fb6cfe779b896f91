"""Chains of free rigid bodies stated to CasADi and, what it has of them, to Pinocchio: one JSON object on stdout.

    python peer/chains.py JOINT N FOLDER ROUNDS PARAMETERS

``PARAMETERS`` are a JSON object of numbers by name. ``FOLDER`` gets CasADi's C: each quantity for the whole chain in
one function (``chain_<quantity>``), and for one body (``body_``), one joint with the ground (``ground_``) or between
two bodies (``pair_``). Each is written with and without CasADi's search for common subexpressions, and the one of
fewer instructions is kept. Seconds are the processor's.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

import casadi as ca

OF_BODIES = ("force", "force_v", "twist", "residual")
OF_JOINTS = ("gap", "H", "rows")
Joints = Sequence[tuple[int | None, int]]


def rotation(p: Any) -> Any:
    """R of a unit quaternion."""
    a, b, c, d = ca.vertsplit(p)
    return ca.vertcat(
        ca.horzcat(1 - 2 * (c * c + d * d), 2 * (b * c - a * d), 2 * (b * d + a * c)),
        ca.horzcat(2 * (b * c + a * d), 1 - 2 * (b * b + d * d), 2 * (c * d - a * b)),
        ca.horzcat(2 * (b * d - a * c), 2 * (c * d + a * b), 1 - 2 * (b * b + c * c)),
    )


def turn(p: Any) -> Any:
    """The 4x3 matrix with p' = turn(p) Omega."""
    a, b, c, d = ca.vertsplit(p)
    return ca.vertcat(ca.horzcat(-b, -c, -d), ca.horzcat(a, -d, c), ca.horzcat(d, a, -b), ca.horzcat(-c, b, a)) / 2


def exponential(phi: Any) -> Any:
    """The quaternion of a rotation vector; as people write it, without a case for zero."""
    angle = ca.sqrt(ca.dot(phi, phi))
    return ca.vertcat(ca.cos(angle / 2), ca.sin(angle / 2) / angle * phi)


def moved(q: Any, twist: Any) -> Any:
    """x + x' and p o exp(Omega / 2)."""
    e = exponential(twist[3:])
    return ca.vertcat(q[:3] + twist[:3], q[3:] * e[0] + 2 * turn(q[3:]) @ e[1:])


def twist_map(q: Any) -> Any:
    """T with q' = T(q) v; q holds whole bodies."""
    return ca.diagcat(*(ca.diagcat(ca.SX.eye(3), turn(q[k + 3 : k + 7])) for k in range(0, q.rows(), 7)))


def rows_of(joint: str, q: Any, joints: Joints, a: Any) -> Any:
    """What is zero in the joints: places of both markers are one; of hinges the axes, y of each body, too."""
    found = []
    for parent, body in joints:
        x, R = q[7 * body : 7 * body + 3], rotation(q[7 * body + 3 : 7 * body + 7])
        x0, R0 = (
            (ca.SX(3, 1), ca.SX.eye(3))
            if parent is None
            else (q[7 * parent : 7 * parent + 3], rotation(q[7 * parent + 3 : 7 * parent + 7]))
        )
        found.append(x + R[:, 2] * a - (x0 if parent is None else x0 - R0[:, 2] * a))
        if joint == "revolute":
            found += [ca.dot(R0[:, 0], R[:, 1]), -ca.dot(R0[:, 2], R[:, 1])]
    return ca.vertcat(*found)


def gradient(rows: Any, q: Any) -> Any:
    """grad rows T(q), by columns or along velocities: what has fewer instructions."""
    w = ca.SX.sym("w", q.rows() // 7 * 6)
    ways = (ca.jacobian(rows, q) @ twist_map(q), ca.jacobian(ca.jtimes(rows, q, twist_map(q) @ w), w))
    return min(ways, key=lambda H: ca.Function("H", [q], [H], {"cse": True, "allow_free": True}).n_instructions())


def quantities(joint: str, bodies: int, joints: Joints, wanted: Sequence[str]) -> dict[str, Any]:
    """Functions of (q, v, v_k, impulse, h, parameters) with the names that are wanted."""
    q, v, v_k, p = (
        ca.SX.sym(name, rows) for name, rows in (("q", 7 * bodies), ("v", 6 * bodies), ("v_k", 6 * bodies), ("p", 6))
    )
    m, *inertia, g, a = ca.vertsplit(p)
    h, impulse = ca.SX.sym("h"), ca.SX.sym("P", (5 if joint == "revolute" else 3) * max(len(joints), 1))
    tensor, weight = ca.vertcat(*inertia), ca.vertcat(0, 0, -m * g)
    force = ca.vertcat(
        *(
            part
            for k in range(bodies)
            for Omega in [v[6 * k + 3 : 6 * k + 6]]
            for part in (weight, -ca.cross(Omega, tensor * Omega))
        )
    )
    R = ca.repmat(ca.vertcat(m, m, m, tensor), bodies) * (v - v_k) - h / 2 * force
    made: dict[str, list[Any]] = {
        "force": [force],
        "force_v": [ca.jacobian(force, v)],
        "residual": [R, ca.jacobian(R, v)],
    }
    unit = ca.vertcat(
        *(
            part
            for k in range(0, 7 * bodies, 7)
            for part in (q[k : k + 3], q[k + 3 : k + 7] / ca.sqrt(ca.dot(q[k + 3 : k + 7], q[k + 3 : k + 7])))
        )
    )
    made["twist"] = [twist_map(q)]
    if joints:
        gap = rows_of(joint, q, joints, a)
        H = gradient(gap, q)
        made |= {"gap": [ca.substitute(gap, q, unit)], "H": [ca.substitute(H, q, unit)]}
        end = ca.vertcat(*(moved(q[7 * k : 7 * k + 7], h * v[6 * k : 6 * k + 6]) for k in range(bodies)))
        y = rows_of(joint, end, joints, a) / h
        made["rows"] = [y, H.T @ impulse, ca.jacobian(y, v), H.T]
    arguments = [q, v, v_k, impulse, h, p]
    return {name: (arguments, made[name]) for name in wanted}


def written(generator: Any, prefix: str, found: dict[str, Any]) -> dict[str, Any]:
    """Functions put into a file; operations and places of the values of each, by name."""
    facts = {}
    for name, (arguments, values) in found.items():
        ways = [ca.Function(f"{prefix}_{name}", arguments, values, {"cse": cse}) for cse in (False, True)]
        best = min(ways, key=lambda f: f.n_instructions())
        generator.add(best)
        facts[f"{prefix}_{name}"] = {
            "operations": best.n_instructions(),
            "entries": [
                [[int(k) for k in part] for part in (e.sparsity().row(), e.sparsity().get_col())] for e in values
            ],
        }
    return facts


def by_casadi(joint: str, n: int, folder: str) -> dict[str, Any]:
    """The chain, a body, a joint with the ground and one between bodies as C."""
    began = time.process_time()
    generator = ca.CodeGenerator("chains.c", {"with_header": False})
    chain = [(None, 0), *((k - 1, k) for k in range(1, n))]
    facts = {}
    for prefix, bodies, joints, wanted in (
        ("chain", n, chain, OF_BODIES + OF_JOINTS),
        ("body", 1, [], OF_BODIES),
        ("ground", 1, [(None, 0)], OF_JOINTS),
        ("pair", 2, [(0, 1)], OF_JOINTS),
    ):
        facts |= written(generator, prefix, quantities(joint, bodies, joints, wanted))
    generator.generate(folder + os.sep)
    return {"seconds": time.process_time() - began, "functions": facts}


def main() -> None:
    """Write what was asked for."""
    joint, n, folder, rounds = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
    values = json.loads(sys.argv[5])
    found: dict[str, Any] = {"casadi": by_casadi(joint, n, folder)}
    with contextlib.suppress(ImportError):
        from chains_pinocchio import by_pinocchio

        found["pinocchio"] = by_pinocchio(joint, n, rounds, values)
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
