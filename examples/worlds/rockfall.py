"""Rocks that fall down a slope of triangles: hulls of random corners on a height field.

The slope is 35 degrees steep with a rough surface, and ends in a flat valley. Rocks of many faces bounce, roll and
slide; every impact and all friction take energy. What to look at: the energy of all rocks never rises, no rock passes
through the ground, and angular rocks run out less far than round ones on the same slope.

Run it: ``python examples/worlds/rockfall.py`` writes ``rockfall.html``.
"""

import numpy as np

import nsdgen as nsd

STEP = 0.5  # of the grid, m
SLOPE = np.tan(np.radians(35.0))


def ground(nx: int = 60, ny: int = 24, rough: float = 0.06, seed: int = 1) -> np.ndarray:
    """Heights over x and y [m]: from the slope into the valley, with bumps, between banks of 4 m."""
    random = np.random.default_rng(seed)
    x = np.arange(nx) * STEP
    foot = 0.6 * nx * STEP
    banks = 4.0 * np.linspace(-1, 1, ny) ** 4
    return np.logaddexp(0.0, (foot - x) * SLOPE)[:, None] + banks + random.normal(0.0, rough, (nx, ny))


def build(n: int = 20, round_ones: bool = False, seed: int = 2) -> nsd.World:
    """n rocks above the slope, hulls of 16 places or balls of the same size."""
    world = nsd.World("rockfall", friction=0.5, restitution=0.3, sweeps=50)
    heights = ground()
    world.stand(nsd.solids.HeightField(heights, STEP), name="slope")
    nx, ny = heights.shape
    random = np.random.default_rng(seed)
    for i in range(n):
        size = random.uniform(0.2, 0.5)
        x, y = (4 + 1.5 * (i // 5)) * STEP, (4 + 3.5 * (i % 5)) * STEP
        at = [x - (nx - 1) / 2 * STEP, y - (ny - 1) / 2 * STEP, heights[int(x / STEP) - 1, int(y / STEP)] + 1.2]
        places = random.normal(size=(16, 3))
        places *= size / np.linalg.norm(places, axis=1)[:, None]
        solid = nsd.solids.Sphere(0.85 * size) if round_ones else nsd.solids.Hull(places)
        world.add(solid, at, angular_velocity=random.normal(size=3), density=2600.0)
    return world


def energy(world: nsd.World, trajectory: nsd.Trajectory) -> np.ndarray:
    """Of all rocks over time, in what it is at first above the lowest place, with gravity."""
    heights = sum(b.mass * trajectory[f"{b.name}.position[2]"] for b in world.bodies)
    found = trajectory["kinetic_energy"] + 9.81 * heights
    return found / found[0]


def run_out(world: nsd.World) -> float:
    """How far rocks have come on the average, m."""
    born = np.array([b.born[0] for b in world.bodies])
    return float((world.states[:, 0] - born).mean())


if __name__ == "__main__":
    balls = build(round_ones=True)
    balls.run(5.0, step=2e-3, every=100)
    world = build()
    trajectory = world.run(5.0, step=2e-3, every=10)
    rise = np.diff(energy(world, trajectory)).max()
    print(trajectory)
    print(
        f"rocks run out {run_out(world):.1f} m, balls {run_out(balls):.1f} m; the largest rise of energy is {rise:.1e}"
    )
    trajectory.animate("rockfall.html")
