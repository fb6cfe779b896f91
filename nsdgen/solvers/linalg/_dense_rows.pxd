# cython: language_level=3
"""Passes over dense rows (``nsdgen_dense.h``): results do not depend on the processor's vectors."""

cdef extern from "nsdgen_dense.h" nogil:
    void nsd_dot_two(int n, const double* a, size_t lda, const double* x, double* out)
    void nsd_dot_three(int n, const double* a, size_t lda, const double* x, double* out)
    double nsd_dot_sized(int n, const double* a, const double* x, double* size)
    int nsd_exponent(double x)
    double nsd_power(int e)
    double nsd_look(int rows, int n, const double* a, const double* x, double* largest, double* scaled, int* full)
    void nsd_add(int n, double factor, const double* x, double* y)
    double nsd_largest(int n, const double* a)
    int nsd_eliminate(int n, int first, int end, double* a, int* pivot, double* row, const double* column, double tolerance)
    void nsd_solve_once(int n, int stride, double* a, double least, double* x)
