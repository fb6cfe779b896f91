"""What a record holds in a few words: its schemes, stages and instances, what a run changed."""

from collections.abc import Mapping, Sequence
from typing import Any

from nsdgen.record.model_record import ModelRecord, ParameterRecord, StageRecord

_FIRST_NAMES = 6  # of a long list of instances


def schemes(record: ModelRecord, run: Mapping[str, Any] | None = None) -> str:
    """``MoreauJean(theta=0.5)``, ...: all schemes of a model, with its defaults or as the attributes of a run say."""
    rows = [{}] * len(record.schemes) if run is None else run["scheme"]
    given = [[v for key, v in row.items() if key != "scheme"] for row in rows]
    return ", ".join(s.label(row) for s, row in zip(record.schemes, given, strict=True))


def changed(record: ModelRecord, run: Mapping[str, Any]) -> list[tuple[ParameterRecord, float]]:
    """The parameters of a run that are not the model's, with their values there."""
    used = run["parameters"]
    return [(p, used[p.name]) for p in record.parameters if used[p.name] != p.value]


def instances(names: Sequence[str]) -> str:
    """``bead 0, bead 1, ... bead 9999 (10000 instances)``: all where they are few, else the first and the last."""
    if len(names) <= _FIRST_NAMES + 2:
        return ", ".join(names)
    return f"{', '.join(names[:_FIRST_NAMES])}, ... {names[-1]} ({len(names)} instances)"


def iterations(stage: StageRecord) -> str:
    """How many Newton iterations a stage makes, or to which residual."""
    if stage.fixed_iterations:
        return f"{stage.fixed_iterations} Newton iterations"
    return f"at most {stage.max_iterations} Newton iterations to {stage.tolerance:g} ({stage.measure})"


def kernel_names(record: ModelRecord) -> list[str]:
    """Names of the classes that kernels belong to, by number, the model's last."""
    return [*(c.name for c in record.system_classes), *(c.name for c in record.relation_classes), record.name]
