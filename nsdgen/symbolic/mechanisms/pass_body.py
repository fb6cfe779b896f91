"""The body of a loop over links as it is stated."""

from collections.abc import Sequence

import sympy as sp

from nsdgen.symbolic.graph.array_function import Pass, Read, Write
from nsdgen.symbolic.graph.node import Node, leaf


class PassBody:
    """What a loop reads and writes; symbols are named by their arrays unless told otherwise."""

    def __init__(self) -> None:
        self.reads: list[Read] = []
        self.writes: list[Write] = []

    def read(self, array: str, width: int, at: Sequence[int], name: str = "") -> list[Node]:
        """The entries that belong to a link, or a pair, in each pass."""
        symbols = tuple(sp.Symbol(f"{name or array}_{i}", real=True) for i in range(width))
        self.reads.append(Read(array, symbols, tuple(width * k for k in at)))
        return [leaf(s) for s in symbols]

    def write(self, array: str, values: Sequence[Node], at: Sequence[int], added: bool = False) -> None:
        """What a link or a pair gets."""
        self.writes.append(Write(array, tuple(values), tuple(len(values) * k for k in at), added))

    def done(self, meaning: str, starts: Sequence[int] = ()) -> Pass:
        """The loop."""
        return Pass(tuple(self.reads), tuple(self.writes), meaning, tuple(starts))
