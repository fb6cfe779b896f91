"""The one-step nonsmooth problem of several interactions, block by block.

Blocks are abstract matrices of unknown sizes: system i has n_i states, interaction a has m_a rows. A sum over systems
of an interaction is a sum over an incidence set; three systems and three interactions that all touch each other cover
every pattern of that size, since an absent block is a zero block. Sources: N11 are the 2011 notes, NL their long form.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp
from sympy import BlockDiagMatrix, BlockMatrix, Function, MatrixSymbol, Symbol, ZeroMatrix

from nsdgen.verify import Claim, Equal, Equation, Fails, Invertible, Mend, NonZero, Positive, derivative, matrix, vector

__all__ = ["claims"]

h, t = Symbol("h", real=True), Symbol("t", real=True)
SYSTEMS = (1, 2, 3)
n = {i: Symbol(f"n_{i}", integer=True, positive=True) for i in SYSTEMS}
m = {a: Symbol(f"m_{a}", integer=True, positive=True) for a in SYSTEMS}

W = {i: MatrixSymbol(f"W_{i}", n[i], n[i]) for i in SYSTEMS}
x = {i: MatrixSymbol(f"x_{i}", n[i], 1) for i in SYSTEMS}
C = {(a, i): MatrixSymbol(f"C_{a}^{i}", m[a], n[i]) for a in SYSTEMS for i in SYSTEMS}
B = {(a, i): MatrixSymbol(f"B_{a}^{i}", n[i], m[a]) for a in SYSTEMS for i in SYSTEMS}
H = {(a, i): MatrixSymbol(f"H_{a}^{i}", m[a], n[i]) for a in SYSTEMS for i in SYSTEMS}
D = {a: MatrixSymbol(f"D_{a}", m[a], m[a]) for a in SYSTEMS}
lam = {a: MatrixSymbol(f"lambda_{a}", m[a], 1) for a in SYSTEMS}
q_free = {i: MatrixSymbol(f"q_free_{i}", n[i], 1) for i in SYSTEMS}

Incidence = Mapping[int, frozenset[int]]  # the systems of each interaction
ALL: Incidence = {a: frozenset(SYSTEMS) for a in SYSTEMS}
EXAMPLE: Incidence = {1: frozenset({1, 3}), 2: frozenset({2, 3})}  # the simple example of the notes
CHAIN: Incidence = {1: frozenset({1}), 2: frozenset({1, 2}), 3: frozenset({2, 3})}
PATTERNS = (ALL, EXAMPLE, CHAIN)


def total(terms: Iterable[sp.MatrixExpr], rows: sp.Expr, columns: sp.Expr | int = 1) -> sp.MatrixExpr:
    """The sum of abstract matrices, a zero matrix when there is none."""
    summands = list(terms)
    return sp.MatAdd(*summands).doit() if summands else ZeroMatrix(rows, columns)


# --- the truth: states from the implicit Euler step, inputs summed over interactions, outputs over systems ----------


def reaction(i: int, of: Incidence) -> sp.MatrixExpr:
    """R_i: the inputs of all interactions that system i takes part in."""
    return total((B[b, i] * lam[b] for b in of if i in of[b]), n[i])


def output(a: int, of: Incidence) -> sp.MatrixExpr:
    """y_a at the end of the step."""
    return total((C[a, i] * (W[i] * x[i] + h * W[i] * reaction(i, of)) for i in of[a]), m[a]) + D[a] * lam[a]


def coupling(a: int, b: int, over: Iterable[int]) -> sp.MatrixExpr:
    """h times the sum of C_a^j W_j B_b^j over the systems j given."""
    return total((h * C[a, j] * W[j] * B[b, j] for j in sorted(over)), m[a], m[b])


def block(a: int, b: int, of: Incidence) -> sp.MatrixExpr:
    """The block (a, b) of the matrix by the notes."""
    return coupling(a, b, of[a] & of[b]) + (D[a] if a == b else ZeroMatrix(m[a], m[b]))


def lagrangian_output(a: int, of: Incidence) -> sp.MatrixExpr:
    """The rate of y_a from q_i' = q_free,i + W_i R_i with R_i = sum of H^T lambda."""

    def rate(i: int) -> sp.MatrixExpr:
        return q_free[i] + W[i] * total((H[b, i].T * lam[b] for b in of if i in of[b]), n[i])

    return total((H[a, i] * rate(i) for i in of[a]), m[a])


