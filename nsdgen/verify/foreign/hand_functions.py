"""What a user writes for a hand side that is code: where the function is, and which symbols its arguments hold.

All three kinds hold, in the order of the call, names of arguments with the symbols they carry, and
``parameters``: values of the symbols that the code has built in (as exact doubles).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import sympy as sp

from nsdgen.errors import ParameterError

from .c_call import CArgument, CCall
from .call import ForeignCall, called_in_python
from .conventions import find_convention
from .signature import parse_prototype


@dataclass(frozen=True)
class ForeignFunction(ABC):
    """What the three kinds share.

    ``time_limit`` is in seconds per point. ``zeroed`` says that the caller fills the output with
    zeros before the call, so that an entry which is not written counts as 0.
    """

    parameters: Mapping[sp.Symbol, float] = field(default_factory=dict, kw_only=True)
    time_limit: float = field(default=5.0, kw_only=True)
    zeroed: bool = field(default=False, kw_only=True)

    hand_side = "code"

    @property
    @abstractmethod
    def inputs(self) -> tuple[tuple[str, tuple[sp.Symbol, ...]], ...]:
        """(name, symbols) of every array the function reads, in the order of a point."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What the function is called in messages."""

    @abstractmethod
    def call(self, rows: int, cols: int) -> ForeignCall:
        """What a worker opens, for a result of this shape."""

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """All symbols of the arguments, each once."""
        return tuple(dict.fromkeys(s for _, symbols in self.inputs for s in symbols))


