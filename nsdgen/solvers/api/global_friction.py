"""Coulomb friction in global variables from Python: ``solve_global_friction``, which keeps M v = H r + f.

One problem of several cones (``mixed/cone_graph.py``): the rows of M, which are equalities with v as their multipliers,
beside those of the contacts, 0 = M v - H r - f and u = H^T v + b. There it is condensed to its contacts, or goes with M
through Newton's method. Before it small dense ones are condensed and solved in compiled code (``_dense_bodies.pxi``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import block_array, csr_array

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.friction_failure import excluded
from nsdgen.solvers.contacts._contacts import solve_dense_bodies
from nsdgen.solvers.input.friction_input import friction_coefficients
from nsdgen.solvers.input.matrices import matrix, rectangular
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.mixed.cone_graph import SOLVERS
from nsdgen.solvers.mixed.cone_parts import solve_cones
from nsdgen.solvers.mixed.cone_problem import ConeProblem
from nsdgen.solvers.scaling.tempered import FAR, in_exponents, largest_exponent
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

MOST_DENSE = 200  # freedoms and reactions up to which sparse matrices are stored densely: it is quicker


@dataclass(frozen=True)
class GlobalSolution(Solution):
    """A certified solution in global variables: a ``Solution`` with z = r and w = u, and the velocities.

    ``v`` (n,) are the velocities of the freedoms, M v = H r + f. ``residual`` is the larger one of that of the
    dynamics and that of the law (``mixed_certificate.py``). ``solver`` is the one that ended it, of ``SOLVERS``.
    """

    v: Vector = field(kw_only=True)


@np.errstate(all="ignore")  # what is no number fails the certificate
def solve_global_friction(
    M: ArrayLike | sparray | spmatrix,
    f: ArrayLike,
    H: ArrayLike | sparray | spmatrix,
    b: ArrayLike,
    mu: ArrayLike,
    dim: int = 3,
    *,
    mu_rolling: ArrayLike | None = None,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
) -> GlobalSolution:
    """Find velocities v, reactions r with M v = H r + f and Coulomb's law between r and u = H^T v + b.

    The law, its signs, the order of the rows of a contact, ``mu``, ``mu_rolling`` and ``dim`` are those of
    ``solve_friction``, which this is with W = H^T M^-1 H, q = H^T M^-1 f + b where M is regular. W is not
    formed where it would be large and full though M and H are sparse.

    ``M`` (n, n) and ``H`` (n, contacts * dim) are dense or sparse, and worth storing sparse; ``f`` is (n,), ``b``
    (contacts * dim,). ``M`` is meant to be positive semidefinite; it need neither be regular nor symmetric, as
    long as the whole problem has a solution. ``initial`` (contacts * dim,) is a guess of r. ``solver``
    is one of ``SOLVERS``, None for the automatic choice: "condensed" needs a regular M, "newton" keeps it.

    Returns a ``GlobalSolution`` with residual (``mixed_certificate``) at most ``tol``. ``rank_deficiency`` counts
    the reactions left undetermined, up to ``_undetermined.MOST_ROWS`` reactions, and is 0 beyond.
    Raises ``ParameterError`` for unusable data, ``SolverError`` with the best iterate ``z`` = r and the
    contacts ``rows`` that are off where no solution was found; its ``reason`` is "infeasible" where no
    velocities at all keep the contacts ``rows`` from closing, "inconsistent" where rows of M v = H r + f contradict
    each other. Sources: the law of De Saxcé and Feng, 1998,
    solved by Newton's method on the function of Alart and Curnier, 1991.
    """
    if solver is None and (quick := _quick(M, f, H, b, mu, dim, tol, initial, mu_rolling)) is not None:
        return quick
    force, offset = vector("f", f), vector("b", b)
    n, size = len(force), len(offset)
    coefficients, dim = friction_coefficients(mu, mu_rolling, dim, size, "b")
    mass, directions = matrix("M", M, n), _directions(H, n, size)
    goal, solver = tolerance(tol), one_of("solver", solver, SOLVERS)
    of_r = guess(initial, size)
    if solver is None and n + size <= MOST_DENSE and not isinstance(mass, np.ndarray):
        quick = _quick(_full(mass), force, _full(directions), offset, coefficients, dim, goal, of_r, None)
        if quick is not None:
            return quick
    start = np.concatenate([np.zeros(n), of_r])
    if not force.any() and not offset.any():
        return GlobalSolution(np.zeros(size), offset.copy(), 0.0, "closed form", 0, 0, v=np.zeros(n))
    own = _in_exponents(mass, directions, force, offset)
    whole, load = _whole(mass, directions), np.concatenate([-force, offset])
    free = np.full(n + size, np.inf)
    contacts = [(np.arange(n, n + size).reshape(-1, dim), coefficients)]
    try:
        if own is None:
            found = solve_cones(ConeProblem(whole, load, -free, free, contacts, goal), start, solver)
        else:
            scaled = in_exponents(whole, load, *own)
            inner = ConeProblem(scaled.matrix, scaled.offset, -free, free, contacts, goal)
            found = scaled.solution(lambda: solve_cones(inner, scaled.inner(start), solver), goal)
    except SolverError as error:
        raise _of_contacts(error, n, size, dim) from None
    return GlobalSolution(
        found.z[n:], found.w[n:], found.residual, found.solver, found.iterations, found.rank_deficiency, found.seconds,
        found.of_load, v=found.z[:n],
    )  # fmt: skip


def _quick(*given: Any) -> GlobalSolution | None:
    """What the compiled function solves of plain dense arrays."""
    if (found := solve_dense_bodies(*given)) is None:
        return None
    of, v = found
    return GlobalSolution(
        of.z, of.w, of.residual, SOLVERS[0], of.iterations, of.rank_deficiency, of.seconds, of.of_load, v=v
    )  # fmt: skip


# ------------------------------------------------------------------------------- input


def _full(A: Matrix) -> Vector:
    return A if isinstance(A, np.ndarray) else A.toarray()


def _directions(H: Any, n: int, size: int) -> Matrix:
    """H, checked; a transposed one is told apart."""
    if getattr(H, "shape", None) == (size, n) != (n, size):
        raise ParameterError(f"H must have shape {(n, size)}, a row for each entry of f and a column for each of b, "
                             f"got shape {(size, n)}: pass its transpose")  # fmt: skip
    return rectangular("H", H, (n, size))


def _whole(M: Matrix, H: Matrix) -> Matrix:
    """[[M, -H], [H^T, 0]], dense where it is small."""
    n, size = H.shape
    if n + size > MOST_DENSE:
        whole = block_array([[csr_array(M), -csr_array(H)], [csr_array(H.T), csr_array((size, size))]])
        return csr_array(whole)
    whole = np.zeros((n + size, n + size))
    for part, rows, columns in ((M, slice(0, n), slice(0, n)), (H, slice(0, n), slice(n, n + size))):
        whole[rows, columns] = _full(part)
    whole[n:, :n] = whole[:n, n:].T
    whole[:n, n:] *= -1.0
    return whole


def _in_exponents(M: Matrix, H: Matrix, f: Vector, b: Vector) -> tuple[Any, Any] | None:
    """Exponents of the rows and of v and r that bring the largest entries near 1; None where all are near enough.

    With M = 2^m M', H = 2^h H', u = 2^U u' and v = 2^(U - h) v' those of f and r follow: m + U - h, m + U - 2 h.
    """
    mass, direction = (largest_exponent(A if isinstance(A, np.ndarray) else A.data) for A in (M, H))
    force, rate = largest_exponent(f), largest_exponent(b)
    if max(abs(x) for x in (mass, direction, force, rate)) <= FAR:
        return None
    moved = [rate] * bool(b.any()) + [force - mass + direction] * bool(f.any())
    speed = max(moved, default=0)
    each, reaction = np.ones(len(f), dtype=np.intp), np.ones(len(b), dtype=np.intp)
    velocity = speed - direction
    rows = np.concatenate([(mass + velocity) * each, speed * reaction])
    return rows, np.concatenate([velocity * each, (mass + velocity - direction) * reaction])


# ------------------------------------------------------------------------------- output


def _of_contacts(error: SolverError, n: int, size: int, dim: int) -> SolverError:
    """The same with r as its iterate, and contacts as its rows."""
    lost = sorted({(int(row) - n) // dim for row in error.rows if row >= n})
    error.z = None if error.z is None else np.asarray(error.z)[n:]
    others = [int(row) for row in error.rows if row < n]
    error.rows, error.where = tuple(lost), f"contact {lost[0]}" if lost else error.where
    if error.reason == "infeasible" and not others:
        return excluded(np.array(lost), np.zeros(size) if error.z is None else np.asarray(error.z))
    if others and not lost:
        error.where = f"row {others[0]} of M v = H r + f"
        error.fix = (
            "where M is singular, see that no force acts on a freedom that has neither mass nor a contact to hold it"
        )
    return error
