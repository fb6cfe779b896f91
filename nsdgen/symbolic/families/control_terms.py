"""Operators for the control of mechanisms: Coriolis matrix, gravity, the regressor of parameters to be identified."""

from collections.abc import Sequence

import sympy as sp

from nsdgen.errors import ModelError
from nsdgen.symbolic.expressions.entry import label_of, own_symbol
from nsdgen.symbolic.expressions.jacobian import gradient, jacobian
from nsdgen.symbolic.families.system_class import Operator


def coriolis_matrix(mass: sp.Matrix, q: Sequence[sp.Symbol], v: Sequence[sp.Symbol]) -> sp.Matrix:
    """C(q, v) by Christoffel's symbols, so that C v are the Coriolis and centrifugal forces and dM/dt - 2 C is skew.

    C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) v_k / 2, for a mass matrix that does not move with time itself.
    """
    n = len(q)
    slope = [mass.diff(symbol) for symbol in q]

    def entry(i: int, j: int) -> sp.Expr:
        return sp.Add(*((slope[k][i, j] + slope[j][i, k] - slope[i][j, k]) * v[k] / 2 for k in range(n)))

    return sp.Matrix(n, n, entry)


def control_operators(
    mass: sp.Matrix,
    potential: sp.Expr,
    q: Sequence[sp.Symbol],
    v: Sequence[sp.Symbol],
    parameters: Sequence[sp.Symbol],
    where: str,
) -> tuple[Operator, ...]:
    """``coriolis``, ``gravity`` and, for parameters that the motion is linear in, ``regressor`` and ``regressor_rest``.

    M(q) a_r + C(q, v) v_r + dV/dq = Y(q, v, v_r, a_r) theta + Y_0. Raises ``ModelError`` for parameters in which it is
    not linear.
    """
    coriolis, gravity = coriolis_matrix(mass, q, v), sp.Matrix(gradient(potential, q))
    v_r, a_r = ([own_symbol("operand", f"{label_of(s)}_{suffix}") for s in v] for suffix in ("r", "a"))
    here = (("q", tuple(q)),)
    moving = (*here, ("v", tuple(v)))
    found = [
        Operator("coriolis", coriolis, moving, "C(q, v), C v the Coriolis forces, dM/dt - 2 C skew"),
        Operator("gravity", gravity, here, "g(q) = dV/dq"),
    ]
    if not parameters:
        return tuple(found)
    torque = mass * sp.Matrix(a_r) + coriolis * sp.Matrix(v_r) + gravity
    regressor = jacobian(torque, parameters)
    wrong = sorted(label_of(p) for p in parameters if regressor.has(p))
    if wrong:
        raise ModelError(
            f"the equations of motion are not linear in {', '.join(wrong)} together",
            where=where,
            fix="identify parameters that are, such as masses and inertias, or products as parameters",
        )
    rest = torque.xreplace(dict.fromkeys(parameters, sp.S.Zero))
    operands = (*moving, ("v_r", tuple(v_r)), ("a_r", tuple(a_r)))
    named = ", ".join(label_of(p) for p in parameters)
    return (
        *found,
        Operator("regressor", regressor, operands, f"Y, M a_r + C v_r + g = Y ({named}) + Y_0"),
        Operator("regressor_rest", rest, operands, "Y_0, what does not depend on the parameters of Y"),
    )
