"""Trajectories as NetCDF files (classic, 64-bit offsets), by SciPy alone.

Variables and dimensions are those of `nsdgen.study.variables`, so that xarray opens such a
file as the trajectory's dataset. Names are kept where they are printable ASCII without
``/``, which NetCDF allows and SciPy can write; others are rewritten, and the attribute
``column`` of every variable holds the original. For an exact return the global attributes
``columns`` and ``attribute_names`` list, as JSON, all columns and all keys in order.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, BinaryIO

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.record.columns import Column, ColumnIndex
from nsdgen.study.samples import Samples
from nsdgen.study.variables import Variable, component_dimensions, coordinates, global_attributes, variables

_LARGEST = 2**31 - 4  # bytes of one variable that SciPy's writer can describe
_FORBIDDEN = re.compile(r"[^ -.0-~]|^[^A-Za-z0-9_]| $")
# SciPy sets a file's attributes on its file object, where these have a meaning of their own.
_RESERVED = (
    *("model", "columns", "attribute_names", "sha256", "fp", "filename", "mode", "use_mmap"),
    *("version_byte", "maskandscale", "dimensions", "variables", "close", "flush", "sync"),
    *("createDimension", "createVariable"),
)


def write(trajectory: Samples, stream: BinaryIO) -> None:
    """Write ``trajectory`` and close ``stream``.

    Raises ParameterError when a variable is larger than the format can describe.
    """
    from scipy.io import netcdf_file

    axes, quantities = list(coordinates(trajectory)), list(variables(trajectory))
    _refuse_large(quantities, trajectory.model)
    names = _file_names(entry.name for entry in (*axes, *quantities))
    with netcdf_file(stream, "w", version=2) as file:
        header = _header(trajectory)
        for key, text in {**header, "sha256": _checksum(_bytes(header))}.items():
            setattr(file, key, text.encode())
        for axis in axes:
            file.createDimension(names[axis.name], axis.values.size)
        for entry in (*axes, *quantities):
            _write_variable(file, entry, names)


def read(stream: BinaryIO) -> Samples:
    """The trajectory in a file that `write` made.

    A damaged file raises what SciPy raises, or ``ValueError`` where a checksum is not that of what was read. Files of
    versions before checksums have none at all.
    """
    from scipy.io import netcdf_file

    with netcdf_file(stream, "r", mmap=False) as file:
        columns = [Column(*entry) for entry in json.loads(file.columns)]
        keys = json.loads(file.attribute_names)
        stored = _file_names(keys, _RESERVED)
        texts = {key: getattr(file, stored[key]) for key in keys}
        _verify(
            file,
            {
                "model": file.model,
                **{stored[key]: text for key, text in texts.items()},
                "attribute_names": file.attribute_names,
                "columns": file.columns,
            },
        )
        attributes = {key: json.loads(text) for key, text in texts.items()}
        time = file.variables["time"].data
        table = _read_table(file, columns, time.size)
        return Samples(file.model.decode(), time, table, columns, attributes)


def _verify(file: Any, header: dict[str, bytes]) -> None:
    """Raise ``ValueError`` where a checksum is wrong or missing; one alone cannot be lost to damage."""
    given = [getattr(file, "sha256", None), *(getattr(v, "sha256", None) for v in file.variables.values())]
    if not any(given):
        return
    found = [_checksum(_bytes(header)), *(_checksum(v.data.tobytes()) for v in file.variables.values())]
    names = ["its header", *map(repr, file.variables)]
    wrong = [name for name, text, expected in zip(names, given, found, strict=True) if text != expected.encode()]
    if wrong:
        raise ValueError(f"the checksum of {wrong[0]} is wrong")


def _bytes(header: Mapping[str, str | bytes]) -> bytes:
    """All entries of a header, in an order and a form in which no two headers agree."""
    pairs = [[key, text if isinstance(text, str) else text.decode()] for key, text in sorted(header.items())]
    return json.dumps(pairs).encode()


def _header(trajectory: Samples) -> dict[str, str]:
    attributes = global_attributes(trajectory)
    names = _file_names(attributes, _RESERVED)
    return {
        "model": trajectory.model,
        **{names[key]: text for key, text in attributes.items()},
        "attribute_names": json.dumps(list(attributes)),
        "columns": json.dumps([[c.name, c.unit, c.description] for c in trajectory.columns]),
    }


def _write_variable(file: Any, entry: Variable, names: dict[str, str]) -> None:
    dimensions = tuple(names[dimension] for dimension in entry.dimensions)
    variable = file.createVariable(names[entry.name], entry.values.dtype, dimensions)
    variable[:] = entry.values
    checksum = _checksum(variable.data.tobytes())
    for key, text in {**entry.attributes, "column": entry.name, "sha256": checksum}.items():
        setattr(variable, key, text.encode())


def _checksum(*parts: bytes) -> str:
    found = hashlib.sha256()
    for part in parts:
        found.update(part)
    return found.hexdigest()


def _read_table(file: Any, columns: Sequence[Column], instants: int) -> np.ndarray:
    quantities = ColumnIndex(columns).quantities
    dimensions = dict.fromkeys(component_dimensions(quantities.values()).values())
    names = _file_names(["time", *dimensions, *quantities])
    table = np.empty((instants, len(columns)))
    for name, quantity in quantities.items():
        values = file.variables[names[name]].data
        table[:, quantity.places] = values.reshape(instants, len(quantity.places))
    return table


def _file_names(names: Iterable[str], reserved: Iterable[str] = ()) -> dict[str, str]:
    """A distinct name the format allows for each of ``names``; the same for the same input."""
    taken = set(reserved)
    chosen: dict[str, str] = {}
    for name in names:
        stem = candidate = _FORBIDDEN.sub("_", name) or "_"
        number = 2
        while candidate in taken:
            candidate, number = f"{stem}_{number}", number + 1
        taken.add(candidate)
        chosen[name] = candidate
    return chosen


def _refuse_large(entries: Iterable[Variable], model: str) -> None:
    for entry in entries:
        if entry.values.nbytes > _LARGEST:
            raise ParameterError(
                f"{entry.name!r} takes {entry.values.nbytes} bytes; a variable of a classic "
                f"NetCDF file has at most {_LARGEST}",
                model=model,
                fix="save as .npz, or record less often",
            )
