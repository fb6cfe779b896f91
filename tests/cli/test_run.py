"""``nsdgen run``: what it prints, what it writes, and that it writes nothing else."""

import numpy as np
import pytest

from nsdgen.study import Trajectory


def test_the_report(nsdgen, ball, folder):
    answer = nsdgen("run", ball, "--end", "2", "-p", "e=1/2")
    assert answer.code == 0
    assert answer.err == ""
    rows = {line.split("  ")[0]: line for line in answer.out.splitlines()}
    assert "bouncing_ball" in rows["model"]
    assert "400 steps of 0.005 s, t = 0 to 2 s" in rows["run"]
    assert "per step" in rows["time"]
    assert "1.00 iterations per step, at most 1" in rows["Newton"]
    assert "0 steps" in rows["undetermined"]
    assert "e = 0.5" in rows["changed"]
    assert "theta=0.5" in rows["scheme"]
    assert "ball.z_dot" in answer.out
    assert [path.name for path in folder.iterdir()] == ["ball.py"]


def test_quiet_is_quiet(nsdgen, ball):
    answer = nsdgen("run", ball, "-q", "--end", "0.1")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


@pytest.mark.parametrize("suffix", ["nc", "npz"])
def test_the_trajectory_is_that_of_python(nsdgen, ball, compiled, suffix):
    answer = nsdgen("run", ball, "--end", "3", "--start", "1", "--step", "1e-2", "--scheme", "theta=1",
                    "--initial", "z=2", "--initial", "ball.z_dot=-1", "-p", "e=0.5", "--out", f"out.{suffix}")
    assert f"saved out.{suffix}" in answer.out
    expected = compiled("bouncing_ball").run(end=3, start=1, step=1e-2, options={"theta": 1}, parameters={"e": 0.5},
                                             initial={"z": 2, "z_dot": -1})
    saved = Trajectory.load(f"out.{suffix}")
    assert saved.names == expected.names
    np.testing.assert_array_equal(saved.table, expected.table)
    np.testing.assert_array_equal(saved.time, expected.time)


def test_csv(nsdgen, ball, folder):
    assert nsdgen("run", ball, "--end", "0.02", "--out", "out.csv").code == 0
    assert (folder / "out.csv").read_text().splitlines()[0].startswith("time [s],ball.z [m],")


def test_plots(nsdgen, ball, folder):
    pytest.importorskip("matplotlib")
    assert "saved bouncing_ball.png" in nsdgen("run", ball, "--end", "1", "--plot", "z,z_dot").out
    assert nsdgen("run", ball, "--end", "1", "--plot-file", "all.svg").code == 0
    assert (folder / "bouncing_ball.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "all.svg").read_text()


def test_a_failed_run_keeps_what_it_reached(nsdgen, ball, folder):
    answer = nsdgen("run", ball, "-p", "m=0")
    assert answer.code == 1
    assert "singular" in answer.err
    assert "bouncing_ball-failed.nc" in answer.err
    assert "Traceback" not in answer.err
    assert len(Trajectory.load(folder / "bouncing_ball-failed.nc")) == 1
    assert "mine.npz" in nsdgen("run", ball, "-p", "m=0", "--out", "mine.npz").err
    assert len(Trajectory.load("mine.npz")) == 1


def test_a_traceback_on_request(nsdgen, ball):
    assert "Traceback" in nsdgen("run", ball, "-p", "m=0", "--traceback").err


def test_an_interrupted_run_keeps_what_it_reached(nsdgen, ball, folder, monkeypatch):
    def interrupt(self, done, text=""):
        raise KeyboardInterrupt

    monkeypatch.setattr("nsdgen.study.progress.Progress.update", interrupt)
    answer = nsdgen("run", ball)
    assert answer.code == 130
    assert answer.err.startswith("nsdgen: interrupted")
    assert "bouncing_ball-interrupted.nc" in answer.err
    assert len(Trajectory.load(folder / "bouncing_ball-interrupted.nc")) > 1
