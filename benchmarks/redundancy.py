"""Mechanisms with redundant constraints beside the same with just enough: processor time per step, and their ratio.

    python benchmarks/redundancy.py [--rounds 9] [--only squeezer]

Runs of both take turns, and the least of the rounds counts.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp
from jams import example

import nsdgen as nsd

TESTS = Path(__file__).parents[1] / "tests" / "joints"


def rod(hinges: int, scheme: Any) -> nsd.Model:
    """A rod of 1 m that swings about hinges side by side."""
    body = nsd.RigidBody("rod", 1, sp.diag(0.5, 0.6, 1.0) / 12).apply_force([0, -9.81, 0])
    joints = [
        nsd.Revolute(f"hinge{k}", nsd.Marker(body, [-0.5, 0, 0.2 * k]), nsd.Marker(at=[0, 0, 0.2 * k]))
        for k in range(hinges)
    ]
    return nsd.Model("rod", [body], joints, scheme=scheme, step=2e-3, end=1, initial={body.position: [0.5, 0, 0]})


def door(hinges: int, scheme: Any) -> nsd.Model:
    """A slender bar that falls about hinges in line, without a product of inertia."""
    body = nsd.RigidBody("bar", 1, sp.diag(0.01, 1 / 12, 1 / 12)).apply_force([0, 0, -9.81])
    axis = [0, 1, 0]
    joints = [
        nsd.Revolute(f"hinge{k}", nsd.Marker(body, [-0.5, 0.2 * k, 0], axis), nsd.Marker(None, [0, 0.2 * k, 0], axis))
        for k in range(hinges)
    ]
    return nsd.Model("bar", [body], joints, scheme=scheme, step=1e-3, end=1, initial={body.position: [0.5, 0, 0]})


def bars(times: int, scheme: Any) -> nsd.Model:
    """Two slender bars in line that fall, every hinge said so many times."""
    bodies = [nsd.RigidBody(f"bar{k}", 1, sp.diag(0.01, 1 / 12, 1 / 12)).apply_force([0, 0, -9.81]) for k in range(2)]
    hinges = []
    for k, body in enumerate(bodies):
        held = nsd.Marker(bodies[k - 1], [0.5, 0, 0], [0, 1, 0]) if k else nsd.Marker(None, [0, 0, 0], [0, 1, 0])
        marker = nsd.Marker(body, [-0.5, 0, 0], [0, 1, 0])
        hinges += [nsd.Revolute(f"hinge{k}_{i}", marker, held) for i in range(times)]
    initial = {body.position: [0.5 + k, 0, 0] for k, body in enumerate(bodies)}
    return nsd.Model("bars", bodies, hinges, scheme=scheme, step=1e-3, end=1, initial=initial)


def four_bars(count: int, redundant: bool, scheme: Any) -> nsd.Model:
    """Windows of the published benchmark, before they come to their singular place."""
    return example("four_bars").make(count, scheme, end=0.6, redundant=redundant)


def squeezer(redundant: bool, scheme: Any) -> nsd.Model:
    """Andrews' mechanism, the first third of its time."""
    return example("squeezer").make(scheme, end=0.01, redundant=redundant)


def epicyclic(redundant: bool, scheme: Any) -> nsd.Model:
    """Three planets that mesh with sun and ring."""
    return example("mechanisms", TESTS).epicyclic(scheme, 1e-3, 0.5, redundant=redundant)


def ring(count: int, redundant: bool, scheme: Any) -> nsd.Model:
    """Rods along a regular polygon that turns and falls."""
    axis = {"axis": [0, 1, 0]}
    angle = 2 * np.pi * np.arange(count + 1) / count
    corner = np.column_stack([np.cos(angle), 0 * angle, np.sin(angle)]) / (2 * np.sin(np.pi / count))
    slender = sp.diag(0.01, 1 / 12, 1 / 12)
    bodies = [nsd.RigidBody(f"rod_{k}", 1, slender).apply_force([0, 0, -9.81]) for k in range(count)]
    initial: dict[Any, Any] = {}
    for body, start, end in zip(bodies, corner, corner[1:], strict=False):
        middle, turned = (start + end) / 2, -np.arctan2(*(end - start)[[2, 0]])
        initial |= {body.position: middle.tolist(), body.velocity: np.cross([0, 2, 0], middle).tolist()}
        initial |= {body.quaternion: nsd.from_axis_angle([0, 1, 0], turned), body.angular_velocity: [0, 2, 0]}
    ends = [
        (nsd.Marker(bodies[k], [0.5, 0, 0], **axis), nsd.Marker(bodies[(k + 1) % count], [-0.5, 0, 0], **axis))
        for k in range(count)
    ]
    hinges: list[Any] = [nsd.Revolute(f"hinge_{k}", *pair) for k, pair in enumerate(ends[:-1])]
    apart = ends[-1][0].position - ends[-1][1].position
    hinges.append(nsd.Revolute("last", *ends[-1]) if redundant else nsd.Bilateral("last", [apart[0], apart[2]]))
    return nsd.Model("ring", bodies, hinges, scheme=scheme, step=1e-3, end=0.5, initial=initial)


def seconds(compiled: Any) -> float:
    """Of one run, for each step."""
    began = time.process_time()
    steps = len(compiled.run().time) - 1
    return (time.process_time() - began) / steps


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="mechanisms whose names hold this")
    given = parser.parse_args()
    rounds = given.rounds
    warnings.simplefilter("ignore")
    print(f"{'':50}{'redundant':>10}{'enough':>10}{'ratio':>8}   us per step")
    for name, more, fewer in (
        ("a rod on two hinges", lambda s: rod(2, s), lambda s: rod(1, s)),
        ("a bar on two hinges", lambda s: door(2, s), lambda s: door(1, s)),
        ("two four-bars", lambda s: four_bars(2, True, s), lambda s: four_bars(2, False, s)),
        ("eight four-bars", lambda s: four_bars(8, True, s), lambda s: four_bars(8, False, s)),
        ("the squeezer", lambda s: squeezer(True, s), lambda s: squeezer(False, s)),
        ("an epicyclic gear", lambda s: epicyclic(True, s), lambda s: epicyclic(False, s)),
        ("two bars, all rows twice", lambda s: bars(2, s), lambda s: bars(1, s)),
        ("two bars, all rows three times", lambda s: bars(3, s), lambda s: bars(1, s)),
        ("a ring of ten", lambda s: ring(10, True, s), lambda s: ring(10, False, s)),
        ("a ring of twenty", lambda s: ring(20, True, s), lambda s: ring(20, False, s)),
    ):
        if given.only not in name:
            continue
        for scheme in (nsd.MoreauJean(), nsd.Rattle(), nsd.EventDriven(), nsd.GeneralisedAlpha()):
            both = [make(scheme).compile() for make in (more, fewer)]
            least = [min(times) for times in zip(*([seconds(c) for c in both] for _ in range(rounds)), strict=True)]
            label = f"{name}, {type(scheme).__name__}"
            print(f"{label:50}{1e6 * least[0]:10.2f}{1e6 * least[1]:10.2f}{least[0] / least[1]:8.2f}", flush=True)
