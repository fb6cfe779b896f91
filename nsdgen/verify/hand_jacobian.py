"""One hand Jacobian against the derivative of what it belongs to.

``jacobian(fn, of=model["brick"].force, wrt="q")`` is the claim, ``check_jacobian`` decides it at once, and
``assert_jacobian`` does so in a test. ``fn`` is a Python function, a C function, a plugin, a SymPy matrix or LaTeX;
``of`` a derived operator of a model or an expression; in the second case ``wrt`` holds symbols.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.derive.derived_operators import SymbolicOperator
from nsdgen.errors import ParameterError
from nsdgen.symbolic.expressions.conversion import as_matrix
from nsdgen.symbolic.expressions.jacobian import jacobian as derivative

from .claim import Claim
from .decision import decide
from .foreign.hand_functions import ForeignFunction, PythonFunction, symbols_of
from .verdict import Verdict


def jacobian(
    fn: Any,
    *,
    of: Any,
    wrt: Any,
    arguments: Sequence[Any] | None = None,
    parameters: Mapping[sp.Symbol, float] | None = None,
    assumptions: Sequence[Any] = (),
    id: str = "",
    title: str = "",
    source: str = "",
) -> Claim:
    """The claim that ``fn`` is d of / d wrt, for a list of claims or for ``decide``.

    ``arguments`` says what a plain Python function takes: one symbol or a sequence of symbols per argument;
    by default the arguments of the operator in their order, or ``wrt`` alone. ``parameters`` gives values to
    symbols that code has built in; those of an operator are known. Raises ``ParameterError`` for what
    cannot be understood.
    """
    if callable(of) and not isinstance(of, sp.Basic | sp.MatrixBase):
        raise ParameterError(
            f"{of!r} is code, and a claim needs an expression",
            where="of",
            fix="give what the function computes as an expression: there is no truth in code to compare code with",
        )
    if isinstance(fn, list | tuple | np.ndarray):
        fn = as_matrix(fn.tolist() if isinstance(fn, np.ndarray) else fn, where="hand side")
    if isinstance(of, SymbolicOperator):
        truth = of.jacobian(wrt) if isinstance(wrt, str) else derivative(of.matrix, symbols_of(wrt, "wrt"))
        name = f"{of.instance}.{of.name}_{wrt if isinstance(wrt, str) else 'x'}"
        taken: Sequence[Any] = [*of.arguments.values()] if arguments is None else arguments
        known = {**of.parameters, **(parameters or {})}
        if isinstance(fn, sp.Basic | sp.MatrixBase):
            fn = of.translated(fn)
    else:
        values = sp.Matrix(list(of)) if isinstance(of, list | tuple | sp.MatrixBase) else sp.Matrix([of])
        truth, name = derivative(values, symbols_of(wrt, "wrt")), "jacobian"
        taken, known = [symbols_of(wrt, "wrt")] if arguments is None else arguments, dict(parameters or {})
    return Claim(id or name, truth, _hand(fn, taken, known), assumptions, title=title, source=source)


def check_jacobian(fn: Any, *, of: Any, wrt: Any, budget: float = 30.0, seed: int = 0, **about: Any) -> Verdict:
    """The verdict about ``fn`` as d of / d wrt; further keywords as for :func:`jacobian`."""
    return decide(jacobian(fn, of=of, wrt=wrt, **about), budget=budget, seed=seed)


def assert_jacobian(fn: Any, *, of: Any, wrt: Any, certified: bool = False, **about: Any) -> Verdict:
    """:func:`check_jacobian` for tests: raises ``AssertionError`` with the offending entries.

    With ``certified`` only a proof with a certificate passes: of an expression, for code is compared at points.
    """
    __tracebackhide__ = True  # of pytest: the failure is where this is called
    decided = check_jacobian(fn, of=of, wrt=wrt, **about)
    if not decided.ok or (certified and decided.verdict not in ("proved", "proved under")):
        raise AssertionError(f"the Jacobian is {decided.verdict}\n{decided}")
    return decided


def _hand(fn: Any, arguments: Sequence[Any], parameters: Mapping[sp.Symbol, float]) -> Any:
    """A hand side from what the user gave: plain Python functions are wrapped."""
    if isinstance(fn, sp.Basic | sp.MatrixBase | ForeignFunction) or hasattr(fn, "hand_side"):
        return fn
    if not callable(fn):
        raise ParameterError(
            f"{fn!r} is no Jacobian",
            where="hand side",
            fix="give a function, a SymPy matrix, Latex(...), CFunction(...) or SiconosPlugin(...)",
        )
    if not arguments:
        raise ParameterError(
            "nothing is said about the arguments of the function",
            where="hand side",
            fix="give arguments=[symbols of the first argument, ...]",
        )
    # One symbol in an array of one is passed as an array: the function of a model's operator takes arrays.
    return PythonFunction(fn, list(arguments), parameters=dict(parameters))
