"""Every root of the quartic of one contact in space: the directions in which it might slide."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.errors import ParameterError
from nsdgen.solvers.input.vectors import array, vector
from nsdgen.solvers.scaling.tempered import largest_exponent, scaled

_UNIT = 1e-7  # how far from the unit circle a double root may be that rounding has parted: the root of 1e-14


@dataclass(frozen=True)
class SlidingRoot:
    """One of them: ``angle`` of the friction force [rad], complex where the root is no direction.

    Of a real one ``z`` is the reaction, mu z_N (cos, sin) in the plane, and ``w`` = W z + q the velocity, along the
    force. ``slides``: whether the contact then pushes, and friction opposes the motion: a solution of Coulomb's law.
    """

    angle: complex
    z: np.ndarray
    w: np.ndarray
    slides: bool


def sliding_roots(W: ArrayLike, q: ArrayLike, mu: float) -> tuple[SlidingRoot, ...]:
    """The roots, four at most, of the quartic of a contact, w = W z + q, without normal velocity and at its limit.

    ``W`` (3, 3) need not be symmetric, ``q`` (3,), normal first, ``mu`` > 0. With the direction e of friction and
    z_N = -q_N / (W_NN + mu W_NT e) the tangential velocity is along e where e^ (p + P e) = 0, p = W_NN q_T - q_N W_TN,
    P = mu (q_T W_NT - q_N W_TT), e^ turned by a right angle: of degree four in exp(i angle). Where every direction
    satisfies it there are no roots. ``solve_friction`` looks at take-off and sticking, too, and gives one solution.

    Raises ``ParameterError`` for unusable data.
    """
    matrix, offset = array("W", W, (3, 3)), vector("q", q, 3)
    if not vector("mu", [mu], 1)[0] > 0:
        raise ParameterError(f"mu = {mu!r} is no positive number", fix="give the coefficient of friction")
    # Powers of two, in which no product overflows or vanishes: of z, of w, and of the coefficients.
    rate, steep = largest_exponent(offset), max(largest_exponent(np.array([mu])), 0)
    unit = rate - largest_exponent(matrix)
    matrix, offset = scaled(matrix, unit - rate), scaled(offset, -rate)
    p = scaled(matrix[0, 0] * offset[1:] - offset[0] * matrix[1:, 0], -steep)
    P = scaled(np.array(mu), -steep) * (np.outer(offset[1:], matrix[0, 1:]) - offset[0] * matrix[1:, 1:])
    # e^ (p + P e) = sum of c_k exp(i k angle), k = -2 ... 2
    second = complex(P[1, 0] + P[0, 1], P[0, 0] - P[1, 1]) / 4
    first, mean = complex(p[1], p[0]) / 2, (P[1, 0] - P[0, 1]) / 2
    found = np.roots([second, first, mean, first.conjugate(), second.conjugate()])
    roots = (_root(matrix, offset, float(mu), complex(-1j * np.log(e))) for e in found if e != 0)
    return tuple(replace(r, z=scaled(r.z, unit), w=scaled(r.w, rate)) for r in roots)


def _root(W: np.ndarray, q: np.ndarray, mu: float, angle: complex) -> SlidingRoot:
    if abs(angle.imag) > _UNIT:
        nothing = np.full(3, np.nan)
        return SlidingRoot(angle, nothing, nothing, False)
    direction = np.array([np.cos(angle.real), np.sin(angle.real)])
    e = np.append(1.0, mu * direction)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = -q[0] / (W[0] @ e) * e
        w = W @ z + q
    w[0] = 0.0
    slides = bool(np.isfinite(z).all() and z[0] > 0 and w[1:] @ direction <= 0)
    return SlidingRoot(complex(angle.real), z, w, slides)
