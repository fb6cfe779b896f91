"""What can be meant of bodies and joints and hardly is: each is refused or said."""

import warnings

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd
from nsdgen.errors import ModelError, ModelWarning, SolverError

k = sp.Symbol("k")


def arm(name="arm"):
    return nsd.RigidBody(name, mass=1, inertia=sp.eye(3) / 10).apply_force([0, 0, -10])


def pin(body, second=None):
    return nsd.Revolute("pin", nsd.Marker(body, [-0.5, 0, 0], axis=[0, 1, 0]), second or nsd.Marker(axis=[0, 1, 0]))


def model(body, relations, initial=None, scheme=None, **more):
    return nsd.Model(
        "model",
        [body],
        relations,
        scheme=scheme or nsd.Rattle(),
        step=1e-3,
        end=0.01,
        initial={body.position: [0.5, 0, 0], **(initial or {})},
        **more,
    )


@pytest.mark.parametrize(
    "element",
    [
        lambda p: p.motor(speed=1),
        lambda p: p.motor(position=nsd.time),
        lambda p: p.motor(force=1),
        lambda p: p.spring(1),
        lambda p: p.friction(1),
        lambda p: p.limits(-1, 1),
    ],
)
def test_what_acts_on_a_joint_wants_it_in_the_model(element):
    body = arm()
    with pytest.raises(ModelError, match="acts on 'pin', which is not in the model"):
        model(body, [element(pin(body))])


@pytest.mark.parametrize(
    "element",
    [
        lambda b, p: [p, p.spring(-3)],
        lambda b, p: [p, p.spring(3, damping=-1)],
        lambda b, p: [p, p.spring(k)],
        lambda b, p: [nsd.Spring("s", b.point([0, 0, 0]), [0, 0, 1], -3)],
        lambda b, p: [nsd.Spring("s", b.point([0, 0, 0]), [0, 0, 1], 3, damping=k)],
        lambda b, p: [nsd.Distance("rod", b.point([0, 0, 0]), [0, 0, 0], -0.5)],
        lambda b, p: [nsd.Bushing("s", nsd.Marker(b), nsd.Marker(), [1, -1, 1])],
        lambda b, p: [nsd.Bushing("s", nsd.Marker(b), nsd.Marker(), 1, turning_damping=-1)],
    ],
)
def test_what_pushes_as_it_should_pull_is_said(element):
    body = arm()
    with pytest.warns(ModelWarning, match="is negative"):
        model(body, element(body, pin(body)), parameters={k: -1})


def test_opposite_axes_are_said():
    body = arm()
    with pytest.warns(ModelWarning, match="axes e3 of its markers are opposite"):
        model(body, [pin(body, nsd.Marker(axis=[0, -1, 0]))])
    with pytest.warns(ModelWarning, match="axes e1 of its markers are opposite"):
        model(body, [nsd.Fixed("weld", nsd.Marker(body, reference=[-1, 0, 0]), nsd.Marker(at=[0.5, 0, 0]))])


def test_a_spring_joins_two():
    body = arm()
    with pytest.raises(ModelError, match="joins 'arm' to itself"):
        nsd.Spring("s", body.point([0, 0, 0]), body.point([1, 0, 0]), 1)
    with pytest.raises(ModelError, match="joins the ground to itself"):
        nsd.Spring("s", [0, 0, 0], [0, 0, 1], 1)


@pytest.mark.parametrize(
    "scheme", [nsd.MoreauJean(), *(pytest.param(s, marks=pytest.mark.slow) for s in (nsd.Rattle(), nsd.Variational()))]
)
def test_velocities_against_constraints_are_said(scheme):
    body = arm()
    joint = pin(body)
    for initial, relations, said in (
        ({body.angular_velocity: [0, 1, 0]}, [joint], r"gap_rate\[2\] is 0.5 at the start"),
        ({body.velocity: [1e-3, 0, 0]}, [joint], r"gap_rate\[0\] is 0.001 at the start"),
        ({}, [joint, joint.motor(speed=3)], "rate is -3 at the start"),
    ):
        described = model(body, relations, initial, scheme)
        with pytest.warns(ModelWarning, match=said):
            described.run()


