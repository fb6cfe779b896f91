# _module.pxi: the kernels of the model diode_bridge as the runtime reads them: interface and table, whole steps.
from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport fmax
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

cdef extern from *:
    r"""
#include "nsdgen_abi.h"

#define NSD_ROWS 4
#include "nsdgen_step.h"

/* [tag] diode_bridge: table of kernels */
static const int32_t POSITIONS[] = {
    0, 1, 0, 1,
    0, 1, 1, 0,
    0, 0, 0, 1, 1, 1, 2, 3, 0, 1, 2, 0, 1, 3, 0, 1,
    2, 3, 0, 0,
    0, 0, 2, 3,
    0,
};
static const nsdgen_input INPUTS[] = {
    {"state", 2, 2},
    {"unknown", 0, 2}, {"state", 2, 2}, {"run", 7, 3}, {"parameters", 8, 2},
    {"unknown", 0, 2},
    {"unknown", 0, 2}, {"state", 2, 2},
    {"x", 11, 2}, {"parameters", 8, 2},
    {"t", 11, 1}, {"x", 11, 2}, {"parameters", 8, 2},
    {"unknown", 0, 2}, {"multiplier", 1, 4}, {"memory", 3, 2}, {"run", 7, 3}, {"parameters", 8, 2},
    {"state", 2, 2}, {"multiplier", 1, 4}, {"parameters", 8, 2},
    {"unknown", 0, 2}, {"multiplier", 1, 4}, {"parameters", 8, 2},
    {"t", 11, 1}, {"x", 11, 2}, {"lambda_", 11, 4}, {"parameters", 8, 2},
    {"run", 7, 3},
};
static const nsdgen_output OUTPUTS[] = {
    {"unknown", 9, 2, 1, 2, 4},
    {"residual", 1, 2, 1, 2, 389},
    {"residual", 1, 2, 1, 2, 389, 2}, {"iteration_matrix", 2, 2, 2, 4, 384},
    {"state", 10, 2, 1, 2, 1},
    {"unknown", 9, 2, 1, 2, 4},
    {"residual", 1, 2, 1, 2, 5},
    {"residual", 1, 2, 1, 2, 5, 2}, {"iteration_matrix", 2, 2, 2, 2, 0, 0, POSITIONS + 0},
    {"state", 10, 2, 1, 2, 4},
    {"mass", 0, 2, 2, 2, 0, 0, POSITIONS + 0},
    {"rhs", 0, 2, 1, 2, 2304},
    {"rhs_x", 0, 2, 2, 2, 256, 0, POSITIONS + 4},
    {"output", 3, 4, 1, 4, 259, 2}, {"reaction", 6, 2, 1, 2, 394, 2},
    {"output", 3, 4, 1, 4, 259, 2}, {"reaction", 6, 2, 1, 2, 394, 2},
    {"output_lambda", 5, 4, 4, 8, 256, 0, POSITIONS + 8}, {"output_x", 4, 4, 2, 2, 0, 0, POSITIONS + 24},
    {"reaction_lambda", 8, 2, 4, 2, 384, 0, POSITIONS + 28},
    {"memory", 11, 2, 1, 2, 258}, {"observed", 12, 4, 1, 4, 262},
    {"output", 3, 4, 1, 4, 259, 2}, {"reaction", 6, 2, 1, 2, 0, 3},
    {"output", 3, 4, 1, 4, 259, 2}, {"reaction", 6, 2, 1, 2, 0, 3},
    {"output_lambda", 5, 4, 4, 8, 256, 0, POSITIONS + 8}, {"output_x", 4, 4, 2, 2, 0, 0, POSITIONS + 24},
    {"reaction_lambda", 8, 2, 4, 0, 0, 0, POSITIONS + 32},
    {"output", 0, 4, 1, 4, 2304},
    {"output_lambda", 0, 4, 4, 8, 256, 0, POSITIONS + 8},
    {"output_x", 0, 4, 2, 2, 0, 0, POSITIONS + 24},
    {"reaction", 0, 2, 1, 2, 2304},
    {"reaction_x", 0, 2, 2, 0, 0, 0, POSITIONS + 32},
    {"reaction_lambda", 0, 2, 4, 2, 256, 0, POSITIONS + 28},
    {"skip", 20, 1, 1, 1, 128},
};
static nsdgen_kernel KERNELS[] = {
    {"start", 4, 0, 1, 1, INPUTS + 0, OUTPUTS + 0},
    {"residual", 1, 0, 4, 1, INPUTS + 1, OUTPUTS + 1},
    {"linearize", 2, 0, 4, 2, INPUTS + 1, OUTPUTS + 2},
    {"advance", 6, 0, 1, 1, INPUTS + 5, OUTPUTS + 4},
    {"start_2", 4, 1, 1, 1, INPUTS + 0, OUTPUTS + 5},
    {"residual_2", 1, 1, 2, 1, INPUTS + 6, OUTPUTS + 6},
    {"linearize_2", 2, 1, 2, 2, INPUTS + 6, OUTPUTS + 7},
    {"advance_2", 6, 1, 1, 1, INPUTS + 0, OUTPUTS + 9},
    {"mass", 0, -1, 2, 1, INPUTS + 8, OUTPUTS + 10},
    {"rhs", 0, -1, 3, 1, INPUTS + 10, OUTPUTS + 11},
    {"rhs_x", 0, -1, 3, 1, INPUTS + 10, OUTPUTS + 12},
    {"evaluate", 3, 0, 5, 2, INPUTS + 13, OUTPUTS + 13},
    {"linearize", 2, 0, 5, 5, INPUTS + 13, OUTPUTS + 15},
    {"observe", 7, 0, 3, 2, INPUTS + 18, OUTPUTS + 20},
    {"evaluate_2", 3, 1, 3, 2, INPUTS + 21, OUTPUTS + 22},
    {"linearize_2", 2, 1, 3, 5, INPUTS + 21, OUTPUTS + 24},
    {"output", 0, -1, 4, 1, INPUTS + 24, OUTPUTS + 29},
    {"output_lambda", 0, -1, 4, 1, INPUTS + 24, OUTPUTS + 30},
    {"output_x", 0, -1, 4, 1, INPUTS + 24, OUTPUTS + 31},
    {"reaction", 0, -1, 4, 1, INPUTS + 24, OUTPUTS + 32},
    {"reaction_x", 0, -1, 4, 1, INPUTS + 24, OUTPUTS + 33},
    {"reaction_lambda", 0, -1, 4, 1, INPUTS + 24, OUTPUTS + 34},
    {"skip_2", 18, 1, 1, 1, INPUTS + 28, OUTPUTS + 35},
};
static const nsdgen_class CLASSES[] = {
    {"oscillator", 0, 11, KERNELS + 0},
    {"bridge", 1, 11, KERNELS + 11},
    {"diode_bridge", 2, 1, KERNELS + 22},
};
static nsdgen_module MODULE = {
    3, 0,
    sizeof(nsdgen_input), sizeof(nsdgen_output), sizeof(nsdgen_kernel), sizeof(nsdgen_class), sizeof(nsdgen_module),
    "diode_bridge", "78604cd12e80e859-6789e61a", 3, CLASSES,
};
    """
    ctypedef void (*nsdgen_call)(const double *const *, double *const *) noexcept nogil
    ctypedef struct nsdgen_kernel:
        nsdgen_call call
    nsdgen_kernel *KERNELS
    ctypedef struct nsdgen_run_problem:
        const int *const *in_play
        const int *assembled
        double *floor
        const double *residual
        const int *deficiency
    ctypedef struct nsdgen_run_stage:
        double tolerance
        int max_iterations
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
    ctypedef int64_t (*nsdgen_steps)(const nsdgen_run *, int64_t, int64_t, double *, int64_t, double *) noexcept nogil
    ctypedef int64_t (*nsdgen_lane_steps)(
        const nsdgen_run *const *, int64_t, int64_t, double *, int64_t, double *) noexcept nogil
    ctypedef struct nsdgen_module:
        nsdgen_steps steps
        int lanes
        nsdgen_lane_steps lane_steps
    nsdgen_module MODULE
    void nsd_solve(int n, const double *lu, const int *pivot, double *b) noexcept nogil
    void nsd_solve_same(int n, const double *lu, const int *pivot, double *b) noexcept nogil
    void nsd_add_product(
        double *target, int stride, const double *left, int rows, int inner, const double *right, int cols) noexcept nogil
    int nsd_one_row(double a, double b, int cone, double *z) noexcept nogil
    ctypedef struct nsd_memory:
        int factored
    int nsd_finite(int n, const double *x) noexcept nogil
    int nsd_numbers(int n, const double *x) noexcept nogil
    int nsd_factor(int n, double *a, int *pivot) noexcept nogil
    void nsd_solve_columns(int n, const double *lu, const int *pivot, double *b, int cols) noexcept nogil
    void nsd_subtract_columns(int n, const double *a, const double *z, double *b) noexcept nogil
    double nsd_largest(int n, const double *scale, double largest) noexcept nogil
    double nsd_nothing(double largest) noexcept nogil
    double nsd_worse(double worst, double row, double scale, double least) noexcept nogil
    double nsd_terms(double own, double resolved) noexcept nogil
    void nsd_resolve_exchanged_rows(int n, const double *w, const double *scale, double *resolved) noexcept nogil
    double nsd_natural(
        int cone, const double *bound, double diagonal, double z, double y, double *scale) noexcept nogil
    double nsd_norm(int n, const double *r) noexcept nogil
    int nsd_active_set(
        int n, const double *a, const double *b, const int *cone, double *z, nsd_memory *memory) noexcept nogil
    int nsd_same_set(
        int n, const double *a, const double *b, const int *cone, double *z, nsd_memory *memory) noexcept nogil
    void nsd_pick(
        int all, const double *a, const int *cone, int n, const int *rows, double *picked, int *picked_cone) noexcept nogil


