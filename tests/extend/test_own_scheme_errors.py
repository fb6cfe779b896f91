"""What a scheme of one's own states wrongly names the scheme, the statement and what to do; see also test_stated.py."""

from dataclasses import dataclass

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import NsdgenError
from nsdgen.extend import MODE, STEP, T_K, T_NEXT, Cone, Repeat, Scheme, StageOptions, blend, own_symbol

x = dynamicsymbols("x")
k = sp.Symbol("k")
TANK = nsd.FirstOrderSystem("tank", [x], [-k * x])


@dataclass(frozen=True)
class Euler(Scheme):
    """Right; every scheme below adds a statement that is wrong."""

    def system(self, step):
        w, x_k = step.unknown("x"), step.state("x_k")
        step.residual(w - x_k - STEP * step.term("rhs", step.at(T_NEXT, x=w)))
        step.advance(x_k=w)
        self.more(step, w, x_k)

    def more(self, step, w, x_k):
        """What is wrong of the system."""

    def relation(self, step):
        push = step.multiplier()
        step.output(step.term("output", step.end))
        step.reaction(*(STEP * g for g in step.reactions(step.end)))
        self.wrong(step, push)

    def wrong(self, step, push):
        """What is wrong of the relation."""


def model(**members):
    lam = nsd.multipliers("lam", 1)
    wall = nsd.FirstOrderRelation("wall", lam, [x], {TANK: lam}, nsd.Complementarity())
    scheme = dataclass(frozen=True)(type("Own", (Euler,), members))()
    return nsd.Model("m", [TANK], [wall], scheme=scheme, step=0.1, end=1, initial={x: 1}, parameters={k: 1.0})


def stages(*names):
    return property(lambda self: tuple(StageOptions(n, self.newton) for n in names))


STRANGER = own_symbol("state", "y_k")
OF_SYSTEM = {
    "no such stage": (lambda step, w, x_k: step.stage("last"), "there is no stage 'last'.*step"),
    "long instant": (lambda step, w, x_k: step.at(T_NEXT, x=[1, 2]), r"at\(x=...\) has 2 entries, expected 1"),
    "instant of nothing": (lambda step, w, x_k: step.at(T_NEXT, v=[1]), "systems with v, this one has x"),
    "instant of text": (lambda step, w, x_k: step.at("now", x=["?"]), "at"),
    "no such term": (lambda step, w, x_k: step.term("force", step.at(T_NEXT)), "term 'force'.*mass, rhs"),
    "no such option": (lambda step, w, x_k: step.options.theta, "no option 'theta'.*option"),
    "blend of halves": (lambda step, w, x_k: blend(sp.S.Half, step.at(T_NEXT, x=w), step.at(T_K)), "blend.*x"),
    "unknown twice": (lambda step, w, x_k: step.unknown("x"), "unknown.*'x' twice"),
    "state of two units": (lambda step, w, x_k: step.state("a", count=1, units=("m", "s")), "2 units.*1"),
    "state of text": (lambda step, w, x_k: step.state("a", count="one"), "count.*'one'"),
    "long at_state": (lambda step, w, x_k: step.at_state(x=[1, 2]), r"at_state\(x=...\) has 2 entries"),
    "at_state of nothing": (lambda step, w, x_k: step.at_state(v=[1]), "systems with v, this one has x"),
    "long view": (lambda step, w, x_k: step.view(x=[1, 2]), r"view\(x=...\) has 2 entries"),
    "view of nothing": (lambda step, w, x_k: step.view(v=[1]), "systems with v, this one has x"),
    "long frozen view": (lambda step, w, x_k: step.frozen_view(x=[1, 2]), r"frozen_view\(x=...\) has 2 entries"),
    "initial of nothing": (lambda step, w, x_k: step.initial(y_k=[0]), "there is no state 'y_k'"),
    "start before": (lambda step, w, x_k: step.start([1, 2]), "the start has 2 entries, expected 1"),
    "names of one observed": (lambda step, w, x_k: step.observe([w[0], w[0]], ["a"]), "observe.*1 names for 2"),
    "units of one observed": (lambda step, w, x_k: step.observe([x_k[0]], ["a"], ["m", "s"]), "observe.*2 units for 1"),
    "wide matrix": (lambda step, w, x_k: step.iteration_matrix(sp.eye(2)), "iteration_matrix.*2x2, expected 1x1"),
    "frozen values": (lambda step, w, x_k: step.freeze_step([w]), "freeze_step.*pairs"),
    "frozen without symbol": (lambda step, w, x_k: step.freeze_step([(1, w[0])]), "freeze_step.*symbol"),
    "frozen halves": (
        lambda step, w, x_k: step.freeze_iteration([(STRANGER, w[0])], []),
        "freeze_iteration.*1.*0|freeze_iteration.*same symbols",
    ),
    "cut of a column": (lambda step, w, x_k: step.cut("zero", sp.Matrix([1, 2])), "cut.*'zero'.*expression"),
    "cut of a word": (lambda step, w, x_k: step.cut("zero", x_k[0], "up"), "direction='up'"),
    "cut twice": (lambda step, w, x_k: [step.cut("zero", x_k[0]), step.cut("zero", x_k[0])], "cut.*'zero'.*twice"),
    "a user's symbol": (lambda step, w, x_k: step.residual(w - k * x_k), "residual.*k.*term"),
    "a user's function": (lambda step, w, x_k: step.residual(w - sp.Matrix([x])), "residual.*x\\(t\\)"),
    "another's state": (lambda step, w, x_k: step.advance(x_k=[STRANGER]), "advance.*y_k.*state"),
    "own time": (lambda step, w, x_k: step.residual(w * nsd.time), "residual.*t.*T_NEXT"),
    "observed before": (lambda step, w, x_k: step.observe([own_symbol("memory", "gap_k")], ["a"]), "observe.*gap_k"),
}


