"""What the residual of the contacts of a given problem is relative to."""

from __future__ import annotations

import numpy as np

from nsdgen.solvers.arrays import Matrix, Vector
from nsdgen.solvers.certify.contact_certificate import Measure, largest, law_violation
from nsdgen.solvers.contacts.contact_graph import NOISE, ContactGraph, contact_graph


def measure_of(W: Matrix, q: Vector, graph: ContactGraph) -> Measure:
    """The measure for a problem and its parts."""
    count = len(graph.order)
    unit, size, load = np.empty(count), np.empty(count), np.empty(count)
    each = np.diff(graph.first)
    loads, whole = np.repeat(graph.load, each), float(np.abs(q).max())
    unit[graph.order], load[graph.order] = graph.unit / loads, loads
    size[graph.order] = np.repeat(np.where(graph.size > 0.0, graph.size, 1.0), each)
    # What the rounding of common motions leaves a contact counts for it alone: others may be far heavier.
    return Measure(largest(W), whole, unit, size, np.maximum(load, NOISE * whole * unit))


def friction_residual(W: Matrix, q: Vector, mu: Vector, r: Vector, dim: int) -> Vector:
    """The residual of each contact (contacts,) at r (n,); ``mu`` is (contacts, disks)."""
    if not q.any():
        u = (W @ r).reshape(-1, dim)
        return law_violation(u, r.reshape(-1, dim), mu, np.full(len(mu), largest(W)))
    return measure_of(W, q, contact_graph(W, q, mu)).residual(W, q, mu, r)
