"""Expressions and matrices as presentation MathML, which browsers typeset without help.

Only elements of MathML Core are used, and nothing that needs a font with tables for mathematics: brackets and braces
are borders of tables (classes ``matrix`` and ``cases`` of the page), dots stand over their letters. A name like ``q_0``
or ``v1`` gets its subscript, names of Greek letters become letters. Entries of a matrix can be marked, by colour and
by a sign.
"""

import re
from collections.abc import Callable, Collection
from html import escape
from typing import Any

import sympy as sp
from sympy.core.relational import Relational

from nsdgen.symbolic.expressions.conversion import as_expression
from nsdgen.symbolic.expressions.nodes import Branch, Let, Modulo
from nsdgen.symbolic.graph.computed import Computed, is_of_double

MARK = "✗"
"""The sign before an entry that is wrong."""

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_FEW_NODES = 20  # of a computed part that is typeset where it stands
_MOST_ENTRIES = 400  # twenty by twenty: more, typeset, fit on no screen
_LETTERS = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda lam mu nu xi pi rho sigma tau upsilon phi chi psi omega
Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
"""  # in the order of the letters below
_GREEK = dict(zip(_LETTERS.split(), "αβγδεζηθικλλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ", strict=True))
_ACCENTS = {"hat": "^", "tilde": "~", "bar": "¯", "dot": "˙", "ddot": "¨", "vec": "→"}
_RELATIONS = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥", "<": "&lt;", ">": "&gt;"}


def formula(value: Any, wrong: Collection[tuple[int, int]] = ()) -> str:
    """A ``<math>`` element; ``wrong`` holds the entries (from 1; (0, 0) for a scalar) that are marked."""
    return f'<math display="block">{mathml(value, wrong)}</math>'


def mathml(value: Any, wrong: Collection[tuple[int, int]] = ()) -> str:
    """The inside of a ``<math>`` element."""
    if isinstance(value, sp.MatrixBase):
        return _matrix(value, wrong)
    inner = _print(as_expression(value))[0]
    return _marked(inner) if wrong else inner


def _matrix(value: sp.MatrixBase, wrong: Collection[tuple[int, int]]) -> str:
    if value.rows * value.cols > _MOST_ENTRIES:
        return f"<mtext>a matrix of shape ({value.rows}, {value.cols})</mtext>"
    rows = "".join(
        "<mtr>" + "".join(_cell(value[i, j], (i + 1, j + 1) in wrong) for j in range(value.cols)) + "</mtr>"
        for i in range(value.rows)
    )
    return f'<mtable class="matrix">{rows}</mtable>'


def _cell(entry: Any, wrong: bool) -> str:
    inner = _print(as_expression(entry))[0]
    return f'<mtd class="wrong">{_marked(inner)}</mtd>' if wrong else f"<mtd>{inner}</mtd>"


def _marked(inner: str) -> str:
    return f'<mrow class="wrong"><mtext class="mark">{MARK}&#160;</mtext>{inner}</mrow>'


def _print(node: Any) -> tuple[str, int]:
    """Text and binding strength of an expression."""
    for kinds, rule in _RULES:
        if isinstance(node, kinds):
            return rule(node)
    if isinstance(node, sp.Basic) and node.args:
        return _function(_name(type(node).__name__), node.args)
    return f"<mi>{escape(str(node))}</mi>", _ATOM


def _inside(node: Any, least: int) -> str:
    text, strength = _print(node)
    return text if strength >= least else _parenthesised(text)


def _parenthesised(text: str) -> str:
    return f"<mrow><mo>(</mo>{text}<mo>)</mo></mrow>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


def _name(name: str) -> str:
    """A name with subscripts: ``q_0``, ``v1``, ``theta_dot``, ``state/z_k``."""
    base, *rest = name.rpartition("/")[2].split("_")
    if digits := re.fullmatch(r"([A-Za-z]+)(\d+)", base):
        base, rest = digits[1], [digits[2], *rest]
    text = f"<mi>{escape(_GREEK.get(base, base))}</mi>"
    while rest and rest[0] in _ACCENTS:
        text = f"<mover>{text}<mo>{_ACCENTS[rest.pop(0)]}</mo></mover>"
    below = [f"<mn>{r}</mn>" if r.isdigit() else f"<mi>{escape(_GREEK.get(r, r))}</mi>" for r in rest if r]
    return f"<msub>{text}{_row(*'<mo>,</mo>'.join(below).split('~'))}</msub>" if below else text


def _number(node: sp.Number) -> tuple[str, int]:
    if isinstance(node, sp.Rational) and is_of_double(node):
        node = sp.Float(node)
    if isinstance(node, sp.Rational) and node.q != 1:
        sign = "<mo>−</mo>" if node.p < 0 else ""
        return _row(sign, f"<mfrac><mn>{abs(node.p)}</mn><mn>{node.q}</mn></mfrac>"), _SUM if sign else _POWER
    text = f"{float(node):.12g}" if isinstance(node, sp.Float) else str(node)
    if text.startswith("-"):
        return _row("<mo>−</mo>", f"<mn>{text[1:]}</mn>"), _SUM
    return f"<mn>{escape(text)}</mn>", _ATOM


def _add(node: Any) -> tuple[str, int]:
    parts: list[str] = []
    for term in node.as_ordered_terms() if isinstance(node, sp.Add) else node.args:
        negative = term.could_extract_minus_sign() and not isinstance(term, sp.Add)
        body = _inside(-term if negative else term, _PRODUCT)
        parts.append(("<mo>−</mo>" if negative else "<mo>+</mo>" if parts else "") + body)
    return _row(*parts), _SUM


def _mul(node: Any) -> tuple[str, int]:
    if node.could_extract_minus_sign():
        return _row("<mo>−</mo>", _inside(-node, _PRODUCT)), _SUM
    above, below = [], []
    for factor in node.as_ordered_factors() if isinstance(node, sp.Mul) else node.args:
        if factor.is_Number and float(factor) == 1.0:
            continue
        if isinstance(factor, sp.Rational) and factor.q != 1 and not is_of_double(factor):
            above += [sp.Integer(factor.p)] if factor.p != 1 else []
            below.append(sp.Integer(factor.q))
        elif isinstance(factor, sp.Pow) and factor.exp.is_Rational and factor.exp.is_negative:
            below.append(sp.Pow(factor.base, -factor.exp))
        else:
            above.append(factor)
    upper = _juxtaposed(above)
    return (_row(upper), _PRODUCT) if not below else (f"<mfrac>{_row(upper)}{_row(_juxtaposed(below))}</mfrac>", _POWER)


def _juxtaposed(factors: list[Any]) -> str:
    if len(factors) == 1:
        return _print(factors[0])[0]
    return "<mspace width='0.15em'/>".join(_inside(f, _PRODUCT) for f in factors) or "<mn>1</mn>"


def _pow(node: sp.Pow) -> tuple[str, int]:
    base, exponent = node.base, node.exp
    if exponent == sp.Rational(1, 2):
        return f"<msqrt>{_print(base)[0]}</msqrt>", _ATOM
    if exponent.is_Rational and exponent.is_negative:
        return f"<mfrac><mn>1</mn>{_row(_print(sp.Pow(base, -exponent))[0])}</mfrac>", _POWER
    if isinstance(base, sp.sin | sp.cos | sp.tan) and exponent.is_Integer:
        head = f"<msup><mi>{type(base).__name__}</mi>{_print(exponent)[0]}</msup>"
        return _row(head, _parenthesised(_print(base.args[0])[0])), _POWER
    return f"<msup>{_inside(base, _ATOM)}{_row(_print(exponent)[0])}</msup>", _POWER


def _computed(node: Computed) -> tuple[str, int]:
    """Its expression, or between angles how many operations it takes."""
    written = node.legible(_FEW_NODES)
    return (f"<mtext>⟨{node.operations}⟩</mtext>", _ATOM) if written is None else _print(written)


def _function(name: str, args: Any) -> tuple[str, int]:
    inner = "<mo>,</mo>".join(_print(a)[0] for a in args)
    return _row(name, _parenthesised(_row(inner))), _ATOM


def _modulo(node: Any) -> tuple[str, int]:
    left, right = (_inside(a, _POWER) for a in node.args)
    return _row(left, "<mo>mod</mo>", right), _SUM


def _cases(pairs: Any) -> tuple[str, int]:
    rows = "".join(f"<mtr><mtd>{_print(v)[0]}</mtd><mtd>{_condition(c)}</mtd></mtr>" for v, c in pairs)
    return f'<mtable class="cases">{rows}</mtable>', _SUM


def _condition(condition: Any) -> str:
    return "<mtext>otherwise</mtext>" if condition == sp.true else _print(condition)[0]


def _relation(node: Any) -> tuple[str, int]:
    return _row(_print(node.lhs)[0], f"<mo>{_RELATIONS.get(node.rel_op, node.rel_op)}</mo>", _print(node.rhs)[0]), _SUM


def _junction(node: Any) -> tuple[str, int]:
    sign = "<mo>∧</mo>" if isinstance(node, sp.And) else "<mo>∨</mo>"
    return sign.join(_inside(a, _PRODUCT if isinstance(a, sp.And | sp.Or) else _SUM) for a in node.args), _SUM


def _derivative(node: sp.Derivative) -> tuple[str, int]:
    below = "".join(
        f"<mi>∂</mi>{_print(v)[0]}" if n == 1 else f"<mi>∂</mi><msup>{_print(v)[0]}<mn>{n}</mn></msup>"
        for v, n in node.variable_count
    )
    order = sum(int(n) for _, n in node.variable_count)
    top = "<mi>∂</mi>" if order == 1 else f"<msup><mi>∂</mi><mn>{order}</mn></msup>"
    return f"<mfrac>{_row(top, _inside(node.expr, _POWER))}{_row(below)}</mfrac>", _POWER


def _sum_sign(node: Any) -> tuple[str, int]:
    (index, low, high), *_ = node.limits
    sign = "∑" if isinstance(node, sp.Sum) else "∫"
    start = _print(low)[0] if sign == "∫" else _row(_print(index)[0], "<mo>=</mo>", _print(low)[0])
    tail = f"<mi>d</mi>{_print(index)[0]}" if sign == "∫" else ""
    return _row(
        f"<munderover><mo>{sign}</mo>{_row(start)}{_row(_print(high)[0])}</munderover>",
        _inside(node.function, _PRODUCT),
        tail,
    ), _SUM


_Rule = Callable[[Any], tuple[str, int]]
_RULES: list[tuple[Any, _Rule]] = [
    (sp.MatrixBase, lambda node: (_matrix(node, ()), _ATOM)),
    (sp.Identity, lambda node: ("<mi>I</mi>", _ATOM)),
    (sp.ZeroMatrix, lambda node: ("<mn>0</mn>", _ATOM)),
    (sp.MatrixSymbol, lambda node: (_name(node.name), _ATOM)),
    (sp.Transpose, lambda node: (f"<msup>{_inside(node.arg, _ATOM)}<mo>⊤</mo></msup>", _POWER)),
    (sp.Inverse, lambda node: (f"<msup>{_inside(node.arg, _ATOM)}{_row('<mo>−</mo><mn>1</mn>')}</msup>", _POWER)),
    (sp.MatPow, lambda node: (f"<msup>{_inside(node.base, _ATOM)}{_print(node.exp)[0]}</msup>", _POWER)),
    (sp.Symbol, lambda node: (_name(node.name), _ATOM)),
    (sp.Number, _number),
    (sp.Add, _add),
    (sp.MatAdd, _add),
    (sp.Mul, _mul),
    (sp.MatMul, _mul),
    (sp.Pow, _pow),
    (sp.exp, lambda node: (f"<msup><mi>e</mi>{_row(_print(node.args[0])[0])}</msup>", _POWER)),
    (sp.factorial, lambda node: (_row(_inside(node.args[0], _ATOM), "<mo>!</mo>"), _POWER)),
    (sp.Abs, lambda node: (_row("<mo>|</mo>", _print(node.args[0])[0], "<mo>|</mo>"), _ATOM)),
    (sp.Mod | Modulo, _modulo),
    (sp.Piecewise, lambda node: _cases([(p.args[0], p.args[1]) for p in node.args])),
    (Branch, lambda node: _cases(list(zip(node.values, node.conditions, strict=True)))),
    (Let, lambda node: _print(node.args[1])),
    (Computed, _computed),
    (Relational, _relation),
    (sp.And | sp.Or, _junction),
    (sp.Not, lambda node: (_row("<mo>¬</mo>", _inside(node.args[0], _ATOM)), _POWER)),
    (sp.Derivative, _derivative),
    (sp.Sum | sp.Integral, _sum_sign),
    (sp.core.numbers.Pi, lambda node: ("<mi>π</mi>", _ATOM)),
    (sp.core.numbers.Exp1, lambda node: ("<mi>e</mi>", _ATOM)),
    (sp.core.numbers.ImaginaryUnit, lambda node: ("<mi>i</mi>", _ATOM)),
    (sp.core.function.AppliedUndef, lambda node: _function(_name(node.func.__name__), node.args)),
]
