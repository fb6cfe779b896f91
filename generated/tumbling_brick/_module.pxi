# _module.pxi: the kernels of the model tumbling_brick as the runtime reads them: interface and table, functions of nsdgen, whole steps.
from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport fmax
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

cdef extern from *:
    r"""
#include "nsdgen_abi.h"

#include "nsdgen_math.h"

#define NSD_ROWS 8
#include "nsdgen_step.h"

#include "nsdgen_newton.h"

/* [tag] tumbling_brick: table of kernels */
static const int32_t POSITIONS[] = {
    0, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5,
    0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5,
    3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 3, 4, 5, 6, 3, 4, 5, 6, 3, 4, 5, 6,
    3, 3, 4, 4, 5, 5, 4, 5, 3, 5, 3, 4,
    0, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5,
    0,
    0, 0, 0, 0, 2, 3, 4, 5,
    2, 3, 4, 5, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 2, 3, 4, 5, 6,
};
static const nsdgen_input INPUTS[] = {
    {"initial", 10, 13},
    {"state", 2, 13},
    {"unknown", 0, 6}, {"state", 2, 13}, {"time", 6, 2}, {"run", 7, 4}, {"parameters", 8, 7},
    {"unknown", 0, 6}, {"state", 2, 13}, {"run", 7, 4},
    {"parameters", 8, 7},
    {"q", 11, 7}, {"parameters", 8, 7},
    {"t", 11, 1}, {"q", 11, 7}, {"v", 11, 6}, {"parameters", 8, 7},
    {"q", 11, 7}, {"v", 11, 6}, {"parameters", 8, 7},
    {"unknown", 0, 6}, {"frozen_iteration", 5, 7}, {"multiplier", 1, 1}, {"memory", 3, 3}, {"parameters", 8, 4},
    {"state", 2, 13}, {"frozen_step", 4, 4}, {"multiplier", 1, 1}, {"memory", 3, 3}, {"run", 7, 4},
    {"parameters", 8, 4},
    {"memory", 3, 3}, {"run", 7, 4},
    {"t", 11, 1}, {"q", 11, 7}, {"parameters", 8, 4},
    {"parameters", 8, 8},
};
static const nsdgen_output OUTPUTS[] = {
    {"state", 10, 13, 1, 13, 1024},
    {"unknown", 9, 6, 1, 6, 4},
    {"residual", 1, 6, 1, 6, 453}, {"scale", 21, 6, 1, 6, 453},
    {"residual", 1, 6, 1, 6, 453}, {"iteration_matrix", 2, 6, 6, 12, 453, 0, POSITIONS + 0},
    {"state", 10, 13, 1, 13, 133},
    {"frozen", 14, 4, 1, 4, 256},
    {"frozen", 15, 7, 1, 7, 4},
    {"frozen", 15, 7, 1, 7, 133},
    {"mass", 0, 6, 6, 6, 256, 0, POSITIONS + 24},
    {"force", 0, 6, 1, 6, 2304},
    {"force_q", 0, 6, 7, 12, 2304, 0, POSITIONS + 36},
    {"force_v", 0, 6, 6, 6, 2304, 0, POSITIONS + 60},
    {"twist_map", 0, 7, 6, 15, 2048, 0, POSITIONS + 72},
    {"kinetic_energy", 0, 1, 1, 1, 2304},
    {"angular_momentum", 0, 3, 1, 3, 2304},
    {"rotation", 0, 3, 3, 9, 2048},
    {"output", 3, 1, 1, 1, 297, 2}, {"reaction", 6, 6, 1, 6, 290, 3}, {"output_scale", 22, 1, 1, 1, 297},
    {"reaction_scale", 23, 6, 1, 6, 290},
    {"output", 3, 1, 1, 1, 297, 2}, {"reaction", 6, 6, 1, 6, 290, 3},
    {"output_lambda", 5, 1, 1, 0, 0, 0, POSITIONS + 102}, {"output_x", 4, 1, 6, 4, 288, 0, POSITIONS + 103},
    {"reaction_lambda", 8, 6, 1, 4, 288, 0, POSITIONS + 111},
    {"memory", 11, 3, 1, 3, 414},
    {"mode", 13, 1, 1, 1, 136},
    {"gap", 0, 1, 1, 1, 2304},
    {"gap_t", 0, 1, 1, 1},
    {"gap_q", 0, 1, 7, 5, 2304, 0, POSITIONS + 119},
    {"gap_twist", 0, 1, 6, 4, 2304, 0, POSITIONS + 103},
    {"arguments", 17, 3, 1, 3, 256},
};
static nsdgen_kernel KERNELS[] = {
    {"initial", 5, -1, 1, 1, INPUTS + 0, OUTPUTS + 0},
    {"start", 4, 0, 1, 1, INPUTS + 1, OUTPUTS + 1},
    {"residual", 1, 0, 5, 2, INPUTS + 2, OUTPUTS + 2},
    {"linearize", 2, 0, 5, 2, INPUTS + 2, OUTPUTS + 4},
    {"advance", 6, 0, 3, 1, INPUTS + 7, OUTPUTS + 6},
    {"freeze_step", 9, 0, 1, 1, INPUTS + 10, OUTPUTS + 7},
    {"freeze_start", 10, 0, 1, 1, INPUTS + 1, OUTPUTS + 8},
    {"freeze_iteration", 11, 0, 3, 1, INPUTS + 7, OUTPUTS + 9},
    {"mass", 0, -1, 2, 1, INPUTS + 11, OUTPUTS + 10},
    {"force", 0, -1, 4, 1, INPUTS + 13, OUTPUTS + 11},
    {"force_q", 0, -1, 4, 1, INPUTS + 13, OUTPUTS + 12},
    {"force_v", 0, -1, 4, 1, INPUTS + 13, OUTPUTS + 13},
    {"twist_map", 0, -1, 2, 1, INPUTS + 11, OUTPUTS + 14},
    {"kinetic_energy", 0, -1, 4, 1, INPUTS + 13, OUTPUTS + 15},
    {"angular_momentum", 0, -1, 3, 1, INPUTS + 17, OUTPUTS + 16},
    {"rotation", 0, -1, 3, 1, INPUTS + 17, OUTPUTS + 17},
    {"evaluate", 3, 0, 5, 4, INPUTS + 20, OUTPUTS + 18},
    {"linearize", 2, 0, 5, 5, INPUTS + 20, OUTPUTS + 22},
    {"observe", 7, 0, 6, 1, INPUTS + 25, OUTPUTS + 27},
    {"activation", 8, 0, 2, 1, INPUTS + 31, OUTPUTS + 28},
    {"gap", 0, -1, 3, 1, INPUTS + 33, OUTPUTS + 29},
    {"gap_t", 0, -1, 3, 1, INPUTS + 33, OUTPUTS + 30},
    {"gap_q", 0, -1, 3, 1, INPUTS + 33, OUTPUTS + 31},
    {"gap_twist", 0, -1, 3, 1, INPUTS + 33, OUTPUTS + 32},
    {"arguments", 13, -1, 1, 1, INPUTS + 36, OUTPUTS + 33},
};
static const nsdgen_class CLASSES[] = {
    {"brick", 0, 16, KERNELS + 0},
    {"brick ground 0", 1, 8, KERNELS + 16},
    {"tumbling_brick", 2, 1, KERNELS + 24},
};
static nsdgen_module MODULE = {
    3, 0,
    sizeof(nsdgen_input), sizeof(nsdgen_output), sizeof(nsdgen_kernel), sizeof(nsdgen_class), sizeof(nsdgen_module),
    "tumbling_brick", "ad88bb61958a4f43-cee425fc", 3, CLASSES,
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
    double nsd_mod(double a, double b) noexcept nogil
    double nsd_sign(double a) noexcept nogil
    double nsd_stumpff(int k, double s) noexcept nogil
    void nsd_solve(int n, const double *lu, const int *pivot, double *b) noexcept nogil
    void nsd_solve_same(int n, const double *lu, const int *pivot, double *b) noexcept nogil
    void nsd_add_product(
        double *target, int stride, const double *left, int rows, int inner, const double *right, int cols) noexcept nogil
    int nsd_one_row(double a, double b, int cone, double *z) noexcept nogil
    ctypedef struct nsd_memory:
        int factored
    int nsd_finite(int n, const double *x) noexcept nogil
    int nsd_factor(int n, double *a, int *pivot) noexcept nogil
    void nsd_solve_columns(int n, const double *lu, const int *pivot, double *b, int cols) noexcept nogil
    void nsd_subtract_columns(int n, const double *a, const double *z, double *b) noexcept nogil
    double nsd_largest(int n, const double *scale, double largest) noexcept nogil
    double nsd_nothing(double largest) noexcept nogil
    double nsd_worse(double worst, double row, double scale, double least) noexcept nogil
    double nsd_terms(double own, double resolved) noexcept nogil
    double nsd_resolution(int n, const double *output_x, const double *resolved) noexcept nogil
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

# [tag] tumbling_brick: what changes with the run only
cdef int tumbling_brick_steps_of_run(const nsdgen_run *run, double *kept) noexcept nogil:
    cdef double[4] frozen_step_0
    cdef double[7] system_parameters_0
    cdef const double *freeze_step_system_0_in[1]
    cdef double *freeze_step_system_0_out[1]
    memset(frozen_step_0, 0, sizeof(frozen_step_0))
    system_parameters_0[0] = run.system[0][0]
    system_parameters_0[1] = run.system[0][1]
    system_parameters_0[2] = run.system[0][2]
    system_parameters_0[3] = run.system[0][3]
    system_parameters_0[4] = run.system[0][4]
    system_parameters_0[5] = run.system[0][5]
    system_parameters_0[6] = run.system[0][6]
    freeze_step_system_0_in[0] = system_parameters_0
    freeze_step_system_0_out[0] = frozen_step_0
    brick_system0_freeze_step(freeze_step_system_0_in, freeze_step_system_0_out)
    kept[0] = frozen_step_0[0]
    kept[1] = frozen_step_0[1]
    kept[2] = frozen_step_0[2]
    kept[3] = frozen_step_0[3]
    return 1

# called by way of a pointer: as a part of the steps it would keep compilers from holding in registers what these read
ctypedef int (*tumbling_brick_steps_call)(const nsdgen_run *, double *) noexcept nogil
cdef tumbling_brick_steps_call tumbling_brick_steps_begin = tumbling_brick_steps_of_run


# [tag] tumbling_brick: steps
#   start, activation, Newton's method, the one-step problem, advance and observation of 1 system and 8 relations, step after step
cdef int64_t tumbling_brick_steps(const nsdgen_run *run, int64_t number, int64_t count, double *row, int64_t stride,
                                  double *times) noexcept nogil:
    cdef int64_t made = 0
    cdef double *last = NULL
    cdef double newton, measure, least, value, change
    cdef double[5] size
    cdef bint done, runs
    cdef int iteration, n = 0
    cdef int deficiency = 0
    cdef double[2] clock
    cdef double[13] state_0
    cdef double[3] memory_0
    cdef double[3] memory_1
    cdef double[3] memory_2
    cdef double[3] memory_3
    cdef double[3] memory_4
    cdef double[3] memory_5
    cdef double[3] memory_6
    cdef double[3] memory_7
    cdef double[6] unknown_0
    cdef double[6] move_0
    cdef double[13] next_0
    cdef double[7] frozen_0
    cdef double[7] frozen_next_0
    cdef double[4] options_0
    cdef double[6] resolved_0
    cdef double[6] scale_0
    cdef double[7] system_parameters_0
    cdef double[12] matrix_0
    cdef double[4] frozen_step_0
    cdef double[1] multiplier_0
    cdef double[1] output_0
    cdef double[6] reaction_0_0
    cdef double[6] reaction_lambda_0_0
    cdef double[6] output_x_0_0
    cdef double[1] output_lambda_0
    cdef double[1] mode_written_0
    cdef double[4] relation_parameters_0
    cdef double[1] terms_0
    cdef double[6] reaction_terms_0_0
    cdef double[1] output_lambda_0_written
    cdef double[4] output_x_0_0_written
    cdef double[4] reaction_lambda_0_0_written
    cdef double[3] memory_next_0
    cdef double[1] multiplier_1
    cdef double[1] output_1
    cdef double[6] reaction_1_0
    cdef double[6] reaction_lambda_1_0
    cdef double[6] output_x_1_0
    cdef double[1] output_lambda_1
    cdef double[1] mode_written_1
    cdef double[4] relation_parameters_1
    cdef double[1] terms_1
    cdef double[6] reaction_terms_1_0
    cdef double[1] output_lambda_1_written
    cdef double[4] output_x_1_0_written
    cdef double[4] reaction_lambda_1_0_written
    cdef double[3] memory_next_1
    cdef double[1] multiplier_2
    cdef double[1] output_2
    cdef double[6] reaction_2_0
    cdef double[6] reaction_lambda_2_0
    cdef double[6] output_x_2_0
    cdef double[1] output_lambda_2
    cdef double[1] mode_written_2
    cdef double[4] relation_parameters_2
    cdef double[1] terms_2
    cdef double[6] reaction_terms_2_0
    cdef double[1] output_lambda_2_written
    cdef double[4] output_x_2_0_written
    cdef double[4] reaction_lambda_2_0_written
    cdef double[3] memory_next_2
    cdef double[1] multiplier_3
    cdef double[1] output_3
    cdef double[6] reaction_3_0
    cdef double[6] reaction_lambda_3_0
    cdef double[6] output_x_3_0
    cdef double[1] output_lambda_3
    cdef double[1] mode_written_3
    cdef double[4] relation_parameters_3
    cdef double[1] terms_3
    cdef double[6] reaction_terms_3_0
    cdef double[1] output_lambda_3_written
    cdef double[4] output_x_3_0_written
    cdef double[4] reaction_lambda_3_0_written
    cdef double[3] memory_next_3
    cdef double[1] multiplier_4
    cdef double[1] output_4
    cdef double[6] reaction_4_0
    cdef double[6] reaction_lambda_4_0
    cdef double[6] output_x_4_0
    cdef double[1] output_lambda_4
    cdef double[1] mode_written_4
    cdef double[4] relation_parameters_4
    cdef double[1] terms_4
    cdef double[6] reaction_terms_4_0
    cdef double[1] output_lambda_4_written
    cdef double[4] output_x_4_0_written
    cdef double[4] reaction_lambda_4_0_written
    cdef double[3] memory_next_4
    cdef double[1] multiplier_5
    cdef double[1] output_5
    cdef double[6] reaction_5_0
    cdef double[6] reaction_lambda_5_0
    cdef double[6] output_x_5_0
    cdef double[1] output_lambda_5
    cdef double[1] mode_written_5
    cdef double[4] relation_parameters_5
    cdef double[1] terms_5
    cdef double[6] reaction_terms_5_0
    cdef double[1] output_lambda_5_written
    cdef double[4] output_x_5_0_written
    cdef double[4] reaction_lambda_5_0_written
    cdef double[3] memory_next_5
    cdef double[1] multiplier_6
    cdef double[1] output_6
    cdef double[6] reaction_6_0
    cdef double[6] reaction_lambda_6_0
    cdef double[6] output_x_6_0
    cdef double[1] output_lambda_6
    cdef double[1] mode_written_6
    cdef double[4] relation_parameters_6
    cdef double[1] terms_6
    cdef double[6] reaction_terms_6_0
    cdef double[1] output_lambda_6_written
    cdef double[4] output_x_6_0_written
    cdef double[4] reaction_lambda_6_0_written
    cdef double[3] memory_next_6
    cdef double[1] multiplier_7
    cdef double[1] output_7
    cdef double[6] reaction_7_0
    cdef double[6] reaction_lambda_7_0
    cdef double[6] output_x_7_0
    cdef double[1] output_lambda_7
    cdef double[1] mode_written_7
    cdef double[4] relation_parameters_7
    cdef double[1] terms_7
    cdef double[6] reaction_terms_7_0
    cdef double[1] output_lambda_7_written
    cdef double[4] output_x_7_0_written
    cdef double[4] reaction_lambda_7_0_written
    cdef double[3] memory_next_7
    cdef double[36] factors_0
    cdef int[6] pivot_0
    cdef double[6] solved_0_0
    cdef double[6] solved_1_0
    cdef double[6] solved_2_0
    cdef double[6] solved_3_0
    cdef double[6] solved_4_0
    cdef double[6] solved_5_0
    cdef double[6] solved_6_0
    cdef double[6] solved_7_0
    cdef double[64] A
    cdef double[8] b
    cdef double[8] z
    cdef int[8] cone = [1, 1, 1, 1, 1, 1, 1, 1]
    cdef int[8] rows
    cdef int[8] cone_play
    cdef double[64] A_play
    cdef const double *freeze_start_system_0_in[1]
    cdef double *freeze_start_system_0_out[1]
    cdef const double *freeze_iteration_system_0_in[3]
    cdef double *freeze_iteration_system_0_out[1]
    cdef const double *start_system_0_in[1]
    cdef double *start_system_0_out[1]
    cdef const double *residual_system_0_in[5]
    cdef double *residual_system_0_out[2]
    cdef const double *linearize_system_0_in[5]
    cdef double *linearize_system_0_out[2]
    cdef const double *advance_system_0_in[3]
    cdef double *advance_system_0_out[1]
    cdef const double *activation_relation_0_in[2]
    cdef double *activation_relation_0_out[1]
    cdef const double *evaluate_relation_0_in[5]
    cdef double *evaluate_relation_0_out[4]
    cdef const double *linearize_relation_0_in[5]
    cdef double *linearize_relation_0_out[5]
    cdef const double *observe_relation_0_in[6]
    cdef double *observe_relation_0_out[1]
    cdef const double *activation_relation_1_in[2]
    cdef double *activation_relation_1_out[1]
    cdef const double *evaluate_relation_1_in[5]
    cdef double *evaluate_relation_1_out[4]
    cdef const double *linearize_relation_1_in[5]
    cdef double *linearize_relation_1_out[5]
    cdef const double *observe_relation_1_in[6]
    cdef double *observe_relation_1_out[1]
    cdef const double *activation_relation_2_in[2]
    cdef double *activation_relation_2_out[1]
    cdef const double *evaluate_relation_2_in[5]
    cdef double *evaluate_relation_2_out[4]
    cdef const double *linearize_relation_2_in[5]
    cdef double *linearize_relation_2_out[5]
    cdef const double *observe_relation_2_in[6]
    cdef double *observe_relation_2_out[1]
    cdef const double *activation_relation_3_in[2]
    cdef double *activation_relation_3_out[1]
    cdef const double *evaluate_relation_3_in[5]
    cdef double *evaluate_relation_3_out[4]
    cdef const double *linearize_relation_3_in[5]
    cdef double *linearize_relation_3_out[5]
    cdef const double *observe_relation_3_in[6]
    cdef double *observe_relation_3_out[1]
    cdef const double *activation_relation_4_in[2]
    cdef double *activation_relation_4_out[1]
    cdef const double *evaluate_relation_4_in[5]
    cdef double *evaluate_relation_4_out[4]
    cdef const double *linearize_relation_4_in[5]
    cdef double *linearize_relation_4_out[5]
    cdef const double *observe_relation_4_in[6]
    cdef double *observe_relation_4_out[1]
    cdef const double *activation_relation_5_in[2]
    cdef double *activation_relation_5_out[1]
    cdef const double *evaluate_relation_5_in[5]
    cdef double *evaluate_relation_5_out[4]
    cdef const double *linearize_relation_5_in[5]
    cdef double *linearize_relation_5_out[5]
    cdef const double *observe_relation_5_in[6]
    cdef double *observe_relation_5_out[1]
    cdef const double *activation_relation_6_in[2]
    cdef double *activation_relation_6_out[1]
    cdef const double *evaluate_relation_6_in[5]
    cdef double *evaluate_relation_6_out[4]
    cdef const double *linearize_relation_6_in[5]
    cdef double *linearize_relation_6_out[5]
    cdef const double *observe_relation_6_in[6]
    cdef double *observe_relation_6_out[1]
    cdef const double *activation_relation_7_in[2]
    cdef double *activation_relation_7_out[1]
    cdef const double *evaluate_relation_7_in[5]
    cdef double *evaluate_relation_7_out[4]
    cdef const double *linearize_relation_7_in[5]
    cdef double *linearize_relation_7_out[5]
    cdef const double *observe_relation_7_in[6]
    cdef double *observe_relation_7_out[1]
    cdef double[4] kept
    cdef double mode_0_0 = run.stage[0].mode[0][0]
    cdef double kept_mode_0_0 = mode_0_0
    cdef double mode_1_0 = run.stage[0].mode[1][0]
    cdef double kept_mode_1_0 = mode_1_0
    cdef double mode_2_0 = run.stage[0].mode[2][0]
    cdef double kept_mode_2_0 = mode_2_0
    cdef double mode_3_0 = run.stage[0].mode[3][0]
    cdef double kept_mode_3_0 = mode_3_0
    cdef double mode_4_0 = run.stage[0].mode[4][0]
    cdef double kept_mode_4_0 = mode_4_0
    cdef double mode_5_0 = run.stage[0].mode[5][0]
    cdef double kept_mode_5_0 = mode_5_0
    cdef double mode_6_0 = run.stage[0].mode[6][0]
    cdef double kept_mode_6_0 = mode_6_0
    cdef double mode_7_0 = run.stage[0].mode[7][0]
    cdef double kept_mode_7_0 = mode_7_0
    cdef bint play_0 = False
    cdef bint play_1 = False
    cdef bint play_2 = False
    cdef bint play_3 = False
    cdef bint play_4 = False
    cdef bint play_5 = False
    cdef bint play_6 = False
    cdef bint play_7 = False
    cdef int at_0 = 0
    cdef int at_1 = 0
    cdef int at_2 = 0
    cdef int at_3 = 0
    cdef int at_4 = 0
    cdef int at_5 = 0
    cdef int at_6 = 0
    cdef int at_7 = 0
    cdef nsd_memory remembered
    memset(unknown_0, 0, sizeof(unknown_0))
    memset(move_0, 0, sizeof(move_0))
    memset(next_0, 0, sizeof(next_0))
    memset(frozen_0, 0, sizeof(frozen_0))
    memset(frozen_next_0, 0, sizeof(frozen_next_0))
    memset(resolved_0, 0, sizeof(resolved_0))
    memset(scale_0, 0, sizeof(scale_0))
    memset(matrix_0, 0, sizeof(matrix_0))
    memset(output_0, 0, sizeof(output_0))
    memset(reaction_0_0, 0, sizeof(reaction_0_0))
    memset(reaction_lambda_0_0, 0, sizeof(reaction_lambda_0_0))
    memset(output_x_0_0, 0, sizeof(output_x_0_0))
    memset(output_lambda_0, 0, sizeof(output_lambda_0))
    memset(mode_written_0, 0, sizeof(mode_written_0))
    memset(terms_0, 0, sizeof(terms_0))
    memset(reaction_terms_0_0, 0, sizeof(reaction_terms_0_0))
    memset(output_lambda_0_written, 0, sizeof(output_lambda_0_written))
    memset(output_x_0_0_written, 0, sizeof(output_x_0_0_written))
    memset(reaction_lambda_0_0_written, 0, sizeof(reaction_lambda_0_0_written))
    memset(memory_next_0, 0, sizeof(memory_next_0))
    memset(output_1, 0, sizeof(output_1))
    memset(reaction_1_0, 0, sizeof(reaction_1_0))
    memset(reaction_lambda_1_0, 0, sizeof(reaction_lambda_1_0))
    memset(output_x_1_0, 0, sizeof(output_x_1_0))
    memset(output_lambda_1, 0, sizeof(output_lambda_1))
    memset(mode_written_1, 0, sizeof(mode_written_1))
    memset(terms_1, 0, sizeof(terms_1))
    memset(reaction_terms_1_0, 0, sizeof(reaction_terms_1_0))
    memset(output_lambda_1_written, 0, sizeof(output_lambda_1_written))
    memset(output_x_1_0_written, 0, sizeof(output_x_1_0_written))
    memset(reaction_lambda_1_0_written, 0, sizeof(reaction_lambda_1_0_written))
    memset(memory_next_1, 0, sizeof(memory_next_1))
    memset(output_2, 0, sizeof(output_2))
    memset(reaction_2_0, 0, sizeof(reaction_2_0))
    memset(reaction_lambda_2_0, 0, sizeof(reaction_lambda_2_0))
    memset(output_x_2_0, 0, sizeof(output_x_2_0))
    memset(output_lambda_2, 0, sizeof(output_lambda_2))
    memset(mode_written_2, 0, sizeof(mode_written_2))
    memset(terms_2, 0, sizeof(terms_2))
    memset(reaction_terms_2_0, 0, sizeof(reaction_terms_2_0))
    memset(output_lambda_2_written, 0, sizeof(output_lambda_2_written))
    memset(output_x_2_0_written, 0, sizeof(output_x_2_0_written))
    memset(reaction_lambda_2_0_written, 0, sizeof(reaction_lambda_2_0_written))
    memset(memory_next_2, 0, sizeof(memory_next_2))
    memset(output_3, 0, sizeof(output_3))
    memset(reaction_3_0, 0, sizeof(reaction_3_0))
    memset(reaction_lambda_3_0, 0, sizeof(reaction_lambda_3_0))
    memset(output_x_3_0, 0, sizeof(output_x_3_0))
    memset(output_lambda_3, 0, sizeof(output_lambda_3))
    memset(mode_written_3, 0, sizeof(mode_written_3))
    memset(terms_3, 0, sizeof(terms_3))
    memset(reaction_terms_3_0, 0, sizeof(reaction_terms_3_0))
    memset(output_lambda_3_written, 0, sizeof(output_lambda_3_written))
    memset(output_x_3_0_written, 0, sizeof(output_x_3_0_written))
    memset(reaction_lambda_3_0_written, 0, sizeof(reaction_lambda_3_0_written))
    memset(memory_next_3, 0, sizeof(memory_next_3))
    memset(output_4, 0, sizeof(output_4))
    memset(reaction_4_0, 0, sizeof(reaction_4_0))
    memset(reaction_lambda_4_0, 0, sizeof(reaction_lambda_4_0))
    memset(output_x_4_0, 0, sizeof(output_x_4_0))
    memset(output_lambda_4, 0, sizeof(output_lambda_4))
    memset(mode_written_4, 0, sizeof(mode_written_4))
    memset(terms_4, 0, sizeof(terms_4))
    memset(reaction_terms_4_0, 0, sizeof(reaction_terms_4_0))
    memset(output_lambda_4_written, 0, sizeof(output_lambda_4_written))
    memset(output_x_4_0_written, 0, sizeof(output_x_4_0_written))
    memset(reaction_lambda_4_0_written, 0, sizeof(reaction_lambda_4_0_written))
    memset(memory_next_4, 0, sizeof(memory_next_4))
    memset(output_5, 0, sizeof(output_5))
    memset(reaction_5_0, 0, sizeof(reaction_5_0))
    memset(reaction_lambda_5_0, 0, sizeof(reaction_lambda_5_0))
    memset(output_x_5_0, 0, sizeof(output_x_5_0))
    memset(output_lambda_5, 0, sizeof(output_lambda_5))
    memset(mode_written_5, 0, sizeof(mode_written_5))
    memset(terms_5, 0, sizeof(terms_5))
    memset(reaction_terms_5_0, 0, sizeof(reaction_terms_5_0))
    memset(output_lambda_5_written, 0, sizeof(output_lambda_5_written))
    memset(output_x_5_0_written, 0, sizeof(output_x_5_0_written))
    memset(reaction_lambda_5_0_written, 0, sizeof(reaction_lambda_5_0_written))
    memset(memory_next_5, 0, sizeof(memory_next_5))
    memset(output_6, 0, sizeof(output_6))
    memset(reaction_6_0, 0, sizeof(reaction_6_0))
    memset(reaction_lambda_6_0, 0, sizeof(reaction_lambda_6_0))
    memset(output_x_6_0, 0, sizeof(output_x_6_0))
    memset(output_lambda_6, 0, sizeof(output_lambda_6))
    memset(mode_written_6, 0, sizeof(mode_written_6))
    memset(terms_6, 0, sizeof(terms_6))
    memset(reaction_terms_6_0, 0, sizeof(reaction_terms_6_0))
    memset(output_lambda_6_written, 0, sizeof(output_lambda_6_written))
    memset(output_x_6_0_written, 0, sizeof(output_x_6_0_written))
    memset(reaction_lambda_6_0_written, 0, sizeof(reaction_lambda_6_0_written))
    memset(memory_next_6, 0, sizeof(memory_next_6))
    memset(output_7, 0, sizeof(output_7))
    memset(reaction_7_0, 0, sizeof(reaction_7_0))
    memset(reaction_lambda_7_0, 0, sizeof(reaction_lambda_7_0))
    memset(output_x_7_0, 0, sizeof(output_x_7_0))
    memset(output_lambda_7, 0, sizeof(output_lambda_7))
    memset(mode_written_7, 0, sizeof(mode_written_7))
    memset(terms_7, 0, sizeof(terms_7))
    memset(reaction_terms_7_0, 0, sizeof(reaction_terms_7_0))
    memset(output_lambda_7_written, 0, sizeof(output_lambda_7_written))
    memset(output_x_7_0_written, 0, sizeof(output_x_7_0_written))
    memset(reaction_lambda_7_0_written, 0, sizeof(reaction_lambda_7_0_written))
    memset(memory_next_7, 0, sizeof(memory_next_7))
    memset(factors_0, 0, sizeof(factors_0))
    memset(solved_0_0, 0, sizeof(solved_0_0))
    memset(solved_1_0, 0, sizeof(solved_1_0))
    memset(solved_2_0, 0, sizeof(solved_2_0))
    memset(solved_3_0, 0, sizeof(solved_3_0))
    memset(solved_4_0, 0, sizeof(solved_4_0))
    memset(solved_5_0, 0, sizeof(solved_5_0))
    memset(solved_6_0, 0, sizeof(solved_6_0))
    memset(solved_7_0, 0, sizeof(solved_7_0))
    state_0[0] = run.record[0]
    state_0[1] = run.record[1]
    state_0[2] = run.record[2]
    state_0[3] = run.record[3]
    state_0[4] = run.record[4]
    state_0[5] = run.record[5]
    state_0[6] = run.record[6]
    state_0[7] = run.record[7]
    state_0[8] = run.record[8]
    state_0[9] = run.record[9]
    state_0[10] = run.record[10]
    state_0[11] = run.record[11]
    state_0[12] = run.record[12]
    memory_0[0] = run.record[13]
    memory_0[1] = run.record[14]
    memory_0[2] = run.record[15]
    memory_1[0] = run.record[16]
    memory_1[1] = run.record[17]
    memory_1[2] = run.record[18]
    memory_2[0] = run.record[19]
    memory_2[1] = run.record[20]
    memory_2[2] = run.record[21]
    memory_3[0] = run.record[22]
    memory_3[1] = run.record[23]
    memory_3[2] = run.record[24]
    memory_4[0] = run.record[25]
    memory_4[1] = run.record[26]
    memory_4[2] = run.record[27]
    memory_5[0] = run.record[28]
    memory_5[1] = run.record[29]
    memory_5[2] = run.record[30]
    memory_6[0] = run.record[31]
    memory_6[1] = run.record[32]
    memory_6[2] = run.record[33]
    memory_7[0] = run.record[34]
    memory_7[1] = run.record[35]
    memory_7[2] = run.record[36]
    options_0[0] = run.run[0][0]
    options_0[1] = run.run[0][1]
    options_0[2] = run.run[0][2]
    options_0[3] = run.run[0][3]
    system_parameters_0[0] = run.system[0][0]
    system_parameters_0[1] = run.system[0][1]
    system_parameters_0[2] = run.system[0][2]
    system_parameters_0[3] = run.system[0][3]
    system_parameters_0[4] = run.system[0][4]
    system_parameters_0[5] = run.system[0][5]
    system_parameters_0[6] = run.system[0][6]
    multiplier_0[0] = run.record[37]
    relation_parameters_0[0] = run.relation[0][0]
    relation_parameters_0[1] = run.relation[0][1]
    relation_parameters_0[2] = run.relation[0][2]
    relation_parameters_0[3] = run.relation[0][3]
    multiplier_1[0] = run.record[38]
    relation_parameters_1[0] = run.relation[1][0]
    relation_parameters_1[1] = run.relation[1][1]
    relation_parameters_1[2] = run.relation[1][2]
    relation_parameters_1[3] = run.relation[1][3]
    multiplier_2[0] = run.record[39]
    relation_parameters_2[0] = run.relation[2][0]
    relation_parameters_2[1] = run.relation[2][1]
    relation_parameters_2[2] = run.relation[2][2]
    relation_parameters_2[3] = run.relation[2][3]
    multiplier_3[0] = run.record[40]
    relation_parameters_3[0] = run.relation[3][0]
    relation_parameters_3[1] = run.relation[3][1]
    relation_parameters_3[2] = run.relation[3][2]
    relation_parameters_3[3] = run.relation[3][3]
    multiplier_4[0] = run.record[41]
    relation_parameters_4[0] = run.relation[4][0]
    relation_parameters_4[1] = run.relation[4][1]
    relation_parameters_4[2] = run.relation[4][2]
    relation_parameters_4[3] = run.relation[4][3]
    multiplier_5[0] = run.record[42]
    relation_parameters_5[0] = run.relation[5][0]
    relation_parameters_5[1] = run.relation[5][1]
    relation_parameters_5[2] = run.relation[5][2]
    relation_parameters_5[3] = run.relation[5][3]
    multiplier_6[0] = run.record[43]
    relation_parameters_6[0] = run.relation[6][0]
    relation_parameters_6[1] = run.relation[6][1]
    relation_parameters_6[2] = run.relation[6][2]
    relation_parameters_6[3] = run.relation[6][3]
    multiplier_7[0] = run.record[44]
    relation_parameters_7[0] = run.relation[7][0]
    relation_parameters_7[1] = run.relation[7][1]
    relation_parameters_7[2] = run.relation[7][2]
    relation_parameters_7[3] = run.relation[7][3]
    freeze_start_system_0_in[0] = state_0
    freeze_start_system_0_out[0] = frozen_0
    freeze_iteration_system_0_in[0] = unknown_0
    freeze_iteration_system_0_in[1] = state_0
    freeze_iteration_system_0_in[2] = options_0
    freeze_iteration_system_0_out[0] = frozen_next_0
    start_system_0_in[0] = state_0
    start_system_0_out[0] = unknown_0
    residual_system_0_in[0] = unknown_0
    residual_system_0_in[1] = state_0
    residual_system_0_in[2] = clock
    residual_system_0_in[3] = options_0
    residual_system_0_in[4] = system_parameters_0
    residual_system_0_out[0] = move_0
    residual_system_0_out[1] = scale_0
    linearize_system_0_in[0] = unknown_0
    linearize_system_0_in[1] = state_0
    linearize_system_0_in[2] = clock
    linearize_system_0_in[3] = options_0
    linearize_system_0_in[4] = system_parameters_0
    linearize_system_0_out[0] = move_0
    linearize_system_0_out[1] = matrix_0
    advance_system_0_in[0] = unknown_0
    advance_system_0_in[1] = state_0
    advance_system_0_in[2] = options_0
    advance_system_0_out[0] = next_0
    activation_relation_0_in[0] = memory_0
    activation_relation_0_in[1] = options_0
    activation_relation_0_out[0] = mode_written_0
    evaluate_relation_0_in[0] = unknown_0
    evaluate_relation_0_in[1] = frozen_0
    evaluate_relation_0_in[2] = multiplier_0
    evaluate_relation_0_in[3] = memory_0
    evaluate_relation_0_in[4] = relation_parameters_0
    evaluate_relation_0_out[0] = output_0
    evaluate_relation_0_out[1] = reaction_0_0
    evaluate_relation_0_out[2] = terms_0
    evaluate_relation_0_out[3] = reaction_terms_0_0
    linearize_relation_0_in[0] = unknown_0
    linearize_relation_0_in[1] = frozen_0
    linearize_relation_0_in[2] = multiplier_0
    linearize_relation_0_in[3] = memory_0
    linearize_relation_0_in[4] = relation_parameters_0
    linearize_relation_0_out[0] = output_0
    linearize_relation_0_out[1] = reaction_0_0
    linearize_relation_0_out[2] = output_lambda_0_written
    linearize_relation_0_out[3] = output_x_0_0_written
    linearize_relation_0_out[4] = reaction_lambda_0_0_written
    observe_relation_0_in[0] = state_0
    observe_relation_0_in[1] = frozen_step_0
    observe_relation_0_in[2] = multiplier_0
    observe_relation_0_in[3] = memory_0
    observe_relation_0_in[4] = options_0
    observe_relation_0_in[5] = relation_parameters_0
    observe_relation_0_out[0] = memory_next_0
    activation_relation_1_in[0] = memory_1
    activation_relation_1_in[1] = options_0
    activation_relation_1_out[0] = mode_written_1
    evaluate_relation_1_in[0] = unknown_0
    evaluate_relation_1_in[1] = frozen_0
    evaluate_relation_1_in[2] = multiplier_1
    evaluate_relation_1_in[3] = memory_1
    evaluate_relation_1_in[4] = relation_parameters_1
    evaluate_relation_1_out[0] = output_1
    evaluate_relation_1_out[1] = reaction_1_0
    evaluate_relation_1_out[2] = terms_1
    evaluate_relation_1_out[3] = reaction_terms_1_0
    linearize_relation_1_in[0] = unknown_0
    linearize_relation_1_in[1] = frozen_0
    linearize_relation_1_in[2] = multiplier_1
    linearize_relation_1_in[3] = memory_1
    linearize_relation_1_in[4] = relation_parameters_1
    linearize_relation_1_out[0] = output_1
    linearize_relation_1_out[1] = reaction_1_0
    linearize_relation_1_out[2] = output_lambda_1_written
    linearize_relation_1_out[3] = output_x_1_0_written
    linearize_relation_1_out[4] = reaction_lambda_1_0_written
    observe_relation_1_in[0] = state_0
    observe_relation_1_in[1] = frozen_step_0
    observe_relation_1_in[2] = multiplier_1
    observe_relation_1_in[3] = memory_1
    observe_relation_1_in[4] = options_0
    observe_relation_1_in[5] = relation_parameters_1
    observe_relation_1_out[0] = memory_next_1
    activation_relation_2_in[0] = memory_2
    activation_relation_2_in[1] = options_0
    activation_relation_2_out[0] = mode_written_2
    evaluate_relation_2_in[0] = unknown_0
    evaluate_relation_2_in[1] = frozen_0
    evaluate_relation_2_in[2] = multiplier_2
    evaluate_relation_2_in[3] = memory_2
    evaluate_relation_2_in[4] = relation_parameters_2
    evaluate_relation_2_out[0] = output_2
    evaluate_relation_2_out[1] = reaction_2_0
    evaluate_relation_2_out[2] = terms_2
    evaluate_relation_2_out[3] = reaction_terms_2_0
    linearize_relation_2_in[0] = unknown_0
    linearize_relation_2_in[1] = frozen_0
    linearize_relation_2_in[2] = multiplier_2
    linearize_relation_2_in[3] = memory_2
    linearize_relation_2_in[4] = relation_parameters_2
    linearize_relation_2_out[0] = output_2
    linearize_relation_2_out[1] = reaction_2_0
    linearize_relation_2_out[2] = output_lambda_2_written
    linearize_relation_2_out[3] = output_x_2_0_written
    linearize_relation_2_out[4] = reaction_lambda_2_0_written
    observe_relation_2_in[0] = state_0
    observe_relation_2_in[1] = frozen_step_0
    observe_relation_2_in[2] = multiplier_2
    observe_relation_2_in[3] = memory_2
    observe_relation_2_in[4] = options_0
    observe_relation_2_in[5] = relation_parameters_2
    observe_relation_2_out[0] = memory_next_2
    activation_relation_3_in[0] = memory_3
    activation_relation_3_in[1] = options_0
    activation_relation_3_out[0] = mode_written_3
    evaluate_relation_3_in[0] = unknown_0
    evaluate_relation_3_in[1] = frozen_0
    evaluate_relation_3_in[2] = multiplier_3
    evaluate_relation_3_in[3] = memory_3
    evaluate_relation_3_in[4] = relation_parameters_3
    evaluate_relation_3_out[0] = output_3
    evaluate_relation_3_out[1] = reaction_3_0
    evaluate_relation_3_out[2] = terms_3
    evaluate_relation_3_out[3] = reaction_terms_3_0
    linearize_relation_3_in[0] = unknown_0
    linearize_relation_3_in[1] = frozen_0
    linearize_relation_3_in[2] = multiplier_3
    linearize_relation_3_in[3] = memory_3
    linearize_relation_3_in[4] = relation_parameters_3
    linearize_relation_3_out[0] = output_3
    linearize_relation_3_out[1] = reaction_3_0
    linearize_relation_3_out[2] = output_lambda_3_written
    linearize_relation_3_out[3] = output_x_3_0_written
    linearize_relation_3_out[4] = reaction_lambda_3_0_written
    observe_relation_3_in[0] = state_0
    observe_relation_3_in[1] = frozen_step_0
    observe_relation_3_in[2] = multiplier_3
    observe_relation_3_in[3] = memory_3
    observe_relation_3_in[4] = options_0
    observe_relation_3_in[5] = relation_parameters_3
    observe_relation_3_out[0] = memory_next_3
    activation_relation_4_in[0] = memory_4
    activation_relation_4_in[1] = options_0
    activation_relation_4_out[0] = mode_written_4
    evaluate_relation_4_in[0] = unknown_0
    evaluate_relation_4_in[1] = frozen_0
    evaluate_relation_4_in[2] = multiplier_4
    evaluate_relation_4_in[3] = memory_4
    evaluate_relation_4_in[4] = relation_parameters_4
    evaluate_relation_4_out[0] = output_4
    evaluate_relation_4_out[1] = reaction_4_0
    evaluate_relation_4_out[2] = terms_4
    evaluate_relation_4_out[3] = reaction_terms_4_0
    linearize_relation_4_in[0] = unknown_0
    linearize_relation_4_in[1] = frozen_0
    linearize_relation_4_in[2] = multiplier_4
    linearize_relation_4_in[3] = memory_4
    linearize_relation_4_in[4] = relation_parameters_4
    linearize_relation_4_out[0] = output_4
    linearize_relation_4_out[1] = reaction_4_0
    linearize_relation_4_out[2] = output_lambda_4_written
    linearize_relation_4_out[3] = output_x_4_0_written
    linearize_relation_4_out[4] = reaction_lambda_4_0_written
    observe_relation_4_in[0] = state_0
    observe_relation_4_in[1] = frozen_step_0
    observe_relation_4_in[2] = multiplier_4
    observe_relation_4_in[3] = memory_4
    observe_relation_4_in[4] = options_0
    observe_relation_4_in[5] = relation_parameters_4
    observe_relation_4_out[0] = memory_next_4
    activation_relation_5_in[0] = memory_5
    activation_relation_5_in[1] = options_0
    activation_relation_5_out[0] = mode_written_5
    evaluate_relation_5_in[0] = unknown_0
    evaluate_relation_5_in[1] = frozen_0
    evaluate_relation_5_in[2] = multiplier_5
    evaluate_relation_5_in[3] = memory_5
    evaluate_relation_5_in[4] = relation_parameters_5
    evaluate_relation_5_out[0] = output_5
    evaluate_relation_5_out[1] = reaction_5_0
    evaluate_relation_5_out[2] = terms_5
    evaluate_relation_5_out[3] = reaction_terms_5_0
    linearize_relation_5_in[0] = unknown_0
    linearize_relation_5_in[1] = frozen_0
    linearize_relation_5_in[2] = multiplier_5
    linearize_relation_5_in[3] = memory_5
    linearize_relation_5_in[4] = relation_parameters_5
    linearize_relation_5_out[0] = output_5
    linearize_relation_5_out[1] = reaction_5_0
    linearize_relation_5_out[2] = output_lambda_5_written
    linearize_relation_5_out[3] = output_x_5_0_written
    linearize_relation_5_out[4] = reaction_lambda_5_0_written
    observe_relation_5_in[0] = state_0
    observe_relation_5_in[1] = frozen_step_0
    observe_relation_5_in[2] = multiplier_5
    observe_relation_5_in[3] = memory_5
    observe_relation_5_in[4] = options_0
    observe_relation_5_in[5] = relation_parameters_5
    observe_relation_5_out[0] = memory_next_5
    activation_relation_6_in[0] = memory_6
    activation_relation_6_in[1] = options_0
    activation_relation_6_out[0] = mode_written_6
    evaluate_relation_6_in[0] = unknown_0
    evaluate_relation_6_in[1] = frozen_0
    evaluate_relation_6_in[2] = multiplier_6
    evaluate_relation_6_in[3] = memory_6
    evaluate_relation_6_in[4] = relation_parameters_6
    evaluate_relation_6_out[0] = output_6
    evaluate_relation_6_out[1] = reaction_6_0
    evaluate_relation_6_out[2] = terms_6
    evaluate_relation_6_out[3] = reaction_terms_6_0
    linearize_relation_6_in[0] = unknown_0
    linearize_relation_6_in[1] = frozen_0
    linearize_relation_6_in[2] = multiplier_6
    linearize_relation_6_in[3] = memory_6
    linearize_relation_6_in[4] = relation_parameters_6
    linearize_relation_6_out[0] = output_6
    linearize_relation_6_out[1] = reaction_6_0
    linearize_relation_6_out[2] = output_lambda_6_written
    linearize_relation_6_out[3] = output_x_6_0_written
    linearize_relation_6_out[4] = reaction_lambda_6_0_written
    observe_relation_6_in[0] = state_0
    observe_relation_6_in[1] = frozen_step_0
    observe_relation_6_in[2] = multiplier_6
    observe_relation_6_in[3] = memory_6
    observe_relation_6_in[4] = options_0
    observe_relation_6_in[5] = relation_parameters_6
    observe_relation_6_out[0] = memory_next_6
    activation_relation_7_in[0] = memory_7
    activation_relation_7_in[1] = options_0
    activation_relation_7_out[0] = mode_written_7
    evaluate_relation_7_in[0] = unknown_0
    evaluate_relation_7_in[1] = frozen_0
    evaluate_relation_7_in[2] = multiplier_7
    evaluate_relation_7_in[3] = memory_7
    evaluate_relation_7_in[4] = relation_parameters_7
    evaluate_relation_7_out[0] = output_7
    evaluate_relation_7_out[1] = reaction_7_0
    evaluate_relation_7_out[2] = terms_7
    evaluate_relation_7_out[3] = reaction_terms_7_0
    linearize_relation_7_in[0] = unknown_0
    linearize_relation_7_in[1] = frozen_0
    linearize_relation_7_in[2] = multiplier_7
    linearize_relation_7_in[3] = memory_7
    linearize_relation_7_in[4] = relation_parameters_7
    linearize_relation_7_out[0] = output_7
    linearize_relation_7_out[1] = reaction_7_0
    linearize_relation_7_out[2] = output_lambda_7_written
    linearize_relation_7_out[3] = output_x_7_0_written
    linearize_relation_7_out[4] = reaction_lambda_7_0_written
    observe_relation_7_in[0] = state_0
    observe_relation_7_in[1] = frozen_step_0
    observe_relation_7_in[2] = multiplier_7
    observe_relation_7_in[3] = memory_7
    observe_relation_7_in[4] = options_0
    observe_relation_7_in[5] = relation_parameters_7
    observe_relation_7_out[0] = memory_next_7
    # what changes with the run only
    if not tumbling_brick_steps_begin(run, kept):
        return 0
    frozen_step_0[0] = kept[0]
    frozen_step_0[1] = kept[1]
    frozen_step_0[2] = kept[2]
    frozen_step_0[3] = kept[3]
    while made < count:
        clock[0] = run.start + (number + made) * run.h
        clock[1] = run.start + (number + made + 1) * run.h
        newton = 0.0
        # what is frozen, w_0
        brick_system0_freeze_start(freeze_start_system_0_in, freeze_start_system_0_out)
        brick_system0_start(start_system_0_in, start_system_0_out)
        # the multipliers to start from, and which relations are in play
        n = 0
        brick_ground_0_relation1_activation(activation_relation_0_in, activation_relation_0_out)
        mode_0_0 = mode_written_0[0]
        play_0 = mode_0_0 > 0
        if play_0:
            at_0 = n
            z[at_0 + 0] = multiplier_0[0]
            rows[at_0 + 0] = 0
            n += 1
        else:
            multiplier_0[0] = 0.0
        brick_ground_0_relation1_activation(activation_relation_1_in, activation_relation_1_out)
        mode_1_0 = mode_written_1[0]
        play_1 = mode_1_0 > 0
        if play_1:
            at_1 = n
            z[at_1 + 0] = multiplier_1[0]
            rows[at_1 + 0] = 1
            n += 1
        else:
            multiplier_1[0] = 0.0
        brick_ground_0_relation1_activation(activation_relation_2_in, activation_relation_2_out)
        mode_2_0 = mode_written_2[0]
        play_2 = mode_2_0 > 0
        if play_2:
            at_2 = n
            z[at_2 + 0] = multiplier_2[0]
            rows[at_2 + 0] = 2
            n += 1
        else:
            multiplier_2[0] = 0.0
        brick_ground_0_relation1_activation(activation_relation_3_in, activation_relation_3_out)
        mode_3_0 = mode_written_3[0]
        play_3 = mode_3_0 > 0
        if play_3:
            at_3 = n
            z[at_3 + 0] = multiplier_3[0]
            rows[at_3 + 0] = 3
            n += 1
        else:
            multiplier_3[0] = 0.0
        brick_ground_0_relation1_activation(activation_relation_4_in, activation_relation_4_out)
        mode_4_0 = mode_written_4[0]
        play_4 = mode_4_0 > 0
        if play_4:
            at_4 = n
            z[at_4 + 0] = multiplier_4[0]
            rows[at_4 + 0] = 4
            n += 1
        else:
            multiplier_4[0] = 0.0
        brick_ground_0_relation1_activation(activation_relation_5_in, activation_relation_5_out)
        mode_5_0 = mode_written_5[0]
        play_5 = mode_5_0 > 0
        if play_5:
            at_5 = n
            z[at_5 + 0] = multiplier_5[0]
            rows[at_5 + 0] = 5
            n += 1
        else:
            multiplier_5[0] = 0.0
        brick_ground_0_relation1_activation(activation_relation_6_in, activation_relation_6_out)
        mode_6_0 = mode_written_6[0]
        play_6 = mode_6_0 > 0
        if play_6:
            at_6 = n
            z[at_6 + 0] = multiplier_6[0]
            rows[at_6 + 0] = 6
            n += 1
        else:
            multiplier_6[0] = 0.0
        brick_ground_0_relation1_activation(activation_relation_7_in, activation_relation_7_out)
        mode_7_0 = mode_written_7[0]
        play_7 = mode_7_0 > 0
        if play_7:
            at_7 = n
            z[at_7 + 0] = multiplier_7[0]
            rows[at_7 + 0] = 7
            n += 1
        else:
            multiplier_7[0] = 0.0
        done = False
        for iteration in range(run.stage[0].max_iterations):
            # R - rho, y, and their derivatives where they have changed
            brick_system0_linearize(linearize_system_0_in, linearize_system_0_out)
            if play_0:
                brick_ground_0_relation1_linearize(linearize_relation_0_in, linearize_relation_0_out)
                output_x_0_0[2] = output_x_0_0_written[0]
                output_x_0_0[3] = output_x_0_0_written[1]
                output_x_0_0[4] = output_x_0_0_written[2]
                output_x_0_0[5] = output_x_0_0_written[3]
                reaction_lambda_0_0[2] = reaction_lambda_0_0_written[0]
                reaction_lambda_0_0[3] = reaction_lambda_0_0_written[1]
                reaction_lambda_0_0[4] = reaction_lambda_0_0_written[2]
                reaction_lambda_0_0[5] = reaction_lambda_0_0_written[3]
                move_0[0] -= reaction_0_0[0]
                move_0[1] -= reaction_0_0[1]
                move_0[2] -= reaction_0_0[2]
                move_0[3] -= reaction_0_0[3]
                move_0[4] -= reaction_0_0[4]
                move_0[5] -= reaction_0_0[5]
            if play_1:
                brick_ground_0_relation1_linearize(linearize_relation_1_in, linearize_relation_1_out)
                output_x_1_0[2] = output_x_1_0_written[0]
                output_x_1_0[3] = output_x_1_0_written[1]
                output_x_1_0[4] = output_x_1_0_written[2]
                output_x_1_0[5] = output_x_1_0_written[3]
                reaction_lambda_1_0[2] = reaction_lambda_1_0_written[0]
                reaction_lambda_1_0[3] = reaction_lambda_1_0_written[1]
                reaction_lambda_1_0[4] = reaction_lambda_1_0_written[2]
                reaction_lambda_1_0[5] = reaction_lambda_1_0_written[3]
                move_0[0] -= reaction_1_0[0]
                move_0[1] -= reaction_1_0[1]
                move_0[2] -= reaction_1_0[2]
                move_0[3] -= reaction_1_0[3]
                move_0[4] -= reaction_1_0[4]
                move_0[5] -= reaction_1_0[5]
            if play_2:
                brick_ground_0_relation1_linearize(linearize_relation_2_in, linearize_relation_2_out)
                output_x_2_0[2] = output_x_2_0_written[0]
                output_x_2_0[3] = output_x_2_0_written[1]
                output_x_2_0[4] = output_x_2_0_written[2]
                output_x_2_0[5] = output_x_2_0_written[3]
                reaction_lambda_2_0[2] = reaction_lambda_2_0_written[0]
                reaction_lambda_2_0[3] = reaction_lambda_2_0_written[1]
                reaction_lambda_2_0[4] = reaction_lambda_2_0_written[2]
                reaction_lambda_2_0[5] = reaction_lambda_2_0_written[3]
                move_0[0] -= reaction_2_0[0]
                move_0[1] -= reaction_2_0[1]
                move_0[2] -= reaction_2_0[2]
                move_0[3] -= reaction_2_0[3]
                move_0[4] -= reaction_2_0[4]
                move_0[5] -= reaction_2_0[5]
            if play_3:
                brick_ground_0_relation1_linearize(linearize_relation_3_in, linearize_relation_3_out)
                output_x_3_0[2] = output_x_3_0_written[0]
                output_x_3_0[3] = output_x_3_0_written[1]
                output_x_3_0[4] = output_x_3_0_written[2]
                output_x_3_0[5] = output_x_3_0_written[3]
                reaction_lambda_3_0[2] = reaction_lambda_3_0_written[0]
                reaction_lambda_3_0[3] = reaction_lambda_3_0_written[1]
                reaction_lambda_3_0[4] = reaction_lambda_3_0_written[2]
                reaction_lambda_3_0[5] = reaction_lambda_3_0_written[3]
                move_0[0] -= reaction_3_0[0]
                move_0[1] -= reaction_3_0[1]
                move_0[2] -= reaction_3_0[2]
                move_0[3] -= reaction_3_0[3]
                move_0[4] -= reaction_3_0[4]
                move_0[5] -= reaction_3_0[5]
            if play_4:
                brick_ground_0_relation1_linearize(linearize_relation_4_in, linearize_relation_4_out)
                output_x_4_0[2] = output_x_4_0_written[0]
                output_x_4_0[3] = output_x_4_0_written[1]
                output_x_4_0[4] = output_x_4_0_written[2]
                output_x_4_0[5] = output_x_4_0_written[3]
                reaction_lambda_4_0[2] = reaction_lambda_4_0_written[0]
                reaction_lambda_4_0[3] = reaction_lambda_4_0_written[1]
                reaction_lambda_4_0[4] = reaction_lambda_4_0_written[2]
                reaction_lambda_4_0[5] = reaction_lambda_4_0_written[3]
                move_0[0] -= reaction_4_0[0]
                move_0[1] -= reaction_4_0[1]
                move_0[2] -= reaction_4_0[2]
                move_0[3] -= reaction_4_0[3]
                move_0[4] -= reaction_4_0[4]
                move_0[5] -= reaction_4_0[5]
            if play_5:
                brick_ground_0_relation1_linearize(linearize_relation_5_in, linearize_relation_5_out)
                output_x_5_0[2] = output_x_5_0_written[0]
                output_x_5_0[3] = output_x_5_0_written[1]
                output_x_5_0[4] = output_x_5_0_written[2]
                output_x_5_0[5] = output_x_5_0_written[3]
                reaction_lambda_5_0[2] = reaction_lambda_5_0_written[0]
                reaction_lambda_5_0[3] = reaction_lambda_5_0_written[1]
                reaction_lambda_5_0[4] = reaction_lambda_5_0_written[2]
                reaction_lambda_5_0[5] = reaction_lambda_5_0_written[3]
                move_0[0] -= reaction_5_0[0]
                move_0[1] -= reaction_5_0[1]
                move_0[2] -= reaction_5_0[2]
                move_0[3] -= reaction_5_0[3]
                move_0[4] -= reaction_5_0[4]
                move_0[5] -= reaction_5_0[5]
            if play_6:
                brick_ground_0_relation1_linearize(linearize_relation_6_in, linearize_relation_6_out)
                output_x_6_0[2] = output_x_6_0_written[0]
                output_x_6_0[3] = output_x_6_0_written[1]
                output_x_6_0[4] = output_x_6_0_written[2]
                output_x_6_0[5] = output_x_6_0_written[3]
                reaction_lambda_6_0[2] = reaction_lambda_6_0_written[0]
                reaction_lambda_6_0[3] = reaction_lambda_6_0_written[1]
                reaction_lambda_6_0[4] = reaction_lambda_6_0_written[2]
                reaction_lambda_6_0[5] = reaction_lambda_6_0_written[3]
                move_0[0] -= reaction_6_0[0]
                move_0[1] -= reaction_6_0[1]
                move_0[2] -= reaction_6_0[2]
                move_0[3] -= reaction_6_0[3]
                move_0[4] -= reaction_6_0[4]
                move_0[5] -= reaction_6_0[5]
            if play_7:
                brick_ground_0_relation1_linearize(linearize_relation_7_in, linearize_relation_7_out)
                output_x_7_0[2] = output_x_7_0_written[0]
                output_x_7_0[3] = output_x_7_0_written[1]
                output_x_7_0[4] = output_x_7_0_written[2]
                output_x_7_0[5] = output_x_7_0_written[3]
                reaction_lambda_7_0[2] = reaction_lambda_7_0_written[0]
                reaction_lambda_7_0[3] = reaction_lambda_7_0_written[1]
                reaction_lambda_7_0[4] = reaction_lambda_7_0_written[2]
                reaction_lambda_7_0[5] = reaction_lambda_7_0_written[3]
                move_0[0] -= reaction_7_0[0]
                move_0[1] -= reaction_7_0[1]
                move_0[2] -= reaction_7_0[2]
                move_0[3] -= reaction_7_0[3]
                move_0[4] -= reaction_7_0[4]
                move_0[5] -= reaction_7_0[5]
            # w = w - W^-1 (R - rho) where nothing else acts
            memset(factors_0, 0, sizeof(factors_0))
            factors_0[0] = matrix_0[0]
            factors_0[7] = matrix_0[1]
            factors_0[14] = matrix_0[2]
            factors_0[21] = matrix_0[3]
            factors_0[22] = matrix_0[4]
            factors_0[23] = matrix_0[5]
            factors_0[27] = matrix_0[6]
            factors_0[28] = matrix_0[7]
            factors_0[29] = matrix_0[8]
            factors_0[33] = matrix_0[9]
            factors_0[34] = matrix_0[10]
            factors_0[35] = matrix_0[11]
            if not nsd_factor(6, factors_0, pivot_0):
                break
            nsd_solve(6, factors_0, pivot_0, move_0)
            # the one-step problem: y = A lambda + b
            if play_0:
                memcpy(solved_0_0, reaction_lambda_0_0, sizeof(solved_0_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_0_0, 1)
            if play_1:
                memcpy(solved_1_0, reaction_lambda_1_0, sizeof(solved_1_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_1_0, 1)
            if play_2:
                memcpy(solved_2_0, reaction_lambda_2_0, sizeof(solved_2_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_2_0, 1)
            if play_3:
                memcpy(solved_3_0, reaction_lambda_3_0, sizeof(solved_3_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_3_0, 1)
            if play_4:
                memcpy(solved_4_0, reaction_lambda_4_0, sizeof(solved_4_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_4_0, 1)
            if play_5:
                memcpy(solved_5_0, reaction_lambda_5_0, sizeof(solved_5_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_5_0, 1)
            if play_6:
                memcpy(solved_6_0, reaction_lambda_6_0, sizeof(solved_6_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_6_0, 1)
            if play_7:
                memcpy(solved_7_0, reaction_lambda_7_0, sizeof(solved_7_0))
                nsd_solve_columns(6, factors_0, pivot_0, solved_7_0, 1)
            if n:
                memset(A, 0, sizeof(A))
                A[0] = output_lambda_0[0]
                A[9] = output_lambda_1[0]
                A[18] = output_lambda_2[0]
                A[27] = output_lambda_3[0]
                A[36] = output_lambda_4[0]
                A[45] = output_lambda_5[0]
                A[54] = output_lambda_6[0]
                A[63] = output_lambda_7[0]
                nsd_add_product(A + 0, 8, output_x_0_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 8, 8, output_x_1_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 16, 8, output_x_2_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 24, 8, output_x_3_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 32, 8, output_x_4_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 40, 8, output_x_5_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 48, 8, output_x_6_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 56, 8, output_x_7_0, 1, 6, solved_0_0, 1)
                nsd_add_product(A + 1, 8, output_x_0_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 9, 8, output_x_1_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 17, 8, output_x_2_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 25, 8, output_x_3_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 33, 8, output_x_4_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 41, 8, output_x_5_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 49, 8, output_x_6_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 57, 8, output_x_7_0, 1, 6, solved_1_0, 1)
                nsd_add_product(A + 2, 8, output_x_0_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 10, 8, output_x_1_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 18, 8, output_x_2_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 26, 8, output_x_3_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 34, 8, output_x_4_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 42, 8, output_x_5_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 50, 8, output_x_6_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 58, 8, output_x_7_0, 1, 6, solved_2_0, 1)
                nsd_add_product(A + 3, 8, output_x_0_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 11, 8, output_x_1_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 19, 8, output_x_2_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 27, 8, output_x_3_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 35, 8, output_x_4_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 43, 8, output_x_5_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 51, 8, output_x_6_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 59, 8, output_x_7_0, 1, 6, solved_3_0, 1)
                nsd_add_product(A + 4, 8, output_x_0_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 12, 8, output_x_1_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 20, 8, output_x_2_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 28, 8, output_x_3_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 36, 8, output_x_4_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 44, 8, output_x_5_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 52, 8, output_x_6_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 60, 8, output_x_7_0, 1, 6, solved_4_0, 1)
                nsd_add_product(A + 5, 8, output_x_0_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 13, 8, output_x_1_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 21, 8, output_x_2_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 29, 8, output_x_3_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 37, 8, output_x_4_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 45, 8, output_x_5_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 53, 8, output_x_6_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 61, 8, output_x_7_0, 1, 6, solved_5_0, 1)
                nsd_add_product(A + 6, 8, output_x_0_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 14, 8, output_x_1_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 22, 8, output_x_2_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 30, 8, output_x_3_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 38, 8, output_x_4_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 46, 8, output_x_5_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 54, 8, output_x_6_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 62, 8, output_x_7_0, 1, 6, solved_6_0, 1)
                nsd_add_product(A + 7, 8, output_x_0_0, 1, 6, solved_7_0, 1)
                nsd_add_product(A + 15, 8, output_x_1_0, 1, 6, solved_7_0, 1)
                nsd_add_product(A + 23, 8, output_x_2_0, 1, 6, solved_7_0, 1)
                nsd_add_product(A + 31, 8, output_x_3_0, 1, 6, solved_7_0, 1)
                nsd_add_product(A + 39, 8, output_x_4_0, 1, 6, solved_7_0, 1)
                nsd_add_product(A + 47, 8, output_x_5_0, 1, 6, solved_7_0, 1)
                nsd_add_product(A + 55, 8, output_x_6_0, 1, 6, solved_7_0, 1)
                nsd_add_product(A + 63, 8, output_x_7_0, 1, 6, solved_7_0, 1)
                remembered.factored = 0
            if n:
                nsd_pick(8, A, cone, n, rows, A_play, cone_play)
            if play_0:
                b[at_0 + 0] = output_0[0]
                b[at_0 + 0] -= output_x_0_0[0]*move_0[0]
                b[at_0 + 0] -= output_x_0_0[1]*move_0[1]
                b[at_0 + 0] -= output_x_0_0[2]*move_0[2]
                b[at_0 + 0] -= output_x_0_0[3]*move_0[3]
                b[at_0 + 0] -= output_x_0_0[4]*move_0[4]
                b[at_0 + 0] -= output_x_0_0[5]*move_0[5]
            if play_1:
                b[at_1 + 0] = output_1[0]
                b[at_1 + 0] -= output_x_1_0[0]*move_0[0]
                b[at_1 + 0] -= output_x_1_0[1]*move_0[1]
                b[at_1 + 0] -= output_x_1_0[2]*move_0[2]
                b[at_1 + 0] -= output_x_1_0[3]*move_0[3]
                b[at_1 + 0] -= output_x_1_0[4]*move_0[4]
                b[at_1 + 0] -= output_x_1_0[5]*move_0[5]
            if play_2:
                b[at_2 + 0] = output_2[0]
                b[at_2 + 0] -= output_x_2_0[0]*move_0[0]
                b[at_2 + 0] -= output_x_2_0[1]*move_0[1]
                b[at_2 + 0] -= output_x_2_0[2]*move_0[2]
                b[at_2 + 0] -= output_x_2_0[3]*move_0[3]
                b[at_2 + 0] -= output_x_2_0[4]*move_0[4]
                b[at_2 + 0] -= output_x_2_0[5]*move_0[5]
            if play_3:
                b[at_3 + 0] = output_3[0]
                b[at_3 + 0] -= output_x_3_0[0]*move_0[0]
                b[at_3 + 0] -= output_x_3_0[1]*move_0[1]
                b[at_3 + 0] -= output_x_3_0[2]*move_0[2]
                b[at_3 + 0] -= output_x_3_0[3]*move_0[3]
                b[at_3 + 0] -= output_x_3_0[4]*move_0[4]
                b[at_3 + 0] -= output_x_3_0[5]*move_0[5]
            if play_4:
                b[at_4 + 0] = output_4[0]
                b[at_4 + 0] -= output_x_4_0[0]*move_0[0]
                b[at_4 + 0] -= output_x_4_0[1]*move_0[1]
                b[at_4 + 0] -= output_x_4_0[2]*move_0[2]
                b[at_4 + 0] -= output_x_4_0[3]*move_0[3]
                b[at_4 + 0] -= output_x_4_0[4]*move_0[4]
                b[at_4 + 0] -= output_x_4_0[5]*move_0[5]
            if play_5:
                b[at_5 + 0] = output_5[0]
                b[at_5 + 0] -= output_x_5_0[0]*move_0[0]
                b[at_5 + 0] -= output_x_5_0[1]*move_0[1]
                b[at_5 + 0] -= output_x_5_0[2]*move_0[2]
                b[at_5 + 0] -= output_x_5_0[3]*move_0[3]
                b[at_5 + 0] -= output_x_5_0[4]*move_0[4]
                b[at_5 + 0] -= output_x_5_0[5]*move_0[5]
            if play_6:
                b[at_6 + 0] = output_6[0]
                b[at_6 + 0] -= output_x_6_0[0]*move_0[0]
                b[at_6 + 0] -= output_x_6_0[1]*move_0[1]
                b[at_6 + 0] -= output_x_6_0[2]*move_0[2]
                b[at_6 + 0] -= output_x_6_0[3]*move_0[3]
                b[at_6 + 0] -= output_x_6_0[4]*move_0[4]
                b[at_6 + 0] -= output_x_6_0[5]*move_0[5]
            if play_7:
                b[at_7 + 0] = output_7[0]
                b[at_7 + 0] -= output_x_7_0[0]*move_0[0]
                b[at_7 + 0] -= output_x_7_0[1]*move_0[1]
                b[at_7 + 0] -= output_x_7_0[2]*move_0[2]
                b[at_7 + 0] -= output_x_7_0[3]*move_0[3]
                b[at_7 + 0] -= output_x_7_0[4]*move_0[4]
                b[at_7 + 0] -= output_x_7_0[5]*move_0[5]
            nsd_subtract_columns(n, A_play, z, b)
            remembered.factored = 0
            if n == 1:
                if not nsd_one_row(A_play[0], b[0], cone_play[0], z):
                    break
            elif n and nsd_active_set(n, A_play, b, cone_play, z, &remembered) != 1:
                break
            # what the multipliers move
            if play_0:
                change = z[at_0 + 0] - multiplier_0[0]
                multiplier_0[0] = z[at_0 + 0]
                if change != 0:
                    move_0[0] -= solved_0_0[0]*change
                    move_0[1] -= solved_0_0[1]*change
                    move_0[2] -= solved_0_0[2]*change
                    move_0[3] -= solved_0_0[3]*change
                    move_0[4] -= solved_0_0[4]*change
                    move_0[5] -= solved_0_0[5]*change
            if play_1:
                change = z[at_1 + 0] - multiplier_1[0]
                multiplier_1[0] = z[at_1 + 0]
                if change != 0:
                    move_0[0] -= solved_1_0[0]*change
                    move_0[1] -= solved_1_0[1]*change
                    move_0[2] -= solved_1_0[2]*change
                    move_0[3] -= solved_1_0[3]*change
                    move_0[4] -= solved_1_0[4]*change
                    move_0[5] -= solved_1_0[5]*change
            if play_2:
                change = z[at_2 + 0] - multiplier_2[0]
                multiplier_2[0] = z[at_2 + 0]
                if change != 0:
                    move_0[0] -= solved_2_0[0]*change
                    move_0[1] -= solved_2_0[1]*change
                    move_0[2] -= solved_2_0[2]*change
                    move_0[3] -= solved_2_0[3]*change
                    move_0[4] -= solved_2_0[4]*change
                    move_0[5] -= solved_2_0[5]*change
            if play_3:
                change = z[at_3 + 0] - multiplier_3[0]
                multiplier_3[0] = z[at_3 + 0]
                if change != 0:
                    move_0[0] -= solved_3_0[0]*change
                    move_0[1] -= solved_3_0[1]*change
                    move_0[2] -= solved_3_0[2]*change
                    move_0[3] -= solved_3_0[3]*change
                    move_0[4] -= solved_3_0[4]*change
                    move_0[5] -= solved_3_0[5]*change
            if play_4:
                change = z[at_4 + 0] - multiplier_4[0]
                multiplier_4[0] = z[at_4 + 0]
                if change != 0:
                    move_0[0] -= solved_4_0[0]*change
                    move_0[1] -= solved_4_0[1]*change
                    move_0[2] -= solved_4_0[2]*change
                    move_0[3] -= solved_4_0[3]*change
                    move_0[4] -= solved_4_0[4]*change
                    move_0[5] -= solved_4_0[5]*change
            if play_5:
                change = z[at_5 + 0] - multiplier_5[0]
                multiplier_5[0] = z[at_5 + 0]
                if change != 0:
                    move_0[0] -= solved_5_0[0]*change
                    move_0[1] -= solved_5_0[1]*change
                    move_0[2] -= solved_5_0[2]*change
                    move_0[3] -= solved_5_0[3]*change
                    move_0[4] -= solved_5_0[4]*change
                    move_0[5] -= solved_5_0[5]*change
            if play_6:
                change = z[at_6 + 0] - multiplier_6[0]
                multiplier_6[0] = z[at_6 + 0]
                if change != 0:
                    move_0[0] -= solved_6_0[0]*change
                    move_0[1] -= solved_6_0[1]*change
                    move_0[2] -= solved_6_0[2]*change
                    move_0[3] -= solved_6_0[3]*change
                    move_0[4] -= solved_6_0[4]*change
                    move_0[5] -= solved_6_0[5]*change
            if play_7:
                change = z[at_7 + 0] - multiplier_7[0]
                multiplier_7[0] = z[at_7 + 0]
                if change != 0:
                    move_0[0] -= solved_7_0[0]*change
                    move_0[1] -= solved_7_0[1]*change
                    move_0[2] -= solved_7_0[2]*change
                    move_0[3] -= solved_7_0[3]*change
                    move_0[4] -= solved_7_0[4]*change
                    move_0[5] -= solved_7_0[5]*change
            unknown_0[0] -= move_0[0]
            unknown_0[1] -= move_0[1]
            unknown_0[2] -= move_0[2]
            unknown_0[3] -= move_0[3]
            unknown_0[4] -= move_0[4]
            unknown_0[5] -= move_0[5]
            if not nsd_finite(6, unknown_0):
                break
            # R - rho and y at this iterate, beside their terms
            brick_system0_freeze_iteration(freeze_iteration_system_0_in, freeze_iteration_system_0_out)
            memcpy(frozen_0, frozen_next_0, 7 * sizeof(double))
            brick_system0_residual(residual_system_0_in, residual_system_0_out)
            if play_0:
                brick_ground_0_relation1_evaluate(evaluate_relation_0_in, evaluate_relation_0_out)
            if play_1:
                brick_ground_0_relation1_evaluate(evaluate_relation_1_in, evaluate_relation_1_out)
            if play_2:
                brick_ground_0_relation1_evaluate(evaluate_relation_2_in, evaluate_relation_2_out)
            if play_3:
                brick_ground_0_relation1_evaluate(evaluate_relation_3_in, evaluate_relation_3_out)
            if play_4:
                brick_ground_0_relation1_evaluate(evaluate_relation_4_in, evaluate_relation_4_out)
            if play_5:
                brick_ground_0_relation1_evaluate(evaluate_relation_5_in, evaluate_relation_5_out)
            if play_6:
                brick_ground_0_relation1_evaluate(evaluate_relation_6_in, evaluate_relation_6_out)
            if play_7:
                brick_ground_0_relation1_evaluate(evaluate_relation_7_in, evaluate_relation_7_out)
            if play_0:
                move_0[0] -= reaction_0_0[0]
                scale_0[0] += reaction_terms_0_0[0]
                move_0[1] -= reaction_0_0[1]
                scale_0[1] += reaction_terms_0_0[1]
                move_0[2] -= reaction_0_0[2]
                scale_0[2] += reaction_terms_0_0[2]
                move_0[3] -= reaction_0_0[3]
                scale_0[3] += reaction_terms_0_0[3]
                move_0[4] -= reaction_0_0[4]
                scale_0[4] += reaction_terms_0_0[4]
                move_0[5] -= reaction_0_0[5]
                scale_0[5] += reaction_terms_0_0[5]
            if play_1:
                move_0[0] -= reaction_1_0[0]
                scale_0[0] += reaction_terms_1_0[0]
                move_0[1] -= reaction_1_0[1]
                scale_0[1] += reaction_terms_1_0[1]
                move_0[2] -= reaction_1_0[2]
                scale_0[2] += reaction_terms_1_0[2]
                move_0[3] -= reaction_1_0[3]
                scale_0[3] += reaction_terms_1_0[3]
                move_0[4] -= reaction_1_0[4]
                scale_0[4] += reaction_terms_1_0[4]
                move_0[5] -= reaction_1_0[5]
                scale_0[5] += reaction_terms_1_0[5]
            if play_2:
                move_0[0] -= reaction_2_0[0]
                scale_0[0] += reaction_terms_2_0[0]
                move_0[1] -= reaction_2_0[1]
                scale_0[1] += reaction_terms_2_0[1]
                move_0[2] -= reaction_2_0[2]
                scale_0[2] += reaction_terms_2_0[2]
                move_0[3] -= reaction_2_0[3]
                scale_0[3] += reaction_terms_2_0[3]
                move_0[4] -= reaction_2_0[4]
                scale_0[4] += reaction_terms_2_0[4]
                move_0[5] -= reaction_2_0[5]
                scale_0[5] += reaction_terms_2_0[5]
            if play_3:
                move_0[0] -= reaction_3_0[0]
                scale_0[0] += reaction_terms_3_0[0]
                move_0[1] -= reaction_3_0[1]
                scale_0[1] += reaction_terms_3_0[1]
                move_0[2] -= reaction_3_0[2]
                scale_0[2] += reaction_terms_3_0[2]
                move_0[3] -= reaction_3_0[3]
                scale_0[3] += reaction_terms_3_0[3]
                move_0[4] -= reaction_3_0[4]
                scale_0[4] += reaction_terms_3_0[4]
                move_0[5] -= reaction_3_0[5]
                scale_0[5] += reaction_terms_3_0[5]
            if play_4:
                move_0[0] -= reaction_4_0[0]
                scale_0[0] += reaction_terms_4_0[0]
                move_0[1] -= reaction_4_0[1]
                scale_0[1] += reaction_terms_4_0[1]
                move_0[2] -= reaction_4_0[2]
                scale_0[2] += reaction_terms_4_0[2]
                move_0[3] -= reaction_4_0[3]
                scale_0[3] += reaction_terms_4_0[3]
                move_0[4] -= reaction_4_0[4]
                scale_0[4] += reaction_terms_4_0[4]
                move_0[5] -= reaction_4_0[5]
                scale_0[5] += reaction_terms_4_0[5]
            if play_5:
                move_0[0] -= reaction_5_0[0]
                scale_0[0] += reaction_terms_5_0[0]
                move_0[1] -= reaction_5_0[1]
                scale_0[1] += reaction_terms_5_0[1]
                move_0[2] -= reaction_5_0[2]
                scale_0[2] += reaction_terms_5_0[2]
                move_0[3] -= reaction_5_0[3]
                scale_0[3] += reaction_terms_5_0[3]
                move_0[4] -= reaction_5_0[4]
                scale_0[4] += reaction_terms_5_0[4]
                move_0[5] -= reaction_5_0[5]
                scale_0[5] += reaction_terms_5_0[5]
            if play_6:
                move_0[0] -= reaction_6_0[0]
                scale_0[0] += reaction_terms_6_0[0]
                move_0[1] -= reaction_6_0[1]
                scale_0[1] += reaction_terms_6_0[1]
                move_0[2] -= reaction_6_0[2]
                scale_0[2] += reaction_terms_6_0[2]
                move_0[3] -= reaction_6_0[3]
                scale_0[3] += reaction_terms_6_0[3]
                move_0[4] -= reaction_6_0[4]
                scale_0[4] += reaction_terms_6_0[4]
                move_0[5] -= reaction_6_0[5]
                scale_0[5] += reaction_terms_6_0[5]
            if play_7:
                move_0[0] -= reaction_7_0[0]
                scale_0[0] += reaction_terms_7_0[0]
                move_0[1] -= reaction_7_0[1]
                scale_0[1] += reaction_terms_7_0[1]
                move_0[2] -= reaction_7_0[2]
                scale_0[2] += reaction_terms_7_0[2]
                move_0[3] -= reaction_7_0[3]
                scale_0[3] += reaction_terms_7_0[3]
                move_0[4] -= reaction_7_0[4]
                scale_0[4] += reaction_terms_7_0[4]
                move_0[5] -= reaction_7_0[5]
                scale_0[5] += reaction_terms_7_0[5]
            measure = 0.0
            least = 0.0
            least = nsd_largest(6, scale_0, least)
            least = nsd_nothing(least)
            measure = nsd_worse(measure, fabs(move_0[0]), scale_0[0], least)
            measure = nsd_worse(measure, fabs(move_0[1]), scale_0[1], least)
            measure = nsd_worse(measure, fabs(move_0[2]), scale_0[2], least)
            measure = nsd_worse(measure, fabs(move_0[3]), scale_0[3], least)
            measure = nsd_worse(measure, fabs(move_0[4]), scale_0[4], least)
            measure = nsd_worse(measure, fabs(move_0[5]), scale_0[5], least)
            resolved_0[0] = scale_0[0]/fabs(matrix_0[0]) if fabs(matrix_0[0]) > 0 else 0.0
            resolved_0[1] = scale_0[1]/fabs(matrix_0[1]) if fabs(matrix_0[1]) > 0 else 0.0
            resolved_0[2] = scale_0[2]/fabs(matrix_0[2]) if fabs(matrix_0[2]) > 0 else 0.0
            resolved_0[3] = scale_0[3]/fabs(matrix_0[3]) if fabs(matrix_0[3]) > 0 else 0.0
            resolved_0[4] = scale_0[4]/fabs(matrix_0[7]) if fabs(matrix_0[7]) > 0 else 0.0
            resolved_0[5] = scale_0[5]/fabs(matrix_0[11]) if fabs(matrix_0[11]) > 0 else 0.0
            if fabs(matrix_0[4]*matrix_0[6]) > 1e4*fabs(matrix_0[3]*matrix_0[7]):
                resolved_0[3] = resolved_0[4] = 0.0
            if fabs(matrix_0[5]*matrix_0[9]) > 1e4*fabs(matrix_0[3]*matrix_0[11]):
                resolved_0[3] = resolved_0[5] = 0.0
            if fabs(matrix_0[8]*matrix_0[10]) > 1e4*fabs(matrix_0[7]*matrix_0[11]):
                resolved_0[4] = resolved_0[5] = 0.0
            if play_0:
                value = 0.0
                value += fabs(output_x_0_0[0])*resolved_0[0]
                value += fabs(output_x_0_0[1])*resolved_0[1]
                value += fabs(output_x_0_0[2])*resolved_0[2]
                value += fabs(output_x_0_0[3])*resolved_0[3]
                value += fabs(output_x_0_0[4])*resolved_0[4]
                value += fabs(output_x_0_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_0[0], value)
                value = nsd_natural(1, NULL, A_play[(at_0 + 0)*(n + 1)], multiplier_0[0], output_0[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if play_1:
                value = 0.0
                value += fabs(output_x_1_0[0])*resolved_0[0]
                value += fabs(output_x_1_0[1])*resolved_0[1]
                value += fabs(output_x_1_0[2])*resolved_0[2]
                value += fabs(output_x_1_0[3])*resolved_0[3]
                value += fabs(output_x_1_0[4])*resolved_0[4]
                value += fabs(output_x_1_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_1[0], value)
                value = nsd_natural(1, NULL, A_play[(at_1 + 0)*(n + 1)], multiplier_1[0], output_1[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if play_2:
                value = 0.0
                value += fabs(output_x_2_0[0])*resolved_0[0]
                value += fabs(output_x_2_0[1])*resolved_0[1]
                value += fabs(output_x_2_0[2])*resolved_0[2]
                value += fabs(output_x_2_0[3])*resolved_0[3]
                value += fabs(output_x_2_0[4])*resolved_0[4]
                value += fabs(output_x_2_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_2[0], value)
                value = nsd_natural(1, NULL, A_play[(at_2 + 0)*(n + 1)], multiplier_2[0], output_2[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if play_3:
                value = 0.0
                value += fabs(output_x_3_0[0])*resolved_0[0]
                value += fabs(output_x_3_0[1])*resolved_0[1]
                value += fabs(output_x_3_0[2])*resolved_0[2]
                value += fabs(output_x_3_0[3])*resolved_0[3]
                value += fabs(output_x_3_0[4])*resolved_0[4]
                value += fabs(output_x_3_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_3[0], value)
                value = nsd_natural(1, NULL, A_play[(at_3 + 0)*(n + 1)], multiplier_3[0], output_3[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if play_4:
                value = 0.0
                value += fabs(output_x_4_0[0])*resolved_0[0]
                value += fabs(output_x_4_0[1])*resolved_0[1]
                value += fabs(output_x_4_0[2])*resolved_0[2]
                value += fabs(output_x_4_0[3])*resolved_0[3]
                value += fabs(output_x_4_0[4])*resolved_0[4]
                value += fabs(output_x_4_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_4[0], value)
                value = nsd_natural(1, NULL, A_play[(at_4 + 0)*(n + 1)], multiplier_4[0], output_4[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if play_5:
                value = 0.0
                value += fabs(output_x_5_0[0])*resolved_0[0]
                value += fabs(output_x_5_0[1])*resolved_0[1]
                value += fabs(output_x_5_0[2])*resolved_0[2]
                value += fabs(output_x_5_0[3])*resolved_0[3]
                value += fabs(output_x_5_0[4])*resolved_0[4]
                value += fabs(output_x_5_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_5[0], value)
                value = nsd_natural(1, NULL, A_play[(at_5 + 0)*(n + 1)], multiplier_5[0], output_5[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if play_6:
                value = 0.0
                value += fabs(output_x_6_0[0])*resolved_0[0]
                value += fabs(output_x_6_0[1])*resolved_0[1]
                value += fabs(output_x_6_0[2])*resolved_0[2]
                value += fabs(output_x_6_0[3])*resolved_0[3]
                value += fabs(output_x_6_0[4])*resolved_0[4]
                value += fabs(output_x_6_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_6[0], value)
                value = nsd_natural(1, NULL, A_play[(at_6 + 0)*(n + 1)], multiplier_6[0], output_6[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if play_7:
                value = 0.0
                value += fabs(output_x_7_0[0])*resolved_0[0]
                value += fabs(output_x_7_0[1])*resolved_0[1]
                value += fabs(output_x_7_0[2])*resolved_0[2]
                value += fabs(output_x_7_0[3])*resolved_0[3]
                value += fabs(output_x_7_0[4])*resolved_0[4]
                value += fabs(output_x_7_0[5])*resolved_0[5]
                size[0] = nsd_terms(terms_7[0], value)
                value = nsd_natural(1, NULL, A_play[(at_7 + 0)*(n + 1)], multiplier_7[0], output_7[0], size)
                measure = nsd_worse(measure, value, size[0], least)
            if measure <= run.stage[0].tolerance:
                done = True
                break
        if not done:
            break
        newton += iteration + 1
        # advance, observe
        brick_system0_advance(advance_system_0_in, advance_system_0_out)
        state_0[0] = next_0[0]
        state_0[1] = next_0[1]
        state_0[2] = next_0[2]
        state_0[3] = next_0[3]
        state_0[4] = next_0[4]
        state_0[5] = next_0[5]
        state_0[6] = next_0[6]
        state_0[7] = next_0[7]
        state_0[8] = next_0[8]
        state_0[9] = next_0[9]
        state_0[10] = next_0[10]
        state_0[11] = next_0[11]
        state_0[12] = next_0[12]
        brick_ground_0_relation1_observe(observe_relation_0_in, observe_relation_0_out)
        memory_0[0] = memory_next_0[0]
        memory_0[1] = memory_next_0[1]
        memory_0[2] = memory_next_0[2]
        brick_ground_0_relation1_observe(observe_relation_1_in, observe_relation_1_out)
        memory_1[0] = memory_next_1[0]
        memory_1[1] = memory_next_1[1]
        memory_1[2] = memory_next_1[2]
        brick_ground_0_relation1_observe(observe_relation_2_in, observe_relation_2_out)
        memory_2[0] = memory_next_2[0]
        memory_2[1] = memory_next_2[1]
        memory_2[2] = memory_next_2[2]
        brick_ground_0_relation1_observe(observe_relation_3_in, observe_relation_3_out)
        memory_3[0] = memory_next_3[0]
        memory_3[1] = memory_next_3[1]
        memory_3[2] = memory_next_3[2]
        brick_ground_0_relation1_observe(observe_relation_4_in, observe_relation_4_out)
        memory_4[0] = memory_next_4[0]
        memory_4[1] = memory_next_4[1]
        memory_4[2] = memory_next_4[2]
        brick_ground_0_relation1_observe(observe_relation_5_in, observe_relation_5_out)
        memory_5[0] = memory_next_5[0]
        memory_5[1] = memory_next_5[1]
        memory_5[2] = memory_next_5[2]
        brick_ground_0_relation1_observe(observe_relation_6_in, observe_relation_6_out)
        memory_6[0] = memory_next_6[0]
        memory_6[1] = memory_next_6[1]
        memory_6[2] = memory_next_6[2]
        brick_ground_0_relation1_observe(observe_relation_7_in, observe_relation_7_out)
        memory_7[0] = memory_next_7[0]
        memory_7[1] = memory_next_7[1]
        memory_7[2] = memory_next_7[2]
        # the record of the step
        row[0] = state_0[0]
        row[1] = state_0[1]
        row[2] = state_0[2]
        row[3] = state_0[3]
        row[4] = state_0[4]
        row[5] = state_0[5]
        row[6] = state_0[6]
        row[7] = state_0[7]
        row[8] = state_0[8]
        row[9] = state_0[9]
        row[10] = state_0[10]
        row[11] = state_0[11]
        row[12] = state_0[12]
        row[13] = memory_0[0]
        row[14] = memory_0[1]
        row[15] = memory_0[2]
        row[16] = memory_1[0]
        row[17] = memory_1[1]
        row[18] = memory_1[2]
        row[19] = memory_2[0]
        row[20] = memory_2[1]
        row[21] = memory_2[2]
        row[22] = memory_3[0]
        row[23] = memory_3[1]
        row[24] = memory_3[2]
        row[25] = memory_4[0]
        row[26] = memory_4[1]
        row[27] = memory_4[2]
        row[28] = memory_5[0]
        row[29] = memory_5[1]
        row[30] = memory_5[2]
        row[31] = memory_6[0]
        row[32] = memory_6[1]
        row[33] = memory_6[2]
        row[34] = memory_7[0]
        row[35] = memory_7[1]
        row[36] = memory_7[2]
        row[37] = multiplier_0[0]
        row[38] = multiplier_1[0]
        row[39] = multiplier_2[0]
        row[40] = multiplier_3[0]
        row[41] = multiplier_4[0]
        row[42] = multiplier_5[0]
        row[43] = multiplier_6[0]
        row[44] = multiplier_7[0]
        row[45] = newton
        row[46] = 0.0
        times[0] = clock[1]
        kept_mode_0_0 = mode_0_0
        kept_mode_1_0 = mode_1_0
        kept_mode_2_0 = mode_2_0
        kept_mode_3_0 = mode_3_0
        kept_mode_4_0 = mode_4_0
        kept_mode_5_0 = mode_5_0
        kept_mode_6_0 = mode_6_0
        kept_mode_7_0 = mode_7_0
        last = row
        row += stride
        times += 1 if stride else 0
        made += 1
    if made:
        if last != run.record:
            memcpy(run.record, last, 47 * sizeof(double))
        run.stage[0].mode[0][0] = kept_mode_0_0
        run.stage[0].mode[1][0] = kept_mode_1_0
        run.stage[0].mode[2][0] = kept_mode_2_0
        run.stage[0].mode[3][0] = kept_mode_3_0
        run.stage[0].mode[4][0] = kept_mode_4_0
        run.stage[0].mode[5][0] = kept_mode_5_0
        run.stage[0].mode[6][0] = kept_mode_6_0
        run.stage[0].mode[7][0] = kept_mode_7_0
    return made


# ================================================================================================
# the same for several members of an ensemble at once, where the module is compiled for that
# ================================================================================================

cdef extern from *:
    r"""
