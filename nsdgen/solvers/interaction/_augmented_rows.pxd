"""Newton's direction for an island in which unknowns stand beside multipliers: factors that exchange rows and columns.

Rows of unknowns, 0 = W d - B lambda + r, are equalities whose multipliers are the unknowns d themselves. Then A, as the
problem holds it, is [[W, -B], [C, D]]: no part of it need be definite, and diagonal entries may be zero. It is
factored as it is, its ``shift`` being zero unless the shortest multipliers are looked for; where J has not its full
rank, ``deficiency`` of the factors says by how much.
"""

from nsdgen.solvers.interaction._one_step_work cimport OneStep

cdef void add_resolved_terms(OneStep *w) noexcept nogil
"""Add to the terms of a multiplier's row what those of the unknowns that it sees amount to in it: |C| |W_jj|^-1 of theirs.

An unknown is what its own terms leave, B lambda above all. Without unknowns these are the terms A lambda; C d alone may vanish.
"""

cdef int factor_augmented(OneStep *w) noexcept nogil
"""Factor J = F_z + F_y A of the island; 0, 1 where no pivots are good enough, -1 without memory."""

cdef bint leaves_unknowns_open(OneStep *w) noexcept nogil
"""Whether the factors, which have not their full rank, leave more undetermined than multipliers: unknowns, too."""

cdef void find_augmented_direction(OneStep *w) noexcept nogil
"""``move`` = J^-1 F."""
