"""Microseconds of processor time per step of bodies with contacts and joints.

    python benchmarks/bodies.py [--rounds 5]

Four corners of a box that slide with friction, two hinged bodies, an arm of six hinged bodies; steps of 1 ms, the
fastest of the rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import sympy as sp

import nsdgen as nsd

GRAVITY = 9.81
SCHEMES = {"Moreau-Jean, predicted gradients": nsd.MoreauJean(gradient_at="predicted"), "Rattle": nsd.Rattle()}


def sliding_box(scheme: nsd.schemes.scheme.Scheme) -> nsd.Model:
    """A box on four corners with friction."""
    box = nsd.RigidBody("box", 1, sp.diag(0.01, 0.02, 0.02)).apply_force([0, 0, -GRAVITY])
    corners = box.points(4, [[i * 0.2, j * 0.1, -0.05] for i in (-1, 1) for j in (-1, 1)])
    floor = nsd.contacts_between(corners, nsd.Plane("floor", [0, 0, 1]), nsd.NewtonImpactFriction(0, 0.5))
    return nsd.Model("box", [box], floor, scheme=scheme, step=1e-3, end=20,
                     initial={box.position: [0, 0, 0.05], box.velocity: [0.5, 0, 0]})


def arm(scheme: nsd.schemes.scheme.Scheme, count: int) -> nsd.Model:
    """Bodies of length 1 that hang on each other by hinges, axes in turn along y and x."""
    bodies = [nsd.RigidBody(f"link {i}", 1, sp.diag(0.084, 0.084, 0.01)).apply_force([0, 0, -GRAVITY])
              for i in range(count)]
    hinges, initial = [], {bodies[0].angular_velocity: [0, 0.5, 0]}
    for i, body in enumerate(bodies):
        axis = [0, 1, 0] if i % 2 == 0 else [1, 0, 0]
        above = nsd.Marker(axis=axis) if i == 0 else nsd.Marker(bodies[i - 1], [0, 0, -0.5], axis=axis)
        hinges.append(nsd.Revolute(f"hinge {i}", nsd.Marker(body, [0, 0, 0.5], axis=axis), above))
        initial[body.position] = [0, 0, -0.5 - i]
    return nsd.Model("arm", bodies, hinges, scheme=scheme, step=1e-3, end=5, initial=initial)


def cases() -> Iterator[tuple[str, nsd.Model]]:
    """What is measured."""
    for name, scheme in SCHEMES.items():
        yield f"four friction contacts, {name}", sliding_box(scheme)
        yield f"hinge pair, {name}", arm(scheme, 2)
        yield f"six-joint arm, {name}", arm(scheme, 6)


def measured(model: nsd.Model, rounds: int) -> float:
    """The fastest run, in microseconds of processor time per step."""
    seconds = []
    for _ in range(rounds + 1):
        start = time.process_time()
        model.run(every=1000)
        seconds.append(time.process_time() - start)
    return 1e6 * min(seconds[1:]) / (float(model.end) / float(model.step))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for what, made in cases():
        print(f"{what:60s} {measured(made, given.rounds):6.2f}")
