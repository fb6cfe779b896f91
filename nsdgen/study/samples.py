"""What a run recorded: one time, one table, one name, unit and meaning per column, and how columns are looked up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsdgen.base.version import VERSION
from nsdgen.errors import ParameterError
from nsdgen.record.columns import Column, ColumnIndex, Columns


@dataclass(frozen=True, eq=False, repr=False)
class Samples:
    """What a run recorded, read-only.

    ``model``       the model's name
    ``time``        the n instants, s
    ``table``       (n, c), one column per entry of ``columns``
    ``columns``     name, unit and description of each column
    ``attributes``  how the run was made (scheme, step, parameters): what JSON can hold;
                    anything else is kept as its text; ``nsdgen``, the version that made
                    the record, is added where it is missing; or a function that gives them when
                    somebody asks

    ``trajectory["ball.z"]`` is one column, (n,); ``trajectory["brick.position"]`` a vector
    quantity, (n, k); the instance may be left out where only one quantity fits. ``len``
    is the number of instants; iterating gives the column names.

    Raises ParameterError when shapes disagree or names collide.
    """

    model: str
    time: NDArray[np.float64]
    table: NDArray[np.float64]
    columns: Sequence[Column]
    attributes: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        own = self.__dict__  # the dataclass is frozen for everybody else
        time, table, columns, given = _read_only(self.time), _read_only(self.table), self.columns, own["attributes"]
        own["time"], own["table"] = time, table
        own["columns"] = columns = columns if type(columns) is Columns else Columns(columns)
        if callable(given):  # told when somebody asks
            own["_told"] = own.pop("attributes")
        else:
            own["attributes"] = _described(given)
        if time.ndim != 1 or table.shape != (time.size, len(columns)):
            raise ParameterError(
                f"a table of shape {table.shape} does not fit time of shape {time.shape} and {len(columns)} columns",
                model=self.model,
                fix=f"give time of shape (n,) and a table of shape (n, {len(columns)})",
            )
        columns.by_name  # noqa: B018  refuses columns of one name

    def __getattr__(self, name: str) -> Any:
        if name != "attributes" or "_told" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        found = self.__dict__["attributes"] = _described(self._told())
        return found

    @property
    def index(self) -> ColumnIndex:
        """Finds columns by name."""
        found: Any = self.columns
        by_name: ColumnIndex = found.by_name
        return by_name

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.model, self.time, self.table, self.columns, self.attributes))

    def __len__(self) -> int:
        return int(self.time.size)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.index

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        """The column ``name``, (n,), or the vector quantity ``name``, (n, k); read-only.

        Raises ParameterError, with the candidates, when no or several quantities fit.
        """
        found = self.index.find(name, self.model)
        if not found.components:
            return self.table[:, found.places[0]]
        first, last = found.places[0], found.places[-1]
        if found.places == tuple(range(first, last + 1)):
            return self.table[:, first : last + 1]
        return _read_only(self.table[:, found.places])

    @property
    def names(self) -> tuple[str, ...]:
        """The column names, in the order of the table."""
        return tuple(column.name for column in self.columns)

    @property
    def final(self) -> dict[str, float]:
        """The last value of each column, by name; names are found as those of ``trajectory[...]`` are.

        Raises ParameterError on an empty record, and where a name is not found.
        """
        if not len(self):
            raise ParameterError(
                "nothing was recorded, so there is no final value", model=self.model, fix="run to a later end time"
            )
        return _Final(self)

    def unit(self, name: str) -> str:
        """The unit of a column, or the one unit of a vector quantity.

        Raises ParameterError for an unknown name and for components of different units.
        """
        found = self.index.find(name, self.model)
        units = {self.columns[place].unit: None for place in found.places}
        if len(units) > 1:
            raise ParameterError(
                f"the components of {found.name!r} have different units: {', '.join(units)}",
                model=self.model,
                fix=f"ask for one component, for instance {self.columns[found.places[0]].name!r}",
            )
        return next(iter(units))


class _Final(dict[str, Any]):
    """The last row by column; short names and vector quantities are looked up where no column has the name."""

    def __init__(self, samples: Samples) -> None:
        super().__init__(zip(samples.names, samples.table[-1].tolist(), strict=True))
        self._samples = samples

    def __missing__(self, name: str) -> Any:
        last = self._samples[name][-1]
        return last if last.ndim else float(last)

    def __reduce__(self) -> tuple[Any, ...]:
        return (dict, (dict(self),))


def _described(attributes: Mapping[str, Any]) -> Any:
    """Attributes as JSON, with the version that made the record."""
    return as_json({**attributes, "nsdgen": attributes.get("nsdgen", VERSION)})


def as_json(value: Any) -> Any:
    """``value`` as what JSON can hold: arrays become lists, unknown objects their text.

    A finished run must not be lost for an attribute that has no JSON form.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | float):
        return int(value) if isinstance(value, int) else float(value)
    if isinstance(value, Mapping):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return as_json(value.tolist())
    return str(value)


def _read_only(values: ArrayLike) -> NDArray[np.float64]:
    view = np.asarray(values, dtype=np.float64).view()
    view.setflags(write=False)
    return view
