"""Coulomb friction from Python: ``solve_friction`` for contacts in the plane, in space, rolling.

Solvers, in the order in which the automatic choice falls through them:

``gauss-seidel``  exact local solutions, contact by contact (``_nsgs.pyx``)
``newton``        semismooth Newton on all contacts at once (``newton_friction.py``)
``lemke``         contacts in the plane as a linear complementarity problem
``proximal``      Newton on a sequence of better posed problems (``proximal_friction.py``)

The data are brought to max |W_ij| = max |q_i| = 1 first, so that units do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nsdgen.errors import ParameterError, SolverError
from nsdgen.solvers._nsgs import ContactProblem
from nsdgen.solvers.newton_friction import newton
from nsdgen.solvers.problem import Matrix, Solution, Vector, array, matrix, positive
from nsdgen.solvers.proximal_friction import proximal_point

if TYPE_CHECKING:
    from scipy.sparse import sparray, spmatrix

__all__ = ["SOLVERS", "friction_residual", "solve_friction"]

SOLVERS = ("gauss-seidel", "newton", "lemke", "proximal")

_LEMKE_CONTACTS = 40  # up to here pivoting on three rows a contact is fast
_FIRST_SWEEPS = 10
_MOST_SWEEPS = 60
_FAST = 0.1  # reduction of the residual in _FIRST_SWEEPS sweeps
_NEWTON_STEPS = 10
_ROUNDS = 60  # of the proximal method, before others get their turn
_AIM = 0.1  # of the tolerance: what the solvers aim at, so that the certificate passes

Step = tuple[str, Vector, int]  # solver, iterate (contacts, dim) in normalised units, iterations


def solve_friction(
    W: ArrayLike | sparray | spmatrix,
    q: ArrayLike,
    mu: ArrayLike,
    dim: int = 3,
    *,
    mu_rolling: ArrayLike | None = None,
    tol: float = 1e-8,
    solver: str | None = None,
    initial: ArrayLike | None = None,
    max_iterations: int = 1000,
) -> Solution:
    """Find reactions r and velocities u = W r + q that satisfy Coulomb's law at every contact.

    Contact i has rows ``dim * i`` ... ``dim * (i + 1) - 1``, normal first, and one of

    - take-off: r = 0, u_N >= 0;
    - stick: u = 0, |r_T| <= mu r_N;
    - slip: u_N = 0, r_T = -mu r_N u_T / |u_T|;

    in short K* contains u + mu |u_T| e_N, orthogonal to r in the cone K, |r_T| <= mu r_N.
    With ``mu_rolling`` (a length) a contact has five rows (N, T1, T2, R1, R2) and the same
    law holds for the rolling moment r_R and the spin rate u_R besides.

    ``W`` (n, n) is dense or sparse and meant to be positive semidefinite, ``q`` is (n,),
    ``mu`` and ``mu_rolling`` are (contacts,) or one number for all. ``dim`` is 2, 3 or 5;
    ``mu_rolling`` makes 3 mean 5. ``initial`` (n,) is a guess of r. ``solver`` is one of
    ``SOLVERS``, None for the automatic choice. ``max_iterations`` bounds the rounds of the
    last solver that is tried.

    Returns a ``Solution`` with z = r, w = u and residual = ``friction_residual``, at most
    ``tol``; its ``rank_deficiency`` is not examined and 0: reactions need not be unique.
    Raises ``ParameterError`` for unusable data, ``SolverError`` with the best iterate
    ``z`` and the contacts ``rows`` that are off where no solution was found.
    """
    offset = array("q", q, 1)
    coefficients, dim = _coefficients(mu, mu_rolling, dim, len(offset))
    square = matrix("W", W, len(offset))
    goal = positive("tol", tol)
    if solver is not None and (solver not in SOLVERS or (solver == "lemke" and dim != 2)):
        allowed = ", ".join(name for name in SOLVERS if name != "lemke" or dim == 2)
        raise ParameterError(f"solver must be one of {allowed} for dim {dim}, got {solver!r}")
    if max_iterations < 1:
        raise ParameterError(f"max_iterations must be at least 1, got {max_iterations!r}")
    start = np.zeros(len(offset)) if initial is None else array("initial", initial, 1, offset.shape)
    load = float(np.abs(offset).max(initial=0.0))
    size = _largest(square)
    if load == 0.0:
        return Solution(np.zeros(len(offset)), offset.copy(), 0.0, "closed form", 0, 0)
    unit = load / size
    problem = _normalised(square, offset, coefficients, size, load)
    _refuse_unsupported(problem, square, offset, coefficients, dim)
    r = np.ascontiguousarray((start / unit).reshape(problem.q.shape))
    steps = _attempts(problem, r, solver, _AIM * goal, max_iterations)
    best, iterations, least, seconds = start, 0, np.inf, 0.0
    before = perf_counter()
    for name, iterate, count in steps:
        seconds += perf_counter() - before
        iterations += count
        z = unit * iterate.ravel()
        residual = friction_residual(square, offset, coefficients, z, dim).max()
        if residual < least:
            best, least = z, float(residual)
        if least <= goal:
            w = square @ best + offset
            return Solution(best, w, least, name, iterations, 0, seconds)
        before = perf_counter()
    raise _failure(square, offset, coefficients, best, dim, goal)


# ------------------------------------------------------------------------------- input


def _coefficients(mu: ArrayLike, mu_rolling: ArrayLike | None, dim: int, n: int) -> tuple[Vector, int]:
    """Friction coefficients (contacts, disks) and the number of rows of a contact."""
    if dim not in (2, 3, 5):
        raise ParameterError(f"dim must be 2, 3 or 5, got {dim!r}")
    if mu_rolling is not None and dim == 2:
        raise ParameterError("rolling friction needs contacts in space: dim 3 or 5")
    if mu_rolling is None and dim == 5:
        raise ParameterError("contacts of five rows need mu_rolling")
    dim = dim if mu_rolling is None else 5
    count, left = divmod(n, dim)
    if left:
        raise ParameterError(f"q has {n} entries, not a multiple of the {dim} rows of a contact")
    columns = []
    for name, value in (("mu", mu), ("mu_rolling", mu_rolling)):
        if value is None:
            continue
        given = np.full(count, value) if np.ndim(value) == 0 else value
        column = array(name, given, 1, (count,))
        if (column < 0.0).any():
            worst = int(column.argmin())
            raise ParameterError(f"{name}[{worst}] is {column[worst]}, a friction coefficient is not negative")
        columns.append(column)
    return np.column_stack(columns), dim


def _largest(square: Matrix) -> float:
    """max |W_ij|, 1 for a matrix of zeros."""
    entries = square if isinstance(square, np.ndarray) else square.data
    return float(np.abs(entries).max(initial=0.0)) or 1.0


def _normalised(square: Matrix, offset: Vector, mu: Vector, size: float, load: float) -> ContactProblem:
    """W / size and q / load in block rows, with all diagonal blocks."""
    count = len(mu)
    d = len(offset) // count
    if isinstance(square, np.ndarray):
        every = square.reshape(count, d, count, d).transpose(0, 2, 1, 3)
        stored = np.asarray(every.any(axis=(2, 3)))
        stored[np.arange(count), np.arange(count)] = True
        row, column = np.nonzero(stored)
        blocks = every[row, column]
    else:
        # Blocks are numbered row by row; the diagonal ones are stored even if empty.
        entry = np.repeat(np.arange(len(offset)), np.diff(square.indptr))
        own = np.arange(count) * (count + 1)
        key = np.concatenate([entry // d * count + square.indices // d, own])
        keys, place = np.unique(key, return_inverse=True)
        row, column = np.divmod(keys, count)
        blocks = np.zeros((len(keys), d, d))
        blocks[place[: len(entry)], entry % d, square.indices % d] = square.data
    start = np.searchsorted(row, np.arange(count + 1)).astype(np.intc)
    diagonal = np.flatnonzero(row == column).astype(np.intc)
    return ContactProblem(
        np.ascontiguousarray(blocks / size), column.astype(np.intc), start, diagonal,
        np.ascontiguousarray((offset / load).reshape(count, d)), mu,
    )  # fmt: skip


def _refuse_unsupported(problem: ContactProblem, W: Matrix, q: Vector, mu: Vector, dim: int) -> None:
    """A contact that nothing can push apart, W_NN.. = 0, cannot have its q_N < 0 mended."""
    closing = np.flatnonzero(problem.q[:, 0] < 0.0)
    largest = np.maximum.reduceat(np.abs(problem.blocks[:, 0]).max(axis=1), problem.start[:-1])
    lost = closing[largest[closing] == 0.0]
    if len(lost):
        error = _failure(W, q, mu, np.zeros(len(q)), dim, 0.0)
        error.reason, error.rows = "infeasible", tuple(int(i) for i in lost)
        error.message = f"no reaction changes the normal velocity of contact {lost[0]}, which closes"
        error.fix = "take the contact out, or give its bodies a finite mass"
        raise error


# ----------------------------------------------------------------------------- solvers


def _attempts(
    problem: ContactProblem, r: Vector, solver: str | None, tolerance: float, limit: int
) -> Iterator[Step]:
    """Iterates to certify, each from the best one before; ends when there is nothing left to try."""
    if solver is not None:
        yield _RUN[solver](problem, r, tolerance, limit)
        return
    yield (step := _first_sweeps(problem, r, tolerance))
    r = step[1]
    yield (step := _newton(problem, r, tolerance, _NEWTON_STEPS))
    swept = r
    r = step[1]
    if problem.dim == 2 and problem.count <= _LEMKE_CONTACTS:
        yield _lemke(problem, r, tolerance, limit)
    yield (step := _proximal(problem, r, tolerance, min(limit, _ROUNDS)))
    yield (other := _proximal(problem, swept, tolerance, min(limit, 2 * _ROUNDS), 2))
    step = min(step, other, key=lambda tried: problem.residual(tried[1])[0])
    yield (step := _gauss_seidel(problem, step[1], tolerance, limit))
    # What a method circles around depends on where it comes from: other ways, ever longer.
    rounds, detour = _ROUNDS, 1
    while rounds < limit:
        yield (step := _proximal(problem, step[1], tolerance, rounds, detour))
        rounds, detour = 2 * rounds, detour + 1
    yield _proximal(problem, swept, tolerance, limit, detour)


def _first_sweeps(problem: ContactProblem, r: Vector, tolerance: float) -> Step:
    """Sweeps as long as they converge so fast that nothing else would be cheaper."""
    r = r.copy()
    residual, sweeps = problem.sweep(r, _FIRST_SWEEPS, tolerance)
    before = np.inf
    while tolerance < residual < _FAST * before and sweeps < _MOST_SWEEPS:
        before = residual
        residual, more = problem.sweep(r, _FIRST_SWEEPS, tolerance)
        sweeps += more
    return "gauss-seidel", r, sweeps


def _gauss_seidel(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    r = r.copy()
    _, sweeps = problem.sweep(r, limit, tolerance)
    return "gauss-seidel", r, sweeps


def _newton(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    r, _, steps = newton(problem, r, limit, tolerance)
    return "newton", r, steps


def _proximal(problem: ContactProblem, r: Vector, tolerance: float, limit: int, detour: int = 0) -> Step:
    r, _, steps = proximal_point(problem, r, limit, tolerance, detour)
    return "proximal", r, steps


def _lemke(problem: ContactProblem, r: Vector, tolerance: float, limit: int) -> Step:
    """Contacts in the plane as an LCP in (r_N, mu r_N - r_T, sliding velocity to the right).

    Their partners are u_N, the sliding velocity to the left and mu r_N + r_T.
    """
    from nsdgen.solvers.mlcp import solve_lcp

    n = problem.count
    W = _dense(problem).reshape(n, 2, n, 2)
    nn, nt, tn, tt = W[:, 0, :, 0], W[:, 0, :, 1], W[:, 1, :, 0], W[:, 1, :, 1]
    mu, one, none = problem.mu[:, 0], np.eye(n), np.zeros((n, n))
    M = np.block([[nn + nt * mu, -nt, none], [-(tn + tt * mu), tt, one], [2.0 * np.diag(mu), -one, none]])
    offset = np.concatenate([problem.q[:, 0], -problem.q[:, 1], np.zeros(n)])
    try:
        solution = solve_lcp(M, offset, tol=tolerance)
        z, count = solution.z, solution.iterations
    except SolverError as error:
        z, count = np.asarray(error.z), 0
    normal = z[:n]
    return "lemke", np.column_stack([normal, mu * normal - z[n : 2 * n]]), count


_RUN: dict[str, Callable[[ContactProblem, Vector, float, int], Step]] = {
    "gauss-seidel": _gauss_seidel,
    "newton": _newton,
    "lemke": _lemke,
    "proximal": _proximal,
}


def _dense(problem: ContactProblem) -> Vector:
    """The normalised W (n, n)."""
    count, d = problem.count, problem.dim
    W = np.zeros((count, count, d, d))
    W[np.repeat(np.arange(count), np.diff(problem.start)), problem.column] = problem.blocks
    return W.transpose(0, 2, 1, 3).reshape(count * d, count * d)


# ------------------------------------------------------------------------- certificate


def friction_residual(W: Matrix, q: Vector, mu: Vector, r: Vector, dim: int) -> Vector:
    """Natural map of each contact (contacts,), relative to the data: the certificate.

    ``mu`` is (contacts, disks). With m = max |W_ij|, the entries of r - P_K(r - u~ / m)
    are measured in max |q| / m; nothing of it depends on units, a frame of the tangents
    or the size of r. It uses none of the code of the solvers.
    """
    m = _largest(W)
    load = float(np.abs(q).max(initial=0.0)) or m
    r = r.reshape(-1, dim)
    u = (W @ r.ravel() + q).reshape(-1, dim)
    disks = [slice(1, min(dim, 3)), slice(3, 5)][: mu.shape[1]]
    x = r - u / m
    for k, disk in enumerate(disks):
        x[:, 0] -= mu[:, k] * np.linalg.norm(u[:, disk], axis=1) / m
    lengths = [np.linalg.norm(x[:, disk], axis=1) for disk in disks]
    height = _cone_height(x[:, 0], lengths, mu)
    nearest = np.column_stack([height, x[:, 1:]])
    for k, disk in enumerate(disks):
        radius = mu[:, k] * height
        outside = lengths[k] > radius
        shrink = np.divide(radius, lengths[k], out=np.ones_like(radius), where=outside)
        nearest[:, disk] *= shrink[:, None]
    residual = np.abs(r - nearest).max(axis=1) * (m / load)
    return np.where(np.isfinite(residual), residual, np.inf)


def _cone_height(x: Vector, lengths: list[Vector], mu: Vector) -> Vector:
    """Height of the nearest point of each cone: the zero of an increasing broken line, or 0.

    Each subset of disks that x lies outside of gives one piece of the line; the zero of a
    piece that is a zero of the whole is the height.
    """

    def broken(t: Vector) -> Vector:
        return t - x - sum(mu[:, k] * np.maximum(0.0, lengths[k] - mu[:, k] * t) for k in range(len(lengths)))

    best, least = np.zeros_like(x), np.full_like(x, np.inf)
    for subset in range(1 << len(lengths)):
        inside = [k for k in range(len(lengths)) if subset >> k & 1]
        top = x + sum(mu[:, k] * lengths[k] for k in inside)
        t = top / (1.0 + sum(mu[:, k] ** 2 for k in inside))
        off = np.abs(broken(t))
        best, least = np.where(off < least, t, best), np.minimum(off, least)
    return np.maximum(best, 0.0)


def _failure(W: Matrix, q: Vector, mu: Vector, r: Vector, dim: int, tol: float) -> SolverError:
    """The error for a problem that nothing solved; the worst contacts come first."""
    residual = friction_residual(W, q, mu, r, dim)
    order = np.argsort(-residual)
    rows: tuple[Any, ...] = tuple(int(i) for i in order[residual[order] > tol])
    error = SolverError(
        f"no solution passed the certificate; residual {residual.max(initial=0.0):.3g}",
        where=f"contact {rows[0]}" if rows else "",
        fix="rescale the problem, raise `max_iterations` or `tol`",
    )
    error.reason, error.z, error.rows = "not converged", r, rows
    return error
