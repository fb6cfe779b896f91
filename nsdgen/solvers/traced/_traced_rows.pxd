# cython: language_level=3
"""Multiple impacts by the law of Darboux and Keller with energies (Liu, Zhao and Brogliato, 2008), from nogil code.

Contacts are springs of force K delta^eta while they are loaded, and bodies do not move meanwhile: with the fast time tau,
P' = K delta^eta, u = u^- + A P, delta' = -u in compression and -u / e^2 in expansion, so that e^2 of the energy that
compression stored in a contact is given back. That is the distribution of impulses by potential energies of the law, with the
fast time in place of the impulse of a primary contact as variable: contacts that start with no energy need no
rule of their own, and no step of the impulse has to be chosen. Only ratios of stiffnesses matter.
"""

cdef enum:
    ENDED = 0  # statuses:
    NO_ROOM = -1  # memory
    INCONSISTENT = 3  # equality rows are redundant or contradict each other
    NOT_ENDED = 4  # too many steps, or numbers that are not finite

cdef int trace_rows(int n, const double *A, const double *u, const int *cone, const double *law, double *P,
                      double *w) noexcept nogil
"""The impulses ``P`` (n) and the rates after the impact, ``w`` (n) = A P + u.

``A`` is (n, n), row-major, ``u`` (n) the rates before. A row whose ``cone`` is 0 is an equality, kept during the
impact; all others are contacts with e, K and eta in ``law`` (3 n). Energies are kept to about 1e-10 of themselves.
"""
