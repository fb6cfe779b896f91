"""Frictional contacts as nodes of a graph, solved by the solver of a step; callable from nogil code.

The matrix W is stored in block rows: blocks ``start[i]`` ... ``start[i + 1] - 1`` belong
to contact i; block b couples it to contact ``column[b]`` and is ``block + b * dim * dim``,
row-major. Each block row holds its diagonal block, at ``diagonal[i]``. Everything is
expected in normalised units, max |W_ij| = max |q_i| = 1, so that tolerances are relative.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

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

cdef double natural_residual(const Contacts* c, const double* r, int* worst) noexcept nogil
"""What the worst of all contacts is off by (``contact_off``) with rho = 1; ``worst`` (or NULL) is its number."""

cdef double solve_over_graph(
    const Contacts* c, double* r, double tolerance, const int* order, OneStep* w, int* iterations
) noexcept nogil
"""All methods of ``_one_step.pxd`` from r (count * dim), overwritten by the better iterate; its natural map.

``order`` (count), or NULL for that of the contacts, is the one of elimination. ``w`` is work space, made ready by
``one_step_init``; ``iterations`` grows by the sweeps and the Newton steps made.
"""

cdef class ContactProblem:
    cdef Contacts contacts
    cdef readonly int count, dim
    cdef readonly object blocks, column, start, q, mu, diagonal