# ================================================================================================
# the steps of the model in one function
# ================================================================================================

# [tag] diode_bridge: what changes with the run only
cdef int diode_bridge_steps_of_run(const nsdgen_run *run, double *kept) noexcept nogil:
    cdef double[4] anything
    cdef double[4] matrix_0
    cdef double[3] options_0
    cdef double[2] system_parameters_0
    cdef double[8] reaction_lambda_0_0
    cdef double[8] output_x_0_0
    cdef double[16] output_lambda_0
    cdef double[2] relation_parameters_0
    cdef double[8] output_lambda_0_written
    cdef double[2] output_x_0_0_written
    cdef double[2] reaction_lambda_0_0_written
    cdef double[4] factors_0
    cdef int[2] pivot_0
    cdef double[8] solved_0_0
    cdef double[16] A
    cdef const double *linearize_system_0_in[4]
    cdef double *linearize_system_0_out[2]
    cdef const double *linearize_relation_0_in[5]
    cdef double *linearize_relation_0_out[5]
    memset(anything, 0, sizeof(anything))
    memset(matrix_0, 0, sizeof(matrix_0))
    memset(reaction_lambda_0_0, 0, sizeof(reaction_lambda_0_0))
    memset(output_x_0_0, 0, sizeof(output_x_0_0))
    memset(output_lambda_0, 0, sizeof(output_lambda_0))
    memset(output_lambda_0_written, 0, sizeof(output_lambda_0_written))
    memset(output_x_0_0_written, 0, sizeof(output_x_0_0_written))
    memset(reaction_lambda_0_0_written, 0, sizeof(reaction_lambda_0_0_written))
    memset(factors_0, 0, sizeof(factors_0))
    memset(solved_0_0, 0, sizeof(solved_0_0))
    options_0[0] = run.run[0][0]
    options_0[1] = run.run[0][1]
    options_0[2] = run.run[0][2]
    system_parameters_0[0] = run.system[0][0]
    system_parameters_0[1] = run.system[0][1]
    relation_parameters_0[0] = run.relation[0][0]
    relation_parameters_0[1] = run.relation[0][1]
    linearize_system_0_in[0] = anything
    linearize_system_0_in[1] = anything
    linearize_system_0_in[2] = options_0
    linearize_system_0_in[3] = system_parameters_0
    linearize_system_0_out[0] = anything
    linearize_system_0_out[1] = matrix_0
    linearize_relation_0_in[0] = anything
    linearize_relation_0_in[1] = anything
    linearize_relation_0_in[2] = anything
    linearize_relation_0_in[3] = options_0
    linearize_relation_0_in[4] = relation_parameters_0
    linearize_relation_0_out[0] = anything
    linearize_relation_0_out[1] = anything
    linearize_relation_0_out[2] = output_lambda_0_written
    linearize_relation_0_out[3] = output_x_0_0_written
    linearize_relation_0_out[4] = reaction_lambda_0_0_written
    oscillator_system0_linearize(linearize_system_0_in, linearize_system_0_out)
    memcpy(factors_0, matrix_0, sizeof(factors_0))
    if not nsd_factor(2, factors_0, pivot_0):
        return 0
    bridge_relation1_linearize(linearize_relation_0_in, linearize_relation_0_out)
    output_lambda_0[0] = output_lambda_0_written[0]
    output_lambda_0[1] = output_lambda_0_written[1]
    output_lambda_0[2] = output_lambda_0_written[2]
    output_lambda_0[4] = output_lambda_0_written[3]
    output_lambda_0[5] = output_lambda_0_written[4]
    output_lambda_0[7] = output_lambda_0_written[5]
    output_lambda_0[8] = output_lambda_0_written[6]
    output_lambda_0[13] = output_lambda_0_written[7]
    output_x_0_0[4] = output_x_0_0_written[0]
    output_x_0_0[6] = output_x_0_0_written[1]
    reaction_lambda_0_0[2] = reaction_lambda_0_0_written[0]
    reaction_lambda_0_0[3] = reaction_lambda_0_0_written[1]
    memcpy(solved_0_0, reaction_lambda_0_0, sizeof(solved_0_0))
    nsd_solve_columns(2, factors_0, pivot_0, solved_0_0, 4)
    memset(A, 0, sizeof(A))
    A[0] = output_lambda_0[0]
    A[1] = output_lambda_0[1]
    A[2] = output_lambda_0[2]
    A[3] = output_lambda_0[3]
    A[4] = output_lambda_0[4]
    A[5] = output_lambda_0[5]
    A[6] = output_lambda_0[6]
    A[7] = output_lambda_0[7]
    A[8] = output_lambda_0[8]
    A[9] = output_lambda_0[9]
    A[10] = output_lambda_0[10]
    A[11] = output_lambda_0[11]
    A[12] = output_lambda_0[12]
    A[13] = output_lambda_0[13]
    A[14] = output_lambda_0[14]
    A[15] = output_lambda_0[15]
    nsd_add_product(A + 0, 4, output_x_0_0, 4, 2, solved_0_0, 4)
    kept[0] = output_x_0_0[0]
    kept[1] = output_x_0_0[1]
    kept[2] = output_x_0_0[2]
    kept[3] = output_x_0_0[3]
    kept[4] = output_x_0_0[4]
    kept[5] = output_x_0_0[5]
    kept[6] = output_x_0_0[6]
    kept[7] = output_x_0_0[7]
    kept[8] = factors_0[0]
    kept[9] = factors_0[1]
    kept[10] = factors_0[2]
    kept[11] = factors_0[3]
    kept[12] = pivot_0[0]
    kept[13] = pivot_0[1]
    kept[14] = solved_0_0[0]
    kept[15] = solved_0_0[1]
    kept[16] = solved_0_0[2]
    kept[17] = solved_0_0[3]
    kept[18] = solved_0_0[4]
    kept[19] = solved_0_0[5]
    kept[20] = solved_0_0[6]
    kept[21] = solved_0_0[7]
    kept[22] = A[0]
    kept[23] = A[1]
    kept[24] = A[2]
    kept[25] = A[3]
    kept[26] = A[4]
    kept[27] = A[5]
    kept[28] = A[6]
    kept[29] = A[7]
    kept[30] = A[8]
    kept[31] = A[9]
    kept[32] = A[10]
    kept[33] = A[11]
    kept[34] = A[12]
    kept[35] = A[13]
    kept[36] = A[14]
    kept[37] = A[15]
    return 1

