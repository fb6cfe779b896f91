"""Memory at t_0: every stage fills the part that it owns, whatever its place among the stages."""

from dataclasses import dataclass

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import DerivationError
from nsdgen.extend import T_NEXT, Cone, StageOptions

z = dynamicsymbols("z")
G, H = 9.81, 1e-2


@dataclass(frozen=True)
class TwoStages(nsd.MoreauJean):
    """A second stage that solves nothing."""

    @property
    def stages(self):
        return (*super().stages, StageOptions("last", self.newton))


class Late(TwoStages):
    """The second stage remembers gap and rate in place of the first."""

    def relation(self, step):
        super().relation(step)
        for name in ("gap_k", "rate_k"):
            step._now.remember.pop(name)
        step.stage("last").remember(gap_k=step.term("gap", step.ended), rate_k=step.rate(step.ended))


class Observing(TwoStages):
    """The first stage remembers, the second one only observes."""

    def relation(self, step):
        super().relation(step)
        step.stage("last").observe([T_NEXT], ["clock"], ["s"])


class Noting(TwoStages):
    """The second stage owns one entry more, which it starts with 7 and raises in every step; it remembers no gap."""

    def relation(self, step):
        super().relation(step)
        note = step.memory("note")
        last = step.stage("last")
        last.remember(note=[note[0] + 1])
        last.initial_memory(note=[7])


class Stray(TwoStages):
    def relation(self, step):
        super().relation(step)
        step.stage("last").remember(note=[7])


class Rows(TwoStages):
    """Rows to solve in a stage that systems sit out."""

    def relation(self, step):
        super().relation(step)
        last = step.stage("last")
        last.multiplier("push", 1)
        last.impose(step.term("gap", step.ended), (Cone.COMPLEMENTARITY, 1))
        last.reaction([0])


def falling(scheme):
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    return nsd.Model(
        "falling",
        [ball],
        [nsd.Contact("floor", z, nsd.NewtonImpact(0.5))],
        scheme=scheme,
        step=H,
        end=1.0,
        initial={z: 1.0},
    )


@pytest.mark.parametrize("scheme", [Late, Observing, Noting])
def test_a_ball_above_the_ground_falls_freely(scheme):
    """What a stage after the first remembers, or does not, changes nothing: no impulse before the ball arrives."""
    plain, run = falling(nsd.MoreauJean()).run(), falling(scheme()).run()
    assert run["floor.gap"][0] == 1.0 and run["floor.impulse"][1] == 0.0
    np.testing.assert_allclose(run["ball.z_dot"][1], -G * H, rtol=1e-14)
    for name in ("ball.z", "ball.z_dot", "floor.gap", "floor.gap_rate", "floor.impulse"):
        np.testing.assert_array_equal(run[name], plain[name])


def test_a_stage_that_only_observes_keeps_the_memory():
    run = falling(Observing()).run()
    np.testing.assert_array_equal(run["floor.clock"], run.time)


def test_a_stage_says_what_its_memory_is_at_the_start():
    run = falling(Noting()).run()
    np.testing.assert_array_equal(run["floor.note"], 7 + np.arange(len(run)))


@pytest.mark.parametrize(
    ("scheme", "text"),
    [
        (Stray, "there is no memory 'note'"),
        (Rows, "system class 'ball': a relation in a stage that its system sits out"),
    ],
)
def test_stages_that_cannot_be(scheme, text):
    with pytest.raises(DerivationError, match=text) as caught:
        falling(scheme()).derive()
    assert caught.value.fix
