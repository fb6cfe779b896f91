"""One-step problems of several cones in one system: ``solve_mixed``.

Equality, complementarity and box rows together are one box problem. With friction among
them box rows become complementarity rows (``capped_rows.py``), equality rows are eliminated and
complementarity rows become contacts without friction, so that one friction problem is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsdgen.errors import SolverError
from nsdgen.solvers.api.bounded import solve_box
from nsdgen.solvers.api.condensed_friction import solve_friction
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.row_certificate import drowned, relative_violation
from nsdgen.solvers.contacts._dense_contacts import solve_dense
from nsdgen.solvers.input.cone_blocks import read_blocks
from nsdgen.solvers.input.matrices import matrix
from nsdgen.solvers.input.scalars import tolerance
from nsdgen.solvers.input.vectors import guess, vector
from nsdgen.solvers.mixed.capped_rows import CappedRows
from nsdgen.solvers.mixed.contact_form import ContactRows, embed
from nsdgen.solvers.mixed.dense_form import dense_form
from nsdgen.solvers.mixed.elimination import Reduced, eliminate
from nsdgen.solvers.scaling.tempered import tempered
from nsdgen.solvers.solution import Solution, failure

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

__all__ = ["solve_mixed"]

Rows = NDArray[np.intp]


@np.errstate(all="ignore")  # what is no number fails the certificate
def solve_mixed(
    A: ArrayLike | sparray | spmatrix,
    b: ArrayLike,
    blocks: Sequence[tuple[str, Any, Any]],
    *,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
) -> Solution:
    """Find z with y = A z + b, each block of rows in its cone; ``Solution.w`` is y.

    ``A`` is (n, n), dense or sparse, ``b`` (n,). ``blocks`` are (cone, rows, data) with::

        "equality", rows, None: y = 0, z free
        "complementarity", rows, None: 0 <= y, 0 <= z, y z = 0
        "box", rows, (lb, ub): -y in N_[lb,ub](z), bounds as in ``solve_box``
        "friction", rows of one contact (normal, tangents), mu: Coulomb friction in the plane
            (2 rows) or in space (3); with 5 rows data is (mu, mu_rolling). Infinite ones as in ``solve_friction``

    and cover each row once. ``rows`` is a slice, an index or a list of them. ``tol``,
    ``solver`` and ``initial`` (n,) are as in ``solve_box`` or, with friction, in
    ``solve_friction``, to which the reduced problem goes.

    Raises ``ParameterError`` for unusable data, ``SolverError`` where there is no
    solution or none passed the certificate; its ``rows`` are rows of A, for a contact the normal one.
    Sources: those of ``solve_box``; with friction De Saxcé and Feng, 1998, signs as in ``solve_friction``.
    """
    offset = vector("b", b)
    n = len(offset)
    square, goal = matrix("A", A, n), tolerance(tol)
    lower, upper, contacts = read_blocks(blocks, n)
    if not contacts:
        return solve_box(square, offset, lower, upper, tol=goal, solver=solver, initial=initial)
    start = None if initial is None else guess(initial, n)
    frictional = [ContactRows(*contact) for contact in contacts]
    own = tempered(square, offset)
    if own is None:
        return _solve_friction(square, offset, lower, upper, frictional, goal, solver, start)
    low, high = own.inner(lower), own.inner(upper)
    begin = None if start is None else own.inner(start)
    return own.solution(
        lambda: _solve_friction(own.matrix, own.offset, low, high, frictional, goal, solver, begin), goal
    )


# --------------------------------------------------------------------------- with friction


def _solve_friction(
    A: Matrix, b: Vector, lower: Vector, upper: Vector, contacts: list[ContactRows], tol: float,
    solver: str | None, initial: Vector | None,
) -> Solution:  # fmt: skip
    """Eliminate the equality rows, solve for the contacts, put the parts together, check."""
    touched = np.concatenate([contact.rows for contact in contacts])
    boxes = np.isfinite(upper) | (np.isfinite(lower) & (lower != 0.0))
    boxes[touched] = False
    if boxes.any():
        capped = CappedRows(A, b, lower, upper, np.flatnonzero(boxes))
        start = None if initial is None else capped.extend(initial)
        try:
            part = _solve_friction(*capped.problem(), contacts, tol, solver, start)
        except SolverError as error:
            error.rows = tuple(row for row in error.rows if row < len(b))
            error.z = None if error.z is None else capped.contract(error.z)
            raise
        z = capped.contract(part.z)
        return _assemble(A, b, z, capped.contract_w(part.w, part.z), part, tol)
    free = np.isinf(lower)
    for contact in contacts:
        free[contact.rows] = False
    contacts = contacts + [ContactRows(np.array([i])) for i in np.flatnonzero(np.isfinite(lower))]
    equality, rest = np.flatnonzero(free), np.flatnonzero(~free)
    if solver is None and (quick := _solve_dense(A, b, equality, rest, contacts, tol, initial)) is not None:
        return quick
    reduced = eliminate(A, b, equality, rest, tol)
    return _solve_reduced(A, b, reduced, rest, contacts, tol, solver, initial)


def _solve_dense(
    A: Matrix, b: Vector, equality: Rows, rest: Rows, contacts: list[ContactRows], tol: float, initial: Vector | None
) -> Solution | None:
    """The certified solution where the compiled solver of dense contacts finds it; None leaves it to others."""
    form = dense_form(A, b, equality, rest, contacts)
    if form is None:
        return None
    start = None if initial is None else form.embedded(initial)
    part = solve_dense(form.W, form.q, form.mu, form.dim, tol, start)[1]
    if part is None:
        return None
    try:
        return _assemble(A, b, *form.extracted(part.z, part.w), part, tol)
    except SolverError:
        return None


def _solve_reduced(
    A: Matrix, b: Vector, reduced: Reduced, rest: Rows, contacts: list[ContactRows], tol: float,
    solver: str | None, initial: Vector | None,
) -> Solution:  # fmt: skip
    """One friction problem: the contacts, the complementarity rows, and what equality rows left free."""
    problem = embed(reduced, rest, contacts)
    options: dict[str, Any] = {"dim": problem.dim, "tol": tol, "solver": solver}
    mu, rolling = problem.coefficients()
    if problem.dim == 5:
        options["mu_rolling"] = rolling
    if initial is not None:
        options["initial"] = problem.embedded(initial[rest], reduced.guess(initial[reduced.equality]))

    def whole(embedded: Vector) -> Vector:
        inner = problem.extracted(embedded)
        z = np.zeros(len(b))
        z[rest], z[reduced.equality] = inner[: len(rest)], reduced.back(inner)
        return z

    try:
        part = solve_friction(problem.W, problem.q, mu, **options)
    except SolverError as error:
        # Contacts of the reduced problem become rows of this one.
        error.rows = tuple(dict.fromkeys(int(problem.named[k]) for k in error.rows))
        error.z = None if error.z is None else whole(error.z)
        raise
    z = whole(part.z)
    y = np.zeros(len(b))
    y[rest] = problem.velocities(part.w)
    part = replace(part, rank_deficiency=problem.deficiency(part) + reduced.deficiency)
    return _assemble(A, b, z, y, part, tol)


def _assemble(A: Matrix, b: Vector, z: Vector, y: Vector, part: Solution, tol: float) -> Solution:
    """The solution of the whole, certified: what friction gave, and y = A z + b row by row."""
    raw, size = A @ z + b, abs(A)
    terms = size @ np.abs(z) + np.abs(b)
    off = relative_violation(size, terms, np.abs(raw - y), tol)
    if drowned(size, np.abs(b), terms, np.abs(raw - y)):
        off = np.maximum(off, 1.0)
    worst = int(off.argmax())
    if not off[worst] <= tol:
        raise failure("not converged", z, raw, float(off[worst]), worst)
    return replace(part, z=z, w=y, residual=max(part.residual, float(off[worst])))