# --- one system, for the Euler step and the relative degree ---------------------------------------------------------
N = Symbol("n", integer=True, positive=True)
We = MatrixSymbol("W", N, N)
x_0, R_1 = MatrixSymbol("x_k", N, 1), MatrixSymbol("R", N, 1)
A_e = (sp.Identity(N) - We.inv()) / h  # W = (I - h A)^-1 with W as the given matrix

A, b, c = (matrix("A", 3, 3), vector("b", 3), vector("c", 3))
feedthrough = Symbol("d", real=True)
state = vector("x", 3)
ell = Function("lambda")(t)


def derivatives(order: int) -> list[sp.Expr]:
    """y, y', ... of y = c.x + d lambda(t) along x' = A x + b lambda(t)."""
    found = [(c.T * state)[0] + feedthrough * ell]
    for _ in range(order):
        y = found[-1]
        found.append(sp.expand(sp.diff(y, t) + (derivative(y, state) * (A * state + b * ell))[0]))
    return found


def markov(power: int) -> sp.Expr:
    """c A^power b."""
    return (c.T * A**power * b)[0]


_y = derivatives(3)

# coefficient of lambda_j in the derivatives for two systems of two states and two scalar inputs
A_s = {i: matrix(f"A{i}_", 2, 2) for i in (1, 2)}
B_s = {(k, i): vector(f"B{k}{i}_", 2) for k in (1, 2) for i in (1, 2)}
C_s = {i: vector(f"C{i}_", 2) for i in (1, 2)}
x_s = {i: vector(f"x{i}_", 2) for i in (1, 2)}
l_s = {k: Function(f"lambda{k}")(t) for k in (1, 2)}


def mimo_derivatives(order: int) -> list[sp.Expr]:
    """The derivatives of y_1 = sum C_1^i x_i along x_i' = A_i x_i + sum_k B_k^i lambda_k(t)."""
    found = [sum((C_s[i].T * x_s[i])[0] for i in (1, 2))]
    for _ in range(order):
        y = found[-1]
        rates = {i: A_s[i] * x_s[i] + B_s[1, i] * l_s[1] + B_s[2, i] * l_s[2] for i in (1, 2)}
        found.append(sp.expand(sp.diff(y, t) + sum((derivative(y, x_s[i]) * rates[i])[0] for i in (1, 2))))
    return found


_mimo = mimo_derivatives(4)

# the simple example with sizes: one state per system, m_1 = 3, m_2 = 1 as in the notes
_w = {i: Symbol(f"w{i}", real=True) for i in SYSTEMS}
_Cx = {(1, 1): matrix("Ca", 3, 1), (1, 3): matrix("Cb", 3, 1), (2, 2): matrix("Cc", 1, 1), (2, 3): matrix("Cd", 1, 1)}
_Bx = {(1, 1): matrix("Ba", 1, 3), (1, 3): matrix("Bb", 1, 3), (2, 2): matrix("Bc", 1, 1), (2, 3): matrix("Bd", 1, 1)}
_Dx = {1: matrix("Da", 3, 3), 2: matrix("Db", 1, 1)}
_lx = sp.Matrix(vector("lambda", 4))


def _example_output(multipliers: list[sp.Expr]) -> sp.Matrix:
    """(y_1, y_2) of the example without the part of the known states."""
    l = {1: sp.Matrix(multipliers[:3]), 2: sp.Matrix(multipliers[3:])}
    xs = {
        1: h * _w[1] * _Bx[1, 1] * l[1],
        2: h * _w[2] * _Bx[2, 2] * l[2],
        3: h * _w[3] * (_Bx[1, 3] * l[1] + _Bx[2, 3] * l[2]),
    }
    return sp.Matrix.vstack(
        _Cx[1, 1] * xs[1] + _Cx[1, 3] * xs[3] + _Dx[1] * l[1], _Cx[2, 2] * xs[2] + _Cx[2, 3] * xs[3] + _Dx[2] * l[2]
    )


