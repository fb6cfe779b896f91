"""Values of a run: defaults overridden, checked against ranges, turned into argument arrays."""

import math
from array import array
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from nsdgen.abi import NO_SLIP, KernelRole
from nsdgen.base.checks import finite_number, shown, times_of_run
from nsdgen.base.once import once_for_each
from nsdgen.errors import ParameterError, naming_model
from nsdgen.record.instances import ArgumentRecord, RelationRecord, SystemRecord
from nsdgen.record.model_record import ModelRecord
from nsdgen.runtime.boxes import check_boxes
from nsdgen.runtime.initial import check_complete, check_norms, given_initial, initial_multipliers, unknown_name

_TIMES_APART = 64  # units in the last place: then the length of a step is right to 1 %


class RunValues(NamedTuple):
    """Everything numeric a run starts from; ``multipliers`` given at t_0: stage, relation, entry, value.

    ``steps`` is how many are made: the fewest whose last time is not before ``end`` (to rounding). ``row`` is the
    record that a run goes on from, in place of initial values; ``clocks`` when the instants of its blocks begin, and
    whether those at its time are to come.
    """

    parameters: Mapping[str, float]
    options: tuple[tuple[float, ...], ...]
    system_arguments: tuple[tuple[float, ...], ...]
    relation_arguments: tuple[tuple[float, ...], ...]
    initial: tuple[tuple[float, ...], ...]
    multipliers: tuple[tuple[int, int, int, float], ...]
    step: float
    start: float
    end: float
    steps: int
    row: tuple[float, ...] | None = None
    clocks: tuple[float, bool] | None = None


@naming_model
def run_values(
    record: ModelRecord,
    table: Any,
    *,
    parameters: Mapping[str, float] | None = None,
    initial: Mapping[str, Any] | None = None,
    options: Mapping[str, float] | None = None,
    step: float | None = None,
    end: float | None = None,
    start: float | None = None,
    row: tuple[float, ...] | None = None,
    clocks: tuple[float, bool] | None = None,
) -> RunValues:
    """Defaults of the record with these overrides; raises ``ParameterError`` naming what is wrong.

    ``initial`` maps ``system.quantity`` (or a bare quantity where unique) to a number, or to
    a list for a vector quantity.
    """
    check_mappings(parameters=parameters, initial=initial, options=options)
    h, first, last = times_of_run(
        record.step if step is None else step,
        record.start if start is None else start,
        record.end if end is None else end,
    )
    if not (last - first) / h < 2**53:
        raise ParameterError(
            f"a step of {h} makes {(last - first) / h:.3g} steps",
            where="step",
            fix="give a longer step or a nearer end",
        )
    apart = math.ulp(max(abs(first), abs(last)))
    if h < _TIMES_APART * apart:
        raise ParameterError(
            f"a step of {h} s is too short for times near {max(abs(first), abs(last)):g} s, which are "
            f"{apart:.3g} s apart in double precision",
            where="step",
            fix="give a longer step, or let the run start at 0",
        )
    values = (
        _parameters(record, parameters, h)
        if parameters or record.step_parameter is not None
        else (_default_parameters(record))
    )
    if record.blocks:
        _check_blocks(record, values, h)
    system_arguments, relation_arguments = _arguments(record, table, values)
    states, multipliers = _initial(record, initial) if initial else _default_initial(record)
    steps = _whole((last - first) / h)
    return RunValues(
        parameters=values,
        options=_options(record, options) if options else _default_options(record),
        system_arguments=system_arguments,
        relation_arguments=relation_arguments,
        initial=states,
        multipliers=multipliers,
        step=h,
        start=first,
        end=last,
        steps=steps,
        row=row,
        clocks=clocks,
    )


def check_mappings(**groups: Any) -> None:
    """Raise ``ParameterError`` for values that are not given by their names."""
    for what, given in groups.items():
        if given is not None and not isinstance(given, Mapping):
            raise ParameterError(f"{what} is {shown(given)}, not a mapping", fix=f"give {what}={{name: value}}")


def _whole(count: float) -> int:
    """So many steps, to rounding, as whole ones."""
    nearest = round(count)
    return nearest if math.isclose(count, nearest, rel_tol=1e-9) else math.ceil(count)


