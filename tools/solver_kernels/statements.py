"""The functions inside the compiled solvers, stated symbolically, with their derivatives: kernel records.

Statements follow the local problem u = W r + q of one contact, normal first; every derivative is derived from
them. Where a form without cancellation or overflow is computed instead of the statement, ``definitions`` says so,
and tests prove the two equal.

=======================  ================================================================
group                    functions
=======================  ================================================================
``alart_curnier``        the Alart-Curnier function of one contact in the plane and in space
``slip``                 directions of sliding of a 3-D contact: the quartic formulation
=======================  ================================================================
"""

from collections.abc import Sequence
from itertools import product

import sympy as sp

from nsdgen.abi import KernelRole, Quantity, Role
from nsdgen.derive.kernel import Input, Kernel, Output, make_kernel, make_output
from nsdgen.symbolic.expressions.jacobian import jacobian
from nsdgen.symbolic.expressions.nodes import let, piecewise
from nsdgen.symbolic.graph.term_sizes import magnitude
from tools.solver_kernels.definitions import Definition, Explicit, Implicit, insert, total_jacobian

Symbols = tuple[sp.Symbol, ...]


def solver_kernels() -> dict[str, tuple[Kernel, ...]]:
    """All kernels by group, in a fixed order."""
    return {
        "alart_curnier": (alart_curnier(2), alart_curnier(3)),
        "slip_equations": (slip_equation(), half_angle(), slip_angle()),
    }


def _reals(names: str) -> Symbols:
    return tuple(sp.symbols(names, real=True, seq=True))


def _polar(direction: Sequence[str], x: Sequence[sp.Expr]) -> Implicit:
    """x = length_T * direction with a unit vector direction, for one or two numbers x; lengths do not overflow."""
    (length,), e = _reals("length_T"), _reals(" ".join(direction))
    nothing = sp.And(*(sp.Eq(part, 0) for part in x))
    size = [sp.Abs(part) for part in x]
    if len(x) == 1:
        value = size[0]
    else:
        a, b = size
        by_a, by_b = (large * sp.sqrt(1 + let("ratio", less / large) ** 2) for large, less in ((a, b), (b, a)))
        value = piecewise((0, nothing), (by_a, a > b), (by_b, True))
    return Implicit(
        symbols=(length, *e),
        values=(value, *(part / length for part in x)),
        equations=tuple(length * entry - part for entry, part in zip(e, x, strict=True)),
        identities=(sum(entry**2 for entry in e) - 1,),
    )


def _kernel(name: str, inputs: Sequence[tuple[str, Symbols]], outputs: Sequence[Output], formula: str) -> Kernel:
    arrays = [Input(array, Role.OPERAND, symbols) for array, symbols in inputs]
    return make_kernel(name, KernelRole.OPERATOR, 0, arrays, outputs, formula, prune=False)


def _output(name: str, values: sp.MatrixBase, definitions: Sequence[Definition] = ()) -> Output:
    return make_output(name, Quantity.OPERATOR, values.applyfunc(lambda e: insert(e, definitions)))


# -- friction ----------------------------------------------------------------------------------


def alart_curnier(dim: int) -> Kernel:
    """The Alart-Curnier function of one contact, dim 2 or 3, and its derivatives by r and by u.

    f_N = r_N - max(0, x_N), x_N = r_N - rho_n u_N; f_T = r_T - P(x_T), x_T = r_T - rho_t u_T, P the
    projection on the disk of radius mu max(0, x_N). At the kinks the derivative of one side is taken:
    open at x_N = 0, stick at |x_T| = mu x_N. With rolling friction there is a second disk, with a
    coefficient of its own and the same normal: twice this function. Source: P. Alart and A. Curnier, A mixed
    formulation for frictional contact problems prone to Newton like solution methods, 1991.
    """
    labels = ["N", "T"] if dim == 2 else ["N", "T1", "T2"]
    r, u = (_reals(" ".join(f"{letter}_{label}" for label in labels)) for letter in "ru")
    rho_n, rho_t, mu, x_n, shrink = _reals("rho_n rho_t mu x_N shrink_T")
    x = _reals(" ".join(f"x_{label}" for label in labels[1:]))
    polar = _polar([f"e_{label}" for label in labels[1:]], x)
    length, *e = polar.symbols
    definitions: list[Definition] = [
        Explicit(x_n, r[0] - rho_n * u[0]),
        *(Explicit(x[i], r[1 + i] - rho_t * u[1 + i]) for i in range(dim - 1)),
        polar,
        Explicit(shrink, mu * x_n / length),
    ]
    values = [piecewise((r[0] - (r[0] - rho_n * u[0]), x_n > 0), (r[0], True))]
    values += [
        piecewise(
            (piecewise(
                (r_T, sp.Eq(mu, 0)),
                (r_T - (r_T - rho_t * u_T), length <= mu * x_n),
                (r_T - mu * x_n * e_T, True),
            ), x_n > 0),
            (r_T, True))
        for r_T, u_T, e_T in zip(r[1:], u[1:], e, strict=True)
    ]  # fmt: skip
    f = sp.Matrix(values)
    by_r, by_u = (total_jacobian(f, unknowns, definitions).subs(mu * x_n / length, shrink) for unknowns in (r, u))
    return _kernel(
        f"alart_curnier_{dim}",
        [("rho_n", (rho_n,)), ("rho_t", (rho_t,)), ("mu", (mu,)), ("r", r), ("u", u)],
        [_output("f", f, definitions), _output("by_r", by_r, definitions), _output("by_u", by_u, definitions)],
        "f_N = r_N - max(0, x_N), f_T = r_T - P(x_T), |P| <= mu max(0, x_N), x = r - rho u",
    )


