"""One-step problems of several cones in one system: ``solve_mixed``.

Equality, complementarity and box rows together are one box problem. With friction among
them box rows become complementarity rows (``capped_rows.py``), equality rows are eliminated and
complementarity rows become contacts without friction, so that one friction problem is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csr_array, issparse

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers.box import solve_box
from nsdgen.solvers.capped_rows import CappedRows
from nsdgen.solvers.problem import Matrix, Solution, Vector, array, failure, matrix, positive

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

__all__ = ["CONES", "solve_mixed"]

CONES = ("equality", "complementarity", "box", "friction")
SIZES = (2, 3, 5)  # rows of a contact: in the plane, in space, in space with rolling friction

CANCELLED = 64.0 * np.finfo(float).eps

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Contact:
    """Rows of one contact, normal first, and its coefficients; one row: no friction."""

    rows: Rows
    mu: float = 0.0
    mu_rolling: float = 0.0


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
    if find_spec("nsdgen.solvers.friction") is None:
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
    back, reduced, offset = _eliminate(A, b, equality, rest)
    W, q, slots, dim = _embed(reduced, offset, rest, contacts)
    options: dict[str, Any] = {"dim": dim, "tol": tol, "solver": solver}
    if dim == 5:
        options["mu_rolling"] = np.array([contact.mu_rolling for contact in contacts])
    if initial is not None:
        options["initial"] = np.zeros(len(q))
        options["initial"][slots] = initial[rest]
    solve = import_module("nsdgen.solvers.friction").solve_friction
    try:
        part = solve(W, q, np.array([contact.mu for contact in contacts]), **options)
    except SolverError as error:
        # Contacts of the reduced problem become rows of this one.
        error.rows = tuple(int(contacts[k].rows[0]) for k in error.rows)
        if error.z is not None:
            inner = error.z[slots]
            error.z = np.zeros(len(b))
            error.z[rest], error.z[equality] = inner, back(inner)
        raise
    z = np.zeros(len(b))
    z[rest] = part.z[slots]
    z[equality] = back(z[rest])
    y = np.zeros(len(b))
    y[rest] = part.w[slots]
    return _assemble(A, b, z, y, part, tol)


def _assemble(A: Matrix, b: Vector, z: Vector, y: Vector, part: Solution, tol: float) -> Solution:
    """The solution of the whole, certified: what friction gave, and y = A z + b row by row."""
    raw = A @ z + b
    terms = abs(A) @ np.abs(z) + np.abs(b)
    off = np.divide(np.abs(raw - y), terms, out=np.zeros_like(terms), where=terms > 0.0)
    worst = int(off.argmax())
    if not off[worst] <= tol:
        raise failure("not converged", z, raw, float(off[worst]), worst)
    return replace(part, z=z, w=y, residual=max(part.residual, float(off[worst])))


def _eliminate(A: Matrix, b: Vector, equality: Rows, rest: Rows) -> tuple[Any, Matrix, Vector]:
    """The Schur complement on ``rest``, its offset, and z of the equality rows from z of the rest.

    Redundant equality rows get their least-norm multiplier; contradictory ones do not pass
    the certificate of the whole.
    """
    if not len(equality):
        return (lambda part: np.zeros(0)), A[rest][:, rest], b[rest]
    dense = A.toarray() if issparse(A) else A
    inner, outer = dense[np.ix_(equality, equality)], dense[np.ix_(equality, rest)]
    right = np.column_stack([outer, b[equality]])
    scale = np.sqrt(np.abs(inner).max(axis=1))
    scale[scale == 0.0] = 1.0
    regular = np.linalg.cond(inner / np.outer(scale, scale)) < 1e13
    given = np.linalg.solve(inner, right) if regular else np.linalg.lstsq(inner, right, rcond=1e-12)[0]
    lower = dense[np.ix_(rest, equality)]
    whole = np.column_stack([dense[np.ix_(rest, rest)], b[rest]])
    # What is left of terms that cancel is rounding: a contact held by the equalities must not seem to close.
    terms = np.abs(whole) + np.abs(lower) @ np.abs(given)
    reduced = whole - lower @ given
    reduced[np.abs(reduced) <= CANCELLED * terms] = 0.0
    return (lambda part: -given[:, :-1] @ part - given[:, -1]), reduced[:, :-1], reduced[:, -1]


def _embed(
    A: Matrix, b: Vector, rest: Rows, contacts: list[Contact]
) -> tuple[Matrix, Vector, Rows, int]:
    """Bring all contacts to one dimension: (W, q, slot of each row of ``rest``, dimension).

    A contact with fewer rows gets tangents that nothing drives: their reaction is zero.
    """
    dim = max(len(contact.rows) for contact in contacts)
    place = np.zeros(int(rest.max()) + 1, dtype=np.intp)
    for k, contact in enumerate(contacts):
        place[contact.rows] = k * dim + np.arange(len(contact.rows))
    slots = place[rest]
    n = dim * len(contacts)
    q = np.zeros(n)
    q[slots] = b
    idle = np.setdiff1d(np.arange(n), slots)
    entries = coo_array(A)
    unit = np.abs(A.diagonal()).max(initial=0.0) or 1.0
    W = coo_array(
        (
            np.concatenate([entries.data, np.full(len(idle), unit)]),
            (np.concatenate([slots[entries.row], idle]), np.concatenate([slots[entries.col], idle])),
        ),
        shape=(n, n),
    )
    return (csr_array(W) if issparse(A) else W.toarray()), q, slots, dim