# called by way of a pointer: as a part of the steps it would keep compilers from holding in registers what these read
ctypedef int (*diode_bridge_steps_call)(const nsdgen_run *, double *) noexcept nogil
cdef diode_bridge_steps_call diode_bridge_steps_begin = diode_bridge_steps_of_run


# [tag] diode_bridge: steps
#   start, activation, Newton's method, the one-step problem, advance and observation of 1 system and 1 relation, step after step
cdef int64_t diode_bridge_steps(const nsdgen_run *run, int64_t number, int64_t count, double *row, int64_t stride,
                                double *times) noexcept nogil:
    cdef int64_t made = 0
    cdef double *last = NULL
    cdef double newton, measure, least, value, change
    cdef double[5] size
    cdef bint done, runs
    cdef int iteration, n = 0
    cdef int deficiency = 0
    cdef double[2] clock
    cdef double[2] state_0
    cdef double[2] memory_0
    cdef double[2] unknown_0
    cdef double[2] move_0
    cdef double[2] next_0
    cdef double[3] options_0
    cdef double[2] system_parameters_0
    cdef double[4] multiplier_0
    cdef double[4] output_0
    cdef double[4] observed_0
    cdef double[2] reaction_0_0
    cdef double[8] output_x_0_0
    cdef double[2] relation_parameters_0
    cdef double[2] memory_next_0
    cdef double[4] factors_0
    cdef int[2] pivot_0
    cdef double[8] solved_0_0
    cdef double[16] A
    cdef double[4] b
    cdef double[4] z
    cdef int[4] cone = [1, 1, 1, 1]
    cdef const double *start_system_0_in[1]
    cdef double *start_system_0_out[1]
    cdef const double *residual_system_0_in[4]
    cdef double *residual_system_0_out[1]
    cdef const double *advance_system_0_in[1]
    cdef double *advance_system_0_out[1]
    cdef const double *evaluate_relation_0_in[5]
    cdef double *evaluate_relation_0_out[2]
    cdef const double *observe_relation_0_in[3]
    cdef double *observe_relation_0_out[2]
    cdef double[38] kept
    cdef double mode_0_0 = run.stage[0].mode[0][0]
    cdef double kept_mode_0_0 = mode_0_0
    cdef nsd_memory remembered
    memset(unknown_0, 0, sizeof(unknown_0))
    memset(move_0, 0, sizeof(move_0))
    memset(next_0, 0, sizeof(next_0))
    memset(output_0, 0, sizeof(output_0))
    memset(reaction_0_0, 0, sizeof(reaction_0_0))
    memset(memory_next_0, 0, sizeof(memory_next_0))
    state_0[0] = run.record[0]
    state_0[1] = run.record[1]
    memory_0[0] = run.record[2]
    memory_0[1] = run.record[3]
    options_0[0] = run.run[0][0]
    options_0[1] = run.run[0][1]
    options_0[2] = run.run[0][2]
    system_parameters_0[0] = run.system[0][0]
    system_parameters_0[1] = run.system[0][1]
    multiplier_0[0] = run.record[4]
    multiplier_0[1] = run.record[5]
    multiplier_0[2] = run.record[6]
    multiplier_0[3] = run.record[7]
    observed_0[0] = run.record[8]
    observed_0[1] = run.record[9]
    observed_0[2] = run.record[10]
    observed_0[3] = run.record[11]
    relation_parameters_0[0] = run.relation[0][0]
    relation_parameters_0[1] = run.relation[0][1]
    start_system_0_in[0] = state_0
    start_system_0_out[0] = unknown_0
    residual_system_0_in[0] = unknown_0
    residual_system_0_in[1] = state_0
    residual_system_0_in[2] = options_0
    residual_system_0_in[3] = system_parameters_0
    residual_system_0_out[0] = move_0
    advance_system_0_in[0] = unknown_0
    advance_system_0_out[0] = next_0
    evaluate_relation_0_in[0] = unknown_0
    evaluate_relation_0_in[1] = multiplier_0
    evaluate_relation_0_in[2] = memory_0
    evaluate_relation_0_in[3] = options_0
    evaluate_relation_0_in[4] = relation_parameters_0
    evaluate_relation_0_out[0] = output_0
    evaluate_relation_0_out[1] = reaction_0_0
    observe_relation_0_in[0] = state_0
    observe_relation_0_in[1] = multiplier_0
    observe_relation_0_in[2] = relation_parameters_0
    observe_relation_0_out[0] = memory_next_0
    observe_relation_0_out[1] = observed_0
    # what changes with the run only
    if not diode_bridge_steps_begin(run, kept):
        return 0
    output_x_0_0[0] = kept[0]
    output_x_0_0[1] = kept[1]
    output_x_0_0[2] = kept[2]
    output_x_0_0[3] = kept[3]
    output_x_0_0[4] = kept[4]
    output_x_0_0[5] = kept[5]
    output_x_0_0[6] = kept[6]
    output_x_0_0[7] = kept[7]
    factors_0[0] = kept[8]
    factors_0[1] = kept[9]
    factors_0[2] = kept[10]
    factors_0[3] = kept[11]
    pivot_0[0] = <int>kept[12]
    pivot_0[1] = <int>kept[13]
    solved_0_0[0] = kept[14]
    solved_0_0[1] = kept[15]
    solved_0_0[2] = kept[16]
    solved_0_0[3] = kept[17]
    solved_0_0[4] = kept[18]
    solved_0_0[5] = kept[19]
    solved_0_0[6] = kept[20]
    solved_0_0[7] = kept[21]
    A[0] = kept[22]
    A[1] = kept[23]
    A[2] = kept[24]
    A[3] = kept[25]
    A[4] = kept[26]
    A[5] = kept[27]
    A[6] = kept[28]
    A[7] = kept[29]
    A[8] = kept[30]
    A[9] = kept[31]
    A[10] = kept[32]
    A[11] = kept[33]
    A[12] = kept[34]
    A[13] = kept[35]
    A[14] = kept[36]
    A[15] = kept[37]
    remembered.factored = 0
    while made < count:
        clock[0] = run.start + (number + made) * run.h
        clock[1] = run.start + (number + made + 1) * run.h
        newton = 0.0
        # what is frozen, w_0
        oscillator_system0_start(start_system_0_in, start_system_0_out)
        # the multipliers to start from, and which relations are in play
        z[0] = multiplier_0[0]
        z[1] = multiplier_0[1]
        z[2] = multiplier_0[2]
        z[3] = multiplier_0[3]
        multiplier_0[0] = 0.0
        multiplier_0[1] = 0.0
        multiplier_0[2] = 0.0
        multiplier_0[3] = 0.0
        # R - rho, y, and their derivatives where they have changed
        oscillator_system0_residual(residual_system_0_in, residual_system_0_out)
        bridge_relation1_evaluate(evaluate_relation_0_in, evaluate_relation_0_out)
        move_0[0] -= reaction_0_0[0]
        move_0[1] -= reaction_0_0[1]
        # w = w - W^-1 (R - rho) where nothing else acts
        nsd_solve_same(2, factors_0, pivot_0, move_0)
        # the one-step problem: y = A lambda + b
        b[0] = output_0[0]
        b[0] -= output_x_0_0[0]*move_0[0]
        b[0] -= output_x_0_0[1]*move_0[1]
        b[1] = output_0[1]
        b[1] -= output_x_0_0[2]*move_0[0]
        b[1] -= output_x_0_0[3]*move_0[1]
        b[2] = output_0[2]
        b[2] -= output_x_0_0[4]*move_0[0]
        b[2] -= output_x_0_0[5]*move_0[1]
        b[3] = output_0[3]
        b[3] -= output_x_0_0[6]*move_0[0]
        b[3] -= output_x_0_0[7]*move_0[1]
        if not nsd_same_set(4, A, b, cone, z, &remembered):
            break
        # what the multipliers move
        multiplier_0[0] = z[0]
        if multiplier_0[0] != 0:
            move_0[0] -= solved_0_0[0]*multiplier_0[0]
            move_0[1] -= solved_0_0[4]*multiplier_0[0]
        multiplier_0[1] = z[1]
        if multiplier_0[1] != 0:
            move_0[0] -= solved_0_0[1]*multiplier_0[1]
            move_0[1] -= solved_0_0[5]*multiplier_0[1]
        multiplier_0[2] = z[2]
        if multiplier_0[2] != 0:
            move_0[0] -= solved_0_0[2]*multiplier_0[2]
            move_0[1] -= solved_0_0[6]*multiplier_0[2]
        multiplier_0[3] = z[3]
        if multiplier_0[3] != 0:
            move_0[0] -= solved_0_0[3]*multiplier_0[3]
            move_0[1] -= solved_0_0[7]*multiplier_0[3]
        unknown_0[0] -= move_0[0]
        unknown_0[1] -= move_0[1]
        if not nsd_finite(2, unknown_0):
            break
        newton += 1
        # advance, observe
        oscillator_system0_advance(advance_system_0_in, advance_system_0_out)
        state_0[0] = next_0[0]
        state_0[1] = next_0[1]
        bridge_relation1_observe(observe_relation_0_in, observe_relation_0_out)
        memory_0[0] = memory_next_0[0]
        memory_0[1] = memory_next_0[1]
        # where what is remembered is no number, the step fails
        if not nsd_numbers(2, memory_0):
            break
        # the record of the step
        row[0] = state_0[0]
        row[1] = state_0[1]
        row[2] = memory_0[0]
        row[3] = memory_0[1]
        row[4] = multiplier_0[0]
        row[5] = multiplier_0[1]
        row[6] = multiplier_0[2]
        row[7] = multiplier_0[3]
        row[8] = observed_0[0]
        row[9] = observed_0[1]
        row[10] = observed_0[2]
        row[11] = observed_0[3]
        row[12] = newton
        row[13] = 0.0
        times[0] = clock[1]
        kept_mode_0_0 = mode_0_0
        last = row
        row += stride
        times += 1 if stride else 0
        made += 1
    if made:
        if last != run.record:
            memcpy(run.record, last, 14 * sizeof(double))
        run.stage[0].mode[0][0] = kept_mode_0_0
    return made


