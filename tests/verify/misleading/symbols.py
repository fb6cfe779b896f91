"""The symbols of the misleading claims."""

from __future__ import annotations

import sympy as sp

from misleading.claims import latex
from nsdgen.verify import quaternion, vector

# Real numbers, and others whose names SymPy uses for numbers.
x, y, z, a, b, c, t, u, w = sp.symbols("x y z a b c t u w", real=True)
pi, i_name, e_name = (sp.Symbol(name, real=True) for name in ("pi", "I", "E"))
pos, neg = sp.Symbol("r", positive=True), sp.Symbol("s", negative=True)
many = sp.symbols("s0:40", real=True)

# Complex numbers, and one of which nothing is said.
cx, im = sp.Symbol("c1", complex=True), sp.Symbol("m1", imaginary=True)
plain = sp.Symbol("g")

# Integers.
n, m = sp.symbols("n m", integer=True)
k = sp.Symbol("k", integer=True, nonnegative=True)
ev, odd, prime = sp.Symbol("e", even=True), sp.Symbol("o", odd=True), sp.Symbol("q", prime=True)
N, M_ = sp.symbols("N M", integer=True, positive=True)
BIG = 10**40

f, g, h = sp.Function("f"), sp.Function("g"), sp.Function("h")

# Factors that do not commute; matrices of N rows; matrices of entries.
K, L = sp.symbols("A B", commutative=False)
A, B, C, U = (sp.MatrixSymbol(name, N, N) for name in "ABCU")
R, X2 = sp.MatrixSymbol("R", N, M_), sp.MatrixSymbol("P", 2, 2)
e, d = sp.MatrixSymbol("e", N, 1), sp.MatrixSymbol("d", N, 1)
identity = sp.Identity(N)
M2, D3 = sp.Matrix([[x, y], [z, w]]), sp.Matrix(3, 3, sp.symbols("m1:10", real=True))
S3 = sp.Matrix([[a, x, y], [x, b, z], [y, z, c]])

# Vectors of space and quaternions.
V, W, X = vector("v"), vector("w"), vector("x")
V3, W3 = (sp.Matrix(sp.symbols(f"{name}1:4", real=True)) for name in "ab")
p, o = quaternion("p"), quaternion("o")

tex = latex(x, y, z, a, b, c, t, u, w)
