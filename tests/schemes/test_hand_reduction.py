"""The reduction of a theta-gamma step by hand, as the developer notes print it, against the general derivation.

The derivation gives y = A lambda + b at an iterate (x_a, lambda_a) from residual, output and reaction as the scheme
states them. The notes give it as a chain, R_free, x_free, W, x_p, x_q, y_p, W_mlcp, printed twice: in 2011 (equations
8.11 to 8.92) and on the web. Each link is typed here as printed and as it has to be; what differs is named. (Claims
about the same formulas for matrices of any size are decided in ``examples/developer_notes_audit.py``.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.schemes.stages import STEP, T_K, T_NEXT

t = nsd.time
x1, x2 = dynamicsymbols("x1 x2")
l1, l2 = lam = nsd.multipliers("lam", 2)
X_K, X_A, L_A, G_K = np.array([0.3, -0.7]), np.array([0.5, -0.2]), np.array([0.4, 1.1]), np.array([0.25, -0.6])
H, THETA, GAMMA, T0 = 0.2, 0.6, 0.7, 1.3
M = np.array([[2.0, 0.5], [0.0, 1.5]])

F = [sp.sin(x1) * x2 - t, x1**2 - 3 * x2 + sp.cos(t)]
OUT = [x1 * x2 + l1**2 - l2 + t, sp.exp(x2) + 2 * l1 + l1 * l2]
WITH_X = [l1 * x2 + l2 + t, x1**2 + l1 * l2]  # g(x, lambda, t)
WITHOUT_X = [l1**2 + l2 + t, l1 * l2 - l1]  # g(lambda, t)
LINEAR = ([-x1 + 2 * x2 + t, x1 - 3 * x2], [x1 - x2 + l1 - 2 * l2 + 1, 2 * x1 + l2], [l1 + l2, 3 * l2])


@dataclass(frozen=True)
class Numbers:
    """All that a chain is made of: values at t_k and at the iterate (at k + gamma for the full scheme), derivatives."""

    f: np.ndarray
    f_k: np.ndarray
    g: np.ndarray
    y: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    K: np.ndarray

    @property
    def W(self) -> np.ndarray:
        """M - h theta A."""
        return M - H * THETA * self.A

    @property
    def R_free(self) -> np.ndarray:
        """M (x_a - x_k) - h theta f - h (1 - theta) f_k."""
        return M @ (X_A - X_K) - H * THETA * self.f - H * (1 - THETA) * self.f_k

    @property
    def x_free(self) -> np.ndarray:
        """(8.14): x_a - W^-1 (R_free - h (1 - gamma) r_k)."""
        return X_A - self.inverse(self.R_free - H * (1 - GAMMA) * G_K)

    def inverse(self, value: np.ndarray) -> np.ndarray:
        """W^-1 value."""
        return np.linalg.solve(self.W, value)


def numbers(f: list[sp.Expr], out: list[sp.Expr], g: list[sp.Expr], *, full: bool = False) -> Numbers:
    """Values and derivatives, taken by SymPy from the model's own functions; ``full``: y and g at t_gamma, x_gamma."""
    at_end = {x1: X_A[0], x2: X_A[1], l1: L_A[0], l2: L_A[1], t: T0 + H}
    between = GAMMA * X_A + (1 - GAMMA) * X_K
    of_relation = {**at_end, x1: between[0], x2: between[1], t: T0 + GAMMA * H} if full else at_end

    def value(expressions: sp.Matrix | list[sp.Expr], at: dict[sp.Expr, float]) -> np.ndarray:
        return np.array(sp.Matrix(expressions).subs(at).evalf().tolist(), dtype=float).squeeze()

    states, multipliers = [x1, x2], [l1, l2]
    return Numbers(
        value(f, at_end),
        value(f, {x1: X_K[0], x2: X_K[1], t: T0}),
        value(g, of_relation),
        value(out, of_relation),
        value(sp.Matrix(f).jacobian(states), at_end),
        value(sp.Matrix(g).jacobian(multipliers), of_relation),
        value(sp.Matrix(out).jacobian(states), of_relation),
        value(sp.Matrix(out).jacobian(multipliers), of_relation),
        value(sp.Matrix(g).jacobian(states), of_relation),
    )


