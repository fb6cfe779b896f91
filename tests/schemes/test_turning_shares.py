"""Loads that friction shares where the share changes the motion: sliding in several directions."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import nsdgen as nsd


def test_a_plate_that_slides_and_spins_is_braked_by_its_share():
    """Three equations for the four normal forces N of a plate flat on its corners: each N turns it otherwise.

    Truth: Newton's and Euler's equations of the flat plate by forces mu N_i against the corners' velocities, with the
    N of least norm, by an integrator of another package. Steps take another N of the same three equations.
    """
    a, b, c, mu, g = 0.4, 0.2, 0.1, 0.4, 9.81
    corners = np.array([[i * a / 2, j * b / 2] for i in (-1, 1) for j in (-1, 1)])

    def equations(state):
        """The arms and directions of friction, and the rows that N solves: weight and two moments about the centre."""
        turn = np.array([[np.cos(state[2]), -np.sin(state[2])], [np.sin(state[2]), np.cos(state[2])]])
        arms = corners @ turn.T
        slip = np.stack([state[3] - state[5] * arms[:, 1], state[4] + state[5] * arms[:, 0]], 1)
        way = slip / np.linalg.norm(slip, axis=1)[:, None]
        rows = [np.ones(4), arms[:, 1] - c / 2 * mu * way[:, 1], -arms[:, 0] + c / 2 * mu * way[:, 0]]
        return arms, way, np.array(rows)

    def rate(_, state):
        arms, way, rows = equations(state)
        push = -mu * np.linalg.pinv(rows) @ [g, 0, 0]
        force = push[:, None] * way
        moment = arms[:, 0] @ force[:, 1] - arms[:, 1] @ force[:, 0]
        return [*state[3:], *force.sum(0), 12 * moment / (a**2 + b**2)]

    start, end = [0, 0, 0, 1, 0.3, 3], 0.02
    truth = solve_ivp(rate, (0, end), start, rtol=1e-11, atol=1e-13).y[:, -1]
    plate = nsd.RigidBody("plate", mass=1, inertia=np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12)
    plate.apply_force([0, 0, -g])
    floor = nsd.Plane("floor", normal=[0, 0, 1])
    feet = nsd.shapes.box_plane(plate, [a, b, c], floor, nsd.NewtonImpactFriction(0, mu))
    moving = {plate.position: [0, 0, c / 2], plate.velocity: [1, 0.3, 0], plate.angular_velocity: [0, 0, 3]}

    def run(scheme, step, end):
        model = nsd.Model("plate", [plate], feet, scheme=scheme, step=step, end=end, initial=moving)
        return model.compile(interpret=True).run()

    free = run(nsd.EventDriven(), end, end)
    found = [*free["plate.position"][-1, :2], *free["plate.velocity"][-1, :2], free["plate.angular_velocity"][-1, 2]]
    assert found == pytest.approx(truth[[0, 1, 3, 4, 5]], abs=1e-10) and (free["rank_deficiency"] == 1).all()
    steps = run(nsd.MoreauJean(), 1e-4, 1e-4)
    loads = [steps[n][1] / 1e-4 for n in steps.names if n.endswith(".impulse[0]")][::2]  # of the lower corners
    assert equations(start)[2] @ loads == pytest.approx([g, 0, 0], abs=1e-4)  # friction turns by O(step) in it
