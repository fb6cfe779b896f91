"""The model record: what the runtime must know of a model besides its kernels.

It is written as ``model.json`` beside the compiled module and holds everything that
needs no SymPy: instances and the graph between them, names, units, ranges, defaults and
the stages of the scheme. Neutral ground: both the symbolic side and the runtime read it.

Instances and their lines in the file are in :mod:`nsdgen.record.instances`.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import typing
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from nsdgen.base.checks import shown
from nsdgen.errors import ModuleMismatch
from nsdgen.record.instances import ArgumentRecord, RelationRecord, SystemRecord, line, read_relation, read_system

FORMAT = 7  # rises whenever a field of the record changes its meaning


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

    ``skipped``: the module has a kernel that says when. ``block`` is the block whose stage it is: then it runs where
    that is due.
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
    block: int | None = None


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
class RequirementRecord:
    """What rows and columns ``first`` to ``end`` of an operator must be at the start (``base/definiteness.py``).

    ``operands`` are where in the initial values each operand of the operator begins, -1 for time.
    """

    operator: str
    kind: str
    first: int
    end: int
    operands: tuple[int, ...]


@dataclass(frozen=True)
class SystemClassRecord:
    """Sizes of a class of systems; lists hold one entry per stage.

    ``unknown`` are the names of the unknowns of a stage: that of a state where it is the new value of one.
    ``unit_norm`` lists groups of initial values that form a vector of norm 1 (a quaternion). ``cuts`` are name and
    direction (-1 falling, 1 rising, 0 both, -2 falling and not recorded) of the quantities whose zeros end a step
    early. ``algebraic`` lists the equations of each combination without a derivative, ``mass_rank`` is the rank that
    the mass is to have at the start.
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
    requirements: tuple[RequirementRecord, ...] = ()
    algebraic: tuple[tuple[int, ...], ...] = ()
    mass_rank: int | None = None

    @property
    def n_unknown(self) -> tuple[int, ...]:
        """The number of unknowns of each stage."""
        return tuple(len(names) for names in self.unknown)


@dataclass(frozen=True)
class RelationClassRecord:
    """Sizes of a class of relations; ``cones`` per stage lists (cone, rows).

    Rows that are ``held`` are zero whatever their cones: these bound the shares of what several of them bear. The last
    rows that are ``copies`` repeat others for what follows from these: their multipliers are not counted as open.

    ``places`` are memories that say on which piece of its law a row moves, with their highest values, negative where a
    quantity goes on through changes; the cuts 2 k and 2 k + 1 look on them. With 0 they say that a row slides.
    ``slips`` are memories of rates at which impacts rub, and of their largest values.
    """

    name: str
    scheme: int
    n_memory: int
    n_multiplier: tuple[int, ...]
    n_observed: tuple[int, ...]
    cones: tuple[tuple[tuple[int, int], ...], ...]
    held: tuple[bool, ...]
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
    places: tuple[tuple[int, int], ...] = ()
    slips: tuple[tuple[int, int], ...] = ()
    copies: tuple[int, ...] = ()

    @property
    def about_gaps(self) -> bool:
        """Whether it is about positions that must not, or may only, be somewhere, not about outputs."""
        return self.gap is not None or self.zero_rows > 0

    @property
    def pushes(self) -> bool:
        """Whether it acts on motions, by impulses or forces."""
        return any(name.startswith(("impulse", "force")) for names in self.multiplier_names for name in names)


@dataclass(frozen=True)
class BlockRecord:
    """A relation that acts at instants of its own: at offset + k period from the start of a run.

    ``period``, ``offset`` and ``holds`` are numbers of parameters; ``holds`` follow the last entries of the relation's
    memory. ``cut`` ends steps at instants between two. One without a period acts where quantities (``conditions``,
    numbered as those of ``stops``) cross zero, and where a run starts if ``at_start``; which of them did so is in the
    memory before all that, where it has ``flags``. ``reads`` are (relation, row) of multipliers that a run writes into
    its memory before these. ``resets`` are (system, entry) of states that it sets to the
    values before those, where it has acted; whether it has is the value before them where it is ``guarded``. What a
    ``computed`` one holds comes from a Python function.
    """

    name: str
    relation: int
    period: int | None
    offset: int | None
    holds: tuple[int, ...]
    cut: bool
    resets: tuple[tuple[int, int], ...] = ()
    guarded: bool = False
    computed: bool = False
    conditions: tuple[int, ...] = ()
    flags: int = 0
    at_start: bool = False
    reads: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class OutputRecord:
    """Columns of a relation that are functions of what else is recorded at an instant: of its systems' states and of
    the columns ``reads``, by their numbers. ``labels`` are names and units.
    """

    relation: int
    labels: tuple[tuple[str, str], ...]
    reads: tuple[int, ...] = ()


