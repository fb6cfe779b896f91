"""Friction compares impulses along gap and tangent: a gap that is no distance is refused, or scaled by name."""

import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.errors import ModelError

x, y, z, phi = dynamicsymbols("x y z phi")
m, n, r = sp.symbols("m n r", positive=True)
FRICTION = nsd.NewtonImpactFriction(0, 0.3)
MOVED = {m: 2, n: 4, r: 0.1}


def model(systems, contact, initial, **parameters):
    return nsd.Model(
        "model",
        systems,
        [contact],
        scheme=nsd.MoreauJean(),
        step=1e-3,
        end=0.1,
        initial=initial,
        parameters={**MOVED, **parameters},
    )


def plane(gap, tangent=x, coordinates=(x, y), inertia=1, **more):
    """A block of mass 2 in the plane, or in space, or with an angle."""
    kinetic = sum(c.diff() ** 2 for c in coordinates if c != phi) + (
        inertia * phi.diff() ** 2 if phi in coordinates else 0
    )
    block = nsd.LagrangianSystem("block", list(coordinates), kinetic=m * kinetic / 2, potential=m * 10 * coordinates[1])
    start = dict.fromkeys(coordinates, 0) | {x.diff(): 1}
    return model([block], nsd.Contact("floor", gap, tangent=tangent, law=FRICTION, **more), start)


def body(gap, tangent=None, **more):
    ball = nsd.RigidBody("ball", mass=m, inertia=sp.eye(3)).apply_force([0, 0, -10 * m])
    px, py, pz = ball.position
    sliding = {"tangent": list(ball.velocity[:2])} if tangent is None else tangent(ball)
    contact = nsd.Contact("floor", gap(px, py, pz), law=FRICTION, **sliding, **more)
    return model([ball], contact, {ball.position: [0, 0, 0], ball.velocity: [1, 0, 0]})


def of_place(gap, tangent=x, **more):
    """A block whose mass depends on where it is, and is the same along both axes."""
    kinetic = m * (2 + sp.sin(x)) * (x.diff() ** 2 + y.diff() ** 2) / 2
    block = nsd.LagrangianSystem("block", [x, y], kinetic=kinetic, potential=m * 10 * y)
    contact = nsd.Contact("floor", gap, tangent=tangent, law=FRICTION, **more)
    return model([block], contact, {x: 0, y: 0, x.diff(): 1})


def heavier(gap, coordinates=(x, y), tangent=x, **more):
    """A block that pushes 2 kg more along x than along the others."""
    kinetic = m * sum(c.diff() ** 2 for c in coordinates) / 2 + x.diff() ** 2
    block = nsd.LagrangianSystem("block", list(coordinates), kinetic=kinetic, potential=m * 10 * y)
    start = dict.fromkeys(coordinates, 0) | {x.diff(): 1}
    return model([block], nsd.Contact("floor", gap, tangent=tangent, law=FRICTION, **more), start)


def frame(ball):
    return {"bodies": (ball,), "point": ball.position}


@pytest.mark.parametrize(
    "made",
    [
        lambda: plane(4 * y),
        lambda: plane(y / 1000),
        lambda: plane(n * y),  # by its value
        lambda: plane(y, tangent=2 * x),
        lambda: plane(y - x**2),  # of unit gradient where it starts, and nowhere else
        lambda: plane(y - x / 2),
        lambda: plane(4 * y, coordinates=(x, y, phi)),
        lambda: plane(4 * z, tangent=[x, y], coordinates=(x, y, z)),
        lambda: plane(4 * phi, tangent=x, coordinates=(x, y, phi), inertia=2),
        lambda: heavier(4 * y),  # friction was a quarter of what it is, silently, as it was below
        lambda: heavier(sp.exp(2 * y) - 1),
        lambda: heavier(4 * y - 3 * z, coordinates=(x, y, z)),
        lambda: plane(z, tangent=[x, 3 * y], coordinates=(x, y, z)),
        lambda: of_place(4 * y),  # taken as it was written, though the mass is the same along both
        lambda: of_place(y, tangent=2 * x),
        lambda: body(lambda px, py, pz: 4 * pz),
        lambda: body(lambda px, py, pz: 4 * pz, frame),
        lambda: body(lambda px, py, pz: pz - px**2, frame),
    ],
)
def test_a_gap_that_is_no_distance_is_refused(made):
    with pytest.raises(ModelError, match="no distance") as refused:
        made()
    assert refused.value.where == "relation 'floor'" and "scale=" in refused.value.fix


@pytest.mark.parametrize(
    "made",
    [
        lambda: plane((2 * y - x) / sp.sqrt(5), tangent=x),
        lambda: plane(y, tangent=y),  # the direction beside it stands in neither
        lambda: plane(y - r, tangent=1 - y.diff()),
        lambda: body(lambda px, py, pz: pz, lambda ball: {"tangent": [ball.velocity[0], ball.velocity[2]]}),
    ],
)
def test_a_tangent_along_the_normal_is_refused(made):
    with pytest.raises(ModelError, match="not orthogonal"):
        made()


@pytest.mark.parametrize(
    "made",
    [
        lambda: plane(y),
        lambda: plane((2 * y - x) / sp.sqrt(5), tangent=(2 * x + y) / sp.sqrt(5)),
        lambda: plane(
            (y - x**2) / sp.sqrt(1 + 4 * x**2), tangent=(x.diff() + 2 * x * y.diff()) / sp.sqrt(1 + 4 * x**2)
        ),
        lambda: plane(y - r, tangent=x + r * phi, coordinates=(x, y, phi)),  # a disc whose inertia is its mass
        lambda: plane(y - z, tangent=x, coordinates=(x, y, z)),  # on a table of the same mass
        lambda: plane(n * phi, tangent=x, coordinates=(x, y, phi), inertia=2),  # a lever
        lambda: plane(4 * phi, tangent=x, coordinates=(x, y, phi), inertia=2, scale=1),
        lambda: plane(y + r - r * sp.cos(phi), tangent=x, coordinates=(x, y, phi), inertia=2),
        lambda: heavier(y**2 + y),
        lambda: heavier((3 * y + 4 * z) / 5, coordinates=(x, y, z), tangent=(4 * y - 3 * z) / 5),
        lambda: of_place(y),
        lambda: of_place(4 * y, scale=4),
        lambda: plane(r * y / r),
        lambda: body(lambda px, py, pz: pz),
        lambda: body(lambda px, py, pz: pz, frame),
        lambda: body(lambda px, py, pz: sp.sqrt(px**2 + py**2 + (pz + r) ** 2) - r, frame),
    ],
)
def test_distances_are_taken(made):
    assert made().description.relations


@pytest.mark.parametrize(
    "scheme", [nsd.MoreauJean(), nsd.Rattle(), nsd.D1Minus(), nsd.EventDriven(), nsd.Variational()]
)
@pytest.mark.few(2)
def test_friction_is_that_of_the_distance(scheme):
    for scaled, slows in ((plane(4 * y, scale=n), 3), (heavier(4 * y, scale=n), 1.5)):
        scaled.scheme = scheme
        slowed = scaled.run()
        assert abs(slowed["x_dot"] - (1 - slows * slowed.time)).max() < 1e-9


def test_who_knows_better_says_so():
    with pytest.raises(ModelError, match="no distance"):
        plane(y, tangent=r * x)
    assert plane(y, tangent=r * x, scale=1).description.relations  # a drum under a brake
    with pytest.raises(ModelError, match="-1 is not positive"):
        plane(y, scale=-1)
