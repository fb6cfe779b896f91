# cython: language_level=3
"""Sets that are joined: who belongs together where pairs do, each set known by its smallest member.

``parent`` (count) begins as the numbers themselves.
"""


cdef inline int root(int *parent, int i) noexcept nogil:
    """The smallest member of the set of i; paths are halved on the way."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


cdef inline bint join(int *parent, int i, int j) noexcept nogil:
    """Make one set of two; whether they were two."""
    cdef int one = root(parent, i), other = root(parent, j)
    parent[max(one, other)] = min(one, other)
    return one != other


cdef inline int number_sets(int count, int *parent, int *label) noexcept nogil:
    """The number of each member's set, by its smallest member, into ``label`` (count); how many sets there are."""
    cdef int i, sets = 0
    for i in range(count):
        if parent[i] == i:
            label[i] = sets
            sets += 1
        else:
            label[i] = label[root(parent, i)]
    return sets
