"""Members: the systems of a model under one numbering, single ones and copies alike."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence

import sympy as sp

from nsdgen.base.checks import named
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.families.check_family import check_system
from nsdgen.symbolic.families.copies import SystemCopies, SystemCopy, count_of, prototype_of
from nsdgen.symbolic.families.system import System

Member = System | SystemCopy


class SystemMembers(Sequence[Member]):
    """All systems of a model in order; ``items`` are single systems and copies.

    Raises ``ModelError`` for what is no system, for functions of time that two systems share and
    for names that are both a coordinate and a parameter.
    """

    def __init__(self, items: Sequence[System | SystemCopies], scope: Scope) -> None:
        self.items = tuple(items)
        self._first: list[int] = []
        self._number: dict[int, int] = {}  # id of an item -> number of its first member
        count = 0
        for item in self.items:
            _check(item)
            check_system(prototype_of(item))
            if id(item) in self._number:
                raise ModelError("is listed twice", where=f"system {item.name!r}", fix="list every system once")
            self._first.append(count)
            self._number[id(item)] = count
            count += count_of(item)
        self._count = count
        self.owners = self._owners({p.name for p in scope.parameters})

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> Member:  # type: ignore[override]
        place = bisect_right(self._first, number) - 1
        item = self.items[place]
        return SystemCopy(item, number - self._first[place]) if isinstance(item, SystemCopies) else item

    def number(self, owner: System | SystemCopies | SystemCopy, offset: int = 0) -> int | None:
        """The number of a system, an instance, or member ``offset`` of copies; None if it is not in the model."""
        if isinstance(owner, SystemCopy):
            return self.number(owner.group, owner.number)
        first = self._number.get(id(owner))
        return None if first is None else first + offset

    def names(self) -> Iterator[str]:
        """The names of all members, in order."""
        for item in self.items:
            if isinstance(item, SystemCopies):
                yield from item.names
            else:
                yield item.name

    def _owners(self, parameters: set[str]) -> Mapping[sp.Expr, int]:
        """Which member each function of time belongs to; of copies, those whose functions are in use."""
        owners: dict[sp.Expr, int] = {}
        for item, first in zip(self.items, self._first, strict=True):
            if isinstance(item, SystemCopies):
                numbered: list[tuple[int, Member]] = [(first + m.number, m) for m in item.named]
                symbols, taken = item.prototype.functions.values(), parameters | {s.name for s in item.parameters}
            else:
                numbered = [(first, item)]
                symbols, taken = item.functions.values(), parameters
            for number, member in numbered:
                further = member.stands_for if isinstance(member, System) else ()
                for function in (*member.functions, *further):
                    if function in owners and self[owners[function]].name == member.name:
                        raise ModelError(
                            "two systems have this name",
                            where=f"system {member.name!r}",
                            fix="give every system a name of its own",
                        )
                    if function in owners:
                        raise ModelError(
                            f"{function} belongs to {self[owners[function]].name!r} too",
                            where=f"system {member.name!r}",
                            fix="give every system functions of its own; bodies of a mechanism are not listed again",
                        )
                    owners[function] = number
            for symbol in symbols:
                if symbol.name in taken:
                    raise ModelError(
                        f"{symbol.name!r} is both a coordinate and a parameter",
                        where=f"system {item.name!r}",
                        fix="rename one of them",
                    )
        return owners


def _check(item: object) -> None:
    if isinstance(item, SystemCopy):
        raise ModelError(
            f"{item.name!r} is one of several copies",
            where="systems",
            fix="list the copies themselves: systems=[beads], not single ones of them",
        )
    if not isinstance(item, System | SystemCopies):
        raise ModelError(
            f"{named(item)} is not a system",
            where="systems",
            fix="use nsd.LagrangianSystem, nsd.FirstOrderSystem or nsd.RigidBody, or copies of one",
        )
