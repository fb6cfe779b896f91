"""A four-bar linkage with clearance in three joints, under combined projection: FourBarClearance of Siconos.

Journals of radius 0.055 m run in bushings of 0.06 m, with friction; a controller drives the crank along
6 sin(0.75 pi t). The table leaves gaps of up to 2e-7 m, for its projection stops at 1e-6 m and its friction at 1e-6.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from sympy import cos, sin
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

GROUND, CRANK, ROD, ROCKER = 3.0, 1.0, 4.0, 2.5  # lengths; each bar has 1 kg
BUSHING, JOURNAL, G = 0.06, 0.055, 9.81
GAIN, RATIO = 200.0, 10.0  # of the controller
PI = 3.14159265  # as published
INERTIA = [length**2 / 12 for length in (CRANK, ROD, ROCKER)]
ANGLES = dynamicsymbols("a b c")  # of crank, rod and rocker
CENTRES = dynamicsymbols("x_b y_b x_c y_c")  # of rod and rocker
START: tuple[float, ...] = (1.570823772407980, 0.3532842020624460, 1.264872058968431)
START += (1.876454585097650, 1.691962091335582, 0.3764686197082958, 1.191962183453451)

# By times: the seven coordinates, the rates of the three angles.
PUBLISHED = {
    0.05: (
        (1.667922928591141, 0.3597912260754407, 1.305372278179690)
        + (1.779862322377906, 1.700461158115487, 0.3280228923146291, 1.201228046354047),
        (4.395065412241380, 0.4832215322358551, 2.062150363168989),
    ),
    0.1: (
        (1.985176417328212, 0.4009928305395415, 1.456448905685042)
        + (1.443158575473894, 1.698343462632494, 0.1466060706412916, 1.238814036096689),
        (7.926083177617856, 1.208057881867973, 3.727881156853600),
    ),
    0.5: (
        (5.545612442795652, 0.9158032157417494, 1.499656926497796)
        + (1.962953386864766, 0.9156995693228897, 0.08854148399612821, 1.251829067393695),
        (5.285048107783350, -2.184218173610044, -4.031964339911933),
    ),
    1.0: (
        (4.238448215671061, 0.9189903040345702, 1.995555279472254)
        + (0.7544674304551516, 0.6958065534278288, -0.5189180609037924, 1.142182213064996),
        (-9.985219998334882, -2.242270760001613, 0.8282117113944989),
    ),
}


def resistance() -> sp.Expr:
    """What the crank bears, as published: its weight less a torque computed from a linkage without clearance."""
    a, rate, t = ANGLES[0], ANGLES[0].diff(), nsd.time
    p, q = -2 * CRANK * ROCKER * sin(a), 2 * ROCKER * (GROUND - CRANK * cos(a))
    s = GROUND**2 + CRANK**2 - ROD**2 + ROCKER**2 - 2 * GROUND * CRANK * cos(a)
    c = 2 * (PI + sp.atan2(-p - sp.sqrt(p**2 + q**2 - s**2), s - q))
    b = sp.atan2(ROCKER * sin(c) - CRANK * sin(a), GROUND - CRANK * cos(a) + ROCKER * cos(c))
    rod, rocker = CRANK * sin(c - a) / (ROD * sin(b - c)), CRANK * sin(b - a) / (ROCKER * sin(b - c))  # db/da, dc/da
    wide = cos(2 * b - 2 * c) - 1
    rod_slope = -CRANK / ROD * (cos(c - a) / sin(b - c) + sin(c - a) * cos(b - c) / sin(b - c) ** 2 * rod)
    rod_slope -= 2 * CRANK * sin(b - a) / (ROD * wide) * rocker
    rocker_slope = -CRANK / ROCKER * (cos(b - a) / sin(b - c) - sin(b - a) * cos(b - c) / sin(b - c) ** 2 * rocker)
    rocker_slope += 2 * CRANK * sin(c - a) / (ROCKER * wide) * rod
    about_ends = [(i + length**2 / 4) / 2 for i, length in zip(INERTIA, (CRANK, ROD, ROCKER), strict=True)]
    about_ends[0] += CRANK**2 / 2
    mixed = CRANK * ROD / 2
    inertia = 2 * (about_ends[0] + about_ends[1] * rod**2 + about_ends[2] * rocker**2 + mixed * cos(a - b) * rod)
    gyroscopic = 2 * about_ends[1] * rod * rod_slope + 2 * INERTIA[2] * rocker * rocker_slope
    gyroscopic += mixed * (cos(a - b) * rod_slope + rod * sin(b - a) * (1 - rod))
    weight = G / 2 * (3 * CRANK * cos(a) + rod * ROD * cos(b) + rocker * ROCKER * cos(c))
    wanted = 6 * sin(0.75 * PI * t)
    off, lags = a - wanted, rate - wanted.diff(t)
    torque = inertia * (wanted.diff(t, 2) - RATIO * lags) + gyroscopic * rate * (rate - RATIO * off)
    return G / 2 * CRANK * cos(a) - torque + GAIN * (lags + RATIO * off) - weight


def clearance(name: str, x: sp.Expr, y: sp.Expr, turning: sp.Expr) -> nsd.Contact:
    """A journal whose centre is at (x, y) in its bushing; ``turning`` is what the rims' own rotation slides by."""
    off = sp.sqrt(x**2 + y**2)
    sliding = (y * x.diff(nsd.time) - x * y.diff(nsd.time)) / off + turning
    return nsd.Contact(name, BUSHING - JOURNAL - off, law=nsd.NewtonImpactFriction(0, 0.1), tangent=sliding)


