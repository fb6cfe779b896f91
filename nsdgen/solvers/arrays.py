"""The types of the arrays that all solvers share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
Matrix: TypeAlias = Any  # a dense NDArray[np.float64] or a scipy.sparse.csr_array
