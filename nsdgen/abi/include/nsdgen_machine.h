/* A register machine that evaluates emitted kernels without a compiler.
 *
 * A program is what nsdgen/interpret/assembler.py makes of one function of an emitted text: the same operations on
 * doubles in the same order, so that its numbers are those of the compiled function to the bit. (Neither contracts
 * a b + c into one rounding; both call the same <math.h>.) Code is a list of int32: an operation, then its operands.
 *
 *   d, a, b, c   registers of a frame that lives as long as the call; it starts with the program's constants
 *   i, j         entry j of the input array in[i], k, j of the output array out[k]
 *   to           where to go on in the code
 *
 * Loops of the text are written out: every entry of an array is a register then, and a term of a sum one operation.
 *
 * A kernel of the interface (nsdgen_abi.h) is a function of two arguments and knows no program. So there are as many
 * functions as kernels may be there at once, each bound to a place in one array of programs: the interface stays the
 * one of compiled modules, and whoever calls a kernel need not know which of both it is.
 */
#ifndef NSDGEN_MACHINE_H
#define NSDGEN_MACHINE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nsdgen_abi.h"
#include "nsdgen_math.h"
#include "nsdgen_matrix.h"

/* Functions of one and of two values, by the names that emitted text has for them. */
#define NSD_OF_ONE(X) \
    X(exp) X(log) X(fabs) X(erf) X(erfc) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) \
    X(asinh) X(acosh) X(atanh) X(sqrt) X(floor) X(nsd_sign)
#define NSD_OF_TWO(X) X(pow) X(atan2) X(nsd_mod)

