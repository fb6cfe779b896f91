"""Forces by output, along rates, and constraints of velocities under the schemes that part motion and impacts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.schemes.scheme import Scheme
from nsdgen.study.trajectory import Trajectory
from nsdgen.symbolic.relations.relation import Relation

x, y, angle = dynamicsymbols("x y angle")
lam = nsd.multipliers("lam", 1)
SCHEMES = [nsd.D1Minus(), nsd.D1Minus(level="velocity"), nsd.SchatzmanPaoli(), nsd.SchatzmanPaoli(start="first_order")]
NAMES = ["D1Minus", "D1Minus velocity", "SchatzmanPaoli", "SchatzmanPaoli first order"]
every_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=NAMES)
both_schemes = pytest.mark.parametrize("scheme", SCHEMES[::2], ids=NAMES[::2])


def orders(error: Callable[[float], float], steps: tuple[float, ...]) -> tuple[np.ndarray, float]:
    """log2 of what halving the step makes of an error, and the last error."""
    errors = np.array([error(h) for h in steps])
    return np.log2(errors[:-1] / errors[1:]), float(errors[-1])


@every_scheme
def test_a_block_that_friction_stops_stays_where_it_stops(scheme: Scheme) -> None:
    """x'' = -f until t = v / f = 0.8, then nothing moves; the friction at rest is what pulls, below the level."""
    block = nsd.LagrangianSystem("block", [x], kinetic=x.diff() ** 2 / 2)
    level = sp.Rational(5, 2)
    rub = nsd.RateForce("rub", along=x, law=nsd.Relay(level))
    model = nsd.Model("m", [block], [rub], scheme=scheme, step=1e-3, end=2, initial={x: 0, x.diff(): 2}).compile()

    def error(h: float) -> float:
        run = model.run(step=h)
        t = np.minimum(run.time, 0.8)
        return float(abs(run["x"] - 2 * t + 1.25 * t**2).max())

    for h in (3e-3, 7e-4):  # the step in which it stops is off by the way that the friction of a step takes
        assert error(h) < (2 * h if scheme == SCHEMES[3] else 2.5 * h**2)
    run = model.run()
    resting = run.time > 0.81
    assert np.ptp(run["x"][resting]) < 1e-12 and abs(run["x_dot"][resting]).max() < 1e-12
    assert abs(run["rub.force"][resting]).max() < 1e-8


@every_scheme
def test_a_spring_by_its_compliance_is_of_the_order_of_the_scheme(scheme: Scheme) -> None:
    """y = x + lambda / k, an equality: an oscillator of frequency 3."""
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    spring = nsd.OutputRelation("spring", lam, [x + lam[0] / 9], {mass: lam}, nsd.Equality(), units=["N"])
    model = nsd.Model("m", [mass], [spring], scheme=scheme, step=1e-2, end=2, initial={x: 1}).compile()
    found, _ = orders(lambda h: abs(model.run(step=h)["x"][-1] - np.cos(6)), (0.02, 0.01, 0.005))
    assert abs(found - (1 if "first" in str(scheme) else 2)).max() < 0.15
    run = model.run()
    assert abs(run["lam[0]"][2:] + 9 * run["x"][1:-1]).max() < 1e-9  # the force at the start of a step


@both_schemes
def test_a_damper_by_output(scheme: Scheme) -> None:
    """lambda = -c v, of order one: velocities in outputs are those after the step."""
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    damper = nsd.OutputRelation("damper", lam, [lam[0] + 2 * x.diff()], {mass: lam}, nsd.Equality())
    model = nsd.Model("m", [mass], [damper], scheme=scheme, step=1e-2, end=1, initial={x: 0, x.diff(): 1}).compile()
    found, last = orders(lambda h: abs(model.run(step=h)["x"][-1] - (1 - np.exp(-2)) / 2), (0.01, 0.005))
    assert 0.85 < found[0] < 2.15 and last < 3e-3


@every_scheme
def test_a_prescribed_velocity_and_its_reaction(scheme: Scheme) -> None:
    """x' = sin 3t by force: m x'' + w = 6 cos 3t + 5."""
    cart = nsd.LagrangianSystem("cart", [x], kinetic=2 * x.diff() ** 2 / 2, potential=5 * x)
    drive = nsd.VelocityConstraint("drive", x.diff() - sp.sin(3 * nsd.time))
    model = nsd.Model("m", [cart], [drive], scheme=scheme, step=1e-3, end=2, initial={x: 0}).compile()
    found, last = orders(
        lambda h: abs((r := model.run(step=h))["x"] - (1 - np.cos(3 * r.time)) / 3).max(), (2e-3, 1e-3)
    )
    assert last < 2e-6 and found[0] > 1.8
    run = model.run()
    assert abs(run["drive.rate"]).max() < (1e-12 if "D1" in str(scheme) else 2e-3)
    force = run["drive.force_right"][1:] if "D1" in str(scheme) else run["drive.impulse"][1:] / 1e-6
    assert abs(force - 6 * np.cos(3 * run.time[:-1]) - 5)[1:].max() < (4e-2 if "velocity" in str(scheme) else 1e-4)


