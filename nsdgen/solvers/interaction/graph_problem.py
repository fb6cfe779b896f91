"""The one-step problem over an interaction graph, from Python: ``solve_graph``.

The compiled solver of a step (``_one_step.pxi``) with SciPy matrices in front of it. It starts
from a guess and is quick where the guess is near; it is not meant to solve everything:
``solve_mixed`` is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from nsdgen.abi import NO_SLIP, Cone
from nsdgen.errors import ParameterError
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.interaction._interaction import solve_arrays
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.linalg.ordering import minimum_degree
from nsdgen.solvers.solution import REASONS, Solution, failure

Ints = NDArray[np.intc]

METHODS = (None, "interior point")  # by their codes in _one_step.pxi
NEWTON = 2  # the code of the one behind these: Newton's method alone, which certifies nothing
DENSE = 4  # places for each entry: up to here to mark them costs less than to sort the entries
CONES = {2: Cone.COULOMB_2D, 3: Cone.COULOMB_3D, 5: Cone.ROLLING}  # by the rows of a contact


def solve_graph(
    A: csr_array,
    b: ArrayLike,
    cone: ArrayLike,
    bound: ArrayLike,
    *,
    initial: ArrayLike | None = None,
    tol: float = 1e-8,
    solver: str | None = None,
    repeat: int = 1,
) -> Solution:
    """Solve y = A z + b with cones row by row, each block of rows a node of the graph.

    ``A`` (n, n) is sparse with a symmetric pattern of blocks, ``cone`` (n,) holds the codes of
    ``nsdgen.abi.Cone``, -1 on the further rows of a friction block, ``bound`` (n, 2) the pairs
    (lower, upper) of box rows and (mu, mu_rolling) on the first row of friction blocks.
    ``solver="interior point"`` comes from inside (``_cone_interior.pxi``), whatever ``initial`` is; None
    is the automatic choice. ``seconds`` of the
    result are those of one of ``repeat`` solves in a row. Raises ``SolverError`` where no solution was
    found, ``ParameterError`` for a solver that is none of these.
    """
    if solver not in METHODS:
        raise ParameterError(f"solver must be 'interior point' or None, got {solver!r}")
    z = np.zeros(len(np.atleast_1d(b))) if initial is None else np.array(initial, dtype=float)
    y = np.zeros_like(z)
    status, residual, iterations, sweeps, deficiency, worst, seconds = solve_arrays(
        *_arrays(A, b, cone, bound), z, y, tol, repeat, METHODS.index(solver)
    )
    if status:
        raise failure(REASONS[min(status, len(REASONS) - 1)], z, y, residual, worst)
    return Solution(z, y, residual, solver or "newton", iterations + sweeps, deficiency, seconds)


def _arrays(A: csr_array, b: ArrayLike, cone: ArrayLike, bound: ArrayLike) -> tuple[Any, ...]:
    """What ``solve_arrays`` takes first: the graph of A, the rows of its nodes, their cones and bounds."""
    return graph_arrays(entries(csr_array(A)), b, cone, bound)


def graph_arrays(
    entries: tuple[Vector, NDArray[Any], NDArray[Any]],
    b: ArrayLike,
    cone: ArrayLike,
    bound: ArrayLike,
    order: Ints | None = None,
) -> tuple[Any, ...]:
    """The same for a matrix of ``entries`` (values, rows, columns); where places repeat the last one counts.

    ``order`` is that of elimination, of little fill where none is given.
    """
    cones = np.ascontiguousarray(cone, dtype=np.intc)
    row = np.append(np.flatnonzero(cones != FOLLOWS), len(cones)).astype(np.intc)
    start, column, places, value = block_rows(*entries, row)
    pairs = np.reshape(np.asarray(bound, dtype=float), (-1, 2))
    slopes = (cones >= Cone.COULOMB_2D)[:, None] if len(pairs) else np.zeros((0, 1), dtype=bool)
    bounds = np.ascontiguousarray(np.where(slopes, np.minimum(pairs, NO_SLIP), pairs).ravel())
    if order is None:
        order = minimum_degree(start, column)
    return row, start, column, places, value, order, cones, bounds, np.ascontiguousarray(b, dtype=float)


def entries(A: Matrix) -> tuple[Vector, NDArray[Any], NDArray[Any]]:
    """Values, rows and columns of the entries of a matrix, dense or in compressed rows."""
    if isinstance(A, np.ndarray):
        i, j = np.nonzero(A)
        return A[i, j], i, j
    return A.data, np.repeat(np.arange(A.shape[0]), np.diff(A.indptr)), A.indices


def block_rows(
    data: Vector, entry: NDArray[Any], indices: NDArray[Any], row: NDArray[Any]
) -> tuple[Ints, Ints, NDArray[np.int64], Vector]:
    """Block rows of a matrix, diagonal blocks first and stored even if empty."""
    count = len(row) - 1
    node = np.repeat(np.arange(count), np.diff(row))
    inner = np.arange(len(node)) - row[node]
    # The diagonal block of row p gets the key p * count - 1 + p - p, that is, comes before column 0.
    i, j = node[entry], node[indices]
    keys, block = numbered(i * (count + 1) + np.where(i == j, 0, j + 1), np.arange(count) * (count + 1))
    first, column = np.divmod(keys, count + 1)
    column = np.where(column == 0, first, column - 1)
    height = np.diff(row)
    size = height[first] * height[column]
    places = np.zeros(len(size) + 1, dtype=np.int64)
    np.cumsum(size, out=places[1:])
    value = np.zeros(places[-1])
    value[places[block] + inner[entry] * height[j] + inner[indices]] = data
    start = np.searchsorted(first, np.arange(count + 1)).astype(np.intc)
    return start, column.astype(np.intc), places[:-1], value


def numbered(key: NDArray[Any], more: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The keys that there are, ``more`` among them, ascending; and where each of ``key`` stands there."""
    end = len(more) * (len(more) + 1)
    if end > DENSE * len(key):
        keys, where = np.unique(np.concatenate([key, more]), return_inverse=True)
        return keys, where[: len(key)]
    there = np.zeros(end, dtype=bool)  # much quicker than to sort
    there[key] = there[more] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[key]
