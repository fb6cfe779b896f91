"""What is loaded and should rest does rest under the defaults: no contact opens by a rounding error.

A contact that is out of play for one step lets its whole load act for that step: g h = 1e-2 m/s for what lies on a
floor, here, and more for what is pressed. The truth is that nothing moves, at any scale of length and time.
"""

from itertools import pairwise

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

STEP, GRAVITY = 1e-3, 9.81


def stack(length: float, time: float) -> tuple[nsd.Trajectory, float]:
    """Five blocks, one upon the other, at places that are no binary fractions: the largest speed."""
    m, g, unit = sp.symbols("m g unit")
    heights = dynamicsymbols("y:5")
    blocks = [
        nsd.LagrangianSystem(f"block {i}", [y], kinetic=m * y.diff() ** 2 / 2, potential=m * g * y)
        for i, y in enumerate(heights)
    ]
    gaps = [heights[0] - unit / 10, *(high - low - unit / 5 for low, high in pairwise(heights))]
    contacts = [nsd.Contact(f"contact {i}", gap=gap, law=nsd.NewtonImpact(0)) for i, gap in enumerate(gaps)]
    run = nsd.Model(
        "stack",
        blocks,
        contacts,
        scheme=nsd.MoreauJean(),
        step=STEP * time,
        end=2000 * STEP * time,
        parameters={m: 1, g: GRAVITY * length / time**2, unit: length},
        initial={y: (0.1 + 0.2 * i) * length for i, y in enumerate(heights)},
    ).run()
    return run, max(abs(run[f"y{i}_dot"]).max() for i in range(5))


