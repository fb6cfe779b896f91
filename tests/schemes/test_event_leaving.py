"""What leaves a contact gathers speed, however many events others have in the meantime."""

import numpy as np
import pytest
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

z, w = dynamicsymbols("z w")


@pytest.mark.parametrize("height", [0.0, 1e4], ids=["as slow as rest", "within the rounding of its gap"])
def test_a_probe_that_is_pulled_off_beside_a_bead_that_rattles(height):
    """It was brought to rest again in each impact of the bead, and never left the ground: v = a t."""
    pull, width, speed = 1e-6, 1e-3, 1.0
    probe = nsd.LagrangianSystem("probe", [z], kinetic=z.diff() ** 2 / 2, forces=[pull])
    bead = nsd.LagrangianSystem("bead", [w], kinetic=w.diff() ** 2 / 2)
    ground = nsd.Contact("ground", z - height, nsd.NewtonImpact(0))
    walls = [nsd.Contact(name, gap, nsd.NewtonImpact(1)) for name, gap in (("left", w), ("right", width - w))]
    run = nsd.Model(
        "probe",
        [probe, bead],
        [ground, *walls],
        scheme=nsd.EventDriven(rest_rate=1e-2),  # reached after more than one impact of the bead
        step=0.01,
        end=0.02,
        initial={z: height, w: width / 2, w.diff(): speed},
    ).run()
    assert len(run.events) == 20
    assert run["probe.z_dot"] == pytest.approx(pull * run.time, rel=1e-9, abs=0)


def test_a_body_that_tips_over_three_feet_while_it_turns():
    """The fourth foot, behind, was stopped whenever another changed how it slides: 10 000 times in 1e-7 s."""
    body = nsd.RigidBody("body", 1, sp.diag(0.01, 0.02, 0.02)).apply_force([0, 0, -10])
    feet = []
    for i, (at, along, mu) in enumerate([(-0.2, 0.05, 0.2), (0.1, 0.05, 0.2), (0.2, 0.05, 0.4), (0.1, 0.1, 0.0)]):
        law = nsd.NewtonImpactFriction(0, mu) if mu else nsd.NewtonImpact(0)
        floor = nsd.Plane(f"floor{i}", normal=[0, 0, 1])
        feet += nsd.contacts_between(body.points(1, [[at, along, -0.1]]), floor, law)
    start = {body.position: [0, 0, 0.1], body.velocity: [0, 0, 0], body.angular_velocity: [0, 0, 0]}
    model = nsd.Model("body", [body], feet, scheme=nsd.EventDriven(), step=1e-3, end=3e-3, initial=start)
    with pytest.warns(nsd.errors.ModelWarning, match="depends on their shares"):  # loads of three feet on a line
        run = model.compile(interpret=True).run()
    rate, tip = run["body floor3 0.gap_rate"], run["body.angular_velocity_rate[0]"]
    # about the line of the three, at whose place along y of 0.05 the others stay: 0.05 of the rate of its angle
    exact = 0.05 * np.concatenate([[0.0], np.cumsum((tip[1:] + tip[:-1]) / 2)]) * 1e-3
    assert rate == pytest.approx(exact, rel=1e-4, abs=0)
    for i in range(3):
        assert abs(run[f"body floor{i} 0.gap"]).max() < 1e-12
