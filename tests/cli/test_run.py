"""``nsdgen run``: what it prints, what it writes, and that it writes nothing else."""

import subprocess
import sys

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
    answer = nsdgen(
        "run",
        ball,
        "--end",
        "3",
        "--start",
        "1",
        "--step",
        "1e-2",
        "--scheme",
        "theta=1",
        "--initial",
        "z=2",
        "--initial",
        "ball.z_dot=-1",
        "-p",
        "e=0.5",
        "--out",
        f"out.{suffix}",
    )
    assert f"saved out.{suffix}" in answer.out
    expected = compiled("bouncing_ball").run(
        end=3, start=1, step=1e-2, options={"theta": 1}, parameters={"e": 0.5}, initial={"z": 2, "z_dot": -1}
    )
    saved = Trajectory.load(f"out.{suffix}")
    assert saved.names == expected.names
    np.testing.assert_array_equal(saved.table, expected.table)
    np.testing.assert_array_equal(saved.time, expected.time)


DAE = """
import nsdgen as nsd
from sympy.physics.mechanics import dynamicsymbols
x, z = dynamicsymbols("x z")
system = nsd.FirstOrderSystem("net", [x, z], [-x, 2 * x - z], mass=[[1, 0], [0, 0]])
model = nsd.Model("net", [system], scheme=nsd.ThetaGamma(), step=0.1, end=0.3, initial={x: 1, z: 7})
"""


def test_a_consistent_start_is_asked_for_reported_and_saved(nsdgen, folder, settle):
    (folder / "net.py").write_text(DAE)
    settle(folder / "net.py")
    for _ in range(2):  # derived, then remembered; the model as it stands is another one
        answer = nsdgen("run", "net.py", "--consistent-start", "--out", "net.nc")
        assert "net.z = 2 (given 7)" in answer.out
        saved = Trajectory.load("net.nc")
        assert saved["z"][0] == 2 and saved.attributes["consistent_initial"] == {"net.z": [7.0, 2.0]}
    plain = nsdgen("run", "net.py", "--out", "net.nc")
    assert "made consistent" not in plain.out and Trajectory.load("net.nc")["z"][0] == 7
    assert "nothing: the given values are" in nsdgen("run", "net.py", "--consistent-start", "--initial", "z=2").out


def test_a_package_starts_consistently_where_it_was_compiled_so(nsdgen, ball, folder):
    (folder / "net.py").write_text(DAE)
    assert nsdgen("compile", "net.py", "--consistent-start", "-o", "new").code == 0
    assert "net.z = 2 (given 7)" in nsdgen("run", "new/net", "--consistent-start").out
    assert nsdgen("compile", "net.py", "-o", "old").code == 0
    answer = nsdgen("run", "old/net", "--consistent-start")
    assert answer.code == 2 and "compile it anew" in answer.err
    answer = nsdgen("run", ball, "--consistent-start")
    assert answer.code == 2 and "no scheme of it makes initial states consistent" in answer.err


def test_csv(nsdgen, ball, folder):
    assert nsdgen("run", ball, "--end", "0.02", "--out", "out.csv").code == 0
    assert (folder / "out.csv").read_text().splitlines()[0].startswith("time [s],ball.z [m],")


def test_without_matplotlib_a_page_has_the_curves(nsdgen, ball, folder, monkeypatch):
    monkeypatch.setattr("nsdgen.cli.run_command.find_spec", lambda name: None)
    assert "saved bouncing_ball.html" in nsdgen("run", ball, "--end", "1", "--plot", "z,z_dot").out
    assert '"plotted":["ball.z","ball.z_dot"]' in (folder / "bouncing_ball.html").read_text()
    assert nsdgen("run", ball, "--end", "1", "--plot-file", "all.html").code == 0
    assert nsdgen("run", ball, "--end", "1", "--plot", "zz").code == 2


