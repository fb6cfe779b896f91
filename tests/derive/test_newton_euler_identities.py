"""Mechanics against formulas derived by hand: exact proofs, entry by entry, no numbers.

Identities of quaternions hold modulo |p| = 1, those of functions of the normalised quaternion
modulo n^2 = |p|^2: polynomials are reduced modulo that relation, and nothing may be left.
"""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.derive.kernel import Kernel, KernelClass
from nsdgen.symbolic.expressions.jacobian import jacobian_along
from nsdgen.symbolic.expressions.nodes import Let, Stumpff
from nsdgen.symbolic.families import quaternion as quat
from nsdgen.symbolic.families.system_class import SystemClass

from .models import derivation, kernel, label
from .truth import evaluate, hamilton

P = sp.symbols("p0:4", real=True)
Q = sp.symbols("q0:4", real=True)
OMEGA = sp.Matrix(sp.symbols("w0:3", real=True))
N = sp.Symbol("n", positive=True)
t = nsd.time


def cross_matrix(v: Any) -> sp.Matrix:
    """v^ with v^ w = v x w."""
    a, b, c = v
    return sp.Matrix([[0, -c, b], [c, 0, -a], [-b, a, 0]])


def square(p: Any) -> sp.Expr:
    return sum(c**2 for c in p)


def vanishes(m: Any, relations: list[sp.Expr], symbols: Any) -> bool:
    """Whether every entry, a rational function, is zero where the relations are."""
    numerators = [sp.fraction(sp.together(e))[0] for e in sp.Matrix(m)]
    return all(sp.reduced(sp.expand(e), relations, *symbols)[1] == 0 for e in numerators)


def plain(expr: Any, p: Any) -> Any:
    """Without names of subexpressions, and with n for |p|."""
    return expr.replace(lambda e: isinstance(e, Let), lambda e: e.args[1]).xreplace({square(p): N**2})


def matrix(k: Kernel) -> sp.Matrix:
    out = k.outputs[0]
    result = sp.zeros(out.rows, out.cols)
    for i, j, e in out.entries:
        result[i, j] = e
    return result


def operand(k: Kernel, name: str) -> tuple[sp.Symbol, ...]:
    return next(a.symbols for a in k.inputs if a.name == name)


# Quaternions


def test_composition_is_the_product_of_quaternions() -> None:
    assert list(quat.compose(P, Q).expand()) == [sp.expand(e) for e in hamilton(P, Q)]


def test_the_identity_composes_to_nothing() -> None:
    one = (1, 0, 0, 0)
    assert list(quat.compose(one, P)) == list(P) == list(quat.compose(P, one))
    assert quat.rotation(one) == sp.eye(3)


def test_composition_of_rotations() -> None:
    """R(p o q) = R(p) R(q) for unit quaternions."""
    difference = quat.rotation(list(quat.compose(P, Q))) - quat.rotation(P) * quat.rotation(Q)
    assert vanishes(difference, [square(P) - 1, square(Q) - 1], [*P, *Q])


def test_rotation_is_orthogonal_and_proper() -> None:
    R = quat.rotation(P)
    assert vanishes(R * R.T - sp.eye(3), [square(P) - 1], P)
    assert vanishes([R.det() - 1], [square(P) - 1], P)


def test_rotation_conjugates() -> None:
    """(0, R(p) x) = p o (0, x) o p*, the definition of body to inertial."""
    inertial = hamilton(hamilton(P, [0, *OMEGA]), [P[0], -P[1], -P[2], -P[3]])
    assert vanishes(sp.Matrix([0, *(quat.rotation(P) * OMEGA)]) - sp.Matrix(inertial), [square(P) - 1], P)


def test_the_twist_block_is_half_a_product() -> None:
    assert (quat.twist_block(P) * OMEGA).expand() == (sp.Matrix(hamilton(P, [0, *OMEGA])) / 2).expand()


def test_rotations_turn_with_the_body() -> None:
    """d/dt R(p) = R(p) Omega^ under p' = p o (0, Omega) / 2."""
    rate = quat.twist_block(P) * OMEGA
    turning = sum((quat.rotation(P).diff(P[i]) * rate[i] for i in range(4)), sp.zeros(3, 3))
    assert vanishes(turning - quat.rotation(P) * cross_matrix(OMEGA), [square(P) - 1], P)


def test_what_turns_is_a_rotation_again() -> None:
    """(dR/dp r) T(p) = -R(p) r^ at any p, with |p|^2 R in place of R: one entry where four derivatives had eight."""
    r = sp.Matrix(sp.symbols("r0:3", real=True))
    turned = jacobian_along(quat.rotation(P) * r, P, quat.twist_block(P))
    R = quat.rotation(P) + (square(P) - 1) * sp.eye(3)
    assert (turned + R * cross_matrix(r)).expand() == sp.zeros(3, 3)
    axes = (jacobian_along(quat.rotation(P).col(i), P, quat.twist_block(P)) for i in range(3))
    assert {len(e.args) for axis in axes for e in axis} == {0, 2, 4}  # 0, 2 p1 p2 + 2 p0 p3, p0^2 + p1^2 - p2^2 - p3^2


