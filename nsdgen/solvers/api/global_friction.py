"""Coulomb friction in global variables from Python: ``solve_global_friction``, which keeps M v = H r + f.

The problem is scaled (``global_units.py``) and condensed to its contacts, which ``solve_friction`` solves, or goes
with M through Newton's method where W would fill (``global_work.py``). The certificate is in
``global_certificate.py``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._undetermined import MOST_ROWS, undetermined_reactions
from nsdgen.solvers.certify.contact_certificate import Measure
from nsdgen.solvers.certify.friction_failure import excluded, not_converged
from nsdgen.solvers.certify.global_certificate import GlobalMeasure
from nsdgen.solvers.certify.global_infeasible import excluding_contacts, unsupported_contacts
from nsdgen.solvers.global_form.global_powers import Powers, powers_near_one
from nsdgen.solvers.global_form.global_problem import GlobalData
from nsdgen.solvers.global_form.global_work import SOLVERS, GlobalWork
from nsdgen.solvers.global_form.mass_kept import State
from nsdgen.solvers.input.friction_input import friction_coefficients
from nsdgen.solvers.input.matrices import matrix, rectangular
from nsdgen.solvers.input.scalars import one_of, tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.scaling.global_units import in_units
from nsdgen.solvers.scaling.tempered import no_double, relative_loss, scaled
from nsdgen.solvers.solution import Solution

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

MOST_DENSE = 100  # freedoms and reactions up to which sparse matrices are stored densely: it is quicker

__all__ = ["SOLVERS", "GlobalSolution", "solve_global_friction"]


@dataclass(frozen=True)
class GlobalSolution(Solution):
    """A certified solution in global variables: a ``Solution`` with z = r and w = u, and the velocities.

    ``v`` (n,) are the velocities of the freedoms, M v = H r + f. ``residual`` is the larger one of that of the
    dynamics and that of the law. ``solver`` is the one that ended it, of ``SOLVERS``; "condensed ..." names the solver
    of the condensed problem as well.
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
    is one of ``SOLVERS``, None for the automatic choice: "condensed" needs a regular M, "proximal" serves a singular
    one.

    Returns a ``GlobalSolution`` with residual (``global_certificate``) at most ``tol``. ``rank_deficiency`` counts
    the reactions left undetermined, up to ``_undetermined.MOST_ROWS`` reactions, and is 0 beyond.
    Raises ``ParameterError`` for unusable data, ``SolverError`` with the best iterate ``z`` = r and the
    contacts ``rows`` that are off where no solution was found; its ``reason`` is "infeasible" where no
    velocities at all keep the contacts ``rows`` from closing. Sources: the law of De Saxcé and Feng, 1998,
    solved by Newton's method on the function of Alart and Curnier, 1991.
    """
    force, offset = vector("f", f), vector("b", b)
    coefficients, dim = friction_coefficients(mu, mu_rolling, dim, len(offset), "b")
    mass, directions = _alike(matrix("M", M, len(force)), _directions(H, len(force), len(offset)))
    goal, solver = tolerance(tol), one_of("solver", solver, SOLVERS)
    start = guess(initial, len(offset))
    data = GlobalData(mass, force, directions, offset.reshape(-1, dim), coefficients)
    if not force.any() and not offset.any():
        return GlobalSolution(np.zeros(len(offset)), offset.copy(), 0.0, "closed form", 0, 0, v=np.zeros(len(force)))
    powers = powers_near_one(data)
    if powers is None:
        return _solve(data, start, goal, solver)
    return _in_units(powers, data, start, goal, solver)


def _solve(data: GlobalData, start: Vector, goal: float, solver: str | None) -> GlobalSolution:
    """The certified solution of a checked problem that moves, from the guess ``start`` of r."""
    directions, offset = data.H, data.b.ravel()
    lost = unsupported_contacts(directions, data.b)
    if len(lost):
        raise excluded(lost, np.zeros(len(offset)))
    before = perf_counter()
    work = GlobalWork(data, goal, solver)
    v, r = work.solve(start)
    seconds = perf_counter() - before
    if not work.residual <= goal:
        raise _failure(work, (v, r))
    u = (directions.T @ v) + offset
    common = Measure(work.measure.m, work.measure.load, np.ones(0), np.ones(0), np.ones(0))
    return GlobalSolution(
        r, u, work.residual, work.method, work.iterations, _undetermined(data, work.measure, r, u), seconds,
        common.of_load(u, data.mu, r), v=v,
    )  # fmt: skip


def _in_units(powers: Powers, data: GlobalData, start: Vector, goal: float, solver: str | None) -> GlobalSolution:
    """The same for numbers so large or small that products of them overflow or vanish."""
    try:
        part = _solve(powers.inner(data), scaled(start, -powers.reaction), goal, solver)
    except SolverError as error:
        error.z = None if error.z is None else scaled(np.asarray(error.z), powers.reaction)
        raise
    r, v = scaled(part.z, powers.reaction), scaled(part.v, powers.velocity)
    lost = max(relative_loss(part.z, scaled(r, -powers.reaction)), relative_loss(part.v, scaled(v, -powers.velocity)))
    if not lost <= goal:
        raise no_double(np.concatenate([r, v]), lost)
    u = scaled(part.w, powers.rate)
    if not np.isfinite(u).all():
        raise no_double(np.concatenate([r, v]), np.inf, "w of the solution")
    return replace(part, z=r, v=v, w=u)


# ------------------------------------------------------------------------------- input


def _directions(H: Any, n: int, size: int) -> Matrix:
    """H, checked; a transposed one is told apart."""
    if getattr(H, "shape", None) == (size, n) != (n, size):
        raise ParameterError(f"H must have shape {(n, size)}, a row for each entry of f and a column for each of b, "
                             f"got shape {(size, n)}: pass its transpose")  # fmt: skip
    return rectangular("H", H, (n, size))


def _alike(M: Matrix, H: Matrix) -> tuple[Matrix, Matrix]:
    """Both dense where they are small, both in compressed columns else."""
    if max(M.shape[0], H.shape[1]) > MOST_DENSE:
        return csc_array(M), csc_array(H)
    return tuple(np.ascontiguousarray(A if isinstance(A, np.ndarray) else A.toarray()) for A in (M, H))  # type: ignore[return-value]


# ------------------------------------------------------------------------------- output


def _undetermined(data: GlobalData, measure: GlobalMeasure, r: Vector, u: Vector) -> int:
    """How many reactions the solution leaves open.

    Reactions that change no velocity are those that H maps to zero, for every M that is positive
    definite or, besides, semidefinite and symmetric: H^T S^2 H may stand for W.
    """
    if len(r) > MOST_ROWS or not len(r):
        return 0
    units = measure.units
    scaled = in_units(data.H, units.freedom, np.ones(len(r)))
    gram = scaled.T @ scaled
    contact = Measure(measure.m, measure.load, units.contact, np.ones(len(data.b)), units.load[units.part_of_contact])
    whole = gram if isinstance(gram, np.ndarray) else gram.toarray()
    return undetermined_reactions(whole, r, u, data.mu, contact)


def _failure(work: GlobalWork, state: State) -> SolverError:
    """The error for a problem that nothing solved: contacts that exclude each other, or the worst ones."""
    data, units = work.data, work.measure.units
    lost = excluding_contacts(data.H, data.b, units.freedom, units.contact)
    if len(lost):
        return excluded(lost, state[1])
    dynamics, law = work.residuals(*state)
    hint = ""
    if not units.regular and dynamics.max(initial=0.0) > work.goal:
        hint = "M is singular: see that no force acts on a freedom that has neither mass nor a contact to hold it"
    return not_converged(law, state[1], work.goal, dynamics, hint)
