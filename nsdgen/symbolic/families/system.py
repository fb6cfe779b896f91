"""Systems as a user describes them: the base of every family.

A family is a subclass: its constructor takes the user's words, ``functions`` says which functions of time are
its own, ``describe`` gives the class over fresh symbols (:class:`~nsdgen.symbolic.families.system_class.SystemClass`),
``initial_values`` picks its initial values from what the user gave. Everything else (copies, merging, schemes,
operators, columns) works on these.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Self

import sympy as sp
from sympy.core.function import AppliedUndef

from nsdgen.base.checks import check_complete
from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.scope import Scope, display
from nsdgen.symbolic.expressions.time import time
from nsdgen.symbolic.families.copies import SystemCopies
from nsdgen.symbolic.families.system_class import SystemClass


class System(ABC):
    """A system of a model: the base of all families. ``bodies`` are the rigid bodies in it, which pictures show."""

    name: str
    bodies: tuple[Any, ...] = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """The bare system; raises ``ArgumentError`` for a family that leaves out what every family gives."""
        check_complete(cls)
        return super().__new__(cls)

    @property
    @abstractmethod
    def functions(self) -> dict[sp.Expr, sp.Symbol]:
        """The functions of time that belong to this system and the symbols they become, in slot order."""

    @property
    @abstractmethod
    def equations(self) -> int:
        """The number of equations of motion: of entries of a reaction on this system."""

    @property
    def own_parameters(self) -> Mapping[sp.Symbol, Any]:
        """Parameters that the system brings into its model, with their values: none, unless it is made of data."""
        return {}

    @property
    def contains(self) -> Sequence[Any]:
        """Relations that are in the system itself and need not be in the model, though others act on them."""
        return ()

    @property
    def members(self) -> Sequence[System]:
        """What a model takes in its place: itself, unless it states several systems."""
        return (self,)

    def start_of_members(self, given: Mapping[Any, Any], parameters: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Initial values for the members, from those in the words of this system and of the others of the model."""
        return given

    @property
    def brings(self) -> Sequence[Any]:
        """Relations that come with the system into its model."""
        return ()

    @property
    def stands_for(self) -> Sequence[sp.Expr]:
        """Further expressions of users that belong to this system and are functions of its own state."""
        return ()

    def values(self, scope: Scope) -> Mapping[sp.Expr, sp.Expr]:
        """What :attr:`stands_for` are, over the symbols of :attr:`functions` and the parameters of ``scope``."""
        return {}

    @abstractmethod
    def describe(self, scope: Scope) -> SystemClass:
        """The class of this system over fresh symbols; ``scope`` holds the parameters."""

    def describe_names(self) -> tuple[tuple[str, ...], ...]:
        """The names of the initial values, in the order of :meth:`initial_values`."""
        return (tuple(display(f) for f in self.functions),)

    @property
    def resting(self) -> Collection[sp.Expr]:
        """Those of its functions that are 0 at the start unless given."""
        return ()

    @property
    def assumed(self) -> Mapping[sp.Expr, float]:
        """Where a search for a start begins, of functions that have no value unless given."""
        return {}

    @property
    def given_as(self) -> Mapping[sp.Expr, sp.Expr]:
        """Other keys of ``initial`` that give a function of its own: that function."""
        return {}

    def initial_values(self, given: Mapping[Any, Any], *, model: str) -> list[float]:
        """The initial value of every function of time, in order; raises ``ModelError`` where one is missing."""
        resting = set(self.resting)
        missing = [display(f) for f in self.functions if f not in given and f not in resting]
        if missing:
            raise ModelError(
                f"no initial value for {', '.join(missing)}",
                model=model,
                where=f"system {self.name!r}",
                fix="add it to initial={...}",
            )
        return [given.get(f, 0.0) for f in self.functions]

    def copies(
        self,
        count: int,
        parameters: Mapping[sp.Symbol, Any] | None = None,
        names: Sequence[str] | None = None,
        initial: Mapping[Any, Any] | None = None,
    ) -> SystemCopies:
        """``count`` instances of this system, described once.

        ``parameters`` maps symbols of the expressions to arrays of ``count`` numbers (or to one number);
        other symbols are parameters of the model, common to all. ``initial`` maps the prototype's
        coordinates, rates, states or vectors to arrays whose first axis is the instance (or to one
        value for all). ``names`` default to "<name> 0", "<name> 1", ... Raises ``ModelError`` for
        arrays of another length.
        """
        return SystemCopies(self, count, parameters or {}, names, initial or {})

    def functions_named(self, name: str) -> list[sp.Expr]:
        """The functions of time of a copy of this name, in the order of :attr:`functions`."""
        renamed = {f: sp.Function(f"{name}/{display(f)}")(time) for f in self.functions if isinstance(f, AppliedUndef)}
        return [renamed[f] if f in renamed else sp.diff(renamed[f.args[0]], time) for f in self.functions]
