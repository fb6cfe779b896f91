"""The Alart-Curnier functions: one contact, normal and two tangential directions.

The truth of each case is the case's own function, P minus a projection, and its derivative is taken by SymPy. That the
projections are the right ones is proved from the optimality conditions of the nearest point of the half line and of the
disk. Source: NL is the long form of the developer notes.
"""

from __future__ import annotations

import sympy as sp
from sympy import Symbol

from nsdgen.verify import (
    Claim,
    Equal,
    Equation,
    Inequality,
    Mend,
    Zero,
    derivative,
    matrix,
    vector,
)

__all__ = ["claims"]

rho_n, rho_t, mu, e, U_nk = (Symbol(name, real=True) for name in ("rho_n", "rho_t", "mu", "e", "U_nk"))
U_n, P_n = Symbol("U_n", real=True), Symbol("P_n", real=True)
U_t, P_t = vector("U_t", 2), vector("P_t", 2)
local = sp.Matrix([U_n, *U_t, P_n, *P_t])  # the order of the Jacobian's columns

trial_n = P_n - rho_n * (U_n + e * U_nk)
trial_t = sp.Matrix(P_t - rho_t * U_t)
length = sp.sqrt(trial_t.dot(trial_t))


def Gamma(a: sp.MatrixBase) -> sp.MatrixBase:
    """The derivative of a / |a|, 2x2, by the quotient rule of SymPy."""
    z = vector("z", 2)
    return derivative(z / sp.sqrt(z.dot(z)), z).subs(dict(zip(z, a, strict=True)), simultaneous=True)


def cases(normal: sp.Expr, tangential: sp.MatrixBase) -> tuple[sp.Expr, sp.Matrix]:
    """Phi_2 and Phi_3 for given projections."""
    return P_n - normal, sp.Matrix(P_t - tangential)


# --- optimality of the projections ---------------------------------------------------------------------------------
_root, _other = sp.symbols("a b", real=True)  # s = -a^2 < 0 and a point b^2 of the half line
_radius = Symbol("R", real=True)
_x = vector("x", 2)
_norm = sp.sqrt(_x.dot(_x))
_nearest = _radius * _x / _norm
_pull = _norm / _radius - 1  # the multiplier of |z| <= R, not negative outside the disk
_half_line = (Inequality((-(_root**2) - 0) * (_other**2 - 0), "<=", 0),)
_disk = (Zero(_nearest - _x + _pull * _nearest), Equal(_nearest.dot(_nearest), _radius**2))

_phi_2_in, _phi_2_out = cases(trial_n, trial_t)[0], cases(sp.S.Zero, trial_t)[0]
_inside = cases(trial_n, trial_t)[1]
_empty = cases(trial_n, sp.zeros(2, 1))[1]
_outside = cases(trial_n, mu * trial_n * trial_t / length)[1]

# Inside the disk the trial point moves freely only where the disk has a positive radius; where it is the single point 0
# the projection stays there. chi = 1 for the former, 0 for the latter.
chi = Symbol("chi", real=True)
_inside_or_point = cases(trial_n, chi * trial_t)[1]

# --- structure: projections of unknown form ------------------------------------------------------------------------
size = 4
Mhat, v, Hn, Ht = matrix("M", size, size), vector("v", size), matrix("Hn", size, 1), matrix("Ht", size, 2)
H, q, b = Hn.row_join(Ht), vector("q", size), vector("b", 3)
What, U_free = matrix("W", 3, 3), vector("Ufree", 3)
U, P = sp.Matrix([U_n, *U_t]), sp.Matrix([P_n, *P_t])


def phi_2(U: sp.MatrixBase, P: sp.MatrixBase) -> sp.Matrix:
    """P_n minus an unknown function of the normal trial value, 1x1."""
    return sp.Matrix([P[0] - sp.Function("pi_n")(P[0] - rho_n * (U[0] + e * U_nk))])


def phi_3(U: sp.MatrixBase, P: sp.MatrixBase) -> sp.Matrix:
    """P_t minus an unknown function of the tangential and the normal trial value, 2x1."""
    trial = [P[i] - rho_t * U[i] for i in (1, 2)] + [P[0] - rho_n * (U[0] + e * U_nk)]
    return sp.Matrix([P[i] - sp.Function(f"pi_{i}")(*trial) for i in (1, 2)])


