"""Discs that fall into a box in the plane: contacts appear and vanish, scales see what each wall carries.

A world in the plane has three coordinates for a body. When the discs rest, floor and walls carry their weight together:
friction on the walls takes a part of it, as in a silo (Janssen 1895).

Run it: ``python examples/worlds/falling_discs.py`` writes ``falling_discs.html``.
"""

import numpy as np

import nsdgen as nsd

R, COLUMNS, ROWS = 0.05, 8, 10  # m
WIDTH = 2.25 * R * (COLUMNS + 0.5)


def build(rows: int = ROWS) -> nsd.World:
    """A loose grid of discs over a floor between two walls, each with a scale."""
    world = nsd.World("falling discs", planar=True, friction=0.4, sleep=1e-4)
    walls = [
        world.plane(name="floor"),
        world.plane([1, 0], 0.0, name="left"),
        world.plane([-1, 0], -WIDTH, name="right"),
    ]
    for wall in walls:
        world.sensor(wall, name=f"scale {wall.name}")
    for k in range(rows * COLUMNS):
        row = k // COLUMNS
        x = 2.25 * R * (k % COLUMNS + 0.5 + 0.45 * (row % 2))
        world.add(nsd.solids.Cylinder(R, 0.05), [x, 2.25 * R * (0.6 + 0.95 * row)], angular_velocity=3.0 * np.sin(k))
    return world


def carried(trajectory: nsd.Trajectory, world: nsd.World) -> float:
    """The share of the weight that floor and walls carry at the end."""
    scales = [trajectory[f"scale {name}.force[1]"][-1] for name in ("floor", "left", "right")]
    return float(-sum(scales) / sum(body.mass * 9.81 for body in world.bodies))


if __name__ == "__main__":
    world = build()
    trajectory = world.run(1.0, step=2e-3, every=10)
    print(trajectory)
    print(f"floor and walls carry {carried(trajectory, world):.4f} of the weight")
    trajectory.animate("falling_discs.html")
