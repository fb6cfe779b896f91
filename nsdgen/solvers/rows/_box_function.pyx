# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Fischer-Burmeister's function of the rows of a box problem, and its derivatives."""

from nsdgen.solvers.generated.fischer_burmeister cimport box_row


def box_rows(
    const double[::1] exchange,
    const double[::1] lower,
    const double[::1] upper,
    const double[::1] z,
    const double[::1] w,
    double[::1] psi,
    double[::1] by_z,
    double[::1] by_w,
):
    """psi of each row and its derivatives by z and by w, into the last three arrays.

    psi = phi(k (z - lower), -phi(k (upper - z), -w)) with k = ``exchange``, the units of w over
    those of z; phi(a, b) = a + b - sqrt(a^2 + b^2), and phi(inf, b) = b where a bound is missing.
    All arrays have the same length, which is not checked.
    """
    cdef Py_ssize_t i
    for i in range(psi.shape[0]):
        box_row(
            exchange[i], lower[i], upper[i], z[i], w[i], &psi[i], &by_z[i], &by_w[i]
        )
