"""A model is described and compiled once, and again only where something about it was changed."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
import nsdgen.model as facade
from nsdgen.symbolic.description.fingerprint import fingerprint

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
    ball = nsd.LagrangianSystem("ball", [z], kinetic=m * z.diff()**2 / 2, potential=m * g * z)
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(e))
    return nsd.Model("bouncing", [ball], [floor], scheme=nsd.MoreauJean(), step=0.01, end=0.1,
                     parameters={m: 1.0, g: 9.81, e: 0.5}, initial={z: 1.0})


def test_runs_that_differ_in_values_describe_nothing(counted):
    model = bouncing()
    for value in (1.0, 2.0, 3.0):
        run = model.run(parameters={m: value}, initial={z: value}, end=0.05, step=0.005)
        assert run["ball.z"][0] == value
    assert counted == {"describe": 1, "emit_model": 1}


@pytest.mark.parametrize("change", [
    lambda model: model.initial.update({z: 2.0}),
    lambda model: model.parameters.update({e: 0.25}),
    lambda model: model.parameters.update({e: nsd.Parameter(0.25)}),
    lambda model: model.relations.clear(),
    lambda model: model.relations.append(nsd.Bilateral("hold", z - 1)),
    lambda model: model.systems[0].forces.__setitem__(0, -z.diff()),
    lambda model: setattr(model.systems[0], "potential", 2 * m * g * z),
    lambda model: setattr(model, "name", "another"),
])
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


@pytest.mark.parametrize("change", [
    lambda model: setattr(model, "scheme", nsd.MoreauJean(theta=1.0)), lambda model: setattr(model, "step", 0.02),
    lambda model: setattr(model, "allow_penetration", True),
])
def test_scheme_and_defaults_are_no_part_of_the_description(counted, change):
    model = bouncing()
    model.run()
    change(model)
    model.run()
    assert counted == {"describe": 1, "emit_model": 2}


def test_forces_on_a_body_and_on_the_prototype_of_copies_count():
    body = nsd.RigidBody("body", 1, sp.eye(3))
    beads = nsd.RigidBody("bead", 1, sp.eye(3)).copies(3)
    before = fingerprint([body, beads])
    assert fingerprint([body, beads]) == before
    body.apply_force([0, 0, -9.81])
    after = fingerprint([body, beads])
    assert after != before
    beads.prototype.apply_moment([0, 0, 1])
    assert fingerprint([body, beads]) != after


def test_values_in_arrays_can_be_compared():
    values = {z: np.array([1.0, 2.0]), m: [np.array([1.0, 2.0])]}
    before = fingerprint([], values)
    assert fingerprint([], values) == before
    values[z][1] = 3.0
    after = fingerprint([], values)
    assert after != before
    values[m][0] = np.array([1.0, 4.0])
    assert fingerprint([], values) != after


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
