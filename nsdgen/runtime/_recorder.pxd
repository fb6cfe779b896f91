"""What of the steps of a run leaves the loop, which runs block by block through one room."""
from nsdgen.runtime._binding cimport BoundModel


cdef enum:
    CACHE = 4096  # doubles of the records that are looked at together: they stay in the first cache


cdef struct Keeping:
    # Of steps numbered ``since`` and later: each ``every``-th (0: none), and the ``last``, where entry ``when`` of its
    # record is positive (-1: always); steps that were cut only with ``cuts``. Of these the ``n`` columns; and
    # reductions of columns over all records: 0 the largest, 1 the smallest, 2 the sum; behind them, of how many.
    long since, every, last
    int when, cuts, cut_at, n, n_reduced
    const int *column
    const int *reduced
    const int *kind
    double *value


cdef class Recorder:
    cdef BoundModel model
    cdef double *block
    cdef double *ends
    cdef double *good  # the record of the last step that did not fail
    cdef long most  # steps of a block
    cdef Keeping keeping
    cdef object arrays  # that ``keeping`` points into


cdef long keep_rows(const Keeping *asked, long width, long pitch, long number, bint cut, long count, const double *block,
               const double *ends, double *rows, double *times) noexcept nogil
