"""Kernel records: what leaves the derivation, frozen and with a stable text.

A kernel is a function from arrays to arrays. Inputs list the symbols they hold; an
output holds its structural nonzeros in row-major order and a bit set ``depends`` over
the roles of the inputs it reads (bit ``1 << Role``). Nothing is claimed that holds
only for special values of parameters.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sympy as sp

from nsdgen.abi import ClassKind, Flag, KernelRole, Quantity, Role
from nsdgen.errors import DerivationError
from nsdgen.schemes.stages import Completion
from nsdgen.symbolic.expressions.nodes_of import FreeSymbols
from nsdgen.symbolic.expressions.time import NOW, time


@dataclass(frozen=True)
class Input:
    """An array a kernel reads: one symbol per entry."""

    name: str
    role: Role
    symbols: tuple[sp.Symbol, ...]
    participant: int = 0


@dataclass(frozen=True)
class Output:
    """An array a kernel writes: entries (row, column, expression) in row-major order.

    ``completed_by`` makes of the entries what the array holds in the end.
    """

    name: str
    quantity: Quantity
    rows: int
    cols: int
    entries: tuple[tuple[int, int, sp.Expr], ...]
    depends: int = 0
    flags: int = 0
    participant: int = 0
    participant2: int = 0
    completed_by: Completion | None = None

    @property
    def dense(self) -> bool:
        """Whether there is an entry for each row and column."""
        return len(self.entries) == self.rows * self.cols

    @property
    def symmetric(self) -> bool:
        """Whether it is a square matrix whose entries are equal expressions across the diagonal."""
        entries = {(i, j): e for i, j, e in self.entries}
        return self.rows == self.cols > 1 and all(entries.get((j, i)) == e for (i, j), e in entries.items())

    @property
    def diagonal(self) -> bool:
        """Whether it is a square matrix without entries beside the diagonal."""
        return self.rows == self.cols > 1 and all(i == j for i, j, _ in self.entries)

    def properties(self) -> list[str]:
        """What was found about it, in words; of a zero matrix not that it is symmetric."""
        function = "" if self.completed_by is None else self.completed_by.function
        return [
            word
            for word, holds in (
                (f"completed by {function}", function),
                ("symmetric", self.entries and self.symmetric),
                ("diagonal", self.entries and self.diagonal),
                ("zero without multiplier", self.flags & Flag.VANISHES),
                ("affine", self.flags & Flag.AFFINE),
            )
            if holds
        ]


@dataclass(frozen=True)
class Kernel:
    """A function of a class: inputs in role order, outputs, and the formula it evaluates."""

    name: str
    role: KernelRole
    stage: int
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    formula: str = ""

    @property
    def affine(self) -> bool:
        """Whether what it linearises is affine, and frozen in no iteration."""
        values = (Quantity.RESIDUAL, Quantity.OUTPUT, Quantity.REACTION)
        return not any(
            out.depends >> Role.FROZEN_ITERATION & 1 or (out.quantity in values and not out.flags & Flag.AFFINE)
            for out in self.outputs
        )


@dataclass(frozen=True)
class KernelClass:
    """The kernels that all instances of a class share."""

    name: str
    kind: ClassKind
    participants: int
    kernels: tuple[Kernel, ...]


@dataclass(frozen=True)
class KernelModule:
    """All kernels of a model."""

    name: str
    classes: tuple[KernelClass, ...]


def facts(depends: int) -> str:
    """The dependence bit set in words."""
    return ", ".join(r.name.lower() for r in Role if depends >> r & 1) or "nothing (constant)"


_DERIVATIVES = (
    Quantity.ITERATION_MATRIX,
    Quantity.OUTPUT_X,
    Quantity.OUTPUT_LAMBDA,
    Quantity.REACTION_X,
    Quantity.REACTION_LAMBDA,
)


def make_output(
    name: str, quantity: Quantity, values: sp.MatrixBase, *, participant: int = 0, participant2: int = 0, flags: int = 0
) -> Output:
    """An output from a matrix; vectors keep their zeros so that they stay dense, derivatives of one column do not."""
    keep = values.cols == 1 and quantity not in _DERIVATIVES
    nonzeros = values.todok()
    entries = (
        tuple((i, 0, e) for i, e in enumerate(values))
        if keep
        else tuple((i, j, nonzeros[i, j]) for i, j in sorted(nonzeros))
    )
    return Output(name, quantity, values.rows, values.cols, entries, 0, flags, participant, participant2)


def make_kernel(
    name: str,
    role: KernelRole,
    stage: int,
    inputs: Sequence[Input],
    outputs: Sequence[Output],
    formula: str = "",
    *,
    prune: bool = True,
) -> Kernel:
    """A kernel with the facts of its outputs; inputs that nothing reads are left out.

    Raises ``DerivationError`` when an output holds a symbol that no input provides: families, relations and laws
    were checked when they were described, so that it is a scheme that put it there.
    """
    roles = {symbol: array.role for array in inputs for symbol in array.symbols}
    used: set[sp.Symbol] = set()
    finished = []
    free_symbols = FreeSymbols()
    for out in outputs:
        free: set[sp.Symbol] = set()
        for i, j, e in out.entries:
            symbols = free_symbols(e)
            if not roles.keys() >= symbols:
                strange = min(symbols - roles.keys(), key=lambda s: str(s.name))
                raise DerivationError(
                    f"the entry holds {_shown(strange)}, which this kernel is not given",
                    where=f"kernel {name}, {out.name} ({i}, {j})",
                    fix=_advice(strange),
                )
            free |= symbols
        used |= free
        depends = 0
        for symbol in free:
            depends |= 1 << roles[symbol]
        finished.append(replace(out, depends=depends))
    kept = tuple(a for a in inputs if not prune or used.intersection(a.symbols))
    return Kernel(name, role, stage, kept, tuple(finished), formula)


_OF_KIND = {
    "state": "it is no state of this system or of a participant: call state(name) of this step, or of a participant",
    "memory": "memory belongs to one relation: call memory(name) of this step",
    "unknown": "it is an unknown of another stage or system: what a later stage needs goes into a state",
    "multiplier": "it is no multiplier of this stage: what outlives a stage goes into the memory",
    "mode": "the mode is known to activation and entry only",
    "frozen": "freeze it in this stage: freeze_step(...) or freeze_iteration(...)",
    "run": "it is no option of this scheme: a field made by option(...) is one",
    "initial": "what the user gives is known to initial(...) only",
}


def _shown(symbol: sp.Symbol) -> str:
    """A symbol in words: its label, and what it is where it is one of nsdgen's own."""
    kind, _, label = str(symbol.name).rpartition("/")
    kind = kind.rpartition("/")[2]
    return f"{label} ({kind})" if kind in _OF_KIND else label


def _advice(symbol: sp.Symbol) -> str:
    """What to do about a symbol that a kernel is not given."""
    kind = str(symbol.name).rpartition("/")[0].rpartition("/")[2]
    if kind in _OF_KIND:
        return _OF_KIND[kind]
    if symbol in (NOW, time):
        return "time in a step is T_K or T_NEXT: take terms at an instant, at(T_NEXT, ...)"
    return (
        "variables stand for what an instant says, at(time, <role>=...); parameters and what users write come in "
        "by a term of the class, term(name, instant)"
    )