@pytest.mark.parametrize("length", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("time", [1e-9, 1.0, 1e9])
@pytest.mark.few(3)
def test_a_stack_rests_at_every_scale(length: float, time: float) -> None:
    """At most rounding beside what one step of free fall gives, 1e-2 in units of length and time."""
    run, fastest = stack(length, time)
    assert fastest <= 1e-12 * GRAVITY * STEP * length / time
    assert 0 < run["contact 0.slack"][-1] < 1e-6 * GRAVITY * STEP**2 * length


def brick(push: float) -> nsd.Trajectory:
    """A brick on two corners with friction, pushed to and fro by less than friction holds."""
    x, z, turn = dynamicsymbols("x z turn")
    m, g, mu = sp.symbols("m g mu")
    wide, high = sp.Rational(1, 2), sp.Rational(3, 10)
    body = nsd.LagrangianSystem(
        "brick",
        [x, z, turn],
        potential=m * g * z,
        forces=[push * sp.sin(7 * nsd.time), 0, 0],
        kinetic=m * (x.diff() ** 2 + z.diff() ** 2) / 2 + m * turn.diff() ** 2 / 60,
    )
    corners = []
    for i, side in enumerate((-1, 1)):
        along = x + side * wide * sp.cos(turn) + high * sp.sin(turn)
        up = z + side * wide * sp.sin(turn) - high * sp.cos(turn)
        corners.append(nsd.Contact(f"corner {i}", gap=up, tangent=along.diff(), law=nsd.NewtonImpactFriction(0, mu)))
    return nsd.Model(
        "brick",
        [body],
        corners,
        scheme=nsd.MoreauJean(),
        step=STEP,
        end=4,
        parameters={m: 1, g: GRAVITY, mu: 0.5},
        initial={x: 0, z: 0.3, turn: 0},
    ).run()


@pytest.mark.parametrize("push", [0.0, 3.0])
def test_a_brick_neither_tilts_nor_slides(push: float) -> None:
    run = brick(push)
    assert abs(run["turn"]).max() < 1e-13 and abs(run["turn_dot"]).max() < 1e-12
    assert abs(run["x"]).max() < 1e-12


def test_a_capstan_at_half_its_limit_holds() -> None:
    """Six beads on a drum, joined by links and pulled at both ends: friction holds up to a ratio of tensions.

    Bead by bead that is (1 + mu tan(angle/2)) / (1 - mu tan(angle/2)), angle the one between beads.
    """
    number, angle, friction, tension = 6, 0.2, 0.3, 100.0
    m, mu, pull = sp.symbols("m mu pull")
    places = [dynamicsymbols(f"X{i} Y{i}") for i in range(number)]
    at = [np.pi / 2 + (number - 1) / 2 * angle - i * angle for i in range(number)]
    beads, relations = [], []
    for i, ((X, Y), turn) in enumerate(zip(places, at, strict=True)):
        force = {
            0: [-pull * np.sin(turn), pull * np.cos(turn)],
            number - 1: [tension * np.sin(turn), -tension * np.cos(turn)],
        }.get(i, [0, 0])
        beads.append(
            nsd.LagrangianSystem(f"bead {i}", [X, Y], forces=force, kinetic=m * (X.diff() ** 2 + Y.diff() ** 2) / 2)
        )
        radius = sp.sqrt(X**2 + Y**2)
        relations.append(
            nsd.Contact(
                f"contact {i}",
                gap=radius - 1,
                tangent=(X * Y.diff() - Y * X.diff()) / radius,
                law=nsd.NewtonImpactFriction(0, mu),
            )
        )
    for i, ((X, Y), (U, V)) in enumerate(pairwise(places)):
        relations.append(nsd.Bilateral(f"link {i}", sp.sqrt((X - U) ** 2 + (Y - V) ** 2) - 2 * np.sin(angle / 2)))
    each = friction * np.tan(angle / 2)
    limit = ((1 + each) / (1 - each)) ** (number - 1)
    start = {
        s: value for (X, Y), turn in zip(places, at, strict=True) for s, value in ((X, np.cos(turn)), (Y, np.sin(turn)))
    }
    run = nsd.Model(
        "capstan",
        beads,
        relations,
        scheme=nsd.MoreauJean(),
        step=STEP,
        end=0.5,
        initial=start,
        parameters={m: 0.1, mu: friction, pull: tension * (1 + (limit - 1) / 2)},
    ).run()
    assert max(abs(run[f"{s}{i}_dot"]).max() for s in "XY" for i in range(number)) < 1e-10


@pytest.mark.parametrize(
    "scheme", [nsd.MoreauJean(), nsd.Rattle(), nsd.Variational(), nsd.D1Minus(), nsd.EventDriven()]
)
@pytest.mark.few(2)
def test_a_column_that_falls_meets_the_floor_together(scheme: nsd.schemes.scheme.Scheme) -> None:
    """Four bodies that touch fall by 0.8 m; the gaps between them have no rate, so that all leave with e times it.

    Rounding parts them by 1e-14 m meanwhile. Taken one after the other the impacts give other velocities altogether.
    """
    heights = [sp.Function(f"y{i}")(nsd.time) for i in range(4)]
    masses = [sp.Rational(6, 5), sp.Rational(5, 7), sp.Rational(8, 3), sp.Rational(1, 3)]
    bodies = [
        nsd.LagrangianSystem(f"body {i}", [y], kinetic=m * y.diff() ** 2 / 2, potential=m * y * sp.Rational(981, 100))
        for i, (y, m) in enumerate(zip(heights, masses, strict=True))
    ]
    law = nsd.NewtonImpact(sp.Rational(1, 2))
    gaps = [y - (heights[i - 1] + sp.Rational(1, 5) if i else 0) for i, y in enumerate(heights)]
    contacts = [nsd.Contact(f"contact {i}", gap, law) for i, gap in enumerate(gaps)]
    start = {y: 0.8 + 0.2 * i for i, y in enumerate(heights)}
    run = nsd.Model("column", bodies, contacts, scheme=scheme, step=1e-3, end=0.42, initial=start).run()
    rates = np.array([run[f"y{i}_dot"] for i in range(4)])
    struck = int(np.flatnonzero(rates[0] > 0)[0])
    np.testing.assert_allclose(rates[1:, struck], rates[0, struck], atol=1e-9)
    assert rates[0, struck] == pytest.approx(np.sqrt(2 * 9.81 * 0.8) / 2, abs=0.02)
