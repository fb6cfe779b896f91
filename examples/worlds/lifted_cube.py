"""Two fingers press a cube from both sides and lift it: friction holds it, and it does not creep.

The fingers are bodies that are pushed towards each other with 60 N and carried upwards; the cube of 2 kg hangs between
them by friction alone. What to look at: it stays where it was between the fingers, to rounding. (For longer the free
fingers buckle: nothing guides them.)

Run it: ``python examples/worlds/lifted_cube.py`` writes ``lifted_cube.html``.
"""

import numpy as np

import nsdgen as nsd

G, PRESS, CUBE, FINGER = 9.81, 60.0, 2.0, 0.5  # m/s^2, N, kg, kg


def build() -> nsd.World:
    """A cube on a table between two fingers that touch it."""
    world = nsd.World("lifted cube", friction=0.4)
    world.plane(name="table")
    world.add(nsd.solids.Cuboid([0.1, 0.1, 0.1]), [0, 0, 0.05], mass=CUBE, name="cube")
    for name, side in (("left finger", -1), ("right finger", 1)):
        finger = world.add(nsd.solids.Cuboid([0.02, 0.04, 0.04]), [side * 0.06, 0, 0.05], mass=FINGER, name=name)
        finger.force = [-side * PRESS, 0, FINGER * G]
    return world


def lift(world: nsd.World, acceleration: float = 0.5) -> None:
    """Carry all of it upwards."""
    for side, finger in zip((1, -1), world.bodies[1:], strict=True):
        upwards = FINGER * G + FINGER * acceleration + CUBE * (G + acceleration) / 2
        finger.force = [side * PRESS, 0, upwards]


def slipped(world: nsd.World) -> float:
    """How far the cube has moved between the fingers, m."""
    now = world.states[:, :3]
    born = np.array([b.born[:3] for b in world.bodies])
    return float(np.abs((now[0] - now[1:].mean(axis=0)) - (born[0] - born[1:].mean(axis=0))).max())


if __name__ == "__main__":
    world = build()
    world.run(0.1, every=20)
    lift(world)
    trajectory = world.run(0.6, every=10)
    print(trajectory)
    print(f"the cube is at {world.bodies[0].position[2]:.4f} m, and slipped by {slipped(world):.1e} m")
    trajectory.animate("lifted_cube.html")
