"""Chains of 5 to 40 hinged links in both formulations: operations, lines, seconds and microseconds as they grow.

    python benchmarks/long_chains.py [--links 5 10 20 40] [--steps 500]

Links of one length hang on each other by hinges, axes in turn along y and x. Printed are operations of M and F on the
expression graph (joint coordinates), lines of emitted text, seconds of processor time to emit and to compile, and
microseconds of processor time a step (least of five runs), under Moreau-Jean with explicit forces. Seconds of the
compiler are those of its processes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time

from bodies import arm, arm_in_joints
from recursions import cost
from tables import table_text

import nsdgen as nsd
from nsdgen.model.pipeline import build_model, emit_model
from nsdgen.symbolic.expressions.scope import Scope
from nsdgen.symbolic.graph.node import ZERO
from nsdgen.symbolic.mechanisms.recursion import forces, mass_matrix

HEADINGS = ("coordinates", "links", "M", "F", "lines", "emitted", "compiled", "us a step")
SCHEME = nsd.MoreauJean(gradient_at="predicted", force_at="explicit", rotation="exponential")


def operations(model: nsd.Model) -> tuple[str, str]:
    """Of M and of F; nothing where bodies have coordinates of their own."""
    tree = next((s for s in model.systems if isinstance(s, nsd.Mechanism)), None)
    if tree is None:
        return "-", "-"
    known = tree._tree(Scope.of([], model="chains"))
    frames = known.links.frames
    pushed = [([ZERO] * 3, [ZERO] * 3) for _ in frames]
    return str(cost(list(mass_matrix(frames).values()))), str(cost(forces(frames, known.moving, pushed)))


def spent() -> float:
    """Seconds of processor time of this process and of those it has waited for."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


def measure(coordinates: str, links: int, steps: int) -> tuple[str, ...]:
    """One row of the table."""
    model = arm_in_joints(SCHEME, links, 0.0) if coordinates == "joint" else arm(SCHEME, links)
    counts = operations(model)
    began = spent()
    emitted = emit_model(model)
    between = spent()
    compiled, _ = build_model(emitted)
    ended = spent()
    times = []
    for _ in range(5):
        at = time.thread_time()
        compiled.run(end=steps * model.step, every=steps)
        times.append((time.thread_time() - at) / steps * 1e6)
    lines = emitted.text.count("\n")
    return (
        coordinates,
        str(links),
        *counts,
        str(lines),
        f"{between - began:.1f} s",
        f"{ended - between:.1f} s",
        f"{min(times):.2f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--links", type=int, nargs="*", default=[5, 10, 20, 40])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--coordinates", nargs="*", default=["joint", "absolute"])
    given = parser.parse_args()
    folder = tempfile.mkdtemp()
    os.environ["NSDGEN_CACHE"] = folder
    rows = [measure(kind, n, given.steps) for kind in given.coordinates for n in given.links]
    shutil.rmtree(folder)
    print(table_text([HEADINGS, *rows]))


if __name__ == "__main__":
    main()
