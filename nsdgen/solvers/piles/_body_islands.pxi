"""Islands of contacts: bodies that nothing connects with others are problems of their own."""


cdef void body_islands_free(BodyIslands *w) noexcept nogil:
    """Give all memory back."""
    free_all(w.place, w.number, w.first_contact, w.first_body, w.work)
    memset(w, 0, sizeof(BodyIslands))


cdef int _reserve_islands(BodyIslands *w, int bodies, int contacts) noexcept nogil:
    if bodies > w.room_bodies:
        w.room_bodies = 2 * bodies
        if (resize_ints(w.room_bodies + 1, &w.number, &w.first_contact, &w.first_body)
                or resize_ints(2 * w.room_bodies, &w.work)):
            w.room_bodies = 0
            return -1
    if contacts > w.room_contacts:
        w.room_contacts = 2 * contacts
        if resize_ints(w.room_contacts, &w.place):
            w.room_contacts = 0
            return -1
    return 0


cdef int body_islands_find(BodyIslands *w, int bodies, int contacts, const int *pair) noexcept nogil:
    """The islands of contacts between bodies ``pair`` (contacts, 2), the second -1 where there is none; 0, or -1
    without memory.

    Islands come in the order of their first bodies; bodies and contacts of an island in the order in which they are
    listed. Bodies without contacts are islands without contacts.
    """
    cdef int i, k
    cdef int *parent
    cdef int *label
    if _reserve_islands(w, bodies, contacts):
        return -1
    parent, label = w.work, w.work + bodies
    w.island = label
    for i in range(bodies):
        parent[i] = i
    for i in range(contacts):
        if pair[2 * i + 1] >= 0:
            join(parent, pair[2 * i], pair[2 * i + 1])
    w.count = number_sets(bodies, parent, label)
    memset(w.first_contact, 0, (w.count + 1) * sizeof(int))
    memset(w.first_body, 0, (w.count + 1) * sizeof(int))
    for i in range(bodies):
        w.first_body[label[i] + 1] += 1
    for i in range(contacts):
        w.first_contact[label[pair[2 * i]] + 1] += 1
    for k in range(w.count):
        w.first_body[k + 1] += w.first_body[k]
        w.first_contact[k + 1] += w.first_contact[k]
        parent[k] = w.first_body[k]  # roots are no longer asked for
    for i in range(bodies):
        w.number[i] = parent[label[i]]
        parent[label[i]] += 1
    for k in range(w.count):
        parent[k] = w.first_contact[k]
    for i in range(contacts):
        k = label[pair[2 * i]]
        w.place[i] = parent[k]
        parent[k] += 1
    return 0