@dataclass(frozen=True)
class PythonFunction(ForeignFunction):
    """A Python function of NumPy arrays that returns the array.

    ``arguments`` holds one entry per argument: a symbol (passed as a float) or a sequence of
    symbols (passed as an array). Raises ``ParameterError`` for arguments that are no symbols.
    """

    function: Callable[..., Any]
    arguments: Sequence[Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(f"{self.function!r} cannot be called", where="PythonFunction")
        _ = self.inputs

    @cached_property
    def inputs(self) -> tuple[tuple[str, tuple[sp.Symbol, ...]], ...]:
        """The arguments by number, from ``argument 1``; raises ``ParameterError`` for one that is no symbol."""
        return tuple(
            (f"argument {i + 1}", symbols_of(a, f"argument {i + 1} of {self.label}"))
            for i, a in enumerate(self.arguments)
        )

    @property
    def label(self) -> str:
        """The function's qualified name, or its ``repr`` where it has none."""
        return str(getattr(self.function, "__qualname__", None) or repr(self.function))

    def call(self, rows: int, cols: int) -> ForeignCall:
        """The function itself; a symbol is passed as a float."""
        scalars = tuple(isinstance(a, sp.Symbol) for a in self.arguments)
        return ForeignCall(self.label, lambda: partial(called_in_python, self.function, rows, cols, scalars))


class _OfLibrary(ForeignFunction):
    """What functions of shared libraries share: ``slots``, to which ``arguments`` give symbols by name."""

    library: str | Path
    name: str
    arguments: Mapping[str, Any]

    @property
    @abstractmethod
    def slots(self) -> tuple[CArgument, ...]:
        """The arguments of the call."""

    @property
    def _made_up(self) -> Mapping[str, tuple[sp.Symbol, ...]]:
        """Symbols of arguments that need not be given."""
        return {}

    def __post_init__(self) -> None:
        kinds = {slot.name: slot.kind for slot in self.slots}
        sizes = getattr(self, "sizes", {})
        if unknown := [n for n in (*self.arguments, *sizes) if n not in kinds]:
            known = ", ".join(n for n, kind in kinds.items() if kind != "output")
            raise ParameterError(
                f"it has no argument {unknown[0]!r}", where=self.label, fix=f"its arguments are {known}"
            )
        for name, kind in kinds.items():
            table, given = ("sizes", sizes) if kind == "integer" else ("arguments", self.arguments)
            if kind != "output" and name not in {**given, **self._made_up}:
                raise ParameterError(
                    f"nothing is said about the argument {name!r}",
                    where=self.label,
                    fix=f"give {table}={{{name!r}: ...}}",
                )

    @cached_property
    def inputs(self) -> tuple[tuple[str, tuple[sp.Symbol, ...]], ...]:
        """The numbers and arrays that are read, in the order of the call; integers are no inputs."""
        given = {**self._made_up, **self.arguments}
        read = [slot.name for slot in self.slots if slot.kind in ("real", "input")]
        return tuple((n, symbols_of(given[n], f"argument {n!r} of {self.label}")) for n in read)

    def _called(self, shape: tuple[int, int], order: Literal["row", "column"], status: bool = False) -> ForeignCall:
        """The call: inputs by their place among the arrays of a point, integers by their sizes."""
        place = {name: (k, len(symbols)) for k, (name, symbols) in enumerate(self.inputs)}
        sizes = {"rows": shape[0], "cols": shape[1], **{f"n:{n}": k for n, (_, k) in place.items()}}
        sizes |= getattr(self, "sizes", {})

        def filled(s: CArgument) -> CArgument:
            value, length = (int(sizes[s.name]), 0) if s.kind == "integer" else place.get(s.name, (0, 0))
            return replace(s, value=value, length=length)

        # The path of a library that exists; other names are left to the search of the system.
        library = str(Path(self.library).resolve()) if Path(self.library).is_file() else str(self.library)
        return CCall(library, self.name, tuple(map(filled, self.slots)), *shape, order, status, self.zeroed).call


@dataclass(frozen=True)
class CFunction(_OfLibrary):
    """A function of a shared library, declared by its prototype.

    ``signature`` like ``"void(int n, const double *q, double *out)"``; ``arguments`` gives the
    symbols of every input by name; ``sizes`` the values of its integers. ``output`` names the array
    that is written where it is not the last pointer. ``order`` is how a matrix is stored.
    """

    library: str | Path
    name: str
    signature: str
    arguments: Mapping[str, Any]
    sizes: Mapping[str, int] = field(default_factory=dict)
    order: Literal["row", "column"] = "row"
    output: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.order not in ("row", "column"):
            raise ParameterError(f"the order {self.order!r} is neither 'row' nor 'column'", where=self.label)

    @property
    def slots(self) -> tuple[CArgument, ...]:
        """The arguments of the prototype."""
        return parse_prototype(self.signature, self.output)[1]

    @property
    def label(self) -> str:
        """The name of the function, said to be in C."""
        return f"C function {self.name}"

    def call(self, rows: int, cols: int) -> ForeignCall:
        """The call by the prototype; an ``int`` that it returns is a status."""
        return self._called((rows, cols), self.order, parse_prototype(self.signature, self.output)[0] == "int")


@dataclass(frozen=True)
class SiconosPlugin(_OfLibrary):
    """A plugin function of the Siconos platform, by the convention of the operator it stands for.

    ``convention`` is a name of :data:`~nsdgen.verify.foreign.conventions.CONVENTIONS`, such as
    ``"LagrangianDS.jacobianFGyrq"``; ``arguments`` gives the symbols of q, velocity, x, lambda,
    time and z by name (what is missing is passed as zeros; z may be left out). Matrices are column-major.
    """

    library: str | Path
    name: str
    convention: str
    arguments: Mapping[str, Any]

    @property
    def slots(self) -> tuple[CArgument, ...]:
        """The arguments of the convention."""
        return find_convention(self.convention).slots

    @property
    def _made_up(self) -> Mapping[str, tuple[sp.Symbol, ...]]:
        """A velocity is one symbol for each of q, z has none; sizes follow."""
        of_q = range(len(symbols_of(self.arguments.get("q", ()), self.label)))
        return {
            "time": (sp.Symbol("time", real=True),),
            "z": (),
            "velocity": tuple(sp.Symbol(f"velocity_{i}", real=True) for i in of_q),
            **{slot.name: () for slot in self.slots if slot.kind == "integer"},
        }

    @property
    def label(self) -> str:
        """The name of the function and its convention."""
        return f"plugin {self.name} ({self.convention})"

    def call(self, rows: int, cols: int) -> ForeignCall:
        """The call by the convention; raises ``ParameterError`` for a shape that its operator does not have."""
        length = {name: len(s) for name, s in self.inputs}
        shape = find_convention(self.convention).shape
        for word, size, what in zip(shape, (rows, cols), ("rows", "columns"), strict=True):
            expected = int(word) if word.isdigit() else length.get(word, size)
            if expected != size:
                raise ParameterError(
                    f"{self.convention} gives {expected} {what}, the truth has {size}",
                    where=self.label,
                    fix="check the operator and the symbols of its arguments",
                )
        return self._called((rows, cols), "column")


def symbols_of(given: Any, where: str) -> tuple[sp.Symbol, ...]:
    """The symbols of an array in its order, or the one; raises ``ParameterError`` for what is none."""
    if isinstance(given, sp.Symbol):
        return (given,)
    items = list(given) if isinstance(given, Iterable | sp.MatrixBase) else [given]
    if wrong := [item for item in items if not isinstance(item, sp.Symbol)]:
        raise ParameterError(
            f"{wrong[0]!r} is no symbol", where=where, fix="give the SymPy symbols that the array holds, in its order"
        )
    return tuple(items)