@naming_model
def check_names(
    record: ModelRecord, *, parameters: Mapping[str, Any], initial: Mapping[str, Any], options: Mapping[str, Any]
) -> None:
    """Raise what :func:`run_values` says of names, and of how many numbers they take, whatever the numbers are."""
    defaults = {p.name: p.value for p in record.parameters}
    own = {o.name: o.value for scheme in record.schemes for o in scheme.options}
    _parameters(record, {name: defaults.get(str(getattr(name, "name", name)), 0.0) for name in parameters}, record.step)
    given_initial(record, initial)
    _options(record, {name: own.get(name, 0.0) for name in options})


_Rows = tuple[tuple[float, ...], ...]


def _arguments(record: ModelRecord, table: Any, values: Mapping[str, float]) -> tuple[_Rows, _Rows]:
    """What constructors of systems and of relations take, checked; those of the last parameters are not made again."""
    last, key = _last_arguments(record), array("d", values.values()).tobytes()
    known: tuple[bytes, tuple[_Rows, _Rows]] | None = last.get(0)
    if known is not None and known[0] == key:
        return known[1]
    numbers, derived = list(values.values()), _derived(record, table, values)
    relations = tuple([_arguments_of(record, "relation", r, numbers, derived) for r in record.relations])
    check_boxes(record, table, relations)
    found = tuple([_arguments_of(record, "system", s, numbers, derived) for s in record.systems]), relations
    last[0] = key, found
    return found


@once_for_each
def _last_arguments(record: ModelRecord) -> dict[int, Any]:
    """Room for the last parameters of a model, and the arguments made of them."""
    return {}


@once_for_each
def _default_parameters(record: ModelRecord) -> Mapping[str, float]:
    """All parameters by name, where a run gives none and the model does not read h."""
    return MappingProxyType(_parameters(record, {}, record.step))


def _parameters(record: ModelRecord, given: Mapping[str, float] | None, h: float) -> dict[str, float]:
    """All parameters by name, h among them where the model reads it."""
    values = {p.name: p.value for p in record.parameters}
    step = None if record.step_parameter is None else record.parameters[record.step_parameter].name
    if step is not None:
        values[step] = h
    said: set[str] = set()
    for name, value in (given or {}).items():
        key = name if type(name) is str else str(getattr(name, "name", name))
        if key not in values:
            raise unknown_name(record, "parameter", key, list(values))
        if key in said:
            raise ParameterError(
                f"{key!r} is given twice, as a symbol and as a name", where="parameters", fix="give it once"
            )
        if key == step:
            raise ParameterError(f"{key!r} is the step itself", where="parameters", fix="give step=...")
        said.add(key)
        number = value if type(value) is float else getattr(value, "value", value)
        if hasattr(number, "__len__") or not (number == math.inf and key in _endless(record)):
            number = finite_number(number, where=f"parameter {key!r}")
        values[key] = float(number)
    for p in record.parameters:
        if not ((p.min is None or p.min <= values[p.name]) and (p.max is None or values[p.name] <= p.max)):
            low, high = (-math.inf if p.min is None else p.min), (math.inf if p.max is None else p.max)
            raise ParameterError(
                f"the value {values[p.name]} lies outside its range [{low:g}, {high:g}]",
                where=f"parameter {p.name!r}",
                fix="give a value inside it; the range is set in the model",
            )
    return values


def _check_blocks(record: ModelRecord, values: Mapping[str, float], h: float) -> None:
    """Refuse periods and offsets that the step does not meet, unless steps are cut there."""
    given = list(values.values())
    steps = all(stage.at != "rate" for stage in record.stages)
    for block in record.blocks:
        if block.period is None or block.offset is None:
            continue
        period, offset = given[block.period], given[block.offset]
        if period <= 0 or offset < 0:
            raise ParameterError(
                f"its period is {period:g} s, its offset {offset:g} s",
                where=f"block {block.name!r}",
                fix="give a period > 0 and an offset >= 0",
            )
        for what, value in (("period", period), ("offset", offset)):
            count = value / h
            if (
                steps
                and not block.cut
                and (abs(count - round(count)) > 1e-9 * max(1.0, count) or (what == "period" and round(count) == 0))
            ):
                near = value / max(1, round(count))
                raise ParameterError(
                    f"its {what} of {value:g} s is {count:.6g} steps of {h:g} s",
                    where=f"block {block.name!r}",
                    fix=f"run with step={near:.6g}, or let it end steps in between: nsd.Sampled(..., between='cut')",
                )


