"""Every derived Jacobian is the derivative of the expression it belongs to.

The truth is a central difference of the *undifferentiated* expression, with forty digits left
after cancellation; no derivative that SymPy or nsdgen took enters it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import mpmath
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.abi import KernelRole, Quantity, Role
from nsdgen.derive.kernel import Kernel, Output

from ..example_models import load
from .models import MODELS, at_rest, derivation, joints, kernel, kernels, label, sample
from .truth import evaluate, hamilton

DIGITS = 40
CLOSE = mpmath.mpf(10) ** -34
"""Evaluating the derived expression itself at forty digits may cost a few of them; six are allowed."""

Values = dict[sp.Symbol, Any]
Pair = tuple[Output, Output, tuple[sp.Symbol, ...]]

JACOBIAN_OF = {
    Quantity.ITERATION_MATRIX: (Quantity.RESIDUAL, Role.UNKNOWN),
    Quantity.OUTPUT_X: (Quantity.OUTPUT, Role.UNKNOWN),
    Quantity.OUTPUT_LAMBDA: (Quantity.OUTPUT, Role.MULTIPLIER),
    Quantity.REACTION_X: (Quantity.REACTION, Role.UNKNOWN),
    Quantity.REACTION_LAMBDA: (Quantity.REACTION, Role.MULTIPLIER),
}


def partial(expr: sp.Expr, symbol: sp.Symbol, values: Values) -> Any:
    if symbol not in expr.free_symbols:
        return mpmath.mpf(0)
    return mpmath.diff(lambda x: evaluate(expr, {**values, symbol: x}), values[symbol])


def linearized(k: Kernel) -> Iterator[Pair]:
    """(Jacobian, what it is the Jacobian of, with respect to which symbols) within one stage kernel."""
    arrays = {(a.role, a.participant): a.symbols for a in k.inputs}
    outputs = {(o.quantity, o.participant): o for o in k.outputs}
    for out in k.outputs:
        if out.quantity in JACOBIAN_OF:
            what, wrt = JACOBIAN_OF[out.quantity]
            base = outputs[what, out.participant if what == Quantity.REACTION else 0]
            number = {Quantity.OUTPUT_X: out.participant, Quantity.REACTION_X: out.participant2}.get(out.quantity, 0)
            yield out, base, arrays.get((wrt, number), ())


def operators(k: Kernel, others: dict[str, Kernel]) -> Iterator[Pair]:
    """The same for an operator ``f_x`` among the operators of its class: f and its operand x."""
    for array in k.inputs:
        base = others.get(k.name.removesuffix(f"_{array.name.rstrip('_')}"))
        if base is not None and base is not k and array.role == Role.OPERAND:
            yield k.outputs[0], base.outputs[0], array.symbols


def jacobians(name: str) -> Iterator[tuple[str, Kernel, Pair]]:
    for cls in derivation(name).module.classes:
        by_name = {k.name: k for k in cls.kernels}
        for k in cls.kernels:
            pairs = operators(k, by_name) if k.role == KernelRole.OPERATOR else linearized(k)
            yield from ((f"{name} / {cls.name} / {k.name}", k, pair) for pair in pairs)


def check(where: str, pair: Pair, values: Values) -> None:
    out, base, wrt = pair
    entries = {(i, j): e for i, j, e in out.entries}
    for row, _, expr in base.entries:
        for column, symbol in enumerate(wrt):
            derived = evaluate(entries.get((row, column), sp.S.Zero), values)
            truth = partial(expr, symbol, values)
            assert abs(derived - truth) <= CLOSE * (1 + abs(truth)), (
                f"{where}: {out.name}[{row}, {column}] is {mpmath.nstr(derived)}, not {mpmath.nstr(truth)}"
            )


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.few(4)
def test_jacobians_at_random_points(name: str) -> None:
    rng = Random(name)
    for where, k, pair in jacobians(name):
        for _ in range(2):
            with mpmath.workdps(DIGITS):
                check(where, pair, sample(k.inputs, name, rng))


@pytest.mark.parametrize("name", MODELS)
def test_jacobians_at_rest(name: str) -> None:
    """The identity quaternion, no rotation (where the exponential map is 0/0 as users write it), t = 0."""
    for where, k, pair in jacobians(name):
        with mpmath.workdps(DIGITS):
            check(where, pair, at_rest(sample(k.inputs, name, Random(name))))


def test_no_jacobian_is_missed() -> None:
    """The pairing above found every kind of derivative that the models have."""
    found = {pair[0].name for name in MODELS for _, _, pair in jacobians(name)}
    operator = {
        "force_q",
        "force_v",
        "gap_q",
        "gap_t",
        "gap_q_1",
        "gap_q_2",
        "rhs_x",
        "output_x",
        "output_lambda",
        "reaction_x",
        "reaction_lambda",
    }
    stage = {
        "iteration_matrix",
        "output_x_1",
        "output_x_2",
        "reaction_lambda_1",
        "reaction_lambda_2",
        "reaction_x_1_1",
        "reaction_x_1_2",
        "reaction_x_2_1",
        "reaction_x_2_2",
    }
    assert operator | stage <= found


@pytest.mark.parametrize("name", MODELS)
def test_blocks_left_out_are_zero(name: str) -> None:
    """A relation states reaction_x for some pairs of participants only: the others vanish."""
    for where, k in kernels(name):
        if k.role != KernelRole.LINEARIZE:
            continue
        stated = {(o.participant, o.participant2) for o in k.outputs if o.quantity == Quantity.REACTION_X}
        values = sample(k.inputs, name, Random(1))
        with mpmath.workdps(DIGITS):
            for rho in (o for o in k.outputs if o.quantity == Quantity.REACTION):
                for array in (a for a in k.inputs if a.role == Role.UNKNOWN):
                    if (rho.participant, array.participant) not in stated:
                        assert all(partial(e, s, values) == 0 for *_, e in rho.entries for s in array.symbols), where


@pytest.mark.parametrize("direction", range(6))
def test_the_contact_gradient_is_the_rate_along_the_motion(direction: int) -> None:
    """gap_twist of a corner is d/ds of its gap at x + s v, p^ o exp(s Omega / 2), by quaternion algebra of our own."""
    gap, twist = (kernel("tumbling_brick", "brick ground 0", k) for k in ("gap", "gap_twist"))
    values = sample(gap.inputs, "tumbling_brick", Random(direction))
    by_label = {label(s): s for s in values}
    q = [by_label[f"p{i}"] for i in range(4)]
    with mpmath.workdps(DIGITS):
        norm = mpmath.norm([values[s] for s in q])
        p = [values[s] / norm for s in q]

        def along(s: Any) -> Any:
            moved = {**values, **dict(zip(q, p, strict=True))}
            if direction < 3:
                position = by_label["xyz"[direction]]
                moved[position] += s
            else:
                half = [mpmath.cos(s / 2), 0, 0, 0]
                half[direction - 2] = mpmath.sin(s / 2)
                moved.update(zip(q, hamilton(p, half), strict=True))
            return evaluate(gap.outputs[0].entries[0][2], moved)

        entries = {j: e for _, j, e in twist.outputs[0].entries}
        derived = evaluate(entries.get(direction, sp.S.Zero), values)
        assert abs(derived - mpmath.diff(along, 0)) < CLOSE


@pytest.mark.parametrize("side", [-1, 1])
def test_the_cam_force_holds_two_derivatives_of_the_profile(side: int) -> None:
    """F = -(mu c'' + zeta c' + kappa c) - kappa u - zeta v on either side of every joint of the profile.

    The truth differentiates the height of the cam itself, as a number.
    """
    module = load("cam_follower")
    force = kernel("cam_follower", "follower", "force")
    values = sample(force.inputs, "cam_follower", Random(5))
    at = {label(s): s for s in values}
    values[at["zeta"]] = 3.0
    numbers = {k: mpmath.mpf(values[s]) for k, s in at.items()}
    mu, zeta, kappa, u, v = (numbers[k] for k in ("mu", "zeta", "kappa", "u", "u_dot"))
    with mpmath.workdps(DIGITS):
        for joint in joints(module):
            now = joint + side * 1e-9

            def height(t: Any) -> Any:
                return cam_height(numbers["omega"] * t + mpmath.pi / 2, numbers)

            c, rate, acceleration = (mpmath.diff(height, now, n) for n in range(3))
            truth = -(mu * acceleration + zeta * rate + kappa * c) - kappa * u - zeta * v
            derived = evaluate(force.outputs[0].entries[0][2], {**values, at["t"]: now})
            assert abs(derived - truth) <= CLOSE * (1 + abs(truth))


def cam_height(turned: Any, p: dict[str, Any]) -> Any:
    """The profile of the example by hand, in numbers: base circle, flank, nose, dwell, and its mirror image."""
    angle = turned % (2 * mpmath.pi)
    angle = min(angle, 2 * mpmath.pi - angle)
    half, tilted = mpmath.pi / 2, angle + mpmath.pi / 9
    if angle <= half - p["beta1"]:
        return mpmath.mpf(p["R_b"])
    if angle <= half + p["beta2"]:
        return mpmath.sqrt(p["rho1"] ** 2 - (p["k1"] * mpmath.cos(angle)) ** 2) - p["k1"] * mpmath.sin(angle)
    if angle <= half + p["beta3"]:
        return mpmath.sqrt(p["rho3"] ** 2 - (p["k2"] * mpmath.sin(tilted)) ** 2) - p["k2"] * mpmath.cos(tilted)
    return mpmath.mpf(p["rho2"])


@pytest.mark.parametrize(("side", "slope"), [(-1e-12, -2), (1e-12, 2)])
def test_both_sides_of_a_kink(side: float, slope: int) -> None:
    """d/dv of -|v| v at v = side is -2 |v|; of |q| at q = side it is the sign: each side has its own branch."""
    q = sp.physics.mechanics.dynamicsymbols("q")
    system = nsd.LagrangianSystem("point", [q], mass=[[1]], external=[sp.Abs(q) * 2 - sp.Abs(q.diff()) * q.diff()])
    derived = nsd.Model("kinks", [system], scheme=nsd.MoreauJean(), step=0.1, end=1, initial={q: 0}).derive()
    found = {k.name: k for k in derived.module.classes[0].kernels}
    values = dict.fromkeys((s for a in found["force"].inputs for s in a.symbols), side)
    assert evaluate(found["force_q"].outputs[0].entries[0][2], values) == slope
    assert evaluate(found["force_v"].outputs[0].entries[0][2], values) == -2 * abs(side)
