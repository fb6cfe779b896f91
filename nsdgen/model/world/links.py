"""WorldLinks: what joints and springs have in common, each between places on two bodies, or on one and the ground."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.errors import ModelError
from nsdgen.model.world._shapes import body_place
from nsdgen.model.world.bodies import WorldBody

_Numbers = NDArray[np.float64]


class WorldLinks:
    """The joints of a world, or its springs."""

    def __init__(self, world: Any) -> None:
        self.world = world
        self.all: list[Any] = []

    @property
    def bodies(self) -> set[int]:
        """Numbers of bodies that have one."""
        return {b.number for link in self.all for b in (link.first, link.second) if b is not None}

    def check(self, first: Any, second: Any, where: str) -> None:
        """Raise ``ModelError`` unless these are two bodies of the world, or one and the ground."""
        for body in (first,) if second is None else (first, second):
            if not isinstance(body, WorldBody) or body.world is not self.world or not body.exists:
                raise ModelError("is on what is no body of this world", where=where, fix="give bodies of world.add")
        if first is second:
            raise ModelError(f"is on {first.name!r} twice", where=where, fix="give two bodies, or one and the ground")

    def keep(self, link: Any) -> None:
        """It is one of them from here on."""
        self.world.names.take(link.name)
        self.all.append(link)
        self.world.sleep.wake(self.bodies)


def place_of(body: WorldBody | None) -> tuple[_Numbers, _Numbers]:
    """Where a body is now [m], None the ground, and its axes (3, 3)."""
    if body is None:
        return np.zeros(3), np.eye(3)
    at, axes = body_place(body.world.states, body.number, body.world.space.dimension == 2)
    return at, axes


def bodies_of(links: Sequence[Any]) -> NDArray[np.intc]:
    """Numbers (n, 2) of the bodies of links, -1 the ground; -1 twice of one whose body was taken out."""
    found = np.full((len(links), 2), -1, dtype=np.intc)
    for row, link in zip(found, links, strict=True):
        if link.first.exists and (link.second is None or link.second.exists):
            row[0], row[1] = link.first.number, -1 if link.second is None else link.second.number
    return found
