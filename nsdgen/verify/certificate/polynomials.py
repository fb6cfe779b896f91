"""Polynomials of what proofs are made of: {names as they are multiplied: coefficient}; "@A" is a matrix."""

from fractions import Fraction
from typing import Any

Word = tuple[str, ...]
Polynomial = dict[Word, Any]

ONE: Polynomial = {(): 1}


def add(p: dict[Any, Any], q: dict[Any, Any], k: Any = 1) -> dict[Any, Any]:
    """p + k q; also of other keys."""
    total = dict(p)
    for m, c in q.items():
        if new := total.get(m, 0) + k * c:
            total[m] = new
        else:
            total.pop(m, None)
    return total


def atom(*names: str) -> Polynomial:
    """The product of names."""
    return {names: 1}


def letters(m: Word) -> Word:
    """The matrices in a word."""
    return tuple(name for name in m if name[0] == "@")


def ordered(m: Word) -> Word:
    """A product of names with the numbers first, in order."""
    own = letters(m)
    return (*sorted(name for name in m if name[0] != "@"), *own) if own else tuple(sorted(m))


def mul(*polynomials: Polynomial) -> Polynomial:
    """The product: numbers commute, matrices keep their order behind them."""
    product = ONE
    for p in polynomials:
        total: Polynomial = {}
        for m, a in product.items():
            for n, b in p.items():
                word = ordered(m + n)
                total[word] = total.get(word, 0) + a * b
        product = {m: c for m, c in total.items() if c}
    return product


def leading(p: Polynomial) -> tuple[str, int]:
    """What multiples of a polynomial have in common, as a text, and the sign of this one beside that."""
    first = p[max(p)]
    return named({m: Fraction(c) / first for m, c in p.items()}), 1 if first > 0 else -1


def named(p: Polynomial) -> str:
    """A polynomial in the name of a function of it: the checker gives it the same one."""
    return " + ".join("*".join([str(c), *(name.lstrip("@") for name in m)]) for m, c in sorted(p.items())) or "0"


def text_of(p: Polynomial) -> str:
    """A polynomial as a text, its terms added in pairs, which keeps the tree of its syntax flat."""
    terms = []
    for m, c in p.items():
        factors = [name.lstrip("@") for name in m]
        terms.append("*".join([f"({c})"] * (c != 1 or not factors) + factors))
    while len(terms) > 1:
        terms = [f"({' + '.join(terms[k : k + 2])})" for k in range(0, len(terms), 2)]
    return terms[0] if terms else "0"