@both_schemes
def test_a_knife_edge_runs_in_a_circle(scheme: Scheme) -> None:
    """Nonholonomic: speed 1, turning at 1.5, a circle of radius 2/3."""
    sled = nsd.LagrangianSystem("sled", [x, y, angle], kinetic=(x.diff() ** 2 + y.diff() ** 2 + angle.diff() ** 2) / 2)
    skate = nsd.VelocityConstraint("skate", sp.cos(angle) * y.diff() - sp.sin(angle) * x.diff())
    model = nsd.Model(
        "m",
        [sled],
        [skate],
        scheme=scheme,
        step=1e-2,
        end=2,
        initial={x: 0, y: 0, angle: 0, x.diff(): 1, angle.diff(): 1.5},
    ).compile()

    def error(h: float) -> float:
        run = model.run(step=h)
        return float(
            np.hypot(run["x"] - np.sin(1.5 * run.time) / 1.5, run["y"] - (1 - np.cos(1.5 * run.time)) / 1.5).max()
        )

    found, last = orders(error, (0.01, 0.005))
    assert last < 1e-4 and found[0] > 1.8


@pytest.mark.parametrize(
    ("scheme", "law"),
    [
        (nsd.D1Minus(), nsd.Equality()),
        (nsd.D1Minus(), nsd.Complementarity()),
        (nsd.Rattle(), nsd.Equality()),
        (nsd.Variational(), nsd.Complementarity()),
    ],
    ids=["D1Minus", "D1Minus one way", "Rattle", "Variational one way"],
)
def test_a_force_without_a_bound_passes_impulses_on(scheme: Scheme, law: nsd.Law) -> None:
    """A ball that hits a wall takes another one with it, which it is coupled to: e = 1 turns both.

    Where the coupling only keeps the first from overtaking the second, it is the impact of one body of both masses.
    """
    balls = [nsd.LagrangianSystem(n, [c], kinetic=m * c.diff() ** 2 / 2) for n, c, m in (("a", x, 1), ("b", y, 3))]
    rod = nsd.RateForce("rod", along=y.diff() - x.diff(), law=law)
    wall = nsd.Contact("wall", gap=x, law=nsd.NewtonImpact(1))
    run = nsd.Model(
        "m", balls, [rod, wall], scheme=scheme, step=1e-3, end=1, initial={x: 0.5, y: 0.7, x.diff(): -1, y.diff(): -1}
    ).run()
    assert run["a.x_dot"][-1] == pytest.approx(1) and run["b.y_dot"][-1] == pytest.approx(1)
    assert run["wall.impulse"].max() == pytest.approx(8)


@pytest.mark.parametrize("scheme", [nsd.D1Minus(), nsd.Rattle()], ids=["D1Minus", "Rattle"])
def test_a_force_with_a_bound_passes_nothing_on(scheme: Scheme) -> None:
    """A clutch that slips: the impact is that of the first ball alone, then friction pulls both to one speed."""
    balls = [nsd.LagrangianSystem(n, [c], kinetic=m * c.diff() ** 2 / 2) for n, c, m in (("a", x, 1), ("b", y, 3))]
    clutch = nsd.RateForce("clutch", along=y.diff() - x.diff(), law=nsd.Relay(2))
    wall = nsd.Contact("wall", gap=x, law=nsd.NewtonImpact(1))
    run = nsd.Model(
        "m",
        balls,
        [clutch, wall],
        scheme=scheme,
        step=1e-3,
        end=0.6,
        initial={x: 0.5, y: 0.7, x.diff(): -1, y.diff(): -1},
    ).run()
    struck = int(np.flatnonzero(run["wall.impulse"])[0])
    assert run["wall.impulse"][struck] == pytest.approx(2, abs=1e-2)
    assert run["b.y_dot"][struck] == pytest.approx(-1, abs=1e-2)


