"""Kill commands at a moment drawn at random and look at what they left: prints each seed, and what was lost.

``python kill_worker.py MODEL FOLDER FIRST END``: exit status 0 where nothing was. Commands are children of this
process, forked after nsdgen was imported, so that a moment is one of the command itself. Each runs in FOLDER with a
cache there; after a kill every file under its own name loads whole, the file that was there before or the new one,
and the same command done again ends as it should and gives the reference's numbers.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import nsdgen.model.pipeline  # noqa: F401
from nsdgen.cli import compile_command, run_command  # noqa: F401
from nsdgen.cli.main import main as command
from nsdgen.study.compiled_model import open_package
from nsdgen.study.trajectory import Trajectory

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
ENDED = (0, *(128 + number for number in SIGNALS))
LONG, SHORT = ("--end", "40", "-q"), ("--end", "0.5", "-q")


def forked(action: Callable[[], int]) -> int:
    """The id of a process that does this and exits with what it returns."""
    sys.stdout.flush()
    child = os.fork()
    if child:
        return child
    for number in SIGNALS[1:]:
        if number != signal.SIGKILL:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    os.setpgid(0, 0)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    code = 99
    try:
        code = action()
    finally:
        os._exit(code)


def succeeded(action: Callable[[], int], what: object) -> None:
    """A process that does this ends well."""
    _, status = os.waitpid(forked(action), 0)
    assert os.waitstatus_to_exitcode(status) == 0, (what, os.waitstatus_to_exitcode(status))


def finished(arguments: list[str]) -> float:
    """The seconds of a command that is left alone, which must succeed."""
    began = time.monotonic()
    succeeded(lambda: command(arguments), arguments)
    return time.monotonic() - began


def killed(arguments: list[str], after: float, number: signal.Signals) -> int:
    """The exit code, or minus the signal, of a command that is sent a signal after so many seconds."""
    child = forked(lambda: command(arguments))
    time.sleep(after)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, number)  # or it has hardly begun, and is no group yet
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, number)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Killing:
    """The scenarios, each a command and what must hold of the files it writes."""

    def __init__(self, model: Path) -> None:
        self.model = Path("model.py")
        shutil.copy(model, self.model)
        old = time.time() - 60.0
        os.utime(self.model, (old, old))  # what is being edited right now is not remembered
        self.cache = Path(os.environ["NSDGEN_CACHE"])
        self.building = finished(["run", "model.py", *SHORT, "--out", "short.npz"])
        self.short = Trajectory.load("short.npz").table
        self.seconds = {
            suffix: finished(["run", "model.py", *LONG, "--out", f"out{suffix}"]) for suffix in (".nc", ".npz")
        }
        self.long = Trajectory.load("out.npz").table
        self.packing = finished(["compile", "model.py", "-o", "packages"])

    def saving(self, rng: random.Random, number: signal.Signals) -> None:
        """A run over a file that is there."""
        suffix = rng.choice((".nc", ".npz"))
        out = Path(f"out{suffix}")
        arguments = ["run", "model.py", *LONG, "--out", str(out)]
        code = killed(arguments, rng.uniform(0.3, 1.1) * self.seconds[suffix], number)
        assert code in ENDED or code == -number, code
        found = Trajectory.load(out).table
        assert np.array_equal(found, self.long[: len(found)])
        assert len(found) == len(self.long) or code > 128, "cut short without a word"
        finished(arguments)
        assert np.array_equal(Trajectory.load(out).table, self.long)
        parts = [path for path in Path().iterdir() if path.name.endswith(".part")]
        assert not parts, parts

    def caching(self, rng: random.Random, number: signal.Signals) -> None:
        """A run that has to build, in an empty cache or in one that a kill left."""
        if rng.random() < 0.5:
            shutil.rmtree(self.cache)
        else:
            for path in self.cache.rglob("*.so"):
                path.unlink()
        arguments = ["run", "model.py", *SHORT, "--out", "short.npz"]
        killed(arguments, rng.uniform(0.0, 1.0) * self.building, number)
        assert np.array_equal(Trajectory.load("short.npz").table, self.short)
        finished(arguments)
        assert np.array_equal(Trajectory.load("short.npz").table, self.short)

    def packaging(self, rng: random.Random, number: signal.Signals) -> None:
        """A package over one that is there."""
        arguments = ["compile", "model.py", "-o", "packages"]
        killed(arguments, rng.uniform(0.0, 1.0) * self.packing, number)
        finished(arguments)
        (package,) = [path for path in Path("packages").iterdir() if path.is_dir() and not path.name.startswith(".")]
        # in a process of its own: one that has loaded a package says so when it is replaced
        succeeded(lambda: len(open_package(package).run(end=0.5)) - len(self.short), package)

    def try_one(self, seed: int) -> None:
        rng = random.Random(seed)
        scenario = rng.choices((self.saving, self.caching, self.packaging), (6, 1, 1))[0]
        scenario(rng, rng.choice(SIGNALS))


def main() -> int:
    model, folder, first, end = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    os.chdir(folder)
    killing, lost = Killing(model), 0
    for seed in range(first, end):
        print(f"seed {seed}", flush=True)
        try:
            killing.try_one(seed)
        except Exception as error:
            lost += 1
            print(f"seed {seed}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    print(f"{end - first} kills, {lost} losses")
    return min(lost, 100)


if __name__ == "__main__":
    sys.exit(main())
