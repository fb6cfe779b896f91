"""Hand Jacobians of functions that are code themselves: complex step, and differences where it does not work."""

from __future__ import annotations

import numpy as np
import pytest

from nsdgen.errors import ParameterError
from nsdgen.verify import check_jacobian


def force(t, q, v):
    return np.array([np.sin(q[0]) * v[1] + t, q[0] ** 2 * q[1], np.exp(q[1])])


def force_q(t, q, v):
    return np.array([[np.cos(q[0]) * v[1], 0], [2 * q[0] * q[1], q[0] ** 2], [0, np.exp(q[1])]])


def test_the_complex_step():
    verdict = check_jacobian(force_q, of=force, wrt=1, sizes=[0, 2, 2])
    assert verdict.verdict == "consistent"
    assert "central difference at 0 of" in verdict.method
    slipped = check_jacobian(
        lambda t, q, v: force_q(t, q, v) * [[1, 1], [1, -1], [1, 1]], of=force, wrt=1, sizes=[0, 2, 2]
    )
    assert [(e.row, e.column) for e in slipped.entries] == [(2, 2)]
    assert slipped.counterexample is not None


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.array([abs(x[0] ** 2 + 1) * x[0]]),
        lambda x: np.array([float(np.real(x[0] ** 2 + 1)) * x[0].real]),
    ],
)
def test_functions_that_lose_the_imaginary_part(function):
    """|x^2 + 1| x = x^3 + x: the complex step is wrong without a word, the differences are not."""
    verdict = check_jacobian(lambda x: np.array([[3 * x[0] ** 2 + 1]]), of=function, wrt=0, sizes=[1])
    assert verdict.verdict == "consistent"
    assert "complex step at 0" in verdict.method
    slipped = check_jacobian(lambda x: np.array([[3.001 * x[0] ** 2 + 1]]), of=function, wrt=0, sizes=[1])
    assert slipped.verdict == "refuted"


def test_a_jacobian_that_holds_on_one_side_of_a_kink_only():
    """|x - 20| x has the derivative 20 - 2 x below 20 and 2 x - 20 above: the code's own number is a place to look."""
    for function in (lambda x: np.array([abs(x[0] - 20) * x[0]]),):
        verdict = check_jacobian(lambda x: np.array([[20 - 2 * x[0]]]), of=function, wrt=0, sizes=[1])
        assert verdict.verdict == "refuted"


def test_a_derivative_that_underflows_is_no_slip():
    """exp(-729) = 1.9e-317: the complex step cannot hold it, which refutes nothing."""
    verdict = check_jacobian(
        lambda x: np.array([[np.exp(x[0])]]), of=lambda x: np.array([np.exp(x[0])]), wrt=0, sizes=[1]
    )
    assert verdict.verdict == "consistent"


def test_code_that_fails():
    assert "ZeroDivisionError" in check_jacobian(lambda x: 1 / 0, of=lambda x: x, wrt=0, sizes=[2]).reason
    assert "shape (2,)" in check_jacobian(lambda x: x, of=lambda x: x, wrt=0, sizes=[2]).reason
    with pytest.raises(ParameterError, match="cannot be evaluated: it raises IndexError"):
        check_jacobian(lambda x: x, of=lambda x: x[5], wrt=0, sizes=[2])


KINKED = {
    "an angle": (lambda q: np.array([[-q[1], q[0]]]) / (q @ q), lambda q: np.array([np.arctan2(q[1], q[0])]), 2),
    "x |x|": (lambda q: 2 * abs(q), lambda q: q * abs(q), 0),
    "x |x| of a float": (lambda q: 2 * abs(q), lambda q: q * abs(float(q)), 0),
    "a positive part": (lambda q: float(q > 0), lambda q: max(q, 0.0), 0),
    "a pole": (lambda q: -1 / q**2, lambda q: 1 / q, 0),
    "a norm": (lambda q: (q / np.linalg.norm(q))[None, :], lambda q: np.array([np.linalg.norm(q)]), 3),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", KINKED)
def test_right_code_is_not_refuted_where_differences_straddle_a_kink(name: str) -> None:
    """And one that is off by 1e-4 of itself is."""
    right, function, size = KINKED[name]
    verdict = check_jacobian(right, of=function, wrt=0, sizes=[size])
    assert verdict.verdict == "consistent", verdict
    wrong = check_jacobian(lambda q: right(q) * 1.0001, of=function, wrt=0, sizes=[size])
    assert wrong.verdict == "refuted"


def test_sizes_are_asked_for() -> None:
    with pytest.raises(ParameterError, match="lengths of the function's arguments"):
        check_jacobian(lambda q: 2 * q, of=lambda q: q * q, wrt=0)
