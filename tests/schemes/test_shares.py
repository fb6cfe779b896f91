"""Loads that several things bear: shared by the least norm under every scheme, within bounds, with their dimension."""

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y = dynamicsymbols("x y")
RATES = {x: x.diff(), y: y.diff()}
SCHEMES = [nsd.MoreauJean(), nsd.Rattle(), nsd.Variational(), nsd.D1Minus(), nsd.GeneralisedAlpha(), nsd.EventDriven()]
PULL, WEIGHT, STEP = 1.0, 10.0, 0.01
RUBS = {"rubbing floor": 0.3, "smooth floor": 0.1}


def pulled(kinds, scheme, pull=PULL):
    """A run of a block of 1 kg at rest, pulled along x, with ``a`` and ``b`` that hold it."""
    block = nsd.LagrangianSystem(
        "block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=WEIGHT * y, forces=[pull, 0]
    )
    made = [made_of(kind, name, block) for name, kind in zip("ab", kinds, strict=True)]
    floor = [] if any("floor" in kind for kind in kinds) else [nsd.Contact("ground", y, nsd.NewtonImpact(0))]
    start = {x: 0, y: 0, x.diff(): 0, y.diff(): 0}
    model = nsd.Model("block", [block], [*floor, *made], scheme=scheme, step=STEP, end=5 * STEP, initial=start)
    return model.compile(interpret=True).run()


def made_of(kind, name, block):
    if kind in RUBS:
        return nsd.Contact(name, y, nsd.NewtonImpactFriction(0, RUBS[kind]), tangent=x)
    if kind == "floor":
        return nsd.Contact(name, y, nsd.NewtonImpact(0))
    if kind == "lock":
        return nsd.VelocityConstraint(name, x.diff())
    lam = nsd.multipliers("lam", 1)
    along, level = {"brake": (x, 2), "weak brake": (x, 1), "lift brake": (y, 2)}[kind]
    return nsd.OutputRelation(
        name, lam, [RATES[along]], {block: [lam[0] if q == along else 0 for q in (x, y)]}, nsd.Relay(level)
    )


def force_of(run, scheme, kind, name):
    """Along x, or of floors and lift brakes along y [N], where the scheme records it."""
    if "brake" in kind:
        end = isinstance(scheme, nsd.GeneralisedAlpha)
        return run[f"{name}.lam_end[0]" if end else f"{name}.lam[0]"]
    row = "[1]" if kind in RUBS else ""
    if isinstance(scheme, nsd.D1Minus):
        return run[f"{name}.force_right{row}"]
    if isinstance(scheme, nsd.EventDriven):
        return run[f"{name}.force{row}"]
    return run[f"{name}.impulse{row}"] / STEP


CASES = {
    ("rubbing floor", "brake"): (-0.5, -0.5, 1),
    ("brake", "brake"): (-0.5, -0.5, 1),
    ("rubbing floor", "lock"): (-0.5, -0.5, 1),
    ("brake", "lock"): (-0.5, -0.5, 1),
    ("rubbing floor", "rubbing floor"): (-0.5, -0.5, 2),
    ("floor", "lift brake"): (8.0, 2.0, 1),  # at its bound
    ("floor", "floor"): (5.0, 5.0, 1),
}
AT_BOUNDS = {  # of a pull of 2.5 N
    ("smooth floor", "brake"): (-1.0, -1.5, 1),
    ("smooth floor", "lock"): (-1.0, -1.5, 1),
    ("rubbing floor", "weak brake"): (-1.5, -1.0, 1),
    ("smooth floor", "weak brake"): (-1.0, -1.0, 0),  # it moves
}


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("kinds", [*CASES, *AT_BOUNDS], ids=", ".join)
@pytest.mark.few(7)
def test_two_share_a_load(kinds, scheme):
    """Friction held alone, and a brake pushed back or gave all it has beside it; counts were 0 to 2."""
    pull = 2.5 if kinds in AT_BOUNDS else PULL if kinds[1] not in ("floor", "lift brake") else 0
    run = pulled(kinds, scheme, pull)
    *expected, count = {**CASES, **AT_BOUNDS}[kinds]
    if not (
        isinstance(scheme, nsd.GeneralisedAlpha) and "lock" in kinds
    ):  # constraints and contacts: stages of their own
        found = [force_of(run, scheme, kind, name)[-1] for name, kind in zip("ab", kinds, strict=True)]
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    assert (run["rank_deficiency"][1:] == count).all()
    assert (count == 0 or abs(run["x"]).max() < 1e-12) and abs(run["y"]).max() < 1e-12


def test_the_share_does_not_depend_on_what_was_before():
    """A pull that grows beyond twice what a brake bears, and falls again: it leaves its bound as it came to it."""
    t = nsd.time
    run = pulled(("rubbing floor", "brake"), nsd.MoreauJean(), pull=4.5 * (4 * t * (5 * STEP - t) / (5 * STEP) ** 2))
    friction, brake = run["a.impulse[1]"][1:] / STEP, run["b.lam[0]"][1:]
    pull = -(friction + brake)
    assert pull.max() > 4.1
    np.testing.assert_allclose(brake, -np.minimum(pull / 2, 2), atol=1e-6)
