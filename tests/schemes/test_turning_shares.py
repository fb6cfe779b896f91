"""Loads that friction shares where the share changes the motion: in several directions, by several coefficients."""

import warnings

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelWarning

x, y = dynamicsymbols("x y")
FOR_BODIES = [nsd.MoreauJean(), nsd.Rattle(), nsd.Variational(), nsd.GeneralisedAlpha(), nsd.EventDriven()]


def plate_on_its_corners(scheme, step, steps, mu=0.4, velocity=(1, 0.3, 0), spin=3.0, moment=lambda plate: 0):
    a, b, c = 0.4, 0.2, 0.1
    plate = nsd.RigidBody("plate", mass=1, inertia=np.diag([b * b + c * c, a * a + c * c, a * a + b * b]) / 12)
    plate.apply_force([0, 0, -9.81])
    plate.apply_moment([0, 0, moment(plate)])
    floor = nsd.Plane("floor", normal=[0, 0, 1])
    feet = nsd.shapes.box_plane(plate, [a, b, c], floor, nsd.NewtonImpactFriction(0, mu))
    moving = {plate.position: [0, 0, c / 2], plate.velocity: velocity, plate.angular_velocity: [0, 0, spin]}
    return nsd.Model("plate", [plate], feet, scheme=scheme, step=step, end=steps * step, initial=moving)


def told(model, interpret=True):
    """The counts of a run, and what it warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = model.compile(interpret=interpret).run()
    return run["rank_deficiency"][1:], [str(w.message) for w in caught if issubclass(w.category, ModelWarning)]


@pytest.mark.filterwarnings("ignore:.*the motion depends on their shares")
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
    free = plate_on_its_corners(nsd.EventDriven(), end, 1).compile(interpret=True).run()
    found = [*free["plate.position"][-1, :2], *free["plate.velocity"][-1, :2], free["plate.angular_velocity"][-1, 2]]
    assert found == pytest.approx(truth[[0, 1, 3, 4, 5]], abs=1e-10) and (free["rank_deficiency"] == 1).all()
    steps = plate_on_its_corners(nsd.MoreauJean(), 1e-4, 1).compile(interpret=True).run()
    loads = [steps[n][1] / 1e-4 for n in steps.names if n.endswith(".impulse[0]")][::2]  # of the lower corners
    assert equations(start)[2] @ loads == pytest.approx([g, 0, 0], abs=1e-4)  # friction turns by O(step) in it


@pytest.mark.parametrize("scheme", FOR_BODIES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(("velocity", "spin", "turns"), [((1, 0.3, 0), 3.0, True), ((1, 0.3, 0), 0.0, False)])
@pytest.mark.few(3)
def test_a_share_that_is_open_is_counted_and_told_where_it_turns_the_motion(scheme, velocity, spin, turns):
    """Four loads fulfil three equations; steps said 0 of the plate that spins. Any share brakes alike straight on."""
    counts, said = told(plate_on_its_corners(scheme, 1e-3, 20, velocity=velocity, spin=spin))
    assert (counts == 1).all()
    assert [("the motion depends on their shares" in text) for text in said] == [True] * turns


@pytest.mark.parametrize("steps", [5, 40])
def test_a_plate_that_a_moment_spins_up_is_told_without_an_event(steps):
    """It slides straight on at first, where any share brakes alike: of its event nothing was to be told."""
    plate = plate_on_its_corners(nsd.EventDriven(), 1e-3, steps, spin=0.0, moment=lambda plate: 1)
    counts, said = told(plate)
    assert len(counts) == steps and (counts == 1).all()
    assert len(said) == 1 and "the motion depends on their shares" in said[0]


def test_a_plate_that_turns_for_a_few_rows_is_told():
    """Straight on before and after it: one row of sixteen was looked at, and each of these went straight on."""
    spin = sp.Piecewise((3 * sp.sin(250 * sp.pi * (nsd.time - 0.003)) ** 2, abs(nsd.time - 0.005) < 0.002), (0, True))
    plate = plate_on_its_corners(
        nsd.EventDriven(), 1e-3, 12, spin=0.0, moment=lambda plate: 300 * (spin - plate.angular_velocity[2])
    )
    counts, said = told(plate)
    assert (counts == 1).all()
    assert len(said) == 1 and "the motion depends on their shares" in said[0]


def test_a_compiled_model_tells_it_once_and_counts_on():
    """The function that makes its steps leaves the first such step to be told of."""
    counts, said = told(plate_on_its_corners(nsd.MoreauJean(), 1e-3, 20), interpret=False)
    assert (counts == 1).all() and len(said) == 1


def test_three_feet_hold_one_share():
    """Beside a fourth that is above the floor: nothing is open, whichever way it slides."""
    model = plate_on_its_corners(nsd.MoreauJean(), 1e-3, 5)
    feet = [r for i, r in enumerate(model.relations) if i != 0]
    counts, said = told(
        nsd.Model("plate", model.systems, feet, scheme=nsd.MoreauJean(), step=1e-3, end=5e-3, initial=model.initial)
    )
    assert not counts.any() and not said


@pytest.mark.parametrize("scheme", [*FOR_BODIES, nsd.D1Minus()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(("other", "turns"), [(0.1, True), (0.3, False)])
@pytest.mark.few(3)
def test_two_floors_of_several_coefficients(scheme, other, turns):
    """N_1 + N_2 = m g alone; mu_1 N_1 + mu_2 N_2 brakes, between 1 and 3 N."""
    block = nsd.LagrangianSystem(
        "block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y, forces=[5, 0]
    )
    floors = [
        nsd.Contact(f"floor {i}", y, nsd.NewtonImpactFriction(0, mu), tangent=x) for i, mu in enumerate((0.3, other))
    ]
    start = {x: 0, y: 0, x.diff(): 0.1, y.diff(): 0}
    counts, said = told(nsd.Model("block", [block], floors, scheme=scheme, step=0.01, end=0.05, initial=start))
    assert (counts == 1).all()
    assert [("the motion depends on their shares" in text) for text in said] == [True] * turns


@pytest.mark.parametrize("mass", [1e-12, 1, 1e12])
@pytest.mark.parametrize(("second", "row"), [(0.3, ""), (0.2, "'a'")])
def test_what_is_told_does_not_depend_on_what_lies_beside(second, row, mass):
    """A block slides on two feet, whose shares brake it alike or not; beside it lies what is very light or heavy."""
    z, law = dynamicsymbols("z"), nsd.NewtonImpactFriction
    block = nsd.LagrangianSystem("block", [x, y], kinetic=(x.diff() ** 2 + y.diff() ** 2) / 2, potential=10 * y)
    beside = nsd.LagrangianSystem("beside", [z], kinetic=mass * z.diff() ** 2 / 2, potential=10 * mass * z)
    relations = [
        nsd.Contact("a", y, law(0, 0.3), tangent=x),
        nsd.Contact("b", y, law(0, second), tangent=x),
        nsd.Contact("floor", z, nsd.NewtonImpact(0)),
    ]
    initial = {x: 0, y: 0, z: 0, x.diff(): 1, y.diff(): 0, z.diff(): 0}
    model = nsd.Model("m", [block, beside], relations, scheme=nsd.EventDriven(), step=0.01, end=0.05, initial=initial)
    count, said = told(model)
    assert set(count) == {1}
    assert [w.partition("relation ")[2].partition(":")[0] for w in said] == ([row] if row else [])
