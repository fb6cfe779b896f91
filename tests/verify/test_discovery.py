"""Plugin libraries matched with a model: names, signatures, values, and what is left unmatched."""

from __future__ import annotations

from functools import cache

import pytest
import sympy as sp
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError
from nsdgen.verify import build_library, decide
from nsdgen.verify.discovery.matching import discover, exported_functions
from nsdgen.verify.discovery.operator_names import instance_agrees, speaks_of
from nsdgen.verify.discovery.operators import platform_operators
from nsdgen.verify.foreign.signature import declared_kinds

SOURCE = r"""
#include <math.h>
typedef unsigned int n_t;
static double hidden(double a) { return a; }
double helper(double a) { return hidden(a); }
void pendulum_inertia_matrix(n_t n, double *q, double *out, n_t nz, double *z) {
  out[0] = 2; out[1] = out[2] = cos(q[0] - q[1]); out[3] = 1;
}
void FGyr(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = v[1] * v[1] * sin(q[0] - q[1]); out[1] = -v[0] * v[0] * sin(q[0] - q[1]);
}
void jacobianFGyrq(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  double c = cos(q[0] - q[1]);
  out[0] = v[1] * v[0] * c; out[1] = -v[0] * v[0] * c; out[2] = -v[1] * v[1] * c; out[3] = v[0] * v[0] * c;
}
void jacobianVFGyr(n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[1] = -2 * v[0] * sin(q[0] - q[1]); out[2] = 2 * v[1] * sin(q[0] - q[1]);
}
void jacobianFIntq(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) {
  out[0] = 20 * cos(q[0]); out[3] = 10 * cos(q[1]);
}
void jacobianFIntqDot(double t, n_t n, double *q, double *v, double *out, n_t nz, double *z) { }
void h0(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = sin(q[0]); }
void G0(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = cos(q[0]); out[1] = -sin(q[0]); }
void G1(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = cos(q[0]); out[1] = -cos(q[1]); }
void rateOfThat(n_t n, double *q, n_t m, double *v, double *out, n_t nz, double *z) {
  out[0] = -sin(q[0]) * v[0]; out[1] = -sin(q[1]) * v[1];
}
"""


@cache  # its operators are derived once
def pendulum(energies: bool = False) -> nsd.Model:
    q0, q1 = q = dynamicsymbols("q0 q1")
    v0, v1 = (c.diff() for c in q)
    m, g = sp.symbols("m g", positive=True)
    system = (
        nsd.LagrangianSystem(
            "pendulum",
            q,
            kinetic=m * (v0**2 + v1**2 / 2 + v0 * v1 * cos(q0 - q1)),
            potential=-m * g * (2 * cos(q0) + cos(q1)),
        )
        if energies
        else nsd.LagrangianSystem(
            "pendulum",
            q,
            mass=m * sp.Matrix([[2, cos(q0 - q1)], [cos(q0 - q1), 1]]),
            nonlinear=[m * v1**2 * sin(q0 - q1), -m * v0**2 * sin(q0 - q1)],
            internal=[2 * m * g * sin(q0), m * g * sin(q1)],
        )
    )
    elbow = nsd.Contact("elbow", gap=sin(q0), tangent=-cos(q0), law=nsd.NewtonImpactFriction(1, 0.1))
    tip = nsd.Contact("tip", gap=sin(q0) + sin(q1), law=nsd.NewtonImpact(0))
    return nsd.Model(
        "pendulum",
        systems=[system],
        relations=[elbow, tip],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1,
        parameters={m: 1, g: 10},
        initial={q0: 0.1, q1: 0.2},
    )


@pytest.fixture(scope="module")
def library(kernel_cache):
    return build_library(SOURCE)


@pytest.fixture(scope="module")
def header(library):
    return library.with_name("source.c")


