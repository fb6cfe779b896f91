"""How near a motion comes to its contacts, or to where a set-valued law is zero, without an event there."""

from dataclasses import dataclass

import numpy as np

from nsdgen.study.orbits.flow import again
from nsdgen.study.trajectory import Trajectory

_FINER = 16
"""Parts of the time between two rows beside the least gap: the cubic there is 65 000 times nearer than over it all."""


@dataclass(frozen=True)
class Clearance:
    """The ``relation`` whose gap comes nearest to zero at a ``time`` [s], without an event; ``size`` of its gap.

    Of a relation that ``slides`` it is the distance of its output from zero, on either side.
    """

    relation: str
    gap: float
    time: float
    size: float
    slides: bool = False


def clearance(run: Trajectory, *, hits: bool = False) -> Clearance | None:
    """The least gap of a motion between its events; with ``hits`` how deep it would have gone, below zero.

    Gaps are known with their rates, so that a cubic in between two rows has the turning point to the fourth order of
    their distance; there the motion is run again, more finely. ``None`` where no gap has a minimum.
    """
    gaps = [n.removesuffix(".gap") for n in run.names if n.endswith(".gap") and f"{n}_rate" in run.names]
    found = [c for name in gaps if (c := _least(run, name, hits)) is not None]
    if not hits:
        outputs = [n.removesuffix(".output") for n in run.names if n.endswith(".output")]
        found += [c for name in outputs if (c := _nearest(run, name)) is not None]
    return min(found, key=lambda c: c.gap / c.size) if found else None


def _least(run: Trajectory, name: str, hits: bool) -> Clearance | None:
    time, gap, rate = run.time, run[f"{name}.gap"], run[f"{name}.gap_rate"]
    size = float(np.abs(gap).max()) or 1.0
    if hits:
        closing = [e for e in run.events if e.name == name and e.kind == "closes"]
        if closing:  # with the deceleration there, how deep it would have gone
            deepest = min(closing, key=lambda e: -abs(rate[e.before]))
            depths = [
                -(rate[e.before] ** 2) / (2 * a) if (a := run[f"{name}.free_gap_acceleration"][e.before]) > 0 else 0.0
                for e in closing
            ]
            return Clearance(name, float(max(depths)), float(time[deepest.before]), size)
    turning = np.flatnonzero((rate[:-1] < 0) & (rate[1:] >= 0) & (time[1:] > time[:-1]) & (gap[:-1] > 0))
    turning = turning[(run["cut"][turning] == 0) & (run["cut"][turning + 1] == 0)]
    if not len(turning):
        return None
    finer = _finer(run, int(turning[gap[turning].argmin()]))
    time, gap, rate = finer.time, finer[f"{name}.gap"], finer[f"{name}.gap_rate"]
    turning = np.flatnonzero((rate[:-1] < 0) & (rate[1:] >= 0) & (time[1:] > time[:-1]))
    if not len(turning):  # it touches there, to rounding
        return Clearance(name, float(gap.min()), float(time[gap.argmin()]), size)
    k = int(turning[0])
    t, least = _turned(time[k : k + 2], gap[k : k + 2], rate[k : k + 2])
    return Clearance(name, least, t, size)


def _nearest(run: Trajectory, name: str) -> Clearance | None:
    """How near an output comes to zero where it turns, by the parabola of fourth order through a finer motion."""
    output = run[f"{name}.output"]
    off = np.abs(output)
    same = (np.sign(output[:-2]) == np.sign(output[1:-1])) & (np.sign(output[1:-1]) == np.sign(output[2:]))
    plain = (run["cut"][:-2] == 0) & (run["cut"][1:-1] == 0) & (run["cut"][2:] == 0)
    turning = np.flatnonzero((off[1:-1] <= off[:-2]) & (off[1:-1] < off[2:]) & same & plain)
    if not len(turning):
        return None
    k = int(turning[off[turning + 1].argmin()])
    finer = [_finer(run, j) for j in (k, k + 1)]
    time = np.concatenate([part.time[:-1] for part in finer])
    value = np.abs(np.concatenate([part[f"{name}.output"][:-1] for part in finer]))
    low = int(np.clip(value.argmin(), 3, len(value) - 4))
    near = slice(low - 3, low + 4)
    scale = time[near][-1] - time[low]
    curve = np.polynomial.Polynomial.fit((time[near] - time[low]) / scale, value[near], 4)
    roots = curve.deriv().roots()
    s = float(min((r.real for r in roots if abs(r.imag) < 1e-9), key=abs, default=0.0))
    return Clearance(name, float(curve(s)), float(time[low] + s * scale), float(off.max()) or 1.0, slides=True)


def _finer(run: Trajectory, k: int) -> Trajectory:
    """The motion between two rows again, more finely."""
    begin, end = map(float, run.time[k : k + 2])
    return again(run, k, end, (end - begin) / _FINER)


def _turned(time: np.ndarray, gap: np.ndarray, rate: np.ndarray) -> tuple[float, float]:
    """Where the cubic through two values and rates turns, and its value there."""
    h = time[1] - time[0]
    d = (gap[1] - gap[0]) / h
    a, b, c = 3 * (rate[0] + rate[1] - 2 * d), 2 * (3 * d - 2 * rate[0] - rate[1]), rate[0]
    roots = np.roots([a, b, c]) if abs(a) > 1e-14 * abs(b) else np.array([-c / b])
    s = float(min((r.real for r in roots if abs(r.imag) < 1e-12), key=lambda r: abs(r - 0.5)))
    value = gap[0] + h * (c * s + b / 2 * s**2 + a / 3 * s**3)
    return float(time[0] + s * h), float(value)
