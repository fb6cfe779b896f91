"""Repairs of abstract matrix expressions: one factor, sign, transposition, term or letter changed."""

from collections.abc import Iterator
from typing import Any

import sympy as sp
from sympy.matrices.expressions import Inverse, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Transpose, ZeroMatrix

from nsdgen.verify.challenge.matrix_values import scalars_of
from nsdgen.verify.compare import compare
from nsdgen.verify.setting import Deadline, Setting
from nsdgen.verify.shapes import IllTyped, check, same_shape
from nsdgen.verify.statement import Equal

Change = tuple[str, str, Any]
"""Slip, sentence, and what makes the change, which need not be well typed."""


def abstract_repairs(hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> Iterator[tuple[str, str]]:
    """Slip and sentence of each repair that is proved, the simplest first."""
    letters = sorted(hand.atoms(MatrixSymbol) | truth.atoms(MatrixSymbol), key=str)
    held = [s for e in (hand, truth) for c in scalars_of(e) for s in c.free_symbols]
    scalars = sorted({s for s in held if isinstance(s, sp.Symbol)}, key=str)
    seen = set()
    for slip, sentence, make in _changes(hand, truth, letters, scalars):
        deadline.check()
        try:
            changed = make()
            check(changed)
        except (IllTyped, ValueError, TypeError, AttributeError):
            continue
        if changed in seen or not same_shape(changed.shape, truth.shape):
            continue
        seen.add(changed)
        if compare(Equal(truth, changed), setting, deadline.share(0.4), first=True).status == "proved":
            yield slip, sentence


def _changes(hand: Any, truth: Any, letters: list[MatrixSymbol], scalars: list[sp.Symbol]) -> Iterator[Change]:
    places = list(_places(hand, lambda e: e))
    for e, put in places:
        yield "sign", f"flip the sign of {e}", lambda e=e, put=put: put(-e)
    for e, put in (places[0], *(p for p in places if not isinstance(p[0], MatAdd))):
        yield "transpose", f"transpose {e}", lambda e=e, put=put: put(e.T.doit())
    for letter in letters:
        if same_shape(letter.shape, letter.shape[::-1]):
            yield "transpose", f"transpose {letter} everywhere", lambda m=letter: hand.xreplace({m: m.T}).doit()
    for e, put in places:
        if isinstance(e, MatrixSymbol):
            for other in letters:
                if other != e and same_shape(other.shape, e.shape):
                    yield "wrong argument", f"write {other} for {e}", lambda o=other, put=put: put(o)
        if isinstance(e, Inverse):
            yield "missing inverse", f"write {e.args[0]} for {e}", lambda e=e, put=put: put(e.args[0])
        elif isinstance(e, MatrixSymbol) and e.shape[0] == e.shape[1]:
            yield "missing inverse", f"invert {e}", lambda e=e, put=put: put(e.inv())
    for factor in (sp.Integer(2), *scalars, *(1 - s for s in scalars), *(s**2 for s in scalars)):
        for e, put in places:
            yield f"missing factor {factor}", f"multiply {e} by {factor}", lambda e=e, f=factor, put=put: put(f * e)
            yield f"extra factor {factor}", f"divide {e} by {factor}", lambda e=e, f=factor, put=put: put(e / f)
    for term in truth.args if isinstance(truth, MatAdd) else (truth,):
        yield "missing term", f"add {term}", lambda t=term: hand + t
        yield "missing term", f"subtract {term}", lambda t=term: hand - t
    for kind, slip in ((MatAdd, "extra term"), (MatMul, "extra factor")):
        for e, put in places:
            parts = [a for a in e.args if isinstance(a, MatrixExpr)] if isinstance(e, kind) else []
            for part in parts if len(parts) > 1 else ():
                rest = [a for a in e.args if a is not part]
                yield slip, f"leave out {part}", lambda kind=kind, r=rest, put=put: put(kind(*r).doit())
    for e, put in places:
        for k, a in enumerate(e.args if isinstance(e, MatMul) else ()):
            for new in letters if isinstance(a, MatrixExpr) else ():
                for one in (new, new.inv(), new.T) if new.shape[0] == new.shape[1] else ():
                    made = [*e.args[:k], one, *e.args[k:]]
                    sentence = f"put {one} before {a} in {e}"
                    yield f"missing factor {one}", sentence, lambda m=made, put=put: put(MatMul(*m).doit())
    yield "extra term", "write zero", lambda: ZeroMatrix(*hand.shape)


def _places(e: Any, put: Any) -> Iterator[tuple[Any, Any]]:
    """Every matrix inside an expression, with a function that puts another one in its place."""
    yield e, put
    if isinstance(e, (MatAdd, MatMul, Transpose, Inverse)):
        for k, a in enumerate(e.args):
            if isinstance(a, MatrixExpr):

                def inside(new: Any, k: int = k) -> Any:
                    return put(e.func(*e.args[:k], new, *e.args[k + 1 :]).doit())

                yield from _places(a, inside)
