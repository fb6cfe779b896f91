# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Runs of one model that step together, one in each lane of the function that its module has for ensembles."""
from libc.stdlib cimport free, malloc

from nsdgen.runtime._program_data cimport Program
from nsdgen.runtime._runs cimport CACHE, Keeping, complete_rows, keep_rows
from nsdgen.runtime._runs cimport Stepper
from nsdgen.runtime._binding cimport KernelTable
from nsdgen.abi cimport nsdgen_lane_steps, nsdgen_run
from nsdgen.solvers._attention cimport interrupted


cdef enum:
    ALONE = 64  # steps made one by one, at most, before the caller asks whether lanes are worth it
    UNASKED = 1024  # steps in lanes, at most, between two questions whether to end


def lanes_of(KernelTable table):
    """How many runs of a model step at once; 0 where its module was not compiled for ensembles."""
    return table.module.lanes


cdef class Lanes:
    """Steppers at the same step of runs with the same start and step: ``Lanes(steppers)``, at most one for each lane.

    Lanes that are left over repeat the others. What the steppers keep was chosen with ``Stepper.keep``.
    """

    cdef tuple steppers
    cdef nsdgen_lane_steps call
    cdef nsdgen_run **run
    cdef Keeping **keeping
    cdef const Program **program
    cdef double *block
    cdef long n, lanes, width, most

    def __cinit__(self, steppers):
        cdef Stepper stepper = steppers[0]
        cdef KernelTable table = stepper.model.arrays.table
        cdef long i
        self.steppers = tuple(steppers)
        self.n, self.lanes, self.width = len(steppers), table.module.lanes, stepper.model.width
        if not 0 < self.n <= self.lanes:
            raise ValueError(f"{self.n} runs for {self.lanes} lanes")
        self.call = table.module.lane_steps
        self.most = max(<long>1, CACHE // (self.width * self.lanes))
        self.run = <nsdgen_run **>malloc(self.lanes * sizeof(nsdgen_run *))
        self.keeping = <Keeping **>malloc(self.lanes * sizeof(Keeping *))
        self.program = <const Program **>malloc(self.lanes * sizeof(void *))
        self.block = <double *>malloc((self.width * self.lanes + 1) * self.most * sizeof(double))
        if self.run == NULL or self.keeping == NULL or self.program == NULL or self.block == NULL:
            raise MemoryError
        for i in range(self.lanes):
            stepper = self.steppers[i % self.n]
            stepper.fused_steps.run.start, stepper.fused_steps.run.h = stepper.start_time, stepper.step_size
            self.run[i], self.keeping[i] = &stepper.fused_steps.run, &stepper.recorder.keeping
            self.program[i] = &stepper.model.program

    def __dealloc__(self):
        free(self.run)
        free(self.keeping)
        free(self.program)
        free(self.block)

    cdef long ready(self, long count):
        """How many of the next ``count`` steps may be made in lanes: not the first, and none at whose end a block is due."""
        cdef Stepper stepper
        for stepper in self.steppers:
            if stepper.step_number == 0:
                return 0
            if stepper.model.program.n_samplers:
                count = min(count, stepper.steps_alone())
        return count

    def advance(self, long count, double[:, :, ::1] rows, double[:, ::1] times, long[::1] written):
        """Make up to ``count`` steps: (steps made, how many of these one by one, the runs that failed).

        Fewer where rows are full, where many are made one by one, and where a run fails: it has not made the last one.
        What run i keeps goes to ``rows[i]`` (k, columns) and ``times[i]`` (k,), ``written[i]`` of it.
        """
        cdef Stepper stepper = self.steppers[0]
        cdef long number = stepper.step_number, made = 0, alone = 0, got, may
        if min(rows.shape[0], times.shape[0], written.shape[0]) < self.n or rows.shape[2] != self.keeping[0].n:
            raise ValueError("the table does not fit")
        written[:] = 0
        failed = []
        while made < count and alone < ALONE and not failed and not interrupted():
            may = self.ready(count - made)
            got = self.together(number + made, may, rows, times, written) if may else 0
            for stepper in self.steppers if got else ():
                stepper.moved_on(got)
            made += got
            if max(written) == min(rows.shape[1], times.shape[1]):
                break
            if made < count and got == may and may > 0:
                continue
            if made < count:  # some run needs the general stepper
                failed = self.one_by_one(rows, times, written)
                made += 1
                alone += 1
        return made, alone, failed

    cdef long together(self, long number, long count, double[:, :, ::1] rows, double[:, ::1] times, long[::1] written):
        """Make up to ``count`` steps after step ``number`` in lanes; how many: fewer where a run needs the general
        stepper, or where rows are full."""
        cdef long pitch = self.width * self.lanes, made = 0, got, want, i, full = max(written)
        cdef long room = min(rows.shape[1], times.shape[1]), every = self.keeping[0].every
        cdef double *ends = self.block + pitch * self.most
        cdef bint silent
        with nogil:  # as long as can be: threads that ask for the lock wait for each other
            while made < count and full < room and not interrupted():
                want = min(count - made, self.most)
                silent = not self.keeping[0].n_reduced and (not every or number + made + 1 < self.keeping[0].since)
                if silent:  # nothing is looked at
                    want = count - made if not every else min(count - made, self.keeping[0].since - 1 - number - made)
                    want = min(want, <long>UNASKED)
                elif every:
                    want = min(want, max((room - full - 1) * every, <long>1))
                got = self.call(<const nsdgen_run *const *>self.run, number + made, want, self.block,
                                0 if silent else pitch, ends)
                for i in range(self.n if got and not silent else 0):
                    complete_rows(self.program[i], self.block + i, pitch, self.lanes, got, ends)
                    written[i] += keep_rows(self.keeping[i], pitch, self.lanes, number + made + 1, False, got,
                                       self.block + i, ends, &rows[i, written[i], 0] if self.keeping[i].n else NULL,
                                       &times[i, written[i]])
                    full = max(full, written[i])
                made += got
                if got < want:
                    break
        return made

    cdef list one_by_one(self, double[:, :, ::1] rows, double[:, ::1] times, long[::1] written):
        """Make one step of every run by itself; which runs failed."""
        cdef Stepper stepper
        cdef long i = 0, made
        failed = []
        for stepper in self.steppers:
            with nogil:
                made = stepper.go(1, &rows[i, written[i], 0] if self.keeping[i].n else NULL, &times[i, written[i]], &written[i])
            if made < 0:
                failed.append(i)
            i += 1
        return failed
