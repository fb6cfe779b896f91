"""Every error nsdgen raises: what was wrong, where, and what to do.

The hierarchy is by whose fault it is, because that decides what a caller does
about it and which exit code the command line returns:

=====================  ==========================================  ====
class                  raised when                                 exit
=====================  ==========================================  ====
``ModelError``         the description of a model cannot be used      2
``ParameterError``     a value given to a run cannot be used          2
``ArgumentError``      a call has arguments that nothing takes        2
``UnknownName``        nsdgen is asked for a name it does not have    2
``DerivationError``    an operator cannot be derived                  2
``EmissionError``      an expression cannot be printed as code        2
``CompileError``       the compiler refused the emitted code          3
``CompilerMissing``    no compiler, no headers, no cache to write     3
``ModuleMismatch``     a compiled module belongs to another ABI       3
``NotTrusted``         others may have written what would be loaded   3
``StepError``          a time step failed                             1
``SolverError``        a one-step problem has no (certified) solution 1
=====================  ==========================================  ====
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar

__all__ = [
    "ArgumentError",
    "CompileError",
    "CompilerMissing",
    "DerivationError",
    "EmissionError",
    "ModelError",
    "ModuleMismatch",
    "NonFinite",
    "NotConverged",
    "NotTrusted",
    "NsdgenError",
    "ParameterError",
    "SingularMatrix",
    "SolverError",
    "StepError",
    "UnknownName",
    "at_place",
    "of_model",
]

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


class NsdgenError(Exception):
    """The base of all errors of nsdgen.

    ``message`` says what was wrong, ``model`` names the model, ``where`` the
    place in it (system, relation, entry, time), ``fix`` what to do about it.
    """

    exit_code = 1

    def __init__(self, message: str, *, model: str = "", where: str = "", fix: str = "") -> None:
        self.message = message
        self.model = model
        self.where = where
        self.fix = fix
        super().__init__(message)

    def __str__(self) -> str:
        place = ", ".join(part for part in (f"model {self.model!r}" if self.model else "", self.where) if part)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text}\n  To mend it: {self.fix}" if self.fix else text

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.message, self.__dict__.copy()))


def _rebuild(cls: type[NsdgenError], message: str, state: dict[str, Any]) -> NsdgenError:
    error = cls(message)
    error.__dict__.update(state)
    return error


class ModelError(NsdgenError, ValueError):
    """The description of a model is inconsistent, incomplete or unusable.

    ``strangers`` holds the symbols that nothing in the model explains, where that is the reason.
    """

    exit_code = 2
    strangers: tuple[Any, ...] = ()


@contextmanager
def at_place(where: str) -> Iterator[None]:
    """Put a place before that of each ``ModelError`` raised inside, unless it says it already."""
    try:
        yield
    except ModelError as error:
        if where not in error.where:
            error.where = f"{where}, {error.where}" if error.where else where
        raise


@contextmanager
def of_model(name: str) -> Iterator[None]:
    """Give errors raised inside that name no model this one."""
    try:
        yield
    except NsdgenError as error:
        error.model = error.model or name
        raise


def naming_model(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """The same function; its errors name the model, or the record of one, that is its first argument."""

    @wraps(function)
    def named(*args: _Given.args, **options: _Given.kwargs) -> _Result:
        with of_model(args[0].name):  # type: ignore[attr-defined]
            return function(*args, **options)

    return named


class ParameterError(NsdgenError, ValueError):
    """A value given to a run (parameter, initial state, step, option) is unusable."""

    exit_code = 2


class ArgumentError(NsdgenError, TypeError):
    """A constructor or function was called with arguments that it does not take, or without one it needs."""

    exit_code = 2


class UnknownName(NsdgenError, AttributeError):
    """nsdgen, or a module of it, has no such name; ``hasattr`` and tools see an ``AttributeError``."""

    exit_code = 2


class DerivationError(NsdgenError):
    """An operator of a model cannot be derived."""

    exit_code = 2


class EmissionError(NsdgenError):
    """An expression has no translation into code."""

    exit_code = 2


class CompileError(NsdgenError):
    """The emitted code could not be translated or compiled.

    ``log`` holds the tool's own words, ``path`` the folder that keeps text and log.
    """

    exit_code = 3
    log: str = ""
    path: str = ""


class CompilerMissing(CompileError):
    """A compiler, its headers or a place to put its output is missing, or the compiler does not work."""


class ModelWarning(UserWarning):
    """A model that can be meant, and hardly is: what it says is done."""


class KernelsInterpreted(UserWarning):
    """Kernels cannot be compiled here and are interpreted instead: the same numbers, more slowly."""


class ModuleMismatch(NsdgenError, ImportError):
    """A compiled module was built for another version of the ABI or another model."""

    exit_code = 3


class NotTrusted(NsdgenError):
    """Compiled code lies where somebody else may have put it."""

    exit_code = 3


class StepError(NsdgenError):
    """A time step failed; ``trajectory`` holds everything up to the last good step.

    ``recording`` is the same as the runtime left it: times and table without names.
    """

    trajectory: Any = None
    recording: Any = None


class SingularMatrix(StepError):
    """The Newton iteration matrix of a system is singular."""


class NotConverged(StepError):
    """Newton's method did not meet its tolerance within its iteration limit."""


class NonFinite(StepError):
    """A state, a residual or a multiplier is infinite or not a number."""


class SolverError(StepError):
    """A one-step nonsmooth problem has no solution, or none could be certified.

    ``reason`` is ``"infeasible"``, ``"ray"``, ``"inconsistent"`` or ``"not converged"``;
    ``z`` (n,) is the best iterate, in the signs of the function that raised it, None where a step of a run
    failed; ``rows`` are the offending rows: of the problem, for ``solve_friction`` and
    ``solve_global_friction`` contacts, in a run rows of the relation that ``where`` names.
    """

    reason: str = "not converged"
    z: Any = None
    rows: Any = ()