def both(U: sp.MatrixBase, P: sp.MatrixBase) -> sp.Matrix:
    """Phi_2 over Phi_3, 3x1."""
    return sp.Matrix.vstack(phi_2(U, P), phi_3(U, P))


_at_v = dict(zip(U, H.T * v + b, strict=True))


def _reduced(expression: sp.MatrixBase) -> sp.MatrixBase:
    """A derivative in U, evaluated at U = H^T v + b."""
    return expression.subs(_at_v, simultaneous=True)


def _local_matrix() -> sp.Matrix:
    """The local Jacobian as printed."""
    zero, one = sp.zeros, sp.eye
    d2, d3 = phi_2(U, P), phi_3(U, P)
    return sp.Matrix(
        sp.BlockMatrix(
            [
                [-one(1), zero(1, 2), What[:1, :1], What[:1, 1:]],
                [zero(2, 1), -one(2), What[1:, :1], What[1:, 1:]],
                [derivative(d2, U_n), zero(1, 2), derivative(d2, P_n), zero(1, 2)],
                [derivative(d3, U_n), derivative(d3, U_t), derivative(d3, P_n), derivative(d3, P_t)],
            ]
        )
    )


def _global_matrix() -> sp.Matrix:
    """The global Jacobian as printed."""
    zero, one = sp.zeros, sp.eye
    d2, d3 = phi_2(U, P), phi_3(U, P)
    return sp.Matrix(
        sp.BlockMatrix(
            [
                [-Mhat, zero(size, 1), zero(size, 2), Hn, Ht],
                [Hn.T, -one(1), zero(1, 2), zero(1, 1), zero(1, 2)],
                [Ht.T, zero(2, 1), -one(2), zero(2, 1), zero(2, 2)],
                [zero(1, size), derivative(d2, U_n), zero(1, 2), derivative(d2, P_n), zero(1, 2)],
                [zero(2, size), derivative(d3, U_n), derivative(d3, U_t), derivative(d3, P_n), derivative(d3, P_t)],
            ]
        )
    )


def _psi(v: sp.MatrixBase, U: sp.MatrixBase, P: sp.MatrixBase) -> sp.Matrix:
    """The functions of the global formulation, stacked."""
    return sp.Matrix.vstack(-Mhat * v + H * P + q, -U + H.T * v + b, both(U, P))


_reduced_psi = sp.Matrix.vstack(-Mhat * v + H * P + q, both(H.T * v + b, P))


def _reduced_matrix() -> sp.Matrix:
    """The reduced global Jacobian as printed: its products do not fit."""
    d2, d3 = phi_2(U, P), phi_3(U, P)
    row_2 = Hn.T * _reduced(derivative(d2, U_n))
    row_3 = Hn.T * _reduced(derivative(d3, U_n)) + Ht.T * _reduced(derivative(d3, U_t))
    return sp.Matrix(
        sp.BlockMatrix(
            [
                [-Mhat, Hn, Ht],
                [row_2, _reduced(derivative(d2, P_n)), sp.zeros(1, 2)],
                [row_3, _reduced(derivative(d3, P_n)), _reduced(derivative(d3, P_t))],
            ]
        )
    )


def _gradients(
    function: sp.MatrixBase, by_un: sp.MatrixBase, by_ut: sp.MatrixBase, by_pn: sp.MatrixBase, by_pt: sp.MatrixBase
) -> tuple[Equal, ...]:
    """The four derivatives of a tangential case against what the notes print."""
    return (
        Equal(derivative(function, U_n), by_un),
        Equal(derivative(function, U_t), by_ut),
        Equal(derivative(function, P_n), by_pn),
        Equal(derivative(function, P_t), by_pt),
    )


