"""Special orbits between two neighbours on a branch: folds, flips, tori and branch points."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.optimize

from nsdgen.study.orbits.branch_equations import BranchEquations
from nsdgen.study.orbits.flow import Array
from nsdgen.study.orbits.orbit import Orbit

_TRUSTED = 1e-3
"""What multipliers may be uncertain by where they are believed: next to a grazing they are not known."""


@dataclass(frozen=True)
class Special:
    """A special orbit on a branch: ``kind`` is a fold, flip, torus, branch point or grazing (with its relation)."""

    kind: str
    value: float
    number: int
    orbit: Orbit
    words: str


def special_between(
    curve: BranchEquations, points: Sequence[Array], orbits: Sequence[Orbit], z: Array, orbit: Orbit
) -> list[Special]:
    """Folds, flips, tori and branch points between the last of the points and this one."""
    found, last = [], orbits[-1]
    if orbit.events != last.events or max(orbit.uncertain, last.uncertain) > _TRUSTED:
        return []
    tests = _tests(curve, points)
    for kind, (test, words) in tests.items():
        a, b = test(points[-1], last), test(z, orbit)
        if not (np.isfinite(a) and np.isfinite(b)) or a * b >= 0:
            continue
        located = _located(curve, points[-1], z, test)
        if located is not None:
            at = curve.orbit(located)
            if at.uncertain > _TRUSTED or at.away(kind) > _TRUSTED:  # next to a grazing
                continue
            found.append(Special(kind, curve.split(located)[1], len(orbits), at, words))
    if any(s.kind == "fold" for s in found):  # there a multiplier passes 1, too
        found = [s for s in found if s.kind != "branch point"]
    return found


def _tests(curve: BranchEquations, points: Sequence[Array]) -> dict[str, tuple[Callable[[Array, Orbit], float], str]]:
    direction = np.zeros(len(points[-1]))

    def fold(z: Array, orbit: Orbit) -> float:
        nonlocal direction
        if not direction.any():
            direction = z - points[-2] if len(points) > 1 else np.eye(len(z))[-1]
        return float(curve.tangent(z, direction)[-1])

    def flip(z: Array, orbit: Orbit) -> float:
        return float(np.real(np.prod(orbit.transverse + 1)))

    def torus(z: Array, orbit: Orbit) -> float:
        pairs = orbit.transverse[np.imag(orbit.transverse) > 1e-9]
        return float(np.abs(pairs[0]) - 1) if len(pairs) else np.nan

    def branch(z: Array, orbit: Orbit) -> float:
        return float(np.real(np.prod(orbit.transverse - 1)))

    return {
        "fold": (fold, "the branch turns back, a multiplier is 1"),
        "flip": (flip, "a multiplier is -1, an orbit of twice the period begins"),
        "torus": (torus, "a pair of multipliers crosses the unit circle"),
        "branch point": (branch, "a multiplier is 1, another branch crosses"),
    }


def _located(curve: BranchEquations, first: Array, z: Array, test: Callable[[Array, Orbit], float]) -> Array | None:
    """The point between two at which a test is zero, to rounding of the test."""
    across = z - first
    unit = across / np.linalg.norm(across)
    known: dict[float, Array] = {}

    def value(s: float) -> float:
        point = curve.corrected(first + s * across, unit)
        if point is None:
            raise _Lost
        known[s] = point
        return test(point, curve.orbit(point))

    try:
        s = scipy.optimize.brentq(value, 0.0, 1.0, xtol=1e-11, rtol=1e-11)
        value(s)
    except (_Lost, ValueError):
        return None
    return known[s]


class _Lost(Exception):
    """A corrector found no point where one was expected."""