EXPECTED = {
    "FGyr": ("pendulum", "LagrangianDS.FGyr", "consistent"),
    "G1": ("tip", "LagrangianScleronomousR.jachq", "refuted"),
    "G0": ("elbow", "LagrangianScleronomousR.jachq", "refuted"),
    "h0": ("elbow", "LagrangianScleronomousR.h", "consistent"),
    "jacobianFGyrq": ("pendulum", "LagrangianDS.jacobianFGyrq", "refuted"),
    "jacobianFIntq": ("pendulum", "LagrangianDS.jacobianFIntq", "consistent"),
    "jacobianFIntqDot": ("pendulum", "LagrangianDS.jacobianFIntqDot", "consistent"),
    "jacobianVFGyr": ("pendulum", "LagrangianDS.jacobianFGyrqDot", "consistent"),
    "pendulum_inertia_matrix": ("pendulum", "LagrangianDS.mass", "consistent"),
    "rateOfThat": ("tip", "LagrangianScleronomousR.dotjachq", "consistent"),
}


@pytest.mark.parametrize("energies", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_every_function_finds_its_operator_and_is_decided(library, header, energies):
    matches = discover(library, pendulum(energies), [header])
    found = {m.function: (m.operator.instance, m.operator.convention) for m in matches if m.operator}
    assert found == {f: at[:2] for f, at in EXPECTED.items()}
    assert [(m.function, m.why) for m in matches if not m.operator] == [
        ("helper", "no operator of the model has its signature")
    ]
    verdicts = {m.function: decide(m.claim(library, 0.0)) for m in matches if m.operator and energies}
    assert {f: v.verdict for f, v in verdicts.items()} == ({f: at[2] for f, at in EXPECTED.items()} if energies else {})


def test_without_a_header_only_names_that_speak_of_an_operator_match(library):
    matches = {m.function: m for m in discover(library, pendulum())}
    assert matches["jacobianFGyrq"].operator.operator == "jacobianFGyrq"
    assert "without --header" in matches["pendulum_inertia_matrix"].why
    assert "its name speaks of no operator" in matches["helper"].why


def test_a_name_keeps_its_operator_although_the_values_are_those_of_another(kernel_cache):
    """dF_int/dq typed as zero has the values of dF_int/dv."""
    library = build_library(
        "typedef unsigned int n_t; void jacobianFIntq(double t, n_t n, double *q, double *v, "
        "double *out, n_t nz, double *z) { out[0] = out[1] = out[2] = out[3] = 0; }"
    )
    (match,) = discover(library, pendulum(), [library.with_name("source.c")])
    assert match.operator.operator == "jacobianFIntq"
    assert decide(match.claim(library, 0.0)).verdict == "refuted"


def test_a_library_of_something_else_is_refused(kernel_cache, tmp_path):
    library = build_library("double helper(double a) { return a; }")
    with pytest.raises(ParameterError, match="no exported function matches"):
        discover(library, pendulum())
    other = tmp_path / "other.so"
    other.write_text("text")
    for path, said in ((other, "no shared library"), (tmp_path / "none.so", "No such file")):
        with pytest.raises(ParameterError, match=said):
            exported_functions(path)
    other.write_bytes(library.read_bytes()[:2000])
    with pytest.raises(ParameterError, match="no shared library"):
        exported_functions(other)


def test_exports_are_the_functions_that_are_not_static(library):
    assert "hidden" not in exported_functions(library)
    assert set(exported_functions(library)) == {*EXPECTED, "helper"}


def test_prototypes_are_read_with_comments_typedefs_and_attributes(tmp_path):
    header = tmp_path / "plugin.h"
    header.write_text(
        'typedef unsigned long Index; /* void no(double *) */\nextern "C" SICONOS_EXPORT void\n'
        "one(double time, Index sizeOfq, const double* q, double q_dot[], int n);\n"
        "#define TWO void two(double)\nvoid three(struct point *p, double **m); void four(void);"
    )
    assert declared_kinds([header]) == {"one": "duppu", "three": "??", "four": ""}


def test_two_declarations_that_disagree_are_refused(tmp_path):
    header = tmp_path / "plugin.h"
    header.write_text("void one(double a); void one(double *a);")
    with pytest.raises(ParameterError, match="declared in two ways"):
        declared_kinds([header])


@pytest.mark.parametrize(
    ("function", "operator"),
    [
        ("mass", "mass"),
        ("NNL", "FGyr"),
        ("FGyr", "FGyr"),
        ("jacobianQNNL", "jacobianFGyrq"),
        ("dn_dv", "jacobianFGyrqDot"),
        ("jacobianVFGyr", "jacobianFGyrqDot"),
        ("gradient_1", "jachq"),
        ("G0", "jachq"),
        ("h1", "h"),
        ("rate_2", "dotjachq"),
        ("gap_of_tip_gradient", "jachq"),
        ("gradientOfGap", "jachq"),
        ("gap_dot", "hDot"),
        ("outputRate", "hDot"),
        ("gap_rate", "dotjachq"),
        ("gap_gradient_dot", "dotjachq"),
        ("jachx", "jachx"),
        ("dg_dl", "jacglambda"),
    ],
)
def test_names_speak_of_operators(function, operator):
    assert speaks_of(function, operator)
    assert not speaks_of("compute", operator)
    assert operator == "h" or not speaks_of(function, "h")  # what is derived from an output is none


def test_a_gradient_called_after_its_gap_is_no_gap(kernel_cache):
    """Both have one signature: the name says which is which, however wrong the values."""
    library = build_library("""#include <math.h>
    typedef unsigned int n_t;
    void gap_tip(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = sin(q[0]) + sin(q[1]); }
    void gap_tip_gradient(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = cos(q[0]); out[1] = 0; }
    void gap_tip_rate(n_t n, double *q, n_t m, double *v, double *out, n_t nz, double *z) {
      out[0] = -sin(q[0]) * v[0]; out[1] = -sin(q[1]) * v[1]; }""")
    matches = discover(library, pendulum(), [library.with_name("source.c")])
    assert {m.function: (m.operator.instance, m.operator.operator) for m in matches} == {
        "gap_tip": ("tip", "h"),
        "gap_tip_gradient": ("tip", "jachq"),
        "gap_tip_rate": ("tip", "dotjachq"),
    }
    assert [decide(m.claim(library, 0.0)).verdict for m in matches] == ["consistent", "refuted", "consistent"]


def test_instances_are_told_apart_by_number_or_name():
    assert instance_agrees("G3", "corner 3") and not instance_agrees("G3", "corner 1")
    assert instance_agrees("gapOfTip", "tip") and not instance_agrees("gapOfTip", "elbow")


def test_operators_of_a_first_order_model(kernel_cache):
    x = dynamicsymbols("x")
    lam = nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("decay", state=[x], rhs=[-x])
    relation = nsd.FirstOrderRelation(
        "switch", multipliers=lam, output=[x + lam[0]], reaction={system: [lam[0]]}, law=nsd.Complementarity()
    )
    model = nsd.Model(
        "decay", systems=[system], relations=[relation], scheme=nsd.ThetaGamma(), step=0.1, end=1, initial={x: 1}
    )
    found = {o.convention: o.matrix for o in platform_operators(model)}
    assert found["FirstOrderLinearDS.A"] == sp.Matrix([[-1]]) and found["FirstOrderLinearR.D"] == sp.Matrix([[1]])
    assert found["FirstOrderNonLinearR.jacglambda"] == sp.Matrix([[1]])


BODY = r"""
#include <math.h>
typedef unsigned int n_t;
void fExt(double t, double *out, n_t nz, double *z) { out[0] = out[1] = 0; out[2] = -1.2 * 9.81; }
void fInt(double t, double *q, double *v, double *out, n_t nz, double *z) {
  for (int i = 0; i < 3; i++) out[i] = 0.5 * v[i]; }
void jacobianFIntv(double t, double *q, double *v, double *out, n_t nz, double *z) {
  for (int i = 0; i < 3; i++) out[4 * i] = 0.5; }
void jacobianFIntq(double t, double *q, double *v, double *out, n_t nz, double *z) { }
void MGyr(double t, double *q, double *v, double *out, n_t nz, double *z) {
  double *w = v + 3; out[0] = (3.0 - 2.0) * w[1] * w[2]; out[1] = (1.0 - 3.0) * w[0] * w[2]; out[2] = w[0] * w[1]; }
void jacobianMGyrv(double t, double *q, double *v, double *out, n_t nz, double *z) {
  double *w = v + 3; out[9 + 1] = -2 * w[2]; out[9 + 2] = w[1]; out[12] = w[2]; out[12 + 2] = w[0];
  out[15] = w[1]; out[15 + 1] = -2 * w[1]; }
void twist_map(n_t n, double *q, double *out, n_t nz, double *z) {
  double *p = q + 3; for (int i = 0; i < 3; i++) out[8 * i] = 1;
  double e[3][4] = {{-p[1], p[0], p[3], -p[2]}, {-p[2], -p[3], p[0], p[1]}, {-p[3], p[2], -p[1], p[0]}};
  for (int j = 0; j < 3; j++) for (int i = 0; i < 4; i++) out[7 * (3 + j) + 3 + i] = e[j][i] / 2; }
void h0(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[0] = q[2] - 0.1; }
void H0(n_t n, double *q, n_t m, double *out, n_t nz, double *z) { out[1] = 1; }
"""


@pytest.mark.slow
def test_operators_of_a_rigid_body(kernel_cache):
    """The gyroscopic Jacobian has Omega_y for Omega_x in one place, the contact gradient its 1 in the wrong column."""
    body = nsd.RigidBody("ball", mass=1.2, inertia=sp.diag(1, 2, 3))
    body.apply_force([0, 0, -sp.Rational(12, 10) * sp.Rational(981, 100)])
    body.apply_force([-sp.Rational(1, 2) * v for v in body.velocity])
    floor = nsd.Contact("floor", gap=body.position[2] - sp.Rational(1, 10), law=nsd.NewtonImpact(0.5))
    model = nsd.Model(
        "ball",
        systems=[body],
        relations=[floor],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1,
        initial={body.position: [0, 0, 1], body.quaternion: [1, 0, 0, 0]},
    )
    library = build_library(BODY)
    matches = discover(library, model, [library.with_name("source.c")])
    found = {m.function: m.operator.convention.partition(".")[2] for m in matches if m.operator}
    assert found == {
        "fExt": "fExt",
        "fInt": "fInt",
        "jacobianFIntv": "jacobianFIntv",
        "jacobianFIntq": "jacobianFIntq",
        "MGyr": "MGyr",
        "jacobianMGyrv": "jacobianMGyrv",
        "twist_map": "T",
        "h0": "h",
        "H0": "H",
    }
    wrong = {m.function for m in matches if decide(m.claim(library, 0.0)).verdict != "consistent"}
    assert wrong == {"jacobianMGyrv", "H0"}


def test_odd_names_and_types_of_one_s_own_end_no_run(kernel_cache):
    """``__fgyr__`` cannot be reached as an attribute of a library; ``real`` is a double by its typedef."""
    library = build_library(
        "#include <math.h>\ntypedef unsigned int n_t; typedef double real;\n"
        "void __fgyr__(n_t n, real *q, real v[2], real *out, n_t nz, real *z) {\n"
        "  out[0] = v[1] * v[1] * sin(q[0] - q[1]); out[1] = -v[0] * v[0] * sin(q[0] - q[1]); }\n"
        "double fgyr_2(double a) { return a; }"
    )
    matches = {m.function: m for m in discover(library, pendulum(), [library.with_name("source.c")])}
    assert matches["__fgyr__"].operator.convention == "LagrangianDS.FGyr"
    assert decide(matches["__fgyr__"].claim(library, 0.0)).verdict == "consistent"
    assert matches["fgyr_2"].operator is None
