"""The blocks of ``solve_mixed``, checked: which rows belong to which cone, with what bounds or coefficients."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.abi import NO_SLIP
from nsdgen.errors import ParameterError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.input.scalars import number
from nsdgen.solvers.input.vectors import bounds

CONES = ("equality", "complementarity", "box", "friction")
SIZES = (2, 3, 5)  # rows of a contact: in the plane, in space, in space with rolling friction

Rows = NDArray[np.intp]


def read_blocks(blocks: Any, n: int) -> tuple[Vector, Vector, list[tuple[Rows, Vector]]]:
    """Bounds (n,) of the rows, none on contact rows, and of the contacts of each dimension rows and coefficients."""
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    owner = bytearray(n)  # 1 where a row has its block
    contacts: dict[int, tuple[list[Rows], list[tuple[float, ...]]]] = {}
    for k, block in enumerate(_listed(blocks)):
        cone, rows, data = _unpack(k, block, n)
        for row in rows.tolist():
            if owner[row]:
                raise ParameterError(f"blocks[{k}]: row {row} belongs to another block already, or twice to this one")
            owner[row] = 1
        if cone == "box":
            lb, ub = _pair(k, "box needs (lb, ub)", data)
            lower[rows], upper[rows] = bounds(lb, ub, len(rows), (f"blocks[{k}]: lb", f"blocks[{k}]: ub"))
        elif cone == "friction":
            of = contacts.setdefault(len(rows), ([], []))
            coefficients = _friction(k, rows, data)
            of[0].append(rows)
            of[1].append(coefficients)
        elif data is not None:
            raise ParameterError(f"blocks[{k}]: {cone} takes None, got {data!r}")
        elif cone == "complementarity":
            lower[rows] = 0.0
    if (missing := owner.find(0)) >= 0:
        raise ParameterError(f"row {missing} of {n} belongs to no block")
    return lower, upper, [(np.array(rows), np.minimum(mu, NO_SLIP)) for _, (rows, mu) in sorted(contacts.items())]


def _listed(blocks: Any) -> list[Any]:
    if isinstance(blocks, (str, bytes, dict, np.ndarray)) or not isinstance(blocks, Iterable):
        raise ParameterError(f"blocks must be a list of (cone, rows, data), got {blocks!r}")
    return list(blocks)


def _unpack(k: int, block: Any, n: int) -> tuple[str, Rows, Any]:
    if not isinstance(block, (tuple, list)) or len(block) != 3:
        raise ParameterError(f"blocks[{k}] must be (cone, rows, data), got {block!r}")
    cone, rows, data = block
    if not (isinstance(cone, str) and cone in CONES):
        raise ParameterError(f"blocks[{k}]: the cone must be one of {', '.join(CONES)}, got {cone!r}")
    return cone, _rows(k, rows, n), data


def _rows(k: int, rows: Any, n: int) -> Rows:
    """A slice, an index, a list of indices or a mask as row numbers."""
    try:
        index = rows if isinstance(rows, slice) else np.asarray(rows)
        if not isinstance(index, slice) and not index.size:
            index = index.astype(np.intp)
        if isinstance(index, slice) or index.dtype.kind in "iu" or (index.dtype == bool and index.shape == (n,)):
            return np.atleast_1d(np.arange(n)[index]).ravel()
    except (IndexError, TypeError, ValueError):
        pass
    raise ParameterError(f"blocks[{k}]: {rows!r} are not rows of a problem of {n}")


def _pair(k: int, message: str, data: Any) -> tuple[Any, Any]:
    try:
        first, second = data
    except (TypeError, ValueError):
        raise ParameterError(f"blocks[{k}]: {message}, got {data!r}") from None
    return first, second


def _friction(k: int, rows: Rows, data: Any) -> tuple[float, ...]:
    """mu of a contact, with rolling friction mu_rolling besides; they may be infinite."""
    if len(rows) not in SIZES:
        raise ParameterError(f"blocks[{k}]: a contact has 2, 3 or 5 rows, got {len(rows)}")
    given = _pair(k, "rolling friction needs (mu, mu_rolling)", data) if len(rows) == 5 else (data,)
    found = tuple(number(f"blocks[{k}]: a friction coefficient", value) for value in given)
    for value in found:
        if not value >= 0.0:
            raise ParameterError(f"blocks[{k}]: a friction coefficient must be a number >= 0, got {value!r}")
    return found
