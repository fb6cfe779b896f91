"""Certificates of proofs: what the checker accepts, and that it refuses every certificate that was tampered with."""

from __future__ import annotations

import ast
import contextlib
import copy
import hashlib
import json
import os
import subprocess
import sys
from fractions import Fraction
from math import prod
from pathlib import Path
from random import Random

import mpmath
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


def text_of(left, right, kind="=", **said):
    part = {k: [] for k in ("given", "positive", "nonnegative", "nonzero", "complex")}
    part |= {"matrices": {}, "names": {}, **said}
    try:
        own = needed((left, right), not part["complex"])
    except SyntaxError:
        own = needed((), True)
    return {**part, "goals": [[kind, left, right, own]]}


def have(text, times=(), products=(), cofactors=()):
    return ["have", text, [[list(times), []]], list(products), [list(c) for c in cofactors]]


def accepted(left, right, times=(), cofactors=(), steps=None, before=(), **said):
    """Whether the checker takes steps for a proof: those before, and one that left - right vanishes."""
    part = text_of(left, right, **said)
    cofactors = [c if len(c) == 3 else [c[1], c[0], "1"] for c in cofactors]
    steps = [*before, have(difference(left, right), times, (), cofactors)] if steps is None else steps
    return checker.holds(signed({"stated": [part], "proofs": [[steps]]}))


def difference(left, right):
    """The text of the goal of an equality, as the checker writes it."""
    with contextlib.suppress(SyntaxError):
        left, right = (ast.unparse(ast.parse(t, mode="eval")) for t in (left, right))
    return f"({left}) - ({right})"


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
        ("# coding: utf-7\n+/1g-", "x"),
        ("\uff58", "x"),
        ("x) + (y", "x) + (y"),
        ("lambda: x", "lambda: x"),
        ("x.y", "x.y"),
        ("+x", "-x"),
        ("1/(x - x)", "1/(x - x)"),
        ("Max(x, y)", "x"),
        ("f(x, k=1)", "f(x, k=2)"),
        ("x, y", "x, y"),
        ("x if x > 0 else y", "x"),
        ("x if 0 < x < 1 else x", "x"),
        ("inv()", "inv()"),
        ("1e3", "1000"),
        ("10**x", "10**x + 0"),
    ],
)
def test_nothing_false_or_without_meaning_is_accepted_without_cofactors(left, right):
    assert not accepted(left, right)


def test_division_by_zero_proves_nothing():
    assert not accepted("x/(y - y)", "z")
    assert not accepted("x", "y", times=["0"])
    assert not accepted("x", "y", times=["1/0"])


SINE = "sin({0} + {1}) - sin({0})*cos({1}) - cos({0})*sin({1})"
COSINE = "cos({0} + {1}) - cos({0})*cos({1}) + sin({0})*sin({1})"
POWER = "exp({0} + {1}) - exp({0})*exp({1})"
CIRCLE, SQUARE, IMAGINARY = "sin({0})**2 + cos({0})**2 - 1", "Abs({0})**2 - {0}**2", "I**2 + 1"
ROOT, LEFT, RIGHT = "{1}*root({0}, {1})**{1} - {1}*{0}", "inv({0})*{0} - 1", "{0}*inv({0}) - 1"
ABOVE, BELOW = "Abs({0}) - {0}", "Abs({0}) + {0}"


