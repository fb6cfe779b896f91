# cython: language_level=3, boundscheck=False, wraparound=False
"""Forms of shapes as compiled code reads them: vertices and faces of hulls."""
from libc.stdint cimport intptr_t

from nsdgen.model.world._pair_points cimport Form

import numpy as np


cdef class HullForm:
    """Vertices (n, 3), faces as loops of vertices (``starts`` (m + 1,), ``loops``), their normals (m, 3).

    ``address`` is where compiled code finds it; the object must live as long.
    """

    cdef Form form
    cdef object kept
    cdef readonly intptr_t address

    def __init__(self, vertices, starts, loops, normals):
        cdef double[:, ::1] vertex = np.ascontiguousarray(vertices, dtype=float)
        cdef int[::1] start = np.ascontiguousarray(starts, dtype=np.intc)
        cdef int[::1] loop = np.ascontiguousarray(loops, dtype=np.intc)
        cdef double[:, ::1] normal = np.ascontiguousarray(normals, dtype=float)
        face = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        order = np.argsort(loops, kind="stable")
        cdef int[::1] at_face = np.ascontiguousarray(face[order], dtype=np.intc)
        cdef int[::1] at_start = np.concatenate([[0], np.cumsum(np.bincount(loops, minlength=len(vertices)))]).astype(np.intc)
        self.kept = vertex, start, loop, normal, at_face, at_start
        self.form.n_vertices, self.form.n_faces = vertex.shape[0], normal.shape[0]
        self.form.vertex, self.form.face_normal = &vertex[0, 0], &normal[0, 0]
        self.form.face_start, self.form.face_vertex = &start[0], &loop[0]
        self.form.at_start, self.form.at_face = &at_start[0], &at_face[0]
        self.address = <intptr_t>&self.form