@pytest.mark.parametrize(
    ("output", "law", "words"),
    [
        (x.diff() + lam[0] ** 2 - lam[0], nsd.Equality(), ""),
        (x, nsd.Complementarity(), "nsd.Contact"),
        (x.diff(), nsd.PiecewiseLinear([(0, 0)], end_slopes=(sp.oo, sp.oo)), "impulses"),
    ],
)
@pytest.mark.parametrize("scheme", [nsd.D1Minus(), nsd.Rattle()], ids=["D1Minus", "Rattle"])
def test_what_is_not_known_to_pass_impulses_on_is_refused(scheme: Scheme, output, law, words: str) -> None:
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    relation = nsd.OutputRelation("r", lam, [output], {mass: lam}, law)
    model = nsd.Model("m", [mass], [relation], scheme=scheme, step=1e-2, end=1, initial={x: 1})
    if not words:
        model.derive()
        return
    with pytest.raises(nsd.errors.ModelError, match=words):
        model.derive()


@pytest.mark.parametrize("level", ["acceleration", "velocity"])
class TestFrictionUnderD1Minus:
    """Coulomb friction in forces and impacts."""

    def slope(self, level: str, mu: float, before: float = 0) -> Trajectory:
        """A block on a slope of 30 degrees, x along it, y off it."""
        block = nsd.LagrangianSystem(
            "block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=9.81 * (-x / 2 + sp.sqrt(3) * y / 2)
        )
        touch = nsd.Contact("touch", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0, mu))
        return nsd.Model(
            "slope",
            [block],
            [touch],
            scheme=nsd.D1Minus(level=level),
            step=1e-3,
            end=1,
            initial={x: 0, y: 0, x.diff(): before},
        ).run()

    def test_it_slides_down_where_friction_is_too_small(self, level: str) -> None:
        run = self.slope(level, 0.3)
        pull = 9.81 * (0.5 - 0.3 * np.sqrt(3) / 2)
        assert abs(run["x"] - pull * run.time**2 / 2).max() < 1e-9
        assert abs(run["touch.force_right[1]"][1:] + 0.3 * 9.81 * np.sqrt(3) / 2).max() < 1e-9

    def test_it_sticks_where_friction_holds_it(self, level: str) -> None:
        run = self.slope(level, 0.7)
        assert abs(run["x"]).max() < 1e-12 and abs(run["touch.force_left[1]"][1:] + 9.81 / 2).max() < 1e-9
        assert abs(run["touch.impulse"]).max() < 1e-12

    def test_it_stops_going_up(self, level: str) -> None:
        """From speed 2 upwards it comes to rest after 2 / (g (sin + mu cos)) and stays."""
        run = self.slope(level, 0.7, before=-2)
        slow = 9.81 * (0.5 + 0.7 * np.sqrt(3) / 2)
        t = np.minimum(run.time, 2 / slow)
        assert abs(run["x"] + 2 * t - slow * t**2 / 2).max() < 5e-3
        assert np.ptp(run["x"][run.time > 2 / slow + 2e-3]) < 1e-12


def test_a_rough_impact_under_d1_minus_is_that_of_moreau_jean() -> None:
    """A ball thrown at a floor keeps its spin away: u_N = -e u_N,k, u_T by sticking or sliding."""
    turning = 0.4 * angle.diff() ** 2
    for mu, slides in ((0.05, True), (0.9, False)):
        puck = nsd.LagrangianSystem("puck", [x, y, angle], kinetic=(x.diff() ** 2 + y.diff() ** 2 + turning) / 2)
        touch = nsd.Contact("touch", gap=y, tangent=x + angle, law=nsd.NewtonImpactFriction(0.6, mu))
        run = nsd.Model(
            "p",
            [puck],
            [touch],
            scheme=nsd.D1Minus(),
            step=1e-3,
            end=1,
            initial={x: 0, y: 0.5, angle: 0, x.diff(): 0.5, y.diff(): -1},
        ).run()
        assert run["y_dot"][-1] == pytest.approx(0.6)
        impulse = -mu * 1.6 if slides else -0.5 / (1 + 1 / 0.4)
        assert run["x_dot"][-1] == pytest.approx(0.5 + impulse) and run["angle_dot"][-1] == pytest.approx(impulse / 0.4)


@both_schemes
def test_a_compliant_contact(scheme: Scheme) -> None:
    """0 <= x + lambda / k orthogonal to lambda >= 0: half a period of the spring turns the speed round."""
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2)
    touch = nsd.OutputRelation("touch", lam, [x + lam[0] / 400], {mass: lam}, nsd.Complementarity())
    model = nsd.Model("m", [mass], [touch], scheme=scheme, step=1e-3, end=0.6, initial={x: 0.1, x.diff(): -2})

    def exact(t: np.ndarray) -> np.ndarray:
        inside = -np.sin(20 * np.clip(t - 0.05, 0, np.pi / 20)) / 10
        return np.where(t < 0.05, 0.1 - 2 * t, inside + 2 * np.maximum(t - 0.05 - np.pi / 20, 0))

    found, last = orders(lambda h: abs((r := model.run(step=h))["x"] - exact(r.time)).max(), (2e-3, 5e-4))
    assert last < 2e-4 and found[0] > 3.4