# ================================================================================================
# the same for several members of an ensemble at once, where the module is compiled for that
# ================================================================================================

cdef extern from *:
    r"""
#ifdef NSDGEN_LANES
#include "nsdgen_lanes.h"

#include "nsdgen_row_lanes.h"

/* [tag] diode_bridge / oscillator: start, in lanes */
static inline void oscillator_system0_start_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_k = in_[0][0];
    const nsd_lanes i_k = in_[0][1];
    out[0][0] = v_k;
    out[0][1] = i_k;
    (void)active;
}

/* [tag] diode_bridge / oscillator: residual, in lanes */
static inline void oscillator_system0_residual_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v = in_[0][0];
    const nsd_lanes i = in_[0][1];
    const nsd_lanes v_k = in_[1][0];
    const nsd_lanes i_k = in_[1][1];
    const nsd_lanes h = in_[2][0];
    const nsd_lanes theta = in_[2][1];
    const nsd_lanes L = in_[3][0];
    const nsd_lanes C = in_[3][1];
    nsd_lanes x0, x1;
    x0 = h*theta;
    x1 = h*(1.0 - theta);
    out[0][0] = v + i*x0/C + i_k*x1/C - v_k;
    out[0][1] = i - i_k - v*x0/L - v_k*x1/L;
    (void)active;
}

/* [tag] diode_bridge / oscillator: linearize, in lanes */
static inline void oscillator_system0_linearize_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v = in_[0][0];
    const nsd_lanes i = in_[0][1];
    const nsd_lanes v_k = in_[1][0];
    const nsd_lanes i_k = in_[1][1];
    const nsd_lanes h = in_[2][0];
    const nsd_lanes theta = in_[2][1];
    const nsd_lanes L = in_[3][0];
    const nsd_lanes C = in_[3][1];
    nsd_lanes x0, x1;
    x0 = h*theta;
    x1 = h*(1.0 - theta);
    out[0][0] = v + i*x0/C + i_k*x1/C - v_k;
    out[0][1] = i - i_k - v*x0/L - v_k*x1/L;
    out[1][0] = nsd_all(1.0);
    out[1][1] = x0/C;
    out[1][2] = -x0/L;
    out[1][3] = nsd_all(1.0);
    (void)active;
}

/* [tag] diode_bridge / oscillator: advance, in lanes */
static inline void oscillator_system0_advance_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v = in_[0][0];
    const nsd_lanes i = in_[0][1];
    out[0][0] = v;
    out[0][1] = i;
    (void)active;
}

/* [tag] diode_bridge / bridge: evaluate, in lanes */
static inline void bridge_relation1_evaluate_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v = in_[0][0];
    const nsd_lanes lam0 = in_[1][0];
    const nsd_lanes lam1 = in_[1][1];
    const nsd_lanes lam2 = in_[1][2];
    const nsd_lanes lam3 = in_[1][3];
    const nsd_lanes g0_k = in_[2][0];
    const nsd_lanes g1_k = in_[2][1];
    const nsd_lanes h = in_[3][0];
    const nsd_lanes gamma_ = in_[3][2];
    const nsd_lanes C = in_[4][0];
    const nsd_lanes R = in_[4][1];
    nsd_lanes x0, x1;
    x0 = (lam0 + lam1)/R;
    out[0][0] = x0 - lam2;
    out[0][1] = x0 - lam3;
    out[0][2] = lam0 - v;
    out[0][3] = lam1 + v;
    x1 = h*(1.0 - gamma_);
    out[1][0] = g0_k*x1 - gamma_*h*(lam2 - lam3)/C;
    out[1][1] = g1_k*x1;
    (void)active;
}

/* [tag] diode_bridge / bridge: linearize, in lanes */
static inline void bridge_relation1_linearize_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v = in_[0][0];
    const nsd_lanes lam0 = in_[1][0];
    const nsd_lanes lam1 = in_[1][1];
    const nsd_lanes lam2 = in_[1][2];
    const nsd_lanes lam3 = in_[1][3];
    const nsd_lanes g0_k = in_[2][0];
    const nsd_lanes g1_k = in_[2][1];
    const nsd_lanes h = in_[3][0];
    const nsd_lanes gamma_ = in_[3][2];
    const nsd_lanes C = in_[4][0];
    const nsd_lanes R = in_[4][1];
    nsd_lanes x0, x1, x2, x3, x4;
    x0 = gamma_*h;
    x1 = (lam0 + lam1)/R;
    out[0][0] = x1 - lam2;
    out[0][1] = x1 - lam3;
    out[0][2] = lam0 - v;
    out[0][3] = lam1 + v;
    x2 = h*(1.0 - gamma_);
    out[1][0] = g0_k*x2 - x0*(lam2 - lam3)/C;
    out[1][1] = g1_k*x2;
    x3 = 1.0/R;
    out[2][0] = x3;
    out[2][1] = x3;
    out[2][2] = nsd_all(-1.0);
    out[2][3] = x3;
    out[2][4] = x3;
    out[2][5] = nsd_all(-1.0);
    out[2][6] = nsd_all(1.0);
    out[2][7] = nsd_all(1.0);
    out[3][0] = nsd_all(-1.0);
    out[3][1] = nsd_all(1.0);
    x4 = x0/C;
    out[4][0] = -x4;
    out[4][1] = x4;
    (void)active;
}

/* [tag] diode_bridge / bridge: observe, in lanes */
static inline void bridge_relation1_observe_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_next = in_[0][0];
    const nsd_lanes lam0 = in_[1][0];
    const nsd_lanes lam1 = in_[1][1];
    const nsd_lanes lam2 = in_[1][2];
    const nsd_lanes lam3 = in_[1][3];
    const nsd_lanes C = in_[2][0];
    const nsd_lanes R = in_[2][1];
    nsd_lanes x0;
    out[0][0] = (lam3 - lam2)/C;
    out[0][1] = nsd_all(0.0);
    x0 = (lam0 + lam1)/R;
    out[1][0] = x0 - lam2;
    out[1][1] = x0 - lam3;
    out[1][2] = lam0 - v_next;
    out[1][3] = lam1 + v_next;
    (void)active;
}

/* [tag] diode_bridge: what changes with the run only, in lanes */
static NSD_RARE int diode_bridge_lanes_of_run(const nsdgen_run *const *run, nsd_lanes *kept)
{
    const nsd_mask every = ~(nsd_mask){0};
    nsd_lanes anything[4] = {{0}};
    nsd_lanes matrix_0[4] = {{0}};
    nsd_lanes options_0[3];
    nsd_lanes system_parameters_0[2];
    nsd_lanes reaction_lambda_0_0[8] = {{0}};
    nsd_lanes output_x_0_0[8] = {{0}};
    nsd_lanes output_lambda_0[16] = {{0}};
    nsd_lanes relation_parameters_0[2];
    nsd_lanes output_lambda_0_written[8] = {{0}};
    nsd_lanes output_x_0_0_written[2] = {{0}};
    nsd_lanes reaction_lambda_0_0_written[2] = {{0}};
    nsd_lanes factors_0[4] = {{0}};
    nsd_mask pivot_0[2];
    nsd_lanes solved_0_0[8] = {{0}};
    nsd_lanes A[16];
    const nsd_lanes *linearize_system_0_in[] = {anything, anything, options_0, system_parameters_0};
    nsd_lanes *linearize_system_0_out[] = {anything, matrix_0};
    const nsd_lanes *linearize_relation_0_in[] = {anything, anything, anything, options_0, relation_parameters_0};
    nsd_lanes *linearize_relation_0_out[] = {anything, anything, output_lambda_0_written, output_x_0_0_written, reaction_lambda_0_0_written};
NSD_EACH_LANE
    {
        options_0[0][lane] = run[lane]->run[0][0];
        options_0[1][lane] = run[lane]->run[0][1];
        options_0[2][lane] = run[lane]->run[0][2];
        system_parameters_0[0][lane] = run[lane]->system[0][0];
        system_parameters_0[1][lane] = run[lane]->system[0][1];
        relation_parameters_0[0][lane] = run[lane]->relation[0][0];
        relation_parameters_0[1][lane] = run[lane]->relation[0][1];
}
    oscillator_system0_linearize_lanes(every, linearize_system_0_in, linearize_system_0_out);
    memcpy(factors_0, matrix_0, sizeof(factors_0));
    if (nsd_any(~nsd_lanes_factor(2, nsd_all(2), factors_0, pivot_0)))
        return 0;
    bridge_relation1_linearize_lanes(every, linearize_relation_0_in, linearize_relation_0_out);
    output_lambda_0[0] = output_lambda_0_written[0];
    output_lambda_0[1] = output_lambda_0_written[1];
    output_lambda_0[2] = output_lambda_0_written[2];
    output_lambda_0[4] = output_lambda_0_written[3];
    output_lambda_0[5] = output_lambda_0_written[4];
    output_lambda_0[7] = output_lambda_0_written[5];
    output_lambda_0[8] = output_lambda_0_written[6];
    output_lambda_0[13] = output_lambda_0_written[7];
    output_x_0_0[4] = output_x_0_0_written[0];
    output_x_0_0[6] = output_x_0_0_written[1];
    reaction_lambda_0_0[2] = reaction_lambda_0_0_written[0];
    reaction_lambda_0_0[3] = reaction_lambda_0_0_written[1];
    memcpy(solved_0_0, reaction_lambda_0_0, sizeof solved_0_0);
    nsd_lanes_solve_columns(2, factors_0, pivot_0, solved_0_0, 4);
    memset(A, 0, sizeof(A));
    A[0] = output_lambda_0[0];
    A[1] = output_lambda_0[1];
    A[2] = output_lambda_0[2];
    A[3] = output_lambda_0[3];
    A[4] = output_lambda_0[4];
    A[5] = output_lambda_0[5];
    A[6] = output_lambda_0[6];
    A[7] = output_lambda_0[7];
    A[8] = output_lambda_0[8];
    A[9] = output_lambda_0[9];
    A[10] = output_lambda_0[10];
    A[11] = output_lambda_0[11];
    A[12] = output_lambda_0[12];
    A[13] = output_lambda_0[13];
    A[14] = output_lambda_0[14];
    A[15] = output_lambda_0[15];
    nsd_lanes_add_product(A + 0, 4, output_x_0_0, 4, 2, solved_0_0, 4);
    kept[0] = output_x_0_0[0];
    kept[1] = output_x_0_0[1];
    kept[2] = output_x_0_0[2];
    kept[3] = output_x_0_0[3];
    kept[4] = output_x_0_0[4];
    kept[5] = output_x_0_0[5];
    kept[6] = output_x_0_0[6];
    kept[7] = output_x_0_0[7];
    kept[8] = factors_0[0];
    kept[9] = factors_0[1];
    kept[10] = factors_0[2];
    kept[11] = factors_0[3];
    kept[12] = (nsd_lanes)pivot_0[0];
    kept[13] = (nsd_lanes)pivot_0[1];
    kept[14] = solved_0_0[0];
    kept[15] = solved_0_0[1];
    kept[16] = solved_0_0[2];
    kept[17] = solved_0_0[3];
    kept[18] = solved_0_0[4];
    kept[19] = solved_0_0[5];
    kept[20] = solved_0_0[6];
    kept[21] = solved_0_0[7];
    kept[22] = A[0];
    kept[23] = A[1];
    kept[24] = A[2];
    kept[25] = A[3];
    kept[26] = A[4];
    kept[27] = A[5];
    kept[28] = A[6];
    kept[29] = A[7];
    kept[30] = A[8];
    kept[31] = A[9];
    kept[32] = A[10];
    kept[33] = A[11];
    kept[34] = A[12];
    kept[35] = A[13];
    kept[36] = A[14];
    kept[37] = A[15];
    return 1;
}

/* [tag] diode_bridge: steps in lanes */
static int64_t diode_bridge_lanes(const nsdgen_run *const *run, int64_t number, int64_t count, double *row, int64_t stride,
                                  double *times)
{
    const nsd_mask every = ~(nsd_mask){0};
    int64_t made = 0;
    double *last = NULL;
    nsd_lanes begin, h, clock[2], newton, measure, least, value, change, size[1];
    nsd_mask going, runs, passed;
    int iteration;
    nsd_lanes state_0[2];
    nsd_lanes memory_0[2];
    nsd_lanes unknown_0[2] = {{0}};
    nsd_lanes move_0[2] = {{0}};
    nsd_lanes next_0[2] = {{0}};
    nsd_lanes options_0[3];
    nsd_lanes system_parameters_0[2];
    nsd_lanes multiplier_0[4];
    nsd_lanes output_0[4] = {{0}};
    nsd_lanes observed_0[4];
    nsd_lanes reaction_0_0[2] = {{0}};
    nsd_lanes output_x_0_0[8];
    nsd_lanes relation_parameters_0[2];
    nsd_lanes memory_next_0[2] = {{0}};
    nsd_lanes factors_0[4];
    nsd_mask pivot_0[2];
    nsd_lanes solved_0_0[8];
    nsd_lanes A[16];
    nsd_lanes b[4];
    nsd_lanes z[4];
    const nsd_lanes *start_system_0_in[] = {state_0};
    nsd_lanes *start_system_0_out[] = {unknown_0};
    const nsd_lanes *residual_system_0_in[] = {unknown_0, state_0, options_0, system_parameters_0};
    nsd_lanes *residual_system_0_out[] = {move_0};
    const nsd_lanes *advance_system_0_in[] = {unknown_0};
    nsd_lanes *advance_system_0_out[] = {next_0};
    const nsd_lanes *evaluate_relation_0_in[] = {unknown_0, multiplier_0, memory_0, options_0, relation_parameters_0};
    nsd_lanes *evaluate_relation_0_out[] = {output_0, reaction_0_0};
    const nsd_lanes *observe_relation_0_in[] = {state_0, multiplier_0, relation_parameters_0};
    nsd_lanes *observe_relation_0_out[] = {memory_next_0, observed_0};
    nsd_lanes kept[38];
    nsd_lanes mode_0_0, kept_mode_0_0;
    static const int cone[4] = {1, 1, 1, 1};
    nsd_mask in_play[4];
    nsd_lanes_memory remembered;

    NSD_EACH_LANE
    {
        begin[lane] = run[lane]->start;
        h[lane] = run[lane]->h;
        state_0[0][lane] = run[lane]->record[0];
        state_0[1][lane] = run[lane]->record[1];
        memory_0[0][lane] = run[lane]->record[2];
        memory_0[1][lane] = run[lane]->record[3];
        options_0[0][lane] = run[lane]->run[0][0];
        options_0[1][lane] = run[lane]->run[0][1];
        options_0[2][lane] = run[lane]->run[0][2];
        system_parameters_0[0][lane] = run[lane]->system[0][0];
        system_parameters_0[1][lane] = run[lane]->system[0][1];
        multiplier_0[0][lane] = run[lane]->record[4];
        multiplier_0[1][lane] = run[lane]->record[5];
        multiplier_0[2][lane] = run[lane]->record[6];
        multiplier_0[3][lane] = run[lane]->record[7];
        observed_0[0][lane] = run[lane]->record[8];
        observed_0[1][lane] = run[lane]->record[9];
        observed_0[2][lane] = run[lane]->record[10];
        observed_0[3][lane] = run[lane]->record[11];
        relation_parameters_0[0][lane] = run[lane]->relation[0][0];
        relation_parameters_0[1][lane] = run[lane]->relation[0][1];
        mode_0_0[lane] = run[lane]->stage[0].mode[0][0];
    }
    kept_mode_0_0 = mode_0_0;
    /* what changes with the run only */
    if (!diode_bridge_lanes_of_run(run, kept))
        return 0;
    output_x_0_0[0] = kept[0];
    output_x_0_0[1] = kept[1];
    output_x_0_0[2] = kept[2];
    output_x_0_0[3] = kept[3];
    output_x_0_0[4] = kept[4];
    output_x_0_0[5] = kept[5];
    output_x_0_0[6] = kept[6];
    output_x_0_0[7] = kept[7];
    factors_0[0] = kept[8];
    factors_0[1] = kept[9];
    factors_0[2] = kept[10];
    factors_0[3] = kept[11];
    pivot_0[0] = (nsd_mask)kept[12];
    pivot_0[1] = (nsd_mask)kept[13];
    solved_0_0[0] = kept[14];
    solved_0_0[1] = kept[15];
    solved_0_0[2] = kept[16];
    solved_0_0[3] = kept[17];
    solved_0_0[4] = kept[18];
    solved_0_0[5] = kept[19];
    solved_0_0[6] = kept[20];
    solved_0_0[7] = kept[21];
    A[0] = kept[22];
    A[1] = kept[23];
    A[2] = kept[24];
    A[3] = kept[25];
    A[4] = kept[26];
    A[5] = kept[27];
    A[6] = kept[28];
    A[7] = kept[29];
    A[8] = kept[30];
    A[9] = kept[31];
    A[10] = kept[32];
    A[11] = kept[33];
    A[12] = kept[34];
    A[13] = kept[35];
    A[14] = kept[36];
    A[15] = kept[37];
    remembered.factored = (nsd_mask){0};
    while (made < count) {
        clock[0] = begin + (double)(number + made) * h;
        clock[1] = begin + (double)(number + made + 1) * h;
        newton = nsd_all(0.0);
        /* what is frozen, w_0 */
        oscillator_system0_start_lanes(every, start_system_0_in, start_system_0_out);
        /* the multipliers to start from, and which relations are in play */
        z[0] = multiplier_0[0];
        multiplier_0[0] = nsd_all(0.0);
        z[1] = multiplier_0[1];
        multiplier_0[1] = nsd_all(0.0);
        z[2] = multiplier_0[2];
        multiplier_0[2] = nsd_all(0.0);
        z[3] = multiplier_0[3];
        multiplier_0[3] = nsd_all(0.0);
        runs = every;
        /* R - rho, y, and their derivatives where they have changed */
        oscillator_system0_residual_lanes(every, residual_system_0_in, residual_system_0_out);
        {
            bridge_relation1_evaluate_lanes(every, evaluate_relation_0_in, evaluate_relation_0_out);
            move_0[0] -= reaction_0_0[0];
            move_0[1] -= reaction_0_0[1];
        }
        /* w = w - W^-1 (R - rho) where nothing else acts */
        nsd_lanes_solve(2, factors_0, pivot_0, move_0);
        /* the one-step problem: y = A lambda + b */
        b[0] = output_0[0];
        b[0] -= output_x_0_0[0] * move_0[0];
        b[0] -= output_x_0_0[1] * move_0[1];
        b[1] = output_0[1];
        b[1] -= output_x_0_0[2] * move_0[0];
        b[1] -= output_x_0_0[3] * move_0[1];
        b[2] = output_0[2];
        b[2] -= output_x_0_0[4] * move_0[0];
        b[2] -= output_x_0_0[5] * move_0[1];
        b[3] = output_0[3];
        b[3] -= output_x_0_0[6] * move_0[0];
        b[3] -= output_x_0_0[7] * move_0[1];
        in_play[0] = every;
        in_play[1] = every;
        in_play[2] = every;
        in_play[3] = every;
        if (nsd_any(nsd_lanes_active_set(every, 4, A, b, cone, in_play, 0, z, &remembered)))
            goto unusual;
        /* what the multipliers move */
        change = nsd_pick_lanes(every, z[0] - multiplier_0[0], nsd_all(0.0));
        multiplier_0[0] = nsd_pick_lanes(every, z[0], multiplier_0[0]);
        move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_0_0[0] * change, move_0[0]);
        move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_0_0[4] * change, move_0[1]);
        change = nsd_pick_lanes(every, z[1] - multiplier_0[1], nsd_all(0.0));
        multiplier_0[1] = nsd_pick_lanes(every, z[1], multiplier_0[1]);
        move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_0_0[1] * change, move_0[0]);
        move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_0_0[5] * change, move_0[1]);
        change = nsd_pick_lanes(every, z[2] - multiplier_0[2], nsd_all(0.0));
        multiplier_0[2] = nsd_pick_lanes(every, z[2], multiplier_0[2]);
        move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_0_0[2] * change, move_0[0]);
        move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_0_0[6] * change, move_0[1]);
        change = nsd_pick_lanes(every, z[3] - multiplier_0[3], nsd_all(0.0));
        multiplier_0[3] = nsd_pick_lanes(every, z[3], multiplier_0[3]);
        move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_0_0[3] * change, move_0[0]);
        move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_0_0[7] * change, move_0[1]);
        unknown_0[0] -= move_0[0];
        unknown_0[1] -= move_0[1];
        if (nsd_any(every & ~(nsd_lanes_finite(2, unknown_0))))
            goto unusual;
        newton = newton + 1.0;
        /* advance, observe */
        oscillator_system0_advance_lanes(runs, advance_system_0_in, advance_system_0_out);
        state_0[0] = next_0[0];
        state_0[1] = next_0[1];
        {
            bridge_relation1_observe_lanes(runs, observe_relation_0_in, observe_relation_0_out);
            memory_0[0] = memory_next_0[0];
            memory_0[1] = memory_next_0[1];
        }
        if (nsd_any(~nsd_lanes_numbers(2, memory_0)))
            goto unusual;
        /* the records of the step */
        nsd_put_lanes(row + 0 * NSD_LANES, state_0[0]);
        nsd_put_lanes(row + 1 * NSD_LANES, state_0[1]);
        nsd_put_lanes(row + 2 * NSD_LANES, memory_0[0]);
        nsd_put_lanes(row + 3 * NSD_LANES, memory_0[1]);
        nsd_put_lanes(row + 4 * NSD_LANES, multiplier_0[0]);
        nsd_put_lanes(row + 5 * NSD_LANES, multiplier_0[1]);
        nsd_put_lanes(row + 6 * NSD_LANES, multiplier_0[2]);
        nsd_put_lanes(row + 7 * NSD_LANES, multiplier_0[3]);
        nsd_put_lanes(row + 8 * NSD_LANES, observed_0[0]);
        nsd_put_lanes(row + 9 * NSD_LANES, observed_0[1]);
        nsd_put_lanes(row + 10 * NSD_LANES, observed_0[2]);
        nsd_put_lanes(row + 11 * NSD_LANES, observed_0[3]);
        nsd_put_lanes(row + 12 * NSD_LANES, newton);
        nsd_put_lanes(row + 13 * NSD_LANES, nsd_all(0.0));
        times[0] = clock[1][0];
        kept_mode_0_0 = mode_0_0;
        last = row;
        row += stride;
        times += stride ? 1 : 0;
        made += 1;
    }
unusual: /* in a lane: the general stepper makes this step */
    if (last) NSD_EACH_LANE
    {
        for (int k = 0; k < 14; ++k)
            run[lane]->record[k] = last[k * NSD_LANES + lane];
        run[lane]->stage[0].mode[0][0] = kept_mode_0_0[lane];
    }
    (void)measure, (void)least, (void)value, (void)change, (void)size, (void)going, (void)runs, (void)passed;
    (void)iteration;
    return made;
}
#else
#define NSD_LANES 0
#define diode_bridge_lanes NULL
#endif
    """
    int NSD_LANES
    nsdgen_lane_steps diode_bridge_lanes


# [tag] diode_bridge: capsule
cdef int number
cdef nsdgen_call[23] calls = [
    oscillator_system0_start, oscillator_system0_residual, oscillator_system0_linearize,
    oscillator_system0_advance, oscillator_system0_start_2, oscillator_system0_residual_2,
    oscillator_system0_linearize_2, oscillator_system0_advance_2, oscillator_system0_mass,
    oscillator_system0_rhs, oscillator_system0_rhs_x, bridge_relation1_evaluate,
    bridge_relation1_linearize, bridge_relation1_observe, bridge_relation1_evaluate_2,
    bridge_relation1_linearize_2, bridge_relation1_output, bridge_relation1_output_lambda,
    bridge_relation1_output_x, bridge_relation1_reaction, bridge_relation1_reaction_x,
    bridge_relation1_reaction_lambda, diode_bridge_model2_skip_2,
]
for number in range(23):
    KERNELS[number].call = calls[number]
MODULE.steps = diode_bridge_steps
MODULE.lanes, MODULE.lane_steps = NSD_LANES, diode_bridge_lanes
__nsdgen__ = PyCapsule_New(<void *>&MODULE, b"nsdgen.abi", NULL)
# end of _module.pxi
