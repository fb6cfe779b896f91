"""A picture of a run: where all that is drawn is at some instants, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

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

    @property
    def extent(self) -> Values:
        """Half of about its size along x, y and z [m], its place added."""
        s = np.asarray(self.sizes)
        half = {"cuboid": s / 2, "sphere": s, "ellipsoid": s, "mesh": np.abs(s)}.get(self.kind, s.sum())
        return np.abs(self.at) + np.max(half)


@dataclass(frozen=True)
class Drawn:
    """Something drawn at n instants.

    ``kind`` ``"body"``: ``values`` (n, 7), position [m] and quaternion, with ``solids``; ``"line"``, ``"spring"``,
    ``"joint"``, ``"points"``: (n, 3 k), k points; ``"circle"``: (n, 5), centre, radius, angle; ``"arrow"``: (n, 6),
    place and reaction in the inertial frame, of this ``unit``; ``"ground"``: (1, 4), normal and offset.
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
    """All that is drawn at these instants [s]; ``planar``: it lies in the plane x-z; ``down``: z points downwards."""

    time: Values
    drawn: Sequence[Drawn] = ()
    planar: bool = False
    columns: dict[str, Any] = field(default_factory=dict)
    down: bool = False

    def upright(self) -> Picture:
        """The same with z upwards, as screens have it: where it points down all is turned by half a turn about x."""
        return replace(self, drawn=[_turned_over(d) for d in self.drawn]) if self.down else self


def _turned_over(drawn: Drawn) -> Drawn:
    """Half a turn about x: (x, -y, -z), and quaternions (0, 1, 0, 0) p; the offset of a plane stays."""
    v, over = drawn.values.copy(), np.array([1.0, -1.0, -1.0])
    if drawn.kind == "body":
        w, x, y, z = drawn.values[:, 3:].T
        v[:, :3] *= over
        v[:, 3:] = np.stack([-x, w, -z, y], axis=1)
    else:
        places = v.shape[1] // 3
        v[:, : 3 * places] *= np.tile(over, places)
    return replace(drawn, values=v)
