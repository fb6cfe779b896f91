# _module.pxi: the kernels of the model diode_bridge as the runtime reads them: interface and table, whole steps.
from cpython.pycapsule cimport PyCapsule_New
from libc.math cimport isfinite
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
    2, 3,
    sizeof(nsdgen_input), sizeof(nsdgen_output), sizeof(nsdgen_kernel), sizeof(nsdgen_class), sizeof(nsdgen_module),
    "diode_bridge", "d2bfd78e6c3f51f3-6789e61a", 3, CLASSES,
};
    """
    ctypedef void (*nsdgen_call)(const double *const *, double *const *) noexcept nogil
    ctypedef struct nsdgen_kernel:
        nsdgen_call call
    nsdgen_kernel *KERNELS
    ctypedef struct nsdgen_run_system:
        const double *parameters
        const double *factors
        const int *pivot
    ctypedef struct nsdgen_run_participant:
        const double *output_x
        const double *solved
    ctypedef struct nsdgen_run_relation:
        const double *parameters
        const double *output_lambda
        double *mode
        const int *known
        const nsdgen_run_participant *participant
    ctypedef struct nsdgen_run:
        double start
        double h
        double *record
        const double *const *run
        const nsdgen_run_system *system
        const nsdgen_run_relation *relation
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
    int nsd_active_set(
        int n, const double *a, const double *b, const int *cone, double *z, nsd_memory *memory) noexcept nogil
    int nsd_same_set(
        int n, const double *a, const double *b, const int *cone, double *z, nsd_memory *memory) noexcept nogil
    void nsd_pick(
        int all, const double *a, const int *cone, int n, const int *rows, double *picked, int *picked_cone) noexcept nogil


# ================================================================================================
# the steps of the model in one function
# ================================================================================================

# [tag] diode_bridge: steps
#   start, activation, the one iteration, the one-step problem, advance and observation of 1 system and 1 relation, step after step;
#   W and what follows from it are those of the run
cdef int64_t diode_bridge_steps(const nsdgen_run *run, int64_t number, int64_t count, double *row, int64_t stride,
                                double *times) noexcept nogil:
    cdef int64_t made = 0
    cdef double *last = NULL
    cdef double[2] clock
    cdef double[2] unknown_0
    cdef double[2] move_0
    cdef double[2] next_0
    cdef double[4] factors_0
    cdef double[2] state_0
    cdef double[3] options_0
    cdef double[2] system_parameters_0
    cdef double[4] multiplier_0
    cdef double[2] memory_0
    cdef double[4] output_0
    cdef double[2] reaction_0_0
    cdef double[8] output_x_0_0
    cdef double[8] solved_0_0
    cdef double[2] relation_parameters_0
    cdef double[2] memory_next_0
    cdef double[4] observed_0
    cdef double[16] A
    cdef double[4] b
    cdef double[4] z
    cdef double[4] guess
    cdef int[4] cone = [1, 1, 1, 1]
    cdef const double *start_0_in[1]
    cdef double *start_0_out[1]
    cdef const double *residual_0_in[4]
    cdef double *residual_0_out[1]
    cdef const double *advance_0_in[1]
    cdef double *advance_0_out[1]
    cdef const double *evaluate_0_in[5]
    cdef double *evaluate_0_out[2]
    cdef const double *observe_0_in[3]
    cdef double *observe_0_out[2]
    cdef const int *pivot_0 = run.system[0].pivot
    cdef double mode_0 = run.relation[0].mode[0]
    cdef double mode_next_0 = mode_0
    cdef bint play_0 = True
    cdef nsd_memory remembered
    factors_0[0] = run.system[0].factors[0]
    factors_0[1] = run.system[0].factors[1]
    factors_0[2] = run.system[0].factors[2]
    factors_0[3] = run.system[0].factors[3]
    state_0[0] = run.record[0]
    state_0[1] = run.record[1]
    options_0[0] = run.run[0][0]
    options_0[1] = run.run[0][1]
    options_0[2] = run.run[0][2]
    system_parameters_0[0] = run.system[0].parameters[0]
    system_parameters_0[1] = run.system[0].parameters[1]
    multiplier_0[0] = run.record[4]
    multiplier_0[1] = run.record[5]
    multiplier_0[2] = run.record[6]
    multiplier_0[3] = run.record[7]
    memory_0[0] = run.record[2]
    memory_0[1] = run.record[3]
    output_x_0_0[0] = run.relation[0].participant[0].output_x[0]
    output_x_0_0[1] = run.relation[0].participant[0].output_x[1]
    output_x_0_0[2] = run.relation[0].participant[0].output_x[2]
    output_x_0_0[3] = run.relation[0].participant[0].output_x[3]
    output_x_0_0[4] = run.relation[0].participant[0].output_x[4]
    output_x_0_0[5] = run.relation[0].participant[0].output_x[5]
    output_x_0_0[6] = run.relation[0].participant[0].output_x[6]
    output_x_0_0[7] = run.relation[0].participant[0].output_x[7]
    solved_0_0[0] = run.relation[0].participant[0].solved[0]
    solved_0_0[1] = run.relation[0].participant[0].solved[1]
    solved_0_0[2] = run.relation[0].participant[0].solved[2]
    solved_0_0[3] = run.relation[0].participant[0].solved[3]
    solved_0_0[4] = run.relation[0].participant[0].solved[4]
    solved_0_0[5] = run.relation[0].participant[0].solved[5]
    solved_0_0[6] = run.relation[0].participant[0].solved[6]
    solved_0_0[7] = run.relation[0].participant[0].solved[7]
    relation_parameters_0[0] = run.relation[0].parameters[0]
    relation_parameters_0[1] = run.relation[0].parameters[1]
    start_0_in[0] = state_0
    start_0_out[0] = unknown_0
    residual_0_in[0] = unknown_0
    residual_0_in[1] = state_0
    residual_0_in[2] = options_0
    residual_0_in[3] = system_parameters_0
    residual_0_out[0] = move_0
    advance_0_in[0] = unknown_0
    advance_0_out[0] = next_0
    evaluate_0_in[0] = unknown_0
    evaluate_0_in[1] = multiplier_0
    evaluate_0_in[2] = memory_0
    evaluate_0_in[3] = options_0
    evaluate_0_in[4] = relation_parameters_0
    evaluate_0_out[0] = output_0
    evaluate_0_out[1] = reaction_0_0
    observe_0_in[0] = state_0
    observe_0_in[1] = multiplier_0
    observe_0_in[2] = relation_parameters_0
    observe_0_out[0] = memory_next_0
    observe_0_out[1] = observed_0
    # A = y_lambda + y_w W^-1 rho_lambda, of the relations whose derivatives are known
    memset(A, 0, sizeof(A))
    if run.relation[0].known[0]:
        A[0] = run.relation[0].output_lambda[0]
        A[1] = run.relation[0].output_lambda[1]
        A[2] = run.relation[0].output_lambda[2]
        A[3] = run.relation[0].output_lambda[3]
        A[4] = run.relation[0].output_lambda[4]
        A[5] = run.relation[0].output_lambda[5]
        A[6] = run.relation[0].output_lambda[6]
        A[7] = run.relation[0].output_lambda[7]
        A[8] = run.relation[0].output_lambda[8]
        A[9] = run.relation[0].output_lambda[9]
        A[10] = run.relation[0].output_lambda[10]
        A[11] = run.relation[0].output_lambda[11]
        A[12] = run.relation[0].output_lambda[12]
        A[13] = run.relation[0].output_lambda[13]
        A[14] = run.relation[0].output_lambda[14]
        A[15] = run.relation[0].output_lambda[15]
        nsd_add_product(A + 0, 4, output_x_0_0, 4, 2, solved_0_0, 4)
    remembered.factored = 0
    while made < count:
        clock[0] = run.start + (number + made) * run.h
        clock[1] = run.start + (number + made + 1) * run.h
        # w_0 and R
        oscillator_system0_start(start_0_in, start_0_out)
        oscillator_system0_residual(residual_0_in, residual_0_out)
        # the multipliers to start from, and which relations are in play
        guess[0] = multiplier_0[0]
        multiplier_0[0] = 0.0
        guess[1] = multiplier_0[1]
        multiplier_0[1] = 0.0
        guess[2] = multiplier_0[2]
        multiplier_0[2] = 0.0
        guess[3] = multiplier_0[3]
        multiplier_0[3] = 0.0
        if play_0 and not run.relation[0].known[0]:
            break
        # w = w_0 - W^-1 (R - rho) where nothing else acts
        bridge_relation1_evaluate(evaluate_0_in, evaluate_0_out)
        move_0[0] -= reaction_0_0[0]
        move_0[1] -= reaction_0_0[1]
        nsd_solve_same(2, factors_0, pivot_0, move_0)
        # the one-step problem: y = A lambda + b
        b[0] = output_0[0]
        b[0] -= output_x_0_0[0]*move_0[0]
        b[0] -= output_x_0_0[1]*move_0[1]
        z[0] = guess[0]
        b[1] = output_0[1]
        b[1] -= output_x_0_0[2]*move_0[0]
        b[1] -= output_x_0_0[3]*move_0[1]
        z[1] = guess[1]
        b[2] = output_0[2]
        b[2] -= output_x_0_0[4]*move_0[0]
        b[2] -= output_x_0_0[5]*move_0[1]
        z[2] = guess[2]
        b[3] = output_0[3]
        b[3] -= output_x_0_0[6]*move_0[0]
        b[3] -= output_x_0_0[7]*move_0[1]
        z[3] = guess[3]
        if not nsd_same_set(4, A, b, cone, z, &remembered):
            break
        multiplier_0[0] = z[0]
        multiplier_0[1] = z[1]
        multiplier_0[2] = z[2]
        multiplier_0[3] = z[3]
        # what the multipliers move
        if multiplier_0[0] != 0:
            move_0[0] -= solved_0_0[0]*multiplier_0[0]
            move_0[1] -= solved_0_0[4]*multiplier_0[0]
        if multiplier_0[1] != 0:
            move_0[0] -= solved_0_0[1]*multiplier_0[1]
            move_0[1] -= solved_0_0[5]*multiplier_0[1]
        if multiplier_0[2] != 0:
            move_0[0] -= solved_0_0[2]*multiplier_0[2]
            move_0[1] -= solved_0_0[6]*multiplier_0[2]
        if multiplier_0[3] != 0:
            move_0[0] -= solved_0_0[3]*multiplier_0[3]
            move_0[1] -= solved_0_0[7]*multiplier_0[3]
        unknown_0[0] -= move_0[0]
        unknown_0[1] -= move_0[1]
        if not (isfinite(unknown_0[0]) and isfinite(unknown_0[1])):
            break
        # advance, observe
        oscillator_system0_advance(advance_0_in, advance_0_out)
        state_0[0] = next_0[0]
        state_0[1] = next_0[1]
        bridge_relation1_observe(observe_0_in, observe_0_out)
        memory_0[0] = memory_next_0[0]
        memory_0[1] = memory_next_0[1]
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
        row[12] = 1.0
        row[13] = 0.0
        times[0] = clock[1]
        mode_0 = mode_next_0
        last = row
        row += stride
        times += 1 if stride else 0
        made += 1
    if made:
        if last != run.record:
            memcpy(run.record, last, 14 * sizeof(double))
        run.relation[0].mode[0] = mode_0
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

/* [tag] diode_bridge: steps in lanes */
static int64_t diode_bridge_lanes(const nsdgen_run *const *run, int64_t number, int64_t count, double *row, int64_t stride,
                                  double *times)
{
    const nsd_mask every = ~(nsd_mask){0};
    int64_t made = 0;
    double *last = NULL;
    nsd_lanes begin, h, clock[2];
    nsd_lanes unknown_0[2];
    nsd_lanes move_0[2];
    nsd_lanes next_0[2];
    nsd_lanes factors_0[4];
    nsd_lanes state_0[2];
    nsd_lanes options_0[3];
    nsd_lanes system_parameters_0[2];
    nsd_lanes multiplier_0[4];
    nsd_lanes memory_0[2];
    nsd_lanes output_0[4];
    nsd_lanes reaction_0_0[2];
    nsd_lanes output_x_0_0[8];
    nsd_lanes solved_0_0[8];
    nsd_lanes relation_parameters_0[2];
    nsd_lanes memory_next_0[2];
    nsd_lanes observed_0[4];
    nsd_lanes A[16];
    nsd_lanes b[4];
    nsd_lanes z[4];
    nsd_lanes guess[4];
    const nsd_lanes *start_0_in[] = {state_0};
    nsd_lanes *start_0_out[] = {unknown_0};
    const nsd_lanes *residual_0_in[] = {unknown_0, state_0, options_0, system_parameters_0};
    nsd_lanes *residual_0_out[] = {move_0};
    const nsd_lanes *advance_0_in[] = {unknown_0};
    nsd_lanes *advance_0_out[] = {next_0};
    const nsd_lanes *evaluate_0_in[] = {unknown_0, multiplier_0, memory_0, options_0, relation_parameters_0};
    nsd_lanes *evaluate_0_out[] = {output_0, reaction_0_0};
    const nsd_lanes *observe_0_in[] = {state_0, multiplier_0, relation_parameters_0};
    nsd_lanes *observe_0_out[] = {memory_next_0, observed_0};
    nsd_mask pivot_0[2];
    nsd_lanes mode_0, mode_next_0;
    nsd_mask play_0 = every, known_0;
    nsd_lanes_memory remembered_0;
    static const int cone[4] = {1, 1, 1, 1};
    nsd_mask in_play[4];

    NSD_EACH_LANE
    {
        begin[lane] = run[lane]->start;
        h[lane] = run[lane]->h;
        factors_0[0][lane] = run[lane]->system[0].factors[0];
        factors_0[1][lane] = run[lane]->system[0].factors[1];
        factors_0[2][lane] = run[lane]->system[0].factors[2];
        factors_0[3][lane] = run[lane]->system[0].factors[3];
        state_0[0][lane] = run[lane]->record[0];
        state_0[1][lane] = run[lane]->record[1];
        options_0[0][lane] = run[lane]->run[0][0];
        options_0[1][lane] = run[lane]->run[0][1];
        options_0[2][lane] = run[lane]->run[0][2];
        system_parameters_0[0][lane] = run[lane]->system[0].parameters[0];
        system_parameters_0[1][lane] = run[lane]->system[0].parameters[1];
        multiplier_0[0][lane] = run[lane]->record[4];
        multiplier_0[1][lane] = run[lane]->record[5];
        multiplier_0[2][lane] = run[lane]->record[6];
        multiplier_0[3][lane] = run[lane]->record[7];
        memory_0[0][lane] = run[lane]->record[2];
        memory_0[1][lane] = run[lane]->record[3];
        output_x_0_0[0][lane] = run[lane]->relation[0].participant[0].output_x[0];
        output_x_0_0[1][lane] = run[lane]->relation[0].participant[0].output_x[1];
        output_x_0_0[2][lane] = run[lane]->relation[0].participant[0].output_x[2];
        output_x_0_0[3][lane] = run[lane]->relation[0].participant[0].output_x[3];
        output_x_0_0[4][lane] = run[lane]->relation[0].participant[0].output_x[4];
        output_x_0_0[5][lane] = run[lane]->relation[0].participant[0].output_x[5];
        output_x_0_0[6][lane] = run[lane]->relation[0].participant[0].output_x[6];
        output_x_0_0[7][lane] = run[lane]->relation[0].participant[0].output_x[7];
        solved_0_0[0][lane] = run[lane]->relation[0].participant[0].solved[0];
        solved_0_0[1][lane] = run[lane]->relation[0].participant[0].solved[1];
        solved_0_0[2][lane] = run[lane]->relation[0].participant[0].solved[2];
        solved_0_0[3][lane] = run[lane]->relation[0].participant[0].solved[3];
        solved_0_0[4][lane] = run[lane]->relation[0].participant[0].solved[4];
        solved_0_0[5][lane] = run[lane]->relation[0].participant[0].solved[5];
        solved_0_0[6][lane] = run[lane]->relation[0].participant[0].solved[6];
        solved_0_0[7][lane] = run[lane]->relation[0].participant[0].solved[7];
        relation_parameters_0[0][lane] = run[lane]->relation[0].parameters[0];
        relation_parameters_0[1][lane] = run[lane]->relation[0].parameters[1];
        pivot_0[0][lane] = run[lane]->system[0].pivot[0];
        pivot_0[1][lane] = run[lane]->system[0].pivot[1];
        mode_0[lane] = run[lane]->relation[0].mode[0];
        known_0[lane] = -(int64_t)(run[lane]->relation[0].known[0] != 0);
        /* A = y_lambda + y_w W^-1 rho_lambda, of the relations whose derivatives are known */
        double a[16] = {0};
        if (known_0[lane]) {
            a[0] = run[lane]->relation[0].output_lambda[0];
            a[1] = run[lane]->relation[0].output_lambda[1];
            a[2] = run[lane]->relation[0].output_lambda[2];
            a[3] = run[lane]->relation[0].output_lambda[3];
            a[4] = run[lane]->relation[0].output_lambda[4];
            a[5] = run[lane]->relation[0].output_lambda[5];
            a[6] = run[lane]->relation[0].output_lambda[6];
            a[7] = run[lane]->relation[0].output_lambda[7];
            a[8] = run[lane]->relation[0].output_lambda[8];
            a[9] = run[lane]->relation[0].output_lambda[9];
            a[10] = run[lane]->relation[0].output_lambda[10];
            a[11] = run[lane]->relation[0].output_lambda[11];
            a[12] = run[lane]->relation[0].output_lambda[12];
            a[13] = run[lane]->relation[0].output_lambda[13];
            a[14] = run[lane]->relation[0].output_lambda[14];
            a[15] = run[lane]->relation[0].output_lambda[15];
            nsd_add_product(a + 0, 4, run[lane]->relation[0].participant[0].output_x, 4, 2,
                run[lane]->relation[0].participant[0].solved, 4);
        }
        for (int i = 0; i < 16; ++i)
            A[i][lane] = a[i];
    }
    mode_next_0 = mode_0;
    remembered_0.factored = (nsd_mask){0};
    while (made < count) {
        clock[0] = begin + (double)(number + made) * h;
        clock[1] = begin + (double)(number + made + 1) * h;
        /* w_0 and R */
        oscillator_system0_start_lanes(every, start_0_in, start_0_out);
        oscillator_system0_residual_lanes(every, residual_0_in, residual_0_out);
        /* the multipliers to start from, and which relations are in play */
        guess[0] = multiplier_0[0];
        multiplier_0[0] = nsd_all(0.0);
        guess[1] = multiplier_0[1];
        multiplier_0[1] = nsd_all(0.0);
        guess[2] = multiplier_0[2];
        multiplier_0[2] = nsd_all(0.0);
        guess[3] = multiplier_0[3];
        multiplier_0[3] = nsd_all(0.0);
        if (nsd_any((play_0 & ~known_0)))
            break;
        /* w = w_0 - W^-1 (R - rho) where nothing else acts */
        {
            bridge_relation1_evaluate_lanes(every, evaluate_0_in, evaluate_0_out);
            move_0[0] = move_0[0] - reaction_0_0[0];
            move_0[1] = move_0[1] - reaction_0_0[1];
        }
        nsd_lanes_solve(2, factors_0, pivot_0, move_0);
        /* the one-step problem: y = A lambda + b */
        {
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
        }
        z[0] = guess[0];
        in_play[0] = play_0;
        z[1] = guess[1];
        in_play[1] = play_0;
        z[2] = guess[2];
        in_play[2] = play_0;
        z[3] = guess[3];
        in_play[3] = play_0;
        if (nsd_any(nsd_lanes_active_set(every, 4, A, b, cone, in_play, 0, z, &remembered_0)))
            break;
        multiplier_0[0] = z[0];
        multiplier_0[1] = z[1];
        multiplier_0[2] = z[2];
        multiplier_0[3] = z[3];
        /* what the multipliers move */
        move_0[0] = nsd_pick_lanes(multiplier_0[0] != 0.0, move_0[0] - solved_0_0[0] * multiplier_0[0], move_0[0]);
        move_0[1] = nsd_pick_lanes(multiplier_0[0] != 0.0, move_0[1] - solved_0_0[4] * multiplier_0[0], move_0[1]);
        move_0[0] = nsd_pick_lanes(multiplier_0[1] != 0.0, move_0[0] - solved_0_0[1] * multiplier_0[1], move_0[0]);
        move_0[1] = nsd_pick_lanes(multiplier_0[1] != 0.0, move_0[1] - solved_0_0[5] * multiplier_0[1], move_0[1]);
        move_0[0] = nsd_pick_lanes(multiplier_0[2] != 0.0, move_0[0] - solved_0_0[2] * multiplier_0[2], move_0[0]);
        move_0[1] = nsd_pick_lanes(multiplier_0[2] != 0.0, move_0[1] - solved_0_0[6] * multiplier_0[2], move_0[1]);
        move_0[0] = nsd_pick_lanes(multiplier_0[3] != 0.0, move_0[0] - solved_0_0[3] * multiplier_0[3], move_0[0]);
        move_0[1] = nsd_pick_lanes(multiplier_0[3] != 0.0, move_0[1] - solved_0_0[7] * multiplier_0[3], move_0[1]);
        nsd_mask finite = every;
        unknown_0[0] -= move_0[0];
        finite &= unknown_0[0] - unknown_0[0] == 0.0;
        unknown_0[1] -= move_0[1];
        finite &= unknown_0[1] - unknown_0[1] == 0.0;
        if (nsd_any(~finite))
            break;
        /* advance, observe */
        oscillator_system0_advance_lanes(every, advance_0_in, advance_0_out);
        state_0[0] = next_0[0];
        state_0[1] = next_0[1];
        bridge_relation1_observe_lanes(every, observe_0_in, observe_0_out);
        memory_0[0] = memory_next_0[0];
        memory_0[1] = memory_next_0[1];
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
        nsd_put_lanes(row + 12 * NSD_LANES, nsd_all(1.0));
        nsd_put_lanes(row + 13 * NSD_LANES, nsd_all(0.0));
        times[0] = clock[1][0];
        mode_0 = mode_next_0;
        last = row;
        row += stride;
        times += stride ? 1 : 0;
        made += 1;
    }
    if (last) NSD_EACH_LANE
    {
        for (int k = 0; k < 14; ++k)
            run[lane]->record[k] = last[k * NSD_LANES + lane];
        run[lane]->relation[0].mode[0] = mode_0[lane];
    }
    return made < 0 ? 0 : made;
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
