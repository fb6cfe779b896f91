"""Thyristors as latched laws: against the pieces of closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

from .switchings import times

x = dynamicsymbols("x")
q = sp.Symbol("q")


class TestThyristors:
    """0 <= i orthogonal to q (-v) + (1 - q) (1 + i) >= 0, latched on by its gate, off where its current is zero."""

    @pytest.mark.parametrize(
        ("scheme", "within"), [(nsd.EventDriven(), 2e-8), (nsd.ThetaGamma(theta=0.5), 0.1)], ids=["events", "steps"]
    )
    def test_a_half_controlled_rectifier(self, scheme: Any, within: float) -> None:
        """An inductive load, two thyristors and a freewheeling diode, against the pieces of its closed form."""
        j = dynamicsymbols("j")
        q1, q2 = sp.symbols("q1 q2")
        bridge_voltage, a0, a1, a2 = nsd.multipliers("ud", 1)[0], *nsd.multipliers("a", 3)
        omega, inductance, resistance, peak, angle = 100 * math.pi, 0.05, 10.0, 100.0, math.pi / 3
        source = peak * sp.sin(omega * nsd.time)
        gate = sp.sin(omega * nsd.time - angle)
        load = nsd.FirstOrderSystem("load", [j], [-resistance * j / inductance])
        bridge = nsd.FirstOrderRelation(
            "bridge",
            multipliers=[bridge_voltage, a0, a1, a2],
            output=[
                j - a0 - a1 - a2,
                bridge_voltage,
                q1 * (bridge_voltage - source) + (1 - q1) * (1 + a1),
                q2 * (bridge_voltage + source) + (1 - q2) * (1 + a2),
            ],
            reaction={load: [bridge_voltage / inductance]},
            law=nsd.Mixed([nsd.Equality()] + [nsd.Complementarity()] * 3),
        )
        gates = [
            nsd.Latch("T1", q1, on=(source - bridge_voltage >= 0) & (gate >= 0), off=a1 <= 0),
            nsd.Latch("T2", q2, on=(-source - bridge_voltage >= 0) & (gate <= 0), off=a2 <= 0),
        ]
        run = nsd.Model(
            "rectifier", [load], [bridge], scheme=scheme, step=1e-4, end=0.05, blocks=gates, initial={j: 0}
        ).run()
        exact = [self.load_current(t, omega, inductance, resistance, peak, angle) for t in run.time]
        assert np.abs(run["load.j"] - exact).max() < within
        fired = [event.time * omega for event in run.events if event.kind == "on"]
        assert fired == pytest.approx([angle + k * math.pi for k in range(5)], abs=1e-9)

    @staticmethod
    def load_current(t: float, omega: float, inductance: float, r: float, peak: float, angle: float) -> float:
        """Fed by |source| from the firing angle to the end of each half period, and by nothing else."""
        phase, size = math.atan2(omega * inductance, r), math.hypot(r, omega * inductance)
        now, current, k = 0.0, 0.0, 0
        while True:
            fire, end = k * math.pi + angle, (k + 1) * math.pi
            until = min(omega * t, fire)
            current, now = current * math.exp(-(until - now) / omega * r / inductance), until
            if until < fire:
                return current
            until = min(omega * t, end)
            forced = [peak / size * math.sin(at - k * math.pi - phase) for at in (now, until)]
            current = forced[1] + (current - forced[0]) * math.exp(-(until - now) / omega * r / inductance)
            now, k = until, k + 1
            if until < end:
                return current

    def test_a_switch_that_charges_a_capacitor(self) -> None:
        """q (u - v - R i) + (1 - q) i = 0: closed or open, as a latch says."""
        current = nsd.multipliers("i", 1)[0]
        store = nsd.FirstOrderSystem("store", [x], [-x / 4])
        switch = nsd.FirstOrderRelation(
            "switch",
            multipliers=[current],
            output=[q * (2 - x - current) + (1 - q) * current],
            reaction={store: [current]},
            law=nsd.Equality(),
        )
        latch = nsd.Latch("latch", q, on=x <= sp.Rational(1, 2), off=x >= 1)
        run = nsd.Model(
            "switch", [store], [switch], scheme=nsd.EventDriven(), step=0.1, end=8, blocks=[latch], initial={x: 0}
        ).run()
        up = math.log((1.6 - 0.5) / (1.6 - 1)) / 1.25  # x' = 2 - 5 x / 4
        instants = [math.log(1.6 / 0.6) / 1.25]
        while len(instants) < len(run.events):
            instants.append(instants[-1] + (4 * math.log(2) if len(instants) % 2 else up))
        assert len(instants) >= 4 and np.abs(times(run, "latch") - instants).max() < 1e-10

    def test_what_no_relation_of_the_model_has_is_named(self) -> None:
        store = nsd.FirstOrderSystem("store", [x], [q - x])
        other = nsd.multipliers("other", 1)[0]
        latch = nsd.Latch("latch", q, on=x <= 0, off=other >= 1)
        with pytest.raises(ModelError, match="other"):
            nsd.Model("m", [store], scheme=nsd.EventDriven(), step=1, end=2, blocks=[latch], initial={x: 0}).run()
