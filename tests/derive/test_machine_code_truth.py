"""The operators of compiled models compute what the derived expressions say, to rounding.

Every operator of every example at thirty points at once, so that each call broadcasts too. The
truth is the expression in forty digits; the tolerance is a running error analysis of the
expression in double precision (:class:`BoundedEvaluator`), some 1e-15 to 1e-13 of the value here. Emitted
code shares and regroups products, which keeps the number of roundings about the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest

from nsdgen.abi import KernelRole, Role
from nsdgen.derive.kernel import Kernel
from nsdgen.errors import ParameterError

from .models import EXAMPLES, derivation, model, sample
from .truth import BoundedEvaluator, evaluate

POINTS = 30
TWO_PARTICIPANTS = ("pendulum, mass implicit", "body, semi-implicit", "theta-gamma, full")


@pytest.fixture(scope="session")
def compiled_model(compiled: Callable[[str], Any]) -> Callable[[str], Any]:
    """The compiled model of an example or of one of ours, made once."""
    return cache(lambda name: compiled(name) if name in EXAMPLES else model(name).compile())


def operators(name: str) -> Iterator[tuple[str, Kernel, list[float]]]:
    """(instance, operator, values of its parameters), computed from the description, for all instances."""
    description, classes = model(name).description, derivation(name).module.classes
    given = {s: p.value for s, p in description.parameters.items()}
    offset = len(description.system_classes)
    instances = [(i, i.cls) for i in description.systems] + [(i, offset + i.cls) for i in description.relations]
    for instance, number in instances:
        arguments = [float(evaluate(a.value, given)) for a in instance.arguments]
        for k in classes[number].kernels:
            if k.role == KernelRole.OPERATOR:
                yield instance.name, k, arguments


def points(k: Kernel, name: str, arguments: list[float], count: int = POINTS) -> list[dict[Any, float]]:
    rng = Random(f"{name} {k.name}")
    own = [s for a in k.inputs if a.role == Role.PARAMETERS for s in a.symbols]
    return [{**sample(k.inputs, name, rng), **dict(zip(own, arguments, strict=True))} for _ in range(count)]


def call(operator: Any, k: Kernel, at: list[dict[Any, float]]) -> np.ndarray:
    """The operator at all points in one call, with its instance's own parameters."""
    operands = [np.array([[p[s] for s in a.symbols] for p in at]) for a in k.inputs if a.role == Role.OPERAND]
    return np.asarray(operator(*operands)).reshape(len(at), k.outputs[0].rows, k.outputs[0].cols)


@pytest.mark.parametrize(
    "name", [*EXAMPLES, TWO_PARTICIPANTS[0], *(pytest.param(n, marks=pytest.mark.slow) for n in TWO_PARTICIPANTS[1:])]
)
@pytest.mark.few(2)
def test_operators_compute_their_expressions(name: str, compiled_model: Callable[[str], Any]) -> None:
    compiled = compiled_model(name)
    seen = set()
    for instance, k, arguments in operators(name):
        # Further instances of a class differ in their parameters only; our own models add operands, not formulas.
        count = 2 if k in seen else POINTS if name in EXAMPLES else 4
        seen.add(k)
        at = points(k, name, arguments, count)
        got = call(compiled[instance][k.name], k, at)
        zero = np.ones(got.shape[1:], dtype=bool)
        with mpmath.workdps(40):
            for i, j, e in k.outputs[0].entries:
                zero[i, j] = False
                for point, value in zip(at, got[:, i, j], strict=True):
                    exact, bound = BoundedEvaluator(point)(e)
                    assert abs(mpmath.mpf(value) - exact) <= bound, f"{instance}.{k.name}[{i}, {j}]"
        assert not got[:, zero].any(), f"{instance}.{k.name}: structural zeros"


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_derived_operator_is_there(name: str, compiled_model: Callable[[str], Any]) -> None:
    compiled = compiled_model(name)
    derived: dict[str, list[str]] = {}
    for instance, k, _ in operators(name):
        derived.setdefault(instance, []).append(k.name)
    assert derived == {instance: list(compiled[instance]) for instance in derived}


def test_leading_axes_broadcast(compiled_model: Callable[[str], Any]) -> None:
    """(5, 1) times and (4,) configurations give (5, 4) values, the same as one by one."""
    force_q = compiled_model("tumbling_brick").brick.force_q
    rng = np.random.default_rng(0)
    t, q, v = rng.random((5, 1, 1)), rng.normal(size=(4, 7)), rng.normal(size=6)
    together = force_q(t, q, v)
    assert together.shape == (5, 4, 6, 7)
    for i in range(5):
        for j in range(4):
            np.testing.assert_array_equal(together[i, j], force_q(t[i, 0, 0], q[j], v))


def test_shapes_of_results(compiled_model: Callable[[str], Any]) -> None:
    """Scalars have no axis, vectors one, matrices two; a scalar argument is its own last axis."""
    brick, floor = compiled_model("tumbling_brick"), compiled_model("bouncing_ball")["floor"]
    q, v = np.zeros(7), np.zeros(6)
    assert floor.gap(0.0, 2.0).shape == ()
    assert floor.gap(0.0, [2.0]).shape == ()
    assert floor.gap(np.zeros(3), 2.0).shape == (3,)
    assert brick.brick.force(0.0, q + 1, v).shape == (6,)
    assert brick.brick.mass(q + 1).shape == (6, 6)
    assert brick["brick ground 0"].gap_q(0.0, q + 1).shape == (1, 7)
    assert brick.brick.force(0.0, np.zeros((0, 7)), v).shape == (0, 6)


@pytest.mark.parametrize(
    "wrong",
    [
        (0.0, np.ones(6), np.ones(6)),
        (0.0, np.ones((7, 2)), np.ones(6)),
        (0.0, np.ones(7)),
        (0.0, 1.0, np.ones(6)),
        (np.zeros(2), np.ones((3, 7)), np.ones(6)),
    ],
)
def test_wrong_shapes_are_refused(wrong: tuple[Any, ...], compiled_model: Callable[[str], Any]) -> None:
    with pytest.raises((ParameterError, ValueError), match=r"force|shape"):
        compiled_model("tumbling_brick").brick.force(*wrong)


def test_parameters_override_those_of_the_instance(compiled_model: Callable[[str], Any]) -> None:
    ball = compiled_model("bouncing_ball").ball
    given = dict(zip(ball.mass.parameter_names, (2.0, 3.0), strict=True))
    assert set(given) == {"m", "g"}
    assert ball.force(0.0, 1.0, 0.0, parameters=[2.0, 3.0]) == -6.0
    assert ball.force(0.0, 1.0, 0.0) == -9.81
    with pytest.raises(ParameterError, match="parameters"):
        ball.force(0.0, 1.0, 0.0, parameters=[1.0])
