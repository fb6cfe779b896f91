"""The elementary functions by their names, as numbers: part of :mod:`.meaning`."""

from collections.abc import Callable, Sequence
from typing import Any

import mpmath

from nsdgen.symbolic.graph.running_error import stumpff


class Undefined(Exception):
    """The expression has no value at this point."""


class Unsure(Exception):
    """The evaluator cannot say what the value is."""


NO_VALUE = (Undefined, Unsure, ArithmeticError, ValueError)
"""What evaluation raises where there is no value, or none that is certain."""


def _quotient(f: Callable[[Any], Any], g: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def value(x: Any) -> Any:
        below = g(x)
        if below == 0:
            raise Undefined("a pole")
        return f(x) / below

    return value


def _zeroed(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function as a denominator: at its zeros, which are irrational, only rounding is left of it."""

    def value(x: Any) -> Any:
        y = f(x)
        return mpmath.mpf(0) if abs(y) <= mpmath.mpf(10) ** (-0.6 * mpmath.mp.dps) and y != x else y

    return value


_sin, _cos = _zeroed(mpmath.sin), _zeroed(mpmath.cos)


def _logarithm(x: Any, *base: Any) -> Any:
    if x == 0:
        raise Undefined("the logarithm of zero")
    return mpmath.log(x, *base)


def _arc(x: Any, y: Any) -> Any:
    """The angle of (y, x) as SymPy's atan2(y, x)."""
    if x == 0 and y == 0:
        raise Undefined("atan2(0, 0)")
    return mpmath.atan2(x, y)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def value(*args: Any) -> Any:
        if any(isinstance(a, mpmath.mpc) for a in args):
            raise Undefined("complex numbers have no order")
        return choose(args)

    return value


# what SymPy and mpmath call alike
_SAME_NAMES = """
exp asin acos atan acot asec acsc sinh cosh tanh sech asinh acosh atanh sinc re im arg factorial gamma binomial
erf erfc loggamma besselj bessely besseli besselk zeta fresnels fresnelc li erfi expint polylog beta airyai
airybi legendre hermite laguerre
"""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(mpmath, name) for name in _SAME_NAMES.split()},
    "log": _logarithm,
    "sin": _sin,
    "cos": _cos,
    "tan": _quotient(_sin, _cos),
    "cot": _quotient(_cos, _sin),
    "sec": _quotient(lambda x: 1, _cos),
    "csc": _quotient(lambda x: 1, _sin),
    "coth": _quotient(mpmath.cosh, mpmath.sinh),
    "csch": _quotient(lambda x: 1, mpmath.sinh),
    "atan2": _arc,
    "Abs": abs,
    **dict.fromkeys(("sign", "Sign"), mpmath.sign),
    "conjugate": mpmath.conj,
    "Stumpff": stumpff,
    "Max": _extreme(max),
    "Min": _extreme(min),
    "LambertW": mpmath.lambertw,
    "Si": mpmath.si,
    "Ci": mpmath.ci,
    "Ei": mpmath.ei,
    "Shi": mpmath.shi,
    "Chi": mpmath.chi,
    "polygamma": mpmath.psi,
    "uppergamma": mpmath.gammainc,
    "lowergamma": lambda s, x: mpmath.gammainc(s, 0, x),
    "elliptic_k": mpmath.ellipk,
    "elliptic_e": mpmath.ellipe,
    "elliptic_f": mpmath.ellipf,
    "elliptic_pi": mpmath.ellippi,
    "airyaiprime": lambda x: mpmath.airyai(x, derivative=1),
    "airybiprime": lambda x: mpmath.airybi(x, derivative=1),
    "chebyshevt": mpmath.chebyt,
    "chebyshevu": mpmath.chebyu,
}
"""What each function is; all may raise ``Undefined``, ``ZeroDivisionError`` and ``ValueError``."""


def absorbed(name: str, args: Sequence[Any], value: Any) -> bool:
    """Whether a value is rounded to one that the function has elsewhere only, or nowhere: tanh(-1000) to -1."""

    def at(limit: Any) -> bool:
        return bool(abs(abs(value) - limit) <= 8 * limit * mpmath.eps)

    if name in ("tanh", "coth", "erf"):
        return at(1)
    if name in ("exp", "cos", "cosh", "sech", "sinc", "erfc"):
        return at(2) if name == "erfc" else bool(args[0] != 0 and abs(args[0]) < 1e-6 and at(1))
    return (name == "atan" or (name == "atan2" and all(args))) and (at(mpmath.pi / 2) or at(mpmath.pi))
