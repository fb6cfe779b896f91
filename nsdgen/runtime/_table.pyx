# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The table of a generated module: checked, described for Python, and callable.

``KernelTable`` is made from the capsule that every generated module holds. It checks
version and struct sizes, lists classes and kernels as frozen records and calls a kernel
for many instances at once.
"""
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from nsdgen.runtime.abi cimport (
    NSDGEN_ABI_MAJOR,
    NSDGEN_ABI_MINOR,
    nsdgen_array,
    nsdgen_class,
    nsdgen_kernel,
    nsdgen_module,
)

from dataclasses import dataclass

from nsdgen.errors import ModuleMismatch


@dataclass(frozen=True)
class ArrayInfo:
    """An array of a kernel: shape, positions of its nonzeros (None: all), facts."""

    name: str
    role: int
    participant: int
    participant2: int
    rows: int
    cols: int
    nnz: int
    positions: tuple | None
    depends: int
    flags: int


@dataclass(frozen=True)
class KernelInfo:
    """A kernel: where it stands in the table, its role and stage, its arrays."""

    cls: int
    number: int
    name: str
    role: int
    stage: int
    inputs: tuple
    outputs: tuple


@dataclass(frozen=True)
class ClassInfo:
    """A class of kernels: kind 0 system, 1 relation, 2 model."""

    name: str
    kind: int
    participants: int
    kernels: tuple


cdef object _array(const nsdgen_array *a):
    positions = None
    if a.row != NULL and a.col != NULL:
        positions = tuple((a.row[i], a.col[i]) for i in range(a.nnz))
    return ArrayInfo(a.name.decode(), a.role, a.participant, a.participant2, a.rows, a.cols, a.nnz,
                     positions, a.depends, a.flags)


cdef class KernelTable:
    """The kernels of a generated module.

    Raises ``ModuleMismatch`` when the module has no capsule, or one of another major
    version or with other struct sizes than this runtime was built with.
    """

    def __init__(self, module):
        capsule = getattr(module, "__nsdgen__", None)
        if capsule is None or not PyCapsule_IsValid(capsule, b"nsdgen.abi"):
            raise ModuleMismatch(f"{getattr(module, '__name__', module)!r} holds no nsdgen kernels",
                                 fix="import a module that `nsdgen compile` made")
        self.owner = module
        self.module = <const nsdgen_module *>PyCapsule_GetPointer(capsule, b"nsdgen.abi")
        ours = (NSDGEN_ABI_MAJOR, sizeof(nsdgen_array), sizeof(nsdgen_kernel), sizeof(nsdgen_class),
                sizeof(nsdgen_module))
        theirs = (self.module.abi_major, self.module.size_array, self.module.size_kernel,
                  self.module.size_class, self.module.size_module)
        if ours != theirs:
            raise ModuleMismatch(
                f"the module has ABI {self.module.abi_major}.{self.module.abi_minor} with struct sizes "
                f"{theirs[1:]}, this runtime {NSDGEN_ABI_MAJOR}.{NSDGEN_ABI_MINOR} with {ours[1:]}",
                fix="compile the model again with this version of nsdgen")
        self.name = self.module.name.decode()
        self.hash = self.module.hash.decode()
        self.classes = tuple(self._class(c) for c in range(self.module.n_classes))

    def _class(self, int c):
        cdef const nsdgen_class *cls = &self.module.classes[c]
        cdef const nsdgen_kernel *k
        kernels = []
        for i in range(cls.n_kernels):
            k = &cls.kernels[i]
            kernels.append(KernelInfo(c, i, k.name.decode(), k.role, k.stage,
                                      tuple(_array(&k.in_[j]) for j in range(k.n_in)),
                                      tuple(_array(&k.out[j]) for j in range(k.n_out))))
        return ClassInfo(cls.name.decode(), cls.kind, cls.n_participants, tuple(kernels))

    cdef const nsdgen_kernel *kernel(self, int cls, int number):
        return &self.module.classes[cls].kernels[number]

    def call_many(self, info, Py_ssize_t n, list inputs, list in_strides, list outputs, list out_strides):
        """Call a kernel for n instances.

        ``inputs`` and ``outputs`` are one-dimensional contiguous float64 buffers; strides
        count doubles per instance (0: shared). Returns 0 or 1 + the failed guard.
        """
        cdef const nsdgen_kernel *k = self.kernel(info.cls, info.number)
        cdef const double **source = <const double **>malloc((k.n_in + 1) * sizeof(void *))
        cdef double **target = <double **>malloc((k.n_out + 1) * sizeof(void *))
        cdef int64_t *strides = <int64_t *>malloc((k.n_in + k.n_out + 1) * sizeof(int64_t))
        cdef const double[::1] view_in
        cdef double[::1] view_out
        cdef int j, result
        if source == NULL or target == NULL or strides == NULL:
            free(source)
            free(target)
            free(strides)
            raise MemoryError
        try:
            for j in range(k.n_in):
                view_in = inputs[j]
                _require(view_in.shape[0], n, in_strides[j], k.in_[j].rows * k.in_[j].cols)
                source[j] = &view_in[0] if view_in.shape[0] else NULL
                strides[j] = in_strides[j]
            for j in range(k.n_out):
                view_out = outputs[j]
                _require(view_out.shape[0], n, out_strides[j], k.out[j].nnz)
                target[j] = &view_out[0] if view_out.shape[0] else NULL
                strides[k.n_in + j] = out_strides[j]
            with nogil:
                result = k.call_many(n, source, strides, target, strides + k.n_in)
            return result
        finally:
            free(source)
            free(target)
            free(strides)


def _require(Py_ssize_t have, Py_ssize_t n, Py_ssize_t stride, Py_ssize_t length):
    if n > 0 and have < (n - 1) * stride + length:
        raise ValueError(f"a buffer of {have} doubles is too short for {n} instances of {length}")
