# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A stepper of whose steps only what is asked for leaves the loop: chosen steps, chosen columns, reductions."""
from libc.string cimport memcpy

from nsdgen.runtime._stepper cimport Stepper

from time import perf_counter

import numpy as np

cdef enum:
    BLOCK = 128  # steps, at most, between two looks at what they made
    LARGEST = 0
    SMALLEST = 1


cdef class Recorder(Stepper):
    """A stepper whose steps are looked at block by block: ``Recorder(record, table)``, then as a ``Stepper``."""

    def __init__(self, record, table):
        super().__init__(record, table)
        self.most = max(<long>1, min(<long>BLOCK, <long>CACHE // max(self.layout_width, <long>1)))
        self.block = self.doubles(self.most * self.layout_width)
        self.ends = self.doubles(self.most)
        self.good = self.doubles(self.layout_width)

    def keep(self, columns, long every, long since=0, int when=-1, long last=-1, bint cuts=False, reduced=(), kinds=()):
        """Choose what :meth:`advance_kept` keeps from here on: columns (k,) of the record, see ``Keeping``.

        Gives the array (r + 1,) in which columns ``reduced`` are reduced by ``kinds``: 0 largest, 1 smallest, 2 sum; its
        last entry is the number of records reduced.
        """
        cdef const int[::1] chosen = np.ascontiguousarray(columns, dtype=np.intc)
        cdef const int[::1] sources = np.ascontiguousarray(reduced, dtype=np.intc)
        cdef const int[::1] how = np.ascontiguousarray(kinds, dtype=np.intc)
        values = np.array([*((-np.inf, np.inf, 0.0)[kind] for kind in kinds), 0.0], dtype=float)
        cdef double[::1] found = values
        cdef Keeping *k = &self.keeping
        k.since, k.every, k.last, k.when, k.cuts, k.cut_at = since, every, last, when, cuts, self.cut_at
        k.n, k.n_reduced = chosen.shape[0], sources.shape[0]
        if k.n:
            k.column = &chosen[0]
        if k.n_reduced:
            k.reduced, k.kind, k.value = &sources[0], &how[0], &found[0]
        self.arrays = chosen, sources, how, values
        return values

    def advance_kept(self, long count, double[:, ::1] rows, double[::1] times, long row=0):
        """Make up to ``count`` steps: (steps made, rows written, failed or not, seconds).

        What :meth:`keep` chose goes to ``rows`` (k, columns) and ``times`` (k,) from ``row`` on. Stops where these are
        full and where a quantity that ends runs is zero.
        """
        cdef Keeping *k = &self.keeping
        cdef long made = 0, written = row, room = min(rows.shape[0], times.shape[0]), got, number, want
        cdef bint failed = False
        if rows.shape[1] != k.n:
            raise ValueError("the table does not fit")
        began = perf_counter()
        with nogil:
            while made < count and written < room and not self.stopped:
                number = self.step_number
                want = min(count - made, self.most)
                if k.every and want > (room - written - 1) * k.every:
                    want = max((room - written - 1) * k.every, <long>1)
                got = self.fuse(want, self.block, self.layout_width, self.ends)
                if got == 0:
                    if not self.onward_or_back():
                        failed = True
                        break
                    memcpy(self.block, self.values, self.layout_width * sizeof(double))
                    self.ends[0] = self.clock[1]
                    got = 1
                    made -= self.off_grid
                made += got
                written += look(k, self.layout_width, 1, number + 1, self.off_grid, got, self.block, self.ends,
                                &rows[written, 0] if k.n else NULL, &times[written])
        return made, written - row, failed, perf_counter() - began

    cdef bint onward_or_back(self) noexcept nogil:
        """To the next instant that is recorded; False where that fails, and the record is that of the last one."""
        memcpy(self.good, self.values, self.layout_width * sizeof(double))
        if not self.onward():
            return True
        memcpy(self.values, self.good, self.layout_width * sizeof(double))
        return False

    cdef long single(self, double *rows, double *times) noexcept nogil:
        """Make one step; how many rows are kept of it, -1 where it fails. Not for runs that are cut."""
        cdef long number = self.step_number
        if self.fuse(1, self.block, self.layout_width, self.ends) == 0:
            if not self.onward_or_back():
                return -1
            memcpy(self.block, self.values, self.layout_width * sizeof(double))
            self.ends[0] = self.clock[1]
        return look(&self.keeping, self.layout_width, 1, number + 1, False, 1, self.block, self.ends, rows, times)


cdef long look(const Keeping *asked, long width, long pitch, long number, bint cut, long count, const double *block,
               const double *ends, double *rows, double *times) noexcept nogil:
    """Keep what is to be kept of ``count`` steps from ``number`` on; how many rows. A step that was cut has no number.

    ``width`` numbers lie between two records, ``pitch`` between two entries of one.
    """
    cdef Keeping keep = asked[0]  # nothing that is written lies in it
    cdef long k, written = 0, first = max(keep.since - number, <long>0)
    cdef const double *row
    cdef int i
    for i in range(keep.n_reduced):
        reduce(&keep, i, width, pitch, first, count, block)
    if keep.n_reduced:
        keep.value[keep.n_reduced] += max(count - first, <long>0)
    for k in range(first, count):
        row = block + k * width
        if wanted(&keep, row, pitch, number + k, cut):
            for i in range(keep.n):
                rows[written * keep.n + i] = row[keep.column[i] * pitch]
            times[written] = ends[k]
            written += 1
    return written


cdef void reduce(const Keeping *keep, int i, long width, long pitch, long first, long count,
                 const double *block) noexcept nogil:
    """Reduce the i-th column over steps ``first`` <= k < ``count`` of a block."""
    cdef double found = keep.value[i], value
    cdef long k
    for k in range(first, count):
        value = block[k * width + keep.reduced[i] * pitch]
        if keep.kind[i] == LARGEST:
            found = value if not value <= found else found
        elif keep.kind[i] == SMALLEST:
            found = value if not value >= found else found
        else:
            found += value
    keep.value[i] = found


cdef inline bint wanted(const Keeping *keep, const double *row, long pitch, long number, bint cut) noexcept nogil:
    if keep.when >= 0 and not row[keep.when * pitch] > 0:
        return False
    if keep.cuts and (cut or keep.cut_at >= 0 and row[keep.cut_at * pitch] != 0):
        return True
    if cut or not keep.every:
        return False
    return keep.every == 1 or number % keep.every == 0 or number == keep.last
