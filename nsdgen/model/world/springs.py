"""Springs of a world: forces along lines between places on bodies, or on the ground, taken in the middle of a step."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.base.checks import number_from_zero
from nsdgen.base.suggest import known_attributes, named_arguments
from nsdgen.errors import ModelError, ParameterError
from nsdgen.model.world._shapes import spring_pulls
from nsdgen.model.world.bodies import WorldBody
from nsdgen.model.world.links import WorldLinks, bodies_of, place_of
from nsdgen.record.columns import Column

_Numbers = NDArray[np.float64]


@known_attributes
@dataclass(eq=False)
class WorldSpring:
    """A spring with a damper between a place on ``first`` and one on ``second``, None the ground; places on these.

    It pulls with ``stiffness`` [N/m] times how much longer it is than ``length`` [m], and ``damping`` [N s/m] times the
    rate of that. ``force`` [N] is what it pulled with in the last step, below 0 where it pushed.
    """

    name: str
    first: WorldBody
    second: WorldBody | None
    places: tuple[_Numbers, _Numbers]
    stiffness: float
    length: float
    damping: float
    force: float = 0.0

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("stiffness", "length", "damping"):
            value = number_from_zero(value, where=f"spring {self.name!r}, {name}")
        elif name in self.__dict__:
            fix = "set its stiffness, length and damping"
            raise ModelError(
                "is what the spring was made with, or gives", where=f"spring {self.name!r}, {name}", fix=fix
            )
        super().__setattr__(name, value)

    def columns(self) -> list[Column]:
        """What a run records of it."""
        return [Column(f"{self.name}.force", "N", "with which a spring pulls")]

    def row(self) -> list[float]:
        """Values of these columns."""
        return [self.force]


class Springs(WorldLinks):
    """The springs of a world: ``world.springs.add(...)``."""

    @named_arguments
    def add(
        self,
        first: WorldBody,
        second: WorldBody | None = None,
        at: Sequence[float] = (0, 0, 0),
        to: Sequence[float] = (0, 0, 0),
        stiffness: float = 0.0,
        length: float | None = None,
        damping: float = 0.0,
        name: str = "",
    ) -> WorldSpring:
        """A spring from ``at`` on the first body to ``to`` on the second or the ground, both inertial, as they are now.

        ``length`` [m] is that without force, as long as it is now unless given. Raises ``ParameterError`` for numbers
        that are none; a run raises ``ParameterError`` for steps that are too long for its stiffness and damping.
        """
        name = self.world.names.free(name, "spring", "spring")
        where = f"spring {name!r}"
        self.check(first, second, where)
        ends = [self.world.space.vector(place, f"{where}, {what}") for place, what in ((at, "at"), (to, "to"))]
        rest = float(np.linalg.norm(ends[0] - ends[1])) if length is None else length
        now = zip(map(place_of, (first, second)), ends, strict=True)
        places = [axes.T @ (end - origin) for (origin, axes), end in now]
        spring = WorldSpring(name, first, second, (places[0], places[1]), stiffness, rest, damping)
        self.keep(spring)
        return spring

    def check_step(self, h: float) -> None:
        """Raise ``ParameterError`` for a step in which springs on a body would swing it ever farther.

        A step is stable for h^2 k w + 2 h d w < 4 with the mobility w along a spring; sums over the springs of a body,
        twice where both ends move, are not below that of any motion (Gershgorin).
        """
        load: dict[int, float] = {}
        worst: dict[int, str] = {}
        for s in (s for s in self.all if s.first.exists and (s.second is None or s.second.exists)):
            for body, place in zip((s.first, s.second), s.places, strict=True):
                if body is not None:
                    own = (h * s.stiffness + 2.0 * s.damping) * h * _mobility(body, place)
                    load[body.number] = load.get(body.number, 0.0) + own * (1.0 if s.second is None else 2.0)
                    worst[body.number] = s.name
        for number, size in load.items():
            if size >= 4.0:
                name = self.world.bodies[number].name
                raise ParameterError(
                    f"the step of {h:g} s is too long for spring {worst[number]!r} on {name!r}",
                    model=self.world.name,
                    where="step",
                    fix=f"give a step of at most {h * min(1.0, 2.0 / size):.2g} s, or a softer spring",
                )

    def wrenches(self, h: float) -> dict[int, _Numbers]:
        """Force [N, inertial] and moment [N m, body frame] on each body that has a spring, in a step of length h."""
        found = {k: np.zeros(6) for k in self.bodies}
        bodies, planar = bodies_of(self.all), self.world.space.dimension == 2
        places = np.array([np.concatenate(s.places) for s in self.all])
        numbers = np.array([(s.stiffness, s.length, s.damping) for s in self.all], dtype=float)
        pulls, wrenches = spring_pulls(self.world.states, planar, bodies, places, numbers, h)
        for s, pair, pull, wrench in zip(self.all, bodies.tolist(), pulls.tolist(), wrenches, strict=True):
            there = pair[0] >= 0  # else a body was taken out, and nothing is pulled
            vars(s)["force"] = pull if there else 0.0
            for body, own in zip(pair, wrench, strict=True):
                if there and body >= 0:
                    found[body] += own
        return found


def _mobility(body: WorldBody, place: _Numbers) -> float:
    """The largest of a place on a body in any direction [1/kg]."""
    x, y, z = place
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turning = cross.T @ (cross * body.world.space.turned_by(body)[:, None])
    return 1.0 / body.mass + float(np.linalg.eigvalsh(turning)[-1])
