"""Quaternions as an algebra and as rotations: what the notes state, as claims (Q-01 to Q-11, Q-37, Q-39, Q-40).

A quaternion is (p0, p1, p2, p3), scalar first. The notes define it as a 2x2 complex matrix and the product as the
matrix product; that definition is the truth here, so that no vector formula of the notes is checked by itself.
A rotated vector is the vector part of p (0, x) p*.

"""

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Implies,
    Mend,
    UnitQuaternion,
    column,
    conjugate,
    cross,
    pure,
    quaternion,
    rotation_matrix,
    vector,
)

__all__ = ["claims"]

i = sp.I
p, q = quaternion("p"), quaternion("q")
p0, p1, p2, p3 = p
q0, q1, q2, q3 = q
p_vec, q_vec = vector("p"), vector("q")
x, Omega = vector("x"), vector("Omega")
norm_squared = p0**2 + p1**2 + p2**2 + p3**2
one = sp.ImmutableMatrix([1, 0, 0, 0])

basis = (sp.eye(2), sp.diag(i, -i), sp.Matrix([[0, 1], [-1, 0]]), sp.Matrix([[0, i], [i, 0]]))


def as_complex(a: sp.MatrixBase) -> sp.ImmutableMatrix:
    """a0 e + a1 i + a2 j + a3 k, 2x2 complex (eq:127-128)."""
    return sp.ImmutableMatrix(sum((c * b for c, b in zip(a, basis, strict=True)), sp.zeros(2)))


def from_complex(z: sp.MatrixBase) -> sp.ImmutableMatrix:
    """The four coordinates of a matrix of the span of e, i, j, k."""
    return column(
        [(z[0, 0] + z[1, 1]) / 2, (z[0, 0] - z[1, 1]) / (2 * i), (z[0, 1] - z[1, 0]) / 2, (z[0, 1] + z[1, 0]) / (2 * i)]
    ).applyfunc(sp.expand)


def product(*factors: sp.MatrixBase) -> sp.ImmutableMatrix:
    """The quaternion product by its definition as a product of complex matrices."""
    z = sp.eye(2)
    for factor in factors:
        z = z * as_complex(factor)
    return from_complex(z)


def adjoint(z: sp.MatrixBase) -> sp.ImmutableMatrix:
    """The conjugate transpose."""
    return sp.ImmutableMatrix(z.H.applyfunc(sp.expand))


def dot(a: sp.MatrixBase, b: sp.MatrixBase) -> sp.Expr:
    return (a.T * b)[0, 0]


pq = product(p, q)
left_matrix = sp.ImmutableMatrix([[p0, -p1, -p2, -p3], [p1, p0, -p3, p2], [p2, p3, p0, -p1], [p3, -p2, p1, p0]])
right_matrix = sp.ImmutableMatrix([[q0, -q1, -q2, -q3], [q1, q0, q3, -q2], [q2, -q3, q0, q1], [q3, q2, -q1, q0]])
X, Y = p0 + i * p1, p2 + i * p3
X_bar, Y_bar = p0 - i * p1, p2 - i * p3
matrix_2011 = sp.ImmutableMatrix([[q0, -q1, -q2, -q3], [q1, q0, -q3, q2], [q2, q3, q0, -q1], [q3, -q2, -q1, q0]])
Phi = sp.ImmutableMatrix(
    [
        [1 - 2 * p2**2 - 2 * p3**2, 2 * (p1 * p2 - p3 * p0), 2 * (p1 * p3 + p2 * p0)],
        [2 * (p1 * p2 + p3 * p0), 1 - 2 * p1**2 - 2 * p3**2, 2 * (p2 * p3 - p1 * p0)],
        [2 * (p1 * p3 - p2 * p0), 2 * (p2 * p3 + p1 * p0), 1 - 2 * p1**2 - 2 * p2**2],
    ]
)
Phi_opposite = Phi.subs(dict(zip(p, -p, strict=True)), simultaneous=True)
rotated = column(product(p, pure(x), conjugate(p))[1:])
columns = sp.ImmutableMatrix.hstack(*(rotated.subs(dict(zip(x, e, strict=True))) for e in sp.eye(3).tolist()))

