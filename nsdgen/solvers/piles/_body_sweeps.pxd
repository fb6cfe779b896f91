"""Sweeps over contacts of bodies: each contact is solved exactly for its own reactions, and moves its bodies at once.

They go forth and back, and each starts ahead of the last one by a momentum (Nesterov's), which is dropped where changes grow.
Reactions are in their cones whenever they end.
"""


cdef double body_sweeps(BodyContacts *w, double goal, int most, int *made) noexcept nogil
"""Sweep from ``r`` until no u changes by more than ``goal`` in a sweep, or ``most`` times; the largest change in the last one.

``v`` and ``u`` must belong to ``r``; afterwards ``v`` does.
"""