@pytest.mark.parametrize(
    ("left", "right", "name", "key"),
    [
        ("exp(x + y)", "exp(x)**2", "exp(1*x + 1*y)", [POWER, "x", "x"]),
        ("sin(x + y)", "sin(x) + cos(x)", "sin(1*x + 1*y)", [SINE, "x) + (0", "y"]),
        ("sin(x + y)", "0", "sin(1*x + 1*y)", [SINE, "x #", "0\n"]),
        ("exp(x + y)", "exp(x) + 0*exp(y)", "exp(1*x + 1*y)", [POWER, "x", "y) + 0*(1"]),
        ("cos(x + y)", "cos(x)", "cos(1*x + 1*y)", [COSINE, "x", "0"]),
        ("sin(x)", "0", "sin(1*x)", ["sin(0)"]),
        ("sin(x)", "sin(y)", "sin(1*x)", ["sin(-{0}) + sin({0})", "-y"]),
        ("sin(x)", "cos(x)", "sin(1*x)", [SINE, "x", "1/0"]),
        ("sin(x)", "2*sin(x)*cos(x)", "sin(1*x)", [SINE, "x", "x"]),
        ("sin(x)", "cos(x)", "sin(1*x)", ["cos(-{0}) - cos({0})", "-x"]),
        ("f(x + y)", "f(x)*f(y)", "f(1*x + 1*y)", [POWER, "x", "y"]),
        ("x", "0", "x", ["sin(0)"]),
        ("exp(x)", "1", "exp(1*x)", ["exp(0) - 1"]),
        ("exp(0)", "0", "exp(0)", ["sin(0)"]),
        ("sin(x)", "0", "sin(1*x)", []),
        ("sin(x)", "0", "sin(1*x)", "x"),
        ("Abs(x)", "x", "Abs(1*x)", [ABOVE, "x"]),
        ("Abs(x)", "-x", "Abs(1*x)", [BELOW, "x"]),
        ("root(x, 2)", "x", "root(1*x, 2)", [ROOT, "x", "2"]),
        ("choose(x, 1, 2, 3)", "3", "choose(1*x, 1, 2, 3)", ["choose({0}, {1}, {2}, {3}) - {3}", "x", "1", "2", "3"]),
    ],
)
@pytest.mark.parametrize("factor", ["1", "-1", "1/2", "0"])
def test_no_law_reads_what_is_false(left, right, name, key, factor):
    assert not accepted(left, right, before=[["let", name, factor, key]])


@pytest.mark.parametrize("first", ["root(x, 2)", "inv(x)", "1/x", "Abs(x)", "root(-1, 2)", "root(-x**2, 2)", "log(x)"])
def test_what_a_law_alone_writes_teaches_nothing(first):
    """The argument of a sine is a sum with a root in it, which would say that what is under it is not negative."""
    step = ["let", "sin(1*y)", "1", [SINE, first, f"y - {first}"]]
    for key in ([ROOT, "x", "2"], [LEFT, "x"], [ROOT, "-x**2", "2"], [ROOT, "-1", "2"], "x"):
        for before in ("1", "-1", "x"):
            said = {"before": [step], "cofactors": [[key, before]]}
            assert not accepted("sin(y)", "sin(y) + x", **said) and not accepted("sin(y)*x", "0", **said)
    empty = [["have", "0", [[[], []]], [[["x"], []]], []]]
    assert not accepted("sin(y)", "0", steps=[step, ["case", "x", [empty] * 3]])


@pytest.mark.parametrize(
    ("left", "right", "key"),
    [
        ("x**2", "1", ["sin(0)", "x"]),
        ("root(x, 2)", "x", [ROOT, "x", "2"]),
        ("Abs(I)**2", "-1", [SQUARE, "I"]),
        ("x", "0", [IMAGINARY]),
        ("Abs(sin(I*x))**2", "sin(I*x)**2", [SQUARE, "sin(I*x)"]),
        ("i**2", "-1", [IMAGINARY]),
        ("Abs(x)", "x", [SQUARE, "x"]),
        ("root(x, 2)", "x", [ROOT, "x", "1"]),
        ("root(x, 2)", "1", [ROOT, "x", "2"]),
        ("y*y", "y", [ROOT, "y*y", "2"]),
        ("x", "1", [LEFT, "x"]),
        ("x", "0", ["no law", "x"]),
        ("x", "0", "x"),
        ("x", "0", ["turned", "x"]),
        ("x", "0", ["number", "x"]),
        ("x", "0", ["exp({0})", "x"]),
        ("x", "0", 0),
        ("x", "0", None),
        ("x", "0", []),
    ],
)
@pytest.mark.parametrize("cofactor", ["1", "-1", "x", "1/x"])
def test_no_law_proves_what_is_false(left, right, key, cofactor):
    assert not accepted(left, right, cofactors=[[key, cofactor]])
    assert not accepted(left, right, cofactors=[[key, cofactor]], complex=["w"]) or "I" in left


