"""Passes over rows for ``row_certificate.py``: the certificate of dense rows where nothing is unusual, or none; signs."""

HIDDEN = 1e-13  # of the largest terms: what is given must be at least this in some row
APART = 1e-2  # of what is given, at its largest: what may be off by rounding
COARSE = 1e-4  # of the same: what may be off by more than that

cdef double VISIBLE = HIDDEN
cdef double DISTINCT_ROWS = COARSE
cdef double LEAST = _LEAST


def plain_residual(
    object matrix, const double[::1] q, const double[::1] lower, const double[::1] upper, const double[::1] z,
    double[::1] w, double tol,
):
    """w = M z + q, into ``w`` (n,), the largest relative violation and its row; None where that needs a closer look.

    It does where the violation is above ``tol``, a number is none, z is outside of its bounds, what is given is
    invisible beside the terms of its row, or what is off is distinct beside it.
    """
    cdef Py_ssize_t[2] shape
    cdef const double* M = plain_doubles(matrix, 2, shape)
    cdef Py_ssize_t n = q.shape[0], i, worst = 0
    cdef double size, terms, wrong, violation, largest = -1.0, load
    if M == NULL:
        return None
    for i in range(n):
        w[i] = nsd_dot_sized(<int> n, M + i * n, &z[0], &size) + q[i]
        load = fabs(q[i])
        terms = size + load
        wrong = fabs(w[i])
        if (z[i] == lower[i] and w[i] > 0.0) or (z[i] == upper[i] and w[i] < 0.0) or lower[i] == upper[i]:
            wrong = 0.0
        violation = wrong / (terms + LEAST)
        if not (violation <= tol and terms < HUGE_VAL and lower[i] <= z[i] <= upper[i]):
            return None
        if load < VISIBLE * terms or wrong > DISTINCT_ROWS * load:
            return None
        if violation > largest:
            largest = violation
            worst = i
    return largest, worst


def exact_signs(
    const double[::1] q, const double[::1] lower, const double[::1] upper, const double[::1] z, const double[::1] raw,
    double[::1] w,
):
    """``raw`` with exact zeros where z is inside its bounds and exact signs at them, into ``w`` (n,).

    Returns the largest change, the largest |q|, and whether the bounds ask for a z other than zero.
    """
    cdef Py_ssize_t i
    cdef double off = 0.0, load = 0.0
    cdef bint held = False
    for i in range(q.shape[0]):
        w[i] = raw[i]
        if lower[i] < upper[i]:
            if lower[i] < z[i] < upper[i] or (z[i] == lower[i] and raw[i] < 0.0) or (z[i] == upper[i] and raw[i] > 0.0):
                w[i] = 0.0
        off = max(off, fabs(raw[i] - w[i]))
        load = max(load, fabs(q[i]))
        held = held or (z[i] != 0.0 and (lower[i] > 0.0 or upper[i] < 0.0 or z[i] == lower[i] or z[i] == upper[i]))
    return off, load, held
