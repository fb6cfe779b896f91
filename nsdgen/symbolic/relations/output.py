"""OutputColumn quantities of the user's own: ``outputs={"power": expression}`` of a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nsdgen.base.checks import shown
from nsdgen.base.suggest import named_arguments
from nsdgen.errors import ModelError, of_model
from nsdgen.symbolic.relations.along import Observed

OUTPUTS = "outputs"
"""The instance whose columns they are: ``outputs.power``."""


@named_arguments
@dataclass(frozen=True)
class OutputColumn:
    """An expression of time, parameters, coordinates, velocities, states and multipliers, and its unit (a label).

    What a scheme records besides is :func:`nsd.recorded`.
    """

    value: Any
    unit: str = ""


def observed_outputs(given: Any, model: str) -> list[Observed]:
    """What ``outputs=`` of a model says, as one relation that acts on nothing; raises ``ModelError`` for no mapping."""
    if given is None or (isinstance(given, Mapping) and not given):
        return []
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise ModelError(
            f"{shown(given)} is no mapping of names to expressions",
            model=model,
            where="outputs",
            fix="write outputs={'power': nsd.OutputColumn(force * x.diff(), 'W')}",
        )
    items = {name: item if isinstance(item, OutputColumn) else OutputColumn(item) for name, item in given.items()}
    with of_model(model):
        return [Observed(OUTPUTS, {n: o.value for n, o in items.items()}, [o.unit for o in items.values()])]
