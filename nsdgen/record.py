"""The model record: what the runtime must know of a model besides its kernels.

It is written as ``model.json`` beside the compiled module and holds everything that
needs no SymPy: instances and the graph between them, names, units, ranges, defaults and
the stages of the scheme. Neutral ground: both the symbolic side and the runtime read it.

In the file an instance is one line. What the instances of a class have in common (names and ranges
of their arguments, names of initial values) is listed once, in ``*_slots`` and ``initial_names``; an
argument is then a number, ``{"parameter": index}`` or ``{"derived": index}``, or a whole record where
it differs from its slot.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from nsdgen.checks import shown
from nsdgen.errors import ModuleMismatch
from nsdgen.record_schema import Damaged, each, read_object, typed

__all__ = [
    "ArgumentRecord",
    "ModelRecord",
    "OptionRecord",
    "ParameterRecord",
    "RelationClassRecord",
    "RelationRecord",
    "RepeatRecord",
    "SchemeRecord",
    "StageRecord",
    "SystemClassRecord",
    "SystemRecord",
]

FORMAT = 3


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
    """A stage of the schemes listed: Newton options, when it runs and when it is skipped.

    ``skipped``: the module has a kernel that says when.
    """

    name: str
    schemes: tuple[int, ...]
    tolerance: float
    max_iterations: int
    measure: str
    fixed_iterations: int | None
    on_limit: str
    line_search: str
    activation_at: str
    at: str = "step"
    skipped: bool = False
    without_relations: str = "run"
    unique: bool = False


@dataclass(frozen=True)
class RepeatRecord:
    """Stages from ``first`` up to, not including, ``end`` that run again until all relations are satisfied.

    ``tolerance`` bounds the largest violation, None: not asked for.
    """

    first: int
    end: int
    tolerance: float | None
    maximum: int
    minimum: int
    on_limit: str
    from_start: bool


@dataclass(frozen=True)
class SystemClassRecord:
    """Sizes of a class of systems; lists hold one entry per stage.

    ``unknown`` are the names of the unknowns of a stage: that of a state where it is the new value of one.
    ``unit_norm`` lists groups of initial values that form a vector of norm 1 (a quaternion). ``cuts`` are name and
    direction (-1 falling, 1 rising, 0 both) of the quantities whose zeros end a step early.
    """

    name: str
    scheme: int
    n_state: int
    unknown: tuple[tuple[str, ...], ...]
    n_frozen_step: tuple[int, ...]
    n_frozen_iteration: tuple[int, ...]
    state_names: tuple[str, ...]
    state_units: tuple[str, ...]
    observed_names: tuple[tuple[str, ...], ...]
    observed_units: tuple[tuple[str, ...], ...]
    parameters: tuple[str, ...]
    unit_norm: tuple[tuple[int, ...], ...] = ()
    cuts: tuple[tuple[str, int], ...] = ()

    @property
    def n_unknown(self) -> tuple[int, ...]:
        """The number of unknowns of each stage."""
        return tuple(len(names) for names in self.unknown)


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
    cuts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation instance on systems ``participants``; ``own_labels`` as for systems.

    ``initial`` are the multipliers that the model gives at t_0, by the names of their columns.
    """

    name: str
    cls: int
    participants: tuple[int, ...]
    arguments: tuple[ArgumentRecord, ...]
    own_labels: tuple[tuple[str, str, str], ...] = ()
    initial: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class ModelRecord:
    """A model, complete but for its kernels."""

    name: str
    identifier: str
    parameters: tuple[ParameterRecord, ...]
    schemes: tuple[SchemeRecord, ...]
    stages: tuple[StageRecord, ...]
    repeats: tuple[RepeatRecord, ...]
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
        whole: dict[str, Any] = {}
        for f in dataclasses.fields(self):
            if f.name == "systems":
                slots, labels = _slots(self.systems), _first(self.systems, "initial_names")
                whole |= {"system_slots": slots, "initial_names": labels,
                          "systems": _Lines(_system_line(s, slots, labels) for s in self.systems)}
            elif f.name == "relations":
                slots = _slots(self.relations)
                whole |= {"relation_slots": slots,
                          "relations": _Lines(_relation_line(r, slots) for r in self.relations)}
            else:
                value = getattr(self, f.name)
                whole[f.name] = [dataclasses.asdict(v) for v in value] if f.name in _TABLES else value
        return "{\n" + ",\n".join(f" {_text(key)}: {_body(value)}" for key, value in whole.items()) + "\n}\n"

    @classmethod
    def from_json(cls, text: str) -> ModelRecord:
        """The record of a text, every value of its type; raises ``ModuleMismatch`` for another format or damage.

        Whether sizes and indices fit together and the kernels is checked by :mod:`nsdgen.runtime.fit`.
        """
        try:
            data = read_object(text)
            if data.get("format") != FORMAT:
                raise ModuleMismatch(f"model.json has format {shown(data.get('format'))}, this nsdgen reads {FORMAT}",
                                     fix="compile the model again with this version of nsdgen")
            return _read(data)
        except Damaged as error:
            raise ModuleMismatch(f"model.json is damaged: {error}", fix="compile the model again") from error


def _read(data: dict[str, Any]) -> ModelRecord:
    slots = _read_slots(data.pop("system_slots", {}), "system_slots")
    if not isinstance(labels := data.pop("initial_names", {}), dict):
        raise Damaged(f"initial_names is {shown(labels)}, not an object")
    names = {key: each(str, value, f"initial_names.{key}") for key, value in labels.items()}
    systems = tuple(_read_system(item, slots, names, f"systems[{i}]")
                    for i, item in enumerate(each(object, data.pop("systems", None), "systems")))
    slots = _read_slots(data.pop("relation_slots", {}), "relation_slots")
    relations = tuple(_read_relation(item, slots, f"relations[{i}]")
                      for i, item in enumerate(each(object, data.pop("relations", None), "relations")))
    whole: ModelRecord = typed(ModelRecord, {**data, "systems": [], "relations": []}, "")
    return dataclasses.replace(whole, systems=systems, relations=relations)


