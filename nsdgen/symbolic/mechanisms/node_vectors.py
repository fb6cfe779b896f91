"""Vectors and matrices of nodes: what recursion over links computes with. All are lists, matrices lists of rows."""

from collections.abc import Iterable, Sequence

from nsdgen.symbolic.graph.node import ONE, ZERO, Node, add, mul, number

Vector = list[Node]
Square = list[list[Node]]

IDENTITY: Square = [[ONE if i == j else ZERO for j in range(3)] for i in range(3)]

_MINUS = number(-1)


def minus(value: Node) -> Node:
    """-value."""
    return mul((_MINUS, value))


def dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    """a . b."""
    return add(mul((x, y)) for x, y in zip(a, b, strict=True))


def plus(*vectors: Sequence[Node]) -> Vector:
    """The sum."""
    return [add(entries) for entries in zip(*vectors, strict=True)]


def scaled(factor: Node, a: Iterable[Node]) -> Vector:
    """factor a."""
    return [mul((factor, x)) for x in a]


def cross(a: Sequence[Node], b: Sequence[Node]) -> Vector:
    """a x b."""
    return [add((mul((a[j], b[k])), minus(mul((a[k], b[j]))))) for j, k in ((1, 2), (2, 0), (0, 1))]


def times(m: Sequence[Sequence[Node]], a: Sequence[Node]) -> Vector:
    """m a."""
    return [dot(row, a) for row in m]


def transposed(m: Sequence[Sequence[Node]]) -> Square:
    """The transpose."""
    return [list(row) for row in zip(*m, strict=True)]


def composed(a: Sequence[Sequence[Node]], b: Sequence[Sequence[Node]]) -> Square:
    """a b."""
    columns = transposed(b)
    return [[dot(row, column) for column in columns] for row in a]
