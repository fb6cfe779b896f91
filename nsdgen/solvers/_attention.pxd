# cython: language_level=3
"""Interrupts while compiled code runs without the lock: iterations ask now and then whether to give up."""

cdef void listen(int more) noexcept
"""A run or a solver begins (1) or ends (-1), which calls ``answer`` then. Outside of them nothing is asked."""

cdef bint interrupted() noexcept nogil
"""Whether a signal's handler has raised in this thread: what iterates then ends at once, however it stands.

Handlers run in the main thread only, some thirty times a second; other threads end by ``end_threads``.
"""

cdef void end_with(object error) noexcept
"""Have the run of this thread end with what Python raised where nothing can raise: Ctrl-C in a callback."""

cdef int answer() except -1
"""Raise what a handler raised in this thread, if any did."""