#ifdef NSDGEN_LANES
#include "nsdgen_lanes.h"

#include "nsdgen_row_lanes.h"

#include "nsdgen_newton_lanes.h"

/* [tag] tumbling_brick / brick: start, in lanes */
static inline void brick_system0_start_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_x_k = in_[0][7];
    const nsd_lanes v_y_k = in_[0][8];
    const nsd_lanes v_z_k = in_[0][9];
    const nsd_lanes Omega_x_k = in_[0][10];
    const nsd_lanes Omega_y_k = in_[0][11];
    const nsd_lanes Omega_z_k = in_[0][12];
    out[0][0] = v_x_k;
    out[0][1] = v_y_k;
    out[0][2] = v_z_k;
    out[0][3] = Omega_x_k;
    out[0][4] = Omega_y_k;
    out[0][5] = Omega_z_k;
    (void)active;
}

/* [tag] tumbling_brick / brick: residual, in lanes */
static inline void brick_system0_residual_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_x = in_[0][0];
    const nsd_lanes v_y = in_[0][1];
    const nsd_lanes v_z = in_[0][2];
    const nsd_lanes Omega_x = in_[0][3];
    const nsd_lanes Omega_y = in_[0][4];
    const nsd_lanes Omega_z = in_[0][5];
    const nsd_lanes p0_k = in_[1][3];
    const nsd_lanes p1_k = in_[1][4];
    const nsd_lanes p2_k = in_[1][5];
    const nsd_lanes p3_k = in_[1][6];
    const nsd_lanes v_x_k = in_[1][7];
    const nsd_lanes v_y_k = in_[1][8];
    const nsd_lanes v_z_k = in_[1][9];
    const nsd_lanes Omega_x_k = in_[1][10];
    const nsd_lanes Omega_y_k = in_[1][11];
    const nsd_lanes Omega_z_k = in_[1][12];
    const nsd_lanes t_k = in_[2][0];
    const nsd_lanes t_next = in_[2][1];
    const nsd_lanes h = in_[3][0];
    const nsd_lanes theta = in_[3][1];
    const nsd_lanes m = in_[4][0];
    const nsd_lanes g = in_[4][1];
    const nsd_lanes a = in_[4][2];
    const nsd_lanes b = in_[4][3];
    const nsd_lanes c = in_[4][4];
    const nsd_lanes M0 = in_[4][5];
    const nsd_lanes w = in_[4][6];
    nsd_lanes x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18;
    nsd_lanes Omega_x_theta, x19, x20, Omega_y_theta, x21, x22, Omega_z_theta, x23;
    nsd_lanes half_angle_squared, half_sinc, half_cos, x24, x25, x26, x27, x28, x29, x30, x31, x32;
    nsd_lanes x33, x34, x35, x36, x37, x38, x39, x40, p2_next, x41, p0_next, p1_next, x42, p3_next;
    nsd_lanes x43, x44, x45, x46, x47, x48, x49, x50, length, x51, x52, x53, x54, x55, x56, x57;
    nsd_lanes x58, x59, x60, x61, x62, x63, x64, x65, x66, x67, x68, x69, x70, x71, x72, x73, x74;
    nsd_lanes x75, x76, x77, x78, x79, x80, x81, x82, x83, x84, length_2, x85;
    x0 = g*m;
    x1 = 1.0 - theta;
    x2 = h*theta;
    x3 = x0*x2;
    x4 = M0*nsd_lanes_cos(active, t_k*w);
    x5 = 2.0*p2_k;
    x6 = p0_k*x5;
    x7 = 2.0*p1_k;
    x8 = p3_k*x7;
    x9 = Omega_y_k*Omega_z_k;
    x10 = a*a;
    x11 = b*b;
    x12 = m*(x10 + x11);
    x13 = x12/3.0;
    x14 = c*c;
    x15 = m*(x10 + x14);
    x16 = x15/3.0;
    x17 = M0*nsd_lanes_cos(active, t_next*w);
    x18 = Omega_x*theta;
    Omega_x_theta = x18 + Omega_x_k*x1;
    x19 = h*Omega_x_theta;
    x20 = Omega_y*theta;
    Omega_y_theta = x20 + Omega_y_k*x1;
    x21 = h*Omega_y_theta;
    x22 = Omega_z*theta;
    Omega_z_theta = x22 + Omega_z_k*x1;
    x23 = h*Omega_z_theta;
    half_angle_squared = 0.25*x19*x19 + 0.25*x21*x21 + 0.25*x23*x23;
    half_sinc = 0.5*nsd_lanes_stumpff(active, 1, half_angle_squared);
    half_cos = nsd_lanes_stumpff(active, 0, half_angle_squared);
    x24 = p2_k*half_cos;
    x25 = p0_k*half_cos;
    x26 = p1_k*half_cos;
    x27 = p3_k*half_cos;
    x28 = Omega_y*Omega_z;
    x29 = m*(x11 + x14);
    x30 = p0_k*x7;
    x31 = p3_k*x5;
    x32 = Omega_x_k*Omega_z_k;
    x33 = x29/3.0;
    x34 = Omega_x*Omega_z;
    x35 = p1_k*x7;
    x36 = p2_k*x5;
    x37 = Omega_x_k*Omega_y_k;
    x38 = Omega_x*Omega_y;
    out[0][0] = m*(v_x - v_x_k);
    out[0][1] = m*(v_y - v_y_k);
    x39 = h*x1;
    out[0][2] = x0*x39 + x3 + m*(v_z - v_z_k);
    x40 = x13 - x16;
    p2_next = half_sinc*(p0_k*x21 + p3_k*x19 - p1_k*x23) + x24;
    x41 = 2.0*p2_next;
    p0_next = x25 - half_sinc*(p1_k*x19 + p2_k*x21 + p3_k*x23);
    p1_next = half_sinc*(p0_k*x19 + p2_k*x23 - p3_k*x21) + x26;
    x42 = 2.0*p1_next;
    p3_next = half_sinc*(p0_k*x23 + p1_k*x21 - p2_k*x19) + x27;
    out[0][3] = (x39*(x4*(x6 - x8) + x9*x40) + x2*(x17*(x41*p0_next - x42*p3_next) + x28*x40)
                 + x29*(Omega_x - Omega_x_k)/3.0);
    x43 = x13 - x33;
    out[0][4] = (x15*(Omega_y - Omega_y_k)/3.0 - x39*(x4*(x30 + x31) + x32*x43)
                 - x2*(x17*(x41*p3_next + x42*p0_next) + x34*x43));
    x44 = x16 - x33;
    out[0][5] = (x12*(Omega_z - Omega_z_k)/3.0 - x39*(x4*(1.0 - x35 - x36) - x37*x44)
                 - x2*(x17*(1.0 - x42*p1_next - x41*p2_next) - x38*x44));
    x45 = nsd_lanes_fabs(active, theta) + 1.0;
    x46 = x45*nsd_lanes_fabs(active, h*x0);
    x47 = nsd_lanes_fabs(active, x3);
    x48 = m*(nsd_lanes_fabs(active, v_x) + nsd_lanes_fabs(active, v_x_k));
    x49 = m*(nsd_lanes_fabs(active, v_y) + nsd_lanes_fabs(active, v_y_k));
    x50 = m*(nsd_lanes_fabs(active, v_z) + nsd_lanes_fabs(active, v_z_k));
    length = x46 + x47 + x48 + x49 + x50;
    x51 = 0.0009765625*length;
    out[1][0] = x51 + x48;
    out[1][1] = x51 + x49;
    out[1][2] = x51 + x46 + x47 + x50;
    x52 = x45*nsd_lanes_fabs(active, h);
    x53 = nsd_lanes_fabs(active, x4);
    x54 = x16 + x33;
    x55 = x52*(x53*(x35 + x36 + 1.0) + x54*nsd_lanes_fabs(active, x37));
    x56 = x13 + x33;
    x57 = (x52*(x53*(nsd_lanes_fabs(active, x30) + nsd_lanes_fabs(active, x31))
           + x56*nsd_lanes_fabs(active, x32)));
    x58 = x13 + x16;
    x59 = (x52*(x53*(nsd_lanes_fabs(active, x6) + nsd_lanes_fabs(active, x8))
           + x58*nsd_lanes_fabs(active, x9)));
    x60 = nsd_lanes_fabs(active, x2);
    x61 = nsd_lanes_fabs(active, x17);
    x62 = nsd_lanes_fabs(active, half_sinc);
    x63 = nsd_lanes_fabs(active, h*p0_k);
    x64 = nsd_lanes_fabs(active, Omega_y_k);
    x65 = nsd_lanes_fabs(active, x20) + x64*x45;
    x66 = nsd_lanes_fabs(active, h*p1_k);
    x67 = nsd_lanes_fabs(active, Omega_z_k);
    x68 = nsd_lanes_fabs(active, x22) + x67*x45;
    x69 = nsd_lanes_fabs(active, h*p3_k);
    x70 = nsd_lanes_fabs(active, Omega_x_k);
    x71 = nsd_lanes_fabs(active, x18) + x70*x45;
    x72 = x62*(x63*x65 + x66*x68 + x69*x71) + nsd_lanes_fabs(active, x24);
    x73 = 2.0*x72;
    x74 = nsd_lanes_fabs(active, h*p2_k);
    x75 = x62*(x63*x71 + x74*x68 + x69*x65) + nsd_lanes_fabs(active, x26);
    x76 = 2.0*x75;
    x77 = x60*(x61*(x73*x72 + x76*x75 + 1.0) + x54*nsd_lanes_fabs(active, x38));
    x78 = x62*(x66*x71 + x74*x65 + x69*x68) + nsd_lanes_fabs(active, x25);
    x79 = x62*(x63*x68 + x66*x65 + x74*x71) + nsd_lanes_fabs(active, x27);
    x80 = x60*(x61*(x73*x78 + x76*x79) + x58*nsd_lanes_fabs(active, x28));
    x81 = x60*(x61*(x73*x79 + x76*x78) + x56*nsd_lanes_fabs(active, x34));
    x82 = x12*(nsd_lanes_fabs(active, Omega_z) + x67)/3.0;
    x83 = x15*(nsd_lanes_fabs(active, Omega_y) + x64)/3.0;
    x84 = x29*(nsd_lanes_fabs(active, Omega_x) + x70)/3.0;
    length_2 = x55 + x57 + x59 + x77 + x80 + x81 + x82 + x83 + x84;
    x85 = 0.0009765625*length_2;
    out[1][3] = x85 + x59 + x80 + x84;
    out[1][4] = x85 + x57 + x81 + x83;
    out[1][5] = x85 + x55 + x77 + x82;
    (void)active;
}

