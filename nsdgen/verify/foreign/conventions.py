"""The plugin functions of the Siconos platform: one table of argument conventions.

The type definitions are those of ``siconos/kernel/PluginTypes.hpp`` and of the headers of each
class (version 4.4); the meaning of the arguments is documented there. Matrices are column-major.
The vector z of user parameters may be written by any of them.

Where that platform has no plugin (the terms that its rigid bodies compute themselves: T, the gyroscopic moment, the
gradients by twists) the functions have the arguments of their neighbours.

In the table a word is an argument: ``time`` a double, ``n:q`` the size of q (unsigned int), ``q`` a
vector, ``rows`` and ``cols`` the sizes of the result, ``out`` the result.
"""

from __future__ import annotations

from dataclasses import dataclass

from nsdgen.errors import ParameterError

__all__ = ["CONVENTIONS", "Convention", "find_convention"]


@dataclass(frozen=True)
class Convention:
    """How a plugin is called: ``name`` is ``Class.operator``, ``typedef`` its C type, ``meaning`` what it computes.

    ``shape`` gives rows and columns by the vectors they belong to (``q`` for its length, ``y``
    for the size of the relation, ``1``).
    """

    name: str
    typedef: str
    arguments: tuple[str, ...]
    shape: tuple[str, str]
    meaning: str

    @property
    def inputs(self) -> tuple[str, ...]:
        """The vectors (and ``time``) that the function reads, in its order; z comes last and may be empty."""
        return tuple(a for a in self.arguments if a not in ("out", "rows", "cols") and ":" not in a)


def _table(cls: str, rows: tuple[tuple[str, str, str, str, str, str], ...]) -> dict[str, Convention]:
    """Conventions of one class: operator, typedef, arguments, rows, columns, meaning."""
    return {f"{cls}.{operator}": Convention(f"{cls}.{operator}", typedef, tuple(arguments.split()), (r, c), meaning)
            for operator, typedef, arguments, r, c, meaning in rows}


_STATE = "time n:q q velocity out n:z z"
_INERTIA = "n:q q velocity out n:z z"
_BODY = "time q velocity out n:z z"
_FIRST = "time n:x x out n:z z"
_TIME = "time rows out n:z z"
_MATRIX = "time rows cols out n:z z"
_SCLERONOMOUS = "n:q q rows out n:z z"
_RHEONOMOUS = "n:q q time rows out n:z z"
_COMPLIANT = "n:q q n:lambda lambda out n:z z"
_NONLINEAR = "time n:x x n:lambda lambda out n:z z"

