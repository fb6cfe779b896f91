"""States of a model as they are given: what was found before, or values by column."""

from collections.abc import Mapping, Sequence
from typing import Any

from nsdgen.base.checks import finite_number
from nsdgen.errors import ParameterError
from nsdgen.symbolic.description.model_description import ModelDescription


def states_given(model: Any, given: Any, where: str) -> list[Sequence[float]]:
    """Initial values, system by system: those of the model, of a start or equilibrium, or of columns by name.

    Columns that are not named are as in the model's start. Raises ``ParameterError`` for anything else.
    """
    description: ModelDescription = model.description
    own: list[Sequence[float]] = [s.initial for s in description.systems]
    if given is None:
        return own
    if hasattr(given, "states"):
        return list(given.states)
    places = {
        f"{s.name}.{label}": (i, j)
        for i, (s, labels) in enumerate(zip(description.systems, description.initial_names, strict=True))
        for j, label in enumerate(labels)
    }
    if not isinstance(given, Mapping) or any(key not in places for key in given):
        wrong = next((key for key in given if key not in places), given) if isinstance(given, Mapping) else given
        raise ParameterError(
            f"{wrong!r} is no state of the model",
            where=where,
            fix="give model.assemble(...), model.equilibrium(...), or values by column: "
            f"{{{next(iter(places), 'system.quantity')!r}: 0.1}}",
        )
    rows = [list(row) for row in own]
    for key, value in given.items():
        i, j = places[key]
        rows[i][j] = finite_number(value, where=f"{where}, {key}")
    return list(rows)


def columns_of(description: ModelDescription, states: Sequence[Sequence[float]]) -> dict[str, float]:
    """Initial values by column."""
    return {
        f"{s.name}.{label}": float(value)
        for s, labels, row in zip(description.systems, description.initial_names, states, strict=True)
        for label, value in zip(labels, row, strict=True)
    }