/* [tag] tumbling_brick / brick: linearize, in lanes */
static inline void brick_system0_linearize_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_x = in_[0][0];
    const nsd_lanes v_y = in_[0][1];
    const nsd_lanes v_z = in_[0][2];
    const nsd_lanes Omega_x = in_[0][3];
    const nsd_lanes Omega_y = in_[0][4];
    const nsd_lanes Omega_z = in_[0][5];
    const nsd_lanes p0_k = in_[1][3];
    const nsd_lanes p1_k = in_[1][4];
    const nsd_lanes p2_k = in_[1][5];
    const nsd_lanes p3_k = in_[1][6];
    const nsd_lanes v_x_k = in_[1][7];
    const nsd_lanes v_y_k = in_[1][8];
    const nsd_lanes v_z_k = in_[1][9];
    const nsd_lanes Omega_x_k = in_[1][10];
    const nsd_lanes Omega_y_k = in_[1][11];
    const nsd_lanes Omega_z_k = in_[1][12];
    const nsd_lanes t_k = in_[2][0];
    const nsd_lanes t_next = in_[2][1];
    const nsd_lanes h = in_[3][0];
    const nsd_lanes theta = in_[3][1];
    const nsd_lanes m = in_[4][0];
    const nsd_lanes g = in_[4][1];
    const nsd_lanes a = in_[4][2];
    const nsd_lanes b = in_[4][3];
    const nsd_lanes c = in_[4][4];
    const nsd_lanes M0 = in_[4][5];
    const nsd_lanes w = in_[4][6];
    nsd_lanes x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, Omega_x_theta, x12, Omega_y_theta;
    nsd_lanes x13, Omega_z_theta, x14, half_angle_squared, x15, half_sinc, x16, half_cos, p2_next;
    nsd_lanes x17, x18, p0_next, x19, p1_next, x20, x21, p3_next, x22, x23, x24, x25, x26, x27;
    nsd_lanes x28, x29, x30, x31, x32, x33, x34, x35, x36, x37, x38, x39, x40, x41, x42, x43, x44;
    nsd_lanes x45, x46, x47, x48, x49, x50, x51, x52, x53, x54, x55, x56, x57, x58, x59, x60, x61;
    nsd_lanes x62, x63, x64;
    x0 = 1.0 - theta;
    x1 = h*theta;
    x2 = a*a;
    x3 = b*b;
    x4 = m*(x2 + x3);
    x5 = x4/3.0;
    x6 = c*c;
    x7 = m*(x2 + x6);
    x8 = x7/3.0;
    x9 = x5 - x8;
    x10 = M0*nsd_lanes_cos(active, t_next*w);
    x11 = 0.25*h;
    Omega_x_theta = Omega_x*theta + Omega_x_k*x0;
    x12 = h*Omega_x_theta;
    Omega_y_theta = Omega_y*theta + Omega_y_k*x0;
    x13 = h*Omega_y_theta;
    Omega_z_theta = Omega_z*theta + Omega_z_k*x0;
    x14 = h*Omega_z_theta;
    half_angle_squared = x11*x12*Omega_x_theta + x11*x13*Omega_y_theta + x11*x14*Omega_z_theta;
    x15 = nsd_lanes_stumpff(active, 1, half_angle_squared);
    half_sinc = 0.5*x15;
    x16 = p0_k*x13 + p3_k*x12 - p1_k*x14;
    half_cos = nsd_lanes_stumpff(active, 0, half_angle_squared);
    p2_next = half_sinc*x16 + p2_k*half_cos;
    x17 = 2.0*p2_next;
    x18 = p1_k*x12 + p2_k*x13 + p3_k*x14;
    p0_next = p0_k*half_cos - half_sinc*x18;
    x19 = p0_k*x12 + p2_k*x14 - p3_k*x13;
    p1_next = half_sinc*x19 + p1_k*half_cos;
    x20 = 2.0*p1_next;
    x21 = p0_k*x14 + p1_k*x13 - p2_k*x12;
    p3_next = half_sinc*x21 + p3_k*half_cos;
    x22 = Omega_y*x9;
    x23 = m*(x3 + x6);
    x24 = x23/3.0;
    x25 = x5 - x24;
    x26 = Omega_x*x25;
    x27 = x8 - x24;
    x28 = Omega_x*x27;
    out[0][0] = m*(v_x - v_x_k);
    out[0][1] = m*(v_y - v_y_k);
    x29 = g*m;
    x30 = h*x0;
    out[0][2] = x29*x30 + x29*x1 + m*(v_z - v_z_k);
    x31 = M0*nsd_lanes_cos(active, t_k*w);
    x32 = 2.0*p2_k;
    x33 = 2.0*p1_k;
    out[0][3] = (x30*(x31*(p0_k*x32 - p3_k*x33) + Omega_y_k*Omega_z_k*x9) + x1*(x10*(x17*p0_next
                 - x20*p3_next) + Omega_z*x22) + x23*(Omega_x - Omega_x_k)/3.0);
    out[0][4] = (x7*(Omega_y - Omega_y_k)/3.0 - x30*(x31*(p0_k*x33 + p3_k*x32)
                 + Omega_x_k*Omega_z_k*x25) - x1*(x10*(x17*p3_next + x20*p0_next) + Omega_z*x26));
    out[0][5] = (x4*(Omega_z - Omega_z_k)/3.0 - x30*(x31*(1.0 - p1_k*x33 - p2_k*x32)
                 - Omega_x_k*Omega_y_k*x27) - x1*(x10*(1.0 - x20*p1_next - x17*p2_next)
                 - Omega_y*x28));
    out[1][0] = m;
    out[1][1] = m;
    out[1][2] = m;
    x34 = x10*x1;
    x35 = x11*x1;
    x36 = x35*x15;
    x37 = x36*Omega_x_theta;
    x38 = (x35*(0.5*nsd_lanes_stumpff(active, 2, half_angle_squared)
           - 0.5*nsd_lanes_stumpff(active, 3, half_angle_squared)));
    x39 = x38*Omega_x_theta;
    x40 = half_sinc*x1;
    x41 = p1_k*x40;
    x42 = p0_k*x37 + x41 - x39*x18;
    x43 = p2_k*x40;
    x44 = p3_k*x37 + x39*x21 + x43;
    x45 = 2.0*p3_next;
    x46 = p0_k*x40;
    x47 = p1_k*x37 + x39*x19 - x46;
    x48 = 2.0*p0_next;
    x49 = p3_k*x40;
    x50 = p2_k*x37 + x39*x16 - x49;
    out[1][3] = x24 - x34*(x17*x42 + x48*x50 - x20*x44 - x45*x47);
    x51 = x36*Omega_y_theta;
    x52 = x38*Omega_y_theta;
    x53 = p3_k*x51 + x52*x21 - x41;
    x54 = p1_k*x51 + x52*x19 + x49;
    x55 = p2_k*x51 + x52*x16 - x46;
    x56 = p0_k*x51 + x43 - x52*x18;
    out[1][4] = x1*(x10*(x20*x53 + x45*x54 - x48*x55 - x17*x56) + Omega_z*x9);
    x57 = x36*Omega_z_theta;
    x58 = x38*Omega_z_theta;
    x59 = p2_k*x57 + x58*x16 + x41;
    x60 = p3_k*x57 + x58*x21 - x46;
    x61 = p0_k*x57 + x49 - x58*x18;
    x62 = p1_k*x57 + x58*x19 - x43;
    out[1][5] = x1*(x22 - x10*(x48*x59 + x17*x61 - x20*x60 - x45*x62));
    out[1][6] = x1*(x10*(x48*x47 + x20*x42 + x45*x50 + x17*x44) - Omega_z*x25);
    out[1][7] = x34*(x20*x56 + x48*x54 + x45*x55 + x17*x53) + x8;
    out[1][8] = x1*(x10*(x17*x60 + x48*x62 + x45*x59 + x20*x61) - x26);
    x63 = 4.0*p1_next;
    x64 = 4.0*p2_next;
    out[1][9] = x1*(Omega_y*x27 - x10*(x63*x47 + x64*x50));
    out[1][10] = x1*(x28 - x10*(x64*x55 + x63*x54));
    out[1][11] = x5 - x34*(x64*x59 + x63*x62);
    (void)active;
}