def test_an_absolute_value_of_what_may_not_be_real_has_no_square():
    proof = {"cofactors": [[[SQUARE, "w"], "1"]]}
    assert accepted("Abs(w)**2", "w**2", **proof) and not accepted("Abs(w)**2", "w**2", complex=["w"], **proof)


def test_the_square_of_a_real_quantity_is_not_negative_and_that_of_a_complex_one_may_be():
    square = ["have", "1 + w**2", [[[], []]], [[[], []], [[], ["w"]]], []]
    twice = ["have", "1 + w**2", [[[], []]], [[[], []], [["w", "w"], []]], []]
    said = {"given": ["x*(1 + w**2)"], "times": ["1 + w**2"], "cofactors": [["x*(1 + w**2)", "1"]]}
    assert accepted("x", "0", before=[square], **said)
    for step in (square, twice):
        assert not accepted("x", "0", before=[step], **said, complex=["w"])
        assert not accepted("x", "0", before=[step], **{**said, "given": [*said["given"], "I - I"]}, complex=["I"])
    absurd = [["have", "0", [[[], []]], [[[], []], [[], ["I"]]], [["-1", [IMAGINARY], "1"]]]]
    for complex_names in ([], ["I"], ["w"]):
        assert not accepted("x", "y", steps=absurd, complex=complex_names)
        assert not accepted("x*I", "y", steps=absurd, complex=complex_names)


def test_the_square_of_a_negative_number_beside_complex_ones_is_positive():
    """Else x**2 - y**2 would not vanish for x < 0 < y."""
    said = {"complex": ["w"], "positive": ["-x", "y"], "kind": "!="}
    for factors, roots in ((["x", "x"], []), ([], ["x"]), (["-x", "-x"], []), (["-1", "x", "x"], [])):
        products = [[factors, roots], [["-1", "y", "y"], []]]
        goal = difference("x**2 - y**2", "0")
        negative = ["have", "x", [[["-1"], []]], [[["-x"], []]], []]
        assert not accepted("x**2 - y**2", "0", steps=[negative, ["have", goal, [[[], []]], products, []]], **said)


def test_what_a_tangent_divides_by_does_not_vanish_only_where_a_side_has_it():
    """cos(x) is not 0 where tan(x) is, and may be 0 in a claim without it."""
    said = {"given": ["cos(x)*z"]}
    assert not accepted("z", "0", times=["cos(x)"], **said, cofactors=[["cos(x)*z", "1"]])
    assert not accepted("z", "0", times=["cos(x)"], **said, cofactors=[["cos(x)*z", "1 + 0*sin(x)/cos(x)"]])
    assert not accepted("z", "0", **said, cofactors=[["cos(x)*z", "1/cos(x)"]])
    known = [["have", "1*cos(1*x)", [[[], []]], [[["cos(x)"], []]], []]]
    own = {"times": ["cos(x)"], **said, "cofactors": [["cos(x)*z", "sin(x)"]]}
    assert accepted("z*sin(x)/cos(x)", "0", before=known, **own) and not accepted("z*sin(x)", "0", before=known, **own)


def test_a_multiplier_must_be_known_not_to_vanish():
    said = {"times": ["y"], "given": ["x*y"], "cofactors": [["x*y", "1"]]}
    assert not accepted("x", "0", **said)
    assert accepted("x", "0", **said, nonzero=["y"]) and accepted("x", "0", **said, positive=["y"])
    assert not accepted("x", "0", **said, nonnegative=["y"])
    assert not accepted("x", "0", **{**said, "given": ["y"]}, nonzero=["x*y"])