def _example_blocks() -> sp.Matrix:
    """The four printed blocks."""
    return sp.Matrix(
        sp.BlockMatrix(
            [
                [
                    _Dx[1] + h * _Cx[1, 1] * _w[1] * _Bx[1, 1] + h * _Cx[1, 3] * _w[3] * _Bx[1, 3],
                    h * _Cx[1, 3] * _w[3] * _Bx[2, 3],
                ],
                [
                    h * _Cx[2, 3] * _w[3] * _Bx[1, 3],
                    _Dx[2] + h * _Cx[2, 2] * _w[2] * _Bx[2, 2] + h * _Cx[2, 3] * _w[3] * _Bx[2, 3],
                ],
            ]
        )
    )


# all blocks at once
C_all = BlockMatrix([[C[a, i] for i in SYSTEMS] for a in SYSTEMS])
B_all = BlockMatrix([[B[a, i] for a in SYSTEMS] for i in SYSTEMS])
W_all = BlockDiagMatrix(*(W[i] for i in SYSTEMS))

# stacked quantities of one interaction: N_a states in all its systems
N_a = Symbol("N_alpha", integer=True, positive=True)
C_row, W_row = MatrixSymbol("C_alpha", m[1], N_a), MatrixSymbol("W_alpha", N_a, N_a)
X_row = MatrixSymbol("X_alpha", N_a, 1)

_time_A = sp.Matrix(3, 3, lambda i, j: Function(f"A{i + 1}{j + 1}")(t))
_time_b = sp.Matrix([Function(f"b{i}")(t) for i in (1, 2, 3)])

