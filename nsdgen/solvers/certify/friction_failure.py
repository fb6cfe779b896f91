"""The errors for friction problems without a (certified) solution, in the words of contacts."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector

Rows = NDArray[np.signedinteger]

FAR = 1e10  # times: mobilities of contacts


def of_contacts(error: SolverError, mu: Vector, dim: int, own: Vector) -> SolverError:
    """The error of a problem of contacts alone, ``dim`` rows each, in their words.

    ``own`` (contacts,) are the diagonal entries of normal rows, ``mu`` (contacts, disks).
    """
    lost = np.unique(np.array(error.rows, dtype=np.intp) // dim)
    r = np.asarray(error.z)
    if error.reason == "infeasible" or len(lost) > 1:
        return excluded_by_reactions(lost, r, error.reason == "infeasible")
    error.rows, error.where = tuple(lost.tolist()), f"contact {lost[0]}"
    error.fix = no_slip_hint(mu) or masses_hint(own) or error.fix
    return error


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


def masses_hint(own: Vector) -> str:
    """What to do where a problem was not solved whose contacts have mobilities W_NN = ``own`` (contacts,) far apart."""
    if not own.max(initial=0.0) > FAR * own.min(initial=np.inf):
        return ""
    return (
        "contacts carry masses so far apart that sums in W have lost digits of them, or all: "
        "`solve_global_friction` keeps the masses"
    )


def _error(reason: str, message: str, lost: Rows, r: Vector, fix: str) -> SolverError:
    rows: tuple[Any, ...] = tuple(int(i) for i in lost)
    error = SolverError(message, where=f"contact {rows[0]}" if rows else "", fix=fix)
    error.reason, error.z, error.rows = reason, r, rows
    return error
