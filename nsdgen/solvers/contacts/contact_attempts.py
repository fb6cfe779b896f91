"""What is tried on one part of a friction problem that the solver of a step does not solve from the guess.

``newton``  the solver of a step over the graph (``_contact_problem.pxi``), with a finer shift, from other starts
``lemke``   contacts in the plane as a linear complementarity problem, pivoted with twice the digits
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from nsdgen.abi import NO_SLIP
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.contacts._contacts import ContactProblem, solve_from, solve_parts
from nsdgen.solvers.contacts.planar_precise import PRECISE_CONTACTS, planar_reactions
from nsdgen.solvers.linalg.double_double import DoubleDouble
from nsdgen.solvers.linalg.ordering import minimum_degree
from nsdgen.solvers.one_contact._one_contact import projected

__all__ = ["METHODS", "PRECISE", "SOLVERS", "Method", "attempts", "over_graph"]

SOLVERS = ("newton", "lemke")  # a later one is the more of a last resort
PRECISE = "lemke"  # the step whose reactions are right before they are rounded

_START_UNKNOWNS = 60  # up to here the last resort is another start
_STARTS = 20_000  # divided by the unknowns
_START_STEPS = 30  # of Newton's method from each of them: cheap, and now and then the only way
_START_REACHES = np.array([30.0, 3.0, 0.3])  # where one circles another may arrive
_OPEN = (-0.2, 0.8)  # of the contacts: between these shares, none below 0
_FINEST = 1e-13  # of the load: no iterate is asked for more

Step = tuple[str, Vector, int]  # solver, iterate (contacts, dim) in normalised units, iterations


def attempts(problem: ContactProblem, start: Vector, solver: str | None, tolerance: float) -> Iterator[Step]:
    """Iterates to certify; ends when there is nothing left to try.

    ``start`` is the guess of the caller, from which the solver of a step did not arrive.
    """
    given = ContactAttempt(problem, np.ascontiguousarray(start), tolerance)
    for method in METHODS if solver is None else (_CHOSEN[solver],):
        for step in method.run(given) if solver or method.fits(given) else ():
            yield step
            # The natural map is small but the certificate refuses it: a contact with small terms, or slow sliding.
            if problem.residual(step[1])[0] <= tolerance:
                yield over_graph(problem, step[1], _FINEST)


def over_graph(problem: ContactProblem, r: Vector, tolerance: float, finer: bool = False) -> Step:
    """The solver of a step from r, as far as it comes; ``finer`` as in ``solve_parts``."""
    r, reached = np.array(r, order="C"), np.zeros(1)
    first = np.array([0, problem.count], dtype=np.intc)
    order = minimum_degree(problem.start, problem.column)
    count, _ = solve_parts(problem, first, order, r, np.array([tolerance]), reached, finer)
    return "newton", r, count


@dataclass(frozen=True)
class ContactAttempt:
    """One part on its way: the caller's guess ``start``, and what is asked for."""

    problem: ContactProblem
    start: Vector
    tolerance: float

    @property
    def planar(self) -> bool:
        """Whether it is linear complementarity."""
        return self.problem.dim == 2 and bool(self.problem.mu.max() < NO_SLIP)


@dataclass(frozen=True)
class Method:
    """What may be tried, ``run``, and the condition under which it is, ``fits``."""

    name: str
    fits: Callable[[ContactAttempt], bool]
    run: Callable[[ContactAttempt], Iterator[Step]]


def _from_guess(given: ContactAttempt) -> Iterator[Step]:
    yield over_graph(given.problem, given.start, given.tolerance)


def _finer(given: ContactAttempt) -> Iterator[Step]:
    yield over_graph(given.problem, given.start, given.tolerance, finer=True)


def _from_many_starts(given: ContactAttempt) -> Iterator[Step]:
    """Short attempts from reactions far and wide, some contacts open."""
    problem = given.problem
    rng = np.random.default_rng(0)  # always the same starts
    starts = np.empty((_STARTS // problem.q.size, *problem.q.shape))
    for r in starts:
        r[:] = rng.normal(size=r.shape) * 10.0 ** rng.uniform(-1.0, 1.0)
        r[:, 0] = np.abs(r[:, 0])
        r[rng.random(problem.count) < rng.uniform(*_OPEN)] = 0.0
        r[:] = projected(problem.mu, r)
    found, count = solve_from(problem, starts, _START_REACHES, _START_STEPS, given.tolerance)
    if found is not None:
        yield "newton", found, count


def _precise(given: ContactAttempt) -> Iterator[Step]:
    """Pivoting in the plane with twice the digits; nothing on a ray."""
    problem = given.problem
    W, q = DoubleDouble.of(_dense(problem)), DoubleDouble.of(problem.q.ravel())
    r, pivots = planar_reactions(W, q, problem.mu[:, 0])
    if r is not None:
        yield PRECISE, r.high, pivots


# The order in which they are tried. ``benchmarks/friction_methods.py`` shows what each one alone solves.
METHODS: tuple[Method, ...] = (
    # Not at first: where reactions are not unique, with so small a shift they may come out far too large.
    Method("finer shift", lambda given: True, _finer),
    Method(PRECISE, lambda given: given.planar and given.problem.count <= PRECISE_CONTACTS, _precise),
    Method("many starts", lambda given: given.problem.q.size <= _START_UNKNOWNS, _from_many_starts),
)
_CHOSEN = {"newton": Method("newton", lambda given: True, _from_guess), PRECISE: METHODS[1]}


def _dense(problem: ContactProblem) -> Vector:
    """The normalised W (n, n)."""
    count, d = problem.count, problem.dim
    W = np.zeros((count, count, d, d))
    W[np.repeat(np.arange(count), np.diff(problem.start)), problem.column] = problem.blocks
    return W.transpose(0, 2, 1, 3).reshape(count * d, count * d)
