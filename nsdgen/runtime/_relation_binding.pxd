"""Binding a relation in a stage: its kernels with the arrays they read and write, its blocks, how often they change."""

from nsdgen.runtime._data cimport BoundRelation, RelationForm, Stage

cdef class RelationBinding:
    cdef RunArrays arrays
    cdef Arena arena
    cdef Stage *stages  # all of the model, set by whoever binds it

    cdef judge(self, Stage *s, info)
    cdef list _attach(self, Stage *s, BoundRelation *r, participants)
    cdef int _bytes_from(self, const char *begin)
    cdef RelationForm *_relation_form(self, int kernels, int number) except NULL
    cdef _bind_modes(self, int number, int index, int kernels)
    cdef _bind_bounds(self, int number, int index, int kernels)
    cdef _bind_observe(self, int number, int index, int kernels)
    cdef _bind_linearization(self, int number, int index, int kernels)
    cdef _reserve_derivatives(self, BoundRelation *r, info, RelationForm *form)
    cdef list _reserve_reactions(self, Stage *s, BoundRelation *r, int kernels)
    cdef dict _targets_of_derivatives(self, Stage *s, BoundRelation *r, info, RelationForm *form)
    cdef _shape_attachments(self, Stage *s, BoundRelation *r, participants, info, list solved, list reactions)
    cdef dict _targets_of_values(self, BoundRelation *r, info, const RelationForm *form)