@pytest.mark.parametrize("name", OF_SYSTEM)
def test_a_step_of_a_system_is_refused_by_name(name):
    more, text = OF_SYSTEM[name]
    with pytest.raises(NsdgenError, match=f"(?s){text}") as caught:
        model(more=lambda self, step, w, x_k: more(step, w, x_k)).derive()
    assert caught.value.fix
    assert "Own" in str(caught.value) or name in ("blend of halves", "cut of a word")


OF_RELATION = {
    "no such state": (lambda step, push: step.participants[0].state("y_k"), "no state 'y_k'.*x_k"),
    "no such stage": (lambda step, push: step.stage("last"), "there is no stage 'last'.*step"),
    "short instant": (lambda step, push: step.at(T_K, x=[]), r"at\(x=...\) is \[\] for 1 participants"),
    "long instant": (lambda step, push: step.at(T_K, x=[[1, 2]]), r"at\(x=...\).*2 entries, expected 1"),
    "multiplier of nothing": (lambda step, push: step.multiplier("push"), "multiplier.*count"),
    "multiplier of two names": (lambda step, push: step.multiplier("push", 1, names=["a", "b"]), "2 names.*1"),
    "memory of two units": (lambda step, push: step.memory("a", 1, units=["m", "s"]), "2 units.*1"),
    "memory of no size": (lambda step, push: step.memory("a", 0), "memory.*count"),
    "observed names": (lambda step, push: step.observe(push, ["a", "b"]), "observe.*2 names for 1"),
    "activation of a column": (lambda step, push: step.activation(push), "activation.*expression"),
    "entry of a list": (lambda step, push: step.entry([1]), "entry.*expression"),
    "violation of a list": (lambda step, push: step.violation([1]), "violation.*expression"),
    "imposed without cone": (lambda step, push: step.impose(push), "impose.*0 rows.*1"),
    "imposed in a bare cone": (lambda step, push: step.impose(push, Cone.EQUALITY), r"impose.*\(Cone.EQUALITY, 1\)"),
    "imposed in a box": (lambda step, push: step.impose(push, (Cone.BOX, 1)), "impose.*BOX.*bounds"),
    "start of no memory": (lambda step, push: step.at_start(zero="gap_k"), "there is no memory 'gap_k'"),
    "a user's symbol": (lambda step, push: step.output(push * k), "output.*k.*term"),
    "rate of an output": (lambda step, push: step.rate(step.end), "no gap"),
    "cut of text": (lambda step, push: step.cut("zero", "?"), "cut.*'zero'.*expression"),
    "no such term": (lambda step, push: step.term("gap", step.end), "term 'gap'.*output"),
}


@pytest.mark.parametrize("name", OF_RELATION)
def test_a_step_of_a_relation_is_refused_by_name(name):
    wrong, text = OF_RELATION[name]
    with pytest.raises(NsdgenError, match=f"(?s){text}") as caught:
        model(wrong=lambda self, step, push: wrong(step, push)).derive()
    assert caught.value.fix
    assert "Own" in str(caught.value) or name == "rate of an output"


PROGRAMS = {
    "no tuple": (property(lambda self: StageOptions("step", self.newton)), "stages.*StageOptions.*tuple"),
    "nothing": (property(lambda self: ()), "stages.*none|no stages"),
    "texts": (property(lambda self: ("step",)), "stages.*'step'.*StageOptions"),
    "a method": (lambda self: (StageOptions("step", self.newton),), "stages.*property"),
    "one name twice": (stages("step", "step"), "two stages.*'step'"),
    "skip by a state": (
        property(lambda self: (StageOptions("step", self.newton, skip_if=STRANGER > 0),)),
        "skip_if.*y_k|y_k.*skip_if",
    ),
    "skip by a number": (property(lambda self: (StageOptions("step", self.newton, skip_if=STEP),)), "skip_if"),
    "newton of text": (property(lambda self: (StageOptions("step", "fast"),)), "stage 'step'.*'fast'"),
    "repeat of a stage": (property(lambda self: (Repeat(StageOptions("step", self.newton)),)), "repeat.*tuple|stages"),
    "skip by text": (property(lambda self: (StageOptions("step", self.newton, skip_if="h > 1"),)), "skip_if"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_stages_are_refused_by_name(name):
    program, text = PROGRAMS[name]
    with pytest.raises(NsdgenError, match=f"(?s){text}") as caught:
        model(stages=program).derive()
    assert caught.value.fix


def test_a_scheme_is_a_dataclass_and_states_systems():
    with pytest.raises(NsdgenError, match=r"Own.*system"):
        type("Own", (Scheme,), {})()
    with pytest.raises(NsdgenError, match=r"(?s)Own.*@dataclass\(frozen=True\)"):
        type("Own", (Euler,), {"__annotations__": {"theta": float}, "theta": 0.5})(0.5)


def test_a_mode_is_no_unknown():
    with pytest.raises(NsdgenError, match=r"(?s)residual.*mode"):
        model(more=lambda self, step, w, x_k: step.residual(w * MODE)).derive()
