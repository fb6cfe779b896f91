"""The equations of a path (``_lemke_path.pxd``) in the cases at hand, and its direction with the factors of other cases.

Units, rows and contacts, are listed and their cases set by the path. The equations that changed since the matrix was
factored are kept beside the factors, at most ``MOST`` of them.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef enum:
    # Cases: what holds with equality. A row:
    LOWER = 0  # z at the lower bound, y >= 0
    FREE = 1  # y = 0
    UPPER = 2  # z at the upper bound, y <= 0
    # A contact:
    OPEN = 0  # r = 0, u_N >= 0
    STICK = 1  # u = 0
    RIGHT = 2  # u_N = 0, r_T = mu r_N, u_T <= 0
    LEFT = 3  # u_N = 0, r_T = -mu r_N, u_T >= 0
    # Other sizes:
    MOST = 48  # equations changed before the matrix is factored again

cdef struct Unit:
    int row, height, node
    int case_
    int changed  # where its equations stand among those that are not in the factors, or -1


cdef struct Path:
    int units, rows, pivots
    double t
    Unit *unit
    int *changed  # the units of the equations that are not in the factors
    int n_changed
    double *c  # of y = A z + b + t c
    double *x  # dz/dt for the equations in the factors
    double *columns  # MOST x rows: solutions for unit loads on the changed rows
    double *dz
    double *dy
    double *work  # 2 x rows
    double left[MOST * MOST]  # of the changed equations: their left sides for the columns
    double right[MOST]  # what x leaves of them
    double small[MOST * (MOST + 1)]  # both, while they are solved


cdef inline bint is_rate(const Unit *u, int k) noexcept nogil:
    """Whether equation k of the unit says y = 0."""
    if u.height == 1:
        return u.case_ == FREE
    return u.case_ == STICK or (u.case_ != OPEN and k == 0)


cdef double row_product(const OneStep *w, int p, int i, const double *v) noexcept nogil
"""Row i, of node p, of (A + shift) v."""

cdef double row_load(const OneStep *w, int i) noexcept nogil
"""What of y does not depend on z."""

cdef int refresh_path(OneStep *w, Path *path) noexcept nogil
"""Factors, z and y at t, and dz/dt of the cases at hand; 0, or 1 where the matrix is singular."""

cdef int change_unit(OneStep *w, Path *path, Unit *u) noexcept nogil
"""Note the new equations of a unit beside those in the factors; 1 where there is no room for more."""

cdef int find_derivative(OneStep *w, Path *path) noexcept nogil
"""dz/dt and dy/dt of the cases at hand; 0, or 1 where their equations are singular."""
