"""The slider-crank with clearance of the published tables: four corners of the slider between two guides."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .case import Column

__all__ = ["corners", "crank", "slopes", "table_columns"]

L1, L2, A, B, CLEARANCE, G = 0.1530, 0.3060, 0.05, 0.025, 0.001, 9.81
M1 = M2 = 0.038
M3, J1, J2, J3 = 0.0760, 7.4e-5, 5.9e-4, 2.7e-6
KAPPA = (M2 / 2 + M3) * L1 * L2
a, b, c = dynamicsymbols("a b c")  # angles of crank, rod and slider
Array = NDArray[np.float64]


def crank() -> nsd.LagrangianSystem:
    """Crank, rod and slider with their weights; the slider is held by its corners alone."""
    inertia = KAPPA * sp.cos(b - a)
    mass = [[J1 + (M1 / 4 + M2 + M3) * L1**2, inertia, 0], [inertia, J2 + (M2 / 4 + M3) * L2**2, 0], [0, 0, J3]]
    gyroscopic = [KAPPA * sp.sin(a - b) * b.diff() ** 2, -KAPPA * sp.sin(a - b) * a.diff() ** 2, 0]
    weight = [(M1 / 2 + M2 + M3) * G * L1 * sp.cos(a), (M2 / 2 + M3) * G * L2 * sp.cos(b), 0]
    return nsd.LagrangianSystem(
        "crank", [a, b, c], mass=mass, internal=[x + y for x, y in zip(gyroscopic, weight, strict=True)]
    )


def slopes(q: sp.Matrix, v: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
    """K and C as published: rows and columns of dF/dv are exchanged."""
    s, k = KAPPA * sp.sin(q[0] - q[1]), KAPPA * sp.cos(q[0] - q[1])
    stiffness = sp.Matrix(
        [
            [k * v[1] ** 2 - (M1 / 2 + M2 + M3) * G * L1 * sp.sin(q[0]), -k * v[1] ** 2, 0],
            [-k * v[0] ** 2, k * v[0] ** 2 - (M2 / 2 + M3) * G * L2 * sp.sin(q[1]), 0],
            [0, 0, 0],
        ]
    )
    return stiffness, sp.Matrix([[0, 2 * s * v[1], 0], [-2 * s * v[0], 0, 0], [0, 0, 0]])


def corners(law: nsd.NewtonImpact | nsd.NewtonImpactFriction) -> list[nsd.Contact]:
    """The corners: upper left and right, lower left and right; with friction they slide along the guides."""
    x, y = L1 * sp.cos(a) + L2 * sp.cos(b), L1 * sp.sin(a) + L2 * sp.sin(b)
    wide, found = B + CLEARANCE, []
    for number, (up, along) in enumerate(((1, -1), (1, 1), (-1, -1), (-1, 1)), start=1):
        height = y + along * A * sp.sin(c) + up * B * sp.cos(c)
        tangent = x + along * A * sp.cos(c) - up * B * sp.sin(c)
        found.append(
            nsd.Contact(
                f"corner{number}",
                gap=wide - up * height,
                law=law,
                tangent=tangent if isinstance(law, nsd.NewtonImpactFriction) else None,
            )
        )
    return found


def table_columns() -> dict[str, Column]:
    """What the columns of the tables are."""

    def of(formula: Callable[[Array, Array, Array], Array]) -> Column:
        return lambda run: formula(run["a"], run["b"], run["c"])

    def height(q0: Array, q1: Array) -> Array:
        return L1 * np.sin(q0) + L2 * np.sin(q1)

    said: dict[str, Column] = {
        "q[0]/(2*pi)": of(lambda p, q, r: p / (2 * math.pi)),
        "q[1]": "b",
        "q[2]": "c",
        "v[0]": "a_dot",
        "v[1]": "b_dot",
        "v[2]": "c_dot",
        "(l1*cos(q0)+l2*cos(q1)-l2)/l1": of(lambda p, q, r: (L1 * np.cos(p) + L2 * np.cos(q) - L2) / L1),
        "(l1*sin(q0)+l2*sin(q1))/c": of(lambda p, q, r: height(p, q) / CLEARANCE),
    }
    for i in range(1, 5):
        said |= {
            f"gap{i}": f"corner{i}.gap",
            f"gap_rate{i}": f"corner{i}.gap_rate",
            f"lambda{i}(1)[0]": f"corner{i}.impulse[0]",
            f"corner{i}_y/c": _height(i),
        }
    return said


def _height(corner: int) -> Column:
    """How far a corner is off its place in the middle, in units of the clearance."""
    up = 1 if corner < 3 else -1
    return lambda run: up * (1 - run[f"corner{corner}.gap"] / CLEARANCE)
