"""A problem of several cones, and how the solver of a step takes it: its cones, what is left of its rows, arrays."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import Cone
from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.mixed_certificate import Contacts
from nsdgen.solvers.interaction.cone_rows import FOLLOWS
from nsdgen.solvers.interaction.graph_problem import CONES, entries, graph_arrays
from nsdgen.solvers.mixed.condensed_rows import OWN, CondensedRows, condensed_rows

Rows = NDArray[np.intp]

ANY_ORDER = 16  # nodes up to which any order of elimination is quicker than to look for a good one


@dataclass(frozen=True)
class ConeProblem:
    """y = A z + b, to the residual ``tol``, with bounds on all rows but those of ``contacts``, whose are infinite."""

    A: Matrix
    b: Vector
    lower: Vector
    upper: Vector
    contacts: list[Contacts]
    tol: float

    @cached_property
    def graph(self) -> tuple[Rows, Vector, CondensedRows | None]:
        """Cones (n,), bounds or coefficients (n, 2), and the rows that are left where some are condensed."""
        lower, upper = self.lower, self.upper
        equality, one_sided = np.isinf(lower) & np.isinf(upper), (lower == 0.0) & np.isinf(upper)
        for rows, _ in self.contacts:
            equality[rows] = False
        cone = np.where(equality, Cone.EQUALITY, np.where(one_sided, Cone.COMPLEMENTARITY, Cone.BOX))
        bound = np.array([lower, upper]).T.copy()
        for rows, mu in self.contacts:
            cone[rows], bound[rows] = FOLLOWS, 0.0
            cone[rows[:, 0]] = CONES[rows.shape[1]]
            bound[rows[:, 0], : mu.shape[1]] = mu
        return cone, bound, condensed_rows(self.A, self.b, equality)

    @cached_property
    def unknown(self) -> NDArray[np.bool_]:
        """The equality rows (n,), where others move through them alone; else none."""
        cone, own = self.graph[0], np.abs(self.A.diagonal()) > OWN
        equality = cone == Cone.EQUALITY
        return equality & ((equality & own).any() and not (equality | own).all())

    @cached_property
    def has_contacts_alone(self) -> bool:
        """Whether contacts of one dimension stand beside equality rows that they move, and nothing else."""
        return bool(self.unknown.any()) and self.contacts[0][0].size + self.unknown.sum() == len(self.b)

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What is left, as the solver of a step takes it."""
        cone, bound, less = self.graph
        if less is None:
            return arrays_of(self.A, self.b, cone, bound)
        return arrays_of(less.A, less.b, cone[less.kept], bound[less.kept])


def arrays_of(A: Matrix, b: Vector, cone: Rows, bound: Vector) -> tuple[Any, ...]:
    """A problem as ``solve_arrays`` takes it."""
    count = int((cone != FOLLOWS).sum())
    order = np.arange(count, dtype=np.intc) if count <= ANY_ORDER else None
    return graph_arrays(entries(A), b, cone, bound, order)
