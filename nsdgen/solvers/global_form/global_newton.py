"""Semismooth Newton for frictional contacts in global variables (v, r), on the Alart-Curnier function F.

Each step solves, with a sparse LU,

    [ M + beta I   -H                      ] [dv]     [ M v - H r - f + beta (v - v_0) ]
    [ F_u H^T      F_r + (alpha + eps) F_u ] [dr] = - [ F(r, u)                        ]

with u = H^T v + b + alpha (r - r_0). W = H^T M^-1 H is never formed, and M need not be regular, nor symmetric.
alpha = beta = 0 is the problem itself; otherwise it is a better posed one, a round of the proximal point
method around (v_0, r_0), which has the same solutions where it ends where it began. beta is zero where
M is regular. eps, in the matrix only, makes it regular where contacts share fewer freedoms than they have
reactions; a singular M gets such a shift as well. The problem solved is always the one
given. Everything is in the natural units of ``GlobalProblem``.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csc_array, eye_array
from scipy.sparse.linalg import splu

from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.contacts.contact_newton import REACH
from nsdgen.solvers.global_form.global_problem import CoulombLaw, GlobalProblem
from nsdgen.solvers.linalg.sparse_lu import NEARLY_SYMMETRIC, sparse_lu

__all__ = ["FINE_SHIFT", "SHIFT", "GlobalNewton", "State", "global_proximal", "with_friction"]

State = tuple[Vector, Vector]  # v (n), r (contacts, dim)

SHIFT = 1e-9  # eps, beside W_ii near 1
FINE_SHIFT = 1e-14  # where masses are far apart a larger one drowns the mobility of the heavy ones
_MASS_SHIFT = 1e-8  # of the diagonal of M where M is singular
_SOFT = 1e-8  # of the stiffest direction of a contact: one without a scale of its own
_DENSE_UNKNOWNS = 120  # up to here a dense factorisation is the faster one
_PATIENCE = 10  # full steps in a row that bring nothing
_HALVINGS = 8
_ORDERED = NEARLY_SYMMETRIC | {"permc_spec": "NATURAL"}

_ALPHA, _LEAST, _LARGEST = 1e-3, 1e-9, 10.0  # alpha of the proximal rounds: first, least, largest
_BETA = 100.0  # beta beside alpha
_FALL, _RISE = 0.2, 10.0
_EASY, _STEPS = 8, 15  # Newton steps of a round after which alpha falls; at most
_REACHES = (1.0, 30.0, 5.0)  # in turn after failures
_ACCURACY = 1e-2  # of a round, relative to the residual it starts from
_IDLE = 12  # rounds in a row that bring nothing


@dataclass(frozen=True)
class _Layout:
    """Where the entries of the matrix go; the same for all steps on one problem.

    ``contact``, ``freedom`` (pairs) are the contacts and freedoms that H joins, ``directions`` (pairs, dim)
    its entries. The values M, -H, F_u H^T, the blocks by r, in this order, taken by ``place``, are those
    of compressed columns ``indices``, ``indptr`` in an order of little fill; unknown ``order[k]`` comes
    k-th. ``indices`` is None for a dense matrix, ``place`` then its positions. ``constant`` are M and -H,
    ``diagonal`` is where among them the diagonal of a singular M is.
    """

    contact: NDArray[np.intp]
    freedom: NDArray[np.intp]
    directions: Vector
    constant: Vector
    diagonal: NDArray[np.intp]
    place: NDArray[np.intp]
    order: NDArray[np.intp]
    indices: NDArray[np.intc] | None
    indptr: NDArray[np.intc] | None


def _layout_of(problem: GlobalProblem) -> _Layout | None:
    """The layout for a problem; None where no values make its matrix regular."""
    n = problem.M.shape[0]
    count, dim = problem.b.shape
    size = n + count * dim
    H = coo_array(problem.H)
    key, pair = np.unique(H.coords[1] // dim * max(n, 1) + H.coords[0], return_inverse=True)
    contact, freedom = np.divmod(key, max(n, 1))
    directions = np.zeros((len(key), dim))
    directions[pair, H.coords[1] % dim] = H.data
    M = coo_array(problem.M if problem.regular else problem.M + _MASS_SHIFT * eye_array(n))
    diagonal = np.flatnonzero(M.coords[0] == M.coords[1]) if not problem.regular else np.zeros(0, dtype=np.intp)
    inner = np.arange(dim)
    rows = n + (contact[:, None] * dim + inner)
    own = n + np.arange(count)[:, None] * dim + inner
    row = np.concatenate([
        M.coords[0], np.repeat(freedom, dim), rows.ravel(), np.repeat(own, dim, axis=1).ravel()
    ])  # fmt: skip
    column = np.concatenate([
        M.coords[1], rows.ravel(), np.repeat(freedom, dim), np.tile(own, (1, dim)).ravel()
    ])  # fmt: skip
    constant = np.concatenate([M.data, -directions.ravel()])
    if size <= _DENSE_UNKNOWNS:
        place = row * size + column
        return _Layout(contact, freedom, directions, constant, diagonal, place, np.arange(size), None, None)
    # An order for values as they are typical: no direction of a contact is without an entry.
    typical = np.concatenate([constant, directions.ravel(), np.tile(np.eye(dim).ravel(), count)])
    factor = sparse_lu(csc_array((typical, (row, column)), shape=(size, size)), **NEARLY_SYMMETRIC)
    if factor is None:
        return None
    rank = np.asarray(factor.perm_c, dtype=np.intp)
    order = np.argsort(rank)
    row, column = rank[row], rank[column]
    place = np.lexsort((row, column))
    indptr = np.searchsorted(column[place], np.arange(size + 1)).astype(np.intc)
    return _Layout(contact, freedom, directions, constant, diagonal, place, order, row[place].astype(np.intc), indptr)


@dataclass
class GlobalNewton:
    """Newton's method on one problem; holds what its steps share. ``steps`` counts factorisations."""

    problem: GlobalProblem
    reach: float = REACH
    alpha: float = 0.0
    center: State | None = None
    shift: float = SHIFT
    steps: int = 0
    _layout: _Layout | None = field(init=False)
    _rho: Vector = field(init=False)

    def __post_init__(self) -> None:
        self._layout = _layout_of(self.problem)
        self._reach(self.reach)

    def _reach(self, reach: float) -> None:
        """rho of each contact, normal and tangential, from its own stiffness."""
        stiffness = self.problem.stiffness
        largest = stiffness.max(axis=1, initial=0.0)
        scale = np.where(largest > 0.0, largest, 1.0)
        normal, tangent = stiffness[:, 0], stiffness[:, 1:].mean(axis=1)
        pair = (np.where(x > _SOFT * scale, x, scale) for x in (normal, tangent))
        self._rho = reach / (np.column_stack([*pair]) + self.alpha)

    @property
    def beta(self) -> float:
        """The weight of the proximal term in the dynamics, in proportion to ``alpha``; 0 where M is regular."""
        return 0.0 if self.problem.regular else _BETA * self.alpha

    def aimed(self, alpha: float, center: State | None, reach: float) -> None:
        """Turn to the round with ``alpha`` around ``center``."""
        self.alpha, self.center = alpha, center
        self._reach(reach)

    def velocity(self, v: Vector, r: Vector) -> Vector:
        """u, with the proximal term of the round."""
        u = self.problem.velocity(v)
        return u if self.center is None else u + self.alpha * (r - self.center[1])

    def imbalance(self, v: Vector, r: Vector) -> Vector:
        """M v - H r - f, with the proximal term of the round."""
        off = self.problem.imbalance(v, r)
        return off if self.center is None or not self.beta else off + self.beta * (v - self.center[0])

    def residual(self, v: Vector, r: Vector) -> float:
        """The largest natural map or imbalance of the round."""
        pull = 0.0 if self.center is None or not self.beta else self.beta * (v - self.center[0])
        value = max(self.problem.off_balance(v, r, pull), self.problem.law.residual(self.velocity(v, r), r))
        return value if np.isfinite(value) else np.inf

    def _merit(self, v: Vector, r: Vector) -> float:
        """2-norm of all rows; in natural units they compare."""
        f = self.problem.law.linearize(self._rho, self.velocity(v, r), r)[0]
        return float(np.hypot(np.linalg.norm(f), np.linalg.norm(self.imbalance(v, r))))

    def _step(self, v: Vector, r: Vector) -> State | None:
        """(dv, dr), or None where the matrix is singular."""
        problem, layout = self.problem, self._layout
        if layout is None:
            return None
        f, by_r, by_u = problem.law.linearize(self._rho, self.velocity(v, r), r)
        coupling = np.einsum("pij,pj->pi", by_u[layout.contact], layout.directions)
        own = by_r + (self.alpha + self.shift) * by_u
        values = np.concatenate([layout.constant, coupling.ravel(), own.ravel()])
        values[layout.diagonal] += self.beta
        right = -np.concatenate([self.imbalance(v, r), f.ravel()])
        self.steps += 1
        x = _solved(layout, values, right)
        if x is None or not np.isfinite(x).all():
            return None
        return x[: len(v)], x[len(v) :].reshape(r.shape)

    def run(self, start: State, full: int, damped: int, tolerance: float) -> tuple[State, float]:
        """At most ``full`` full steps, then, from the best iterate, ``damped`` ones; best iterate and residual.

        Full steps end after _PATIENCE of them in a row that bring nothing, damped ones where no length
        along the direction helps, both where the matrix is singular.
        """
        best, least = start, self.residual(*start)
        v, r = start
        idle = 0
        for _ in range(full):
            if least <= tolerance or idle == _PATIENCE:
                break
            step = self._step(v, r)
            if step is None:
                break
            v, r = v + step[0], r + step[1]
            residual = self.residual(v, r)
            idle += 1
            if residual < least:
                best, least, idle = (v, r), residual, 0
        v, r = best
        merit = self._merit(v, r)
        for _ in range(damped):
            if least <= tolerance:
                break
            step = self._step(v, r)
            length = 1.0 if step is not None else 0.0
            for _ in range(_HALVINGS if step is not None else 0):
                trial = v + length * step[0], r + length * step[1]  # type: ignore[index]
                new = self._merit(*trial)
                if new <= (1.0 - 1e-4 * length) * merit:
                    break
                length *= 0.5
            else:
                break
            (v, r), merit = trial, new
            residual = self.residual(v, r)
            if residual < least:
                best, least = (v, r), residual
        return best, least


