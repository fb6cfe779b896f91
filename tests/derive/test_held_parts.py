"""Parts of large residuals that are frozen for a step: the same residual, and where there is nothing to gain none."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.derive import plan
from nsdgen.derive.held_parts import with_held_parts
from nsdgen.schemes.stages import DiscreteSystem
from nsdgen.symbolic.expressions.nodes import Let
from nsdgen.symbolic.graph.computed import expanded

LINKS = 4
q = list(dynamicsymbols(f"q1:{LINKS + 1}"))
m, g = sp.symbols("m g", positive=True)


def pendulum(flat: bool = False) -> nsd.LagrangianSystem:
    """Masses on links in a plane, or as many on springs in a row, each pair with many of them."""
    if flat:
        stiff = sum((a - b) ** 2 * (1 + 2 * i + k) for i, a in enumerate(q) for k, b in enumerate(q)) * m
        return nsd.LagrangianSystem("s", q, kinetic=m * sum(a.diff() ** 2 for a in q), potential=stiff)
    x = y = kinetic = potential = sp.S.Zero
    for i, angle in enumerate(q):
        x, y = x + (i + 1) * sp.sin(angle), y - sp.cos(angle)
        kinetic += m * (x.diff(nsd.time) ** 2 + y.diff(nsd.time) ** 2) / 2
        potential += m * g * y
    return nsd.LagrangianSystem("s", q, kinetic=kinetic, potential=potential)


def discrete(system: nsd.LagrangianSystem, scheme: nsd.schemes.scheme.Scheme) -> DiscreteSystem:
    """The class of the system under a scheme, as it is stated."""
    model = nsd.Model(
        "m",
        [system],
        scheme=scheme,
        step=1e-3,
        end=1,
        parameters={m: 1, g: 9.81},
        initial=dict.fromkeys(system.coordinates, 0.1),
    )
    return scheme.discretise(model.description.system_classes[0])


def at(values: list[sp.Expr], symbols: list[sp.Symbol], point: list[mpmath.mpf]) -> list[mpmath.mpf]:
    """The values at a point, to the working precision."""
    plain = [e.replace(lambda part: isinstance(part, Let), lambda part: part.args[1]) for e in values]
    return list(sp.lambdify(symbols, plain, "mpmath", cse=True, dummify=True)(*point))


@pytest.mark.parametrize("scheme", [nsd.MoreauJean(), nsd.GeneralisedAlpha()], ids=lambda scheme: scheme.name)
def test_what_is_held_is_what_was_stated(scheme: nsd.schemes.scheme.Scheme) -> None:
    before = discrete(pendulum(), scheme)
    after = with_held_parts(before)
    for one, other in zip(before.stages, after.stages, strict=True):
        assert one is not None and other is not None
        given = [s for s, _ in other.freeze_step]
        assert {s for s, _ in one.freeze_step} <= set(given)
        held = {s: expanded(e) for s, e in other.freeze_step[len(one.freeze_step) :]}
        moving = {*one.unknown, *(s for s, _ in one.freeze_iteration)}
        assert all(moving.isdisjoint(e.free_symbols) for e in held.values())
        stated, kept = expanded(one.residual), expanded(other.residual)
        free = sorted(stated.free_symbols | set(moving), key=str)
        with mpmath.workdps(60):
            point = [mpmath.mpf(3 + 2 * k) / (7 + 3 * k) for k in range(len(free))]
            values = at(list(held.values()), free, point)
            apart = zip(at(list(stated), free, point), at(list(kept), [*free, *held], [*point, *values]), strict=True)
            assert all(abs(a - b) < 1e-45 for a, b in apart)


def test_the_force_at_the_start_of_a_step_is_held() -> None:
    (stage,) = with_held_parts(discrete(pendulum(), nsd.MoreauJean())).stages
    assert stage is not None
    assert sum("held" in s.name for s, _ in stage.freeze_step) >= LINKS


@pytest.mark.parametrize(
    "system",
    [
        pendulum(flat=True),
        nsd.LagrangianSystem("s", [q[0]], kinetic=m * q[0].diff() ** 2 / 2, potential=-m * g * sp.cos(q[0])),
    ],
    ids=["affine", "small"],
)
def test_affine_and_small_residuals_stay(system: nsd.LagrangianSystem) -> None:
    before = discrete(system, nsd.MoreauJean())
    assert with_held_parts(before).stages == before.stages


def test_runs_with_impacts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wall that the tip hits."""

    def run() -> np.ndarray:
        system = pendulum()
        tip = sum((i + 1) * sp.sin(angle) for i, angle in enumerate(q))
        model = nsd.Model(
            "m",
            [system],
            [nsd.Contact("wall", tip + sp.Rational(1, 5), nsd.NewtonImpact(sp.Rational(1, 2)))],
            scheme=nsd.MoreauJean(),
            step=2e-2,
            end=4,
            parameters={m: 1, g: 9.81},
            initial=dict.fromkeys(q, 0.2),
        )
        found = model.compile(interpret=True).run()
        assert found["wall.impulse"].max() > 0
        return np.stack([found[f"q{k + 1}"] for k in range(LINKS)])

    held = run()
    monkeypatch.setattr(plan, "with_held_parts", lambda scheme: scheme)
    assert abs(run() - held).max() < 1e-9  # Newton's tolerance is 1e-12, and there are 200 steps
