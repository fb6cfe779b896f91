"""Loading by location: side by side, twice, and what is refused."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from nsdgen.build.compile import compile_source
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.loader import load_module
from nsdgen.errors import ModuleMismatch


@pytest.fixture
def built(source, options):
    return compile_source(source, options=options)


def test_modules_of_one_name_live_side_by_side(make_source, options):
    paths = [compile_source(make_source(f"{n}.0 * in_[0][0]", model=f"m{n}"), options=options) for n in (2, 3, 4)]
    modules = [load_module(path) for path in paths]
    assert [module.call(5.0) for module in modules] == [10.0, 15.0, 20.0]
    assert len({module.__name__ for module in modules}) == 3


def test_a_second_load_gives_the_same_module(built):
    assert load_module(built) is load_module(built)


def test_neither_path_nor_bare_name_is_touched(built):
    path, meta = list(sys.path), list(sys.meta_path)
    load_module(built)
    assert (sys.path, sys.meta_path) == (path, meta)
    assert "_kernels" not in sys.modules


def test_a_module_of_somebody_else_stays(built, monkeypatch):
    somebody = object()
    monkeypatch.setitem(sys.modules, "_kernels", somebody)
    assert load_module(built).call(4.0) == 8.0
    assert sys.modules["_kernels"] is somebody


def test_a_module_without_capsule_is_refused(options):
    path = compile_source(KernelSource("m", "_kernels", "x = 1\n"), options=options)
    with pytest.raises(ModuleMismatch, match="no module of nsdgen"):
        load_module(path)


def test_a_capsule_of_another_kind_is_refused(options):
    text = (
        "from cpython.pycapsule cimport PyCapsule_New\n"
        'cdef int x\n__nsdgen__ = PyCapsule_New(<void *>&x, "other", NULL)\n'
    )
    path = compile_source(KernelSource("m", "_kernels", text), options=options)
    with pytest.raises(ModuleMismatch, match=r"nsdgen\.abi"):
        load_module(path)


def test_what_is_no_extension_is_refused(tmp_path):
    path = tmp_path / "_kernels.so"
    path.write_text("no library")
    with pytest.raises(ModuleMismatch, match="cannot be loaded"):
        load_module(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(ModuleMismatch, match="cannot be read"):
        load_module(tmp_path / "_kernels.so")


def test_another_module_name_is_refused(built):
    with pytest.raises(ModuleMismatch, match="cannot be loaded"):
        load_module(built, "_other")


def test_a_file_replaced_after_loading_is_noticed(make_source, options, tmp_path):
    old, new = (compile_source(make_source(f"{n}.0 * in_[0][0]"), options=options) for n in (6, 7))
    place = Path(tmp_path / "_kernels.so")
    place.write_bytes(old.read_bytes())
    assert load_module(place).call(1.0) == 6.0
    other = tmp_path / "other.so"
    other.write_bytes(new.read_bytes())
    os.replace(other, place)
    with pytest.raises(ModuleMismatch, match="was replaced after it had been loaded"):
        load_module(place)
