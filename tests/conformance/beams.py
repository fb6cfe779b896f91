"""Three beams on ball joints and a vertical guide above a floor; and the other simulator's small rotations."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import sympy as sp

import nsdgen as nsd
from nsdgen.extend import Branch, Configuration, PositionAndQuaternion
from nsdgen.symbolic.families import quaternion as quat

from .bodies import body_columns
from .case import Case

__all__ = ["TangentBody", "three_beams"]


@dataclass(frozen=True)
class TangentSeries(PositionAndQuaternion):
    """The exponential with a slip: below a half angle of 1e-3 the series of tan x / x stands for that of sin x / x.

    Nothing is normalised. For reproducing published tables that were computed so.
    """

    def moved(self, q: Any, twist: Any) -> list[sp.Expr]:
        """x + x' and p o E(Omega)."""
        turn = sp.Matrix(twist[3:])
        x = sp.sqrt((turn.T * turn)[0, 0]) / 2
        series = 1 + x**2 / 3 + 2 * x**4 / 15 + 17 * x**6 / 315 + 62 * x**8 / 2835
        sinc = Branch(series, x <= 1e-3, sp.sin(x) / x, sp.true)
        moved = quat.compose(q[3:], sp.Matrix([sp.cos(x), *(sinc * c / 2 for c in turn)]))
        return [*(a + b for a, b in zip(q[:3], twist[:3], strict=True)), *moved]

    def normalised(self, q: Any) -> list[sp.Expr]:
        """q as it is."""
        return list(q)


class TangentBody(nsd.RigidBody):
    """A rigid body that turns by :class:`TangentSeries`."""

    configuration: Configuration = TangentSeries()

    def describe(self, scope: Any) -> Any:
        """The class of a rigid body, in the other space."""
        return replace(super().describe(scope), configuration=self.configuration)


def three_beams(name: str, scheme: nsd.MoreauJean, exact: nsd.MoreauJean, *, rule: str, springs: bool = False) -> Case:
    """The slider-crank of three beams that falls from rest, turned as the table was and, ``exact``, as bodies turn."""
    columns = {f"beam{i} {axis}": column for i in (1, 2, 3) for axis, column in body_columns(f"beam{i}").items()}
    return Case(
        _model(name, scheme, TangentBody, springs),
        columns,
        f"{rule}, small rotations by another series (a family in tests/conformance/beams.py)",
        first_step=1,
        exact=_model(f"{name}_exact", exact, nsd.RigidBody, springs),
    )


def _model(name: str, scheme: nsd.MoreauJean, body: type[nsd.RigidBody], springs: bool) -> nsd.Model:
    """Three beams of length 1 with their joints, the first one on springs, above a floor."""
    half = 0.5 / math.sqrt(2)
    start = [([half, 0, -half], 1 / 4), ([half, 0, -3 * half], -1 / 4), ([0, 0, -math.sqrt(2) - 0.5], 1 / 2)]
    beams = [body(f"beam{i + 1}", mass=1, inertia=sp.diag(0.1, 1, 1)).apply_force([0, 0, -9.81]) for i in range(3)]
    first, second, third = beams
    if springs:
        x, _, z = first.position
        first.apply_force([-1e4 * x, 0, -1e4 * z]).apply_moment([0, -1e3 * (2 * sp.asin(first.quaternion[2]) - 1), 0])
    ends = [
        (first.point([-0.5, 0, 0]).position, sp.zeros(3, 1)),
        (first.point([0.5, 0, 0]).position, second.point([0.5, 0, 0]).position),
        (second.point([-0.5, 0, 0]).position, third.point([-0.5, 0, 0]).position),
    ]
    joints = [nsd.Bilateral(f"joint{i + 1}", list(a - b)) for i, (a, b) in enumerate(ends)]
    guide = nsd.Bilateral("guide", _guide(third, *start[2]))
    floor = nsd.Contact("floor", gap=third.position[2] + 2.3, law=nsd.NewtonImpact(0.9))
    initial: dict[Any, Any] = {}
    for beam, (place, turns) in zip(beams, start, strict=True):
        initial |= {beam.position: place, beam.quaternion: nsd.from_axis_angle([0, 1, 0], turns * math.pi)}
    return nsd.Model(name, beams, [*joints, guide, floor], scheme=scheme, step=0.01, end=10, initial=initial)


def _guide(body: nsd.RigidBody, place: list[float], turns: float) -> list[sp.Expr]:
    """A prismatic joint along the body's x axis: two distances in its frame, three of the rotation since the start."""
    at_start = nsd.from_axis_angle([0, 1, 0], turns * math.pi)
    off = -(body.rotation.T * body.position)
    angle = turns * math.pi
    off_start = [
        -(math.cos(angle) * place[0] - math.sin(angle) * place[2]),
        -place[1],
        -(math.sin(angle) * place[0] + math.cos(angle) * place[2]),
    ]
    conjugate = [at_start[0], *(-e for e in at_start[1:])]
    turned = quat.compose(list(body.quaternion), sp.Matrix(conjugate))
    return [-(off[1] - off_start[1]), -(off[2] - off_start[2]), *list(turned)[1:]]
