"""The matrices of a linear first-order model, read from its compiled operators: what a peer can be given."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

import nsdgen as nsd
from nsdgen.study.compiled_model import CompiledModel

from .case import Case

__all__ = ["linear_form"]

Array = NDArray[np.float64]


def linear_form(case: Case, compiled: CompiledModel) -> dict[str, Any] | None:
    """x' = A x + b + B lambda, y = C x + D lambda + e with theta, gamma, bounds and x0; None for any other model.

    States are those of all systems, one after the other. Bounds are None for complementarity. ``moving`` tells which of
    b and e are functions of time; what stands for them is their value at 0.
    """
    model = case.model
    if model.blocks or len(model.relations) != 1 or not all(map(_plain, model.systems)):
        return None
    relation, scheme = model.relations[0], model.schemes[0]
    bounds = _bounds(relation.law)
    if bounds == "other" or scheme.rhs_at != "ends":
        return None
    functions = _Stacked(case, compiled)
    n, rows = functions.states, len(relation.multipliers)
    flow, output, reaction = (
        _affine(f, sizes)
        for f, sizes in ((functions.flow, (n,)), (functions.output, (n, rows)), (functions.reaction, (n, rows)))
    )
    if flow is None or output is None or reaction is None or reaction[2] or np.any(reaction[0][:, :n]):
        return None
    given = {
        "A": flow[0],
        "b": flow[1] + reaction[1],
        "B": reaction[0][:, n:],
        "C": output[0][:, :n],
        "D": output[0][:, n:],
        "e": output[1],
        "x0": functions.initial,
    }
    return {name: value.tolist() for name, value in given.items()} | {
        "moving": [name for name, part in (("b", flow), ("e", output)) if part[2]],
        "bounds": bounds,
        "theta": scheme.theta,
        "gamma": scheme.gamma,
        "at_gamma": scheme.relation_at == "gamma",
    }


def _plain(system: Any) -> bool:
    """Whether it is a first-order system whose mass is the identity."""
    return isinstance(system, nsd.FirstOrderSystem) and system.mass == sp.eye(system.mass.rows)


def _bounds(law: Any) -> tuple[float, float] | str | None:
    """The two bounds of a box that is the same for all rows, None for complementarity, ``"other"`` for the rest."""
    if isinstance(law, nsd.Complementarity):
        return None
    if isinstance(law, nsd.Box) and len(law.lower) == len(law.upper) == 1:
        low, high = law.lower[0], law.upper[0]
        return (float(low), float(high)) if low.is_finite and high.is_finite else "other"
    return "other"


class _Stacked:
    """The functions of a model with one relation in the states of all its systems."""

    def __init__(self, case: Case, compiled: Any) -> None:
        self.groups = [compiled[system.name] for system in case.model.systems]
        self.relation = compiled[case.model.relations[0].name]
        initial = [system.initial for system in compiled.record.systems]
        self.sizes = [len(values) for values in initial]
        self.states, self.initial = sum(self.sizes), np.concatenate(initial)

    def split(self, x: Array) -> list[Array]:
        return np.split(x, np.cumsum(self.sizes)[:-1])

    def flow(self, t: float, x: Array) -> Array:
        return np.concatenate(
            [group.rhs(t, part).ravel() for group, part in zip(self.groups, self.split(x), strict=True)]
        )

    def output(self, t: float, x: Array, multipliers: Array) -> Array:
        return self.relation.output(t, *self.split(x), multipliers).ravel()

    def reaction(self, t: float, x: Array, multipliers: Array) -> Array:
        names = [f"reaction_{i + 1}" for i in range(len(self.sizes))] if len(self.sizes) > 1 else ["reaction"]
        return np.concatenate([self.relation[name](t, *self.split(x), multipliers).ravel() for name in names])


def _affine(function: Any, sizes: tuple[int, ...]) -> tuple[Array, Array, bool] | None:
    """(matrix, constant at t = 0, whether the constant moves) of a function of vectors that is affine in them.

    None where it is not, or where the matrix depends on time.
    """
    total = sum(sizes)

    def at(t: float, z: Array) -> Array:
        return function(t, *np.split(z, np.cumsum(sizes)[:-1]))

    constant = at(0.0, np.zeros(total))
    matrix = np.column_stack([at(0.0, unit) - constant for unit in np.eye(total)])
    moves = False
    for seed in range(5):
        t, z = 1e-4 * (1 + seed), np.random.default_rng(seed).normal(size=total)
        there = at(t, np.zeros(total))
        size = np.abs(matrix) @ np.abs(z) + np.abs(there)
        if np.any(np.abs(at(t, z) - matrix @ z - there) > 1e-12 * size):
            return None
        moves |= bool(np.any(there != constant))
    return matrix, constant, moves
