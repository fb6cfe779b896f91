"""The peer's time of a step (Siconos, where a Python has it), of models whose matrices say all of them.

The peer gets the same matrices, step, theta and gamma (``benchmarks/peer/linear.py``), functions of time in C
(``sources.c``), and must come to the same states; its bare loop is timed, without set-up and without recording, which
favours it. Other models have no peer's time: a callback in Python would time Python.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import nsdgen as nsd
from nsdgen.build.flags import compile_flags, link_libraries
from nsdgen.build.toolchain import find_compiler
from nsdgen.study.compiled_model import CompiledModel

from .case import Case
from .compare import end_of, repetitions, run
from .given import Given
from .linear_form import linear_form
from .mechanical_form import mechanical_form

__all__ = ["Peer", "no_peer"]

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks" / "peer"
SOURCES = FOLDER / "sources.c"
AGREE = 1e-6
"""Of the largest value of a state: what the peer may differ by and still have solved the same problem."""
LIMIT = 120
"""Seconds that a run of the peer may take."""


@dataclass(frozen=True)
class Peer:
    """A Python that has the peer, or none (``python`` is empty): then nothing is timed."""

    python: str

    @classmethod
    def find(cls) -> Peer:
        """The first of the usual places whose Python imports the peer."""
        for python in dict.fromkeys(filter(None, ("/usr/bin/python3", shutil.which("python3")))):
            with contextlib.suppress(OSError):
                if subprocess.run([python, "-c", "import siconos.kernel"], capture_output=True).returncode == 0:
                    return cls(python)
        return no_peer

    def seconds_per_step(self, given: Given, case: Case, compiled: CompiledModel, rounds: int) -> float | None:
        """The shortest of all rounds; None without peer, without matrices, or where it solves another problem."""
        if not self.python:
            return None
        script, matrices = "linear.py", linear_form(case, compiled)
        if matrices is None:
            script, matrices = "mechanical.py", mechanical_form(case, compiled)
        if matrices is None:
            return None
        functions = {name: f"{given.slug}_{name}" for name in matrices.get("moving", ())}
        if any(f"({function})" not in SOURCES.read_text(encoding="utf-8") for function in functions.values()):
            return None
        _, steps = end_of(given, case)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "states.npy"
            request = {
                "steps": steps,
                "h": case.model.step,
                "clock": "cpu",
                "parameters": {**matrices, "functions": functions},
            }
            timed = [{**request, "record": None}] * repetitions(steps, rounds)
            answers = self.ask(
                script,
                [{**request, "record": str(path)}, *timed],
                [str(shared_object(Path(folder)))] if functions else [],
            )
            if answers is None or not same_states(np.load(path), run(case, compiled, steps)):
                return None
        return min(answer["seconds"] for answer in answers[1:]) / steps

    def ask(self, script: str, requests: list[dict[str, Any]], arguments: list[str]) -> list[dict[str, Any]] | None:
        """The answers to all requests; None where it took too long. Raises RuntimeError where the peer failed."""
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        try:
            done = subprocess.run(
                [self.python, str(FOLDER / script), *arguments],
                input=lines,
                timeout=LIMIT,
                capture_output=True,
                text=True,
            )
        except subprocess.TimeoutExpired:
            return None
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if len(answers) != len(requests):
            raise RuntimeError((done.stderr.strip().splitlines() or ["it ended without an answer"])[-1])
        return answers


def shared_object(folder: Path) -> Path:
    """``sources.c`` compiled with the flags that nsdgen gives its kernels; raises CalledProcessError."""
    target = folder / "sources.so"
    subprocess.run([*find_compiler(), *compile_flags(), str(SOURCES), "-o", str(target), *link_libraries()], check=True)
    return target


def same_states(theirs: np.ndarray, ours: nsd.Trajectory) -> bool:
    """Whether the states of all systems, the first columns of a trajectory, agree over the whole run."""
    states = ours.table[:, : theirs.shape[1]]
    return bool(np.all(np.abs(theirs - states) <= AGREE * np.abs(states).max(axis=0)))


no_peer = Peer("")
