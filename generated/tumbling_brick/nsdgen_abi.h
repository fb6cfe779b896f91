/* nsdgen_abi.h: the interface between a generated module and the nsdgen runtime.
 *
 * A generated module exports one object, the capsule `__nsdgen__` named
 * "nsdgen.abi", which points to one nsdgen_module. Everything below is static
 * and constant for the life of the module; there is no mutable state in it.
 *
 * A kernel is a pure function
 *     void call(const double *const *in, double *const *out)
 * in[i] points to the values of input array i, out[i] to room for output array i,
 * both in the order and with the lengths that the kernel's record lists. The
 * caller owns all arrays. Outputs are overwritten, never accumulated, and must
 * alias no input and no other output. An output holds its structural nonzeros in
 * row-major order: value i stands at (positions[i], positions[nnz + i]); positions
 * is NULL when every entry is stored (nnz == rows * cols). Values outside the
 * domain of a function give what C's functions give: infinities and NaN.
 *
 * Order of inputs: unknowns, states and frozen values participant by participant,
 * then multiplier, memory, mode, time, run, parameters. Units and frames are those of the model.
 */
#ifndef NSDGEN_ABI_H
#define NSDGEN_ABI_H

#include <stddef.h>
#include <stdint.h>

#define NSDGEN_ABI_MAJOR 3
#define NSDGEN_ABI_MINOR 0

/* What an input array holds; 1 << role is its bit in `depends`. */
enum nsdgen_role {
    NSDGEN_ROLE_UNKNOWN = 0, NSDGEN_ROLE_MULTIPLIER = 1, NSDGEN_ROLE_STATE = 2, NSDGEN_ROLE_MEMORY = 3,
    NSDGEN_ROLE_FROZEN_STEP = 4,      /* filled once per step                             */
    NSDGEN_ROLE_FROZEN_ITERATION = 5, /* filled again at each Newton iteration            */
    NSDGEN_ROLE_TIME = 6,             /* t_k, t_k+1                                       */
    NSDGEN_ROLE_RUN = 7,              /* h, then the options of the scheme                */
    NSDGEN_ROLE_PARAMETERS = 8, NSDGEN_ROLE_MODE = 9, NSDGEN_ROLE_INITIAL = 10,
    NSDGEN_ROLE_OPERAND = 11          /* argument of an operator                          */
};

/* Which quantity an output array holds: R, dR/dw, y, dy/dw, dy/dlambda, rho, drho/dw, drho/dlambda ...; the scale of
 * a row is the sum of the absolute values of its terms. */
enum nsdgen_quantity {
    NSDGEN_QUANTITY_OPERATOR = 0, NSDGEN_QUANTITY_RESIDUAL = 1, NSDGEN_QUANTITY_ITERATION_MATRIX = 2,
    NSDGEN_QUANTITY_OUTPUT = 3, NSDGEN_QUANTITY_OUTPUT_X = 4, NSDGEN_QUANTITY_OUTPUT_LAMBDA = 5,
    NSDGEN_QUANTITY_REACTION = 6, NSDGEN_QUANTITY_REACTION_X = 7, NSDGEN_QUANTITY_REACTION_LAMBDA = 8,
    NSDGEN_QUANTITY_UNKNOWN = 9, NSDGEN_QUANTITY_STATE = 10, NSDGEN_QUANTITY_MEMORY = 11,
    NSDGEN_QUANTITY_OBSERVED = 12, NSDGEN_QUANTITY_MODE = 13, NSDGEN_QUANTITY_FROZEN_STEP = 14,
    NSDGEN_QUANTITY_FROZEN_ITERATION = 15, NSDGEN_QUANTITY_VIOLATION = 16, NSDGEN_QUANTITY_PARAMETERS = 17,
    NSDGEN_QUANTITY_BOUNDS = 18, NSDGEN_QUANTITY_CUT = 19, NSDGEN_QUANTITY_SKIP = 20,
    NSDGEN_QUANTITY_RESIDUAL_SCALE = 21, NSDGEN_QUANTITY_OUTPUT_SCALE = 22, NSDGEN_QUANTITY_REACTION_SCALE = 23
};

/* When a kernel is called. */
enum nsdgen_kernel_role {
    NSDGEN_KERNEL_OPERATOR = 0,         /* on request: a quantity of the model, not of a scheme */
    NSDGEN_KERNEL_RESIDUAL = 1,         /* system: R; its scales where a stage is tested    */
    NSDGEN_KERNEL_LINEARIZE = 2,        /* system: R, dR/dw; relation: y, rho, derivatives  */
    NSDGEN_KERNEL_EVALUATE = 3,         /* relation: y, rho; their scales likewise          */
    NSDGEN_KERNEL_START = 4,            /* w_0 from the state                               */
    NSDGEN_KERNEL_INITIAL = 5,          /* s_0 from the initial values                      */
    NSDGEN_KERNEL_ADVANCE = 6,          /* the new state                                    */
    NSDGEN_KERNEL_OBSERVE = 7,          /* memory and recorded values, from the new state; also at t_0 */
    NSDGEN_KERNEL_ACTIVATION = 8,       /* the mode: 0 out of play, 1 in play, 2 ...        */
    NSDGEN_KERNEL_FREEZE_STEP = 9, NSDGEN_KERNEL_FREEZE_START = 10, NSDGEN_KERNEL_FREEZE_ITERATION = 11,
    NSDGEN_KERNEL_VIOLATION = 12,       /* what a repeated group drives to zero             */
    NSDGEN_KERNEL_ARGUMENTS = 13,       /* constructor arguments from parameters            */
    NSDGEN_KERNEL_BOUNDS = 15,          /* bounds and friction coefficients, block by block  */
    NSDGEN_KERNEL_INITIAL_MEMORY = 16,  /* relation: memory at t_0 where OBSERVE is not to fill it */
    NSDGEN_KERNEL_ENTRY = 17,           /* the mode that a relation out of play takes after a pass of a group */
    NSDGEN_KERNEL_SKIP = 18,            /* of the model: not zero where a stage is skipped   */
    NSDGEN_KERNEL_CUT = 19              /* quantities whose zeros end a step early          */
};

