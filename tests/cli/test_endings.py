"""How commands end from outside: signals, closed and full outputs, killed saves. Nothing that was computed is lost."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from nsdgen.base.patterns import fits, near
from nsdgen.base.whole_file import replaced_file
from nsdgen.errors import ParameterError
from nsdgen.study.trajectory import Trajectory

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors of POSIX")
NSDGEN = [sys.executable, "-m", "nsdgen"]
FOREVER = ("--end", "1e7", "--every", "100000")


def start(folder: Path, *arguments: str, ignored: tuple[int, ...] = (), **options) -> subprocess.Popen[str]:
    """nsdgen in a process that ignores these signals only, though the tests themselves may run in the background."""

    def set_signals() -> None:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    return subprocess.Popen(
        [*NSDGEN, *arguments],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=set_signals,
        **options,
    )


def shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command.replace("nsdgen", " ".join(NSDGEN))],
        cwd=folder,
        text=True,
        capture_output=True,
        timeout=120,
    )


def under_way(process: subprocess.Popen[str]) -> None:
    """Wait until a run steps: it has used a quarter of a second of the processor since it loaded the kernels."""
    maps = Path(f"/proc/{process.pid}/maps")
    loaded = None
    while loaded is None or processor_time(process) < loaded + 0.25:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
        if loaded is None and "_kernels" in maps.read_text():
            loaded = processor_time(process)


def processor_time(process: subprocess.Popen[str]) -> float:
    """The seconds that a process has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize(
    ("name", "quiet"),
    [
        ("SIGTERM", ()),
        ("SIGINT", ()),
        pytest.param("SIGHUP", ("-q",), marks=pytest.mark.slow),
        pytest.param("SIGTERM", ("-q",), marks=pytest.mark.slow),
        pytest.param("SIGHUP", (), marks=pytest.mark.slow),
        pytest.param("SIGINT", ("-q",), marks=pytest.mark.slow),
    ],
)
def test_a_run_that_a_signal_ends_keeps_what_it_reached(nsdgen, ball, folder, name, quiet):
    nsdgen("run", ball, "--end", "0.1")  # the kernels are built now
    process = start(folder, "run", "ball.py", *FOREVER, *quiet)
    under_way(process)
    process.send_signal(getattr(signal, name))
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + getattr(signal, name), said
    assert "Traceback" not in said and ("interrupted" if name == "SIGINT" else f"stopped by {name}") in said
    kept = Trajectory.load(folder / "bouncing_ball-interrupted.nc")
    assert len(kept) > 1 and np.isfinite(kept.table).all()


LONG = """
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols
import nsdgen as nsd
x = dynamicsymbols("x")
swing = nsd.FirstOrderSystem("swing", [x], [sp.cos(1e3 * nsd.time) - x])
model = nsd.Model("long", [swing], scheme=nsd.EventDriven(), step=250, end=250, initial={x: 0})
"""


def test_a_signal_ends_a_step_that_takes_long(nsdgen, folder):
    """One step of some 1e5 of the integrator, which ends with it: what was reached before it is kept, no more."""
    (folder / "long.py").write_text(LONG)
    nsdgen("run", "long.py", "--end", "0.1", "--step", "0.1")  # the kernels are built now
    process = start(folder, "run", "long.py", "--out", "reached.npz")
    under_way(process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert len(Trajectory.load(folder / "reached.npz")) == 1


def test_signals_while_a_run_is_saved_do_not_harm(nsdgen, ball, folder):
    nsdgen("run", ball, "--end", "0.1")
    for wait in (0.0, 0.02, 0.05):
        process = start(folder, "run", "ball.py", *FOREVER, "--out", "out.npz")
        under_way(process)
        process.send_signal(signal.SIGTERM)
        for _ in range(20):
            time.sleep(wait / 20)
            process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
        # Which of two comes first is open, and one that comes after the end of the command is nobody's.
        assert process.returncode in (128 + signal.SIGTERM, 128 + signal.SIGHUP, -signal.SIGHUP)
        assert len(Trajectory.load(folder / "out.npz")) > 1
        (folder / "out.npz").unlink()


def test_a_signal_that_is_ignored_stays_ignored(nsdgen, ball, folder):
    nsdgen("run", ball, "--end", "0.1")
    process = start(folder, "run", "ball.py", *FOREVER, "-q", ignored=(signal.SIGHUP,))
    under_way(process)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM


def test_handlers_are_put_back(nsdgen, ball):
    before = [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]
    nsdgen("run", ball, "--end", "0.1")
    assert [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)] == before


def test_a_command_does_not_collect_at_its_end():
    """Python's collector walked through all that SymPy holds: half of a second after the last line."""
    told = "atexit.register(lambda: print(gc.get_freeze_count() > 0))"  # what is registered first comes last
    code = f"import atexit, gc; from nsdgen.cli.main import main; {told}; main([])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert said.stdout.splitlines()[-1] == "True", said.stderr


ENDINGS = (">&- 2>&-", "| true", ">&-", "2>&-", "2>&1 | head -c 1", "<&- >&- 2>&-")


COMMANDS = ("inspect ball.py", "derive ball.py", "doctor", "--help", "run --help", "--version", "")


@pytest.mark.parametrize(
    ("command", "ending"),
    [
        pytest.param(command, ending, marks=() if i % len(ENDINGS) == k else pytest.mark.slow)
        for i, command in enumerate(COMMANDS)
        for k, ending in enumerate(ENDINGS)
    ],
)
def test_outputs_that_are_closed_or_gone(nsdgen, ball, folder, command, ending):
    closed_or_gone(nsdgen, ball, folder, command, [ending])


