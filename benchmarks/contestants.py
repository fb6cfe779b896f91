"""The contestants of a comparison: nsdgen, C by hand, the peer. Each runs n steps and is timed.

``Case`` says what belongs together: an example, its hand-written C, the peer's script. All
contestants get the same parameters, those of the example.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import runpy
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nsdgen.build.flags import compile_flags, link_libraries
from nsdgen.build.toolchain import find_compiler

__all__ = ["CASES", "CLOCKS", "Case", "Generated", "HandWritten", "Peer", "PeerMissing", "build_shared", "peer_python"]

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
CLOCKS = {"cpu": time.thread_time, "wall": time.perf_counter}
"""What a run takes: ``cpu`` is this thread's time, which other processes do not lengthen."""
Table = NDArray[np.float64]


class PeerMissing(Exception):
    """The peer is not there; the message says what was looked for."""


@dataclass(frozen=True)
class Case:
    """One model in three hands.

    ``parameters`` is the order in which the C code wants the model's parameters, followed by
    ``options`` of its scheme. ``shared`` are the columns of the model's table that the peer
    observes too. ``tolerance`` is relative to a column's largest value, over a whole run:
    against C, against the peer.
    """

    name: str
    example: str
    parameters: tuple[str, ...]
    options: tuple[str, ...]
    shared: tuple[int, ...]
    tolerance: tuple[float, float] = (1e-12, 1e-10)
    plugin: str = ""


CAM = ("mu", "zeta", "kappa", "omega", "e", "R_b", "k1", "k2", "rho1", "rho2", "rho3", "beta1", "beta2", "beta3")
CASES = (
    Case("ball", "bouncing_ball", ("m", "g", "e"), ("theta", "activation_gamma"), (0, 1, 5)),
    Case("cam_follower", "cam_follower", CAM, ("theta", "activation_gamma"), (0, 1, 5), plugin="cam_plugin"),
    Case("diode_bridge", "diode_bridge", ("L", "C", "R"), ("theta", "gamma"), (0, 1, 4, 5, 6, 7)),
)


def build_shared(source: Path, folder: Path) -> Path:
    """A shared object of one C file, with the flags that nsdgen gives its kernels."""
    target = folder / f"{source.stem}.so"
    command = (*find_compiler(), *compile_flags(), str(source), "-o", str(target), *link_libraries())
    subprocess.run(command, check=True)
    return target


class Generated:
    """The compiled model of an example, as a user runs it: every column recorded."""

    def __init__(self, case: Case, clock: str = "cpu") -> None:
        self.now = CLOCKS[clock]
        self.model = runpy.run_path(str(EXAMPLES / f"{case.example}.py"))["model"]
        self.compiled = self.model.compile()
        self.step: float = self.model.step
        # A hand leaves out what keeps a contact at rest closed; nsdgen computes and records it all the same.
        self.by_hand = [
            i for i, c in enumerate(self.compiled.run(end=self.step).columns) if not c.name.endswith(".slack")
        ]

    def run(self, steps: int) -> tuple[float, Table]:
        """Seconds in ``CompiledModel.run`` and its table."""
        end = steps * self.step
        began = self.now()
        trajectory = self.compiled.run(end=end)
        seconds = self.now() - began
        if len(trajectory) != steps + 1:
            raise RuntimeError(f"{self.compiled.name} made {len(trajectory) - 1} steps instead of {steps}")
        return seconds, trajectory.table


class HandWritten:
    """The same steps in C written for this one model: one call for all of them."""

    def __init__(self, case: Case, generated: Generated, folder: Path) -> None:
        record = generated.compiled.record
        options = {o.name: o.value for scheme in record.schemes for o in scheme.options}
        values = generated.compiled.parameters
        self.now = generated.now
        self.given = np.array([*(values[n] for n in case.parameters), *(options[n] for n in case.options)])
        self.initial = np.array(record.systems[0].initial, dtype=float)
        self.step = generated.step
        self.width = len(generated.by_hand)
        self.call = ctypes.CDLL(str(build_shared(HERE / "c" / f"{case.name}.c", folder))).simulate
        self.call.restype = None
        self.call.argtypes = [ctypes.c_long, ctypes.c_double, *(ctypes.c_void_p,) * 4]

    def run(self, steps: int) -> tuple[float, Table]:
        """Seconds with fresh arrays, as ``CompiledModel.run`` has them, and the table."""
        began = self.now()
        table, times = np.empty((steps + 1, self.width)), np.empty(steps + 1)
        self.call(
            steps, self.step, self.given.ctypes.data, self.initial.ctypes.data, times.ctypes.data, table.ctypes.data
        )
        return self.now() - began, table


def peer_python() -> str:
    """A Python that has the peer; raises ``PeerMissing``."""
    candidates = dict.fromkeys(filter(None, ("/usr/bin/python3", shutil.which("python3"))))
    for python in candidates:
        with contextlib.suppress(OSError):
            if subprocess.run([python, "-E", "-c", "import siconos.kernel"], capture_output=True).returncode == 0:
                return python
    raise PeerMissing(
        f"no Siconos: none of {', '.join(candidates)} can import siconos.kernel (Debian: apt install python3-siconos)"
    )


class Peer:
    """The peer's script in a process of its own, asked for one run at a time.

    ``version`` is the peer's, known after the first run.
    """

    def __init__(
        self, case: Case, parameters: Mapping[str, float], step: float, folder: Path, clock: str = "cpu"
    ) -> None:
        self.folder, self.step, self.parameters, self.clock = folder, step, dict(parameters), clock
        plugin = [str(build_shared(HERE / "peer" / f"{case.plugin}.c", folder))] if case.plugin else []
        script = HERE / "peer" / f"{case.name}.py"
        self.version = ""
        self.process = subprocess.Popen(
            [peer_python(), "-E", str(script), *plugin],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def ask(self, steps: int, record: Path | None = None) -> dict[str, Any]:
        """One run; what the peer prints besides its answer is passed over."""
        assert self.process.stdin is not None and self.process.stdout is not None
        request = {
            "steps": steps,
            "h": self.step,
            "parameters": self.parameters,
            "clock": self.clock,
            "record": str(record) if record else None,
        }
        self.process.stdin.write(json.dumps(request) + "\n")
        for line in self.process.stdout:
            if line.startswith("{"):
                answer = dict(json.loads(line))
                self.version = answer["version"]
                return answer
        raise RuntimeError("the peer ended without an answer")

    def time(self, steps: int) -> tuple[float, list[float]]:
        """Seconds of the bare loop and the state it ended in."""
        answer = self.ask(steps)
        return answer["seconds"], answer["final"]

    def record(self, steps: int) -> Table:
        """The shared columns at the start and after every step."""
        path = self.folder / "peer.npy"
        self.ask(steps, path)
        return np.load(path)

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
