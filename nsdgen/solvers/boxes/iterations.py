"""The iterations on sparse box problems, in the order in which they are tried.

1. ``active set``: primal-dual active sets, sparse LU of the rows inside. Where it makes no
   progress, one row at a time, which is finite for P-matrices.
2. ``interior point``: the central path, in some forty steps whatever the size. Its end is
   the guess of the active sets; where they do not finish, proximal steps from there do.
3. ``newton``: the solver of a step, for problems that are not monotone; its end is the guess of active sets.

A result that need not be the only one is followed by ``_shortest``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.boxes.face import BoxProblem, States
from nsdgen.solvers.interaction.graph_problem import solve_graph

__all__ = ["FAR_APART", "ITERATIONS", "Outcome", "iterate"]

SWEEPS = 200  # a long chain takes about a hundred
BRIEF = 25  # sweeps where the interior point comes next: it costs about twice as many
FINISH = 8  # sweeps from its end
PATIENCE = 4  # sweeps without progress before rows are moved one at a time
LONG_PATIENCE = 40  # the same where few rows are wrong
FEW = 0.01  # of all rows
SINGLE_SWEEPS = 10  # rows moved one at a time: what these do not mend another method does sooner
PROXIMAL_SHARES = (1e-2, 1e-4, 1e-4, 1e-4)  # of the shift: what is left of w is the shift times the step
FINE = 1e-2  # of the tolerance: a proximal step more would gain nothing
FAR_APART = 2.0**8  # units of rows or columns that are worth a change
TOO_FAR_APART = 2.0**16  # for one shift of all rows

# (z, what ended it, rank deficiency), or None where the method found nothing.
Outcome = tuple[Vector, str, int] | None


def iterate(problem: BoxProblem, z: Vector, names: tuple[str, ...]) -> Outcome:
    """What the first of the methods ``names`` finds that passes the certificate, from the guess ``z``."""
    sweeps = BRIEF if names[1:2] == ("interior point",) else SWEEPS
    for name in names:
        outcome = ITERATIONS[name](problem, z, sweeps)
        if outcome is not None and problem.residual(outcome[0]) <= problem.tol:
            return outcome
    return None


def _sweep(
    problem: BoxProblem, states: States, sweeps: int, shift: Vector | None = None
) -> tuple[States, Vector] | None:
    """Solve and correct until all signs are right; None where singular or out of patience.

    The last few rows of a long chain are put right one after the other: no progress is
    only lost patience with, at once where the states come back.
    """
    fewest, patience, single = problem.n + 1, PATIENCE, 0
    seen = set()
    for _ in range(sweeps):
        z = problem.solve(states, shift)
        if z is None:
            return None
        moved, wrong = problem.correct(states, z, shift)
        if not len(wrong):
            return states, z
        if len(wrong) < fewest:
            fewest = len(wrong)
            patience = PATIENCE if fewest > FEW * problem.n else LONG_PATIENCE
        else:
            patience -= 1
        digest = moved.tobytes()
        if patience < 0 or digest in seen:
            single += 1
            if single > SINGLE_SWEEPS:
                return None
            kept = states.copy()
            kept[wrong[-1]] = moved[wrong[-1]]
            moved = kept
        seen.add(digest)
        states = moved
    return None


def _shortest(problem: BoxProblem, states: States, sweeps: int) -> Outcome:
    """The shortest of many solutions: the limit of those of M + eps I, on whose face M is solved.

    Where the units of the rows are too far apart for one eps, each row gets its own.
    """
    for shift in problem.shifts():
        found = _sweep(problem, states, sweeps, shift)
        if found is None:
            continue
        face, z = found
        face = np.where(face == 0, problem.states_of(z), face).astype(np.int8)
        outcome = _on_face(problem, face, shift)
        if outcome is not None:
            return outcome
    return None


def _on_face(problem: BoxProblem, states: States, shift: Vector) -> Outcome:
    """The shortest z with these states, where it is a solution."""
    shortest = problem.solve_shortest(states, shift)
    if shortest is None:
        return None
    z = np.clip(shortest[0], problem.lower, problem.upper)
    return (z, "least norm", shortest[1]) if problem.residual(z) <= problem.tol else None


def _active_set(problem: BoxProblem, z: Vector, sweeps: int) -> Outcome:
    """Primal-dual active sets from the bounds that z meets."""
    start = problem.states_of(z)
    found = _sweep(problem, start, sweeps)
    if found is None:
        return _shortest(problem, start, sweeps)
    if _unique(problem, *found):
        return found[1], "active set", 0
    return _shortest(problem, found[0], sweeps) or (found[1], "active set", 0)


def _unique(problem: BoxProblem, states: States, z: Vector) -> bool:
    """Whether z, found on a regular face, is known to be the only solution."""
    open_rows = problem.degenerate(states, z)
    return not open_rows.any() or (_symmetric(problem.M) and problem.regular((states == 0) | open_rows))


def _interior_point(problem: BoxProblem, z: Vector, _sweeps: int) -> Outcome:
    """From inside, whatever the guess: the end for M + eps I lies beside the shortest solution; then the face of it.

    Where the active sets do not finish from there, ``_proximal`` does: its solution is one of
    many and marked so, but not the shortest.
    """
    units = problem.units()
    shift = problem.shifts()[int(units.max() > TOO_FAR_APART * units.min())]
    end = _over_graph(problem, z, shift, "interior point")
    states = problem.states_of(end)
    found = _sweep(problem, states, FINISH)
    if found is not None and _unique(problem, *found):
        return found[1], "interior point", 0
    outcome = _on_face(problem, states, shift) or _shortest(problem, states, FINISH)
    if outcome is None:
        outcome = _proximal(problem, end, shift) if found is None else (found[1], "active set", 0)
    return None if outcome is None else (outcome[0], "interior point", outcome[2])


def _proximal(problem: BoxProblem, z: Vector, shift: Vector) -> Outcome:
    """A solution near z: the limit of the steps -w in N(z'), w = M z' + q + shift (z' - z).

    Source: R. T. Rockafellar, Monotone operators and the proximal point algorithm, SIAM J.
    Control and Optimization 14, 1976. Each step is a problem with one solution.
    The shift shrinks, or eigenvalues below it would make the steps many.
    """
    best, least = z, np.inf
    for share in PROXIMAL_SHARES:
        near = problem.recentred(z, share * shift)
        found = _sweep(near, problem.states_of(z), FINISH, share * shift)
        inner = _over_graph(near, z, share * shift, "interior point") if found is None else found[1]
        end = np.clip(inner, problem.lower, problem.upper)
        problem.work += near.work
        if problem.largest(end - z) > problem.largest(z):
            break  # steps that grow as the shift shrinks: nothing holds z, and no large z shall pass for a solution
        z, residual = end, problem.residual(end)
        if residual < least:
            best, least = z, residual
        if least <= FINE * problem.tol:
            break
    if not least <= problem.tol:
        return None
    return best, "proximal", max(problem.deficiency(problem.states_of(best), shift), 1)


def _newton(problem: BoxProblem, z: Vector, _sweeps: int) -> Outcome:
    """The solver of a step, each row a node, then the face on which it ended."""
    z = _over_graph(problem, z, np.zeros(problem.n), None)
    outcome = _active_set(problem, z - (problem.M @ z + problem.q) / problem.units(), SWEEPS)
    return None if outcome is None else (outcome[0], "newton", outcome[2])


def _over_graph(problem: BoxProblem, z: Vector, shift: Vector, solver: str | None) -> Vector:
    """Where ``solve_graph`` ends for M + diag(shift) from the guess ``z``, its best iterate if it does not arrive."""
    row, column = problem.row_scale, problem.column_scale
    lower, upper = problem.lower / column, problem.upper / column
    A = coo_array(diags_array(row) @ (problem.M + diags_array(shift)) @ diags_array(column))
    (i, j), nothing = A.coords, np.zeros(A.nnz)  # the pattern of a graph is symmetric
    A = coo_array((np.append(A.data, nothing), (np.append(i, j), np.append(j, i))), shape=A.shape)
    cone = np.where(np.isinf(upper), np.where(lower == 0.0, Cone.COMPLEMENTARITY, Cone.BOX), Cone.BOX)
    cone[np.isinf(lower) & np.isinf(upper)] = Cone.EQUALITY
    bound, tol = np.column_stack([lower, upper]), problem.tol
    try:
        end = solve_graph(csr_array(A), row * problem.q, cone, bound, initial=z / column, tol=tol, solver=solver).z
    except SolverError as error:
        end = np.asarray(error.z)
    return np.clip(end * column, problem.lower, problem.upper)


def _symmetric(M: csr_array) -> bool:
    difference, total = abs(M - M.T), abs(M) + abs(M.T)
    return (difference - 1e-12 * total).max() <= 0.0


ITERATIONS: dict[str, Callable[[BoxProblem, Vector, int], Outcome]] = {
    "active set": _active_set, "interior point": _interior_point, "newton": _newton,
}  # fmt: skip
"""By name, in the order in which they are tried: from a guess and with so many sweeps of active sets, what is found."""
