"""An interior point method for contacts of bodies in space, with factors over bodies.

With reactions R = (r_N, r_T / mu) and y in the cone |t| <= s, y = (s, t) orthogonal to R in it, Coulomb's law reads

    u_N = (s^2 - |t|^2) / (2 s),  mu u_T = t,

for on the edge of the cone u_N = 0 and the contact slides against R, y = 0 lets it stick, and R = 0 leaves it open with any
u_N > 0 and u_T: s = u_N + |(u_N, mu u_T)|. It is smooth inside, and homogeneous of degree one. In the plane it is the form of
``interaction/_cone_interior.pxd`` with s, t = (y_1 + y_2, y_1 - y_2) / 2. A step is that of Mehrotra (1992) with the scaling of
Nesterov and Todd (1997). The problem is not monotone: steps may come to a halt.
"""


cdef enum:
    INTERIOR_ROOM = 46  # doubles for each contact

cdef struct BodyInterior:
    # A search that goes on where it stopped.
    double *R  # (contacts, 3), as all that follow
    double *y
    double *dR
    double *dy
    double *F  # mu (A r + b) - u(y)
    double *g
    double *lam  # W y = W^-1 R
    double *w  # (contacts, 4): the scaling point, and its size
    double *rate  # C dv
    double *E  # (contacts, 9): D (U + yields D)^-1, of r and not of R
    double *inverse  # (contacts, 9): (U + yields D)^-1
    double gap
    int short_steps, steps

cdef void interior_begin(BodyContacts *w, BodyInterior *p, double *room, double share, bint heavy) noexcept nogil
"""Start around ``r``, this share of the load off all edges; where ``share`` is 1 from nothing.

Reactions are off by what moves the own bodies of a contact so, where they are ``heavy`` by what moves the heaviest.
"""

cdef double interior_search(BodyContacts *w, BodyFactors *f, BodyInterior *p, double near, int most) noexcept nogil
"""Steps until no more than ``near`` is off, in units of u, ``most`` in all, or they lead nowhere; what ``r`` is off by."""