@dataclass(frozen=True)
class ModelRecord:
    """A model, complete but for its kernels.

    ``step_parameter`` is the number of the parameter that is h, ``stops`` are the quantities (numbered as in the column
    ``cut``, from 0) whose zeros end a run. ``passing`` are (class, slot, all) of arguments that blocks hold or that
    are h, on which nothing depends that systems freeze, and whether nothing else does that is kept while they stay
    (derivatives, bounds). Classes of systems are numbered first.
    """

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
    blocks: tuple[BlockRecord, ...] = ()
    step_parameter: int | None = None
    stops: tuple[int, ...] = ()
    passing: tuple[tuple[int, int, bool], ...] = ()
    outputs: tuple[OutputRecord, ...] = ()
    format: int = field(default=FORMAT)

    @property
    def stages_of_a_step(self) -> list[int]:
        """The numbers of the stages that make every step, in order."""
        return [k for k, s in enumerate(self.stages) if s.at != "start" and s.block is None]

    @property
    def held_slots(self) -> list[tuple[Literal["system", "relation"], int, int, ArgumentRecord]]:
        """The arguments that a run sets itself, as blocks hold, that are h, or formulas of such: systems first.

        Kind and number of the instance, number of the slot, and its record. Formulas are listed whatever they hold:
        they are evaluated together.
        """
        held = {k for block in self.blocks for k in block.holds}
        if self.step_parameter is not None:
            held.add(self.step_parameter)
        if not held:
            return []
        instances: list[tuple[Literal["system", "relation"], int, SystemRecord | RelationRecord]] = [
            *(("system", i, s) for i, s in enumerate(self.systems)),
            *(("relation", i, r) for i, r in enumerate(self.relations)),
        ]
        return [
            (kind, i, slot, a)
            for kind, i, item in instances
            for slot, a in enumerate(item.arguments)
            if a.source == "derived" or (a.source == "parameter" and a.index in held)
        ]

    def class_number(self, kind: str, instance: int) -> int:
        """The number of the class of an instance, classes of systems first."""
        if kind == "system":
            return self.systems[instance].cls
        return len(self.system_classes) + self.relations[instance].cls

    @property
    def starts_consistently(self) -> bool:
        """Whether a run makes initial states of differential-algebraic systems consistent first."""
        return any(("initial_state", "consistent") in s.choices for s in self.schemes)

    def to_json(self) -> str:
        """Stable text: the same record gives the same bytes; its first line is a digest of the others."""
        parts = []
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name in ("systems", "relations"):
                text = "[" + ",".join(f"\n  {line(item)}" for item in value) + "\n ]"
            else:
                text = json.dumps(value, ensure_ascii=False, indent=1, default=vars).replace("\n", "\n ")
            parts.append(f' "{f.name}": {text}')
        lines = ",\n".join(parts) + "\n}\n"
        return f'{{\n "digest": "{_digest(lines)}",\n{lines}'

    @classmethod
    def from_json(cls, text: str) -> ModelRecord:
        """The record of a text that :meth:`to_json` wrote.

        What is read becomes sizes and indices of arrays, and the kernels were written for it: ``ModuleMismatch`` for
        another format, and for a text that has changed.
        """
        changed = ModuleMismatch(
            "model.json is damaged, or was edited after it was written",
            fix="compile the model again; a run takes other values itself: run(parameters={...}, step=..., end=...)",
        )
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise changed from error
        if not isinstance(data, dict):
            raise changed
        if data.get("format") != FORMAT:
            raise ModuleMismatch(
                f"model.json has format {shown(data.get('format'))}, this nsdgen reads {FORMAT}",
                fix="compile the model again with this version of nsdgen",
            )
        if data.pop("digest", None) != _digest(text.partition(",\n")[2]):
            raise changed
        systems = tuple(read_system(*fields) for fields in data["systems"])
        relations = tuple(read_relation(*fields) for fields in data["relations"])
        whole: ModelRecord = built(cls, {**data, "systems": [], "relations": []})
        return dataclasses.replace(whole, systems=systems, relations=relations)


def _digest(lines: str) -> str:
    return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def built(kind: Any, data: Any) -> Any:
    """``data`` as a value of ``kind``: a dataclass of scalars, of tuples, and of tuples of other dataclasses."""
    if isinstance(data, dict):
        kinds = _kinds(kind)
        return kind(**{name: built(kinds[name], value) for name, value in data.items()})
    if isinstance(data, list):
        inner = next(iter(typing.get_args(kind)), None)
        return tuple(built(inner, item) for item in data)
    return data


@cache
def _kinds(kind: Any) -> dict[str, Any]:
    return typing.get_type_hints(kind)
