"""One-step problems of several cones in one system: ``solve_mixed``.

Equality, complementarity and box rows together are one box problem. With friction among
them box rows become complementarity rows (``capped_rows.py``), equality rows are eliminated and
complementarity rows become contacts without friction, so that one friction problem is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers.api.bounded import solve_box
from nsdgen.solvers.api.solver_input import array, matrix, positive
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.row_certificate import drowned, relative_violation
from nsdgen.solvers.mixed.capped_rows import CappedRows
from nsdgen.solvers.mixed.contact_form import Contact, embed
from nsdgen.solvers.mixed.elimination import Reduced, eliminate
from nsdgen.solvers.solution import Solution, failure

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

__all__ = ["CONES", "solve_mixed"]

CONES = ("equality", "complementarity", "box", "friction")
SIZES = (2, 3, 5)  # rows of a contact: in the plane, in space, in space with rolling friction

Rows = NDArray[np.intp]


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

    ``A`` is (n, n), dense or sparse, ``b`` (n,). ``blocks`` are (cone, rows, data) with

        "equality", rows, None: y = 0, z free
        "complementarity", rows, None: 0 <= y, 0 <= z, y z = 0
        "box", rows, (lb, ub): -y in N_[lb,ub](z), bounds as in ``solve_box``
        "friction", rows of one contact (normal, tangents), mu: Coulomb friction in the plane
            (2 rows) or in space (3); with 5 rows data is (mu, mu_rolling)

    and cover each row once. ``rows`` is a slice, an index or a list of them. ``tol``,
    ``solver`` and ``initial`` (n,) are as in ``solve_box`` or, with friction, in
    ``solve_friction``, to which the reduced problem goes.

    Raises ``ParameterError`` for unusable data, ``SolverError`` where there is no
    solution or none passed the certificate; its ``rows`` are rows of A, for a contact the normal one.
    Sources: those of ``solve_box``; with friction De Saxcé and Feng, 1998, signs as in ``solve_friction``.
    """
    offset = array("b", b, 1)
    n = len(offset)
    square = matrix("A", A, n)
    positive("tol", tol)
    lower, upper, contacts = _read(blocks, n)
    if not contacts:
        return solve_box(square, offset, lower, upper, tol=tol, solver=solver, initial=initial)
    start = None if initial is None else array("initial", initial, 1, (n,))
    return _solve_friction(square, offset, lower, upper, contacts, tol, solver, start)


# ------------------------------------------------------------------------------ the blocks


def _read(blocks: Sequence[tuple[str, Any, Any]], n: int) -> tuple[Vector, Vector, list[Contact]]:
    """Bounds of the rows (none on contact rows) and the contacts with friction."""
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    owner = np.full(n, -1)
    contacts = []
    for k, block in enumerate(blocks):
        cone, rows, data = _unpack(k, block, n)
        taken = owner[rows] >= 0
        if taken.any() or len(np.unique(rows)) < len(rows):
            row = rows[np.argmax(taken)]
            raise ParameterError(f"blocks[{k}]: row {row} belongs to another block already, or twice to this one")
        owner[rows] = k
        if cone == "complementarity":
            lower[rows] = 0.0
        elif cone == "box":
            lower[rows], upper[rows] = _pair(k, "box needs (lb, ub)", data)
        elif cone == "friction":
            contacts.append(_contact(k, rows, data))
    missing = np.flatnonzero(owner < 0)
    if len(missing):
        raise ParameterError(f"row {missing[0]} of {n} belongs to no block")
    return lower, upper, contacts


def _unpack(k: int, block: tuple[str, Any, Any], n: int) -> tuple[str, Rows, Any]:
    if len(block) != 3:
        raise ParameterError(f"blocks[{k}] must be (cone, rows, data)")
    cone, rows, data = block
    if cone not in CONES:
        raise ParameterError(f"blocks[{k}]: the cone must be one of {', '.join(CONES)}, got {cone!r}")
    try:
        return cone, np.atleast_1d(np.arange(n)[rows]).ravel(), data
    except (IndexError, TypeError):
        raise ParameterError(f"blocks[{k}]: {rows!r} are not rows of a problem of {n}") from None


def _pair(k: int, message: str, data: Any) -> tuple[Any, Any]:
    try:
        first, second = data
    except (TypeError, ValueError):
        raise ParameterError(f"blocks[{k}]: {message}, got {data!r}") from None
    return first, second


def _contact(k: int, rows: Rows, data: Any) -> Contact:
    if len(rows) not in SIZES:
        raise ParameterError(f"blocks[{k}]: a contact has 2, 3 or 5 rows, got {len(rows)}")
    mu, rolling = _pair(k, "rolling friction needs (mu, mu_rolling)", data) if len(rows) == 5 else (data, 0.0)
    for value in (mu, rolling):
        if not (np.ndim(value) == 0 and np.isreal(value) and 0.0 <= value < np.inf):
            raise ParameterError(f"blocks[{k}]: a friction coefficient must be a number >= 0, got {value!r}")
    return Contact(rows, float(mu), float(rolling))


# --------------------------------------------------------------------------- with friction


def _solve_friction(
    A: Matrix, b: Vector, lower: Vector, upper: Vector, contacts: list[Contact], tol: float,
    solver: str | None, initial: Vector | None,
) -> Solution:  # fmt: skip
    """Eliminate the equality rows, solve for the contacts, put the parts together, check."""
    if find_spec("nsdgen.solvers.api.condensed_friction") is None:
        raise ParameterError("friction blocks go to solve_friction, which this installation does not have")
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
    contacts = contacts + [Contact(np.array([i])) for i in np.flatnonzero(np.isfinite(lower))]
    equality, rest = np.flatnonzero(free), np.flatnonzero(~free)
    reduced = eliminate(A, b, equality, rest, tol)
    return _solve_reduced(A, b, reduced, rest, contacts, tol, solver, initial)


def _solve_reduced(
    A: Matrix, b: Vector, reduced: Reduced, rest: Rows, contacts: list[Contact], tol: float,
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

    solve = import_module("nsdgen.solvers.api.condensed_friction").solve_friction
    try:
        part = solve(problem.W, problem.q, mu, **options)
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
    if drowned(size, np.abs(b), terms):
        off = np.maximum(off, 1.0)
    worst = int(off.argmax())
    if not off[worst] <= tol:
        raise failure("not converged", z, raw, float(off[worst]), worst)
    return replace(part, z=z, w=y, residual=max(part.residual, float(off[worst])))
