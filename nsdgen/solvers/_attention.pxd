# cython: language_level=3
"""Interrupts while compiled code runs without the lock: iterations ask now and then whether to give up."""

cdef bint interrupted() noexcept nogil
"""Whether a signal's handler has raised: what iterates then ends at once, however, and its caller calls ``answer``.

Handlers run in the main thread only, a few times in a tenth of a second; in others nothing is ever raised.
"""

cdef int answer() except -1
"""Raise what a handler raised, if any did."""