claims: tuple[Claim, ...] = (
    Claim(
        "AC-01",
        title="gradients of the normal function",
        source="NL eqs AC-T1..T5 (lines 6811-6853)",
        statements=(
            *_half_line,
            Equal(_phi_2_in, rho_n * (U_n + e * U_nk)),
            Equal(sp.diff(_phi_2_in, U_n), rho_n),
            Equal(sp.diff(_phi_2_in, P_n), 0),
            Equal(_phi_2_out, P_n),
            Equal(sp.diff(_phi_2_out, U_n), 0),
            Equal(sp.diff(_phi_2_out, P_n), 1),
        ),
        note="Case by case; at the kink each case gives one element of the generalised Jacobian, as the text wants.",
    ),
    Claim(
        "AC-02",
        title="tangential function inside the disk",
        source="NL eqs AC-TT2, TT3 (lines 6872-6887)",
        assumptions=[Equation(chi, 1, "the disk has a positive radius")],
        statements=(
            Equal(_inside, rho_t * U_t),
            *_gradients(_inside_or_point, sp.zeros(2, 1), rho_t * sp.eye(2), sp.zeros(2, 1), sp.zeros(2)),
        ),
        note="The case includes one point of the empty disk, P_t = rho_t U_t with P_n - rho_n(..) < 0. There the "
        "projection is constant, Phi_3 = P_t near it, and the derivatives are those of AC-03 (chi = 0).",
    ),
    Claim(
        "AC-03",
        title="tangential function with empty disk",
        source="NL eqs AC-TT5, TT6 (lines 6905-6920)",
        statements=(
            Equal(_empty, P_t),
            *_gradients(_empty, sp.zeros(2, 1), sp.zeros(2), sp.zeros(2, 1), sp.eye(2)),
        ),
    ),
    Claim(
        "AC-04",
        title="tangential function outside the disk",
        source="NL eqs AC-TT7, TT8 (lines 6928-6942)",
        statements=(
            *_disk,
            *_gradients(
                _outside,
                mu * rho_n * trial_t / length,
                mu * rho_t * trial_n * Gamma(trial_t),
                -mu * trial_t / length,
                sp.eye(2) - mu * trial_n * Gamma(trial_t),
            ),
        ),
        note="Outside the disk the trial vector is not zero. The first two statements say that R x / |x| is the "
        "nearest point of the disk of radius R.",
    ),
    Claim(
        "AC-05",
        derivative(sp.Matrix.vstack(-U + What * P + U_free, both(U, P)), local),
        _local_matrix,
        title="structure of the local Jacobian",
        source="NL eqs AC-L7, AC-L6 (lines 6772-6800)",
        note="Projections of unknown form, which depend on the trial values only.",
    ),
    Claim(
        "AC-06",
        derivative(_psi(v, U, P), [*v, *local]),
        _global_matrix,
        title="structure of the global Jacobian",
        source="NL eqs GAC-L1, L3, L4 (lines 6960-7016)",
        note="Four global velocities.",
    ),
    Claim(
        "AC-07",
        derivative(both(H.T * v + b, P), v),
        lambda: Hn.T * _reduced(derivative(both(U, P), U_n)) + Ht.T * _reduced(derivative(both(U, P), U_t)),
        title="chain rule of the reduced global formulation",
        source="NL eq chainrule1 (line 7045)",
        note="H_n^T is 1 x n and the derivative by U_n has one column: the product is in the wrong order.",
        mend=Mend(
            "(d Phi / d U_n) H_n^T + (d Phi / d U_t) H_t^T",
            derivative(both(H.T * v + b, P), v),
            _reduced(derivative(both(U, P), U_n)) * Hn.T + _reduced(derivative(both(U, P), U_t)) * Ht.T,
            slip="order of factors",
        ),
    ),
    Claim(
        "AC-08",
        derivative(_reduced_psi, [*v, *P]),
        _reduced_matrix,
        title="reduced global Jacobian",
        source="NL eq GAC-L6 (line 7053)",
        note="The wrong order of AC-07 in the rows of Phi_3.",
        mend=Mend(
            "the derivative of Phi times H^T",
            derivative(_reduced_psi, [*v, *P]),
            sp.Matrix.vstack(
                sp.Matrix.hstack(-Mhat, H),
                sp.Matrix.hstack(_reduced(derivative(both(U, P), U)) * H.T, _reduced(derivative(both(U, P), P))),
            ),
            slip="order of factors",
        ),
    ),
    Claim(
        "AC-09",
        title="reduction of the global functions",
        source="NL eqs chainrule, GAC-L5, equivalentJacobian (lines 6997-7038)",
        statements=(
            Equal(_psi(v, H.T * v + b, P)[:size, :], -Mhat * v + H * P + q),
            Zero(_psi(v, H.T * v + b, P)[size : size + 3, :]),
            Equal(_psi(v, H.T * v + b, P)[size + 3 :, :], both(H.T * v + b, P)),
            Equal(derivative(_psi(v, U, P)[size + 3 :, :], [*U, *P]), derivative(both(U, P), [*U, *P])),
        ),
        note="The second line of Psi vanishes identically at U = H^T v + b and is dropped.",
    ),
)
