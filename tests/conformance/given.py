"""Case folders: ``case.toml`` says what the table ``reference.npz`` holds."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Given", "case_folders", "read_given"]


@dataclass(frozen=True)
class Given:
    """A published table, (n, c): row i is row ``rows[i]`` of the run it was made by.

    ``compared`` are the columns that the case compares and ``tolerance`` the absolute error that it suggests;
    either is None where it does not say. Rows it calls chaotic are left out.
    """

    slug: str
    step: float
    columns: tuple[str, ...]
    compared: tuple[int, ...] | None
    tolerance: float | None
    rows: NDArray[np.int64]
    table: NDArray[np.float64]


def case_folders(folder: Path) -> list[Path]:
    """The case folders in ``folder``, by name; raises FileNotFoundError where there are none."""
    found = sorted(path.parent for path in folder.glob("*/case.toml"))
    if not found:
        raise FileNotFoundError(f"{folder} holds no case folder (one with case.toml and reference.npz)")
    return found


def read_given(folder: Path, table: str = "data") -> Given:
    """The case of one folder and its table of this name; raises ValueError where table and description disagree."""
    said = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    with np.load(folder / "reference.npz", allow_pickle=False) as file:
        values, rows = file[table].astype(float), file["rows"].astype(np.int64)
    columns = tuple(said["columns"])
    if values.shape != (len(rows), len(columns)):
        raise ValueError(f"{folder}: a table of shape {values.shape} has {len(rows)} rows and columns {columns}")
    kept = rows < said.get("compare_rows", np.inf)
    compared = said.get("compare_columns")
    return Given(
        folder.name,
        float(said["h"]),
        columns,
        None if compared is None else tuple(compared),
        said.get("suggested_tolerance", said.get("recommended_tolerance")),
        rows[kept],
        values[kept],
    )
