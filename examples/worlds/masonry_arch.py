"""A semicircular arch of stones without mortar: how thin may it be?

Stones are wedges, convex hulls of their corners, that touch along radial joints with friction. Thrust must stay inside
of them: at t/R = 0.1075 (t thickness, R radius of the middle line) the thrust of its own weight just does, and touches
the edge in five places (Milankovitch 1907; Heyman, The Masonry Arch, 1982). A thicker arch stands, a thinner one turns
about hinges and falls. Joints are where they are: with 17 stones the limit is between 0.105 and 0.1075.

Run it: ``python examples/worlds/masonry_arch.py`` writes ``masonry_arch.html``.
"""

from itertools import pairwise

import numpy as np

import nsdgen as nsd

R, DEPTH = 1.0, 0.4  # radius of the middle line, depth of the stones, m


def build(thickness: float, stones: int = 17) -> nsd.World:
    """An arch of a thickness, in R, on the ground; its joints are radial."""
    world = nsd.World("masonry arch", friction=0.8)
    world.plane(name="ground")
    angles = np.linspace(0, np.pi, stones + 1)
    for a, b in pairwise(angles):
        corners = [
            [r * np.cos(t), y, r * np.sin(t)]
            for t in (a, b)
            for r in (R - thickness / 2, R + thickness / 2)
            for y in (-DEPTH / 2, DEPTH / 2)
        ]
        world.add(nsd.solids.Hull(corners), [0, 0, 0], density=2000.0)
    return world


def sinks(world: nsd.World, end: float) -> float:
    """How far the crown has come down after a time, in R."""
    crown = len(world.bodies) // 2
    before = world.states[crown, 2]
    world.run(end, every=1000, allow_overlap=True)
    return float((before - world.states[crown, 2]) / R)


if __name__ == "__main__":
    for thickness in (0.115, 0.10):
        print(f"t/R = {thickness}: the crown sinks by {sinks(build(thickness), 0.5):.2e} R in half a second")
    trajectory = build(0.10).run(1.4, every=10, allow_overlap=True)
    trajectory.animate("masonry_arch.html")
