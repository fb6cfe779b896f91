"""Groups of stages that repeat, stages that are skipped, and what is kept at a limit."""

from dataclasses import dataclass

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import DerivationError, NotConverged, ParameterError
from nsdgen.extend import T_NEXT, Branch, Repeat, Scheme, StageOptions

z, y, x = dynamicsymbols("z y x")
G = 9.81


@dataclass(frozen=True)
class Entering(nsd.MoreauJean):
    """A contact that is overlapped at the end of a pass enters, and the step is made again with it."""

    maximum: int = 5
    on_limit: str = "raise"

    @property
    def stages(self):
        return (Repeat(super().stages, maximum=self.maximum, on_limit=self.on_limit, from_start=True),)

    def relation(self, step):
        super().relation(step)
        step.entry(Branch(1, step.term("gap", step.ended)[0] <= 0, 0, True))


@dataclass(frozen=True)
class Combined(nsd.MoreauJean):
    """Velocities and projection repeat as one group: who is overlapped after the projection enters both stages."""

    def __post_init__(self):
        object.__setattr__(self, "projection", nsd.Projection(tolerance=1e-10))
        super().__post_init__()

    @property
    def stages(self):
        velocity, position = super().stages
        return (Repeat((velocity, *position.stages), tolerance=1e-10, from_start=True),)

    def relation(self, step):
        super().relation(step)
        step.stage("projection").entry(Branch(1, step.term("gap", step.ended)[0] < -1e-12, 0, True))


def tower(scheme, **settings):
    """A ball above another above the floor: where the lower one is stopped, the upper one runs into it."""
    balls = [nsd.LagrangianSystem(n, [q], kinetic=q.diff() ** 2 / 2, potential=G * q) for n, q in (("a", z), ("b", y))]
    contacts = [nsd.Contact(n, gap, nsd.NewtonImpact(0.5)) for n, gap in (("floor", z), ("pair", y - z - 0.01))]
    return nsd.Model(
        "tower", balls, contacts, scheme=scheme, **{"step": 1e-2, "end": 2.0, "initial": {z: 0.5, y: 0.52}, **settings}
    )


def test_a_group_repeats_until_nothing_enters():
    """The same steps as with contacts that enter within Newton's method."""
    run, truth = tower(Entering(activation_gamma=0.0)).run(), tower(nsd.MoreauJean(activation="iterated")).run()
    assert run["floor.impulse"].max() > 1 and run["pair.impulse"].max() > 0.1
    assert min(run["floor.gap"].min(), run["pair.gap"].min()) > -1e-3
    falling = slice(0, int(np.flatnonzero(truth["floor.impulse"])[0]) + 1)  # later steps begin overlapped or not
    for name in ("a.z", "a.z_dot", "b.y", "b.y_dot", "floor.impulse", "pair.impulse"):
        np.testing.assert_allclose(run[name][falling], truth[name][falling], rtol=0, atol=1e-12)


def test_a_limit_of_repetitions_names_who_enters():
    late = r"it came into play after the last repetition at step 32 .*'velocity'"
    with pytest.raises(NotConverged, match=late) as caught:
        tower(Entering(activation_gamma=0.0, maximum=1)).run()
    assert caught.value.where == "relation 'floor'"
    run = tower(Entering(activation_gamma=0.0, maximum=1, on_limit="keep")).run(end=0.4)
    assert run["kept"][32] == 1.0 and not run["kept"][:32].any() and run["floor.gap"][32] < 0


def test_who_enters_after_a_projection_enters_the_velocities_too():
    """In the step in which the ball arrives it has no overlap, and its velocity is that after the impact."""
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=G * z)
    settings = {"step": 1e-2, "end": 0.4, "initial": {z: 0.5}}
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(0.5))
    run = nsd.Model("combined", [ball], [floor], scheme=Combined(activation_gamma=0.0), **settings).run()
    plain = nsd.Model("plain", [ball], [floor], scheme=nsd.MoreauJean(activation_gamma=0.0), **settings).run()
    step = int(np.flatnonzero(run["floor.impulse"])[0])
    late = int(np.flatnonzero(plain["floor.impulse"])[0])
    assert plain["ball.z"][late - 1] < 0 and step == late - 1
    assert run["ball.z"].min() > -1e-10
    # the rate that the law compares with is the remembered one of the step before
    np.testing.assert_allclose(run["ball.z_dot"][step], -0.5 * run["ball.z_dot"][step - 1], rtol=1e-12)