def derived(
    f: list[sp.Expr], out: list[sp.Expr], g: list[sp.Expr], relation_at: str = "end", gamma: float = GAMMA
) -> tuple[np.ndarray, np.ndarray]:
    """A = y_lambda + y_w W^-1 rho_lambda and b = y - y_w W^-1 (R - rho) - A lambda_a, from what the scheme states."""
    system = nsd.FirstOrderSystem("s", [x1, x2], f, mass=sp.Matrix(M))
    relation = nsd.FirstOrderRelation("r", lam, out, {system: g}, nsd.Complementarity())
    scheme = nsd.ThetaGamma(theta=THETA, gamma=gamma, relation_at=relation_at)
    model = nsd.Model("m", [system], [relation], scheme=scheme, step=H, end=1, initial={x1: 0, x2: 0})
    ds = scheme.discretise(model.description.system_classes[0])
    dr = scheme.discretise_relation(model.description.relation_classes[0], (ds,))
    own, its = ds.stages[0], dr.stages[0]
    assert own is not None and its is not None
    options = {o.symbol: o.value for o in scheme.options}
    at = {
        **dict(zip(ds.state, X_K, strict=True)),
        **dict(zip(own.unknown, X_A, strict=True)),
        **dict(zip(its.multiplier, L_A, strict=True)),
        **dict(zip(dr.memory, G_K, strict=False)),
        STEP: H,
        T_K: T0,
        T_NEXT: T0 + H,
        **options,
    }

    def value(matrix: sp.Matrix) -> np.ndarray:
        return np.array(matrix.subs(at).evalf().tolist(), dtype=float)

    w, multipliers = sp.Matrix(own.unknown), sp.Matrix(its.multiplier)
    residual = own.residual - its.reactions[0]
    jacobian = value(residual.jacobian(w))
    A = value(its.output.jacobian(multipliers)) + value(its.output.jacobian(w)) @ np.linalg.solve(
        jacobian, value(its.reactions[0].jacobian(multipliers))
    )
    b = value(its.output).ravel() - value(its.output.jacobian(w)) @ np.linalg.solve(jacobian, value(residual).ravel())
    return A, b - A @ L_A


# -- the standard scheme, g(x, lambda, t): 2011, section 8.3 -------------------------------------------


def general(n: Numbers, *, K_hat: str = "inverse", weight: float = GAMMA) -> tuple[np.ndarray, np.ndarray]:
    """x_p (8.27), K_hat (8.28), x_q (8.32), y_p (8.31) and W_mlcp (8.34)."""
    x_p = H * GAMMA * n.inverse(n.g - n.B @ L_A - n.K @ X_A) + n.x_free
    inner = n.inverse(n.K) if K_hat == "inverse" else n.W @ n.K
    hat = np.eye(2) - H * GAMMA * inner
    x_q = np.linalg.solve(hat, x_p) - X_A
    y_p = n.y + n.C @ x_q - n.D @ L_A
    return H * weight * n.C @ np.linalg.solve(hat, n.inverse(n.B)) + n.D, y_p


def test_the_general_reduction_as_it_has_to_be() -> None:
    matrix, offset = general(numbers(F, OUT, WITH_X))
    A, b = derived(F, OUT, WITH_X)
    assert matrix == pytest.approx(A, abs=1e-13) and offset == pytest.approx(b, abs=1e-13)


@pytest.mark.parametrize(
    ("printed", "matrix_right", "offset_right"),
    [
        ({"K_hat": "W"}, False, False),  # (8.28): K_hat = I - h gamma W K; W^-1 K is meant
        ({"weight": 1.0}, False, True),  # (8.30), (8.34): h C K^-1 W^-1 B + D lacks gamma
    ],
)
def test_what_2011_prints_of_it_differently(printed: dict[str, object], matrix_right: bool, offset_right: bool) -> None:
    matrix, offset = general(numbers(F, OUT, WITH_X), **printed)
    A, b = derived(F, OUT, WITH_X)
    assert np.allclose(matrix, A, atol=1e-10) == matrix_right and np.allclose(offset, b, atol=1e-10) == offset_right


