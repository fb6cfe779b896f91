# _module.pxi: the kernels of the model tumbling_brick as the runtime reads them: interface and table, functions of nsdgen.
from cpython.pycapsule cimport PyCapsule_New

cdef extern from *:
    r"""
#include "nsdgen_abi.h"

#include "nsdgen_math.h"

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
    "tumbling_brick", "a23b975dcb9066ff", 3, CLASSES,
};
    """
    ctypedef void (*nsdgen_call)(const double *const *, double *const *) noexcept nogil
    ctypedef struct nsdgen_kernel:
        nsdgen_call call
    nsdgen_kernel *KERNELS
    ctypedef struct nsdgen_module:
        pass
    nsdgen_module MODULE
    double nsd_mod(double a, double b) noexcept nogil
    double nsd_sign(double a) noexcept nogil
    double nsd_stumpff(int k, double s) noexcept nogil


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
__nsdgen__ = PyCapsule_New(<void *>&MODULE, b"nsdgen.abi", NULL)
# end of _module.pxi
