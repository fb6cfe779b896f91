"""How the cost of a step grows with the model: a column of beads and a pile of discs, at rest.

    python benchmarks/scale.py [--sizes 10,100,1000,10000] [--rounds 5] [--json FILE]

The column is the same in nsdgen, MuJoCo and Siconos, with the same step; contestants take
turns. In MuJoCo's soft contacts the beads start a tenth of a millimetre into each other, so that all contacts
bear load while it is timed, as nsdgen's do; ``active`` is the share that did at the end. Memory is measured
before a peer is there. MuJoCo (``pip install mujoco``) and Siconos are left out where they are absent, Siconos
also above ``--peer-beads``. The pile is nsdgen's alone: discs with Coulomb friction between
walls, in rows that lie in each other's hollows; its set-up holds the first step, which finds the
reactions from nothing; ``deep`` has as many rows as discs in a row. ``--models collapse`` lets a loose
pile fall instead, 1500 steps. Times are of the stepping thread, in µs per step, medians with the fastest
and slowest round. The exit
status is 1 where an answer is wrong.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import resource
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np
from contestants import EXAMPLES, Case, Peer, PeerMissing, peer_python
from nsdgen.runtime._runs import Stepper
from tables import table_text

from nsdgen.runtime.simulation import prepare
from nsdgen.runtime.values import run_values

GRAVITY, RADIUS = 9.81, 0.05
OVERLAP = -1e-9  # m, so that no contact is open by rounding
SOFT_OVERLAP = 1e-4  # m, of MuJoCo's beads: with less, its contacts open and most of them are not solved for
SOFT_STEPS = 200  # after which they are set into each other again
SETTLING = 20  # steps before anything is timed
COLLAPSE_STEPS = 1500  # the pile has come to rest
BUFFER = 64_000_000  # bytes through which all columns of all steps go
Run = Callable[[int], float]  # steps -> seconds
HEADINGS = (
    "model",
    "N",
    "nsdgen",
    "per instance",
    "MuJoCo",
    "active",
    "MuJoCo/nsdgen",
    "Siconos",
    "Siconos/nsdgen",
    "set-up",
    "memory",
)


@dataclass(frozen=True)
class Speed:
    """µs per step over the rounds."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.median:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class Result:
    """One model at one size; memory in MB is the process's largest before it loads a peer.

    ``active`` is the share of contacts that bore load in MuJoCo when its time was up.
    """

    model: str
    size: int
    speeds: dict[str, Speed]
    setup: float
    memory: float
    failures: tuple[str, ...]
    active: float | None = None

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        own = self.speeds["nsdgen"].median

        def beside(name: str) -> tuple[str, str]:
            speed = self.speeds.get(name)
            return ("-", "-") if speed is None else (str(speed), f"{speed.median / own:.2f}")

        return (
            self.model,
            str(self.size),
            str(self.speeds["nsdgen"]),
            f"{1e3 * own / self.size:.0f} ns",
            beside("MuJoCo")[0],
            "-" if self.active is None else f"{self.active:.0%}",
            beside("MuJoCo")[1],
            *beside("Siconos"),
            f"{self.setup:.2f} s",
            f"{self.memory:.0f} MB",
        )