@pytest.mark.parametrize("name", ["log", "choose", "exp", "inv", "root", "Abs", "sin", "sign", "T", "pow"])
def test_a_quantity_that_is_called_as_a_function_is_none(name):
    """As one, log would have no argument that is positive, and exp would be positive itself."""
    assert not accepted(name, "x", steps=[]) and accepted(f"{name} + x", f"x + {name}")
    positive = ["have", difference(name, "0"), [[[], []]], [[[name], []]], []]
    assert not accepted(name, "0", kind=">", steps=[positive]) and not accepted(name, "0", kind=">=", steps=[positive])
    q = sp.Symbol(name, real=True)
    assert certified(Claim("c", q, x).readings[0], Deadline.after(5.0)) is None
    assert certified(Claim("c", (q + x) ** 2, q**2 + 2 * q * x + x**2).readings[0], Deadline.after(5.0))


def test_a_root_of_order_zero_has_no_law():
    said = {"nonnegative": ["x"]}
    for n in ("0", "-1", "1/2", "y", "-0"):
        for c in ("1", "-1", "x"):
            assert not accepted("x", "1", cofactors=[[[ROOT, "x", n], c]], **said)
            assert not accepted("x", "0", cofactors=[[[ROOT, "x", n], c]], **said)
    assert accepted("root(x, 3)**3", "x", cofactors=[[[ROOT, "x", "3"], "1/3"]], **said)


def test_what_is_known_of_one_goal_is_not_known_of_another():
    """That sides are defined is granted to their own goal: else it would be shown by itself."""
    part = text_of("1/x", "1/x")
    part["goals"] += text_of("x", "0", kind="!=")["goals"]
    proofs = [[have(difference("1/x", "1/x"))], [have(difference("x", "0"), (), [[["x"], []]])]]
    assert not checker.holds(signed({"stated": [part], "proofs": [proofs]}))
    part["goals"].pop()
    assert checker.holds(signed({"stated": [part], "proofs": [proofs[:1]]}))


MATRICES = {"matrices": {"A": ["n", "n"], "B": ["n", "n"], "C": ["n", "m"], "u": ["n", "1"]}}


@pytest.mark.parametrize(
    ("left", "right", "more"),
    [
        ("A*B", "B*A", {}),
        ("T(A)", "A", {}),
        ("T(A*B)", "T(A)*T(B)", {}),
        ("inv(A + B)", "inv(A) + inv(B)", {}),
        ("A", "0", {"cofactors": [["inv(B)", "B*A", "1"]], "given": ["B*A"]}),  # B need not have an inverse
        ("A", "0", {"cofactors": [["1", [LEFT, "B"], "A"]], "given": ["B*A"]}),
        ("A**2", "1", {"times": ["A**2 + 1"], "given": ["A**4 - 1"], "cofactors": [["1", "A**4 - 1", "1"]]}),
        ("A", "0", {"times": ["B"], "given": ["A*B"], "nonzero": ["B"], "cofactors": [["1", "A*B", "1"]]}),
        ("A*B", "B*A", {"cofactors": [["1", ["A", "B"], "1"]]}),
        ("A", "T(A)", {"cofactors": [["1", ["number", "A"], "1"]]}),
        ("u", "T(u)", {"cofactors": [["1", ["number", "u"], "1"]]}),
        ("A*B", "T(A*B)", {"cofactors": [["1", ["number", "A*B"], "1"]]}),
        ("A*A", "1", {"cofactors": [["A", [LEFT, "A"], "1"]]}),  # an inverse that the claim does not have
        ("T(A)*A", "1", {"cofactors": [["1", ["turned", [LEFT, "A"]], "1"]]}),
        ("A", "0", {"cofactors": [["inv(B)", "B*A", "1"], ["-1", [LEFT, "B"], "A"]], "given": ["B*A"]}),
        ("A", "B", {"cofactors": [["1", ["turned", "A - T(B)"], "1"]], "given": ["A - T(B)"]}),
        ("T(A)", "B", {"cofactors": [["1", "A - T(B)", "1"]], "given": ["A - T(B)"]}),
        ("A*B", "0", {"cofactors": [["1", ["turned", "T(A)*T(B)"], "1"]], "given": ["T(A)*T(B)"]}),
        ("1/A", "inv(A)", {}),
        ("A", "0", {"cofactors": [["1", "C", "1"]], "given": ["C"]}),
        ("A", "B", {"steps": [["case", "A - B", [[], [], []]]]}),
        ("A", "B", {"steps": [["case", "A - B", [[have("A", (), [[["A"], []]])]] * 3]]}),
        ("A*B - 1", "0", {"cofactors": [["1", "B*A - 1", "1"]], "given": ["B*A - 1"]}),
        ("A", "B", {"steps": [have("0", (), [[[], ["A"]]], [["-1", "A*A", "1"]])], "given": ["A*A"]}),
        ("A", "B", {"steps": [have("1", ["-1"], [[[], ["A"]]], [["-1", "A*A + 1", "1"]])], "given": ["A*A + 1"]}),
        ("A", "B", {"steps": [have("A*B", (), [[["A", "B"], []]])], "given": ["A*B"], "nonzero": ["A", "B"]}),
        ("A*inv(B)", "inv(B)*A", {"before": [["let", "inv(1*B)", "0", "0"]]}),  # as a name, it would be a number
        ("A*inv(B)", "inv(B)*A", {"before": [["let", "inv(1*B)", "1", "B - B"]]}),
        ("A*T(B)", "T(B)*A", {"before": [["let", "T(1*B)", "0", "0"], ["let", "T(B)", "0", "0"]]}),
        ("choose(A, 1, 1, 1)", "1", {}),
        ("Abs(A)", "A", {}),
        ("sin(A)", "sin(A)", {}),
        ("exp(A)", "exp(A)", {}),
    ],
)
def test_matrices_keep_their_order_and_inverses(left, right, more):
    assert not accepted(left, right, **{**MATRICES, **more})


