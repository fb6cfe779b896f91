"""Links: from the attachments of a tree to frames that move, and where the bodies are in them.

Every motion of a joint has a frame of its own, its axis one of the marker's. Bodies that nothing moves apart are in one
frame: what is welded costs nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import vector
from nsdgen.symbolic.families import quaternion as quat
from nsdgen.symbolic.families.rigid_body import RigidBody
from nsdgen.symbolic.graph.computed import stated
from nsdgen.symbolic.graph.node import ONE, ZERO, Node, leaf
from nsdgen.symbolic.joints.freedom import BallMotion
from nsdgen.symbolic.joints.marker import Marker
from nsdgen.symbolic.mechanisms.body_tree import BodyAttachment
from nsdgen.symbolic.mechanisms.node_vectors import Square, Vector
from nsdgen.symbolic.mechanisms.recursion import NO_INERTIA, Frame, Inertia, RateColumn

Entered = Callable[[sp.Matrix, str], sp.Matrix]
"""What turns a user's matrix into one over the model's symbols; with what it is."""


@dataclass(frozen=True)
class Link:
    """Where a body is: its axes and its centre of mass in frame ``frame`` (-1: the ground), and its quaternion.

    ``quaternion`` is relative to the parent body, whose name is ``parent``; None for the ground.
    """

    frame: int
    axes: sp.Matrix
    centre: sp.Matrix
    parent: str | None
    quaternion: sp.Matrix


@dataclass(frozen=True)
class Links:
    """The frames of a tree, parents first, and the link of every body by its name."""

    frames: tuple[Frame, ...]
    links: dict[str, Link]


def links_of(
    attachments: Sequence[BodyAttachment],
    symbols: Sequence[tuple[Sequence[sp.Symbol], Sequence[sp.Symbol]]],
    entered: Entered,
    name: str,
) -> Links:
    """Frames and links; ``symbols`` are the coordinates and the rates of each attachment, in the order of its chain."""
    frames: list[Frame] = []
    links: dict[str, Link] = {}
    for attachment, (q, v) in zip(attachments, symbols, strict=True):
        there, here = attachment.ends
        parent = links[attachment.parent.name] if attachment.parent is not None else None
        index, axes, centre = (parent.frame, parent.axes, parent.centre) if parent else (-1, sp.eye(3), sp.zeros(3, 1))
        other, place = _axes(there, entered), entered(vector(there.at, where=f"mechanism {name!r}"), "marker")
        turn, origin, spun = axes * other, centre + axes * place, constant_quaternion(other, name)
        given, rates = list(q), list(v)
        for motion in attachment.chain:
            if isinstance(motion, sp.MatrixBase):
                turn, spun = turn * motion, _after(spun, constant_quaternion(motion, name))
                continue
            if isinstance(motion, BallMotion):
                p, given = given[:4], given[4:]
                rotation, shift, own, spun = quat.rotation(p), origin, _ball(rates[:3]), _after(spun, sp.Matrix(p))
                rates = rates[3:]
            else:
                s, given = given[0], given[1:]
                angle, way = (entered(sp.Matrix([[e]]), "joint")[0] for e in (motion.turn, motion.slide))
                rotation, shift = _about(motion.axis, angle * s), origin + turn[:, motion.axis] * way * s
                own, rates = (_one(rates[0], motion.axis, angle, way),), rates[1:]
                spun = _after(spun, _half(motion.axis, angle * s))
            frames.append(Frame(index, square(turn * rotation), stated(shift), own, NO_INERTIA))
            index, turn, origin = len(frames) - 1, sp.eye(3), sp.zeros(3, 1)
        mine = _axes(here, entered).T
        axes = turn * mine
        centre = origin - axes * entered(vector(here.at, where=f"mechanism {name!r}"), "marker")
        spun = _after(spun, constant_quaternion(mine, name)).applyfunc(sp.expand)
        links[attachment.body.name] = Link(
            index, axes, centre, attachment.parent.name if attachment.parent else None, spun
        )
        if index >= 0:
            frames[index] = _loaded(frames[index], attachment.body, axes, centre, entered)
    return Links(tuple(frames), links)


def square(m: sp.Matrix) -> Square:
    """A matrix of nodes."""
    entries = stated(m)
    return [entries[3 * i : 3 * i + 3] for i in range(3)]


def _axes(marker: Marker, entered: Entered) -> sp.Matrix:
    """e1, e2, e3 as columns."""
    return entered(sp.Matrix.hstack(*marker.local_axes), "marker")


def _unit(axis: int) -> list[Node]:
    return [ONE if i == axis else ZERO for i in range(3)]


def _one(rate: sp.Symbol, axis: int, angle: sp.Expr, way: sp.Expr) -> RateColumn:
    turn, slide = ([part if i == axis else ZERO for i in range(3)] for part in stated([angle, way]))
    return RateColumn(leaf(rate), turn, slide)


def _ball(rates: Sequence[sp.Symbol]) -> tuple[RateColumn, ...]:
    nothing: Vector = [ZERO, ZERO, ZERO]
    return tuple(RateColumn(leaf(rate), _unit(i), nothing) for i, rate in enumerate(rates))


def _about(axis: int, angle: sp.Expr) -> sp.Matrix:
    """The rotation by an angle about a unit vector of the frame."""
    c, s, (j, k) = sp.cos(angle), sp.sin(angle), ((axis + 1) % 3, (axis + 2) % 3)
    found = sp.eye(3)
    found[j, j], found[j, k], found[k, j], found[k, k] = c, -s, s, c
    return found


def _half(axis: int, angle: sp.Expr) -> sp.Matrix:
    """The quaternion of the same."""
    found = sp.Matrix([sp.cos(angle / 2), 0, 0, 0])
    found[1 + axis] = sp.sin(angle / 2)
    return found


def _after(p: sp.Matrix, q: sp.Matrix) -> sp.Matrix:
    return quat.compose(list(p), list(q))


def constant_quaternion(rotation: sp.Matrix, name: str) -> sp.Matrix:
    """The quaternion of a rotation by numbers: the largest component from the diagonal, the others beside it."""
    if not all(e.is_number for e in rotation):
        raise ModelError(
            "the axes of a marker depend on parameters",
            where=f"mechanism {name!r}",
            fix="turn the marker by numbers, or write this model with the bodies and joints themselves",
        )
    r, trace = rotation, rotation.trace()
    squares = [1 + trace, *(1 - trace + 2 * r[i, i] for i in range(3))]
    n = max(range(4), key=lambda i: float(squares[i]))
    rows = (
        (squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]),
        (r[2, 1] - r[1, 2], squares[1], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]),
        (r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], squares[2], r[1, 2] + r[2, 1]),
        (r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[3]),
    )
    return sp.Matrix(rows[n]) / (2 * sp.sqrt(squares[n]))


def _loaded(frame: Frame, body: RigidBody, axes: sp.Matrix, centre: sp.Matrix, entered: Entered) -> Frame:
    """The frame with a body more in it."""
    m, tensor = body.checked_masses(entered)
    own = axes * tensor * axes.T
    about = own + m * (centre.dot(centre) * sp.eye(3) - centre * centre.T)
    (mass,), first = stated([m]), stated(m * centre)
    inertia = Inertia(mass, first, square(about.applyfunc(sp.expand)))
    return Frame(frame.parent, frame.turn, frame.origin, frame.columns, frame.inertia + inertia)
