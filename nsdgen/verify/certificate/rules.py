"""What certificates need beyond identities: cases, signs, derivatives, integrals and orders; Python's library alone.

``python rules.py RECORDS.json`` checks records with all of it. A case distinction has a proof below, at and above zero
of an expression that is defined everywhere; a case that cannot be shows a positive sum of what is not negative that is
negative itself. left = integral of f from a to b follows from left' = f and left(a) = 0 where the form of left shows
that it is continuous between them; left = right up to an order, from equal derivatives at the point.
"""

import ast
import sys
from typing import Any

if __package__:
    from .checker import DEFINED, ONE, TextReader, add, difference, letters, main, mul, names_of, parsed
else:  # as a script beside the checker
    from checker import (  # type: ignore[no-redef]
        DEFINED,
        ONE,
        TextReader,
        add,
        difference,
        letters,
        main,
        mul,
        names_of,
        parsed,
    )

CHOSEN = {"Max": "({0}) if ({0}) >= ({1}) else ({1})", "Min": "({0}) if ({0}) <= ({1}) else ({1})"}
CHOSEN |= {"sign": "0 if ({0}) == 0 else 1 if ({0}) > 0 else -1"}
SLOPES = {"sin": "cos({0})", "cos": "-sin({0})", "exp": "exp({0})", "log": "1/({0})", "sqrt": "1/(2*sqrt({0}))"}
SLOPES |= {"atan": "1/(1 + ({0})**2)"}
SMOOTH = ("sin", "cos", "exp", "atan", "sinh", "cosh", "tanh")
SIGNS = {"exp": {1}, "cosh": {1}, "sqrt": {0, 1}, "Abs": {0, 1}}
TRUE = {ast.Lt: {-1}, ast.LtE: {-1, 0}, ast.Gt: {1}, ast.GtE: {0, 1}, ast.Eq: {0}, ast.NotEq: {-1, 1}}
ORDERS = {">": {1}, ">=": {0, 1}}
KINDS = ("given", "nonnegative", "nonzero", "invertible", "positive")


class Open(ValueError):
    """Which of several formulas counts is not known; the argument is the text whose sign decides."""


