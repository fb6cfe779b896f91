"""Certificates of proofs: what the checker accepts, and that it refuses every certificate that was tampered with."""

from __future__ import annotations

import ast
import copy
import os
import subprocess
import sys
from fractions import Fraction
from math import prod
from pathlib import Path
from random import Random

import pytest
import sympy as sp
from certificate_texts import signed, text_of

from nsdgen.verify import (
    Claim,
    Definite,
    Equal,
    Equation,
    Implies,
    Inequality,
    IntegralEqual,
    Invertible,
    NonZero,
    Positive,
    Rotation,
    Skew,
    Symmetric,
    UnitQuaternion,
    Zero,
    decide,
    quaternion,
    rotation_matrix,
)
from nsdgen.verify.certificate import checker
from nsdgen.verify.certificate.making import certified, holds
from nsdgen.verify.certificate.syntax import needed
from nsdgen.verify.setting import Deadline

x, y, z, s, t = sp.symbols("x y z s t", real=True)
a = sp.Symbol("a", positive=True)
p = quaternion("p")
f = sp.Function("f")
n = sp.Symbol("n", integer=True, positive=True)
A, B, S, K = (sp.MatrixSymbol(name, n, n) for name in "ABSK")
UNIT = sp.Identity(n)
u, v = (sp.MatrixSymbol(name, n, 1) for name in "uv")

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
    "division": Claim("division", statements=[Implies([Zero(y * x)], [Zero(x)])], assumptions=[NonZero(y)]),
    "unknown function": Claim("unknown", sp.diff(f(x) ** 2, x), 2 * f(x) * sp.diff(f(x), x)),
    "hyperbolic": Claim("hyperbolic", sp.tanh(x), 1 - 2 / (sp.exp(2 * x) + 1)),
    "exponential": Claim("exponential", sp.exp(x + y) * sp.exp(-x / 2), sp.exp(x / 2 + y)),
    "imaginary": Claim("imaginary", (x + sp.I * y) * (x - sp.I * y), x**2 + y**2),
    "names": Claim("names", (sp.Symbol("q'", real=True) + 1) ** 2, 1 + 2 * sp.Symbol("q'") + sp.Symbol("q'") ** 2),
    "greatest": Claim("greatest", sp.Max(x, y) + sp.Min(x, y), x + y),
    "three": Claim("three", sp.Max(x, y, z), -sp.Min(-x, -y, -z)),
    "cases": Claim("cases", sp.Piecewise((x, x > y), (y, True)), (x + y + sp.Abs(x - y)) / 2),
    "assumed sign": Claim("dissipation", x * y, -(z**2) * sp.Abs(x), [Equation(y, -(z**2) * sp.sign(x))]),
    "integral": Claim("i", statements=[IntegralEqual(sp.log(t), 1 / s, s, 1, t)], assumptions=[Positive(t)]),
    "order": Claim("order", sp.sin(x), x - x**3 / 6 + sp.O(x**5)),
    "inequality": Claim("inequality", statements=[Inequality(x**2 + y**2, ">=", 2 * x * y)]),
    "definite": Claim("definite", statements=[Definite(sp.Matrix([[1 + x**2, x], [x, 1]]))]),
    "inverse of a product": Claim("inverse", (A * B).I, B.I * A.I, [Invertible(A), Invertible(B)]),
    "scalar": Claim("scalar", u.T * A * v, v.T * A.T * u),
    "symmetric inverse": Claim("inverse", (S.I).T, S.I, [Symmetric(S)]),
    "solved": Claim("solved", statements=[Implies([Equal(a * S * u, v)], [Equal(u, S.I * v / a)])]),
    "orthogonal": Claim("orthogonal", A.T, A.I, [Rotation(A)]),
    "inverse of a sum": Claim(
        "cayley", ((UNIT + K).I * (UNIT - K)).T, (UNIT + K) * (UNIT - K).I, [Skew(K), Invertible(UNIT + K)]
    ),
    "updated inverse": Claim("updated", (A + B).I, A.I - A.I * B * (A + B).I),
    "blocks": Claim(
        "blocks",
        sp.BlockMatrix([[A, B], [S, A]]) * sp.BlockMatrix([[u], [v]]),
        sp.BlockMatrix([[A * u + B * v], [S * u + A * v]]),
    ),
}
CERTIFICATES = {}


