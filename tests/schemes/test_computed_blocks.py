"""Blocks that Python functions compute: the same numbers as expressions give, and never silently others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, ParameterError

x, v = dynamicsymbols("x v")
u, w, total = sp.symbols("u w total")
Function = Callable[[float, dict[str, float]], object]


def integral_control() -> Function:
    """A PI controller with a memory of its own, new for every run."""
    memory = {"total": 0.0}

    def control(time: float, samples: dict[str, float]) -> float:
        error = (1 if time < 2 else 0.5) - samples["x"]
        value = 2 * error + memory["total"]
        memory["total"] += 0.1 * error
        return value

    return control


def model(*, computed: bool, offset: float = 0.0, scheme: object = None) -> nsd.Model:
    plant = nsd.LinearSystem(
        "plant", [[0, 1], [-1, -1]], [[0], [1]], C=[[1, 0]], D=[[2]], states=["x", "v"], inputs={"u": u}
    )
    position = plant.state("x")
    if computed:
        block = nsd.Sampled(
            "control", 0.1, offset=offset, samples={"x": position}, holds=[u], computed_by=integral_control
        )
    else:
        error = sp.Piecewise((1, nsd.time < 2 - 1e-9), (sp.Rational(1, 2), True)) - nsd.sampled("x")
        block = nsd.Sampled(
            "control",
            0.1,
            offset=offset,
            samples={"x": position},
            state=[total],
            update={total: total + error / 10},
            holds={u: 2 * error + total},
        )
    return nsd.Model(
        "loop", [plant], scheme=scheme or nsd.ThetaGamma(), step=0.02, end=4, blocks=[block], initial={position: 0.2}
    )


@pytest.mark.parametrize("offset", [0.0, 0.06])
@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(theta=0.5), nsd.ZeroOrderHold()])
def test_a_function_gives_what_expressions_give(offset: float, scheme: object) -> None:
    slow, quick = (model(computed=c, offset=offset, scheme=scheme).run() for c in (True, False))
    for column in ("plant.x", "plant.v", "control.u", "control.x", "plant.y[0]", "plant.u"):
        assert np.abs(slow[column] - quick[column]).max() < 1e-13, column


def test_every_run_begins_with_a_new_function() -> None:
    loop = model(computed=True)
    assert (loop.run().table == loop.run().table).all()


def test_fewer_rows_are_those_of_the_whole_run() -> None:
    loop = model(computed=True)
    whole = loop.run()
    few = loop.run(every=7, record=["plant.x", "control.u"])
    for column in ("plant.x", "control.u"):
        assert (few[column][:-1] == whole[column][:-1][::7]).all() and few[column][-1] == whole[column][-1]


def test_it_acts_after_blocks_of_expressions_and_on_samples_of_the_instant() -> None:
    plant = nsd.FirstOrderSystem("plant", [x], [u])
    first = nsd.Sampled("first", 0.5, samples={}, state=[total], update={total: total + 1}, holds={})
    seen: list[tuple[float, float]] = []

    def control(time: float, samples: dict[str, float]) -> list[float]:
        seen.append((time, samples["total"]))
        return [samples["total"]]

    second = nsd.Sampled("second", 0.5, samples={"total": total}, holds=[u], computed_by=lambda: control)
    run = nsd.Model(
        "two", [plant], scheme=nsd.ThetaGamma(), step=0.25, end=1.5, blocks=[first, second], initial={x: 0}
    ).run()
    assert seen == [(0.0, 0.0), (0.5, 1.0), (1.0, 2.0), (1.5, 3.0)]
    assert run["u"].tolist() == [0, 0, 1, 1, 2, 2, 3]
    with pytest.raises(ModelError, match="follows one that a Python function computes"):
        nsd.Model("two", [plant], scheme=nsd.ThetaGamma(), step=0.25, end=1.5, blocks=[second, first], initial={x: 0})


def test_a_compiled_model_alone_refuses_to_run() -> None:
    compiled = model(computed=True).compile()
    with pytest.raises(ParameterError, match="which a compiled model does not hold"):
        compiled.run()
    given = compiled.run(computed={"control": integral_control})
    assert (given.table == model(computed=True).run().table).all()
    with pytest.raises(ParameterError, match="'other' is no block"):
        compiled.run(computed={"control": integral_control, "other": integral_control})
    with pytest.raises(ParameterError, match="does not hold"):
        model(computed=True).ensemble(initial={"plant.x": [0.1, 0.2]})


@pytest.mark.parametrize("given", ["text", None, [1.0, 2.0], float("nan"), [[1.0]]])
def test_what_a_function_returns_is_checked(given: object) -> None:
    plant = nsd.FirstOrderSystem("plant", [x], [u])
    block = nsd.Sampled("bad", 0.5, samples={"x": x}, holds=[u], computed_by=lambda: lambda time, samples: given)
    with pytest.raises(ParameterError, match=r"its function gave .* at t = 0"):
        nsd.Model("m", [plant], scheme=nsd.ThetaGamma(), step=0.25, end=1, blocks=[block], initial={x: 0}).run()


def test_an_error_of_the_function_is_its_own() -> None:
    plant = nsd.FirstOrderSystem("plant", [x], [u])
    block = nsd.Sampled("bad", 0.5, samples={"x": x}, holds=[u], computed_by=lambda: lambda time, samples: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        nsd.Model("m", [plant], scheme=nsd.ThetaGamma(), step=0.25, end=1, blocks=[block], initial={x: 0}).run()


@pytest.mark.parametrize(
    "options",
    [
        {"holds": {u: 1}},
        {"holds": [u], "state": [w], "update": {w: w}},
        {"holds": [u], "guard": nsd.time > 1},
        {"holds": [u], "between": "cut"},
        {"holds": [u], "resets": {x: 1}},
    ],
)
def test_functions_and_expressions_are_not_mixed(options: dict[str, object]) -> None:
    with pytest.raises(ModelError, match="a function computes it, and expressions besides"):
        nsd.Sampled("b", 1.0, samples={}, computed_by=integral_control, **options)


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(ModelError, match="cannot be called"):
        nsd.Sampled("b", 1.0, samples={}, holds=[u], computed_by=3)


@pytest.mark.parametrize("given", [lambda time, samples: 1.0, lambda: 1.0, lambda *anything: None])
def test_the_function_itself_in_place_of_what_makes_it(given: object) -> None:
    """It was called as it should make one: a bare TypeError."""
    plant = nsd.FirstOrderSystem("plant", [x], [u])
    block = nsd.Sampled("bad", 0.5, samples={"x": x}, holds=[u], computed_by=given)
    with pytest.raises(ParameterError, match=r"computed_by gives no function(.|\n)*function of \(time, samples\)"):
        nsd.Model("m", [plant], scheme=nsd.ThetaGamma(), step=0.25, end=1, blocks=[block], initial={x: 0}).run()


def test_a_function_is_called_once_at_an_instant_also_where_the_run_ends_soon_after():
    """It was called again, at the instant before, for the state at which the run had ended: a memory acted twice."""
    called: list[float] = []

    def control() -> Function:
        called.clear()
        return lambda time, samples: called.append(time) or 1.0

    tank = nsd.FirstOrderSystem("tank", [x], [u])
    pump = nsd.Sampled("pump", 0.1, samples={"x": x}, holds=[u], computed_by=control)
    run = nsd.Model(
        "filled", [tank], scheme=nsd.ThetaGamma(), step=0.1, end=2.0, blocks=[pump], initial={x: 0}, stop_when=x - 0.33
    ).run()
    assert abs(run.time[-1] - 0.33) < 1e-12 and np.allclose(called, [0, 0.1, 0.2, 0.3])
