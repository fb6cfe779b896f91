"""Functions over arrays in the graph: loops whose bodies are written once, however many entries they compute.

The equations of a chain repeat those of a link. An :class:`ArrayFunction` states them for one pass of a loop, over
symbols, and says for each pass where in arrays these symbols are read and where values are written. A call is a node
over its arguments, a :class:`ResultEntry` one value of its result: for all that follows a function of the arguments
like others. Emitted code has the loops (:mod:`nsdgen.emit.array_calls`); whoever wants operations gets them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b

import sympy as sp

from nsdgen.symbolic.graph.node import Node, add, number


@dataclass(frozen=True)
class Read:
    """Symbols that stand for entries of an array that follow each other; the place of the first one in each pass."""

    array: str
    symbols: tuple[sp.Symbol, ...]
    places: tuple[int, ...]


@dataclass(frozen=True)
class Write:
    """Values that go to an array, or are ``added`` there; the place of the first one in each pass."""

    array: str
    values: tuple[Node, ...]
    places: tuple[int, ...]
    added: bool = False


@dataclass(frozen=True)
class Pass:
    """The body of a loop, pass by pass in this order.

    ``starts`` cut the passes into groups, from each to the next. What a group reads at one place is read once.
    """

    reads: tuple[Read, ...]
    writes: tuple[Write, ...]
    meaning: str
    starts: tuple[int, ...] = ()

    @property
    def count(self) -> int:
        """How often the body is executed."""
        return len(self.writes[0].places)

    def without(self, live: set[str]) -> Pass | None:
        """The body without writes to arrays that are not ``live``, to which come those it reads; None: nothing left."""
        while True:
            writes = tuple(w for w in self.writes if w.array in live and w.places)
            free = frozenset().union(*(v.free for w in writes for v in w.values))
            reads = tuple(r for r in self.reads if not free.isdisjoint(r.symbols))
            if live.issuperset(r.array for r in reads):  # what one pass writes another may read
                return replace(self, reads=reads, writes=writes) if writes else None
            live.update(r.array for r in reads)


@dataclass(frozen=True, eq=False)
class ArrayFunction:
    """What loops make of arguments: ``inputs`` are their arrays with their sizes, ``constants`` arrays of numbers.

    ``result`` is the array whose entries are the values, ``arrays`` are it and all others with their sizes; of the
    ``passes`` those count that it needs, so that functions with other results may share them. ``slopes``
    has for each entry the arguments that it varies with, and the slopes as entries of functions over the same
    arrays, or some of them: number of the argument, function and entry. The first ``smooth`` arguments are looked at
    there; derivatives by others are those of the operations.
    ``size_of_terms`` says how large the terms of each entry are, whatever cancels.
    """

    title: str
    inputs: tuple[tuple[str, int], ...]
    constants: tuple[tuple[str, tuple[Node, ...]], ...]
    arrays: tuple[tuple[str, int], ...]
    passes: tuple[Pass, ...]
    result: str
    slopes: tuple[tuple[tuple[int, ArrayFunction, int], ...], ...] = ()
    smooth: int = 0
    size_of_terms: ArrayFunction | None = None
    digest: str = field(init=False)

    def __post_init__(self) -> None:
        passes, live = needed(self.passes, [self.result])
        text = [self.result, str(self.inputs), str(self.arrays)]
        text += [f"{name} {[v.digest.hex() for v in values]}" for name, values in self.constants if name in live]
        for body in passes:
            text += [f"{r.array} {r.symbols} {r.places}" for r in body.reads]
            text += [f"{w.array} {[v.digest.hex() for v in w.values]} {w.places} {w.added}" for w in body.writes]
        object.__setattr__(self, "digest", blake2b("\n".join(text).encode(), digest_size=12).hexdigest())

    @property
    def size(self) -> int:
        """The number of values."""
        return dict(self.arrays)[self.result]

    @property
    def __name__(self) -> str:
        """What tells it apart in digests of nodes."""
        return f"{self.title} {self.digest}"

    def of(self, arguments: Sequence[Node]) -> Node:
        """The call; raises ``ValueError`` for another number of arguments."""
        if len(arguments) != sum(size for _, size in self.inputs):
            raise ValueError(f"{self.title} has {sum(size for _, size in self.inputs)} arguments")
        return Node(self, tuple(arguments))


def needed(passes: Sequence[Pass], results: Iterable[str]) -> tuple[list[Pass], set[str]]:
    """The passes as far as these results need them, and the arrays that they read and write."""
    live, kept = set(results), []
    for body in reversed(passes):
        if (left := body.without(live)) is not None:
            kept.append(left)
    return kept[::-1], live


class ResultEntry:
    """The operation of a node that is one value of a call: ``args`` are the call and the number of the value."""


def entry(call: Node, place: int) -> Node:
    """One value of a call."""
    return Node(ResultEntry, (call, number(place)))


def unrolled(call: Node, replaced: Callable[[Mapping[sp.Symbol, Node]], Callable[[Node], Node]]) -> list[Node]:
    """The values of a call by its operations, pass by pass; ``replaced`` replaces symbols."""
    function, given = call.func, list(call.args)
    arrays: dict[str, list[Node | None]] = {name: [None] * size for name, size in function.arrays}
    for name, size in function.inputs:
        arrays[name], given = [*given[:size]], given[size:]
    arrays |= {name: list(values) for name, values in function.constants}
    for body in needed(function.passes, [function.result])[0]:
        for k in range(body.count):
            known = {s: arrays[r.array][r.places[k] + i] for r in body.reads for i, s in enumerate(r.symbols)}
            change = replaced({s: value for s, value in known.items() if value is not None})
            for write in body.writes:
                for i, value in enumerate(write.values, write.places[k]):
                    before = arrays[write.array][i] if write.added else None
                    arrays[write.array][i] = change(value) if before is None else add((before, change(value)))
    return [value for value in arrays[function.result] if value is not None]


@lru_cache(maxsize=64)
def _call_of(function: ArrayFunction, like: Node) -> Node:
    """A call of another function with the arguments of one; what it does not take is left out."""
    given, start = {}, 0
    for name, size in like.func.inputs:
        given[name] = like.args[start : start + size]
        start += size
    return function.of([argument for name, _ in function.inputs for argument in given[name]])


def entry_slopes(node: Node, moves: Callable[[Node], bool]) -> list[tuple[Node, Node]] | None:
    """The arguments that move and that an entry varies with, each with the derivative.

    None where its function states none, or not all of them.
    """
    call, place = node.args
    if any(map(moves, call.args[call.func.smooth :])):
        return None
    stated = call.func.slopes[int(place.leaf)]
    return [(call.args[j], entry(_call_of(function, call), at)) for j, function, at in stated if moves(call.args[j])]


def size_of_terms(node: Node) -> Node | None:
    """How large the terms of an entry are, where its function says it."""
    call, place = node.args
    function = call.func.size_of_terms
    return None if function is None else entry(_call_of(function, call), int(place.leaf))
