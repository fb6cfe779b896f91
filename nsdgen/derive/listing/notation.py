"""How expressions of a derivation are shown to people: plain text and LaTeX.

nsdgen's own symbols are called ``kind/label`` inside; a reader sees the label (``z_k``), or
``label_kind`` where a user's symbol has that name already. ``Let`` nodes are shown by their
name, with the definition beside the formula; a ``Branch`` is shown as its cases, beside the
formula, too, where it is but a part of it.
"""

import re
from collections.abc import Iterable
from typing import Any, ClassVar

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.str import StrPrinter

from nsdgen.symbolic.expressions.nodes import Branch, Floor, Modulo, Sign

_GREEK = frozenset((
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
))  # fmt: skip
_SPELLINGS = {"lam": r"\lambda", "lambda": r"\lambda", "epsilon": r"\varepsilon"}
_ACCENTS = {"dot": r"\dot", "ddot": r"\ddot", "bar": r"\bar", "hat": r"\hat"}
_BRANCH = "case"
_IN_SYMPY = {Modulo: "Mod", Floor: "floor", Sign: "sign"}
_INDICES = {"next": "k+1"}
_IN_WORDS = re.compile(
    r"(?P<rate>\bd(?P<up>[A-Za-z])/d(?P<down>[A-Za-z])\b)|(?P<name>(?<!')[A-Za-z][A-Za-z0-9_]*(?:\+1\b)?)(?P<prime>'?)"
    r"(?:\^(?P<power>\w))?|(?P<sign><=|>=|[<>=*+-](?=\s|$)|\*)|(?P<other>.)",
    re.DOTALL,
)
_SIGNS = {"<=": r"\leq", ">=": r"\geq", "*": "*"}


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
    base, indices = _word(letters or head), [head[len(letters) :]] if letters and letters != head else []
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


def words_as_tex(text: str) -> str:
    r"""A described formula, such as ``W = dR/dw at t_next``: words as text, names and signs as mathematics."""
    return "".join(_piece(match) for match in _IN_WORDS.finditer(text))


def _piece(match: re.Match[str]) -> str:
    if match["rate"]:
        return rf"$\partial {match['up']}/\partial {match['down']}$"
    if match["sign"]:
        return f"${_SIGNS.get(match['sign'], match['sign'])}$"
    if match["other"]:
        return escape_tex(match["other"])
    name, power = match["name"], f"^{{{match['power']}}}" if match["power"] else ""
    if name == "o":
        return r"$\circ$"
    if len(name) > 1 and "_" not in name and name not in {*_GREEK, *_SPELLINGS} and not power:
        return escape_tex(name + match["prime"])
    # q_k+1 is q at the end of the step, but only an index k is raised in this way
    shown = name_as_tex(f"{name[:-3]}next" if name.endswith("_k+1") else name.removesuffix("+1"))
    rest = "+1" if name.endswith("+1") and not name.endswith("_k+1") else ""
    return f"${shown}{match['prime']}{power}{rest}$"


def escape_tex(text: str) -> str:
    """Text that LaTeX prints as it is."""
    table = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    table |= {letter: f"\\{letter}" for letter in "&%$#_{}"}
    return "".join(table.get(letter, letter) for letter in text)


class _Notation:
    """What both printers share: names of symbols, and definitions met on the way.

    ``definitions`` maps the plain name of each ``Let`` and of each branch inside a formula to
    the text of its value, inner ones first.
    """

    settings: ClassVar[dict[str, Any]] = {}

    def __init__(self, names: dict[sp.Symbol, str]) -> None:
        super().__init__(self.settings)  # type: ignore[call-arg]  # that of SymPy's printer
        self.names = names
        self.definitions: dict[str, str] = {}
        self._taken = frozenset(names.values())

    def formula(self, expr: Any) -> str:
        """The text of a whole formula; only here do the cases of a branch stand in place."""
        return self.cases(expr) if isinstance(expr, Branch) else str(self._print(expr))  # type: ignore[attr-defined]

    def cases(self, expr: Any) -> str:
        """The text of a branch; every notation has its own."""
        raise TypeError(f"{type(self).__name__} does not say how it writes a branch")

    def shown(self, name: str) -> str:
        """The text of a name."""
        return name

    def where(self) -> dict[str, str]:
        """The definitions met so far, by the text of their names."""
        return {self.shown(name): value for name, value in self.definitions.items()}

    def defined(self, wanted: str, expr: Any, *, numbered: bool = False) -> str:
        """The name under which the value of ``expr`` is shown from now on."""
        value, number = self.formula(expr), 1
        name = f"{wanted}1" if numbered else wanted
        while self.definitions.get(name, value) != value or name in self._taken:
            number += 1
            name = f"{wanted}{number}"
        self.definitions[name] = value
        return self.shown(name)


