"""How to write what Python, NumPy and SymPy refuse where symbols are taken for the numbers that they do not have yet.

SymPy and NumPy raise before nsdgen is called, so ``import nsdgen`` chains ``sys.excepthook``: an uncaught error of
theirs with one of the texts below is shown with a note (PEP 678). Nothing else about an error changes, and caught ones
are left alone. IPython and notebooks on it show errors themselves: there it is their handler of such errors.
"""

import re
import sys
from types import TracebackType
from typing import Any

_OTHERWISE = {
    "absolute": "sympy.Abs",
    "arctan2": "sympy.atan2(y, x)",
    "deg2rad": "sympy.rad",
    "degrees": "sympy.deg",
    "exp2": "2**x",
    "fmod": "nsd.mod",
    "heaviside": "sympy.Heaviside",
    "hypot": "sympy.sqrt(x**2 + y**2)",
    "log10": "sympy.log(x, 10)",
    "log1p": "sympy.log(1 + x)",
    "log2": "sympy.log(x, 2)",
    "rad2deg": "sympy.deg",
    "radians": "sympy.rad",
    "rint": "sympy.floor(x + 1/2)",
    "square": "x**2",
}
"""NumPy's functions that SymPy writes otherwise; arcsin and its kin are asin there, all others have the same name."""

_NUMPY = re.compile(r"no callable (\w+) method|ufunc '(\w+)' not supported|has no attribute '(arctan2|hypot)'")
"""What NumPy says of a function that it cannot apply to objects; those of two arguments look for a method."""

_DECIDED = (
    "symbols have no value yet, for if, and, or, not, max or NumPy to decide by: nsd.piecewise((a, v > 0), (b, True)), "
    "sympy.And, sympy.Or, sympy.Not, sympy.Max, sympy.sign; a force that jumps is a law, "
    "nsd.RateForce(..., nsd.Relay(level))"
)
_WAYS = (
    ("cannot determine truth value of Relational", _DECIDED),
    ("Cannot convert expression to float", "functions of math and float() take numbers: write SymPy's, sympy.sin"),
    ("Cannot convert symbols to int", "symbols have no value to make an integer of yet: write sympy.floor"),
    ("Cannot round symbolic expression", "symbols have no value to round yet: write sympy.floor(x + 1/2)"),
    ("'ImmutableDenseMatrix'", "multipliers are a column, beside which no number stands in sums: take entries, lam[0]"),
    ("non-real Matrix", "multipliers are a column, of which no sign is taken: compare entries, lam[0]"),
    ("in condlist", _DECIDED),
    ("'Symbol' object cannot be interpreted as an integer", "a symbol has no value to count to yet: give the number"),
)


def way_to_write(said: object) -> str | None:
    """How to write what raised an error with this text, where symbols were taken for numbers; else None."""
    text = str(said)
    if called := _NUMPY.search(text):
        name = next(filter(None, called.groups()))
        return f"NumPy's functions take numbers, and symbols have none yet: write {_OTHERWISE.get(name) or _same(name)}"
    return next((way for part, way in _WAYS if part in text), None)


def _same(name: str) -> str:
    return "sympy." + re.sub("^arc", "a", name)


def _way(error: BaseException) -> str | None:
    return way_to_write(error) if isinstance(error, (TypeError, AttributeError)) and "sympy" in sys.modules else None


def tell_of_symbols() -> None:
    """Have uncaught errors shown with the way to write, behind whatever hook is there."""
    shown = sys.excepthook
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((TypeError, AttributeError), _show_in_ipython)
    if getattr(shown, "tells_of_symbols", False):
        return

    def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if way := _way(error):
            error.add_note(f"nsdgen: {way}")
        shown(kind, error, trace)

    excepthook.tells_of_symbols = True  # type: ignore[attr-defined]
    sys.excepthook = excepthook


def _show_in_ipython(
    shell: Any, kind: type[BaseException], error: BaseException, trace: TracebackType, tb_offset: int | None = None
) -> None:
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if way := _way(error):
        print(f"nsdgen: {way}", file=sys.stderr)  # before its version 9 notes were not shown
