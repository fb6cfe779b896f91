"""The errors for friction problems without a (certified) solution, in the contacts' own variables or global ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector

Rows = NDArray[np.signedinteger]

FAR = 1e5  # times: units of contacts in which mobilities are 1e10 apart


def unsupported_by_reactions(lost: Rows, r: Vector) -> SolverError:
    """The error for contacts ``lost`` that close and that no reaction changes."""
    message = f"no reaction changes the normal velocity of contact {lost[0]}, which closes"
    return _error("infeasible", message, lost, r, "take the contact out, or give its bodies a finite mass")


def excluded_by_reactions(lost: Rows, r: Vector, proved: bool) -> SolverError:
    """The error for contacts ``lost`` that no reactions keep from closing; ``proved``, or as far as doubles show."""
    fix = (
        "look for contacts that exclude each other, such as walls that close in on a body, or for masses so far "
        "apart that the sums in W have lost some: `solve_global_friction` keeps them"
    )
    message = f"no reactions keep {_contacts(lost)} from closing"
    if proved:
        return _error("infeasible", message, lost, r, fix)
    return _error("not converged", f"{message}, unless they are so large that q is lost beside them", lost, r, fix)


def excluded(lost: Rows, r: Vector) -> SolverError:
    """The error for contacts ``lost`` that no velocities keep from closing."""
    if len(lost) == 1:
        message = "no velocities keep it from closing: u_N < 0 whatever v is"
        return _error("infeasible", message, lost, r, "take the contact out, or let a body of it move")
    message = f"no velocities keep {_contacts(lost)} from closing"
    fix = "look for contacts that exclude each other, such as walls that close in on a body"
    return _error("infeasible", message, lost, r, fix)


def _contacts(lost: Rows) -> str:
    if len(lost) == 1:
        return f"contact {lost[0]}"
    return f"all of contacts {', '.join(map(str, lost[:8]))}{' …' if len(lost) > 8 else ''}"


def no_slip_hint(mu: Vector) -> str:
    """What to do where a problem with coefficients ``mu`` was not solved and some are infinite; else nothing."""
    if not (mu >= NO_SLIP).any():
        return ""
    return "with an infinite coefficient a contact sticks or is open, which may be impossible: give a large finite one"


def masses_hint(unit: Vector) -> str:
    """What to do where a problem was not solved whose contacts have units (contacts,), 1 / sqrt(W_NN), far apart."""
    if not unit.max(initial=1.0) > FAR * unit.min(initial=np.inf):
        return ""
    return (
        "contacts carry masses so far apart that sums in W have lost digits of them, or all: "
        "`solve_global_friction` keeps the masses"
    )


def beyond_doubles(law: Vector, r: Vector, tol: float) -> SolverError:
    """The error for a problem whose solution was found with twice the digits, and is none when rounded to doubles.

    ``law`` (contacts,) are the residuals of the best iterate ``r``.
    """
    order = np.argsort(-law)
    return _error("not converged", "double precision cannot hold this solution: reactions are so much larger than what "
                  f"they move that rounding decides u; residual {law.max(initial=0.0):.3g}", order[law[order] > tol], r,
                  "state the problem without numbers so far apart; of bodies whose masses are, "
                  "`solve_global_friction` keeps the masses")  # fmt: skip


def not_converged(law: Vector, r: Vector, tol: float, hint: str = "") -> SolverError:
    """The error for a problem that nothing solved; the worst contacts come first.

    ``law`` (contacts,) are the residuals of the best iterate ``r``; ``hint`` says what to do, where that is known.
    """
    order = np.argsort(-law)
    message = f"no solution passed the certificate; residual {law.max(initial=0.0):.3g}"
    return _error("not converged", message, order[law[order] > tol], r, hint or "rescale the problem, raise `tol`")


def _error(reason: str, message: str, lost: Rows, r: Vector, fix: str) -> SolverError:
    rows: tuple[Any, ...] = tuple(int(i) for i in lost)
    error = SolverError(message, where=f"contact {rows[0]}" if rows else "", fix=fix)
    error.reason, error.z, error.rows = reason, r, rows
    return error
