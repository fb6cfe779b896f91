"""Thresholds that a run was told and that do not fit what it moved: no small share of it, or below its rounding."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np

from nsdgen.errors import ModelWarning
from nsdgen.record.model_record import ModelRecord
from nsdgen.record.step_record import Layout
from nsdgen.runtime.values import RunValues

_SHARE = 1e-4
"""Of the largest that a run had: a threshold above it decides about what is to be seen of the motion."""

_FAR = 1e-2
"""Of the largest place: what counts as still may move less than that in a run."""

_ROUNDING = 1e-14
"""Of the largest rate: a threshold below it is passed by rounding, so that nothing comes to rest."""

_CLOSED = 1e-10
"""Of the largest state at the start: a gap that is rounding of one that is closed, as in ``start.py``."""

_NUMBERS = 1e-12
"""What stands still may move by rounding of numbers near 1, a hundred times over: nothing to judge thresholds by."""

_FITS = {"closed": 1e-10, "rest_rate": 1e-7, "atol": 1e-12}
"""What the defaults are for lengths and speeds of 1."""


def say_thresholds(record: ModelRecord, values: RunValues, layout: Layout, rows: np.ndarray) -> None:
    """Warn of ``closed``, ``rest_rate`` and ``atol`` that do not fit what ``rows`` (all columns) move.

    They are numbers in the units of the model: those of metres and seconds say nothing of a motion over 1e-9 m.
    """
    for scheme, options in zip(record.schemes, values.options, strict=True):
        told = dict(zip((option.name for option in scheme.options), options, strict=True))
        for name, size, text in _misfits(record, values, layout, rows, told) if "rest_rate" in told else ():
            warnings.warn(
                ModelWarning(
                    f"{name} is {told[name]:g}, {text}: give nsd.{scheme.name}({name}={_FITS[name] * size:.0e}), or "
                    "state the model in units in which its lengths and times are near 1"
                ),
                stacklevel=3,
            )


def _misfits(
    record: ModelRecord, values: RunValues, layout: Layout, rows: np.ndarray, told: dict[str, float]
) -> Iterator[tuple[str, float, str]]:
    """Thresholds out of proportion, the size that they should be a share of, and why."""
    largest = np.abs(rows).max(axis=0, initial=0.0)
    count = min(layout.memory, default=layout.carried)
    start = np.abs(rows[0, :count]).max(initial=0.0)
    unilateral = [
        (first, first + cls.gap, cls.memory_names)
        for first, cls in zip(layout.memory, (record.relation_classes[r.cls] for r in record.relations), strict=True)
        if cls.gap is not None and "closed" in cls.memory_names
    ]
    gap = max((_gap(rows, gap, first + names.index("closed"), start) for first, gap, names in unilateral), default=0.0)
    if told["closed"] > _SHARE * gap and gap > _NUMBERS:
        yield "closed", gap, f"and the largest gap {gap:.2g}: contacts touch long before they do"
    rates = [
        i for i in range(count) if layout.columns[i].unit.endswith("/s") or layout.columns[i].name.endswith("_dot")
    ]
    places = [i for i in range(count) if i not in rates]
    far = max(gap, largest[places].max(initial=0.0))
    lasts = values.end - values.start
    if unilateral and told["rest_rate"] * lasts > _FAR * far and far > _NUMBERS:
        yield (
            "rest_rate",
            far / lasts,
            f"and in the {lasts:g} s of the run what is as slow, which counts as still, goes "
            f"{told['rest_rate'] * lasts:.2g} where the largest place is {far:.2g}",
        )
    rate = largest[[a + k for a, _, names in unilateral for k, n in enumerate(names) if n.endswith("rate")]].max(
        initial=0.0
    )
    if rate > _NUMBERS and 0 < told["rest_rate"] < _ROUNDING * rate:
        yield "rest_rate", rate, f"which is rounding of the largest rate {rate:.2g}, so that nothing comes to rest"
    for group in (places, rates):
        state = largest[group].max(initial=0.0)
        if told["atol"] > _SHARE * state and state > _NUMBERS:
            yield "atol", state, f"and the largest of such states {state:.2g}: steps are too long for that"
            break


def _gap(rows: np.ndarray, gap: int, closed: int, start: float) -> float:
    """The largest gap of a contact while it was open, or as it was given."""
    opened = rows[rows[:, closed] == 0, gap].max(initial=0.0)
    return float(max(opened, rows[0, gap] if rows[0, gap] > _CLOSED * start else 0.0))