NEGATIVE, NOTHING = have("0", (), [[["-x"], []]]), have("0", (), [[[], []]])


@pytest.mark.parametrize(
    ("left", "right", "steps", "said"),
    [
        ("Abs(x)", "x", [["case", "x", [[], [], []]]], {}),
        ("Abs(x)", "x", [["case", "x", [[NOTHING], [], []]]], {}),
        ("Abs(x)", "x", [["case", "x", [[], []]]], {}),
        ("Abs(x)", "x", [["case", "x", []]], {}),
        ("Abs(x)", "x", [["case", "x", [[NEGATIVE]] * 3]], {}),
        ("x", "1", [["case", "1/x", [[have("0", (), [[["x"], []]])]] * 3]], {}),
        ("x*y", "1", [["case", "1/x", [[], [NOTHING], []]]], {}),
        ("x", "y", [["case", "x) + (y", [[], [], []]]], {}),
        ("w", "0", [["case", "w", [[], [], []]]], {"complex": ["w"]}),
        ("x", "y", [have("0", (), [[["x"], []]])], {"positive": ["x"]}),
        ("x", "y", [have("0", (), [[["-1"], []]])], {}),
        ("x", "y", [have("0", (), [[["0"], []]])], {}),
        ("x", "y", [have("0", (), [[["x"], []], [["-x"], []]])], {"nonnegative": ["x"]}),
        ("x", "y", [have("0", (), [[[], ["x"]], [["-x**2"], []]])], {}),
        ("x", "y", [have("0", (), [[[], []], [["-1"], []]])], {}),
        ("x", "y", [have("0", ["0"], [])], {}),
        ("x", "y", [have("0", ["x - x"], [[[], []]])], {}),
        ("x", "y", [have("x", ["y"], []), have("y", ["x"], [])], {}),
        ("x", "y", [["have", "x", [], [], []]], {}),
        ("x", "y", [["have", "0", [], [[[], []]], []]], {}),
        ("x", "y", [["have", difference("x", "y"), [[[], []]], [[[difference("x", "y")], []]], []]], {}),
        ("x", "0", [["have", difference("x", "0"), [[[], []]], [[["x"], []]], []]], {"kind": ">"}),
        ("x**2", "0", [["have", difference("x**2", "0"), [[[], []]], [[[], ["x"]]], []]], {"kind": ">"}),
        (
            "w**2",
            "0",
            [["have", difference("w**2", "0"), [[[], []]], [[[], ["w"]]], []]],
            {"kind": ">=", "complex": ["w"]},
        ),
        (
            "w**2",
            "0",
            [["have", difference("w**2", "0"), [[[], []]], [[["w", "w"], []]], []]],
            {"kind": ">=", "complex": ["w"]},
        ),
        (
            "exp(w)",
            "0",
            [["have", difference("exp(w)", "0"), [[[], []]], [[[["exp({0})", "w"]], []]], []]],
            {"kind": ">", "complex": ["w"]},
        ),
        ("x", "0", [], {"kind": "!="}),
        ("x", "0", [have(difference("x", "0"))], {"kind": "!="}),
        ("x", "x", [], {"kind": ">="}),
        ("x", "x", [have(difference("x", "x"))], {"kind": "integral"}),
        ("1/x", "1/x + x*0", [["have", "1*x", [[[], []]], [[["x"], []]], []], have("x", ["1/x"], [])], {}),
        ("x", "0", [have("x", (), [], [["1/x", "x*(1/x)", "1"]])], {}),
        ("x", "0", [["have", "x", [[["x"], ["x"]]], [[["x"], ["x", "x"]]], []]], {}),
        ("1/x", "0", [["have", difference("1/x", "0"), [[[], ["x"]]], [[["x"], []]], []]], {"kind": ">"}),
        ("1/x", "0", [["have", difference("1/x", "0"), [[["x"], []]], [[[], []]], []]], {"kind": ">"}),
    ],
)
def test_no_case_and_no_sign_is_taken_for_granted(left, right, steps, said):
    assert not accepted(left, right, steps=steps, **said)


