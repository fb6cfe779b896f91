"""Certificates of proofs: what the checker accepts, and that it refuses every certificate that was tampered with."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from fractions import Fraction

import pytest
import sympy as sp

from nsdgen.verify import Claim, Equal, Implies, NonZero, UnitQuaternion, Zero, decide, quaternion, rotation_matrix
from nsdgen.verify.certificate import checker, identity

x, y = sp.symbols("x y", real=True)
a = sp.Symbol("a", positive=True)
p = quaternion("p")
f = sp.Function("f")

TRUE = {
    "polynomial": Claim("polynomial", (x + y)**2, x**2 + 2 * x * y + y**2),
    "fractions": Claim("fractions", 1 / (x + y) + 1 / (x - y), 2 * x / (x**2 - y**2)),
    "angles": Claim("angles", sp.sin(3 * x / 2 - y), sp.sin(3 * x / 2) * sp.cos(y) - sp.cos(3 * x / 2) * sp.sin(y)),
    "double angle": Claim("double", sp.cos(2 * x), 1 - 2 * sp.sin(x)**2),
    "tangent": Claim("tangent", 1 + sp.tan(x)**2, 1 / sp.cos(x)**2),
    "root": Claim("root", sp.sqrt(1 + x**2)**3 / (1 + x**2), sp.sqrt(1 + x**2)),
    "absolute": Claim("absolute", sp.Abs(x)**2, x**2),
    "rotation": Claim("rotation", rotation_matrix(p).T * rotation_matrix(p), sp.eye(3), [UnitQuaternion(p)]),
    "implication": Claim("implication", statements=[Implies([Equal(x**2, y), Equal(y**2, x)], [Zero(x**4 - x)])]),
    "division": Claim("division", statements=[Implies([Zero(a * x)], [Zero(x)])], assumptions=[NonZero(a)]),
    "unknown function": Claim("unknown", sp.diff(f(x)**2, x), 2 * f(x) * sp.diff(f(x), x)),
    "imaginary": Claim("imaginary", (x + sp.I * y) * (x - sp.I * y), x**2 + y**2),
    "names": Claim("names", (sp.Symbol("q'", real=True) + 1)**2, 1 + 2 * sp.Symbol("q'") + sp.Symbol("q'")**2),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_proof_has_a_certificate_that_no_other_claim_can_use(name):
    verdict = decide(TRUE[name], certificates=True)
    assert verdict.verdict in ("proved", "proved under") and verdict.certificate
    for certificate in json.loads(json.dumps(verdict.certificate)):
        assert checker.holds(certificate) and identity.is_identity(certificate)
        for entry in certificate["entries"]:
            forged = copy.deepcopy(certificate)
            changed = next(e for e in forged["entries"] if e == entry)
            changed["right"] = f"({changed['right']}) + 1/1000000"
            assert not checker.holds(forged)
            forged = copy.deepcopy(certificate)
            changed = next(e for e in forged["entries"] if e == entry)
            changed["numerator"] = [*changed["numerator"], ["1/1000000", {"x": 1}]]
            assert not checker.holds(forged) and not identity.is_identity(forged)


def test_cofactors_assumptions_and_multipliers_cannot_be_left_out():
    rotation, = decide(TRUE["rotation"], certificates=True).certificate
    k = next(k for k, e in enumerate(rotation["entries"]) if e["cofactors"])
    for part, value in (("cofactors", []), ("left", "0"), ("numerator", [])):
        forged = copy.deepcopy(rotation)
        forged["entries"][k][part] = value
        assert not checker.holds(forged)
    division, = decide(TRUE["division"], certificates=True).certificate
    forged = copy.deepcopy(division)
    forged["nonzero"] = []
    assert checker.holds(division) and not checker.holds(forged)


@pytest.mark.parametrize(("left", "right"), [
    ("sqrt(x**2)", "x"), ("Abs(x)", "x"), ("sin(x)", "cos(x)"), ("Abs(x + I*y)**2", "(x + I*y)**2"), ("f(x)", "f(y)"),
    ("x**y", "x"), ("1/x", "x"), ("sin(2*x)", "2*sin(x)"), ("cos(x/2)**2", "cos(x)**2"), ("x**(1/3)", "x")])
def test_nothing_false_is_accepted_without_cofactors(left, right):
    entry = {"left": left, "right": right, "multiplier": [], "numerator": [], "cofactors": []}
    certificate = {"parts": {}, "assumptions": [], "nonzero": [], "generators": {}, "entries": [entry]}
    assert not checker.holds(certificate)
    assert identity.is_identity(certificate)  # 0 = 0: whose numerator it is only the reader of the texts can say


def test_a_multiplier_must_be_known_not_to_vanish():
    product = [["1", {"x": 1, "y": 1}]]
    entry = {"left": "x", "right": "0", "multiplier": [["y", 1]], "numerator": product, "cofactors": [[0, [["1", {}]]]]}
    certificate = {"parts": {}, "assumptions": ["x*y"], "nonzero": [], "generators": {"0": product}, "entries": [entry]}
    assert not checker.holds(certificate)
    assert checker.holds({**certificate, "nonzero": ["3*y"]})
    zero = {**entry, "multiplier": [["0", 1]], "numerator": [], "cofactors": []}
    assert not checker.holds({**certificate, "nonzero": ["0"], "entries": [zero]})


def test_a_reader_of_texts_agrees_with_rational_arithmetic():
    reader = checker.Reader({})
    top, bottom = reader.read("(1/x - 2/(3*y))*x**-2/(-x + y/2)**-1")
    value = {"x": Fraction(3, 7), "y": Fraction(-5, 2)}

    def at(polynomial):
        total = Fraction(0)
        for monomial, c in dict(polynomial).items():
            for name, n in monomial:
                c *= value[name]**n
            total += c
        return total

    found = at(top)
    for factor, n in bottom.items():
        found /= at(factor)**n
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
    alone = subprocess.run([sys.executable, "-I", identity.__file__, records], capture_output=True, text=True)
    assert alone.returncode == 0 and alone.stdout.endswith("no identities: []\n")
    records.write_text(records.read_text().replace('"right": "x**2 + 2*x*y + y**2"', '"right": "x**2 + 2*x*y + y"'))
    assert subprocess.run([sys.executable, "-I", checker.__file__, records], capture_output=True).returncode == 1
