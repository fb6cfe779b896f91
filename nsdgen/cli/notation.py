"""How expressions of a derivation are shown to people: plain text and LaTeX.

nsdgen's own symbols are called ``kind/label`` inside; a reader sees the label (``z_k``), or
``label_kind`` where a user's symbol has that name already. ``Let`` nodes are shown by their
name, with the definition beside the formula; a ``Branch`` is shown as its cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

__all__ = ["Plain", "Typeset", "display_names", "escape_tex", "name_as_tex"]

_GREEK = frozenset(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
    "upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega".split())
_SPELLINGS = {"lam": r"\lambda", "lambda": r"\lambda", "epsilon": r"\varepsilon"}
_ACCENTS = {"dot": r"\dot", "ddot": r"\ddot", "bar": r"\bar", "hat": r"\hat"}
_INDICES = {"next": "k+1"}


def display_names(symbols: Iterable[sp.Symbol]) -> dict[sp.Symbol, str]:
    """A distinct name for each symbol; users' symbols keep theirs."""
    names: dict[sp.Symbol, str] = {}
    taken: set[str] = set()
    for symbol in sorted(symbols, key=lambda s: "/" in s.name):
        kind, _, label = symbol.name.rpartition("/")
        name = label if label not in taken else f"{label}_{kind.replace('/', '_')}"
        while name in taken:
            name += "_"
        names[symbol] = name
        taken.add(name)
    return names


def name_as_tex(name: str) -> str:
    r"""``z_dot_k`` as ``\dot{z}_{k}``, ``theta1`` as ``\theta_{1}``, words upright."""
    head, *rest = [part for part in name.split("_") if part] or [name]
    letters = head.rstrip("0123456789")
    base, indices = _word(letters or head), [head[len(letters):]] if letters and letters != head else []
    for part in rest:
        if part in _ACCENTS:
            base = f"{_ACCENTS[part]}{{{base}}}"
        else:
            indices.append(_INDICES.get(part) or _word(part))
    return f"{base}_{{{','.join(indices)}}}" if indices else base


def _word(text: str) -> str:
    if text in _SPELLINGS:
        return _SPELLINGS[text]
    if text in _GREEK:
        return f"\\{text}"
    return text if len(text) == 1 or text.isdigit() else rf"\mathrm{{{escape_tex(text)}}}"


def escape_tex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    table = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    table |= {letter: f"\\{letter}" for letter in "&%$#_{}"}
    return "".join(table.get(letter, letter) for letter in text)


class _Notation:
    """What both printers share: names of symbols, and definitions met on the way.

    ``definitions`` maps the name of each ``Let`` that was printed to the text of its value,
    inner ones first.
    """

    settings: ClassVar[dict[str, Any]] = {}

    def __init__(self, names: dict[sp.Symbol, str]) -> None:
        super().__init__(self.settings)
        self.names = names
        self.definitions: dict[str, str] = {}

    def take_definitions(self) -> dict[str, str]:
        """The definitions since the last call."""
        taken, self.definitions = self.definitions, {}
        return taken

    def define(self, name: str, value: str) -> str:
        """The name under which a definition is kept: another one where two values share it."""
        unique, number = name, 2
        while self.definitions.get(unique, value) != value:
            unique, number = f"{name}{number}", number + 1
        self.definitions[unique] = value
        return unique


class Plain(_Notation, StrPrinter):  # type: ignore[misc]
    """Expressions as plain text, in the syntax of SymPy."""

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        return self.names.get(expr, expr.name)

    def _print_Let(self, expr: Any) -> str:
        return self.define(str(expr.args[0]), self._print(expr.args[1]))

    def _print_Branch(self, expr: Any) -> str:
        cases = [f"{self._print(value)} {_when(condition, 'if', self._print)}"
                 for value, condition in zip(expr.values, expr.conditions, strict=True)]
        return f"cases({', '.join(cases)})"


class Typeset(_Notation, LatexPrinter):  # type: ignore[misc]
    """Expressions as LaTeX (amsmath)."""

    settings: ClassVar[dict[str, Any]] = {"mul_symbol": r" \, "}

    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        return name_as_tex(self.names.get(expr, expr.name))

    def _print_Let(self, expr: Any, exp: str | None = None) -> str:
        return _power(self.define(name_as_tex(str(expr.args[0])), self._print(expr.args[1])), exp)

    def _print_Branch(self, expr: Any, exp: str | None = None) -> str:
        conditions = [_when(c, r"\text{if }", self._print, r"\text{otherwise}") for c in expr.conditions]
        cases = [f"{self._print(value)} & {when}" for value, when in zip(expr.values, conditions, strict=True)]
        return _power(r"\begin{cases} " + r" \\ ".join(cases) + r" \end{cases}", exp)

    def _print_Floor(self, expr: Any, exp: str | None = None) -> str:
        return _power(rf"\left\lfloor {self._print(expr.args[0])} \right\rfloor", exp)

    def _print_Sign(self, expr: Any, exp: str | None = None) -> str:
        return _power(rf"\operatorname{{sign}}\left({self._print(expr.args[0])}\right)", exp)

    def _print_Modulo(self, expr: Any, exp: str | None = None) -> str:
        a, b = (self._print(arg) for arg in expr.args)
        return _power(rf"\left({a} \bmod {b}\right)", exp)

    def _print_Stumpff(self, expr: Any, exp: str | None = None) -> str:
        return _power(rf"c_{{{self._print(expr.args[0])}}}\left({self._print(expr.args[1])}\right)", exp)


def _when(condition: Any, word: str, show: Any, otherwise: str = "otherwise") -> str:
    return otherwise if condition == sp.true else f"{word} {show(condition)}"


def _power(base: str, exponent: str | None) -> str:
    return base if exponent is None else f"{{{base}}}^{{{exponent}}}"
