"""The table of a generated module: checked, described for Python, and callable.

``KernelTable`` is made from the capsule that every generated module holds. It checks
version and struct sizes, lists classes and kernels as frozen records and calls a kernel
for many instances at once.
"""


@dataclass(frozen=True)
class InputInfo:
    """An array that a kernel reads: ``size`` doubles; ``participant`` counts the systems of a relation."""

    name: str
    role: int
    size: int
    participant: int


@dataclass(frozen=True)
class OutputInfo:
    """An array that a kernel writes: shape, positions (row, column) of its nonzeros (None: all), facts.

    ``role`` says which quantity it is (``nsdgen.abi.Quantity``).
    """

    name: str
    quantity: int
    rows: int
    cols: int
    nnz: int
    positions: tuple | None
    depends: int
    flags: int
    participant: int
    participant2: int


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
    kernels: tuple


cdef object _input(const nsdgen_input *a):
    return InputInfo(a.name.decode(), a.role, a.size, a.participant)


cdef object _output(const nsdgen_output *a):
    positions = None
    if a.nnz < a.rows * a.cols:
        positions = tuple((a.positions[i], a.positions[a.nnz + i]) for i in range(a.nnz))
    return OutputInfo(a.name.decode(), a.quantity, a.rows, a.cols, a.nnz, positions, a.depends, a.flags,
                      a.participant, a.participant2)


cdef struct StridedArray:
    # An array that is another one for each instance: where the kernel finds its address, and how far the next is.
    const double **place
    Py_ssize_t stride


cdef void _call_each(const nsdgen_kernel *k, const double **address, Py_ssize_t n, const StridedArray *walk,
                     int n_walks) noexcept nogil:
    """Call a kernel n times; ``address`` holds its inputs, then its outputs, and is moved on."""
    cdef nsdgen_call call = k.call
    cdef double **out = <double **>(address + k.n_in)
    cdef Py_ssize_t i
    cdef int j
    for i in range(n):
        call(address, out)
        for j in range(n_walks):
            walk[j].place[0] += walk[j].stride


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
        ours = (sizeof(nsdgen_input), sizeof(nsdgen_output), sizeof(nsdgen_kernel), sizeof(nsdgen_class),
                sizeof(nsdgen_module))
        theirs = (self.module.size_input, self.module.size_output, self.module.size_kernel, self.module.size_class,
                  self.module.size_module)
        if self.module.abi_major != NSDGEN_ABI_MAJOR or ours != theirs:
            raise ModuleMismatch(
                f"the module has ABI {self.module.abi_major}.{self.module.abi_minor} with struct sizes "
                f"{theirs}, this runtime {NSDGEN_ABI_MAJOR}.{NSDGEN_ABI_MINOR} with {ours}",
                fix="compile the model again with this version of nsdgen")
        self.name = self.module.name.decode()
        self.hash = self.module.hash.decode()
        self.classes = tuple(self._class(c) for c in range(self.module.n_classes))

    @property
    def has_steps(self):
        """Whether the module has a function that makes the steps of its model."""
        return self.module.steps != NULL

    def _class(self, int c):
        cdef const nsdgen_class *cls = &self.module.classes[c]
        cdef const nsdgen_kernel *k
        kernels = []
        for i in range(cls.n_kernels):
            k = &cls.kernels[i]
            kernels.append(KernelInfo(c, i, k.name.decode(), k.role, k.stage,
                                      tuple(_input(&k.in_[j]) for j in range(k.n_in)),
                                      tuple(_output(&k.out[j]) for j in range(k.n_out))))
        return ClassInfo(cls.name.decode(), cls.kind, tuple(kernels))

    cdef const nsdgen_kernel *kernel(self, int cls, int number):
        return &self.module.classes[cls].kernels[number]

    def call_many(self, info, Py_ssize_t n, list inputs, list in_strides, list outputs, list out_strides):
        """Call a kernel for n instances.

        ``inputs`` and ``outputs`` are one-dimensional contiguous float64 buffers; strides
        count doubles per instance (0: shared). Raises ``ValueError`` where a buffer is too short.
        """
        cdef const nsdgen_kernel *k = self.kernel(info.cls, info.number)
        cdef const double **address = <const double **>malloc((k.n_in + k.n_out) * sizeof(void *))
        cdef StridedArray *walk = <StridedArray *>malloc((k.n_in + k.n_out) * sizeof(StridedArray))
        cdef const double[::1] view
        cdef double[::1] written
        cdef Py_ssize_t stride
        cdef int j, n_walks = 0
        try:
            if address == NULL or walk == NULL:
                raise MemoryError
            for j in range(k.n_in + k.n_out):
                if j < k.n_in:
                    view, stride = inputs[j], in_strides[j]
                    _require(view.shape[0], n, stride, k.in_[j].size)
                else:
                    written, stride = outputs[j - k.n_in], out_strides[j - k.n_in]
                    view = written
                    _require(view.shape[0], n, stride, k.out[j - k.n_in].nnz)
                address[j] = &view[0] if view.shape[0] else NULL
                if stride:
                    walk[n_walks].place, walk[n_walks].stride = address + j, stride
                    n_walks += 1
            with nogil:
                _call_each(k, address, n, walk, n_walks)
        finally:
            free(address)
            free(walk)


cdef int _require(Py_ssize_t have, Py_ssize_t n, Py_ssize_t stride, Py_ssize_t length) except -1:
    if n > 0 and have < (n - 1) * stride + length:
        raise ValueError(f"a buffer of {have} doubles is too short for {n} instances of {length}")
    return 0