/* Two operations without a jump between them. The second one stays where it is, so that jumps still find it. */
#define NSD_THEN(X, first) \
    X(first##_then_add) X(first##_then_subtract) X(first##_then_multiply) X(first##_then_multiply_add) \
    X(first##_then_subtract_product) X(first##_then_sum_of_products)
#define NSD_PAIRED(X) \
    NSD_THEN(X, add) NSD_THEN(X, subtract) NSD_THEN(X, multiply) NSD_THEN(X, multiply_add) \
    NSD_THEN(X, subtract_product) NSD_THEN(X, sum_of_products)

#define NSD_OPERATIONS(X) \
    X(end) \
    X(load)             /* d i j n    d ... <- n entries of in[i] from j on */ \
    X(store)            /* k j a n    n entries of out[k] from j on <- a ... */ \
    X(copy)             /* d a        a */ \
    X(negate)           /* d a        -a */ \
    X(add) X(subtract) X(multiply) X(divide) /* d a b */ \
    X(multiply_add)     /* d a b c    a b + c */ \
    X(multiply_subtract) /* d a b c   a b - c */ \
    X(subtract_product) /* d a b c    c - a b */ \
    X(add_three)        /* d a b c    (a + b) + c */ \
    X(multiply_three)   /* d a b c    (a b) c */ \
    X(sum_of_products)  /* d a b c e  a b + c e */ \
    X(add_products)     /* d n a b ...    d + a b + ..., n pairs from left to right */ \
    X(subtract_products) /* d n a b ...   d - a b - ... */ \
    X(copies)           /* n d a ...  n times copy */ \
    X(jump)             /* to */ \
    X(unless_less) X(unless_less_equal) X(unless_equal) /* a b to    go on there unless a < b, ... */ \
    X(if_less) X(if_less_equal) X(if_equal)             /* a b to    go on there if a < b, ... */ \
    X(stumpff)          /* d order a */ \
    X(hold)             /* k n                 nsd_hold(n, out[k]) */ \
    NSD_OF_ONE(X)       /* d a */ \
    NSD_OF_TWO(X)       /* d a b */ \
    NSD_PAIRED(X)

#if defined(__GNUC__)
#define NSD_APART __attribute__((noinline))
#else
#define NSD_APART
#endif

#define NSD_NAME(name) #name,
static const char *const nsd_operations[] = { NSD_OPERATIONS(NSD_NAME) NULL };
static const char *const nsd_of_one[] = { NSD_OF_ONE(NSD_NAME) NULL };
static const char *const nsd_of_two[] = { NSD_OF_TWO(NSD_NAME) NULL };

enum {
    NSD_NEAR = 256,   /* doubles: a frame of so many lies on the stack, */
    NSD_FAR = 4096    /* and here, too */
};

typedef struct {
    const int32_t *code;
    const double *constants;
    int32_t n_constants;
    int32_t frame;           /* doubles, constants included */
    int32_t n_out;
    const nsdgen_output *output; /* what is not-a-number where there is no memory for the frame */
    nsdgen_call compiled;    /* the compiled kernel, from when it is there on: it is called in place of the program */
} nsd_program;

/* Set once, while other threads evaluate: either function gives the same bits. */
#define NSD_COMPILED(program) __atomic_load_n(&(program)->compiled, __ATOMIC_ACQUIRE)
#define NSD_SET_COMPILED(program, function) __atomic_store_n(&(program)->compiled, function, __ATOMIC_RELEASE)

static void nsd_evaluate(const nsd_program *program, const double *const *in, double *const *out, double *r)
{
#define NSD_LABEL(name) &&L_##name,
    static const void *const labels[] = { NSD_OPERATIONS(NSD_LABEL) };
    const int32_t *const code = program->code, *pc = code;
    for (int32_t i = 0; i < program->n_constants; ++i)
        r[i] = program->constants[i];
#define NSD_NEXT(words) do { pc += words; goto *labels[*pc]; } while (0)
#define NSD_JUMP(to) do { pc = code + (to); goto *labels[*pc]; } while (0)
#define NSD_DO_add r[pc[1]] = r[pc[2]] + r[pc[3]]
#define NSD_DO_subtract r[pc[1]] = r[pc[2]] - r[pc[3]]
#define NSD_DO_multiply r[pc[1]] = r[pc[2]] * r[pc[3]]
#define NSD_DO_multiply_add r[pc[1]] = r[pc[2]] * r[pc[3]] + r[pc[4]]
#define NSD_DO_subtract_product r[pc[1]] = r[pc[4]] - r[pc[2]] * r[pc[3]]
#define NSD_DO_sum_of_products r[pc[1]] = r[pc[2]] * r[pc[3]] + r[pc[4]] * r[pc[5]]
#define NSD_PAIR(first, n, second, m) L_##first##_then_##second: NSD_DO_##first; pc += n; NSD_DO_##second; NSD_NEXT(m);
#define NSD_ARITHMETIC(first, n) \
    L_##first: NSD_DO_##first; NSD_NEXT(n); \
    NSD_PAIR(first, n, add, 4) NSD_PAIR(first, n, subtract, 4) NSD_PAIR(first, n, multiply, 4) \
    NSD_PAIR(first, n, multiply_add, 5) NSD_PAIR(first, n, subtract_product, 5) NSD_PAIR(first, n, sum_of_products, 6)
#define NSD_UNLESS(name, operator) L_##name: if (r[pc[1]] operator r[pc[2]]) NSD_NEXT(4); NSD_JUMP(pc[3]);
#define NSD_IF(name, operator) L_##name: if (r[pc[1]] operator r[pc[2]]) NSD_JUMP(pc[3]); NSD_NEXT(4);
#define NSD_CALL_ONE(name) L_##name: r[pc[1]] = name(r[pc[2]]); NSD_NEXT(3);
#define NSD_CALL_TWO(name) L_##name: r[pc[1]] = name(r[pc[2]], r[pc[3]]); NSD_NEXT(4);
    NSD_NEXT(0);
L_load: {
        const double *from = in[pc[2]] + pc[3];
        double *to = r + pc[1];
        for (int32_t n = pc[4]; n > 0; --n)
            *to++ = *from++;
        NSD_NEXT(5);
    }
L_store: {
        const double *from = r + pc[3];
        double *to = out[pc[1]] + pc[2];
        for (int32_t n = pc[4]; n > 0; --n)
            *to++ = *from++;
        NSD_NEXT(5);
    }
L_copy: r[pc[1]] = r[pc[2]]; NSD_NEXT(3);
L_negate: r[pc[1]] = -r[pc[2]]; NSD_NEXT(3);
    NSD_ARITHMETIC(add, 4)
    NSD_ARITHMETIC(subtract, 4)
    NSD_ARITHMETIC(multiply, 4)
    NSD_ARITHMETIC(multiply_add, 5)
    NSD_ARITHMETIC(subtract_product, 5)
    NSD_ARITHMETIC(sum_of_products, 6)
L_divide: r[pc[1]] = r[pc[2]] / r[pc[3]]; NSD_NEXT(4);
L_multiply_subtract: r[pc[1]] = r[pc[2]] * r[pc[3]] - r[pc[4]]; NSD_NEXT(5);
L_add_three: r[pc[1]] = r[pc[2]] + r[pc[3]] + r[pc[4]]; NSD_NEXT(5);
L_multiply_three: r[pc[1]] = r[pc[2]] * r[pc[3]] * r[pc[4]]; NSD_NEXT(5);
#define NSD_ALL_PRODUCTS(name, operator) L_##name: { \
        double total = r[pc[1]]; \
        const int32_t *pair = pc + 3, *const last = pair + 2 * pc[2]; \
        for (; pair < last; pair += 2) \
            total = total operator r[pair[0]] * r[pair[1]]; \
        r[pc[1]] = total; \
        pc = last; \
        NSD_NEXT(0); \
    }
    NSD_ALL_PRODUCTS(add_products, +)
    NSD_ALL_PRODUCTS(subtract_products, -)
L_copies: {
        const int32_t *pair = pc + 2, *const last = pair + 2 * pc[1];
        for (; pair < last; pair += 2)
            r[pair[0]] = r[pair[1]];
        pc = last;
        NSD_NEXT(0);
    }
L_jump: NSD_JUMP(pc[1]);
    NSD_UNLESS(unless_less, <)
    NSD_UNLESS(unless_less_equal, <=)
    NSD_UNLESS(unless_equal, ==)
    NSD_IF(if_less, <)
    NSD_IF(if_less_equal, <=)
    NSD_IF(if_equal, ==)
L_stumpff: r[pc[1]] = nsd_stumpff(pc[2], r[pc[3]]); NSD_NEXT(4);
L_hold: nsd_hold(pc[2], out[pc[1]]); NSD_NEXT(3);
    NSD_OF_ONE(NSD_CALL_ONE)
    NSD_OF_TWO(NSD_CALL_TWO)
L_end: return;
}

/* Frames that are larger than most: a function of its own, so that others do not carry the room for them. */
NSD_APART static void nsd_run_far(const nsd_program *program, const double *const *in, double *const *out)
{
    double room[NSD_FAR];
    double *frame = room;
    if (program->frame > NSD_FAR)
        frame = (double *)malloc((size_t)program->frame * sizeof(double));
    if (frame != NULL)
        nsd_evaluate(program, in, out, frame);
    for (int32_t k = 0; frame == NULL && k < program->n_out; ++k)
        for (int32_t j = 0; j < program->output[k].nnz; ++j)
            out[k][j] = NAN;
    if (frame != room)
        free(frame);
}

NSD_APART static void nsd_run(const nsd_program *program, const double *const *in, double *const *out)
{
    double room[NSD_NEAR];
    const nsdgen_call compiled = NSD_COMPILED(program);
    if (compiled != NULL)
        compiled(in, out);
    else if (program->frame <= NSD_NEAR)
        nsd_evaluate(program, in, out, room);
    else
        nsd_run_far(program, in, out);
}

/* 4096 functions, each with its place in an array of programs; their numbers are octal. */
#define NSD_1(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define NSD_2(X, n) NSD_1(X, n##0) NSD_1(X, n##1) NSD_1(X, n##2) NSD_1(X, n##3) \
    NSD_1(X, n##4) NSD_1(X, n##5) NSD_1(X, n##6) NSD_1(X, n##7)
#define NSD_3(X, n) NSD_2(X, n##0) NSD_2(X, n##1) NSD_2(X, n##2) NSD_2(X, n##3) \
    NSD_2(X, n##4) NSD_2(X, n##5) NSD_2(X, n##6) NSD_2(X, n##7)
#define NSD_4(X, n) NSD_3(X, n##0) NSD_3(X, n##1) NSD_3(X, n##2) NSD_3(X, n##3) \
    NSD_3(X, n##4) NSD_3(X, n##5) NSD_3(X, n##6) NSD_3(X, n##7)
#define NSD_ALL(X) NSD_4(X, 0)

enum { NSD_PLACES = 4096 };
static const nsd_program *nsd_programs[NSD_PLACES];

#define NSD_FUNCTION(n) \
    static void nsd_function_##n(const double *const *in, double *const *out) { nsd_run(nsd_programs[n], in, out); }
#define NSD_ADDRESS(n) nsd_function_##n,
NSD_ALL(NSD_FUNCTION)
static const nsdgen_call nsd_functions[NSD_PLACES] = { NSD_ALL(NSD_ADDRESS) };

#endif
