"""Periodic orbits by shooting, with their Floquet multipliers, and what these say of stability."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nsdgen.base.suggest import named_arguments
from nsdgen.errors import NsdgenError, ParameterError
from nsdgen.study.orbits.flow import (
    Array,
    OrbitFlow,
    check_free,
    differences,
    flow_of,
    happened,
    named,
    period_of,
    quick,
    started,
)
from nsdgen.study.trajectory import Trajectory

_MOST = 40
"""Iterations of Newton's method: a good guess takes five."""

_CLOSE = 1e-10
"""Of the size of the state: what an orbit may miss its start by. The flow is right to 1e-13."""

_SLOW = 1e-5
"""Of the multipliers: how near to the unit circle one is said to lie on it."""


@dataclass(frozen=True)
class Orbit:
    """A motion that comes back: its ``state`` (n,) at the start, its ``period`` [s], its ``multipliers`` (n,).

    ``missed`` is by how much it misses its start, relative to the sizes of the states, ``uncertain`` how far
    multipliers may be off. ``events`` are the zeros along it, in order. ``monodromy`` (n, n) is the derivative of the
    state after a period by that before. ``motion`` is the run. Of an autonomous system one multiplier is 1.
    """

    columns: tuple[str, ...]
    state: Array
    period: float
    parameters: Mapping[str, float]
    multipliers: np.ndarray
    missed: float
    uncertain: float
    events: tuple[str, ...]
    autonomous: bool
    monodromy: Array = field(repr=False)
    motion: Trajectory = field(repr=False)

    @property
    def transverse(self) -> np.ndarray:
        """The multipliers (n,), or without the 1 along the motion where it is autonomous (n - 1,); largest first."""
        if not self.autonomous:
            return self.multipliers
        return np.delete(self.multipliers, int(np.abs(self.multipliers - 1).argmin()))

    @property
    def stable(self) -> bool:
        """Whether all small disturbances die out."""
        return bool(np.all(np.abs(self.transverse) < 1))

    @property
    def stability(self) -> str:
        """In words: stable, or how disturbances grow."""
        if not len(self.transverse):
            return "stable"
        first = complex(self.transverse[0])
        size = abs(first)
        if abs(size - 1) < max(_SLOW, self.uncertain):
            return f"neither: a multiplier lies on the unit circle to {max(_SLOW, self.uncertain):.0e}"
        turning = abs(first.imag) > 1e-9 * size
        how = "turning about it" if turning else "from side to side" if first.real < 0 else "to one side"
        growing = int(np.sum(np.abs(self.transverse) > 1))
        if size < 1:
            return f"stable: disturbances shrink by {size:.4g} in a period, {how}"
        return (
            f"unstable in {growing} direction{'s' * (growing > 1)}: disturbances grow by {size:.4g} in a period, {how}"
        )

    def away(self, kind: str) -> float:
        """How far the nearest multiplier is from where it is at a flip, a torus, or a fold or branch point."""
        at = self.transverse
        off = at + 1 if kind == "flip" else np.abs(at) - 1 if kind == "torus" else at - 1
        return float(np.abs(off).min())

    @property
    def values(self) -> dict[str, float]:
        """The state by column, for ``run(initial=...)``."""
        return dict(zip(self.columns, self.state.tolist(), strict=True))

    def __str__(self) -> str:
        multipliers = ", ".join(f"{m.real:.8g}{f'{m.imag:+.8g}i' if m.imag else ''}" for m in self.multipliers)
        start = ", ".join(f"{name} = {value:.12g}" for name, value in self.values.items())
        return (
            f"period {self.period:.12g} s from {start}\nmultipliers {multipliers} (to {self.uncertain:.0e})\n"
            f"{self.stability}\nevents: {', '.join(self.events) or 'none'}"
        )