claims: tuple[Claim, ...] = (
    Claim(
        "OS-01",
        title="implicit Euler update of one system",
        source="NL line 104; N11 eq (1.9)",
        assumptions=[Invertible(We), NonZero(h)],
        left=(We * x_0 + h * We * R_1) - x_0,
        right=h * A_e * (We * x_0 + h * We * R_1) + h * R_1,
        note="W = (I - h A)^-1 enters by A; the update inserted into the step x_{k+1} - x_k = h A x_{k+1} + h R.",
    ),
    Claim(
        "OS-02",
        title="output of an interaction with its couplings",
        source="NL line 107; N11 eq (1.11)",
        statements=tuple(
            Equal(
                output(a, of),
                total((C[a, i] * W[i] * x[i] for i in of[a]), m[a])
                + (coupling(a, a, of[a]) + D[a]) * lam[a]
                + total((h * C[a, i] * W[i] * B[b, i] * lam[b] for b in of if b != a for i in of[a] & of[b]), m[a]),
            )
            for of in PATTERNS
            for a in of
        ),
        note="C_alpha W_alpha X_alpha and C_alpha h W_alpha B_alpha are written out over the systems of alpha.",
    ),
    Claim(
        "OS-03",
        lambda: (
            total((C[1, i] * W[i] * x[i] for i in (1, 3)), m[1])
            + total((h * C[1, i] * W[i] * reaction(i, EXAMPLE) for i in (1, 3)), m[1])
            + D[1] * lam[1]
        ),
        lambda: C_row * W_row * X_row + C_row * h * W_row * (B[1, 3] * lam[1] + B[2, 3] * lam[2]) + D[1] * lam[1],
        title="output of an interaction, unexpanded",
        source="NL line 106; N11 eq (1.10)",
        note="W_alpha has N_alpha columns, the sum over the interactions of one system i has n_i rows, and i is free.",
        mend=Mend(
            "the stacked R_i, sum over i of C_alpha^i h W_i sum_beta B_beta^i lambda_beta",
            output(1, EXAMPLE),
            total((C[1, i] * W[i] * x[i] for i in (1, 3)), m[1])
            + total((h * C[1, i] * W[i] * reaction(i, EXAMPLE) for i in (1, 3)), m[1])
            + D[1] * lam[1],
            slip="missing index",
        ),
    ),
    Claim(
        "OS-04",
        title="diagonal and extra-diagonal blocks",
        source="NL lines 171-178; N11 eqs (1.15)-(1.18)",
        statements=tuple(
            Equal(
                output(a, of) - total((C[a, i] * W[i] * x[i] for i in of[a]), m[a]),
                total((block(a, b, of) * lam[b] for b in of), m[a]),
            )
            for of in PATTERNS
            for a in of
        ),
        note="Block rows applied to the multipliers; a row l of a block is that row of C_alpha and D_alpha.",
    ),
    Claim(
        "OS-05",
        title="last block row of the assembled problem",
        source="NL line 159; N11 eq (1.14)",
        assumptions=[Invertible(W[2]), Invertible(W[3]), Positive(h)],
        statements=(
            Equal(block(2, 2, EXAMPLE), D[2] + coupling(2, 2, EXAMPLE[2] & EXAMPLE[1])),
            Equal(block(2, 1, EXAMPLE), coupling(2, 1, EXAMPLE[2]).subs(B[1, 2], ZeroMatrix(n[2], m[1])).doit()),
        ),
        note="m = 2, the simple example of the notes. The index sets are exchanged. The diagonal block needs all "
        "systems of DS_m; the other one is right only because the input block of a system that interaction m-1"
        " does not touch is zero.",
        mend=Mend(
            "DS_m on the diagonal, the intersection beside it",
            statements=(
                Equal(block(2, 2, EXAMPLE), D[2] + coupling(2, 2, EXAMPLE[2])),
                Equal(block(2, 1, EXAMPLE), coupling(2, 1, EXAMPLE[2] & EXAMPLE[1])),
            ),
        ),
    ),
    Claim(
        "OS-06",
        title="two interactions over three systems",
        source="NL line 268; N11 eq (1.22)",
        statements=(Equal(derivative(_example_output(list(_lx)), _lx), _example_blocks() * _lx),),
        note="The matrix is set equal to itself times (lambda_1, lambda_2): shapes disagree. The four blocks are "
        "right.",
        mend=Mend(
            "M_OSNSP = [...], without the vector",
            derivative(_example_output(list(_lx)), _lx),
            _example_blocks(),
            slip="extra factor lambda",
        ),
    ),
    Claim(
        "OS-07",
        title="reaction on a system as a sum over inputs",
        source="NL line 307; N11 eq (1.25)",
        left=sum((B_s[k, 1] * l_s[k] for k in (1, 2)), sp.zeros(2, 1)),
        right=sum((B_s[k, 1] * l_s[2] for k in (1, 2)), sp.zeros(2, 1)),
        note="M = 2, j = 2; compared with the sum over k of what each interaction contributes.",
        mend=Mend(
            "lambda_k",
            sp.Matrix([sum(B_s[k, 1][i] * l_s[k] for k in (1, 2)) for i in range(2)]),
            sum((B_s[k, 1] * l_s[k] for k in (1, 2)), sp.zeros(2, 1)),
            slip="swapped index",
        ),
    ),
    Claim(
        "OS-08",
        title="coefficient of lambda_j in the r-th derivative",
        source="NL line 328; N11 eq (1.28)",
        statements=tuple(
            Equal(_mimo[r].coeff(l_s[1]), sum((C_s[i].T * A_s[i] ** (r - 1) * B_s[1, i])[0] for i in (1, 2)))
            for r in (1, 2, 3, 4)
        ),
        note="r = 1..4 for two systems and two inputs with time-dependent multipliers; j = 1. The step from r to r + 1 "
        "multiplies by A_i for every r.",
    ),
    Claim(
        "OS-09",
        title="derivatives of the output of a linear system",
        source="NL eqs Markov-Parameter, y-derive (lines 1101-1132)",
        assumptions=[
            Equation(feedthrough, 0, "D = 0"),
            Equation(markov(0), 0, "CB = 0"),
            Equation(markov(1), 0, "CAB = 0"),
        ],
        statements=tuple(Equal(_y[r], (c.T * A**r * state)[0] + markov(r - 1) * ell) for r in (1, 2, 3)),
        note="Three states, one input, r = 1, 2, 3; lambda depends on time.",
    ),
    Claim(
        "OS-10",
        title="uniform relative degree of a MIMO system",
        source="NL eqs mimo-r, mimo-r2 (lines 1111-1119)",
        left=markov(0),
        right=sp.S.Zero,
        assumptions=[NonZero(markov(1))],
        candidates=[Equation(markov(0), 0, "q = r")],
        note="q is not defined. For q = 1 the first condition is empty, and r = 2 with CAB nonzero leaves CB free, "
        "which the first derivative of y needs to vanish.",
        mend=Mend("i = 0..r-2"),
    ),
    Claim(
        "OS-11",
        title="block-matrix form of the coupling",
        source="NL lines 484-522; N11 section 1.3",
        statements=(
            Equal(
                BlockMatrix([[block(a, b, ALL) for b in SYSTEMS] for a in SYSTEMS]),
                BlockDiagMatrix(*(D[a] for a in SYSTEMS)) + h * C_all * W_all * B_all,
            ),
            Fails(Equal(block(1, 1, ALL), total((C[1, j] * W[j] * B[1, j] for j in SYSTEMS), m[1], m[1]))),
        ),
        note="The text says that the matrix can be assembled using the product C W B: with D and the step, "
        "M_OSNSP = D + h C W B, it has the blocks of OS-04. It is not C W B alone (second statement).",
    ),
    Claim(
        "OS-12",
        lambda: H[1, 1].T * lam[1] + H[2, 1].T * lam[2],
        lambda: H[1, 1] * lam[1] + H[2, 1] * lam[2],
        title="Lagrangian reaction on a system",
        source="NL lines 396 and 409; N11 eqs (1.33), (1.35)",
        note="Two interactions on system 1; H_beta^i is m_beta x n_i by eq (1.31).",
        mend=Mend(
            "the transposes",
            lam[1].T * H[1, 1] * q_free[1] + lam[2].T * H[2, 1] * q_free[1],
            (H[1, 1].T * lam[1] + H[2, 1].T * lam[2]).T * q_free[1],
            slip="transpose",
        ),
    ),
    Claim(
        "OS-13",
        lambda: lagrangian_output(1, ALL),
        lambda: (
            total((H[1, i] * q_free[i] for i in SYSTEMS), m[1])
            + total((H[1, i] * W[i] * H[1, i].T * lam[1] for i in SYSTEMS), m[1])
            + H[1, 1] * W[1] * H[2, 2] * lam[2]
        ),
        title="Lagrangian output of an interaction",
        source="NL line 416; N11 eq (1.36)",
        note="One term of the double sum (i = 1, beta = 2, j = 2): the transpose is missing, and j is not bound.",
        mend=Mend(
            "H_alpha^i W_i H_beta^i^T lambda_beta; the left side is the rate of y",
            lagrangian_output(1, ALL),
            total((H[1, i] * q_free[i] for i in SYSTEMS), m[1])
            + total((H[1, i] * W[i] * H[b, i].T * lam[b] for i in SYSTEMS for b in SYSTEMS), m[1]),
            slip="transpose",
        ),
    ),
    Claim(
        "OS-14",
        title="Lagrangian blocks",
        source="NL lines 440-447; N11 eqs (1.39)-(1.42)",
        statements=tuple(
            Equal(
                lagrangian_output(a, of),
                total((H[a, i] * q_free[i] for i in of[a]), m[a])
                + total((H[a, j] * W[j] * H[b, j].T * lam[b] for b in of for j in of[a] & of[b]), m[a]),
            )
            for of in PATTERNS
            for a in of
        ),
        note="Q_free stacks the free velocities of eq (1.34); rows l of a block are rows of H_alpha.",
    ),
    Claim(
        "OS-15",
        derivative(_time_A * state + _time_b, state),
        _time_A,
        title="linear-system form and its Jacobian",
        source="NL lines 611-615; N11 eqs (2.5)-(2.6)",
    ),
)
