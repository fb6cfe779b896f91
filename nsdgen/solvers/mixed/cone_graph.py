"""Rows of several cones, friction among them, as nodes of the graph of a step: one contact or one other row each.

Parts that nothing connects are problems of their own, in natural units and their own load; a part without friction is
one of bounded rows. The solver of a step starts from the guess, then from rest, then from many other places.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nsdgen.abi import Cone
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector, block
from nsdgen.solvers.certify._certify import MOST_ROWS, undetermined_reactions
from nsdgen.solvers.certify.mixed_certificate import DataUnits, mixed_certificate, violation_of_load
from nsdgen.solvers.contacts._contacts import solve_dense
from nsdgen.solvers.contacts.planar_precise import planar_on_bodies
from nsdgen.solvers.interaction._interaction import solve_arrays, solve_from, solve_islands
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.mixed.condensed_rows import OWN, CondensedRows
from nsdgen.solvers.mixed.cone_problem import ConeProblem, Rows, arrays_of
from nsdgen.solvers.one_contact._one_contact import projected
from nsdgen.solvers.scaling.natural_units import in_units
from nsdgen.solvers.solution import Solution, failure

Attempt = tuple[Vector, int, int, float, str]  # z, iterations, deficiency, seconds, method
UNCOUNTED = -1  # a deficiency that is counted where z passes

SOLVERS = ("condensed", "newton")  # equality rows left out, or kept
PRECISE = "lemke"  # contacts in the plane with twice the digits: right before they are rounded
AIMS = (1e-2, 1e-4)  # of the tolerance: what the natural map of a step is asked for, whose measure is another one
KEPT_AIM = 1e-3  # the same for Newton's method alone
FINEST = 1e-13  # nothing is aimed at below this
FIRST_DECADES = 1.0  # of coefficients, that the first step of a path goes
FEWEST_DECADES = 0.002  # where shorter steps lead nowhere either
LONGER = 1.5  # than a step that arrived
MOST_FOLLOWED = 400  # steps, most of which take a fraction of a millisecond
STARTS = 20_000  # divided by the rows: starts far and wide
WHOLE_STARTS = 3_000  # divided by the rows: those from which more is tried
DIGITS = 9  # of the largest entry: ends of starts that have these in common are one
START_STEPS = 30  # of Newton's method from each of them: cheap, and now and then the only way
START_REACHES = np.array([30.0, 3.0, 0.3])  # where one circles another may arrive
OPEN = (-0.2, 0.8)  # of the contacts: between these shares, none below 0
MOST_STARTED = 60  # rows up to which there are any
SUSPECTED = 4  # attempts after which it is asked whether the signs exclude each other: a linear program costs as much
MOST_SHORTENED = 1000  # equality rows up to which their shortest multipliers are looked for: dense work
FAR_APART = 2.0**10  # units of multipliers that a shortest one does not mix
RANK = 1e-12  # of the largest singular value: a smaller one is rounding


@dataclass(frozen=True)
class ConePart:
    """A connected part in natural units and its load, node after node, contacts first.

    ``rows`` (n,) are its rows in the data, where y is ``rate`` (n,) and z is ``unit`` (n,) times that of here.
    ``beside`` is given where there are contacts alone, in all parts.
    """

    rows: Rows
    rate: Vector
    unit: Vector
    problem: ConeProblem
    beside: DataUnits | None = None

    def solution(self, start: Vector, solver: str | None) -> Solution:
        """The certified solution from a guess (n,) in the data, z and w in the data; ``solver`` is one of SOLVERS."""
        problem, best, least = self.problem, np.zeros(len(self.rows)), np.inf
        y, steps, seconds, rounded = best, 0, 0.0, False
        for tried, (z, count, deficiency, took, name) in enumerate(
            self._attempts(start[self.rows] / self.unit, solver), start=1
        ):
            steps, seconds = steps + count, seconds + took
            found, off = self.judged(self.projected(z))
            rounded |= name == PRECISE
            if float(off.max()) < least:
                open_ = deficiency if deficiency >= 0 else self.open_reactions(z)
                best, y, least, worst = z, found, float(off.max()), int(off.argmax())
            if least <= problem.tol:
                if open_:
                    best, y, least = self._shortest(best, y, least)
                z, w, of_load = self.unit * best, self.rate * y, self.of_load(best, y)
                return Solution(z, w, least, name, steps, open_, seconds, of_load)
            if tried == SUSPECTED and (self._excluded[1] or (self.beside is not None and len(self._excluded[0]))):
                break  # what comes then takes long where there is no solution at all
        if not least < np.inf:  # nothing to try, or no number came of it
            y, off = self.judged(best)
            least, worst = float(off.max()), int(off.argmax())
        raise self._refusal(best, y, least, worst, rounded)

    def at_once(self, start: Vector, first: Rows) -> tuple[Vector, Vector, Vector, int, float]:
        """Parts that begin with the rows ``first`` by the solver of a step, whatever becomes of others.

        ``start`` (n,) is a guess in the data. z, y and what rows are off by (n,), in these units; steps and seconds.
        """
        islands = np.searchsorted(np.flatnonzero(self.problem.graph[0] != FOLLOWS), first).astype(np.intc)
        z = start[self.rows] / self.unit
        aims = np.full(len(first) - 1, self._aim(AIMS[0]))
        arrays = list(self.problem.arrays)
        island = np.searchsorted(islands, arrays[5], side="right")
        arrays[5] = arrays[5][np.argsort(island, kind="stable")]  # an order of elimination island by island
        steps, seconds = solve_islands(*arrays, islands, z, aims)
        return self.projected(z), *self.judged(z), steps, seconds

    def projected(self, z: Vector) -> Vector:
        """z (n,) with reactions put into their cones, in place."""
        for rows, mu in self.problem.contacts:
            z[rows] = projected(mu, z[rows])
        return z

    def judged(self, z: Vector) -> tuple[Vector, Vector]:
        """y (n,) with exact signs and what each row is off by (n,), at z (n,) in these units."""
        problem = self.problem
        return mixed_certificate(
            problem.A, problem.b, problem.lower, problem.upper, problem.contacts, z, problem.tol, self._load,
            self.beside,
        )  # fmt: skip

    def _shortest(self, z: Vector, y: Vector, residual: float) -> tuple[Vector, Vector, float]:
        """The shortest multipliers of equality rows that do the same, where these are a solution, too."""
        cone, _, less = self.problem.graph
        rows = np.arange(len(z)) if less is None else less.kept
        rows = rows[cone[rows] == Cone.EQUALITY]
        if not 0 < len(rows) <= MOST_SHORTENED:
            return z, y, residual
        block = self.problem.A[:, rows]
        block = block if isinstance(block, np.ndarray) else block.toarray()
        unit = self.unit[rows]
        unit = unit if unit.max() < FAR_APART * unit.min() else np.ones(len(rows))
        short = z.copy()
        short[rows] = np.linalg.lstsq(block / unit, block @ z[rows], rcond=RANK)[0] / unit
        found, off = self.judged(short)
        if off.max() <= self.problem.tol:
            return short, found, float(off.max())
        return z, y, residual

    def _attempts(self, start: Vector, solver: str | None) -> Iterator[Attempt]:
        """What is tried, one after the other, from a guess (n,)."""
        less, unknown = self.problem.graph[2], self.problem.unknown
        if solver == PRECISE:
            yield from self._precise()
            return
        kept = unknown.any() and solver != SOLVERS[0]
        if kept and (less is None or solver):
            yield from self._with_unknowns(start)
        if solver and (kept or (less is None and solver == SOLVERS[0])):
            return
        if (
            less is not None
            and len(self.problem.contacts) == 1
            and np.array_equal(less.kept, np.sort(self.problem.contacts[0][0].ravel()))
        ):
            yield from self._as_contacts(less, start)
        yield from self._over_graph(start)
        if less is not None and kept and not solver:
            yield from self._with_unknowns(start)
        if not solver:
            yield from self._precise()
        yield from self._along_coefficients()
        yield from self._from_many_starts()

    def _as_contacts(self, less: CondensedRows, start: Vector) -> Iterator[Attempt]:
        """Contacts alone are left, of one dimension."""
        rows, mu = self.problem.contacts[0]  # rows of contacts come first, in order
        r = start[less.kept]
        for aim in AIMS:
            goal = max(aim * self.problem.tol, FINEST)
            found = solve_dense(less.A, less.b, np.ascontiguousarray(mu), rows.shape[1], goal, r)
            if type(found) is not Solution:
                return
            r = found.z
            yield less.whole(r), found.iterations, found.rank_deficiency, found.seconds, SOLVERS[0]

    def _over_graph(self, start: Vector) -> Iterator[Attempt]:
        """The solver of a step from the guess, from rest, from where it came to, and with a finer shift."""
        aim = self._aim(AIMS[0])
        first = self._from(start, aim)
        yield first
        if start.any():
            yield self._from(np.zeros_like(start), aim)
        yield self._from(first[0], FINEST)
        yield (finer := self._from(start, aim, finer=True))
        yield self._from(finer[0], FINEST)

    def _along_coefficients(self) -> Iterator[Attempt]:
        """From coefficients of 1 to those given, in steps that the solver of a step follows from one to the next."""
        arrays, less, aim = list(self.problem.arrays), self.problem.graph[2], self._aim(AIMS[0])
        bound, contact = arrays[7].reshape(-1, 2), arrays[6] >= Cone.COULOMB_2D
        given = bound[contact]
        end, at, step = float(np.abs(np.log10(given[given > 0.0])).max(initial=0.0)), 0.0, FIRST_DECADES
        z = np.zeros(len(bound))
        for _ in range(MOST_FOLLOWED):
            to, trial, near = min(at + step, end), z.copy(), bound.copy()
            near[contact] = np.where(given > 0.0, np.clip(given, 10.0**-to, 10.0**to), 0.0)
            arrays[7] = near.ravel()
            if solve_arrays(*arrays, trial, np.zeros(len(z)), aim)[0]:
                step *= 0.5
            else:
                z, at, step = trial, to, LONGER * step
            if at == end or step < FEWEST_DECADES:
                break
        if at == end:
            yield self._from(z if less is None else less.whole(z), FINEST)

    def _from(self, z: Vector, tolerance: float, finer: bool = False) -> Attempt:
        """Where the solver of a step comes to; ``finer`` as in ``solve_arrays``."""
        arrays, less = self.problem.arrays, self.problem.graph[2]
        z = z.copy() if less is None else z[less.kept]
        found = solve_arrays(*arrays, z, np.zeros(len(z)), tolerance, finer=finer)
        whole = z if less is None else less.whole(z)
        left = self.problem.A if less is None else less.A
        hidden = self.problem.has_contacts_alone and not (np.abs(left.diagonal()) > OWN).all()
        hidden |= self.beside is not None and len(self.problem.contacts) == 1
        return whole, found[2] + found[3], UNCOUNTED if hidden else found[4], found[6], SOLVERS[less is None]

    def _with_unknowns(self, start: Vector) -> Iterator[Attempt]:
        """Newton's method alone, the equality rows kept: what condensing them rounds away, or fills, is still there."""
        problem, unknown, (cone, bound, less) = self.problem, self.problem.unknown, self.problem.graph
        own = problem.A.diagonal()
        own = np.where(unknown | (np.abs(own) > OWN), own, 1.0)
        arrays = arrays_of(problem.A, problem.b, cone, bound)
        nodes = np.ascontiguousarray(unknown[cone != FOLLOWS], dtype=np.intc)
        for first in (start, np.zeros_like(start)) if start.any() else (start,):
            z = first.copy() if less is None else less.whole(first[less.kept])
            tolerance = max(KEPT_AIM * problem.tol, FINEST)
            found = solve_arrays(*arrays, z, np.zeros(len(z)), tolerance, unknown=nodes, diagonal=own)
            yield z, found[2], UNCOUNTED, found[6], SOLVERS[1]

    @property
    def is_whole(self) -> bool:
        """Whether no equality rows are left out, so that parts may be solved side by side."""
        return self.problem.graph[2] is None and not self.problem.unknown.any()

    def open_reactions(self, z: Vector) -> int:
        """How many reactions are open, of contacts of one dimension alone; or on bodies, that no equality row feels.

        The definite block that these rows may have does not count.
        """
        (rows, mu), alone = self.problem.contacts[0], self.beside is not None
        if not (self.problem.has_contacts_alone or alone) or rows.size > MOST_ROWS or len(self.problem.contacts) > 1:
            return 0
        rows = rows.ravel()
        across = self.problem.A[np.flatnonzero(self.problem.unknown)][:, rows]
        u = (self.problem.A @ z + self.problem.b)[rows]
        felt = block(self.problem.A, rows) if alone else across.T @ across
        return int(undetermined_reactions(felt, z[rows], u, mu))

    def _precise(self) -> Iterator[Attempt]:
        """Contacts in the plane, alone or on bodies without coupling, with twice the digits, which hold masses."""
        (rows, mu), less = self.problem.contacts[0], self.problem.graph[2]
        kept, bodies = np.arange(len(self.rows)), np.zeros(0, dtype=np.intp)
        if less is not None:
            kept, bodies = less.kept, less.left
        if len(self.problem.contacts) > 1 or rows.shape[1] != 2 or not np.array_equal(rows.ravel(), kept):
            return
        z, pivots = planar_on_bodies(self.problem.A, self.problem.b, bodies, mu)
        if z is not None:
            yield z, pivots, UNCOUNTED, 0.0, PRECISE if less is None else SOLVERS[0]

    def _from_many_starts(self) -> Iterator[Attempt]:
        """Short attempts from far and wide, beside other rows by all that the solver of a step knows; of few rows."""
        n, aim = len(self.rows), self._aim(AIMS[0])
        if n > MOST_STARTED:
            return
        if self.beside is None:
            ends = set()
            for z in self._starts(WHOLE_STARTS // n):
                end = self._from(z, aim)
                place = np.round(end[0] / (np.abs(end[0]).max() or 1.0), DIGITS).tobytes()
                if place not in ends:  # judged already, which takes longer than to come there
                    ends.add(place)
                    yield end
            return
        starts = np.array(list(self._starts(STARTS // n)))
        found, _ = solve_from(*self.problem.arrays, starts, START_REACHES, START_STEPS, aim)
        if found is not None:
            yield self._from(found, aim)
            yield self._from(found, FINEST)

    def _starts(self, count: int) -> Iterator[Vector]:
        """z (n,) of all sizes, always the same, some contacts open and some rows at zero."""
        problem, rng, n = self.problem, np.random.default_rng(0), len(self.rows)
        for _ in range(count):
            z = rng.normal(size=n) * 10.0 ** rng.uniform(-1.0, 1.0)
            z[rng.random(n) < rng.uniform(*OPEN)] = 0.0
            for rows, _mu in problem.contacts:
                z[rows[:, 0]] = np.abs(z[rows[:, 0]])
                z[rows[rng.random(len(rows)) < rng.uniform(*OPEN)]] = 0.0
            yield self.projected(np.clip(z, problem.lower, problem.upper))

    def _aim(self, share: float) -> float:
        """What the natural map of a step must fall to for this share of the tolerance, also in units of the data."""
        if self.beside is not None:
            whole = self.beside.whole
            share *= min(1.0, whole.load / (whole.size * float(self.unit.max())))
        return max(share * self.problem.tol, FINEST)

    @cached_property
    def _load(self) -> float | None:
        """What contacts on bodies are loaded with, their velocities without reactions; None for other problems."""
        less = self.problem.graph[2]
        if not self.problem.has_contacts_alone:
            return None
        free = np.zeros(1) if less is None else less.b[np.searchsorted(less.kept, self.problem.contacts[0][0].ravel())]
        return float(np.abs(free).max()) or 1.0

    def of_load(self, z: Vector, y: Vector) -> float:
        """What the signs changed most, of contacts alone the largest violation, beside the largest b, in the data."""
        if self.beside is not None:
            u, r = self.rate * y, self.unit * z
            return max(violation_of_load(u[rows], r[rows], mu, self.beside.whole) for rows, mu in self.problem.contacts)
        off = np.abs(self.problem.A @ z + self.problem.b - y)
        return float((self.rate * off).max() / (self.rate * np.abs(self.problem.b)).max()) if off.any() else 0.0

    def _refusal(self, z: Vector, y: Vector, residual: float, worst: int, rounded: bool) -> SolverError:
        """The error where nothing solved it: rows whose signs exclude each other, or the worst one.

        ``rounded`` says that reactions were found with twice the digits, which doubles do not hold.
        """
        lost, proved = self._excluded
        reason = "nearly infeasible" if len(lost) else "beyond doubles" if rounded else "not converged"
        if proved:
            reason = "inconsistent" if (self.problem.graph[0][lost] == Cone.EQUALITY).all() else "infeasible"
        error = failure(reason, z, y, residual, worst)
        error.z, error.rows = self.unit * z, tuple(int(i) for i in np.sort(self.rows[lost])) or (self._named(worst),)
        return error

    def _named(self, row: int) -> int:
        """The row of the data that stands for ``row``: for a contact the normal one."""
        firsts = [rows[hit, 0] for rows, _ in self.problem.contacts if (hit := (rows == row).any(axis=1)).any()]
        return int(self.rows[firsts[0][0] if firsts else row])

    @cached_property
    def _excluded(self) -> tuple[Rows, bool]:
        """Rows whose signs exclude each other whatever frictions are, and whether that is proved."""
        # Imported late: SciPy's linear programs take a while, and few problems need them.
        from nsdgen.solvers.certify.feasible import Feasibility
        from nsdgen.solvers.certify.friction_infeasible import excluding_rows

        problem = self.problem
        A, b, lower, upper = problem.A, problem.b, problem.lower, problem.upper
        if self.beside is not None:  # in numbers as they are given
            A, b = in_units(A, self.rate, 1.0 / self.unit), self.rate * b
        known, lost = excluding_rows(A, b, lower, upper, problem.contacts)
        return lost, known == Feasibility.EXCLUDED
