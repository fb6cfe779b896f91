# cython: language_level=3
"""Products with small dense blocks (``nsdgen_blocks.h``): sums in the order of plain loops, in registers."""

cdef extern from "nsdgen_blocks.h" nogil:
    void nsd_block_product(double *target, int stride, const double *left, int rows, int inner,
                           const double *right, int cols)  # target += left right
    void nsd_block_subtract_product(double *target, const double *left, int rows, int inner,
                                    const double *right, int cols)  # target -= left right
    int nsd_block_substitute(int n, const double *lu, double *b, int cols)  # U^-1 L^-1 b for 2 to 6 columns, or 0
    void nsd_block_terms(int rows, int cols, const double *block, const double *z, double *y, double *size)
    void nsd_pairs_terms(int count, const int *column, const int *row, const double *block, const double *z, double *y,
                         double *size)
    void nsd_block_subtract(int rows, int cols, const double *block, const double *z, double *y)  # y -= block z
    void nsd_block_subtract_all(int rows, int cols, const double *block, const double *z, double *y)
    void nsd_block_sizes(int rows, int cols, const double *block, const double *z, double *size)  # size += |block| z
