"""A crane: a motor lifts an arm, from which a load hangs on a spring; a scale sees the load leave it.

Joints, motors, springs, sensors. Once the load hangs still the spring carries its weight, the scale under
it nothing, and the motor holds the arm with (m_arm / 2 + m_load) g L cos(angle).

Run it: ``python examples/worlds/crane.py`` writes ``crane.html``.
"""

import numpy as np

import nsdgen as nsd

ARM, LOAD, LENGTH, G = 3.0, 5.0, 1.0, 9.81  # kg, kg, m, m/s^2


def build() -> nsd.World:
    """The crane, with its load on the ground."""
    world = nsd.World("crane", friction=0.5)
    ground = world.plane(name="ground")
    arm = world.add(nsd.solids.Cuboid([LENGTH, 0.08, 0.08]), [LENGTH / 2, 0, 1.0], mass=ARM, name="arm")
    load = world.add(nsd.solids.Cuboid([0.2, 0.2, 0.2]), [LENGTH, 0, 0.1], mass=LOAD, name="load")
    world.joints.hinge(arm, at=[0, 0, 1.0], axis=[0, -1, 0], upper=1.2, name="winch")
    world.springs.add(arm, load, at=[LENGTH, 0, 1.0], to=[LENGTH, 0, 0.2], stiffness=2000.0, damping=150.0, name="rope")
    world.sensor(ground, on=load, name="scale")
    return world


def lift(world: nsd.World) -> None:
    """Up for a second, then hold."""
    (winch,) = world.joints.all
    winch.limit, winch.speed = 200.0, 0.4 if world.time < 1.0 else 0.0


def holding(angle: float) -> float:
    """The moment of the motor on the arm with the load at rest [N m], about -y."""
    return (ARM / 2 + LOAD) * G * LENGTH * float(np.cos(angle))


if __name__ == "__main__":
    world = build()
    trajectory = world.run(3.0, step=2e-3, every=5, before=lift)
    print(trajectory)
    angle, moment = trajectory["winch.coordinate"][-1], -trajectory["winch.moment[1]"][-1]
    print(f"the motor holds {moment:.2f} N m at {angle:.3f} rad; at rest it would be {holding(angle):.2f} N m")
    trajectory.animate("crane.html")
