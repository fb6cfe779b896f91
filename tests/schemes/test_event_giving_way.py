"""Bodies on more feet than hold them, pushed until no shares of their loads carry them: what gives way, and where to.

The laws say what is true, row by row: each foot within its cone, what slides at its bound against its rate, what is
held still, and the body moved by what its feet bear.
"""

import numpy as np
import pytest
import sympy as sp

import nsdgen as nsd

ROW = 0.01


def drawn(seed):
    """A body of 1 kg in space on three to six feet, its pushes, and the friction of each foot."""
    rng = np.random.default_rng(seed)
    rng.random()
    count = int(rng.integers(3, 7))
    same = float(rng.uniform(0.2, 0.9)) if seed % 2 else None
    pushes = [
        float(rng.uniform(2, 14)) * sp.sin(float(rng.uniform(1, 4)) * nsd.time + float(rng.uniform(0, 0.3)))
        for _ in range(2)
    ]
    down = float(rng.uniform(8, 12))
    inertia = sp.diag(*[float(x) for x in rng.uniform(0.05, 0.3, 3)])
    height = float(rng.uniform(0.02, 0.3))
    rng.uniform(-1, 1), rng.random()
    push = [pushes[0], pushes[1] * int(rng.random() < 0.6), -down]
    body = nsd.RigidBody("body", 1, inertia).apply_force(push)
    feet, friction = [], []
    for i in range(count):
        place = [float(x) for x in rng.uniform(-0.5, 0.5, 2)]
        friction.append(same or float(rng.uniform(0.2, 0.9)))
        law = nsd.NewtonImpactFriction(0, friction[-1])
        floor = nsd.Plane(f"floor{i}", normal=[0, 0, 1])
        feet += nsd.contacts_between(body.points(1, [[*place, -height]]), floor, law)
    return body, feet, push, friction, {body.position: [0, 0, height]}


@pytest.mark.parametrize(
    ("seed", "end"),
    [
        pytest.param(24, 0.2, id="one bore eleven times its load", marks=pytest.mark.slow),
        pytest.param(54, 0.35, id="lines that let nothing move"),
        pytest.param(58, 0.5, id="feet that open and close at once"),
        pytest.param(3, 0.35, id="tips over two feet that slide slowly: it was refused"),
    ],
)
def test_a_body_on_feet_gives_way(seed, end):
    body, feet, push, friction, initial = drawn(seed)
    run = nsd.Model("drawn", [body], feet, scheme=nsd.EventDriven(), step=ROW, end=end, initial=initial).run()
    assert any(event.kind == "slips" for event in run.events)
    total = np.array([[float(sp.sympify(e).subs(nsd.time, t)) for e in push] for t in run.time])
    for foot, mu in zip(feet, friction, strict=True):
        force, slip = run[f"{foot.name}.force"], run[f"{foot.name}.sliding_rate"]
        total += np.roll(force, -1, axis=1)  # the normal comes first
        assert force[:, 0].min() > -1e-9
        assert (np.linalg.norm(force[:, 1:], axis=1) - mu * force[:, 0]).max() < 5e-6  # of 10 N
        closed, speed = run[f"{foot.name}.closed"] > 0, np.linalg.norm(slip, axis=1)
        assert abs(run[f"{foot.name}.gap_rate"][closed]).max(initial=0.0) < 1e-12
        slides = closed & (speed > 1e-6)
        against = np.sum(force[slides, 1:] * slip[slides], axis=1) / speed[slides]
        assert abs(against + mu * force[slides, 0]).max(initial=0.0) < 1e-9
    assert np.isclose(run["body.velocity_rate"][1:-1], total[1:-1], atol=1e-9).all(axis=1).mean() > 0.9


def test_a_weight_over_an_edge_tips_as_its_push_grows():
    """Four feet, two at one place, and the weight between that and another: it turns about the line through them.

    What is left of a gap that stays closed is rounding. Looks at it grew as short as what was left of a row, and at
    some heights no longer again: a second took hours. The angle grows as ``J a'' = h F t + m g h a``.
    """
    inertia, pushes = [0.2525, 0.1894, 0.209], (-0.28, 2.018)
    height = sp.Symbol("height", positive=True)
    body = nsd.RigidBody("body", 1, sp.diag(*inertia)).apply_moment([0, 0, 1.48 * nsd.time])
    body = body.apply_force([pushes[0] * nsd.time, pushes[1] * nsd.time, -10])
    feet = []
    for i, (x, y) in enumerate([(0, -0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, 0.5)]):
        law, floor = nsd.NewtonImpactFriction(0, 0.4274), nsd.Plane(f"floor{i}", normal=[0, 0, 1])
        feet += nsd.contacts_between(body.points(1, [[x, y, -height]]), floor, law)
    start = {body.position: [0, 0, 0.2]}
    values = {height: 0.2}
    model = nsd.Model(
        "edge", [body], feet, scheme=nsd.EventDriven(), step=ROW, end=0.02, initial=start, parameters=values
    ).compile()
    for high in np.linspace(0.2, 0.3, 41):
        run = model.run(parameters={"height": high}, initial={"body.position[2]": high})
        about = (inertia[0] + inertia[1]) / 2 + high**2
        falls, push = 10 * high / about, high * sum(pushes) / 2**0.5 / about
        speed = push / falls * (np.cosh(falls**0.5 * run.time) - 1)
        assert np.isclose(run["angular_velocity"] @ [-(0.5**0.5), 0.5**0.5, 0], speed, rtol=1e-6, atol=1e-12).all()
        assert not run.events
