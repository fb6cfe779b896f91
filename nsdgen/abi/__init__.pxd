# cython: language_level=3
"""The C ABI of generated modules, as Cython sees it; ``include/nsdgen_abi.h`` is its one page."""
from libc.stdint cimport int32_t, int64_t, uint32_t

cdef extern from "nsdgen_abi.h":
    enum:
        NSDGEN_ABI_MAJOR
        NSDGEN_ABI_MINOR

    ctypedef void (*nsdgen_call)(const double *const *in_, double *const *out) noexcept nogil

    ctypedef struct nsdgen_input:
        const char *name
        int32_t role
        int32_t size
        int32_t participant

    ctypedef struct nsdgen_output:
        const char *name
        int32_t quantity
        int32_t rows
        int32_t cols
        int32_t nnz
        uint32_t depends
        uint32_t flags
        const int32_t *positions
        int32_t participant
        int32_t participant2

    ctypedef struct nsdgen_kernel:
        const char *name
        int32_t role
        int32_t stage
        int32_t n_in
        int32_t n_out
        const nsdgen_input *in_ "in"
        const nsdgen_output *out
        nsdgen_call call

    ctypedef struct nsdgen_class:
        const char *name
        int32_t kind
        int32_t n_kernels
        const nsdgen_kernel *kernels

    ctypedef struct nsdgen_run_problem:
        void *graph
        int (*solve)(void *graph) noexcept nogil
        double (*laws)(int rows, const double *bound, double normal, double tangent, const double *z, const double *y,
                       const double *scale) noexcept nogil
        const int *const *in_play
        const int *assembled
        int32_t nodes
        const int *row
        const int *start
        const int *column
        const size_t *place
        double *value
        double *b
        double *z
        double *bound
        int *changed
        double *floor
        const double *residual
        const int *deficiency

    ctypedef struct nsdgen_run_stage:
        double tolerance
        int32_t max_iterations
        double *const *mode
        const nsdgen_run_problem *problem

    ctypedef struct nsdgen_run:
        double start
        double h
        double *record
        const double *const *run
        const double *const *system
        const double *const *relation
        const nsdgen_run_stage *stage

    ctypedef int64_t (*nsdgen_steps)(const nsdgen_run *run, int64_t number, int64_t count, double *row,
                                     int64_t stride, double *times) noexcept nogil

    ctypedef int64_t (*nsdgen_lane_steps)(const nsdgen_run *const *run, int64_t number, int64_t count, double *row,
                                          int64_t stride, double *times) noexcept nogil

    ctypedef struct nsdgen_module:
        int32_t abi_major
        int32_t abi_minor
        int32_t size_input
        int32_t size_output
        int32_t size_kernel
        int32_t size_class
        int32_t size_module
        const char *name
        const char *hash
        int32_t n_classes
        const nsdgen_class *classes
        nsdgen_steps steps
        int32_t lanes
        nsdgen_lane_steps lane_steps
