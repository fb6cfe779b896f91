"""An elastic bar of linear finite elements flies against a wall."""

import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from ..case import Case

N, AREA, DENSITY, YOUNG, VISCOSITY = 10, 0.000314, 7800.0, 210e9, 1000.0
u = dynamicsymbols(f"u:{N}")
length = 1 / N


def tridiagonal(inside: float, end: float, beside: float) -> np.ndarray:
    """With ``end`` in both corners."""
    matrix = np.diag([end, *[inside] * (N - 2), end])
    return matrix + beside * (np.eye(N, k=1) + np.eye(N, k=-1))


M = DENSITY * AREA * length * tridiagonal(2 / 3, 1 / 3, 1 / 6)
K, D = (modulus * AREA / length * tridiagonal(2, 1, -1) for modulus in (YOUNG, VISCOSITY))
bar = nsd.LagrangianSystem(
    "bar", u, mass=sp.Matrix(M), internal=list(sp.Matrix(K) * sp.Matrix(u) + sp.Matrix(D) * sp.Matrix(u).diff(nsd.time))
)
wall = nsd.Contact("wall", gap=u[0], law=nsd.NewtonImpact(0))
model = nsd.Model(
    "impacting_bar",
    [bar],
    [wall],
    scheme=nsd.D1Minus(level="velocity", closed=1e-8),
    step=1e-7,
    start=1e-8,
    end=1.5e-3,
    initial=dict.fromkeys(u, 5e-5) | {x.diff(): -0.1 for x in u},
)


def quadratic(run: nsd.Trajectory, matrix: np.ndarray, rate: str) -> np.ndarray:
    """x . matrix x for positions, or velocities with ``rate="_dot"``, (n,)."""
    x = np.column_stack([run[f"u{i}{rate}"] for i in range(N)])
    return np.einsum("ki,ij,kj->k", x, matrix, x)


case = Case(
    model,
    {
        "q[0]": "u0",
        "v[0]": "u0_dot",
        "q[n-1]": "u9",
        "v[n-1]": "u9_dot",
        "q[n/2]": "u5",
        "v[n/2]": "u5_dot",
        "p(1)[0]": "impulse",
        "2*potential_energy q.Kq": lambda run: quadratic(run, K, ""),
        "2*kinetic_energy v.Mv": lambda run: quadratic(run, M, "_dot"),
        "lambda(2)[0] left limit at t_k+1": lambda run: run["force_left"] * model.step / 2,
        "lambda(2)[0] right limit at t_k": lambda run: run["force_right"] * model.step,
    },
    first_step=1,
    tolerance=1e-11,
)
