"""Problems of several cones part by part: rows that nothing connects, each part in natural units and its own load."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Matrix, Vector, block
from nsdgen.solvers.boxes.attempts import solve_rows
from nsdgen.solvers.boxes.row_problem import RowProblem
from nsdgen.solvers.certify._certify import law_violations
from nsdgen.solvers.certify.mixed_certificate import DataUnits, Whole
from nsdgen.solvers.interaction.graph_problem import entries
from nsdgen.solvers.linalg._linalg import largest_entries, node_blocks
from nsdgen.solvers.linalg.connected_parts import connected_parts
from nsdgen.solvers.mixed.cone_graph import ConePart
from nsdgen.solvers.mixed.cone_problem import ConeProblem
from nsdgen.solvers.scaling.natural_units import in_units
from nsdgen.solvers.scaling.visible_units import visible_units
from nsdgen.solvers.solution import Solution

Rows = NDArray[np.intp]

ALIKE = 2.0**16  # of positive diagonal entries: units are then those of the data
DOMINATES = 1e3  # an entry beside the root of its diagonal entries, where these say too little
TINY = float(np.finfo(float).tiny)  # counts for nothing but a connection
SMALL = 200  # rows up to which a part of a sparse problem is quicker dense


@dataclass(frozen=True)
class ConeParts:
    """All connected parts with friction, rows ``first[k]`` ... ``first[k + 1]`` - 1 of ``together`` part k.

    ``rest`` are the rows of the data that nothing connects with friction.
    """

    together: ConePart
    first: Rows
    rest: Rows

    def part(self, k: int) -> ConePart:
        """Part k by itself."""
        all_, (a, b) = self.together, self.first[k : k + 2].tolist()
        if len(self.first) == 2:
            return all_
        of, rows = all_.problem, slice(a, b)
        A = of.A[rows, rows]
        A = A if isinstance(A, np.ndarray) or b - a > SMALL else A.toarray()
        contacts = [(x[mine] - a, mu[mine]) for x, mu in of.contacts if (mine := (x[:, 0] >= a) & (x[:, 0] < b)).any()]
        problem = ConeProblem(A, of.b[rows], of.lower[rows], of.upper[rows], contacts, of.tol)
        rate, unit, beside = all_.rate[rows], all_.unit[rows], all_.beside
        return ConePart(
            all_.rows[rows], rate, unit, problem, beside and DataUnits(beside.whole, rate, unit, beside.size[rows])
        )  # fmt: skip


def cone_parts(whole: ConeProblem) -> ConeParts:
    """The parts of a problem with friction in which b is not zero."""
    n, heights = len(whole.b), []
    for rows, _ in whole.contacts:
        heights += [rows.shape[1]] * len(rows)
    touched = np.concatenate([rows.ravel() for rows, _ in whole.contacts])
    others = np.ones(n, dtype=bool)
    others[touched] = False
    order, count = np.concatenate([touched, np.flatnonzero(others)]), len(heights)
    height = np.concatenate([np.array(heights, dtype=np.intp), np.ones(n - len(touched), dtype=np.intp)])
    sizes = _sizes(whole.A, order, height)
    rate, unit = _units(sizes)
    begins, nodes = connected_parts(sizes)
    label = np.empty(len(height), dtype=np.intp)
    label[nodes] = np.repeat(np.arange(len(begins) - 1), np.diff(begins))
    frictional = np.zeros(len(begins) - 1, dtype=bool)
    frictional[label[:count]] = True
    by_part = np.argsort(label, kind="stable")  # contacts first in each part
    mine = by_part[frictional[label[by_part]]]
    ends = np.cumsum(height)
    tall = height[mine]
    rows = order[np.repeat(ends[mine] - np.cumsum(tall), tall) + np.arange(tall.sum())]
    each = np.repeat(label[mine], tall)
    first = np.append(np.searchsorted(each, np.flatnonzero(frictional)), len(each))
    others[:] = True
    others[rows] = False
    together = _together(whole, rows, first, np.repeat(rate[mine], tall), np.repeat(unit[mine], tall))
    return ConeParts(together, first, np.flatnonzero(others))


def _together(whole: ConeProblem, rows: Rows, first: Rows, rate: Vector, unit: Vector) -> ConePart:
    """The rows ``rows`` in units rate y and z / unit, those of each part less its load."""
    A = block(whole.A, rows)
    if not isinstance(A, np.ndarray) and len(rows) <= SMALL:
        A = A.toarray()
    A, b = in_units(A, rate, unit), rate * whole.b[rows]
    largest = np.maximum.reduceat(np.abs(b), first[:-1])
    load = np.repeat(np.exp2(np.rint(np.log2(np.where(largest > 0.0, largest, 1.0)))), np.diff(first))
    unit, place = unit * load, np.empty(len(whole.b), dtype=np.intp)
    place[rows] = np.arange(len(rows))
    contacts = []
    for mine, mu in whole.contacts:
        begins = np.argsort(place[mine[:, 0]])
        contacts.append((place[mine[begins]], mu[begins]))
    problem = ConeProblem(A, b / load, whole.lower[rows] / unit, whole.upper[rows] / unit, contacts, whole.tol)
    rate = load / rate
    if sum(mine.size for mine, _ in contacts) < len(whole.b):
        return ConePart(rows, rate, unit, problem)
    if isinstance(A, np.ndarray):
        largest = np.abs(A).max(axis=1)
    else:
        largest = np.zeros(len(rows))
        np.maximum.at(largest, np.repeat(np.arange(len(rows)), np.diff(A.indptr)), np.abs(A.data))
    largest = np.maximum.reduceat(largest, first[:-1])
    size = np.repeat(np.where(largest > 0.0, largest, 1.0), np.diff(first))
    return ConePart(rows, rate, unit, problem, DataUnits(Whole.of(whole.A, whole.b), rate, unit, size))


def solve_cones(problem: ConeProblem, start: Vector, solver: str | None) -> Solution:
    """The certified solution from a guess (n,), part by part; ``solver`` is one of ``SOLVERS`` or PRECISE, or None.

    Many parts first go through the solver of a step together. Raises ``SolverError`` with rows of the problem.
    """
    z, y = np.zeros_like(problem.b), np.zeros_like(problem.b)
    found: list[Solution] = []
    parts = cone_parts(problem)
    left = list(range(len(parts.first) - 1))
    if len(left) > 1 and solver is None and parts.together.is_whole:
        found, left = _at_once(parts, start, z, y)
    for part in map(parts.part, left):
        try:
            found.append(part.solution(start, solver))
        except SolverError as error:
            z[part.rows] = error.z
            error.z = z
            raise
        z[part.rows], y[part.rows] = found[-1].z, found[-1].w
    if len(parts.rest):
        found.append(_solve_rest(problem, parts.rest, start))
        z[parts.rest], y[parts.rest] = found[-1].z, found[-1].w
    return Solution(
        z, y, max(part.residual for part in found), found[0].solver, sum(part.iterations for part in found),
        sum(part.rank_deficiency for part in found), sum(part.seconds for part in found),
        max(part.of_load for part in found),
    )  # fmt: skip


def _at_once(parts: ConeParts, start: Vector, z: Vector, y: Vector) -> tuple[list[Solution], list[int]]:
    """What the solver of a step solves of all parts, put into ``z`` and ``y``, and the parts that are left."""
    all_, first = parts.together, parts.first
    inner, raw, off, steps, seconds = all_.at_once(start, first)
    worst = np.maximum.reduceat(off, first[:-1])
    solved = np.repeat(worst <= all_.problem.tol, np.diff(first))
    rows = all_.rows[solved]
    z[rows], y[rows] = (all_.unit * inner)[solved], (all_.rate * raw)[solved]
    inner[~solved], raw[~solved] = 0.0, 0.0
    some = Solution(z, y, float(worst[worst <= all_.problem.tol].max(initial=0.0)), "newton", steps,
                    all_.open_reactions(inner), seconds, all_.of_load(inner, raw))  # fmt: skip
    return [some], np.flatnonzero(~(worst <= all_.problem.tol)).tolist()


def _solve_rest(problem: ConeProblem, rows: Rows, start: Vector) -> Solution:
    """The rows that nothing connects with friction."""
    try:
        return solve_rows(
            RowProblem(
                block(problem.A, rows),
                problem.b[rows],
                problem.lower[rows],
                problem.upper[rows],
                start[rows],
                problem.tol,
            )
        )
    except SolverError as error:
        error.rows = tuple(int(rows[i]) for i in error.rows)
        error.z = None
        raise


def friction_residual(W: Matrix, q: Vector, mu: Vector, r: Vector, dim: int) -> Vector:
    """The residual of each contact (contacts,) of u = W r + q at r (n,); ``mu`` is (contacts, disks)."""
    rows, free = np.arange(len(q)).reshape(-1, dim), np.full(len(q), np.inf)
    if not q.any():
        u, off = np.ascontiguousarray(W @ r).reshape(-1, dim), np.empty(len(mu))
        law_violations(u, r.reshape(-1, dim), mu, np.full(len(mu), Whole.of(W, q).size), np.full(len(mu), np.inf), off)
        return off
    together = cone_parts(ConeProblem(W, q, -free, free, [(rows, mu)], 0.0)).together
    residual = np.empty(len(q))
    residual[together.rows] = together.judged(r[together.rows] / together.unit)[1]
    return residual[rows[:, 0]]


def _sizes(A: Matrix, order: Rows, heights: Rows) -> Matrix:
    """The largest |entry| between any two nodes of ``heights``, whose rows are ``order``; the pattern is symmetric."""
    count, node = len(heights), np.empty(len(order), dtype=np.intc)
    node[order] = np.repeat(np.arange(count), heights)
    if isinstance(A, np.ndarray):
        size = largest_entries(np.ascontiguousarray(A), node, count)
        return np.where((size == 0.0) & (size.T != 0.0), TINY, size)
    data, i, j = entries(A)
    i, j = node[i], node[j]
    start, column, block_of = node_blocks(np.concatenate([i, j]), np.concatenate([j, i]), count)
    largest = np.zeros(len(column))
    np.maximum.at(largest, block_of[: len(data)], np.abs(data))
    return csr_array((largest, column, start), shape=(count, count))


def _units(sizes: Matrix) -> tuple[Vector, Vector]:
    """Powers of two for y and z of each node."""
    diagonal, one = sizes.diagonal(), np.ones(sizes.shape[0])
    own = diagonal > 0.0
    if own.all() and diagonal.max() < ALIKE * diagonal.min():
        return one / np.exp2(np.rint(np.log2(diagonal.max()))), one
    # Those of masses, and of what moves them, where these say enough: the same for y and z.
    root = np.where(own, np.exp2(np.rint(-0.5 * np.log2(np.where(own, diagonal, 1.0)))), 0.0)
    if own.any() and in_units(sizes, root, root).max() <= DOMINATES:
        reach = np.ravel(_dense(in_units(sizes, one, root).max(axis=1)))
        unit = np.where(own, root, np.exp2(np.rint(-np.log2(np.where(reach > 0.0, reach, 1.0)))))
        if (own | (reach > 0.0)).all() and in_units(sizes, unit, unit).max() <= DOMINATES:
            return unit, unit
    return visible_units(sizes)


def _dense(A: Matrix) -> Vector:
    return A if isinstance(A, np.ndarray) else np.asarray(A.toarray())