EXACT = mpmath.mp.clone()
EXACT.dps = 150  # beside 1e-9 in products of some exponentials


def power(v):
    if v > 60:
        raise OverflowError("nobody sees what cancels beside it")
    return EXACT.exp(v)


FUNCTIONS = {
    "sin": EXACT.sin,
    "cos": EXACT.cos,
    "exp": power,
    "atan": EXACT.atan,
    "Abs": abs,
    "inv": lambda v: 1 / v if sign(v) else EXACT.mpf(0),
    "root": lambda v, n: EXACT.root(v, int(n)) if v > 0 and n > 0 else EXACT.mpf(0),
    "choose": lambda v, *ways: ways[1 + sign(v)],
    "log": lambda v: EXACT.log(v) if v > 0 else EXACT.mpf(0),
}
"""A meaning of all functions: where they are not defined, it is one that the checker knows nothing of."""


def value(node, at):
    """The number that a formula stands for."""
    match node:
        case str():
            return value(ast.parse(node, mode="eval").body, at)
        case ast.Constant(value=n):
            return EXACT.mpf(n)
        case ast.Name(id=name):
            return at[name]
        case ast.UnaryOp(operand=a):
            return -value(a, at)
        case ast.Call(func=ast.Name(id=f), args=args):
            return FUNCTIONS[f](*(value(a, at) for a in args))
    a, b = value(node.left, at), value(node.right, at)
    match node.op:
        case ast.Div():
            return a * FUNCTIONS["inv"](b)
        case ast.Pow():
            return a ** int(b)
    return {ast.Add: a + b, ast.Sub: a - b, ast.Mult: a * b}[type(node.op)]


def sign(v):
    return 0 if abs(v) < 1e-9 else 1 if v > 0 else -1


FORMULAS = [
    *("x", "y", "x - y", "-x", "x*y", "1/x", "1/(x - y)", "x/y", "Abs(x)", "Abs(x - y)", "root(x, 2)", "root(x*x, 2)"),
    *(
        "exp(x)",
        "exp(x + y)",
        "sin(x)",
        "cos(y)",
        "sin(x + y)",
        "choose(x, y, 1, x)",
        "choose(x - y, 0, x, y)",
        "2",
        "0",
    ),
    *("1*x", "1*y", "1*x + -1*y", "log(x)", "x + 1", "inv(x*y)", "1*x*y", "Abs(-x)", "-3", "1/2", "x*(1/x)", "log(1)"),
]


