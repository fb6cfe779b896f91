"""Finding tools, and the three different things said when one is missing."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from nsdgen.build.compile import compile_source
from nsdgen.build.flags import _first_processor, compile_flags, cpu_identity, for_short_kernels, link_libraries
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.toolchain import compiler_version, find_compiler, find_toolchain
from nsdgen.errors import CompilerMissing


def program(folder: Path, name: str, script: str = "exit 0") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_what_is_found_on_this_machine():
    toolchain = find_toolchain()
    assert Path(toolchain.compiler[0]).is_absolute()
    assert toolchain.suffix == sysconfig.get_config_var("EXT_SUFFIX")
    assert toolchain.compiler_version


def test_cc_comes_first_and_may_hold_arguments(tmp_path):
    mine = program(tmp_path, "mine")
    program(tmp_path, "cc")
    found = find_compiler({"CC": "mine -m32 '-D x'", "PATH": str(tmp_path)})
    assert found == (str(mine), "-m32", "-D x")


def test_cc_may_be_a_path(tmp_path):
    mine = program(tmp_path, "mine")
    assert find_compiler({"CC": str(mine), "PATH": ""}) == (str(mine),)


def test_pythons_own_compiler_comes_second(tmp_path, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: "built-with -pthread")
    program(tmp_path, "cc")
    second = program(tmp_path, "built-with")
    assert find_compiler({"PATH": str(tmp_path)}) == (str(second), "-pthread")


@pytest.mark.parametrize(("present", "expected"), [(["clang", "gcc", "cc"], "cc"), (["clang", "gcc"], "gcc")])
def test_then_the_common_names_in_order(tmp_path, monkeypatch, present, expected):
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: None)
    for name in present:
        program(tmp_path, name)
    assert find_compiler({"CC": "", "PATH": str(tmp_path)}) == (str(tmp_path / expected),)


def test_no_compiler(source, options, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(CompilerMissing, match="no C compiler") as caught:
        compile_source(source, options=options)
    assert "apt install gcc" in caught.value.fix
    assert "xcode-select --install" in caught.value.fix


def test_a_wrong_cc_is_not_passed_over(monkeypatch):
    monkeypatch.setenv("CC", "no-such-compiler -O1")
    with pytest.raises(CompilerMissing, match="'no-such-compiler'") as caught:
        find_toolchain()
    assert "unset CC" in caught.value.fix


def test_a_compiler_that_does_not_work(tmp_path):
    stub = program(tmp_path, "cc", "echo 'no developer tools were found' >&2; exit 1")
    with pytest.raises(CompilerMissing, match="no developer tools were found"):
        compiler_version((str(stub),))


def test_a_compiler_that_does_not_run(tmp_path):
    broken = tmp_path / "cc"
    broken.write_bytes(b"\x7fELF not really")
    broken.chmod(0o755)
    with pytest.raises(CompilerMissing, match="does not run"):
        compiler_version((str(broken),))


def test_an_upgraded_compiler_is_asked_again(tmp_path):
    path = str(program(tmp_path, "cc", "echo version 1"))
    assert compiler_version((path,)) == "version 1"
    program(tmp_path, "cc", "echo version 10")
    assert compiler_version((path,)) == "version 10"


def test_no_headers(source, options, tmp_path, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "include"))
    with pytest.raises(CompilerMissing, match=r"no Python\.h in .*include") as caught:
        compile_source(source, options=options)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert f"apt install python{version}-dev" in caught.value.fix


def test_no_cython(source, options, monkeypatch):
    monkeypatch.setitem(sys.modules, "Cython", None)
    with pytest.raises(CompilerMissing, match="Cython is not installed") as caught:
        compile_source(source, options=options)
    assert "pip install" in caught.value.fix


def test_an_old_cython(monkeypatch):
    monkeypatch.setattr("Cython.__version__", "0.29.37")
    with pytest.raises(CompilerMissing, match=r"0\.29\.37 is too old"):
        find_toolchain()


def test_a_cython_without_its_compiler(source, options, monkeypatch):
    monkeypatch.setitem(sys.modules, "Cython.Compiler.Main", None)
    with pytest.raises(CompilerMissing, match="Cython cannot be imported"):
        compile_source(source, options=options)


def test_flags_keep_the_digits():
    flags = compile_flags()
    assert flags[:3] == ("-O2", "-ffp-contract=off", "-fno-math-errno")
    assert not any("fast" in flag or "native" in flag for flag in flags)
    long = compile_flags(characters=1_000_000)
    assert long == ("-O1", *flags[1:])
    assert for_short_kernels(flags) == flags and for_short_kernels(long) == (
        *long,
        "-fstrict-aliasing",
        "-ftree-slp-vectorize",
    )


def test_what_is_left_out_is_not_long(compiled):
    """The text for several members of an ensemble at once is compiled only where that is asked for."""
    text = compiled("bouncing_ball").text
    source = KernelSource("bouncing_ball", "_kernels", text)
    begin, end = text.index("#ifdef NSDGEN_LANES"), text.index("#define NSD_LANES 0")
    assert "nsd_lanes" not in text[:begin] + text[end:] and "nsd_lanes" in text
    assert source.compiled(lanes=True) == len(text)
    assert source.compiled(lanes=False) == len(text) - (end - begin) - len("#define NSD_LANES 0")


def test_flags_of_other_systems():
    assert compile_flags(system="linux")[-2:] == ("-fPIC", "-shared")
    assert compile_flags(system="darwin")[-3:] == ("-bundle", "-undefined", "dynamic_lookup")
    assert compile_flags(True, machine="x86_64")[-2:] == ("-march=native", "-fno-tree-slp-vectorize")
    assert compile_flags(True, machine="arm64")[-2:] == ("-mcpu=native", "-fno-tree-slp-vectorize")
    native = compile_flags(True, characters=1_000_000)
    assert for_short_kernels(native) == (*native, "-fstrict-aliasing")
    assert link_libraries("linux") == ("-lm",)
    assert link_libraries("darwin") == ()


def test_the_processor_is_named_without_what_varies():
    listing = "processor : 0\nmodel name : A\ncpu MHz : 1\nflags : fma\n\nprocessor : 1\n"
    assert _first_processor(listing) == "model name : A\nflags : fma"
    assert cpu_identity() == cpu_identity()
