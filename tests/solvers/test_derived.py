"""What the solvers nowhere differentiate by hand: the emitted derivatives against independent truth.

First by exact algebra, branch by branch: the kernel records that are emitted, less a
statement written out here with square roots and differentiated by SymPy, reduce to zero
modulo radius^2 = sum of squares. Then the compiled functions against complex steps in
60 digits, at points ever nearer to where branches meet.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import mpmath
import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from nsdgen.solvers.one_contact._one_contact import linearized

from nsdgen.derive.kernel import Kernel
from nsdgen.symbolic.expressions.nodes import Branch, Let
from tools.solver_kernels.statements import alart_curnier, half_angle, slip_angle, slip_equation

# -- exact algebra -----------------------------------------------------------------------------


def resolved(expr: sp.Basic, point: Mapping[sp.Basic, sp.Expr], opaque: Sequence[str]) -> sp.Expr:
    """The formula that holds at a point: its arms, its signs; named values in ``opaque`` become symbols."""
    if isinstance(expr, Let):
        name = expr.args[0].name
        return sp.Symbol(name, real=True) if name in opaque else resolved(expr.args[1], point, opaque)
    if isinstance(expr, Branch):
        for value, condition in zip(expr.values, expr.conditions, strict=True):
            if value_at(condition, point) == sp.true:
                return resolved(value, point, opaque)
    if isinstance(expr, sp.Abs):
        inner = resolved(expr.args[0], point, opaque)
        return inner if value_at(expr.args[0], point) >= 0 else -inner
    return expr.func(*(resolved(arg, point, opaque) for arg in expr.args)) if expr.args else expr


def value_at(expr: sp.Basic, point: Mapping[sp.Basic, sp.Expr]) -> sp.Basic:
    """The exact value at a point."""
    if expr in point:
        return point[expr]
    if isinstance(expr, Let):
        return value_at(expr.args[1], point)
    if isinstance(expr, Branch):
        for value, condition in zip(expr.values, expr.conditions, strict=True):
            if value_at(condition, point) == sp.true:
                return value_at(value, point)
    return expr.func(*(value_at(arg, point) for arg in expr.args)) if expr.args else expr


def named(kernel: Kernel, name: str) -> sp.Expr:
    """The value that a kernel computes under a name."""
    for out in kernel.outputs:
        for _, _, entry in out.entries:
            for node in sp.preorder_traversal(entry):
                if isinstance(node, Let) and node.args[0].name == name:
                    return node.args[1]
    raise AssertionError(name)


def vanishes(difference: sp.Expr, squares: Mapping[sp.Symbol, sp.Expr]) -> bool:
    """Whether an expression is zero where symbol^2 = value for all ``squares``, later ones used first."""
    numerator = sp.numer(sp.together(difference))
    for radius, square in reversed(squares.items()):
        numerator = sp.rem(sp.expand(numerator), sp.expand(radius**2 - square), radius)
    return sp.expand(numerator) == 0


def entries(kernel: Kernel, name: str) -> sp.Matrix:
    """An output as a matrix, structural zeros included."""
    (out,) = (o for o in kernel.outputs if o.name == name)
    matrix = sp.zeros(out.rows, out.cols)
    for i, j, value in out.entries:
        matrix[i, j] = value
    return matrix


def inputs(kernel: Kernel) -> dict[str, tuple[sp.Symbol, ...]]:
    return {array.name: array.symbols for array in kernel.inputs}


CASES = ("frictionless", "stick", "slip")
DIRECTIONS = {1: ((3,), (-3,)), 2: ((3, 4), (4, -3), (-3, 4), (-4, -3))}
"""x_T with a rational length, in each octant where the length is computed differently."""


@pytest.mark.parametrize("dim", [2, 3])
def test_alart_curnier_is_the_projection_formula_in_every_branch(dim: int) -> None:
    kernel = alart_curnier(dim)
    arrays = inputs(kernel)
    (rho_n,), (rho_t,), mu, r, u = (arrays[name] for name in ("rho_n", "rho_t", "mu", "r", "u"))
    size, parts = (1 if dim == 2 else 2), ("T", "R")[: len(mu)]
    lengths = {part: sp.Symbol(f"length_{part}", real=True) for part in parts}
    x = [a - (rho_t if i else rho_n) * b for i, (a, b) in enumerate(zip(r, u, strict=True))]
    disks = {part: x[1 + k * size : 1 + (k + 1) * size] for k, part in enumerate(parts)}
    squares = {lengths[part]: sum(entry**2 for entry in disk) for part, disk in disks.items()}
    opaque = [] if size == 1 else [str(length) for length in lengths.values()]

    def check(point: dict[sp.Symbol, sp.Expr], truth: sp.Matrix) -> None:
        for name, wanted in (("f", truth), ("by_r", truth.jacobian(r)), ("by_u", truth.jacobian(u))):
            got = entries(kernel, name)
            assert got.shape == wanted.shape
            for i, j in itertools.product(range(got.rows), range(got.cols)):
                entry = resolved(got[i, j], point, opaque)
                plain = wanted[i, j].subs({sp.sqrt(square): length for length, square in squares.items()})
                assert vanishes(entry - plain, squares), (name, i, j, entry, plain)

    open_point = {rho_n: 1, rho_t: 1, **dict.fromkeys(mu, sp.S.One), **dict.fromkeys(r, sp.S.Zero)}
    check({**open_point, **dict.fromkeys(u, sp.S.One)}, sp.Matrix(r))

    for cases in itertools.product(CASES, repeat=len(mu)):
        for direction in DIRECTIONS[size]:
            point = {rho_n: sp.S.One, rho_t: sp.Rational(1, 2), r[0]: sp.S(5), u[0]: sp.S(2)}  # x_N = 3
            rows = [r[0] - x[0]]
            for k, (case, part) in enumerate(zip(cases, parts, strict=True)):
                place = range(1 + k * size, 1 + (k + 1) * size)
                point[mu[k]] = {"frictionless": sp.S.Zero, "stick": sp.S(2), "slip": sp.Rational(1, 3)}[case]
                for i, entry in zip(place, direction, strict=True):
                    point[u[i]], point[r[i]] = sp.S(2), sp.S(entry) + 1
                # Of one number the length is the number itself, up to its sign at the point.
                length = sp.sign(direction[0]) * disks[part][0] if size == 1 else sp.sqrt(squares[lengths[part]])
                slope = {"frictionless": 0, "stick": 1, "slip": mu[k] * x[0] / length}[case]
                rows += [r[i] - slope * x[i] for i in place]
            check(point, sp.Matrix(rows))


@pytest.mark.parametrize(
    ("kernel", "lengths"),
    [
        (alart_curnier(2), ["length_T"]),
        (alart_curnier(3), ["length_T"]),
    ],
)
def test_lengths_are_roots_of_sums_of_squares(kernel: Kernel, lengths: list[str]) -> None:
    for name in lengths:
        value = named(kernel, name)
        if not isinstance(value, Branch):
            assert isinstance(value, sp.Abs)  # of one number
            continue
        zero, *arms = value.values
        nothing = value.conditions[0].args
        assert zero == 0
        assert all(isinstance(side, sp.Eq) and side.rhs == 0 for side in nothing)
        a, b = sp.symbols("a b", positive=True)
        plain = {sp.Abs(side.lhs): size for side, size in zip(nothing, (a, b), strict=True)}
        for arm in arms:
            opened = arm.xreplace(plain).replace(Let, lambda _, inner: inner)
            assert sp.expand(opened**2 - a**2 - b**2) == 0


# The quartic of sliding

W = sp.Matrix(3, 3, [sp.Symbol(f"W_{i}{j}", real=True) for i, j in itertools.product(("N", "T1", "T2"), repeat=2)])
Q = sp.symbols("q_N q_T1 q_T2", real=True)
MU = sp.Symbol("mu", nonnegative=True)


def quadratic(a: Sequence[sp.Expr], c: sp.Expr, s: sp.Expr) -> sp.Expr:
    return a[0] * c**2 + a[1] * s**2 + a[2] * c * s + a[3] * s + a[4] * c


def test_the_slip_equation_is_that_of_the_local_problem() -> None:
    """u = W r + q, u_N = 0, r_T = mu r_N e: u_T is parallel to e exactly where the equation holds."""
    c, s, r_n = sp.symbols("c s r_N", real=True)
    u = W * sp.Matrix([r_n, MU * r_n * c, MU * r_n * s]) + sp.Matrix(Q)
    u = u.subs(r_n, sp.solve(u[0], r_n)[0])
    stiffness = W[0, 0] + MU * (W[0, 1] * c + W[0, 2] * s)
    a = list(entries(slip_equation(), "a"))
    assert sp.expand(sp.cancel(stiffness * (c * u[2] - s * u[1])) - quadratic(a, c, s)) == 0


def test_the_slip_equation_is_the_published_one_where_that_is_stated() -> None:
    """For symmetric W with a diagonal tangential part: the conic r = p / (1 + e cos(angle - phi)) of r_T."""
    (w11, w12, w13), d1, d2 = W[0, :], W[1, 1], W[2, 2]
    q, q1, q2 = Q
    p, e_cos, e_sin, a1, a2 = -MU * q / w11, MU * w12 / w11, MU * w13 / w11, -w12 / MU, -w13 / MU
    published = (-e_cos * q2, e_sin * q1, (d1 - d2) * p + e_cos * q1 - e_sin * q2, q1 - p * a1, -q2 + p * a2)
    special = {W[1, 0]: w12, W[2, 0]: w13, W[1, 2]: 0, W[2, 1]: 0}
    for ours, theirs in zip(entries(slip_equation(), "a"), published, strict=True):
        assert sp.expand(ours.subs(special) + w11 * theirs) == 0


def test_the_quartic_in_the_half_angle() -> None:
    kernel = half_angle()
    a, t = inputs(kernel)["a"], sp.Symbol("t", real=True)
    p = list(entries(kernel, "p"))
    c, s = (1 - t**2) / (1 + t**2), 2 * t / (1 + t**2)
    assert sp.cancel((1 + t**2) ** 2 * quadratic(a, c, s) - sum(p[i] * t**i for i in range(5))) == 0
    # The other half of the circle, cosine -c and sine s, is the quartic read backwards.
    assert sp.cancel((1 + t**2) ** 2 * quadratic(a, -c, s) - sum(p[4 - i] * t**i for i in range(5))) == 0


def test_the_slope_by_the_angle() -> None:
    kernel = slip_angle()
    a, (c, s), angle = inputs(kernel)["a"], inputs(kernel)["e"], sp.Symbol("angle", real=True)
    circle = {c: sp.cos(angle), s: sp.sin(angle)}
    value, slope = (entries(kernel, name)[0].subs(circle) for name in ("value", "slope"))
    assert sp.expand(value - quadratic(a, *circle.values())) == 0
    assert sp.expand(value.diff(angle) - slope) == 0


def test_the_sizes_bound_the_coefficients() -> None:
    """Each size is the sum of the absolute values of the terms: nothing larger was rounded."""
    kernel = slip_equation()
    rng = np.random.default_rng(3)
    symbols = [s for array in kernel.inputs for s in array.symbols]
    for _ in range(20):
        point = {s: sp.Rational(int(v), 8) for s, v in zip(symbols, rng.integers(-40, 40, len(symbols)), strict=True)}
        point[MU] = abs(point[MU])
        for a, size in zip(entries(kernel, "a"), entries(kernel, "size"), strict=True):
            terms = sum(abs(term.subs(point)) for term in sp.Add.make_args(sp.expand(a)))
            assert size.subs(point) == terms


# -- the compiled functions, by complex steps in many digits -----------------------------------

DIGITS = 60
STEP = mpmath.mpf(10) ** -40


def alone(mu: np.ndarray, rho: Sequence[float], r: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, ...]:
    """The compiled f, by_r, by_u of one contact with velocity u."""
    f, by_r, by_u = linearized(mu[None], np.array([rho]), r[None], u[None])
    return f[0], by_r[0], by_u[0]


def friction_truth(mu: Sequence, rho: Sequence, r: Sequence, u: Sequence, cases: Sequence[str]) -> list:
    """f for given cases, analytic in r and u: the first case is that of the normal row."""
    x_n = r[0] - rho[0] * u[0]
    if cases[0] == "open":
        return list(r)
    rows, size = [r[0] - x_n], (1 if len(r) == 2 else 2)
    for k, case in enumerate(cases[1:]):
        place = range(1 + k * size, 1 + (k + 1) * size)
        x = [r[i] - rho[1] * u[i] for i in place]
        if case == "slip":
            length = mpmath.sqrt(sum(entry**2 for entry in x))
            rows += [r[i] - mu[k] * x_n * entry / length for i, entry in zip(place, x, strict=True)]
        else:
            rows += [r[i] - (entry if case == "stick" else 0) for i, entry in zip(place, x, strict=True)]
    return rows


def friction_cases(mu: Sequence, rho: Sequence, r: Sequence, u: Sequence) -> list[tuple[str, ...]]:
    """The cases that hold at a point; both where rounding of the input decides."""
    x_n, near = r[0] - rho[0] * u[0], mpmath.mpf(4e-16)
    choices = [["open"]] if x_n <= near * (abs(r[0]) + abs(rho[0] * u[0])) else []
    size, rows = (1 if len(r) == 2 else 2), []
    for k, slope in enumerate(mu):
        x = [r[i] - rho[1] * u[i] for i in range(1 + k * size, 1 + (k + 1) * size)]
        terms = sum(abs(r[i]) + abs(rho[1] * u[i]) for i in range(1 + k * size, 1 + (k + 1) * size))
        terms += slope * (abs(r[0]) + abs(rho[0] * u[0]))
        length = mpmath.sqrt(sum(entry**2 for entry in x))
        margin = length - slope * x_n
        holds = {"stick": margin <= near * terms, "slip": margin >= -near * terms and length > 0}
        rows.append(["frictionless"] if slope == 0 else [side for side in holds if holds[side]])
    if x_n >= -near * (abs(r[0]) + abs(rho[0] * u[0])):
        choices += [["closed", *sides] for sides in itertools.product(*rows)]
    return [tuple(choice) for choice in choices]


small = st.floats(-16.0, 0.0).map(lambda exponent: 10.0**exponent)
signed = st.tuples(st.sampled_from([-1.0, 1.0]), small).map(lambda pair: pair[0] * pair[1])


@st.composite
def contacts(draw: st.DrawFn) -> tuple[np.ndarray, list[float], np.ndarray, np.ndarray]:
    """Contacts near x_N = 0, near |x_T| = mu x_N, or anywhere; directions nearly along an axis among them."""
    dim = draw(st.sampled_from([2, 3, 5]))
    mu = np.array([draw(st.sampled_from([0.0, 0.3, 1.0, 1e-9])) for _ in range(2 if dim == 5 else 1)])
    rho = [draw(st.floats(0.1, 10.0)), draw(st.floats(0.1, 10.0))]
    moving = draw(st.sampled_from([0.0, 1.0]))  # without velocity x = r - rho u is exact
    u = np.array([moving * draw(signed) for _ in range(dim)])
    r, size = np.empty(dim), (1 if dim == 2 else 2)
    reach = draw(signed) if draw(st.booleans()) else 1.0
    r[0] = reach + rho[0] * u[0]
    for k in range(len(mu)):
        direction = np.array([draw(signed) for _ in range(size)])
        direction /= np.linalg.norm(direction)
        length = mu[k] * reach * (1.0 + draw(signed)) if draw(st.booleans()) else draw(small)
        place = slice(1 + k * size, 1 + (k + 1) * size)
        r[place] = length * direction + rho[1] * u[place]
    return mu, rho, r, u


@settings(max_examples=150, deadline=None)
@given(contacts())
def test_alart_curnier_near_its_kinks_by_complex_steps(
    contact: tuple[np.ndarray, list[float], np.ndarray, np.ndarray],
) -> None:
    mu, rho, r, u = contact
    got = alone(mu, rho, r, u)
    dim = len(r)
    with mpmath.workdps(DIGITS):
        exact = [[mpmath.mpf(float(v)) for v in array] for array in (mu, rho, r, u)]
        misses = []
        for cases in friction_cases(*exact):
            truth = [np.array([float(v) for v in friction_truth(*exact, cases)])]
            for which in (2, 3):
                columns = []
                for j in range(dim):
                    moved = [list(array) for array in exact]
                    moved[which][j] = mpmath.mpc(moved[which][j], STEP)
                    columns.append([float(mpmath.im(v) / STEP) for v in friction_truth(*moved, cases)])
                truth.append(np.array(columns).T)
            misses.append(miss(got, truth, mu, rho, r, u, exact))
    assert min(misses) <= 1.0


def miss(
    got: Sequence[np.ndarray],
    truth: Sequence[np.ndarray],
    mu: np.ndarray,
    rho: Sequence[float],
    r: np.ndarray,
    u: np.ndarray,
    exact: Sequence[Sequence],
) -> float:
    """The largest error beside what rounding of x = r - rho u explains.

    A direction x_T / |x_T| is as uncertain as x_T is beside its length, and so are the derivatives.
    """
    size, eps = (1 if len(r) == 2 else 2), 2.0**-52
    x = r - np.array([rho[0], *[rho[1]] * (len(r) - 1)]) * u
    terms = np.abs(r) + np.array([rho[0], *[rho[1]] * (len(r) - 1)]) * np.abs(u)
    worst = 0.0
    for i in range(len(r)):
        k = (i - 1) // size
        loose = 1.0 + mu.max()
        if i > 0:
            place = slice(1 + k * size, 1 + (k + 1) * size)
            loose *= 1.0 + terms[place].max() / max(np.linalg.norm(x[place]), 1e-30)
            loose *= 1.0 + terms[0] / max(x[0], 1e-30)
        scale = terms.max() + mu.max() * terms[0]
        worst = max(worst, abs(got[0][i] - truth[0][i]) / (16 * eps * scale))
        worst = max(worst, np.abs(got[1][i] - truth[1][i]).max() / (16 * eps * loose))
        worst = max(worst, np.abs(got[2][i] - truth[2][i]).max() / (16 * eps * loose * max(rho)))
    return float(worst)


@pytest.mark.parametrize("power", [-400, -120, 120, 400])
def test_nothing_overflows_and_no_scale_is_special(power: int) -> None:
    """The function is homogeneous: powers of two change no digit, however large."""
    rng, scale = np.random.default_rng(8), 2.0**power
    for dim in (2, 3, 5):
        for _ in range(50):
            mu = np.abs(rng.normal(size=2 if dim == 5 else 1))
            r, u, rho = 2.0 * rng.normal(size=dim), rng.normal(size=dim), [0.7, 1.3]
            r[0] = abs(r[0]) + 1.0
            plain, scaled = alone(mu, rho, r, u), alone(mu, rho, scale * r, scale * u)
            np.testing.assert_array_equal(scaled[0], scale * plain[0])
            np.testing.assert_array_equal(scaled[1], plain[1])
            np.testing.assert_array_equal(scaled[2], plain[2])
