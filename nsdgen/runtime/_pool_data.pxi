"""What a pool is made of: its prototype's slot, the words of it that clones have of their own, and the clones listed now and next."""

cdef struct Patch:
    # A word of the slot that holds the address of an array of a participant.
    size_t at
    int participant, array

cdef struct RelationPool:
    int m, n_participants, n_parameters, cls  # cls: of its participants
    BoundRelation relation  # the prototype
    char *image  # its slot
    const char *base  # where that lay
    size_t size
    int n_moved, n_own, n_patches
    size_t *moved  # words of the slot, and of the relation, that hold addresses within the slot
    size_t *own
    Patch *patch
    size_t parameters_at, multiplier_at, mode_at
    int count, room, n_slots, n_free, first
    char **slot
    int *unused
    long long *key
    long long *next_key
    int *number  # the slot of each clone
    int *next_number
    int *place  # where its relation is among those of the pool in the stage, -1 where only its slot has one yet
    int *next_place


_ARRAYS = (Role.UNKNOWN, Role.STATE, Role.FROZEN_STEP, Role.FROZEN_ITERATION)

cdef enum:
    N_ARRAYS = 4  # those of _ARRAYS
    FIRST = 64  # clones that there is room for at first
    WORD = 8  # bytes, of an address


cdef void *_grown(Arena arena, const void *old, size_t used, size_t size) except NULL:
    """A larger array with the bytes of an old one that are in use; at first there is none."""
    cdef void *found = arena.take(size)
    if used:
        memcpy(found, old, used)
    return found
