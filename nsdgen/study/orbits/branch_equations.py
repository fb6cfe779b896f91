"""The equations of a branch of orbits along one parameter, and their solution next to a point of it."""

from dataclasses import dataclass

import numpy as np

from nsdgen.errors import NsdgenError
from nsdgen.study.orbits.flow import Array
from nsdgen.study.orbits.orbit import Orbit, Shooting, quick

_ROUNDS = 8
"""Of Newton's method in a corrector: more mean that the step was too long."""


@dataclass(frozen=True)
class BranchEquations:
    """The equations of a branch in units of the sizes: unknowns z = (u, p) / sizes."""

    shooting: Shooting
    parameter: str
    sizes: Array

    def missed(self, z: Array) -> Array:
        """How far the motion misses its start, in units of the states."""
        u, p = self.split(z)
        return self.shooting(u, **{self.parameter: p}) / self.shooting.scale()

    def split(self, z: Array) -> tuple[Array, float]:
        """Unknowns of the orbit, and the parameter."""
        full = z * self.sizes
        return full[:-1], float(full[-1])

    def free(self) -> list[int]:
        """All unknowns but the anchor."""
        return [*self.shooting.free(), len(self.sizes) - 1]

    def slopes(self, z: Array, near: float = 0.1) -> Array:
        """The derivative by the free unknowns; ``near`` shortens the distances of its differences."""
        return quick(self.missed, z, np.full(len(z), near), self.free())

    def corrected(self, z: Array, along: Array) -> Array | None:
        """The point of the branch in the plane through z across a direction; ``None`` where there is none near.

        The accuracy is that of the flow; close behind a grazing distances of differences shrink with the steps.
        """
        free, origin, near = self.free(), z, 0.1
        try:
            r = self.missed(z)
            for k in range(_ROUNDS):
                square = np.vstack([self.slopes(z, near), along[free]])
                step = np.linalg.solve(square, -np.append(r, along @ (z - origin)))
                moved = z.copy()
                moved[free] += step
                there = self.missed(moved)
                if np.abs(there).max() > 2 * np.abs(r).max() and np.abs(r).max() < 1e-11:
                    return z
                if k > 2 and np.abs(there).max() > 10 * np.abs(r).max():
                    return None
                z, r, size = moved, there, float(np.abs(step).max())
                near = min(0.1, max(size, 1e-2))
                if size < 1e-11 and np.abs(r).max() < 1e-11:
                    return z
        except (NsdgenError, np.linalg.LinAlgError):
            return None
        return z if np.abs(r).max() < 1e-11 else None

    def tangent(self, z: Array, before: Array, near: float = 0.1) -> Array:
        """The direction of the branch at z, along that before."""
        free = self.free()
        found = np.zeros(len(z))
        found[free] = np.linalg.svd(self.slopes(z, near))[2][-1]
        return found if found @ before >= 0 else -found

    def orbit(self, z: Array) -> Orbit:
        """The orbit of a point."""
        u, p = self.split(z)
        return self.shooting.orbit(u, **{self.parameter: p})
