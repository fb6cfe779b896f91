"""Continuation: an orbit followed along a branch in one parameter, through folds, flips and grazings.

Unknowns are the state, the period where it is free, and the parameter, all in units of their sizes; the branch is
followed along its arclength, so that a fold is a place like any other. At a grazing the derivative of the flow is
infinite on the side where the contact hits: the branch is a smooth curve there all the same, with a corner, and its
direction behind the corner follows from the state a period after a shallow hit (Nordmark, J. Sound Vib. 145, 1991).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nsdgen.base.checks import whole_number
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ParameterError
from nsdgen.study.orbits.branch_equations import BranchEquations
from nsdgen.study.orbits.flow import Array, flow_of, happened, named, period_of, started
from nsdgen.study.orbits.graze import Clearance, clearance
from nsdgen.study.orbits.orbit import Orbit, shooting_of
from nsdgen.study.orbits.special import Special, special_between
from nsdgen.study.sweep.design import axis_of

_TURN = 0.9
"""Cosine of the angle that a branch may turn by in a step."""

_GRAZES = 1e-12
"""Of the size of a gap: a minimum as small is a grazing."""

_SHALLOW = 1e-3
"""Of the sizes of the unknowns: how far behind a grazing the branch is met again."""

_GOLDEN = 0.382
"""Of a period: how far its start moves where an event has come to its end."""

_BISECTIONS = 60
"""More than a double has: then the two sides of a grazing are next to each other."""


@dataclass(frozen=True)
class OrbitBranch:
    """Orbits along a branch, in order, the values of ``parameter`` (k,), and the special ones among them."""

    parameter: str
    values: Array
    orbits: tuple[Orbit, ...]
    special: tuple[Special, ...]
    ended: str

    def plot(self, column: str | None = None, **options: Any) -> Any:
        """Draw the largest value of a column along each orbit. A :class:`~nsdgen.study.plot.Plot`."""
        from nsdgen.study.orbits.pictures import branch_plot

        return branch_plot(self, column, **options)

    def __str__(self) -> str:
        lines = [
            f"{len(self.orbits)} orbits, {self.parameter} from {self.values[0]:.10g} to {self.values[-1]:.10g}: "
            f"{self.ended}"
        ]
        return "\n".join([*lines, *(f"{s.kind} at {self.parameter} = {s.value:.12g}: {s.words}" for s in self.special)])


@dataclass
class _Following:
    """A walk along a curve: what was found so far."""

    curve: BranchEquations
    low: float
    high: float
    longest: float
    points: list[Array]
    orbits: list[Orbit]
    special: list[Special]

    def parameter(self, z: Array) -> float:
        """The value of the parameter at a point."""
        return self.curve.split(z)[1]

    def keep(self, z: Array) -> None:
        """A point more, and what lies between it and the last one."""
        orbit = self.curve.orbit(z)
        if self.orbits:
            self.special += special_between(self.curve, self.points, self.orbits, z, orbit)
        self.points.append(z)
        self.orbits.append(orbit)

    def go(self, most: int, direction: Array, step: float) -> str:
        """Follow the branch; gives why it ends."""
        shifted = 0
        while len(self.points) < most:
            last, near = self.points[-1], step
            found = self.curve.corrected(last + step * direction, direction)
            same = found is not None and self._same(found)
            if found is not None and same:
                along = self.curve.tangent(found, direction)
                if along @ direction > _TURN:
                    self.keep(found)
                    if not self.low <= self.parameter(found) <= self.high:
                        return "the end of the range"
                    direction, step = along, min(1.5 * step, self.longest)
                    continue
            step = near / 2
            if step > 1e-4 * self.longest:
                continue
            turned = self._graze(direction)
            if turned is None and shifted != len(self.points):
                shifted, turned = len(self.points), self._shift(direction)
            if turned is None:
                return "no orbit is found beyond"
            direction, step = turned, self.longest / 20
        return "as many orbits as asked for"

    def _shift(self, direction: Array) -> Array:
        """Begin the period elsewhere: an event has come to its end. The points so far stay as they were."""
        orbit, curve = self.orbits[-1], self.curve
        later = _GOLDEN * orbit.period
        value = {curve.parameter: self.parameter(self.points[-1])}
        x = curve.shooting.flow(orbit.state, later, **value)
        flow = replace(curve.shooting.flow, start=curve.shooting.flow.start + later)
        self.curve = replace(curve, shooting=replace(curve.shooting, flow=flow))
        z = self.points[-1].copy()
        z[: len(x)] = x / curve.shooting.scale()
        self.points[-1], self.orbits[-1] = z, self.curve.orbit(z)
        ahead = np.zeros(len(z))
        ahead[-1] = direction[-1]
        return self.curve.tangent(z, ahead)

    def _same(self, z: Array) -> bool:
        """Whether the same events happen as at the last point."""
        u, p = self.curve.split(z)
        x, period = self.curve.shooting.split(u, **{self.curve.parameter: p})
        run = self.curve.shooting.flow.run(x, period, **{self.curve.parameter: p})
        return happened(run) == self.orbits[-1].events

    def _graze(self, direction: Array) -> Array | None:
        """Locate the grazing ahead, keep it, and give the direction of the branch behind it; ``None`` for none."""
        start, curve = self.points[-1], self.curve
        own = clearance(self.orbits[-1].motion)
        if own is None:
            return None
        far, z, gap = 0.0, start, own.gap
        behind = 2e-4 * self.longest
        for _ in range(_BISECTIONS):  # the last orbit that does not hit, to rounding
            middle = (far + behind) / 2
            found = curve.corrected(start + middle * direction, direction)
            there = clearance(curve.orbit(found).motion) if found is not None and self._same(found) else None
            if there is None or found is None or there.gap < 0:
                behind = middle
            else:
                far, z, gap = middle, found, there.gap
            if abs(gap) < _GRAZES * own.size or behind - far < 1e-15:
                break
        if abs(gap) > 1e-5 * own.size:
            return None
        if own.slides:
            return self._slide(z, direction, own)
        orbit = curve.orbit(z)
        words = f"{own.relation} touches without hitting at {own.time:.6g} s of the period"
        self.special.append(Special(f"grazing of {own.relation}", self.parameter(z), len(self.points), orbit, words))
        self.points.append(z)
        self.orbits.append(orbit)
        return self._behind(z)

    def _slide(self, z: Array, direction: Array, own: Clearance) -> Array | None:
        """Go on behind an output that touches zero: the branch has no corner there, and other events beyond it.

        Where the motion sticks or slides beyond, it is a grazing-sliding bifurcation.
        """
        curve, orbit = self.curve, self.curve.orbit(z)
        for length in (self.longest / 20, self.longest / 200):
            found = curve.corrected(z + length * direction, direction)
            if found is None:
                continue
            beyond = curve.orbit(found)
            kind = "grazing-sliding" if any(e.endswith(".sticks") for e in beyond.events) else "grazing"
            words = f"the output of {own.relation} touches zero at {own.time:.6g} s of the period"
            self.special.append(Special(f"{kind} of {own.relation}", self.parameter(z), len(self.points), orbit, words))
            self.points += [z, found]
            self.orbits += [orbit, beyond]
            return curve.tangent(found, direction)
        return None

    def _behind(self, z: Array) -> Array | None:
        """The direction behind a grazing: states and parameter change so that the gap stays, to first order."""
        curve, free = self.curve, self.curve.free()

        def lowest(point: Array) -> float:
            u, p = curve.split(point)
            x, period = curve.shooting.split(u, **{curve.parameter: p})
            found = clearance(curve.shooting.flow.run(x, period, **{curve.parameter: p}), hits=True)
            return np.inf if found is None else found.gap

        h = 1e-4
        away = np.zeros(len(z))
        base = lowest(z)
        smooth = np.zeros((len(curve.missed(z)), len(free)))
        for k, i in enumerate(free):  # one-sided, on the side that does not hit
            moved = [z + s * h * np.eye(len(z))[i] for s in (1, -1)]
            gaps = [lowest(point) for point in moved]
            side = 0 if gaps[0] >= gaps[1] else 1
            sign = 1 if side == 0 else -1
            far = z + sign * 2 * h * np.eye(len(z))[i]
            near = moved[side]
            m0, m1, m2 = curve.missed(z), curve.missed(near), curve.missed(far)
            smooth[:, k] = sign * (4 * m1 - m2 - 3 * m0) / (2 * h)
            away[i] = sign * (4 * gaps[side] - lowest(far) - 3 * base) / (2 * h)
        deep = z - (h**2) * away / (away @ away)
        jump = curve.missed(deep) - smooth @ (deep - z)[free]
        square = np.vstack([np.column_stack([smooth, jump]), np.append(away[free], 0.0)])
        found = np.linalg.svd(square)[2][-1]
        along = np.zeros(len(z))
        along[free] = found[:-1] * np.sign(found[-1] or 1.0)
        if not np.linalg.norm(along):
            return None
        along /= np.linalg.norm(along)
        for far in (_SHALLOW, _SHALLOW * 4, _SHALLOW / 4):
            there = curve.corrected(z + far * along, along)
            if there is not None and np.linalg.norm(there - z) < 10 * far:
                orbit = curve.orbit(there)
                if orbit.events != self.orbits[-1].events:
                    self.points.append(there)
                    self.orbits.append(orbit)
                    return curve.tangent(there, there - z, 1e-2)
        return None


@named_arguments
def follow_orbit(
    model: Any,
    period: Any,
    parameter: Any,
    to: tuple[float, float],
    *,
    near: Any = None,
    settle: int = 0,
    anchor: Any = None,
    parameters: Mapping[Any, float] | None = None,
    options: Mapping[str, float] | None = None,
    start: float | None = None,
    longest: float | None = None,
    most: int = 400,
    backward: bool = False,
) -> OrbitBranch:
    """Follow a periodic orbit as a parameter changes, until it leaves the range ``to``, and name what happens to it.

    The orbit is found at the parameter's value first, as :func:`nsdgen.periodic_orbit` does; ``backward`` begins
    towards smaller values. ``longest`` is the longest step, in units of the sizes of the states and of the
    range; ``most`` bounds the number of orbits. Folds, flips (period doublings), tori, branch points and grazings are
    located and listed. Raises ``ParameterError`` where there is no orbit to begin with.
    """
    name = str(getattr(parameter, "name", parameter))
    flow = flow_of(model, parameters, options, start)
    value = {**flow.compiled.parameters, **flow.parameters}.get(name)
    ends = axis_of(to, name, flow.compiled.name, "to")
    low, high = float(ends.min()), float(ends.max())
    if value is None or not low <= value <= high or low == high:
        raise ParameterError(
            f"{name!r} is no parameter" if value is None else f"{name} = {value:g} is not in the range",
            model=flow.compiled.name,
            where="parameter",
            fix=f"choose one of {', '.join(flow.compiled.parameters)}, with a range that has its value",
        )
    x = started(flow, near, period_of(flow, period), settle, model)
    shooting, u = shooting_of(flow, x, period, -1 if anchor is None else named(flow, anchor, model))
    u = shooting.solved(u)
    curve = BranchEquations(shooting, name, np.append(shooting.sizes, high - low))
    z = np.append(u, value) / curve.sizes
    most = whole_number(most, 1, 10**6, model=flow.compiled.name, where="most")
    far = 0.05 if longest is None else float(longest)
    walk = _Following(curve, low, high, far, [], [], [])
    walk.keep(z)
    ahead = np.eye(len(z))[-1] * (-1 if backward else 1)
    ended = walk.go(most, curve.tangent(z, ahead), far / 5)
    values = np.array([walk.parameter(point) for point in walk.points])
    return OrbitBranch(name, values, tuple(walk.orbits), tuple(walk.special), ended)
