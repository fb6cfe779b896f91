"""Spheres fall into a box and come to rest: contacts that nobody listed, found while they move.

A loose block of balls of three sizes falls together, rubs and comes to rest. What to look at: the pressure on the floor
becomes the weight of all, and the pile fills 53 % of a box that is five balls wide: walls keep balls apart. Far from
walls random packings of rubbing balls fill 55 to 64 % (Onoda and Liniger, Phys. Rev. Lett. 64 (1990), for equal ones).

Run it: ``python examples/worlds/settling_spheres.py`` writes ``settling_spheres.html``.
"""

import numpy as np

import nsdgen as nsd

R = 0.05  # the mean radius, m


def build(n: int = 300, across: int = 5) -> nsd.World:
    """A box with n balls above its floor, across x across in each layer."""
    world = nsd.World("settling spheres", friction=0.4, tolerance=1e-3, sweeps=1000)
    world.plane(name="floor")
    width = 2.2 * R * across
    for name, normal, offset in (
        ("west", [1, 0, 0], 0),
        ("east", [-1, 0, 0], -width),
        ("south", [0, 1, 0], 0),
        ("north", [0, -1, 0], -width),
    ):
        world.plane(normal, offset, name=name)
    random = np.random.default_rng(0)
    for i in range(n):
        cell = np.array([i % across, i // across % across, i // across**2])
        at = (cell + 0.5) * 2.2 * R + random.uniform(-0.05, 0.05, 3) * R
        world.add(nsd.solids.Sphere(R * (0.9, 1.0, 1.05)[i % 3]), at)
    return world


def filling(world: nsd.World) -> float:
    """The share of the box up to the mean of the upper tenth of the balls, a radius of them left out above."""
    heights = np.sort(world.states[:, 2])
    top = heights[-len(heights) // 10 :].mean()
    volume = sum(4 / 3 * np.pi * b.solid.radius**3 for b in world.bodies)
    width = 2.2 * R * 5
    return float(volume / (width**2 * top))


if __name__ == "__main__":
    world = build()
    trajectory = world.run(1.0, every=10)
    print(trajectory)
    print(f"filled {filling(world):.3f}, deepest overlap {-trajectory['deepest'].min() / R:.4f} R")
    trajectory.animate("settling_spheres.html")
