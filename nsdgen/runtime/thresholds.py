"""Thresholds that a run was told and that do not fit what it moved."""

from __future__ import annotations

import math
import warnings

import numpy as np

from nsdgen.errors import ModelWarning
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout
from nsdgen.runtime.values import RunValues

_SHARE = 1e-4
"""Of the largest that a run had: a threshold above it decides about what is to be seen of the motion."""

_NUMBERS = 1e-12
"""What stands still may move by rounding of numbers near 1, a hundred times over: nothing to judge thresholds by."""

_FITS = 1e-12
"""The default, for states of 1."""


def say_thresholds(record: ModelRecord, values: RunValues, layout: Layout, rows: np.ndarray) -> None:
    """Warn of an ``atol`` that does not fit what ``rows`` (all columns) move: it is a number in the unit of states."""
    for scheme, options in zip(record.schemes, values.options, strict=True):
        told = dict(zip((option.name for option in scheme.options), options, strict=True))
        size = _smallest(layout, rows) if "atol" in told else math.inf
        if told.get("atol", 0.0) > _SHARE * size:
            warnings.warn(
                ModelWarning(
                    f"atol is {told['atol']:g}, and the largest of such states {size:.2g}: steps are too long for "
                    f"that: give nsd.{scheme.name}(atol={_FITS * size:.0e}), or state the model in units in which its "
                    "lengths and times are near 1"
                ),
                stacklevel=3,
            )


def _smallest(layout: Layout, rows: np.ndarray) -> float:
    """The largest place or the largest rate, whichever is smaller; of what moves by rounding neither counts."""
    count = min(layout.memory, default=layout.carried)
    largest = np.abs(rows[:, :count]).max(axis=0, initial=0.0)
    rates = np.array([c.unit.endswith("/s") or c.name.endswith("_dot") for c in layout.columns[:count]], dtype=bool)
    sizes = [largest[kind].max(initial=0.0) for kind in (~rates, rates)]
    return float(min((size for size in sizes if size > _NUMBERS), default=math.inf))