def test_the_reaction_in_the_new_state_lacks_gamma() -> None:
    """(8.13): x = h W^-1 r + x_free; the linearised step (8.12) gives h gamma W^-1 r + x_free."""
    n = numbers(F, OUT, WITH_X)
    r = np.array([0.9, -0.4])
    step = X_A - n.inverse(n.R_free - H * GAMMA * r - H * (1 - GAMMA) * G_K)
    assert H * GAMMA * n.inverse(r) + n.x_free == pytest.approx(step, abs=1e-14)
    assert not np.allclose(H * n.inverse(r) + n.x_free, step, atol=1e-3)


# -- g(lambda, t): (8.56) to (8.61), and the web --------------------------------------------------------


def type_two(n: Numbers, weight: float) -> tuple[np.ndarray, np.ndarray]:
    """x_p (8.57), x_q (8.61), y_p (8.60) and W_mlcp with ``weight`` in place of gamma."""
    x_q = H * GAMMA * n.inverse(n.g - n.B @ L_A) + n.x_free - X_A
    return H * weight * n.C @ n.inverse(n.B) + n.D, n.y + n.C @ x_q - n.D @ L_A


@pytest.mark.parametrize(("version", "weight", "right"), [("web", GAMMA, True), ("2011, (8.59)", 1.0, False)])
def test_without_states_in_the_reaction_the_web_is_right_and_2011_lacks_gamma(
    version: str, weight: float, right: bool
) -> None:
    matrix, offset = type_two(numbers(F, OUT, WITHOUT_X), weight)
    A, b = derived(F, OUT, WITHOUT_X)
    assert np.allclose(matrix, A, atol=1e-12) == right, version
    assert offset == pytest.approx(b, abs=1e-13)


def test_without_multipliers_in_the_output_the_chain_holds_with_D_zero() -> None:
    out = [x1 * x2, sp.exp(x2) - t]
    n = numbers(F, out, WITHOUT_X)
    assert (n.D == 0).all()
    matrix, offset = type_two(n, GAMMA)
    A, b = derived(F, out, WITHOUT_X)
    assert matrix == pytest.approx(A, abs=1e-13) and offset == pytest.approx(b, abs=1e-13)


# -- the linear case, gamma = 1: (8.62) to (8.65) and the web, alike ---------------------------------------


def linear_parts() -> tuple[Numbers, Callable[[np.ndarray], np.ndarray], np.ndarray]:
    """Numbers of the linear example, h b as the scheme weighs it, and C x_free + e as a function of x_free."""
    n = numbers(*LINEAR)
    b = np.array([T0 + THETA * H, 0.0])  # theta t_{k+1} + (1 - theta) t_k
    return n, lambda x_free: n.C @ x_free + np.array([1.0, 0.0]), b


def free_linear(n: Numbers, b: np.ndarray) -> np.ndarray:
    """W^-1 (M x_k + h (1 - theta) A x_k + h b)."""
    return n.inverse(M @ X_K + H * (1 - THETA) * n.A @ X_K + H * b)


def test_the_free_residual_of_the_linear_case_in_both_forms() -> None:
    """R_free = M (x_a - x_k) - h theta A x_a - h (1 - theta) A x_k - h b = W (x_a - x_k) - h A x_k - h b."""
    n, _, b = linear_parts()
    long = M @ (X_A - X_K) - H * THETA * n.A @ X_A - H * (1 - THETA) * n.A @ X_K - H * b
    assert n.W @ (X_A - X_K) - H * n.A @ X_K - H * b == pytest.approx(long, abs=1e-14)
    assert n.R_free == pytest.approx(long, abs=1e-14)
    assert X_A - n.inverse(long) == pytest.approx(free_linear(n, b), abs=1e-14)


