"""``model.one_step(time)``: the problem that a step solves, with the names of its rows."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.abi import Cone
from nsdgen.analysis.step_matrices import condensed
from nsdgen.base.checks import finite_number
from nsdgen.errors import ParameterError
from nsdgen.runtime.failures import failure_error
from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.values import run_values


@dataclass(frozen=True)
class OneStepProblem:
    """w = A z + q of one stage of a step, w and z in the cones of the law, as the last Newton iteration had it.

    ``time`` is the end of the step. ``rows`` are the columns of the multipliers z, relation after relation, ``cones``
    what each row belongs to. ``linked`` are, for each relation in play, the others in play that act on one of its
    systems: those with which A has blocks. ``free`` are the unknowns (velocities, or states) by ``system.name`` as they
    would be without multipliers; empty where they are not known apart from them. ``reason`` says why a stage has no
    problem; its arrays are then empty.
    """

    stage: str
    time: float
    rows: tuple[str, ...]
    cones: tuple[Cone, ...]
    A: np.ndarray
    q: np.ndarray
    z: np.ndarray
    linked: Mapping[str, tuple[str, ...]]
    free: Mapping[str, float]
    reason: str = ""

    @property
    def w(self) -> np.ndarray:
        """A z + q: what the law makes of the outputs."""
        return self.A @ self.z + self.q


def one_step_problems(compiled: Any, time: float, **values: Any) -> tuple[OneStepProblem, ...]:
    """The problem of each stage with multipliers in the step that ends at, or after, a time; :meth:`Model.one_step`."""
    record = compiled.record
    wanted = finite_number(time, model=record.name, where="one_step, time")
    given = run_values(record, compiled.table, **values)
    number = int(np.ceil((wanted - given.start) / given.step - 1e-9))
    if not 1 <= number <= given.steps:
        raise ParameterError(
            f"no step of the run ends at {wanted:g} s",
            model=record.name,
            where="one_step, time",
            fix=f"give a time after {given.start:g} s, up to {given.end:g} s",
        )
    steps = any(s.at == "step" and s.block is None for s in record.stages)
    if not steps or record.blocks or any(cls.cuts for cls in (*record.system_classes, *record.relation_classes)):
        raise ParameterError(
            "its steps may be cut, by blocks, zeros or events",
            model=record.name,
            where="one_step",
            fix="take them out, or use a scheme that steps",
        )
    stepper = prepare(record, compiled.table, given)
    stepper.use_fused(False)
    if stepper.advance(number)[2]:
        raise failure_error(record, stepper.failed, stepper.time, None)
    of_steps = [k for k, s in enumerate(record.stages) if s.at == "step"]
    return tuple(
        _problem(record, stepper, k) for k in of_steps if any(c.n_multiplier[k] for c in record.relation_classes)
    )


def _problem(record: Any, stepper: Any, stage: int) -> OneStepProblem:
    found, free = stepper.one_step_matrix(stage), stepper.free_unknowns(stage)
    named = {
        f"{s.name}.{name}": value
        for s, values in zip(record.systems, free or [[]] * len(record.systems), strict=True)
        for name, value in zip(record.system_classes[s.cls].unknown[stage], values, strict=bool(free and values))
    }
    if found is not None:
        A, heads, q, z, members = found
        relations = sorted(member for member in members if member[0] < len(record.relations))  # others are unknowns
        heights = [record.relation_classes[record.relations[i].cls].n_multiplier[stage] for i, _ in relations]
        order = [first + j for (_, first), m in zip(relations, heights, strict=True) for j in range(m)]
        both = condensed(np.column_stack([A, q]), np.array(order), np.setdiff1d(np.arange(len(q)), order))
    if found is None or both is None:
        empty = np.zeros(0)
        reason = "no relation was in play, or none was violated; or W is singular, with rows in the problem"
        return OneStepProblem(
            record.stages[stage].name, stepper.time, (), (), np.zeros((0, 0)), empty, empty, {}, named, reason
        )
    cones: list[int] = list(itertools.accumulate(heads, lambda last, row: last if row < 0 else row))  # as its first row
    layout = stepper.layout
    rows = tuple(
        layout.columns[layout.multiplier[stage][i] + j].name
        for (i, _), m in zip(relations, heights, strict=True)
        for j in range(m)
    )
    return OneStepProblem(
        record.stages[stage].name,
        stepper.time,
        rows,
        tuple(Cone(cones[k]) for k in order),
        both[:, :-1],
        both[:, -1],
        np.array(z)[order],
        _linked(record, [i for i, _ in relations]),
        named,
    )


def _linked(record: Any, in_play: list[int]) -> dict[str, tuple[str, ...]]:
    acts_on = {i: set(record.relations[i].participants) for i in in_play}
    return {
        record.relations[i].name: tuple(record.relations[j].name for j in in_play if j != i and acts_on[i] & acts_on[j])
        for i in in_play
    }
