"""What is tried on one part of a friction problem that the solver of a step does not solve from the guess.

``newton``  the solver of a step over the graph, with a finer shift, from other starts
``lemke``   contacts in the plane as a linear complementarity problem, pivoted with twice the digits
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nsdgen.abi import NO_SLIP
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.contacts.contact_graph import ContactPart
from nsdgen.solvers.contacts.planar_precise import PRECISE_CONTACTS, planar_reactions
from nsdgen.solvers.interaction._interaction import solve_arrays, solve_from
from nsdgen.solvers.linalg.double_double import DoubleDouble
from nsdgen.solvers.one_contact._one_contact import projected

SOLVERS = ("newton", "lemke")  # a later one is the more of a last resort
PRECISE = "lemke"  # the step whose reactions are right before they are rounded
FINEST = 1e-12  # some thousand roundings beside the load: nothing is aimed at below this

_START_UNKNOWNS = 60  # up to here the last resort is another start
_STARTS = 20_000  # divided by the unknowns
_START_STEPS = 30  # of Newton's method from each of them: cheap, and now and then the only way
_START_REACHES = np.array([30.0, 3.0, 0.3])  # where one circles another may arrive
_OPEN = (-0.2, 0.8)  # of the contacts: between these shares, none below 0

Step = tuple[str, Vector, int]  # solver, iterate (contacts, dim) in normalised units, iterations
Method = Callable[[ContactPart, Vector, float], Iterator[Step]]  # of a part, a start and what is asked for


def attempts(part: ContactPart, start: Vector, solver: str | None, tolerance: float) -> Iterator[Step]:
    """Iterates to certify, each polished once more; ends when there is nothing left to try.

    ``start`` (contacts, dim) is the guess of the caller, from which the solver of a step did not arrive.
    ``benchmarks/friction_methods.py`` shows what each of METHODS alone solves.
    """
    for method in METHODS if solver is None else (_CHOSEN[solver],):
        for step in method(part, start, tolerance):
            yield step
            # Newton's measure is small but the certificate refuses it: a contact with small terms, or slow sliding.
            yield over_graph(part, step[1], FINEST)


def over_graph(part: ContactPart, r: Vector, tolerance: float, finer: bool = False) -> Step:
    """The solver of a step from r (contacts, dim), as far as it comes; ``finer`` as in ``solve_arrays``."""
    z = np.array(r, order="C").ravel()
    found = solve_arrays(*part.arrays, z, np.empty_like(z), tolerance, finer=finer)
    return "newton", z.reshape(r.shape), found[2] + found[3]


def _from_guess(part: ContactPart, start: Vector, tolerance: float) -> Iterator[Step]:
    yield over_graph(part, start, tolerance)


def _finer_shift(part: ContactPart, start: Vector, tolerance: float) -> Iterator[Step]:
    """Not at first: where reactions are not unique, with so small a shift they may come out far too large."""
    yield over_graph(part, start, tolerance, finer=True)


def _twice_the_digits(part: ContactPart, start: Vector, tolerance: float) -> Iterator[Step]:
    """Pivoting on few contacts in the plane that may slide; nothing on a ray."""
    if part.q.shape[1] != 2 or len(part.mu) > PRECISE_CONTACTS or not part.mu.max() < NO_SLIP:
        return
    r, pivots = planar_reactions(DoubleDouble.of(part.dense), DoubleDouble.of(part.q.ravel()), part.mu[:, 0])
    if r is not None:
        yield PRECISE, r.high, pivots


def _many_starts(part: ContactPart, start: Vector, tolerance: float) -> Iterator[Step]:
    """Short attempts from reactions far and wide, some contacts open; of few unknowns."""
    if part.q.size > _START_UNKNOWNS:
        return
    rng = np.random.default_rng(0)  # always the same starts
    starts = np.empty((_STARTS // part.q.size, *part.q.shape))
    for r in starts:
        r[:] = rng.normal(size=r.shape) * 10.0 ** rng.uniform(-1.0, 1.0)
        r[:, 0] = np.abs(r[:, 0])
        r[rng.random(len(r)) < rng.uniform(*_OPEN)] = 0.0
        r[:] = projected(part.mu, r)
    found, count = solve_from(
        *part.arrays, starts.reshape(len(starts), -1), _START_REACHES, _START_STEPS, tolerance
    )  # fmt: skip
    if found is not None:
        yield "newton", found.reshape(part.q.shape), count


METHODS: tuple[Method, ...] = (_finer_shift, _twice_the_digits, _many_starts)
_CHOSEN: dict[str, Method] = {"newton": _from_guess, PRECISE: _twice_the_digits}
