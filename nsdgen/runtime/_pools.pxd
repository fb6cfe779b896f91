"""Pools: relations that appear and vanish between steps, clones of a prototype that was bound like any other.

All that belongs to a prototype alone lies in one piece of memory, its slot. A clone is a copy of it in which addresses
within are moved along and those of participants are replaced: two lists, found once. Which clones there are is data of
a run: each has a key, keeps slot, memory, mode and multipliers as long as its key is listed, and the relations of the
stage are those of the model, then the clones of each pool in the order of their keys. The stages see a graph that changed.
"""
from nsdgen.runtime._binding cimport BoundModel
from nsdgen.runtime._data cimport BoundRelation, Group, Stage


cdef struct Patch:
    # A word of the slot that holds the address of an array of a participant.
    size_t at
    int participant, array


cdef struct Pool:
    int prototype, m, n_participants, n_parameters, n_memory, cls  # cls: of its participants
    BoundRelation relation  # the prototype
    char *image  # its slot
    const char *base  # where that lay
    size_t size
    int n_moved, n_own, n_patches
    size_t *moved  # words of the slot, and of the relation, that hold addresses within the slot
    size_t *own
    Patch *patch
    size_t parameters_at, memory_at, multiplier_at, mode_at
    int count, room, n_slots, n_free, first
    char **slot
    int *unused
    long long *key
    long long *next_key
    int *number  # the slot of each clone
    int *next_number


cdef class RelationPools:
    cdef BoundModel model
    cdef Stage *s
    cdef Pool *pool
    cdef readonly int n_pools
    cdef int n_base  # relations of the model
    cdef int room  # for relations
    cdef size_t base_rows, room_rows
    cdef bint changed
    cdef int n_links, room_links
    cdef int *base_relation  # links of the model itself, by group
    cdef int *base_attached
    cdef int *base_start
    cdef int *link_relation
    cdef int *link_attached
    cdef int *link_seen
    cdef int *count
    cdef double **array  # of all systems: unknowns, states, what they freeze
    cdef int *cls

    cdef _make(self, int k, int prototype)
    cdef size_t _place(self, Pool *p, role) except? 0
    cdef _list_words(self, Pool *p, int prototype)
    cdef _keep_links(self)
    cdef char *_slot(self, Pool *p, int *number) except NULL
    cdef _room_for(self, Pool *p, int count)
    cdef _reserve(self, int relations, size_t rows)
    cdef void _join(self, Pool *p, char *slot, const int *participants) noexcept
    cdef void _drop(self, Pool *p, int old) noexcept
    cdef void _take_back(self) noexcept
    cdef void _number_links(self) noexcept
    cdef void _link(self, Group *g, int relation, int attached) noexcept
