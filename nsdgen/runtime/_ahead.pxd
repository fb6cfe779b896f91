# cython: language_level=3
"""Memory that a loop over thousands of instances reads next, asked for while the instance at hand is worked on.

A step of a large model waits for memory, not for arithmetic, and the processor does not guess where the arrays of the
next instance lie. What is asked for changes no value; an address that is not read after all costs a line of cache.
"""
from nsdgen.runtime._data cimport BoundSystem, Stage

cdef extern from *:
    """
    #if defined(__GNUC__)
    /* The empty statement keeps functions that do nothing else: gcc takes them for pure, and leaves out their calls. */
    #define nsd_fetch(address) do { __builtin_prefetch(address); __asm__ __volatile__(""); } while (0)
    #else
    #define nsd_fetch(address) ((void) (address))
    #endif
    """
    void nsd_fetch(const void *address) nogil

cdef enum:
    LINE = 64  # bytes, of cache
    HOT = 128  # bytes of the struct of a system or a relation that most passes read
    MANY = 256  # instances: fewer stay in the cache
    FAR = 24  # instances ahead: their structs
    NEAR = 12  # what these point to
    SOON = 4  # what that points to


cdef inline void fetch(const void *begin, size_t size) noexcept nogil:
    """Ask for all lines of an array."""
    cdef size_t at = 0
    while at < size:
        nsd_fetch(<const char *>begin + at)
        at += LINE


cdef inline int far_end(int count) noexcept nogil:
    """Up to which instance of a loop there is one ahead to ask for."""
    return count - FAR if count > MANY else 0


cdef inline void fetch_system(const Stage *s, int i) noexcept nogil:
    """Ask for what the systems ahead of one read in each of their passes."""
    cdef const BoundSystem *system = &s.system[i + FAR]
    fetch(system, HOT)
    system = &s.system[i + NEAR]
    nsd_fetch(system.unknown)
    nsd_fetch(system.residual)
