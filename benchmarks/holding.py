"""Friction that holds, beside MuJoCo on the same scenes: how far what should rest creeps.

    python benchmarks/holding.py [--steps 100000] [--no-peer] [--scene NAME]

A box on an incline below the angle of friction; a stack of ten boxes; a wall of bricks; a gripper whose two fingers,
on sliders, press a box from both sides with a constant force. Starts are exact. Both take steps of 1 ms. Creep is how
fast bodies move over the second half of the run. MuJoCo (``pip install mujoco``) takes its elliptic cones and the
Newton solver, all else by default.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import nsdgen as nsd

H, G = 1e-3, 9.81
SLOPE = 0.4  # rad; tan = 0.42
PRESS = 120.0  # N
Boxes = list[tuple[list[float], list[float]]]  # half sizes, places
Held = tuple[Boxes, float, list[float], dict[int, float]]  # with friction, gravity, forces of those that slide along x


def incline() -> Held:
    """A box below the angle of friction, atan 0.5 = 0.46."""
    return [([0.1, 0.1, 0.1], [0, 0, 0.1])], 0.5, [G * np.sin(SLOPE), 0, -G * np.cos(SLOPE)], {}


def stack() -> Held:
    """Ten boxes on each other, each a little aside."""
    return [([0.1, 0.1, 0.1], [0.02 * (i % 2), 0, 0.1 + 0.2 * i]) for i in range(10)], 0.5, [0, 0, -G], {}


def bricks() -> Held:
    """Forty-five bricks in six rows."""
    places = [[(c + 0.5 * (row % 2)) * 0.4, 0.0, (row + 0.5) * 0.2] for row in range(6) for c in range(8 - row % 2)]
    return [([0.2, 0.1, 0.1], place) for place in places], 0.6, [0, 0, -G], {}


def gripper() -> Held:
    """A box of 8 kg between two fingers that press it with 120 N; friction could hold 1.22 times its weight."""
    boxes: Boxes = [([0.1, 0.1, 0.1], [0, 0, 1]), *(([0.02, 0.05, 0.05], [side * 0.12, 0, 1]) for side in (-1, 1))]
    return boxes, 0.4, [0, 0, -G], {1: PRESS, 2: -PRESS}


SCENES: dict[str, Callable[[], Held]] = {
    "box on an incline": incline,
    "stack of ten boxes": stack,
    "wall of 45 bricks": bricks,
    "gripper": gripper,
}


def of_nsdgen(scene: Held, steps: int) -> tuple[float, float]:
    """Creep [m/s] and microseconds a step."""
    boxes, friction, gravity, pressed = scene
    world = nsd.World("holding", gravity=gravity, friction=friction)
    world.plane()
    for half, place in boxes:
        world.add(nsd.solids.Cuboid([2 * s for s in half]), place)
    for number, force in pressed.items():
        motor = world.joints.slider(world.bodies[number], at=boxes[number][1], axis=[1, 0, 0])
        motor.speed, motor.limit = float(np.sign(force)), abs(force)
    began = time.process_time()
    world.run(steps // 2 * H, step=H, every=10**9)
    middle = world.states[:, :3].copy()
    world.run(world.time + steps // 2 * H, step=H, every=10**9)
    spent = (time.process_time() - began) / (steps // 2 * 2)
    return float(np.abs(world.states[:, :3] - middle).max()) / (steps // 2 * H), 1e6 * spent


_SLIDE = '<joint type="slide" axis="1 0 0"/>'


def of_mujoco(scene: Held, steps: int) -> tuple[float, float]:
    """The same."""
    import mujoco

    boxes, friction, gravity, pressed = scene
    bodies = "".join(
        f'<body pos="{p[0]} {p[1]} {p[2]}">{_SLIDE if k in pressed else "<freejoint/>"}'
        f'<geom type="box" size="{s[0]} {s[1]} {s[2]}"/></body>'
        for k, (s, p) in enumerate(boxes)
    )
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{H}" cone="elliptic" gravity="{gravity[0]} {gravity[1]} {gravity[2]}"/>'
        f'<default><geom friction="{friction} 0 0" condim="3" density="1000"/></default>'
        f'<worldbody><geom type="plane" size="9 9 1"/>{bodies}</worldbody></mujoco>'
    )
    data = mujoco.MjData(model)
    for number, force in pressed.items():
        data.qfrc_applied[model.body(number + 1).dofadr[0]] = force
    began = time.process_time()
    for _ in range(steps // 2):
        mujoco.mj_step(model, data)
    middle = data.xpos.copy()
    for _ in range(steps // 2):
        mujoco.mj_step(model, data)
    spent = (time.process_time() - began) / (steps // 2 * 2)
    return float(np.abs(data.xpos - middle).max()) / (steps // 2 * H), 1e6 * spent


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--scene", choices=SCENES, action="append")
    parser.add_argument("--no-peer", action="store_true")
    given = parser.parse_args()
    print(f"{'scene':22} {'tool':8} {'creep m/s':>10} {'us a step':>10}")
    for name in given.scene or SCENES:
        rows = [("nsdgen", of_nsdgen(SCENES[name](), given.steps))]
        if not given.no_peer:
            rows.append(("MuJoCo", of_mujoco(SCENES[name](), given.steps)))
        for tool, (creep, spent) in rows:
            print(f"{name:22} {tool:8} {creep:10.1e} {spent:10.1f}", flush=True)


if __name__ == "__main__":
    main()