@dataclass(frozen=True)
class Counting(Scheme):
    """Free motion, then a stage that counts how often it runs."""

    options_of_count: tuple = ()

    @property
    def stages(self):
        return (StageOptions("step", self.newton), StageOptions("count", self.newton, **dict(self.options_of_count)))

    def system(self, step):
        v, q_k, v_k, n = step.unknown("v"), step.state("q_k"), step.state("v_k"), step.state("n", count=1)
        step.initial(n=[0])
        h = self.run[0]
        at = step.at(T_NEXT, q=q_k + h * v, v=v)
        step.residual(step.term("mass", at) * (v - v_k) - h * step.term("force", at))
        step.advance(q_k=q_k + h * v, v_k=v)
        step.stage("count").advance(n=n + sp.ones(1, 1))

    def relation(self, step):
        count = step.stage("count")
        one = count.multiplier("push", 1)
        count.impose(one, (nsd.extend.Cone.EQUALITY, 1))
        count.reaction(sp.zeros(0, 1))
        count.activation(Branch(1, step.term("gap", step.last)[0] <= 0, 0, True))


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        ((), lambda run: np.arange(len(run))),
        ((("skip_if", T_NEXT > 0.5),), lambda run: np.minimum(np.arange(len(run)), 5)),
        ((("without_relations", "skip"),), lambda run: np.cumsum(np.append(0, run["ball.z"][1:] <= 0))),
    ],
)
def test_stages_that_are_skipped(options, runs):
    """By a condition on time, or where no relation is in play."""
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, potential=10 * z)
    run = nsd.Model(
        "counting",
        [ball],
        [nsd.Contact("floor", z, nsd.NewtonImpact(0))],
        scheme=Counting(options),
        step=0.125,
        end=1.0,
        initial={z: 1.0},
    ).run()
    expected = runs(run)
    if options and options[0][0] == "skip_if":
        expected = np.minimum(np.arange(len(run)), 4)  # 4 steps of 1/8 end at 1/2
    np.testing.assert_array_equal(run["ball.n"], expected)


def test_a_condition_that_cannot_be_read_is_refused():
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2)
    scheme = Counting((("skip_if", sp.Symbol("stranger") > 0),))
    with pytest.raises(DerivationError, match="holds stranger") as caught:
        nsd.Model("counting", [ball], scheme=scheme, step=0.1, end=1.0, initial={z: 1.0}).derive()
    assert "skip_if" in caught.value.where


@pytest.mark.parametrize("wrong", [{"at": "end"}, {"activation_at": "never"}, {"without_relations": "stop"}])
def test_options_of_a_stage_that_do_not_exist(wrong):
    with pytest.raises(ParameterError, match="is unknown"):
        StageOptions("step", nsd.Newton(), **wrong)


def test_what_is_kept_at_a_limit_is_the_last_full_iterate():
    """Damped steps are tried first; where they do not arrive either, it is as if exactly so many had been made."""

    def run(**newton):
        system = nsd.FirstOrderSystem("s", [x], [-400 * sp.atan(5 * x)])
        scheme = nsd.ThetaGamma(theta=1, newton=nsd.Newton(**newton))
        return nsd.Model("hard", [system], scheme=scheme, step=0.5, end=1.0, initial={x: 3.0}).run()

    kept, fixed = run(max_iterations=2, on_limit="keep"), run(fixed_iterations=2)
    np.testing.assert_array_equal(kept["s.x"], fixed["s.x"])
    np.testing.assert_array_equal(kept["kept"][1:], 1.0)
    assert abs(kept["s.x"][1]) > 10  # overshoots: not what the damped steps came to
    np.testing.assert_array_equal(kept["newton_iterations"][1:], 2)
    exact = run(max_iterations=100, on_limit="keep")
    assert not exact["kept"].any() and abs(exact["s.x"][1]) < 3