def test_the_linear_step_with_gamma_one() -> None:
    """y = (D + h C W^-1 B) lambda + C x_free + e as printed; x = x_free + W^-1 r as printed lacks h."""
    n, output, b = linear_parts()
    A, offset = derived(*LINEAR, gamma=1.0)
    assert n.D + H * n.C @ n.inverse(n.B) == pytest.approx(A, abs=1e-14)
    x_free = free_linear(n, b)
    assert output(x_free) == pytest.approx(offset, abs=1e-13)
    r = n.B @ L_A
    right = n.inverse(M @ X_K + H * (1 - THETA) * n.A @ X_K + H * r + H * b)
    assert x_free + H * n.inverse(r) == pytest.approx(right, abs=1e-14)
    assert not np.allclose(x_free + n.inverse(r), right, atol=1e-2)


def test_the_coherence_of_the_linear_case_holds_for_the_increment_of_the_free_state() -> None:
    """y_p = C x_k + C x~ + F z + e: right where x~ = x_free - x_k, which is not said; else x_k counts twice."""
    n, output, b = linear_parts()
    x_free = free_linear(n, b)
    e = output(np.zeros(2))
    assert n.C @ X_K + n.C @ (x_free - X_K) + e == pytest.approx(output(x_free), abs=1e-14)
    assert not np.allclose(n.C @ X_K + n.C @ x_free + e, output(x_free), atol=1e-2)


# -- the full scheme, y and r at t_gamma: (8.66) to (8.92) and the web, alike ---------------------------------


def full(n: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """x_free (8.74), x_p (8.87), x_q (8.91), y_p (8.90) and the matrix of (8.88), all at k + gamma."""
    x_free = X_A - n.inverse(n.R_free)
    x_q = H * n.inverse(n.g - n.B @ L_A) + x_free - X_A
    return H * GAMMA * n.C @ n.inverse(n.B) + n.D, n.y + GAMMA * n.C @ x_q - n.D @ L_A


def test_the_full_reduction_with_everything_at_k_plus_gamma() -> None:
    matrix, offset = full(numbers(F, OUT, WITHOUT_X, full=True))
    A, b = derived(F, OUT, WITHOUT_X, "gamma")
    assert matrix == pytest.approx(A, abs=1e-13) and offset == pytest.approx(b, abs=1e-13)


@pytest.mark.parametrize("entries", ["B", "C", "D"])
def test_derivatives_of_the_end_as_printed_are_others(entries: str) -> None:
    """(8.88) writes B and D of k + 1, (8.90) C and D of k + 1, (8.78) takes C, D at t_{k+1}: none is meant."""
    at_gamma, at_end = numbers(F, OUT, WITHOUT_X, full=True), numbers(F, OUT, WITHOUT_X)
    if entries == "B":  # B depends on lambda only, so that the index of its instant makes no difference here
        assert pytest.approx(at_gamma.B) == at_end.B
        return
    mixed = Numbers(**{**at_gamma.__dict__, entries: getattr(at_end, entries)})
    A, b = derived(F, OUT, WITHOUT_X, "gamma")
    matrix, offset = full(mixed)
    same = entries == "D"  # D depends on lambda only, too
    assert (np.allclose(matrix, A, atol=1e-10) and np.allclose(offset, b, atol=1e-10)) == same


def test_the_linear_case_of_the_full_scheme_and_what_was_implemented() -> None:
    """y_p = C ((1 - gamma) x_k + gamma x_free) + e, F z and e left out in print; (1 - gamma) x_k + gamma x_free is the
    place of C x_gamma + gamma C x_q, not a value of x_q: put into y_p = h + gamma C x_q - D lambda it is wrong."""
    n, output, b = linear_parts()
    at_gamma = numbers(*LINEAR, full=True)
    x_free = free_linear(n, b)
    _, offset = derived(*LINEAR, "gamma")
    between = (1 - GAMMA) * X_K + GAMMA * x_free
    assert output(between) == pytest.approx(offset, abs=1e-13)
    assert not np.allclose(n.C @ between, offset, atol=1e-2)
    assert not np.allclose(at_gamma.y + GAMMA * at_gamma.C @ between - at_gamma.D @ L_A, offset, atol=1e-2)
