"""A first run does not wait for the compiler, and a build that nobody waits for disturbs nobody."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import time
import warnings

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.build import beside
from nsdgen.build.beside import UNATTENDED as BUILDS
from nsdgen.build.compile import find_kernels
from nsdgen.errors import CompileError, KernelsInterpreted


def falling() -> nsd.Model:
    z, (m, e) = dynamicsymbols("z"), sp.symbols("m e", positive=True)
    ball = nsd.LagrangianSystem("ball", [z], kinetic=m * z.diff() ** 2 / 2, potential=9.81 * m * z)
    return nsd.Model(
        "falling",
        [ball],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=2.0,
        parameters={m: 1.0, e: 0.5},
        initial={z: 1.0},
    )


@pytest.fixture(autouse=True)
def no_cache(tmp_path, monkeypatch):
    """A cache of the test's own, and no build from another test at work."""
    monkeypatch.setenv("NSDGEN_CACHE", str(tmp_path / "cache"))
    for underway in BUILDS._at_work:
        underway.process.wait()


def of(model: nsd.Model):
    """What the runs of a model use."""
    return model._compiled[1]


def silent(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return function()


def test_runs_change_to_compiled_kernels_when_these_are_there():
    model = falling()
    first = model.run()
    used = of(model)
    assert used.interpreted
    assert used.underway in BUILDS._at_work
    used.underway.process.wait()
    again = model.run()
    assert of(model) is used and used.fused and not used.interpreted and used.underway is None
    assert again.table.tobytes() == first.table.tobytes() and again.time.tobytes() == first.time.tobytes()
    at_work, other = list(BUILDS._at_work), falling()
    assert other.run().table.tobytes() == first.table.tobytes()
    assert BUILDS._at_work == at_work and not of(other).interpreted  # it was in the cache: no process


def test_who_needs_compiled_kernels_waits_for_them():
    model = falling()
    first = model.run()
    assert of(model).interpreted
    arrived = pickle.loads(pickle.dumps(model))
    assert not arrived.interpreted and not of(model).interpreted
    assert arrived.run().table.tobytes() == first.table.tobytes()
    members = model.ensemble(parameters={"e": [0.5, 0.25]})
    assert members.last("ball.z")[0] == first.final["ball.z"]


def test_a_script_ends_and_its_build_goes_on(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys; sys.path.insert(0, sys.argv[1]); from test_unattended import falling, of\n"
        "model = falling(); model.run(end=0.01); print(of(model).underway.key, of(model).interpreted)\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", str(script), os.path.dirname(__file__)],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    key, interpreted = done.stdout.split()
    assert interpreted == "True"
    assert "subprocess" not in done.stderr and "Exception ignored" not in done.stderr
    end = time.monotonic() + 120
    while not find_kernels(key) and time.monotonic() < end:
        time.sleep(0.05)
    assert find_kernels(key)


def in_a_fork(model, answer):
    first = model.run(end=0.5)
    answer.send((of(model).interpreted, of(model).underway is None or of(model).underway.ended, first.table.tobytes()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_shares_the_build():
    model = falling()
    table = model.run(end=0.5).table.tobytes()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=in_a_fork, args=(model, theirs))
    child.start()
    assert ours.recv()[1:] == (False, table)
    child.join()
    assert child.exitcode == 0
    of(model).underway.process.wait()
    model.run(end=0.5)
    assert not of(model).interpreted


def test_only_so_many_builds_are_at_work(monkeypatch):
    monkeypatch.setattr(beside, "_MOST", 0)
    model = falling()
    model.run(end=0.01)
    assert not of(model).interpreted


@pytest.mark.parametrize("executable", ["", "/opt/modeller/modeller", None])
def test_where_python_is_part_of_another_program_the_run_waits(monkeypatch, executable):
    monkeypatch.setattr(sys, "executable", executable)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a process was started"))
    assert beside._started() is None


def test_where_no_process_can_be_started_the_run_waits(monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(1, "no processes here")

    monkeypatch.setattr(beside, "_Detached", refuse)
    model = falling()
    model.run(end=0.01)
    assert not of(model).interpreted


def test_what_cannot_be_compiled_is_said_once(tmp_path, monkeypatch):
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] || { echo no licence >&2; exit 1; }\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    model = falling()
    first = silent(lambda: model.run(end=0.01))
    of(model).underway.process.wait()
    with pytest.warns(KernelsInterpreted, match="no licence"):
        model.run(end=0.01)
    assert of(model).underway is None
    assert silent(lambda: model.run(end=0.01)).table.tobytes() == first.table.tobytes()


def test_a_cache_that_cannot_be_written_is_said_once(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NSDGEN_CACHE", str(tmp_path / "file" / "cache"))
    model = falling()
    silent(lambda: model.run(end=0.01))
    of(model).underway.process.wait()
    with pytest.warns(KernelsInterpreted, match="no place to keep"):
        model.run(end=0.01)
    silent(lambda: model.run(end=0.01))


def test_a_text_that_the_compiler_refuses_is_said_and_runs(monkeypatch):
    model = falling()
    model.run(end=0.01)
    underway = of(model).underway
    underway.process.kill()
    underway.process.wait()
    monkeypatch.setattr(beside, "compile_source", lambda *_, **__: (_ for _ in ()).throw(CompileError("refused")))
    with pytest.warns(KernelsInterpreted, match="refused"):
        model.run(end=0.01)
    silent(lambda: model.run(end=0.01))


def test_where_the_other_process_was_killed_this_one_builds():
    model = falling()
    model.run(end=0.01)
    of(model).underway.process.kill()
    of(model).underway.process.wait()
    silent(lambda: model.run(end=0.01))
    assert not of(model).interpreted