/* [tag] tumbling_brick / brick: advance, in lanes */
static inline void brick_system0_advance_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_x = in_[0][0];
    const nsd_lanes v_y = in_[0][1];
    const nsd_lanes v_z = in_[0][2];
    const nsd_lanes Omega_x = in_[0][3];
    const nsd_lanes Omega_y = in_[0][4];
    const nsd_lanes Omega_z = in_[0][5];
    const nsd_lanes x_k = in_[1][0];
    const nsd_lanes y_k = in_[1][1];
    const nsd_lanes z_k = in_[1][2];
    const nsd_lanes p0_k = in_[1][3];
    const nsd_lanes p1_k = in_[1][4];
    const nsd_lanes p2_k = in_[1][5];
    const nsd_lanes p3_k = in_[1][6];
    const nsd_lanes v_x_k = in_[1][7];
    const nsd_lanes v_y_k = in_[1][8];
    const nsd_lanes v_z_k = in_[1][9];
    const nsd_lanes Omega_x_k = in_[1][10];
    const nsd_lanes Omega_y_k = in_[1][11];
    const nsd_lanes Omega_z_k = in_[1][12];
    const nsd_lanes h = in_[2][0];
    const nsd_lanes theta = in_[2][1];
    nsd_lanes x0, v_x_theta, x_next, v_y_theta, y_next, v_z_theta, z_next, Omega_x_theta, x1;
    nsd_lanes Omega_y_theta, x2, Omega_z_theta, x3, half_angle_squared, half_sinc, half_cos;
    nsd_lanes p0_next, p2_next, p1_next, p3_next, p_norm, p0_hat, p1_hat, p2_hat, p3_hat;
    x0 = 1.0 - theta;
    v_x_theta = theta*v_x + v_x_k*x0;
    x_next = x_k + h*v_x_theta;
    out[0][0] = x_next;
    v_y_theta = theta*v_y + v_y_k*x0;
    y_next = y_k + h*v_y_theta;
    out[0][1] = y_next;
    v_z_theta = theta*v_z + v_z_k*x0;
    z_next = z_k + h*v_z_theta;
    out[0][2] = z_next;
    Omega_x_theta = Omega_x*theta + Omega_x_k*x0;
    x1 = h*Omega_x_theta;
    Omega_y_theta = Omega_y*theta + Omega_y_k*x0;
    x2 = h*Omega_y_theta;
    Omega_z_theta = Omega_z*theta + Omega_z_k*x0;
    x3 = h*Omega_z_theta;
    half_angle_squared = 0.25*x1*x1 + 0.25*x2*x2 + 0.25*x3*x3;
    half_sinc = 0.5*nsd_lanes_stumpff(active, 1, half_angle_squared);
    half_cos = nsd_lanes_stumpff(active, 0, half_angle_squared);
    p0_next = p0_k*half_cos - half_sinc*(p1_k*x1 + p2_k*x2 + p3_k*x3);
    p2_next = half_sinc*(p0_k*x2 + p3_k*x1 - p1_k*x3) + p2_k*half_cos;
    p1_next = half_sinc*(p0_k*x1 + p2_k*x3 - p3_k*x2) + p1_k*half_cos;
    p3_next = half_sinc*(p0_k*x3 + p1_k*x2 - p2_k*x1) + p3_k*half_cos;
    p_norm = (nsd_lanes_sqrt(active, p2_next*p2_next + p1_next*p1_next + p3_next*p3_next
              + p0_next*p0_next));
    p0_hat = p0_next/p_norm;
    out[0][3] = p0_hat;
    p1_hat = p1_next/p_norm;
    out[0][4] = p1_hat;
    p2_hat = p2_next/p_norm;
    out[0][5] = p2_hat;
    p3_hat = p3_next/p_norm;
    out[0][6] = p3_hat;
    out[0][7] = v_x;
    out[0][8] = v_y;
    out[0][9] = v_z;
    out[0][10] = Omega_x;
    out[0][11] = Omega_y;
    out[0][12] = Omega_z;
    (void)active;
}

