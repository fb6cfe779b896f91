"""What the checker of certificates knows, law by law, and that it takes nothing that is false or has no meaning."""

from __future__ import annotations

import ast
import contextlib
from random import Random

import mpmath
import pytest
import sympy as sp
from certificate_texts import accepted, difference, have, signed, text_of

from nsdgen.verify import Claim
from nsdgen.verify.certificate import checker
from nsdgen.verify.certificate.making import certified
from nsdgen.verify.setting import Deadline

x = sp.Symbol("x", real=True)


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