def _endless(record: ModelRecord) -> set[str]:
    """The parameters that may be infinite: they are arguments whose range ends where nothing slides."""
    return {
        record.parameters[slot.index].name
        for relation in record.relations
        for slot in relation.arguments
        if slot.source == "parameter" and slot.max == NO_SLIP
    }


def _derived(record: ModelRecord, table: Any, values: Mapping[str, float]) -> np.ndarray:
    """The constructor arguments that are formulas of parameters, from the module's own kernel."""
    if not record.n_derived:
        return np.zeros(0)
    info = next(k for c in table.classes for k in c.kernels if k.role == KernelRole.ARGUMENTS)
    out = np.zeros(record.n_derived)
    row = np.array([*values.values(), 0.0])
    table.call_many(info, 1, [row] * len(info.inputs), [0] * len(info.inputs), [out], [0])
    return out


def _arguments_of(
    record: ModelRecord, kind: str, owner: SystemRecord | RelationRecord, numbers: Sequence[float], derived: np.ndarray
) -> tuple[float, ...]:
    """The arguments of a system or relation where these are the parameters of the model; checked."""
    found = []
    for slot in owner.arguments:
        if slot.source == "parameter":
            value = numbers[slot.index]
        else:
            value = slot.value if slot.source == "value" else float(derived[slot.index])
        if slot.max == NO_SLIP:
            value = min(value, NO_SLIP)
        low, high = slot.min, slot.max
        if not (math.isfinite(value) and (low is None or low <= value) and (high is None or value <= high)):
            _refuse(record, f"{kind} {owner.name!r}", slot, value)
        found.append(value)
    return tuple(found)


def _refuse(record: ModelRecord, owner: str, slot: ArgumentRecord, value: float) -> None:
    low, high = (-math.inf if slot.min is None else slot.min), (math.inf if slot.max is None else slot.max)
    if not low <= value <= high:
        raise ParameterError(
            f"{slot.name} is {value}, outside [{low:g}, {high:g}]",
            where=owner,
            fix="change the parameter it comes from",
        )
    raise ParameterError(f"{slot.name} is {value}", where=owner, fix="change the parameters it is computed from")


def _options(record: ModelRecord, given: Mapping[str, float]) -> tuple[tuple[float, ...], ...]:
    known = [o.name for s in record.schemes for o in s.options]
    chosen = {name: value for s in record.schemes for name, value in s.choices}
    for name in given:
        if name in chosen:
            raise ParameterError(
                f"{name} was chosen in the model ({chosen[name]}) and decides its expressions",
                where=f"scheme option {name!r}",
                fix="change it in the model file; it takes a new derivation",
            )
        if name not in known:
            raise unknown_name(record, "scheme option", str(name), sorted(set(known)))
    rows = []
    for scheme in record.schemes:
        row = []
        for o in scheme.options:
            value = finite_number(given.get(o.name, o.value), where=f"scheme option {o.name!r}")
            if not o.min <= value <= o.max:
                raise ParameterError(
                    f"{value} lies outside [{o.min:g}, {o.max:g}]",
                    where=f"scheme option {o.name!r}",
                    fix="give a value between these",
                )
            row.append(value)
        rows.append(tuple(row))
    return tuple(rows)


@once_for_each
def _default_options(record: ModelRecord) -> tuple[tuple[float, ...], ...]:
    return _options(record, {})


@once_for_each
def _default_initial(
    record: ModelRecord,
) -> tuple[tuple[tuple[float, ...], ...], tuple[tuple[int, int, int, float], ...]]:
    return _initial(record, {})


def _initial(
    record: ModelRecord, given: Mapping[str, Any]
) -> tuple[tuple[tuple[float, ...], ...], tuple[tuple[int, int, int, float], ...]]:
    """The initial values of systems, and the multipliers that are given at t_0."""
    rows = [list(s.initial) for s in record.systems]
    multipliers = initial_multipliers(record)
    for where, slot, number in given_initial(record, given):
        value = finite_number(number, where=f"initial {where}")
        if len(slot) == 3:
            multipliers[slot[0], slot[1], slot[2]] = value
        else:
            rows[slot[0]][slot[1]] = value
    check_norms(record, rows)
    check_complete(record, multipliers)
    return tuple(tuple(r) for r in rows), tuple((*slot, value) for slot, value in multipliers.items())
