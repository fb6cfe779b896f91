"""``nsdgen verify``: exit codes, reports, selection, and what it says about files that hold no claims."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

CLAIMS = """
import sympy as sp
from nsdgen.verify import Claim
from nsdgen.verify.foreign.hand_functions import PythonFunction
x, y = sp.symbols("x y", real=True)

claims = [
    Claim("sum-1", (x + y)**2, x**2 + 2*x*y + y**2, title="the square of a sum"),
    Claim("sum-2", (x + y)**2, x**2 + y**2),
    Claim("code", sp.Matrix([2*x]), PythonFunction(lambda x: 2*x, [x])),
]
"""


@pytest.fixture
def claims(folder):
    path = folder / "my_claims.py"
    path.write_text(CLAIMS)
    return path


def test_exit_code_and_table(nsdgen, claims):
    answer = nsdgen("verify", claims, "--jobs", 2)
    assert answer.code == 4
    lines = answer.out.splitlines()
    assert [line.split()[1] for line in lines if line[:1].isalpha()] == ["sum-1", "sum-2", "code"]
    assert lines[-1].startswith("3 claims: 1 proved, 1 consistent, 1 refuted in ")
    assert "the square of a sum" in answer.out and answer.err == ""
    assert nsdgen("verify", claims, "sum-1", "code").code == 0
    assert nsdgen("verify", claims, "sum").out.count("\nsum") <= 2


def test_reports_are_the_same_for_any_number_of_processes(nsdgen, claims, folder):
    one, two = folder / "one.json", folder / "two.json"
    nsdgen("verify", claims, "--jobs", 1, "--json", one)
    nsdgen(
        "verify",
        claims,
        "--jobs",
        3,
        "--json",
        two,
        "--html",
        folder / "page.html",
        "--markdown",
        folder / "page.md",
        "-q",
    )
    assert one.read_text() == two.read_text()
    assert [(r["id"], r["verdict"]) for r in json.loads(one.read_text())] == [
        ("sum-1", "proved"),
        ("sum-2", "refuted"),
        ("code", "consistent"),
    ]
    assert "<math" in (folder / "page.html").read_text()
    assert "### sum-2" in (folder / "page.md").read_text()


def test_known_refutations_can_be_held(nsdgen, claims, folder):
    before = folder / "before.verdicts"
    nsdgen("verify", claims, "--verdicts", before)
    assert nsdgen("verify", claims, "--expect", before).code == 0
    assert nsdgen("verify", claims, "sum-2", "--expect", before).code == 0
    claims.write_text(CLAIMS.replace("x**2 + y**2)", "x**2 + y**2 + 2*y*x)"))
    answer = nsdgen("verify", claims, "--expect", before)
    assert answer.code == 4
    assert "sum-2: proved, expected refuted" in answer.err
    assert "sum-2: another formula" in answer.err


def test_only_some_verdicts_are_shown(nsdgen, claims):
    out = nsdgen("verify", claims, "--only", "refuted").out
    assert "sum-2" in out and "sum-1" not in out
    assert "of all: 3 claims" in out


def test_a_package_folder_with_a_function(nsdgen, folder):
    package = folder / "audit_of_sums"
    package.mkdir()
    (package / "__init__.py").write_text("from .parts import sums\n\ndef claims():\n    return sums\n")
    (package / "parts.py").write_text(
        "import sympy as sp\nfrom nsdgen.verify import Claim\nx = sp.Symbol('x')\nsums = [Claim('a', x + x, 2 * x)]\n"
    )
    assert nsdgen("verify", package).code == 0
    assert "audit_of_sums" not in sys.modules
    (folder / "sums_beside.py").write_text("from audit_of_sums.parts import sums as claims\n")
    assert nsdgen("verify", folder / "sums_beside.py").code == 0
    assert not {"sums_beside", "audit_of_sums", "audit_of_sums.parts"} & set(sys.modules)


def test_a_file_of_claims_is_a_guest_as_a_model_file_is(nsdgen, folder):
    """Any name, data beside the file, the process as it was, and the line that an error came from."""
    home = folder / "with data"
    home.mkdir()
    (home / "numbers.txt").write_text("2")
    text = (
        "import os, sys\nimport nsdgen as nsd\nimport sympy as sp\nfrom nsdgen.verify import Claim\n"
        "n = int(nsd.depends_on('numbers.txt').read_text())\nos.chdir('/')\nsys.setrecursionlimit(500)\n"
        "x = sp.Symbol('x')\n"
    )
    limit, here = sys.getrecursionlimit(), os.getcwd()
    path = home / "my-claims 1.py"
    path.write_text(f"{text}claims = [Claim('a', x + x, n * x)]\n")
    answer = nsdgen("verify", path)
    assert answer.code == 0, answer.err
    assert (sys.getrecursionlimit(), os.getcwd()) == (limit, here)
    path.write_text(f"{text}claims = [Claim('a', x + x, m * x)]\n")
    assert "my-claims 1.py, line 9: the file of claims raises NameError" in nsdgen("verify", path).err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "defines no claims"),
        ("claims = 3", "defines no claims"),
        ("claims = []", "the list of claims is empty"),
        ("claims = [1]", "is no Claim"),
        ("claims = (", "no valid Python"),
        ("raise KeyError('k')", "raises KeyError"),
        ("import sympy\nx = sympy.Symbol('x')\nclaims = [1] if x > 0 else [2]", "nsd.piecewise((a, v > 0), (b, True))"),
        ("import numpy, sympy\nnumpy.sin(sympy.Symbol('x'))", "write sympy.sin"),
        ("import math, sympy\nmath.sin(sympy.Symbol('x'))", "write SymPy's, sympy.sin"),
        ("from nsdgen.verify import Claim\nclaims = [Claim('a', 1, 1), Claim('a', 2, 2)]", "two claims are called 'a'"),
    ],
)
def test_files_without_claims(nsdgen, folder, text, said):
    path = folder / "odd_claims.py"
    path.write_text(text)
    answer = nsdgen("verify", path)
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["absent.py"], "no file"),
        (["my_claims.py", "sum-9"], "no claim 'sum-9'"),
        (["my_claims.py", "--only", "nice"], "is no verdict"),
        (["my_claims.py", "--budget", "0"], "not positive"),
        (["my_claims.py", "--jobs", "two"], "no whole number"),
        (["my_claims.py", "--expect", "absent.verdicts"], "cannot be read"),
    ],
)
def test_what_cannot_be_used(nsdgen, claims, arguments, said):
    answer = nsdgen("verify", *arguments)
    assert answer.code == 2
    assert said in answer.err


def test_help_is_light():
    code = (
        "import sys\nfrom nsdgen.cli.main import main\n"
        "try:\n    main(['verify', '--help'])\n"
        "except SystemExit:\n    pass\n"
        "print('HEAVY', *{'sympy', 'numpy', 'mpmath', 'jinja2'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "HEAVY"
    assert "--expect FILE" in done.stdout


def test_a_plugin_library_is_matched_with_a_model(nsdgen, folder, kernel_cache):
    from nsdgen.verify import build_library

    model = folder / "drop.py"
    model.write_text(
        "import sympy as sp\nimport nsdgen as nsd\nfrom sympy.physics.mechanics import dynamicsymbols\n"
        "z = dynamicsymbols('z')\n"
        "ball = nsd.LagrangianSystem('ball', [z], mass=[[2]], external=[-20])\n"
        "floor = nsd.Contact('floor', gap=z**2 - 0.01, law=nsd.NewtonImpact(0.5))\n"
        "model = nsd.Model('drop', systems=[ball], relations=[floor], scheme=nsd.MoreauJean(), step=0.1, "
        "end=1, initial={z: 1})\n"
    )
    library = build_library(
        "typedef unsigned int n_t;\n"
        "void mass(n_t n, double *q, double *out, n_t nz, double *z) { out[0] = 2; }\n"
        "void G1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = q[0]; }\n"
    )
    answer = nsdgen("verify", model, "--plugin", library, "--header", library.with_name("source.c"))
    assert answer.code == 4 and answer.out.splitlines()[-1].startswith("2 claims: 1 consistent, 1 refuted in ")
    assert "library.so exports 2 functions, model drop:" in answer.out
    assert "floor: LagrangianScleronomousR.jachq" in answer.out and "2*z" in answer.out
    assert nsdgen("verify", model, "mass", "--plugin", library, "-q").code == 0
    refused = nsdgen("verify", model, "--header", library.with_name("source.c"))
    assert refused.code == 2 and "no plugin that a header could belong to" in refused.err
