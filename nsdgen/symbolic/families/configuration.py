"""Configuration spaces: how the configuration q of a mechanical class moves with its velocities v.

Generalised coordinates fill their space, q' = v. A body turns by a unit quaternion: q' = T(q) v keeps its
norm, a function of q means its value at the normalised quaternion, and q may move along the exponential.
Schemes ask the space and never which family a class belongs to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import label_of
from nsdgen.symbolic.expressions.product import product
from nsdgen.symbolic.families import quaternion as quat


@dataclass(frozen=True)
class Configuration:
    """Generalised coordinates: q' = v, and every q is a configuration. The base of all other spaces.

    A space of one's own says ``flat`` = False and gives ``twist_map``, and where q has a norm or the like,
    ``normalised`` (and ``unit_norm``, which initial values are checked for); ``rate`` and ``normalisation`` follow from
    these. ``moved`` is asked for by schemes that move along the exponential.

    ``states`` velocities more, the last ones, move no coordinate: T has columns of zeros for them. These are
    first-order states beside the motion, a current or a pressure, which schemes step as they step velocities.
    """

    states: int = field(default=0, kw_only=True)

    @property
    def flat(self) -> bool:
        """Whether the space is linear: T is the identity, besides columns for states, and nothing is normalised."""
        return True

    @property
    def identity(self) -> bool:
        """Whether q' = v, entry by entry."""
        return self.flat and not self.states

    @property
    def unit_norm(self) -> tuple[tuple[int, ...], ...]:
        """Groups of entries of q that form a vector of norm 1."""
        return ()

    def vectors(self, role: str) -> tuple[tuple[int, ...], ...]:
        """Groups of entries of the group ``role`` that are components of a vector, in axes that somebody chose.

        Errors of their rows are measured beside the length of the vector, so that they are the same in all axes.
        """
        return ()

    def twist_map(self, q: Sequence[sp.Expr]) -> sp.Matrix:
        """T(q) with q' = T(q) v: a row for each entry of q, a column for each velocity."""
        return sp.eye(len(q), len(q) + self.states)

    def rate(self, q: Sequence[sp.Expr], v: Sequence[sp.Expr]) -> list[sp.Expr]:
        """T(q) v."""
        return list(v)[: len(q)] if self.flat else list(product(self.twist_map(q), sp.Matrix(v)))

    def moved(self, q: Sequence[sp.Expr], twist: Sequence[sp.Expr]) -> list[sp.Expr]:
        """q moved by v for the unit of time, v constant, where ``twist`` is v: the exponential.

        Raises ``ModelError`` for a space that is not flat and says nothing of its own.
        """
        if not self.flat:
            raise ModelError(
                f"{type(self).__name__} does not say how q moves along the exponential",
                where="configuration",
                fix="give it moved(q, twist), or use a scheme that does not ask",
            )
        return [a + b for a, b in zip(q, twist[: len(q)], strict=True)]

    def normalised(self, q: Sequence[sp.Expr]) -> list[sp.Expr]:
        """The configuration that q stands for."""
        return list(q)

    def normalisation(self, q: Sequence[sp.Symbol]) -> tuple[dict[sp.Symbol, sp.Expr], sp.Matrix]:
        """What symbols of q are replaced by in functions of the configuration, and d normalised / dq."""
        if self.flat:
            return {}, sp.eye(len(q))
        unit = self.normalised(q)
        return {s: e for s, e in zip(q, unit, strict=True) if s != e}, sp.Matrix(unit).jacobian(q)


@dataclass(frozen=True)
class PositionAndQuaternion(Configuration):
    """q = (x, p): three coordinates of a point, a unit quaternion, scalar first.

    v = (x', Omega), Omega in the body frame; the algebra is in :mod:`nsdgen.symbolic.families.quaternion`.
    """

    @property
    def flat(self) -> bool:
        """No: |p| = 1."""
        return False

    @property
    def unit_norm(self) -> tuple[tuple[int, ...], ...]:
        """The quaternion."""
        return ((3, 4, 5, 6),)

    def vectors(self, role: str) -> tuple[tuple[int, ...], ...]:
        """Position and quaternion; velocity and angular velocity."""
        return {"q": ((0, 1, 2), (3, 4, 5, 6)), "v": ((0, 1, 2), (3, 4, 5))}.get(role, ())

    def twist_map(self, q: Sequence[sp.Expr]) -> sp.Matrix:
        """diag(I, p o (0, .) / 2), 7x6, and columns of zeros."""
        return sp.diag(sp.eye(3), quat.twist_block(q[3:])).row_join(sp.zeros(7, self.states))

    def rate(self, q: Sequence[sp.Expr], v: Sequence[sp.Expr]) -> list[sp.Expr]:
        """x' and p o (0, Omega) / 2."""
        return [*v[:3], *product(quat.twist_block(q[3:]), sp.Matrix(v[3:6]))]

    def moved(self, q: Sequence[sp.Expr], twist: Sequence[sp.Expr]) -> list[sp.Expr]:
        """x + x' and p o exp(Omega / 2), of norm 1 where p is."""
        turned = quat.turned(q[3:], sp.Matrix(twist[3:6]))
        return [*(a + b for a, b in zip(q[:3], twist[:3], strict=True)), *turned]

    def normalised(self, q: Sequence[sp.Expr]) -> list[sp.Expr]:
        """x and p / |p|."""
        return [*q[:3], *quat.hat(q[3:])[0]]

    def normalisation(self, q: Sequence[sp.Symbol]) -> tuple[dict[sp.Symbol, sp.Expr], sp.Matrix]:
        """p -> p / |p|; diag(I, (I - p^ p^T) / |p|) (contact_gradient.tex)."""
        p = q[3:]
        unit, norm = quat.hat(p, "p" if "_" not in p[0].name else label_of(p[0]))
        return dict(zip(p, unit, strict=True)), sp.diag(sp.eye(3), quat.normalization(unit, norm))
