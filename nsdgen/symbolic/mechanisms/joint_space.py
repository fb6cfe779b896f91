"""The configuration space of a mechanism: joint coordinates, and unit quaternions where turning is free."""

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from nsdgen.symbolic.families import quaternion as quat
from nsdgen.symbolic.families.configuration import Configuration


@dataclass(frozen=True)
class JointSpace(Configuration):
    """Coordinates with q' = v, and quaternions p with p' = p o (0, Omega) / 2, in the order of the motions.

    ``balls`` says of each motion whether it is a quaternion (4 coordinates, 3 velocities).
    """

    balls: tuple[bool, ...]

    @property
    def flat(self) -> bool:
        """No: quaternions have the norm 1."""
        return False

    @property
    def unit_norm(self) -> tuple[tuple[int, ...], ...]:
        """The quaternions."""
        return tuple(tuple(range(i, i + 4)) for ball, i, _ in self._places() if ball)

    def vectors(self, role: str) -> tuple[tuple[int, ...], ...]:
        """Quaternions; their angular velocities."""
        if role not in ("q", "v"):
            return ()
        of_q = role == "q"
        return tuple(
            tuple(range(i, i + 4)) if of_q else tuple(range(j, j + 3)) for ball, i, j in self._places() if ball
        )

    def _places(self) -> list[tuple[bool, int, int]]:
        """Of each motion: whether it is a ball's, its first coordinate and its first velocity."""
        found, i, j = [], 0, 0
        for ball in self.balls:
            found.append((ball, i, j))
            i, j = i + (4 if ball else 1), j + (3 if ball else 1)
        return found

    def twist_map(self, q: Sequence[sp.Expr]) -> sp.Matrix:
        """1 for each coordinate, p o (0, .) / 2 for each quaternion, on the diagonal."""
        return sp.diag(*(quat.twist_block(q[i : i + 4]) if ball else 1 for ball, i, _ in self._places()))

    def moved(self, q: Sequence[sp.Expr], twist: Sequence[sp.Expr]) -> list[sp.Expr]:
        """q + v and p o exp(Omega / 2)."""
        found: list[sp.Expr] = []
        for ball, i, j in self._places():
            found += quat.turned(q[i : i + 4], sp.Matrix(twist[j : j + 3])) if ball else [q[i] + twist[j]]
        return found

    def normalised(self, q: Sequence[sp.Expr]) -> list[sp.Expr]:
        """Quaternions over their norms."""
        found: list[sp.Expr] = []
        for ball, i, _ in self._places():
            found += quat.hat(q[i : i + 4], f"p_{i}")[0] if ball else [q[i]]
        return found


def joint_space(motions: Sequence[Sequence[bool]]) -> Configuration:
    """The space of attachments, by what their motions are; flat where no quaternion is among them."""
    balls = tuple(ball for each in motions for ball in each)
    return JointSpace(balls) if any(balls) else Configuration()
