"""``model.one_step``: matrix, offset, free velocities and links of a step, against the formulas of the scheme."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.abi import Cone
from nsdgen.errors import ParameterError
from tests.joints.test_rings import ring

H, G = 1e-2, 9.81
MASSES = (1.0, 2.0, 0.5)


def column(**more):
    """Three beads on each other on a floor, and a spring to the first; all rest, nothing is far from closed."""
    beads = dynamicsymbols("q:3")
    systems = [
        nsd.LagrangianSystem(
            f"bead {i}", [q], kinetic=m * q.diff() ** 2 / 2, forces=[-m * G - (40 * q if i == 0 else 0)]
        )
        for i, (q, m) in enumerate(zip(beads, MASSES, strict=True))
    ]
    gaps = [beads[0], beads[1] - beads[0], beads[2] - beads[1]]
    contacts = [nsd.Contact(f"touch {i}", gap, nsd.NewtonImpact(0.3)) for i, gap in enumerate(gaps)]
    initial = {**dict.fromkeys(beads, 0), beads[2].diff(): -1}
    scheme = nsd.MoreauJean(theta=0.5)
    return nsd.Model("column", systems, contacts, scheme=scheme, step=H, end=1, initial=initial, **more)


def test_the_problem_of_the_first_step():
    """A = H W^-1 H^T, q = H v_free + e H v_k, W = m + h^2 theta^2 k; links are shared beads."""
    (found,) = column().one_step(H)
    gradient = np.eye(3) - np.eye(3, k=-1)
    W = np.diag(MASSES) + np.diag([H**2 / 4 * 40, 0, 0])
    v = np.array([0, 0, -1.0])
    free = np.linalg.solve(W, np.diag(MASSES) @ v - H * G * np.array(MASSES))
    assert found.stage == "velocity" and found.time == H
    assert found.rows == tuple(f"touch {i}.impulse" for i in range(3)) and set(found.cones) == {Cone.COMPLEMENTARITY}
    np.testing.assert_allclose(found.A, gradient @ np.linalg.solve(W, gradient.T), atol=1e-14)
    np.testing.assert_allclose([found.free[f"bead {i}.q{i}_dot"] for i in range(3)], free, atol=1e-14)
    np.testing.assert_allclose(found.q, gradient @ free + 0.3 * gradient @ v, atol=1e-14)
    assert found.linked == {"touch 0": ("touch 1",), "touch 1": ("touch 0", "touch 2"), "touch 2": ("touch 1",)}
    assert (found.z >= 0).all() and (found.w >= -1e-12).all() and abs(found.z @ found.w) < 1e-12


def test_it_is_that_of_the_run():
    """Multipliers are those recorded; the velocities follow from the free ones."""
    model = column()
    run = model.run()
    (found,) = model.one_step(0.205)
    row = round(found.time / H)
    assert row == 21
    np.testing.assert_allclose(found.z, [run[name][row] for name in found.rows], atol=1e-14)
    v = [run[f"q{i}_dot"][row] for i in range(3)]
    force = (np.eye(3) - np.eye(3, k=-1)).T @ found.z
    free = [found.free[f"bead {i}.q{i}_dot"] for i in range(3)]
    np.testing.assert_allclose(np.array(free) + force / (np.array(MASSES) + [1e-3, 0, 0]), v, atol=1e-12)


def test_many_relations_are_in_the_order_of_the_model():
    """Over the graph, where the solver has an order of its own: the same equation holds."""
    n = 60
    beads = dynamicsymbols(f"q:{n}")
    systems = [nsd.LagrangianSystem(f"b{i}", [q], kinetic=q.diff() ** 2 / 2, forces=[-G]) for i, q in enumerate(beads)]
    contacts = [nsd.Contact(f"c{i}", q - (beads[i - 1] if i else 0), nsd.NewtonImpact(0)) for i, q in enumerate(beads)]
    initial = dict.fromkeys(beads, 0)
    model = nsd.Model("many", systems, contacts, scheme=nsd.MoreauJean(), step=H, end=1, initial=initial)
    (found,) = model.one_step(H)
    gradient = np.eye(n) - np.eye(n, k=-1)
    np.testing.assert_allclose(found.A, gradient @ gradient.T, atol=1e-13)
    np.testing.assert_allclose(found.q, gradient @ np.full(n, -H * G), atol=1e-13)
    assert found.rows == tuple(f"c{i}.impulse" for i in range(n))
    np.testing.assert_allclose(found.z, H * G * np.arange(n, 0, -1), atol=1e-10)


def test_a_stage_without_relations_in_play_has_free_velocities_alone():
    z = dynamicsymbols("z")
    ball = nsd.LagrangianSystem("ball", [z], kinetic=z.diff() ** 2 / 2, forces=[-G])
    floor = nsd.Contact("floor", z, nsd.NewtonImpact(0))
    model = nsd.Model("m", [ball], [floor], scheme=nsd.MoreauJean(), step=H, end=1, initial={z: 1})
    (found,) = model.one_step(0.1, initial={z: 2}, options={"theta": 1.0})
    assert found.reason and found.A.shape == (0, 0) and found.linked == {}
    assert found.free == {"ball.z_dot": pytest.approx(-0.1 * G)}


@pytest.mark.parametrize("time", [0.0, -1.0, 1.2])
def test_times_outside_of_the_run(time):
    with pytest.raises(ParameterError, match="no step of the run ends at"):
        column().one_step(time)


@pytest.mark.parametrize("scheme", [nsd.MoreauJean(), nsd.EventDriven()])
def test_steps_that_may_be_cut_are_refused(scheme):
    x = sp.Function("x")(nsd.time)
    ball = nsd.LagrangianSystem("ball", [x], kinetic=x.diff() ** 2 / 2, forces=[-G])
    stop = nsd.StopWhen(x)
    model = nsd.Model("m", [ball], [stop], scheme=scheme, step=H, end=1, initial={x: 1})
    with pytest.raises(ParameterError, match="its steps may be cut"):
        model.one_step(0.1)


@pytest.mark.parametrize("scheme", [nsd.MoreauJean(), nsd.Rattle()], ids=["MoreauJean", "Rattle"])
def test_rows_of_friction_belong_to_the_cone_of_their_contact(scheme):
    """A cube slides: A = 1 / m, z is on the cone against the sliding. Such problems were no problem: a ValueError."""
    cube = nsd.RigidBody("cube", 2, sp.eye(3)).apply_force([0, 0, -2 * G])
    law = nsd.NewtonImpactFriction(0, 0.3)
    floor = nsd.Contact("floor", cube.position[2], law, tangent=list(cube.velocity[:2]))
    initial = {cube.position: [0, 0, 0], cube.velocity: [3, 4, 0]}
    model = nsd.Model("cube", [cube], [floor], scheme=scheme, step=H, end=1, initial=initial)
    found, *others = model.one_step(0.1)
    assert found.cones == (Cone.COULOMB_3D,) * 3
    scale = 0.5 if isinstance(scheme, nsd.MoreauJean) else found.A[0, 0]
    np.testing.assert_allclose(found.A, scale * np.eye(3), atol=1e-14)
    np.testing.assert_allclose(found.z, found.z[0] * np.array([1, -0.3 * 0.6, -0.3 * 0.8]), atol=1e-14)
    assert found.z[0] > 0 and all(set(other.cones) <= {Cone.COULOMB_3D} for other in others)


@pytest.mark.parametrize("time", [0.1, 0.6])
def test_a_stage_that_a_step_leaves_out_has_no_problem(time: float) -> None:
    """A body at rest, and one in the air after it was lifted at 0.45 s: a matrix of zeros, or that of the impact."""
    height = dynamicsymbols("height")
    body = nsd.LagrangianSystem("body", [height], kinetic=height.diff() ** 2, potential=2 * 9.81 * height)
    floor = nsd.Contact("floor", gap=height, law=nsd.NewtonImpact(0.5))
    scheme = nsd.MoreauJean(projection=nsd.Projection())
    lifted = nsd.Model(
        "lifted", [body], [floor], scheme=scheme, step=0.01, end=1, initial={height: 1 if time > 0.5 else 0}
    )
    (projection,) = [problem for problem in lifted.one_step(time) if problem.stage == "projection"]
    assert projection.rows == () and projection.A.size == 0 and not projection.free and "violated" in projection.reason


def test_unknowns_that_stand_beside_the_multipliers_are_solved_for():
    """A ring of ten hinged bodies under ``GeneralisedAlpha``, whose W is sparse."""
    model = ring(10, nsd.GeneralisedAlpha())
    found = model.one_step(2e-3)[0]
    assert found.rows == tuple(f"hinge_{k}.force[{j}]" for k in range(10) for j in range(5))
    assert np.linalg.matrix_rank(found.A, 1e-11 * np.linalg.norm(found.A, 2)) == 47
    np.testing.assert_allclose(found.z, -np.linalg.lstsq(found.A, found.q, rcond=1e-11)[0], atol=1e-11)  # the shortest