class Plain(_Notation, StrPrinter):  # type: ignore[misc]
    """Expressions as plain text, in the syntax of SymPy."""

    def cases(self, expr: Any) -> str:
        """``cases(v1 if c1, v2 if c2, v3 otherwise)``."""
        conditions = ["otherwise" if c == sp.true else f"if {self._print(c)}" for c in expr.conditions]
        return f"cases({', '.join(f'{self._print(v)} {c}' for v, c in zip(expr.values, conditions, strict=True))})"

    def _print_Symbol(self, expr: sp.Symbol) -> str:
        return self.names.get(expr, expr.name)

    def _print_Let(self, expr: Any) -> str:
        return self.defined(str(expr.args[0]), expr.args[1])

    def _print_Branch(self, expr: Any) -> str:
        return self.defined(_BRANCH, expr, numbered=True)

    def _print_Function(self, expr: Any) -> str:
        name = _IN_SYMPY.get(type(expr))
        return f"{name}({self.stringify(expr.args, ', ')})" if name else str(super()._print_Function(expr))

    _print_Modulo = _print_Floor = _print_Sign = _print_Function


class Typeset(_Notation, LatexPrinter):  # type: ignore[misc]
    """Expressions as LaTeX (amsmath)."""

    settings: ClassVar[dict[str, Any]] = {"mul_symbol": r" \, "}

    def shown(self, name: str) -> str:
        """The name as :func:`name_as_tex` sets it."""
        return name_as_tex(name)

    def cases(self, expr: Any) -> str:
        """A ``cases`` environment, one row for each value."""
        conditions = [
            r"\text{otherwise}" if c == sp.true else rf"\text{{if }} {self._print(c)}" for c in expr.conditions
        ]
        rows = [f"{self._print(value)} & {when}" for value, when in zip(expr.values, conditions, strict=True)]
        return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"

    def _print_Symbol(self, expr: sp.Symbol, style: str = "plain") -> str:
        return name_as_tex(self.names.get(expr, expr.name))

    def _print_Let(self, expr: Any, exp: str | None = None) -> str:
        return _power(self.defined(str(expr.args[0]), expr.args[1]), exp)

    def _print_Branch(self, expr: Any, exp: str | None = None) -> str:
        return _power(self.defined(_BRANCH, expr, numbered=True), exp)

    def _print_Floor(self, expr: Any, exp: str | None = None) -> str:
        return _power(rf"\left\lfloor {self._print(expr.args[0])} \right\rfloor", exp)

    def _print_Sign(self, expr: Any, exp: str | None = None) -> str:
        return _power(rf"\operatorname{{sign}}\left({self._print(expr.args[0])}\right)", exp)

    def _print_Modulo(self, expr: Any, exp: str | None = None) -> str:
        a, b = (self._print(arg) for arg in expr.args)
        return _power(rf"\left({a} \bmod {b}\right)", exp)

    def _print_Stumpff(self, expr: Any, exp: str | None = None) -> str:
        return _power(rf"c_{{{self._print(expr.args[0])}}}\left({self._print(expr.args[1])}\right)", exp)


def _power(base: str, exponent: str | None) -> str:
    return base if exponent is None else f"{{{base}}}^{{{exponent}}}"
