"""What the doctor finds on a sound machine, and on machines that lack one thing."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import subprocess
import sys
import sysconfig

import pytest

from nsdgen.build.doctor import Finding, examine, report


def diagnose() -> dict[str, Finding]:
    return {finding.name: finding for finding in examine()}


@pytest.fixture(autouse=True)
def _cache(cache_folder):
    return cache_folder


def test_a_sound_machine_builds():
    findings = diagnose()
    for name in ("Python", "C compiler", "Python.h", "Cython", "a build", "cache", "NumPy"):
        assert findings[name].ok, findings[name]
    assert "NSDGEN_CACHE" not in report(list(findings.values()))


def test_no_compiler(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    findings = diagnose()
    assert not findings["C compiler"].ok
    assert "apt install gcc" in findings["C compiler"].fix
    assert findings["a build"].found == "could not be tried"
    assert findings["Python.h"].ok


def test_no_headers(monkeypatch, tmp_path):
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    findings = diagnose()
    assert findings["C compiler"].ok
    assert "-dev" in findings["Python.h"].fix


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ('[ "$1" = --version ] || { echo broken pipe dream >&2; exit 1; }', "broken pipe dream"),
        ("while [ $# -gt 0 ]; do [ $1 = -o ] && echo no > $2; shift; done", "refuses"),
    ],
    ids=["refuses", "makes rubbish"],
)
def test_a_compiler_that_cannot_build(tmp_path, monkeypatch, script, words):
    fake = tmp_path / "fake-cc"
    fake.write_text(f"#!/bin/sh\n{script}\nexit 0\n")
    fake.chmod(0o755)
    monkeypatch.setenv("CC", str(fake))
    finding = diagnose()["a build"]
    assert not finding.ok
    assert words in finding.found
    assert "set CC" in finding.fix


def test_a_cache_that_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("NSDGEN_CACHE", str(tmp_path / "file" / "cache"))
    findings = diagnose()
    assert "NSDGEN_CACHE" in findings["cache"].fix
    assert findings["a build"].ok  # tried in another place


def test_a_full_disk(monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 0}))
    assert "only 0 MB" in diagnose()["cache"].found


def test_missing_packages(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    findings = diagnose()
    assert findings["SymPy"].fix == "python -m pip install SymPy"
    assert findings["SymPy"].required
    assert not findings["xarray"].required
    assert findings["venv"].found == "no module venv and ensurepip"
    assert "-venv" in findings["venv"].fix


def test_the_report_is_a_table():
    findings = [
        Finding("Python", True, "3.12"),
        Finding("C compiler", False, "none", "install one"),
        Finding("xarray", False, "not installed", "pip", required=False),
    ]
    assert report(findings).splitlines() == [
        "ok       Python      3.12",
        "MISSING  C compiler  none",
        "                     -> install one",
        "absent   xarray      not installed",
        "                     -> pip",
        "",
        "to be mended: C compiler",
    ]
    assert report(findings[:1]).endswith("nothing is missing")
    assert report([]).strip() == "nothing is missing"


CHECK = """\
import sys
from nsdgen.build.doctor import examine
heavy = {"Cython", "numpy", "scipy", "sympy", "jinja2", "platformdirs"}
print(sorted(heavy & set(sys.modules)))
examine()
print(sorted((heavy - {"Cython", "platformdirs"}) & set(sys.modules)))
"""


def test_importing_is_light_and_the_doctor_imports_no_package(build_environment):
    run = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, env=build_environment)
    assert run.stderr == ""
    assert run.stdout.splitlines() == ["[]", "[]"]