/* [tag] tumbling_brick / brick: freeze_step, in lanes */
static inline void brick_system0_freeze_step_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes m = in_[0][0];
    const nsd_lanes a = in_[0][2];
    const nsd_lanes b = in_[0][3];
    const nsd_lanes c = in_[0][4];
    nsd_lanes x1, x2, x3, x5, x6, x8, x0 = {0}, x4 = {0}, x7 = {0}, x9 = {0};
    nsd_mask left_0, arm_0, left_2, arm_2, left_4, arm_4, left_6, arm_6;
    left_0 = active;
    arm_0 = left_0 & (m > 0.0);
    if (nsd_any(arm_0)) {
        x0 = nsd_pick_lanes(arm_0, 1.0/m, x0);
    }
    left_0 &= ~arm_0;
    x0 = nsd_pick_lanes(left_0, nsd_all(0.0), x0);
    out[0][0] = x0;
    x1 = b*b;
    x2 = c*c;
    x3 = x1 + x2;
    left_2 = active;
    arm_2 = left_2 & (m*x3/3.0 > 0.0);
    if (nsd_any(arm_2)) {
        x4 = nsd_pick_lanes(arm_2, 3.0/(m*x3), x4);
    }
    left_2 &= ~arm_2;
    x4 = nsd_pick_lanes(left_2, nsd_all(0.0), x4);
    out[0][1] = x4;
    x5 = a*a;
    x6 = x5 + x2;
    left_4 = active;
    arm_4 = left_4 & (m*x6/3.0 > 0.0);
    if (nsd_any(arm_4)) {
        x7 = nsd_pick_lanes(arm_4, 3.0/(m*x6), x7);
    }
    left_4 &= ~arm_4;
    x7 = nsd_pick_lanes(left_4, nsd_all(0.0), x7);
    out[0][2] = x7;
    x8 = x5 + x1;
    left_6 = active;
    arm_6 = left_6 & (m*x8/3.0 > 0.0);
    if (nsd_any(arm_6)) {
        x9 = nsd_pick_lanes(arm_6, 3.0/(m*x8), x9);
    }
    left_6 &= ~arm_6;
    x9 = nsd_pick_lanes(left_6, nsd_all(0.0), x9);
    out[0][3] = x9;
    (void)active;
}

/* [tag] tumbling_brick / brick: freeze_start, in lanes */
static inline void brick_system0_freeze_start_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes x_k = in_[0][0];
    const nsd_lanes y_k = in_[0][1];
    const nsd_lanes z_k = in_[0][2];
    const nsd_lanes p0_k = in_[0][3];
    const nsd_lanes p1_k = in_[0][4];
    const nsd_lanes p2_k = in_[0][5];
    const nsd_lanes p3_k = in_[0][6];
    out[0][0] = x_k;
    out[0][1] = y_k;
    out[0][2] = z_k;
    out[0][3] = p0_k;
    out[0][4] = p1_k;
    out[0][5] = p2_k;
    out[0][6] = p3_k;
    (void)active;
}

/* [tag] tumbling_brick / brick: freeze_iteration, in lanes */
static inline void brick_system0_freeze_iteration_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_x = in_[0][0];
    const nsd_lanes v_y = in_[0][1];
    const nsd_lanes v_z = in_[0][2];
    const nsd_lanes Omega_x = in_[0][3];
    const nsd_lanes Omega_y = in_[0][4];
    const nsd_lanes Omega_z = in_[0][5];
    const nsd_lanes x_k = in_[1][0];
    const nsd_lanes y_k = in_[1][1];
    const nsd_lanes z_k = in_[1][2];
    const nsd_lanes p0_k = in_[1][3];
    const nsd_lanes p1_k = in_[1][4];
    const nsd_lanes p2_k = in_[1][5];
    const nsd_lanes p3_k = in_[1][6];
    const nsd_lanes v_x_k = in_[1][7];
    const nsd_lanes v_y_k = in_[1][8];
    const nsd_lanes v_z_k = in_[1][9];
    const nsd_lanes Omega_x_k = in_[1][10];
    const nsd_lanes Omega_y_k = in_[1][11];
    const nsd_lanes Omega_z_k = in_[1][12];
    const nsd_lanes h = in_[2][0];
    const nsd_lanes theta = in_[2][1];
    nsd_lanes x0, v_x_theta, x_next, v_y_theta, y_next, v_z_theta, z_next, Omega_x_theta, x1;
    nsd_lanes Omega_y_theta, x2, Omega_z_theta, x3, half_angle_squared, half_sinc, half_cos;
    nsd_lanes p0_next, p2_next, p1_next, p3_next, p_norm, p0_hat, p1_hat, p2_hat, p3_hat;
    x0 = 1.0 - theta;
    v_x_theta = theta*v_x + v_x_k*x0;
    x_next = x_k + h*v_x_theta;
    out[0][0] = x_next;
    v_y_theta = theta*v_y + v_y_k*x0;
    y_next = y_k + h*v_y_theta;
    out[0][1] = y_next;
    v_z_theta = theta*v_z + v_z_k*x0;
    z_next = z_k + h*v_z_theta;
    out[0][2] = z_next;
    Omega_x_theta = Omega_x*theta + Omega_x_k*x0;
    x1 = h*Omega_x_theta;
    Omega_y_theta = Omega_y*theta + Omega_y_k*x0;
    x2 = h*Omega_y_theta;
    Omega_z_theta = Omega_z*theta + Omega_z_k*x0;
    x3 = h*Omega_z_theta;
    half_angle_squared = 0.25*x1*x1 + 0.25*x2*x2 + 0.25*x3*x3;
    half_sinc = 0.5*nsd_lanes_stumpff(active, 1, half_angle_squared);
    half_cos = nsd_lanes_stumpff(active, 0, half_angle_squared);
    p0_next = p0_k*half_cos - half_sinc*(p1_k*x1 + p2_k*x2 + p3_k*x3);
    p2_next = half_sinc*(p0_k*x2 + p3_k*x1 - p1_k*x3) + p2_k*half_cos;
    p1_next = half_sinc*(p0_k*x1 + p2_k*x3 - p3_k*x2) + p1_k*half_cos;
    p3_next = half_sinc*(p0_k*x3 + p1_k*x2 - p2_k*x1) + p3_k*half_cos;
    p_norm = (nsd_lanes_sqrt(active, p2_next*p2_next + p1_next*p1_next + p3_next*p3_next
              + p0_next*p0_next));
    p0_hat = p0_next/p_norm;
    out[0][3] = p0_hat;
    p1_hat = p1_next/p_norm;
    out[0][4] = p1_hat;
    p2_hat = p2_next/p_norm;
    out[0][5] = p2_hat;
    p3_hat = p3_next/p_norm;
    out[0][6] = p3_hat;
    (void)active;
}

/* [tag] tumbling_brick / brick ground 0: evaluate, in lanes */
static inline void brick_ground_0_relation1_evaluate_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_z = in_[0][2];
    const nsd_lanes Omega_x = in_[0][3];
    const nsd_lanes Omega_y = in_[0][4];
    const nsd_lanes Omega_z = in_[0][5];
    const nsd_lanes p0_bar = in_[1][3];
    const nsd_lanes p1_bar = in_[1][4];
    const nsd_lanes p2_bar = in_[1][5];
    const nsd_lanes p3_bar = in_[1][6];
    const nsd_lanes impulse = in_[2][0];
    const nsd_lanes gap_rate_k = in_[3][1];
    const nsd_lanes restitution = in_[4][0];
    const nsd_lanes point_x = in_[4][1];
    const nsd_lanes point_y = in_[4][2];
    const nsd_lanes point_z = in_[4][3];
    nsd_lanes x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17, x18;
    nsd_lanes x19, x20, x21, x22, x23, x24, x25, gap_rate, length, x26, x27, x28, x29, length_2;
    nsd_lanes x30;
    x0 = gap_rate_k*restitution;
    x1 = p0_bar*p0_bar;
    x2 = p1_bar*p1_bar;
    x3 = p2_bar*p2_bar;
    x4 = p3_bar*p3_bar;
    x5 = x1 + x4 - x2 - x3;
    x6 = 2.0*p0_bar;
    x7 = p1_bar*x6;
    x8 = 2.0*p3_bar;
    x9 = p2_bar*x8;
    x10 = x7 + x9;
    x11 = point_y*x5 - point_z*x10;
    x12 = p2_bar*x6;
    x13 = p1_bar*x8;
    x14 = x12 - x13;
    x15 = point_x*x5 + point_z*x14;
    x16 = point_x*x10 + point_y*x14;
    x17 = nsd_lanes_fabs(active, point_y);
    x18 = x1 + x2 + x3 + x4;
    x19 = nsd_lanes_fabs(active, point_z);
    x20 = nsd_lanes_fabs(active, x7) + nsd_lanes_fabs(active, x9);
    x21 = x17*x18 + x19*x20;
    x22 = nsd_lanes_fabs(active, point_x);
    x23 = nsd_lanes_fabs(active, x12) + nsd_lanes_fabs(active, x13);
    x24 = x22*x18 + x19*x23;
    x25 = x22*x20 + x17*x23;
    gap_rate = v_z + Omega_x*x11 + Omega_z*x16 - Omega_y*x15;
    out[0][0] = x0 + gap_rate;
    out[1][0] = nsd_all(0.0);
    out[1][1] = nsd_all(0.0);
    out[1][2] = impulse;
    out[1][3] = impulse*x11;
    out[1][4] = -impulse*x15;
    out[1][5] = impulse*x16;
    out[2][0] = (x21*nsd_lanes_fabs(active, Omega_x) + x24*nsd_lanes_fabs(active, Omega_y)
                 + x25*nsd_lanes_fabs(active, Omega_z) + nsd_lanes_fabs(active, x0)
                 + nsd_lanes_fabs(active, v_z));
    length = nsd_lanes_fabs(active, impulse);
    x26 = 0.0009765625*length;
    out[3][0] = x26;
    out[3][1] = x26;
    out[3][2] = x26 + length;
    x27 = length*x25;
    x28 = length*x24;
    x29 = length*x21;
    length_2 = x27 + x28 + x29;
    x30 = 0.0009765625*length_2;
    out[3][3] = x30 + x29;
    out[3][4] = x30 + x28;
    out[3][5] = x30 + x27;
    (void)active;
}

/* [tag] tumbling_brick / brick ground 0: linearize, in lanes */
static inline void brick_ground_0_relation1_linearize_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes v_z = in_[0][2];
    const nsd_lanes Omega_x = in_[0][3];
    const nsd_lanes Omega_y = in_[0][4];
    const nsd_lanes Omega_z = in_[0][5];
    const nsd_lanes p0_bar = in_[1][3];
    const nsd_lanes p1_bar = in_[1][4];
    const nsd_lanes p2_bar = in_[1][5];
    const nsd_lanes p3_bar = in_[1][6];
    const nsd_lanes impulse = in_[2][0];
    const nsd_lanes gap_rate_k = in_[3][1];
    const nsd_lanes restitution = in_[4][0];
    const nsd_lanes point_x = in_[4][1];
    const nsd_lanes point_y = in_[4][2];
    const nsd_lanes point_z = in_[4][3];
    nsd_lanes x0, x1, x2, x3, x4, x5, x6, x7, gap_rate;
    x0 = p0_bar*p0_bar + p3_bar*p3_bar - p1_bar*p1_bar - p2_bar*p2_bar;
    x1 = 2.0*p0_bar;
    x2 = 2.0*p3_bar;
    x3 = p1_bar*x1 + p2_bar*x2;
    x4 = point_y*x0 - point_z*x3;
    x5 = p2_bar*x1 - p1_bar*x2;
    x6 = point_x*x0 + point_z*x5;
    x7 = point_x*x3 + point_y*x5;
    gap_rate = v_z + Omega_x*x4 + Omega_z*x7 - Omega_y*x6;
    out[0][0] = gap_rate_k*restitution + gap_rate;
    out[1][0] = nsd_all(0.0);
    out[1][1] = nsd_all(0.0);
    out[1][2] = impulse;
    out[1][3] = impulse*x4;
    out[1][4] = -impulse*x6;
    out[1][5] = impulse*x7;
    out[3][0] = nsd_all(1.0);
    out[3][1] = x4;
    out[3][2] = -x6;
    out[3][3] = x7;
    out[4][0] = nsd_all(1.0);
    out[4][1] = x4;
    out[4][2] = -x6;
    out[4][3] = x7;
    (void)active;
}

/* [tag] tumbling_brick / brick ground 0: observe, in lanes */
static inline void brick_ground_0_relation1_observe_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes z_next = in_[0][2];
    const nsd_lanes p0_next = in_[0][3];
    const nsd_lanes p1_next = in_[0][4];
    const nsd_lanes p2_next = in_[0][5];
    const nsd_lanes p3_next = in_[0][6];
    const nsd_lanes v_z_next = in_[0][9];
    const nsd_lanes Omega_x_next = in_[0][10];
    const nsd_lanes Omega_y_next = in_[0][11];
    const nsd_lanes Omega_z_next = in_[0][12];
    const nsd_lanes mobility_2 = in_[1][0];
    const nsd_lanes mobility_3 = in_[1][1];
    const nsd_lanes mobility_4 = in_[1][2];
    const nsd_lanes mobility_5 = in_[1][3];
    const nsd_lanes impulse = in_[2][0];
    const nsd_lanes slack_k = in_[3][2];
    const nsd_lanes h = in_[4][0];
    const nsd_lanes point_x = in_[5][1];
    const nsd_lanes point_y = in_[5][2];
    const nsd_lanes point_z = in_[5][3];
    nsd_lanes x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, pushed, way;
    nsd_lanes x24, largest = {0}, x16 = {0}, x17 = {0}, x18 = {0}, x19 = {0}, x20 = {0}, x21 = {0};
    nsd_lanes x22 = {0}, x23 = {0}, x25 = {0};
    nsd_mask left_0, arm_0, left_2, arm_2, left_4, arm_4, left_6, arm_6, left_8, arm_8, left_10;
    nsd_mask arm_10, left_12, arm_12, left_14, arm_14, left_16, arm_16, left_18, arm_18;
    x0 = 2.0*p0_next*p2_next;
    x1 = 2.0*p1_next*p3_next;
    x2 = x0 - x1;
    x3 = 2.0*p0_next*p1_next;
    x4 = 2.0*p2_next*p3_next;
    x5 = x3 + x4;
    x6 = p1_next*p1_next;
    x7 = 2.0*x6;
    x8 = p2_next*p2_next;
    x9 = 2.0*x8;
    x10 = z_next - point_x*x2 + point_y*x5 + point_z*(1.0 - x7 - x9);
    out[0][0] = x10;
    x11 = p0_next*p0_next;
    x12 = p3_next*p3_next;
    x13 = point_y*(x11 + x12 - x6 - x8) - point_z*x5;
    x14 = point_x*(x6 + x8 - x11 - x12) - point_z*x2;
    x15 = point_x*x5 + point_y*x2;
    out[0][1] = v_z_next + Omega_x_next*x13 + Omega_y_next*x14 + Omega_z_next*x15;
    pushed = impulse*h*(mobility_2 + mobility_3*x13*x13 + mobility_4*x14*x14 + mobility_5*x15*x15);
    way = 1e-08*pushed;
    left_0 = active;
    arm_0 = left_0 & (way > slack_k);
    largest = nsd_pick_lanes(arm_0, way, largest);
    left_0 &= ~arm_0;
    largest = nsd_pick_lanes(left_0, slack_k, largest);
    left_2 = active;
    arm_2 = left_2 & (z_next >= 0.0);
    x16 = nsd_pick_lanes(arm_2, z_next, x16);
    left_2 &= ~arm_2;
    x16 = nsd_pick_lanes(left_2, -z_next, x16);
    left_4 = active;
    arm_4 = left_4 & (x3 >= 0.0);
    x17 = nsd_pick_lanes(arm_4, x3, x17);
    left_4 &= ~arm_4;
    x17 = nsd_pick_lanes(left_4, -x3, x17);
    left_6 = active;
    arm_6 = left_6 & (x4 >= 0.0);
    x18 = nsd_pick_lanes(arm_6, x4, x18);
    left_6 &= ~arm_6;
    x18 = nsd_pick_lanes(left_6, -x4, x18);
    left_8 = active;
    arm_8 = left_8 & (point_y >= 0.0);
    x19 = nsd_pick_lanes(arm_8, point_y, x19);
    left_8 &= ~arm_8;
    x19 = nsd_pick_lanes(left_8, -point_y, x19);
    left_10 = active;
    arm_10 = left_10 & (x0 >= 0.0);
    x20 = nsd_pick_lanes(arm_10, x0, x20);
    left_10 &= ~arm_10;
    x20 = nsd_pick_lanes(left_10, -x0, x20);
    left_12 = active;
    arm_12 = left_12 & (x1 >= 0.0);
    x21 = nsd_pick_lanes(arm_12, x1, x21);
    left_12 &= ~arm_12;
    x21 = nsd_pick_lanes(left_12, -x1, x21);
    left_14 = active;
    arm_14 = left_14 & (point_x >= 0.0);
    x22 = nsd_pick_lanes(arm_14, point_x, x22);
    left_14 &= ~arm_14;
    x22 = nsd_pick_lanes(left_14, -point_x, x22);
    left_16 = active;
    arm_16 = left_16 & (point_z >= 0.0);
    x23 = nsd_pick_lanes(arm_16, point_z, x23);
    left_16 &= ~arm_16;
    x23 = nsd_pick_lanes(left_16, -point_z, x23);
    x24 = (1.7763568394002505e-15*x16 + 1.7763568394002505e-15*(x17 + x18)*x19
           + 1.7763568394002505e-15*(x20 + x21)*x22 + 1.7763568394002505e-15*(1.0 + x7 + x9)*x23);
    left_18 = active;
    arm_18 = left_18 & (largest >= x24 & x10 <= largest);
    x25 = nsd_pick_lanes(arm_18, largest, x25);
    left_18 &= ~arm_18;
    x25 = nsd_pick_lanes(left_18, x24, x25);
    out[0][2] = x25;
    (void)active;
}

