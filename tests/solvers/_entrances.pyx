# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Functions of the solvers that only compiled code calls, for tests: see ``entrances.py``."""

from libc.string cimport memcpy, memset

import numpy as np

from nsdgen.solvers.linalg._linalg cimport (
    SPARSE_LU_NO_MEMORY, SPARSE_LU_NONFINITE, SPARSE_LU_OK, SparseLU, TreeFactors, sparse_lu_backward,
    sparse_lu_backward_transposed, sparse_lu_clear, sparse_lu_factor, sparse_lu_forward, sparse_lu_forward_transposed,
    sparse_lu_free, sparse_lu_init, sparse_lu_pattern, tree_factor, tree_solve,
)
from nsdgen.solvers.one_contact._one_contact cimport solve_contact
from nsdgen.solvers.piles._piles cimport BodySteps, body_steps_free, body_steps_lay_out, body_steps_solve


cdef class SparseFactors:
    """P W Q = L U of matrices of one pattern: ``SparseFactors(n, row, column, order)``, then ``factor(values)``.

    ``row``, ``column`` (m) are the places of the values given to ``factor`` (m), which add up where they
    coincide; ``order`` (n) is the order of the columns, None: as they are. Raises ``ArithmeticError`` where values
    are not finite or no pivots are good enough.
    """

    cdef SparseLU lu
    cdef int[::1] place

    def __cinit__(self):
        sparse_lu_init(&self.lu)

    def __dealloc__(self):
        sparse_lu_free(&self.lu)

    def __init__(self, int n, row, column, order=None):
        cdef int[::1] rows = np.ascontiguousarray(row, dtype=np.intc)
        cdef int[::1] columns = np.ascontiguousarray(column, dtype=np.intc)
        cdef int[::1] sequence = np.arange(n, dtype=np.intc) if order is None else np.asarray(order, dtype=np.intc)
        cdef int count = len(rows)
        self.place = np.empty(count, dtype=np.intc)
        if count == 0 or n == 0:
            raise ValueError("an empty matrix")
        if sparse_lu_pattern(&self.lu, n, count, &rows[0], &columns[0], &sequence[0], &self.place[0]):
            raise MemoryError

    def factor(self, values):
        """Factor the matrix of these values; what its rank is."""
        cdef double[::1] given = np.ascontiguousarray(values, dtype=float)
        cdef int e, status
        sparse_lu_clear(&self.lu)
        for e in range(len(given)):
            self.lu.value[self.place[e]] += given[e]
        status = sparse_lu_factor(&self.lu)
        if status == SPARSE_LU_NO_MEMORY:
            raise MemoryError
        if status != SPARSE_LU_OK:
            raise ArithmeticError("not finite" if status == SPARSE_LU_NONFINITE else "no pivots are good enough")
        return self.lu.rank

    @property
    def entries(self):
        """Entries of L and U besides their diagonals."""
        return self.lu.lower_start[self.lu.n] + self.lu.upper_start[self.lu.n]

    @property
    def border(self):
        """The rows and the columns without a pivot."""
        last = range(self.lu.rank, self.lu.n)
        return [self.lu.pivot_row[i] for i in last], [self.lu.pivot_column[i] for i in last]

    def solve(self, b, bint transposed=False):
        """W^-1 b or W^-T b; where W is singular with the unknowns of the border zero, and its rows left out."""
        cdef double[::1] given = np.ascontiguousarray(b, dtype=float)
        cdef double[::1] x = np.empty(self.lu.n)
        cdef double[::1] w = np.empty(self.lu.n)
        cdef int i
        if transposed:
            sparse_lu_forward_transposed(&self.lu, &given[0], &x[0])
            sparse_lu_backward_transposed(&self.lu, &x[0], &w[0])
            return np.asarray(w)
        sparse_lu_forward(&self.lu, &given[0], &x[0])
        for i in range(self.lu.rank, self.lu.n):
            x[i] = 0.0
        sparse_lu_backward(&self.lu, &x[0], &w[0])
        return np.asarray(w)


