"""Materials and their coefficients on each other, and groups of bodies that do not meet."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number
from nsdgen.errors import ModelError

__all__ = ["Groups", "Surfaces"]

_ENDLESS = 1e100
"""A finite coefficient that no impulse reaches: it holds whatever pulls."""


class Surfaces:
    """Coefficients (friction, restitution, rolling friction [m]) of pairs of materials; the rest has a ``default``."""

    def __init__(self, friction: float, restitution: float, rolling_friction: float) -> None:
        self.materials: dict[str, int] = {}
        self.default = _checked(friction, restitution, rolling_friction, "world")
        self.pairs: dict[tuple[int, int], tuple[float, float, float]] = {}

    def number(self, material: str) -> int:
        """Of a material, which there is from here on."""
        return self.materials.setdefault(material, len(self.materials))

    def set(self, first: str, second: str, friction: float, restitution: float, rolling_friction: float) -> None:
        """The coefficients of two materials on each other."""
        low, high = sorted((self.number(first), self.number(second)))
        where = f"surface of {first!r} on {second!r}"
        self.pairs[low, high] = _checked(friction, restitution, rolling_friction, where)

    @property
    def roll(self) -> bool:
        """Whether any resists rolling."""
        return any(rolling > 0.0 for _, _, rolling in (self.default, *self.pairs.values()))

    def table(self) -> NDArray[np.float64]:
        """(n, n, k) of all materials, in the order of the arguments of the law: e, mu, (mu_r,) e_T = 0."""
        n = max(1, len(self.materials))
        found = np.zeros((n, n, 4 if self.roll else 3))
        for i in range(n):
            for j in range(n):
                mu, e, rolling = self.pairs.get((min(i, j), max(i, j)), self.default)
                found[i, j, :2] = e, mu
                if self.roll:
                    found[i, j, 2] = rolling
        return found


class Groups:
    """Groups by name, the first of which is that of all that name none, and which of them meet."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {"": 0}
        self.meet = np.ones((1, 1), dtype=bool)

    def number(self, name: str) -> int:
        """Of a group, which there is from here on and meets all others."""
        number = self.numbers.setdefault(name, len(self.numbers))
        if number >= len(self.meet):
            grown = np.ones((number + 1, number + 1), dtype=bool)
            grown[: len(self.meet), : len(self.meet)] = self.meet
            self.meet = grown
        return number

    def ignore(self, first: str, second: str) -> None:
        """These do not meet from here on."""
        a, b = self.number(first), self.number(second)
        self.meet[a, b] = self.meet[b, a] = False


def _checked(friction: Any, restitution: Any, rolling: Any, where: str) -> tuple[float, float, float]:
    """Coefficients that are some; an infinite friction is one that holds whatever pulls."""
    mu = _ENDLESS if friction == np.inf else finite_number(friction, model="", where=f"{where}, friction")
    e, r = (
        finite_number(v, model="", where=f"{where}, {n}")
        for v, n in ((restitution, "restitution"), (rolling, "rolling"))
    )
    if mu < 0 or r < 0 or not 0 <= e <= 1:
        raise ModelError(
            f"has friction {mu:g}, restitution {e:g}, rolling friction {r:g}",
            where=where,
            fix="give friction and rolling friction >= 0, restitution from 0 to 1",
        )
    return mu, e, r
