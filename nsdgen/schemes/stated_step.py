"""What the steps of a class of systems and of a class of relations share: stages, options, how things are stated."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar

import sympy as sp

from nsdgen.base.names import numbered
from nsdgen.errors import DerivationError, ModelError
from nsdgen.schemes.program import Cut
from nsdgen.schemes.stages import Assignments, Labels, SchemeOption
from nsdgen.schemes.stated_columns import OptionSymbols, one_of, stated_column, stated_expression, stated_labels
from nsdgen.symbolic.families.system_class import SystemClass
from nsdgen.symbolic.relations.relation_class import RelationClass


@dataclass
class StatedGroups:
    """What is carried from step to step, group by group: the state of a system, the memory of a relation."""

    symbols: dict[str, tuple[sp.Symbol, ...]] = field(default_factory=dict)
    labels: dict[str, Labels] = field(default_factory=dict)

    def every_symbol(self) -> tuple[sp.Symbol, ...]:
        """Those of all groups, one group after the other."""
        return tuple(s for group in self.symbols.values() for s in group)

    def every_label(self) -> Labels:
        """Names and units of all groups."""
        found = [self.labels[name] for name in self.symbols]
        return Labels(tuple(n for own in found for n in own.names), tuple(u for own in found for u in own.units))

    def assigned(self, values: Mapping[str, sp.Matrix]) -> Assignments:
        """Values of some groups as pairs of symbol and value."""
        return tuple(pair for name, own in values.items() for pair in zip(self.symbols[name], own, strict=True))


@dataclass
class StageParts:
    """What was stated of one stage, by the names of :class:`SystemStage` or :class:`RelationStage`."""

    name: str
    parts: dict[str, Any] = field(default_factory=dict)


C = TypeVar("C", SystemClass, RelationClass)
S = TypeVar("S", bound=StageParts)


class StatedStep(Generic[C, S]):
    """One stage of the step of a class; ``stage(name)`` goes to another one.

    ``options.theta`` is the symbol of a numeric option.
    """

    _kind: str  # "system" or "relation", for messages
    _carries: str  # "state" or "memory", likewise

    def __init__(self, cls: C, scheme: str, options: Sequence[SchemeOption], stages: Mapping[str, S]) -> None:
        self.cls: C = cls
        self.scheme = scheme
        self._where = f"scheme {scheme}, {self._kind} {cls.name!r}"
        self.options = OptionSymbols(_scheme=scheme, **{o.name: o.symbol for o in options})
        self._cuts: list[Cut] = []
        self._groups = StatedGroups()
        self._stages = stages
        self._now = next(iter(stages.values()))

    def stage(self, name: str) -> Self:
        """The same step, another stage of it; raises ``DerivationError`` where ``stages`` has none of this name."""
        found = one_of(self._stages, name, "stage", self._where)
        other = copy.copy(self)
        other._now = found
        return other

    def refused(self, fix: str) -> ModelError:
        """The error for a class that the scheme does not discretise."""
        terms = ", ".join(self.cls.terms)
        return ModelError(
            f"{self.scheme} has no discretisation for it, a {self._kind} with {terms}",
            where=f"{self._kind} {self.cls.name!r}",
            fix=fix,
        )

    def observe(self, values: Any, names: Sequence[str] = (), units: Sequence[str] = ()) -> None:
        """What is recorded besides, at the advanced state (``ended``) and, at t_0, at the initial one."""
        rows = self._column(values, "what is observed")
        self._now.parts["observed"] = rows
        self._now.parts["observed_labels"] = self._labels(
            "observe(...)", rows.rows, numbered("observed", rows.rows), names, units
        )

    def cut(self, name: str, value: Any, direction: str = "both", recorded: bool = True) -> None:
        """End a step early where a function of state (``ended``) and memory at its end is zero (:class:`Cut`)."""
        if any(cut.name == name for cut in self._cuts):
            raise self._incomplete(f"cut({name!r}, ...) is stated twice", "give each quantity its own name")
        self._cuts.append(Cut(name, stated_expression(value, f"cut({name!r}, ...)", self._where), direction, recorded))

    def formulas(self, **texts: str) -> None:
        """What emitted code says above its kernels, by the name of the kernel: residual, output, observe, ..."""
        self._now.parts["formulas"] = texts

    def _column(self, values: Any, what: str, rows: int | None = None) -> sp.Matrix:
        return stated_column(values, what, self._where, rows)

    def _labels(
        self,
        what: str,
        count: int,
        default: Sequence[str],
        names: Sequence[str],
        units: Sequence[str],
        own_units: Sequence[str] = (),
    ) -> Labels:
        """Names and units of so many values, those given or the default ones."""
        return Labels(
            stated_labels(names, default, count, f"{what} names", self._where),
            stated_labels(units, own_units or ("",) * count, count, f"{what} units", self._where),
        )

    def _size(self, name: str) -> int:
        """The number of entries of a group of what is carried, which was stated before."""
        if name not in self._groups.symbols:
            given = ", ".join(self._groups.symbols) or "none"
            fix = f"there are {given}; call {self._carries}(...) first"
            raise self._incomplete(f"there is no {self._carries} {name!r}", fix)
        return len(self._groups.symbols[name])

    def _of_groups(self, values: Mapping[str, Any], call: str) -> dict[str, sp.Matrix]:
        """Columns as long as these groups."""
        return {name: self._column(own, f"{call}({name}=...)", self._size(name)) for name, own in values.items()}

    def _incomplete(self, text: str, fix: str) -> DerivationError:
        return DerivationError(text, where=self._where, fix=fix)


def suffixed(name: str, suffix: str) -> str:
    """``face_end[0]`` for ``face[0]`` and ``end``: names of a group or a stage of its own."""
    stem, bracket, index = name.partition("[")
    return f"{stem}_{suffix}{bracket}{index}" if suffix else name
