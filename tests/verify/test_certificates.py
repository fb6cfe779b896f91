"""Certificates of proofs: what the checker accepts, and that it refuses every certificate that was tampered with."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
import sys
from fractions import Fraction
from math import prod
from random import Random

import pytest
import sympy as sp

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


def signed(certificate):
    """The certificate with the hash of what it states, as a forger would give it."""
    text = json.dumps(certificate["stated"], sort_keys=True).encode()
    return {**certificate, "claim": hashlib.sha256(text).hexdigest()}


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
        side = rng.choice((2, 3))
        goals[k][side] = f"({goals[k][side]}) + {rng.randint(1, 9)}/{rng.choice((1, 7, 10**6))}"
    elif kind == "assumption":
        certificate["stated"][0]["given"].append(rng.choice(("1", "x", "A", "x - y", "T(A) - A")))
    elif kind == "left out":
        certificate["proofs"][0]["goals"] = certificate["proofs"][0]["goals"][1:]
    elif kind == "count":
        certificate["stated"][0]["goals"] = goals[1:]
        certificate["proofs"][0]["goals"] = certificate["proofs"][0]["goals"][1:]
    else:
        proofs = certificate["proofs"]
        texts = [q for q in leaves(proofs) if "cofactors" in q and isinstance(at(proofs, q), str)]
        places = [q for q in texts if len(at(proofs, q[:-1])) == 3 and q[-1] != 1]
        if places:
            place = rng.choice(places)
            put(certificate["proofs"], place, f"({at(certificate['proofs'], place)}) + 1/{rng.randint(1, 99)}")
        else:
            certificate["claim"] = certificate["claim"][::-1]
    return certificate


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


def text_of(left, right, kind="=", shape=("1", "1"), more=(), **said):
    part = {k: [] for k in ("given", "positive", "nonnegative", "nonzero", "invertible", "complex")}
    return {**part, "matrices": {}, "names": {}, **said, "goals": [[kind, list(shape), left, right, *more]]}


def accepted(left, right, multiplier=(), cofactors=(), proof=None, splits=None, **said):
    cofactors = [c if len(c) == 3 else (c[1], c[0], "1") for c in cofactors]
    proof = proof or {"multiplier": list(multiplier), "cofactors": [list(c) for c in cofactors]}
    stated = [text_of(left, right, **said)]
    return checker.holds(signed({"stated": stated, "proofs": [{"splits": splits or {}, "goals": [proof]}]}))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("sqrt(x**2)", "x"),
        ("Abs(x)", "x"),
        ("sin(x)", "cos(x)"),
        ("f(x)", "f(y)"),
        ("x**y", "x"),
        ("1/x", "x"),
        ("sin(2*x)", "2*sin(x)"),
        ("x**(1/3)", "x"),
        ("x**True", "x"),
        ("True", "1"),
        ("None", "None"),
        ("x**-1", "1/x"),
        ("1.5", "3/2"),
        ("1.0000000000000000001", "1.0"),
        ("exp(-x)", "-exp(x)"),
        ("sqrt(-x)", "-sqrt(x)"),
        ("x < y", "x < y"),
        ("x % y", "x % y"),
        ("\u210c", "H"),
        ("\uff58", "x"),
        ("x) + (y", "x) + (y"),
        ("lambda: x", "lambda: x"),
        ("x.y", "x.y"),
        ("+x", "-x"),
        ("1/(x - x)", "1/(x - x)"),
        ("Max(x, y)", "x"),
        ("f(x, k=1)", "f(x, k=2)"),
        ("x, y", "x, y"),
    ],
)
def test_nothing_false_or_without_meaning_is_accepted_without_cofactors(left, right):
    assert not accepted(left, right)


def test_division_by_zero_proves_nothing():
    assert not accepted("x/(y - y)", "z")
    assert not accepted("x", "y", multiplier=["0"], nonzero=["0"])


@pytest.mark.parametrize(
    ("left", "right", "splits"),
    [
        ("exp(x + y)", "exp(x)**2", {"x + y": ["x", "x"]}),
        ("sin(x + y)", "sin(x) + cos(x)", {"x + y": ["x) + (0", "y"]}),  # parentheses that close what was opened
        ("exp(x + y)", "exp(x) + 0*exp(y)", {"x + y": ["x) + 0*(1", "y"]}),
        ("cos(x + y)", "cos(x)", {"x + y": ["x", "y - y + y) + 0*(1"]}),
        ("sin(x)", "0", {"x": ["x", "x"]}),
        ("sin(x + y)", "sin(x)", {"x + y": ["x", "0"]}),
        ("exp(x)", "1", {"x": ["0*x", "0"]}),
        ("sin(x)", "0", {"x": []}),
        ("sin(x)", "cos(x)", {"x": ["x", "0*(1/0)"]}),
        ("f(x + y)", "f(x)*f(y)", {"x + y": ["x", "y"]}),
        ("sin(y) + x", "sin(y) + Abs(x)", {"y": ["sqrt(x)", "y - sqrt(x)"]}),
    ],
)
def test_no_split_proves_what_is_false(left, right, splits):
    assert not accepted(left, right, splits=splits)


@pytest.mark.parametrize("first", ["sqrt(x)", "root(x, 2)", "inv(x)", "1/x", "Abs(x)", "sqrt(-1)", "sqrt(-x**2)"])
def test_what_a_split_alone_writes_teaches_nothing(first):
    """The argument of a sine is a sum with a root in it, which would say that what is under it is not negative."""
    split = {"y": [first, f"y - {first}"]}
    for key in (first, f"@{first} left", "sqrt(-x**2)"):
        for before in ("1", "-1", "x"):
            said = {"splits": split, "cofactors": [[key, before]]}
            assert not accepted("sin(y)", "sin(y) + x", **said) and not accepted("sin(y)*x", "0", **said)


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
    assert not accepted(left, right, cofactors=[[key, cofactor]])


def test_an_absolute_value_of_what_may_not_be_real_has_no_square():
    proof = {"cofactors": [["Abs(w)", "1"]]}
    assert accepted("Abs(w)**2", "w**2", **proof) and not accepted("Abs(w)**2", "w**2", complex=["w"], **proof)


def test_what_a_tangent_divides_by_does_not_vanish_only_where_a_side_has_it():
    """cos(x) is not 0 where tan(x) is, and may be 0 in a claim without it."""
    said = {"multiplier": ["cos(x)"], "given": ["cos(x)*z"]}
    assert not accepted("z", "0", **said, cofactors=[[0, "1"]])
    assert not accepted("z", "0", **said, cofactors=[[0, "1 + 0*tan(x)"]])
    assert accepted("z*tan(x)", "0", **said, cofactors=[[0, "sin(x)"]])


def test_a_multiplier_must_be_known_not_to_vanish():
    said = {"multiplier": ["y"], "given": ["x*y"], "cofactors": [[0, "1"]]}
    assert not accepted("x", "0", **said)
    assert accepted("x", "0", **said, nonzero=["y"]) and accepted("x", "0", **said, positive=["-y"])
    assert not accepted("x", "0", **said, nonnegative=["y"])
    assert not accepted("x", "0", **{**said, "given": ["y"]}, nonzero=["y"])


MATRICES = {"matrices": {"A": ["n", "n"], "B": ["n", "n"], "C": ["n", "m"], "u": ["n", "1"]}, "shape": ["n", "n"]}


@pytest.mark.parametrize(
    ("left", "right", "more"),
    [
        ("A*B", "B*A", {}),
        ("T(A)", "A", {}),
        ("T(A*B)", "T(A)*T(B)", {}),
        ("inv(A + B)", "inv(A) + inv(B)", {}),
        ("A", "0", {"cofactors": [["inv(B)", 0, "1"]], "given": ["B*A"]}),  # B need not have an inverse
        ("A", "0", {"cofactors": [["1", "left @inv(1*@B)", "A"]], "given": ["B*A"]}),
        ("A**2", "1", {"multiplier": ["A**2 + 1"], "given": ["(A**2 + 1)*(A**2 - 1)"], "cofactors": [["1", 0, "1"]]}),
        ("A*B", "B*A", {"cofactors": [["1", ["A", "B"], "1"]]}),
        ("A", "T(A)", {"cofactors": [["1", ["scalar", "A"], "1"]]}),  # no scalar
        ("u", "T(u)", {"cofactors": [["1", ["scalar", "u"], "1"]], "shape": ["n", "1"]}),
        ("A*B", "T(A*B)", {"cofactors": [["1", ["scalar", "A*B"], "1"]]}),
        ("A*A", "1", {"cofactors": [["A", "@inv(1*A) left", "1"]]}),  # an inverse that the claim does not have
        ("T(A)*A", "1", {"cofactors": [["1", ["turned", "@inv((1)*A) left"], "1"]]}),
        ("A", "0", {"cofactors": [["inv(B)", 0, "1"], ["-1", "@inv((1)*B) left", "A"]], "given": ["B*A"]}),
        ("A", "B", {"cofactors": [["1", ["turned", 0], "1"]], "given": ["A - T(B)"]}),
        ("T(A)", "B", {"cofactors": [["1", 0, "1"]], "given": ["A - T(B)"]}),
        ("A*B", "0", {"cofactors": [["1", ["turned", 0], "1"]], "given": ["T(A)*T(B)"]}),
        ("1/A", "inv(A)", {}),
        ("A", "0", {"cofactors": [["1", 0, "1"]], "given": ["C"]}),
        ("A", "B", {"proof": {"case": "A - B", "below": {}, "zero": {}, "above": {}}}),
        ("A*B - 1", "0", {"cofactors": [["1", 0, "1"]], "given": ["B*A - 1"]}),
    ],
)
def test_matrices_keep_their_order_shapes_and_inverses(left, right, more):
    assert not accepted(left, right, **{**MATRICES, **more})


@pytest.mark.parametrize(
    ("left", "right", "proof", "said"),
    [
        ("Abs(x)", "x", {"case": "x", "below": {}, "zero": {}, "above": {}}, {}),
        (
            "1/x*x",
            "1",
            {"case": "1/x", "below": {}, "zero": {}, "above": {}},
            {},
        ),  # where 1/x is not defined nothing is said
        ("Max(x, 0)", "x", {"empty": [], "cofactors": []}, {}),
        ("x", "y", {"empty": [[1, 0]], "cofactors": []}, {"positive": ["x"]}),
        ("x", "y", {"empty": [[-1, 0]], "cofactors": []}, {"positive": ["1"]}),
        ("x", "y", {"empty": [[1, 0]], "cofactors": []}, {"nonnegative": ["x - x"]}),
        ("x", "y", {"empty": [[1, 0]], "cofactors": []}, {"nonzero": ["0 - 1"]}),
        ("x", "0", {"form": "x", "multiplier": [], "cofactors": []}, {"kind": ">"}),
        ("x**2", "0", {"form": "x**2", "multiplier": [], "cofactors": []}, {"kind": ">"}),
        ("1/x**2 - 1/x**2", "0", {"form": "exp(x)", "multiplier": [], "cofactors": []}, {"kind": ">="}),
        ("w**2", "0", {"form": "w**2", "multiplier": [], "cofactors": []}, {"kind": ">=", "complex": ["w"]}),
    ],
)
def test_no_case_and_no_sign_is_taken_for_granted(left, right, proof, said):
    plain = {"multiplier": [], "cofactors": []}
    assert not accepted(
        left, right, proof={k: v or dict(plain) if isinstance(v, dict) else v for k, v in proof.items()}, **said
    )


@pytest.mark.parametrize(
    ("left", "integrand", "low", "said"),
    [
        ("-1/u", "1/s**2", "-1", {"positive": ["u"]}),  # a pole between the bounds
        ("log(u)", "1/s", "1", {}),
        ("atan(1/u) - atan(1)", "-1/(1 + s**2)", "1", {"nonzero": ["u"]}),
        ("u", "1 + u - u", "0", {}),
        ("u**2", "u + s", "0", {}),  # the integrand depends on the bound
        ("2*u", "1 + x", "0", {"given": ["x - 1", "u - 1"]}),
        ("u", "x", "0", {"given": ["u*(x - 1)"]}),
        ("u + 1", "1", "0", {}),
        ("sign(u)", "0", "1", {}),
    ],
)
def test_integrals_need_continuity_and_a_start(left, integrand, low, said):
    plain = {"multiplier": [], "cofactors": [["1", 0, "1"]] if said.get("given") else []}
    wanted = {"kind": "integral", "more": ["s", low, "u"], "proof": {"parts": [plain, plain]}}
    assert not accepted(left, integrand, **wanted, **said)


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [("sqrt(x)", "0", 1), ("log(x)", "0", 0), ("Abs(x)", "0", 2), ("x", "0", 2), ("1/x", "0", 1), ("f(x)", "f(0)", 3)],
)
def test_orders_need_derivatives(left, right, order):
    parts = [{"multiplier": [], "cofactors": []}] * order
    assert not accepted(left, right, kind="order", more=["x", "0", order], proof={"parts": parts})


def test_a_reader_of_texts_agrees_with_rational_arithmetic():
    top, below = checker.ClaimReader(text_of("0", "0"), {}).text("(1/x - 2/(3*y))*(1/x**2)/(1/(-x + y/2))")
    value = {"x": Fraction(3, 7), "y": Fraction(-5, 2)}

    def at(polynomial):
        return sum(c * prod(value[n] for n in names) for names, c in polynomial.items())

    found = at(top) / prod(at(dict(f)) for f in below.elements())
    first, second = value["x"], value["y"]
    assert found == (1 / first - 2 / (3 * second)) / first**2 * (-first + second / 2)


def test_a_proof_without_certificate_is_called_so_and_records_are_checked_from_the_shell(tmp_path):
    from nsdgen.verify.report.records import write_records
    from nsdgen.verify.report.terminal_text import table

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
    write_records(records, verdicts)
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
