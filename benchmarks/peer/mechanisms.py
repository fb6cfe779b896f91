"""Energies as plain arithmetic, for SymPy and for CasADi alike: ``ENERGIES[kind](n, q, v, p, functions)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["ENERGIES", "numbers"]

Vector = list[Any]


def numbers(kind: str, n: int) -> dict[str, float]:
    """The parameters of a mechanism of n links, by name."""
    each = {"m": 1.0, "l": 0.4, "c": 0.2, "Ix": 0.02, "Iy": 0.02, "Iz": 0.01}
    names = ("m", "l") if kind == "pendulum" else tuple(each)
    return {"g": 9.81, **{f"{name}{i}": each[name] * (1 + 0.05 * i) for i in range(1, n + 1) for name in names}}


def pendulum(n: int, q: Sequence[Any], v: Sequence[Any], p: dict[str, Any], f: Any) -> tuple[Any, Any]:
    """Point masses on n links in a plane, angles from the vertical."""
    rate: Vector = [0, 0]
    height = kinetic = potential = 0
    for i in range(n):
        m, length, c, s = p[f"m{i + 1}"], p[f"l{i + 1}"], f.cos(q[i]), f.sin(q[i])
        rate = [rate[0] + length * c * v[i], rate[1] + length * s * v[i]]
        height = height - length * c
        kinetic = kinetic + m * (rate[0] * rate[0] + rate[1] * rate[1]) / 2
        potential = potential + m * p["g"] * height
    return kinetic, potential


def arm(n: int, q: Sequence[Any], v: Sequence[Any], p: dict[str, Any], f: Any) -> tuple[Any, Any]:
    """Bodies on joints about z and y in turn; velocities in the frame of each body, as a person would state them."""
    w: Vector = [0, 0, 0]
    u: Vector = [0, 0, 0]
    up: Vector = [0, 0, 1]
    height = kinetic = potential = 0
    for i in range(n):
        c, s = f.cos(q[i]), f.sin(q[i])
        turn = _about_z if i % 2 == 0 else _about_y
        w, u, up = turn(c, s, w), turn(c, s, u), turn(c, s, up)
        axis = 2 if i % 2 == 0 else 1
        w[axis] = w[axis] + v[i]
        m, length, centre, *tensor = (p[f"{name}{i + 1}"] for name in ("m", "l", "c", "Ix", "Iy", "Iz"))
        at = [u[0] + w[1] * centre, u[1] - w[0] * centre, u[2]]
        kinetic = (
            kinetic
            + m * (at[0] * at[0] + at[1] * at[1] + at[2] * at[2]) / 2
            + (tensor[0] * w[0] * w[0] + tensor[1] * w[1] * w[1] + tensor[2] * w[2] * w[2]) / 2
        )
        potential = potential + m * p["g"] * (height + centre * up[2])
        u = [u[0] + w[1] * length, u[1] - w[0] * length, u[2]]
        height = height + length * up[2]
    return kinetic, potential


def _about_z(c: Any, s: Any, a: Vector) -> Vector:
    return [c * a[0] + s * a[1], c * a[1] - s * a[0], a[2]]


def _about_y(c: Any, s: Any, a: Vector) -> Vector:
    return [c * a[0] - s * a[2], a[1], s * a[0] + c * a[2]]


ENERGIES = {"pendulum": pendulum, "arm": arm}
