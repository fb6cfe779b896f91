# cython: language_level=3
"""Problems of few rows as fused steps solve them (``nsdgen_step.h``, ``nsdgen_box.h``): the same bits everywhere."""

cdef extern from *:
    """
    #define NSD_ROWS 8
    #include "nsdgen_step.h"
    #include "nsdgen_box.h"
    """
    ctypedef struct nsd_memory:
        int factored
    bint nsd_p_matrix(int n, const double *s, const double *terms) nogil
    int nsd_box_set(int n, const double *a, const double *b, const double *bound, double *z, double *y, double *off,
                    nsd_memory *memory) nogil
