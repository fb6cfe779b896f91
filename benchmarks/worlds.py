"""Worlds of many bodies beside MuJoCo on the same scenes, by processor time.

``python benchmarks/worlds.py [--scene NAME]``. MuJoCo (``pip install mujoco``) is left out with ``--no-peer``.
Steps are timed from the same states on, with the same step, shapes and coefficients. MuJoCo's contacts are springs with
dampers, its solver stops at its own tolerance: penetrations are listed beside.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import nsdgen as nsd

H = 1e-3


class Scene:
    """Shapes of one kind over a ground between walls, as a world and as a text for MuJoCo."""

    tolerance = 0.0  # m/s

    def __init__(self, size: np.ndarray, places: np.ndarray, friction: float, width: float = 0.0) -> None:
        self.size, self.places, self.friction, self.width = size, places, friction, width

    def world(self) -> nsd.World:
        world = nsd.World("benchmark", friction=self.friction, sweeps=15, tolerance=self.tolerance)
        world.plane()
        for normal, offset in _walls(self.width):
            world.plane(normal, offset)
        solid = nsd.solids.Sphere(self.size[0]) if len(self.size) == 1 else nsd.solids.Cuboid((2 * self.size).tolist())
        for place in self.places:
            world.add(solid, place)
        return world

    def text(self) -> str:
        kind = "sphere" if len(self.size) == 1 else "box"
        size = " ".join(map(str, self.size))
        walls = "".join(
            f'<geom type="plane" size="9 9 1" pos="{n[0] * o} {n[1] * o} 0" zaxis="{n[0]} {n[1]} 0"/>'
            for n, o in _walls(self.width)
        )
        bodies = "".join(
            f'<body pos="{p[0]} {p[1]} {p[2]}"><freejoint/><geom type="{kind}" size="{size}"/></body>'
            for p in self.places
        )
        return (
            f'<mujoco><option timestep="{H}"/><size memory="2G"/>'
            f'<default><geom friction="{self.friction} 0 0" condim="3" density="1000"/></default>'
            f'<worldbody><geom type="plane" size="9 9 1"/>{walls}{bodies}</worldbody></mujoco>'
        )


def _walls(width: float) -> list[tuple[list[int], float]]:
    if not width:
        return []
    return [([1, 0, 0], 0.0), ([-1, 0, 0], -width), ([0, 1, 0], 0.0), ([0, -1, 0], -width)]


def spheres(n: int) -> Scene:
    """A loose block of equal balls in a box that is as wide as it is high."""
    r, side = 0.05, int(np.ceil(n ** (1 / 3)))
    random, i = np.random.default_rng(1), np.arange(n)
    places = np.stack([i % side, i // side % side, i // side**2], axis=1) * 2.1 * r + 1.05 * r
    return Scene(np.array([r]), places + random.uniform(-0.04 * r, 0.04 * r, (n, 3)), 0.3, side * 2.1 * r + 0.1 * r)


class Discs(Scene):
    """Discs that fall into a box in the plane; no peer."""

    def world(self) -> nsd.World:
        world = nsd.World("discs", planar=True, friction=self.friction, sweeps=15, tolerance=self.tolerance)
        for normal, offset in (([0, 1], 0.0), ([1, 0], 0.0), ([-1, 0], -self.width)):
            world.plane(normal, offset)
        for place in self.places:
            world.add(nsd.solids.Cylinder(self.size[0], 0.1), place)
        return world


def discs(n: int) -> Discs:
    """A loose grid of equal discs, every other row shifted."""
    r, columns, i = 0.05, max(2, round(n**0.5)), np.arange(n)
    row, pitch = i // columns, 2.25 * 0.05
    places = np.stack([pitch * (i % columns + 0.5 + 0.45 * (row % 2)), pitch * (0.5 + 0.95 * row)], axis=1)
    return Discs(np.array([r]), places, 0.3, pitch * (columns + 0.5))


def wall(n: int) -> Scene:
    """Boxes laid like bricks, ten rows of them."""
    half, columns = np.array([0.2, 0.1, 0.1]), n // 10
    places = [[(c + 0.5 * (row % 2)) * 0.4, 0.0, (row + 0.5) * 0.2] for row in range(10) for c in range(columns)]
    return Scene(half, np.array(places), 0.6)


SCENES: dict[str, tuple[Callable[[int], Scene], int, float, int]] = {
    "1 000 spheres": (spheres, 1000, 0.5, 200),
    "10 000 spheres": (spheres, 10_000, 0.1, 20),
    "500 discs": (discs, 500, 0.3, 200),
    "5 000 discs": (discs, 5000, 0.3, 20),
    "wall of 200 boxes": (wall, 200, 0.05, 100),
}
"""Scene, bodies, seconds before steps are timed, steps that are."""


def of_nsdgen(scene: Scene, before: float, steps: int) -> tuple[float, float, int, np.ndarray]:
    """Milliseconds a step, the deepest overlap [m], contacts; the states at which steps were timed."""
    world = scene.world()
    world.run(before, step=H, every=10**6)
    states = world.states.copy()
    began = time.process_time()
    run = world.run(world.time + steps * H, step=H, every=10**6)
    spent = (time.process_time() - began) / steps
    return 1e3 * spent, -float(run["deepest"][-1]), int(run["contacts"][-1]), states


def of_mujoco(scene: Scene, states: np.ndarray, steps: int) -> tuple[float, float, int]:
    """The same from these states on, the first step left out."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(scene.text())
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = states[:, :7].reshape(-1), states[:, 7:].reshape(-1)
    mujoco.mj_step(model, data)
    began = time.process_time()
    for _ in range(steps):
        mujoco.mj_step(model, data)
    spent = (time.process_time() - began) / steps
    return 1e3 * spent, -float(data.contact.dist.min(initial=0.0)), int(data.ncon)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--tolerance", type=float, default=0.0, help="m/s; 0 certifies each step")
    parser.add_argument("--peer-steps", type=int, default=10)
    given = parser.parse_args()
    print(f"{'scene':20} {'tool':10} {'ms a step':>10} {'us a body':>10} {'overlap mm':>11} {'contacts':>9}")
    for name in given.scene or SCENES:
        make, n, before, steps = SCENES[name]
        scene = make(n)
        scene.tolerance = given.tolerance
        spent, depth, contacts, states = of_nsdgen(scene, before, steps)
        rows = [("nsdgen", spent, depth, contacts)]
        if not given.no_peer and len(states[0]) == 13:
            rows.append(("MuJoCo", *of_mujoco(make(n), states, given.peer_steps)))
        for tool, spent, depth, contacts in rows:
            print(
                f"{name:20} {tool:10} {spent:10.2f} {1e3 * spent / n:10.2f} {1e3 * depth:11.4f} {contacts:9d}",
                flush=True,
            )


if __name__ == "__main__":
    main()
