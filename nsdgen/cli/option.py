"""One option of the command line: how it is spelt, what its text means; readers of texts that are no numbers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nsdgen.cli.typed_values import parse_assignment, parse_varied
from nsdgen.errors import ParameterError


@dataclass(frozen=True)
class Option:
    """One argument of some commands.

    ``names``     as typed; without a dash it is positional
    ``commands``  which commands take it
    ``read``      its text to its value; None makes it a switch
    ``gather``    for options that may be given several times: the values to one
    ``bare``      whether it may stand without a text, which is then empty

    No option has a default of its own: what is not given is None, and the model's value holds.
    """

    names: tuple[str, ...]
    commands: tuple[str, ...]
    help: str
    read: Callable[[str], Any] | None = str
    metavar: str | None = None
    gather: Callable[[list[Any]], Any] | None = None
    bare: bool = False

    @property
    def key(self) -> str:
        """The attribute that holds the value: the longest name."""
        return max(self.names, key=len).lstrip("-").replace("-", "_")

    def value(self, given: Any) -> Any:
        """The value of what argparse found: a text, a list of texts, a bool, or None.

        Raises ``ParameterError``, naming the option, for a text that has no value.
        """
        try:
            return self._value(given)
        except ParameterError as error:
            error.where = error.where or max(self.names, key=len)
            raise

    def _value(self, given: Any) -> Any:
        if self.read is None:
            return given
        if self.gather is not None:
            return self.gather([self.read(text) for text in given or ()])
        return None if given is None else self.read(given)


def _names(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _joined(lists: list[list[str]]) -> list[str] | None:
    return [name for names in lists for name in names] or None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The values by name; raises ``ParameterError`` for a name that is given twice."""
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ParameterError(f"{twice[0]!r} is given twice", fix="give it once")
    return dict(pairs)


def verdict(text: str) -> str:
    """A verdict of ``nsdgen verify``, with blanks or dashes."""
    name = text.replace("-", " ")
    if name not in _VERDICTS:
        raise ParameterError(f"{text!r} is no verdict", where="--only", fix=f"it is one of {', '.join(_VERDICTS)}")
    return name


_PROVED = ("proved", "proved under", "proved without certificate")
_VERDICTS = (*_PROVED, "consistent", "refuted", "definition", "ambiguous", "undecided")


def scheme_option(text: str) -> tuple[str, float | list[float]]:
    """An assignment to a number of the scheme. Raises ``ParameterError`` for what changes the derivation."""
    name = text.partition("=")[0].strip()
    if name in _OF_THE_MODEL:
        raise ParameterError(
            f"{name!r} cannot be chosen for a run: it changes the expressions that are derived",
            where="--scheme",
            fix=f"set it in the model file, scheme=nsd.{_OF_THE_MODEL[name]}({name}=...); "
            "for several choices give several models, MODEL.py:name",
        )
    return parse_assignment(text)


_OF_THE_MODEL = {
    "rotation": "MoreauJean",
    "mass_at": "MoreauJean",
    "force_at": "MoreauJean",
    "activation": "MoreauJean",
    "projection": "MoreauJean",
    "relation_at": "ThetaGamma",
    "rhs_at": "ThetaGamma",
    "initial_state": "ThetaGamma",
    "newton": "MoreauJean",
}
"""Options of schemes that decide what is derived, and a scheme that has them."""


def of_names(name: str, command: str, help: str) -> Option:
    """An option that lists names, and may be repeated."""
    return Option((name,), (command,), f"{help}; may be repeated", _names, "NAME[,NAME]", _joined)


def of_values(names: tuple[str, ...], commands: tuple[str, ...], help: str, read: Callable[[str], Any]) -> Option:
    """An option that gives names values, each once."""
    return Option(names, commands, help, read, "NAME=VALUES" if read is parse_varied else "NAME=VALUE", _once)
