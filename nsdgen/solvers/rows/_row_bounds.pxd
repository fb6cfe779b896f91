"""The bounds between which the multiplier of a row lies, by its cone."""
from libc.math cimport INFINITY

from nsdgen.abi.cones cimport BOX, COMPLEMENTARITY, EQUALITY


cdef inline bint row_bounds(int cone, const double *bound, double *low, double *high) noexcept nogil:
    """Those of a row; ``bound`` are the two of a box. False where the cone is none of single rows."""
    if cone != EQUALITY and cone != COMPLEMENTARITY and cone != BOX:
        return False
    low[0] = -INFINITY if cone == EQUALITY else bound[0] if cone == BOX else 0.0
    high[0] = bound[1] if cone == BOX else INFINITY
    return True
