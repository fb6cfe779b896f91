"""M, F and derivatives of a robot as C code of CasADi: recursions written for it by hand, over Pinocchio's own numbers.

F by the recursive Newton-Euler equations, M by composite bodies, F_q and F_v by CasADi's sparse Jacobians of F, both
in one function. They are compiled with nsdgen's flags, functions of more than ``_LARGE`` instructions with -O1: a
compiler takes minutes for them otherwise.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kernel_calls import Arrays, library, timing_loop

_LARGE = 12_000


def symbolic(pin_model: Any, names: list[str]) -> Any:
    """The functions of CasADi: ``M(q)``, ``F(q, v)`` and ``slopes(q, v)``, dense columns in the order of joints."""
    import casadi as ca

    model, n = pin_model, len(names)
    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    order = sorted((model.getJointId(name), k) for k, name in enumerate(names))
    place = {0: 0}
    R, p, S, inertia = [ca.SX.eye(3)], [ca.SX.zeros(3)], [None], [None]
    column: list[int] = [-1]
    parents = [-1]
    for joint, k in order:
        place[joint] = len(R)
        given = model.jointPlacements[joint]
        axis = np.asarray(model.joints[joint].createData().S).ravel()
        slide, turn = axis[:3], axis[3:]
        about = _rotation(ca, turn, q[k]) if turn.any() else ca.SX.eye(3)
        R.append(ca.mtimes(_exact(ca, given.rotation), about))
        p.append(_exact(ca, given.translation) + ca.mtimes(_exact(ca, given.rotation), _exact(ca, slide)) * q[k])
        S.append((_exact(ca, slide), _exact(ca, turn)))
        body = model.inertias[joint]
        inertia.append((body.mass, _exact(ca, body.lever), _exact(ca, body.inertia)))
        column.append(k)
        parents.append(place[model.parents[joint]])
    cross = ca.cross
    gravity = -ca.DM(np.asarray(model.gravity.linear))
    w, u = [ca.SX.zeros(3)], [ca.SX.zeros(3)]
    alpha, a = [ca.SX.zeros(3)], [ca.SX(gravity)]
    force, moment = [ca.SX.zeros(3)], [ca.SX.zeros(3)]
    for i in range(1, n + 1):
        j, back, rate, (slide, turn) = parents[i], R[i].T, v[column[i]], S[i]
        w.append(ca.mtimes(back, w[j]) + turn * rate)
        u.append(ca.mtimes(back, u[j] + cross(w[j], p[i])) + slide * rate)
        alpha.append(ca.mtimes(back, alpha[j]) + cross(w[i], turn * rate))
        pull = ca.mtimes(back, a[j] + cross(alpha[j], p[i]))
        a.append(pull + cross(w[i], slide * rate) + cross(u[i], turn * rate))
        m, c, I = inertia[i]
        linear = m * (u[i] - cross(c, w[i]))
        angular = ca.mtimes(I, w[i]) + cross(c, linear)
        taken = m * (a[i] - cross(c, alpha[i]))
        force.append(taken + cross(w[i], linear))
        moment.append(ca.mtimes(I, alpha[i]) + cross(c, taken) + cross(w[i], angular) + cross(u[i], linear))
    F = ca.SX.zeros(n)
    for i in range(n, 0, -1):
        slide, turn = S[i]
        F[column[i]] = -(ca.dot(slide, force[i]) + ca.dot(turn, moment[i]))
        pushed = ca.mtimes(R[i], force[i])
        force[parents[i]] += pushed
        moment[parents[i]] += ca.mtimes(R[i], moment[i]) + cross(p[i], pushed)
    M = _mass(ca, n, R, p, S, inertia, column, parents)
    made = [
        ca.Function("M", [q], [ca.densify(M)]),
        ca.Function("F", [q, v], [F]),
        ca.Function("slopes", [q, v], [ca.jacobian(F, q), ca.jacobian(F, v)]),
    ]
    return {f.name(): f for f in made}


def _exact(ca: Any, values: Any) -> Any:
    """Numbers with their zeros left out, so that nothing is multiplied by them."""
    return ca.SX(ca.sparsify(ca.DM(np.asarray(values, dtype=float)), 0.0))


def _rotation(ca: Any, axis: np.ndarray, angle: Any) -> Any:
    """About an axis; one of the frame's where it is one."""
    x, y, z = (float(e) for e in axis)
    skew = _exact(ca, [[0, -z, y], [z, 0, -x], [-y, x, 0]])
    square = _exact(ca, np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]) @ np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]]))
    if sorted(map(abs, (x, y, z))) == [0, 0, 1]:
        found = _exact(ca, np.outer(axis, axis))
        return found + skew * ca.sin(angle) - square * ca.cos(angle)
    return ca.SX.eye(3) + skew * ca.sin(angle) + square * (1 - ca.cos(angle))


