"""Multiple impacts from Python: ``solve_multiple_impact``."""

import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.input.vectors import array, booleans, everywhere, vector
from nsdgen.solvers.scaling.tempered import FAR, in_exponents, largest_exponent, tempered
from nsdgen.solvers.solution import Solution
from nsdgen.solvers.traced._traced_rows import traced

LEAST = 0.01  # below it unloading is too stiff to be traced
LOST = 1e-8  # of the impulses: what doubles may lose where they are too small, the ``tol`` of other solvers
_FAILURES = {3: "inconsistent", 4: "not converged"}


@np.errstate(all="ignore")  # what is no number fails the certificate
def solve_multiple_impact(
    A: ArrayLike,
    u: ArrayLike,
    restitution: ArrayLike = 1.0,
    stiffness: ArrayLike = 1.0,
    exponent: ArrayLike = 1.5,
    is_equality: ArrayLike | None = None,
) -> Solution:
    """The impulses of contacts that close together, by the law of Liu, Zhao and Brogliato.

    ``A`` = H M^-1 H^T (n, n) and ``u`` (n,), the gap rates before the impact. Of each contact or of all: the energetic
    coefficient ``restitution`` in [0.01, 1] (0 is the plastic impact of ``solve_lcp``), the ``stiffness`` K > 0, of
    which only ratios matter, and the ``exponent`` eta in [1, 10] of the force K delta^eta (3/2 for spheres). Rows
    with ``is_equality`` stay zero during the impact. ``z`` are the impulses, ``w`` = A z + u the rates after it.

    Raises ``ParameterError`` for unusable data, ``SolverError`` where equality rows are redundant or the impact does
    not end. Source: Liu, Zhao and Brogliato, Proc. R. Soc. A 464 (2008), in a fast time in place of an impulse.
    """
    start, rates = time.perf_counter(), vector("u", u)
    n = len(rates)
    square = array("A", A, (n, n))
    equality = np.zeros(n, dtype=bool) if is_equality is None else booleans("is_equality", is_equality, n)
    columns = []
    for name, value, low, high in (
        ("restitution", restitution, LEAST, 1.0),
        ("stiffness", stiffness, 0.0, np.inf),
        ("exponent", exponent, 1.0, 10.0),
    ):
        column = everywhere(name, value, n)
        outside = ~((column >= low) & (column <= high) & np.isfinite(column)) | ((column == 0) & (name == "stiffness"))
        if outside.any():
            i = int(np.flatnonzero(outside)[0])
            raise ParameterError(
                f"{name}[{i}] = {column[i]} lies outside [{low:g}, {high:g}]",
                fix="stiffnesses are positive numbers" if name == "stiffness" else "",
            )
        columns.append(column)
    law = np.ascontiguousarray(np.column_stack(columns)) if n else np.zeros((0, 3))
    own = tempered(square, rates)
    if own is None and abs(largest_exponent(law[:, 1])) <= FAR:
        return _traced(square, rates, equality, law, start)
    own = own or in_exponents(square, rates, np.zeros(n, dtype=np.intp), np.zeros(n, dtype=np.intp))
    # With A = 2^P A' and u = 2^Q u', K' = 2^(P - 2 Q) K; a unit 2^k of compressions makes that 2^(k (1 + eta)) K'.
    stiff, power = np.log2(law[:, 1]) - own.rows - own.columns, 1.0 + law[:, 2]
    law[:, 1] = np.exp2(stiff + (-stiff / power).min() * power)
    return own.solution(lambda: _traced(own.matrix, own.offset, equality, law, start), LOST)


def _traced(A: Matrix, u: Vector, equality: NDArray[np.bool_], law: Matrix, start: float) -> Solution:
    """The same of what is checked, its numbers near 1; ``law`` (n, 3) has a row for each contact."""
    z, w, status = traced(A.copy(), u.copy(), (~equality).astype(np.intc), law)
    if not status and not (np.isfinite(z).all() and np.isfinite(w).all()):
        lost = int(np.argmin(np.isfinite(z) & np.isfinite(w)))
        error = SolverError(
            "no impulse opens it: the impact does not end",
            where=f"row {lost}",
            fix="take the contact out, or give its bodies a finite mass",
        )
        error.rows = (lost,)
        raise error
    if status:
        error = SolverError(
            "the equality rows are redundant" if status == 3 else "the impact did not end",
            fix="remove what is said twice" if status == 3 else "look for stiffnesses far apart",
        )
        error.reason, error.z = _FAILURES.get(status, "not converged"), z
        raise error
    return Solution(z, w, 0.0, "traced", 0, 0, time.perf_counter() - start)
