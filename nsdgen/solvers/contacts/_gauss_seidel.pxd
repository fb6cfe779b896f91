# cython: language_level=3
"""Block nonlinear Gauss-Seidel over frictional contacts, callable from nogil code.

The matrix W is stored in block rows: blocks ``start[i]`` ... ``start[i + 1] - 1`` belong
to contact i; block b couples it to contact ``column[b]`` and is ``block + b * dim * dim``,
row-major. Each block row holds its diagonal block, at ``diagonal[i]``. Everything is
expected in normalised units, max |W_ij| = max |q_i| = 1, so that tolerances are relative.
"""

cdef struct Contacts:
    int count  # contacts
    int dim  # unknowns of each, see _friction_cone.pxd
    int disks  # friction coefficients of each
    const int* start
    const int* column
    const int* diagonal
    const double* block
    const double* q  # count * dim
    const double* mu  # count * disks

cdef void contact_velocity(const Contacts* c, int i, const double* r, double* u) noexcept nogil
"""u (dim) = row i of W r + q."""

cdef double natural_residual(const Contacts* c, const double* r, int* worst) noexcept nogil
"""What the worst of all contacts is off by (``contact_off``) with rho = 1; ``worst`` (or NULL) is its number."""

cdef double gauss_seidel(
    const Contacts* c, double* r, double* best, int limit, double tolerance, int* sweeps
) noexcept nogil
"""At most ``limit`` sweeps from r until no contact is off by more than ``tolerance``.

``best`` (count * dim) is work space. On return ``r`` is the best iterate that was
looked at, and its residual is returned; ``sweeps`` grows by the sweeps made. Steps are
shortened where the residual does not fall.
"""

cdef class ContactProblem:
    cdef Contacts contacts
    cdef readonly int count, dim
    cdef readonly object blocks, column, start, q, mu, diagonal
