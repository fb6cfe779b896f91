"""The gradient of a contact relation through a normalised quaternion: what the notes state, as claims (GR-01 to GR-11).

a is the contact point relative to the centre in the body, GP(q) = q a q* with the conjugate q*, a pure quaternion.
The contact function is H = N . (G + GP(q/|q|)), so |q| = 1 is not needed to define it, and the text of these sections
does not assume it: where a formula holds for unit quaternions only, it is refuted as stated and the assumption is its
mend. A term O(dq)^2 does not enter a first-order statement; limits for eps -> 0 are read as: the numerator vanishes
at eps = 0, and its derivative there is the right side.

"""

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Mend,
    NonZero,
    UnitQuaternion,
    UnitVector,
    column,
    conjugate,
    cross,
    derivative,
    directional_derivative,
    norm,
    pure,
    quaternion,
    quaternion_product,
    vector,
)

__all__ = ["claims"]

q, dq = quaternion("q"), quaternion("d")
q0, q1, q2, q3 = q
a, N, G, w = vector("a"), vector("N"), vector("G"), vector("w")
one = sp.ImmutableMatrix([1, 0, 0, 0])
basis = [column(sp.eye(4)[:, i]) for i in range(4)]
norm_squared = q0**2 + q1**2 + q2**2 + q3**2
unit = UnitQuaternion(q)
nonzero = NonZero(norm_squared)


def dot(u: sp.MatrixBase, v: sp.MatrixBase) -> sp.Expr:
    return (u.T * v)[0, 0]


def vector_part(u: sp.MatrixBase) -> sp.ImmutableMatrix:
    return column(u[1:])


def sandwich(u: sp.MatrixBase) -> sp.ImmutableMatrix:
    """u a u*, a pure quaternion."""
    return quaternion_product(u, pure(a), conjugate(u))


GP = sandwich(q)
GP_normalised = sp.ImmutableMatrix(GP / norm_squared)  # GP(q/|q|); GR-01 shows that
first_order = quaternion_product(dq, conjugate(q), GP) + quaternion_product(GP, q, conjugate(dq))
slope = directional_derivative(GP_normalised, q, dq)
H = dot(N, G + vector_part(GP_normalised))

# The right sides of the limits, with the conjugate written as the notes do: e_1 without sign, e_2..e_4 with a minus.
along = [
    quaternion_product(conjugate(q), GP) + quaternion_product(GP, q) - 2 * q0 * GP,
    *(
        quaternion_product(e, conjugate(q), GP) - quaternion_product(GP, q, e) - 2 * c * GP
        for e, c in zip(basis[1:], (q1, q2, q3), strict=True)
    ),
]
gradient_row = sp.ImmutableMatrix([[*N, *(dot(vector_part(column(g)), N) for g in along)]])

# The ball: GP(q) = -N, so the body vector is q* (-N) q / |q|^4.
q_vec = vector_part(q)
e = column([1, 0, 0])
ball = column((quaternion_product(conjugate(q), pure(-N), q) / norm_squared**2)[1:])
ball_gradient = derivative(H, [*G, *q]).subs(dict(zip(a, ball, strict=True)))
left_product = quaternion_product(pure(e), conjugate(q), pure(-N))
right_product = quaternion_product(pure(-N), q, pure(e))
document = "contact_gradient.tex, first section; developer_notes.rst lines 5725-5783; developer_notes_2011.md 10.0.6"
ball_document = "contact_gradient.tex, ball case; developer_notes.rst lines 5790-5854; developer_notes_2011.md 10.0.7"

