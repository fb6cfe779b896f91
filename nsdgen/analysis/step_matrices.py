"""The matrix of the one-step problem, as the compiled run assembles it, at the initial state and along a run."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nsdgen.abi import Cone
from nsdgen.analysis.matrix_class import matrix_class, meet
from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.start import told_several
from nsdgen.runtime.values import run_values

_SAMPLES = 20  # enough to see contacts open and close, few enough to read
_ROWS = {Cone.EQUALITY, Cone.COMPLEMENTARITY, Cone.BOX}  # bounds and signs
_MOST_STEPS = 20_000  # a few seconds of steps for a look at a model


@dataclass(frozen=True)
class OneStepMatrix:
    """Of a stage: the class of A in the first step that has relations in play, and of A in all steps looked at.

    ``matrix`` is that of the first step, equality rows eliminated; ``times`` are the ends of the steps looked at.
    ``reason`` says why there is none. ``tried`` says whether all sets of active rows were tried, so that no
    solution of a step was missed.
    """

    stage: str
    at_start: str
    sampled: str
    matrix: np.ndarray
    times: tuple[float, ...]
    reason: str = ""
    tried: bool = False


def one_step_matrices(compiled: Any) -> tuple[tuple[OneStepMatrix, ...], str]:
    """For every stage with multipliers: steps of the model's own run are looked at, evenly spread over it.

    With what is told of the steps up to there that have several solutions.
    """
    record = compiled.record
    values = run_values(record, compiled.table)
    stepper = prepare(record, compiled.table, values, computed={b.name: _nothing for b in record.blocks if b.computed})
    steps = min(values.steps, _MOST_STEPS)
    looked = sorted({1 + round(k * (steps - 1) / (_SAMPLES - 1)) for k in range(_SAMPLES)}) if steps > 1 else [1]
    stages = [
        k
        for k, s in enumerate(record.stages)
        if s.at != "start" and s.block is None and any(c.n_multiplier[k] for c in record.relation_classes)
    ]
    found: dict[int, list[tuple[float, np.ndarray | None]]] = {k: [] for k in stages}
    tried = dict.fromkeys(stages, True)
    done, reason = 0, ""
    for step in looked:
        if stepper.advance(step - done)[2]:
            reason = f"step {step} fails"
            break
        done = step
        for k in stages:
            given = stepper.one_step_matrix(k)
            tried[k] &= given is None or (stepper.tries_all(k) and set(given[1]) <= _ROWS)
            found[k].append((values.start + step * values.step, None if given is None else _reduced(*given[:2])))
    matrices = tuple(_stage(record.stages[k].name, found[k], reason, tried[k]) for k in stages)
    return matrices, told_several(record, stepper, done)


def _nothing() -> Any:
    """No function: in the steps that are looked at such a block holds what it holds at first."""


def _stage(name: str, found: list[tuple[float, np.ndarray | None]], reason: str, tried: bool) -> OneStepMatrix:
    known = [(time, matrix) for time, matrix in found if matrix is not None]
    if not known:
        return OneStepMatrix(name, "undecided", "undecided", np.zeros((0, 0)), (), reason or "nothing was in play")
    classes = [matrix_class(matrix) for _, matrix in known]
    return OneStepMatrix(name, classes[0], meet(classes), known[0][1], tuple(time for time, _ in known), reason, tried)


def _reduced(rows: list[list[float]], cones: list[int]) -> np.ndarray | None:
    """A without its equality rows, which are solved for; ``None`` where these are singular."""
    free = np.array(cones) == Cone.EQUALITY
    return condensed(np.array(rows), np.flatnonzero(~free), np.flatnonzero(free))


def condensed(matrix: np.ndarray, kept: np.ndarray, gone: np.ndarray) -> np.ndarray | None:
    """The rows that are ``kept``, those ``gone`` solved for; ``None`` where these are singular.

    Columns behind the square matrix are right-hand sides, and stay.
    """
    inner, columns = matrix[np.ix_(gone, gone)], np.append(kept, np.arange(len(matrix), matrix.shape[1]))
    found: np.ndarray = matrix[np.ix_(kept, columns)]
    if not gone.size:
        return found
    if not np.isfinite(inner).all() or np.linalg.cond(inner) > 1e13:
        return None
    return found - matrix[np.ix_(kept, gone)] @ np.linalg.solve(inner, matrix[np.ix_(gone, columns)])