def test_an_open_joint_is_said():
    body = arm()
    described = model(body, [pin(body)], {body.position: [0.51, 0, 0]}, allow_penetration=True)
    with pytest.warns(ModelWarning, match="is 0.01 at the start, which allow_penetration=True accepts"):
        described.run()


def test_what_fits_is_not_said():
    body = arm()
    joint = pin(body)
    angle = 0.3
    turned = {
        body.position: [0.5 * np.cos(angle), 0, -0.5 * np.sin(angle)],
        body.quaternion: [np.cos(angle / 2), 0, np.sin(angle / 2), 0],
        body.angular_velocity: [0, 3, 0],
        body.velocity: [-1.5 * np.sin(angle), 0, -1.5 * np.cos(angle)],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        model(body, [joint, joint.motor(speed=3), joint.spring(2, 1)], turned).run()


def test_a_joint_that_is_not_listed_is_said_by_name():
    body = arm()
    held, forgotten = nsd.Spherical("ball", body.point([-0.5, 0, 0]), [0, 0, 0]), pin(body)
    with pytest.warns(ModelWarning, match="joints made and not in relations=.*'pin'"):
        model(body, [held])
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        model(body, [held, forgotten])
        del forgotten
        model(body, [held])


@pytest.mark.filterwarnings("ignore::nsdgen.errors.ModelWarning")
@pytest.mark.parametrize("scheme", [nsd.Rattle(), nsd.MoreauJean(), nsd.Variational(), nsd.EventDriven()])
@pytest.mark.few(2)
def test_a_motor_against_a_weld_is_no_circuit(scheme):
    body = arm()
    hinge = pin(body)
    weld = nsd.Fixed("weld", nsd.Marker(body), nsd.Marker(at=[0.5, 0, 0]))
    with pytest.raises(SolverError, match="contradicts the other relations") as refused:
        model(body, [weld, hinge, hinge.motor(speed=1)], scheme=scheme).compile(interpret=True).run()
    assert "diode" not in refused.value.fix and "a motor and a joint" in refused.value.fix


@pytest.mark.parametrize("joint_coordinates", [False, True])
def test_motors_and_gears_that_start_half_a_turn_off_say_so(joint_coordinates):
    """Sines of differences are zero there, too: a shaft was held at 180 degrees by ``position=0`` without a word."""

    def shaft(start, acting):
        body = nsd.RigidBody("shaft", 1, sp.eye(3))
        pin_ = nsd.Revolute("pin", nsd.Marker(body), nsd.Marker())
        system = nsd.Mechanism("m", [pin_]) if joint_coordinates else body
        initial = {pin_.angle: start}
        if not joint_coordinates:
            initial = {body.position: [0, 0, 0], body.quaternion: nsd.from_axis_angle([0, 0, 1], start)}
        relations = [acting(pin_)] if joint_coordinates else [pin_, acting(pin_)]
        rest = {"scheme": nsd.MoreauJean(), "step": 1e-3, "end": 0.01, "parameters": {k: 1}}
        nsd.Model("model", [system], relations, initial=initial, **rest)

    for acting in (
        lambda pin_: pin_.motor(position=k * nsd.time),
        lambda pin_: nsd.Coupler("gear", [(pin_, 1)], offset=(k - 1) * np.pi),
        lambda pin_: nsd.Coupler("gear", [(pin_, 3)], offset=2 * np.pi * k),
    ):
        with pytest.warns(ModelWarning, match="half a turn from"):
            shaft(np.pi, acting)
        with warnings.catch_warnings():
            warnings.simplefilter("error", ModelWarning)
            shaft(0, acting)


def test_a_nut_half_a_turn_off_its_thread_says_so():
    nut = nsd.RigidBody("nut", 1, sp.eye(3))
    screw = nsd.Screw("screw", nsd.Marker(nut), nsd.Marker(), lead=1)
    with pytest.warns(ModelWarning, match="half a turn off the thread"):
        model(nut, [screw], {nut.position: [0, 0, 0.5]})
