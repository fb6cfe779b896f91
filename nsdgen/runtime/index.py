"""Differential-algebraic systems at the start of a run: do their algebraic equations determine what they are to?

N holds combinations of equations without a derivative (nu^T M = 0), Z the directions without one (M z = 0). The index
is 1 where N^T f_x Z is regular; where it is not, relations on the system may determine the rest: N^T g_lambda has to
balance what is left of the equations, and outputs have to depend on what is left of the directions. A system that
has no index, since M - s f_x is singular for every s, is left to the step, which names what is not determined.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from nsdgen.errors import ParameterError
from nsdgen.record.model_record import ModelRecord, SystemClassRecord
from nsdgen.runtime.callable_operators import operators_of_instance
from nsdgen.runtime.values import RunValues

_ROUNDING = 1e-11  # of singular values, rows and columns near 1


def check_algebraic(record: ModelRecord, table: Any, values: RunValues) -> None:
    """Raise ``ParameterError``, naming system and equation, where a mass is singular unawares or the index above 1.

    Looks at the initial state. A system whose class says neither is passed over.
    """
    for i, system in enumerate(record.systems):
        cls = record.system_classes[system.cls]
        if not cls.algebraic and cls.mass_rank is None:
            continue
        operators = operators_of_instance(
            system.name,
            table,
            system.cls,
            partial(values.system_arguments.__getitem__, i),
            [a.name for a in system.arguments],
        )
        operands = {"t": values.start, "x": values.initial[i]}
        mass = _evaluated(operators["mass"], operands)
        if not np.isfinite(mass).all():
            continue
        _check_rank(record, i, cls, mass)
        if cls.algebraic and "rhs_x" in operators:
            _check_index(record, table, values, i, mass, _evaluated(operators["rhs_x"], operands))


def _evaluated(operator: Any, operands: dict[str, Any]) -> np.ndarray:
    """A matrix [rows, cols] of an operator of time and state."""
    found = np.asarray(operator(*(operands[name] for name, _ in operator.arguments)))
    return found.reshape(operator.shape if len(operator.shape) == 2 else (-1, 1))


def _check_rank(record: ModelRecord, system: int, cls: SystemClassRecord, mass: np.ndarray) -> None:
    if cls.mass_rank is None or (found := _rank(mass)) >= cls.mass_rank:
        return
    raise ParameterError(
        f"its mass matrix has rank {found} with these parameters, not {cls.mass_rank} as a rule, at the initial state: "
        "equations without a derivative that the scheme does not know of",
        model=record.name,
        where=f"system {record.systems[system].name!r}",
        fix="write the zeros into the mass in place of the parameters, or choose others, or another initial state; "
        "schemes that need M^-1 (nsd.ZeroOrderHold) want a regular mass",
    )


def _check_index(
    record: ModelRecord, table: Any, values: RunValues, system: int, mass: np.ndarray, slope: np.ndarray
) -> None:
    """Refuse algebraic equations that neither the unknowns without a derivative nor multipliers can balance."""
    owner = record.systems[system]
    cls = record.system_classes[owner.cls]
    n = len(mass)
    combinations, free = _kernel(mass.T).T, _kernel(mass)
    combinations /= np.abs(combinations).max(axis=1, initial=0.0, keepdims=True)
    if free.shape[1] != len(cls.algebraic) or not np.isfinite(slope).all():
        return  # the mass loses rank at this state only: the step decides
    reactions, outputs = _relations(record, table, values, system)
    rows = np.hstack([combinations @ slope @ free, combinations @ reactions])
    columns = np.vstack([combinations @ slope @ free, outputs @ free])
    if (_rank(rows) == len(rows) and _rank(columns) == columns.shape[1]) or not _has_index(mass, slope):
        return
    names = list(owner.initial_names or cls.state_names)
    unknown = " or ".join(names[j] for j in range(n) if np.abs(free[j]).max() > _ROUNDING)
    undetermined = _kernel(rows.T).T @ combinations if _rank(rows) < len(rows) else combinations
    equations = [names[i] for i in range(n) if np.abs(undetermined[:, i]).max() > _ROUNDING]
    raise ParameterError(
        f"its index is above 1 at the start: the algebraic equations in the rows of {', '.join(equations)} do not "
        f"determine {unknown}",
        model=record.name,
        where=f"system {owner.name!r}",
        fix="differentiate these equations in time until the unknowns appear in them, or take them out of the system: "
        "a nsd.FirstOrderRelation with nsd.Equality() keeps the equation, its multiplier is the unknown",
    )


def _has_index(mass: np.ndarray, slope: np.ndarray) -> bool:
    """Whether M - s f_x is regular for an s that makes both of similar size."""
    sizes = [np.abs(m).max(initial=0.0) for m in (mass, slope)]
    return bool(all(sizes)) and _rank(mass - 0.3819660113 * sizes[0] / sizes[1] * slope) == len(mass)


def _relations(record: ModelRecord, table: Any, values: RunValues, system: int) -> tuple[np.ndarray, np.ndarray]:
    """g_lambda [n, m] and y_x [m, n] of all relations on a system, at their participants' initial states."""
    n = len(values.initial[system])
    reactions, outputs = [np.zeros((n, 0))], [np.zeros((0, n))]
    for number, relation in enumerate(record.relations):
        if system not in relation.participants:
            continue
        operators = operators_of_instance(
            relation.name,
            table,
            len(record.system_classes) + relation.cls,
            partial(values.relation_arguments.__getitem__, number),
            [a.name for a in relation.arguments],
        )
        operands = _operands(relation.participants, values)
        for place in (k for k, p in enumerate(relation.participants) if p == system):
            end = f"_{place + 1}" if len(relation.participants) > 1 else ""
            for name, found in ((f"reaction_lambda{end}", reactions), (f"output_x{end}", outputs)):
                if (operator := operators.get(name)) is not None:  # at multipliers of zero
                    given = (operands.get(n, np.zeros(size)) for n, size in operator.arguments)
                    found.append(np.asarray(operator(*given)))
    return np.hstack([r.reshape(n, -1) for r in reactions]), np.vstack([y.reshape(-1, n) for y in outputs])


def _operands(participants: Sequence[int], values: RunValues) -> dict[str, Any]:
    """Time and the states of participants by the names of operands."""
    states = {f"x_{k + 1}" if len(participants) > 1 else "x": values.initial[p] for k, p in enumerate(participants)}
    return {"t": values.start, **states}


def _scaled(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The matrix with its largest entries of rows, then of columns, near 1, and what columns were divided by."""
    rows = np.abs(matrix).max(axis=1, initial=0.0)
    found = matrix / np.where(rows > 0, rows, 1.0)[:, np.newaxis]
    columns = np.abs(found).max(axis=0, initial=0.0)
    units = np.where(columns > 0, columns, 1.0)
    return found / units, units


def _rank(matrix: np.ndarray) -> int:
    """The rank up to rounding, whatever the units of rows and columns."""
    return int((np.linalg.svd(_scaled(matrix)[0], compute_uv=False) > _ROUNDING).sum()) if matrix.size else 0


def _kernel(matrix: np.ndarray) -> np.ndarray:
    """The directions [n, k] that a matrix maps to zero, up to rounding."""
    scaled, units = _scaled(matrix)
    _, sizes, vectors = np.linalg.svd(scaled)
    found: np.ndarray = vectors[int((sizes > _ROUNDING).sum()) :].T / units[:, np.newaxis]
    return found