/* [tag] tumbling_brick / brick ground 0: activation, in lanes */
static inline void brick_ground_0_relation1_activation_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes gap_k = in_[0][0];
    const nsd_lanes gap_rate_k = in_[0][1];
    const nsd_lanes slack_k = in_[0][2];
    const nsd_lanes h = in_[1][0];
    const nsd_lanes activation_gamma = in_[1][2];
    nsd_lanes mode = {0};
    nsd_mask left_0, arm_0;
    left_0 = active;
    arm_0 = left_0 & (gap_k + gap_rate_k*activation_gamma*h <= slack_k);
    mode = nsd_pick_lanes(arm_0, nsd_all(1.0), mode);
    left_0 &= ~arm_0;
    mode = nsd_pick_lanes(left_0, nsd_all(0.0), mode);
    out[0][0] = mode;
    (void)active;
}

/* [tag] tumbling_brick: what changes with the run only, in lanes */
static NSD_RARE int tumbling_brick_lanes_of_run(const nsdgen_run *const *run, nsd_lanes *kept)
{
    const nsd_mask every = ~(nsd_mask){0};
    nsd_lanes frozen_step_0[4] = {{0}};
    nsd_lanes system_parameters_0[7];
    const nsd_lanes *freeze_step_system_0_in[] = {system_parameters_0};
    nsd_lanes *freeze_step_system_0_out[] = {frozen_step_0};
NSD_EACH_LANE
    {
        system_parameters_0[0][lane] = run[lane]->system[0][0];
        system_parameters_0[1][lane] = run[lane]->system[0][1];
        system_parameters_0[2][lane] = run[lane]->system[0][2];
        system_parameters_0[3][lane] = run[lane]->system[0][3];
        system_parameters_0[4][lane] = run[lane]->system[0][4];
        system_parameters_0[5][lane] = run[lane]->system[0][5];
        system_parameters_0[6][lane] = run[lane]->system[0][6];
}
    brick_system0_freeze_step_lanes(every, freeze_step_system_0_in, freeze_step_system_0_out);
    kept[0] = frozen_step_0[0];
    kept[1] = frozen_step_0[1];
    kept[2] = frozen_step_0[2];
    kept[3] = frozen_step_0[3];
    return 1;
}

