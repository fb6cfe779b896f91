"""A wall of boxes, laid like bricks, that stands until a ball comes.

Each box lies on two others with four points of contact each: thousands of forces balance that are not determined. Each
step is solved with a certificate, and boxes stay where they are to rounding; swept to a tolerance of 1e-5 m/s they move
by some hundred-thousandths of their height. Then a heavy ball flies into the wall.

Run it: ``python examples/worlds/box_wall.py`` writes ``box_wall.html``.
"""

import numpy as np

import nsdgen as nsd

EDGES = np.array([0.4, 0.2, 0.2])  # of a box, m


def build(columns: int = 8, rows: int = 6, ball: bool = True) -> nsd.World:
    """A wall along x; the ball comes along y and reaches it after 0.4 s."""
    world = nsd.World("box wall", friction=0.6)
    world.plane(name="ground")
    for row in range(rows):
        for column in range(columns - row % 2):
            at = [(column + 0.5 * (row % 2)) * EDGES[0], 0, (row + 0.5) * EDGES[2]]
            world.add(nsd.solids.Cuboid(EDGES.tolist()), at)
    if ball:
        middle = [(columns - 1) * EDGES[0] / 2, -3.6, 0.6]
        speed = [0, 8.0, 0.5 * 9.81 * 0.4]
        world.add(nsd.solids.Sphere(0.3), middle, velocity=speed, mass=200.0, name="ball")
    return world


def creep(columns: int, rows: int, end: float, tolerance: float) -> float:
    """How far a box of a wall at rest is moved in this time, in heights of a box."""
    world = build(columns, rows, ball=False)
    world.tolerance = tolerance
    world.run(end, every=1000)
    born = np.array([b.born[:3] for b in world.bodies])
    return float(np.abs(world.states[:, :3] - born).max() / EDGES[2])


if __name__ == "__main__":
    world = build()
    trajectory = world.run(1.5, step=2e-3, every=8)
    print(trajectory)
    before = trajectory.time < 0.35
    rise = max(np.abs(trajectory[f"{b.name}.position[2]"][before] - b.born[2]).max() for b in world.bodies[:-1])
    print(f"before the ball comes boxes move by {rise / EDGES[2]:.1e} of their height")
    trajectory.animate("box_wall.html")
