"""A ratchet of friction: a tray that shakes to and fro, on average at rest, carries what stands on it one way.

The tray starts slowly, with an acceleration that friction can hold, and turns back fast, with one that it cannot:
bodies stick one way and slide the other. For accelerations a1 <= mu g < a2 between the velocities -V/2 and V/2 a body
gains in a period

    (a2 - mu g) T2 t / 2,   T2 = V / a2,   t = (V + a1 T2) / (a1 + mu g),

the area between the velocities of both, whatever its form and mass.

Run it: ``python examples/worlds/friction_ratchet.py`` writes ``friction_ratchet.html``.
"""

import nsdgen as nsd

MU, G = 0.4, 9.81
SLOW, FAST, SPEED = 0.75 * MU * G, 6.0 * MU * G, 0.4  # accelerations, m/s^2, and the change of velocity, m/s
BACK = SPEED / FAST  # s
PERIOD = BACK + SPEED / SLOW


def build() -> nsd.World:
    """Four bodies on the tray."""
    world = nsd.World("friction ratchet", friction=MU)
    world.stand(nsd.solids.Cuboid([3.0, 1.0, 0.05]), [0.6, 0, -0.025], name="tray")
    corners = [[x, y, z] for x in (-0.06, 0.06) for y in (-0.06, 0.06) for z in (0.0, 0.1)]
    for k, (solid, height) in enumerate(
        (
            (nsd.solids.Cuboid([0.12, 0.12, 0.1]), 0.05),
            (nsd.solids.Cylinder(0.07, 0.08), 0.04),
            (nsd.solids.RoundCone(0.08, 0.12), 0.06),
            (nsd.solids.Hull([[0.6 * x if z else x, y, z] for x, y, z in corners]), 0.0),
        )
    ):
        world.add(solid, [0, 0.22 * k - 0.33, height], density=500.0 + 1000.0 * k)
    return world


def shake(world: nsd.World) -> None:
    """The velocity of the tray at a time: first half of the slow way, then back and forth."""
    t = (world.time + 0.5 * SPEED / SLOW) % PERIOD
    slow = SPEED / SLOW
    velocity = -SPEED / 2 + SLOW * t if t < slow else SPEED / 2 - FAST * (t - slow)
    world.standing[0].velocity = [velocity, 0, 0]


def gain() -> float:
    """What a body gains in a period, m."""
    meet = (SPEED + SLOW * BACK) / (SLOW + MU * G)
    return 0.5 * (FAST - MU * G) * BACK * meet


if __name__ == "__main__":
    world = build()
    before = world.states[:, 0].copy()
    trajectory = world.run(8 * PERIOD, step=PERIOD / 200, every=1, before=shake)
    print(trajectory)
    print(f"in a period {(world.states[:, 0] - before) / 8} m; expected {gain():.4f} m")
    trajectory.animate("friction_ratchet.html", frames=400)
