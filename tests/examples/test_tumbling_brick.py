"""The brick against what theory says: conservation in free flight, redundancy at rest."""

import numpy as np
import pytest

import nsdgen as nsd

M, G, M0, W = 1.2, 9.81, 0.02, 3.0
ROTATIONS = ("exponential", "nearly_implicit", "semi_implicit")


@pytest.fixture(scope="module")
def flight(example):
    """A free flight of the example's body, one compiled model per rule of rotation."""
    brick = example("tumbling_brick")
    made = {}

    def compiled(rotation):
        if rotation not in made:
            made[rotation] = nsd.Model(
                f"flight_{rotation}",
                systems=[brick.brick],
                scheme=nsd.MoreauJean(rotation=rotation),
                step=1e-3,
                end=1.0,
                parameters=brick.model.parameters,
                initial=brick.model.initial,
            ).compile()
        return made[rotation]

    return compiled


def defects(model, step, moment):
    """Largest defect of the balance of L (inertial frame) and of E over one second."""
    run = model.run(step=step, parameters={"M0": moment})
    q = np.hstack([run["brick.position"], run["brick.quaternion"]])
    v = np.hstack([run["brick.velocity"], run["brick.angular_velocity"]])
    momentum = model.brick.angular_momentum(q, v)
    applied = np.zeros_like(momentum)
    applied[:, 2] = moment / W * np.sin(W * run.time)  # the integral of M0 cos(w t)
    energy = model.brick.kinetic_energy(0.0, q, v) + M * G * q[:, 2]
    return np.abs(momentum - momentum[0] - applied).max(), np.abs(energy - energy[0]).max()


@pytest.mark.parametrize("rotation", ROTATIONS)
@pytest.mark.parametrize("moment", [0.0, M0])
def test_angular_momentum_follows_the_applied_moment_to_second_order(flight, rotation, moment):
    errors = [defects(flight(rotation), h, moment)[0] for h in (4e-3, 2e-3, 1e-3)]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    # theta = 1/2: second order. The Newton tolerance, 1e-11 of |I Omega| ~ 0.01, is far below.
    np.testing.assert_allclose(orders, 2.0, atol=0.05)
    assert errors[-1] < 1e-6


@pytest.mark.parametrize("rotation", ROTATIONS)
def test_energy_is_conserved_to_second_order(flight, rotation):
    errors = [defects(flight(rotation), h, 0.0)[1] for h in (4e-3, 2e-3, 1e-3)]
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    np.testing.assert_allclose(orders, 2.0, atol=0.05)


def test_theta_one_is_first_order(flight):
    """The order is the scheme's, not an accident of the motion."""
    runs = [
        flight("exponential").run(step=h, options={"theta": 1.0})["brick.angular_velocity"][-1]
        for h in (4e-3, 2e-3, 1e-3)
    ]
    ratio = np.linalg.norm(runs[0] - runs[1]) / np.linalg.norm(runs[1] - runs[2])
    assert ratio == pytest.approx(2.0, rel=0.05)


def test_the_quaternion_stays_normalised(compiled):
    run = compiled("tumbling_brick").run()
    norms = np.linalg.norm(run["brick.quaternion"], axis=1)
    assert np.abs(norms - 1).max() < 4 * 2**-53  # normalised by a division in every step


def test_symmetric_top_precesses_at_the_analytic_rate(example):
    """I = diag(A, A, C): Omega_1 + i Omega_2 turns at (C - A)/A Omega_3 in the body frame, Omega_3 is constant."""
    import sympy as sp

    A, C = sp.symbols("A C", positive=True)
    top = nsd.RigidBody("top", mass=1, inertia=sp.diag(A, A, C))
    start = [0.3, 0.0, 11.25]
    model = nsd.Model(
        "top",
        systems=[top],
        scheme=nsd.MoreauJean(rotation="exponential"),
        step=1e-3,
        end=2.0,
        parameters={A: 0.3, C: 0.5},
        initial={top.position: [0, 0, 0], top.angular_velocity: start},
    )
    run = model.run()
    omega = run["top.angular_velocity"]
    phase = (0.5 - 0.3) / 0.3 * 11.25 * run.time
    # Trapezoidal rule on an oscillation of rate 7.5 rad/s: phase error (7.5 h)^2/12 * 7.5 t = 7e-5 rad at t = 2.
    np.testing.assert_allclose(omega[:, 0], 0.3 * np.cos(phase), atol=0.3 * 1.5e-4)
    np.testing.assert_allclose(omega[:, 1], 0.3 * np.sin(phase), atol=0.3 * 1.5e-4)
    np.testing.assert_allclose(omega[:, 2], 11.25, atol=1e-12)


LYING = {"brick.position": [0, 0, 0.04 - 1e-12], "brick.quaternion": [1, 0, 0, 0], "brick.angular_velocity": [0, 0, 0]}
"""Flat on a face, pressed in by a picometre so that rounding does not open a contact."""


def test_at_rest_four_impulses_share_the_weight_and_are_marked_as_undetermined(compiled):
    run = compiled("tumbling_brick").run(end=0.1, initial=LYING, parameters={"M0": 0.0})
    impulses = np.column_stack([run[f"brick ground {i}.impulse"] for i in range(8)])
    touching = impulses[1:].max(axis=0) > 0
    assert touching.sum() == 4
    # Four contacts carry three independent rows (height and two tilts): one impulse is undetermined.
    np.testing.assert_array_equal(run["rank_deficiency"][1:], 1)
    # The least-norm multiplier shares the weight equally; rounding of the solve, relative to m g h / 4.
    np.testing.assert_allclose(impulses[1:, touching], M * G * 1e-3 / 4, rtol=1e-9)
    assert np.abs(run["brick.velocity"]).max() < 1e-14


def test_a_moment_that_turns_leaves_one_impulse_undetermined_and_no_more(compiled):
    """The one-step matrix is a little unsymmetric then, and all sets of active rows are looked at."""
    assert set(compiled("tumbling_brick").run()["rank_deficiency"]) == {0, 1}


def test_in_flight_nothing_is_undetermined(compiled):
    run = compiled("tumbling_brick").run(end=0.2)
    assert not run["rank_deficiency"].any()


def test_the_brick_comes_to_rest_on_a_face(compiled):
    run = compiled("tumbling_brick").run()
    height, tilt = run["brick.position"][-1, 2], run["brick.quaternion"][-1]
    thickness = {0.12: "a", 0.06: "b", 0.04: "c"}
    # Velocity-level contacts let a corner sink by g h^2-like lags: 2e-4 m bounds what three seconds gather.
    assert min(abs(height - t) for t in thickness) < 2e-4, (height, tilt)
    assert np.abs(run["brick.velocity"][-1]).max() < 2e-2  # one step of gravity, g h


def test_a_corner_impact_obeys_newtons_law(compiled):
    """The gap rate after the first impact is -e times the one before it, for the contact that impacts."""
    run = compiled("tumbling_brick").run(end=1.0, parameters={"e": 0.5})
    impulses = np.column_stack([run[f"brick ground {i}.impulse"] for i in range(8)])
    step = np.flatnonzero(impulses.max(axis=1) > 0)[0]
    hit = int(impulses[step].argmax())
    rate = run[f"brick ground {hit}.gap_rate"]
    # H is taken at the last Newton iterate, the recorded rate at the end of the step: equal to Newton's tolerance.
    assert rate[step] == pytest.approx(-0.5 * rate[step - 1], rel=1e-7)
