"""Sparse LU with threshold pivoting, one pattern and many sets of values, callable from nogil code.

P W Q = L U column by column (Gilbert and Peierls, SIAM J. Sci. Stat. Comput. 9, 1988). The first
factorisation chooses the pivots and finds the patterns of L and U; as long as these pivots stay
good, later ones only compute values and allocate nothing. Every factorisation is proved on one
system of equations; one that is inaccurate chooses its pivots again, the largest ones.

A column without a pivot, to within rounding, is set aside. With ``rank`` < n

    P W Q = [L11  0] [U11  U12]      the last n - rank rows and columns are the *border*:
            [L21  I] [ 0    0 ]      unknowns that W alone does not determine.

Use: ``sparse_lu_init``; ``sparse_lu_pattern`` where the pattern is new (``_lu_pattern.pxd``); for each set of values fill
``value`` (``clear``, then add each entry at its place) and call ``sparse_lu_factor``; solve any
number of times (``_lu_solution.pxd``); ``sparse_lu_free``.
"""


cdef enum SparseLUStatus:
    SPARSE_LU_OK = 0
    SPARSE_LU_NONFINITE = 1
    SPARSE_LU_INACCURATE = 2  # with the largest pivots, too
    SPARSE_LU_NO_MEMORY = 3

cdef int sparse_lu_factor(SparseLU *f) noexcept nogil
"""Factor W; a ``SparseLUStatus``."""
