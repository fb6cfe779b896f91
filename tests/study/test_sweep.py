"""Sweeps: members are runs to the bit, whatever the design; what was killed goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import stats

import nsdgen as nsd
from nsdgen.errors import ParameterError

pytest.importorskip("xarray")

MODEL = """
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

z, = dynamicsymbols("z,")
g, e = sp.symbols("g e", real=True)
ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-g], units=["m"])
floor = nsd.Contact("floor", z, nsd.NewtonImpact(e))
model = nsd.Model(
    "ball", [ball], [floor], scheme=nsd.MoreauJean(), step=1e-2, end=1,
    parameters={g: nsd.Parameter(9.81, "m/s^2"), e: nsd.Parameter(0.5, min=0, max=1)},
    initial={z: 1, z.diff(): 0},
)
"""


@pytest.fixture(scope="module")
def ball() -> Any:
    """A ball that bounces, with its height as a coordinate."""
    session: dict[str, Any] = {}
    exec(MODEL, session)
    return session


def test_a_grid_is_labelled_and_its_members_are_runs(ball: Any) -> None:
    model, z = ball["model"], ball["z"]
    found = nsd.sweep(model, {ball["e"]: [0, 0.4, 0.9], z: [0.5, 2]}, reduce=["max z", "mean floor.impulse"], since=0.2)
    assert found.sizes == {"e": 3, "initial ball.z": 2}
    for e in (0, 0.4, 0.9):
        for height in (0.5, 2):
            run = model.run(parameters={"e": e}, initial={z: height})
            member = found.sel({"e": e, "initial ball.z": height})
            assert float(member["ball.z_dot"]) == run["z_dot"][-1]
            late = run.time >= 0.2 - 1e-9
            assert float(member["max ball.z"]) == run["z"][late].max()
            assert float(member["mean floor.impulse"]) == pytest.approx(run["floor.impulse"][late].mean(), rel=1e-13)
    assert found["ball.z_dot"].attrs["units"] == "m/s" and (found.failure == "").all()


def test_lists_steps_and_functions(ball: Any) -> None:
    model = ball["model"]

    def bounces(run: nsd.Trajectory) -> dict[str, float]:
        return {"bounces": float((run["floor.impulse"] > 0).sum())}

    found = nsd.sweep(model, {"e": [0.9, 0.9], "step": [1e-2, 5e-3]}, design="list", function=bounces, last=["z"])
    assert found.sizes == {"member": 2} and list(found.step.values) == [1e-2, 5e-3]
    for k, step in enumerate((1e-2, 5e-3)):
        run = model.run(parameters={"e": 0.9}, step=step)
        assert float(found["ball.z"][k]) == run["z"][-1]
        assert float(found["bounces"][k]) == bounces(run)["bounces"]
    assert "ball.z_dot" not in found


def test_steps_alone_and_options_of_the_scheme(ball: Any) -> None:
    found = nsd.sweep(ball["model"], {"step": [0.1, 0.05]}, last=["z"], reduce=["max z"])
    assert [float(v) for v in found["ball.z"]] == [ball["model"].run(step=h)["z"][-1] for h in (0.1, 0.05)]
    found = nsd.sweep(ball["model"], {"theta": [0.5, 1]}, last=["z"])
    assert [float(v) for v in found["ball.z"]] == [ball["model"].run(options={"theta": t})["z"][-1] for t in (0.5, 1)]


def test_drawn_points_depend_on_the_seed_alone(ball: Any) -> None:
    over = {"e": (0.2, 0.8), "g": stats.norm(9.81, 0.1)}
    first, again, other = (
        nsd.sweep(ball["model"], over, design="latin", members=50, seed=seed, end=0.02) for seed in (1, 1, 2)
    )
    assert first.equals(again) and not first.equals(other)
    slices = np.sort((first.e.values - 0.2) / 0.6 * 50).astype(int)
    assert (slices == np.arange(50)).all()  # one in each fiftieth: what makes it a Latin hypercube
    assert abs(float(first.g.mean()) - 9.81) < 0.01 and 0.08 < float(first.g.std()) < 0.12
    drawn = nsd.sweep(ball["model"], over, design="random", members=7, end=0.02)
    assert drawn.equals(nsd.sweep(ball["model"], over, design="random", members=7, end=0.02))


def test_samples(ball: Any) -> None:
    found = nsd.sweep(ball["model"], {"e": [0.1, 0.9]}, samples=["z"], every=10, since=0.5, last=[])
    run = ball["model"].run(parameters={"e": 0.9})
    assert np.array_equal(found["ball.z samples"].sel(e=0.9), run["z"][50::10])
    assert np.allclose(found["time samples"].sel(e=0.9), run.time[50::10])


def test_a_member_that_fails_is_an_entry_with_its_reason(ball: Any) -> None:
    found = nsd.sweep(ball["model"], {"e": [0.5, 2.0, 0.7]}, last=["z"])
    assert list(np.isnan(found["ball.z"])) == [False, True, False]
    assert "2" in str(found.failure.values[1]) and "e" in str(found.failure.values[1])
    alone = nsd.sweep(ball["model"], {"e": [0.5, 2.0]}, last=["z"], function=lambda run: {"n": len(run)})
    assert list(np.isnan(alone["n"])) == [False, True] and str(alone.failure.values[1])


def test_a_sweep_on_disk_is_that_in_memory_and_goes_on(ball: Any, tmp_path: Path, monkeypatch: Any) -> None:
    pytest.importorskip("zarr")
    from nsdgen.study.compiled_model import CompiledModel

    ran: list[int] = []
    ensemble = CompiledModel.ensemble

    def counted(self: Any, **given: Any) -> Any:
        ran.append(len(given["parameters"]["e"]))
        if len(ran) == 3 and stopping:
            raise KeyboardInterrupt
        return ensemble(self, **given)

    monkeypatch.setattr(CompiledModel, "ensemble", counted)
    stopping, over = True, {"e": np.linspace(0, 1, 23)}
    with pytest.raises(KeyboardInterrupt):
        nsd.sweep(ball["model"], over, out=tmp_path / "s.zarr", part=5, last=["z"])
    stopping, first = False, list(ran)
    found = nsd.sweep(ball["model"], over, out=tmp_path / "s.zarr", part=5, last=["z"])
    assert first == [5, 5, 5] and ran[3:] == [5, 5, 3]
    again = nsd.sweep(ball["model"], over, out=tmp_path / "s.zarr", part=5, last=["z"])
    assert len(ran) == 6 and again.equals(found)
    memory = nsd.sweep(ball["model"], over, last=["z"])
    assert np.array_equal(memory["ball.z"], found["ball.z"]) and (found.failure == "").all()


def test_another_sweep_and_other_folders_are_refused(ball: Any, tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    model, folder = ball["model"], tmp_path / "s.zarr"
    nsd.sweep(model, {"e": [0, 1]}, out=folder, last=["z"])
    for over, more, word in (
        ({"e": [0, 0.5]}, {}, "values"),
        ({"e": [0, 1]}, {"end": 2}, "end"),
        ({"e": [0, 1]}, {"reduce": "max z"}, "reduce"),
        ({"g": [0, 1]}, {}, "names"),
    ):
        with pytest.raises(ParameterError, match=f"another sweep: it differs in .*{word}"):
            nsd.sweep(model, over, out=folder, **{"last": ["z"], **more})
    (tmp_path / "mine.zarr").mkdir()
    (tmp_path / "mine.zarr" / "letter.txt").write_text("dear")
    with pytest.raises(ParameterError, match="holds no sweep"):
        nsd.sweep(model, {"e": [0, 1]}, out=tmp_path / "mine.zarr")
    assert (tmp_path / "mine.zarr" / "letter.txt").read_text() == "dear"


@pytest.mark.parametrize("change", [("9.81", "1.62"), ("end=1,", "end=2,"), ("{z: 1,", "{z: 3,"), ("1e-2", "1e-3")])
def test_a_store_of_a_model_with_other_values_is_refused(ball: Any, tmp_path: Path, change: tuple[str, str]) -> None:
    """Kernels are the same: results of the old values were given for those of the new ones."""
    pytest.importorskip("zarr")
    other: dict[str, Any] = {}
    exec(MODEL.replace(*change), other)
    nsd.sweep(ball["model"], {"e": [0, 1]}, out=tmp_path / "s.zarr", last=["z"])
    with pytest.raises(ParameterError, match="it differs in what the model gives"):
        nsd.sweep(other["model"], {"e": [0, 1]}, out=tmp_path / "s.zarr", last=["z"])


def test_a_store_of_another_function_is_refused(ball: Any, tmp_path: Path) -> None:
    """Functions were known by their names alone; where their lines stand says nothing."""
    pytest.importorskip("zarr")
    first, same, other = (
        eval(text) for text in ("lambda run: {'n': 1.0}", "\n\nlambda run: {'n': 1.0}", "lambda run: {'n': 2.0}")
    )
    for function in (first, same):
        nsd.sweep(ball["model"], {"e": [0, 1]}, out=tmp_path / "s.zarr", last=["z"], function=function)
    with pytest.raises(ParameterError, match="it differs in function"):
        nsd.sweep(ball["model"], {"e": [0, 1]}, out=tmp_path / "s.zarr", last=["z"], function=other)


def _last_times(times: float, run: Any) -> dict[str, float]:
    return {"n": times * len(run)}


def _multiplied(times: float, how: str) -> Any:
    if how == "partial":
        return partial(_last_times, times)
    if how == "default":
        return lambda run, times=times: _last_times(times, run)
    return lambda run: _last_times(times, run)


@pytest.mark.parametrize("how", ["partial", "default", "closure"])
def test_a_store_of_a_function_with_other_numbers_is_refused(ball: Any, tmp_path: Path, how: str) -> None:
    pytest.importorskip("zarr")
    for _ in range(2):  # made anew, as in another session, it is the same
        nsd.sweep(ball["model"], {"e": [0]}, out=tmp_path / "s.zarr", last=["z"], function=_multiplied(2.0, how))
    with pytest.raises(ParameterError, match="it differs in function"):
        nsd.sweep(ball["model"], {"e": [0]}, out=tmp_path / "s.zarr", last=["z"], function=_multiplied(3.0, how))


@pytest.mark.parametrize(
    ("said", "over", "more"),
    [
        ("nothing varies", {}, {}),
        ("is no design", {"e": [1]}, {"design": "cube"}),
        ("different lengths", {"e": [0, 1], "g": [9]}, {"design": "list"}),
        ("members", {"e": (0, 1)}, {"design": "latin"}),
        ("leave members= out", {"e": [0, 1]}, {"members": 3}),
        ("a range is meant", {"e": [0, 0.5, 1]}, {"design": "random", "members": 2}),
        ("are no numbers", {"e": ["a"]}, {}),
        ("not finite", {"e": [0, np.inf]}, {}),
        ("have shape", {"e": [[0], [1]]}, {}),
        ("is no reduction", {"e": [0, 1]}, {"reduce": "median z"}),
        ("no parameter, option or initial value is called 'q'", {"q": [0, 1]}, {}),
        ("seed", {"e": (0, 1)}, {"design": "random", "members": 2, "seed": "a"}),
        ("is no function", {"e": [0, 1]}, {"function": "max"}),
        ("not a mapping", {"e": [0, 1]}, {"parameters": [1]}),
        ("ends with .zarr", {"e": [0, 1]}, {"out": 5}),
        ("'q'", {"e": [0, 1]}, {"last": ["q"]}),
        ("let the function return", {"e": [0, 1]}, {"samples": ["z"], "function": lambda run: {}}),
        ("ends with .zarr", {"e": [0, 1]}, {"out": "sweep.nc"}),
        ("given twice", {"e": [0, 1], sp.Symbol("e"): [0.5]}, {}),
        ("no event is called", {"e": [0, 1]}, {"events": ["table.closes"]}),
        ("numbers by name", {"e": [0, 1]}, {"function": lambda run: 3.0}),
        ("numbers by name", {"e": [0, 1]}, {"function": lambda run: {"landings": "many"}}),
    ],
)
def test_what_is_no_sweep_is_refused_before_anything_runs(ball: Any, said: str, over: Any, more: Any) -> None:
    with pytest.raises(ParameterError) as refused:
        nsd.sweep(ball["model"], over, **more)
    assert said in str(refused.value)


def test_reductions_have_one_name_however_members_run(ball: Any) -> None:
    """With a function they were called as they were typed; of no row they were a bare error in place of NaN."""
    for since in (0.5, 99.0):
        kept = {"reduce": ["max z", "mean ball.z_dot"], "since": since, "last": ["z"]}
        together = nsd.sweep(ball["model"], {"e": [0, 0.5]}, **kept)
        alone = nsd.sweep(ball["model"], {"e": [0, 0.5]}, function=lambda run: {"rows": len(run.time)}, **kept)
        for name in ("max ball.z", "mean ball.z_dot"):
            assert np.allclose(together[name], alone[name], rtol=1e-12, equal_nan=True)


@pytest.mark.slow
def test_killed_at_any_point_it_goes_on(ball: Any, tmp_path: Path) -> None:
    """SIGKILL while it writes, several times: in the end every member is there, with the bits of a run."""
    pytest.importorskip("zarr")
    (tmp_path / "ball.py").write_text(MODEL)
    words = [sys.executable, "-m", "nsdgen", "sweep", "ball.py", "-p", "e=0:1:4000", "--last", "z", "--out", "s.zarr"]
    command = [*words, "--part", "40", "-q"]
    killed = 0
    for wait in (2.5, 3.0, 3.5):
        process = subprocess.Popen(command, cwd=tmp_path)
        time.sleep(wait)
        killed += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    import xarray

    found = xarray.open_zarr(tmp_path / "s.zarr", chunks=None, consolidated=False).load()
    whole = nsd.sweep(ball["model"], {"e": np.linspace(0, 1, 4000)}, last=["z"])
    assert np.array_equal(found["ball.z"].values, whole["ball.z"].values) and found.done.values.all()
