"""Single values that callers hand to the solvers: tolerances, limits, names, dimensions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nsdgen.errors import ParameterError


def number(name: str, value: Any) -> float:
    """``value`` as a double; refused unless it is one real number, which may be infinite but not NaN."""
    if type(value) is float and value == value:
        return value
    given = _scalar(value)
    if given is None or given.dtype.kind not in "fiu" or np.isnan(given):
        raise ParameterError(f"{name} must be a number, got {value!r}")
    return float(given)


def tolerance(value: Any) -> float:
    """``value`` as the bound of a residual, above zero and finite."""
    result = number("tol", value)
    if not 0.0 < result < np.inf:
        raise ParameterError(f"tol must be positive and finite, got {value!r}")
    return result


def one_of(name: str, value: Any, allowed: Sequence[str], why: str = "") -> str | None:
    """``value``, refused unless it is None or one of the names ``allowed``; ``why`` says what restricts these."""
    if value is not None and not (isinstance(value, str) and value in allowed):
        raise ParameterError(f"{name} must be one of {', '.join(allowed)}{why}, got {value!r}")
    return value


def dimension(dim: Any, rolls: bool) -> int:
    """The rows of a contact, 2, 3 or 5; ``rolls`` where coefficients of rolling friction are given."""
    given = _scalar(dim)
    if given is None or given.dtype.kind not in "iu" or given not in (2, 3, 5):
        raise ParameterError(f"dim must be 2, 3 or 5, got {dim!r}")
    if rolls and given == 2:
        raise ParameterError("rolling friction needs contacts in space: dim 3 or 5")
    if not rolls and given == 5:
        raise ParameterError("contacts of five rows need mu_rolling")
    return 5 if rolls else int(given)


def _scalar(value: Any) -> Any:
    """``value`` as a scalar of NumPy's, None where it is none."""
    try:
        given = np.asarray(value)
    except (TypeError, ValueError):
        return None
    return None if given.ndim or isinstance(value, np.ma.MaskedArray) else given
