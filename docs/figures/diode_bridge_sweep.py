"""theta and gamma of the diode bridge: orders of convergence, and numerical damping, from one compiled module.

The truth needs no diodes: the bridge turns the load over with the sign of v, so that the oscillator sees a resistor,
v' = -(i + v / R) / C, i' = v / L, a matrix exponential. Draws ``diode_bridge_sweep.png`` beside this file.
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.linalg import expm

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

from examples.diode_bridge import model  # noqa: E402

END = 1e-3
STEPS = (20e-6, 10e-6, 5e-6, 2.5e-6, 1.25e-6, 0.625e-6)
PAIRS = ((0.5, 0.5), (0.5, 1.0), (1.0, 0.5), (1.0, 1.0), (0.6, 0.6))
THETAS = (0.5, 0.51, 0.55, 0.6, 1.0)


def exact() -> float:
    """v at the end."""
    return float((expm(END * np.array([[-1e3, -1e6], [1e2, 0.0]])) @ [10.0, 0.0])[0])


def errors(compiled: object, theta: float, gamma: float, truth: float) -> list[float]:
    """|v - truth| at the end for every step."""
    options = {"theta": theta, "gamma": gamma}
    return [abs(compiled.run(step=h, end=END, options=options)["v"][-1] - truth) for h in STEPS]


def energies(compiled: object, theta: float) -> tuple[np.ndarray, np.ndarray]:
    """Time [ms] and energy, of its start, of the oscillator with a load of one gigaohm."""
    run = compiled.run(step=5e-6, end=20e-3, parameters={"R": 1e9}, options={"theta": theta})
    energy = 1e-6 * run["v"] ** 2 / 2 + 1e-2 * run["i"] ** 2 / 2
    return 1e3 * run.time, energy / energy[0]


def draw(path: Path) -> None:
    """Orders on the left, damping on the right."""
    compiled, truth = model.compile(), exact()
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), constrained_layout=True)
    for theta, gamma in PAIRS:
        left.loglog(STEPS, errors(compiled, theta, gamma, truth), "o-", label=f"θ = {theta:g}, γ = {gamma:g}")
    for order, at in ((1, 0.03), (2, 0.06)):
        left.loglog(STEPS, [at * (h / STEPS[0]) ** order for h in STEPS], "k:", lw=1)
        left.annotate(
            f"order {order}",
            (STEPS[-1], at * (STEPS[-1] / STEPS[0]) ** order),
            fontsize=8,
            textcoords="offset points",
            xytext=(2, -11),
        )
    left.set(xlabel="step [s]", ylabel="error of v at 1 ms [V]", title="diode bridge: order of convergence")
    left.legend(fontsize=8)
    for theta in THETAS:
        right.plot(*energies(compiled, theta), label=f"θ = {theta:g}")
    right.set(
        xlabel="time [ms]", ylabel="energy / energy at the start", title="without load, h = 5 µs: numerical damping"
    )
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.25)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(FOLDER / "diode_bridge_sweep.png")
