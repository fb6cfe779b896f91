# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Gauss-Seidel sweeps and damped steps; the interface is documented in ``_sweeps.pxd``."""

from libc.math cimport HUGE_VAL, fmax, fmin, sqrt
from libc.string cimport memcpy

from nsdgen.solvers._attention cimport interrupted
from nsdgen.abi.cones cimport BOX, COMPLEMENTARITY, EQUALITY, block_height
from nsdgen.solvers.one_contact._friction_cone cimport MAX_DIM
from nsdgen.solvers.one_contact._contact_solver cimport solve_contact
from nsdgen.solvers.interaction._one_step_work cimport FINE
from nsdgen.solvers.interaction._directions cimport factor_rows, find_direction
from nsdgen.solvers.interaction._lemke_path cimport follow_path, has_path
from nsdgen.solvers.interaction._linearised_rows cimport PLAIN, copy_rows, linearize_rows, natural_rows, output_rows
from nsdgen.solvers.interaction._full_steps cimport GOOD, full_steps, step_along
from nsdgen.solvers.interaction._proximal_rounds cimport DAMPED_STEPS, PATH_ROWS, proximal_rounds

cdef enum:
    HALVINGS = 10
    ROUNDS = 4
    FIRST_SWEEPS = 20  # of a round, doubled from one to the next
    FEW_PIVOTS = 8  # of a path that is one attempt among others, for each row

# of the merit, for the length of a step: Armijo's constant, so small that any true descent is taken
cdef double DECREASE = 1e-4


cdef double _merit(const OneStep *w) noexcept nogil:
    cdef double total = 0.0, value
    cdef int i
    for i in range(w.top, w.bottom):
        value = w.f[i] * w.weight[i]
        total += value * value
    return sqrt(total)


cdef void _weigh(OneStep *w) noexcept nogil:
    """Weights of F for one search: it is compared with the terms of its row."""
    cdef double largest = 0.0
    cdef int i
    for i in range(w.top, w.bottom):
        largest = fmax(largest, w.scale[i] * w.rho[i])
    for i in range(w.top, w.bottom):
        w.weight[i] = 1.0 / fmax(w.scale[i] * w.rho[i], 1e-3 * largest + 1e-300)


cdef double _damped_steps(OneStep *w, double *start) noexcept nogil:
    """Newton's method with a line search from ``z``; leaves the best iterate there."""
    cdef double least, value, merit, new, length
    cdef int iteration, halving
    output_rows(w)
    least = natural_rows(w)
    copy_rows(w, w.best, w.z)
    _weigh(w)
    for iteration in range(DAMPED_STEPS):
        linearize_rows(w, PLAIN, False)
        merit = _merit(w)
        if least <= FINE or interrupted() or factor_rows(w, w.friction):
            break
        w.iterations += 1
        find_direction(w)
        copy_rows(w, start, w.z)
        length = 1.0
        for halving in range(HALVINGS):
            step_along(w, length)
            output_rows(w)
            linearize_rows(w, PLAIN, False)
            new = _merit(w)
            if new <= (1.0 - DECREASE * length) * merit:
                break
            copy_rows(w, w.z, start)
            length *= 0.5
        else:
            break
        value = natural_rows(w)
        if value < least:
            least = value
            copy_rows(w, w.best, w.z)
    copy_rows(w, w.z, w.best)
    return least


cdef void _sweep(OneStep *w) noexcept nogil:
    """One pass of block Gauss-Seidel, each block of rows solved exactly."""
    cdef double q[MAX_DIM]
    cdef double own[MAX_DIM * MAX_DIM]
    cdef double x[MAX_DIM]
    cdef const double *diagonal
    cdef const double *block
    cdef double value
    cdef int p, c, i, j, k, d, m, mq, base, cone
    for p in range(w.begin, w.end):
        base = w.row[p]
        m = w.row[p + 1] - base
        diagonal = w.value + w.place[w.start[p]]
        i = 0
        while i < m:
            cone = w.cone[base + i]
            d = block_height(cone)
            for k in range(d):
                q[k] = w.b[base + i + k]
                for c in range(w.start[p], w.start[p + 1]):
                    mq = w.row[w.column[c] + 1] - w.row[w.column[c]]
                    block = w.value + w.place[c] + (i + k) * mq
                    for j in range(mq):
                        q[k] += block[j] * w.z[w.row[w.column[c]] + j]
                for j in range(d):
                    own[k * d + j] = diagonal[(i + k) * m + i + j]
                    q[k] -= own[k * d + j] * w.z[base + i + j]
                x[k] = w.z[base + i + k]
            if d > 1:
                if solve_contact(d, own, q, w.bound + 2 * (base + i), x) != HUGE_VAL:
                    memcpy(w.z + base + i, x, d * sizeof(double))
            elif own[0] > 0.0 or (own[0] < 0.0 and cone == EQUALITY):
                value = -q[0] / own[0]
                if cone == COMPLEMENTARITY:
                    value = fmax(0.0, value)
                elif cone == BOX:
                    value = fmax(w.bound[2 * (base + i)], fmin(w.bound[2 * (base + i) + 1], value))
                w.z[base + i] = value
            i += d


cdef double sweep_and_step(OneStep *w) noexcept nogil:
    """Sweeps and damped Newton steps in turn, more sweeps each time."""
    cdef double least = HUGE_VAL
    cdef int turn, k, sweeps = FIRST_SWEEPS
    for turn in range(ROUNDS):
        for k in range(sweeps):
            if interrupted():
                return least
            _sweep(w)
        w.sweeps += sweeps
        least = _damped_steps(w, w.scratch + w.rows)
        if least > FINE:
            least = fmin(least, full_steps(w, False, FINE, DAMPED_STEPS))
        if least <= GOOD:
            break
        if turn == 0 and w.bottom - w.top <= PATH_ROWS and has_path(w):
            for k in range(w.top, w.bottom):
                w.center[k] = 0.0
            if follow_path(w, False, FEW_PIVOTS * (w.bottom - w.top)):
                least = full_steps(w, False, FINE, DAMPED_STEPS)
                if least <= GOOD:
                    break
        least = fmin(least, proximal_rounds(w))
        if least <= GOOD:
            break
        sweeps *= 2
    return least
