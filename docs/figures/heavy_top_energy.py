"""The energy of a heavy top on a pin over a million steps of 1 ms: symplectic schemes beside Moreau-Jean.

Every point is the largest relative error since the last point. Draws ``heavy_top_energy.png`` beside this file.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

import nsdgen as nsd  # noqa: E402
from examples.heavy_top import GRAVITY, INERTIA, MASS, spinning  # noqa: E402

STEPS = 1_000_000
EVERY = 10
CASES = (
    ("Moreau-Jean", nsd.MoreauJean(), {}),
    ("Rattle", nsd.Rattle(), {}),
    ("variational, γ = 0", nsd.Variational(), {}),
    ("variational, γ = 0.01 kg m²", nsd.Variational(), {"gamma": 0.01}),
)


def energy(run: nsd.Trajectory) -> np.ndarray:
    """Of motion, and above the pin [J]."""
    return (
        MASS * (run["velocity"] ** 2).sum(axis=1) / 2
        + run["angular_velocity"] ** 2 @ np.array(INERTIA) / 2
        + MASS * GRAVITY * run["position"][:, 2]
    )


def largest(error: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """The largest error up to each edge since the last."""
    return np.array([error[i:j].max() for i, j in pairwise(edges)])


def main() -> None:
    """Run the four cases and draw them."""
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    edges = np.unique(np.geomspace(1, STEPS // EVERY, 300).astype(int))
    for label, scheme, options in CASES:
        run = spinning(scheme, "long").run(end=STEPS * 1e-3, every=EVERY, options=options)
        error = np.abs(energy(run) / energy(run)[0] - 1)
        found = largest(error, edges)
        share = len(error) // 100
        print(f"{label}: {error[:share].max():.2e} in the first hundredth, {error[-share:].max():.2e} in the last")
        axes.loglog(edges[1:] * EVERY, found, label=label, linewidth=1.2, linestyle="--" if options else "-")
    axes.set(xlabel="steps of 1 ms", ylabel="relative error of the energy", title="A heavy top on a pin")
    axes.grid(which="major", alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(FOLDER / "heavy_top_energy.png", dpi=110)


if __name__ == "__main__":
    main()
