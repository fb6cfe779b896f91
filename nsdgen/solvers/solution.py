"""What a solver gives: the solution record, or an explained failure."""

from dataclasses import dataclass
from typing import Any

from nsdgen.base.counted import counted
from nsdgen.base.html_table import table
from nsdgen.errors import SolverError
from nsdgen.solvers.arrays import Vector

# By the codes of MlcpMethod and MlcpStatus in _mlcp.pxi.
METHODS = ("closed form", "active set", "pivoting", "least norm")
REASONS = ("", "infeasible", "ray", "inconsistent", "not converged", "not converged")

_SHOWN = 30  # rows in a notebook: a screen
_NO_PROOFS = ("nearly infeasible", "beyond doubles")

_MESSAGES = {
    "infeasible": "no z within its bounds gives w = M z + q its signs (complementarity: both nonnegative)",
    "ray": "complementary pivoting ended on a ray: no solution was found, there may be none",
    "nearly infeasible": "no z with terms less than a billion times those of q gives w = M z + q its signs: "
    "whether one does, rounding decides",
    "inconsistent": "the equality rows contradict each other",
    "not converged": "no solution passed the certificate",
    "beyond doubles": "double precision cannot hold this solution: its terms are so much larger than q that "
    "rounding decides w",
}
_FIXES = {
    "infeasible": "look for constraints that exclude each other, or a source without a path",
    "ray": "check the signs of M: the method is complete for positive semidefinite matrices",
    "nearly infeasible": "look for constraints that nearly exclude each other, or state them without rounding",
    "inconsistent": "remove the redundant equality, or make its right-hand side agree",
    "not converged": "rescale the problem or raise `tol`",
    "beyond doubles": "state the problem without numbers so far apart; of bodies whose masses are, "
    "`solve_global_friction` keeps the masses",
}


@dataclass(frozen=True, slots=True)
class Solution:
    """A certified solution of a one-step problem.

    ``z`` and ``w`` = M z + q have shape (n,); their signs and zeros are exact.
    ``residual``, at most ``tol``, is the largest violation of a row relative to its own terms
    |q_i| + sum_j |M_ij z_j|, with friction of a contact relative to what is given, or where that is less than the
    rounding of r (1e-14 of the terms of a contact) to these. ``of_load`` is the largest violation beside the largest
    thing given, q and what bounds ask of z, in units of the data: far above ``residual`` where terms cancel. It is at
    most 1e-4, with rows 1e-2 where it is rounding of their terms, but for what is rounding in natural units.
    ``solver`` is the method that ended it, ``iterations`` its linear solves and pivots.
    ``rank_deficiency`` > 0 says that z is not unique; it is then the shortest one, or where that
    was not found, and with friction, any one.
    ``seconds`` were spent in the solver itself, after the checks of the input.
    Signs are those of the function that returned it; with friction z is r, w is u = W r + q. Source of the
    residual: ``row_certificate.py``, with friction ``mixed_certificate.py``.
    """

    z: Vector
    w: Vector
    residual: float
    solver: str
    iterations: int
    rank_deficiency: int
    seconds: float = 0.0
    of_load: float = 0.0

    def _repr_html_(self) -> str:
        n = len(self.z)
        unique = "" if self.rank_deficiency == 0 else f", not unique ({self.rank_deficiency} missing in rank)"
        size = counted(n, "row")
        head = f"{size} by {self.solver}{unique}; residual {self.residual:.2g}, {self.of_load:.2g} of the load"
        rows = [(str(i), f"{self.z[i]:.6g}", f"{self.w[i]:.6g}") for i in range(min(n, _SHOWN))]
        more = f"<em>and {n - _SHOWN} more rows</em>" if n > _SHOWN else ""
        return f"<div>{head}{table(rows, ('', 'z', 'w'))}{more}</div>"


def failure(reason: str, z: Vector, w: Vector, residual: float, worst: int) -> SolverError:
    """The error for ``reason``, with the best iterate and the row that is furthest off.

    "nearly infeasible" is not a proof: to callers it is a reason like "not converged". "beyond doubles" is one too: it
    says that a solution is known, and that no z in double precision passes for it.
    """
    rows: tuple[Any, ...] = (worst,) if worst >= 0 else ()
    where = f"row {worst} (w = {w[worst]:.3g}, z = {z[worst]:.3g})" if rows else ""
    error = SolverError(f"{_MESSAGES[reason]}; residual {residual:.3g}", where=where, fix=_FIXES[reason])
    error.reason = "not converged" if reason in _NO_PROOFS else reason
    error.z, error.rows = z, rows
    return error
