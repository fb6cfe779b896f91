# _module.pxi: the kernels of the model cam_follower as the runtime reads them: interface and table, functions of nsdgen, whole steps.
from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport fmax
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

cdef extern from *:
    r"""
#include "nsdgen_abi.h"

#include "nsdgen_math.h"

#define NSD_ROWS 1
#include "nsdgen_step.h"

/* [tag] cam_follower: table of kernels */
static const int32_t POSITIONS[] = {
    0,
};
static const nsdgen_input INPUTS[] = {
    {"state", 2, 2},
    {"unknown", 0, 1}, {"state", 2, 2}, {"time", 6, 2}, {"run", 7, 4}, {"parameters", 8, 13},
    {"unknown", 0, 1}, {"state", 2, 2}, {"run", 7, 4},
    {"parameters", 8, 13},
    {"q", 11, 1}, {"parameters", 8, 13},
    {"t", 11, 1}, {"q", 11, 1}, {"v", 11, 1}, {"parameters", 8, 13},
    {"unknown", 0, 1}, {"multiplier", 1, 1}, {"memory", 3, 3}, {"parameters", 8, 1},
    {"state", 2, 2}, {"frozen_step", 4, 1}, {"multiplier", 1, 1}, {"memory", 3, 3}, {"run", 7, 4},
    {"memory", 3, 3}, {"run", 7, 4},
    {"t", 11, 1}, {"q", 11, 1}, {"parameters", 8, 1},
};
static const nsdgen_output OUTPUTS[] = {
    {"unknown", 9, 1, 1, 1, 4},
    {"residual", 1, 1, 1, 1, 453},
    {"residual", 1, 1, 1, 1, 453, 2}, {"iteration_matrix", 2, 1, 1, 1, 384},
    {"state", 10, 2, 1, 2, 133},
    {"frozen", 14, 1, 1, 1, 256},
    {"mass", 0, 1, 1, 1, 256},
    {"force", 0, 1, 1, 1, 2304},
    {"force_q", 0, 1, 1, 1, 256},
    {"force_v", 0, 1, 1, 1, 256},
    {"kinetic_energy", 0, 1, 1, 1, 2304},
    {"potential_energy", 0, 1, 1, 1, 2304},
    {"output", 3, 1, 1, 1, 265, 2}, {"reaction", 6, 1, 1, 1, 2, 3},
    {"output", 3, 1, 1, 1, 265, 2}, {"reaction", 6, 1, 1, 1, 2, 3},
    {"output_lambda", 5, 1, 1, 0, 0, 0, POSITIONS + 0}, {"output_x", 4, 1, 1, 1}, {"reaction_lambda", 8, 1, 1, 1},
    {"memory", 11, 3, 1, 3, 158},
    {"mode", 13, 1, 1, 1, 136},
    {"gap", 0, 1, 1, 1, 2048},
    {"gap_t", 0, 1, 1, 1},
    {"gap_q", 0, 1, 1, 1},
    {"gap_twist", 0, 1, 1, 1},
};
static nsdgen_kernel KERNELS[] = {
    {"start", 4, 0, 1, 1, INPUTS + 0, OUTPUTS + 0},
    {"residual", 1, 0, 5, 1, INPUTS + 1, OUTPUTS + 1},
    {"linearize", 2, 0, 5, 2, INPUTS + 1, OUTPUTS + 2},
    {"advance", 6, 0, 3, 1, INPUTS + 6, OUTPUTS + 4},
    {"freeze_step", 9, 0, 1, 1, INPUTS + 9, OUTPUTS + 5},
    {"mass", 0, -1, 2, 1, INPUTS + 10, OUTPUTS + 6},
    {"force", 0, -1, 4, 1, INPUTS + 12, OUTPUTS + 7},
    {"force_q", 0, -1, 4, 1, INPUTS + 12, OUTPUTS + 8},
    {"force_v", 0, -1, 4, 1, INPUTS + 12, OUTPUTS + 9},
    {"kinetic_energy", 0, -1, 4, 1, INPUTS + 12, OUTPUTS + 10},
    {"potential_energy", 0, -1, 4, 1, INPUTS + 12, OUTPUTS + 11},
    {"evaluate", 3, 0, 4, 2, INPUTS + 16, OUTPUTS + 12},
    {"linearize", 2, 0, 4, 5, INPUTS + 16, OUTPUTS + 14},
    {"observe", 7, 0, 5, 1, INPUTS + 20, OUTPUTS + 19},
    {"activation", 8, 0, 2, 1, INPUTS + 25, OUTPUTS + 20},
    {"gap", 0, -1, 3, 1, INPUTS + 27, OUTPUTS + 21},
    {"gap_t", 0, -1, 3, 1, INPUTS + 27, OUTPUTS + 22},
    {"gap_q", 0, -1, 3, 1, INPUTS + 27, OUTPUTS + 23},
    {"gap_twist", 0, -1, 3, 1, INPUTS + 27, OUTPUTS + 24},
};
static const nsdgen_class CLASSES[] = {
    {"follower", 0, 11, KERNELS + 0},
    {"cam", 1, 8, KERNELS + 11},
};
static nsdgen_module MODULE = {
    3, 0,
    sizeof(nsdgen_input), sizeof(nsdgen_output), sizeof(nsdgen_kernel), sizeof(nsdgen_class), sizeof(nsdgen_module),
    "cam_follower", "08b2f3ab28be6b97-1ca9edb4", 2, CLASSES,
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

# [tag] cam_follower / follower: residual, at w_0
#   the same, where w starts as the state, with what was computed at t_k+1 of the last step
#   107 operations
cdef void follower_system0_residual_at_start(const double *const *in_, double *const *out, double *carried) noexcept nogil:
    # unknown
    cdef double u_dot = in_[0][0]
    # state
    cdef double u_k = in_[1][0]
    cdef double u_dot_k = in_[1][1]
    # time
    cdef double t_next = in_[2][1]
    # run
    cdef double h = in_[3][0]
    cdef double theta = in_[3][1]
    # parameters
    cdef double mu = in_[4][0]
    cdef double zeta = in_[4][1]
    cdef double kappa = in_[4][2]
    cdef double omega = in_[4][3]
    cdef double R_b = in_[4][4]
    cdef double k1 = in_[4][5]
    cdef double k2 = in_[4][6]
    cdef double rho1 = in_[4][7]
    cdef double rho2 = in_[4][8]
    cdef double rho3 = in_[4][9]
    cdef double beta1 = in_[4][10]
    cdef double beta2 = in_[4][11]
    cdef double beta3 = in_[4][12]
    cdef double x0, x1, x2, x4, x5, x6, c_k, c_tt_k, c_t_k, x12, x23, turned_next, beta_next
    cdef double x28, c_next, c_tt_next, c_t_next, x29, x30, x31, x32, x33, x34, x35, x36, x37
    cdef double x38, x39, x40, x41, x42, x43, x44, x45, x46, x47, u_dot_theta, u_next
    c_k = carried[0]
    c_t_k = carried[1]
    c_tt_k = carried[2]
    # residual
    x0 = 1.0 - theta
    x1 = 0.5*M_PI
    x2 = 2.0*M_PI
    x4 = beta1 - x1
    x5 = beta2 + x1
    x6 = beta3 + x1
    turned_next = nsd_mod(x1 + omega*t_next, x2)
    if turned_next > M_PI:
        beta_next = x2 - turned_next
        x28 = -omega
    else:
        beta_next = turned_next
        x28 = omega
    if beta_next <= -x4:
        c_next = R_b
        c_tt_next = 0.0
        c_t_next = 0.0
    elif beta_next <= x5:
        x29 = sin(beta_next)
        x30 = k1*x29
        x31 = cos(beta_next)
        x32 = k1*x31
        x33 = x32*x32
        x12 = rho1*rho1
        x34 = 1.0 - x33/x12
        x35 = rho1*sqrt(x34)
        c_next = x35 - x30
        x36 = x30*x29
        c_tt_next = k1*x28*x28*(x32*x31/x35 + x29 - x33*x36/(x12*x35*x34) - x36/x35)
        x37 = x32*x28
        c_t_next = x37*x30/x35 - x37
    elif beta_next <= x6:
        x38 = beta_next + M_PI/9.0
        x39 = cos(x38)
        x40 = k2*x39
        x41 = sin(x38)
        x42 = k2*x41
        x43 = x42*x42
        x23 = rho3*rho3
        x44 = 1.0 - x43/x23
        x45 = rho3*sqrt(x44)
        c_next = x45 - x40
        x46 = x40*x39
        c_tt_next = k2*x28*x28*(x39 + x42*x41/x45 - x46/x45 - x46*x43/(x23*x45*x44))
        x47 = x42*x28
        c_t_next = x47 - x40*x47/x45
    else:
        c_next = rho2
        c_tt_next = 0.0
        c_t_next = 0.0
    u_dot_theta = theta*u_dot + u_dot_k*x0
    u_next = u_k + h*u_dot_theta
    out[0][0] = (h*x0*(kappa*c_k + kappa*u_k + mu*c_tt_k + u_dot_k*zeta + zeta*c_t_k)
                 + h*theta*(kappa*c_next + kappa*u_next + mu*c_tt_next + u_dot*zeta
                 + zeta*c_t_next) + mu*0.0)
    carried[0] = c_next
    carried[1] = c_t_next
    carried[2] = c_tt_next


# [tag] cam_follower: what changes with the run only
cdef int cam_follower_steps_of_run(const nsdgen_run *run, double *kept) noexcept nogil:
    cdef double[1] frozen_step_0
    cdef double[13] system_parameters_0
    cdef double[3] anything
    cdef double[1] matrix_0
    cdef double[4] options_0
    cdef double[1] reaction_lambda_0_0
    cdef double[1] output_x_0_0
    cdef double[1] output_lambda_0
    cdef double[1] relation_parameters_0
    cdef double[1] output_lambda_0_written
    cdef double[1] factors_0
    cdef int[1] pivot_0
    cdef double[1] solved_0_0
    cdef double[1] A
    cdef const double *freeze_step_system_0_in[1]
    cdef double *freeze_step_system_0_out[1]
    cdef const double *linearize_system_0_in[5]
    cdef double *linearize_system_0_out[2]
    cdef const double *linearize_relation_0_in[4]
    cdef double *linearize_relation_0_out[5]
    memset(frozen_step_0, 0, sizeof(frozen_step_0))
    memset(anything, 0, sizeof(anything))
    memset(matrix_0, 0, sizeof(matrix_0))
    memset(reaction_lambda_0_0, 0, sizeof(reaction_lambda_0_0))
    memset(output_x_0_0, 0, sizeof(output_x_0_0))
    memset(output_lambda_0, 0, sizeof(output_lambda_0))
    memset(output_lambda_0_written, 0, sizeof(output_lambda_0_written))
    memset(factors_0, 0, sizeof(factors_0))
    memset(solved_0_0, 0, sizeof(solved_0_0))
    system_parameters_0[0] = run.system[0][0]
    system_parameters_0[1] = run.system[0][1]
    system_parameters_0[2] = run.system[0][2]
    system_parameters_0[3] = run.system[0][3]
    system_parameters_0[4] = run.system[0][4]
    system_parameters_0[5] = run.system[0][5]
    system_parameters_0[6] = run.system[0][6]
    system_parameters_0[7] = run.system[0][7]
    system_parameters_0[8] = run.system[0][8]
    system_parameters_0[9] = run.system[0][9]
    system_parameters_0[10] = run.system[0][10]
    system_parameters_0[11] = run.system[0][11]
    system_parameters_0[12] = run.system[0][12]
    options_0[0] = run.run[0][0]
    options_0[1] = run.run[0][1]
    options_0[2] = run.run[0][2]
    options_0[3] = run.run[0][3]
    relation_parameters_0[0] = run.relation[0][0]
    freeze_step_system_0_in[0] = system_parameters_0
    freeze_step_system_0_out[0] = frozen_step_0
    linearize_system_0_in[0] = anything
    linearize_system_0_in[1] = anything
    linearize_system_0_in[2] = anything
    linearize_system_0_in[3] = options_0
    linearize_system_0_in[4] = system_parameters_0
    linearize_system_0_out[0] = anything
    linearize_system_0_out[1] = matrix_0
    linearize_relation_0_in[0] = anything
    linearize_relation_0_in[1] = anything
    linearize_relation_0_in[2] = anything
    linearize_relation_0_in[3] = relation_parameters_0
    linearize_relation_0_out[0] = anything
    linearize_relation_0_out[1] = anything
    linearize_relation_0_out[2] = output_lambda_0_written
    linearize_relation_0_out[3] = output_x_0_0
    linearize_relation_0_out[4] = reaction_lambda_0_0
    follower_system0_freeze_step(freeze_step_system_0_in, freeze_step_system_0_out)
    follower_system0_linearize(linearize_system_0_in, linearize_system_0_out)
    memcpy(factors_0, matrix_0, sizeof(factors_0))
    if not nsd_factor(1, factors_0, pivot_0):
        return 0
    cam_relation1_linearize(linearize_relation_0_in, linearize_relation_0_out)
    memcpy(solved_0_0, reaction_lambda_0_0, sizeof(solved_0_0))
    nsd_solve_columns(1, factors_0, pivot_0, solved_0_0, 1)
    memset(A, 0, sizeof(A))
    A[0] = output_lambda_0[0]
    nsd_add_product(A + 0, 1, output_x_0_0, 1, 1, solved_0_0, 1)
    kept[0] = frozen_step_0[0]
    kept[1] = output_x_0_0[0]
    kept[2] = factors_0[0]
    kept[3] = pivot_0[0]
    kept[4] = solved_0_0[0]
    kept[5] = A[0]
    return 1

# called by way of a pointer: as a part of the steps it would keep compilers from holding in registers what these read
ctypedef int (*cam_follower_steps_call)(const nsdgen_run *, double *) noexcept nogil
cdef cam_follower_steps_call cam_follower_steps_begin = cam_follower_steps_of_run


# [tag] cam_follower: steps
#   start, activation, Newton's method, the one-step problem, advance and observation of 1 system and 1 relation, step after step
cdef int64_t cam_follower_steps(const nsdgen_run *run, int64_t number, int64_t count, double *row, int64_t stride,
                                double *times) noexcept nogil:
    cdef int64_t made = -1  # the first round fills what is carried, at t_k
    cdef double *last = NULL
    cdef double newton, measure, least, value, change
    cdef double[5] size
    cdef bint done, runs
    cdef int iteration, n = 0
    cdef int deficiency = 0
    cdef double[2] clock
    cdef double[2] state_0
    cdef double[3] memory_0
    cdef double[1] unknown_0
    cdef double[1] move_0
    cdef double[2] next_0
    cdef double[4] options_0
    cdef double[13] system_parameters_0
    cdef double[1] frozen_step_0
    cdef double[1] multiplier_0
    cdef double[1] output_0
    cdef double[1] reaction_0_0
    cdef double[1] output_x_0_0
    cdef double[1] mode_written_0
    cdef double[1] relation_parameters_0
    cdef double[3] memory_next_0
    cdef double[1] factors_0
    cdef int[1] pivot_0
    cdef double[1] solved_0_0
    cdef double[3] carried_0
    cdef double[1] A
    cdef double[1] b
    cdef double[1] z
    cdef const double *start_system_0_in[1]
    cdef double *start_system_0_out[1]
    cdef const double *residual_system_0_in[5]
    cdef double *residual_system_0_out[1]
    cdef const double *advance_system_0_in[3]
    cdef double *advance_system_0_out[1]
    cdef const double *activation_relation_0_in[2]
    cdef double *activation_relation_0_out[1]
    cdef const double *evaluate_relation_0_in[4]
    cdef double *evaluate_relation_0_out[2]
    cdef const double *observe_relation_0_in[5]
    cdef double *observe_relation_0_out[1]
    cdef double[6] kept
    cdef double mode_0_0 = run.stage[0].mode[0][0]
    cdef double kept_mode_0_0 = mode_0_0
    cdef bint play_0 = False
    memset(unknown_0, 0, sizeof(unknown_0))
    memset(move_0, 0, sizeof(move_0))
    memset(next_0, 0, sizeof(next_0))
    memset(output_0, 0, sizeof(output_0))
    memset(reaction_0_0, 0, sizeof(reaction_0_0))
    memset(mode_written_0, 0, sizeof(mode_written_0))
    memset(memory_next_0, 0, sizeof(memory_next_0))
    memset(carried_0, 0, sizeof(carried_0))
    state_0[0] = run.record[0]
    state_0[1] = run.record[1]
    memory_0[0] = run.record[2]
    memory_0[1] = run.record[3]
    memory_0[2] = run.record[4]
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
    system_parameters_0[7] = run.system[0][7]
    system_parameters_0[8] = run.system[0][8]
    system_parameters_0[9] = run.system[0][9]
    system_parameters_0[10] = run.system[0][10]
    system_parameters_0[11] = run.system[0][11]
    system_parameters_0[12] = run.system[0][12]
    multiplier_0[0] = run.record[5]
    relation_parameters_0[0] = run.relation[0][0]
    start_system_0_in[0] = state_0
    start_system_0_out[0] = unknown_0
    residual_system_0_in[0] = unknown_0
    residual_system_0_in[1] = state_0
    residual_system_0_in[2] = clock
    residual_system_0_in[3] = options_0
    residual_system_0_in[4] = system_parameters_0
    residual_system_0_out[0] = move_0
    advance_system_0_in[0] = unknown_0
    advance_system_0_in[1] = state_0
    advance_system_0_in[2] = options_0
    advance_system_0_out[0] = next_0
    activation_relation_0_in[0] = memory_0
    activation_relation_0_in[1] = options_0
    activation_relation_0_out[0] = mode_written_0
    evaluate_relation_0_in[0] = unknown_0
    evaluate_relation_0_in[1] = multiplier_0
    evaluate_relation_0_in[2] = memory_0
    evaluate_relation_0_in[3] = relation_parameters_0
    evaluate_relation_0_out[0] = output_0
    evaluate_relation_0_out[1] = reaction_0_0
    observe_relation_0_in[0] = state_0
    observe_relation_0_in[1] = frozen_step_0
    observe_relation_0_in[2] = multiplier_0
    observe_relation_0_in[3] = memory_0
    observe_relation_0_in[4] = options_0
    observe_relation_0_out[0] = memory_next_0
    # what changes with the run only
    if not cam_follower_steps_begin(run, kept):
        return 0
    frozen_step_0[0] = kept[0]
    output_x_0_0[0] = kept[1]
    factors_0[0] = kept[2]
    pivot_0[0] = <int>kept[3]
    solved_0_0[0] = kept[4]
    A[0] = kept[5]
    while made < count:
        clock[0] = run.start + (number + made) * run.h
        clock[1] = run.start + (number + made + 1) * run.h
        newton = 0.0
        # what is frozen, w_0, and R there
        follower_system0_start(start_system_0_in, start_system_0_out)
        follower_system0_residual_at_start(residual_system_0_in, residual_system_0_out, carried_0)
        if made < 0:
            made = 0
            continue
        # the multipliers to start from, and which relations are in play
        cam_relation1_activation(activation_relation_0_in, activation_relation_0_out)
        mode_0_0 = mode_written_0[0]
        play_0 = mode_0_0 > 0
        if play_0:
            z[0] = multiplier_0[0]
        multiplier_0[0] = 0.0
        # R - rho, y, and their derivatives where they have changed
        if play_0:
            cam_relation1_evaluate(evaluate_relation_0_in, evaluate_relation_0_out)
            move_0[0] -= reaction_0_0[0]
        # w = w - W^-1 (R - rho) where nothing else acts
        nsd_solve_same(1, factors_0, pivot_0, move_0)
        # the one-step problem: y = A lambda + b
        if play_0:
            b[0] = output_0[0]
            b[0] -= output_x_0_0[0]*move_0[0]
        if play_0:
            if not nsd_one_row(A[0], b[0], 1, z):
                break
        # what the multipliers move
        if play_0:
            multiplier_0[0] = z[0]
            if multiplier_0[0] != 0:
                move_0[0] -= solved_0_0[0]*multiplier_0[0]
        unknown_0[0] -= move_0[0]
        if not nsd_finite(1, unknown_0):
            break
        newton += 1
        # advance, observe
        follower_system0_advance(advance_system_0_in, advance_system_0_out)
        state_0[0] = next_0[0]
        state_0[1] = next_0[1]
        cam_relation1_observe(observe_relation_0_in, observe_relation_0_out)
        memory_0[0] = memory_next_0[0]
        memory_0[1] = memory_next_0[1]
        memory_0[2] = memory_next_0[2]
        # where what is remembered is no number, the step fails
        if not nsd_numbers(3, memory_0):
            break
        # the record of the step
        row[0] = state_0[0]
        row[1] = state_0[1]
        row[2] = memory_0[0]
        row[3] = memory_0[1]
        row[4] = memory_0[2]
        row[5] = multiplier_0[0]
        row[6] = newton
        row[7] = 0.0
        times[0] = clock[1]
        kept_mode_0_0 = mode_0_0
        last = row
        row += stride
        times += 1 if stride else 0
        made += 1
    if made:
        if last != run.record:
            memcpy(run.record, last, 8 * sizeof(double))
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

/* [tag] cam_follower / follower: start, in lanes */
static inline void follower_system0_start_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes u_dot_k = in_[0][1];
    out[0][0] = u_dot_k;
    (void)active;
}

/* [tag] cam_follower / follower: linearize, in lanes */
static inline void follower_system0_linearize_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes u_dot = in_[0][0];
    const nsd_lanes u_k = in_[1][0];
    const nsd_lanes u_dot_k = in_[1][1];
    const nsd_lanes t_k = in_[2][0];
    const nsd_lanes t_next = in_[2][1];
    const nsd_lanes h = in_[3][0];
    const nsd_lanes theta = in_[3][1];
    const nsd_lanes mu = in_[4][0];
    const nsd_lanes zeta = in_[4][1];
    const nsd_lanes kappa = in_[4][2];
    const nsd_lanes omega = in_[4][3];
    const nsd_lanes R_b = in_[4][4];
    const nsd_lanes k1 = in_[4][5];
    const nsd_lanes k2 = in_[4][6];
    const nsd_lanes rho1 = in_[4][7];
    const nsd_lanes rho2 = in_[4][8];
    const nsd_lanes rho3 = in_[4][9];
    const nsd_lanes beta1 = in_[4][10];
    const nsd_lanes beta2 = in_[4][11];
    const nsd_lanes beta3 = in_[4][12];
    nsd_lanes x0, x1, x2, x3, turned_k, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15, x16, x17;
    nsd_lanes x18, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28, turned_next, x30, x31, x32;
    nsd_lanes x33, x34, x35, x36, x37, x38, x39, x40, x41, x42, x43, x44, x45, x46, x47, x48;
    nsd_lanes u_dot_theta, u_next, beta_k = {0}, x4 = {0}, c_k = {0}, c_tt_k = {0}, c_t_k = {0};
    nsd_lanes beta_next = {0}, x29 = {0}, c_next = {0}, c_tt_next = {0}, c_t_next = {0};
    nsd_mask left_0, arm_0, left_2, arm_2, left_4, arm_4, left_6, arm_6;
    x0 = h*theta;
    x1 = 1.0 - theta;
    x2 = nsd_all(0.5*M_PI);
    x3 = nsd_all(2.0*M_PI);
    turned_k = nsd_lanes_mod(active, x2 + omega*t_k, x3);
    left_0 = active;
    arm_0 = left_0 & (turned_k > M_PI);
    beta_k = nsd_pick_lanes(arm_0, x3 - turned_k, beta_k);
    x4 = nsd_pick_lanes(arm_0, -omega, x4);
    left_0 &= ~arm_0;
    beta_k = nsd_pick_lanes(left_0, turned_k, beta_k);
    x4 = nsd_pick_lanes(left_0, omega, x4);
    x5 = beta1 - x2;
    x6 = beta2 + x2;
    x7 = beta3 + x2;
    left_2 = active;
    arm_2 = left_2 & (beta_k <= -x5);
    c_k = nsd_pick_lanes(arm_2, R_b, c_k);
    c_tt_k = nsd_pick_lanes(arm_2, nsd_all(0.0), c_tt_k);
    c_t_k = nsd_pick_lanes(arm_2, nsd_all(0.0), c_t_k);
    left_2 &= ~arm_2;
    arm_2 = left_2 & (beta_k <= x6);
    if (nsd_any(arm_2)) {
        nsd_lanes_sincos(arm_2, beta_k, &x8, &x10);
        x9 = k1*x8;
        x11 = k1*x10;
        x12 = x11*x11;
        x13 = rho1*rho1;
        x14 = 1.0 - x12/x13;
        x15 = rho1*nsd_lanes_sqrt(arm_2, x14);
        c_k = nsd_pick_lanes(arm_2, x15 - x9, c_k);
        x16 = x9*x8;
        c_tt_k = (nsd_pick_lanes(arm_2, k1*x4*x4*(x11*x10/x15 + x8 - x12*x16/(x13*x15*x14)
                  - x16/x15), c_tt_k));
        x17 = x11*x4;
        c_t_k = nsd_pick_lanes(arm_2, x17*x9/x15 - x17, c_t_k);
    }
    left_2 &= ~arm_2;
    arm_2 = left_2 & (beta_k <= x7);
    if (nsd_any(arm_2)) {
        x18 = beta_k + M_PI/9.0;
        nsd_lanes_sincos(arm_2, x18, &x21, &x19);
        x20 = k2*x19;
        x22 = k2*x21;
        x23 = x22*x22;
        x24 = rho3*rho3;
        x25 = 1.0 - x23/x24;
        x26 = rho3*nsd_lanes_sqrt(arm_2, x25);
        c_k = nsd_pick_lanes(arm_2, x26 - x20, c_k);
        x27 = x20*x19;
        c_tt_k = (nsd_pick_lanes(arm_2, k2*x4*x4*(x19 + x22*x21/x26 - x27/x26
                  - x27*x23/(x24*x26*x25)), c_tt_k));
        x28 = x22*x4;
        c_t_k = nsd_pick_lanes(arm_2, x28 - x20*x28/x26, c_t_k);
    }
    left_2 &= ~arm_2;
    c_k = nsd_pick_lanes(left_2, rho2, c_k);
    c_tt_k = nsd_pick_lanes(left_2, nsd_all(0.0), c_tt_k);
    c_t_k = nsd_pick_lanes(left_2, nsd_all(0.0), c_t_k);
    turned_next = nsd_lanes_mod(active, x2 + omega*t_next, x3);
    left_4 = active;
    arm_4 = left_4 & (turned_next > M_PI);
    beta_next = nsd_pick_lanes(arm_4, x3 - turned_next, beta_next);
    x29 = nsd_pick_lanes(arm_4, -omega, x29);
    left_4 &= ~arm_4;
    beta_next = nsd_pick_lanes(left_4, turned_next, beta_next);
    x29 = nsd_pick_lanes(left_4, omega, x29);
    left_6 = active;
    arm_6 = left_6 & (beta_next <= -x5);
    c_next = nsd_pick_lanes(arm_6, R_b, c_next);
    c_tt_next = nsd_pick_lanes(arm_6, nsd_all(0.0), c_tt_next);
    c_t_next = nsd_pick_lanes(arm_6, nsd_all(0.0), c_t_next);
    left_6 &= ~arm_6;
    arm_6 = left_6 & (beta_next <= x6);
    if (nsd_any(arm_6)) {
        nsd_lanes_sincos(arm_6, beta_next, &x30, &x32);
        x31 = k1*x30;
        x33 = k1*x32;
        x34 = x33*x33;
        x13 = rho1*rho1;
        x35 = 1.0 - x34/x13;
        x36 = rho1*nsd_lanes_sqrt(arm_6, x35);
        c_next = nsd_pick_lanes(arm_6, x36 - x31, c_next);
        x37 = x31*x30;
        c_tt_next = (nsd_pick_lanes(arm_6, k1*x29*x29*(x33*x32/x36 + x30 - x34*x37/(x13*x36*x35)
                     - x37/x36), c_tt_next));
        x38 = x33*x29;
        c_t_next = nsd_pick_lanes(arm_6, x38*x31/x36 - x38, c_t_next);
    }
    left_6 &= ~arm_6;
    arm_6 = left_6 & (beta_next <= x7);
    if (nsd_any(arm_6)) {
        x39 = beta_next + M_PI/9.0;
        nsd_lanes_sincos(arm_6, x39, &x42, &x40);
        x41 = k2*x40;
        x43 = k2*x42;
        x44 = x43*x43;
        x24 = rho3*rho3;
        x45 = 1.0 - x44/x24;
        x46 = rho3*nsd_lanes_sqrt(arm_6, x45);
        c_next = nsd_pick_lanes(arm_6, x46 - x41, c_next);
        x47 = x41*x40;
        c_tt_next = (nsd_pick_lanes(arm_6, k2*x29*x29*(x40 + x43*x42/x46 - x47/x46
                     - x47*x44/(x24*x46*x45)), c_tt_next));
        x48 = x43*x29;
        c_t_next = nsd_pick_lanes(arm_6, x48 - x41*x48/x46, c_t_next);
    }
    left_6 &= ~arm_6;
    c_next = nsd_pick_lanes(left_6, rho2, c_next);
    c_tt_next = nsd_pick_lanes(left_6, nsd_all(0.0), c_tt_next);
    c_t_next = nsd_pick_lanes(left_6, nsd_all(0.0), c_t_next);
    u_dot_theta = theta*u_dot + u_dot_k*x1;
    u_next = u_k + h*u_dot_theta;
    out[0][0] = (h*x1*(kappa*c_k + kappa*u_k + mu*c_tt_k + u_dot_k*zeta + zeta*c_t_k)
                 + x0*(kappa*c_next + kappa*u_next + mu*c_tt_next + u_dot*zeta + zeta*c_t_next)
                 + mu*(u_dot - u_dot_k));
    out[1][0] = mu + x0*(zeta + kappa*x0);
    (void)active;
}

/* [tag] cam_follower / follower: advance, in lanes */
static inline void follower_system0_advance_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes u_dot = in_[0][0];
    const nsd_lanes u_k = in_[1][0];
    const nsd_lanes u_dot_k = in_[1][1];
    const nsd_lanes h = in_[2][0];
    const nsd_lanes theta = in_[2][1];
    nsd_lanes u_dot_theta, u_next;
    u_dot_theta = theta*u_dot + u_dot_k*(1.0 - theta);
    u_next = u_k + h*u_dot_theta;
    out[0][0] = u_next;
    out[0][1] = u_dot;
    (void)active;
}

/* [tag] cam_follower / follower: freeze_step, in lanes */
static inline void follower_system0_freeze_step_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes mu = in_[0][0];
    out[0][0] = 1.0/mu;
    (void)active;
}

/* [tag] cam_follower / cam: evaluate, in lanes */
static inline void cam_relation1_evaluate_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes u_dot = in_[0][0];
    const nsd_lanes impulse = in_[1][0];
    const nsd_lanes gap_rate_k = in_[2][1];
    const nsd_lanes restitution = in_[3][0];
    out[0][0] = u_dot + gap_rate_k*restitution;
    out[1][0] = impulse;
    (void)active;
}

/* [tag] cam_follower / cam: linearize, in lanes */
static inline void cam_relation1_linearize_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes u_dot = in_[0][0];
    const nsd_lanes impulse = in_[1][0];
    const nsd_lanes gap_rate_k = in_[2][1];
    const nsd_lanes restitution = in_[3][0];
    out[0][0] = u_dot + gap_rate_k*restitution;
    out[1][0] = impulse;
    out[3][0] = nsd_all(1.0);
    out[4][0] = nsd_all(1.0);
    (void)active;
}

/* [tag] cam_follower / cam: observe, in lanes */
static inline void cam_relation1_observe_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
{
    const nsd_lanes u_next = in_[0][0];
    const nsd_lanes u_dot_next = in_[0][1];
    const nsd_lanes mobility_0 = in_[1][0];
    const nsd_lanes impulse = in_[2][0];
    const nsd_lanes slack_k = in_[3][2];
    const nsd_lanes h = in_[4][0];
    nsd_lanes pushed, rounded, way, x3, x0 = {0}, x1 = {0}, largest = {0}, x2 = {0}, x4 = {0};
    nsd_mask left_0, arm_0, left_2, arm_2, left_4, arm_4, left_6, arm_6, left_8, arm_8;
    out[0][0] = u_next;
    out[0][1] = u_dot_next;
    pushed = mobility_0*impulse*h;
    left_0 = active;
    arm_0 = left_0 & (u_dot_next >= 0.0);
    x0 = nsd_pick_lanes(arm_0, u_dot_next, x0);
    left_0 &= ~arm_0;
    x0 = nsd_pick_lanes(left_0, -u_dot_next, x0);
    rounded = 2.220446049250313e-16*h*x0;
    way = 1e-08*pushed;
    left_2 = active;
    arm_2 = left_2 & (u_next >= 0.0);
    x1 = nsd_pick_lanes(arm_2, u_next, x1);
    left_2 &= ~arm_2;
    x1 = nsd_pick_lanes(left_2, -u_next, x1);
    left_4 = active;
    arm_4 = left_4 & (pushed <= rounded);
    if (nsd_any(arm_4)) {
        left_6 = arm_4;
        arm_6 = left_6 & (slack_k >= 0.0);
        x2 = nsd_pick_lanes(arm_6, slack_k, x2);
        left_6 &= ~arm_6;
        x2 = nsd_pick_lanes(left_6, -slack_k, x2);
        largest = (nsd_pick_lanes(arm_4, slack_k
                   + 2.0*nsd_lanes_sqrt(arm_4, rounded)*nsd_lanes_sqrt(arm_4, x2) + rounded
                   + 2.220446049250313e-16*x1, largest));
    }
    left_4 &= ~arm_4;
    arm_4 = left_4 & (way > slack_k);
    largest = nsd_pick_lanes(arm_4, way, largest);
    left_4 &= ~arm_4;
    largest = nsd_pick_lanes(left_4, slack_k, largest);
    x3 = 1.7763568394002505e-15*x1;
    left_8 = active;
    arm_8 = left_8 & (largest >= x3 & u_next <= largest);
    x4 = nsd_pick_lanes(arm_8, largest, x4);
    left_8 &= ~arm_8;
    x4 = nsd_pick_lanes(left_8, x3, x4);
    out[0][2] = x4;
    (void)active;
}

/* [tag] cam_follower / cam: activation, in lanes */
static inline void cam_relation1_activation_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out)
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

/* [tag] cam_follower / follower: residual, at w_0, in lanes */
static inline void follower_system0_residual_at_start_lanes(nsd_mask active, const nsd_lanes *const *in_, nsd_lanes *const *out, nsd_lanes *carried)
{
    const nsd_lanes u_dot = in_[0][0];
    const nsd_lanes u_k = in_[1][0];
    const nsd_lanes u_dot_k = in_[1][1];
    const nsd_lanes t_next = in_[2][1];
    const nsd_lanes h = in_[3][0];
    const nsd_lanes theta = in_[3][1];
    const nsd_lanes mu = in_[4][0];
    const nsd_lanes zeta = in_[4][1];
    const nsd_lanes kappa = in_[4][2];
    const nsd_lanes omega = in_[4][3];
    const nsd_lanes R_b = in_[4][4];
    const nsd_lanes k1 = in_[4][5];
    const nsd_lanes k2 = in_[4][6];
    const nsd_lanes rho1 = in_[4][7];
    const nsd_lanes rho2 = in_[4][8];
    const nsd_lanes rho3 = in_[4][9];
    const nsd_lanes beta1 = in_[4][10];
    const nsd_lanes beta2 = in_[4][11];
    const nsd_lanes beta3 = in_[4][12];
    nsd_lanes x0, x1, x2, x4, x5, x6, c_k, c_tt_k, c_t_k, x12, x23, turned_next, x29, x30, x31;
    nsd_lanes x32, x33, x34, x35, x36, x37, x38, x39, x40, x41, x42, x43, x44, x45, x46, x47;
    nsd_lanes u_dot_theta, u_next, beta_next = {0}, x28 = {0}, c_next = {0}, c_tt_next = {0};
    nsd_lanes c_t_next = {0};
    nsd_mask left_0, arm_0, left_2, arm_2;
    c_k = carried[0];
    c_t_k = carried[1];
    c_tt_k = carried[2];
    x0 = 1.0 - theta;
    x1 = nsd_all(0.5*M_PI);
    x2 = nsd_all(2.0*M_PI);
    x4 = beta1 - x1;
    x5 = beta2 + x1;
    x6 = beta3 + x1;
    turned_next = nsd_lanes_mod(active, x1 + omega*t_next, x2);
    left_0 = active;
    arm_0 = left_0 & (turned_next > M_PI);
    beta_next = nsd_pick_lanes(arm_0, x2 - turned_next, beta_next);
    x28 = nsd_pick_lanes(arm_0, -omega, x28);
    left_0 &= ~arm_0;
    beta_next = nsd_pick_lanes(left_0, turned_next, beta_next);
    x28 = nsd_pick_lanes(left_0, omega, x28);
    left_2 = active;
    arm_2 = left_2 & (beta_next <= -x4);
    c_next = nsd_pick_lanes(arm_2, R_b, c_next);
    c_tt_next = nsd_pick_lanes(arm_2, nsd_all(0.0), c_tt_next);
    c_t_next = nsd_pick_lanes(arm_2, nsd_all(0.0), c_t_next);
    left_2 &= ~arm_2;
    arm_2 = left_2 & (beta_next <= x5);
    if (nsd_any(arm_2)) {
        nsd_lanes_sincos(arm_2, beta_next, &x29, &x31);
        x30 = k1*x29;
        x32 = k1*x31;
        x33 = x32*x32;
        x12 = rho1*rho1;
        x34 = 1.0 - x33/x12;
        x35 = rho1*nsd_lanes_sqrt(arm_2, x34);
        c_next = nsd_pick_lanes(arm_2, x35 - x30, c_next);
        x36 = x30*x29;
        c_tt_next = (nsd_pick_lanes(arm_2, k1*x28*x28*(x32*x31/x35 + x29 - x33*x36/(x12*x35*x34)
                     - x36/x35), c_tt_next));
        x37 = x32*x28;
        c_t_next = nsd_pick_lanes(arm_2, x37*x30/x35 - x37, c_t_next);
    }
    left_2 &= ~arm_2;
    arm_2 = left_2 & (beta_next <= x6);
    if (nsd_any(arm_2)) {
        x38 = beta_next + M_PI/9.0;
        nsd_lanes_sincos(arm_2, x38, &x41, &x39);
        x40 = k2*x39;
        x42 = k2*x41;
        x43 = x42*x42;
        x23 = rho3*rho3;
        x44 = 1.0 - x43/x23;
        x45 = rho3*nsd_lanes_sqrt(arm_2, x44);
        c_next = nsd_pick_lanes(arm_2, x45 - x40, c_next);
        x46 = x40*x39;
        c_tt_next = (nsd_pick_lanes(arm_2, k2*x28*x28*(x39 + x42*x41/x45 - x46/x45
                     - x46*x43/(x23*x45*x44)), c_tt_next));
        x47 = x42*x28;
        c_t_next = nsd_pick_lanes(arm_2, x47 - x40*x47/x45, c_t_next);
    }
    left_2 &= ~arm_2;
    c_next = nsd_pick_lanes(left_2, rho2, c_next);
    c_tt_next = nsd_pick_lanes(left_2, nsd_all(0.0), c_tt_next);
    c_t_next = nsd_pick_lanes(left_2, nsd_all(0.0), c_t_next);
    u_dot_theta = theta*u_dot + u_dot_k*x0;
    u_next = u_k + h*u_dot_theta;
    out[0][0] = (h*x0*(kappa*c_k + kappa*u_k + mu*c_tt_k + u_dot_k*zeta + zeta*c_t_k)
                 + h*theta*(kappa*c_next + kappa*u_next + mu*c_tt_next + u_dot*zeta
                 + zeta*c_t_next) + mu*0.0);
    carried[0] = c_next;
    carried[1] = c_t_next;
    carried[2] = c_tt_next;
    (void)active, (void)carried;
}

/* [tag] cam_follower: what changes with the run only, in lanes */
static NSD_RARE int cam_follower_lanes_of_run(const nsdgen_run *const *run, nsd_lanes *kept)
{
    const nsd_mask every = ~(nsd_mask){0};
    nsd_lanes frozen_step_0[1] = {{0}};
    nsd_lanes system_parameters_0[13];
    nsd_lanes anything[3] = {{0}};
    nsd_lanes matrix_0[1] = {{0}};
    nsd_lanes options_0[4];
    nsd_lanes reaction_lambda_0_0[1] = {{0}};
    nsd_lanes output_x_0_0[1] = {{0}};
    nsd_lanes output_lambda_0[1] = {{0}};
    nsd_lanes relation_parameters_0[1];
    nsd_lanes output_lambda_0_written[1] = {{0}};
    nsd_lanes factors_0[1] = {{0}};
    nsd_mask pivot_0[1];
    nsd_lanes solved_0_0[1] = {{0}};
    nsd_lanes A[1];
    const nsd_lanes *freeze_step_system_0_in[] = {system_parameters_0};
    nsd_lanes *freeze_step_system_0_out[] = {frozen_step_0};
    const nsd_lanes *linearize_system_0_in[] = {anything, anything, anything, options_0, system_parameters_0};
    nsd_lanes *linearize_system_0_out[] = {anything, matrix_0};
    const nsd_lanes *linearize_relation_0_in[] = {anything, anything, anything, relation_parameters_0};
    nsd_lanes *linearize_relation_0_out[] = {anything, anything, output_lambda_0_written, output_x_0_0, reaction_lambda_0_0};
NSD_EACH_LANE
    {
        system_parameters_0[0][lane] = run[lane]->system[0][0];
        system_parameters_0[1][lane] = run[lane]->system[0][1];
        system_parameters_0[2][lane] = run[lane]->system[0][2];
        system_parameters_0[3][lane] = run[lane]->system[0][3];
        system_parameters_0[4][lane] = run[lane]->system[0][4];
        system_parameters_0[5][lane] = run[lane]->system[0][5];
        system_parameters_0[6][lane] = run[lane]->system[0][6];
        system_parameters_0[7][lane] = run[lane]->system[0][7];
        system_parameters_0[8][lane] = run[lane]->system[0][8];
        system_parameters_0[9][lane] = run[lane]->system[0][9];
        system_parameters_0[10][lane] = run[lane]->system[0][10];
        system_parameters_0[11][lane] = run[lane]->system[0][11];
        system_parameters_0[12][lane] = run[lane]->system[0][12];
        options_0[0][lane] = run[lane]->run[0][0];
        options_0[1][lane] = run[lane]->run[0][1];
        options_0[2][lane] = run[lane]->run[0][2];
        options_0[3][lane] = run[lane]->run[0][3];
        relation_parameters_0[0][lane] = run[lane]->relation[0][0];
}
    follower_system0_freeze_step_lanes(every, freeze_step_system_0_in, freeze_step_system_0_out);
    follower_system0_linearize_lanes(every, linearize_system_0_in, linearize_system_0_out);
    memcpy(factors_0, matrix_0, sizeof(factors_0));
    if (nsd_any(~nsd_lanes_factor(1, nsd_all(1), factors_0, pivot_0)))
        return 0;
    cam_relation1_linearize_lanes(every, linearize_relation_0_in, linearize_relation_0_out);
    memcpy(solved_0_0, reaction_lambda_0_0, sizeof solved_0_0);
    nsd_lanes_solve_columns(1, factors_0, pivot_0, solved_0_0, 1);
    memset(A, 0, sizeof(A));
    A[0] = output_lambda_0[0];
    nsd_lanes_add_product(A + 0, 1, output_x_0_0, 1, 1, solved_0_0, 1);
    kept[0] = frozen_step_0[0];
    kept[1] = output_x_0_0[0];
    kept[2] = factors_0[0];
    kept[3] = (nsd_lanes)pivot_0[0];
    kept[4] = solved_0_0[0];
    kept[5] = A[0];
    return 1;
}

/* [tag] cam_follower: steps in lanes */
static int64_t cam_follower_lanes(const nsdgen_run *const *run, int64_t number, int64_t count, double *row, int64_t stride,
                                  double *times)
{
    const nsd_mask every = ~(nsd_mask){0};
    int64_t made = -1; /* the first round fills what is carried, at t_k */
    double *last = NULL;
    nsd_lanes begin, h, clock[2], newton, measure, least, value, change, size[1];
    nsd_mask going, runs, passed;
    int iteration;
    nsd_lanes state_0[2];
    nsd_lanes memory_0[3];
    nsd_lanes unknown_0[1] = {{0}};
    nsd_lanes move_0[1] = {{0}};
    nsd_lanes next_0[2] = {{0}};
    nsd_lanes options_0[4];
    nsd_lanes system_parameters_0[13];
    nsd_lanes frozen_step_0[1];
    nsd_lanes multiplier_0[1];
    nsd_lanes output_0[1] = {{0}};
    nsd_lanes reaction_0_0[1] = {{0}};
    nsd_lanes output_x_0_0[1];
    nsd_lanes mode_written_0[1] = {{0}};
    nsd_lanes relation_parameters_0[1];
    nsd_lanes memory_next_0[3] = {{0}};
    nsd_lanes factors_0[1];
    nsd_mask pivot_0[1];
    nsd_lanes solved_0_0[1];
    nsd_lanes carried_0[3] = {{0}};
    nsd_lanes A[1];
    nsd_lanes b[1];
    nsd_lanes z[1];
    const nsd_lanes *start_system_0_in[] = {state_0};
    nsd_lanes *start_system_0_out[] = {unknown_0};
    const nsd_lanes *residual_system_0_in[] = {unknown_0, state_0, clock, options_0, system_parameters_0};
    nsd_lanes *residual_system_0_out[] = {move_0};
    const nsd_lanes *advance_system_0_in[] = {unknown_0, state_0, options_0};
    nsd_lanes *advance_system_0_out[] = {next_0};
    const nsd_lanes *activation_relation_0_in[] = {memory_0, options_0};
    nsd_lanes *activation_relation_0_out[] = {mode_written_0};
    const nsd_lanes *evaluate_relation_0_in[] = {unknown_0, multiplier_0, memory_0, relation_parameters_0};
    nsd_lanes *evaluate_relation_0_out[] = {output_0, reaction_0_0};
    const nsd_lanes *observe_relation_0_in[] = {state_0, frozen_step_0, multiplier_0, memory_0, options_0};
    nsd_lanes *observe_relation_0_out[] = {memory_next_0};
    nsd_lanes kept[6];
    nsd_lanes mode_0_0, kept_mode_0_0;
    nsd_mask play_0;

    NSD_EACH_LANE
    {
        begin[lane] = run[lane]->start;
        h[lane] = run[lane]->h;
        state_0[0][lane] = run[lane]->record[0];
        state_0[1][lane] = run[lane]->record[1];
        memory_0[0][lane] = run[lane]->record[2];
        memory_0[1][lane] = run[lane]->record[3];
        memory_0[2][lane] = run[lane]->record[4];
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
        system_parameters_0[7][lane] = run[lane]->system[0][7];
        system_parameters_0[8][lane] = run[lane]->system[0][8];
        system_parameters_0[9][lane] = run[lane]->system[0][9];
        system_parameters_0[10][lane] = run[lane]->system[0][10];
        system_parameters_0[11][lane] = run[lane]->system[0][11];
        system_parameters_0[12][lane] = run[lane]->system[0][12];
        multiplier_0[0][lane] = run[lane]->record[5];
        relation_parameters_0[0][lane] = run[lane]->relation[0][0];
        mode_0_0[lane] = run[lane]->stage[0].mode[0][0];
    }
    kept_mode_0_0 = mode_0_0;
    /* what changes with the run only */
    if (!cam_follower_lanes_of_run(run, kept))
        return 0;
    frozen_step_0[0] = kept[0];
    output_x_0_0[0] = kept[1];
    factors_0[0] = kept[2];
    pivot_0[0] = (nsd_mask)kept[3];
    solved_0_0[0] = kept[4];
    A[0] = kept[5];
    while (made < count) {
        clock[0] = begin + (double)(number + made) * h;
        clock[1] = begin + (double)(number + made + 1) * h;
        newton = nsd_all(0.0);
        /* what is frozen, w_0, and R there */
        follower_system0_start_lanes(every, start_system_0_in, start_system_0_out);
        follower_system0_residual_at_start_lanes(every, residual_system_0_in, residual_system_0_out, carried_0);
        if (made < 0) {
            made = 0;
            continue;
        }
        /* the multipliers to start from, and which relations are in play */
        cam_relation1_activation_lanes(every, activation_relation_0_in, activation_relation_0_out);
        mode_0_0 = mode_written_0[0];
        play_0 = mode_0_0 > 0.0;
        z[0] = nsd_pick_lanes(play_0, multiplier_0[0], nsd_all(0.0));
        multiplier_0[0] = nsd_all(0.0);
        runs = every;
        /* R - rho, y, and their derivatives where they have changed */
        if (nsd_any(play_0)) {
            cam_relation1_evaluate_lanes(play_0, evaluate_relation_0_in, evaluate_relation_0_out);
            move_0[0] = nsd_pick_lanes(play_0, move_0[0] - reaction_0_0[0], move_0[0]);
        }
        /* w = w - W^-1 (R - rho) where nothing else acts */
        nsd_lanes_solve(1, factors_0, pivot_0, move_0);
        /* the one-step problem: y = A lambda + b */
        b[0] = output_0[0];
        b[0] -= output_x_0_0[0] * move_0[0];
        if (nsd_any(play_0 & ~nsd_lanes_one_row(A[0], b[0], 1, z)))
            goto unusual;
        /* what the multipliers move */
        change = nsd_pick_lanes(play_0, z[0] - multiplier_0[0], nsd_all(0.0));
        multiplier_0[0] = nsd_pick_lanes(play_0, z[0], multiplier_0[0]);
        move_0[0] = nsd_pick_lanes(change != 0.0, move_0[0] - solved_0_0[0] * change, move_0[0]);
        unknown_0[0] -= move_0[0];
        if (nsd_any(every & ~(nsd_lanes_finite(1, unknown_0))))
            goto unusual;
        newton = newton + 1.0;
        /* advance, observe */
        follower_system0_advance_lanes(runs, advance_system_0_in, advance_system_0_out);
        state_0[0] = next_0[0];
        state_0[1] = next_0[1];
        {
            cam_relation1_observe_lanes(runs, observe_relation_0_in, observe_relation_0_out);
            memory_0[0] = memory_next_0[0];
            memory_0[1] = memory_next_0[1];
            memory_0[2] = memory_next_0[2];
        }
        if (nsd_any(~nsd_lanes_numbers(3, memory_0)))
            goto unusual;
        /* the records of the step */
        nsd_put_lanes(row + 0 * NSD_LANES, state_0[0]);
        nsd_put_lanes(row + 1 * NSD_LANES, state_0[1]);
        nsd_put_lanes(row + 2 * NSD_LANES, memory_0[0]);
        nsd_put_lanes(row + 3 * NSD_LANES, memory_0[1]);
        nsd_put_lanes(row + 4 * NSD_LANES, memory_0[2]);
        nsd_put_lanes(row + 5 * NSD_LANES, multiplier_0[0]);
        nsd_put_lanes(row + 6 * NSD_LANES, newton);
        nsd_put_lanes(row + 7 * NSD_LANES, nsd_all(0.0));
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
        for (int k = 0; k < 8; ++k)
            run[lane]->record[k] = last[k * NSD_LANES + lane];
        run[lane]->stage[0].mode[0][0] = kept_mode_0_0[lane];
    }
    (void)measure, (void)least, (void)value, (void)change, (void)size, (void)going, (void)runs, (void)passed;
    (void)iteration;
    return made;
}
#else
#define NSD_LANES 0
#define cam_follower_lanes NULL
#endif
    """
    int NSD_LANES
    nsdgen_lane_steps cam_follower_lanes


# [tag] cam_follower: capsule
cdef int number
cdef nsdgen_call[19] calls = [
    follower_system0_start, follower_system0_residual, follower_system0_linearize,
    follower_system0_advance, follower_system0_freeze_step, follower_system0_mass,
    follower_system0_force, follower_system0_force_q, follower_system0_force_v,
    follower_system0_kinetic_energy, follower_system0_potential_energy, cam_relation1_evaluate,
    cam_relation1_linearize, cam_relation1_observe, cam_relation1_activation,
    cam_relation1_gap, cam_relation1_gap_t, cam_relation1_gap_q, cam_relation1_gap_twist,
]
for number in range(19):
    KERNELS[number].call = calls[number]
MODULE.steps = cam_follower_steps
MODULE.lanes, MODULE.lane_steps = NSD_LANES, cam_follower_lanes
__nsdgen__ = PyCapsule_New(<void *>&MODULE, b"nsdgen.abi", NULL)
# end of _module.pxi
