"""Friction coefficients, and how many rows a contact has."""

from typing import Any

import numpy as np

from nsdgen.abi import NO_SLIP
from nsdgen.errors import ParameterError
from nsdgen.solvers.arrays import Vector
from nsdgen.solvers.input.scalars import dimension
from nsdgen.solvers.input.vectors import coefficients


def friction_coefficients(mu: Any, mu_rolling: Any, dim: Any, n: int, offset: str = "q") -> tuple[Vector, int]:
    """Friction coefficients (contacts, disks), at most NO_SLIP, and the number of rows of a contact.

    ``n`` is the number of rows in all, ``offset`` what the caller calls the vector that has them.
    Raises ``ParameterError`` where rows and coefficients do not fit together.
    """
    rows = dimension(dim, mu_rolling is not None)
    count, left = divmod(n, rows)
    if left:
        raise ParameterError(f"{offset} has {n} entries, not a multiple of the {rows} rows of a contact")
    columns = [coefficients("mu", mu, count)]
    if mu_rolling is not None:
        columns.append(coefficients("mu_rolling", mu_rolling, count))
    return np.minimum(np.column_stack(columns), NO_SLIP), rows