IMPACTS = [
    nsd.MoreauJean(projection=nsd.Projection()),
    nsd.MoreauJean(projection=nsd.Projection(velocities=True)),
    nsd.MoreauJean(force_at="linear", projection=nsd.Projection()),
    nsd.Rattle(),
    nsd.Variational(),
    nsd.D1Minus(),
    nsd.GeneralisedAlpha(),
]
across_impacts = pytest.mark.parametrize("scheme", IMPACTS, ids=lambda s: f"{type(s).__name__}")


def bouncing(scheme: Scheme, element: Callable[[nsd.LagrangianSystem], Relation]) -> Trajectory:
    """A ball of 1 kg that falls from 1 m and bounces with e = 4/5, and something that acts on it."""
    ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=9.81 * y)
    floor = nsd.Contact("floor", y, nsd.NewtonImpact(0.8))
    model = nsd.Model("m", [ball], [floor, element(ball)], scheme=scheme, step=1e-2, end=1.2, initial={y: 1})
    return model.compile(interpret=True).run()


@across_impacts
def test_a_force_is_that_of_the_state_of_its_row(scheme: Scheme) -> None:
    """Behind impacts and projections, too: it was that before the projection, off by 0.055 N."""
    run = bouncing(scheme, lambda ball: nsd.ForceElement("pull", y, -2 * y.diff() - 50 * y))
    assert run["floor.impulse"].max() > 1
    np.testing.assert_array_equal(run["pull.force"], -2 * run["y_dot"] - 50 * run["y"])


@across_impacts
@pytest.mark.parametrize("law", [nsd.Equality(), nsd.Complementarity()], ids=["both ways", "one way"])
def test_a_damper_has_the_force_of_the_state_of_its_row(scheme: Scheme, law: nsd.Law) -> None:
    """y = lambda + 2 v; where an impact strikes it was that of the velocity before it, 14 N off."""
    run = bouncing(scheme, lambda ball: nsd.OutputRelation("damper", lam, [lam[0] + 2 * y.diff()], {ball: lam}, law))
    force = -2 * run["y_dot"]
    if isinstance(law, nsd.Complementarity):
        force = np.maximum(force, 0)
    np.testing.assert_allclose(run["damper.lam_end[0]"][1:], force[1:], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(run["damper.output"][1:], (run["damper.lam_end[0]"] + 2 * run["y_dot"])[1:])


@pytest.mark.parametrize("scheme", [nsd.Rattle(), nsd.Variational(), nsd.D1Minus()], ids=lambda s: type(s).__name__)
def test_a_brake_acts_against_the_velocity_behind_an_impact(scheme: Scheme) -> None:
    """Its force had the sign of before; where it sticks it keeps what it has."""
    run = bouncing(scheme, lambda ball: nsd.OutputRelation("brake", lam, [y.diff()], {ball: lam}, nsd.Relay(3)))
    moves = abs(run["y_dot"]) > 1e-6
    assert (run["floor.impulse"] > 1).sum() == 2
    np.testing.assert_allclose(run["brake.lam_end[0]"][moves], -3 * np.sign(run["y_dot"][moves]), rtol=1e-12)
    slope = nsd.LagrangianSystem("block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, forces=[1, -9.81])
    floor = nsd.Contact("floor", y, nsd.NewtonImpact(0.8))
    brake = nsd.OutputRelation("brake", lam, [x.diff()], {slope: [lam[0], 0]}, nsd.Relay(3))
    stuck = nsd.Model("m", [slope], [floor, brake], scheme=scheme, step=1e-2, end=1, initial={x: 0, y: 1}).run()
    np.testing.assert_allclose(stuck["brake.lam_end[0]"][1:], -1, rtol=1e-6)
    assert np.abs(stuck["x"]).max() < 1e-12 and stuck["floor.impulse"].max() > 1


def test_a_spring_is_that_of_the_place_that_impacts_lead_to() -> None:
    """Under GeneralisedAlpha, whose impacts move q by h (v - v-) / 2."""
    run = bouncing(
        nsd.GeneralisedAlpha(),
        lambda ball: nsd.OutputRelation("spring", lam, [lam[0] + 50 * y], {ball: lam}, nsd.Equality()),
    )
    np.testing.assert_allclose(run["spring.lam_end[0]"], -50 * run["y"], rtol=0, atol=1e-12)
