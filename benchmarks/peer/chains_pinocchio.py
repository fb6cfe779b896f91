"""Nanoseconds of Pinocchio for a chain of free-flyer bodies in ball joints, called from Python.

What it has of the chain: nonlinear effects (in the frames of the bodies), and the Jacobian of the constraints. Both are
compared with the rates and forces that the formulas give, in a chain that is assembled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pinocchio as pin


def by_pinocchio(joint: str, n: int, rounds: int, values: dict[str, float]) -> dict[str, float]:
    """``force`` and, of ball joints, ``H``."""
    m, a, g = (values[name] for name in ("m", "a", "g"))
    tensor, end = np.diag([values[f"I{i}"] for i in (1, 2, 3)]), np.array([0, 0, a])
    model = pin.Model()
    for k in range(n):
        body = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), f"link{k}")
        model.appendBodyToJoint(body, pin.Inertia(m, np.zeros(3), tensor), pin.SE3.Identity())
    model.gravity.linear = np.array([0, 0, -g])
    data, random = model.createData(), np.random.default_rng(1)
    turned = [pin.Quaternion(*p / np.linalg.norm(p)) for p in random.uniform(-1, 1, (n, 4))]
    R, v, x = [p.matrix() for p in turned], random.uniform(-1, 1, (n, 6)), np.zeros((n, 3))
    for k in range(n):
        x[k] = (x[k - 1] - R[k - 1] @ end if k else 0) - R[k] @ end
    q = np.concatenate([[*x[k], *turned[k].coeffs()] for k in range(n)])
    local = np.concatenate([[*R[k].T @ v[k, :3], *v[k, 3:]] for k in range(n)])
    calls: dict[str, Callable[[], Any]] = {"force": lambda: pin.nonLinearEffects(model, data, q, local)}
    effects = np.concatenate(
        [
            [
                *R[k].T @ [0, 0, m * g] + m * np.cross(v[k, 3:], R[k].T @ v[k, :3]),
                *np.cross(v[k, 3:], tensor @ v[k, 3:]),
            ]
            for k in range(n)
        ]
    )
    assert np.allclose(calls["force"](), effects, atol=1e-10)
    if joint == "spherical":
        top, bottom = pin.SE3(np.eye(3), end), pin.SE3(np.eye(3), -end)
        joints = [
            pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, model, k + 1, top, k, bottom if k else pin.SE3.Identity(), pin.LOCAL
            )
            for k in range(n)
        ]
        held = [c.createData() for c in joints]

        def jacobian() -> Any:
            pin.computeJointJacobians(model, data, q)
            for c, d in zip(joints, held, strict=True):
                c.calc(model, data, d)
            return pin.getConstraintsJacobian(model, data, joints, held)

        rates = [
            R[k].T
            @ (
                v[k, :3]
                + R[k] @ np.cross(v[k, 3:], end)
                - (v[k - 1, :3] + R[k - 1] @ np.cross(v[k - 1, 3:], -end) if k else 0)
            )
            for k in range(n)
        ]
        assert np.allclose(jacobian() @ local, np.concatenate(rates), atol=1e-10)
        calls["H"] = jacobian
    return {name: _timed(call, rounds) for name, call in calls.items()}


def _timed(call: Callable[[], Any], rounds: int) -> float:
    samples = []
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(1000):
            call()
        samples.append((time.process_time() - began) / 1000 * 1e9)
    return sorted(samples)[len(samples) // 2]
