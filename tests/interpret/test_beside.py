"""Kernels that are interpreted until another process has compiled them."""

from __future__ import annotations

import gc
import pickle
import subprocess
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from nsdgen.runtime._binding import KernelTable

from nsdgen.build.beside import Beside
from nsdgen.build.compile import find_kernels
from nsdgen.build.flags import BuildOptions
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.kernels import make_kernels
from nsdgen.build.loader import load_module
from nsdgen.errors import CompileError, KernelsInterpreted, NsdgenError
from nsdgen.interpret.interpreted_module import interpret
from nsdgen.study.compiled_model import CompiledModel

RUNS = {"bouncing_ball": 3.0, "cam_follower": 0.5, "diode_bridge": 1e-3, "tumbling_brick": 0.5}


@dataclass
class Arriving:
    """A build that is there when it is asked for the n-th time."""

    extension: Any
    asks: int
    key: str = ""

    def arrived(self) -> Any:
        self.asks -= 1
        return self.extension if self.asks <= 0 else None


def source_of(model: Any) -> KernelSource:
    return KernelSource(model.name, "_kernels", model.text)


def meanwhile(model: Any, asks: int) -> CompiledModel:
    """The model interpreted, its compiled kernels arriving when they are asked for so many times."""
    extension = make_kernels(source_of(model), interpret=False).module
    return CompiledModel(model.record, interpret(model.text), model.text, Arriving(extension, asks))


@pytest.mark.parametrize("asks", [1, 2, 3, 4])
@pytest.mark.parametrize("name", RUNS)
def test_a_run_goes_on_compiled_with_the_same_bits(compiled, name, asks):
    """It asks before the first step, then after chunks of 1, 10, 100 steps and more."""
    one = compiled(name)
    for options in ({}, {"generic": True}):
        model = meanwhile(one, asks)
        assert model.interpreted
        assert np.array_equal(one.run(end=RUNS[name]).table, model.run(end=RUNS[name], **options).table)
        assert not model.interpreted
        assert model.fused == one.fused
        assert np.array_equal(one.run(end=RUNS[name]).table, model.run(end=RUNS[name], **options).table)


def test_what_was_bound_before_goes_on(compiled):
    one = compiled("cam_follower")
    model = meanwhile(one, 2)
    force = model.follower.force
    before = force(0.3, 0.01, [[0.2], [-0.4]])
    assert pickle.loads(pickle.dumps(model)).interpreted is False  # elsewhere it is compiled
    model.run(end=0.01)
    gc.collect()
    assert np.array_equal(force(0.3, 0.01, [[0.2], [-0.4]]), before)
    assert np.array_equal(before, one.follower.force(0.3, 0.01, [[0.2], [-0.4]]))


def test_compiled_kernels_of_another_text_do_not_take_over(compiled):
    module = interpret(compiled("cam_follower").text)
    other = make_kernels(source_of(compiled("bouncing_ball"))).module
    with pytest.raises(NsdgenError, match="of another text"):
        module.take_over(other)


# -- the other process --------------------------------------------------------------------------------


@pytest.fixture
def options(tmp_path):
    return BuildOptions(cache=tmp_path / "cache")


def test_another_process_compiles(compiled, differing, options):
    source = source_of(compiled("bouncing_ball"))
    with Beside() as beside:
        kernels = make_kernels(source, options=options, beside=beside)
        assert kernels.module.interpreted
        assert kernels.shared_object is None
        assert kernels.underway.process.wait() == 0
        found = kernels.underway.arrived()
    assert found.__file__ == str(find_kernels(kernels.underway.key, cache=options.cache))
    assert differing(KernelTable(found), KernelTable(kernels.module)) == []
    with Beside() as beside:
        again = make_kernels(source, options=options, beside=beside)
        assert again.underway is None
        assert again.module is load_module(again.shared_object)
        assert beside._process is None  # nothing was to be built


def test_the_end_of_the_block_waits(compiled, options):
    with Beside() as beside:
        underway = make_kernels(source_of(compiled("bouncing_ball")), options=options, beside=beside).underway
    assert underway.process.poll() == 0
    assert find_kernels(underway.key, cache=options.cache)


def test_where_the_other_process_dies_this_one_builds(compiled, options):
    with Beside() as beside:
        beside.start()
        beside._process.kill()
        underway = make_kernels(source_of(compiled("bouncing_ball")), options=options, beside=beside).underway
        underway.process.wait()
        assert underway.arrived() is None
    assert find_kernels(underway.key, cache=options.cache)


def test_an_error_stops_the_other_process(compiled, options):
    found = []

    def interrupted() -> None:
        with Beside() as beside:
            found.append(make_kernels(source_of(compiled("bouncing_ball")), options=options, beside=beside).underway)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert found[0].process.returncode is not None
    assert not find_kernels(found[0].key, cache=options.cache)


def test_a_process_without_work_ends():
    with Beside() as beside:
        beside.start()
        process = beside._process
    assert isinstance(process, subprocess.Popen)
    assert process.returncode is not None


def test_what_the_compiler_refuses_is_said_at_the_end(compiled, options):
    text = compiled("bouncing_ball").text.replace("#include <math.h>", "#include <math.h>\n    #error no", 1)
    assert text != compiled("bouncing_ball").text
    with pytest.raises(CompileError, match="refused the emitted text"), Beside() as beside:
        assert make_kernels(KernelSource("m", "_kernels", text), options=options, beside=beside).module.interpreted


def test_a_compiler_that_does_not_work_is_said_at_the_end(monkeypatch, compiled, options, tmp_path):
    compiler = tmp_path / "cc"
    compiler.write_text('#!/bin/sh\n[ "$1" = --version ] || { echo no licence >&2; exit 1; }\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.warns(KernelsInterpreted, match="no licence"), Beside() as beside:
        assert make_kernels(source_of(compiled("bouncing_ball")), options=options, beside=beside).module.interpreted
