"""What callers hand to the solvers, in every form arrays come in: an answer of finite doubles, or a named error.

No raw error, no warning of NumPy's, nothing that is no number among the answers. A part in the default suite, all
of it marked slow.
"""

from __future__ import annotations

import array
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from nsdgen.errors import NsdgenError
from nsdgen.solvers import (
    Solution,
    solve_box,
    solve_friction,
    solve_global_friction,
    solve_lcp,
    solve_mixed,
    solve_mlcp,
    solve_multiple_impact,
)

EYE = np.eye(3) + 0.1
Q = np.array([-1.0, 0.5, 0.0])
Call = tuple[str, Callable[[], Solution]]


class Sub(np.ndarray):
    """A subclass of arrays."""


def read_only(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x.setflags(write=False)
    return x


def unsorted() -> Any:
    """Rows whose entries are not in order, though they once were."""
    matrix = sparse.csr_array(EYE)
    matrix.indices, matrix.data = matrix.indices[::-1].copy(), matrix.data[::-1].copy()
    return matrix


def matrices() -> dict[str, Any]:
    """One matrix in many forms, and what is none; ``np.matrix`` by a view, since making one warns that it is old."""
    return {
        "plain": EYE, "Fortran": np.asfortranarray(EYE), "big-endian": EYE.astype(">f8"), "half": EYE.astype("f2"),
        "long": EYE.astype(np.longdouble), "list": EYE.tolist(), "tuple": tuple(map(tuple, EYE)), "sub": EYE.view(Sub),
        "read-only": read_only(EYE), "backwards": EYE[::-1, ::-1], "matrix": EYE.view(np.matrix),
        "strided": np.kron(EYE, np.ones((2, 2)))[::2, ::2], "bytes": (EYE * 10).astype("i1"),
        "unsigned": (EYE * 10).astype("u1"), "objects": EYE.astype(object), "csr": sparse.csr_matrix(EYE),
        "csc": sparse.csc_array(EYE), "dia": sparse.dia_array(np.diag([1.0, 2, 3])), "bsr": sparse.bsr_array(EYE),
        "unsorted": unsorted(), "coo twice": sparse.coo_array((np.ones(4), ([0, 1, 2, 2], [0, 1, 2, 2])), shape=(3, 3)),
        "csr single": sparse.csr_array(EYE.astype("f4")), "csr integers": sparse.csr_array((EYE * 3).astype(int)),
        "csr booleans": sparse.csr_array(EYE > 0), "csr complex": sparse.csr_array(EYE * 1j), "zero": np.zeros((3, 3)),
        "NaN": EYE * np.nan, "infinite": EYE * np.inf, "minus zero": -0.0 * EYE, "subnormal": EYE * 5e-324,
        "tiny": EYE * 1e-310, "huge": EYE * 1e308, "indefinite": -EYE, "wide": EYE[:2], "0-d": np.float64(2),
        "1-d": EYE[0], "3-d": EYE[None], "empty": np.zeros((0, 0)), "too large": np.ones((4, 4)), "number": 3,
    }  # fmt: skip


def vectors() -> dict[str, Any]:
    with np.errstate(all="ignore"):
        return {
            "plain": Q, "big-endian": Q.astype(">f8"), "half": Q.astype("f2"), "long": Q.astype(np.longdouble),
            "beyond doubles": np.array([np.longdouble("-1e400"), 0, 0]), "list": Q.tolist(), "read-only": read_only(Q),
            "backwards": Q[::-1], "column": Q[:, None], "row": Q[None], "sub": Q.view(Sub), "minus zero": -0.0 * Q,
            "subnormal": Q * 5e-324, "huge": Q * 1.7e308, "infinite": Q * np.inf, "NaN": Q * np.nan,
            "0-d": np.float64(1), "empty": [], "range": range(3), "generator": (x for x in Q), "buffer": memoryview(Q),
            "sparse": sparse.csr_array(Q[None]), "bytes": b"abc", "array": array.array("d", Q),
        }  # fmt: skip


FUNCTIONS: dict[str, Callable[[Any, Any], Solution]] = {
    "lcp": solve_lcp,
    "mlcp": lambda M, v: solve_mlcp(M, v, [True, False, False]),
    "box": lambda M, v: solve_box(M, v, -1, [2, 3, np.inf]),
    "friction": lambda M, v: solve_friction(M, v, 0.5),
    "no slip": lambda M, v: solve_friction(M, v, np.inf),
    "global M": lambda M, v: solve_global_friction(M, v, EYE, np.zeros(3), 0.5),
    "global H": lambda M, v: solve_global_friction(EYE, v, M, np.zeros(3), 0.5),
    "global b": lambda M, v: solve_global_friction(M, np.ones(3), EYE, v, np.inf),
    "mixed": lambda M, v: solve_mixed(M, v, [("box", 0, (-1, 1)), ("friction", [1, 2], 0.4)]),
    "impact": solve_multiple_impact,
    "guess": lambda M, v: solve_lcp(M, Q, initial=v),
    "guess of friction": lambda M, v: solve_friction(M, Q, 0.5, initial=v),
    "fixed": lambda M, v: solve_box(M, Q, v, v),
    "from below": lambda M, v: solve_box(M, Q, v, np.inf),
    "from above": lambda M, v: solve_box(M, Q, 0, v),
}

SCALARS = (
    0.5, 0, -0.0, np.inf, [np.inf], 1e300, 5e-324, np.nan, -1, [0.5], [0.5, 0.5], np.array(0.5), "0.5", None, True,
    1e100, np.longdouble("0.3"), np.float16(0.3), 10**400, [[0.5]], (), {}, b"1", 1j, object, np.zeros((0, 3)),
)  # fmt: skip
ODD: dict[str, Callable[[Any], Solution]] = {
    "mu": lambda x: solve_friction(EYE, Q, x),
    "mu_rolling": lambda x: solve_friction(np.eye(5), -np.ones(5), 0.5, mu_rolling=x),
    "dim": lambda x: solve_friction(EYE, Q, 0.5, x),
    "tol": lambda x: solve_lcp(EYE, Q, tol=x),
    "solver": lambda x: solve_friction(EYE, Q, 0.5, solver=x),
    "mu of a block": lambda x: solve_mixed(EYE, Q, [("friction", [0, 1, 2], x)]),
    "rows of a block": lambda x: solve_mixed(EYE, Q, [("friction", x, 0.3)]),
    "bounds of a block": lambda x: solve_mixed(EYE, Q, [("box", [0, 1, 2], (x, x))]),
    "cone of a block": lambda x: solve_mixed(EYE, Q, [(x, 0, 0)]),
    "a block": lambda x: solve_mixed(EYE, Q, [x]),
    "blocks": lambda x: solve_mixed(EYE, Q, x),
    "equality": lambda x: solve_mlcp(EYE, Q, x),
    "restitution": lambda x: solve_multiple_impact(EYE, Q, x),
    "stiffness": lambda x: solve_multiple_impact(EYE, Q, stiffness=x),
    "exponent": lambda x: solve_multiple_impact(EYE, Q, exponent=x),
}


def calls() -> Iterator[Call]:
    """About 16 000 of them."""
    for name, solve in FUNCTIONS.items():
        for one, M in matrices().items():
            for other, v in vectors().items():
                yield f"{name}, matrix {one}, vector {other}", lambda solve=solve, M=M, v=v: solve(M, v)
    for name, odd in ODD.items():
        for x in SCALARS:
            yield f"{name} = {x!r}", lambda odd=odd, x=x: odd(x)


def faults(step: int) -> tuple[int, list[str]]:
    """How many calls were made, every ``step``-th, and what was wrong with which."""
    wrong, count = [], 0
    for number, (label, call) in enumerate(calls()):
        if number % step:
            continue
        count += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                found = call()
        except NsdgenError as error:
            if not str(error):
                wrong.append(f"{label}: no message")
        except Exception as error:
            wrong.append(f"{label}: {type(error).__name__}: {error}")
        else:
            if not (np.isfinite(found.z).all() and np.isfinite(found.w).all() and found.z.dtype == np.float64):
                wrong.append(f"{label}: no finite doubles")
    return count, wrong


def test_a_number_of_calls() -> None:
    count, wrong = faults(47)
    assert count > 300
    assert wrong == []


@pytest.mark.slow
def test_all_calls() -> None:
    count, wrong = faults(1)
    assert count > 10_000
    assert wrong == []


@pytest.mark.parametrize("name", ["Fortran", "big-endian", "list", "tuple", "sub", "read-only", "strided", "matrix",
                                  "long", "csr", "csc", "bsr", "objects"])  # fmt: skip
def test_the_same_numbers_in_another_form_give_the_same_answer(name: str) -> None:
    for solve in list(FUNCTIONS.values())[:9]:  # impacts take dense matrices only
        found, same = solve(EYE, Q), solve(matrices()[name], Q)
        assert found.z == pytest.approx(same.z, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("A", [np.zeros((3, 3)), np.diag([0.0, 1.0, 1.0])])
def test_an_impact_that_no_impulse_ends_is_named(A: np.ndarray) -> None:
    """Once z = inf, w = nan."""
    with pytest.raises(NsdgenError, match=r"no impulse opens it|did not end"):
        solve_multiple_impact(A, Q)


def test_a_velocity_that_is_no_double_is_refused() -> None:
    """Once w was infinite in an accepted answer."""
    with pytest.raises(NsdgenError, match="w of the solution is too large for a double"):
        solve_box(EYE * 1e308, Q, [0.0, 1.0, 2.0], [0.0, 1.0, 2.0])
