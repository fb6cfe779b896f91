"""A quadruped that stands on four feet: it rests, shares its weight, and each step is found at once."""

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd

m, L, g = sp.symbols("m L g", positive=True)
STEP, GRAVITY = 1e-3, 9.81
FEET = [(1, 1), (1, -1), (-1, 1), (-1, -1)]


def quadruped(scheme, end):
    """A trunk of 10 m on four rods of m and length L, held by hinges and motors, which say six things too often."""
    trunk = nsd.RigidBody("trunk", 10 * m, m * L**2 * sp.diag(2, 4, 5)).apply_force([0, 0, -10 * m * g])
    floor, law = nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, 0.8)
    bodies, relations, start = [trunk], [], {trunk.position: [0, 0, 1]}
    for k, (x, y) in enumerate(FEET):
        leg = nsd.RigidBody(f"leg_{k}", m, m * L**2 * sp.diag(10, 10, 1) / 120).apply_force([0, 0, -m * g])
        hip = nsd.Revolute(
            f"hip_{k}",
            nsd.Marker(leg, [0, 0, L / 2], axis=[0, 1, 0]),
            nsd.Marker(trunk, [x * L, y * L / 2, 0], axis=[0, 1, 0]),
        )
        relations += [hip, hip.motor(position=0), *nsd.contacts_between([leg.point([0, 0, -L / 2])], floor, law)]
        bodies.append(leg)
        start[leg.position] = [x, y / 2, 0.5]
    return nsd.Model(
        "quadruped", bodies, relations, scheme=scheme, step=STEP, end=end,
        parameters={m: 1, L: 1, g: GRAVITY}, initial=start,
    ).compile(interpret=True)  # fmt: skip


@pytest.fixture(scope="module")
def standing():
    return quadruped(nsd.MoreauJean(), 0.2)


def run(standing, mass, length, time, end=0.2):
    """The same of other masses, lengths and times; its table in the units of the first."""
    places = {"trunk": [0, 0, 1]} | {f"leg_{k}": [x, y / 2, 0.5] for k, (x, y) in enumerate(FEET)}
    return standing.run(
        step=STEP * time,
        end=end * time,
        parameters={"m": mass, "L": length, "g": GRAVITY * length / time**2},
        initial={f"{name}.position": length * np.array(place) for name, place in places.items()},
    )


@pytest.mark.parametrize("mass", [1e-3, 1, 1e3])
@pytest.mark.parametrize(("length", "time"), [(1, 1), (1e-9, 1), (1e9, 1), (1, 1e-9), (1, 1e9)])
@pytest.mark.few(5)
def test_a_quadruped_stands(standing, mass, length, time):
    """Rows that carry nothing were measured by their own rounding: up to seven iterations, with proximal rounds.

    Moments were compared with forces by their numbers: of things of 1e-9 m or 1e9 m 11 to 18 reactions were open.
    """
    table = run(standing, mass, length, time)
    weight = 14 * mass * GRAVITY * length / time**2 * STEP * time
    assert (table["rank_deficiency"][1:] == 6).all()
    assert table["newton_iterations"][2:].max() <= 3
    for k in range(4):  # shares are kept while nothing changes by 1e-9 of the load
        impulse = table[f"leg_{k} floor 0.impulse"][1:]
        assert abs(impulse - [weight / 4, 0, 0]).max() < 1e-8 * weight  # friction takes no part
        assert abs(table[f"leg_{k}.velocity"]).max() < 1e-12 * GRAVITY * length / time**2 * STEP * time


@pytest.mark.parametrize("scheme", ["GeneralisedAlpha", "Rattle", "EventDriven", "Variational"])
@pytest.mark.few(2)  # those that once did not
def test_every_scheme_lets_it_stand(scheme):
    """Events took 4 000 iterations in three milliseconds: where nothing moved, forces were rounding; later 206, for
    first steps were shortened until rates that are rounding were those of one motion. GeneralisedAlpha refused things
    of 1e-9 m, and so did EventDriven."""
    compiled = quadruped(getattr(nsd, scheme)(), 3 * STEP)
    for length in (1, 1e-9, 1e9):
        stands(scheme, run(compiled, 1, length, 1, 3 * STEP), length)


def stands(scheme, table, length):
    weight = 14 * GRAVITY * length * (1 if scheme == "EventDriven" else STEP)
    name = "last_force" if scheme == "EventDriven" else "impulse"
    assert table["newton_iterations"].sum() < 200
    assert (table["rank_deficiency"][1:] == 6).all()
    for k in range(4):
        assert abs(table[f"leg_{k} floor 0.{name}"][1:] - [weight / 4, 0, 0]).max() < 1e-8 * weight
