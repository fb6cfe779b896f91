"""Contact reactions and local velocities in the frames of two bodies: what the notes state, as claims (CT-01 to CT-11).

R is the reaction at P in the inertial frame, r in the contact frame, R = B r with the columns n, t1, t2 of B (the
matrix from contact frame to inertial one). A product * of the notes is a cross product and PG = G - P. A body turns
with w = A Omega, A from body frame to inertial one and A^T back. Moments and velocities are computed from
positions: (P - G) x R, and V_G + w x (P - G).

"""

import sympy as sp

from nsdgen.verify import (
    Claim,
    Equal,
    Implies,
    Mend,
    Rotation,
    UnitQuaternion,
    column,
    cross,
    matrix,
    norm,
    pure,
    quaternion,
    quaternion_product,
    rotation_matrix,
    vector,
)

__all__ = ["claims"]

R, r, G, P = vector("R"), vector("r"), vector("G"), vector("P")
PG = column(G - P)
B, A = matrix("B", 3, 3), matrix("A", 3, 3)  # contact frame to inertial, body to inertial
q = quaternion("q")
V1, V2 = vector("V1_"), vector("V2_")
Omega1, Omega2 = vector("Omega1_"), vector("Omega2_")
w1, w2 = vector("w1_"), vector("w2_")
G1P, G2P = vector("G1P_"), vector("G2P_")
G1, G2, C = vector("G1_"), vector("G2_"), vector("C")
A1, A2 = matrix("A1_", 3, 3), matrix("A2_", 3, 3)


def lever(u: sp.MatrixBase) -> sp.ImmutableMatrix:
    """The matrix printed for N_PG and N_GC, with u = PG or GC."""
    x, y, z = u
    return sp.ImmutableMatrix([[0, z, -y], [-z, 0, x], [y, -x, 0]])


def stacked(*blocks: sp.MatrixBase) -> sp.ImmutableMatrix:
    return sp.ImmutableMatrix.vstack(*(sp.ImmutableMatrix(b) for b in blocks))


moment = cross(P - G, R)  # about G, of R at P
contact_wrench = stacked(B, A.T * lever(PG) * B)
velocity_at_contact = V1 + cross(A1 * Omega1, C - G1) - V2 - cross(A2 * Omega2, C - G2)
local_velocity_operator = B.T * sp.ImmutableMatrix.hstack(
    sp.eye(3), lever(C - G1) * A1, -sp.eye(3), -lever(C - G2) * A2
)
N_2011 = stacked(sp.eye(3), sp.Matrix([[0, -PG[2], PG[1]], [PG[2], 0, -PG[0]], [-PG[1], PG[0], 0]]))
body, contact, arm = (sp.MatrixSymbol(name, 3, 3) for name in ("A", "B", "N_PG"))
local3 = sp.MatrixSymbol("r", 3, 1)
unit_vectors = [column(sp.eye(3)[:, i]) for i in range(3)]
sandwiches = sp.ImmutableMatrix.hstack(
    *(column(quaternion_product(q, pure(e), [q[0], -q[1], -q[2], -q[3]])[1:]) for e in unit_vectors)
)
k = sp.Symbol("k", integer=True, positive=True)
Nt, Mt, local = sp.MatrixSymbol("N_t", 6, 3), sp.MatrixSymbol("M_t", 3, k), sp.MatrixSymbol("r", k, 1)
Jt = sp.MatrixSymbol("J_t", 6, k)

