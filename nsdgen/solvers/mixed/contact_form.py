"""Rows of several cones as one friction problem whose contacts have one dimension.

A contact with fewer rows gets tangents that nothing drives: their reaction is zero. Their diagonal is the
stiffness of the contact, so that its units (``contact_graph.py``) remain its own. A free unknown t with its
equality is the difference of two contacts without friction. ``solve_friction`` finds the units of reactions,
and those of velocities are then their inverses: where y and z of the data have others, they are changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array, issparse

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify._undetermined import undetermined_reactions
from nsdgen.solvers.contacts.contact_graph import contact_graph
from nsdgen.solvers.contacts.contact_measure import measure_of
from nsdgen.solvers.mixed.elimination import Reduced
from nsdgen.solvers.scaling.visible_units import visible_units
from nsdgen.solvers.solution import Solution

__all__ = ["ContactForm", "ContactRows", "embed"]

Rows = NDArray[np.intp]

FAR_APART = 2.0**8  # units of y for the inverse of those of z: they are no longer one choice
MASSES_APART = 2.0**16  # units of z: loads of some contacts are then lost beside those of others


@dataclass(frozen=True)
class ContactRows:
    """Rows of one contact, normal first, and its coefficients; one row: no friction."""

    rows: Rows
    mu: float = 0.0
    mu_rolling: float = 0.0


@dataclass(frozen=True)
class ContactForm:
    """W, q of ``solve_friction`` with ``dim`` rows a contact.

    ``slots`` (rows left) are the rows of W for the rows of the other cones, ``plus`` and ``minus``
    (free unknowns) those of the two contacts of each free unknown; ``named`` (contacts) is the row
    of A that stands for a contact in messages. In units of its own, r times ``unit`` (n,) is z and u
    divided by ``rate`` (n,) is y.
    """

    W: Matrix
    q: Vector
    dim: int
    contacts: list[ContactRows]
    slots: Rows
    plus: Rows
    minus: Rows
    named: Rows
    rate: Vector
    unit: Vector

    def coefficients(self) -> tuple[Vector, Vector]:
        """mu and mu_rolling (contacts,)."""
        pairs = np.zeros((len(self.q) // self.dim, 2))
        pairs[: len(self.contacts)] = [(contact.mu, contact.mu_rolling) for contact in self.contacts]
        return pairs[:, 0], pairs[:, 1]

    def embedded(self, z: Vector, t: Vector) -> Vector:
        """r of the friction problem from z of the rows left and the free unknowns."""
        r = np.zeros(len(self.q))
        r[self.slots], r[self.plus], r[self.minus] = z, np.maximum(t, 0.0), np.maximum(-t, 0.0)
        return r / self.unit

    def extracted(self, r: Vector) -> Vector:
        """z of the rows left, then the free unknowns."""
        z = r * self.unit
        return np.concatenate([z[self.slots], z[self.plus] - z[self.minus]])

    def velocities(self, u: Vector) -> Vector:
        """y of the rows left."""
        return (u / self.rate)[self.slots]

    def deficiency(self, part: Solution) -> int:
        """What ``undetermined_reactions`` counts, the two contacts of a free unknown seen as one number.

        Both are taken as closed: raising both by the same changes nothing.
        """
        if not len(self.plus):
            return part.rank_deficiency
        mu = np.column_stack(self.coefficients())[:, : 2 if self.dim == 5 else 1]
        measure = measure_of(self.W, self.q, contact_graph(self.W, self.q, mu))
        r = part.z.copy()
        both = np.concatenate([self.plus, self.minus])
        r[both] += np.abs(r[both]).max() + (measure.unit * measure.own_load / measure.own_size)[both // self.dim]
        return max(0, undetermined_reactions(self.W, r, part.w, mu, measure) - len(self.plus))


def embed(reduced: Reduced, rest: Rows, contacts: list[ContactRows]) -> ContactForm:
    """The friction problem for the rows ``rest`` that ``contacts`` cover, and the free unknowns."""
    dim = max(len(contact.rows) for contact in contacts)
    count, free = len(contacts), len(reduced.free_rows)
    place = np.zeros(int(rest.max()) + 1, dtype=np.intp)
    for k, contact in enumerate(contacts):
        place[contact.rows] = k * dim + np.arange(len(contact.rows))
    slots = place[rest]
    plus, minus = dim * (count + np.arange(free)), dim * (count + free + np.arange(free))
    n = dim * (count + 2 * free)
    # Columns and rows of the rows left and, twice with opposite signs, of the free unknowns.
    spread = np.concatenate([slots, plus, minus])
    source = np.concatenate([np.arange(len(rest) + free), len(rest) + np.arange(free)])
    sign = np.ones(len(source))
    sign[len(rest) + free :] = -1.0
    entries = coo_array(csr_array(reduced.matrix)[source][:, source])
    row, column = entries.coords
    data = entries.data * sign[row] * sign[column]
    idle = np.setdiff1d(np.arange(n), spread)
    stiffness = _stiffness(data, spread[row], spread[column], n)
    q = np.zeros(n)
    q[spread] = sign * reduced.offset[source]
    data = np.concatenate([data, stiffness[idle // dim * dim]])
    row, column = np.concatenate([spread[row], idle]), np.concatenate([spread[column], idle])
    rate, unit = _units(data, row, column, n, dim)
    W = coo_array((rate[row] * data * unit[column], (row, column)), shape=(n, n))
    named = np.array([contact.rows[0] for contact in contacts] + 2 * reduced.free_rows, dtype=np.intp)
    return ContactForm(
        csr_array(W) if issparse(reduced.matrix) else W.toarray(), rate * q, dim, contacts, slots, plus, minus, named,
        rate, unit,
    )  # fmt: skip


def _units(data: Vector, row: Rows, column: Rows, n: int, dim: int) -> tuple[Vector, Vector]:
    """Powers of two for y and z, alike for all rows of a contact; 1 unless these are far apart."""
    count = n // dim
    key, place = np.unique(row // dim * count + column // dim, return_inverse=True)
    largest = np.zeros(len(key))
    np.maximum.at(largest, place, np.abs(data))
    sizes = coo_array((largest, np.divmod(key, count)), shape=(count, count))
    rate, unit = visible_units(sizes)
    ratio = rate / unit
    if ratio.max() < FAR_APART * ratio.min() and unit.max() < MASSES_APART * unit.min():
        return np.ones(n), np.ones(n)
    return np.repeat(rate, dim), np.repeat(unit, dim)


def _stiffness(data: Vector, row: Rows, column: Rows, n: int) -> Vector:
    """For each row (n,) its diagonal entry; where that is zero what its couplings amount to in the others' units."""
    result = np.zeros(n)
    own = row == column
    result[row[own]] = np.abs(data[own])
    held = result.copy()
    across = ~own & (held[row] == 0.0) & (held[column] > 0.0)
    np.maximum.at(result, row[across], data[across] ** 2 / held[column[across]])
    empty = result == 0.0
    largest = np.zeros(n)
    np.maximum.at(largest, row, np.abs(data))
    result[empty] = largest[empty]
    result[result == 0.0] = result.max(initial=0.0) or 1.0
    return result
