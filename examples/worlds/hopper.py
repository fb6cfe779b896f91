"""A silo that flows through a hole in its floor, and jams where the hole is small.

Spheres of diameter d leave through a round hole of diameter D. Their rate follows Beverloo's law, W = C (D - k d)^(5/2)
with k near 1.4 (Beverloo, Leniger and van de Velde, Chem. Eng. Sci. 15 (1961)): W^(2/5) over D is a straight line,
whatever the filling above. Three rates of one fall each give k between 1.2 and 1.8: which spheres meet in the hole is
chance. Below D of about 2 d an arch of spheres closes the hole for good.

The floor is a surface of triangles around the hole; spheres that have left are taken out of the world.

Run it: ``python examples/worlds/hopper.py`` writes ``hopper.html``.
"""

import numpy as np

import nsdgen as nsd

D = 0.02  # diameter of the spheres, m
WIDE = 0.17  # diameter of the silo, m


def floor(hole: float, sides: int = 24) -> nsd.solids.Mesh:
    """A ring of triangles from the hole to beyond the wall, its faces upwards."""
    turns = np.arange(sides) * 2 * np.pi / sides
    round_ = np.stack([np.cos(turns), np.sin(turns), np.zeros(sides)], axis=1)
    vertices = np.concatenate([round_ * hole / 2, round_ * WIDE])
    following = (np.arange(sides) + 1) % sides
    a, b = np.arange(sides), following
    faces = np.concatenate([np.stack([a, a + sides, b + sides], axis=1), np.stack([a, b + sides, b], axis=1)])
    return nsd.solids.Mesh(vertices.tolist(), faces.tolist())


def build(hole: float, n: int = 500, walls: int = 8, seed: int = 0) -> nsd.World:
    """A silo of n spheres above a hole of this diameter, in d."""
    world = nsd.World("hopper", friction=0.4, tolerance=1e-2, sweeps=1000)
    world.stand(floor(hole * D), name="floor")
    for k in range(walls):
        turn = 2 * np.pi * k / walls
        world.plane([-np.cos(turn), -np.sin(turn), 0], -WIDE / 2, name=f"wall {k}")
    random = np.random.default_rng(seed)
    across = np.arange(-3, 4) * 1.05 * D
    places = [(x, y) for x in across for y in across if np.hypot(x, y) < WIDE / 2 - 0.75 * D]
    for i in range(n):
        x, y = places[i % len(places)]
        at = np.array([x, y, (0.6 + 1.05 * (i // len(places))) * D]) + random.uniform(-0.02, 0.02, 3) * D
        world.add(nsd.solids.Sphere(random.uniform(0.47, 0.5) * D), at)
    return world


def drop(world: nsd.World) -> None:
    """Take out what has fallen far below the floor."""
    for body in world.bodies:
        if body.exists and world.states[body.number, 2] < -0.15:
            world.remove(body)


def left(world: nsd.World) -> int:
    """Spheres that have passed the hole."""
    return int((world.states[:, 2] < -D / 2).sum())


def flow(hole: float, n: int = 600, end: float = 2.0) -> tuple[float, int]:
    """Spheres a second through a hole between a tenth and six tenths of them, and how many have left at the end."""
    world, seen = build(hole, n), []

    def look(world: nsd.World) -> None:
        drop(world)
        seen.append((world.time, left(world)))

    world.run(end, every=20, before=look)
    times, counts = np.array(seen).T
    used = (counts > 0.1 * n) & (counts < 0.6 * n)
    rate = np.polyfit(times[used], counts[used], 1)[0] if used.sum() > 2 else 0.0
    return float(rate), int(counts[-1])


def constant(holes: np.ndarray, rates: np.ndarray) -> float:
    """k of Beverloo's law, from diameters of holes and rates."""
    slope, start = np.polyfit(holes, rates**0.4, 1)
    return float(-start / slope)


if __name__ == "__main__":
    holes = np.array([3.5, 4.25, 5.0])
    rates = np.array([flow(hole)[0] for hole in holes])
    print(f"rates {rates.round()} per second; k = {constant(holes, rates):.2f}")
    print(f"through a hole of 1.5 d: {flow(1.5, end=0.6)[1]} spheres, then it is jammed")
    world = build(4.25)
    trajectory = world.run(1.2, every=10, before=drop)
    trajectory.animate("hopper.html")
