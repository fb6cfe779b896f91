"""Trajectories on disk: one table of formats, and files that appear whole or not at all.

=======  ==========================  ========================================
suffix   written by                  reads back as
=======  ==========================  ========================================
.nc      `nsdgen.study.netcdf`       the same trajectory, bit by bit
.npz     NumPy, header as JSON       the same trajectory, bit by bit
.csv     one heading, one row each   the same numbers (any program; not here)
=======  ==========================  ========================================
"""

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from nsdgen.base.whole_file import check_suffix, whole_file
from nsdgen.errors import ParameterError
from nsdgen.record.columns import Column, with_unit
from nsdgen.study import netcdf
from nsdgen.study.samples import Samples

_ROWS = 4096  # rows turned into Python numbers at a time


def save(trajectory: Samples, path: str | os.PathLike[str]) -> None:
    """Write ``trajectory`` in the format of ``path``'s suffix.

    Raises ParameterError for an unknown suffix and a place that cannot be written.
    """
    target = Path(path)
    check_suffix(target, list(_WRITERS), "a trajectory", where="save")
    with whole_file(target) as stream:
        _WRITERS[target.suffix.lower()](trajectory, stream)


def load(path: str | os.PathLike[str]) -> Samples:
    """The trajectory in a ``.nc`` or ``.npz`` file.

    Raises ParameterError when it is missing, damaged or not a trajectory of nsdgen.
    """
    read = _READERS.get(Path(path).suffix.lower())
    if read is None:
        raise ParameterError(
            f"{str(path)!r} is no file that trajectories are read from",
            fix=f"give one that ends with {', '.join(_READERS)}",
        )
    try:
        with open(path, "rb") as stream:
            return read(stream)
    except FileNotFoundError as error:
        raise ParameterError(f"there is no file {str(path)!r}", fix="check the path") from error
    except Exception as error:  # what SciPy, NumPy and zipfile raise on damage is no closed list
        raise ParameterError(
            f"{str(path)!r} holds no trajectory of nsdgen, or a damaged one ({error})",
            fix="give a file that Trajectory.save wrote, or make it again",
        ) from error


def _write_csv(trajectory: Samples, stream: BinaryIO) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")  # floats by repr, hence exact
    writer.writerow([with_unit("time", "s"), *(column.heading for column in trajectory.columns)])
    for start in range(0, len(trajectory), _ROWS):
        rows = slice(start, start + _ROWS)
        block = np.column_stack([trajectory.time[rows], trajectory.table[rows]])
        writer.writerows(block.tolist())
    text.flush()
    text.detach()  # the stream is the caller's to close


def _write_npz(trajectory: Samples, stream: BinaryIO) -> None:
    header = {
        "model": trajectory.model,
        "columns": [[c.name, c.unit, c.description] for c in trajectory.columns],
        "attributes": trajectory.attributes,
    }
    np.savez(stream, time=trajectory.time, table=trajectory.table, header=np.array(json.dumps(header)))


def _read_npz(stream: BinaryIO) -> Samples:
    with np.load(stream, allow_pickle=False) as archive:
        header = json.loads(str(archive["header"]))
        columns = [Column(*entry) for entry in header["columns"]]
        return Samples(header["model"], archive["time"], archive["table"], columns, header["attributes"])


_WRITERS: dict[str, Callable[[Samples, BinaryIO], None]] = {".nc": netcdf.write, ".npz": _write_npz, ".csv": _write_csv}
_READERS: dict[str, Callable[[BinaryIO], Samples]] = {".nc": netcdf.read, ".npz": _read_npz}
