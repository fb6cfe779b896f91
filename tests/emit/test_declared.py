"""Every kind of relation under every scheme: the function that makes the steps declares what it uses.

Most tests interpret kernels and compile nothing, and a name that nothing declares is seen by a compiler alone. To emit
a model takes a tenth of what compiling it does.
"""

from __future__ import annotations

import keyword
import re

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.extend import Scheme
from nsdgen.model.pipeline import emit_model

x, y, a, b = dynamicsymbols("x y a b")
lam = nsd.multipliers("lam", 1)
KNOWN = {*keyword.kwlist, "cdef", "sizeof", "NULL", "double", "int", "unsigned", "bint", "const", "range", "inline"}
MECHANICAL = [
    nsd.D1Minus(),
    nsd.GeneralisedAlpha(),
    nsd.MoreauJean(),
    nsd.Rattle(),
    nsd.SchatzmanPaoli(),
    nsd.Variational(),
]
RELATIONS = {
    "force": lambda: nsd.ForceElement("relation", along=[y], force=[-3 * y - y.diff()]),
    "impact": lambda: nsd.Contact("relation", x, nsd.NewtonImpact(sp.Rational(1, 2))),
    "friction": lambda: nsd.Contact("relation", x, nsd.NewtonImpactFriction(0, sp.Rational(1, 3)), tangent=y),
    "constraint": lambda: nsd.Bilateral("relation", x - y),
    "velocities": lambda: nsd.VelocityConstraint("relation", [x.diff() - y.diff()]),
    "bounds": lambda: nsd.RateForce("relation", [y], nsd.Box(-1, 1)),
}
LAWS = [nsd.Complementarity(), nsd.Equality(), nsd.Box(-1, 1), nsd.PiecewiseLinear([(0, 0), (1, 2)], (1, 1))]


def undeclared(text: str) -> set[str]:
    """The names that functions of a Cython module use, and that neither these nor the module declares."""
    code = re.sub(r"#.*|\"[^\"\n]*\"", "", re.sub(r'r""".*?"""', "", text, flags=re.DOTALL))
    inside = re.findall(r"^(cdef [^\n=]*\([^)]*\)[^\n]*:\n)((?:(?: {4}[^\n]*)?\n)*)", code, flags=re.MULTILINE)
    functions = [(head, body) for head, body in inside if "extern" not in head]
    outside = code
    for _, body in functions:
        outside = outside.replace(body, "")
    names = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
    found: set[str] = set()
    for head, body in functions:
        declared = names.findall(head + "".join(re.findall(r"^ *cdef [^\n]*", body, flags=re.MULTILINE)))
        found |= set(names.findall(body)) - set(declared)
    return found - set(names.findall(outside)) - KNOWN


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [(k, s) for k in RELATIONS for s in MECHANICAL if k != "friction" or isinstance(s, nsd.MoreauJean)],
    ids=lambda v: v if isinstance(v, str) else type(v).__name__,
)
@pytest.mark.parametrize("bent", [False, True], ids=["M of the run", "M of the place"])
def test_steps_of_mechanical_systems(kind: str, scheme: Scheme, bent: bool) -> None:
    mass = 1 + sp.cos(x) / 4 if bent else 1
    body = nsd.LagrangianSystem("body", [x, y], kinetic=(mass * x.diff() ** 2 + y.diff() ** 2) / 2, potential=x)
    model = nsd.Model("one", [body], [RELATIONS[kind]()], scheme=scheme, step=1e-3, end=1.0, initial={x: 0, y: 0})
    text = emit_model(model).text
    assert "one_steps" in text
    assert not undeclared(text)


@pytest.mark.parametrize("scheme", [nsd.ThetaGamma(), nsd.ZeroOrderHold()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_steps_of_first_order_systems(law: nsd.Law, scheme: Scheme) -> None:
    cell = nsd.FirstOrderSystem("cell", [a, b], [b - a, -a - b])
    bound = nsd.FirstOrderRelation("bound", lam, [a + b + lam[0]], {cell: [lam[0], 0]}, law)
    model = nsd.Model("one", [cell], [bound], scheme=scheme, step=1e-3, end=1.0, initial={a: 1, b: 0})
    text = emit_model(model).text
    assert "one_steps" in text
    assert not undeclared(text)


def test_what_nothing_declares_is_found() -> None:
    assert undeclared("cdef int f(int n) noexcept nogil:\n    cdef int k = n\n    return g(k, m) + h.n\n") == {
        "g",
        "m",
        "h",
    }