def test_a_quaternion_is_turned_by_the_product_with_an_exponential() -> None:
    """p o exp(phi/2), written as a sum over the parts of p."""
    exponential = quat.turned((1, 0, 0, 0), OMEGA)
    assert (quat.turned(P, OMEGA) - quat.compose(P, list(exponential))).expand() == sp.zeros(4, 1)


def test_turning_keeps_the_norm() -> None:
    """p . p' = 0 at any p, unit or not."""
    assert (sp.Matrix([P]) * quat.twist_block(P)).expand() == sp.zeros(1, 3)


def test_the_derivative_of_normalisation() -> None:
    """d(p/|p|)/dp = (I - p^ p^T)/|p|, which has p in its kernel."""
    unit, norm = quat.hat(P)
    stated = plain(quat.normalization(unit, norm), P)
    truth = sp.Matrix(4, 4, lambda i, j: (P[i] / sp.sqrt(square(P))).diff(P[j])).xreplace({square(P): N**2})
    assert vanishes(stated - truth, [N**2 - square(P)], [N, *P])
    assert vanishes(stated * sp.Matrix(P), [N**2 - square(P)], [N, *P])


# The exponential map


def test_the_derivative_of_stumpff_functions_term_by_term() -> None:
    """The i-th coefficient of c_k' = (k c_{k+2} - c_{k+1}) / 2 is that of the differentiated series, any k and i."""
    k, i = sp.symbols("k i", integer=True, positive=True)
    s = sp.Symbol("s", real=True)
    stated = Stumpff(k, s).diff(s).replace(Stumpff, lambda index, _: 1 / sp.factorial(index + 2 * i))
    differentiated = -(i + 1) / sp.factorial(k + 2 * (i + 1))  # of (-s)^(i+1) / (k + 2 (i+1))!
    assert sp.combsimp(stated / differentiated) == 1


def test_the_exponential_has_its_closed_form() -> None:
    """exp(phi/2) = (cos(r/2), sin(r/2) phi/r) with r = |phi|, and so has its derivative."""
    phi = sp.Matrix(sp.symbols("phi0:3", real=True))
    r = sp.sqrt(phi.dot(phi))
    closed = {0: lambda s: sp.cos(sp.sqrt(s)), 1: lambda s: sp.sin(sp.sqrt(s)) / sp.sqrt(s)}
    closed |= {k: lambda s, k=k: (1 / sp.factorial(k - 2) - closed[k - 2](s)) / s for k in (2, 3)}  # by the series
    ours, known = quat.turned((1, 0, 0, 0), phi), sp.Matrix([sp.cos(r / 2), *(sp.sin(r / 2) * phi / r)])
    length = {phi[0] ** 2: N**2 - phi[1] ** 2 - phi[2] ** 2}
    for derived, truth in ((ours, known), (ours.jacobian(phi), known.jacobian(phi))):
        written = plain(derived, phi).xreplace(length).replace(Stumpff, lambda k, s: closed[int(k)](s))
        assert sp.simplify(written - truth.xreplace(length)) == sp.zeros(*truth.shape)


def test_the_exponential_at_zero() -> None:
    """exp(0) is the identity and its derivative there (0, I/2): the closed form is 0/0, the code is not."""
    phi = sp.symbols("phi0:3", real=True)
    exponential = quat.turned((1, 0, 0, 0), sp.Matrix(phi))
    zero = dict.fromkeys(phi, 0)
    assert [evaluate(e, zero) for e in exponential] == [1, 0, 0, 0]
    derivative = [evaluate(e, zero) for e in exponential.jacobian(phi)]
    assert derivative == [0, 0, 0, *(x / mpmath.mpf(2) for x in sp.eye(3))]


# Bodies


def test_the_gap_gradient_reaches_the_twist_through_t() -> None:
    """gap_q T(q) = gap_twist at every q: T grows with |p|, the normalisation falls, p^T T = 0."""
    gap_q, gap_twist = (kernel("tumbling_brick", "brick ground 0", name) for name in ("gap_q", "gap_twist"))
    twist_map = kernel("tumbling_brick", "brick", "twist_map")
    p = operand(gap_q, "q")[3:]
    assert p == operand(twist_map, "q")[3:]
    difference = plain(matrix(gap_q) * matrix(twist_map) - matrix(gap_twist), p)
    assert vanishes(difference, [N**2 - square(p)], [N, *p])


