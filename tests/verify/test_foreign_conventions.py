"""The table of plugin conventions against the C types that the platform declares, and calls through them."""

from __future__ import annotations

import pytest
import sympy as sp

from nsdgen.errors import ParameterError
from nsdgen.verify.claim import Claim
from nsdgen.verify.foreign.conventions import CONVENTIONS
from nsdgen.verify.foreign.decide import decide_code
from nsdgen.verify.foreign.hand_functions import SiconosPlugin
from nsdgen.verify.foreign.shared_library import build_library
from nsdgen.verify.foreign.signature import parse_prototype

TYPEDEFS = {  # d double, u unsigned int, p double *; from PluginTypes.hpp and the headers of the classes, version 4.4
    "MatrixFunctionOfTime": "duupup",
    "VectorFunctionOfTime": "dupup",
    "FPtr1": "duppup",
    "FPtr2": "upuppup",
    "FPtr3": "upupup",
    "FPtr4": "updupup",
    "FPtr5": "upppup",
    "FPtr6": "dupppup",
    "FPtr7": "uppup",
    "LDSPtrFunction": "dupup",
    "FOMatPtr1": "duupup",
    "FOMatPtr2": "dupup",
    "FOVecPtr": "dupup",
    "Type1Ptr": "upupup",
    "Type2PtrH": "upupup",
    "Type2PtrG": "upup",
    "FInt_NE": "dpppup",
    "FExt_NE": "dpup",
    "plugin of FirstOrderNonLinearR.hpp": "dupuppup",
}
C_TYPES = {"d": "double", "u": "unsigned int", "p": "double *"}


@pytest.mark.parametrize("name", CONVENTIONS)
def test_arguments_are_those_of_the_typedef(name):
    convention = CONVENTIONS[name]
    kinds = {"time": "d", "rows": "u", "cols": "u"}
    found = "".join(kinds.get(a, "u" if a.startswith("n:") else "p") for a in convention.arguments)
    assert found == TYPEDEFS[convention.typedef]
    assert convention.arguments.count("out") == 1


SIZES = {"q": 3, "velocity": 3, "x": 3, "lambda": 2, "z": 4, "y": 2, "1": 1, "3": 3, "*": 3}


def _source(name: str, rows: int, cols: int) -> str:
    """A plugin written from the typedef alone: entry k is k plus a weighted sum of all it is given."""
    convention = CONVENTIONS[name]
    kinds = TYPEDEFS[convention.typedef]
    body, number = [], 0
    for k, (kind, word) in enumerate(zip(kinds, convention.arguments, strict=True)):
        if word == "out":
            continue
        if kind == "u":
            expected = rows if word == "rows" else cols if word == "cols" else SIZES[word[2:]]
            body.append(f"if (a{k} != {expected}) s += 1000;")
        elif kind == "d":
            number += 1
            body.append(f"s += {number} * a{k};")
        else:
            for i in range(SIZES[word]):
                number += 1
                body.append(f"s += {number} * a{k}[{i}];")
    out = convention.arguments.index("out")
    declared = ", ".join(f"{C_TYPES[kind]} a{k}" for k, kind in enumerate(kinds))
    fill = f"for (int k = 0; k < {rows * cols}; k++) a{out}[k] = k + s;"
    return f"void plugin_{name.replace('.', '_')}({declared}) {{ double s = 0; {' '.join(body)} {fill} }}"


def _shape(name: str) -> tuple[int, int]:
    return tuple(SIZES[word] for word in CONVENTIONS[name].shape)  # type: ignore[return-value]


@pytest.fixture(scope="module")
def library(kernel_cache):
    return build_library("\n".join(_source(name, *_shape(name)) for name in CONVENTIONS))


CALLED = (
    "LagrangianDS.mass",
    "LagrangianDS.jacobianFIntq",
    "LagrangianDS.jacobianFGyrqDot",
    "LagrangianDS.fExt",
    "NewtonEulerDS.jacobianFIntq",
    "NewtonEulerDS.fExt",
    "FirstOrderNonLinearDS.jacobianfx",
    "FirstOrderLinearDS.A",
    "LagrangianScleronomousR.jachq",
    "LagrangianScleronomousR.dotjachq",
    "LagrangianRheonomousR.jachq",
    "LagrangianRheonomousR.hDot",
    "LagrangianCompliantR.jachlambda",
    "FirstOrderNonLinearR.jacglambda",
    "FirstOrderType1R.jachx",
    "FirstOrderType2R.jachx",
    "FirstOrderType2R.jacglambda",
    "FirstOrderLinearR.C",
)


@pytest.mark.parametrize(
    "name", [n if k % 5 == 0 else pytest.param(n, marks=pytest.mark.slow) for k, n in enumerate(CALLED)]
)
@pytest.mark.few(2)
def test_every_argument_arrives_and_matrices_are_column_major(library, name):
    rows, cols = _shape(name)
    arguments, total, number = {}, sp.S.Zero, 0
    for word in CONVENTIONS[name].inputs:
        symbols = sp.symbols(f"{word}:{1 if word == 'time' else SIZES[word]}", real=True)
        arguments[word] = symbols
    for word in CONVENTIONS[name].arguments:
        for symbol in arguments.get(word, ()):
            number += 1
            total += number * symbol
    truth = sp.Matrix(rows, cols, lambda i, j: j * rows + i + total)
    plugin = SiconosPlugin(library, f"plugin_{name.replace('.', '_')}", name, arguments)
    verdict = decide_code(Claim(name, truth, plugin), plugin)
    assert (verdict.verdict, verdict.reason) == ("consistent", "")


@pytest.mark.parametrize(
    ("argument", "kind", "name", "ctype"),
    [
        ("long int n", "integer", "n", "long"),
        ("const unsigned long int n", "integer", "n", "unsigned long"),
        ("unsigned long long n", "integer", "n", "unsigned long long"),
        ("signed n", "integer", "n", "int"),
        ("unsigned", "integer", "argument1", "unsigned int"),
        ("double *restrict q", "input", "q", "double"),
    ],
)
def test_types_of_several_words(argument, kind, name, ctype):
    first = parse_prototype(f"void({argument}, double *out)")[1][0]
    assert (first.kind, first.name, first.ctype) == (kind, name, ctype)


@pytest.mark.parametrize("argument", ["long double x", "double complex *q", "double _Complex *q", "short int n", "..."])
def test_types_that_cannot_be_passed_are_refused(argument):
    with pytest.raises(ParameterError, match="cannot read the argument"):
        parse_prototype(f"void({argument}, double *out)")


def test_prototypes():
    returns, parameters = parse_prototype('extern "C" int f(unsigned int n, const double q[3], double a, double *out);')
    assert returns == "int"
    assert [(p.kind, p.name, p.ctype) for p in parameters] == [
        ("integer", "n", "unsigned int"),
        ("input", "q", "double"),
        ("real", "a", "double"),
        ("output", "out", "double"),
    ]
    assert [p.kind for p in parse_prototype("void(double *J, double *q)", "J")[1]] == ["output", "input"]