def _mass(ca: Any, n: int, R: list, p: list, S: list, inertia: list, column: list[int], parents: list[int]) -> Any:
    """M by composite bodies."""
    cross, mtimes = ca.cross, ca.mtimes
    mass = [0.0, *(m for m, _, _ in inertia[1:])]
    first = [ca.SX.zeros(3), *(m * c for m, c, _ in inertia[1:])]
    second = [ca.SX.zeros(3, 3), *(I - m * mtimes(ca.skew(c), ca.skew(c)) for m, c, I in inertia[1:])]
    M = ca.SX.zeros(n, n)
    for i in range(n, 0, -1):
        slide, turn = S[i]
        f = mass[i] * slide + cross(turn, first[i])
        t = mtimes(second[i], turn) + cross(first[i], slide)
        k = i
        while k > 0:
            s, o = S[k]
            M[column[i], column[k]] = M[column[k], column[i]] = ca.dot(o, t) + ca.dot(s, f)
            f = mtimes(R[k], f)
            t = mtimes(R[k], t) + cross(p[k], f)
            k = parents[k]
        j = parents[i]
        turned = mtimes(R[i], first[i])
        both = ca.skew(p[i])
        h = ca.skew(turned)
        second[j] += mtimes(mtimes(R[i], second[i]), R[i].T) - mtimes(both, h) - mtimes(h, both)
        second[j] -= mass[i] * mtimes(both, both)
        first[j] += turned + mass[i] * p[i]
        mass[j] += mass[i]
    return M


class Contestant:
    """Compiled functions of CasADi, called in a loop in C over many states."""

    def __init__(self, pin_model: Any, names: list[str], q: np.ndarray, v: np.ndarray, folder: Path) -> None:
        import casadi as ca

        began = os.times()
        self.functions = symbolic(pin_model, names)
        before = Path.cwd()
        os.chdir(folder)
        try:
            generator = ca.CodeGenerator("robot.c")
            for function in self.functions.values():
                generator.add(function)
            generator.generate()
        finally:
            os.chdir(before)
        self.instructions = {name: f.n_instructions() for name, f in self.functions.items()}
        options = ["-O1"] if max(self.instructions.values()) > _LARGE else []
        self.library, _ = library(folder / "robot.c", *options)
        ended = os.times()
        self.seconds = sum(ended[:4]) - sum(began[:4])
        self.loop = timing_loop(folder)
        self.work = np.zeros(max(f.sz_w() for f in self.functions.values()) + 1)
        self.calls = {name: self._call(name, q, v) for name in self.functions}

    def _call(self, name: str, q: np.ndarray, v: np.ndarray) -> Callable[[], object]:
        function = self.functions[name]
        outs = [[np.zeros(function.nnz_out(i)) for i in range(function.n_out())] for _ in q]
        given = [[a.copy(), b.copy()][: function.n_in()] for a, b in zip(q, v, strict=True)]
        ins, results = [Arrays(one) for one in given], [Arrays(one) for one in outs]
        pointers = [
            (ctypes.c_void_p * len(q))(*(ctypes.addressof(a.pointers) for a in side)) for side in (ins, results)
        ]
        target = getattr(self.library, name)

        def call() -> object:
            self.loop.time_casadi_instances(target, *pointers, self.work.ctypes, len(q), ctypes.c_long(1))
            return ins, results

        call()
        self.results = {**getattr(self, "results", {}), name: outs[0]}
        return call

    def differences(self, found: dict[str, np.ndarray]) -> float:
        """How far values at the first state are from these, relative to the largest of each."""
        n = len(found["F"])
        own = {"M": self.results["M"][0].reshape(n, n), "F": self.results["F"][0]}
        for key, values, i in (("F_q", self.results["slopes"][0], 0), ("F_v", self.results["slopes"][1], 1)):
            pattern = self.functions["slopes"].sparsity_out(i)
            own[key] = np.zeros((n, n))
            rows, columns = pattern.row(), pattern.get_col()
            own[key][rows, columns] = values
        return max(float(np.abs(own[k] - found[k]).max() / np.abs(found[k]).max()) for k in own)


def seconds(call: Callable[[], object]) -> float:
    """Processor seconds of a call."""
    began = time.thread_time()
    call()
    return time.thread_time() - began
