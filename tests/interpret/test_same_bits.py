"""Interpreted kernels and runs against compiled ones: the same bits."""

from __future__ import annotations

import copy
import gc
import importlib.util
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from nsdgen.runtime._binding import KernelTable
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.kernels import make_kernels
from nsdgen.errors import CompileError, CompilerMissing, KernelsInterpreted, ModuleMismatch, NsdgenError
from nsdgen.model.pipeline import emit_model
from nsdgen.study.compiled_model import CompiledModel, open_package

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "examples" / "mechanisms").glob("*.py")])


def tables(text: str) -> list[KernelTable]:
    """The kernels of a text, compiled and interpreted."""
    source = KernelSource("m", "_kernels", text)
    return [KernelTable(make_kernels(source, interpret=way).module) for way in (False, True)]


def interpreted(model: nsd.Model):
    return copy.copy(model).compile(interpret=True)


@pytest.mark.parametrize("name", ["cam_follower", "diode_bridge", "tumbling_brick"])
def test_kernels_give_the_same_bits(compiled, differing, name):
    text = compiled(name).text
    assert text == open_package(ROOT / "generated" / name, interpret=True).text
    assert differing(*tables(text)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [file.stem for file in FILES if "\nmodel = " in file.read_text()])
def test_kernels_of_examples_give_the_same_bits_at_many_points(example, differing, name):
    assert differing(*tables(emit_model(example(name).model).text), points=300) == []


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_kernels_and_runs_of_examples_give_the_same_bits(differing, file, monkeypatch):
    monkeypatch.syspath_prepend(str(file.parent))
    spec = importlib.util.spec_from_file_location(f"interpreted_{file.stem}", file)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    for model in [m for m in vars(module).values() if isinstance(m, nsd.Model)]:
        assert differing(*tables(emit_model(model).text)) == []
        end = min(model.end, model.start + 300 * model.step)
        computed = {b.name: b.computed_by for b in model.blocks if b.clock.computed}
        runs = [c.run(end=end, generic=True, computed=computed) for c in (model.compile(), interpreted(model))]
        assert np.array_equal(runs[0].table, runs[1].table, equal_nan=True)


@pytest.mark.parametrize(
    ("name", "end"), [("bouncing_ball", 3.0), ("cam_follower", 0.3), ("diode_bridge", 1e-3), ("tumbling_brick", 0.3)]
)
def test_runs_give_the_same_bits(compiled, example, name, end):
    one, other = compiled(name), interpreted(example(name).model)
    assert other.interpreted and not one.interpreted
    assert not other.fused
    for options in ({"generic": True}, {}):  # interpreted models have no steps of their own: those are the same, too
        assert np.array_equal(one.run(end=end, **options).table, other.run(end=end, **options).table)


def test_a_run_from_event_to_event():
    """The ball of ``tests/schemes/test_event_driven.py``, so that it is compiled once."""
    z, e = dynamicsymbols("z"), sp.Symbol("e", nonnegative=True)
    body = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=9.81 * z)
    model = nsd.Model(
        "events_ball",
        [body],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        parameters={e: 0.9},
        scheme=nsd.EventDriven(),
        initial={z: 1.0},
        step=5e-3,
        end=1.5,
    )
    assert np.array_equal(model.compile().run().table, interpreted(model).run().table)


def test_operators_ensembles_restarts_and_copies(compiled, example):
    one, other = compiled("cam_follower"), interpreted(example("cam_follower").model)
    speeds = [[0.2], [-0.4]]
    assert np.array_equal(one.follower.force(0.3, 0.01, speeds), other.follower.force(0.3, 0.01, speeds))
    assert np.array_equal(one.cam.gap(0.013, 0.02), other.cam.gap(0.013, 0.02))
    asked = {"parameters": {"omega": np.linspace(60, 90, 8)}, "end": 0.05, "every": 10}
    ensembles = [c.ensemble(threads=n, **asked) for c, n in ((one, 1), (other, 2))]
    for member in range(8):
        assert np.array_equal(*[e.of(member).table for e in ensembles])
    first = [c.run(end=0.02) for c in (one, other)]
    assert np.array_equal(*[c.run(restart=t, end=0.04).table for c, t in zip((one, other), first, strict=True)])
    again = pickle.loads(pickle.dumps(other))
    assert again.interpreted
    assert np.array_equal(again.run(end=0.02).table, first[0].table)


# -- where no compiler is found -----------------------------------------------------------------------


