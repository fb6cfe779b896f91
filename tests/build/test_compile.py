"""From a text to a module: cache hits, keys, and what a failure says."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from nsdgen.build.compile import compile_source, find_kernels, kernel_key
from nsdgen.build.cythonize import ToolRun
from nsdgen.build.failure import offending_line
from nsdgen.build.flags import BuildOptions
from nsdgen.build.kernel_source import KernelSource
from nsdgen.build.loader import load_module
from nsdgen.build.toolchain import find_toolchain
from nsdgen.errors import CompileError


def refuse(source: KernelSource, options: BuildOptions) -> CompileError:
    with pytest.raises(CompileError) as caught:
        compile_source(source, options=options)
    return caught.value


def test_a_text_becomes_a_module(source, options):
    path = compile_source(source, options=options)
    assert load_module(path).call(4.0) == 8.0


def test_the_entry_holds_text_c_shared_object_and_log(source, options):
    path = compile_source(source, options=options)
    assert sorted(p.name for p in path.parent.iterdir()) == sorted(
        ["_kernels.pyx", "_kernels.c", path.name, "log.json"]
    )
    assert (path.parent / "_kernels.pyx").read_text() == source.text
    log = json.loads((path.parent / "log.json").read_text())
    assert [step["tool"] for step in log["steps"]] == ["Cython", "the C compiler"]
    assert all(step["ok"] and step["seconds"] >= 0 for step in log["steps"])
    assert "-ffp-contract=off" in log["steps"][1]["command"]
    assert log["model"] == "ball"


def test_the_c_file_does_not_tell_where_it_was_made(source, options, cache_folder):
    # Without the Python function: in older versions of Cython those name their file in full.
    head, _, rest = source.text.partition("def call")
    thin = replace(source, text=head + rest[rest.index("cdef nsdgen_module") :])
    path = compile_source(thin, options=options)
    assert str(cache_folder) not in (path.parent / "_kernels.c").read_text()
    assert str(cache_folder).encode() not in path.read_bytes()


def test_a_second_call_builds_nothing(source, options, monkeypatch):
    path = compile_source(source, options=options)
    monkeypatch.setattr("nsdgen.build.compile._build", None)
    assert compile_source(source, options=options) == path


def test_a_hit_only_reads(source, options, monkeypatch):
    path = compile_source(source, options=options)
    before = sorted(options.cache.rglob("*"))
    monkeypatch.setattr("nsdgen.build.cache.Cache.writing", None)
    assert compile_source(source, options=options) == path
    assert sorted(options.cache.rglob("*")) == before


def test_an_entry_is_found_by_its_key(source, options):
    path = compile_source(source, options=options)
    assert find_kernels(path.parent.name, cache=options.cache) == path
    assert find_kernels("0" * 32, cache=options.cache) is None


def test_nothing_is_left_beside_the_entry(source, options):
    path = compile_source(source, options=options)
    assert {p.name for p in path.parent.parent.iterdir()} == {path.parent.name, "locks"}


def test_the_key_depends_on_text_tools_and_flags(source, make_source):
    toolchain = find_toolchain()
    key = kernel_key(source, toolchain)
    assert len(key) == 32
    assert key == kernel_key(make_source(), find_toolchain())
    changed = [
        kernel_key(make_source("3.0 * in_[0][0]"), toolchain),
        kernel_key(KernelSource(source.model, "_other", source.text), toolchain),
        kernel_key(source, toolchain, native=True),
    ]
    changed += [
        kernel_key(source, replace(toolchain, **{field: value}))
        for field, value in {
            "compiler_version": "other",
            "cython_version": "other",
            "compiler": ("cc", "-m32"),
            "suffix": ".so",
            "machine": "other",
        }.items()
    ]
    assert len({key, *changed}) == 1 + len(changed)


def test_the_key_depends_on_the_processor_when_native(source, monkeypatch):
    toolchain = find_toolchain()
    keys = set()
    for cpu in ("one", "another"):
        monkeypatch.setattr("nsdgen.build.compile.cpu_identity", lambda cpu=cpu: cpu)
        keys.add(kernel_key(source, toolchain, native=True))
    assert len(keys) == 2


def test_native_code_builds(source, cache_folder):
    path = compile_source(source, options=BuildOptions(native=True, cache=cache_folder))
    assert load_module(path).call(4.0) == 8.0


def test_a_text_that_cython_refuses(make_source, options, capfd):
    source = make_source("nonsense(in_[0][0])", model="shaken_ball")
    error = refuse(source, options)
    words = str(error)
    assert error.model == "shaken_ball"
    assert error.where == "shaken_ball / ball: residual"
    assert "model 'shaken_ball', shaken_ball / ball: residual: Cython refused" in words
    assert "out[0][0] = nonsense(in_[0][0])" in words
    assert "undeclared name not builtin: nonsense" in words
    assert "command: cython" in words
    assert "To mend it:" in words
    assert "nonsense" in error.log
    assert str(error.path) in words
    assert (Path(error.path) / "_kernels.pyx").read_text() == source.text
    assert not json.loads((Path(error.path) / "log.json").read_text())["steps"][0]["ok"]
    assert capfd.readouterr() == ("", "")


def test_a_warning_before_the_error_is_not_taken_for_it(options):
    text = "# [tag] lamp: warned\ndef f():\n    return 1\n    y = 2\n# [tag] lamp: wrong\nx = undeclared\n"
    error = refuse(KernelSource("lamp", "_kernels", text), options)
    assert "warning: _kernels.pyx:4" in error.log
    assert error.where == "lamp: wrong"


def test_messages_do_not_name_the_folder_of_the_build(make_source, options, monkeypatch):
    for folder in (options.cache.parent, Path("/")):
        monkeypatch.chdir(folder)
        assert "tmp-" not in refuse(make_source("nonsense"), options).log


BAD_C = '''\
# [tag] lamp / helper: a slope
cdef extern from *:
    """
    static double fine(double x) { return x; }
    static double slope(double x) { return undefined_there; }
    """
    double slope(double x) noexcept nogil

# [tag] lamp: reaction
def call(double x):
    return slope(x)
'''


def test_verbatim_c_that_the_compiler_refuses(options, capfd):
    error = refuse(KernelSource("lamp", "_kernels", BAD_C), options)
    words = str(error)
    assert "the C compiler refused the emitted text" in words
    assert "_kernels.pyx, line 5: static double slope" in words
    assert "undefined_there" in words
    assert "-O2" in words
    assert error.where == "lamp / helper: a slope"
    assert (Path(error.path) / "_kernels.c").is_file()
    assert capfd.readouterr() == ("", "")


def test_an_undeclared_c_function_is_refused_at_its_line(options):
    text = (
        "# [tag] lamp: header\n"
        "cdef extern from *:\n"
        "    double not_declared_in_c(double x) noexcept nogil\n"
        "# [tag] lamp: reaction\n"
        "def call(double x):\n"
        "    return not_declared_in_c(x)\n"
        "# [tag] lamp: later\n"
    )
    error = refuse(KernelSource("lamp", "_kernels", text), options)
    assert error.where == "lamp: reaction"
    assert "line 6: return not_declared_in_c(x)" in str(error)


def test_a_failure_is_not_cached_and_keeps_only_the_last(make_source, options):
    source = make_source("nonsense")
    first, second = refuse(source, options), refuse(source, options)
    assert first.path == second.path
    root = options.cache / "v1"
    assert {p.name for p in root.iterdir()} == {"failed", "locks"}
    assert len(list((root / "failed").iterdir())) == 1


def test_a_failure_does_not_stand_in_the_way_of_the_next_build(make_source, source, options):
    refuse(make_source("nonsense"), options)
    assert load_module(compile_source(source, options=options)).call(4.0) == 8.0


def test_a_formula_too_long_for_cython_is_called_that(make_source, options, capfd):
    error = refuse(make_source(" + ".join(["in_[0][0] * in_[0][0]"] * 3000)), options)
    assert "nsd.let" in error.fix
    assert capfd.readouterr() == ("", "")


def test_a_crash_inside_cython_is_a_compile_error(source, options, monkeypatch):
    def crash(*arguments):
        raise AssertionError("a fault of the tool")

    monkeypatch.setattr("Cython.Compiler.Main.compile_single", crash)
    assert "a fault of the tool" in refuse(source, options).log


def test_compile_errors_survive_pickling(make_source, options):
    error = refuse(make_source("nonsense"), options)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.log, copy.path) == (str(error), error.log, error.path)


def test_the_first_error_is_shown_however_much_comes_before_it(make_source):
    from nsdgen.build.failure import compile_error

    log = "_kernels.c:1:1: warning: nothing\n" * 50 + "_kernels.c:9:1: error: the point\n"
    outcome = ToolRun("the C compiler", ("cc",), False, log, 0.0)
    assert "the point" in str(compile_error(make_source(), outcome, "", Path("kept")))


def test_a_line_of_cythons_own_c_belongs_to_no_quantity(source):
    c_text = '/* "_kernels.pyx":5\n*/\n/* #### Code section: utility_code_def ### */\nbroken\n'
    outcome = ToolRun("the C compiler", (), False, "_kernels.c:4:1: error: x\n", 0.0)
    assert offending_line(source, outcome, c_text) is None


def test_tags_are_the_nearest_above():
    source = KernelSource("m", "_kernels", "a\n# [tag] one\nb\n  /* [tag] two */\nc\n# tag\n")
    assert [source.tag_at(n) for n in range(1, 7)] == ["", "one", "one", "two", "two", "two"]


@pytest.mark.parametrize("name", ["a-b", "a.b", "", "1a", "../a", "é"])
def test_a_module_name_is_an_identifier(name):
    with pytest.raises(ValueError, match="cannot be called"):
        KernelSource("m", name, "")


def test_the_short_alphabet_of_cython_reads_what_the_whole_one_reads(compiled, tmp_path):
    text = compiled("bouncing_ball").text
    text += "\ncdef double größe = 1.0, 速さ = 2.0, \U0001d6fc = 3.0  # names in living use\n"
    for name, command in (
        (
            "short",
            "from pathlib import Path; from nsdgen.build.cythonize import translate; "
            "assert translate(Path('_kernels.pyx')).ok",
        ),
        (
            "whole",
            "from Cython.Compiler.Main import main; import sys; sys.argv = ['cython', '-3', '_kernels.pyx']; "
            "main(command_line=1)",
        ),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "_kernels.pyx").write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, "-c", command], cwd=tmp_path / name, capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
    assert (tmp_path / "short" / "_kernels.c").read_bytes() == (tmp_path / "whole" / "_kernels.c").read_bytes()
