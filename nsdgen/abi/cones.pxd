# cython: language_level=3
"""The cones of multiplier rows, as compiled code names them; ``include/nsdgen_abi.h`` and ``Cone`` say what each is."""

cdef extern from "nsdgen_abi.h":
    enum:
        EQUALITY "NSDGEN_CONE_EQUALITY"
        COMPLEMENTARITY "NSDGEN_CONE_COMPLEMENTARITY"
        BOX "NSDGEN_CONE_BOX"
        COULOMB_2D "NSDGEN_CONE_COULOMB_2D"
        COULOMB_3D "NSDGEN_CONE_COULOMB_3D"
        ROLLING "NSDGEN_CONE_ROLLING"
        TRACED "NSDGEN_CONE_TRACED"

cdef enum:
    FOLLOWS = -1  # stands for the cone of a row that belongs to the block that began above it

cdef inline bint is_planar_cone(int cone) noexcept nogil:
    return cone == COULOMB_2D

cdef inline int block_height(int cone) noexcept nogil:
    """Rows of the block that begins with this cone: one, but 2, 3 or 5 where it is a contact with friction."""
    if cone == ROLLING:
        return 5
    if cone == COULOMB_3D:
        return 3
    return 2 if cone == COULOMB_2D else 1