def certificate_of_claim(name):
    if name not in CERTIFICATES:
        CERTIFICATES[name] = certified(TRUE[name].readings[0], Deadline.after(10.0))
    return copy.deepcopy(CERTIFICATES[name])


@pytest.mark.parametrize("name", TRUE)
def test_a_true_claim_has_a_certificate_that_no_other_claim_can_use(name):
    certificate = certificate_of_claim(name)
    assert certificate and holds(certificate, TRUE[name].readings[0])
    for other in ("polynomial", "rotation", "scalar"):
        assert other == name or not holds(certificate, TRUE[other].readings[0])


def leaves(node, path=()):
    """The places of all texts and numbers in a certificate."""
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    if not isinstance(node, dict | list):
        yield path
    for key, value in items:
        yield from leaves(value, (*path, key))


def put(node, path, value):
    for key in path[:-1]:
        node = node[key]
    node[path[-1]] = value


def at(node, path):
    for key in path:
        node = node[key]
    return node


def forged(name, rng):
    """A certificate with one thing changed, and whether what it states is still what was claimed."""
    certificate = certificate_of_claim(name)
    kind = rng.choice(("goal", "goal", "cofactor", "assumption", "left out", "count"))
    goals = certificate["stated"][0]["goals"]
    if kind == "goal":
        k = rng.randrange(len(goals))
        side = rng.choice((1, 2))
        goals[k][side] = f"({goals[k][side]}) + {rng.randint(1, 9)}/{rng.choice((1, 7, 10**6))}"
    elif kind == "assumption":
        certificate["stated"][0]["given"].append(rng.choice(("1", "x", "A", "x - y", "T(A) - A")))
    elif kind == "left out":
        certificate["proofs"][0] = certificate["proofs"][0][1:]
    elif kind == "count":
        certificate["stated"][0]["goals"] = goals[1:]
        certificate["proofs"][0] = certificate["proofs"][0][1:]
    else:
        places = [place for place in leaves(certificate["proofs"]) if of_a_cofactor(certificate["proofs"], place)]
        if places:
            place = rng.choice(places)
            put(certificate["proofs"], place, f"({at(certificate['proofs'], place)}) + 1/{rng.randint(1, 99)}")
        else:
            certificate["claim"] = certificate["claim"][::-1]
    return certificate


def of_a_cofactor(proofs, place):
    """Whether a place is that of what stands before what vanishes in a step."""
    return len(place) > 3 and place[-3:-2] == (4,) and place[-1] == 0 and at(proofs, place[:-3])[0] == "have"


@pytest.mark.parametrize("number", [pytest.param(k, marks=pytest.mark.slow if k >= 60 else ()) for k in range(300)])
def test_three_hundred_forgeries_are_refused(number):
    """Each against the claim that it is said to prove; also where the forger hashes it again."""
    name = sorted(TRUE)[number % len(TRUE)]
    rng = Random(number)
    certificate = forged(name, rng)
    reading = TRUE[name].readings[0]
    if certificate["proofs"] == CERTIFICATES[name]["proofs"]:
        assert (
            certificate["stated"] != CERTIFICATES[name]["stated"] or certificate["claim"] != CERTIFICATES[name]["claim"]
        )
    assert not holds(certificate, reading)
    assert not holds(signed(certificate), reading) or certificate["stated"] == CERTIFICATES[name]["stated"]


@pytest.mark.parametrize(
    ("left", "integrand", "low", "assumed"),
    [
        (-1 / t, 1 / s**2, -1, [Positive(t)]),  # a pole between the bounds
        (sp.log(t), 1 / s, 1, []),
        (sp.atan(1 / t) - sp.pi / 4, -1 / (1 + s**2), 1, [NonZero(t)]),
        (t**2, t + s, 0, []),  # the integrand depends on the bound
        (2 * t, 1 + x, 0, [Equation(x * t, 1), Equation(t, 1)]),
        (t, x, 0, [Equation(t * (x - 1), 0)]),
        (t + 1, sp.Integer(1), 0, []),
        (sp.sign(t), sp.Integer(0), 1, []),
        (t + t * sp.sqrt((sp.sin(t) ** 2 + sp.cos(t) ** 2 - 1) ** 2), sp.Integer(5), 0, []),  # no derivative anywhere
        (t + (sp.sin(t) ** 2 + sp.cos(t) ** 2 - 1) ** 2 / (sp.sin(2 * t) - 2 * sp.sin(t) * sp.cos(t)), s, 0, []),
        (sp.tan(t), 1 + sp.tan(s) ** 2, 0, []),
        (sp.Max(t, t * (sp.sin(t) ** 2 + sp.cos(t) ** 2), t + sp.sin(t) ** 2 + sp.cos(t) ** 2 - 1), sp.S(3) / 2, 0, []),
        (f(t) - f(0), f(s), 0, []),
        (f(t), sp.Integer(2), 0, [Equation(f(t), 2 * t), Equation(f(0), 0)]),  # said of one value of t alone
    ],
)
def test_integrals_need_continuity_and_a_start(left, integrand, low, assumed):
    claim = Claim("i", statements=[IntegralEqual(left, integrand, s, low, t)], assumptions=assumed)
    assert certified(claim.readings[0], Deadline.after(5.0)) is None


