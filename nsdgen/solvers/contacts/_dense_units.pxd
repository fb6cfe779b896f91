"""A dense friction problem, its parts and units, in one look at the matrix."""

cdef struct Dense:
    int count  # contacts
    int dim
    int disks
    int n  # rows
    int parts
    const double* W  # n x n
    const double* q  # n
    const double* mu  # count x disks
    double m  # max |W_ij|
    double whole  # max |q_i|
    double* unit  # count, as all that follow unless said otherwise: D
    double* size  # the largest entry of D W D in the part
    double* load  # max |D q| of the part, or its noise
    double* scale  # what r' = 1 is in units of r: D times the load, a power of two
    double* aim  # of the tolerance: what the natural map of r' must fall to
    double* own  # count x dim x dim: diagonal blocks
    int* label  # number of the part

cdef size_t dense_doubles(int count, int dim) noexcept nogil
"""Doubles of ``memory`` that ``dense_units`` fills."""

cdef bint dense_units(Dense* p, double* memory, int* label, double* column) noexcept nogil
"""Fill in all but count, dim, disks, n, W, q and mu; ``label`` has 2 * count ints, ``column`` n doubles of work.

False where the problem is for others: a number that is none, in far units, without load, a contact that no reaction
moves, a matrix of mostly zeros.
"""
