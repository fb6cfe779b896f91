"""Blocks from event to event, resets where conditions come true, pulses: against closed forms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError, NotConverged

from .switchings import SCHEMES, times

x, v, y = dynamicsymbols("x v y")
a, b = dynamicsymbols("a b")
u, z, n, q = sp.symbols("u z n q")
e, d = nsd.sampled("e"), nsd.sampled("d")
G = 9.81


def last_rows(run: nsd.Trajectory, instants: np.ndarray) -> np.ndarray:
    """The last row at each instant: the side after."""
    return np.array([np.flatnonzero(np.abs(run.time - t) < 1e-9)[-1] for t in instants])


class TestSampledFromEventToEvent:
    """A double integrator under a sampled controller: exact between instants, so the recursion is exact."""

    plant = nsd.FirstOrderSystem("plant", [x, v], [v, u])

    def loop(self, **changes: Any) -> nsd.Model:
        block = nsd.Sampled(
            "pid",
            0.1,
            samples={"e": 1 - x, "d": -v},
            state=[z],
            update={z: z + e * nsd.period},
            holds={u: 2 * e + d + z / 2},
            initial={z: 0.25},
            **changes,
        )
        scheme = nsd.EventDriven()
        return nsd.Model("loop", [self.plant], scheme=scheme, step=0.01, end=3, blocks=[block], initial={x: 0, v: 0})

    @staticmethod
    def recursion(first: float = 0.0, held: float = 0.0, end: float = 3.0) -> tuple[np.ndarray, np.ndarray]:
        instants = first + 0.1 * np.arange(round((end - first) / 0.1 + 0.5 - 1e-6))
        position, speed, integral, rows = 0.5 * held * first**2, held * first, 0.25, []
        for _ in instants:
            error = 1 - position
            force, integral = 2 * error - speed + integral / 2, integral + 0.1 * error
            rows.append((position, speed, error, integral, force))
            position, speed = position + 0.1 * speed + 0.005 * force, speed + 0.1 * force
        return instants, np.array(rows)

    @pytest.mark.parametrize("step", [0.01, 0.03, 0.1, 0.25, 3.0])
    def test_the_recursion_whatever_the_step(self, step: float) -> None:
        run = self.loop().run(step=step)
        instants, rows = self.recursion(end=float(run.time[-1]) + 1e-9)
        columns = np.column_stack([run[k] for k in ("plant.x", "plant.v", "pid.e", "pid.z", "pid.u")])
        assert np.abs(columns[last_rows(run, instants)] - rows).max() < 1e-13
        assert not run.events

    def test_offset_and_period_are_data(self) -> None:
        run = self.loop().run(parameters={"pid.offset": 0.037})
        instants, rows = self.recursion(first=0.037)
        assert np.abs(run["plant.x"][last_rows(run, instants)] - rows[:, 0]).max() < 1e-13

    def test_both_sides_of_an_instant_are_rows(self) -> None:
        run = self.loop().run(step=0.05)
        at = last_rows(run, np.array([0.1]))[0]
        assert run.time[at] == run.time[at - 1] and run["plant.x"][at] == run["plant.x"][at - 1]
        assert run["pid.u"][at] != run["pid.u"][at - 1] == run["pid.u"][at - 2]
        assert len(run.time) == 61 + 30  # thirty instants behind the start

    def test_a_force_that_lifts_a_body(self) -> None:
        """Rests under u = 0, rises under 15 - 10 for a second, then falls."""
        body = nsd.LagrangianSystem("body", [y], kinetic=y.diff() ** 2 / 2, potential=10 * y, forces=[u])
        ground = nsd.Contact("ground", gap=y, law=nsd.NewtonImpact(0))
        lift = nsd.Sampled(
            "lift", 1.0, state=[n], update={n: n + 1}, holds={u: sp.Piecewise((15, sp.Eq(n, 1)), (0, True))}
        )
        model = nsd.Model(
            "lift", [body], [ground], scheme=nsd.EventDriven(), step=0.13, end=5, blocks=[lift], initial={y: 0}
        )
        run = model.run()
        assert times(run, "ground") == pytest.approx([2 + (5 + math.sqrt(75)) / 10], abs=1e-12)
        assert run["ground.force"][0] == 10 and run["body.y"].min() > -1e-12

    def test_guards_and_resets_at_instants(self) -> None:
        cell = nsd.FirstOrderSystem("cell", [v], [2 - v])
        fire = nsd.Sampled(
            "fire", 0.25, samples={"e": v}, state=[n], update={n: n + 1}, guard=e >= 1, resets={v: e - 1}
        )
        model = nsd.Model("cell", [cell], scheme=nsd.EventDriven(), step=0.1, end=5, blocks=[fire], initial={v: 0})
        level, count = 0.0, 0
        for _ in range(20):
            level = 2 - (2 - level) * math.exp(-0.25)
            if level >= 1:
                level, count = level - 1, count + 1
        run = model.run()
        assert run["n"][-1] == count and run["cell.v"][-1] == pytest.approx(level, abs=1e-10)

    def test_a_set_valued_controller(self) -> None:
        lam = nsd.multipliers("lam", 1)
        trolley = nsd.FirstOrderSystem("trolley", [x], [u + sp.cos(3 * nsd.time)])
        block = nsd.Sampled(
            "sliding",
            0.05,
            samples={"e": x},
            multipliers=lam,
            output=[e + nsd.period * lam[0]],
            law=nsd.Relay(),
            holds={u: 2 * lam[0]},
        )
        run = nsd.Model(
            "sliding", [trolley], scheme=nsd.EventDriven(), step=0.02, end=2, blocks=[block], initial={x: 1}
        ).run()
        position = 1.0
        for k in range(40):
            force = 2 * min(1.0, max(-1.0, -position / 0.05))
            position += 0.05 * force + (math.sin(0.15 * (k + 1)) - math.sin(0.15 * k)) / 3
        assert run["trolley.x"][-1] == pytest.approx(position, abs=1e-10)

    def test_many_members(self) -> None:
        compiled = self.loop().compile()
        periods = [0.1, 0.07]
        members = compiled.ensemble(parameters={"pid.period": periods})
        alone = [compiled.run(parameters={"pid.period": p}) for p in periods]
        assert members.last("plant.x").tolist() == [run["plant.x"][-1] for run in alone]


class TestReset:
    """States that jump where a condition comes true."""

    @pytest.mark.parametrize(("scheme", "within"), [("events", 2e-11), ("steps", 1e-4), ("exponentials", 1e-14)])
    def test_a_neuron_fires_every_ln_2(self, scheme: str, within: float) -> None:
        cell = nsd.FirstOrderSystem("cell", [v], [2 - v])
        fire = nsd.Reset("fire", v >= 1, {v: v - 1}, state=[n], update={n: n + 1})
        model = nsd.Model("neuron", [cell], scheme=SCHEMES[scheme](), step=0.01, end=7, blocks=[fire], initial={v: 0})
        run = model.run()
        assert run["n"][-1] == 10 and [event.kind for event in run.events] == ["when"] * 10
        assert np.abs(times(run, "fire") - math.log(2) * np.arange(1, 11)).max() < within

    @pytest.mark.parametrize("scheme", [nsd.EventDriven(), nsd.MoreauJean()])
    def test_a_ball_bounces_until_its_bounces_have_no_end(self, scheme: Any) -> None:
        """t_k = f (1 + 2 e (1 - e^k) / (1 - e)): exact for parabolas under schemes of order 2, too."""
        ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=G * y)
        bounce = nsd.Reset("bounce", y <= 0, {y.diff(): -0.8 * y.diff()})
        model = nsd.Model("bounces", [ball], scheme=scheme, step=0.01, end=3, blocks=[bounce], initial={y: 1})
        run, fall = model.run(), math.sqrt(2 / G)
        found = times(run, "bounce")
        assert np.abs(found - fall * (1 + 8 * (1 - 0.8 ** np.arange(len(found))))).max() < 1e-13
        assert len(found) == 6 and run["ball.y"].min() > -1e-12
        with pytest.raises(NotConverged, match=r"comes true again .* s after it did") as error:
            model.run(end=10)
        assert "a relation with a law" in str(error.value)
        assert error.value.trajectory.time[-1] == pytest.approx(9 * fall, abs=1e-9)
        assert error.value.trajectory["ball.y"].min() > -1e-12

    @pytest.mark.parametrize("scheme", ["events", "steps"])
    def test_what_one_sets_makes_another_due_at_the_same_instant(self, scheme: str) -> None:
        ramps = nsd.FirstOrderSystem("ramps", [a, b], [1, 0])
        tooth = nsd.Reset("tooth", a >= 1, {a: 0, b: b + 1})
        carry = nsd.Reset("carry", b >= 2, {b: b - 2}, state=[n], update={n: n + 1})
        for blocks in ([tooth, carry], [carry, tooth]):
            model = nsd.Model(
                "chain", [ramps], scheme=SCHEMES[scheme](), step=0.3, end=4.5, blocks=blocks, initial={a: 0, b: 0}
            )
            run = model.run()
            assert (run["n"][-1], run["ramps.b"][-1]) == (2, 0) and run["ramps.a"][-1] == pytest.approx(0.5, abs=1e-14)
            assert np.unique(times(run, "tooth")) == pytest.approx([1, 2, 3, 4], abs=1e-14)

    @pytest.mark.parametrize("scheme", [nsd.EventDriven(), nsd.MoreauJean()])
    def test_a_velocity_that_an_impact_turns(self, scheme: Any) -> None:
        ball = nsd.LagrangianSystem("ball", [y], kinetic=y.diff() ** 2 / 2, potential=G * y)
        floor = nsd.Contact("floor", gap=y, law=nsd.NewtonImpact(0.5))
        count = nsd.Reset("count", y.diff() >= 0, state=[n], update={n: n + 1})
        run = nsd.Model(
            "turns", [ball], [floor], scheme=scheme, step=0.01, end=1.2, blocks=[count], initial={y: 1}
        ).run()
        assert run["n"][-1] == 3  # at the three impacts, and at no top

    @pytest.mark.parametrize("scheme", ["events", "steps"])
    def test_conditions_of_time_and_joined_ones(self, scheme: str) -> None:
        ramp = nsd.FirstOrderSystem("ramp", [a], [1])
        kick = nsd.Reset("kick", nsd.time >= sp.Rational(1, 3), {a: 10})
        both = nsd.Reset("both", (a >= sp.Rational(1, 4)) & (a <= 5), holds={q: 1})
        either = nsd.Reset("either", (a >= 20) | (nsd.time >= sp.Rational(1, 2)), holds={z: nsd.time})
        run = nsd.Model(
            "kicked", [ramp], scheme=SCHEMES[scheme](), step=0.1, end=1, blocks=[kick, both, either], initial={a: 0}
        ).run()
        found = [(event.name, event.time) for event in run.events]
        assert [name for name, _ in found] == ["both", "kick", "either"]
        assert [t for _, t in found] == pytest.approx([1 / 4, 1 / 3, 1 / 2], abs=1e-15)
        assert run["ramp.a"][-1] == pytest.approx(10 + 2 / 3, abs=1e-14) and run["z"][-1] == pytest.approx(0.5)

    @pytest.mark.parametrize("scheme", ["events", "steps"])
    def test_guards_are_asked_where_the_condition_comes_true(self, scheme: str) -> None:
        ramps = nsd.FirstOrderSystem("ramps", [a, b], [1, -1])
        third = nsd.Reset("third", a >= 1, {a: 0}, state=[n], update={n: n + 1})
        guarded = nsd.Reset("guarded", a >= sp.Rational(1, 2), {b: b + 10}, guard=(n >= 2) & (b < 0))
        model = nsd.Model(
            "guarded",
            [ramps],
            scheme=SCHEMES[scheme](),
            step=0.3,
            end=3.1,
            blocks=[third, guarded],
            initial={a: 0, b: 0},
        )
        assert model.run()["ramps.b"][-1] == pytest.approx(10 - model.run().time[-1], abs=1e-13)

    @pytest.mark.parametrize("scheme", ["events", "steps"])
    def test_one_that_is_true_at_the_start_waits_until_it_comes_true(self, scheme: str) -> None:
        turn = nsd.FirstOrderSystem("turn", [a], [sp.sin(nsd.time)])  # a = 1.5 - cos t
        mark = nsd.Reset("mark", a >= 1, holds={z: nsd.time})
        model = nsd.Model("mark", [turn], scheme=SCHEMES[scheme](), step=0.01, end=8, blocks=[mark], initial={a: 1.5})
        assert len(model.run().events) == 0
        run = model.run(initial={a: 0.75})  # 1.75 - cos t is 1 where cos t = 0.75
        assert times(run, "mark")[:1] == pytest.approx([math.acos(0.75)], abs=1e-4)

    @pytest.mark.parametrize("scheme", ["events", "steps"])
    def test_a_block_that_would_act_again_at_once_is_refused(self, scheme: str) -> None:
        ramps = nsd.FirstOrderSystem("ramps", [a, b], [1, 0])
        down, up = nsd.Reset("down", a >= 1, {a: 0.5}), nsd.Reset("up", a <= 0.9, {a: 1.2})
        model = nsd.Model(
            "again", [ramps], scheme=SCHEMES[scheme](), step=0.3, end=3, blocks=[down, up], initial={a: 0.95, b: 0}
        )
        with pytest.raises(NotConverged, match="block 'down': its condition comes true again by what follows from it"):
            model.run()

    def test_a_touch_between_two_recorded_instants_is_found(self) -> None:
        """1 - (t - 1.503)^2 / 1e-4 is positive for a fiftieth of a step."""
        ramp = nsd.FirstOrderSystem("ramp", [a], [1])
        peak = nsd.Reset("peak", 1 - ((a - sp.Rational(1503, 1000)) * 100) ** 2 >= 0, holds={z: nsd.time})
        run = nsd.Model("peak", [ramp], scheme=nsd.EventDriven(), step=1, end=3, blocks=[peak], initial={a: 0}).run()
        assert run["z"][-1] == pytest.approx(1.493, abs=1e-12)

    def test_a_stop_ends_the_run_before_what_happens_there(self) -> None:
        ramp = nsd.FirstOrderSystem("ramp", [a], [1])
        back = nsd.Reset("back", a >= 1, {a: 0})
        for scheme in (nsd.EventDriven(), nsd.ThetaGamma()):
            run = nsd.Model(
                "stopped", [ramp], scheme=scheme, step=0.3, end=3, blocks=[back], initial={a: 0}, stop_when=a - 1
            ).run()
            assert run.time[-1] == pytest.approx(1, abs=1e-14)

    def test_rows_before_and_after(self) -> None:
        ramp = nsd.FirstOrderSystem("ramp", [a], [1])
        back = nsd.Reset("back", a >= 1, {a: 0})
        run = nsd.Model("rows", [ramp], scheme=nsd.EventDriven(), step=0.3, end=2, blocks=[back], initial={a: 0}).run()
        event = run.events[0]
        assert (event.kind, event.name) == ("when", "back")
        assert run["ramp.a"][event.before] == pytest.approx(1, abs=1e-15) and run["ramp.a"][event.after] == 0

    @pytest.mark.parametrize("scheme", ["events", "steps"])
    @pytest.mark.parametrize(
        ("when", "resets", "update"),
        [((a >= b) & (x <= 0), {b: a, x: 1}, {}), (a >= z, {a: z}, {z: z + 1})],
    )
    def test_a_quantity_that_stays_zero_is_led_away_by_another_part(self, scheme, when, resets, update) -> None:
        """a ticks at 2, 3, 4, 5 s: as the simplest walker, with both feet on the ground, and by a held level."""
        ramps = nsd.FirstOrderSystem("ramps", [a, b, x], [1, 0, -1])
        tick = nsd.Reset("tick", when, resets, state=list(update), update=update, initial={z: 2} if update else None)
        start = {a: 0, b: 2, x: 1}
        run = nsd.Model(
            "ticks", [ramps], scheme=SCHEMES[scheme](), step=0.3, end=5.5, blocks=[tick], initial=start
        ).run()
        assert times(run, "tick") == pytest.approx([2, 3, 4, 5], abs=1e-12)


class TestRefused:
    """What does not fit together, by name and with a remedy."""

    @pytest.mark.parametrize(
        ("when", "message"),
        [
            (x - 1, "is no condition"),
            (True, "is always True"),
            (sp.Eq(x, 1), "holds at a point"),
            (sp.Symbol("c"), "is no condition"),
            ((x >= 1) & sp.Eq(v, 0), "holds at a point"),
            ((x >= 0) | (x <= 0), "always holds"),
            ((x >= 2) & (x <= 1) & (v >= 0), "or nowhere"),
        ],
    )
    def test_what_is_no_condition(self, when: Any, message: str) -> None:
        for make in (
            lambda: nsd.Reset("r", when, {x: 0}),
            lambda: nsd.Latch("r", q, on=when, off=x <= 0),
            lambda: nsd.Latch("r", q, on=x >= 5, off=when),
        ):
            with pytest.raises(ModelError, match=message) as error:
                make()
            assert "x >= 1" in str(error.value) and "block 'r'" in str(error.value)

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: nsd.Reset("r", x >= 1), "neither a state nor outputs"),
            (lambda: nsd.Reset("r", x >= 1, {q: 0}), "q is no state of a system"),
            (lambda: nsd.Reset("r", x >= 1, [x]), "not a mapping"),
            (lambda: nsd.Reset("r", x >= 1, state=[n]), "n has no update"),
            (lambda: nsd.Reset("r", x >= 1, {x: 0}, initial={n: 1}), "neither a state nor held"),
            (lambda: nsd.Reset("r", x >= 1, {x: 0}, guard=x), "is no condition"),
            (lambda: nsd.Latch("r", x, on=x >= 1, off=x <= 0), "is no symbol"),
            (lambda: nsd.Latch("r", q, on=x >= 1, off=x <= 0, initial=0.5), "neither 0 nor 1"),
        ],
    )
    def test_pieces_that_do_not_fit(self, make: Callable[[], Any], message: str) -> None:
        with pytest.raises(ModelError, match=message):
            make()

    def test_quantities_that_are_nobodys(self) -> None:
        plant = nsd.FirstOrderSystem("plant", [x], [1])
        for block in (
            nsd.Reset("r", v >= 1, {x: 0}),
            nsd.Reset("r", x >= 1, {v: 0}),
            nsd.Reset("r", x >= 1, {x: v}),
            nsd.Reset("r", x >= n, {x: 0}),
        ):
            with pytest.raises(ModelError, match="'r'"):
                nsd.Model("m", [plant], scheme=nsd.EventDriven(), step=1, end=2, blocks=[block], initial={x: 0}).run()


class TestPulses:
    """Pulse-width modulation and ramps by counters: q = rises - falls, edges at k T and (k + d) T."""

    rises, falls = sp.symbols("rises falls")
    T, D = sp.Rational(1, 10), sp.Rational(3, 10)

    def pulses(self, scheme: Any) -> nsd.Model:
        """x' = q - x, and a ramp that a second state integrates; no edge but those at 0 lies on the grid."""
        on = nsd.Sampled("on", 0.1, state=[self.rises], update={self.rises: self.rises + 1}, between="cut")
        off = nsd.Sampled(
            "off", 0.1, offset=0.03, state=[self.falls], update={self.falls: self.falls + 1}, between="cut"
        )
        ramp = (nsd.time - (self.rises - 1) * self.T) / self.T
        plant = nsd.FirstOrderSystem("plant", [x, y], [self.rises - self.falls - x, ramp])
        return nsd.Model("pulses", [plant], scheme=scheme, step=0.007, end=1.05, blocks=[on, off], initial={x: 0, y: 0})

    @staticmethod
    def exact(t: float) -> tuple[float, float]:
        value, at, k = 0.0, 0.0, 0
        while True:
            for edge, level in ((0.1 * k + 0.03, 1.0), (0.1 * (k + 1), 0.0)):
                end = min(edge, t)
                value, at = level + (value - level) * math.exp(at - end), end
                if end == t:
                    whole, part = divmod(t, 0.1)
                    return value, 0.05 * whole + 5 * part**2
            k += 1

    @pytest.mark.parametrize(("scheme", "within"), [("events", 1e-11), ("steps", 2e-5), ("exponentials", 1e-13)])
    def test_edges_are_where_they_are_said_to_be(self, scheme: str, within: float) -> None:
        run = self.pulses(SCHEMES[scheme]()).run()
        for edge in [0.1 * k for k in range(1, 10)] + [0.03 + 0.1 * k for k in range(10)]:
            assert np.abs(run.time - edge).min() < 1e-15
        value, integral = self.exact(float(run.time[-1]))
        assert run["plant.x"][-1] == pytest.approx(value, abs=within)
        assert run["plant.y"][-1] == pytest.approx(integral, abs=1e-12)

    @pytest.mark.parametrize("scheme", [nsd.ThetaGamma(), nsd.EventDriven()])
    def test_a_run_that_goes_on_has_the_same_edges(self, scheme: Any) -> None:
        """On a grid of powers of two times are exact, so steps repeat to the last bit."""
        model = self.pulses(scheme)
        whole = model.run(step=2.0**-7)
        on_grid = np.flatnonzero(whole.time % 2.0**-7 == 0)
        for row in on_grid[[0, 3, 20, 61]]:
            rest = model.run(step=2.0**-7, restart=(whole, int(row)), end=float(whole.time[-1]))
            assert rest["rises"][-1] == whole["rises"][-1] and rest["falls"][-1] == whole["falls"][-1]
            assert rest["plant.x"][-1] == pytest.approx(whole["plant.x"][-1], abs=1e-11)
            if isinstance(scheme, nsd.ThetaGamma):
                assert np.array_equal(rest.time, whole.time[row:])
                assert np.array_equal(rest["plant.x"], whole["plant.x"][row:])

    def test_resets_and_latches_go_on_too(self) -> None:
        cell = nsd.FirstOrderSystem("cell", [v, x], [2 - v, 2 * q - x])
        fire = nsd.Reset("fire", v >= 1, {v: v - 1}, state=[n], update={n: n + 1})
        relay = nsd.Latch("relay", q, on=x <= 0.9, off=x >= 1.1)
        for scheme in (nsd.ThetaGamma(), nsd.EventDriven()):
            model = nsd.Model(
                "cell", [cell], scheme=scheme, step=2.0**-6, end=4, blocks=[fire, relay], initial={v: 0, x: 0}
            )
            whole = model.run()
            on_grid = np.flatnonzero(whole.time % 2.0**-6 == 0)[[0, 9, 70]]
            for row in [*map(int, on_grid), *(r for event in whole.events[:6] for r in (event.before, event.after))]:
                rest = model.run(restart=(whole, row), end=4)
                later = whole.time[row] + 1e-9
                expected, found = (
                    [(event.name, event.kind, event.time) for event in r.events if event.time > later]
                    for r in (whole, rest)
                )
                expected, found = ([e for e in group if e[2] < 4 - 1e-6] for group in (expected, found))
                assert [e[:2] for e in found] == [e[:2] for e in expected]
                within = 1e-9 if isinstance(scheme, nsd.EventDriven) else 1e-3
                assert [e[2] for e in found] == pytest.approx([e[2] for e in expected], abs=within)
                if rest.time[-1] == 4:
                    assert rest["n"][-1] == whole["n"][-1] and rest["q"][-1] == whole["q"][-1]
