"""What is not a problem is refused by name, before anything is made of it: no raw error, no crash."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.sparse import bsr_array, coo_array, csc_array, csr_array, csr_matrix, dok_array, lil_array

from nsdgen.errors import ParameterError
from nsdgen.solvers import solve_box, solve_friction, solve_global_friction, solve_lcp, solve_mixed, solve_mlcp

Q = np.array([-1.0, 0.5, 0.0])
W = np.eye(3) + 0.1

GOOD: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "lcp": (solve_lcp, {"M": W, "q": Q}),
    "mlcp": (solve_mlcp, {"M": W, "q": Q, "is_equality": [True, False, False]}),
    "box": (solve_box, {"M": W, "q": Q, "lb": 0.0, "ub": 2.0}),
    "friction": (solve_friction, {"W": W, "q": Q, "mu": 0.5}),
    "rolling": (solve_friction, {"W": np.eye(5), "q": [-1.0, 0, 0, 0, 0], "mu": 0.5, "mu_rolling": 0.1}),
    "global": (solve_global_friction, {"M": W, "f": Q, "H": np.eye(3), "b": np.zeros(3), "mu": 0.5}),
    "mixed": (solve_mixed, {"A": W, "b": Q, "blocks": [("box", 0, (0.0, 1.0)), ("friction", [1, 2], 0.3)]}),
}
MATRICES, VECTORS = {"M", "W", "A", "H"}, {"q", "b", "f", "lb", "mu", "mu_rolling", "initial"}


class Refuses:
    """An object that cannot be made an array."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError("no array")


def broken(kind: type, indices: list[int], indptr: list[int]) -> Any:
    """A compressed matrix whose indices were changed after it was made."""
    matrix = kind(np.eye(3))
    matrix.indices, matrix.indptr = np.array(indices, dtype=np.int32), np.array(indptr, dtype=np.int32)
    return matrix


def bad_coordinates() -> Any:
    matrix = coo_array(np.eye(3))
    matrix.row[1] = 7
    return matrix


def bad_lists() -> Any:
    matrix = lil_array(np.eye(3))
    matrix.rows[1] = [9]
    return matrix


def complex_csr() -> Any:
    return csr_array(np.eye(3) * 1j)


def not_numbers(n: int) -> list[Any]:
    """Vectors of n entries, none of them a vector of numbers."""
    ones = np.ones(n)
    return [
        ones * 1j, ones.astype(complex), np.ma.masked_array(ones, mask=ones > 0), ones > 0, list("abcdefgh"[:n]),
        ["1"] * n, [b"1"] * n, np.array([None] * n), [object()] * n, np.zeros(n, dtype=[("a", float)]),
        np.full(n, np.datetime64("2020-01-01")), np.full(n, np.timedelta64(1, "s")), [datetime.date(2020, 1, 1)] * n,
        [[1.0], [1.0, 2.0]], ones * np.nan, {"a": 1.0}, {1.0, 2.0}, "1.0", None, Refuses(), iter([1.0]), len, list,
        [10**400] * n, [Fraction(10**400)] * n, np.ones((n, n, n)), [True] * n,
    ]  # fmt: skip


def not_matrices() -> list[Any]:
    return [
        *not_numbers(3), W[:2], np.float64(1.0), broken(csr_array, [0, 1, 9], [0, 1, 2, 3]),
        broken(csr_array, [0, 1, -1], [0, 1, 2, 3]), broken(csr_array, [0, 1, 2], [0, 3, 2, 3]),
        broken(csr_array, [0, 1, 2], [0, 1, 2, 99]), broken(csr_matrix, [0, 1, 10**6], [0, 1, 2, 3]),
        broken(csr_array, [0, 1], [0, 1, 2, 3]), broken(csr_array, [0, 1, 2], [0, 1]),
        broken(csc_array, [0, 9, 2], [0, 1, 2, 3]), broken(bsr_array, [0, 9, 2], [0, 1, 2, 3]),
        bad_coordinates(), bad_lists(), complex_csr(), csr_array(W > 0), csr_array(W * np.nan), csr_array,
        csr_array(W[:2]),
        csr_array((np.array([1e308, 1e308]), (np.array([0, 0]), np.array([0, 0]))), shape=(3, 3)) * 1e10,
    ]  # fmt: skip


def refused(name: str, **changes: Any) -> None:
    function, data = GOOD[name]
    with pytest.raises(ParameterError):
        function(**{**data, **changes})


@pytest.mark.parametrize("name", GOOD)
def test_the_good_ones_are_solved(name: str) -> None:
    function, data = GOOD[name]
    assert function(**data).residual <= 1e-8


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.filterwarnings("ignore")
def test_arrays_that_hold_no_numbers(name: str) -> None:
    data = GOOD[name][1]
    for key in sorted({*data, "initial"} & VECTORS):
        n = 1 if key in ("mu", "mu_rolling") else len(data.get("q", Q))
        for value in not_numbers(n):
            if key != "initial" or value is not None:
                refused(name, **{key: value})
        refused(name, **{key: np.ones(n + 4)})


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.filterwarnings("ignore")
def test_matrices_that_are_none(name: str) -> None:
    for key in sorted(GOOD[name][1].keys() & MATRICES):
        for value in not_matrices():
            refused(name, **{key: value})


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize(
    "tol",
    [
        0.0,
        -1.0,
        np.nan,
        np.inf,
        "1e-8",
        b"1",
        None,
        True,
        1j,
        [1e-8],
        np.array([1e-8]),
        object(),
        10**400,
        np.datetime64("2020-01-01"),
        np.ma.masked,
    ],
)
def test_tolerances(name: str, tol: Any) -> None:
    refused(name, tol=tol)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("solver", ["", "Newton!", b"newton", 1, 0, True, ["newton"], np.array(["a", "b"]), {}])
