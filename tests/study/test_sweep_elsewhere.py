"""Sweeps on other processes: every member once, with the bits of one process, whoever dies or comes late."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError
from nsdgen.study.sweep.elsewhere import Pool, pool_of
from nsdgen.study.sweep.store import Store

pytest.importorskip("xarray")


def shaken(scheme: Any = None, **values: Any) -> nsd.Model:
    """A ball on a table that shakes: what it does depends on the frequency."""
    (z,) = dynamicsymbols("z,")
    g, e, omega = sp.symbols("g e omega", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-g], units=["m"])
    table = nsd.Contact("table", z - sp.sin(omega * nsd.time) / 100, nsd.NewtonImpact(e))
    parameters = {g: nsd.Parameter(9.81, "m/s^2"), e: 0.5, omega: nsd.Parameter(40, "rad/s")}
    given = {"step": 1e-3, "end": 2, "parameters": parameters, "initial": {z: 0.02, z.diff(): 0}, **values}
    return nsd.Model("shaken", [ball], [table], scheme=scheme or nsd.MoreauJean(), **given)


@pytest.fixture(scope="module")
def model() -> nsd.Model:
    return shaken()


def test_an_executor_runs_the_members_of_one_process(model: nsd.Model, tmp_path: Path, monkeypatch: Any) -> None:
    over = {"omega": np.linspace(30, 80, 41)}
    here = nsd.sweep(model, over, last=["z"], reduce=["max z"])
    wrote: list[tuple[int, int]] = []
    write = Store.write
    monkeypatch.setattr(Store, "write", lambda self, d, b, e: (wrote.append((b, e)), write(self, d, b, e)))
    with ThreadPoolExecutor(3) as pool:
        there = nsd.sweep(model, over, last=["z"], reduce=["max z"], scheduler=pool, out=tmp_path / "s.zarr")
        memory = nsd.sweep(model, over, last=["z"], reduce=["max z"], scheduler=pool, part=7)
        again = nsd.sweep(model, over, last=["z"], reduce=["max z"], scheduler=pool, out=tmp_path / "s.zarr", part=9)
    assert there.equals(here) and memory.equals(here) and again.equals(here)
    assert sorted(k for begin, end in wrote for k in range(begin, end)) == list(range(41))


class _Clock(Executor):
    """Runs at once what it is given and says that each member took so long."""

    def __init__(self, each: float) -> None:
        self.each, self.sizes = each, list[int]()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.sizes.append(args[1] - args[0])
        future.set_result(((args[0], args[1]), self.each * self.sizes[-1]))
        return future


@pytest.mark.parametrize(("each", "size"), [(1e-3, 1000), (0.3, 8), (5.0, 8)])
def test_tasks_take_a_second_or_more_and_are_alike(each: float, size: int) -> None:
    clock = _Clock(each)
    pool = Pool(clock, lambda: 2)
    todo = [(begin, begin + 8) for begin in range(0, 8000, 8)]
    got = [(b, e) for b, e, _ in pool.results(lambda b, e: (len, b, e), todo)]
    assert sorted(k for b, e in got for k in range(b, e)) == list(range(8000))
    later = clock.sizes[4:]
    assert size <= min(later) and max(later) <= 1.2 * size + 8


def test_parts_are_shared_by_all_workers() -> None:
    assert Pool(_Clock(1), lambda: 2).part(100_000, 256) == 256
    assert Pool(_Clock(1), lambda: 100).part(1000, 256) == 2
    assert Pool(_Clock(1), lambda: 0).part(3, 256) == 1


def test_what_is_no_scheduler_is_refused(model: nsd.Model) -> None:
    with pytest.raises(ParameterError, match="is no scheduler"):
        nsd.sweep(model, {"omega": [30]}, scheduler=3)


def test_nobody_at_the_address(monkeypatch: Any) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed: pip install 'nsdgen[dask]'")
    monkeypatch.setattr("nsdgen.study.sweep.elsewhere._PATIENCE", 0.2)
    with pytest.raises(ParameterError, match="no scheduler answers at"), pool_of("tcp://127.0.0.1:9"):
        pass


@pytest.mark.slow
def test_a_worker_is_killed_and_one_comes_late(tmp_path: Path, monkeypatch: Any) -> None:
    """Processes of their own: the first is killed with its task at work, a third comes then; the store has every member
    once, as one process has it."""
    distributed = pytest.importorskip(
        "distributed", reason="dask.distributed is not installed: pip install 'nsdgen[dask]'"
    )
    model, over = shaken(end=20), {"omega": np.linspace(30, 80, 2400)}
    here = nsd.sweep(model, over, last=["z"], reduce=["max z"])
    wrote: list[tuple[int, int]] = []
    came = threading.Event()
    write = Store.write

    def counted(self: Any, data: Any, begin: int, end: int) -> None:
        wrote.append((begin, end))
        write(self, data, begin, end)
        if len(wrote) == 2:
            came.set()

    monkeypatch.setattr(Store, "write", counted)
    options = {"processes": True, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, **options) as cluster:
        pids: list[int] = []

        def disturb() -> None:
            came.wait()
            with distributed.Client(cluster, set_as_default=False) as client:
                victim, pid = next(iter(client.run(os.getpid).items()))
                cluster.scale(3)
                os.kill(pid, signal.SIGKILL)
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline:
                    now = client.run(os.getpid, on_error="ignore")
                    if len(now) == 3 and victim not in now:
                        break
                    time.sleep(0.2)
                pids.extend([pid, *now.values()])

        beside = threading.Thread(target=disturb)
        beside.start()
        there = nsd.sweep(
            model,
            over,
            last=["z"],
            reduce=["max z"],
            out=tmp_path / "s.zarr",
            scheduler=cluster.scheduler_address,
        )
        beside.join()
    assert sorted(k for begin, end in wrote for k in range(begin, end)) == list(range(2400))
    assert there.equals(here) and len(set(pids)) >= 3


def test_several_models_lie_side_by_side(model: nsd.Model, tmp_path: Path) -> None:
    """Models that differ in their scheme: a dimension more; what one records and the other does not is NaN."""
    pytest.importorskip("zarr")
    both = {"steps": model, "events": shaken(nsd.EventDriven())}
    over = {"omega": [35.0, 61.0], "e": [0.2, 0.4, 0.8]}
    found = nsd.sweep(both, over, out=tmp_path / "both.zarr")
    assert dict(found.sizes) == {"model": 2, "omega": 2, "e": 3} and found["ball.z"].attrs["units"] == "m"
    assert found["omega"].attrs["units"] == "rad/s"
    for name, one in both.items():
        run = one.run(parameters={"omega": 61.0, "e": 0.8})
        assert float(found["ball.z"].sel(model=name, omega=61.0, e=0.8)) == run["z"][-1]
    assert (found.failure == "").all()
    assert nsd.sweep(both, over, out=tmp_path / "both.zarr").equals(found)
    with pytest.raises(ParameterError, match="is no name"):
        nsd.sweep({"../a": model}, over, out=tmp_path / "both.zarr")


def test_events_are_kept_however_many_each_part_has(tmp_path: Path) -> None:
    pytest.importorskip("zarr")
    import xarray

    model = shaken(nsd.EventDriven(), end=0.6)
    over = {"e": [0.0, 0.3, 0.6, 0.8]}
    asked: dict[str, Any] = {"last": ["z", "z_dot"], "events": ["table.closes"], "since": 0.1}
    found = nsd.sweep(model, over, **asked)
    stored = nsd.sweep(model, over, out=tmp_path / "s.zarr", part=1, **asked)
    counts = np.isfinite(found["table.closes time"]).sum("table.closes").values
    assert stored.equals(found) and len(set(counts)) > 2
    for e in over["e"]:
        run = model.run(parameters={"e": e})
        late = [event for event in run.events if event.kind == "closes" and event.time >= 0.1]
        times = found["table.closes time"].sel(e=e).values
        assert np.array_equal(times[np.isfinite(times)], [event.time for event in late])
        rates = found["ball.z_dot at table.closes"].sel(e=e).values
        assert np.array_equal(rates[: len(late)], run["z_dot"][[event.before for event in late]])
    assert found["ball.z_dot at table.closes"].attrs["units"] == "m/s"
    stored.to_netcdf(tmp_path / "s.nc", engine="scipy")
    with xarray.open_dataset(tmp_path / "s.nc", engine="scipy") as read:
        assert np.array_equal(read["table.closes time"], found["table.closes time"], equal_nan=True)
        assert read["ball.z"].attrs["units"] == "m"


def test_what_the_first_part_lacks_comes_with_a_later_one(model: nsd.Model, tmp_path: Path) -> None:
    """Members of the first part fail at once: no samples and no numbers of a function; those of later ones are kept."""
    pytest.importorskip("zarr")
    over = {"e": [2.0, 0.5, 0.7]}
    for more in ({"samples": ["z"], "every": 100}, {"function": lambda run: {"highest": run["z"].max()}}):
        place = tmp_path / f"{'-'.join(more)}.zarr"
        stored = nsd.sweep(model, over, out=place, part=1, last=["z"], **more)
        assert stored.equals(nsd.sweep(model, over, last=["z"], **more))
        assert [bool(why) for why in stored.failure.values] == [True, False, False]


def test_parts_of_a_sweep_count_together_for_lanes(model: nsd.Model, monkeypatch: Any) -> None:
    """A part alone is not worth the compiler; a worker that gets part after part is as fast as one process."""
    from nsdgen.study import run_ensemble

    compiled, over = shaken(end=0.5).compile(), {"omega": np.linspace(30, 80, 16)}
    monkeypatch.setattr(run_ensemble, "_WORTH", 16 * 500)
    asked: list[int] = []
    lanes = type(compiled)._in_lanes.func
    monkeypatch.setattr(type(compiled), "_in_lanes", property(lambda self: asked.append(1) or lanes(self)))
    plain = nsd.sweep(compiled, {"omega": over["omega"][:8]}, last=["z"])
    assert not asked
    there = nsd.sweep(compiled, over, last=["z"])
    assert asked and np.array_equal(there["ball.z"][:8], plain["ball.z"])
