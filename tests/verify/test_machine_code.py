"""Generated machine code of every operator of every example against its defining expression in high precision.

The truth of an operator that is a derivative (``force_q``) is the central difference of the *undifferentiated*
operator with 55 digits left, so neither a derivative that SymPy or nsdgen took nor the emission enters it. The
tolerance is a running error analysis of one double evaluation, entry by entry and point by point: a few
units in the last place where nothing cancels. 200 points each: rest, ones, one array after the other at zero
and at 1e-8, random ones of sizes 1, 10 and 1000, and points on and beside every kink.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy as sp

from nsdgen.derive.derived_operators import SymbolicOperator, operators_of
from nsdgen.symbolic.graph.running_error import BoundedEvaluator, evaluate_all
from nsdgen.verify.challenge.challenge_points import switches
from nsdgen.verify.foreign.problem import nearby
from nsdgen.verify.foreign.sample_points import sample

POINTS = 200  # in `make test-all`; the default suite takes the first FEW of the same points
FEW, FEWER, LONG = 6, 2, 60_000  # the first FEWER where the text of a model has more than LONG characters
STEP, DIGITS = mpmath.mpf(10) ** -25, 80
"""Of the central difference: cancellation leaves 55 digits, and quaternions of size 1e-8 are still large."""

FOLDER = Path(__file__).resolve().parents[2] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py") if "nsd.Model(" in path.read_text(encoding="utf-8"))


def test_there_are_examples():
    assert {"bouncing_ball", "cam_follower", "diode_bridge", "tumbling_brick"} <= set(EXAMPLES)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_machine_code_at_all_points(name, example, compiled):
    walk(example(name).model, compiled(name), POINTS)


OFTEN = {
    "bouncing_ball",
    "buck_converter",
    "cam_follower",
    "diode_bridge",
    "heavy_top",
    "slack_rope",
}  # of each kind one


@pytest.mark.parametrize(
    "name", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.slow) for name in EXAMPLES]
)
@pytest.mark.few(2)
def test_machine_code_computes_the_defining_expressions(name, example, compiled):
    code = compiled(name)
    walk(example(name).model, code, FEW if len(code.text) < LONG else FEWER)


def walk(model: Any, code: Any, count: int) -> None:
    """All operators of all systems and relations of a model."""
    seen: Counter[Any] = Counter()
    derivation = model.derive()
    for instance in [*(s.name for s in code.record.systems), *(r.name for r in code.record.relations)]:
        group = operators_of(model.description, derivation, instance)
        for operator in group.values():
            key = (operator.name, sp.ImmutableMatrix(operator.matrix))
            # Instances of one class run the same code with other parameters: two points for the next three.
            seen[key] += 1
            if seen[key] <= 4:
                check(operator, base_of(operator, group), code[instance][operator.name], count if seen[key] == 1 else 2)


def base_of(operator: SymbolicOperator, group: Mapping[str, SymbolicOperator]) -> tuple[SymbolicOperator, str] | None:
    """The operator that this one is the derivative of, and the argument, where there is one."""
    for argument in operator.arguments:
        base = group.get(operator.name.removesuffix(f"_{argument}"))
        if base is not None and base is not operator and base.matrix.cols == 1:
            return base, argument
    return None


def check(operator: SymbolicOperator, base: tuple[SymbolicOperator, str] | None, function: Any, count: int) -> None:
    where = f"{operator.instance}.{operator.name}"
    symbols = [s for group in operator.arguments.values() for s in group]
    found = switches([*operator.matrix, *(base[0].matrix if base else ())])
    kinks = [k for e in found if (k := e.xreplace({s: sp.Rational(v) for s, v in operator.parameters.items()})) != 0]
    groups = list(operator.arguments.values())
    drawn = list(sample(symbols, groups, (), 2 * count + 40, 1, kinks=[k for k in kinks if k.free_symbols]))
    every = (operator, base[0]) if base else (operator,)
    apart: list[dict[sp.Symbol, float]] = []
    placed: list[tuple[dict[sp.Symbol, float], sp.Symbol]] = []
    for point in drawn:
        if not all(defined(o, point) for o in every):
            continue
        switch = nearby(found, {**operator.parameters, **point})
        own = [s for s in symbols if switch is not None and s in switch.free_symbols]
        if not own:
            apart.append(point)
        elif all(defined(operator, {**point, own[0]: point[own[0]] + d}) for d in (-1e-7, 1e-7)):
            placed.append((point, own[0]))  # elsewhere it is the edge of where it has values
    at, placed = apart[:count], placed[:count]
    with mpmath.workdps(DIGITS):
        for point, values in zip(at, call(operator, function, at), strict=True):
            known = {**operator.parameters, **point}
            compare(where, operator, truth(operator, base, known), known, values)
        on = [point for point, _ in placed]
        for (_, moved), point, values in zip(placed, on, call(operator, function, on) if on else [], strict=True):
            on_kink(where, operator, {**operator.parameters, **point}, moved, values)


def defined(operator: SymbolicOperator, point: Mapping[sp.Symbol, float]) -> bool:
    """Whether every entry has a finite real value: a body of quaternion 0 has none, nor a normal of length 0."""
    try:
        with mpmath.workdps(30):
            values = evaluate_all(operator.matrix, {**operator.parameters, **point})
            return all(mpmath.isfinite(v) and not isinstance(v, mpmath.mpc) for v in values)
    except (ZeroDivisionError, TypeError):
        return False


def call(operator: SymbolicOperator, function: Any, at: Sequence[Mapping[sp.Symbol, float]]) -> np.ndarray:
    """All points in one call."""
    arrays = [np.array([[p[s] for s in group] for p in at]) for group in operator.arguments.values()]
    return np.asarray(function(*arrays)).reshape(len(at), *operator.matrix.shape)


def truth(
    operator: SymbolicOperator, base: tuple[SymbolicOperator, str] | None, values: Mapping[sp.Symbol, Any]
) -> list[list[Any]]:
    if base is None:
        flat = evaluate_all(operator.matrix, values)
        return [flat[i : i + operator.matrix.cols] for i in range(0, len(flat), operator.matrix.cols)]
    column, argument = base
    columns = []
    for symbol in column[argument]:
        x = mpmath.mpf(values[symbol])
        sides = [evaluate_all(column.matrix, {**values, symbol: x + d}) for d in (STEP, -STEP)]
        columns.append([(a - b) / (2 * STEP) for a, b in zip(*sides, strict=True)])
    return [list(row) for row in zip(*columns, strict=True)]


def compare(
    where: str, operator: SymbolicOperator, exact: list[list[Any]], values: Mapping[sp.Symbol, Any], got: np.ndarray
) -> None:
    with mpmath.workdps(35):
        evaluator = BoundedEvaluator(values)
        bounds = [evaluator(e)[1] for e in operator.matrix]
    for i in range(operator.matrix.rows):
        for j in range(operator.matrix.cols):
            bound = bounds[i * operator.matrix.cols + j] + mpmath.mpf(10) ** -28 * (1 + abs(exact[i][j]))
            assert abs(mpmath.mpf(got[i, j]) - exact[i][j]) <= bound, f"{where}[{i}, {j}] at {values}"


def on_kink(
    where: str, operator: SymbolicOperator, values: Mapping[sp.Symbol, Any], moved: sp.Symbol, got: np.ndarray
) -> None:
    """On a kink the code gives the value of one side, never something in between and never nan."""
    sides = [
        BoundedEvaluator({**values, moved: mpmath.mpf(values[moved]) + d * mpmath.mpf(10) ** -14}) for d in (-1, 1)
    ]
    for i in range(operator.matrix.rows):
        for j in range(operator.matrix.cols):
            pairs = [side(operator.matrix[i, j]) for side in sides]
            assert any(
                abs(mpmath.mpf(got[i, j]) - value) <= bound + mpmath.mpf(10) ** -10 * (1 + abs(value))
                for value, bound in pairs
            ), f"{where}[{i}, {j}] on a kink at {values}"
