# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Multiple impacts as springs in a fast time, by the pair of Dormand and Prince with steps of their own."""
import numpy as np

from libc.math cimport INFINITY, fabs, isfinite, pow
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from nsdgen.abi.cones cimport EQUALITY
from nsdgen.solvers.linalg._linalg cimport lu_factor, lu_solve

cdef enum:
    STAGES = 7  # of Dormand and Prince
    MOST_STEPS = 2000000  # what takes longer does not end

cdef double ACCURACY = 1e-13  # of compressions and impulses, in a step
cdef double AT_REST = 1e-11  # of the fastest approach: slower ones have ended

cdef double[21] BUTCHER
BUTCHER[:] = [1 / 5., 3 / 40., 9 / 40., 44 / 45., -56 / 15., 32 / 9., 19372 / 6561., -25360 / 2187., 64448 / 6561.,
              -212 / 729., 9017 / 3168., -355 / 33., 46732 / 5247., 49 / 176., -5103 / 18656., 35 / 384., 0.,
              500 / 1113., 125 / 192., -2187 / 6784., 11 / 84.]
cdef double[7] DEFECT
DEFECT[:] = [71 / 57600., 0., -71 / 16695., 71 / 1920., -17253 / 339200., 22 / 525., -1 / 40.]


cdef struct Impact:
    int m  # contacts
    double *A  # (m, m), equality rows eliminated
    double *before  # rates before
    double *e
    double *K
    double *eta
    double *size  # of compressions (m), then of impulses (m)
    double fastest  # approach


cdef int trace_rows(int n, const double *A, const double *u, const int *cone, const double *law, double *P,
                      double *w) noexcept nogil:
    cdef double *work = <double *>malloc((3 * n * n + 32 * n + 1) * sizeof(double))
    cdef int *place = <int *>malloc((2 * n + 1) * sizeof(int))
    cdef int status = NO_ROOM, i, j
    if work != NULL and place != NULL:
        memset(P, 0, n * sizeof(double))
        status = trace_with(n, A, u, cone, law, P, work, place)
        for i in range(n):
            w[i] = u[i]
            for j in range(n):
                w[i] += A[i * n + j] * P[j]
            if status == ENDED and cone[i] == EQUALITY:
                w[i] = 0.0
    free(work)
    free(place)
    return status


cdef int trace_with(int n, const double *A, const double *u, const int *cone, const double *law, double *P,
                    double *work, int *place) noexcept nogil:
    """``work`` (3 n^2 + 32 n), ``place`` (2 n): contacts first, then equality rows."""
    cdef Impact impact
    cdef int i, j, m = 0, q = n, status
    cdef double *factors = work + n * n
    cdef double *share = factors + n * n  # of the equality rows in the multipliers of contacts, and in u
    cdef double *rest = share + n * n + n
    for i in range(n):
        if cone[i] != EQUALITY:
            place[m] = i
            m += 1
    for i in range(n - 1, -1, -1):
        if cone[i] == EQUALITY:
            q -= 1
            place[q] = i
    status = eliminate(n, m, A, u, place, factors, share)
    if status:
        return status
    impact.m, impact.A, impact.before = m, work, rest
    impact.e, impact.K, impact.eta, impact.size = rest + n, rest + 2 * n, rest + 3 * n, rest + 4 * n
    for i in range(m):
        impact.e[i], impact.K[i], impact.eta[i] = law[3 * place[i]], law[3 * place[i] + 1], law[3 * place[i] + 2]
        impact.before[i] = u[place[i]]
        for q in range(n - m):
            impact.before[i] += A[place[i] * n + place[m + q]] * share[q * (m + 1) + m]
        for j in range(m):
            impact.A[i * m + j] = A[place[i] * n + place[j]]
            for q in range(n - m):
                impact.A[i * m + j] += A[place[i] * n + place[m + q]] * share[q * (m + 1) + j]
    status = trace(&impact, rest + 6 * n)
    for i in range(m):
        P[place[i]] = rest[6 * n + m + i]
    for q in range(n - m):
        P[place[m + q]] = share[q * (m + 1) + m]
        for j in range(m):
            P[place[m + q]] += share[q * (m + 1) + j] * P[place[j]]
    return status


cdef int eliminate(int n, int m, const double *A, const double *u, const int *place, double *factors,
                   double *share) noexcept nogil:
    """Multipliers of the equality rows as ``share`` (n - m, m + 1) of those of the contacts and of 1."""
    cdef int k = n - m, q, j
    cdef int pivot[256]
    if k == 0:
        return 0
    if k > 256:
        return INCONSISTENT
    for q in range(k):
        for j in range(k):
            factors[q * k + j] = A[place[m + q] * n + place[m + j]]
        for j in range(m):
            share[q * (m + 1) + j] = -A[place[m + q] * n + place[j]]
        share[q * (m + 1) + m] = -u[place[m + q]]
    if lu_factor(k, factors, pivot):
        return INCONSISTENT
    lu_solve(k, factors, pivot, share, m + 1)
    return 0