def test_zero_is_the_integral_of_a_matrix_of_zeros():
    """As in equalities, where it stands beside a matrix."""
    claim = Claim("i", statements=[IntegralEqual(0, sp.zeros(2, 1), s, 0, t)])
    assert certified(claim.readings[0], Deadline.after(5.0))
    assert decide(claim).verdict == "proved"


@pytest.mark.parametrize(
    ("left", "order"),
    [(sp.sqrt(x), 1), (sp.log(x), 0), (sp.Abs(x), 2), (x, 2), (1 / x, 1), (f(x) - f(0), 3), (1 / (x + y), 1)],
)
def test_orders_need_derivatives(left, order):
    """Of unknown functions, too, which are smooth but not known to vanish."""
    claim = Claim("o", left, sp.O(x**order))
    assert certified(claim.readings[0], Deadline.after(5.0)) is None


def test_the_checker_imports_no_library_and_who_proves_does_not_import_the_checker():
    folder = Path(checker.__file__).parent
    modules = {
        path.name: {
            name
            for node in ast.walk(ast.parse(path.read_text()))
            for name in (
                [a.name for a in node.names] if isinstance(node, ast.Import) else [getattr(node, "module", "")]
            )
            if isinstance(node, ast.Import | ast.ImportFrom)
        }
        for path in folder.glob("*.py")
    }
    assert modules["checker.py"] <= set(sys.stdlib_module_names)
    assert {name for name, own in modules.items() if "checker" in own} == {"making.py"}


def test_a_reader_of_texts_agrees_with_rational_arithmetic():
    reader = checker.ProvedCase(text_of("1/x", "1/y", nonzero=["1*x", "3*y", "1*x*x"]), needed((), True))
    values = {"x": Fraction(3, 7), "y": Fraction(-5, 2)}
    values |= {"inv(1*x)": 1 / values["x"], "inv(1*y)": 1 / values["y"]}
    p = reader.read("(1/x - 2/(3*y))*(1/x**2)*(-x + y/2)**3")
    first, second = values["x"], values["y"]
    expected = (1 / first - 2 / (3 * second)) / first**2 * (-first + second / 2) ** 3
    values |= {"inv(1*x*x)": 1 / first**2, "inv(3*y)": 1 / (3 * second)}

    def at(polynomial):
        return sum(c * prod(values[n] for n in names) for names, c in polynomial.items())

    assert at(p) == expected
    assert at(reader.cleared(p)) == expected * first * 3 * second * first**2


def test_a_proof_without_certificate_is_called_so_and_records_are_checked_from_the_shell(tmp_path):
    from nsdgen.verify.report.terminal_text import table
    from nsdgen.verify.report.verdict_list import as_json

    claims = [
        TRUE["polynomial"],
        Claim("false", x, y),
        Claim("roots", sp.asin(sp.sin(x / 9)), sp.asin(sp.sin(x / 9) + 0 * y)),
    ]
    claims.append(Claim("sum", sp.gamma(x + 1) * x, x**2 * sp.gamma(x)))
    verdicts = [decide(c) for c in claims]
    assert [v.verdict for v in verdicts][:2] == ["proved", "refuted"] and not verdicts[1].certificate
    assert verdicts[3].verdict in ("proved without certificate", "consistent", "undecided")
    assert "proved without certificate" in table([verdicts[0].but(verdict="proved without certificate")])
    records = tmp_path / "records.json"
    records.write_text(as_json(verdicts))
    done = subprocess.run([sys.executable, "-I", checker.__file__, records], capture_output=True, text=True)
    assert done.returncode == 0 and "0 of them not accepted" in done.stdout, done
    records.write_text(records.read_text().replace("2*x*y", "3*x*y"))
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
