"""Copies: one prototype described symbolically once, and as many instances as arrays have values.

``bead.copies(1000, parameters={m: masses}, initial={z: heights})`` are a thousand beads that share the
expressions of ``bead``; each has its own mass and its own coordinate ``beads[17].coordinate(z)``. A relation
written between a few instances is copied likewise: ``touch.copies(pairs, like=(beads[0], beads[1]))``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from nsdgen.base.checks import number_array
from nsdgen.errors import ModelError


@dataclass(frozen=True)
class SystemCopy:
    """One of many copies of a system, known by its number; ``coordinate`` gives its own functions of time."""

    group: SystemCopies
    number: int

    @property
    def name(self) -> str:
        """This copy's own name, from the ``names`` of the group."""
        return self.group.names[self.number]

    @property
    def prototype(self) -> Any:
        """The system it is a copy of."""
        return self.group.prototype

    @property
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """Its functions of time and the symbols they become, those of the prototype."""
        return dict(zip(self.group.functions_of(self.number), self.prototype.functions.values(), strict=True))

    def coordinate(self, function: Any) -> Any:
        """This instance's own function of time for one of the prototype's (or for a vector of them)."""
        own = dict(zip(self.prototype.functions, self.group.functions_of(self.number), strict=True))
        wanted = list(function) if isinstance(function, sp.MatrixBase) else [function]
        for f in wanted:
            if f not in own:
                raise ModelError(
                    f"{f} is no function of time of {self.prototype.name!r}",
                    where=f"system {self.name!r}",
                    fix=f"it has {', '.join(map(str, own))}",
                )
        found = [own[f] for f in wanted]
        return sp.ImmutableMatrix(found) if isinstance(function, sp.MatrixBase) else found[0]

    @property
    def body(self) -> Any:
        """For copies of a rigid body: a body with this instance's position, rotation and points.

        It stands for the instance in expressions, in ``frame`` and ``bodies``; forces belong to the prototype.
        """
        if not hasattr(self.prototype, "renamed"):
            raise ModelError(
                f"{self.prototype.name!r} is no rigid body", where=f"system {self.name!r}", fix="use coordinate(...)"
            )
        self.group.functions_of(self.number)
        return self.prototype.renamed(self.name)


class SystemCopies:
    """Instances of one prototype: a sequence of :class:`SystemCopy`, one entry of ``systems=[...]``."""

    def __init__(
        self,
        prototype: Any,
        count: int,
        parameters: Mapping[sp.Symbol, Any],
        names: Sequence[str] | None,
        initial: Mapping[Any, Any],
    ) -> None:
        where = f"copies of {prototype.name!r}"
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
            raise ModelError(f"{count!r} copies", where=where, fix="give a whole number of at least 1")
        self.prototype = prototype
        self.count = int(count)
        self.name = prototype.name
        self.names = instance_names(prototype.name, names, self.count, where)
        self.parameters = {s: values_of(v, self.count, f"{where}, parameter {s}") for s, v in parameters.items()}
        for symbol in self.parameters:
            if not isinstance(symbol, sp.Symbol):
                raise ModelError(
                    f"{symbol!r} is not a symbol", where=where, fix="the keys are symbols of the expressions"
                )
        self.initial = {
            sp.ImmutableMatrix(k) if isinstance(k, sp.MatrixBase) else k: _rows(v, self.count, k, where)
            for k, v in initial.items()
        }
        known = set(prototype.functions)
        for key in self.initial:
            strange = [f for f in (key if isinstance(key, sp.MatrixBase) else [key]) if f not in known]
            if strange:
                raise ModelError(
                    f"{strange[0]} is no coordinate or state of it",
                    where=f"{where}, initial",
                    fix=f"the keys are {', '.join(map(str, prototype.functions))}, or vectors of them",
                )
        self._functions: dict[int, list[sp.Expr]] = {}  # of the instances that somebody asked for

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: Any) -> Any:
        if isinstance(number, slice):
            return [SystemCopy(self, i) for i in range(*number.indices(self.count))]
        index = int(number) + (self.count if number < 0 else 0)
        if not 0 <= index < self.count:
            raise IndexError(f"copy {number} of {self.count}")
        return SystemCopy(self, index)

    def __iter__(self) -> Iterator[SystemCopy]:
        return (SystemCopy(self, i) for i in range(self.count))

    def __repr__(self) -> str:
        return f"<{self.count} copies of {self.name!r}>"

    def functions_of(self, number: int) -> list[sp.Expr]:
        """The functions of time of one instance, made when first asked for."""
        if number not in self._functions:
            self._functions[number] = self.prototype.functions_named(self.names[number])
        return self._functions[number]

    @property
    def named(self) -> list[SystemCopy]:
        """The instances whose functions of time are in use, in order."""
        return [SystemCopy(self, i) for i in sorted(self._functions)]


