"""Units and loads of frictional contacts in their own variables.

With D_i a power of two near the inverse root of the largest entry of a contact's own block, D W D has diagonal
blocks near 1 whatever the masses are; a part of the problem is measured in its own load max |D q|. Both
changes of units are exact and leave the law as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nsdgen.solvers.arrays import Vector

__all__ = ["NOISE", "contact_units", "part_loads"]

Indices = NDArray[np.intc]

NOISE = 1e-13  # of max |q|: what the rounding of common motions may leave in a part


def contact_units(own: Vector, largest: float) -> Vector:
    """D of each contact from the largest entries ``own`` (contacts) of the diagonal blocks, ``largest`` of W."""
    return np.exp2(np.rint(-0.5 * np.log2(np.where(own > 0.0, own, largest or 1.0))))


def part_loads(q: Vector, scale: Vector, first: Indices) -> Vector:
    """max |D q| of each part, a power of two.

    ``q`` (contacts, dim) is D q, ``scale`` (contacts) D. A part without q is measured as if it had
    NOISE of that of the others.
    """
    each = np.abs(q).max(axis=1)
    noise = NOISE * float((each / scale).max()) * np.maximum.reduceat(scale, first[:-1])
    load = np.maximum.reduceat(each, first[:-1])
    return np.exp2(np.rint(np.log2(np.where(load > 0.0, load, noise))))
