"""The natural map of one block of rows, law by law: zero exactly where (y, z) satisfies its cone.

Cones are those of ``nsdgen/abi/cones.pxd``.
"""

cdef double natural_row(int cone, double diagonal, double z, double y, double *scale) noexcept nogil
"""Equality or complementarity. ``diagonal`` is the row's exchange rate between z and y, 0 where
unknown; ``scale``, the magnitude of the terms of y, grows by that of z in units of y."""

cdef double natural_laws(
    int dim, const double *bound, double normal, double tangent, const double *z, const double *y, const double *scale
) noexcept nogil
"""Coulomb's law, relative to terms: what penetrates to those of its own row, all else to those of the block.

A body that slides fast penetrates no less for it, whatever its coefficients are (``_friction_cone.pxd``). Where it
has come to rest the terms of tangential rows are rounding by themselves. Slow sliding has its direction
asked for by itself (``direction_off``). ``normal`` and ``tangent`` > 0 are the
exchange rates, ``scale`` (dim) the magnitudes of the terms of y, those of z not counted.
"""

cdef double natural_block(
    int cone, const double *bound, const double *diagonal, const double *z, const double *y, double *scale
) noexcept nogil
"""Any cone: the largest row, in units of y; ``scale`` grows as above. ``bound`` holds (lower, upper) of a box row,
(mu, mu_rolling) of friction."""
