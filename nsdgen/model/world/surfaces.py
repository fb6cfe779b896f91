"""Materials and their coefficients on each other, and groups of bodies that do not meet."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import finite_number
from nsdgen.errors import ModelError

_ENDLESS = 1e100
"""A finite coefficient that no impulse reaches: it holds whatever pulls."""


@dataclass(frozen=True)
class Surface:
    """Coefficients of two materials on each other; those of rolling and drilling are lengths [m]."""

    friction: float
    restitution: float
    rolling_friction: float
    drilling_friction: float

    def row(self, roll: bool, drill: bool, exchange: float) -> list[float]:
        """In the order of the arguments of the law; no restitution along tangents."""
        own = [self.restitution, self.friction]
        if drill:
            last = [self.rolling_friction] if roll else []
            return [*own, self.drilling_friction, 0.0, exchange, *last]
        return [*own, self.rolling_friction, 0.0] if roll else [*own, 0.0]


class Surfaces:
    """Coefficients of pairs of materials; the rest has a ``default``: friction, restitution, rolling, drilling."""

    def __init__(self, *default: float) -> None:
        self.materials: dict[str, int] = {}
        self.default = _checked("world", *default)
        self.pairs: dict[tuple[int, int], Surface] = {}

    def number(self, material: str) -> int:
        """Of a material, which there is from here on."""
        return self.materials.setdefault(material, len(self.materials))

    def set(self, first: str, second: str, *coefficients: float | None) -> None:
        """The coefficients of two materials on each other; None for that of the default."""
        low, high = sorted((self.number(first), self.number(second)))
        own = [d if c is None else c for c, d in zip(coefficients, astuple(self.default), strict=True)]
        self.pairs[low, high] = _checked(f"surface of {first!r} on {second!r}", *own)

    def strange(self, used: Iterable[int]) -> list[str]:
        """What may be a slip: materials of something that no surface names, and those of surfaces that nothing has."""
        names = list(self.materials)
        named = {number for pair in self.pairs for number in pair}
        alone = [f"no surface() names the material {names[n]!r}" for n in sorted({*used} - named) if names[n]]
        return alone + [f"nothing is made of {names[n]!r}" for n in sorted(named - {*used}) if names[n]]

    @property
    def roll(self) -> bool:
        """Whether any resists rolling."""
        return any(s.rolling_friction > 0.0 for s in (self.default, *self.pairs.values()))

    @property
    def drill(self) -> bool:
        """Whether any resists drilling."""
        return any(s.drilling_friction > 0.0 for s in (self.default, *self.pairs.values()))

    def table(self, inertia: float) -> NDArray[np.float64]:
        """(n, n, k) of all materials, in the order of the arguments of the law; ``inertia`` [kg m^2] as bodies have."""
        n = max(1, len(self.materials))
        pairs = [[self.pairs.get((min(i, j), max(i, j)), self.default) for j in range(n)] for i in range(n)]
        return np.array([[s.row(self.roll, self.drill, inertia) for s in row] for row in pairs])


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

    def strange(self, used: Iterable[int]) -> list[str]:
        """Groups that :meth:`ignore` names and nothing belongs to: they may be slips."""
        return [
            f"nothing is of the group {name!r} that is to be ignored"
            for name, number in self.numbers.items()
            if name and number not in {*used} and not self.meet[number].all()
        ]

    def ignore(self, first: str, second: str) -> None:
        """These do not meet from here on."""
        a, b = self.number(first), self.number(second)
        self.meet[a, b] = self.meet[b, a] = False


def _checked(where: str, friction: Any, restitution: Any, rolling: Any, drilling: Any) -> Surface:
    """Coefficients that are some; an infinite friction is one that holds whatever pulls."""
    mu = _ENDLESS if friction == np.inf else finite_number(friction, where=f"{where}, friction")
    e, r, d = (
        finite_number(v, where=f"{where}, {n}")
        for v, n in ((restitution, "restitution"), (rolling, "rolling"), (drilling, "drilling"))
    )
    if mu < 0 or r < 0 or d < 0 or not 0 <= e <= 1:
        raise ModelError(
            f"has friction {mu:g}, restitution {e:g}, rolling friction {r:g}, drilling friction {d:g}",
            where=where,
            fix="give frictions >= 0, restitution from 0 to 1",
        )
    return Surface(mu, e, r, d)