# -- the quartic of sliding --------------------------------------------------------------------

_MONOMIALS = ((0, 0), (1, 1), (0, 1), (1,), (0,))
"""Of the coefficients a_0 ... a_4: factors c (0) and s (1), the cosine and sine of the direction."""


def slip_polynomial(mu: sp.Symbol, w: sp.MatrixBase, q: Symbols, e: Symbols) -> sp.Expr:
    """u_T x e times the normal stiffness, r_N eliminated: zero where a contact slides along -e.

    The local problem u = W r + q with r = r_N (1, mu e); u_N = 0 gives r_N. A quadratic
    polynomial in e, whatever the symmetry of W.
    """
    (r_n,) = _reals("r_N")
    c, s = e
    u = w * sp.Matrix([r_n, mu * r_n * c, mu * r_n * s]) + sp.Matrix(q)
    across = u[2] * c - u[1] * s
    slope = jacobian(sp.Matrix([u[0], across]), (r_n,))
    rest = across.xreplace({r_n: sp.S.Zero})
    return rest * slope[0] - q[0] * slope[1]


def slip_equation() -> Kernel:
    """The coefficients of a_0 c^2 + a_1 s^2 + a_2 c s + a_3 s + a_4 c = 0, and the size of their terms.

    Source: O. Bonnefon and G. Daviet, Quartic formulation of Coulomb 3D frictional contact, 2011;
    there for a symmetric W in the axes of its tangential part, here for any.
    """
    (mu,), q, e = (sp.Symbol("mu", nonnegative=True),), _reals("q_N q_T1 q_T2"), _reals("c s")
    w = _reals(" ".join(f"W_{i}{j}" for i, j in product(("N", "T1", "T2"), repeat=2)))
    polynomial = slip_polynomial(mu, sp.Matrix(3, 3, w), q, e)
    a = sp.Matrix([_coefficient(polynomial, e, monomial, mu, q) for monomial in _MONOMIALS])
    return _kernel(
        "slip_equation",
        [("mu", (mu,)), ("w", w), ("q", q)],
        [_output("a", a), _output("size", magnitude(a))],
        "(W_NN + mu W_NT . e) (e x u_T) = a_0 c^2 + a_1 s^2 + a_2 c s + a_3 s + a_4 c, e = (c, s), "
        "r_N from u_N = 0; size: of the terms of each coefficient",
    )


def _coefficient(polynomial: sp.Expr, e: Symbols, monomial: tuple[int, ...], mu: sp.Symbol, q: Symbols) -> sp.Expr:
    """A Taylor coefficient at e = 0, mu and q (it is linear in q) taken out: equal entries of W cancel exactly."""
    value = polynomial
    for place in monomial:
        value = jacobian(sp.Matrix([value]), (e[place],))[0]
    value = value.xreplace(dict.fromkeys(e, sp.S.Zero))
    common = mu ** (len(monomial) - 1)
    value = sp.expand(value / (common * (2 if monomial in ((0, 0), (1, 1)) else 1)))
    return common * sp.Add(*(part * jacobian(sp.Matrix([value]), (part,))[0] for part in q))


def _equation(a: Symbols, e: Sequence[sp.Expr]) -> sp.Expr:
    return sum((a[i] * sp.Mul(*(e[place] for place in monomial)) for i, monomial in enumerate(_MONOMIALS)), sp.S.Zero)


def half_angle() -> Kernel:
    """The quartic p_0 + ... + p_4 t^4 in t, the tangent of half the angle of e, times (1 + t^2)^2."""
    a = _reals("a_0:5")
    (t,) = _reals("t")
    square = 1 + t**2
    e = ((1 - t**2) / square, 2 * t / square)
    quartic = sp.Poly(sp.cancel(sp.together(_equation(a, e) * square**2)), t)
    p = sp.Matrix([quartic.coeff_monomial(t**i) for i in range(5)])
    return _kernel(
        "half_angle",
        [("a", a)],
        [_output("p", p)],
        "(1 + t^2)^2 (a_0 c^2 + ... + a_4 c) = p_0 + p_1 t + ... + p_4 t^4, c = (1 - t^2)/(1 + t^2), s = 2 t/(1 + t^2)",
    )


def slip_angle() -> Kernel:
    """The left side of the slip equation at e = (c, s), and its derivative by the angle of e."""
    a, e = _reals("a_0:5"), _reals("c s")
    (angle,) = _reals("angle")
    circle = (sp.cos(angle), sp.sin(angle))
    value = _equation(a, e)
    slope = jacobian(sp.Matrix([_equation(a, circle)]), (angle,))
    back = dict(zip(circle, e, strict=True))
    return _kernel(
        "slip_angle",
        [("a", a), ("e", e)],
        [_output("value", sp.Matrix([value])), _output("slope", slope.xreplace(back))],
        "a_0 c^2 + a_1 s^2 + a_2 c s + a_3 s + a_4 c and its derivative, c' = -s, s' = c",
    )