def test_solvers(name: str, solver: Any) -> None:
    refused(name, solver=solver)


@pytest.mark.parametrize("name", ["friction", "global"])
def test_dimensions(name: str) -> None:
    for dim in (0, 1, 4, 3.0, "3", None, True, [3], np.array([3, 3]), 3j, np.nan):
        refused(name, dim=dim)


@pytest.mark.parametrize(
    "equality",
    [
        None,
        "TFF",
        [1, 0, 0],
        [True, False],
        [[True], [False, True]],
        [True, False, None],
        1,
        np.ones((3, 1), bool),
        np.ma.masked_array([True, False, False], mask=[True, False, False]),
    ],
)
def test_equality_rows(equality: Any) -> None:
    refused("mlcp", is_equality=equality)


@pytest.mark.parametrize(
    ("lb", "ub"),
    [
        (1.0, 0.0),
        (np.inf, np.inf),
        (-np.inf, -np.inf),
        (np.nan, 1.0),
        ("0", 1.0),
        ([0.0, 0.0], 1.0),
        (None, None),
        (0.0, 1j),
    ],
)
def test_bounds(lb: Any, ub: Any) -> None:
    refused("box", lb=lb, ub=ub)
    refused("mixed", blocks=[("box", 0, (lb, ub)), ("friction", [1, 2], 0.3)])


@pytest.mark.parametrize(
    "blocks",
    [
        None,
        5,
        "equality",
        {},
        [None],
        [5],
        ["equality"],
        [("equality", 0)],
        [("cone", slice(3), None)],
        [(["equality"], slice(3), None)],
        [(None, slice(3), None)],
        [("equality", None, None)],
        [("equality", 0.5, None)],
        [("equality", "rows", None)],
        [("equality", [0, 1, 3], None)],
        [("equality", Ellipsis, None)],
        [("equality", [True, False], None)],
        [("equality", slice("a"), None)],
        [("equality", [[0], [1, 2]], None)],
        [("equality", slice(3), 1.0)],
        [("complementarity", slice(3), "x")],
        [("box", slice(3), None)],
        [("box", slice(3), (0.0,))],
        [("box", slice(3), 5.0)],
        [("box", slice(3), ([0.0, 0.0], 1.0))],
        [("box", slice(3), ("a", "b"))],
        [("friction", slice(3), None)],
        [("friction", slice(3), "0.5")],
        [("friction", slice(3), [0.5])],
        [("friction", slice(3), 0.5j)],
        [("friction", slice(3), np.nan)],
        [("friction", slice(3), -0.5)],
        [("friction", slice(3), True)],
        [("friction", slice(3), (0.5, 0.1))],
        [("friction", slice(1), 0.5), ("equality", [1, 2], None)],
        [("equality", slice(3), None)] * 2,
        [("equality", [0, 0, 1, 2], None)],
        [("equality", slice(2), None)],
    ],
)
def test_blocks(blocks: Any) -> None:
    refused("mixed", blocks=blocks)


def test_what_is_given_stays_as_it_is() -> None:
    """Sparse matrices are neither sorted nor summed in place, and flags that lie change nothing."""
    data, row, column = np.array([1.0, 3.0, 1.0, 2.0, 2.0]), [0, 3, 4, 5], [1, 0, 0, 1, 2]
    matrix = csr_array((data.copy(), np.array(column), np.array(row)), shape=(3, 3))
    dense = matrix.toarray()
    matrix.has_canonical_format = matrix.has_sorted_indices = True
    assert np.array_equal(solve_lcp(matrix, Q).z, solve_lcp(csr_array(dense), Q).z)
    assert np.array_equal(matrix.data, data) and list(matrix.indices) == column


@pytest.mark.parametrize("kind", [csr_array, csc_array, coo_array, lil_array, dok_array, bsr_array, csr_matrix])
def test_all_formats_are_one_problem(kind: Callable[[Any], Any]) -> None:
    assert np.allclose(solve_box(kind(W), Q, 0.0, 2.0).z, solve_box(W, Q, 0.0, 2.0).z, rtol=1e-14)


def test_numbers_of_all_types() -> None:
    """Fractions, integers, single precision are numbers; so are large integers."""
    expected = solve_lcp([[2.0]], [-1.0]).z
    for M, q in (([[2]], [-1]), ([[Fraction(2)]], [Fraction(-1)]), (np.float32([[2]]), np.float16([-1]))):
        assert np.array_equal(solve_lcp(M, q).z, expected)
    assert np.array_equal(solve_lcp([[2 * 10**30]], [-(10**30)]).z, [0.5])
