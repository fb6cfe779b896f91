"""A row of dominoes that fall one against the next: a wave of constant speed.

Thin boxes stand one thickness and a half apart; the first is pushed. After some of them the wave has its own speed. It
scales with sqrt(g l), l the height: here as in experiments it is of the order of 1 to 1.6 sqrt(g l) (Stronge and Shu,
Proc. R. Soc. A 418 (1988); McLachlan et al., Am. J. Phys. 51 (1983), who measure its scaling).

Run it: ``python examples/worlds/domino_row.py`` writes ``domino_row.html``.
"""

import numpy as np

import nsdgen as nsd

HEIGHT, THICK, WIDE = 0.05, 0.008, 0.025  # m


def build(n: int = 30, pitch: float = 0.02) -> nsd.World:
    """n dominoes along x, the first one pushed."""
    world = nsd.World("domino row", friction=0.2, sweeps=50)
    world.plane(name="table")
    for i in range(n):
        world.add(nsd.solids.Cuboid([THICK, WIDE, HEIGHT]), [i * pitch, 0, HEIGHT / 2])
    turning = 6.0  # rad/s, about the lower edge
    world.states[0, 7:] = [turning * HEIGHT / 2, 0, turning * THICK / 2, 0, turning, 0]
    return world


def fallen(world: nsd.World, trajectory: nsd.Trajectory) -> np.ndarray:
    """When each domino has turned by 0.3 rad, s; infinite where it has not."""
    found = []
    for body in world.bodies:
        turned = 2 * np.arcsin(np.clip(np.abs(trajectory[f"{body.name}.quaternion[2]"]), 0, 1)) > 0.3
        found.append(trajectory.time[turned.argmax()] if turned.any() else np.inf)
    return np.array(found)


def speed(world: nsd.World, trajectory: nsd.Trajectory, pitch: float = 0.02) -> float:
    """Of the wave over the second half of the row, in sqrt(g l)."""
    times = fallen(world, trajectory)
    half = len(times) // 2
    slope = np.polyfit(times[half:-2], pitch * np.arange(half, len(times) - 2), 1)[0]
    return float(slope / np.sqrt(9.81 * HEIGHT))


if __name__ == "__main__":
    world = build()
    trajectory = world.run(1.2, step=5e-4, every=8)
    print(trajectory)
    print(f"the wave runs at {speed(world, trajectory):.2f} sqrt(g l)")
    trajectory.animate("domino_row.html")
