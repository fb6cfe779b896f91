"""Certificates of proofs: what the checker accepts, and that it refuses every certificate that was tampered with."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from math import prod

import pytest
import sympy as sp

from nsdgen.verify import Claim, Equal, Implies, NonZero, UnitQuaternion, Zero, decide, quaternion, rotation_matrix
from nsdgen.verify.certificate import checker

x, y = sp.symbols("x y", real=True)
a = sp.Symbol("a", positive=True)
p = quaternion("p")
f = sp.Function("f")

TRUE = {
    "polynomial": Claim("polynomial", (x + y) ** 2, x**2 + 2 * x * y + y**2),
    "fractions": Claim("fractions", 1 / (x + y) + 1 / (x - y), 2 * x / (x**2 - y**2)),
    "angles": Claim("angles", sp.sin(3 * x / 2 - y), sp.sin(3 * x / 2) * sp.cos(y) - sp.cos(3 * x / 2) * sp.sin(y)),
    "double angle": Claim("double", sp.cos(2 * x), 1 - 2 * sp.sin(x) ** 2),
    "tangent": Claim("tangent", 1 + sp.tan(x) ** 2, 1 / sp.cos(x) ** 2),
    "root": Claim("root", sp.sqrt(1 + x**2) ** 3 / (1 + x**2), sp.sqrt(1 + x**2)),
    "absolute": Claim("absolute", sp.Abs(x) ** 2, x**2),
    "rotation": Claim("rotation", rotation_matrix(p).T * rotation_matrix(p), sp.eye(3), [UnitQuaternion(p)]),
    "implication": Claim("implication", statements=[Implies([Equal(x**2, y), Equal(y**2, x)], [Zero(x**4 - x)])]),
    "division": Claim("division", statements=[Implies([Zero(a * x)], [Zero(x)])], assumptions=[NonZero(a)]),
    "unknown function": Claim("unknown", sp.diff(f(x) ** 2, x), 2 * f(x) * sp.diff(f(x), x)),
    "hyperbolic": Claim("hyperbolic", sp.tanh(x), 1 - 2 / (sp.exp(2 * x) + 1)),
    "exponential": Claim("exponential", sp.exp(x + y) * sp.exp(-x / 2), sp.exp(x / 2 + y)),
    "imaginary": Claim("imaginary", (x + sp.I * y) * (x - sp.I * y), x**2 + y**2),
    "names": Claim("names", (sp.Symbol("q'", real=True) + 1) ** 2, 1 + 2 * sp.Symbol("q'") + sp.Symbol("q'") ** 2),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_proof_has_a_certificate_that_no_other_claim_can_use(name):
    verdict = decide(TRUE[name], certificates=True)
    assert verdict.verdict in ("proved", "proved under") and verdict.certificate
    for certificate in json.loads(json.dumps(verdict.certificate)):
        assert checker.holds(certificate)
        for entry in certificate["entries"]:
            forged = copy.deepcopy(certificate)
            changed = next(e for e in forged["entries"] if e == entry)
            changed["right"] = f"({changed['right']}) + 1/1000000"
            assert not checker.holds(forged)
            for k in range(len(entry["cofactors"])):
                forged = copy.deepcopy(certificate)
                changed = next(e for e in forged["entries"] if e == entry)
                changed["cofactors"][k][1] += " + 1/1000000"
                assert not checker.holds(forged)


def test_cofactors_assumptions_and_multipliers_cannot_be_left_out():
    (rotation,) = decide(TRUE["rotation"], certificates=True).certificate
    k = next(k for k, e in enumerate(rotation["entries"]) if e["cofactors"])
    for part, value in (("cofactors", []), ("left", "0")):
        forged = copy.deepcopy(rotation)
        forged["entries"][k][part] = value
        assert not checker.holds(forged)
    (division,) = decide(TRUE["division"], certificates=True).certificate
    forged = copy.deepcopy(division)
    forged["nonzero"] = []
    assert checker.holds(division) and not checker.holds(forged)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sqrt(x**2)", "x"),
        ("Abs(x)", "x"),
        ("sin(x)", "cos(x)"),
        ("Abs(x + I*y)**2", "(x + I*y)**2"),
        ("f(x)", "f(y)"),
        ("x**y", "x"),
        ("1/x", "x"),
        ("sin(2*x)", "2*sin(x)"),
        ("cos(x/2)**2", "cos(x)**2"),
        ("x**(1/3)", "x"),
        ("x**True", "x"),
        ("True", "1"),
        ("x**-1", "x"),
        ("1.5", "3/2"),
        ("exp(-x)", "-exp(x)"),
        ("exp(0)", "1"),
        ("sqrt(-x)", "-sqrt(x)"),
        ("x < y", "y > x"),
        ("tan(x)", "sin(x)"),
        ("x % y", "0"),
    ],
)
def test_nothing_false_is_accepted_without_cofactors(left, right):
    assert not checker.holds(certificate_of(left, right))


def certificate_of(left, right, multiplier=(), cofactors=(), assumptions=(), nonzero=(), splits=None):
    entry = {"left": left, "right": right, "multiplier": multiplier, "cofactors": cofactors}
    return {"splits": splits or {}, "assumptions": assumptions, "nonzero": nonzero, "entries": [entry]}


def test_division_by_zero_proves_nothing():
    with pytest.raises(ZeroDivisionError):
        checker.holds(certificate_of("x/(y - y)", "z"))
    assert not checker.holds(certificate_of("x", "y", multiplier=["0"], nonzero=["0"]))


def test_a_split_that_is_no_sum_is_refused():
    assert checker.holds(certificate_of("sin(x + y)", "sin(x)*cos(y) + cos(x)*sin(y)", splits={"x + y": ["x", "y"]}))
    with pytest.raises(ValueError, match="is not the sum of"):
        checker.holds(certificate_of("exp(x + y)", "exp(x)**2", splits={"x + y": ["x", "x"]}))


@pytest.mark.parametrize(
    ("left", "right", "splits"),
    [
        ("sin(x + y)", "sin(x) + cos(x)", {"x + y": ["x) + (0", "y"]}),  # parentheses that close what the table opened
        ("exp(x + y)", "exp(x) + 0*exp(y)", {"x + y": ["x) + 0*(1", "y"]}),
        ("cos(x + y)", "cos(x)", {"x + y": ["x", "y - y + y) + 0*(1"]}),
        ("sin(x)", "0", {"x": ["x", "x"]}),
        ("sin(x + y)", "sin(x)", {"x + y": ["x", "0"]}),
        ("exp(x)", "1", {"x": ["0*x", "0"]}),
        ("sin(x)", "0", {"x": []}),
        ("sin(x)", "cos(x)", {"x": ["x", "0*(1/0)"]}),
        ("f(x + y)", "f(x)*f(y)", {"x + y": ["x", "y"]}),
    ],
)
def test_no_split_proves_what_is_false(left, right, splits):
    with suppress(ValueError, SyntaxError, IndexError, ZeroDivisionError):  # it is refused
        assert not checker.holds(certificate_of(left, right, splits=splits))


@pytest.mark.parametrize(
    ("left", "right", "key"),
    [
        ("x**2", "1", "sin(0)"),
        ("sqrt(x)", "x", "sqrt(x)"),
        ("Abs(I)**2", "-1", "Abs(I)"),
        ("x", "0", "I"),
        ("Abs(sin(I*x))**2", "sin(I*x)**2", "Abs(sin(I*x))"),
        ("i**2", "-1", "I"),
        ("Abs(x)", "x", "Abs(x)"),
    ],
)
@pytest.mark.parametrize("cofactor", ["1", "-1", "x", "1/x"])
def test_no_axiom_proves_what_is_false(left, right, key, cofactor):
    with suppress(KeyError):  # there is no axiom of a name that is not there
        assert not checker.holds(certificate_of(left, right, cofactors=[[key, cofactor]]))


def test_what_a_tangent_divides_by_does_not_vanish_only_where_a_side_has_it():
    """cos(x) is not 0 where tan(x) is, and may be 0 in a claim without it."""
    said = {"multiplier": ["cos(x)"], "assumptions": ["cos(x)*z"]}
    assert not checker.holds(certificate_of("z", "0", **said, cofactors=[[0, "1"]]))
    assert not checker.holds(certificate_of("z", "0", **said, cofactors=[[0, "1 + 0*tan(x)"]]))
    assert checker.holds(certificate_of("z*tan(x)", "0", **said, cofactors=[[0, "sin(x)"]]))


def test_a_multiplier_must_be_known_not_to_vanish():
    said = {"multiplier": ["y"], "assumptions": ["x*y"], "cofactors": [[0, "1"]]}
    assert not checker.holds(certificate_of("x", "0", **said))
    assert checker.holds(certificate_of("x", "0", **said, nonzero=["y"]))
    assert not checker.holds(certificate_of("x", "0", **{**said, "assumptions": ["y"]}, nonzero=["y"]))


def test_a_reader_of_texts_agrees_with_rational_arithmetic():
    top, below = checker.TextReader({}).text("(1/x - 2/(3*y))*(1/x**2)/(1/(-x + y/2))")
    value = {"x": Fraction(3, 7), "y": Fraction(-5, 2)}

    def at(polynomial):
        return sum(c * prod(value[n] for n in names) for names, c in polynomial.items())

    found = at(top) / prod(at(dict(f)) for f in below.elements())
    u, v = value["x"], value["y"]
    assert found == (1 / u - 2 / (3 * v)) / u**2 * (-u + v / 2)


def test_what_is_not_proved_has_none_and_records_are_checked_from_the_shell(tmp_path):
    from nsdgen.verify.report.records import write_records

    claims = [TRUE["polynomial"], Claim("false", x, y), Claim("cases", sp.Max(x, y) + sp.Min(x, y), x + y)]
    records = tmp_path / "records.json"
    verdicts = [decide(c, certificates=True) for c in claims]
    assert not verdicts[1].certificate
    write_records(records, verdicts)
    done = subprocess.run([sys.executable, "-I", checker.__file__, records], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("2 proofs, ") and "0 certificates fail" in done.stdout
    records.write_text(records.read_text().replace("+ 2*x*y +", "+ 3*x*y +"))
    assert subprocess.run([sys.executable, "-I", checker.__file__, records], capture_output=True).returncode == 1


def test_names_that_are_made_up_are_the_same_in_every_run():
    """The order of a set of symbols is another in each process."""
    code = (
        "import sympy as sp\nfrom nsdgen.verify.certificate.texts import Texts\n"
        "x = sp.Symbol('x')\ne = sum(sp.Function(f'f{k}')(x) for k in range(9))\nprint(Texts([e])(e))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout and len({r.stdout for r in runs}) == 1