def test_outputs_of_a_run_that_are_closed_or_gone(nsdgen, ball, folder):
    closed_or_gone(nsdgen, ball, folder, "run ball.py --end 0.1", ENDINGS)


def closed_or_gone(nsdgen, ball, folder, command, endings):
    nsdgen("run", ball, "--end", "0.1")
    for ending in endings:
        done = shell(folder, f"nsdgen {command} {ending}")
        assert "Traceback" not in done.stdout + done.stderr, (ending, done.stderr)
        assert "Exception ignored" not in done.stderr, (ending, done.stderr)
        assert done.returncode in (0, 2, 3), (ending, done.returncode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_output_is_named(nsdgen, ball, folder):
    done = shell(folder, "nsdgen run ball.py --end 0.1 > /dev/full")
    assert done.returncode == 2 and done.stderr.startswith("nsdgen: the output cannot be written: No space left")
    assert "Traceback" not in done.stderr


def test_what_could_not_be_written_is_refused_before_the_run(nsdgen, ball, folder, monkeypatch):
    def never(*arguments, **options):
        raise AssertionError("the run was started")

    nsdgen("run", ball, "--end", "0.1")
    monkeypatch.setattr("nsdgen.study.compiled_model.CompiledModel.run", never)
    (folder / "taken.png").mkdir()
    for arguments, words in (
        (("--plot-file", "nowhere/a.png"), "there is no folder 'nowhere'"),
        (("--plot-file", "a.nonsense"), "a picture cannot be saved"),
        (("--plot-file", "taken.png"), "is a folder"),
        (("--animate", "a.avi"), "cannot be saved"),
        (("--animate", "nowhere/a.html"), "there is no folder 'nowhere'"),
        (("--out", "nowhere/a.nc"), "there is no folder 'nowhere'"),
    ):
        answer = nsdgen("run", ball, *arguments)
        assert answer.code == 2 and words in answer.err


def test_a_pattern_takes_no_time(nsdgen, ball):
    nsdgen("run", ball, "--end", "0.1")
    began = time.monotonic()
    for pattern in ("*a" * 30 + "*b", "*" * 5000, "*l" * 500, "x" * 100_000, "*" + "ball" * 10_000 + "*"):
        for option in ("--record", "--plot"):
            assert nsdgen("run", ball, "--end", "0.1", option, pattern, "--plot-file", "p.png").code in (0, 2)
    assert time.monotonic() - began < 30
    text = "a" * 2000
    assert not fits("*a" * 200 + "*b", text) and fits("*a" * 200 + "*", text)
    assert near("ball.z", ["ball.y", "box"]) == ["ball.y"] and near("x" * 10_000, ["x" * 10_000]) == []


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("a*b", ["ab", "axb", "abb"], ["a", "b", "abc", "xab"]),
        ("*", ["", "a"], []),
        ("**", ["", "ab"], []),
        ("a", ["a"], ["", "aa"]),
        ("*ab*ab*", ["abab", "xabxabx"], ["ab", "aab"]),
        ("ab*ab", ["abab"], ["ab", "aba"]),
    ],
)
def test_patterns(pattern, yes, no):
    assert all(fits(pattern, text) for text in yes) and not any(fits(pattern, text) for text in no)


# -- files that appear whole --------------------------------------------------------------


def test_saving_keeps_mode_owner_and_links(tmp_path):
    real = tmp_path / "real.txt"
    real.write_text("old")
    real.chmod(0o640)
    (tmp_path / "link.txt").symlink_to(real)
    if os.geteuid() == 0:
        os.chown(real, 12345, 12345)
    with replaced_file(tmp_path / "link.txt") as file:
        file.write(b"new")
    assert (tmp_path / "link.txt").is_symlink() and real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert os.geteuid() != 0 or real.stat().st_uid == 12345


SAVER = """\
import sys, time
from nsdgen.base.whole_file import replaced_file
with replaced_file(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    time.sleep(600)
"""


def test_what_killed_saves_left_is_swept(tmp_path):
    target = tmp_path / ("n" * 240 + ".nc")  # a part of this name would be too long
    target.write_text("old")
    other = tmp_path / f".{'n' * 100}.mine.part"
    other.write_text("")
    for _ in range(2):
        process = subprocess.Popen([sys.executable, "-c", SAVER, str(target)], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"writing\n"
        alive = [p for p in tmp_path.iterdir() if p not in (target, other)]
        assert len(alive) == 1  # what the one before left is gone
        with replaced_file(target) as file:
            file.write(b"new")
        assert alive[0].exists(), "somebody writes it"
        process.kill()
        process.wait()
        assert target.read_text() == "new"
    with replaced_file(target) as file:
        file.write(b"newer")
    assert sorted(tmp_path.iterdir()) == sorted([target, other]) and target.read_text() == "newer"


def test_a_write_that_fails_leaves_the_old_file(tmp_path, compiled):
    target = tmp_path / "a.nc"
    target.write_text("old")
    with pytest.raises(ZeroDivisionError), replaced_file(target) as file:
        file.write(b"new" if 1 // 0 else b"")
    assert target.read_text() == "old" and list(tmp_path.iterdir()) == [target]
    for name in ("a\0b.nc", "x" * 300 + ".nc"):
        with pytest.raises(ParameterError, match="cannot be written"):
            compiled("bouncing_ball").run(end=0.1).save(str(tmp_path / name))
