"""Columns: what keys of ``initial`` are called in a run: coordinates, their rates, states, multipliers, vectors."""

from collections.abc import Mapping
from typing import Any, Protocol

from nsdgen.errors import ParameterError
from nsdgen.symbolic.description.model_description import ModelDescription
from nsdgen.symbolic.families.copies import prototype_of


class HasColumns(Protocol):
    """What is asked of a model."""

    name: str
    systems: list[Any]
    relations: list[Any]

    @property
    def description(self) -> ModelDescription:
        """The model over fresh symbols."""


def by_column(model: HasColumns, initial: Mapping[Any, Any]) -> dict[Any, Any]:
    """Initial values by the names of columns; raises ``ParameterError`` for what is given twice."""
    named: dict[Any, Any] = {}
    for key, value in (pair for item in initial.items() for pair in _spread(model, *item)):
        if (column := _column(model, key)) in named:
            raise ParameterError(f"{column!r} is given twice", model=model.name, where="initial", fix="give it once")
        named[column] = value
    return named


def _spread(model: HasColumns, key: Any, value: Any) -> list[tuple[Any, Any]]:
    """A vector whose entries have names of their own, entry by entry; anything else as it is."""
    columns = [_column(model, f) for f in key] if hasattr(key, "shape") else []
    if len({c.rpartition("[")[0] for c in columns}) <= 1 and all("[" in c for c in columns):
        return [(key, value)]
    if hasattr(value, "__len__") and len(value) and hasattr(value[0], "__len__"):  # a row for each of many members
        value = [list(column) for column in zip(*value, strict=True)]
    if not hasattr(value, "__len__") or len(value) != len(columns):
        raise ParameterError(
            f"{value!r} are no {len(columns)} numbers",
            model=model.name,
            where="initial",
            fix=f"give one for each of {', '.join(columns)}",
        )
    return list(zip(columns, value, strict=True))


def _column(model: HasColumns, key: Any) -> Any:
    """The name of the column that a key of ``initial`` stands for."""
    if isinstance(key, str):
        return key
    first = next(iter(key)) if hasattr(key, "shape") else key
    for system in (s for item in model.systems for s in getattr(item, "named", [item])):
        functions = list(system.functions)
        own = getattr(system, "given_as", {}).get(first, first)
        if own in functions:
            names = prototype_of(system).describe_names()
            label = [n for group in names for n in group][functions.index(own)]
            return f"{system.name}.{label.split('[')[0] if hasattr(key, 'shape') else label}"
    for relation in model.relations:
        if first in (own_ones := list(getattr(relation, "multipliers", ()))):
            labels = next(r.labels for r in model.description.relations if r.name == relation.name)
            label = labels[own_ones.index(first)][0]
            return f"{relation.name}.{label.split('[')[0] if hasattr(key, 'shape') else label}"
    return key
