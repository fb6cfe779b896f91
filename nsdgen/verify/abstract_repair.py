"""Repairs of abstract matrix expressions: one factor, sign, transposition, term or letter changed."""

from __future__ import annotations

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


def abstract_repairs(hand: Any, truth: Any, setting: Setting, deadline: Deadline) -> Iterator[tuple[str, str]]:
    """Slip and sentence of each repair that is proved, the simplest first."""
    letters = sorted(hand.atoms(MatrixSymbol) | truth.atoms(MatrixSymbol), key=str)
    scalars = sorted(
        {s for e in (hand, truth) for c in scalars_of(e) for s in c.free_symbols if isinstance(s, sp.Symbol)}, key=str
    )
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
    yield "transpose", f"transpose {hand}", lambda: hand.T.doit()
    for e, put in places:
        if not isinstance(e, MatAdd):
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
    for e, put in places:
        if isinstance(e, MatAdd):
            for k, term in enumerate(e.args):
                rest = [a for i, a in enumerate(e.args) if i != k]
                yield "extra term", f"leave out {term}", lambda r=rest, put=put: put(MatAdd(*r).doit())
    for e, put in places:
        if isinstance(e, MatMul):
            factors = [a for a in e.args if isinstance(a, MatrixExpr)]
            for letter in factors:
                others = [a for a in e.args if a is not letter]
                if len(factors) > 1:
                    yield "extra factor", f"leave out {letter}", lambda o=others, put=put: put(MatMul(*o).doit())
                for new in letters:
                    if new.shape[0] == new.shape[1]:
                        for inserted in (new, new.inv(), new.T):
                            yield (
                                f"missing factor {inserted}",
                                f"put {inserted} before {letter} in {e}",
                                lambda e=e, a=letter, n=inserted, put=put: put(_inserted(e, a, n)),
                            )
    yield "extra term", "write zero", lambda: ZeroMatrix(*hand.shape)


def _inserted(product: MatMul, before: Any, new: Any) -> Any:
    at = product.args.index(before)
    return MatMul(*product.args[:at], new, *product.args[at:]).doit()


def _places(e: Any, put: Any) -> Iterator[tuple[Any, Any]]:
    """Every matrix inside an expression, with a function that puts another one in its place."""
    yield e, put
    if isinstance(e, (MatAdd, MatMul, Transpose, Inverse)):
        for k, a in enumerate(e.args):
            if isinstance(a, MatrixExpr):

                def inside(new: Any, k: int = k) -> Any:
                    return put(e.func(*e.args[:k], new, *e.args[k + 1 :]).doit())

                yield from _places(a, inside)
