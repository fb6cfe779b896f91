"""What a record holds in a few words: its schemes, its instances."""

from __future__ import annotations

from collections.abc import Sequence

from nsdgen.record.model_record import ModelRecord

_FIRST_NAMES = 6  # of a long list of instances


def schemes(record: ModelRecord, values: Sequence[Sequence[float]] | None = None) -> str:
    """``MoreauJean(theta=0.5)``, ...: all schemes of a model, with its defaults or these values."""
    return ", ".join(s.label(row) for s, row in zip(record.schemes, values or [()] * len(record.schemes), strict=True))


def instances(names: Sequence[str]) -> str:
    """``bead 0, bead 1, ... bead 9999 (10000 instances)``: all where they are few, else the first and the last."""
    if len(names) <= _FIRST_NAMES + 2:
        return ", ".join(names)
    return f"{', '.join(names[:_FIRST_NAMES])}, ... {names[-1]} ({len(names)} instances)"