@pytest.fixture(scope="module")
def gyroscope() -> KernelClass:
    """A body with a full symbolic inertia tensor and a moment that is constant in the inertial frame."""
    entries = sp.symbols("Ixx Ixy Ixz Iyy Iyz Izz m0 m1 m2", real=True)
    xx, xy, xz, yy, yz, zz, *moment = entries
    body = nsd.RigidBody("gyroscope", 1, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    body.apply_moment(moment, frame="inertial")
    model = nsd.Model(
        "gyroscope",
        [body],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1.0,
        parameters=dict.fromkeys(entries, 1.0),
        initial={body.position: [0, 0, 0]},
    )
    return model.derive().module.classes[0]


def gyroscope_kernel(gyroscope: KernelClass, name: str) -> tuple[sp.Matrix, dict[str, sp.Symbol]]:
    k = next(k for k in gyroscope.kernels if k.name == name)
    return matrix(k), {label(s): s for a in k.inputs for s in a.symbols}


def inertia_and_spin(at: dict[str, sp.Symbol]) -> tuple[sp.Matrix, sp.Matrix]:
    inertia = sp.Matrix(3, 3, lambda i, j: at["I" + "".join(sorted("xyz"[i] + "xyz"[j]))])
    return inertia, sp.Matrix([at[f"Omega_{a}"] for a in "xyz"])


def test_the_gyroscopic_jacobian(gyroscope: KernelClass) -> None:
    """d(-Omega x I Omega)/dOmega = -(Omega^ I - (I Omega)^)."""
    force_v, at = gyroscope_kernel(gyroscope, "force_v")
    inertia, omega = inertia_and_spin(at)
    by_hand = -(cross_matrix(omega) * inertia - cross_matrix(inertia * omega))
    assert (force_v[3:, 3:] - by_hand).expand() == sp.zeros(3, 3)
    assert force_v[:3, :] == sp.zeros(3, 6) and force_v[3:, :3] == sp.zeros(3, 3)


def test_the_jacobian_of_an_inertial_moment(gyroscope: KernelClass) -> None:
    """A turn phi in the body frame changes R^T m by (R^T m) x phi, and phi = 2 vec(p^* o dp^).

    So d(R^T m)/dp = (R^T m)^ 2 vec(p^* o .) / |p| at p^ = p/|p|; the part of dp along p turns nothing.
    """
    force_q, at = gyroscope_kernel(gyroscope, "force_q")
    p = [at[f"p{i}"] for i in range(4)]
    unit = [c / N for c in p]
    moment = quat.rotation(unit).T * sp.Matrix([at[f"m{i}"] for i in range(3)])
    change = sp.Matrix(hamilton([unit[0], *(-c for c in unit[1:])], Q)[1:]).jacobian(Q)
    by_hand = cross_matrix(moment) * 2 * change / N
    assert vanishes(plain(force_q[3:, 3:], p) - by_hand, [N**2 - square(p)], [N, *p])


def test_energy_and_angular_momentum_of_a_body() -> None:
    classes = derivation("tumbling_brick").module.classes
    energy, momentum = (
        next(k for k in classes[0].kernels if k.name == name) for name in ("kinetic_energy", "angular_momentum")
    )
    at = {label(s): s for a in energy.inputs for s in a.symbols}
    v, omega = (sp.Matrix([at[f"{kind}_{a}"] for a in "xyz"]) for kind in ("v", "Omega"))
    a, b, c, m = (at[x] for x in "abcm")
    inertia = m / 3 * sp.diag(b**2 + c**2, a**2 + c**2, a**2 + b**2)
    assert sp.expand(matrix(energy)[0] - (m * v.dot(v) + omega.dot(inertia * omega)) / 2) == 0
    p = operand(momentum, "q")[3:]
    by_hand = quat.rotation([c / N for c in p]) * inertia * omega
    assert vanishes(plain(matrix(momentum), p) - by_hand, [N**2 - square(p)], [N, *p])


# Lagrange's equations


def describe(system: nsd.LagrangianSystem, parameters: Any) -> SystemClass:
    model = nsd.Model(
        "hand",
        [system],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=1.0,
        parameters=dict.fromkeys(parameters, 1.0),
        initial=dict.fromkeys(system.coordinates, 0),
    )
    return model.description.system_classes[0]


def assert_equations(cls: SystemClass, mass: sp.Matrix, force: sp.Matrix, names: Any) -> None:
    """M and F equal the hand formulas, which are written in symbols called as the class calls its own."""
    own = {label(s): s for s in cls.symbols} | {"t": sp.Symbol("time/t", real=True)}
    renamed = {s: own[s.name] for s in names}
    assert sp.simplify(cls.terms["mass"].values - mass.xreplace(renamed)) == sp.zeros(*mass.shape)
    assert sp.simplify(cls.terms["force"].values - force.xreplace(renamed)) == sp.zeros(*force.shape)


def double_pendulum() -> tuple[sp.Matrix, sp.Matrix, list[sp.Symbol], dict[str, Any]]:
    """By hand (angles from the vertical): M, F, their symbols, and what the energies are made of."""
    names = sp.symbols("m1 m2 l1 l2 g a b a_dot b_dot")
    m1, m2, l1, l2, g, a, b, u, w = names
    coupling = m2 * l1 * l2
    mass = sp.Matrix([[(m1 + m2) * l1**2, coupling * sp.cos(a - b)], [coupling * sp.cos(a - b), m2 * l2**2]])
    force = sp.Matrix(
        [
            -coupling * sp.sin(a - b) * w**2 - (m1 + m2) * g * l1 * sp.sin(a),
            coupling * sp.sin(a - b) * u**2 - m2 * g * l2 * sp.sin(b),
        ]
    )
    return mass, force, list(names), {"parameters": names[:5], "rates": (u, w), "angles": (a, b)}


def test_the_double_pendulum_from_energies() -> None:
    mass, force, names, _ = double_pendulum()
    m1, m2, l1, l2, g = parameters = names[:5]
    a, b = dynamicsymbols("a b")
    first = sp.Matrix([l1 * sp.sin(a), -l1 * sp.cos(a)])
    second = first + sp.Matrix([l2 * sp.sin(b), -l2 * sp.cos(b)])
    u, w = first.diff(t), second.diff(t)
    system = nsd.LagrangianSystem(
        "pendulum", [a, b], kinetic=(m1 * u.dot(u) + m2 * w.dot(w)) / 2, potential=g * (m1 * first[1] + m2 * second[1])
    )
    assert_equations(describe(system, parameters), mass, force, names)


def test_given_terms_are_the_same_system() -> None:
    """The double pendulum with M as mass, the inertial forces as N and gravity as F_int: the same M and F."""
    mass, force, names, parts = double_pendulum()
    a, b = dynamicsymbols("a b")
    functions = dict(zip((*parts["angles"], *parts["rates"]), (a, b, a.diff(), b.diff()), strict=True))
    gravity = force.xreplace(dict.fromkeys(parts["rates"], sp.S.Zero))
    system = nsd.LagrangianSystem(
        "pendulum",
        [a, b],
        mass=mass.xreplace(functions),
        internal=(-gravity).xreplace(functions),
        nonlinear=(gravity - force).xreplace(functions),
    )
    assert_equations(describe(system, parts["parameters"]), mass, force, names)


def test_the_spherical_pendulum() -> None:
    names = m, l, g, a, _, u, w = sp.symbols("m l g a b a_dot b_dot")
    polar, azimuth = dynamicsymbols("a b")
    position = l * sp.Matrix([sp.sin(polar) * sp.cos(azimuth), sp.sin(polar) * sp.sin(azimuth), -sp.cos(polar)])
    v = position.diff(t)
    system = nsd.LagrangianSystem("pendulum", [polar, azimuth], kinetic=m * v.dot(v) / 2, potential=m * g * position[2])
    mass = m * l**2 * sp.diag(1, sp.sin(a) ** 2)
    force = m * l**2 * sp.sin(a) * sp.Matrix([sp.cos(a) * w**2 - g / l, -2 * sp.cos(a) * u * w])
    assert_equations(describe(system, (m, l, g)), mass, force, names)


def test_a_bead_on_a_shaken_rotating_wire() -> None:
    """Explicit time in T: m s'' = m w^2 (s + d) - m d'' on a wire turning with w, its origin at d = sin(k t) along it.

    With position (s + d)(cos w t, sin w t): the centrifugal force comes from dT/dq, -d'' from d2T/dv dt.
    """
    names = m, k, w, s, now, _ = sp.symbols("m k w s t s_dot")
    shaken = dynamicsymbols("s")
    position = (shaken + sp.sin(k * t)) * sp.Matrix([sp.cos(w * t), sp.sin(w * t)])
    v = position.diff(t)
    cls = describe(nsd.LagrangianSystem("bead", [shaken], kinetic=m * v.dot(v) / 2), (m, k, w))
    force = m * w**2 * (s + sp.sin(k * now)) + m * k**2 * sp.sin(k * now)
    assert_equations(cls, sp.Matrix([[m]]), sp.Matrix([force]), names)


def test_dissipation_and_forces_enter_with_their_signs() -> None:
    names = m, c, f, _, v = sp.symbols("m c f x x_dot")
    x = dynamicsymbols("x")
    system = nsd.LagrangianSystem(
        "damper", [x], kinetic=m * x.diff() ** 2 / 2, dissipation=c * x.diff() ** 4 / 4, forces=[f]
    )
    assert_equations(describe(system, (m, c, f)), sp.Matrix([[m]]), sp.Matrix([f - c * v**3]), names)
