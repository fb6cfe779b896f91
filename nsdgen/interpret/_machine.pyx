# cython: language_level=3, boundscheck=False, wraparound=False
"""Programs of the register machine as the capsule of a module: functions in C that evaluate them.

``capsule(table, programs)`` takes the table of a text and a program for each of its kernels. All memory belongs to the
capsule; when nothing refers to it any more, its places among the functions are free again.
"""
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.pycapsule cimport PyCapsule_GetContext, PyCapsule_GetPointer, PyCapsule_New, PyCapsule_SetContext
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int32_t

from nsdgen.abi cimport (nsdgen_call, nsdgen_class, nsdgen_input, nsdgen_kernel, nsdgen_module, nsdgen_output)

import gc
from array import array

from nsdgen.errors import NsdgenError

cdef extern from "nsdgen_machine.h":
    enum:
        NSD_PLACES
    ctypedef struct nsd_program:
        const int32_t *code
        const double *constants
        int32_t n_constants
        int32_t frame
        int32_t n_out
        const nsdgen_output *output
    const char *const *nsd_operations
    const char *const *nsd_of_one
    const char *const *nsd_of_two
    const nsd_program **nsd_programs
    const nsdgen_call *nsd_functions
    void NSD_SET_COMPILED(nsd_program *program, nsdgen_call function) nogil


cdef list _names(const char *const *first):
    cdef list found = []
    while first[0] != NULL:
        found.append(first[0].decode())
        first += 1
    return found


OPERATIONS = {name: number for number, name in enumerate(_names(nsd_operations))}
"""The number of each operation of the machine."""

ARITIES = {**dict.fromkeys(_names(nsd_of_one), 1), **dict.fromkeys(_names(nsd_of_two), 2)}
"""The functions of doubles that it knows, and of how many."""

cdef list _free_places = list(range(NSD_PLACES - 1, -1, -1))


