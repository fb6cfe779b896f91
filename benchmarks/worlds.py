"""Worlds of many bodies beside MuJoCo on the same scenes, by processor time.

    python benchmarks/worlds.py [--scene NAME] [--certified] [--no-peer]

Each scene runs until bodies meet at ``--tolerance``; then its steps are timed, one by one: the mean, the median, the
worst, how many were less accurate than asked and what those left, the deepest overlap, and how far a body came in a
step, which is what one impact may overlap by. ``--certified`` times steps with a certificate from there. MuJoCo
(``pip install mujoco``) goes on from the same states, with the same step, shapes and coefficients. Its contacts are
springs with dampers, its solver stops at its own tolerance. ``--creep`` is how far the wall moves in 10 s at rest.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import nsdgen as nsd

H = 1e-3


class Scene:
    """Shapes of one kind over a ground between walls, as a world and as a text for MuJoCo."""

    tolerance = 1e-5  # m/s

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
    "100 000 spheres": (spheres, 100_000, 0.46, 20),
    "500 discs": (discs, 500, 0.3, 200),
    "5 000 discs": (discs, 5000, 0.3, 20),
    "wall of 200 boxes": (wall, 200, 0.0, 100),
}
"""Scene, bodies, seconds before steps are timed, steps that are; the wall begins at rest."""


@dataclass
class Timed:
    """Steps of a scene: milliseconds of each, the deepest overlap [m], contacts; what the worst of ``off`` left."""

    spent: list[float]
    deepest: float
    contacts: int
    off: int = 0
    left: float = 0.0
    way: float = 0.0  # m, of the fastest body in a step

    def line(self, name: str, tool: str) -> str:
        mean, median, worst = np.mean(self.spent), np.median(self.spent), max(self.spent)
        steps = f"{self.off:4d} of {len(self.spent):<4d}"
        return (
            f"{name:18} {tool:10} {mean:9.2f} {median:9.2f} {worst:9.2f} {steps:12} {self.left:9.1e} "
            f"{1e3 * self.deepest:9.4f} {1e3 * self.way:8.3f} {self.contacts:8d}"
        )


HEAD = (
    f"{'scene':18} {'tool':10} {'mean ms':>9} {'median':>9} {'worst':>9} {'less than':12} {'left m/s':>9} "
    f"{'overlap mm':>9} {'h v mm':>7} {'contacts':>8}"
)


def of_nsdgen(scene: Scene, before: float, steps: int, certified: bool, most: float) -> tuple[Timed, np.ndarray]:
    """Steps, as many as ``most`` seconds are enough for, and the states from which they go on."""
    world = scene.world()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of steps that are swept no further: they are counted below
        if before:
            world.run(before, step=H, every=10**6)
        states = world.states.copy()
        world.tolerance = 0.0 if certified else scene.tolerance
        world.run(world.time + H, step=H)  # what is made anew for another tolerance
    found = Timed([], 0.0, 0)
    dimension = world.space.dimension
    while len(found.spent) < steps and sum(found.spent) < 1e3 * most:
        began = time.process_time()
        world._step(H)
        found.spent.append(1e3 * (time.process_time() - began))
        world.time += H
        _, _, inaccurate, left = world.engine.run.pools.piled
        found.off += bool(inaccurate)
        found.left = max(found.left, left if inaccurate else 0.0)
        found.deepest = max(found.deepest, -world.find.deepest)
        speed = np.linalg.norm(world.states[:, world.space.rates : world.space.rates + dimension], axis=1)
        found.way = max(found.way, H * float(speed.max()))
    found.contacts = sum(len(c.keys) for c in world.contacts)
    return found, states


def of_mujoco(scene: Scene, states: np.ndarray, steps: int) -> Timed:
    """The same from these states on, the first step left out."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(scene.text())
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = states[:, :7].reshape(-1), states[:, 7:].reshape(-1)
    mujoco.mj_step(model, data)
    found = Timed([], 0.0, 0)
    for _ in range(steps):
        began = time.process_time()
        mujoco.mj_step(model, data)
        found.spent.append(1e3 * (time.process_time() - began))
        found.deepest = max(found.deepest, -float(data.contact.dist.min(initial=0.0)))
    found.contacts = int(data.ncon)
    return found


def creep(certified: bool, steps: int = 10_000) -> tuple[float, float]:
    """How far a box of the wall is from where it stood after 10 s [m], in boxes' heights beside."""
    scene = wall(200)
    world = scene.world()
    world.tolerance = 0.0 if certified else scene.tolerance
    world.run(steps * H, step=H, every=10**6)
    moved = float(np.linalg.norm(world.states[:, :3] - scene.places, axis=1).max())
    return moved, moved / (2 * scene.size[2])


def creep_of_mujoco(seconds: float) -> float:
    """How fast a box of the wall moves over the second half of so many seconds [m/s]."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(wall(200).text())
    data = mujoco.MjData(model)
    for _ in range(round(seconds / H / 2)):
        mujoco.mj_step(model, data)
    middle = data.qpos.reshape(-1, 7)[:, :3].copy()
    for _ in range(round(seconds / H / 2)):
        mujoco.mj_step(model, data)
    return 2 / seconds * float(np.linalg.norm(data.qpos.reshape(-1, 7)[:, :3] - middle, axis=1).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--no-peer", action="store_true")
    parser.add_argument("--certified", action="store_true", help="time steps with a certificate")
    parser.add_argument("--creep", action="store_true", help="how far the wall moves in 10 s at rest, and nothing else")
    parser.add_argument("--tolerance", type=float, default=1e-5, help="m/s")
    parser.add_argument("--seconds", type=float, default=120.0, help="of processor time that steps of a scene may take")
    parser.add_argument("--peer-steps", type=int, default=10)
    given = parser.parse_args()
    Scene.tolerance = given.tolerance
    if given.creep:
        print("nsdgen, 10 s: {:.1e} m, {:.1e} of a box".format(*creep(given.certified)), flush=True)
        if not given.no_peer:
            print(f"MuJoCo, the second half of 1 s: {creep_of_mujoco(1.0):.1e} m/s")
        return
    print(HEAD)
    for name in given.scene or SCENES:
        make, n, before, steps = SCENES[name]
        own, states = of_nsdgen(make(n), before, steps, given.certified, given.seconds)
        print(own.line(name, "nsdgen"), flush=True)
        if not given.no_peer and len(states[0]) == 13:
            print(of_mujoco(make(n), states, given.peer_steps).line(name, "MuJoCo"), flush=True)
        print(f"{'':18} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB at most so far")


if __name__ == "__main__":
    main()