claims = (
    Claim(
        "GR-01",
        statements=(Equal(sandwich((q + dq) / norm(q + dq)), sandwich(q + dq) / dot(q + dq, q + dq)),),
        assumptions=[NonZero(dot(q + dq, q + dq))],
        title="contact point after a normalised increment",
        source=document,
    ),
    Claim(
        "GR-02",
        statements=(
            Equal(sandwich(q + dq), quaternion_product(q + dq, conjugate(q), GP, q, conjugate(q + dq))),
            Equal(
                sandwich(q + dq),
                quaternion_product(
                    one + quaternion_product(dq, conjugate(q)), GP, one + quaternion_product(q, conjugate(dq))
                ),
            ),
        ),
        candidates=[unit],
        title="increment factored through GP(q)",
        source=document,
        note="Q* q = |q|^2 is taken for 1.",
    ),
    Claim(
        "GR-03",
        statements=(
            Equal(GP_normalised, GP),
            Equal(GP_normalised.diff(q0), quaternion_product(conjugate(q), GP) + quaternion_product(GP, q)),
        ),
        assumptions=[unit],
        title="first-order expansion of GP",
        source=document,
        note="The factor 1/|q + dq|^2 stands at the second-order term only. Decided for |q| = 1, where the value "
        "at dq = 0 is right; the derivative along dq = (1, 0, 0, 0), which suffices, is not.",
        mend=Mend(
            "brackets round the whole sum, so that the factor multiplies it; to first order the term -2 (q . dq) GP(q)",
            slope,
            first_order - 2 * dot(q, dq) * GP,
            [unit],
        ),
    ),
    Claim(
        "GR-04",
        statements=(
            Equal(GP_normalised - GP, GP / norm_squared),
            Equal(slope, first_order + directional_derivative(1 / norm_squared, q, dq)[0, 0] * GP),
        ),
        assumptions=[unit],
        title="difference of the contact points",
        source=document,
        note="Value and derivative at dq = 0, for |q| = 1: the left side vanishes, the right side is GP(q).",
        mend=Mend(
            "GP(q) (1/|q + dq|^2 - 1) as the last term. A factor q before GP in the middle member is a misprint",
            statements=(Equal(GP_normalised - GP, sp.zeros(4, 1)), Equal(slope, first_order - 2 * dot(q, dq) * GP)),
            assumptions=[unit],
        ),
    ),
    Claim(
        "GR-05",
        statements=(Equal(GP_normalised, GP), Equal(GP_normalised.diff(q0), along[0])),
        candidates=[unit],
        title="derivative of P in the direction of the scalar part",
        source=document,
        note="The limit exists only where P(q/|q|) = P(q).",
    ),
    Claim(
        "GR-06",
        statements=(
            Equal(GP_normalised, GP),
            *(Equal(GP_normalised.diff(c), right) for c, right in zip((q1, q2, q3), along[1:], strict=True)),
        ),
        candidates=[unit],
        title="derivative of P in the directions of the vector part",
        source=document,
        note="The limit exists only where P(q/|q|) = P(q).",
    ),
    Claim(
        "GR-07",
        derivative(H, [*G, *q]),
        gradient_row,
        candidates=[unit],
        title="gradient of the contact function",
        source=document,
        note="Seven components, compared as a row; the notes announce a 1x7 matrix and print a column.",
        mend=Mend(
            "assume |q| = 1, or divide the last four components by |q|^4",
            derivative(H, [*G, *q]),
            sp.Matrix.hstack(gradient_row[:, :3], gradient_row[:, 3:] / norm_squared**2),
            [nonzero],
        ),
    ),
    Claim(
        "GR-08",
        statements=(
            Equal(vector_part(left_product), -q1 * N - cross(q0 * e - cross(e, q_vec), N)),
            Equal(vector_part(right_product), dot(N, q_vec) * e + q0 * cross(e, N) + cross(e, cross(N, q_vec))),
        ),
        title="ball: products for the direction e_2",
        source=ball_document,
        note="Vector parts; the scalar parts are left open in the notes.",
    ),
    Claim(
        "GR-09",
        statements=(
            Equal(
                dot(-q1 * N - dot(N, q_vec) * e + cross(w, N) - cross(e, cross(N, q_vec)), N),
                -q1 - N[0] * dot(N, q_vec) - dot(q1 * N - N[0] * q_vec, N),
                -2 * q1,
            ),
            Equal(dot(vector_part(left_product - right_product), N), -2 * q1),
            Equal(cross(w, cross(a, G)), a * dot(w, G) - G * dot(w, a)),
        ),
        assumptions=[UnitVector(N)],
        title="ball: reduction of the e_2 term",
        source=ball_document,
        note="The empty pair of brackets before * N is an arbitrary vector w; the second line is the product it "
        "stands for.",
    ),
    Claim(
        "GR-10",
        statements=(
            Equal(vector_part(quaternion_product(conjugate(q), pure(-N))), -q0 * N + cross(q_vec, N)),
            Equal(vector_part(quaternion_product(pure(-N), q)), -q0 * N - cross(q_vec, N)),
        ),
        title="ball: products for the direction e_1",
        source=ball_document,
        mend=Mend(
            "+ p * N in the second line, which is -(N * p)",
            vector_part(quaternion_product(pure(-N), q)),
            -q0 * N + cross(q_vec, N),
        ),
    ),
    Claim(
        "GR-11",
        ball_gradient,
        [[*N, 0, 0, 0, 0]],
        title="gradient of the contact function for a ball",
        source=ball_document,
        note="The body vector is the one with GP(q) = -N at the quaternion where the gradient is taken. It holds "
        "for every q != 0 and every N.",
    ),
)
