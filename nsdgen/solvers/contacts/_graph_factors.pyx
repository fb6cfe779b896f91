# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Block LU of the Jacobians of Newton's method for friction, on one graph of contacts."""

from libc.string cimport memcpy

from nsdgen.solvers.linalg._block_lu cimport block_lu_factor, block_lu_solve
from nsdgen.solvers.linalg._block_pattern cimport (
    BlockLU, block_lu_analyse, block_lu_free, block_lu_init, block_lu_reserve,
)
from nsdgen.solvers.contacts._gauss_seidel cimport ContactProblem, Contacts

import numpy as np


cdef struct _Jacobian:
    const Contacts* contacts
    const int* place  # of each contact in elimination order
    const int* contact  # at each place
    const double* by_r  # contacts x dim x dim
    const double* by_u
    const double* shift  # contacts


cdef void _fill_row(void* matrix, int k, double* work, const int* first) noexcept nogil:
    """Block row k of F_r + F_u (W + shift), for ``block_lu_factor``."""
    cdef const _Jacobian* J = <const _Jacobian*> matrix
    cdef const Contacts* c = J.contacts
    cdef int i = J.contact[k], d = c.dim, b, row, l, col
    cdef const double* by_u = J.by_u + <size_t> i * d * d
    cdef const double* by_r = J.by_r + <size_t> i * d * d
    cdef const double* block
    cdef double* x
    cdef double factor
    for b in range(c.start[i], c.start[i + 1]):
        block = c.block + <size_t> b * d * d
        x = work + d * first[J.place[c.column[b]]]
        for row in range(d):
            for l in range(d):
                factor = by_u[row * d + l]
                if factor != 0.0:
                    for col in range(d):
                        x[row * d + col] += factor * block[l * d + col]
    x = work + d * first[k]
    for l in range(d * d):
        x[l] += by_r[l] + by_u[l] * J.shift[i]


cdef class GraphFactors:
    """Solutions of (F_r + F_u (W + shift)) x = f for problems on the same graph of contacts, by block LU.

    ``order`` (contacts) is the order of elimination.
    """

    cdef BlockLU lu
    cdef int[::1] contact, place
    cdef int dim

    def __cinit__(self, ContactProblem problem, const int[::1] order):
        cdef int k, count = problem.count
        block_lu_init(&self.lu)
        self.dim = problem.dim
        place = np.argsort(order)
        self.contact, self.place = np.array(order), place.astype(np.intc)
        rows, columns = place[np.repeat(np.arange(count), np.diff(problem.start))], place[np.asarray(problem.column)]
        # The pattern must be symmetric, whatever W is.
        keys = np.unique(np.concatenate([rows * count + columns, columns * count + rows]))
        rows, columns = np.divmod(keys, count)
        cdef const int[::1] start = np.searchsorted(rows, np.arange(count + 1)).astype(np.intc)
        cdef const int[::1] column = columns.astype(np.intc)
        if block_lu_reserve(&self.lu, count):
            raise MemoryError
        for k in range(count):
            self.lu.size[k] = self.dim
        if block_lu_analyse(&self.lu, count, &start[0], &column[0]):
            raise MemoryError

    def __dealloc__(self):
        block_lu_free(&self.lu)

    def solve(
        self, ContactProblem problem, const double[::1] shift, const double[:, :, ::1] by_r,
        const double[:, :, ::1] by_u, const double[:, ::1] f,
    ):
        """x (contacts, dim), or None where the matrix is singular; ``shift`` is (contacts,)."""
        cdef _Jacobian matrix
        cdef int k, d = self.dim
        cdef bint singular
        x = np.empty((problem.count, d))
        cdef double[:, ::1] solution = x, right = np.empty((problem.count, d))
        matrix.contacts = &problem.contacts
        matrix.place, matrix.contact = &self.place[0], &self.contact[0]
        matrix.by_r, matrix.by_u, matrix.shift = &by_r[0, 0, 0], &by_u[0, 0, 0], &shift[0]
        with nogil:
            self.lu.truncate = 0
            singular = block_lu_factor(&self.lu, _fill_row, &matrix, 0.0) != 0
            if not singular:
                for k in range(problem.contacts.count):
                    memcpy(&right[k, 0], &f[self.contact[k], 0], d * sizeof(double))
                block_lu_solve(&self.lu, &right[0, 0])
                for k in range(problem.contacts.count):
                    memcpy(&solution[self.contact[k], 0], &right[k, 0], d * sizeof(double))
        return None if singular or not np.isfinite(x).all() else x
