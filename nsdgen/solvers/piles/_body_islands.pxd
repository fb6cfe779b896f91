"""Islands of contacts: bodies that nothing connects with others are problems of their own."""

cdef struct BodyIslands:
    int count
    int *place  # of each contact as listed: where it stands in the order of islands
    int *number  # of each body as listed: its number in that order
    int *island  # of each body as listed: its island
    int *first_contact  # count + 1
    int *first_body  # count + 1
    # private
    int *work
    int room_bodies, room_contacts

cdef void body_islands_free(BodyIslands *w) noexcept nogil
"""Give all memory back."""

cdef int body_islands_find(BodyIslands *w, int bodies, int contacts, const int *pair) noexcept nogil
"""The islands of contacts between bodies ``pair`` (contacts, 2), the second -1 where there is none; 0, or -1 without memory.

Islands come in the order of their first bodies; bodies and contacts of an island in the order in which they are listed.
Bodies without contacts are islands without contacts.
"""
