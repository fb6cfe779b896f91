r"""N four-bar windows side by side: a benchmark of redundant hinges, and of a place where the loops lose a freedom.

Rods of 1 m and 1 kg, upright bars start at 1 m/s and fall; all rods lie on one line where the bars have fallen by a
quarter of a turn, and the motion must pass it (problem A02 of M. Gonzalez, D. Dopico, U. Lugris, J. Cuadrado, A
benchmarking system for MBS simulation software, Multibody System Dynamics 16, 2006). Hinges in space say three things
too often in every window. All bars turn alike,

.. math:: (\tfrac13 (n + 1) + n)\,\ddot\theta = -g\,(\tfrac12 (n + 1) + n) \cos\theta

Run it::

    nsdgen run examples/mechanisms/four_bars.py --plot 'bar_0-ground motion.angle'

What to look at: the angle goes through 0 at 0.715 s as if nothing were there.
"""

import numpy as np
import sympy as sp

import nsdgen as nsd

GRAVITY = 9.81


def rod(name):
    """Along its own x."""
    inertia = sp.diag(0.5, 0.6, 1.0) / 12  # about z alone matters
    return nsd.RigidBody(name, 1, inertia).apply_force([0, -GRAVITY, 0])


def make(count=2, scheme=None, step=2e-3, end=1.0, redundant=True):
    """``count`` windows; ``redundant=False`` lets closing hinges hold two coordinates alone."""
    bars, tops = [rod(f"bar_{k}") for k in range(count + 1)], [rod(f"top_{k}") for k in range(count)]
    left, right = [-0.5, 0, 0], [0.5, 0, 0]
    pivots = [
        nsd.Revolute(f"{bar.name}-ground", nsd.Marker(bar, left), nsd.Marker(at=[k, 0, 0]))
        for k, bar in enumerate(bars)
    ]
    hinges, near = [], {}
    for k, bar in enumerate(bars):
        near |= {bar.position: [k, 0.5, 0], bar.quaternion: nsd.from_axis_angle([0, 0, 1], np.pi / 2)}
    for k, top in enumerate(tops):
        near[top.position] = [k + 0.5, 1, 0]
        hinges.append(nsd.Revolute(f"top_{k}-bar_{k}", nsd.Marker(top, left), nsd.Marker(bars[k], right)))
        name, ends = f"top_{k}-bar_{k + 1}", (nsd.Marker(top, right), nsd.Marker(bars[k + 1], right))
        apart = ends[0].position - ends[1].position
        hinges.append(nsd.Revolute(name, *ends) if redundant else nsd.Bilateral(name, list(apart)[:2]))
    return nsd.Model(
        f"four_bars_{count}",
        [*bars, *tops],
        [*pivots, *hinges, pivots[0].motion()],
        scheme=scheme or nsd.Rattle(),
        step=step,
        end=end,
        initial={pivots[0].angle: np.pi / 2, pivots[0].rate: -1.0},
        near=near,
    )


model = make()

if __name__ == "__main__":
    print(model.assemble())
    model.run().plot("bar_0-ground motion.angle").save("four_bars.png")
