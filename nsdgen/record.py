"""The model record: what the runtime must know of a model besides its kernels.

It is written as ``model.json`` beside the compiled module and holds everything that
needs no SymPy: instances and the graph between them, names, units, ranges, defaults and
the stages of the scheme. Neutral ground: both the symbolic side and the runtime read it.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nsdgen.errors import ModuleMismatch

__all__ = [
    "ArgumentRecord",
    "ModelRecord",
    "OptionRecord",
    "ParameterRecord",
    "RelationClassRecord",
    "RelationRecord",
    "SchemeRecord",
    "StageRecord",
    "SystemClassRecord",
    "SystemRecord",
]

FORMAT = 1


@dataclass(frozen=True)
class ParameterRecord:
    """A parameter of the model with its default, unit and range (None: unbounded)."""

    name: str
    value: float
    unit: str = ""
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True)
class OptionRecord:
    """A numeric option of a scheme, e.g. theta."""

    name: str
    value: float
    min: float
    max: float


@dataclass(frozen=True)
class SchemeRecord:
    """A scheme and its options in the order of the run array (after h)."""

    name: str
    options: tuple[OptionRecord, ...]
    choices: tuple[tuple[str, str], ...] = ()

    def label(self, values: Iterable[float] = ()) -> str:
        """``MoreauJean(theta=0.5)``, with these values or the defaults."""
        numbers = tuple(values) or tuple(o.value for o in self.options)
        return f"{self.name}({', '.join(f'{o.name}={v:g}' for o, v in zip(self.options, numbers, strict=True))})"


@dataclass(frozen=True)
class StageRecord:
    """A stage: Newton options and how it repeats (``repeat_tolerance`` None: once)."""

    name: str
    tolerance: float
    max_iterations: int
    measure: str
    fixed_iterations: int | None
    on_limit: str
    line_search: str
    activation_at: str
    repeat_tolerance: float | None = None
    repeat_maximum: int = 1
    repeat_on_limit: str = "raise"


@dataclass(frozen=True)
class SystemClassRecord:
    """Sizes of a class of systems; lists hold one number per stage.

    ``unit_norm`` lists groups of initial values that form a vector of norm 1 (a quaternion).
    """

    name: str
    scheme: int
    n_state: int
    n_unknown: tuple[int, ...]
    n_frozen_step: tuple[int, ...]
    n_frozen_iteration: tuple[int, ...]
    state_names: tuple[str, ...]
    state_units: tuple[str, ...]
    parameters: tuple[str, ...]
    unit_norm: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class RelationClassRecord:
    """Sizes of a class of relations; ``cones`` per stage lists (cone, rows)."""

    name: str
    scheme: int
    n_memory: int
    n_multiplier: tuple[int, ...]
    n_observed: tuple[int, ...]
    cones: tuple[tuple[tuple[int, int], ...], ...]
    memory_names: tuple[str, ...]
    memory_units: tuple[str, ...]
    multiplier_names: tuple[tuple[str, ...], ...]
    multiplier_units: tuple[tuple[str, ...], ...]
    observed_names: tuple[tuple[str, ...], ...]
    observed_units: tuple[tuple[str, ...], ...]
    parameters: tuple[str, ...]
    always_active: bool
    gap: int | None
    zero_rows: int = 0


@dataclass(frozen=True)
class ArgumentRecord:
    """Where an instance takes the value of one parameter slot from.

    ``source`` is "parameter" (``index`` into the model's parameters), "value" (a constant)
    or "derived" (``index`` into what the module's ``arguments`` kernel computes).
    """

    name: str
    source: str
    index: int = 0
    value: float = 0.0
    min: float | None = None
    max: float | None = None


@dataclass(frozen=True)
class SystemRecord:
    """A system instance.

    ``own_labels`` lists (name in the class, own name, own unit) where an instance calls a
    recorded value otherwise than its class.
    """

    name: str
    cls: int
    arguments: tuple[ArgumentRecord, ...]
    initial: tuple[float, ...]
    initial_names: tuple[str, ...]
    own_labels: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class RelationRecord:
    """A relation instance on systems ``participants``; ``own_labels`` as for systems."""

    name: str
    cls: int
    participants: tuple[int, ...]
    arguments: tuple[ArgumentRecord, ...]
    own_labels: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True)
class ModelRecord:
    """A model, complete but for its kernels."""

    name: str
    identifier: str
    parameters: tuple[ParameterRecord, ...]
    schemes: tuple[SchemeRecord, ...]
    stages: tuple[StageRecord, ...]
    system_classes: tuple[SystemClassRecord, ...]
    relation_classes: tuple[RelationClassRecord, ...]
    systems: tuple[SystemRecord, ...]
    relations: tuple[RelationRecord, ...]
    step: float
    end: float
    start: float = 0.0
    allow_penetration: bool = False
    kernel_hash: str = ""
    n_derived: int = 0
    format: int = field(default=FORMAT)

    def to_json(self) -> str:
        """Stable text: the same record gives the same bytes."""
        return json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> ModelRecord:
        """The record of a text; raises ``ModuleMismatch`` for another format."""
        data = json.loads(text)
        if data.get("format") != FORMAT:
            raise ModuleMismatch(
                f"model.json has format {data.get('format')}, this nsdgen reads {FORMAT}",
                model=str(data.get("name", "")), fix="compile the model again with this version of nsdgen")
        record = _build(cls, data)
        assert isinstance(record, ModelRecord)
        return record


def _build(kind: Any, data: Any) -> Any:
    """A dataclass (or tuple of them) from what ``json`` made of it."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        hints = typing.get_type_hints(kind)
        return kind(**{f.name: _build(hints[f.name], data[f.name]) for f in dataclasses.fields(kind)
                       if f.name in data})
    if typing.get_origin(kind) is tuple:
        inner = typing.get_args(kind)
        if len(inner) == 2 and inner[1] is Ellipsis:
            return tuple(_build(inner[0], item) for item in data)
        return tuple(_build(part, item) for part, item in zip(inner, data, strict=True))
    return data