claims = (
    Claim(
        "Q-01",
        pq,
        [p0 * q0 - dot(p_vec, q_vec), *(p0 * q_vec + q0 * p_vec + cross(p_vec, q_vec))],
        title="quaternion product in scalar-vector form",
        source="newton_euler.tex eq:73; developer_notes.rst line 4493",
        note="The product of the two vector parts in the scalar is their dot product.",
    ),
    Claim(
        "Q-02",
        as_complex(p),
        [[X, Y], [-Y_bar, X_bar]],
        title="2x2 complex representation",
        source="newton_euler.tex eq:127-129; developer_notes.rst lines 4411-4451",
    ),
    Claim(
        "Q-03",
        pq,
        [
            q0 * p0 - q1 * p1 - q2 * p2 - q3 * p3,
            q0 * p1 + q1 * p0 - q2 * p3 + q3 * p2,
            q0 * p2 + q1 * p3 + q2 * p0 - q3 * p1,
            q0 * p3 - q1 * p2 + q2 * p1 + q3 * p0,
        ],
        title="quaternion product by components",
        source="newton_euler.tex eq:75; developer_notes.rst line 4522",
    ),
    Claim(
        "Q-04",
        pq,
        left_matrix * q,
        title="left multiplication matrix",
        source="newton_euler.tex eq:76; developer_notes.rst line 4535",
    ),
    Claim(
        "Q-05",
        pq,
        right_matrix * p,
        title="right multiplication matrix",
        source="newton_euler.tex eq:77; developer_notes.rst line 4555",
    ),
    Claim(
        "Q-06",
        product(pure(p_vec), pure(q_vec)),
        -product(pure(q_vec), pure(p_vec)),
        title="product of pure quaternions and exchange of factors",
        source="newton_euler.tex eq:74; developer_notes.rst line 4514",
        mend=Mend(
            "only the vector parts change sign; the products add up to -2 (p . q) e",
            product(pure(p_vec), pure(q_vec)),
            -product(pure(q_vec), pure(p_vec)) - 2 * dot(p_vec, q_vec) * one,
        ),
    ),
    Claim(
        "Q-07",
        statements=(
            Equal(adjoint(as_complex(p)), [[X_bar, -Y], [Y_bar, X]]),
            Equal(from_complex(adjoint(as_complex(p))), [p0, -p1, -p2, -p3]),
        ),
        title="adjoint quaternion",
        source="newton_euler.tex after eq:77; developer_notes.rst line 4576",
    ),
    Claim(
        "Q-08",
        statements=(
            Equal(
                as_complex(p) * adjoint(as_complex(p)),
                as_complex(p).det() * sp.eye(2),
                (X * X_bar + Y * Y_bar) * sp.eye(2),
                norm_squared * sp.eye(2),
            ),
            Equal(product(p, conjugate(p)), product(conjugate(p), p), norm_squared * one),
        ),
        title="product with the adjoint",
        source="newton_euler.tex eq:131; developer_notes.rst line 4592",
    ),
    Claim(
        "Q-09",
        statements=(
            Equal(product(p, conjugate(p) / norm_squared), one),
            Equal(product(conjugate(p) / norm_squared, p), one),
        ),
        title="reciprocal",
        source="newton_euler.tex eq:78; developer_notes.rst line 4613",
        note="p*/|p|^2 is a left and a right inverse; the text takes a nonzero quaternion.",
    ),
    Claim(
        "Q-10",
        rotated,
        lambda: (p0**2 - (p.T * p_vec)[0, 0]) * x + 2 * p0 * cross(p_vec, x) + 2 * dot(p_vec, x) * p,
        [UnitQuaternion(p)],
        title="rotated vector in closed form",
        source="newton_euler.tex eq:80; developer_notes.rst line 4636",
        note="As printed, p^T vec(p) multiplies four entries with three and the last term adds a quaternion to "
        "vectors.",
        mend=Mend(
            "vec(p) in both places; it is then right for every p",
            rotated,
            (p0**2 - dot(p_vec, p_vec)) * x + 2 * p0 * cross(p_vec, x) + 2 * dot(p_vec, x) * p_vec,
            slip="wrong argument",
        ),
    ),
    Claim(
        "Q-11",
        statements=(Equal(columns, Phi), Equal(rotated, Phi * x)),
        assumptions=[UnitQuaternion(p)],
        title="rotation matrix of a quaternion",
        source="newton_euler.tex eq:81; developer_notes.rst line 4643",
    ),
    Claim(
        "Q-37",
        statements=(Implies([Equal(Phi, Phi_opposite)], Equal(p, -p)),),
        assumptions=[UnitQuaternion(p)],
        title="group described by unit quaternions",
        source="newton_euler.tex eq:99; developer_notes.rst line 5196",
        note="SO(3) is the group of rotation matrices (eq:47). The two sets can only be equal through Phi, which "
        "would have to be one-to-one on unit quaternions; p and -p have the same matrix.",
        mend=Mend(
            "SO(3) is the unit quaternions with p and -p identified",
            statements=(
                Equal(Phi, Phi_opposite),
                Implies(
                    [Equal(rotation_matrix(p), rotation_matrix(q)), UnitQuaternion(p), UnitQuaternion(q)],
                    Equal(p * p.T, q * q.T),
                ),
            ),
            slip="",
        ),
    ),
    Claim(
        "Q-39",
        product(q, pure(Omega)) / 2,
        matrix_2011 * pure(Omega) / 2,
        title="matrix form of the quaternion rate",
        source="developer_notes_2011.md section 9.0.4",
        note="The product formula of the same section is the truth.",
        mend=Mend(
            "entry (4, 3) is +q1",
            product(q, pure(Omega)) / 2,
            sp.ImmutableMatrix([[q0, -q1, -q2, -q3], [q1, q0, -q3, q2], [q2, q3, q0, -q1], [q3, -q2, q1, q0]])
            * pure(Omega)
            / 2,
        ),
    ),
    Claim(
        "Q-40",
        product(p, pure(x), conjugate(p)),
        pure(Phi * x),
        [UnitQuaternion(p)],
        title="orientation of the material points",
        source="developer_notes_2011.md section 9.0.4",
        note="GM_k is the material vector turned by the rotation matrix of the orientation q_k; an orientation is "
        "a unit quaternion.",
    ),
)
