"""The certificate of box problems: from M, q, the bounds and z alone.

A row is measured against its own terms, |q_i| + sum_j |M_ij z_j|, so that neither the units
of the rows nor those of z matter (``relative_violation``, which ``solve_mixed`` uses as well).
"""

import numpy as np

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._certify import APART, COARSE, HIDDEN, exact_signs, plain_residual
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.scaling.least_terms import LEAST
from nsdgen.solvers.scaling.visible_units import visible_units

SMALL = 200  # rows up to which a sparse matrix is quicker dense
FLOOR = 1e-6  # of the largest row: a row counts for no less once it failed by itself
LARGEST = 1023.0  # binary exponent of a double
VISIBLE, DISTINCT = HIDDEN, APART
ROUNDED = 1e-13  # of the same, in natural units: what is off by less is right, only its units are far from others


def certify(M: Matrix, q: Vector, lower: Vector, upper: Vector, z: Vector, tol: float) -> tuple[Vector, float, int]:
    """w = M z + q, the largest relative violation and its row (-1 for n = 0).

    The violation of a row is what its natural map leaves: |w| inside the bounds, the part
    of w with the wrong sign at a bound, relative as in ``relative_violation``. A z outside of its
    bounds violates fully.
    """
    n = len(q)
    if n == 0:
        return np.zeros(0), 0.0, -1
    w = np.empty(n)
    if (plain := plain_residual(M, q, lower, upper, z, w, tol)) is not None:
        return w, *plain
    if n <= SMALL and not isinstance(M, np.ndarray):
        M = M.toarray()
    size = abs(M)
    with np.errstate(invalid="ignore", over="ignore"):  # a z that is not finite: NaN counts as infinite
        w = M @ z + q
        terms = size @ np.abs(z) + np.abs(q)
    wrong = np.abs(w)
    wrong[(z == lower) & (w > 0.0)] = 0.0
    wrong[(z == upper) & (w < 0.0)] = 0.0
    wrong[lower == upper] = 0.0
    violation = relative_violation(size, terms, wrong, tol)
    outside = ~((lower <= z) & (z <= upper))
    violation[outside] = np.maximum(violation[outside], 1.0)
    worst = int(violation.argmax())
    residual = float(violation[worst])
    # Unless it is the bounds that make z so large.
    if (residual <= tol and drowned(size, np.abs(q), terms, wrong)
            and drowned(size, np.abs(q) + size @ _held(lower, upper, z), terms, wrong)):  # fmt: skip
        residual = 1.0
    return w, residual, worst


def _held(lower: Vector, upper: Vector, z: Vector) -> Vector:
    """How much of |z| (n,) the bounds ask for: all of it at a bound, else what any z between them has."""
    least = np.maximum(np.maximum(lower, -upper), 0.0)
    return np.where((z == lower) | (z == upper), np.abs(z), np.minimum(least, np.abs(z)))


def signed_rows(M: Matrix, q: Vector, lower: Vector, upper: Vector, z: Vector, raw: Vector) -> tuple[Vector, float]:
    """w with exact zeros inside the bounds and exact signs at them, from ``raw`` = M z + q; and what that changes most.

    The change is beside the largest thing given: |q|, and what bounds ask of z besides.
    """
    w = np.empty_like(raw)
    off, load, held = exact_signs(q, lower, upper, z, raw, w)
    if off and held:
        load = float((np.abs(q) + abs(M) @ _held(lower, upper, z)).max())
    return w, off / (load or off) if off else 0.0


def drowned(size: Matrix, load: Vector, terms: Vector, wrong: Vector) -> bool:
    """Whether in some connected part what is given, ``load`` (n,), cannot be seen.

    It cannot where it is nowhere visible beside the largest ``terms``, and where what is off, ``wrong``, is not much
    less: COARSE of it where that is more than rounding. Such a z would as well solve the problem of another load, or
    of one that has no solution; also where no other double is nearer. ``size`` is |M|; rows are compared in natural
    units.
    """
    lost = wrong > COARSE * load
    coarse = lost & (wrong > VISIBLE * terms)
    if not (lost.any() or (load < VISIBLE * terms).any()):
        return False
    first, order = connected_parts(size)

    def largest(x: Vector, units: Vector) -> Vector:
        with np.errstate(divide="ignore"):  # by exponents: products may overflow
            return np.asarray(np.maximum.reduceat((np.log2(x) + np.log2(units))[order], first[:-1]))

    units = np.ones(len(load))
    given, off = largest(load, units), largest(np.where(lost, wrong, 0.0), units)
    hidden, beside = given < np.log2(VISIBLE) + largest(terms, units), off > np.log2(DISTINCT) + given
    if not (hidden.any() or beside.any() or coarse.any()):
        return False
    units = visible_units(size)[0]
    given, off = largest(load, units), largest(np.where(lost, wrong, 0.0), units)
    hidden &= given < np.log2(VISIBLE) + largest(terms, units)
    # What only the units of the data make look large is rounding in natural ones; what is large in these, is so.
    beside &= off > np.log2(ROUNDED) + given
    beside |= largest(np.where(coarse, wrong, 0.0), units) > np.log2(COARSE) + given
    return bool((hidden | beside).any())


def relative_violation(size: Matrix, terms: Vector, wrong: Vector, tol: float) -> Vector:
    """What each row (n,) is off by, ``wrong``, relative to its ``terms``; ``size`` is |M|.

    Where a row above ``tol`` has terms that are all small beside the others, these are judged by
    the largest row that is connected to it, in natural units: they hold roundings of z made
    elsewhere. What is no number is infinite.
    """
    with np.errstate(invalid="ignore"):
        violation = _relative(wrong, terms)
        if not violation.max(initial=0.0) <= tol:
            violation = _relative(wrong, np.maximum(terms, _floor(size, terms)))
    violation[np.isnan(violation) | ~np.isfinite(terms)] = np.inf
    return violation


def _floor(size: Matrix, terms: Vector) -> Vector:
    """What the terms of a row count for at least; units of rows that nothing connects do not compare."""
    rows = np.log2(visible_units(size)[0])
    first, order = connected_parts(size)
    # By exponents: products may overflow.
    with np.errstate(divide="ignore"):
        sizes = np.log2(terms) + rows
    floor = np.empty_like(terms)
    floor[order] = np.repeat(np.maximum.reduceat(sizes[order], first[:-1]), np.diff(first))
    return FLOOR * np.exp2(np.minimum(floor - rows, LARGEST))


def _relative(wrong: Vector, terms: Vector) -> Vector:
    return np.asarray(wrong / (terms + LEAST))