def _solved(layout: _Layout, values: Vector, right: Vector) -> Vector | None:
    """The matrix of ``values`` divided into ``right``; None where it is singular."""
    size = len(right)
    if layout.indices is None:
        matrix = np.bincount(layout.place, values, size * size).reshape(size, size)
        try:
            return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
    matrix = csc_array((values[layout.place], layout.indices, layout.indptr), shape=(size, size))
    try:
        # The pattern was seen to be regular when the layout was made.
        factor = splu(matrix, **_ORDERED)
    except RuntimeError:
        return None
    x = np.empty(size)
    x[layout.order] = factor.solve(right[layout.order])
    return x


def global_proximal(
    problem: GlobalProblem, start: State, rounds: int, tolerance: float, detour: int = 0, patience: int = _IDLE
) -> tuple[State, float, int]:
    """At most ``rounds`` proximal rounds by Newton's method: best iterate, its residual, Newton steps.

    alpha falls while the rounds are easy, so that the last ones converge superlinearly, and rises
    after a round that failed. ``detour`` numbers the ways to go on after a failure. Ends early after
    ``patience`` rounds in a row that bring nothing.
    """
    method = GlobalNewton(problem)
    best, least = start, problem.residual(*start)
    (v, r), residual = start, least
    alpha, failures, idle = _ALPHA, detour, 0
    for _ in range(rounds):
        if least <= tolerance or idle == patience:
            break
        method.aimed(alpha, (v, r), _REACHES[failures % len(_REACHES)])
        before, steps = method.residual(v, r), method.steps
        goal = max(0.1 * tolerance, min(_ACCURACY * residual, 0.3 * before))
        trial, reached = method.run((v, r), _STEPS if failures % 2 else 0, _STEPS, goal)
        if reached > goal:
            alpha = min(alpha * _RISE, _LARGEST)
            failures += 1
        elif method.steps - steps <= _EASY:
            alpha = max(alpha * _FALL, _LEAST)
        if reached <= goal or reached < before:
            (v, r), residual = trial, problem.residual(*trial)
        idle += 1
        if residual < least:
            best, least, idle = (v, r), residual, 0
    return best, least, method.steps


def with_friction(problem: GlobalProblem, share: float) -> GlobalProblem:
    """The problem with a share of its friction: without any it is convex."""
    mu = share * problem.mu
    return replace(problem, mu=mu, law=CoulombLaw(mu, problem.b.shape[1]))
