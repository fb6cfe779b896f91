"""What to say about a name that does not exist: which one is near, and which there are."""

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import Any, TypeVar

from nsdgen.base.patterns import near
from nsdgen.errors import ArgumentError, UnknownName

Target = TypeVar("Target", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)


def nearest(word: str, known: Iterable[str]) -> str:
    """``"did you mean 'theta'?"`` with the known word most like this one; empty where none is."""
    found = near(word.casefold(), by_fold := {k.casefold(): k for k in known}, 1)
    return f"did you mean {by_fold[found[0]]!r}?" if found else ""


def absent(module: str, name: str, known: Iterable[str] | Mapping[str, Iterable[str]]) -> AttributeError:
    """The error for a name that a module does not have; ``known`` may come in groups with a heading.

    Names with a leading underscore, for which tools ask by the dozen, get a plain ``AttributeError``.
    """
    message = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(message)
    groups = known if isinstance(known, Mapping) else {"names": known}
    listed = "; ".join(f"{heading}: {', '.join(sorted(names))}" for heading, names in groups.items())
    near = nearest(name, (n for names in groups.values() for n in names))
    return UnknownName(message, fix=f"{near} {listed}".strip())


def named_arguments(target: Target) -> Target:
    """Decorator of a function or class: a call that does not fit is an ``ArgumentError`` that says what would.

    Calls that fit cost nothing: the arguments are only looked at after a ``TypeError``.
    """
    if isinstance(target, type):
        target.__init__ = _explained(target.__init__, target.__name__)  # type: ignore[misc]
        return target
    return _explained(target, target.__name__)


def known_attributes(target: Kind) -> Kind:
    """Decorator of a class whose attributes users read and set: one that it does not have is an ``UnknownName``.

    Classes made from it may have others.
    """
    kind: Any = target
    build, put = kind.__init__, kind.__setattr__

    @wraps(build)
    def built(self: Any, *args: Any, **kwargs: Any) -> None:
        build(self, *args, **kwargs)
        self.__dict__["_complete"] = True

    def strange(self: Any, name: str) -> UnknownName:
        there = sorted(n for n in {*self.__dict__, *dir(target)} if not n.startswith("_"))
        fix = f"{nearest(name, there)} it has {', '.join(there)}".strip()
        return UnknownName(f"has no attribute {name!r}", where=target.__name__, fix=fix)

    def known(self: Any, name: str, value: Any) -> None:
        kept = self.__dict__
        if name not in kept and "_complete" in kept and type(self) is target and not hasattr(target, name):
            raise strange(self, name)
        put(self, name, value)

    def absent(self: Any, name: str) -> Any:
        if name.startswith("_") or hasattr(target, name):  # tools ask for many; a property says itself what it lacks
            return object.__getattribute__(self, name)
        raise strange(self, name)

    kind.__init__, kind.__setattr__, kind.__getattr__ = built, known, absent
    return target


def named_arguments_beside(owner: str, *names: str) -> Callable[[Target], Target]:
    """``named_arguments`` of a function that sends who gives one of these ``names`` to the class that takes them."""
    elsewhere = {name: f"it belongs to {owner}(..., {name}=...);" for name in names}
    return lambda target: _explained(target, target.__name__, elsewhere)


def _explained(function: Any, name: str, elsewhere: Mapping[str, str] = MappingProxyType({})) -> Any:
    taken = signature(function)

    @wraps(function)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            try:
                taken.bind(*args, **kwargs)
            except TypeError as misfit:
                raise _misfit(name, taken, kwargs, misfit, elsewhere) from None
            raise error

    return called


def _misfit(
    name: str, taken: Signature, given: Mapping[str, Any], misfit: TypeError, elsewhere: Mapping[str, str]
) -> ArgumentError:
    """The error for a call that does not fit a signature."""
    parameters = {p.name: p for p in taken.parameters.values() if p.name != "self"}
    strange = [key for key in given if key not in parameters]
    near = (elsewhere.get(strange[0]) or nearest(strange[0], parameters)) if strange else ""
    message = f"takes no argument {strange[0]!r}" if strange else str(misfit)
    shown = ", ".join(_shown(p) for p in parameters.values())
    return ArgumentError(message, where=name, fix=f"{near} it is called as {name}({shown})".strip())


def _shown(parameter: Parameter) -> str:
    if parameter.kind == Parameter.VAR_KEYWORD:
        return f"**{parameter.name}"
    return parameter.name if parameter.default is Parameter.empty else f"{parameter.name}=..."
