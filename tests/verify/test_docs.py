"""The examples of the pages of ``docs/`` about ``verify`` run as they are printed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.verify import Claim, decide, derivative, quaternion, rotation_matrix, vector
from nsdgen.verify.foreign.hand_functions import CFunction
from nsdgen.verify.foreign.shared_library import build_library

DOCS = Path(__file__).parents[2] / "docs"
NAMES = ("verify", "verify_latex", "verify_code", "verify_plugin", "test_jacobians")
PAGE = "\n".join((DOCS / "how-to" / f"{name}.md").read_text(encoding="utf-8") for name in NAMES)
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
MASS = sp.Symbol("m", real=True)

SOURCE = """
void jacobian(int n, const double *q, double *out) { for (int i = 0; i < n; i++) out[i] = 1.5 * q[i]; }
void jacobianFGyrq(unsigned int n, double *q, double *v, double *jac, unsigned int nz, double *z) {
  for (unsigned int i = 0; i < n; i++) jac[i + n * i] = 1.5 * v[i]; }
"""


def block(word):
    return next(b for b in BLOCKS if word in b)


@pytest.fixture
def here(tmp_path, monkeypatch, kernel_cache):
    built = build_library(SOURCE)
    for name in ("libmodel.so", "plugin.so"):
        shutil.copy(built, tmp_path / name)
    monkeypatch.chdir(tmp_path)


def test_claims_about_expressions():
    right = derivative(rotation_matrix(quaternion("p")) * vector("m"), quaternion("p"))
    names = {"my_matrix": right}
    exec(block("rotation-1"), names)
    assert [decide(c).verdict for c in names["claims"]] == ["proved", "proved under"]


def test_latex():
    p = quaternion("p")
    truth = sp.Matrix([[-p[1], -p[2]], [p[0], -p[3]]]) / 2
    found = eval(
        block("notes-7").split("\n", 1)[1].strip(),
        {"p": p, "derived": truth, "Claim": Claim, "Latex": nsd.verify.Latex},
    )
    assert decide(found).verdict == "proved"


def test_code(here):
    q, v = vector("q"), vector("v")
    lines = block("SiconosPlugin").replace("from nsdgen.verify import CFunction, PythonFunction, SiconosPlugin\n", "")
    python, c, plugin = re.findall(r"^\w+\(.*?\)$", lines, re.S | re.M)
    names = {"q": q, "v": v, "m": MASS, "my_jacobian": lambda q, v: 1.5 * np.array(v), **vars(nsd.verify)}
    names |= {name: getattr(nsd.verify, name) for name in ("CFunction", "PythonFunction", "SiconosPlugin")}
    for text, truth in ((python, MASS * sp.Matrix(v)), (c, MASS * sp.Matrix(q)), (plugin, MASS * sp.diag(*v))):
        assert decide(Claim("c", truth, eval(text, dict(names)))).verdict == "consistent", text


def test_a_library_may_be_named_without_a_folder(here):
    q = vector("q")
    code = CFunction(
        "libmodel.so",
        "jacobian",
        "void(int n, const double *q, double *out)",
        arguments={"q": q},
        sizes={"n": 3},
        parameters={MASS: 1.5},
    )
    assert decide(Claim("c", MASS * sp.Matrix(q), code)).verdict == "consistent"
