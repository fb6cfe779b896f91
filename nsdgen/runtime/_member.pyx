# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""A member of an ensemble: a run of which only what is asked for leaves the loop over steps."""
from libc.string cimport memcpy

from nsdgen.runtime._stepper cimport Stepper

cdef enum:
    BLOCK = 128  # steps between two looks at what they made: their records stay in the first cache
    LARGEST = 0
    SMALLEST = 1


cdef struct Keeping:
    # Of steps numbered ``since`` and later: each ``every``-th (0: none) where entry ``when`` of its record is positive
    # (-1: always), and reductions of columns: 0 the largest, 1 the smallest, 2 the sum.
    long since, every
    int when, n
    const int *column
    const int *kind
    double *value


cdef class Member(Stepper):
    """A stepper whose steps are looked at block by block: ``Member(record, table)``, then as a ``Stepper``."""

    cdef double *block
    cdef double *ends

    def __init__(self, record, table):
        super().__init__(record, table)
        self.block = self.doubles(BLOCK * self.layout.width)
        self.ends = self.doubles(BLOCK)

    def advance_kept(self, long count, long since, long every, int when, double[:, ::1] rows, double[::1] times,
                     const int[::1] columns, const int[::1] kinds, double[::1] values):
        """Make up to ``count`` steps: (steps made, rows written, failed or not); stops where ``rows`` may overflow.

        What of a step numbered ``since`` or later goes to ``rows`` (k, width) and ``times`` (k,), and to ``values`` by
        ``columns`` and ``kinds``, is what :class:`nsdgen.runtime.ensemble.Keep` says. ``rows`` has room for 128 or more.
        """
        cdef Keeping keep
        cdef long made = 0, written = 0, room = rows.shape[0], got, number
        cdef bint failed = False
        if rows.shape[1] != self.layout.width or times.shape[0] < room or room < BLOCK:
            raise ValueError("the table does not fit")
        keep.since, keep.every, keep.when, keep.n = since, every, when, columns.shape[0]
        if keep.n:
            keep.column, keep.kind, keep.value = &columns[0], &kinds[0], &values[0]
        with nogil:
            while made < count and written + BLOCK <= room and not self.stopped:
                number = self.step_number
                got = self.fuse(min(count - made, <long>BLOCK), self.block, self.layout_width, self.ends)
                if got == 0:
                    if self.step() if self.program.flow.stage == NULL else self.instant():
                        failed = True
                        break
                    memcpy(self.block, self.values, self.layout_width * sizeof(double))
                    self.ends[0] = self.clock[1]
                    got = 1
                    made -= self.off_grid
                made += got
                written += look(&keep, self.layout_width, number + 1, self.off_grid, got, self.block, self.ends,
                                &rows[written, 0], &times[written])
        return made, written, failed


cdef long look(Keeping *keep, long width, long number, bint cut, long count, const double *block, const double *ends,
               double *rows, double *times) noexcept nogil:
    """Keep what is to be kept of ``count`` steps from ``number`` on; how many rows. A step that was cut has no number."""
    cdef long k, written = 0
    cdef const double *row
    cdef double value
    cdef int i
    for k in range(max(keep.since - number, <long>0), count):
        row = block + k * width
        for i in range(keep.n):
            value = row[keep.column[i]]
            if keep.kind[i] == LARGEST:
                keep.value[i] = value if not value <= keep.value[i] else keep.value[i]
            elif keep.kind[i] == SMALLEST:
                keep.value[i] = value if not value >= keep.value[i] else keep.value[i]
            else:
                keep.value[i] += value
        if keep.every and (keep.when < 0 or row[keep.when] > 0) and not cut and (number + k) % keep.every == 0:
            memcpy(rows + written * width, row, width * sizeof(double))
            times[written] = ends[k]
            written += 1
    return written
