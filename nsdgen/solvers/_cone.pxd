# cython: language_level=3
"""Friction cones of one contact: projection, natural map, Alart-Curnier linearisation.

A contact has ``dim`` unknowns r, normal first, and a velocity u in the same order:

    dim 2: (N, T)                     |r_T| <= mu r_N
    dim 3: (N, T1, T2)                |r_T| <= mu r_N
    dim 5: (N, T1, T2, R1, R2)        |r_T| <= mu r_N and |r_R| <= mu_r r_N

``mu`` points to the coefficients of the contact: one number, for dim 5 two (mu, mu_r).
The law is K* contains u~, orthogonal to r in K, with u~ = u + (mu |u_T| + mu_r |u_R|) e_N.
"""

cdef enum:
    MAX_DIM = 5

cdef int disk_count(int dim) noexcept nogil
"""How many friction disks a contact has: 2 for dim 5, otherwise 1."""

cdef int disk_size(int dim) noexcept nogil
"""Unknowns in each disk: 1 for dim 2, otherwise 2. Disk k starts at 1 + k * size."""

cdef double norm(int n, const double* x) noexcept nogil
"""Euclidean norm of n <= 2 numbers, without overflow."""

cdef void project_cone(int dim, const double* mu, double* x) noexcept nogil
"""Replace x (dim) by the nearest point of K."""

cdef double natural_contact(
    int dim, const double* mu, double rho, const double* r, const double* u, double* f
) noexcept nogil
"""f = r - P_K(r - u~ / rho), all of ``dim`` entries; returns the largest |f_i|, or what of u it cannot see.

f is zero exactly at the solutions, for every rho > 0 (units of u over units of r). A result
that is not a number is returned as infinity.
"""

cdef void linearize_contact(
    int dim,
    const double* mu,
    double rho_n,
    double rho_t,
    const double* r,
    const double* u,
    double* f,
    double* by_r,
    double* by_u,
) noexcept nogil
"""The Alart-Curnier function f (dim) and its derivatives by r and by u (dim x dim).

f_N = r_N - max(0, x_N) with x_N = r_N - rho_n u_N; for each disk f_T = r_T - P(x_T) with
x_T = r_T - rho_t u_T and P the projection on the disk of radius mu max(0, x_N). It
vanishes at the solutions and has units of r; rho has units of r over units of u. At its
kinks the derivatives are those of one side. Derived by nsdgen: ``generated/alart_curnier.pxd``.
"""
