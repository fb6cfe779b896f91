# cython: language_level=3
"""Semismooth Newton for a handful of contacts, dense, callable from nogil code."""

from nsdgen.solvers.contacts._gauss_seidel cimport Contacts

cdef size_t newton_doubles(int count, int dim) noexcept nogil
"""Number of doubles of ``memory`` that ``newton_small`` needs."""

cdef double newton_small(
    const Contacts* contacts, double* r, int limit, double tolerance, double shift, double reach,
    double* memory, int* pivot, int* steps,
) noexcept nogil
"""At most ``limit`` steps from r (count * dim), overwritten by the best iterate.

``shift`` is eps relative to the mean diagonal of each contact's block, ``reach`` is rho
relative to the inverse of that diagonal; ``pivot`` has count * dim ints. Returns the natural
map, as ``natural_residual`` does; ``steps`` grows by the steps made.
"""
