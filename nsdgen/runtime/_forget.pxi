"""What was computed once for a run, or for a step, and is so no more."""


cdef void forget(Stage *s) noexcept nogil:
    cdef int i
    for i in range(s.n_systems):
        s.system[i].frozen_step = 0
    forget_derivatives(s)


cdef void forget_derivatives(Stage *s) noexcept nogil:
    """The same, but for what systems freeze."""
    cdef int i
    s.assembled = s.n_news = 0
    s.refactor = s.stale = 1
    for i in range(s.n_systems):
        s.system[i].linearized = 0
    for i in range(s.n_relations):
        s.relation[i].linearized = 0
        s.relation[i].solved = 0
        s.relation[i].bounded = 0
    for i in range(s.n_groups):
        s.group[i].changed = 1


cdef void reset(Stage *s) noexcept nogil:
    cdef int i
    forget(s)
    s.laid_out = 0
    s.n_play = 0
    for i in range(s.n_relations):
        s.relation[i].in_play = 0
