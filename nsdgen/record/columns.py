"""The columns of a record and of a trajectory: what they are called, and how a name is looked up.

A column is called ``instance.quantity`` or, for one component of a vector,
``instance.quantity[component]``; what belongs to the run as a whole
(``newton_iterations``) has no instance. A name asked for may be

=========================  ===================================================
``ball.z``                 one column
``brick.position``         the vector, its components in order
``z``, ``position[0]``     the same without the instance, where only one fits
=========================  ===================================================
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from nsdgen.base.checks import shown
from nsdgen.base.patterns import fits, near
from nsdgen.errors import ParameterError

STATE = "state"
"""What a column of a state of a system is described as."""

_COMPONENT = re.compile(r"(.+)\[(0|[1-9][0-9]*)\]", re.DOTALL)
_LISTED = 8  # more names than these in a message help nobody


@dataclass(frozen=True)
class Column:
    """One recorded number per instant: its name, its unit (a label) and what it means."""

    name: str
    unit: str = ""
    description: str = ""

    def __post_init__(self) -> None:
        _, quantity, _ = split_name(self.name)
        if not quantity or self.name == "time":
            raise ParameterError(
                f"{self.name!r} cannot name a column",
                fix="call it instance.quantity or instance.quantity[component]; time is taken",
            )

    @property
    def heading(self) -> str:
        """The name with its unit: ``ball.z [m]``, or the bare name where there is none."""
        return with_unit(self.name, self.unit)


class NamedColumns(NamedTuple):
    """What one name stands for: a column, or the columns of a vector.

    ``places`` are columns of the table; ``components`` their numbers in the vector, in
    rising order, and empty for a single column.
    """

    name: str
    places: tuple[int, ...]
    components: tuple[int, ...] = ()


def split_name(name: str) -> tuple[str, str, int | None]:
    """``(instance, quantity, component)`` of a name; ``""`` and None for what it lacks."""
    # Only the first dot and the last bracket count: an instance may be called "bead[3]".
    instance, dot, rest = name.partition(".")
    if not dot:
        instance, rest = "", name
    match = _COMPONENT.fullmatch(rest) if rest.endswith("]") else None
    return (instance, match[1], int(match[2])) if match else (instance, rest, None)


def with_unit(text: str, unit: str) -> str:
    """``text [unit]``, or ``text`` alone when there is no unit."""
    return f"{text} [{unit}]" if unit else text


class ColumnIndex:
    """Finds the columns a name stands for.

    ``quantities`` maps each full name without component (``ball.z``, ``brick.position``)
    to its `NamedColumns`, in the order of the columns. Raises ParameterError when two columns
    have one name, or a scalar and a vector have.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._known = _single_columns(columns)
        self.quantities = _gathered(self._known)
        self._known |= self.quantities
        self._bare = _without_instance(self._known, columns)

    def __contains__(self, name: object) -> bool:
        return name in self._known or len(self._bare.get(str(name), ())) == 1

    def find(self, name: str, model: str = "") -> NamedColumns:
        """The quantity called ``name``; raises ParameterError if none or several fit."""
        if not isinstance(name, str):
            raise ParameterError(
                f"columns are looked up by name, not by {name!r}",
                model=model,
                fix='write trajectory["ball.z"]; instants are chosen on what this returns',
            )
        if name in self._known:
            return self._known[name]
        owners = self._bare.get(name, [])
        if len(owners) == 1:
            return self._known[owners[0]]
        raise self._several(name, owners, model) if owners else self._unknown(name, model)

    def one(self, name: str, model: str = "", where: str = "") -> int:
        """The number of the column called ``name``; raises ParameterError if none or several fit, or for a vector."""
        try:
            found = self.find(name, model)
        except ParameterError as error:
            error.where = where
            raise
        if len(found.places) > 1:
            components = [f"{found.name}[{i}]" for i in found.components]
            raise ParameterError(
                f"{name!r} is a vector, and one column is wanted",
                model=model,
                where=where,
                fix=f"choose one of {listed(components)}",
            )
        return found.places[0]

    def expanded(self, names: Iterable[str], model: str = "") -> tuple[str, ...]:
        """The names, each with ``*`` (any text) replaced by the quantities it fits, such as ``*.z``.

        Raises ParameterError for a pattern that fits nothing.
        """
        found: dict[str, None] = {}
        for name in names:
            if "*" not in name or name in self._known:
                found[name] = None
                continue
            matches = [quantity for quantity in self.quantities if fits(name, quantity)]
            if not matches:
                raise self._unknown(name, model)
            found.update(dict.fromkeys(matches))
        return tuple(found)

    def _several(self, name: str, owners: list[str], model: str) -> ParameterError:
        return ParameterError(
            f"{name!r} could be {len(owners)} quantities: {listed(owners)}",
            model=model,
            fix=f"say which one, for instance {owners[0]!r}; a plot takes '*.{name}' for all",
        )

    def _unknown(self, name: str, model: str) -> ParameterError:
        close = near(name, (*self._known, *self._bare), 5, 0.5)
        return ParameterError(
            f"nothing called {shown(name)} was recorded",
            model=model,
            fix=f"perhaps {listed(close)}" if close else f"what was recorded: {listed(self.quantities) or 'nothing'}",
        )


class Columns(tuple[Column, ...]):
    """The columns of a record; records of one model share them, and how they are found."""

    @cached_property
    def by_name(self) -> ColumnIndex:
        """Finds them by name; raises ParameterError where names collide."""
        return ColumnIndex(self)


def listed(names: Iterable[str]) -> str:
    """The names with commas between, a long list cut short with the number left out."""
    names = list(names)
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")


def _single_columns(columns: Sequence[Column]) -> dict[str, NamedColumns]:
    known: dict[str, NamedColumns] = {}
    for place, column in enumerate(columns):
        if column.name in known:
            raise ParameterError(f"two columns are called {column.name!r}", fix="give each its own name")
        known[column.name] = NamedColumns(column.name, (place,))
    return known


def _gathered(known: dict[str, NamedColumns]) -> dict[str, NamedColumns]:
    """Scalars as they are, components gathered into vectors, in order of appearance."""
    parts: dict[str, dict[int | None, int]] = {}
    for name, column in known.items():
        instance, quantity, component = split_name(name)
        full = name if component is None else f"{instance}.{quantity}" if instance else quantity
        parts.setdefault(full, {})[component] = column.places[0]
    return {full: _assembled(full, places) for full, places in parts.items()}


def _assembled(name: str, places: dict[int | None, int]) -> NamedColumns:
    if len(places) == 1 and None in places:
        return NamedColumns(name, (places[None],))
    components = sorted(number for number in places if number is not None)
    if None in places:
        raise ParameterError(
            f"{name!r} is recorded both as a scalar and as a vector", fix="give the scalar or the vector another name"
        )
    return NamedColumns(name, tuple(places[number] for number in components), tuple(components))


def _without_instance(known: dict[str, NamedColumns], columns: Sequence[Column]) -> dict[str, list[str]]:
    bare: dict[str, list[str]] = {}
    for name in known:
        instance, dot, short = name.partition(".")
        if dot and instance:
            bare.setdefault(short, []).append(name)
    return {short: _states_alone(names, known, columns) for short, names in bare.items()}


def _states_alone(names: list[str], known: dict[str, NamedColumns], columns: Sequence[Column]) -> list[str]:
    """The states among what a short name could be, where there are any: a block that samples x remembers another x."""
    return [n for n in names if columns[known[n].places[0]].description == STATE] or names
