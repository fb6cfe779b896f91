"""Projection of positions onto constraints: what the notes state, as claims (PR-01 and PR-02).

The columns of nabla h are gradients, c coordinates by a (or b) constraints; C is its transpose and T maps twists to
coordinate rates. The value of h at q_1 is that of its linearisation at q_0, as the notes say.
"""

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Implies,
    Invertible,
    Shape,
    directional_derivative,
    gradient,
    vector,
)

__all__ = ["claims"]

a, b, c, n = sp.symbols("a b c n", integer=True, positive=True)
grad_I, grad_E, grad = sp.MatrixSymbol("gHI", c, a), sp.MatrixSymbol("gHE", c, b), sp.MatrixSymbol("gH", c, a)
Lambda_I, Lambda_E, Lambda = (sp.MatrixSymbol(name, size, 1) for name, size in (("L_I", a), ("L_E", b), ("L", a)))
q_0, q_1, dq = (sp.MatrixSymbol(name, c, 1) for name in ("q_0", "q_1", "dq"))
V = sp.MatrixSymbol("V", n, 1)
T = sp.MatrixSymbol("T", c, n)
HI_0, HE_0, h_0 = (sp.MatrixSymbol(name, size, 1) for name, size in (("HI_0", a), ("HE_0", b), ("h_0", a)))
CT = grad.T * T
gram_inverse = (T.T * T).inv()

q = vector("q", 7)
HI, HE = sp.Function("HI")(*q), sp.Function("HE")(*q)
L_I, L_E = sp.symbols("L_I L_E", real=True)
increment = gradient(HI, q) * L_I + gradient(HE, q) * L_E

claims = (
    Claim(
        "PR-01",
        statements=(
            Equal(directional_derivative(HI, q, increment), gradient(HI, q).T * increment),
            Equal(directional_derivative(HE, q, increment), gradient(HE, q).T * increment),
            Implies(
                [Equal(q_1, q_0 + grad_I * Lambda_I + grad_E * Lambda_E)],
                (
                    Equal(HI_0 + grad_I.T * (q_1 - q_0), HI_0 + grad_I.T * (grad_I * Lambda_I + grad_E * Lambda_E)),
                    Equal(HE_0 + grad_E.T * (q_1 - q_0), HE_0 + grad_E.T * (grad_I * Lambda_I + grad_E * Lambda_E)),
                ),
            ),
            Shape(HI_0 + grad_I.T * (grad_I * Lambda_I + grad_E * Lambda_E), (a, 1)),
        ),
        title="linearised position projection",
        source="developer_notes.rst lines 5990-6008; developer_notes_2011.md eqs 11.3-11.6",
        note="The two linearised values, first for arbitrary HI(q) and HE(q), then for any number of constraints; "
        "the complementarity of HI and Lambda_I is the law that is imposed.",
    ),
    Claim(
        "PR-02",
        statements=(
            Implies([Equal(dq, T * V)], Equal(gram_inverse * T.T * dq, V)),
            Equal(
                h_0 + grad.T * (grad * Lambda),
                h_0 + grad.T * T * gram_inverse * T.T * grad * Lambda,
                h_0 + CT * gram_inverse * CT.T * Lambda,
            ),
        ),
        assumptions=[Invertible(T.T * T), Equation(grad * Lambda, T * V, text="nabla h Lambda = T V")],
        title="projection through the twist",
        source="developer_notes.rst eq:NE_projV, lines 6037-6069",
        note="The text takes dq = q_1 - q_0 = nabla h Lambda and dq = T V together. For a nabla h Lambda outside "
        "the range of T the two do not agree, and the formula holds for its projection onto that range only.",
    ),
)
