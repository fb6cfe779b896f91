"""A model is described and compiled once, and again only where something about it was changed."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
import nsdgen.model.model as facade
from nsdgen.symbolic.description.snapshot import Snapshot

z = dynamicsymbols("z")
m, g, e = sp.symbols("m g e", positive=True)


@pytest.fixture
def counted(monkeypatch):
    """How often models were described and derived."""
    counts = {"describe": 0, "emit_model": 0}
    for name in counts:
        original = getattr(facade, name)

        def counting(*args, _name=name, _original=original, **named):
            counts[_name] += 1
            return _original(*args, **named)

        monkeypatch.setattr(facade, name, counting)
    return counts


def bouncing():
    ball = nsd.LagrangianSystem("ball", [z], kinetic=m * z.diff() ** 2 / 2, potential=m * g * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(e))
    return nsd.Model(
        "bouncing",
        [ball],
        [floor],
        scheme=nsd.MoreauJean(),
        step=0.01,
        end=0.1,
        parameters={m: 1.0, g: 9.81, e: 0.5},
        initial={z: 1.0},
    )


def test_runs_that_differ_in_values_describe_nothing(counted):
    model = bouncing()
    for value in (1.0, 2.0, 3.0):
        run = model.run(parameters={m: value}, initial={z: value}, end=0.05, step=0.005)
        assert run["ball.z"][0] == value
    assert counted == {"describe": 1, "emit_model": 1}


@pytest.mark.parametrize(
    "change",
    [
        lambda model: model.initial.update({z: 2.0}),
        lambda model: model.parameters.update({e: 0.25}),
        lambda model: model.parameters.update({e: nsd.Parameter(0.25)}),
        lambda model: model.relations.clear(),
        lambda model: model.relations.append(nsd.Bilateral("hold", z - 1)),
        lambda model: model.systems[0].forces.__setitem__(0, -z.diff()),
        lambda model: setattr(model.systems[0], "potential", 2 * m * g * z),
        lambda model: setattr(model, "name", "another"),
    ],
)
def test_what_is_changed_about_a_model_counts(counted, change):
    model = bouncing()
    model.run()
    change(model)
    changed = model.run()
    assert counted == {"describe": 2, "emit_model": 2}
    again = model.run()
    assert counted == {"describe": 2, "emit_model": 2}
    np.testing.assert_array_equal(again.table, changed.table)


def test_a_model_is_derived_once():
    model = bouncing()
    derivation = model.derive()
    model.compile()
    assert model.derive() is derivation
    model.scheme = nsd.MoreauJean(theta=1.0)
    assert model.derive() is not derivation


@pytest.mark.parametrize(
    "change",
    [
        lambda model: setattr(model, "scheme", nsd.MoreauJean(theta=1.0)),
        lambda model: setattr(model, "step", 0.02),
        lambda model: setattr(model, "allow_penetration", True),
    ],
)
def test_scheme_and_defaults_are_no_part_of_the_description(counted, change):
    model = bouncing()
    model.run()
    change(model)
    model.run()
    assert counted == {"describe": 1, "emit_model": 2}


def test_forces_on_a_body_and_on_the_prototype_of_copies_count():
    body = nsd.RigidBody("body", 1, sp.eye(3))
    beads = nsd.RigidBody("bead", 1, sp.eye(3)).copies(3)
    before = Snapshot([body, beads])
    assert before.holds([body, beads])
    body.apply_force([0, 0, -9.81])
    assert not before.holds([body, beads])
    after = Snapshot([body, beads])
    assert after.holds([body, beads])
    beads.prototype.apply_moment([0, 0, 1])
    assert not after.holds([body, beads])


def test_values_in_arrays_can_be_compared():
    values = {z: np.array([1.0, 2.0]), m: [np.array([1.0, 2.0])]}
    before = Snapshot([], values)
    assert before.holds([], values)
    values[z][1] = 3.0
    assert not before.holds([], values)
    after = Snapshot([], values)
    values[m][0] = np.array([1.0, 4.0])
    assert not after.holds([], values)


class Thing:
    """An object with everything in it that can be changed in place."""

    def __init__(self):
        self.forces = sp.Matrix([[0, m], [z, 1]])
        self.parts = [sp.zeros(2, 1), [1, 2], {"a": [3]}]
        self.pair = (sp.zeros(1, 1), np.zeros(3))
        self.named = {"x": sp.eye(2), "y": 1.0}
        self.numbers = np.arange(4.0)
        self.grid = [np.zeros(2)]


CHANGES = [
    lambda t: t.forces.__setitem__((1, 1), z),
    lambda t: t.parts[0].__setitem__((0, 0), m),
    lambda t: t.parts[1].append(3),
    lambda t: t.parts[2]["a"].__setitem__(0, 4),
    lambda t: t.parts.reverse(),
    lambda t: t.pair[0].__setitem__((0, 0), m),
    lambda t: t.pair[1].__setitem__(1, 2.0),
    lambda t: t.named["x"].__setitem__((0, 1), 1),
    lambda t: t.named.update(y=2.0),
    lambda t: t.named.update(w=2.0),
    lambda t: t.named.pop("x"),
    lambda t: t.numbers.__setitem__(3, -1.0),
    lambda t: t.grid[0].__setitem__(0, 1.0),
    lambda t: setattr(t, "numbers", np.zeros((4, 1))),
    lambda t: setattr(t, "numbers", "four"),
    lambda t: setattr(t, "forces", np.zeros((2, 2))),
    lambda t: setattr(t, "forces", sp.zeros(2, 2)),
    lambda t: setattr(t, "another", None),
    lambda t: delattr(t, "pair"),
    lambda t: t.__dict__.clear(),
]


@pytest.mark.parametrize("change", CHANGES, ids=range(len(CHANGES)))
def test_a_snapshot_sees_whatever_is_changed_in_place(change):
    thing, other = Thing(), Thing()
    found = Snapshot([thing, other], {"scheme": thing})
    assert found.holds([thing, other], {"scheme": thing})
    assert not found.holds([other, thing], {"scheme": thing})
    assert not found.holds([thing], {"scheme": thing})
    change(thing)
    assert not found.holds([thing, other], {"scheme": thing})


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("forces", lambda matrix: matrix.__setitem__((0, 0), 1)),
        ("parts", lambda parts: parts.append(1)),
        ("named", lambda named: named.clear()),
        ("grid", lambda grid: grid.append(1)),
    ],
)
def test_what_takes_the_place_of_its_equal_is_looked_at_as_well(name, change):
    thing = Thing()
    found = Snapshot([thing])
    first, second = getattr(thing, name), copy.copy(getattr(thing, name))
    setattr(thing, name, second)
    assert found.holds([thing])
    change(second)
    assert not found.holds([thing])
    change(first)  # now they are equal again, but neither is what it was
    assert not found.holds([thing])


def test_a_deep_copy_is_a_model_of_its_own(counted):
    model = bouncing()
    first = model.run()
    other = copy.deepcopy(model)
    assert other.run().table.tobytes() == first.table.tobytes()
    model.systems[0].potential = 2 * m * g * z
    assert other.run().table.tobytes() == first.table.tobytes()
    assert model.run().table.tobytes() != first.table.tobytes()


def test_an_explicit_compilation_serves_the_runs_after_it(counted):
    model = bouncing()
    model.compile()
    model.run()
    model.run()
    assert counted == {"describe": 1, "emit_model": 1}


def test_a_model_is_pickled_as_what_it_compiles_to():
    model = bouncing()
    model.parameters[m] = 2.0
    arrived = pickle.loads(pickle.dumps(model))
    assert arrived.parameters["m"] == 2.0
    assert arrived.run().table.tobytes() == model.run().table.tobytes()


def test_copies_of_a_model_stay_models():
    model = bouncing()
    other = copy.copy(model)
    other.step = 0.02
    assert isinstance(other, nsd.Model) and other.description is model.description and model.step == 0.01
