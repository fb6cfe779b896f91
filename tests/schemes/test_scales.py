"""No threshold of a scheme knows metres or seconds: a model of other lengths and times runs as its image."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

x, y, angle = dynamicsymbols("x y angle")
m, g, L = sp.symbols("m g L", positive=True)
SCALES = [(length, time) for length in (1, 1e-9, 1e9) for time in (1, 1e-9, 1e9)]
WITH_CONTACTS = {
    "MoreauJean": nsd.MoreauJean(),
    "hysteresis": nsd.MoreauJean(activation="hysteresis"),
    "Rattle": nsd.Rattle(),
    "GeneralisedAlpha": nsd.GeneralisedAlpha(),
    "Variational": nsd.Variational(),
    "D1Minus": nsd.D1Minus(),
    "velocity": nsd.D1Minus(level="velocity"),
    "bounces": nsd.D1Minus(rest="bounces"),
}
BODIES = ["MoreauJean", "Rattle", "Variational"]


def thrown():
    """A block that bounces, slides and comes to rest."""
    block = nsd.LagrangianSystem("block", [x, y], kinetic=m * (x.diff() ** 2 + y.diff() ** 2) / 2, potential=m * g * y)
    floor = nsd.Contact("floor", gap=y, tangent=x, law=nsd.NewtonImpactFriction(0.5, 0.3))
    return [block], [floor], {x: 0, y: 0.3, x.diff(): 1}


def brick_on_corners():
    """A brick on two corners that tilts under a push and settles."""
    brick = nsd.LagrangianSystem(
        "brick",
        [x, y, angle],
        kinetic=m * (x.diff() ** 2 + y.diff() ** 2 + L**2 * angle.diff() ** 2 / 6) / 2,
        potential=m * g * y,
        forces=[0, 0, m * g * L * sp.cos(sp.sqrt(g / L) * nsd.time) / 3],
    )
    corners = [
        nsd.Contact(
            f"corner {n}",
            gap=y + s * L / 2 * sp.sin(angle) - L / 2 * sp.cos(angle),
            tangent=x + s * L / 2 * sp.cos(angle) + L / 2 * sp.sin(angle),
            law=nsd.NewtonImpactFriction(0, 0.3),
        )
        for n, s in enumerate((-1, 1))
    ]
    return [brick], corners, {x: 0, y: 0.5, angle: 0}


def hinged():
    """A body on a pin that swings against a floor."""
    arm = nsd.RigidBody("arm", mass=m, inertia=sp.diag(1, 1, 1) * m * L**2 / 12).apply_force([0, 0, -m * g])
    pin = nsd.Revolute("pin", nsd.Marker(arm, [-L / 2, 0, 0], axis=[0, 1, 0]), nsd.Marker(axis=[0, 1, 0]))
    tip = nsd.Plane("floor", [0, 0, 1], -L / 4)
    law = nsd.NewtonImpactFriction(0, 0.3)
    return [arm], [pin, *nsd.contacts_between(arm.points(1, [[L / 2, 0, 0]]), tip, law)], {arm.position: [0.5, 0, 0]}


CASES = [(d, s) for d in (thrown, brick_on_corners) for s in WITH_CONTACTS] + [(hinged, s) for s in BODIES]


@pytest.mark.parametrize(("described", "scheme"), CASES)
def test_lengths_and_times(described, scheme):
    systems, relations, initial = described()
    has_length = described is not thrown
    compiled = nsd.Model(
        described.__name__,
        systems,
        relations,
        scheme=WITH_CONTACTS[scheme],
        step=5e-3,
        end=2,
        parameters={m: 1, g: 10, **({L: 1} if has_length else {})},
        initial=initial,
    ).compile(interpret=True)
    places = ["position"] if described is hinged else ["x", "y"]
    starts = {thrown: {"y": 0.3}, brick_on_corners: {"y": 0.5}, hinged: {"position": np.array([0.5, 0, 0])}}[described]
    reference = None
    for length, time in SCALES:
        found = compiled.run(
            step=5e-3 * time,
            end=2 * time,
            parameters={"g": 10 * length / time**2, **({"L": length} if has_length else {})},
            initial={n: v * length for n, v in starts.items()} | ({} if has_length else {"x_dot": length / time}),
        )
        rows = np.column_stack([found[n] / length for n in places])
        reference = rows if reference is None else reference
        assert abs(rows - reference).max() < 1e-7, (length, time)


def swung():
    """A body on a pin, without a floor."""
    bodies, relations, initial = hinged()
    return bodies, relations[:1], initial


def bounced():
    """A block that bounces without friction and comes to rest."""
    block = nsd.LagrangianSystem("block", [x, y], kinetic=m * (x.diff() ** 2 + y.diff() ** 2) / 2, potential=m * g * y)
    return [block], [nsd.Contact("floor", gap=y, law=nsd.NewtonImpact(0.5))], {x: 0, y: 0.3, x.diff(): 1}


OTHERS = [
    (swung, "GeneralisedAlpha"),
    (swung, "EventDriven"),
    (bounced, "SchatzmanPaoli"),
    (bounced, "EventDriven"),
    (thrown, "EventDriven"),
]


@pytest.mark.parametrize(
    "scales", [[SCALES[k] for k in (0, 5, 7)], pytest.param(SCALES, marks=pytest.mark.slow)], ids=["some", "all"]
)
@pytest.mark.parametrize(("described", "scheme"), OTHERS)
def test_lengths_and_times_of_schemes_for_few(described, scheme, scales):
    """``EventDriven`` is told the lengths by its three thresholds: m, m/s, and the smallest of what it integrates."""
    reference = None
    for length, time in scales:
        systems, relations, initial = described()
        told = {
            "closed": 1e-10 * length,
            "rest_rate": 1e-7 * length / time,
            "atol": 1e-12 * min(length, length / time, 1 / time),
        }
        made = getattr(nsd, scheme)(**(told if scheme == "EventDriven" else {}))
        found = nsd.Model(
            described.__name__,
            systems,
            relations,
            scheme=made,
            step=5e-3 * time,
            end=2 * time,
            parameters={m: 1, g: 10 * length / time**2, **({L: length} if described is swung else {})},
            initial={
                k: (np.array(v) * length / (time if isinstance(k, sp.Derivative) else 1)).tolist()
                for k, v in initial.items()
            },
        )
        run = found.compile(interpret=True).run()
        rows = np.column_stack([run[n] / length for n in (["position"] if described is swung else ["x", "y"])])
        reference = rows if reference is None else reference
        assert abs(rows - reference).max() < 1e-7, (length, time)
