"""Ctrl-C where compiled code works or has called Python: it ends with it, soon."""

import _thread
import signal
import threading
import time
import traceback
from typing import Any

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.solvers import solve_lcp, solve_mlcp
from nsdgen.solvers.step import last_resort
from nsdgen.study import run_ensemble


def test_in_the_last_resort_of_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was printed as ignored, and the run said that its step had no solution."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(last_resort, "rescue", interrupted)
    (y,) = dynamicsymbols("y,")
    ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2)
    floor = nsd.Contact("floor", y, nsd.NewtonImpact(0))
    falls = nsd.VelocityConstraint("falls", y.diff() + 1)
    rubs = nsd.RateForce("rubs", y.diff(), nsd.Relay(1))
    given = {"scheme": nsd.MoreauJean(), "step": 0.1, "end": 1, "initial": {y: 0, y.diff(): -1}}
    model = nsd.Model("m", [ball], [floor, falls, rubs], **given).compile(interpret=True)
    with pytest.raises(KeyboardInterrupt):
        model.run()
    monkeypatch.undo()
    with pytest.raises(nsd.errors.SolverError, match="no solution"):
        model.run()


def test_in_a_solver_that_is_called_by_itself() -> None:
    """It went on to its end, 8 s with 900 rows; now it ends inside of the compiled call."""
    rng = np.random.default_rng(1)
    full = rng.normal(size=(900, 900))
    timer = threading.Timer(0.2, _thread.interrupt_main)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background ignores Ctrl-C
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt) as caught:
            solve_lcp(full - full.T + 1e-3 * np.eye(900), rng.normal(size=900))
    finally:
        signal.signal(signal.SIGINT, before)
    assert any(frame.name.endswith("solve_dense") for frame in traceback.extract_tb(caught.value.__traceback__))


@pytest.mark.parametrize("kind", ["equalities beside pairs", "dependent rows"])
def test_in_pivots_and_ranks_of_many_rows(kind: str) -> None:
    """They were not asked: 1 500 rows went on for 1.9 s and 2.8 s of processor time."""
    rng, n = np.random.default_rng(1), 1000
    half = n // 2
    full = rng.normal(size=(n, half))
    matrix, equal = full @ full.T, np.arange(n) < half
    if kind == "equalities beside pairs":
        across = rng.normal(size=(half, half))
        matrix = np.block([[matrix[:half, :half], across], [-across.T, np.zeros((half, half))]])
    asked: list[float] = []

    def ask() -> None:
        asked.append(time.process_time())
        _thread.interrupt_main()

    def work() -> None:
        timer.start()
        for _ in range(20):
            solve_mlcp(matrix, matrix @ rng.normal(size=n), equal)

    timer = threading.Timer(0.3, ask)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert time.process_time() - asked[0] < 0.2
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("scheme", [nsd.EventDriven(), nsd.ThetaGamma()])
def test_in_an_ensemble_whose_members_take_long(monkeypatch: pytest.MonkeyPatch, scheme: Any) -> None:
    """Threads went on for as many as 100 000 steps, 9 s from event to event. What was stopped has no outcome."""

    class Stop:
        def __init__(self, *_: object) -> None: ...

        def update(self, made: float) -> None:
            raise KeyboardInterrupt

        def close(self) -> None: ...

    monkeypatch.setattr(run_ensemble, "progress_bar", Stop)
    x, y = dynamicsymbols("x y")
    swings = nsd.FirstOrderSystem("swings", [x, y], [y, -x])
    long = 1e2 if isinstance(scheme, nsd.EventDriven) else 1e-3
    given = {"scheme": scheme, "step": long, "end": 1e9 * long, "initial": {x: 1, y: 0}}
    model = nsd.Model("swings", [swings], **given).compile(interpret=True)
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt) as caught:
        model.ensemble(initial={"swings.x": [1.0, 2.0, 3.0]}, threads=2)
    assert time.perf_counter() - began < 20  # minutes, or hours
    assert not caught.value.ensemble.complete and np.isnan(caught.value.ensemble.last("swings.x")).all()
    assert not caught.value.ensemble.failures
