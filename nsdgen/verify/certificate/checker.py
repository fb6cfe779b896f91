"""Checks certificates of proofs with the standard library alone: ``python checker.py RECORDS.json``.

A certificate proves left = right wherever both are defined and its assumptions hold: a product of what does not vanish
there, times the numerator of left - right, is a sum of cofactors times assumptions or axioms. A formula is read as a
polynomial {names, repeated as they are multiplied: coefficient} over factors {polynomial: power}; what is no sum,
product, quotient or whole power is a name. What functions are known by stands in AXIOMS, DEFINED, NEGATED and ADDED;
``splits`` says which arguments are read as sums. Only numerators of what vanishes are used, so that no pole proves
anything. Nothing here comes from the prover, nor from SymPy.
"""

import ast
import json
import sys
from collections import Counter
from fractions import Fraction
from typing import Any

AXIOMS = {
    "sin": "sin({0})**2 + cos({0})**2 - 1",
    "cos": "sin({0})**2 + cos({0})**2 - 1",
    "sqrt": "sqrt({0})**2 - ({0})",
    "Abs": "Abs({0})**2 - ({0})**2",
    "I": "I**2 + 1",
}
DEFINED = {
    "tan": "sin({0})/cos({0})",
    "cot": "cos({0})/sin({0})",
    "sinh": "(exp({0}) - 1/exp({0}))/2",
    "cosh": "(exp({0}) + 1/exp({0}))/2",
    "tanh": "(exp({0})**2 - 1)/(exp({0})**2 + 1)",
}
NEGATED = {"sin": "-sin({0})", "cos": "cos({0})", "exp": "1/exp({0})"}
ADDED = {
    "sin": "sin({0})*cos({1}) + cos({0})*sin({1})",
    "cos": "cos({0})*cos({1}) - sin({0})*sin({1})",
    "exp": "exp({0})*exp({1})",
}


def add(p: Any, q: Any, k: int = 1) -> Any:
    """p + k q."""
    return {m: c for m in {**p, **q} if (c := p.get(m, 0) + k * q.get(m, 0))}


def mul(*polynomials: Any) -> Any:
    """The product."""
    product: Any = {(): Fraction(1)}
    for p in polynomials:
        total: Any = Counter()
        for (m, a), (n, b) in ((x, y) for x in product.items() for y in p.items()):
            total[tuple(sorted(m + n))] += a * b
        product = {m: c for m, c in total.items() if c}
    return product


class TextReader:
    """Reads texts as (polynomial, Counter of the factors below it) and collects the axioms of the names it meets."""

    def __init__(self, splits: Any) -> None:
        self.splits, self.axioms = splits, dict[str, Any]()

    def text(self, text: str) -> Any:
        """What a text is."""
        return self.read(ast.parse(text, mode="eval").body)

    def read(self, e: Any) -> Any:
        """What a node of the syntax is."""
        match e:
            case ast.Constant(value=int(n)) if type(n) is int:
                return add({(): Fraction(n)}, {}), Counter()
            case ast.UnaryOp(op=ast.USub(), operand=a):
                p, below = self.read(a)
                return add({}, p, -1), below
            case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(n))) if type(n) is int:
                p, below = self.read(a)
                return mul(*[p] * n), Counter({f: n * k for f, k in below.items()})
            case ast.BinOp(left=a, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as kind, right=b):
                (p, c), (q, d) = self.read(a), self.read(b)
                if isinstance(kind, ast.Div):
                    if not q:
                        raise ZeroDivisionError
                    (q, d), k = (mul(*map(dict, d.elements())), Counter([frozenset(q.items())])), q.get((), 0)
                    if d == {frozenset({((), k)}): 1}:
                        q, d = mul(q, {(): 1 / k}), Counter()
                if isinstance(kind, ast.Mult | ast.Div):
                    return mul(p, q), c + d
                p, q = (mul(r, *map(dict, ((c | d) - own).elements())) for r, own in ((p, c), (q, d)))
                return add(p, q, -1 if isinstance(kind, ast.Sub) else 1), c | d
            case ast.Call(func=ast.Name(id=f), args=[a]) if f in DEFINED:
                return self.text(DEFINED[f].format(ast.unparse(a)))
            case ast.Call(func=ast.Name(id=f), args=[ast.UnaryOp(op=ast.USub(), operand=a)]) if f in NEGATED:
                return self.text(NEGATED[f].format(ast.unparse(a)))
            case ast.Call(func=ast.Name(id=f), args=[a]) if f in ADDED and ast.unparse(a) in self.splits:
                parts = [ast.unparse(ast.parse(t, mode="eval")) for t in self.splits[ast.unparse(a)]]  # each by itself
                if self.text(f"({parts[0]}) + ({parts[1]}) - ({ast.unparse(a)})")[0]:
                    raise ValueError(f"{ast.unparse(a)} is not the sum of {parts}")
                return self.text(ADDED[f].format(*parts))
        name, f, inside = ast.unparse(e), getattr(e, "id", ""), ""
        if isinstance(e, ast.Call):
            f, inside = getattr(e.func, "id", ""), ", ".join(map(ast.unparse, e.args))
        imaginary = f == "Abs" and any(isinstance(n, ast.Name) and n.id == "I" for n in ast.walk(e))
        if f in AXIOMS and name not in self.axioms and not imaginary:
            self.axioms[name] = {}  # while its axiom is read
            self.axioms[name] = self.text(AXIOMS[f].format(inside))[0]
        return {(name,): Fraction(1)}, Counter()


def holds(certificate: Any) -> bool:
    """Whether a certificate proves what it says."""
    reader = TextReader(certificate["splits"])
    given, nonzero = ([reader.text(t)[0] for t in certificate[kind]] for kind in ("assumptions", "nonzero"))
    for entry in certificate["entries"]:
        rest, below = reader.text(f"({entry['left']}) - ({entry['right']})")
        for factor in (reader.text(t)[0] for t in entry["multiplier"]):
            if not factor or factor not in [*map(dict, below), *nonzero]:
                return False
            rest = mul(rest, factor)
        for key, cofactor in entry["cofactors"]:
            relation = given[key] if isinstance(key, int) else reader.axioms[key]
            rest = add(rest, mul(reader.text(cofactor)[0], relation), -1)
        if rest:
            return False
    return True


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        records = [r for record in json.load(file) for r in (record, *record.get("readings", ()))]
    proofs = [r for r in records if r["verdict"] in ("proved", "proved under")]
    failed = [r["id"] for r in records if not all(map(holds, r.get("certificate", ())))]
    print(
        f"{len(proofs)} proofs, {sum(bool(r.get('certificate')) for r in proofs)} with a certificate, "
        f"{len(failed)} certificates fail {failed}"
    )
    sys.exit(bool(failed))
