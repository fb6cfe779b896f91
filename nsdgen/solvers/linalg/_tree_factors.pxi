"""L^T D L of symmetric definite matrices whose pattern is that of a tree: inertias of mechanisms that branch.

Rows are eliminated from the last to the first, limbs before what they hang on, so that nothing is filled in beyond the
ancestors of a row (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.5). The ancestors of a row's
ancestor are the first ones of its own: what an elimination changes lies in one piece.
"""

cdef extern from *:
    """
    /* b (columns) less the rows that ancestors have, and the other way round; inlined for widths that are known. */
    static inline __attribute__((always_inline)) void nsd_tree_solve(
        int n, const int *start, const int *ancestor, const double *lower, const double *diagonal, double *b, int columns)
    {
        for (int i = n - 1; i >= 0; i--) {
            const double *own = b + (size_t) i * columns;
            int any = 0;
            for (int j = 0; j < columns; j++)
                any |= own[j] != 0.0;
            for (int p = any ? start[i] : start[i + 1]; p < start[i + 1]; p++)
                for (int j = 0; j < columns; j++)
                    b[(size_t) ancestor[p] * columns + j] -= lower[p] * own[j];
        }
        for (int i = 0; i < n; i++) {
            double *own = b + (size_t) i * columns;
            for (int j = 0; j < columns; j++)
                own[j] /= diagonal[i];
            for (int p = start[i]; p < start[i + 1]; p++)
                for (int j = 0; j < columns; j++)
                    own[j] -= lower[p] * b[(size_t) ancestor[p] * columns + j];
        }
    }
    """
    void nsd_tree_solve(int n, const int *start, const int *ancestor, const double *lower, const double *diagonal,
                        double *b, int columns) noexcept nogil


cdef bint tree_factor(TreeFactors *f, const double *a) noexcept nogil:
    cdef int i, k, p, first, n = f.n
    cdef double pivot, factor
    cdef double *row
    for i in range(n):
        f.diagonal[i] = a[i * (n + 1)]
        for p in range(f.start[i], f.start[i + 1]):
            f.lower[p] = a[i * n + f.ancestor[p]]
            if f.lower[p] != a[f.ancestor[p] * n + i]:
                return False
    for k in range(n - 1, -1, -1):
        pivot = f.diagonal[k]
        # Written so that a NaN counts as singular.
        if not (pivot > PIVOT_ROUNDINGS * n * DBL_EPSILON * a[k * (n + 1)]):
            return False
        first = f.start[k]
        row = f.lower + first
        for p in range(f.start[k + 1] - first - 1, -1, -1):
            i = f.ancestor[first + p]
            factor = row[p] / pivot
            f.diagonal[i] -= factor * row[p]
            subtract_row(p, factor, row, f.lower + f.start[i])
            row[p] = factor
    return True


cdef void tree_solve(const TreeFactors *f, double *b, int columns) noexcept nogil:
    if columns == 1:
        nsd_tree_solve(f.n, f.start, f.ancestor, f.lower, f.diagonal, b, 1)
    elif columns == 3:
        nsd_tree_solve(f.n, f.start, f.ancestor, f.lower, f.diagonal, b, 3)
    else:
        nsd_tree_solve(f.n, f.start, f.ancestor, f.lower, f.diagonal, b, columns)
