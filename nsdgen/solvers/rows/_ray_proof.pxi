"""Whether a problem without a solution is proved to have none."""

cdef enum:
    EXACT_ROWS = 400  # up to which a proof is checked without rounding

cdef double LARGER = 1e9  # than b: terms of solutions that a proof need not exclude


cdef double shift_sign(MlcpWork* work, int i) noexcept nogil:
    """-1 for an equality row that would have to change sign for A to be semidefinite.

    Equality rows may carry any sign. Semidefinite means a_ii >= 0, and a_ik = -a_ki
    for all k where a_ii = 0; symmetric coupling (multipliers written with H and H^T)
    there means the opposite sign.
    """
    cdef int k, n = work.size
    cdef double coupling = 0.0
    if work.cone[i] != EQUALITY or work.a[i * n + i] > 0.0:
        return 1.0
    if work.a[i * n + i] < 0.0:
        return -1.0
    for k in range(n):
        coupling += work.a[i * n + k] * work.a[k * n + i]
    return -1.0 if coupling > 0.0 else 1.0


cdef bint proves_infeasible(MlcpWork* work) noexcept nogil:
    """Whether the ray in z, u = z with signs of equality rows mended, excludes solutions.

    u >= 0 and A^T u <= 0 (= 0 for free columns) give u . y = (A^T u) . z + u . b < 0. Where
    A^T u <= s |A^T| |u| and -u . b >= r |u| . |b|, solutions are excluded but for those with terms
    r / s times larger than b, averaged over the rows of u.
    """
    cdef int i, j, n = work.size, rows = 0, columns = 0
    cdef double total, terms, product = 0.0, size = 0.0, slack = 0.0, u
    for i in range(n):
        u = work.z[i] * work.b[i] * shift_sign(work, i)
        product += u
        size += fabs(u)
        work.right[i] = work.z[i] * shift_sign(work, i)
        if work.z[i] != 0.0:
            work.index[rows] = i
            rows += 1
    for j in range(n):
        total = 0.0
        terms = 0.0
        for i in range(n):
            u = work.a[i * n + j] * work.right[i]
            total += u
            terms += fabs(u)
        if terms > 0.0:
            slack = max(slack, (fabs(total) if work.cone[j] == EQUALITY else total) / terms)
        if work.cone[j] != EQUALITY and LARGER * work.z[j] < -terms:
            return False
        work.active[j] = LARGER * total >= -terms
        columns += work.active[j]
    if not (product < 0.0 and LARGER * slack * size <= -product):
        return False
    # Cancelled to the last digit, or only to the last one that there is?
    return rows > columns or rows > EXACT_ROWS or not _independent(work, rows)


cdef bint _independent(MlcpWork* work, int rows) noexcept nogil:
    """Whether the ``rows`` of ``index`` are independent on the columns of ``active``."""
    cdef int i, j, columns = 0, n = work.size
    cdef size_t place = 0
    for j in range(n):
        columns += work.active[j]
    for i in range(rows):
        for j in range(n):
            if work.active[j]:
                work.factor[place] = residue_of(work.a[<size_t> work.index[i] * n + j])
                place += 1
    return independent(rows, columns, work.factor)