/* The cone of a block of rows (y, lambda) of a relation's stage, and what the block takes, in order, from
 * the output of the bounds kernel. Bounds may be infinite. They never depend on unknowns or multipliers. */
enum nsdgen_cone {
    NSDGEN_CONE_EQUALITY = 0,           /* nothing                                          */
    NSDGEN_CONE_COMPLEMENTARITY = 1,    /* nothing                                          */
    NSDGEN_CONE_BOX = 2,                /* lower, upper of each row                         */
    NSDGEN_CONE_COULOMB_2D = 3,         /* friction; rows: normal, tangent                  */
    NSDGEN_CONE_COULOMB_3D = 4,         /* friction; rows: normal, two tangents             */
    NSDGEN_CONE_ROLLING = 5,            /* friction, rolling friction; rows: normal, two tangents, two moments */
    NSDGEN_CONE_TRACED = 6       /* restitution, stiffness, exponent of each row     */
};

typedef void (*nsdgen_call)(const double *const *in, double *const *out);

/* An array that a kernel reads. Kernels that read the same arrays share the list of them. */
typedef struct {
    const char *name;     /* identifier, unique within the kernel                      */
    int32_t role;         /* nsdgen_role                                               */
    int32_t size;
    int32_t participant;  /* index of the system among those of a relation, else 0     */
} nsdgen_input;

/* An array that a kernel writes. */
typedef struct {
    const char *name;
    int32_t quantity;     /* nsdgen_quantity                                           */
    int32_t rows, cols;   /* shape; a vector has cols == 1                             */
    int32_t nnz;          /* number of values stored                                   */
    uint32_t depends;     /* bit set over the roles of inputs                          */
    uint32_t flags;       /* 1 zero without multiplier, 2 affine                       */
    const int32_t *positions; /* rows of all values, then their columns; NULL: all stored  */
    int32_t participant;  /* index of the system a relation's block belongs to, else 0 */
    int32_t participant2; /* second index of a block that couples two systems, else 0  */
} nsdgen_output;

typedef struct {
    const char *name;
    int32_t role;         /* nsdgen_kernel_role; a runtime ignores those it does not know */
    int32_t stage;        /* stage of the scheme, or -1 for all of them                */
    int32_t n_in, n_out;
    const nsdgen_input *in;
    const nsdgen_output *out;
    nsdgen_call call;
} nsdgen_kernel;

typedef struct {
    const char *name;
    int32_t kind;         /* 0 system, 1 relation, 2 model                             */
    int32_t n_kernels;
    const nsdgen_kernel *kernels;
} nsdgen_class;

/* A one-step problem over the interaction graph, as the general stepper laid it out for the relations in play: rows of
 * the nodes, blocks of A, two bounds of each row. */
typedef struct {
    void *graph;
    int (*solve)(void *graph);         /* 0 where z, the guess, is now the solution       */
    double (*laws)(int rows, const double *bound, double normal, double tangent, const double *z, const double *y,
                   const double *scale); /* the natural map of a friction block            */
    const int *const *in_play;         /* of each relation                                 */
    const int *assembled;              /* whether A is that of these relations             */
    int32_t nodes;
    const int *row, *start, *column;   /* of nodes, of their blocks                        */
    const size_t *place;
    double *value, *b, *z, *bound;
    int *changed;                      /* to be set with A                                 */
    double *floor;                     /* what the solver remembers: to be set back where a step is not made */
    const double *residual;
    const int *deficiency;
} nsdgen_run_problem;

/* A stage that makes a step: when its iterations end, and the modes of all relations. */
typedef struct {
    double tolerance;
    int32_t max_iterations;
    double *const *mode;
    const nsdgen_run_problem *problem; /* NULL where it is dense                          */
} nsdgen_run_stage;

/* What the steps of a small model read. */
typedef struct {
    double start, h;
    double *record;       /* of the last step; rewritten by the steps made             */
    const double *const *run; /* run values of each scheme                              */
    const double *const *system, *const *relation; /* parameters of each of them, in order */
    const nsdgen_run_stage *stage; /* in order                                         */
} nsdgen_run;

/* Makes up to `count` steps after step `number`, the records of which go to `row`, each `stride` doubles after the
 * last, their ends to `times`. Returns how many: it stops before a step that the general stepper has to make. */
typedef int64_t (*nsdgen_steps)(const nsdgen_run *run, int64_t number, int64_t count, double *row, int64_t stride,
                                double *times);

/* The same for as many runs as a module has lanes: entry c of the record of lane l lies at row[c * lanes + l]. A run may
 * stand in several lanes. Stops before a step that the general stepper has to make in some lane. */
typedef int64_t (*nsdgen_lane_steps)(const nsdgen_run *const *run, int64_t number, int64_t count, double *row,
                                     int64_t stride, double *times);

typedef struct {
    int32_t abi_major, abi_minor;
    int32_t size_input, size_output, size_kernel, size_class, size_module; /* sizeof of the above */
    const char *name;     /* of the model                                              */
    const char *hash;     /* of the emitted text                                       */
    int32_t n_classes;
    const nsdgen_class *classes;
    nsdgen_steps steps;   /* NULL where steps are the general stepper's alone          */
    int32_t lanes;        /* 0 where the module was not compiled for ensembles         */
    nsdgen_lane_steps lane_steps;
} nsdgen_module;

#endif /* nsdgen_abi.h */
