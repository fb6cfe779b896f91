from nsdgen.abi cimport nsdgen_kernel, nsdgen_module

cdef class KernelTable:
    cdef const nsdgen_module *module
    cdef readonly object owner  # the extension module, kept alive as long as its functions may be called
    cdef readonly str name
    cdef readonly str hash
    cdef readonly tuple classes
    cdef const nsdgen_kernel *kernel(self, int cls, int number)