def replaced(text: str, x: str, value: str) -> str:
    """A text with a value in the place of a name."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: Any) -> Any:
            return parsed(value) if node.id == x else node

    return ast.unparse(Put().visit(parsed(text)))


def slope(e: Any, x: str) -> str:
    """The derivative by a name, as a text. Raises ``KeyError`` and ``ValueError`` where there is none here."""
    if x not in names_of(e):
        return "0"
    match e:
        case ast.Name():
            return "1"
        case ast.UnaryOp(op=ast.USub(), operand=a):
            return f"-({slope(a, x)})"
        case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(n))):
            return f"{n}*({ast.unparse(a)})**{n - 1}*({slope(a, x)})" if n > 0 else "0"
        case ast.BinOp(left=a, op=kind, right=b):
            u, v, du, dv = (f"({t})" for t in (ast.unparse(a), ast.unparse(b), slope(a, x), slope(b, x)))
            sums = {ast.Add: f"{du} + {dv}", ast.Sub: f"{du} - {dv}", ast.Mult: f"{du}*{v} + {u}*{dv}"}
            return {**sums, ast.Div: f"{du}/{v} - {u}*{dv}/{v}**2"}[type(kind)]
        case ast.Call(func=ast.Name(id=f), args=[a]) if f in DEFINED:
            return slope(parsed(DEFINED[f].format(ast.unparse(a))), x)
        case ast.Call(func=ast.Name(id=f), args=[a]):
            return f"({SLOPES[f].format(ast.unparse(a))})*({slope(a, x)})"
    raise ValueError(f"{ast.unparse(e)} has no derivative here")


class CaseReader(TextReader):
    """The reader of the checker, which also knows signs and chooses between formulas by them."""

    def read(self, e: Any) -> Any:
        """What a node is; of several formulas the one whose condition holds."""
        if isinstance(e, ast.IfExp):
            return self.read(e.body if self.chosen(e.test) else e.orelse)
        return super().read(e)

    def call(self, f: str, args: list[Any]) -> Any:
        """What a function is; an absolute value of one sign is its argument, turned where that is negative."""
        if f in CHOSEN and args:
            return self.text(CHOSEN[f].format(*map(ast.unparse, args)))
        if f == "Abs" and (signs := self.signs(args[0])) != {-1, 0, 1} and signs != {-1, 1}:
            return self.read(args[0] if 1 in signs else ast.UnaryOp(ast.USub(), args[0]))
        return super().call(f, args)

    def chosen(self, test: Any) -> bool:
        """Whether a condition holds. Raises ``Open`` where that depends on a sign that is not known."""
        match test:
            case ast.BoolOp(op=kind, values=parts):
                return (all if isinstance(kind, ast.And) else any)([self.chosen(a) for a in parts])
            case ast.UnaryOp(op=ast.Not(), operand=a):
                return not self.chosen(a)
            case ast.Compare(left=a, ops=[op], comparators=[b]):
                signs, true = self.signs(e := ast.BinOp(a, ast.Sub(), b)), TRUE[type(op)]
                if signs <= true or not signs & true:
                    return signs <= true
                raise Open(ast.unparse(e))
        raise ValueError(f"{ast.unparse(test)} is no condition")

    def signs(self, e: Any) -> set[int]:
        """The signs that a value may have: below, at and above zero."""
        p, below = self.read(e)
        p = mul(p, *map(dict, below.elements()))
        if not p:
            return {0}
        if any(map(letters, p)):
            return {-1, 0, 1}
        m = next(iter(p))
        for q, signs in ((ONE, {1}), *self.signed):
            if (c := p[m] / q[m] if m in q else 0) and not add(p, q, -c):
                return {s if c > 0 else -s for s in signs}
        match e if self.real else None:
            case ast.UnaryOp(operand=a):
                return {-s for s in self.signs(a)}
            case ast.BinOp(left=a, op=ast.Pow(), right=ast.Constant(value=int(n))):
                return {1 if n == 0 else s ** (2 - n % 2) for s in self.signs(a)}
            case ast.BinOp(left=a, op=ast.Mult() | ast.Div(), right=b):
                return {s * t for s in self.signs(a) for t in self.signs(b)}
            case ast.BinOp(left=a, op=ast.Add() | ast.Sub() as kind, right=b):
                way = 1 if isinstance(kind, ast.Add) else -1
                both = {(s, way * t) for s in self.signs(a) for t in self.signs(b)}
                return {-1, 0, 1} if both & {(1, -1), (-1, 1)} else {s or t for s, t in both}
            case ast.Call(func=ast.Name(id=f)) if f in SIGNS:
                return SIGNS[f]
        return {-1, 0, 1}

    def smooth(self, e: Any, x: str = "") -> bool:
        """Whether the form of an expression shows it continuous and defined for all real values (of one name)."""
        match e:
            case ast.Constant() | ast.Name():
                return True
            case ast.UnaryOp(operand=a) | ast.BinOp(left=a, op=ast.Pow()):
                return self.smooth(a, x)
            case ast.BinOp(left=a, op=kind, right=b):
                whole = not isinstance(kind, ast.Div) or 0 not in self.signs(b) or (x and x not in names_of(b))
                return bool(whole) and self.smooth(a, x) and self.smooth(b, x)
            case ast.Call(func=ast.Name(id="Max" | "Min" | "Abs"), args=args):
                return all(self.smooth(a, x) for a in args)
            case ast.Call(func=ast.Name(id=f), args=[a]):
                fine = {"sqrt": {0, 1}, "log": {1}}.get(f, {-1, 0, 1} if f in SMOOTH else set())
                return (self.signs(a) <= fine and self.smooth(a, x)) or (bool(x) and x not in names_of(e))
        return False

    def vanishes(self, e: Any, below: Any) -> bool:
        """Whether a factor may be zero; its sign may tell."""
        return super().vanishes(e, below) and 0 in self.signs(e)

    def but(self, **more: list[str]) -> Any:
        """A reader of the same part with other assumptions of some kinds."""
        return type(self)(self.part | more, self.splits)

    def proves(self, goal: Any, proof: Any) -> bool:
        """Whether a proof shows a goal, in each case where it distinguishes some."""
        kind, shape, *texts = goal
        if "case" in proof:
            text, given, positive = proof["case"], self.part["given"], self.part["positive"]
            ways = [("below", {"positive": [*positive, f"-({text})"]}), ("zero", {"given": [*given, text]})]
            ways += [("above", {"positive": [*positive, text]})]
            total = self.real and self.smooth(parsed(text)) and not names_of(parsed(text)) & {*self.part["matrices"]}
            return total and all(self.but(**more).proves(goal, proof[way]) for way, more in ways)
        if "empty" in proof:
            return self.empty(proof["empty"], proof["cofactors"])
        if "squares" in proof and kind == "=":  # what is not negative is equal where its squares are
            sides = [parsed(t) for t in texts]
            first, second = (ast.BinOp(e, ast.Pow(), ast.Constant(2)) for e in sides)
            same = self.equal(ast.BinOp(first, ast.Sub(), second), shape, proof["squares"])
            return same and all(self.signs(e) <= {0, 1} for e in sides)
        if kind in ORDERS:
            form = parsed(proof["form"])
            same = self.equal(ast.BinOp(difference(*texts), ast.Sub(), form), shape, proof)
            return same and self.smooth(form) and self.signs(form) <= ORDERS[kind]
        if kind == "integral":
            return self.integral(shape, *texts, *proof["parts"])
        return self.ordered(shape, texts, proof["parts"]) if kind == "order" else super().proves(goal, proof)

    def empty(self, counted: Any, cofactors: Any) -> bool:
        """Whether a positive sum of what is not negative, up to what vanishes, is negative: or 0, where one is not."""
        total, strict = self.less({}, ("1", "1"), cofactors), False
        for n, k in counted:
            p, signs = self.signed[k]
            if type(n) is not int or n <= 0 or not signs <= {0, 1}:
                return False
            total, strict = add(total, p, n), strict or 0 not in signs
        return (total.get((), 0) < 0 and len(total) == 1) or (strict and not total)

    def without(self, x: str) -> Any:
        """The reader without what is assumed of a name."""
        return self.but(**{kind: [t for t in self.part[kind] if x not in names_of(parsed(t))] for kind in KINDS})

    def integral(self, shape: Any, left: str, integrand: str, x: str, low: str, high: str, *parts: Any) -> bool:
        """Whether left is the integral of a function of x from low to the name high."""
        others = names_of(parsed(low)) | (names_of(parsed(integrand)) if x != high else set())
        reader = self.without(high)
        if all(self.signs(parsed(t)) == {1} for t in (low, high)):  # and so is what is between them
            reader = reader.but(positive=[*reader.part["positive"], high])
        rate = difference(slope(parsed(left), high), replaced(integrand, x, high))
        pairs = zip((rate, parsed(replaced(left, high, low))), parts, strict=True)
        fine = high not in others and reader.smooth(parsed(left), high)
        return fine and all(reader.equal(e, shape, proof) for e, proof in pairs)

    def ordered(self, shape: Any, said: list[Any], parts: Any) -> bool:
        """Whether left - right is O((x - at)**order): it has derivatives there up to that one, the others vanish."""
        left, right, x, at, order = said
        reader, texts = self.without(x), [ast.unparse(difference(left, right))]
        for _ in range(order):
            texts.append(slope(parsed(texts[-1]), x))
        *steps, _ = (parsed(replaced(t, x, at)) for t in texts)
        reader.read(parsed(replaced(texts[-1], x, at)))  # which is no division by zero
        return order > 0 and all(reader.equal(e, shape, proof) for e, proof in zip(steps, parts, strict=True))


if __name__ == "__main__":
    sys.exit(main(CaseReader))
