"""Whether z solves a one-step problem, asked of each law by itself, in extended precision.

    verdict = judge(M, q, [("complementarity", slice(None), None)], z)
    verdict = judge(W, q, contacts(mu, dim), r)
    assert verdict.worst <= 1e-7, verdict

Shares no code with nsdgen. There is no natural map here: penetration, pulling, acting at a distance, leaving the cone,
friction that does not oppose the motion are numbers of their own, so that no coefficient makes one of them small.
``np.longdouble`` has 64 bits of mantissa on x86-64, and exponents that do not overflow.

What a number is relative to: a velocity w_i (in whatever units the row has) to the terms it is made of,
|q_i| + sum_j |M_ij z_j|, those of a contact to the largest of its rows; a multiplier z_j to what it does there,
max_i |M_ij z_j| / terms_i. A law that forbids two things at once is violated by the smaller one. What is off by a
hundredth of the largest thing given, |q_i| or the terms of what bounds ask of z, is no answer, whatever it is relative
to its terms: large z cancel, and what they leave is not what was asked for. 1e-4 is enough where that is more than
rounding of the terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array, csr_array, issparse
from scipy.sparse.linalg import splu

__all__ = ["Verdict", "contacts", "judge", "judge_global"]

VISIBLE = 1e-13  # of its terms: q must be at least this in some row, or a z of any size would solve it
BESIDE = 1e-2  # of what is given: what is off by more is no answer, however large the terms are that cancel
COARSE = 1e-4  # the same for what is more than VISIBLE of its terms
FLOOR = 1e-4  # of the largest terms: what the terms of a row count for at least, roundings of z are made elsewhere
ROUNDING = np.longdouble(2.0) ** -50  # of |r_T|: outside of the cone by what a double leaves out
TURNED = np.longdouble(2.0) ** -50  # of a reaction: what rounding may make of each of its entries

Long = Any  # arrays of np.longdouble
Block = tuple[str, Any, Any]


@dataclass(frozen=True)
class Verdict:
    """The largest violation of a law and where it is: ``law`` by its name, ``row`` of the problem."""

    worst: float
    law: str = ""
    row: int = -1

    def over(self, other: Verdict) -> Verdict:
        """The worse one of two."""
        return other if other.worst > self.worst else self


def contacts(mu: ArrayLike, dim: int, count: int, mu_rolling: ArrayLike | None = None) -> list[Block]:
    """The blocks of ``count`` contacts with ``dim`` rows each, as ``solve_mixed`` takes them."""
    slopes = np.broadcast_to(np.asarray(mu, dtype=float), (count,))
    rolling = None if mu_rolling is None else np.broadcast_to(np.asarray(mu_rolling, dtype=float), (count,))
    return [
        ("friction", np.arange(dim * k, dim * (k + 1)),
         float(slopes[k]) if rolling is None else (float(slopes[k]), float(rolling[k])))
        for k in range(count)
    ]  # fmt: skip


def judge(M: Any, q: ArrayLike, blocks: Sequence[Block], z: ArrayLike, floor: float = FLOOR) -> Verdict:
    """How z (n,) violates the laws of ``blocks`` (those of ``solve_mixed``) with w = M z + q.

    ``M`` is (n, n), dense or sparse. With ``floor`` 0 each row answers to its own terms alone.
    """
    matrix, size, offset, x = _long(M), abs(_long(M)), _long(q), _long(z)
    if not np.isfinite(x).all():
        return Verdict(float("inf"), "finite", int(np.argmin(np.isfinite(x))))
    w, terms = matrix @ x + offset, size @ abs(x) + abs(offset)
    load = abs(offset) + size @ _held(blocks, x)
    return _judged(w, terms, _influence(size, terms, floor), blocks, x, floor, load)


def judge_global(
    M: Any, f: ArrayLike, H: Any, b: ArrayLike, blocks: Sequence[Block], v: ArrayLike, r: ArrayLike
) -> Verdict:
    """The same for M v = H r + f (n,) and the laws of ``blocks`` between r and u = H^T v + b (m,).

    Terms of u are those of M^-1 f and of M^-1 H r, which cancel where bodies come to rest.
    """
    mass, pull, force, offset = _long(M), _long(H), _long(f), _long(b)
    x, y = _long(v), _long(r)
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return Verdict(float("inf"), "finite", 0)
    moved = abs(mass) @ abs(x) + abs(pull) @ abs(y) + abs(force)
    # An entry of a reaction is rounded like its largest one: frames turn, and friction is a vector with it.
    off = np.maximum(abs(mass @ x - pull @ y - force) - TURNED * (abs(pull) @ _largest(blocks, y)), 0)
    share = np.divide(off, moved, out=np.zeros_like(off), where=moved > 0)
    dynamics = Verdict(float(share.max(initial=0)), "dynamics", int(share.argmax()) if len(share) else -1)
    terms = abs(pull).T @ (abs(x) + _parts_of_velocity(M, f, H, r)) + abs(offset)
    return dynamics.over(_judged(pull.T @ x + offset, terms, _influence(abs(pull), moved, 0.0), blocks, y, 0.0, terms))


def _largest(blocks: Sequence[Block], r: Long) -> Long:
    """|r| (m,), in a contact that of its largest entry."""
    result = abs(r)
    for cone, rows, _ in blocks:
        if cone == "friction":
            result[rows] = result[rows].max()
    return result


def _parts_of_velocity(M: Any, f: ArrayLike, H: Any, r: ArrayLike) -> Long:
    """|M^-1 f| + |M^-1 H r|, to some digits; nothing where M is singular."""
    loads = np.column_stack([np.asarray(f, dtype=float), np.asarray(H @ np.asarray(r, dtype=float))])
    try:
        found = splu(csc_array(M)).solve(loads) if issparse(M) else np.linalg.solve(np.asarray(M, dtype=float), loads)
    except (RuntimeError, np.linalg.LinAlgError):
        return np.zeros(len(loads))
    return abs(np.nan_to_num(found)).sum(axis=1)


def _judged(
    w: Long, terms: Long, influence: Long, blocks: Sequence[Block], z: Long, floor: float, load: Long
) -> Verdict:
    largest = terms.max(initial=0)
    if largest == 0:
        return Verdict(0.0)
    if load.any() and (load[: len(terms)] < VISIBLE * terms).all():
        return Verdict(float("inf"), "visible load", 0)
    size = np.maximum(terms, floor * largest)
    size[size == 0] = 1
    given = load.max(initial=0)
    worst = Verdict(0.0)
    for cone, rows, data in blocks:
        index = np.atleast_1d(np.arange(len(z))[rows]).ravel()
        laws = (
            _contact(z[index], w[index], size[index].max(), influence[index], data)
            if cone == "friction"
            else _rows(cone, z[index], w[index], size[index], influence[index], data)
        )
        for law, violation in laws:
            violation = np.atleast_1d(violation)
            if len(violation):
                k = int(violation.argmax())
                worst = worst.over(Verdict(float(violation[k]), law, int(index[k])))
                most = BESIDE if violation[k] <= VISIBLE else COARSE
                if violation[k] < BESIDE and violation[k] * size[index].max() > most * given > 0:
                    worst = worst.over(Verdict(float("inf"), f"{law}, beside the load", int(index[k])))
    return worst


def _held(blocks: Sequence[Block], z: Long) -> Long:
    """How much of |z| (n,) bounds ask for, which is given like q: all at a bound, else what any z between has."""
    held = np.zeros(len(z), dtype=np.longdouble)
    for cone, rows, data in blocks:
        if cone == "box":
            lower, upper = (np.broadcast_to(_long(x), z[rows].shape) for x in data)
            least = np.minimum(np.maximum(np.maximum(lower, -upper), 0), abs(z[rows]))
            held[rows] = np.where((z[rows] == lower) | (z[rows] == upper), abs(z[rows]), least)
    return held


def _rows(cone: str, z: Long, w: Long, size: Long, influence: Long, data: Any) -> Iterator[tuple[str, Long]]:
    """Equality, complementarity, box: -w in N_[lower, upper](z)."""
    share = w / size
    if cone == "equality":
        yield "equality", abs(share)
        return
    lower, upper = (0.0, np.inf) if cone == "complementarity" else data
    lower, upper = (np.broadcast_to(_long(x), z.shape) for x in (lower, upper))
    yield "bounds", np.maximum(np.maximum(lower - z, z - upper), 0) * influence
    above, below = (z - lower) * influence, (upper - z) * influence
    yield "pushing away from its bound", np.where(lower == upper, 0, np.minimum(np.maximum(share, 0), above))
    yield "wrong sign", np.where(lower == upper, 0, np.minimum(np.maximum(-share, 0), below))


def _contact(r: Long, u: Long, speed: Long, influence: Long, data: Any) -> Iterator[tuple[str, Long]]:
    """Signorini's law and, disk by disk, Coulomb's; infinite coefficients mean that nothing slides."""
    slopes = np.atleast_1d(np.asarray(data, dtype=np.longdouble))
    disks = [slice(1, min(len(r), 3)), slice(3, 5)][: len(slopes)]
    yield "penetration", max(-u[0], 0) / speed
    yield "pulling", max(-r[0], 0) * influence[0]
    acting = (abs(r) * influence).max()
    yield "acting at a distance", min(max(u[0], 0) / speed, acting)
    for slope, disk in zip(slopes, disks, strict=True):
        force, motion, weight = _length(r[disk]), _length(u[disk]), influence[disk].max()
        limit = slope * max(r[0], 0) if r[0] > 0 else np.longdouble(0)
        yield "outside of its cone", max(force - limit * (1 + ROUNDING), 0) * weight
        if motion > 0:
            # Sliding asks for friction at the limit against it; where that is infinite nothing may slide.
            lacking = _length(r[disk] + limit * u[disk] / motion) * weight if np.isfinite(limit) else np.inf
            yield "friction against the motion", min(motion / speed, lacking)


def _length(x: Long) -> Long:
    return np.sqrt((x * x).sum())


def _influence(size: Any, terms: Long, floor: float) -> Long:
    """What one unit of each multiplier does to the row that it matters to most."""
    least = np.maximum(terms, floor * terms.max(initial=0))
    with np.errstate(divide="ignore"):
        scale = np.where(least > 0, 1 / least, 0)
    if issparse(size):
        scaled = csr_array(size, copy=True)
        scaled.data = scaled.data * np.repeat(scale, np.diff(scaled.indptr))
        largest = np.zeros(size.shape[1], dtype=np.longdouble)
        np.maximum.at(largest, scaled.indices, scaled.data)
    else:
        largest = (size * scale[:, None]).max(axis=0, initial=0)
    # A multiplier that touches no row is no matter: its influence is small, not zero times infinity.
    return np.maximum(largest, np.finfo(np.longdouble).tiny)


def _long(x: Any) -> Long:
    return csr_array(x).astype(np.longdouble) if issparse(x) else np.asarray(x, dtype=np.longdouble)
