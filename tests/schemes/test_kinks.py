"""Gaps with a kink: a table that starts and a corner of the ground, wherever in a step they are met, are an impact."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y = dynamicsymbols("x y")
E = sp.Rational(1, 2)
H = 1e-2
PHASES = [0.0, 0.2, 0.7]  # how far into a step
SCHEMES = ["MoreauJean", "Rattle", "Variational", "D1Minus", "SchatzmanPaoli", "GeneralisedAlpha", "EventDriven"]


def last(scheme: str, coordinates, relation, initial) -> list[float]:
    kinetic = sum(q.diff() ** 2 for q in coordinates) / 2
    point = nsd.LagrangianSystem("point", coordinates, kinetic=kinetic)
    model = nsd.Model("m", [point], [relation], scheme=getattr(nsd, scheme)(), step=H, end=0.5, initial=initial)
    run = model.run()
    return [run[str(q.func) + "_dot"][-1] for q in coordinates]


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.few(3)
def test_a_table_that_starts_gives_a_ball_on_it_one_and_a_half_of_its_velocity(scheme: str) -> None:
    """u- = 0 - 1 on the branch that is entered, u = e: as of a table that moves when the run starts."""
    starts = [0.2 + phase * H for phase in PHASES]
    gaps = [y - nsd.piecewise((0, nsd.time < at), (nsd.time - at, True)) for at in starts] + [y - nsd.time]
    found = [last(scheme, [y], nsd.Contact("table", gap, nsd.NewtonImpact(E)), {y: 0}) for gap in gaps]
    np.testing.assert_allclose(found, 1.5, atol=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("relation", ["contact", "wire"])
@pytest.mark.few(3)
def test_a_corner_is_a_wall_that_is_met(scheme: str, relation: str) -> None:
    """At 1 m/s to a slope of 45 degrees: of the velocity into it e is given back; a wire keeps none."""
    gap = y - sp.Max(x, 0)
    ground = nsd.Contact("ground", gap, nsd.NewtonImpact(E)) if relation == "contact" else nsd.Bilateral("wire", gap)
    found = [last(scheme, [x, y], ground, {x: -0.2 - p * H, y: 0, x.diff(): 1}) for p in PHASES]
    # GeneralisedAlpha has no instants: its constraints swing for a while, to order 1.
    right = [0.25, 0.75] if relation == "contact" else [0.5, 0.5]
    np.testing.assert_allclose(found, [right] * len(PHASES), atol=H if scheme == "GeneralisedAlpha" else 1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_start_beyond_a_corner_is_no_kink(scheme: str) -> None:
    """At 1 m/s along x to the slope that it meets in its first step: as at the corner, met in the middle of a step."""
    ground = nsd.Contact("ground", y - sp.Max(x, 0), nsd.NewtonImpact(E))
    found = last(scheme, [x, y], ground, {x: 0.2, y: 0.2 + H / 2, x.diff(): 1})
    np.testing.assert_allclose(found, [0.25, 0.75], atol=1e-9)


def test_worlds_count_what_is_told_to_move_alike() -> None:
    """A ball on a slab that starts, at the start of a run or in it."""
    found = []
    for begins in (0, 5):
        world = nsd.World(restitution=0.5, gravity=[0, 0, 0])
        slab = world.stand(nsd.solids.Cuboid([4, 4, 0.2]), position=[0, 0, -0.1])
        ball = world.add(nsd.solids.Sphere(0.1), position=[0, 0, 0.1])
        if begins:
            world.run(begins * H, step=H)
        slab.velocity = [0, 0, 1]
        world.run(0.2, step=H)
        found.append(ball.velocity[2])
    np.testing.assert_allclose(found, 1.5, atol=1e-9)


JUMPS = {
    "cases": (nsd.piecewise((0, nsd.time < 0.105), (0.1, True)), 0, 0, 0.1),
    "sign": (0.05 * sp.sign(nsd.time - 0.105), -0.05, 0, 0.05),
    "remainder": (nsd.mod(nsd.time, 0.105), 0, 1, 0.095),
}
HOLD_VELOCITIES = [nsd.MoreauJean(), nsd.MoreauJean(theta=1), nsd.D1Minus(), nsd.GeneralisedAlpha()]
HOLD_POSITIONS = [nsd.MoreauJean(projection=nsd.Projection()), nsd.Rattle(), nsd.Variational(), nsd.SchatzmanPaoli()]


def prescribed(place, start, rate, scheme):
    block = nsd.LagrangianSystem("block", [x], kinetic=x.diff() ** 2 / 2)
    given = {"scheme": scheme, "step": H, "end": 0.2, "initial": {x: start, x.diff(): rate}}
    return nsd.Model("b", [block], [nsd.Bilateral("held", x - place)], **given).compile(interpret=True).run()


@pytest.mark.parametrize(("place", "start", "rate", "end"), JUMPS.values(), ids=JUMPS)
@pytest.mark.parametrize("scheme", HOLD_VELOCITIES, ids=lambda s: type(s).__name__)
@pytest.mark.few(3)
def test_a_place_that_jumps_is_refused_where_velocities_are_held(place, start, rate, end, scheme):
    """Two schemes kept x where it was, one swung with 20 m/s; all without a word."""
    with pytest.raises(nsd.errors.SolverError, match=r"'held'.* step 11 (.|\n)*a gap that has jumped in time"):
        prescribed(place, start, rate, scheme)


@pytest.mark.parametrize(("place", "start", "rate", "end"), JUMPS.values(), ids=JUMPS)
@pytest.mark.parametrize("scheme", HOLD_POSITIONS, ids=lambda s: type(s).__name__)
def test_a_place_that_jumps_is_followed_where_positions_are_held(place, start, rate, end, scheme):
    run = prescribed(place, start, rate, scheme)
    assert run["x"][-1] == pytest.approx(end, abs=1e-9) and run["x_dot"][-1] == pytest.approx(rate, abs=1e-9)


@pytest.mark.parametrize("scheme", HOLD_VELOCITIES, ids=lambda s: type(s).__name__)
@pytest.mark.few(2)
def test_a_place_with_kinks_is_held(scheme):
    """Continuous in time, once but for rounding: of a sine at the end of a period."""
    late = nsd.time - 0.105
    places = [
        (sp.sin(2 * sp.pi * nsd.mod(nsd.time, 0.1) / 0.1), 20 * np.pi),
        (nsd.piecewise((0, late < 0), (3 * late, True)), 0),
        (nsd.piecewise((0, late < 0), (30 * late**2, True)), 0),
    ]
    for place, rate in places:
        assert prescribed(place, 0, rate, scheme).time[-1] == pytest.approx(0.2)


SINKS = [*HOLD_VELOCITIES, nsd.Rattle(), nsd.Variational(), nsd.SchatzmanPaoli(), nsd.EventDriven()]

STAIRS = {
    "branch": nsd.piecewise((0, x < 0.505), (0.1, True)),
    "floor": 0.1 * sp.floor(x + 0.495),
    "sign": 0.05 * sp.sign(x - 0.505),
    "modulo": 0.1 * (1 - nsd.mod(x + 0.495, 1)),
    "turned": nsd.piecewise((0.1, x > 0.505), (0, True)),
    "disc": nsd.piecewise((0.1, (x - 0.555) ** 2 + (y - 0.05) ** 2 < 0.005), (0, True)),
    "circle": nsd.piecewise((0.1, sp.sin(3 * x) > sp.sin(sp.Float(1.515))), (0, True)),
}


def over(height, scheme, start, rate=0):
    """A ball that goes along x with 1 m/s, over a ground of this height."""
    ball = nsd.LagrangianSystem("ball", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y)
    floor = nsd.Contact("floor", y - height, nsd.NewtonImpact(0))
    initial = {x: 0, y: start, x.diff(): 1, y.diff(): rate}
    model = nsd.Model("m", [ball], [floor], scheme=scheme, step=H, end=0.6, initial=initial)
    return model.compile(interpret=True).run()


@pytest.mark.parametrize("stair", STAIRS)
@pytest.mark.parametrize("scheme", SINKS, ids=lambda s: type(s).__name__)
@pytest.mark.few(9)
def test_a_stair_is_refused(scheme, stair):
    """What slid to it went on inside at -0.1 m, or was thrown to 3.8 m."""
    with pytest.raises(
        nsd.errors.SolverError, match=r"'floor'.* step [45][0-9] (.|\n)*a gap that has jumped in time or place"
    ):
        over(STAIRS[stair], scheme, start={"sign": -0.05, "modulo": 0.0505}.get(stair, 0.0))


@pytest.mark.parametrize("stair", ["branch", "turned"])
@pytest.mark.parametrize("scheme", SINKS, ids=lambda s: type(s).__name__)
def test_over_a_stair_a_run_starts_as_it_is_told(scheme, stair):
    """Gap, rate and case of t_0 had been zero: what fell lost its speed in the first step, what rested was thrown."""
    falling = over(STAIRS[stair], scheme, start=5.0, rate=-1)
    assert falling["floor.gap"][0] == 5 and falling["y_dot"][2] == pytest.approx(-1 - 10 * 2 * H, abs=11 * H)
    assert falling["y"][2] == pytest.approx(5 - 2 * H - 10 * (2 * H) ** 2 / 2, abs=11 * H**2)
    with pytest.raises((nsd.errors.ParameterError, nsd.errors.SolverError), match=r"gap is -0\.01"):
        over(STAIRS[stair], scheme, start=-0.01)


@pytest.mark.parametrize("scheme", SINKS[:-1], ids=lambda s: type(s).__name__)
def test_a_stair_is_left_or_met_from_above(scheme):
    """It falls onto the upper side behind the edge, or down from it; a ramp has no cases that are kept.

    Nor has a divisor that is guarded: beyond its edge its value was taken for a jump, of 1e145 m.
    """
    lands = over(STAIRS["branch"], scheme, start=1.5)  # 0.2 m above the ground at the edge
    assert lands["y"][-1] == pytest.approx(0.1, abs=H * 6) and not lands["floor.leap"].any()
    falls = over(-STAIRS["branch"], scheme, start=0.0)
    assert falls["y"][-1] == pytest.approx(-10 * 0.095**2 / 2, abs=0.02)
    ramp = over(sp.Max(0, x - 0.505), scheme, start=0.0)
    guarded = over((x + 1) ** 2 / sp.sqrt(sp.Max((x + 1) ** 2, 1e-300)), scheme, start=4.0)
    assert not any("leap" in column.name for run in (ramp, guarded) for column in run.columns)


@pytest.mark.parametrize("start", [0.0, 0.08])
@pytest.mark.parametrize("scheme", SINKS, ids=lambda s: type(s).__name__)
@pytest.mark.few(4)
def test_a_floor_that_jumps_up_through_a_body_is_refused(scheme, start):
    """At rest on it or above it: it stayed inside, or left it with 10 m/s. A floor that jumps down lets it fall."""
    ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=10 * y)
    up, down = (nsd.piecewise((0, nsd.time < 0.105), (to, True)) for to in (0.1, -0.1))
    given = {"scheme": scheme, "step": H, "end": 0.2, "initial": {y: start, y.diff(): 0}}
    floors = [nsd.Contact("floor", y - height, nsd.NewtonImpact(0)) for height in (up, down)]
    with pytest.raises(nsd.errors.SolverError, match=r"'floor'.* step 11 (.|\n)*a gap that has jumped in time"):
        nsd.Model("m", [ball], floors[:1], **given).compile(interpret=True).run()
    falls = nsd.Model("m", [ball], floors[1:], **given).compile(interpret=True).run()
    late = 0.095 if start == 0.0 else 0.2
    assert falls["y"][-1] == pytest.approx(max(start - 5 * late**2, -0.1), abs=0.02)