cdef int trace(Impact *s, double *state) noexcept nogil:
    """From compressions and impulses of zero to the end: ``state`` holds both (2 m), then room (16 m)."""
    cdef int m = s.m, steps
    cdef double h, error, factor
    cdef double *slope = state + 2 * m  # STAGES of (2 m)
    cdef double *trial = slope + 2 * m * STAGES
    memset(state, 0, 2 * m * sizeof(double))
    h = scales(s)
    if s.fastest == 0.0:  # nothing approaches
        return ENDED
    if not 0.0 < h < INFINITY:
        return NOT_ENDED
    slopes(s, state, slope)
    for steps in range(MOST_STEPS):
        error = attempt(s, h, state, slope, trial)
        if not isfinite(error):
            h *= 0.1
            if not h > 0.0:
                return NOT_ENDED
            continue
        factor = 5.0 if error < 1e-4 else 0.9 * pow(error, -0.2)
        if error <= 1.0:
            memcpy(state, trial, 2 * m * sizeof(double))
            settle(s, state)
            if ended(s, state):
                return ENDED
            slopes(s, state, slope)
        h *= min(5.0, max(0.1, factor))
    return NOT_ENDED


cdef double scales(Impact *s) noexcept nogil:
    """How far contacts are compressed and how large impulses get; the first step, 0 where these are no doubles."""
    cdef int i
    cdef double shortest = INFINITY, effect
    s.fastest = 0.0
    for i in range(s.m):
        s.fastest = max(s.fastest, -s.before[i])
    if s.fastest == 0.0:
        return 0.0
    for i in range(s.m):
        effect = s.A[i * (s.m + 1)]
        if not effect > 0.0:
            effect = 1e-300
        s.size[i] = pow((s.eta[i] + 1.0) * s.fastest * s.fastest / (2.0 * effect * s.K[i]), 1.0 / (s.eta[i] + 1.0))
        s.size[s.m + i] = s.fastest / effect
        if s.A[i * (s.m + 1)] > 0.0 and not s.size[i] < INFINITY:  # beside it no error shows
            return 0.0
        shortest = min(shortest, s.size[i] / s.fastest)
    return 1e-3 * shortest


cdef double rate(const Impact *s, int i, const double *state) noexcept nogil:
    """u_i."""
    cdef int j
    cdef double u = s.before[i]
    for j in range(s.m):
        u += s.A[i * s.m + j] * state[s.m + j]
    return u


cdef void slopes(const Impact *s, const double *state, double *slope) noexcept nogil:
    """delta' and P'."""
    cdef int i
    cdef double u
    for i in range(s.m):
        u = rate(s, i, state)
        slope[i] = slope[s.m + i] = 0.0
        if u <= 0.0:
            slope[i] = -u
        elif state[i] > 0.0:
            slope[i] = -u / (s.e[i] * s.e[i])
        if state[i] > 0.0:
            slope[s.m + i] = s.K[i] * pow(state[i], s.eta[i])


cdef double attempt(const Impact *s, double h, const double *state, double *slope, double *trial) noexcept nogil:
    """One step of order 5; its error in units of the accuracy."""
    cdef int stage, k, i, n = 2 * s.m, at = 0
    cdef double value, error = 0.0, off
    for stage in range(1, STAGES):
        for i in range(n):
            value = 0.0
            for k in range(stage):
                value += BUTCHER[at + k] * slope[k * n + i]
            trial[i] = state[i] + h * value
        at += stage
        slopes(s, trial, slope + stage * n)
    for i in range(n):
        value = 0.0
        for k in range(STAGES):
            value += DEFECT[k] * slope[k * n + i]
        off = fabs(h * value) / (ACCURACY * max(s.size[i], fabs(state[i])))
        error = off if not off <= error else error
    return error


cdef void settle(const Impact *s, double *state) noexcept nogil:
    """Compressions that have ended are zero."""
    cdef int i
    for i in range(s.m):
        if state[i] <= 0.0:
            state[i] = 0.0


cdef bint ended(const Impact *s, const double *state) noexcept nogil:
    """Whether no contact holds energy that would still show in a rate, and none approaches."""
    cdef int i
    for i in range(s.m):
        if state[i] > s.size[i] * pow(AT_REST, 2.0 / (s.eta[i] + 1.0)) or rate(s, i, state) < -AT_REST * s.fastest:
            return False
    return True


def traced(double[:, ::1] A, double[::1] u, int[::1] cone, double[:, ::1] law):
    """(P, w, status) of :func:`trace_rows` for arrays that have been checked."""
    cdef int n = u.shape[0], status
    cdef double[::1] P = np.zeros(n), w = np.zeros(n)
    if n == 0:
        return np.asarray(P), np.asarray(w), 0
    with nogil:
        status = trace_rows(n, &A[0, 0], &u[0], &cone[0], &law[0, 0], &P[0], &w[0])
    return np.asarray(P), np.asarray(w), status
