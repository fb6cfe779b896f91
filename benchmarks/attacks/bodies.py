"""Rigid bodies in the plane that touch: masses, directions of contacts, and free velocities.

Where nothing but the bodies moves (b = 0), standing still satisfies all constraints, and for finite coefficients a
solution exists, whatever masses and shapes are (Acary, Cadoux, Lemaréchal and Malick, 2011).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_array, csc_array, csr_array, diags_array

from attacks.problem import Attack, Rng, Vector, frictional, moving

GROUND = -1
LOST = 1e15  # times: a mass whose inverse vanishes beside that of another, so that W is that of other bodies


@dataclass
class Scene:
    """Bodies with centre, mass and inertia; contacts at a point, with the normal from ``second`` to ``first``."""

    centres: list[tuple[float, float]] = field(default_factory=list)
    masses: list[tuple[float, float]] = field(default_factory=list)
    contacts: list[tuple[int, int, tuple[float, float], tuple[float, float]]] = field(default_factory=list)

    def body(self, x: float, y: float, mass: float, inertia: float) -> int:
        """The number of a new body."""
        self.centres.append((x, y))
        self.masses.append((mass, inertia))
        return len(self.centres) - 1

    def touch(self, first: int, second: int, point: tuple[float, float], normal: tuple[float, float]) -> None:
        """A new contact; ``normal`` need not have length one."""
        length = float(np.hypot(*normal))
        self.contacts.append((first, second, point, (normal[0] / length, normal[1] / length)))

    def mass(self) -> Vector:
        """The diagonal of M (3 bodies,)."""
        return np.array([(m, m, inertia) for m, inertia in self.masses]).ravel()

    def directions(self) -> csc_array:
        """H (3 bodies, 2 contacts): u = H^T v."""
        entries = []
        for k, (first, second, point, (nx, ny)) in enumerate(self.contacts):
            for body, sign in ((first, 1.0), (second, -1.0)):
                if body == GROUND:
                    continue
                x, y = point[0] - self.centres[body][0], point[1] - self.centres[body][1]
                for row, (tx, ty) in ((2 * k, (nx, ny)), (2 * k + 1, (-ny, nx))):
                    entries += [(3 * body, row, sign * tx), (3 * body + 1, row, sign * ty),
                                (3 * body + 2, row, sign * (x * ty - y * tx))]  # fmt: skip
        i, j, x = (np.array(part) for part in zip(*entries, strict=True))
        shape = (3 * len(self.centres), 2 * len(self.contacts))
        return csc_array(coo_array((x, (i.astype(int), j.astype(int))), shape=shape))


def gravity(scene: Scene, down: float = 1e-2) -> Vector:
    """Free velocities (3 bodies,) after one step from rest."""
    v = np.zeros((len(scene.centres), 3))
    v[:, 1] = -down
    return v.ravel()


def problem(rng: Rng, scene: Scene, v: Vector, mu: Vector | float, whole: bool | None = None) -> Attack:
    """In global or condensed variables, by chance; nothing but the bodies moves.

    Of infinite coefficients, and of a W that has lost masses by rounding, nothing is known.
    """
    mass, H = scene.mass(), scene.directions()
    solvable = True if np.isfinite(mu).all() else None
    b = np.zeros(H.shape[1])
    if rng.random() < 0.5 if whole is None else whole:
        return moving(diags_array(mass).tocsc(), mass * v, H, b, mu, 2, solvable)
    solvable = solvable if mass.max() < LOST * mass.min() else None
    W = csr_array(H.T @ diags_array(1.0 / mass) @ H)
    q = H.T @ v
    return frictional(W.toarray() if len(q) <= 60 else W, q, mu, 2, solvable)
