"""Piecewise-linear characteristics: which pairs they hold, their natural map, sums, and what is no curve."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.abi import Cone
from nsdgen.errors import ModelError, ParameterError

RELAY = nsd.PiecewiseLinear([(0, 1), (0, -1)])
SATURATION = nsd.PiecewiseLinear([(-1, 2), (3, -2)])
DEAD_ZONE = nsd.PiecewiseLinear([(-1, 0), (2, 0)], end_slopes=(-1, -0.5))
RELAY_WITH_DEAD_ZONE = nsd.PiecewiseLinear([(-1, 1), (-1, 0), (1, 0), (1, -1)])
DIODE = nsd.PiecewiseLinear([(0, 0)], end_slopes=(0, sp.oo))
LEAKING_DIODE = nsd.PiecewiseLinear([(0.7, 7e-3)], end_slopes=(0.01, sp.oo))
ZENER = nsd.PiecewiseLinear([(-5, 0), (0.6, 0)], end_slopes=(sp.oo, 0.1))
STAIRS = nsd.PiecewiseLinear([(-2, -1), (-1, -1), (-1, 0), (0, 0.5), (2, 0.5), (2, 3)], end_slopes=(0.5, 0))
CURVES = {name: law for name, law in globals().items() if isinstance(law, nsd.PiecewiseLinear)}


def holds(law: nsd.PiecewiseLinear, y: float, lam: float) -> bool:
    """Whether a pair is on the curve, by the interval at y."""
    interval = law.interval(y)
    return interval is not None and interval[0] - 1e-12 <= lam <= interval[1] + 1e-12


def natural(law: nsd.PiecewiseLinear, y: float, lam: float) -> float:
    """The natural map at a pair of numbers, or that of its box: lambda less the nearest to lambda - w in it."""
    slots = {s.symbol: sp.Float(float(s.value)) for s in law.slots}
    (row,), ((cone, _),) = law.imposed(sp.Matrix([sp.Float(y)]), sp.Matrix([sp.Float(lam)]))
    value = float(row.xreplace(slots))
    if cone != Cone.BOX:
        return value
    low, high = (float(bound.xreplace(slots)) for bound in law.bounds(1))
    return lam - min(max(lam - value, low), high)


@pytest.mark.parametrize(
    ("law", "y", "interval"),
    [
        (RELAY, 0, (-1, 1)),
        (RELAY, 2, (-1, -1)),
        (RELAY, -2, (1, 1)),
        (SATURATION, 1, (0, 0)),
        (SATURATION, 9, (-2, -2)),
        (DEAD_ZONE, 0, (0, 0)),
        (DEAD_ZONE, -3, (2, 2)),
        (DEAD_ZONE, 4, (-1, -1)),
        (RELAY_WITH_DEAD_ZONE, -1, (0, 1)),
        (DIODE, 0, (0, np.inf)),
        (DIODE, 1, None),
        (DIODE, -1, (0, 0)),
        (LEAKING_DIODE, -0.3, (-3e-3, -3e-3)),
        (ZENER, -5, (-np.inf, 0)),
        (ZENER, -6, None),
        (ZENER, 1.6, (0.1, 0.1)),
        (STAIRS, -1, (-1, 0)),
        (STAIRS, -4, (-2, -2)),
        (STAIRS, 2, (0.5, 3)),
        (STAIRS, -0.5, (0.25, 0.25)),
        (STAIRS, 5, (3, 3)),
    ],
)
def test_the_interval_at_y(law: nsd.PiecewiseLinear, y: float, interval: tuple[float, float] | None) -> None:
    found = law.interval(y)
    assert found == (interval if interval is None else pytest.approx(interval, abs=1e-15))


def test_which_way_a_curve_goes() -> None:
    assert [law.falling for law in (RELAY, SATURATION, DEAD_ZONE, DIODE, ZENER, STAIRS)] == [
        True,
        True,
        True,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize("name", CURVES)
@pytest.mark.few(3)
def test_zeros_of_the_natural_map_are_the_pairs_of_the_curve(name: str) -> None:
    """On a grid that holds breakpoints, and beside it: zero exactly where the interval at y says so."""
    law = CURVES[name]
    levels = sorted({float(v) for _, v in law.points} | {-3.0, -0.4, 0.0, 0.25, 1.2, 5.0})
    places = sorted({float(y) for y, _ in law.points} | {-6.0, -1.5, -0.3, 0.4, 2.5, 7.0})
    pairs = [(y, v) for y in places for v in levels]
    pairs += [(y, v) for y in places if law.interval(y) for v in law.interval(y) or () if np.isfinite(v)]
    assert any(holds(law, *pair) for pair in pairs)
    for pair in pairs:
        assert (abs(natural(law, *pair)) < 1e-12) == holds(law, *pair), pair


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (RELAY, SATURATION),
        (RELAY, RELAY_WITH_DEAD_ZONE),
        (DEAD_ZONE, SATURATION),
        (DIODE, ZENER),
        (STAIRS, ZENER),
        (STAIRS, STAIRS),
        (LEAKING_DIODE, STAIRS),
    ],
)
def test_a_sum_is_that_of_the_intervals(a: nsd.PiecewiseLinear, b: nsd.PiecewiseLinear) -> None:
    for y in [float(y) for law in (a, b) for y, _ in law.points] + [-7.0, -5.0, -2.5, -0.5, 0.1, 0.5, 1.5, 4.0]:
        one, other, both = a.interval(y), b.interval(y), (a + b).interval(y)
        if one is None or other is None:
            assert both is None
        else:
            assert both == pytest.approx((one[0] + other[0], one[1] + other[1]), abs=1e-12)


def test_sums_of_strangers_are_refused() -> None:
    with pytest.raises(ModelError, match="one rises, the other falls"):
        RELAY + STAIRS
    with pytest.raises(ModelError, match="no y at which both"):
        nsd.PiecewiseLinear([(0, 0)], (0, sp.oo)) + nsd.PiecewiseLinear([(1, 0)], (sp.oo, 0))
    with pytest.raises(ModelError, match="not all numbers"):
        RELAY + nsd.PiecewiseLinear([(0, 0), (1, -sp.Symbol("a", positive=True))])


@pytest.mark.parametrize(
    ("points", "options", "message"),
    [
        ([], {}, "there are no points"),
        ([(0, 0), (0, 0)], {}, "the points 0 and 1 are the same"),
        ([(1, 0), (0, 1)], {}, "are out of order"),
        ([(0, 0), (1, 1), (2, 0)], {}, "are out of order"),
        ([(0, 0), (1, 1)], {"end_slopes": (-1, 0)}, "slope0 -1"),
        ([(0, 0, 0)], {}, "not a pair"),
        ([("0", "1")], {}, "text"),
        ([(0, sp.oo)], {}, "lambda0"),
        ([(0, 0), (1, sp.Symbol("a"))], {}, "whether lambda rises or falls"),
    ],
)
def test_what_is_no_curve_is_refused(points: Any, options: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        nsd.PiecewiseLinear(points, **options)


def test_parameters_out_of_order_are_refused_when_a_run_starts() -> None:
    width = sp.Symbol("width")
    x, lam = sp.Function("x")(nsd.time), nsd.multipliers("lam", 1)
    system = nsd.FirstOrderSystem("s", [x], [1])
    law = nsd.PiecewiseLinear([(-width, 1), (width, -1)])
    model = nsd.Model(
        "m",
        [system],
        [nsd.FirstOrderRelation("r", lam, [x], {system: lam}, law)],
        initial={x: 0.0},
        scheme=nsd.ThetaGamma(theta=1),
        step=0.1,
        end=8.0,
        parameters={width: 2.0},
    )
    assert model.run()["x"][-1] == pytest.approx(2 * (1 - 1.05**-80), rel=1e-9)  # x' = 1 - x / width
    with pytest.raises(ParameterError, match="dy0 is -2"):
        model.run(parameters={"width": -1.0})
