"""Three fingers of a hand reach under a cube, lift it and carry it away.

The fingers are moving solids, each of two capsules; the cube stands on a post. They close under it, rise, and carry it
sideways with an acceleration that friction can hold, 2 m/s^2 of mu g = 4.9. What to look at: the cube does not slide on
them. (A moving solid is at once as fast as it is told, a body on average half a step later: it lags by h v / 2.)

Run it: ``python examples/worlds/robot_hand.py`` writes ``robot_hand.html``.
"""

import numpy as np

import nsdgen as nsd

CUBE, POST, RADIUS = 0.1, 0.04, 0.008  # edges of cube and post, radius of a finger, m
TOP = 0.12  # of the post, m
OPEN, CLOSED = 0.12, 0.045  # distance of the tips from the axis, m
PACE = 0.3  # m/s, of closing and rising


def build() -> nsd.World:
    """The cube on its post, the hand open around it."""
    world = nsd.World("robot hand", friction=0.5)
    world.plane(name="table")
    world.stand(nsd.solids.Cuboid([POST, POST, TOP]), [0, 0, TOP / 2], name="post")
    world.add(nsd.solids.Cuboid([CUBE, CUBE, CUBE]), [0, 0, TOP + CUBE / 2], density=2000.0, name="cube")
    for k in range(3):
        out = np.array([np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0.0])
        lying = nsd.solids.Capsule(RADIUS, 0.06)
        height = TOP - RADIUS - 0.002
        half = np.sin(np.pi / 4)
        world.stand(
            lying, (OPEN + 0.03) * out + [0, 0, height], [half, -half * out[1], half * out[0], 0], name=f"tip {k}"
        )
        upright = nsd.solids.Capsule(RADIUS, 0.2)
        world.stand(upright, (OPEN + 0.06) * out + [0, 0, height + 0.1], name=f"finger {k}")
    return world


def lead(world: nsd.World) -> None:
    """What the hand does at a time: close for a quarter of a second, rise for half a second, then carry."""
    closing = (OPEN - CLOSED) / PACE
    for k in range(6):
        out = np.array([np.cos(2 * np.pi * (k // 2) / 3), np.sin(2 * np.pi * (k // 2) / 3), 0.0])
        finger = world.standing[2 + k]
        if world.time < closing:
            finger.velocity = -PACE * out
        elif world.time < closing + 0.5:
            finger.velocity = [0, 0, 2 * PACE * np.sin(2 * np.pi * (world.time - closing)) ** 2]
        else:
            finger.velocity = [2.0 * (world.time - closing - 0.5), 0, 0]


def slid(world: nsd.World) -> float:
    """How far the cube has moved in the hand sideways, m."""
    tips = [s for s in world.standing if s.name.startswith("tip")]
    middle = np.mean([s.place(world.shapes)[0] for s in tips], axis=0)
    return float(np.linalg.norm(world.bodies[0].position[:2] - middle[:2]))


if __name__ == "__main__":
    world = build()
    trajectory = world.run(1.3, before=lead)
    print(trajectory)
    print(f"the cube is at {world.bodies[0].position.round(4)} m and slid by {slid(world):.1e} m in the hand")
    trajectory.animate("robot_hand.html", frames=260)
