"""What Python, NumPy and SymPy say where symbols are asked for the numbers that they do not have yet."""

from __future__ import annotations

_WAYS = (
    (
        "cannot determine truth value of Relational",
        "symbols have no value yet, for if, and, max or NumPy to decide by: nsd.piecewise((a, v > 0), (b, True)), "
        "sympy.And, sympy.Max, sympy.sign; a force that jumps is a law, nsd.RateForce(..., nsd.Relay(level))",
    ),
    ("which has no callable", "NumPy's functions take numbers: write SymPy's of the same name, sympy.sin"),
    ("Cannot convert expression to float", "functions of math take numbers: write SymPy's of the same name, sympy.sin"),
    ("Cannot round symbolic expression", "symbols have no value to round yet: write sympy.floor(x + 1/2)"),
)


def way_to_write(said: object) -> str | None:
    """How to write what raised an error with this text, where symbols were taken for numbers; else None."""
    text = str(said)
    return next((way for part, way in _WAYS if part in text), None)