claims = (
    Claim(
        "CT-01",
        moment,
        cross(R, PG),
        title="moment of the contact reaction about the centre",
        source="contact_gradient.tex, momentum section; developer_notes.rst line 5866; developer_notes_2011.md 10.0.8",
        note="PG is the vector from P to G.",
    ),
    Claim(
        "CT-02",
        cross(R, PG),
        lever(PG) * R,
        title="matrix of the reaction moment",
        source="contact_gradient.tex, momentum section; developer_notes.rst line 5888",
    ),
    Claim(
        "CT-03",
        stacked(R, cross(R, PG)),
        N_2011 * R,
        title="matrix of the reaction moment (2011 notes)",
        source="developer_notes_2011.md sections 10.0.8 and 10.0.9",
        mend=Mend(
            "the lower three rows with the opposite sign, as in CT-02; printed is the matrix of PG * R",
            stacked(R, cross(R, PG)),
            stacked(sp.eye(3), lever(PG)) * R,
        ),
    ),
    Claim(
        "CT-04",
        statements=(
            Equal(contact * local3, body * local3),
            Equal(body.T * arm * contact * local3, body.T * arm * body * local3),
        ),
        assumptions=[Rotation(body), Rotation(contact)],
        title="reaction from the local one",
        source="contact_gradient.tex, momentum section; developer_notes.rst lines 5869-5884",
        note="r is given in the contact frame, so R = B r with the matrix B of that frame; the printed formula "
        "has the matrix A of the body in its place. N_PG is CT-02.",
        mend=Mend(
            "the matrix from contact frame to inertial one",
            stacked(B * r, A.T * cross(B * r, PG)),
            stacked(sp.eye(3), A.T * lever(PG)) * B * r,
        ),
    ),
    Claim(
        "CT-05",
        stacked(B * r, A.T * cross(B * r, PG)),
        contact_wrench * r,
        title="wrench of the local reaction",
        source="contact_gradient.tex, momentum section, last display; developer_notes.rst line 5894",
        note="The balance that opens the section has the reaction R = B r in the inertial frame and its moment R * "
        "PG about G in the body frame on its right side, which is compared. The cross product in Omega x I "
        "Omega is left out in print; it is given in the equations of motion.",
    ),
    Claim(
        "CT-06",
        V1 + cross(w1, G1P) - (V2 + cross(w2, G2P)),
        V1 + cross(w1, G1P) - (V2 + cross(w2, G1P)),
        title="relative velocity at contact",
        source="contact_gradient.tex, local velocities; developer_notes.rst line 5914",
        note="Difference of the velocities of the two material points at P.",
        mend=Mend(
            "w_2 * G_2P",
            V1 + cross(w1, P - G1) - (V2 + cross(w2, P - G2)),
            V1 - V2 + lever(P - G1) * w1 - lever(P - G2) * w2,
        ),
    ),
    Claim(
        "CT-07",
        cross(w1, C - G1),
        lever(C - G1) * w1,
        title="lever-arm matrix",
        source="contact_gradient.tex, expression of N_1; developer_notes.rst line 5942",
    ),
    Claim(
        "CT-08",
        B.T * velocity_at_contact,
        local_velocity_operator * stacked(V1, Omega1, V2, Omega2),
        title="operator from twists to local velocity",
        source="contact_gradient.tex, local velocities; developer_notes.rst line 5925",
        note="The truth is the relative velocity of the two material points at C, in the contact frame, with the "
        "lever arm of each body.",
    ),
    Claim(
        "CT-09",
        rotation_matrix(q / norm(q)),
        sandwiches,
        candidates=[UnitQuaternion(q)],
        title="body-to-inertial matrix by quaternion sandwiches",
        source="contact_gradient.tex eq:newton_Mobjtoabs; developer_notes.rst line 5934",
        note="The matrix is that of the orientation q/|q|; the section does not say that q is a unit quaternion. "
        "Or divide by |q|^2.",
    ),
    Claim(
        "CT-10",
        sp.ImmutableMatrix.hstack(B.T, B.T * lever(P - G) * A).T,
        contact_wrench,
        title="duality of the momentum and velocity operators",
        source="contact_gradient.tex, momentum and velocity sections; developer_notes.rst lines 5894, 5925",
        note="GC = C - G and PG = G - P with C = P; matrices of opposite direction are transposes of each other.",
    ),
    Claim(
        "CT-11",
        statements=(
            Equal((Nt * Mt) * local, (Mt.T * Nt.T).T * local),
            Implies([Equal(Nt * Mt, Jt)], Equal(Jt.T, Mt.T * Nt.T)),
        ),
        title="transposed contact Jacobian (2011 notes)",
        source="developer_notes_2011.md sections 10.0.8-10.0.9; contact_gradient.tex; developer_notes.rst line 5899",
        note="M and N are the transposes of the M^t (n, or n, t1, t2 as columns) and N^t of the text; the printed "
        "entries of N^t are CT-03.",
    ),
)