def solved_along_tree(matrix, right, start, ancestor):
    """A^-1 b by these factors, None where ``matrix`` is not symmetric and definite."""
    cdef int n = len(matrix)
    cdef double[:, ::1] a = np.ascontiguousarray(matrix, dtype=float)
    cdef double[:, ::1] b = np.array(right, dtype=float)
    cdef int[::1] starts = np.ascontiguousarray(start, dtype=np.intc)
    cdef int[::1] ancestors = np.ascontiguousarray([*ancestor, 0], dtype=np.intc)
    cdef double[::1] lower = np.zeros(len(ancestor) + 1)
    cdef double[::1] diagonal = np.zeros(n)
    cdef TreeFactors f = TreeFactors(n, 0, &starts[0], &ancestors[0], &lower[0], &diagonal[0])
    if not tree_factor(&f, &a[0, 0]):
        return None
    tree_solve(&f, &b[0, 0], b.shape[1])
    return np.asarray(b)


def solve_local(const double[:, ::1] w, const double[::1] q, const double[::1] mu, double[::1] r):
    """The residual of one contact; ``r`` (2, 3 or 5) holds the guess and is overwritten.

    ``mu`` holds one coefficient, two where ``r`` has 5 entries.
    """
    cdef int dim = <int> r.shape[0]
    assert dim in (2, 3, 5) and w.shape[0] == w.shape[1] == q.shape[0] == dim and mu.shape[0] == (2 if dim == 5 else 1)
    return solve_contact(dim, &w[0, 0], &q[0], &mu[0], &r[0])


def solve_body_contacts(
    const int[:, ::1] body, const double[:, :, :, ::1] by_v, const double[:, :, :, ::1] by_r,
    const double[:, ::1] bound, const double[:, ::1] b, double[:, ::1] r, double tolerance=1e-8, double goal=0.0,
    int sweeps=50, bint planar=False, const int[::1] box=None, bint rolls=False,
):
    """Contacts (n) of bodies: reactions r (n, 3) with u = b + C X r in Coulomb's law, from the guess in ``r``.

    ``body`` (n, 2), the second -1 where there is none, ``by_v`` (n, 2, 3, 6) is C, ``by_r`` (n, 2, 6, 3) X, ``bound``
    (n, 2) has the coefficient of friction first. To the ``tolerance``, a share of the largest |b| of an island; with
    ``tolerance=0`` by sweeps alone until none changes a velocity by more than ``goal``. In a ``planar`` problem third
    rows and the last three velocities stand aside, unless it ``rolls``: third rows are then those of rolling, and
    ``bound`` has their coefficients. What is marked in ``box`` (n,) is one row of which ``bound`` has the least and
    the largest reaction; its others are zero. Returns what is left (m/s), sweeps, factorisations, islands without a
    certificate.
    """
    cdef BodySteps s
    cdef int c, i, n = <int> body.shape[0], bodies = 0, status
    memset(&s, 0, sizeof(BodySteps))
    s.tolerance, s.goal, s.most_sweeps, s.all.planar = tolerance, goal, sweeps, planar
    s.all.rolls = rolls
    for c in range(n):
        bodies = max(bodies, max(body[c, 0], body[c, 1]) + 1)
    if n == 0:
        return 0.0, 0, 0, 0
    if body_steps_lay_out(&s, 3, bodies, n, &body[0, 0]):
        raise MemoryError
    for i in range(bodies):
        s.all.name[s.islands.number[i]] = i
    for i in range(n):
        c = s.islands.place[i]
        memcpy(s.all.by_v + 36 * <size_t> c, &by_v[i, 0, 0, 0], 36 * sizeof(double))
        memcpy(s.all.by_r + 36 * <size_t> c, &by_r[i, 0, 0, 0], 36 * sizeof(double))
        memcpy(s.all.bound + 2 * c, &bound[i, 0], 2 * sizeof(double))
        memcpy(s.all.b + 3 * c, &b[i, 0], 3 * sizeof(double))
        memcpy(s.all.r + 3 * c, &r[i, 0], 3 * sizeof(double))
        s.all.box[c] = box is not None and box[i]
    with nogil:
        status = body_steps_solve(&s)
    for i in range(n):
        memcpy(&r[i, 0], s.all.r + 3 * s.islands.place[i], 3 * sizeof(double))
    found = s.left, s.sweeps, s.factored, s.uncertified
    body_steps_free(&s)
    if status:
        raise MemoryError
    return found