class RelationCopies:
    """Copies of one relation between instances: one entry of ``relations=[...]``.

    ``columns[k]`` lists, row by row, the pair (copies or system, number) that stands for ``like[k]``.
    """

    def __init__(
        self,
        prototype: Any,
        participants: Sequence[Any],
        like: Any,
        arguments: Mapping[sp.Symbol, Any],
        names: Sequence[str] | None,
    ) -> None:
        where = f"copies of {prototype.name!r}"
        self.prototype, self.name = prototype, prototype.name
        self.like = tuple(like) if isinstance(like, Sequence) and not isinstance(like, SystemCopies) else (like,)
        if not self.like or not all(isinstance(m, SystemCopy) for m in self.like):
            raise ModelError(
                f"like={like!r} are no copies of systems",
                where=where,
                fix="write the relation in instances and name them: like=(beads[0], beads[1])",
            )
        rows = participants.tolist() if isinstance(participants, np.ndarray) else list(participants)
        if len(self.like) == 1:
            rows = [row if isinstance(row, tuple | list) else (row,) for row in rows]
        self.count = len(rows)
        for i, row in enumerate(rows):
            if not isinstance(row, tuple | list) or len(row) != len(self.like):
                raise ModelError(
                    f"row {i} is {row!r}, not {len(self.like)} participants",
                    where=where,
                    fix="give one instance (or its number) for each of like=...",
                )
        self.columns = tuple([self._member(row[k], like, where) for row in rows] for k, like in enumerate(self.like))
        self.names = instance_names(prototype.name, names, self.count, where)
        self.arguments = {s: values_of(v, self.count, f"{where}, argument {s}") for s, v in arguments.items()}

    def _member(self, given: Any, like: SystemCopy, where: str) -> tuple[SystemCopies, int]:
        if isinstance(given, SystemCopy):
            return given.group, given.number
        if isinstance(given, bool) or not isinstance(given, int | np.integer):
            raise ModelError(
                f"{given!r} is no instance and no number of one",
                where=where,
                fix="give instances such as beads[3], or their numbers",
            )
        if not 0 <= given < len(like.group):
            raise ModelError(
                f"there is no copy {given} of {like.group.name!r}",
                where=where,
                fix=f"the numbers are 0 to {len(like.group) - 1}",
            )
        return like.group, int(given)

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"<{self.count} copies of {self.name!r}>"


def prototype_of(item: Any) -> Any:
    """The system or relation itself, or the one that something is copies, or a copy, of."""
    return item.prototype if isinstance(item, SystemCopies | SystemCopy | RelationCopies) else item


def count_of(item: Any) -> int:
    """How many systems or relations an item of a list stands for: several where it is copies."""
    return item.count if isinstance(item, SystemCopies | RelationCopies) else 1


def instance_names(name: str, given: Sequence[str] | None, count: int, where: str) -> tuple[str, ...]:
    """The names of copies: those given, or the prototype's with a number."""
    if given is None:
        return tuple(f"{name} {i}" for i in range(count))
    if len(given) != count:
        raise ModelError(f"{len(given)} names for {count} copies", where=where, fix="give one name for each")
    return tuple(given)


def values_of(given: Any, count: int, where: str) -> tuple[float, ...]:
    """An array of ``count`` finite numbers, or one number for all."""
    try:
        array = number_array(given)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"{given!r} is no array of numbers",
            where=where,
            fix="give numbers; formulas of parameters belong into the expressions",
        ) from error
    if array.shape not in ((), (count,)):
        raise ModelError(
            f"an array of shape {array.shape} for {count} copies",
            where=where,
            fix=f"give one number, or {count} of them",
        )
    if not np.isfinite(array).all():
        raise ModelError("holds a value that is not finite", where=where, fix="give finite numbers")
    return tuple(np.broadcast_to(array, (count,)).tolist())


def _rows(given: Any, count: int, key: Any, where: str) -> list[Any]:
    """Initial values instance by instance: numbers, or lists for a vector."""
    try:
        array = number_array(given)
    except (TypeError, ValueError) as error:
        raise ModelError(
            f"the initial values {given!r} of {key} are no numbers",
            where=where,
            fix="give a number, or an array with the instances along its first axis",
        ) from error
    shape = (len(key),) if isinstance(key, sp.MatrixBase) else ()
    if array.shape not in (shape, (count, *shape)):
        raise ModelError(
            f"the initial values of {key} have shape {array.shape}",
            where=where,
            fix=f"give shape {(count, *shape)}, the instances along the first axis, or {shape} for all",
        )
    rows: list[Any] = np.broadcast_to(array, (count, *shape)).tolist()
    return rows