CONVENTIONS: dict[str, Convention] = {
    **_table("LagrangianDS", (
        ("mass", "FPtr7", "n:q q out n:z z", "q", "q", "M(q)"),
        ("fInt", "FPtr6", _STATE, "q", "1", "F_int(t, q, v)"),
        ("jacobianFIntq", "FPtr6", _STATE, "q", "q", "d F_int / dq"),
        ("jacobianFIntqDot", "FPtr6", _STATE, "q", "q", "d F_int / dv"),
        ("FGyr", "FPtr5", _INERTIA, "q", "1", "N(q, v), the Coriolis and centrifugal terms"),
        ("jacobianFGyrq", "FPtr5", _INERTIA, "q", "q", "dN / dq"),
        ("jacobianFGyrqDot", "FPtr5", _INERTIA, "q", "q", "dN / dv"),
        ("fExt", "VectorFunctionOfTime", _TIME, "q", "1", "F_ext(t)"),
    )),
    **_table("NewtonEulerDS", (
        ("fExt", "FExt_NE", "time out n:z z", "3", "1", "external force, inertial frame"),
        ("mExt", "FExt_NE", "time out n:z z", "3", "1", "external moment"),
        ("fInt", "FInt_NE", _BODY, "3", "1", "F_int(t, q, v)"),
        ("mInt", "FInt_NE", _BODY, "3", "1", "M_int(t, q, v)"),
        ("jacobianFIntq", "FInt_NE", _BODY, "3", "q", "d F_int / dq"),
        ("jacobianFIntv", "FInt_NE", _BODY, "3", "velocity", "d F_int / dv"),
        ("jacobianMIntq", "FInt_NE", _BODY, "3", "q", "d M_int / dq"),
        ("jacobianMIntv", "FInt_NE", _BODY, "3", "velocity", "d M_int / dv"),
        ("jacobianMExtq", "FInt_NE", _BODY, "3", "q", "d M_ext / dq of a moment that turns with the body or not"),
        ("MGyr", "FInt_NE", _BODY, "3", "1", "Omega x I Omega"),
        ("jacobianMGyrv", "FInt_NE", _BODY, "3", "velocity", "d (Omega x I Omega) / dv"),
        ("mass", "FPtr7", "n:q q out n:z z", "velocity", "velocity", "mass and inertia"),
        ("T", "FPtr7", "n:q q out n:z z", "q", "velocity", "T(q) of q' = T v"),
    )),
    **_table("NewtonEulerR", (
        ("h", "FPtr3", _SCLERONOMOUS, "y", "1", "h(q)"),
        ("jachq", "FPtr3", _SCLERONOMOUS, "y", "q", "dh/dq"),
        ("H", "FPtr3", _SCLERONOMOUS, "y", "velocity", "H = dh/dq T(q), by the twists"),
    )),
    **_table("FirstOrderNonLinearDS", (
        ("f", "FPtr1", _FIRST, "x", "1", "f(t, x)"),
        ("jacobianfx", "FPtr1", _FIRST, "x", "x", "df/dx"),
        ("M", "FPtr1", _FIRST, "x", "x", "M(t, x)"),
    )),
    **_table("FirstOrderLinearDS", (
        ("A", "LDSPtrFunction", "time rows out n:z z", "y", "y", "A(t)"),
        ("b", "LDSPtrFunction", "time rows out n:z z", "y", "1", "b(t)"),
    )),
    **_table("LagrangianScleronomousR", (
        ("h", "FPtr3", _SCLERONOMOUS, "y", "1", "h(q)"),
        ("jachq", "FPtr3", _SCLERONOMOUS, "y", "q", "G = dh/dq, column-major"),
        ("dotjachq", "FPtr2", "n:q q n:velocity velocity out n:z z", "y", "q", "d/dt (dh/dq)"),
    )),
    **_table("LagrangianRheonomousR", (
        ("h", "FPtr4", _RHEONOMOUS, "y", "1", "h(t, q)"),
        ("jachq", "FPtr4", _RHEONOMOUS, "y", "q", "dh/dq"),
        ("hDot", "FPtr4", _RHEONOMOUS, "y", "1", "dh/dt"),
    )),
    **_table("LagrangianCompliantR", (
        ("h", "FPtr2", _COMPLIANT, "y", "1", "h(q, lambda)"),
        ("jachq", "FPtr2", _COMPLIANT, "y", "q", "dh/dq"),
        ("jachlambda", "FPtr2", _COMPLIANT, "y", "lambda", "dh/dlambda"),
    )),
    **_table("FirstOrderNonLinearR", tuple(
        (operator, "plugin of FirstOrderNonLinearR.hpp", _NONLINEAR, rows, cols, meaning)
        for operator, rows, cols, meaning in (
            ("h", "y", "1", "h(t, x, lambda)"), ("g", "x", "1", "g(t, x, lambda)"), ("jachx", "y", "x", "dh/dx"),
            ("jachlambda", "y", "lambda", "dh/dlambda"), ("jacgx", "x", "x", "dg/dx"),
            ("jacglambda", "x", "lambda", "dg/dlambda")))),
    **_table("FirstOrderType1R", (
        ("h", "Type1Ptr", "n:x x rows out n:z z", "y", "1", "h(x)"),
        ("jachx", "Type1Ptr", "n:x x rows out n:z z", "y", "x", "dh/dx"),
        ("g", "Type1Ptr", "n:lambda lambda rows out n:z z", "y", "1", "g(lambda), y here the size of r"),
        ("jacglambda", "Type1Ptr", "n:lambda lambda rows out n:z z", "y", "lambda", "dg/dlambda"),
    )),
    **_table("FirstOrderType2R", (
        ("h", "Type2PtrH", "n:x x n:lambda lambda rows out", "y", "1", "h(x, lambda)"),
        ("jachx", "Type2PtrH", "n:x x n:lambda lambda rows out", "y", "x", "dh/dx"),
        ("jachlambda", "Type2PtrH", "n:x x n:lambda lambda rows out", "y", "lambda", "dh/dlambda"),
        ("g", "Type2PtrG", "n:lambda lambda rows out", "y", "1", "g(lambda), y here the size of r"),
        ("jacglambda", "Type2PtrG", "n:lambda lambda rows out", "y", "lambda", "dg/dlambda"),
    )),
    **_table("FirstOrderLinearR", (
        ("C", "FOMatPtr1", _MATRIX, "y", "*", "C(t)"),
        ("B", "FOMatPtr1", _MATRIX, "y", "*", "B(t), y here the size of r"),
        ("F", "FOMatPtr1", _MATRIX, "y", "*", "F(t)"),
        ("D", "FOMatPtr2", "time rows out n:z z", "y", "y", "D(t)"),
        ("e", "FOVecPtr", "time rows out n:z z", "y", "1", "e(t)"),
    )),
}
"""All conventions by ``Class.operator``."""


def find_convention(name: str) -> Convention:
    """The convention called ``name``; raises ``ParameterError`` with the names that exist."""
    if name in CONVENTIONS:
        return CONVENTIONS[name]
    cls = name.partition(".")[0]
    near = [known for known in CONVENTIONS if known.startswith(f"{cls}.")]
    listed = ", ".join(near or sorted({known.partition(".")[0] for known in CONVENTIONS}))
    raise ParameterError(f"there is no plugin convention {name!r}", where="Siconos plugin",
                         fix=f"use one of {listed}")
