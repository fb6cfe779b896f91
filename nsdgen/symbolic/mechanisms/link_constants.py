"""What tells the links of a long chain apart: constants of frames whose third axis is that of their motion."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.symbolic.graph.computed import stated
from nsdgen.symbolic.graph.node import MINUS_ONE, ONE, ZERO, Node
from nsdgen.symbolic.graph.sympy_graph import replaced, to_sympy
from nsdgen.symbolic.mechanisms.links import Link, constant_quaternion
from nsdgen.symbolic.mechanisms.node_vectors import scaled
from nsdgen.symbolic.mechanisms.recursion import Frame
from nsdgen.symbolic.mechanisms.slopes import ConstantForce

SECOND = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of an inertia's entries the six that are its own


def constants_of(
    frames: Sequence[Frame], q: Sequence[sp.Symbol], loads: Sequence[ConstantForce]
) -> list[tuple[Node, ...]]:
    """Of each frame: axes and origin in its parent at rest, turn and slide of its motion, inertia, load and its place.

    All are along axes of frames whose third one is that of the motion.
    """
    axes, found = axes_of(frames), []
    for k, frame in enumerate(frames):
        (column,), own = frame.columns, _exchanged(axes[k])
        outer = _exchanged(axes[frame.parent] if frame.parent >= 0 else 2)
        at_rest = replaced({q[k]: ZERO})
        turn = [[at_rest(e) for e in row] for row in frame.turn]
        fixed = [turn[i][j] for i in outer for j in own]
        origin = [at_rest(frame.origin[i]) for i in outer]
        body = frame.inertia
        second = [body.second[own[i]][own[j]] for i, j in SECOND]
        load = next((load for load in loads if load.frame == k), ConstantForce(k, [ZERO] * 3, [ZERO] * 3))
        found.append(
            (
                *(*fixed, *origin, column.turn[axes[k]], column.slide[axes[k]]),
                *(body.mass, *(body.first[i] for i in own), *second),
                *(*load.force, *(load.place[i] for i in own)),
            )
        )
    return found


def axes_of(frames: Sequence[Frame]) -> list[int]:
    """About or along which of its axes each frame moves."""
    columns = [frame.columns[0] for frame in frames]
    return [next(i for i in range(3) if (c.turn[i], c.slide[i]) != (ZERO, ZERO)) for c in columns]


def quaternion_of(turn: Sequence[sp.Expr]) -> list[Node]:
    """That of a rotation by its nine entries."""
    return stated(list(constant_quaternion(sp.Matrix(3, 3, list(turn)), "")))


def bodies_of(
    parents: Sequence[int],
    constants: Sequence[Sequence[Node]],
    axes: Sequence[int],
    q: Sequence[sp.Symbol],
    links: Mapping[str, Link],
) -> tuple[tuple[int, tuple[Node, ...]], ...]:
    """The frame (0: the ground) of each body, its centre there and its quaternion, whose sign is that of its joints."""
    rest = [np.array([1.0, 0, 0, 0])]
    for parent, own in zip(parents, constants, strict=True):
        rest.append(_composed(rest[parent], _floats([to_sympy(c) for c in own[30:]])))
    found, known = [], dict[str | None, Any]({None: rest[0]})
    for name, link in links.items():
        own_axes = _exchanged(axes[link.frame] if link.frame >= 0 else 2)
        quaternion = quaternion_of([link.axes[i, j] for i in own_axes for j in range(3)])
        known[name] = _composed(known[link.parent], _floats(link.quaternion.subs(dict.fromkeys(q, 0))))
        here = _composed(rest[link.frame + 1], _floats([to_sympy(c) for c in quaternion]))
        sign = MINUS_ONE if here @ known[name] < 0 else ONE
        place = stated([link.centre[i] for i in own_axes])
        found.append((link.frame + 1, (*place, *scaled(sign, quaternion))))
    return tuple(found)


def _floats(values: Iterable[sp.Expr]) -> Any:
    return np.array([float(value) for value in values])


def _composed(p: Any, q: Any) -> Any:
    """The product of quaternions of numbers."""
    vector = p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *vector])


def _exchanged(axis: int) -> tuple[int, int, int]:
    """The axes of a frame whose third one is this."""
    return (axis + 1) % 3, (axis + 2) % 3, axis