/* [tag] tumbling_brick: steps in lanes */
static int64_t tumbling_brick_lanes(const nsdgen_run *const *run, int64_t number, int64_t count, double *row, int64_t stride,
                                    double *times)
{
    const nsd_mask every = ~(nsd_mask){0};
    int64_t made = 0;
    double *last = NULL;
    nsd_lanes begin, h, clock[2], newton, measure, least, value, change, size[1];
    nsd_mask going, runs, passed;
    int iteration;
    nsd_lanes state_0[13];
    nsd_lanes memory_0[3];
    nsd_lanes memory_1[3];
    nsd_lanes memory_2[3];
    nsd_lanes memory_3[3];
    nsd_lanes memory_4[3];
    nsd_lanes memory_5[3];
    nsd_lanes memory_6[3];
    nsd_lanes memory_7[3];
    nsd_lanes unknown_0[6] = {{0}};
    nsd_lanes move_0[6] = {{0}};
    nsd_lanes next_0[13] = {{0}};
    nsd_lanes frozen_0[7] = {{0}};
    nsd_lanes frozen_next_0[7] = {{0}};
    nsd_lanes options_0[4];
    nsd_lanes resolved_0[6] = {{0}};
    nsd_lanes scale_0[6] = {{0}};
    nsd_lanes system_parameters_0[7];
    nsd_lanes matrix_0[12] = {{0}};
    nsd_lanes frozen_step_0[4];
    nsd_lanes multiplier_0[1];
    nsd_lanes output_0[1] = {{0}};
    nsd_lanes reaction_0_0[6] = {{0}};
    nsd_lanes reaction_lambda_0_0[6] = {{0}};
    nsd_lanes output_x_0_0[6] = {{0}};
    nsd_lanes output_lambda_0[1] = {{0}};
    nsd_lanes mode_written_0[1] = {{0}};
    nsd_lanes relation_parameters_0[4];
    nsd_lanes terms_0[1] = {{0}};
    nsd_lanes reaction_terms_0_0[6] = {{0}};
    nsd_lanes output_lambda_0_written[1] = {{0}};
    nsd_lanes output_x_0_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_0_0_written[4] = {{0}};
    nsd_lanes memory_next_0[3] = {{0}};
    nsd_lanes multiplier_1[1];
    nsd_lanes output_1[1] = {{0}};
    nsd_lanes reaction_1_0[6] = {{0}};
    nsd_lanes reaction_lambda_1_0[6] = {{0}};
    nsd_lanes output_x_1_0[6] = {{0}};
    nsd_lanes output_lambda_1[1] = {{0}};
    nsd_lanes mode_written_1[1] = {{0}};
    nsd_lanes relation_parameters_1[4];
    nsd_lanes terms_1[1] = {{0}};
    nsd_lanes reaction_terms_1_0[6] = {{0}};
    nsd_lanes output_lambda_1_written[1] = {{0}};
    nsd_lanes output_x_1_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_1_0_written[4] = {{0}};
    nsd_lanes memory_next_1[3] = {{0}};
    nsd_lanes multiplier_2[1];
    nsd_lanes output_2[1] = {{0}};
    nsd_lanes reaction_2_0[6] = {{0}};
    nsd_lanes reaction_lambda_2_0[6] = {{0}};
    nsd_lanes output_x_2_0[6] = {{0}};
    nsd_lanes output_lambda_2[1] = {{0}};
    nsd_lanes mode_written_2[1] = {{0}};
    nsd_lanes relation_parameters_2[4];
    nsd_lanes terms_2[1] = {{0}};
    nsd_lanes reaction_terms_2_0[6] = {{0}};
    nsd_lanes output_lambda_2_written[1] = {{0}};
    nsd_lanes output_x_2_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_2_0_written[4] = {{0}};
    nsd_lanes memory_next_2[3] = {{0}};
    nsd_lanes multiplier_3[1];
    nsd_lanes output_3[1] = {{0}};
    nsd_lanes reaction_3_0[6] = {{0}};
    nsd_lanes reaction_lambda_3_0[6] = {{0}};
    nsd_lanes output_x_3_0[6] = {{0}};
    nsd_lanes output_lambda_3[1] = {{0}};
    nsd_lanes mode_written_3[1] = {{0}};
    nsd_lanes relation_parameters_3[4];
    nsd_lanes terms_3[1] = {{0}};
    nsd_lanes reaction_terms_3_0[6] = {{0}};
    nsd_lanes output_lambda_3_written[1] = {{0}};
    nsd_lanes output_x_3_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_3_0_written[4] = {{0}};
    nsd_lanes memory_next_3[3] = {{0}};
    nsd_lanes multiplier_4[1];
    nsd_lanes output_4[1] = {{0}};
    nsd_lanes reaction_4_0[6] = {{0}};
    nsd_lanes reaction_lambda_4_0[6] = {{0}};
    nsd_lanes output_x_4_0[6] = {{0}};
    nsd_lanes output_lambda_4[1] = {{0}};
    nsd_lanes mode_written_4[1] = {{0}};
    nsd_lanes relation_parameters_4[4];
    nsd_lanes terms_4[1] = {{0}};
    nsd_lanes reaction_terms_4_0[6] = {{0}};
    nsd_lanes output_lambda_4_written[1] = {{0}};
    nsd_lanes output_x_4_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_4_0_written[4] = {{0}};
    nsd_lanes memory_next_4[3] = {{0}};
    nsd_lanes multiplier_5[1];
    nsd_lanes output_5[1] = {{0}};
    nsd_lanes reaction_5_0[6] = {{0}};
    nsd_lanes reaction_lambda_5_0[6] = {{0}};
    nsd_lanes output_x_5_0[6] = {{0}};
    nsd_lanes output_lambda_5[1] = {{0}};
    nsd_lanes mode_written_5[1] = {{0}};
    nsd_lanes relation_parameters_5[4];
    nsd_lanes terms_5[1] = {{0}};
    nsd_lanes reaction_terms_5_0[6] = {{0}};
    nsd_lanes output_lambda_5_written[1] = {{0}};
    nsd_lanes output_x_5_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_5_0_written[4] = {{0}};
    nsd_lanes memory_next_5[3] = {{0}};
    nsd_lanes multiplier_6[1];
    nsd_lanes output_6[1] = {{0}};
    nsd_lanes reaction_6_0[6] = {{0}};
    nsd_lanes reaction_lambda_6_0[6] = {{0}};
    nsd_lanes output_x_6_0[6] = {{0}};
    nsd_lanes output_lambda_6[1] = {{0}};
    nsd_lanes mode_written_6[1] = {{0}};
    nsd_lanes relation_parameters_6[4];
    nsd_lanes terms_6[1] = {{0}};
    nsd_lanes reaction_terms_6_0[6] = {{0}};
    nsd_lanes output_lambda_6_written[1] = {{0}};
    nsd_lanes output_x_6_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_6_0_written[4] = {{0}};
    nsd_lanes memory_next_6[3] = {{0}};
    nsd_lanes multiplier_7[1];
    nsd_lanes output_7[1] = {{0}};
    nsd_lanes reaction_7_0[6] = {{0}};
    nsd_lanes reaction_lambda_7_0[6] = {{0}};
    nsd_lanes output_x_7_0[6] = {{0}};
    nsd_lanes output_lambda_7[1] = {{0}};
    nsd_lanes mode_written_7[1] = {{0}};
    nsd_lanes relation_parameters_7[4];
    nsd_lanes terms_7[1] = {{0}};
    nsd_lanes reaction_terms_7_0[6] = {{0}};
    nsd_lanes output_lambda_7_written[1] = {{0}};
    nsd_lanes output_x_7_0_written[4] = {{0}};
    nsd_lanes reaction_lambda_7_0_written[4] = {{0}};
    nsd_lanes memory_next_7[3] = {{0}};
    nsd_lanes factors_0[36] = {{0}};
    nsd_mask pivot_0[6];
    nsd_lanes solved_0_0[6] = {{0}};
    nsd_lanes solved_1_0[6] = {{0}};
    nsd_lanes solved_2_0[6] = {{0}};
    nsd_lanes solved_3_0[6] = {{0}};
    nsd_lanes solved_4_0[6] = {{0}};
    nsd_lanes solved_5_0[6] = {{0}};
    nsd_lanes solved_6_0[6] = {{0}};
    nsd_lanes solved_7_0[6] = {{0}};
    nsd_lanes A[64];
    nsd_lanes b[8];
    nsd_lanes z[8];
    const nsd_lanes *freeze_start_system_0_in[] = {state_0};
    nsd_lanes *freeze_start_system_0_out[] = {frozen_0};
    const nsd_lanes *freeze_iteration_system_0_in[] = {unknown_0, state_0, options_0};
    nsd_lanes *freeze_iteration_system_0_out[] = {frozen_next_0};
    const nsd_lanes *start_system_0_in[] = {state_0};
    nsd_lanes *start_system_0_out[] = {unknown_0};
    const nsd_lanes *residual_system_0_in[] = {unknown_0, state_0, clock, options_0, system_parameters_0};
    nsd_lanes *residual_system_0_out[] = {move_0, scale_0};
    const nsd_lanes *linearize_system_0_in[] = {unknown_0, state_0, clock, options_0, system_parameters_0};
    nsd_lanes *linearize_system_0_out[] = {move_0, matrix_0};
    const nsd_lanes *advance_system_0_in[] = {unknown_0, state_0, options_0};
    nsd_lanes *advance_system_0_out[] = {next_0};
    const nsd_lanes *activation_relation_0_in[] = {memory_0, options_0};
    nsd_lanes *activation_relation_0_out[] = {mode_written_0};
    const nsd_lanes *evaluate_relation_0_in[] = {unknown_0, frozen_0, multiplier_0, memory_0, relation_parameters_0};
    nsd_lanes *evaluate_relation_0_out[] = {output_0, reaction_0_0, terms_0, reaction_terms_0_0};
    const nsd_lanes *linearize_relation_0_in[] = {unknown_0, frozen_0, multiplier_0, memory_0, relation_parameters_0};
    nsd_lanes *linearize_relation_0_out[] = {output_0, reaction_0_0, output_lambda_0_written, output_x_0_0_written, reaction_lambda_0_0_written};
    const nsd_lanes *observe_relation_0_in[] = {state_0, frozen_step_0, multiplier_0, memory_0, options_0, relation_parameters_0};
    nsd_lanes *observe_relation_0_out[] = {memory_next_0};
    const nsd_lanes *activation_relation_1_in[] = {memory_1, options_0};
    nsd_lanes *activation_relation_1_out[] = {mode_written_1};
    const nsd_lanes *evaluate_relation_1_in[] = {unknown_0, frozen_0, multiplier_1, memory_1, relation_parameters_1};
    nsd_lanes *evaluate_relation_1_out[] = {output_1, reaction_1_0, terms_1, reaction_terms_1_0};
    const nsd_lanes *linearize_relation_1_in[] = {unknown_0, frozen_0, multiplier_1, memory_1, relation_parameters_1};
    nsd_lanes *linearize_relation_1_out[] = {output_1, reaction_1_0, output_lambda_1_written, output_x_1_0_written, reaction_lambda_1_0_written};
    const nsd_lanes *observe_relation_1_in[] = {state_0, frozen_step_0, multiplier_1, memory_1, options_0, relation_parameters_1};
    nsd_lanes *observe_relation_1_out[] = {memory_next_1};
    const nsd_lanes *activation_relation_2_in[] = {memory_2, options_0};
    nsd_lanes *activation_relation_2_out[] = {mode_written_2};
    const nsd_lanes *evaluate_relation_2_in[] = {unknown_0, frozen_0, multiplier_2, memory_2, relation_parameters_2};
    nsd_lanes *evaluate_relation_2_out[] = {output_2, reaction_2_0, terms_2, reaction_terms_2_0};
    const nsd_lanes *linearize_relation_2_in[] = {unknown_0, frozen_0, multiplier_2, memory_2, relation_parameters_2};
    nsd_lanes *linearize_relation_2_out[] = {output_2, reaction_2_0, output_lambda_2_written, output_x_2_0_written, reaction_lambda_2_0_written};
    const nsd_lanes *observe_relation_2_in[] = {state_0, frozen_step_0, multiplier_2, memory_2, options_0, relation_parameters_2};
    nsd_lanes *observe_relation_2_out[] = {memory_next_2};
    const nsd_lanes *activation_relation_3_in[] = {memory_3, options_0};
    nsd_lanes *activation_relation_3_out[] = {mode_written_3};
    const nsd_lanes *evaluate_relation_3_in[] = {unknown_0, frozen_0, multiplier_3, memory_3, relation_parameters_3};
    nsd_lanes *evaluate_relation_3_out[] = {output_3, reaction_3_0, terms_3, reaction_terms_3_0};
    const nsd_lanes *linearize_relation_3_in[] = {unknown_0, frozen_0, multiplier_3, memory_3, relation_parameters_3};
    nsd_lanes *linearize_relation_3_out[] = {output_3, reaction_3_0, output_lambda_3_written, output_x_3_0_written, reaction_lambda_3_0_written};
    const nsd_lanes *observe_relation_3_in[] = {state_0, frozen_step_0, multiplier_3, memory_3, options_0, relation_parameters_3};
    nsd_lanes *observe_relation_3_out[] = {memory_next_3};
    const nsd_lanes *activation_relation_4_in[] = {memory_4, options_0};
    nsd_lanes *activation_relation_4_out[] = {mode_written_4};
    const nsd_lanes *evaluate_relation_4_in[] = {unknown_0, frozen_0, multiplier_4, memory_4, relation_parameters_4};
    nsd_lanes *evaluate_relation_4_out[] = {output_4, reaction_4_0, terms_4, reaction_terms_4_0};
    const nsd_lanes *linearize_relation_4_in[] = {unknown_0, frozen_0, multiplier_4, memory_4, relation_parameters_4};
    nsd_lanes *linearize_relation_4_out[] = {output_4, reaction_4_0, output_lambda_4_written, output_x_4_0_written, reaction_lambda_4_0_written};
    const nsd_lanes *observe_relation_4_in[] = {state_0, frozen_step_0, multiplier_4, memory_4, options_0, relation_parameters_4};
    nsd_lanes *observe_relation_4_out[] = {memory_next_4};
    const nsd_lanes *activation_relation_5_in[] = {memory_5, options_0};
    nsd_lanes *activation_relation_5_out[] = {mode_written_5};
    const nsd_lanes *evaluate_relation_5_in[] = {unknown_0, frozen_0, multiplier_5, memory_5, relation_parameters_5};
    nsd_lanes *evaluate_relation_5_out[] = {output_5, reaction_5_0, terms_5, reaction_terms_5_0};
    const nsd_lanes *linearize_relation_5_in[] = {unknown_0, frozen_0, multiplier_5, memory_5, relation_parameters_5};
    nsd_lanes *linearize_relation_5_out[] = {output_5, reaction_5_0, output_lambda_5_written, output_x_5_0_written, reaction_lambda_5_0_written};
    const nsd_lanes *observe_relation_5_in[] = {state_0, frozen_step_0, multiplier_5, memory_5, options_0, relation_parameters_5};
    nsd_lanes *observe_relation_5_out[] = {memory_next_5};
    const nsd_lanes *activation_relation_6_in[] = {memory_6, options_0};
    nsd_lanes *activation_relation_6_out[] = {mode_written_6};
    const nsd_lanes *evaluate_relation_6_in[] = {unknown_0, frozen_0, multiplier_6, memory_6, relation_parameters_6};
    nsd_lanes *evaluate_relation_6_out[] = {output_6, reaction_6_0, terms_6, reaction_terms_6_0};
    const nsd_lanes *linearize_relation_6_in[] = {unknown_0, frozen_0, multiplier_6, memory_6, relation_parameters_6};
    nsd_lanes *linearize_relation_6_out[] = {output_6, reaction_6_0, output_lambda_6_written, output_x_6_0_written, reaction_lambda_6_0_written};
    const nsd_lanes *observe_relation_6_in[] = {state_0, frozen_step_0, multiplier_6, memory_6, options_0, relation_parameters_6};
    nsd_lanes *observe_relation_6_out[] = {memory_next_6};
    const nsd_lanes *activation_relation_7_in[] = {memory_7, options_0};
    nsd_lanes *activation_relation_7_out[] = {mode_written_7};
    const nsd_lanes *evaluate_relation_7_in[] = {unknown_0, frozen_0, multiplier_7, memory_7, relation_parameters_7};
    nsd_lanes *evaluate_relation_7_out[] = {output_7, reaction_7_0, terms_7, reaction_terms_7_0};
    const nsd_lanes *linearize_relation_7_in[] = {unknown_0, frozen_0, multiplier_7, memory_7, relation_parameters_7};
    nsd_lanes *linearize_relation_7_out[] = {output_7, reaction_7_0, output_lambda_7_written, output_x_7_0_written, reaction_lambda_7_0_written};
    const nsd_lanes *observe_relation_7_in[] = {state_0, frozen_step_0, multiplier_7, memory_7, options_0, relation_parameters_7};
    nsd_lanes *observe_relation_7_out[] = {memory_next_7};
    nsd_lanes kept[4];
    nsd_lanes mode_0_0, kept_mode_0_0;
    nsd_lanes mode_1_0, kept_mode_1_0;
    nsd_lanes mode_2_0, kept_mode_2_0;
    nsd_lanes mode_3_0, kept_mode_3_0;
    nsd_lanes mode_4_0, kept_mode_4_0;
    nsd_lanes mode_5_0, kept_mode_5_0;
    nsd_lanes mode_6_0, kept_mode_6_0;
    nsd_lanes mode_7_0, kept_mode_7_0;
    nsd_mask play_0;
    nsd_mask play_1;
    nsd_mask play_2;
    nsd_mask play_3;
    nsd_mask play_4;
    nsd_mask play_5;
    nsd_mask play_6;
    nsd_mask play_7;
    nsd_lanes tolerance_0;
    int most_0 = INT32_MAX;
    static const int cone[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    nsd_mask in_play[8];
    nsd_lanes_memory remembered;

    NSD_EACH_LANE
    {
        begin[lane] = run[lane]->start;
        h[lane] = run[lane]->h;
        state_0[0][lane] = run[lane]->record[0];
        state_0[1][lane] = run[lane]->record[1];
        state_0[2][lane] = run[lane]->record[2];
        state_0[3][lane] = run[lane]->record[3];
        state_0[4][lane] = run[lane]->record[4];
        state_0[5][lane] = run[lane]->record[5];
        state_0[6][lane] = run[lane]->record[6];
        state_0[7][lane] = run[lane]->record[7];
        state_0[8][lane] = run[lane]->record[8];
        state_0[9][lane] = run[lane]->record[9];
        state_0[10][lane] = run[lane]->record[10];
        state_0[11][lane] = run[lane]->record[11];
        state_0[12][lane] = run[lane]->record[12];
        memory_0[0][lane] = run[lane]->record[13];
        memory_0[1][lane] = run[lane]->record[14];
        memory_0[2][lane] = run[lane]->record[15];
        memory_1[0][lane] = run[lane]->record[16];
        memory_1[1][lane] = run[lane]->record[17];
        memory_1[2][lane] = run[lane]->record[18];
        memory_2[0][lane] = run[lane]->record[19];
        memory_2[1][lane] = run[lane]->record[20];
        memory_2[2][lane] = run[lane]->record[21];
        memory_3[0][lane] = run[lane]->record[22];
        memory_3[1][lane] = run[lane]->record[23];
        memory_3[2][lane] = run[lane]->record[24];
        memory_4[0][lane] = run[lane]->record[25];
        memory_4[1][lane] = run[lane]->record[26];
        memory_4[2][lane] = run[lane]->record[27];
        memory_5[0][lane] = run[lane]->record[28];
        memory_5[1][lane] = run[lane]->record[29];
        memory_5[2][lane] = run[lane]->record[30];
        memory_6[0][lane] = run[lane]->record[31];
        memory_6[1][lane] = run[lane]->record[32];
        memory_6[2][lane] = run[lane]->record[33];
        memory_7[0][lane] = run[lane]->record[34];
        memory_7[1][lane] = run[lane]->record[35];
        memory_7[2][lane] = run[lane]->record[36];
        options_0[0][lane] = run[lane]->run[0][0];
        options_0[1][lane] = run[lane]->run[0][1];
        options_0[2][lane] = run[lane]->run[0][2];
        options_0[3][lane] = run[lane]->run[0][3];
        system_parameters_0[0][lane] = run[lane]->system[0][0];
        system_parameters_0[1][lane] = run[lane]->system[0][1];
        system_parameters_0[2][lane] = run[lane]->system[0][2];
        system_parameters_0[3][lane] = run[lane]->system[0][3];
        system_parameters_0[4][lane] = run[lane]->system[0][4];
        system_parameters_0[5][lane] = run[lane]->system[0][5];
        system_parameters_0[6][lane] = run[lane]->system[0][6];
        multiplier_0[0][lane] = run[lane]->record[37];
        relation_parameters_0[0][lane] = run[lane]->relation[0][0];
        relation_parameters_0[1][lane] = run[lane]->relation[0][1];
        relation_parameters_0[2][lane] = run[lane]->relation[0][2];
        relation_parameters_0[3][lane] = run[lane]->relation[0][3];
        multiplier_1[0][lane] = run[lane]->record[38];
        relation_parameters_1[0][lane] = run[lane]->relation[1][0];
        relation_parameters_1[1][lane] = run[lane]->relation[1][1];
        relation_parameters_1[2][lane] = run[lane]->relation[1][2];
        relation_parameters_1[3][lane] = run[lane]->relation[1][3];
        multiplier_2[0][lane] = run[lane]->record[39];
        relation_parameters_2[0][lane] = run[lane]->relation[2][0];
        relation_parameters_2[1][lane] = run[lane]->relation[2][1];
        relation_parameters_2[2][lane] = run[lane]->relation[2][2];
        relation_parameters_2[3][lane] = run[lane]->relation[2][3];
        multiplier_3[0][lane] = run[lane]->record[40];
        relation_parameters_3[0][lane] = run[lane]->relation[3][0];
        relation_parameters_3[1][lane] = run[lane]->relation[3][1];
        relation_parameters_3[2][lane] = run[lane]->relation[3][2];
        relation_parameters_3[3][lane] = run[lane]->relation[3][3];
        multiplier_4[0][lane] = run[lane]->record[41];
        relation_parameters_4[0][lane] = run[lane]->relation[4][0];
        relation_parameters_4[1][lane] = run[lane]->relation[4][1];
        relation_parameters_4[2][lane] = run[lane]->relation[4][2];
        relation_parameters_4[3][lane] = run[lane]->relation[4][3];
        multiplier_5[0][lane] = run[lane]->record[42];
        relation_parameters_5[0][lane] = run[lane]->relation[5][0];
        relation_parameters_5[1][lane] = run[lane]->relation[5][1];
        relation_parameters_5[2][lane] = run[lane]->relation[5][2];
        relation_parameters_5[3][lane] = run[lane]->relation[5][3];
        multiplier_6[0][lane] = run[lane]->record[43];
        relation_parameters_6[0][lane] = run[lane]->relation[6][0];
        relation_parameters_6[1][lane] = run[lane]->relation[6][1];
        relation_parameters_6[2][lane] = run[lane]->relation[6][2];
        relation_parameters_6[3][lane] = run[lane]->relation[6][3];
        multiplier_7[0][lane] = run[lane]->record[44];
        relation_parameters_7[0][lane] = run[lane]->relation[7][0];
        relation_parameters_7[1][lane] = run[lane]->relation[7][1];
        relation_parameters_7[2][lane] = run[lane]->relation[7][2];
        relation_parameters_7[3][lane] = run[lane]->relation[7][3];
        mode_0_0[lane] = run[lane]->stage[0].mode[0][0];
        mode_1_0[lane] = run[lane]->stage[0].mode[1][0];
        mode_2_0[lane] = run[lane]->stage[0].mode[2][0];
        mode_3_0[lane] = run[lane]->stage[0].mode[3][0];
        mode_4_0[lane] = run[lane]->stage[0].mode[4][0];
        mode_5_0[lane] = run[lane]->stage[0].mode[5][0];
        mode_6_0[lane] = run[lane]->stage[0].mode[6][0];
        mode_7_0[lane] = run[lane]->stage[0].mode[7][0];
        tolerance_0[lane] = run[lane]->stage[0].tolerance;
        if (run[lane]->stage[0].max_iterations < most_0)
            most_0 = run[lane]->stage[0].max_iterations;
    }
    kept_mode_0_0 = mode_0_0;
    kept_mode_1_0 = mode_1_0;
    kept_mode_2_0 = mode_2_0;
    kept_mode_3_0 = mode_3_0;
    kept_mode_4_0 = mode_4_0;
    kept_mode_5_0 = mode_5_0;
    kept_mode_6_0 = mode_6_0;
    kept_mode_7_0 = mode_7_0;
    /* what changes with the run only */
    if (!tumbling_brick_lanes_of_run(run, kept))
        return 0;
    frozen_step_0[0] = kept[0];
    frozen_step_0[1] = kept[1];
    frozen_step_0[2] = kept[2];
    frozen_step_0[3] = kept[3];
    while (made < count) {
        clock[0] = begin + (double)(number + made) * h;
        clock[1] = begin + (double)(number + made + 1) * h;
        newton = nsd_all(0.0);
        /* what is frozen, w_0 */
        brick_system0_freeze_start_lanes(every, freeze_start_system_0_in, freeze_start_system_0_out);
        brick_system0_start_lanes(every, start_system_0_in, start_system_0_out);
        /* the multipliers to start from, and which relations are in play */
        brick_ground_0_relation1_activation_lanes(every, activation_relation_0_in, activation_relation_0_out);
        mode_0_0 = mode_written_0[0];
        play_0 = mode_0_0 > 0.0;
        z[0] = nsd_pick_lanes(play_0, multiplier_0[0], nsd_all(0.0));
        multiplier_0[0] = z[0];
        brick_ground_0_relation1_activation_lanes(every, activation_relation_1_in, activation_relation_1_out);
        mode_1_0 = mode_written_1[0];
        play_1 = mode_1_0 > 0.0;
        z[1] = nsd_pick_lanes(play_1, multiplier_1[0], nsd_all(0.0));
        multiplier_1[0] = z[1];
        brick_ground_0_relation1_activation_lanes(every, activation_relation_2_in, activation_relation_2_out);
        mode_2_0 = mode_written_2[0];
        play_2 = mode_2_0 > 0.0;
        z[2] = nsd_pick_lanes(play_2, multiplier_2[0], nsd_all(0.0));
        multiplier_2[0] = z[2];
        brick_ground_0_relation1_activation_lanes(every, activation_relation_3_in, activation_relation_3_out);
        mode_3_0 = mode_written_3[0];
        play_3 = mode_3_0 > 0.0;
        z[3] = nsd_pick_lanes(play_3, multiplier_3[0], nsd_all(0.0));
        multiplier_3[0] = z[3];
        brick_ground_0_relation1_activation_lanes(every, activation_relation_4_in, activation_relation_4_out);
        mode_4_0 = mode_written_4[0];
        play_4 = mode_4_0 > 0.0;
        z[4] = nsd_pick_lanes(play_4, multiplier_4[0], nsd_all(0.0));
        multiplier_4[0] = z[4];
        brick_ground_0_relation1_activation_lanes(every, activation_relation_5_in, activation_relation_5_out);
        mode_5_0 = mode_written_5[0];
        play_5 = mode_5_0 > 0.0;
        z[5] = nsd_pick_lanes(play_5, multiplier_5[0], nsd_all(0.0));
        multiplier_5[0] = z[5];
        brick_ground_0_relation1_activation_lanes(every, activation_relation_6_in, activation_relation_6_out);
        mode_6_0 = mode_written_6[0];
        play_6 = mode_6_0 > 0.0;
        z[6] = nsd_pick_lanes(play_6, multiplier_6[0], nsd_all(0.0));
        multiplier_6[0] = z[6];
        brick_ground_0_relation1_activation_lanes(every, activation_relation_7_in, activation_relation_7_out);
        mode_7_0 = mode_written_7[0];
        play_7 = mode_7_0 > 0.0;
        z[7] = nsd_pick_lanes(play_7, multiplier_7[0], nsd_all(0.0));
        multiplier_7[0] = z[7];
        runs = every;
        going = runs;
        for (iteration = 0; nsd_any(going); ++iteration) {
            if (iteration == most_0)
                goto unusual;
            /* R - rho, y, and their derivatives where they have changed */
            brick_system0_linearize_lanes(going, linearize_system_0_in, linearize_system_0_out);
            if (nsd_any(going & play_0)) {
                brick_ground_0_relation1_linearize_lanes(going & play_0, linearize_relation_0_in, linearize_relation_0_out);
                output_x_0_0[2] = output_x_0_0_written[0];
                output_x_0_0[3] = output_x_0_0_written[1];
                output_x_0_0[4] = output_x_0_0_written[2];
                output_x_0_0[5] = output_x_0_0_written[3];
                reaction_lambda_0_0[2] = reaction_lambda_0_0_written[0];
                reaction_lambda_0_0[3] = reaction_lambda_0_0_written[1];
                reaction_lambda_0_0[4] = reaction_lambda_0_0_written[2];
                reaction_lambda_0_0[5] = reaction_lambda_0_0_written[3];
                move_0[0] = nsd_pick_lanes(play_0, move_0[0] - reaction_0_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_0, move_0[1] - reaction_0_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_0, move_0[2] - reaction_0_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_0, move_0[3] - reaction_0_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_0, move_0[4] - reaction_0_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_0, move_0[5] - reaction_0_0[5], move_0[5]);
            }
            if (nsd_any(going & play_1)) {
                brick_ground_0_relation1_linearize_lanes(going & play_1, linearize_relation_1_in, linearize_relation_1_out);
                output_x_1_0[2] = output_x_1_0_written[0];
                output_x_1_0[3] = output_x_1_0_written[1];
                output_x_1_0[4] = output_x_1_0_written[2];
                output_x_1_0[5] = output_x_1_0_written[3];
                reaction_lambda_1_0[2] = reaction_lambda_1_0_written[0];
                reaction_lambda_1_0[3] = reaction_lambda_1_0_written[1];
                reaction_lambda_1_0[4] = reaction_lambda_1_0_written[2];
                reaction_lambda_1_0[5] = reaction_lambda_1_0_written[3];
                move_0[0] = nsd_pick_lanes(play_1, move_0[0] - reaction_1_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_1, move_0[1] - reaction_1_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_1, move_0[2] - reaction_1_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_1, move_0[3] - reaction_1_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_1, move_0[4] - reaction_1_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_1, move_0[5] - reaction_1_0[5], move_0[5]);
            }
            if (nsd_any(going & play_2)) {
                brick_ground_0_relation1_linearize_lanes(going & play_2, linearize_relation_2_in, linearize_relation_2_out);
                output_x_2_0[2] = output_x_2_0_written[0];
                output_x_2_0[3] = output_x_2_0_written[1];
                output_x_2_0[4] = output_x_2_0_written[2];
                output_x_2_0[5] = output_x_2_0_written[3];
                reaction_lambda_2_0[2] = reaction_lambda_2_0_written[0];
                reaction_lambda_2_0[3] = reaction_lambda_2_0_written[1];
                reaction_lambda_2_0[4] = reaction_lambda_2_0_written[2];
                reaction_lambda_2_0[5] = reaction_lambda_2_0_written[3];
                move_0[0] = nsd_pick_lanes(play_2, move_0[0] - reaction_2_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_2, move_0[1] - reaction_2_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_2, move_0[2] - reaction_2_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_2, move_0[3] - reaction_2_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_2, move_0[4] - reaction_2_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_2, move_0[5] - reaction_2_0[5], move_0[5]);
            }
            if (nsd_any(going & play_3)) {
                brick_ground_0_relation1_linearize_lanes(going & play_3, linearize_relation_3_in, linearize_relation_3_out);
                output_x_3_0[2] = output_x_3_0_written[0];
                output_x_3_0[3] = output_x_3_0_written[1];
                output_x_3_0[4] = output_x_3_0_written[2];
                output_x_3_0[5] = output_x_3_0_written[3];
                reaction_lambda_3_0[2] = reaction_lambda_3_0_written[0];
                reaction_lambda_3_0[3] = reaction_lambda_3_0_written[1];
                reaction_lambda_3_0[4] = reaction_lambda_3_0_written[2];
                reaction_lambda_3_0[5] = reaction_lambda_3_0_written[3];
                move_0[0] = nsd_pick_lanes(play_3, move_0[0] - reaction_3_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_3, move_0[1] - reaction_3_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_3, move_0[2] - reaction_3_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_3, move_0[3] - reaction_3_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_3, move_0[4] - reaction_3_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_3, move_0[5] - reaction_3_0[5], move_0[5]);
            }
            if (nsd_any(going & play_4)) {
                brick_ground_0_relation1_linearize_lanes(going & play_4, linearize_relation_4_in, linearize_relation_4_out);
                output_x_4_0[2] = output_x_4_0_written[0];
                output_x_4_0[3] = output_x_4_0_written[1];
                output_x_4_0[4] = output_x_4_0_written[2];
                output_x_4_0[5] = output_x_4_0_written[3];
                reaction_lambda_4_0[2] = reaction_lambda_4_0_written[0];
                reaction_lambda_4_0[3] = reaction_lambda_4_0_written[1];
                reaction_lambda_4_0[4] = reaction_lambda_4_0_written[2];
                reaction_lambda_4_0[5] = reaction_lambda_4_0_written[3];
                move_0[0] = nsd_pick_lanes(play_4, move_0[0] - reaction_4_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_4, move_0[1] - reaction_4_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_4, move_0[2] - reaction_4_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_4, move_0[3] - reaction_4_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_4, move_0[4] - reaction_4_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_4, move_0[5] - reaction_4_0[5], move_0[5]);
            }
            if (nsd_any(going & play_5)) {
                brick_ground_0_relation1_linearize_lanes(going & play_5, linearize_relation_5_in, linearize_relation_5_out);
                output_x_5_0[2] = output_x_5_0_written[0];
                output_x_5_0[3] = output_x_5_0_written[1];
                output_x_5_0[4] = output_x_5_0_written[2];
                output_x_5_0[5] = output_x_5_0_written[3];
                reaction_lambda_5_0[2] = reaction_lambda_5_0_written[0];
                reaction_lambda_5_0[3] = reaction_lambda_5_0_written[1];
                reaction_lambda_5_0[4] = reaction_lambda_5_0_written[2];
                reaction_lambda_5_0[5] = reaction_lambda_5_0_written[3];
                move_0[0] = nsd_pick_lanes(play_5, move_0[0] - reaction_5_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_5, move_0[1] - reaction_5_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_5, move_0[2] - reaction_5_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_5, move_0[3] - reaction_5_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_5, move_0[4] - reaction_5_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_5, move_0[5] - reaction_5_0[5], move_0[5]);
            }
            if (nsd_any(going & play_6)) {
                brick_ground_0_relation1_linearize_lanes(going & play_6, linearize_relation_6_in, linearize_relation_6_out);
                output_x_6_0[2] = output_x_6_0_written[0];
                output_x_6_0[3] = output_x_6_0_written[1];
                output_x_6_0[4] = output_x_6_0_written[2];
                output_x_6_0[5] = output_x_6_0_written[3];
                reaction_lambda_6_0[2] = reaction_lambda_6_0_written[0];
                reaction_lambda_6_0[3] = reaction_lambda_6_0_written[1];
                reaction_lambda_6_0[4] = reaction_lambda_6_0_written[2];
                reaction_lambda_6_0[5] = reaction_lambda_6_0_written[3];
                move_0[0] = nsd_pick_lanes(play_6, move_0[0] - reaction_6_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_6, move_0[1] - reaction_6_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_6, move_0[2] - reaction_6_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_6, move_0[3] - reaction_6_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_6, move_0[4] - reaction_6_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_6, move_0[5] - reaction_6_0[5], move_0[5]);
            }
            if (nsd_any(going & play_7)) {
                brick_ground_0_relation1_linearize_lanes(going & play_7, linearize_relation_7_in, linearize_relation_7_out);
                output_x_7_0[2] = output_x_7_0_written[0];
                output_x_7_0[3] = output_x_7_0_written[1];
                output_x_7_0[4] = output_x_7_0_written[2];
                output_x_7_0[5] = output_x_7_0_written[3];
                reaction_lambda_7_0[2] = reaction_lambda_7_0_written[0];
                reaction_lambda_7_0[3] = reaction_lambda_7_0_written[1];
                reaction_lambda_7_0[4] = reaction_lambda_7_0_written[2];
                reaction_lambda_7_0[5] = reaction_lambda_7_0_written[3];
                move_0[0] = nsd_pick_lanes(play_7, move_0[0] - reaction_7_0[0], move_0[0]);
                move_0[1] = nsd_pick_lanes(play_7, move_0[1] - reaction_7_0[1], move_0[1]);
                move_0[2] = nsd_pick_lanes(play_7, move_0[2] - reaction_7_0[2], move_0[2]);
                move_0[3] = nsd_pick_lanes(play_7, move_0[3] - reaction_7_0[3], move_0[3]);
                move_0[4] = nsd_pick_lanes(play_7, move_0[4] - reaction_7_0[4], move_0[4]);
                move_0[5] = nsd_pick_lanes(play_7, move_0[5] - reaction_7_0[5], move_0[5]);
            }
            /* w = w - W^-1 (R - rho) where nothing else acts */
            {
                memset(factors_0, 0, sizeof factors_0);
                factors_0[0] = matrix_0[0];
                factors_0[7] = matrix_0[1];
                factors_0[14] = matrix_0[2];
                factors_0[21] = matrix_0[3];
                factors_0[22] = matrix_0[4];
                factors_0[23] = matrix_0[5];
                factors_0[27] = matrix_0[6];
                factors_0[28] = matrix_0[7];
                factors_0[29] = matrix_0[8];
                factors_0[33] = matrix_0[9];
                factors_0[34] = matrix_0[10];
                factors_0[35] = matrix_0[11];
                if (nsd_any(going & ~nsd_lanes_factor(6, nsd_all(6), factors_0, pivot_0)))
                    goto unusual;
            }
            nsd_lanes_solve(6, factors_0, pivot_0, move_0);
            /* the one-step problem: y = A lambda + b */
            {
                memcpy(solved_0_0, reaction_lambda_0_0, sizeof solved_0_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_0_0, 1);
            }
            {
                memcpy(solved_1_0, reaction_lambda_1_0, sizeof solved_1_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_1_0, 1);
            }
            {
                memcpy(solved_2_0, reaction_lambda_2_0, sizeof solved_2_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_2_0, 1);
            }
            {
                memcpy(solved_3_0, reaction_lambda_3_0, sizeof solved_3_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_3_0, 1);
            }
            {
                memcpy(solved_4_0, reaction_lambda_4_0, sizeof solved_4_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_4_0, 1);
            }
            {
                memcpy(solved_5_0, reaction_lambda_5_0, sizeof solved_5_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_5_0, 1);
            }
            {
                memcpy(solved_6_0, reaction_lambda_6_0, sizeof solved_6_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_6_0, 1);
            }
            {
                memcpy(solved_7_0, reaction_lambda_7_0, sizeof solved_7_0);
                nsd_lanes_solve_columns(6, factors_0, pivot_0, solved_7_0, 1);
            }
            {
                memset(A, 0, sizeof A);
                A[0] = output_lambda_0[0];
                A[9] = output_lambda_1[0];
                A[18] = output_lambda_2[0];
                A[27] = output_lambda_3[0];
                A[36] = output_lambda_4[0];
                A[45] = output_lambda_5[0];
                A[54] = output_lambda_6[0];
                A[63] = output_lambda_7[0];
                nsd_lanes_add_product(A + 0, 8, output_x_0_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 8, 8, output_x_1_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 16, 8, output_x_2_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 24, 8, output_x_3_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 32, 8, output_x_4_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 40, 8, output_x_5_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 48, 8, output_x_6_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 56, 8, output_x_7_0, 1, 6, solved_0_0, 1);
                nsd_lanes_add_product(A + 1, 8, output_x_0_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 9, 8, output_x_1_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 17, 8, output_x_2_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 25, 8, output_x_3_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 33, 8, output_x_4_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 41, 8, output_x_5_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 49, 8, output_x_6_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 57, 8, output_x_7_0, 1, 6, solved_1_0, 1);
                nsd_lanes_add_product(A + 2, 8, output_x_0_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 10, 8, output_x_1_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 18, 8, output_x_2_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 26, 8, output_x_3_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 34, 8, output_x_4_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 42, 8, output_x_5_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 50, 8, output_x_6_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 58, 8, output_x_7_0, 1, 6, solved_2_0, 1);
                nsd_lanes_add_product(A + 3, 8, output_x_0_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 11, 8, output_x_1_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 19, 8, output_x_2_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 27, 8, output_x_3_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 35, 8, output_x_4_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 43, 8, output_x_5_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 51, 8, output_x_6_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 59, 8, output_x_7_0, 1, 6, solved_3_0, 1);
                nsd_lanes_add_product(A + 4, 8, output_x_0_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 12, 8, output_x_1_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 20, 8, output_x_2_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 28, 8, output_x_3_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 36, 8, output_x_4_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 44, 8, output_x_5_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 52, 8, output_x_6_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 60, 8, output_x_7_0, 1, 6, solved_4_0, 1);
                nsd_lanes_add_product(A + 5, 8, output_x_0_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 13, 8, output_x_1_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 21, 8, output_x_2_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 29, 8, output_x_3_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 37, 8, output_x_4_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 45, 8, output_x_5_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 53, 8, output_x_6_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 61, 8, output_x_7_0, 1, 6, solved_5_0, 1);
                nsd_lanes_add_product(A + 6, 8, output_x_0_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 14, 8, output_x_1_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 22, 8, output_x_2_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 30, 8, output_x_3_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 38, 8, output_x_4_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 46, 8, output_x_5_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 54, 8, output_x_6_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 62, 8, output_x_7_0, 1, 6, solved_6_0, 1);
                nsd_lanes_add_product(A + 7, 8, output_x_0_0, 1, 6, solved_7_0, 1);
                nsd_lanes_add_product(A + 15, 8, output_x_1_0, 1, 6, solved_7_0, 1);
                nsd_lanes_add_product(A + 23, 8, output_x_2_0, 1, 6, solved_7_0, 1);
                nsd_lanes_add_product(A + 31, 8, output_x_3_0, 1, 6, solved_7_0, 1);
                nsd_lanes_add_product(A + 39, 8, output_x_4_0, 1, 6, solved_7_0, 1);
                nsd_lanes_add_product(A + 47, 8, output_x_5_0, 1, 6, solved_7_0, 1);
                nsd_lanes_add_product(A + 55, 8, output_x_6_0, 1, 6, solved_7_0, 1);
                nsd_lanes_add_product(A + 63, 8, output_x_7_0, 1, 6, solved_7_0, 1);
                remembered.factored = (nsd_mask){0};
            }
            b[0] = output_0[0];
            b[0] -= output_x_0_0[0] * move_0[0];
            b[0] -= output_x_0_0[1] * move_0[1];
            b[0] -= output_x_0_0[2] * move_0[2];
            b[0] -= output_x_0_0[3] * move_0[3];
            b[0] -= output_x_0_0[4] * move_0[4];
            b[0] -= output_x_0_0[5] * move_0[5];
            b[1] = output_1[0];
            b[1] -= output_x_1_0[0] * move_0[0];
            b[1] -= output_x_1_0[1] * move_0[1];
            b[1] -= output_x_1_0[2] * move_0[2];
            b[1] -= output_x_1_0[3] * move_0[3];
            b[1] -= output_x_1_0[4] * move_0[4];
            b[1] -= output_x_1_0[5] * move_0[5];
            b[2] = output_2[0];
            b[2] -= output_x_2_0[0] * move_0[0];
            b[2] -= output_x_2_0[1] * move_0[1];
            b[2] -= output_x_2_0[2] * move_0[2];
            b[2] -= output_x_2_0[3] * move_0[3];
            b[2] -= output_x_2_0[4] * move_0[4];
            b[2] -= output_x_2_0[5] * move_0[5];
            b[3] = output_3[0];
            b[3] -= output_x_3_0[0] * move_0[0];
            b[3] -= output_x_3_0[1] * move_0[1];
            b[3] -= output_x_3_0[2] * move_0[2];
            b[3] -= output_x_3_0[3] * move_0[3];
            b[3] -= output_x_3_0[4] * move_0[4];
            b[3] -= output_x_3_0[5] * move_0[5];
            b[4] = output_4[0];
            b[4] -= output_x_4_0[0] * move_0[0];
            b[4] -= output_x_4_0[1] * move_0[1];
            b[4] -= output_x_4_0[2] * move_0[2];
            b[4] -= output_x_4_0[3] * move_0[3];
            b[4] -= output_x_4_0[4] * move_0[4];
            b[4] -= output_x_4_0[5] * move_0[5];
            b[5] = output_5[0];
            b[5] -= output_x_5_0[0] * move_0[0];
            b[5] -= output_x_5_0[1] * move_0[1];
            b[5] -= output_x_5_0[2] * move_0[2];
            b[5] -= output_x_5_0[3] * move_0[3];
            b[5] -= output_x_5_0[4] * move_0[4];
            b[5] -= output_x_5_0[5] * move_0[5];
            b[6] = output_6[0];
            b[6] -= output_x_6_0[0] * move_0[0];
            b[6] -= output_x_6_0[1] * move_0[1];
            b[6] -= output_x_6_0[2] * move_0[2];
            b[6] -= output_x_6_0[3] * move_0[3];
            b[6] -= output_x_6_0[4] * move_0[4];
            b[6] -= output_x_6_0[5] * move_0[5];
            b[7] = output_7[0];
            b[7] -= output_x_7_0[0] * move_0[0];
            b[7] -= output_x_7_0[1] * move_0[1];
            b[7] -= output_x_7_0[2] * move_0[2];
            b[7] -= output_x_7_0[3] * move_0[3];
            b[7] -= output_x_7_0[4] * move_0[4];
            b[7] -= output_x_7_0[5] * move_0[5];
            nsd_lanes_subtract_columns(8, A, z, b);
            in_play[0] = going & play_0;
            in_play[1] = going & play_1;
            in_play[2] = going & play_2;
            in_play[3] = going & play_3;
            in_play[4] = going & play_4;
            in_play[5] = going & play_5;
            in_play[6] = going & play_6;
            in_play[7] = going & play_7;
            if (nsd_any(nsd_lanes_active_set(going, 8, A, b, cone, in_play, 1, z, &remembered)))
                goto unusual;
            /* what the multipliers move */
            change = nsd_pick_lanes(going & play_0, z[0] - multiplier_0[0], nsd_all(0.0));
            multiplier_0[0] = nsd_pick_lanes(going & play_0, z[0], multiplier_0[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_0_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_0_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_0_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_0_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_0_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_0_0[5] * change, move_0[5]);
            change = nsd_pick_lanes(going & play_1, z[1] - multiplier_1[0], nsd_all(0.0));
            multiplier_1[0] = nsd_pick_lanes(going & play_1, z[1], multiplier_1[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_1_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_1_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_1_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_1_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_1_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_1_0[5] * change, move_0[5]);
            change = nsd_pick_lanes(going & play_2, z[2] - multiplier_2[0], nsd_all(0.0));
            multiplier_2[0] = nsd_pick_lanes(going & play_2, z[2], multiplier_2[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_2_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_2_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_2_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_2_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_2_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_2_0[5] * change, move_0[5]);
            change = nsd_pick_lanes(going & play_3, z[3] - multiplier_3[0], nsd_all(0.0));
            multiplier_3[0] = nsd_pick_lanes(going & play_3, z[3], multiplier_3[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_3_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_3_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_3_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_3_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_3_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_3_0[5] * change, move_0[5]);
            change = nsd_pick_lanes(going & play_4, z[4] - multiplier_4[0], nsd_all(0.0));
            multiplier_4[0] = nsd_pick_lanes(going & play_4, z[4], multiplier_4[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_4_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_4_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_4_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_4_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_4_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_4_0[5] * change, move_0[5]);
            change = nsd_pick_lanes(going & play_5, z[5] - multiplier_5[0], nsd_all(0.0));
            multiplier_5[0] = nsd_pick_lanes(going & play_5, z[5], multiplier_5[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_5_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_5_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_5_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_5_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_5_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_5_0[5] * change, move_0[5]);
            change = nsd_pick_lanes(going & play_6, z[6] - multiplier_6[0], nsd_all(0.0));
            multiplier_6[0] = nsd_pick_lanes(going & play_6, z[6], multiplier_6[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_6_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_6_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_6_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_6_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_6_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_6_0[5] * change, move_0[5]);
            change = nsd_pick_lanes(going & play_7, z[7] - multiplier_7[0], nsd_all(0.0));
            multiplier_7[0] = nsd_pick_lanes(going & play_7, z[7], multiplier_7[0]);
            move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_7_0[0] * change, move_0[0]);
            move_0[1] = nsd_pick_lanes(change != 0.0, move_0[1] - solved_7_0[1] * change, move_0[1]);
            move_0[2] = nsd_pick_lanes(change != 0.0, move_0[2] - solved_7_0[2] * change, move_0[2]);
            move_0[3] = nsd_pick_lanes(change != 0.0, move_0[3] - solved_7_0[3] * change, move_0[3]);
            move_0[4] = nsd_pick_lanes(change != 0.0, move_0[4] - solved_7_0[4] * change, move_0[4]);
            move_0[5] = nsd_pick_lanes(change != 0.0, move_0[5] - solved_7_0[5] * change, move_0[5]);
            unknown_0[0] = nsd_pick_lanes(going, unknown_0[0] - move_0[0], unknown_0[0]);
            unknown_0[1] = nsd_pick_lanes(going, unknown_0[1] - move_0[1], unknown_0[1]);
            unknown_0[2] = nsd_pick_lanes(going, unknown_0[2] - move_0[2], unknown_0[2]);
            unknown_0[3] = nsd_pick_lanes(going, unknown_0[3] - move_0[3], unknown_0[3]);
            unknown_0[4] = nsd_pick_lanes(going, unknown_0[4] - move_0[4], unknown_0[4]);
            unknown_0[5] = nsd_pick_lanes(going, unknown_0[5] - move_0[5], unknown_0[5]);
            if (nsd_any(going & ~(nsd_lanes_finite(6, unknown_0))))
                goto unusual;
            /* R - rho and y at this iterate, beside their terms */
            brick_system0_freeze_iteration_lanes(going, freeze_iteration_system_0_in, freeze_iteration_system_0_out);
            frozen_0[0] = nsd_pick_lanes(going, frozen_next_0[0], frozen_0[0]);
            frozen_0[1] = nsd_pick_lanes(going, frozen_next_0[1], frozen_0[1]);
            frozen_0[2] = nsd_pick_lanes(going, frozen_next_0[2], frozen_0[2]);
            frozen_0[3] = nsd_pick_lanes(going, frozen_next_0[3], frozen_0[3]);
            frozen_0[4] = nsd_pick_lanes(going, frozen_next_0[4], frozen_0[4]);
            frozen_0[5] = nsd_pick_lanes(going, frozen_next_0[5], frozen_0[5]);
            frozen_0[6] = nsd_pick_lanes(going, frozen_next_0[6], frozen_0[6]);
            brick_system0_residual_lanes(going, residual_system_0_in, residual_system_0_out);
            if (nsd_any(going & play_0))
                brick_ground_0_relation1_evaluate_lanes(going & play_0, evaluate_relation_0_in, evaluate_relation_0_out);
            if (nsd_any(going & play_1))
                brick_ground_0_relation1_evaluate_lanes(going & play_1, evaluate_relation_1_in, evaluate_relation_1_out);
            if (nsd_any(going & play_2))
                brick_ground_0_relation1_evaluate_lanes(going & play_2, evaluate_relation_2_in, evaluate_relation_2_out);
            if (nsd_any(going & play_3))
                brick_ground_0_relation1_evaluate_lanes(going & play_3, evaluate_relation_3_in, evaluate_relation_3_out);
            if (nsd_any(going & play_4))
                brick_ground_0_relation1_evaluate_lanes(going & play_4, evaluate_relation_4_in, evaluate_relation_4_out);
            if (nsd_any(going & play_5))
                brick_ground_0_relation1_evaluate_lanes(going & play_5, evaluate_relation_5_in, evaluate_relation_5_out);
            if (nsd_any(going & play_6))
                brick_ground_0_relation1_evaluate_lanes(going & play_6, evaluate_relation_6_in, evaluate_relation_6_out);
            if (nsd_any(going & play_7))
                brick_ground_0_relation1_evaluate_lanes(going & play_7, evaluate_relation_7_in, evaluate_relation_7_out);
            move_0[0] = nsd_pick_lanes(play_0, move_0[0] - reaction_0_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_0, reaction_terms_0_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_0, move_0[1] - reaction_0_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_0, reaction_terms_0_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_0, move_0[2] - reaction_0_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_0, reaction_terms_0_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_0, move_0[3] - reaction_0_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_0, reaction_terms_0_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_0, move_0[4] - reaction_0_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_0, reaction_terms_0_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_0, move_0[5] - reaction_0_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_0, reaction_terms_0_0[5], nsd_all(0.0));
            move_0[0] = nsd_pick_lanes(play_1, move_0[0] - reaction_1_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_1, reaction_terms_1_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_1, move_0[1] - reaction_1_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_1, reaction_terms_1_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_1, move_0[2] - reaction_1_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_1, reaction_terms_1_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_1, move_0[3] - reaction_1_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_1, reaction_terms_1_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_1, move_0[4] - reaction_1_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_1, reaction_terms_1_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_1, move_0[5] - reaction_1_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_1, reaction_terms_1_0[5], nsd_all(0.0));
            move_0[0] = nsd_pick_lanes(play_2, move_0[0] - reaction_2_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_2, reaction_terms_2_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_2, move_0[1] - reaction_2_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_2, reaction_terms_2_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_2, move_0[2] - reaction_2_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_2, reaction_terms_2_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_2, move_0[3] - reaction_2_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_2, reaction_terms_2_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_2, move_0[4] - reaction_2_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_2, reaction_terms_2_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_2, move_0[5] - reaction_2_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_2, reaction_terms_2_0[5], nsd_all(0.0));
            move_0[0] = nsd_pick_lanes(play_3, move_0[0] - reaction_3_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_3, reaction_terms_3_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_3, move_0[1] - reaction_3_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_3, reaction_terms_3_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_3, move_0[2] - reaction_3_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_3, reaction_terms_3_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_3, move_0[3] - reaction_3_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_3, reaction_terms_3_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_3, move_0[4] - reaction_3_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_3, reaction_terms_3_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_3, move_0[5] - reaction_3_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_3, reaction_terms_3_0[5], nsd_all(0.0));
            move_0[0] = nsd_pick_lanes(play_4, move_0[0] - reaction_4_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_4, reaction_terms_4_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_4, move_0[1] - reaction_4_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_4, reaction_terms_4_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_4, move_0[2] - reaction_4_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_4, reaction_terms_4_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_4, move_0[3] - reaction_4_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_4, reaction_terms_4_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_4, move_0[4] - reaction_4_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_4, reaction_terms_4_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_4, move_0[5] - reaction_4_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_4, reaction_terms_4_0[5], nsd_all(0.0));
            move_0[0] = nsd_pick_lanes(play_5, move_0[0] - reaction_5_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_5, reaction_terms_5_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_5, move_0[1] - reaction_5_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_5, reaction_terms_5_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_5, move_0[2] - reaction_5_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_5, reaction_terms_5_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_5, move_0[3] - reaction_5_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_5, reaction_terms_5_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_5, move_0[4] - reaction_5_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_5, reaction_terms_5_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_5, move_0[5] - reaction_5_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_5, reaction_terms_5_0[5], nsd_all(0.0));
            move_0[0] = nsd_pick_lanes(play_6, move_0[0] - reaction_6_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_6, reaction_terms_6_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_6, move_0[1] - reaction_6_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_6, reaction_terms_6_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_6, move_0[2] - reaction_6_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_6, reaction_terms_6_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_6, move_0[3] - reaction_6_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_6, reaction_terms_6_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_6, move_0[4] - reaction_6_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_6, reaction_terms_6_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_6, move_0[5] - reaction_6_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_6, reaction_terms_6_0[5], nsd_all(0.0));
            move_0[0] = nsd_pick_lanes(play_7, move_0[0] - reaction_7_0[0], move_0[0]);
            scale_0[0] += nsd_pick_lanes(play_7, reaction_terms_7_0[0], nsd_all(0.0));
            move_0[1] = nsd_pick_lanes(play_7, move_0[1] - reaction_7_0[1], move_0[1]);
            scale_0[1] += nsd_pick_lanes(play_7, reaction_terms_7_0[1], nsd_all(0.0));
            move_0[2] = nsd_pick_lanes(play_7, move_0[2] - reaction_7_0[2], move_0[2]);
            scale_0[2] += nsd_pick_lanes(play_7, reaction_terms_7_0[2], nsd_all(0.0));
            move_0[3] = nsd_pick_lanes(play_7, move_0[3] - reaction_7_0[3], move_0[3]);
            scale_0[3] += nsd_pick_lanes(play_7, reaction_terms_7_0[3], nsd_all(0.0));
            move_0[4] = nsd_pick_lanes(play_7, move_0[4] - reaction_7_0[4], move_0[4]);
            scale_0[4] += nsd_pick_lanes(play_7, reaction_terms_7_0[4], nsd_all(0.0));
            move_0[5] = nsd_pick_lanes(play_7, move_0[5] - reaction_7_0[5], move_0[5]);
            scale_0[5] += nsd_pick_lanes(play_7, reaction_terms_7_0[5], nsd_all(0.0));
            measure = nsd_all(0.0);
            least = nsd_all(0.0);
            least = nsd_lanes_largest(6, scale_0, least);
            least = nsd_lanes_nothing(least);
            measure = nsd_lanes_worse(going, measure, nsd_lanes_abs(move_0[0]), scale_0[0], least);
            measure = nsd_lanes_worse(going, measure, nsd_lanes_abs(move_0[1]), scale_0[1], least);
            measure = nsd_lanes_worse(going, measure, nsd_lanes_abs(move_0[2]), scale_0[2], least);
            measure = nsd_lanes_worse(going, measure, nsd_lanes_abs(move_0[3]), scale_0[3], least);
            measure = nsd_lanes_worse(going, measure, nsd_lanes_abs(move_0[4]), scale_0[4], least);
            measure = nsd_lanes_worse(going, measure, nsd_lanes_abs(move_0[5]), scale_0[5], least);
            value = nsd_lanes_abs(matrix_0[0]);
            resolved_0[0] = nsd_pick_lanes(value > 0.0, scale_0[0] / value, nsd_all(0.0));
            value = nsd_lanes_abs(matrix_0[1]);
            resolved_0[1] = nsd_pick_lanes(value > 0.0, scale_0[1] / value, nsd_all(0.0));
            value = nsd_lanes_abs(matrix_0[2]);
            resolved_0[2] = nsd_pick_lanes(value > 0.0, scale_0[2] / value, nsd_all(0.0));
            value = nsd_lanes_abs(matrix_0[3]);
            resolved_0[3] = nsd_pick_lanes(value > 0.0, scale_0[3] / value, nsd_all(0.0));
            value = nsd_lanes_abs(matrix_0[7]);
            resolved_0[4] = nsd_pick_lanes(value > 0.0, scale_0[4] / value, nsd_all(0.0));
            value = nsd_lanes_abs(matrix_0[11]);
            resolved_0[5] = nsd_pick_lanes(value > 0.0, scale_0[5] / value, nsd_all(0.0));
            value = 1e4 * nsd_lanes_abs(matrix_0[3] * matrix_0[7]) - nsd_lanes_abs(matrix_0[4] * matrix_0[6]);
            resolved_0[3] = nsd_pick_lanes(value < 0.0, nsd_all(0.0), resolved_0[3]);
            resolved_0[4] = nsd_pick_lanes(value < 0.0, nsd_all(0.0), resolved_0[4]);
            value = 1e4 * nsd_lanes_abs(matrix_0[3] * matrix_0[11]) - nsd_lanes_abs(matrix_0[5] * matrix_0[9]);
            resolved_0[3] = nsd_pick_lanes(value < 0.0, nsd_all(0.0), resolved_0[3]);
            resolved_0[5] = nsd_pick_lanes(value < 0.0, nsd_all(0.0), resolved_0[5]);
            value = 1e4 * nsd_lanes_abs(matrix_0[7] * matrix_0[11]) - nsd_lanes_abs(matrix_0[8] * matrix_0[10]);
            resolved_0[4] = nsd_pick_lanes(value < 0.0, nsd_all(0.0), resolved_0[4]);
            resolved_0[5] = nsd_pick_lanes(value < 0.0, nsd_all(0.0), resolved_0[5]);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_0_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_0_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_0_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_0_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_0_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_0_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_0[0], value);
            value = nsd_lanes_natural(1, NULL, A[0], multiplier_0[0], output_0[0], size);
            measure = nsd_lanes_worse(going & play_0, measure, value, size[0], least);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_1_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_1_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_1_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_1_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_1_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_1_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_1[0], value);
            value = nsd_lanes_natural(1, NULL, A[9], multiplier_1[0], output_1[0], size);
            measure = nsd_lanes_worse(going & play_1, measure, value, size[0], least);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_2_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_2_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_2_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_2_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_2_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_2_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_2[0], value);
            value = nsd_lanes_natural(1, NULL, A[18], multiplier_2[0], output_2[0], size);
            measure = nsd_lanes_worse(going & play_2, measure, value, size[0], least);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_3_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_3_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_3_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_3_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_3_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_3_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_3[0], value);
            value = nsd_lanes_natural(1, NULL, A[27], multiplier_3[0], output_3[0], size);
            measure = nsd_lanes_worse(going & play_3, measure, value, size[0], least);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_4_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_4_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_4_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_4_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_4_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_4_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_4[0], value);
            value = nsd_lanes_natural(1, NULL, A[36], multiplier_4[0], output_4[0], size);
            measure = nsd_lanes_worse(going & play_4, measure, value, size[0], least);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_5_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_5_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_5_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_5_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_5_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_5_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_5[0], value);
            value = nsd_lanes_natural(1, NULL, A[45], multiplier_5[0], output_5[0], size);
            measure = nsd_lanes_worse(going & play_5, measure, value, size[0], least);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_6_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_6_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_6_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_6_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_6_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_6_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_6[0], value);
            value = nsd_lanes_natural(1, NULL, A[54], multiplier_6[0], output_6[0], size);
            measure = nsd_lanes_worse(going & play_6, measure, value, size[0], least);
            value = nsd_all(0.0);
            value += nsd_lanes_abs(output_x_7_0[0]) * resolved_0[0];
            value += nsd_lanes_abs(output_x_7_0[1]) * resolved_0[1];
            value += nsd_lanes_abs(output_x_7_0[2]) * resolved_0[2];
            value += nsd_lanes_abs(output_x_7_0[3]) * resolved_0[3];
            value += nsd_lanes_abs(output_x_7_0[4]) * resolved_0[4];
            value += nsd_lanes_abs(output_x_7_0[5]) * resolved_0[5];
            size[0] = nsd_lanes_terms(terms_7[0], value);
            value = nsd_lanes_natural(1, NULL, A[63], multiplier_7[0], output_7[0], size);
            measure = nsd_lanes_worse(going & play_7, measure, value, size[0], least);
            passed = going & (measure <= tolerance_0);
            newton = nsd_pick_lanes(passed, newton + (double)(iteration + 1), newton);
            going &= ~passed;
        }
        /* advance, observe */
        brick_system0_advance_lanes(runs, advance_system_0_in, advance_system_0_out);
        state_0[0] = next_0[0];
        state_0[1] = next_0[1];
        state_0[2] = next_0[2];
        state_0[3] = next_0[3];
        state_0[4] = next_0[4];
        state_0[5] = next_0[5];
        state_0[6] = next_0[6];
        state_0[7] = next_0[7];
        state_0[8] = next_0[8];
        state_0[9] = next_0[9];
        state_0[10] = next_0[10];
        state_0[11] = next_0[11];
        state_0[12] = next_0[12];
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_0_in, observe_relation_0_out);
            memory_0[0] = memory_next_0[0];
            memory_0[1] = memory_next_0[1];
            memory_0[2] = memory_next_0[2];
        }
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_1_in, observe_relation_1_out);
            memory_1[0] = memory_next_1[0];
            memory_1[1] = memory_next_1[1];
            memory_1[2] = memory_next_1[2];
        }
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_2_in, observe_relation_2_out);
            memory_2[0] = memory_next_2[0];
            memory_2[1] = memory_next_2[1];
            memory_2[2] = memory_next_2[2];
        }
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_3_in, observe_relation_3_out);
            memory_3[0] = memory_next_3[0];
            memory_3[1] = memory_next_3[1];
            memory_3[2] = memory_next_3[2];
        }
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_4_in, observe_relation_4_out);
            memory_4[0] = memory_next_4[0];
            memory_4[1] = memory_next_4[1];
            memory_4[2] = memory_next_4[2];
        }
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_5_in, observe_relation_5_out);
            memory_5[0] = memory_next_5[0];
            memory_5[1] = memory_next_5[1];
            memory_5[2] = memory_next_5[2];
        }
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_6_in, observe_relation_6_out);
            memory_6[0] = memory_next_6[0];
            memory_6[1] = memory_next_6[1];
            memory_6[2] = memory_next_6[2];
        }
        {
            brick_ground_0_relation1_observe_lanes(runs, observe_relation_7_in, observe_relation_7_out);
            memory_7[0] = memory_next_7[0];
            memory_7[1] = memory_next_7[1];
            memory_7[2] = memory_next_7[2];
        }
        /* the records of the step */
        nsd_put_lanes(row + 0 * NSD_LANES, state_0[0]);
        nsd_put_lanes(row + 1 * NSD_LANES, state_0[1]);
        nsd_put_lanes(row + 2 * NSD_LANES, state_0[2]);
        nsd_put_lanes(row + 3 * NSD_LANES, state_0[3]);
        nsd_put_lanes(row + 4 * NSD_LANES, state_0[4]);
        nsd_put_lanes(row + 5 * NSD_LANES, state_0[5]);
        nsd_put_lanes(row + 6 * NSD_LANES, state_0[6]);
        nsd_put_lanes(row + 7 * NSD_LANES, state_0[7]);
        nsd_put_lanes(row + 8 * NSD_LANES, state_0[8]);
        nsd_put_lanes(row + 9 * NSD_LANES, state_0[9]);
        nsd_put_lanes(row + 10 * NSD_LANES, state_0[10]);
        nsd_put_lanes(row + 11 * NSD_LANES, state_0[11]);
        nsd_put_lanes(row + 12 * NSD_LANES, state_0[12]);
        nsd_put_lanes(row + 13 * NSD_LANES, memory_0[0]);
        nsd_put_lanes(row + 14 * NSD_LANES, memory_0[1]);
        nsd_put_lanes(row + 15 * NSD_LANES, memory_0[2]);
        nsd_put_lanes(row + 16 * NSD_LANES, memory_1[0]);
        nsd_put_lanes(row + 17 * NSD_LANES, memory_1[1]);
        nsd_put_lanes(row + 18 * NSD_LANES, memory_1[2]);
        nsd_put_lanes(row + 19 * NSD_LANES, memory_2[0]);
        nsd_put_lanes(row + 20 * NSD_LANES, memory_2[1]);
        nsd_put_lanes(row + 21 * NSD_LANES, memory_2[2]);
        nsd_put_lanes(row + 22 * NSD_LANES, memory_3[0]);
        nsd_put_lanes(row + 23 * NSD_LANES, memory_3[1]);
        nsd_put_lanes(row + 24 * NSD_LANES, memory_3[2]);
        nsd_put_lanes(row + 25 * NSD_LANES, memory_4[0]);
        nsd_put_lanes(row + 26 * NSD_LANES, memory_4[1]);
        nsd_put_lanes(row + 27 * NSD_LANES, memory_4[2]);
        nsd_put_lanes(row + 28 * NSD_LANES, memory_5[0]);
        nsd_put_lanes(row + 29 * NSD_LANES, memory_5[1]);
        nsd_put_lanes(row + 30 * NSD_LANES, memory_5[2]);
        nsd_put_lanes(row + 31 * NSD_LANES, memory_6[0]);
        nsd_put_lanes(row + 32 * NSD_LANES, memory_6[1]);
        nsd_put_lanes(row + 33 * NSD_LANES, memory_6[2]);
        nsd_put_lanes(row + 34 * NSD_LANES, memory_7[0]);
        nsd_put_lanes(row + 35 * NSD_LANES, memory_7[1]);
        nsd_put_lanes(row + 36 * NSD_LANES, memory_7[2]);
        nsd_put_lanes(row + 37 * NSD_LANES, multiplier_0[0]);
        nsd_put_lanes(row + 38 * NSD_LANES, multiplier_1[0]);
        nsd_put_lanes(row + 39 * NSD_LANES, multiplier_2[0]);
        nsd_put_lanes(row + 40 * NSD_LANES, multiplier_3[0]);
        nsd_put_lanes(row + 41 * NSD_LANES, multiplier_4[0]);
        nsd_put_lanes(row + 42 * NSD_LANES, multiplier_5[0]);
        nsd_put_lanes(row + 43 * NSD_LANES, multiplier_6[0]);
        nsd_put_lanes(row + 44 * NSD_LANES, multiplier_7[0]);
        nsd_put_lanes(row + 45 * NSD_LANES, newton);
        nsd_put_lanes(row + 46 * NSD_LANES, nsd_all(0.0));
        times[0] = clock[1][0];
        kept_mode_0_0 = mode_0_0;
        kept_mode_1_0 = mode_1_0;
        kept_mode_2_0 = mode_2_0;
        kept_mode_3_0 = mode_3_0;
        kept_mode_4_0 = mode_4_0;
        kept_mode_5_0 = mode_5_0;
        kept_mode_6_0 = mode_6_0;
        kept_mode_7_0 = mode_7_0;
        last = row;
        row += stride;
        times += stride ? 1 : 0;
        made += 1;
    }
