"""A trajectory as labelled variables: the shape that xarray and NetCDF share.

Each quantity is one variable over ``time``; a vector has a second dimension with its
component numbers as coordinate. The dimension belongs to the quantity's name, so that the
positions of two bodies can be stacked; bodies whose components differ get their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from nsdgen.record.columns import NamedColumns, split_name
from nsdgen.study.optional import require

if TYPE_CHECKING:
    import xarray

    from nsdgen.study.samples import Samples


@dataclass(frozen=True)
class Variable:
    """One labelled array: its name, the names of its dimensions, values and attributes."""

    name: str
    dimensions: tuple[str, ...]
    values: NDArray[np.generic]
    attributes: dict[str, str]


def variables(trajectory: Samples) -> Iterator[Variable]:
    """The recorded quantities, (n,) or (n, k), in the order of their first columns."""
    quantities = trajectory.index.quantities
    dimensions = component_dimensions(quantities.values())
    for name, quantity in quantities.items():
        extra = (dimensions[name],) if quantity.components else ()
        attributes = _labels(trajectory, quantity)
        yield Variable(name, ("time", *extra), trajectory[name], attributes)


def coordinates(trajectory: Samples) -> Iterator[Variable]:
    """Time, then the component numbers of each vector dimension."""
    yield Variable("time", ("time",), trajectory.time, {"units": "s", "long_name": "time"})
    quantities = trajectory.index.quantities
    components = {
        dimension: quantities[name].components for name, dimension in component_dimensions(quantities.values()).items()
    }
    for dimension, numbers in components.items():
        yield Variable(dimension, (dimension,), np.array(numbers, dtype=np.int32), {})


def global_attributes(trajectory: Samples) -> dict[str, str]:
    """How the run was made, each entry as JSON text: attributes of files hold no tables."""
    return {key: json.dumps(value) for key, value in trajectory.attributes.items()}


def to_dataset(trajectory: Samples) -> xarray.Dataset:
    """The xarray Dataset of a trajectory; raises ParameterError when xarray is missing."""
    require("xarray", "data", "a dataset")
    import xarray

    return xarray.Dataset(
        {entry.name: _entry(entry) for entry in variables(trajectory)},
        {entry.name: _entry(entry) for entry in coordinates(trajectory)},
        {"model": trajectory.model, **global_attributes(trajectory)},
    )


def _entry(variable: Variable) -> tuple[tuple[str, ...], NDArray[np.generic], dict[str, str]]:
    return variable.dimensions, variable.values, variable.attributes


def _labels(trajectory: Samples, quantity: NamedColumns) -> dict[str, str]:
    columns = [trajectory.columns[place] for place in quantity.places]
    units = list(dict.fromkeys(column.unit for column in columns))
    meanings = {column.description for column in columns}
    labels = {
        # a quaternion beside a position: one unit per component, in their order
        "units": units[0] if len(units) == 1 else ", ".join(c.unit or "1" for c in columns),
        "long_name": (meanings.pop() if len(meanings) == 1 else "") or quantity.name,
    }
    return {key: text for key, text in labels.items() if text}


def component_dimensions(quantities: Iterable[NamedColumns]) -> dict[str, str]:
    """The component dimension of each vector quantity, by the quantity's full name."""
    vectors = [quantity for quantity in quantities if quantity.components]
    shapes: dict[str, set[tuple[int, ...]]] = {}
    for vector in vectors:
        shapes.setdefault(split_name(vector.name)[1], set()).add(vector.components)
    return {
        vector.name: f"{short if len(shapes[short]) == 1 else vector.name}_component"
        for vector in vectors
        for short in [split_name(vector.name)[1]]
    }