@pytest.mark.parametrize("end", [0.1, pytest.param(1.0, marks=pytest.mark.slow)])
def test_a_published_four_bar_with_clearance(end: float) -> None:
    (a, b, c), (x_b, y_b, x_c, y_c) = ANGLES, CENTRES
    mass = [INERTIA[0] + CRANK**2 / 4, *INERTIA[1:], 1, 1, 1, 1]
    linkage = nsd.LagrangianSystem(
        "linkage", [*ANGLES, *CENTRES], mass=sp.diag(*mass), internal=[resistance(), 0, 0, 0, G, 0, G]
    )
    rates = [angle.diff() for angle in ANGLES]
    joints = [
        clearance(
            "crank pin",
            x_b - ROD / 2 * cos(b) - CRANK * cos(a),
            y_b - ROD / 2 * sin(b) - CRANK * sin(a),
            BUSHING * rates[1] - JOURNAL * rates[0],
        ),
        clearance(
            "rocker pin",
            GROUND + x_c + ROCKER / 2 * cos(c) - ROD / 2 * cos(b) - x_b,
            y_c + ROCKER / 2 * sin(c) - ROD / 2 * sin(b) - y_b,
            BUSHING * rates[2] - JOURNAL * rates[1],
        ),
        clearance("bearing", x_c - ROCKER / 2 * cos(c), y_c - ROCKER / 2 * sin(c), -JOURNAL * rates[2]),
    ]
    rule = nsd.Projection(
        method="combined", contacts="held", metric="identity", enters="moved", tolerance=1e-6, max_iterations=2000
    )
    start = dict(zip([*ANGLES, *CENTRES], START, strict=True))
    run = nsd.Model(
        "four_bar", [linkage], joints, scheme=nsd.MoreauJean(projection=rule), step=1e-4, end=end, initial=start
    ).run()
    for time, (places, turning) in PUBLISHED.items():
        step = round(time / 1e-4)
        if step < len(run.time):
            found = [run[str(q.func)][step] for q in (*ANGLES, *CENTRES)]
            np.testing.assert_allclose(found, places, rtol=0, atol=2e-6)
            np.testing.assert_allclose([run[f"{q.func}_dot"][step] for q in ANGLES], turning, rtol=0, atol=4e-5)
