"""Columns that are functions of what else is recorded at an instant: computed where a record leaves the run."""


cdef void complete_rows(const Program *p, double *rows, long stride, long pitch, long count,
                        const double *times) noexcept nogil:
    cdef const Observer *o
    cdef double *row
    cdef long k
    cdef int i, j
    for i in range(p.n_observers):
        o = &p.observer[i]
        for k in range(count):
            row = rows + k * stride
            p.moment[0] = p.moment[1] = times[k]
            for j in range(o.n_given):
                o.given[j] = row[o.column[j] * pitch]
            call(&o.call)
            for j in range(o.n):
                row[(o.at + j) * pitch] = o.found[j]
