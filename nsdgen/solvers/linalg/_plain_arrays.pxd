"""Arrays that are just ones of doubles, in order: nothing about them needs to be asked again."""

cdef bint open_plain(object value, Py_buffer* view, int dimensions) except -1
"""A view of such an array with so many dimensions, to be released; False, and no view, for anything else."""