@dataclass(frozen=True)
class Shooting:
    """The equations of an orbit: unknowns (x, T) or x, what they miss, and the sizes of both.

    ``anchor`` is the number of the state that stays where it is where the period is an unknown, else -1.
    """

    flow: OrbitFlow
    period: Any
    anchor: int
    sizes: Array

    def split(self, u: Array, /, **parameters: float) -> tuple[Array, float]:
        """State and period of the unknowns."""
        n = len(self.flow.columns)
        return u[:n], float(u[n]) if self.anchor >= 0 else period_of(self.flow, self.period, **parameters)

    def __call__(self, u: Array, /, **parameters: float) -> Array:
        """How far the state after a period is from that before."""
        x, period = self.split(u, **parameters)
        if period <= 0:
            raise ParameterError("the period became negative", model=self.flow.compiled.name, fix="give a better guess")
        return self.flow(x, period, **parameters) - x

    def free(self) -> list[int]:
        """Which unknowns are solved for."""
        return [i for i in range(len(self.sizes)) if i != self.anchor]

    def slopes(self, u: Array, /, **parameters: float) -> Array:
        """The derivative of what is missed by the free unknowns, as Newton's method needs it."""
        return quick(lambda v: self(v, **parameters), u, self.sizes, self.free())

    def scale(self) -> Array:
        """The sizes of the states."""
        return self.sizes[: len(self.flow.columns)]

    def solved(self, u: Array, /, **parameters: float) -> Array:
        """The orbit near a guess; raises ``ParameterError`` where Newton's method ends without one."""
        u = u.copy()
        free, scale = self.free(), self.scale()
        r = self(u, **parameters)
        for _ in range(_MOST):
            step = np.linalg.lstsq(self.slopes(u, **parameters) / scale[:, None], -r / scale, rcond=None)[0]
            moved, there = self._damped(u, free, step, r, parameters)
            small = bool(np.abs(step / self.sizes[free]).max() < 1e-12)
            better = np.abs(there / scale).max() < 0.5 * np.abs(r / scale).max()
            if np.abs(there / scale).max() <= np.abs(r / scale).max():
                u, r = moved, there
            if np.abs(r / scale).max() < _CLOSE and (small or not better):
                return u
            if not better and small:
                break
        raise ParameterError(
            f"Newton's method ends where the motion misses its start by {np.abs(r / scale).max():.1e} of its size",
            model=self.flow.compiled.name,
            where="orbit",
            fix="give a nearer guess (near=), let the motion settle first (settle=), or another phase (start=)",
        )

    def _damped(
        self, u: Array, free: list[int], step: Any, r: Array, parameters: Mapping[str, float]
    ) -> tuple[Array, Array]:
        """A step of Newton's method, shorter where it does not come nearer or the motion cannot be run."""
        scale, best = self.scale(), (u, r)
        for k in range(6):
            moved = u.copy()
            moved[free] += step / 2**k
            try:
                there = self(moved, **parameters)
            except NsdgenError:
                continue
            if np.abs(there / scale).max() < np.abs(best[1] / scale).max():
                return moved, there
            if k == 0:
                best = (moved, there) if np.abs(there / scale).max() <= np.abs(r / scale).max() else best
        return best

    def orbit(self, u: Array, /, **parameters: float) -> Orbit:
        """What is said of an orbit that was found."""
        x, period = self.split(u, **parameters)
        run = self.flow.run(x, period, **parameters)
        found, errors = differences(self.flow.beside(run, period, self.scale(), **parameters), x, self.scale())
        slopes = found * self.scale() / self.scale()[:, None]
        self.flow.check_period(run, x, self.scale(), slopes, **parameters)
        values = np.linalg.eigvals(np.nan_to_num(found, nan=1e300)).astype(complex)
        values = values[np.lexsort((-values.imag, -np.abs(values)))]
        missed = float(np.abs((self.flow.state(run) - x) / self.scale()).max())
        return Orbit(
            self.flow.columns,
            x,
            period,
            {**self.flow.parameters, **parameters},
            values,
            missed,
            float(errors.max()),
            happened(run),
            self.anchor >= 0,
            found * self.scale()[:, np.newaxis] / self.scale(),
            run,
        )


def sizes_of(flow: OrbitFlow, x: Array, period: float) -> Array:
    """The sizes of the states along a motion; 1 where one stays zero."""
    run = flow.run(x, period)
    found = np.abs(run.table[:, flow.places(run)]).max(axis=0)
    return np.where(found > 0, found, 1.0)


def shooting_of(flow: OrbitFlow, x: Array, period: Any, anchor: int, /, **parameters: float) -> tuple[Shooting, Array]:
    """The equations of an orbit near a state, and the guess of its unknowns."""
    check_free(flow)
    length = period_of(flow, period, **parameters)
    sizes = sizes_of(flow, x, length)
    if anchor < 0:
        return Shooting(flow, period, anchor, sizes), x
    return Shooting(flow, period, anchor, np.append(sizes, length)), np.append(x, length)


@named_arguments
def periodic_orbit(
    model: Any,
    period: Any,
    *,
    near: Any = None,
    settle: int = 0,
    anchor: Any = None,
    parameters: Mapping[Any, float] | None = None,
    options: Mapping[str, float] | None = None,
    start: float | None = None,
) -> Orbit:
    """The periodic orbit near a state, stable or not, by shooting along the flow from event to event.

    ``period`` [s] is a number or an expression of parameters (``2 * pi / omega``; twice that for an orbit of period
    two). Where the system is autonomous it is a guess, and ``anchor`` a coordinate or column that keeps its value of
    the guess. The search begins at ``near`` (a mapping of coordinates or columns, an :class:`Orbit`), by default the
    model's start, after ``settle`` periods. ``start`` is the time at which the period begins; a phase at which nothing
    touches or slides is best. Raises ``ParameterError`` where Newton's method finds none.
    """
    flow = flow_of(model, parameters, options, start)
    length = period_of(flow, period)
    x = started(flow, near, length, settle, model)
    shooting, u = shooting_of(flow, x, period, -1 if anchor is None else named(flow, anchor, model))
    return shooting.orbit(shooting.solved(u))