NAMES = ["sin(1*x + 1*y)", "Abs(1*x)", "Abs(1*x + -1*y)", "Abs(-1*x)", "root(1*x, 2)", "exp(1*x + 1*y)", "log(1)"]


def drawn_step(rng, depth=2):
    """A step of any kind; what it says may be wrong."""

    def of_law():
        law = rng.choice(sorted(set(checker.LAWS) - {IMAGINARY}))
        return [law, *(rng.choice(FORMULAS) for _ in range(4))] if "{0}" in law else [law]

    def known():
        return rng.choice(FORMULAS) if rng.random() < 0.7 else of_law()

    def in_text(k):
        return f"({k[0].format(*(f'({t})' for t in k[1:])) if isinstance(k, list) else k})"

    kind = rng.random()
    if kind < 0.1 and depth:
        return ["case", rng.choice(FORMULAS), [[drawn_step(rng, depth - 1) for _ in range(3)] for _ in range(3)]]
    if kind < 0.3:
        name = rng.choice([*NAMES, "x", "inv(1*y)", "choose(1*x, 1*y, 1, 1*x)"])
        return ["let", name, rng.choice(["1", "-1", "1/2"]), known()]
    products = [
        [[known() for _ in range(rng.randint(0, 2))], [rng.choice(FORMULAS) for _ in range(rng.randint(0, 1))]]
        for _ in range(rng.randint(0, 2))
    ]
    cofactors = [[rng.choice(FORMULAS), known(), "1"] for _ in range(rng.randint(0, 1))]
    of = [*("*".join(map(in_text, [*a, *b, *b])) or "1" for a, b in products)]
    of += [f"({c})*{in_text(k)}" for c, k, _ in cofactors]
    text = " + ".join(of) or "0"
    times = rng.choice(FORMULAS)
    wrong = rng.random() < 0.2
    own = rng.choice(FORMULAS) if wrong else text if rng.random() < 0.5 else f"({text})*(1/({times}))"
    return ["have", own, [[[] if own == text else [times], []]], products, cofactors]


@pytest.mark.parametrize("seed", [pytest.param(k, marks=pytest.mark.slow if k >= 3 else ()) for k in range(40)])
def test_what_the_checker_knows_is_so_at_every_point(seed):
    """Signs and values after drawn steps, against numbers: what is said is so at a point, then all that follows is."""
    rng, taken = Random(seed), 0
    for _ in range(30):
        at = {n: EXACT.mpf(rng.randint(-4, 4)) / rng.choice((1, 1, 2)) for n in "xy"}
        part = text_of("x", "y")
        for text in rng.sample(FORMULAS, 6):
            s = sign(value(text, at))
            part[rng.choice([k for k, of in checker.SAID.items() if s in of])].append(text)
        known = checker.ProvedCase(part, text_of("0", "0")["goals"][0][3])
        steps = [drawn_step(rng) for _ in range(20)]
        while steps:
            step = steps.pop(0)
            if step[0] == "case":  # the way in which the point is
                try:
                    s = sign(value(step[1], at))
                except OverflowError:
                    break
                known.signs[step[1]] = known.signs.get(step[1], checker.ANY) & {s}
                steps = step[2][s + 1] + steps
                continue
            before = len(known.signs) + len(known.values)
            with contextlib.suppress(Exception):  # what a step says in vain adds nothing
                known.proves("x", set(), [step])
            with contextlib.suppress(OverflowError):
                for text, signs in known.signs.items():
                    assert sign(value(text, at)) in signs, (at, step)
                for name, p in known.values.items():
                    assert not sign(value(name, at) - value(checker.written(p), at)), (at, step)
            taken += len(known.signs) + len(known.values) - before
    assert taken > 30


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
