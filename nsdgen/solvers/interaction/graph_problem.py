"""The one-step problem over an interaction graph, from Python: ``solve_graph``.

The compiled solver of a step (``_one_step.pxi``) with SciPy matrices in front of it. It starts
from a guess and is quick where the guess is near; it is not meant to solve everything:
``solve_mixed`` is.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from nsdgen.abi import NO_SLIP, Cone
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.interaction._interaction import solve_arrays
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.linalg._linalg import node_blocks
from nsdgen.solvers.linalg.ordering import minimum_degree
from nsdgen.solvers.solution import REASONS, Solution, failure

Ints = NDArray[np.intc]

CONES = {2: Cone.COULOMB_2D, 3: Cone.COULOMB_3D, 5: Cone.ROLLING}  # by the rows of a contact


def solve_graph(
    A: csr_array,
    b: ArrayLike,
    cone: ArrayLike,
    bound: ArrayLike,
    *,
    initial: ArrayLike | None = None,
    tol: float = 1e-8,
    repeat: int = 1,
) -> Solution:
    """Solve y = A z + b with cones row by row, each block of rows a node of the graph.

    ``A`` (n, n) is sparse, ``cone`` (n,) holds the codes of
    ``nsdgen.abi.Cone``, -1 on the further rows of a friction block, ``bound`` (n, 2) the pairs
    (lower, upper) of box rows and (mu, mu_rolling) on the first row of friction blocks. ``seconds`` of the
    result are those of one of ``repeat`` solves in a row. Raises ``SolverError`` where no solution was found.
    """
    z = np.zeros(len(np.atleast_1d(b))) if initial is None else np.array(initial, dtype=float)
    y = np.zeros_like(z)
    status, residual, iterations, sweeps, deficiency, worst, seconds = solve_arrays(
        *graph_arrays(entries(csr_array(A)), b, cone, bound), z, y, tol, repeat
    )
    if status:
        raise failure(REASONS[min(status, len(REASONS) - 1)], z, y, residual, worst)
    return Solution(z, y, residual, "newton", iterations + sweeps, deficiency, seconds)


def graph_arrays(
    entries: tuple[Vector, NDArray[Any], NDArray[Any]],
    b: ArrayLike,
    cone: ArrayLike,
    bound: ArrayLike,
    order: Ints | None = None,
) -> tuple[Any, ...]:
    """The same for a matrix of ``entries`` (values, rows, columns).

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
    """Block rows of a matrix of a symmetric pattern, diagonal blocks first and stored even if empty."""
    height = np.diff(row)
    node = np.repeat(np.arange(len(height), dtype=np.intc), height)
    i, j = node[entry], node[indices]
    start, column, block = node_blocks(np.concatenate([i, j]), np.concatenate([j, i]), len(height))
    places = np.zeros(len(column) + 1, dtype=np.int64)
    np.cumsum(np.repeat(height, np.diff(start)) * height[column], out=places[1:])
    value = np.zeros(places[-1])
    value[places[block[: len(data)]] + (entry - row[i]) * height[j] + indices - row[j]] = data
    return start, column, places[:-1], value
