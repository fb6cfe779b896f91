"""What a model file of a case says: the model, what the columns of the table are, and what is unusual about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

import nsdgen as nsd

__all__ = ["Case", "Column", "load_case"]

Array = NDArray[np.float64]
Column = str | Callable[[nsd.Trajectory], Array]
"""The name of a column of the trajectory, or a function of the trajectory, (n,)."""
TIME = ("t", "time")


@dataclass(frozen=True)
class Case:
    """A model and the meaning of a published table.

    ``columns``     what each column of the table is, ``t`` and ``time`` understood; these are compared
                    where the case does not say which ones
    ``rule``        one line, where the table follows another rule than nsdgen's default
    ``unset``       columns whose first row the table's author wrote before anything was evaluated
    ``until``       the time up to which a chaotic table is compared, where the case gives none [s]
    ``tolerance``   of the largest error, where the case gives none
    ``relative``    errors are divided by the largest value of their column
    ``first_step``  the step that the table's first row ends
    ``unmatched``   rows of an event-driven table whose instants the run does not have; None for other tables
    ``table``       the name of the table in ``reference.npz``, where two generations of it are given
    ``exact``       the same without the slips of the table's author: how far off it is, is measured and printed
    """

    model: nsd.Model
    columns: Mapping[str, Column]
    rule: str = ""
    unset: tuple[str, ...] = ()
    until: float = np.inf
    tolerance: float | None = None
    relative: bool = False
    first_step: int = 0
    unmatched: int | None = None
    table: str = "data"
    exact: nsd.Model | None = None

    def says(self, name: str) -> bool:
        """Whether the file says what the column ``name`` of the table is."""
        return name in self.columns or name in TIME

    def column(self, name: str, trajectory: nsd.Trajectory) -> Array:
        """The column ``name`` of the table as the run has it, (n,); raises ValueError where no one says it."""
        if name in TIME and name not in self.columns:
            return trajectory.time
        if name not in self.columns:
            raise ValueError(f"the model file does not say what the column {name!r} of the table is")
        source = self.columns[name]
        return trajectory[source] if isinstance(source, str) else source(trajectory)


def load_case(slug: str) -> Case | None:
    """The ``case`` of ``cases/<slug>.py``; None where there is no such file."""
    module = f"{__package__}.cases.{slug}"
    return import_module(module).case if find_spec(module) else None