_TABLES = ("parameters", "schemes", "stages", "repeats", "system_classes", "relation_classes")
Slots = dict[str, list[list[Any]]]
"""By class: name, least and largest value of each argument, those of its first instance."""


class _Lines(list[str]):
    """The lines of instances, written as they are."""


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _body(value: Any) -> str:
    if isinstance(value, _Lines):
        return "[\n  " + ",\n  ".join(value) + "\n ]" if value else "[]"
    return json.dumps(value, ensure_ascii=False, indent=1).replace("\n", "\n ")


def _slots(instances: Iterable[SystemRecord | RelationRecord]) -> Slots:
    slots: Slots = {}
    for item in instances:
        key = str(item.cls)
        if key not in slots:
            slots[key] = [[a.name, a.min, a.max] for a in item.arguments]
    return slots


def _first(instances: Iterable[SystemRecord], part: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for item in instances:
        found.setdefault(str(item.cls), list(getattr(item, part)))
    return found


def _arguments(item: SystemRecord | RelationRecord, slots: Slots) -> list[Any]:
    """The arguments as they are written: short where name and range are those of the slot."""
    of_class = slots[str(item.cls)]
    written: list[Any] = []
    for i, a in enumerate(item.arguments):
        if i >= len(of_class) or [a.name, a.min, a.max] != of_class[i] or len(of_class) != len(item.arguments):
            written.append(dataclasses.asdict(a))
        else:
            written.append(a.value if a.source == "value" else {a.source: a.index})
    return written


def _system_line(s: SystemRecord, slots: Slots, labels: dict[str, list[str]]) -> str:
    line: dict[str, Any] = {"name": s.name, "cls": s.cls, "arguments": _arguments(s, slots), "initial": s.initial}
    if list(s.initial_names) != labels[str(s.cls)]:
        line["initial_names"] = s.initial_names
    if s.own_labels:
        line["own_labels"] = s.own_labels
    return _text(line)


def _relation_line(r: RelationRecord, slots: Slots) -> str:
    line: dict[str, Any] = {"name": r.name, "cls": r.cls, "participants": r.participants,
                            "arguments": _arguments(r, slots)}
    if r.own_labels:
        line["own_labels"] = r.own_labels
    if r.initial:
        line["initial"] = r.initial
    return _text(line)


def _read_arguments(data: Any, slots: list[list[Any]], where: str) -> tuple[ArgumentRecord, ...]:
    if not isinstance(data, list):
        raise Damaged(f"{where} is {shown(data)}, not a list")
    found = []
    for i, a in enumerate(data):
        here = f"{where}[{i}]"
        if isinstance(a, dict) and "source" in a:
            found.append(typed(ArgumentRecord, a, here))
            continue
        if i >= len(slots):
            raise Damaged(f"{here} belongs to no slot")
        name, least, largest = slots[i]
        if isinstance(a, dict):
            (source, index), = a.items() if len(a) == 1 else (("", 0),)
            if source not in ("parameter", "derived"):
                raise Damaged(f"{here} is {shown(a)}, no source of a value")
            found.append(ArgumentRecord(name, source, typed(int, index, here), 0.0, least, largest))
        else:
            found.append(ArgumentRecord(name, "value", 0, typed(float, a, here), least, largest))
    return tuple(found)


def _read_slots(data: Any, where: str) -> Slots:
    if not isinstance(data, dict):
        raise Damaged(f"{where} is {shown(data)}, not an object")
    return {key: [list(typed(tuple[str, float | None, float | None], slot, f"{where}.{key}[{i}]"))
                  for i, slot in enumerate(each(object, slots, f"{where}.{key}"))] for key, slots in data.items()}


def _read_system(item: Any, slots: Slots, labels: dict[str, tuple[str, ...]], where: str) -> SystemRecord:
    cls, common = _read_common(item, slots, where, ("initial", "initial_names"))
    names = item.get("initial_names")
    return SystemRecord(common[0], cls, common[1], each(float, item.get("initial"), f"{where}.initial"),
                        labels.get(str(cls), ()) if names is None else each(str, names, f"{where}.initial_names"),
                        common[2])


def _read_relation(item: Any, slots: Slots, where: str) -> RelationRecord:
    cls, common = _read_common(item, slots, where, ("participants", "initial"))
    initial = each(tuple[str, float], item.get("initial", ()), f"{where}.initial")
    return RelationRecord(common[0], cls, each(int, item.get("participants"), f"{where}.participants"), common[1],
                          common[2], tuple((name, float(value)) for name, value in initial))


def _read_common(item: Any, slots: Slots, where: str, more: tuple[str, ...]) -> tuple[int, tuple[Any, ...]]:
    """What systems and relations have in common: the class, then name, arguments and own labels."""
    if not isinstance(item, dict) or any(key not in ("name", "cls", "arguments", "own_labels", *more) for key in item):
        raise Damaged(f"{where} is {shown(item)}, no instance")
    cls = typed(int, item.get("cls"), f"{where}.cls")
    return cls, (typed(str, item.get("name"), f"{where}.name"),
                 _read_arguments(item.get("arguments"), slots.get(str(cls), []), f"{where}.arguments"),
                 each(tuple[str, str, str], item.get("own_labels", ()), f"{where}.own_labels"))
