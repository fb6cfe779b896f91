"""A picture of a run: where all that is drawn is at some instants, as numbers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True)
class DrawnSolid:
    """A solid fixed to a body: ``kind`` (``"box"``, ``"sphere"``, ...), sizes [m], place, turning, faces of a mesh."""

    kind: str
    sizes: tuple[float, ...]
    at: tuple[float, ...] = (0.0, 0.0, 0.0)
    turned: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0)
    faces: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, solid: Any, *numbers: Iterable[float]) -> Self:
        """A solid with sizes, place and turning as numbers."""
        sizes, at, turned = (tuple(map(float, part)) for part in numbers)
        return cls(solid.kind, sizes, at, turned, tuple(tuple(map(int, face)) for face in getattr(solid, "faces", ())))


@dataclass(frozen=True)
class Drawn:
    """Something drawn at n instants.

    ``kind`` ``"body"``: ``values`` (n, 7), position [m] and quaternion, with ``solids``; ``"line"``, ``"spring"``,
    ``"joint"``, ``"points"``: (n, 3 k), k points; ``"circle"``: (n, 5), centre, radius, angle; ``"arrow"``: (n, 6),
    place and reaction in the inertial frame, of this ``unit``; ``"ground"``: (n, 4), normal and offset, one row where
    it stands. What has no value at an instant is not drawn there.
    ``shown`` are columns that the pointer shows with it.
    """

    kind: str
    name: str
    values: Values
    solids: tuple[DrawnSolid, ...] = ()
    unit: str = ""
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """All that is drawn of a run at these instants [s]; ``up`` is an axis: ``"z"``, ``"-z"``, as vehicles have it, or
    ``"y"``. ``planar``: it lies in a plane, seen from its side."""

    time: Values
    drawn: Sequence[Drawn] = ()
    planar: bool = False
    up: str = "z"

    def upright(self) -> Self:
        """The same with z upwards, as screens have it: all is turned about x."""
        angle = _TURNS[self.up]
        return replace(self, up="z", drawn=[_turned(d, angle) for d in self.drawn]) if angle else self


_TURNS = {"z": 0.0, "y": np.pi / 2, "-z": np.pi}
"""About x [rad], so that the axis points along z."""


def _turned(drawn: Drawn, angle: float) -> Drawn:
    """Turned about x; offset of a plane and radius of a circle stay. Upside down a circle turns the other way."""
    c, s = np.round([np.cos(angle), np.sin(angle)])
    v, turn = drawn.values.copy(), np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    if drawn.kind == "body":
        c, s = np.cos(angle / 2), np.sin(angle / 2)
        w, x, y, z = drawn.values[:, 3:].T
        v[:, 3:] = np.stack([c * w - s * x, c * x + s * w, c * y - s * z, c * z + s * y], axis=1)
    if drawn.kind == "circle" and c < 0:
        v[:, 4] *= -1
    places = 1 if drawn.kind in ("body", "circle", "ground") else v.shape[1] // 3
    v[:, : 3 * places] = (v[:, : 3 * places].reshape(-1, 3) @ turn.T).reshape(len(v), -1)
    return replace(drawn, values=v)
