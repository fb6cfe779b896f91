"""Steps that end early, where a quantity of a system or a relation is zero."""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ParameterError

z, y = dynamicsymbols("z y")
G = 9.81


@dataclass(frozen=True)
class Watching(nsd.MoreauJean):
    """Steps end where the first coordinate of a system is at a level, or a gap at half a metre."""

    level: float = 0.0
    direction: str = "both"
    of_gaps: bool = False

    def system(self, step):
        super().system(step)
        if not self.of_gaps:
            step.cut("height", step.ended[step.cls.group("q")[0]] - self.level, self.direction)

    def relation(self, step):
        super().relation(step)
        if self.of_gaps:
            step.cut("gap", step.memory("gap_k")[0] - self.level, self.direction)


def falling(scheme, **settings):
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    return nsd.Model("falling", [ball], scheme=scheme, initial={z: 1.0}, **{"step": 0.1, "end": 1.0, **settings})


@pytest.mark.parametrize("start", [0.0, 3.0])
def test_the_instant_of_impact_of_a_falling_ball(start):
    """theta = 1/2 is exact for a constant force: z = 1 - g t^2 / 2 is zero at sqrt(2 / g)."""
    run = falling(Watching(), start=start, end=start + 1).run()
    (row,) = np.flatnonzero(run["cut"])
    assert abs(run.time[row] - start - np.sqrt(2 / G)) < 1e-15 * max(1, 8 * start)
    assert abs(run["ball.z"][row]) < 1e-14 and -1e-14 < run["ball.z"][row] <= 0
    np.testing.assert_allclose(run["ball.z_dot"][row], -np.sqrt(2 * G), rtol=1e-14)
    t = run.time - start
    np.testing.assert_allclose(run["ball.z"], 1 - G * t**2 / 2, rtol=0, atol=1e-13)


def test_the_grid_is_exact_whatever_is_cut():
    """t_k = t_0 + k h to the last bit; an instant where a step was cut is a row of its own."""
    run = falling(Watching()).run()
    assert len(run) == 12
    np.testing.assert_array_equal(np.delete(run.time, np.flatnonzero(run["cut"])), 0.1 * np.arange(11))
    assert "1 ball.height" in next(c.description for c in run.columns if c.name == "cut")


def oscillator(scheme, **settings):
    body = nsd.LagrangianSystem("body", [z], kinetic=z.diff() ** 2 / 2, potential=z**2 / 2)
    return nsd.Model("oscillator", [body], scheme=scheme, initial={z: 1.0}, **{"step": 0.25, "end": 20.0, **settings})


@pytest.mark.parametrize(("direction", "sign"), [("both", 0), ("rising", 1), ("falling", -1)])
def test_zero_crossings_of_an_oscillator(direction, sign):
    """One step of theta = 1/2 is x+ = ((1 - h^2/4) x + h v) / (1 + h^2/4): zero at the root of a quadratic in h."""
    run = oscillator(Watching(direction=direction)).run()
    rows = np.flatnonzero(run["cut"])
    assert len(rows) == {"both": 6, "rising": 3, "falling": 3}[direction]
    for row in rows:
        x, v = run["body.z"][row - 1], run["body.z_dot"][row - 1]
        roots = np.roots([-x / 4, v, x])
        h = min(r for r in roots if r > 0)
        assert abs(run.time[row] - run.time[row - 1] - h) < 4e-15 * max(1, run.time[row])
        assert sign * run["body.z_dot"][row] >= 0
    np.testing.assert_allclose(
        run["body.z"] ** 2 + run["body.z_dot"] ** 2, 1.0, rtol=1e-13
    )  # no step is lost or doubled
    late = np.array([run.time[r] for r in rows])
    wanted = (np.arange(6) + 0.5) * np.pi
    np.testing.assert_allclose(
        late,
        wanted[{"both": slice(None), "rising": slice(1, None, 2), "falling": slice(0, None, 2)}[direction]],
        rtol=1e-2,
    )


def test_the_step_that_is_cut_is_the_step_that_a_shorter_h_makes():
    """States, memory, multipliers and modes are those of one step of that length; then of the rest of the step."""

    def bouncing(scheme):
        balls = [
            nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2, potential=G * q) for n, q in (("a", z), ("b", y))
        ]
        floors = [nsd.Contact(f"floor {n}", q, nsd.NewtonImpact(0.8)) for n, q in (("a", z), ("b", y))]
        return nsd.Model("bouncing", balls, floors, scheme=scheme, step=0.02, end=2.0, initial={z: 1.0, y: 0.3})

    options = {"activation": "hysteresis"}
    plain = bouncing(nsd.MoreauJean(**options)).compile()
    run = bouncing(Watching(level=0.25, of_gaps=True, **options)).run()
    rows = np.flatnonzero(run["cut"])
    assert len(rows) >= 6 and set(run["cut"][rows]) == {1.0, 2.0}
    for row in (*rows, *(rows + 1)):
        before = {name: run[name][row - 1] for name in ("a.z", "a.z_dot", "b.y", "b.y_dot")}
        if run["floor a.impulse"][row - 1] or run["floor b.impulse"][row - 1]:
            continue  # the mode is carried over, a restart forgets it
        h = run.time[row] - run.time[row - 1]
        one = plain.run(start=run.time[row - 1], step=h, end=run.time[row], initial=before)
        for name in (*before, "floor a.gap", "floor b.gap_rate", "floor a.impulse", "floor b.impulse"):
            np.testing.assert_allclose(run[name][row], one[name][-1], rtol=0, atol=1e-13)
    for row in rows:
        assert abs(run["floor a.gap" if run["cut"][row] == 1 else "floor b.gap"][row] - 0.25) < 1e-14


def test_nothing_is_cut_where_nothing_is_zero():
    """The same steps to the last bit as without the quantity."""
    run, plain = falling(Watching(level=-100.0)).run(), falling(nsd.MoreauJean()).run()
    np.testing.assert_array_equal(run["ball.z"], plain["ball.z"])
    np.testing.assert_array_equal(run.time, plain.time)
    assert not run["cut"].any()


def test_a_quantity_that_begins_at_zero_cuts_where_it_comes_back():
    run = oscillator(Watching(level=1.0), end=8.0).run()
    assert run["cut"].sum() <= 2  # at t = 0 it touches the level and leaves; two pi later it may touch it again
    assert (np.diff(run.time) > 0).all()


def test_cut_instants_are_kept_whatever_else_is():
    whole = oscillator(Watching()).run()
    kept = oscillator(Watching()).run(every=16, record=["z"])
    np.testing.assert_array_equal(kept.time[kept["cut"] > 0], whole.time[whole["cut"] > 0])
    assert len(kept) == 1 + 5 + 6
    model = oscillator(Watching(), end=2000.0).compile()  # more cuts than there was room for
    assert (model.run(every=2000)["cut"] > 0).sum() == (model.run()["cut"] > 0).sum() > 600


def test_a_direction_that_does_not_exist():
    with pytest.raises(ParameterError, match="direction='up' is unknown"):
        falling(Watching(direction="up")).derive()