class Compiled:
    """A model of ``examples/``, settled and ready to step."""

    def __init__(self, example: str, *arguments: object) -> None:
        began = time.perf_counter()
        self.model = runpy.run_path(str(EXAMPLES / f"{example}.py"))["build"](*arguments)
        self.compiled = self.model.compile()
        record, table = self.compiled.record, self.compiled.table
        self.values = run_values(record, table)
        self.stepper: Stepper = prepare(record, table, self.values)
        room = max(1, min(256, BUFFER // (8 * self.stepper.layout.width)))
        self.rows, self.times = np.empty((room, self.stepper.layout.width)), np.empty(room)
        self.stepper.keep(None, 1, cuts=True)
        self.last = self.rows[0]
        self(SETTLING)
        self.setup = time.perf_counter() - began

    def restart(self) -> None:
        """Back to the start, and settled."""
        self.stepper.initialize(self.values.start, self.values.step)
        self(SETTLING)

    def __call__(self, steps: int) -> float:
        began = time.thread_time()
        while steps > 0:
            count = min(steps, len(self.rows))
            made, *_ = self.stepper.advance(count, self.rows, self.times)
            if made < count:
                raise RuntimeError(f"{self.compiled.name} failed: {self.stepper.failed}")
            self.last = self.rows[count - 1]
            steps -= count
        return time.thread_time() - began

    def fastest(self) -> float:
        """The largest speed of a disc in the last step, m/s."""
        names = [c.name for c in self.stepper.layout.columns]
        return float(max(abs(self.last[i]) for i, name in enumerate(names) if name.endswith(("x_dot", "y_dot"))))

    def column(self, name: str) -> float:
        """The last value of a recorded column."""
        names = [c.name for c in self.stepper.layout.columns]
        return float(self.last[names.index(name)])


def mujoco_column(count: int, step: float) -> tuple[Run, Callable[[], float]] | None:
    """The column in MuJoCo: slide joints, spheres, frictionless contacts; None where it is absent.

    What runs it, and what gives the share of contacts that bear load.
    """
    try:
        import mujoco
    except ImportError:
        return None
    bodies = "".join(
        f'<body pos="0 0 {RADIUS * (2 * i + 1) - SOFT_OVERLAP * (i + 1)}"><joint type="slide" axis="0 0 1"/>'
        f'<geom type="sphere" size="{RADIUS}" mass="{1.0 + i / max(count - 1, 1)}" condim="1"/></body>'
        for i in range(count)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{step}" gravity="0 0 -{GRAVITY}"/><worldbody>'
        f'<geom type="plane" size="1 1 1" condim="1"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)

    def run(steps: int) -> float:
        spent = 0.0
        while steps > 0:
            mujoco.mj_resetData(model, data)
            mujoco.mj_step(model, data, SETTLING)
            began = time.thread_time()
            mujoco.mj_step(model, data, min(steps, SOFT_STEPS))
            spent += time.thread_time() - began
            steps -= SOFT_STEPS
        return spent

    return run, lambda: float((data.efc_force > 0).sum()) / count


def siconos_column(count: int, step: float, folder: Path) -> Peer:
    """The column in Siconos, in a process of its own."""
    case = Case("column", "bead_column", (), (), ())
    return Peer(case, {"count": float(count), "r": RADIUS, "g": GRAVITY}, step, folder)


def time_in_turns(runs: dict[str, Run], steps: dict[str, int], rounds: int) -> dict[str, Speed]:
    """Every contestant in every round, the order turned with the round."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    names = list(runs)
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            seconds[name].append(1e6 * runs[name](steps[name]) / steps[name])
    return {name: Speed(statistics.median(s), min(s), max(s)) for name, s in seconds.items()}


def steps_within(run: Run, seconds: float = 0.3) -> int:
    """How many steps take about this long."""
    return max(3, min(20_000, int(seconds / max(run(3) / 3, 1e-9))))


def memory() -> float:
    """The largest memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def measure_column(count: int, rounds: int, with_siconos: bool) -> Result:
    """The column of ``count`` beads in all hands."""
    own = Compiled("bead_column", count, OVERLAP)
    step = own.model.step
    masses = np.linspace(1.0, 2.0, count) if count > 1 else np.ones(1)
    weight = float(masses.sum()) * GRAVITY * step
    wrong = abs(own.column("floor.impulse") / weight - 1.0)
    # The condition of A grows with the square of N, and so does what rounding makes of the impulse.
    failures = [] if wrong < 1e-9 + 1e-14 * count**2 else [f"the floor's impulse is off by {wrong:.1e}"]
    runs: dict[str, Run] = {"nsdgen": own}
    used = memory()
    other = mujoco_column(count, step)
    if other is not None:
        runs["MuJoCo"] = other[0]
    with tempfile.TemporaryDirectory() as folder:
        peer = siconos_column(count, step, Path(folder)) if with_siconos else None
        if peer is not None:
            impulse = peer.time(50)[1][0]
            if not abs(impulse / weight - 1.0) < 1e-9:
                failures.append(f"Siconos: the floor's impulse is {impulse}, not {weight}")
            runs["Siconos"] = lambda steps: peer.time(steps)[0]
        steps = {name: steps_within(run) for name, run in runs.items()}
        speeds = time_in_turns(runs, steps, rounds)
        if peer is not None:
            peer.close()
    return Result("column", count, speeds, own.setup, used, tuple(failures), other[1]() if other else None)


def measure_pile(count: int, rounds: int, deep: bool = False) -> Result:
    """The pile of ``count`` discs at rest: friction at every contact. Its first step, from nothing, is set-up."""
    own = Compiled("disc_pile", count, True, *([math.isqrt(count)] if deep else []))
    speeds = time_in_turns({"nsdgen": own}, {"nsdgen": steps_within(own)}, rounds)
    moving = own.fastest()
    failures = () if moving < 1e-6 else (f"a disc at rest moves with {moving:.1e} m/s",)
    return Result("deep pile" if deep else "pile", count, speeds, own.setup, memory(), failures)


def measure_collapse(count: int, rounds: int) -> Result:
    """A loose pile of ``count`` discs from the start until it has come to rest: impacts, jams, sliding."""
    own = Compiled("disc_pile", count)
    samples = []
    for _ in range(rounds):
        own.restart()
        samples.append(1e6 * own(COLLAPSE_STEPS) / COLLAPSE_STEPS)
    speeds = {"nsdgen": Speed(statistics.median(samples), min(samples), max(samples))}
    failures = () if own.fastest() < 10.0 else (f"a disc flies with {own.fastest():.1e} m/s",)
    return Result("collapse", count, speeds, own.setup, memory(), failures)


def alone(arguments: argparse.Namespace, model: str, size: int) -> Result:
    """One measurement in a process of its own, so that memory is its own."""
    command = [
        sys.executable,
        __file__,
        "--one",
        f"{model},{size}",
        "--rounds",
        str(arguments.rounds),
        "--peer-beads",
        str(arguments.peer_beads),
    ]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    answer["speeds"] = {name: Speed(**speed) for name, speed in answer["speeds"].items()}
    return Result(**{**answer, "failures": tuple(answer["failures"])})


def has_siconos() -> bool:
    """Whether the peer is installed."""
    try:
        peer_python()
    except PeerMissing:
        return False
    return True


def main() -> int:
    """Measure, print, and say by the exit status whether all answers are right."""
    parser = argparse.ArgumentParser(description="The cost of a step, from ten instances to ten thousand.")
    parser.add_argument("--sizes", default="10,100,1000,10000")
    parser.add_argument("--models", default="column,pile")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peer-beads", type=int, default=100, help="Siconos up to this size (default 100)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        model, size = options.one.split(",")
        if model == "column":
            result = measure_column(int(size), options.rounds, int(size) <= options.peer_beads and has_siconos())
        else:
            measure = {"pile": measure_pile, "deep": partial(measure_pile, deep=True), "collapse": measure_collapse}
            result = measure[model](int(size), options.rounds)
        print(json.dumps(asdict(result)))
        return 0
    results = [
        alone(options, model, int(size)) for model in options.models.split(",") for size in options.sizes.split(",")
    ]
    print(
        f"date {datetime.date.today().isoformat()}; cpus {os.cpu_count()}; load {os.getloadavg()[0]:.2f}; "
        f"{options.rounds} rounds; µs per step: median [fastest, slowest]"
    )
    print(table_text([HEADINGS, *(r.cells() for r in results)]))
    for result in results:
        for failure in result.failures:
            print(f"{result.model} {result.size}: {failure}", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n", encoding="utf-8")
    return 1 if any(r.failures for r in results) else 0


if __name__ == "__main__":
    sys.exit(main())
