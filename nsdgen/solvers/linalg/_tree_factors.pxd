"""L^T D L of symmetric definite matrices whose pattern is that of a tree: inertias of mechanisms that branch.

Rows are eliminated from the last to the first, limbs before what they hang on, so that nothing is filled in beyond the
ancestors of a row (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, section 6.5). The ancestors of a row's
ancestor are the first ones of its own: what an elimination changes lies in one piece.
"""

cdef struct TreeFactors:
    int n
    int held  # the factors at hand are these
    const int *start  # n + 1: where the ancestors of a row begin
    const int *ancestor  # ascending
    double *lower  # row i of L at the places of its ancestors
    double *diagonal  # D


cdef bint tree_factor(TreeFactors *f, const double *a) noexcept nogil
"""Factor ``a`` (n x n, row-major): whether it is symmetric to the bit and its pivots are clearly positive."""

cdef void tree_solve(const TreeFactors *f, double *b, int columns) noexcept nogil
"""Overwrite ``b`` (n x columns) with A^-1 b."""
