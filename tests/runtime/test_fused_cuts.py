"""Fused steps of runs that an expression ends: the instant, and all rows before it, are the general stepper's."""

from __future__ import annotations

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NonFinite

z, x = dynamicsymbols("z x")
e = sp.Symbol("e", positive=True)


def ball(stops):
    system = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=10 * z)
    return nsd.Model(
        "ball",
        [system],
        [nsd.Contact("floor", z, nsd.NewtonImpact(e))],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=3,
        parameters={e: 0.9},
        initial={z: 1},
        stop_when=stops,
    )


def swing(stops):
    system = nsd.LagrangianSystem("swing", [x], kinetic=(2 + sp.cos(x)) * x.diff() ** 2, potential=-5 * sp.cos(x))
    return nsd.Model("swing", [system], scheme=nsd.MoreauJean(), step=1e-2, end=20, initial={x: 1}, stop_when=stops)


def clock(stops):
    return nsd.Model(
        "clock",
        [nsd.FirstOrderSystem("clock", [x], [1])],
        scheme=nsd.ThetaGamma(),
        step=1 / 64,
        end=3,
        initial={x: 0},
        stop_when=stops,
    )


@pytest.mark.parametrize(
    "model",
    [
        ball(z + 1),  # never
        ball(nsd.StopWhen(z.diff() - 0.5, "rising")),  # at an impact, whatever h is
        ball([nsd.StopWhen(z - 0.4, "rising", "high"), nsd.StopWhen(z + 10 * (nsd.time - 1.7305), name="late")]),
        clock(x - 2),  # at the end of a step, to the bit
        swing(nsd.StopWhen(x + sp.Rational(9, 10), "falling")),
    ],
    ids=["never", "impact", "several", "grid", "newton"],
)
@pytest.mark.few(2)
def test_a_run_that_ends_early_has_the_bits_of_the_general_stepper(model):
    compiled = model.compile()
    own, general = compiled.run(), compiled.run(generic=True)
    assert compiled.fused
    assert own.table.tobytes() == general.table.tobytes() and own.time.tobytes() == general.time.tobytes()
    own, general = (compiled.run(every=7, generic=generic) for generic in (False, True))
    assert own.table.tobytes() == general.table.tobytes() and own.time.tobytes() == general.time.tobytes()


def test_members_end_where_each_of_them_does():
    compiled = ball(nsd.StopWhen(z - 0.3, "rising")).compile()
    found = compiled.ensemble(parameters={e: [0.2, 0.6, 0.9]})
    for i, value in enumerate((0.2, 0.6, 0.9)):
        alone = compiled.run(parameters={e: value}, generic=True)
        assert found.final[i].tobytes() == alone.table[-1].tobytes()


@pytest.mark.parametrize("generic", [True, False])
def test_a_condition_that_is_no_number_ends_the_run(generic):
    """sqrt(x) - 0.1 has its zero within the step in which x falls below 0: it was passed without a word."""
    falls = nsd.FirstOrderSystem("falls", [x], [-1])
    given = {"scheme": nsd.ThetaGamma(), "step": 0.1, "end": 2.0, "initial": {x: 1.05}}
    compiled = nsd.Model("lost", [falls], **given, stop_when=sp.sqrt(x) - sp.Rational(1, 10)).compile()
    assert compiled.fused
    with pytest.raises(NonFinite, match="is no number after step 11 from t = 1") as caught:
        compiled.run(generic=generic)
    assert caught.value.trajectory.time[-1] == 1
    assert abs(compiled.run(step=0.0419).time[-1] - 1.04) < 1e-12