def test_plots(nsdgen, ball, folder):
    pytest.importorskip("matplotlib")
    assert "saved bouncing_ball.png" in nsdgen("run", ball, "--end", "1", "--plot", "z,z_dot").out
    assert nsdgen("run", ball, "--end", "1", "--plot-file", "all.svg").code == 0
    assert "saved ball.html" in nsdgen("run", ball, "--end", "1", "--animate", "ball.html").out
    assert (folder / "bouncing_ball.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "all.svg").read_text()


def test_sweeps(nsdgen, ball, folder):
    pytest.importorskip("zarr")
    command = (
        "sweep",
        ball,
        "-p",
        "e=0:1:5",
        "--initial",
        "ball.z=[1,2]",
        "--last",
        "z",
        "--end",
        "0.1",
        "--out",
        "s.zarr",
    )
    answer = nsdgen(*command)
    assert answer.code == 0 and "10 members" in answer.out and "initial ball.z: 2" in answer.out
    assert nsdgen(*command).out.count("saved s.zarr") == 1
    for words, said in (
        (("-p", "e=0:1:0"), "names no values"),
        (("-p", "q=0:1:3"), "'q'"),
        ((), "nothing varies"),
        (("-p", "e=0:1:3", "--out", "s.zarr"), "another sweep"),
    ):
        answer = nsdgen("sweep", ball, *words)
        assert answer.code == 2 and said in answer.err, answer.err


def test_a_sweep_of_several_models_has_a_dimension_model(nsdgen, ball, folder, settle):
    xarray = pytest.importorskip("xarray")
    text = ball.read_text()
    assert text.count('"bouncing_ball",') == 1
    (folder / "other.py").write_text(text.replace('"bouncing_ball",', '"other_ball",'))
    words = ("-p", "e=[0,1]", "--last", "z", "--end", "0.1", "--netcdf", "both.nc")
    answer = nsdgen("sweep", ball, "other.py", *words)
    assert answer.code == 0 and "4 members" in answer.out, answer.err
    found = xarray.load_dataset(folder / "both.nc", engine="scipy")
    assert [str(m) for m in found.model.values] == ["bouncing_ball", "other_ball"]
    assert found["ball.z"].shape == (2, 2) and (found["ball.z"][0] == found["ball.z"][1]).all()
    for given, said in (((ball, ball), "as one before it"), ((), "no model is named")):
        answer = nsdgen("sweep", *given, "-p", "e=[0,1]")
        assert answer.code == 2 and said in answer.err


@pytest.fixture
def drawn(monkeypatch):
    """The pictures that are saved, kept to look at."""
    plots = pytest.importorskip("nsdgen.study.plot")
    kept, save = [], plots.Plot.save
    monkeypatch.setattr(plots.Plot, "save", lambda self, path: (kept.append(self), save(self, path)))
    return kept


def test_each_plot_option_has_its_own_panels(nsdgen, ball, drawn):
    pytest.importorskip("matplotlib")
    assert nsdgen("run", ball, "--end", "1", "--plot", "z,z_dot", "--plot", "gap").code == 0
    assert [axes.get_ylabel() for axes in drawn[0].axes] == ["z [m]", "z_dot [m/s]", "gap [m]"]


def test_a_plot_option_without_names_draws_everything(nsdgen, ball, drawn):
    pytest.importorskip("matplotlib")
    for arguments in (["--plot"], ["--plot-file", "bouncing_ball.png"]):
        assert "saved bouncing_ball.png" in nsdgen("run", ball, "--end", "1", *arguments).out
    everything, same = (len(picture.artists) for picture in drawn)
    assert everything == same > 4
    assert nsdgen("run", ball, "--end", "1", "--plot", "z", "--plot").code == 0
    assert len(drawn[2].artists) == everything + 1


def test_too_much_to_draw_is_refused_before_the_run(nsdgen, ball, folder, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("nsdgen.study.plot._MOST", 2)
    answer = nsdgen("run", ball, "--plot", "--out", "out.nc")
    assert answer.code == 2
    assert "none was named" in answer.err
    assert not (folder / "out.nc").exists()


def test_the_title_says_what_was_changed(nsdgen, ball, drawn):
    pytest.importorskip("matplotlib")
    nsdgen("run", ball, "--end", "1", "--plot", "z")
    nsdgen("run", ball, "--end", "1", "--plot", "z", "-p", "m=2.5", "-p", "e=0.25")
    titles = [picture.figure.get_suptitle() for picture in drawn]
    assert titles == ["bouncing_ball", "bouncing_ball, m = 2.5 kg, e = 0.25"]


def test_as_a_module(ball, folder):
    answer = subprocess.run(
        [sys.executable, "-m", "nsdgen", "run", "ball.py", "--end", "0"],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    assert answer.returncode == 2
    assert answer.stderr.startswith("nsdgen: ")
    usage = subprocess.run([sys.executable, "-m", "nsdgen", "--help"], capture_output=True, text=True, timeout=120)
    assert usage.stdout.startswith("usage: nsdgen ")


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
    monkeypatch.setattr("nsdgen.cli.run_command._MANY", 1)
    answer = nsdgen("run", ball)
    assert answer.code == 130 and "rows; Ctrl-C ends that" in answer.err
    assert answer.err.startswith("nsdgen: interrupted")
    assert "bouncing_ball-interrupted.nc" in answer.err
    assert len(Trajectory.load(folder / "bouncing_ball-interrupted.nc")) > 1


def test_less_of_a_run(nsdgen, ball, compiled):
    answer = nsdgen(
        "run",
        ball,
        "--end",
        "1",
        "--every",
        "7",
        "--record",
        "z,floor.gap",
        "--record",
        "*.impulse",
        "--out",
        "out.npz",
    )
    assert answer.code == 0
    assert "at t = 1 s" in answer.out
    saved = Trajectory.load("out.npz")
    expected = compiled("bouncing_ball").run(end=1, every=7, record=["z", "gap", "impulse"])
    assert saved.names == expected.names and "ball.z_dot" not in saved
    np.testing.assert_array_equal(saved.table, expected.table)
    for arguments, words in (
        (("--record", "nothing"), "nothing is called 'nothing'"),
        (("--every", "0"), "every is 0"),
        (("--every", "x"), "no whole number"),
    ):
        answer = nsdgen("run", ball, *arguments)
        assert (answer.code, words in answer.err) == (2, True)


def test_a_pattern_is_drawn(nsdgen, ball, drawn):
    pytest.importorskip("matplotlib")
    assert nsdgen("run", ball, "--end", "1", "--plot", "*.z,floor.*").code == 0
    labels = [axes.get_ylabel() for axes in drawn[0].axes]
    assert labels == ["[m]", "floor.gap_rate [m/s]", "floor.impulse [N s]"]
    answer = nsdgen("run", ball, "--plot", "nothing.*")
    assert answer.code == 2 and "nothing called 'nothing.*'" in answer.err


def test_drawing_needs_what_is_recorded(nsdgen, ball):
    pytest.importorskip("matplotlib")
    assert nsdgen("run", ball, "--end", "0.1", "--record", "z", "--plot", "z").code == 0
    answer = nsdgen("run", ball, "--end", "0.1", "--record", "z", "--plot", "z_dot")
    assert answer.code == 2 and "nothing called 'z_dot'" in answer.err


def test_the_report_counts_steps_whatever_was_recorded(nsdgen, ball):
    rows = {line.split("  ")[0]: line for line in nsdgen("run", ball, "--end", "1", "--every", "7").out.splitlines()}
    assert "200 steps of 0.005 s, t = 0 to 1 s, 29 of them recorded" in rows["run"]
    assert "per step of those recorded" in rows["Newton"]
    assert "steps of those recorded" in rows["undetermined"]
    plain = nsdgen("run", ball, "--start", "1", "--end", "2").out
    assert "200 steps of 0.005 s, t = 1 to 2 s\n" in plain