unusual: /* in a lane: the general stepper makes this step */
    if (last) NSD_EACH_LANE
    {
        for (int k = 0; k < 47; ++k)
            run[lane]->record[k] = last[k * NSD_LANES + lane];
        run[lane]->stage[0].mode[0][0] = kept_mode_0_0[lane];
        run[lane]->stage[0].mode[1][0] = kept_mode_1_0[lane];
        run[lane]->stage[0].mode[2][0] = kept_mode_2_0[lane];
        run[lane]->stage[0].mode[3][0] = kept_mode_3_0[lane];
        run[lane]->stage[0].mode[4][0] = kept_mode_4_0[lane];
        run[lane]->stage[0].mode[5][0] = kept_mode_5_0[lane];
        run[lane]->stage[0].mode[6][0] = kept_mode_6_0[lane];
        run[lane]->stage[0].mode[7][0] = kept_mode_7_0[lane];
    }
    (void)measure, (void)least, (void)value, (void)change, (void)size, (void)going, (void)runs, (void)passed;
    (void)iteration;
    return made;
}
#else
#define NSD_LANES 0
#define tumbling_brick_lanes NULL
#endif
    """
    int NSD_LANES
    nsdgen_lane_steps tumbling_brick_lanes


# [tag] tumbling_brick: capsule
cdef int number
cdef nsdgen_call[25] calls = [
    brick_system0_initial, brick_system0_start, brick_system0_residual,
    brick_system0_linearize, brick_system0_advance, brick_system0_freeze_step,
    brick_system0_freeze_start, brick_system0_freeze_iteration, brick_system0_mass,
    brick_system0_force, brick_system0_force_q, brick_system0_force_v, brick_system0_twist_map,
    brick_system0_kinetic_energy, brick_system0_angular_momentum, brick_system0_rotation,
    brick_ground_0_relation1_evaluate, brick_ground_0_relation1_linearize,
    brick_ground_0_relation1_observe, brick_ground_0_relation1_activation,
    brick_ground_0_relation1_gap, brick_ground_0_relation1_gap_t,
    brick_ground_0_relation1_gap_q, brick_ground_0_relation1_gap_twist,
    tumbling_brick_model2_arguments,
]
for number in range(25):
    KERNELS[number].call = calls[number]
MODULE.steps = tumbling_brick_steps
MODULE.lanes, MODULE.lane_steps = NSD_LANES, tumbling_brick_lanes
__nsdgen__ = PyCapsule_New(<void *>&MODULE, b"nsdgen.abi", NULL)
# end of _module.pxi