cdef class _Module:
    """What a capsule points into."""

    cdef nsdgen_module module
    cdef nsdgen_input *inputs
    cdef nsdgen_output *outputs
    cdef nsdgen_kernel *kernels
    cdef nsdgen_class *classes
    cdef nsd_program *programs
    cdef list kept  # the strings and arrays that these point to
    cdef list places  # of the programs among the functions

    def __cinit__(self, table, programs):
        self.kept, self.places = [], []
        self.inputs = <nsdgen_input *>_zeros(len(table.inputs), sizeof(nsdgen_input))
        self.outputs = <nsdgen_output *>_zeros(len(table.outputs), sizeof(nsdgen_output))
        self.kernels = <nsdgen_kernel *>_zeros(len(table.kernels), sizeof(nsdgen_kernel))
        self.classes = <nsdgen_class *>_zeros(len(table.classes), sizeof(nsdgen_class))
        self.programs = <nsd_program *>_zeros(len(programs), sizeof(nsd_program))
        if len(programs) > len(_free_places):
            gc.collect()  # models that nobody holds any more may hold each other
        if len(programs) > len(_free_places):
            raise NsdgenError(
                f"{NSD_PLACES - len(_free_places)} interpreted kernels are in use, there is room for {NSD_PLACES}, and "
                f"this model has {len(programs)}", fix="let go of models that are no longer needed, or compile them")

    def __init__(self, table, programs):
        self._arrays(table)
        self._kernels(table, programs)
        self.module.abi_major, self.module.abi_minor = table.version
        self.module.size_input, self.module.size_output = sizeof(nsdgen_input), sizeof(nsdgen_output)
        self.module.size_kernel, self.module.size_class = sizeof(nsdgen_kernel), sizeof(nsdgen_class)
        self.module.size_module = sizeof(nsdgen_module)
        self.module.name, self.module.hash = self.string(table.name), self.string(table.hash)
        self.module.n_classes, self.module.classes = len(table.classes), self.classes

    cdef const char *string(self, bytes text):
        self.kept.append(text)
        return text

    cdef const int32_t *integers(self, values):
        cdef const int32_t[::1] view
        buffer = array("i", [*values, 0])  # one too many: an empty one has no address
        self.kept.append(buffer)
        view = buffer
        return &view[0]

    cdef const double *doubles(self, values):
        cdef const double[::1] view
        buffer = array("d", [*values, 0.0])
        self.kept.append(buffer)
        view = buffer
        return &view[0]

    cdef _arrays(self, table):
        cdef nsdgen_input *a
        cdef nsdgen_output *out
        cdef const int32_t *positions = self.integers(table.positions)
        for i, row in enumerate(table.inputs):
            a = &self.inputs[<int>i]
            name, a.role, a.size, a.participant = _padded(row, 4)
            a.name = self.string(name)
        for i, row in enumerate(table.outputs):
            out = &self.outputs[<int>i]
            (name, out.quantity, out.rows, out.cols, out.nnz, out.depends, out.flags, where, out.participant,
             out.participant2) = _padded(row, 10)
            out.name = self.string(name)
            if out.nnz < out.rows * out.cols:
                out.positions = positions + <int>where

    cdef _kernels(self, table, programs):
        cdef nsdgen_kernel *k
        cdef nsd_program *p
        cdef nsdgen_class *c
        cdef int place
        for i, (row, program) in enumerate(zip(table.kernels, programs, strict=True)):
            k, p = &self.kernels[<int>i], &self.programs[<int>i]
            name, k.role, k.stage, k.n_in, k.n_out, first_in, first_out = _padded(row, 7)
            k.name, k.in_, k.out = self.string(name), self.inputs + <int>first_in, self.outputs + <int>first_out
            p.code = self.integers(program.code)
            p.constants, p.n_constants = self.doubles(program.constants), len(program.constants)
            p.frame, p.n_out, p.output = program.frame, k.n_out, k.out
            place = _free_places.pop()
            self.places.append(place)
            nsd_programs[place] = p
            k.call = nsd_functions[place]
        for i, row in enumerate(table.classes):
            c = &self.classes[<int>i]
            name, c.kind, c.n_kernels, first = _padded(row, 4)
            c.name, c.kernels = self.string(name), self.kernels + <int>first

    cdef take_over(self, object owner, const nsdgen_module *compiled):
        """Leave all work to the kernels of a compiled module of the same text, which ``owner`` keeps alive."""
        cdef nsdgen_class *ours
        cdef const nsdgen_class *theirs
        cdef int c, k
        if <bytes>compiled.hash != <bytes>self.module.hash or compiled.n_classes != self.module.n_classes:
            raise NsdgenError("these compiled kernels are of another text", fix="compile the model again")
        self.kept.append(owner)
        for c in range(compiled.n_classes):
            ours, theirs = &self.classes[c], &compiled.classes[c]
            for k in range(theirs.n_kernels):
                NSD_SET_COMPILED(&self.programs[ours.kernels - self.kernels + k], theirs.kernels[k].call)
        self.module.steps = compiled.steps

    def __dealloc__(self):
        if self.places is not None:
            _free_places.extend(self.places)
        PyMem_Free(self.inputs)
        PyMem_Free(self.outputs)
        PyMem_Free(self.kernels)
        PyMem_Free(self.classes)
        PyMem_Free(self.programs)


cdef void *_zeros(Py_ssize_t count, size_t size) except NULL:
    cdef void *memory = PyMem_Calloc(count + 1, size)
    if memory == NULL:
        raise MemoryError
    return memory


cdef list _padded(row, int count):
    """The fields of a structure with the zeros that its initialiser leaves out."""
    return [*row, *[0] * (count - len(row))]


cdef void _let_go(object capsule) noexcept:
    Py_DECREF(<object>PyCapsule_GetContext(capsule))


def capsule(table, programs):
    """The capsule of a module of these programs, in the order of the kernels of the table."""
    cdef _Module made = _Module(table, programs)
    found = PyCapsule_New(&made.module, b"nsdgen.abi", _let_go)
    PyCapsule_SetContext(found, <void *>made)
    Py_INCREF(made)
    return found


def take_over(interpreted, owner):
    """Let a compiled module do what a capsule of programs of the same text did, from now on and wherever it is in use.

    Steppers bound to the capsule go on: each of its functions calls the compiled kernel, which gives the same bits, and
    the function that makes whole steps is there for those that ask again.
    """
    cdef _Module made = <_Module>PyCapsule_GetContext(interpreted)
    made.take_over(owner, <const nsdgen_module *>PyCapsule_GetPointer(owner.__nsdgen__, b"nsdgen.abi"))
