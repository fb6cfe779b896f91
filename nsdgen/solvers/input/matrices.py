"""Matrices that callers hand to the solvers, dense or sparse: no index is followed before it is known to exist."""

from typing import Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.solvers.arrays import Matrix
from nsdgen.solvers.input.vectors import array, refuse_type


def matrix(name: str, value: Any, n: int) -> Matrix:
    """``value`` as a dense (n, n) array, or as CSR without duplicates where it is sparse."""
    return rectangular(name, value, (n, n))


def rectangular(name: str, value: Any, shape: tuple[int, int]) -> Matrix:
    """``value`` as a dense array of this shape, or as CSR without duplicates where it is sparse.

    Refused are sparse matrices whose indices point outside, whatever their format.
    """
    if not hasattr(value, "tocsr"):
        return array(name, value, shape)
    # Imported late: a small dense problem needs nothing of it.
    from scipy.sparse import issparse

    if not issparse(value):
        raise ParameterError(f"{name} must be an array or a sparse matrix of SciPy's, got {type(value).__name__}")
    if value.shape != shape:
        raise ParameterError(f"{name} must have shape {shape}, got shape {value.shape}")
    refuse_type(name, value.dtype)
    result = _rows(name, value)
    bad = np.flatnonzero(~np.isfinite(result.data))
    if len(bad):
        row = int(np.searchsorted(result.indptr, bad[0], side="right")) - 1
        raise ParameterError(f"{name}[{row}, {result.indices[bad[0]]}] is {result.data[bad[0]]}, not a finite number")
    return result


def _rows(name: str, value: Any) -> Any:
    """A checked copy in compressed rows, of doubles; numbers are shared where they need no change."""
    from scipy.sparse import csr_array

    if value.format in ("csr", "csc", "bsr"):
        _check_pointers(name, value)
    else:
        value = _coordinates(name, value)
    result = csr_array(value, dtype=np.float64)
    # Flags that say sorted or free of duplicates are not trusted: numbers may have been changed since.
    result = csr_array((result.data, result.indices, result.indptr), shape=result.shape)
    if not result.has_canonical_format:
        result = result.copy()
        result.sum_duplicates()
    result.indptr = result.indptr.astype(np.intc, copy=False)
    result.indices = result.indices.astype(np.intc, copy=False)
    return result


def _coordinates(name: str, value: Any) -> Any:
    """A checked copy in coordinates, of any format that is not compressed."""
    from scipy.sparse import coo_array

    try:
        listed = value.tocoo()
        result = coo_array((listed.data, (listed.row, listed.col)), shape=value.shape)
    except (ValueError, TypeError, IndexError) as error:
        raise ParameterError(f"{name} is a broken sparse matrix: {error}") from None
    for index, size in zip((result.row, result.col), result.shape, strict=True):
        if len(index) and not 0 <= index.min() <= index.max() < size:
            raise ParameterError(f"{name} is a broken sparse matrix: an entry lies outside its shape {result.shape}")
    return result


def _check_pointers(name: str, value: Any) -> None:
    """Refuse compressed rows or columns that point outside; SciPy checks them only where it is asked."""
    try:
        type(value)((value.data, value.indices, value.indptr), shape=value.shape).check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        raise ParameterError(f"{name} is a broken sparse matrix: {error}") from None