@pytest.fixture
def without_compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("NSDGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)


def test_without_a_compiler_models_run_and_say_so(without_compiler, compiled, example):
    expected = compiled("bouncing_ball").run(end=1.0).table
    model = copy.copy(example("bouncing_ball").model)
    with pytest.warns(KernelsInterpreted, match="interpreted, not compiled: there is no C compiler on this machine"):
        found = model.compile()
    assert np.array_equal(found.run(end=1.0).table, expected)
    with pytest.raises(CompilerMissing):
        model.compile(interpret=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert copy.copy(model).compile(interpret=True).interpreted  # asked for: nothing to say


def test_it_is_said_once(without_compiler, example):
    emitted = emit_model(example("bouncing_ball").model)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("default")
        for _ in range(3):
            make_kernels(KernelSource("m", "_kernels", emitted.text))
    assert len([w for w in said if w.category is KernelsInterpreted]) == 1


def test_without_headers_models_run_and_say_so(monkeypatch, tmp_path, example):
    monkeypatch.setenv("NSDGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("nsdgen.build.toolchain.sysconfig.get_path", lambda name: str(tmp_path))
    with pytest.warns(KernelsInterpreted, match=r"no Python\.h"):
        assert len(copy.copy(example("bouncing_ball").model).compile().run(end=0.1))


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('[ "$1" = --version ] || { echo no licence >&2; exit 1; }', "cannot build an extension: no licence"),
        ('[ "$1" = --version ] || kill -9 $$', "did not end: killed by signal 9"),
        ("while [ $# -gt 0 ]; do [ $1 = -o ] && echo no > $2; shift; done", "cannot be loaded"),
    ],
    ids=["refuses", "is killed", "makes rubbish"],
)
def test_where_the_compiler_does_not_work_models_run_and_say_so(monkeypatch, tmp_path, compiled, script, words):
    compiler = tmp_path / "cc"
    compiler.write_text(f"#!/bin/sh\n{script}\nexit 0\n")
    compiler.chmod(0o755)
    model = compiled("bouncing_ball")
    monkeypatch.setenv("CC", str(compiler))
    monkeypatch.setenv("NSDGEN_CACHE", str(tmp_path / "cache"))
    source = KernelSource("m", "_kernels", model.text)
    with pytest.warns(KernelsInterpreted, match=words):
        kernels = make_kernels(source)
    assert np.array_equal(CompiledModel(model.record, kernels.module).run(end=1.0).table, model.run(end=1.0).table)
    with pytest.raises((CompilerMissing, ModuleMismatch), match=words):
        make_kernels(source, interpret=False)


def test_a_text_that_a_sound_compiler_refuses_is_an_error(monkeypatch, tmp_path, compiled):
    monkeypatch.setenv("NSDGEN_CACHE", str(tmp_path / "cache"))
    text = compiled("bouncing_ball").text.replace("static const nsdgen_input INPUTS[] = {", "static const INPUTS[] = {")
    with pytest.raises(CompileError, match="refused the emitted text") as caught:
        make_kernels(KernelSource("m", "_kernels", text))
    assert not isinstance(caught.value, CompilerMissing)


def test_a_package_without_a_compiler(without_compiler, tmp_path, compiled, example):
    model = copy.copy(example("bouncing_ball").model)
    with pytest.warns(KernelsInterpreted):
        model.compile(tmp_path)
    assert not list(tmp_path.rglob("*.so"))
    with pytest.warns(KernelsInterpreted):
        opened = open_package(tmp_path / "bouncing_ball")
    assert np.array_equal(opened.run(end=1.0).table, compiled("bouncing_ball").run(end=1.0).table)


# -- places among the functions ---------------------------------------------------------------------


def test_kernels_that_nobody_needs_give_their_places_back(small_table):
    for _ in range(4096 + 2):
        small_table()
    with pytest.raises(NsdgenError, match="interpreted kernels are in use, there is room for 4096") as caught:
        [small_table() for _ in range(4096 + 2)]
    assert "let go" in caught.value.fix
    del caught
    assert small_table().name == "m"


def test_kernels_of_models_that_hold_each_other_make_room(small_table):
    """As those of a model that failed do, with the error and its traceback: a refusal would be too early."""
    usual = gc.get_threshold()
    gc.set_threshold(0)
    try:
        for _ in range(4096 + 2):
            held = [small_table()]
            held.append(held)
        assert small_table().name == "m"
    finally:
        gc.set_threshold(*usual)
