"""``python -m tests.conformance.derive_data``: write ``data/``, case folders of short runs by recursions in NumPy.

Matrices stand here as numbers, so that nothing but the law of a published circuit or relay is shared with the model
files. The columns of a table are sums of entries of t, x, lambda and y; first rows are left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from .control_recursions import observer, pid, sliding
from .recursion import Linear, steps_of

DATA = Path(__file__).resolve().parent / "data"
ROWS = 100


@dataclass(frozen=True)
class Run:
    """A system, how far it is run, and what is kept of it."""

    system: Linear
    h: float
    steps: int
    columns: str
    tolerance: float


def circuits() -> dict[str, Run]:
    """Circuits of ideal diodes."""
    bridge = Linear(
        A=[[0, -1e6], [100, 0]],
        B=[[0, 0, -1e6, 1e6], [0, 0, 0, 0]],
        C=[[0, 0], [0, 0], [-1, 0], [1, 0]],
        D=[[1e-3, 1e-3, -1, 0], [1e-3, 1e-3, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]],
        x0=[10, 0],
    )
    blocks = [[0, -1, 0, 0], [1, 0, 1, -1], [0, -1, 0, 0], [0, 1, 0, 0]]
    into, leak = 1 / 300e-9, -1 / (1e3 * 300e-9)
    filtered = Linear(
        A=[[0, -1e6, 0], [100, 0, 0], [0, 0, leak]],
        B=[[0, 0, -1e6, 1e6], [0, 0, 0, 0], [into, 0, into, 0]],
        C=[[0, 0, 1], [0, 0, 0], [-1, 0, 1], [1, 0, 0]],
        D=blocks,
        x0=[10, 0, 0],
    )
    supply = Linear(
        A=[[leak]],
        B=[[into, 0, into, 0]],
        C=[[1], [0], [1], [0]],
        D=blocks,
        x0=[0],
        e=lambda t: np.array([0.42, 0, 0.42 - 10 * math.cos(1e4 * t), 10 * math.cos(1e4 * t)]),
    )
    one_diode = Linear(A=[[0, -1], [4 * math.pi**2, 0]], B=[[1], [0]], C=[[4 * math.pi**2, 0]], D=[[10]], x0=[1, 1])
    colpitts = Linear(
        A=[[-0.05, -0.05, 0.5], [-0.125, -0.1875, 1.25], [-10, -10, 0]],
        b=lambda t: np.array([0.5, 0, 100]),
        B=[[0.5, -0.495], [0.985 / 0.8, 0.01 / 0.8], [0, 0]],
        C=[[1, 1, 0], [0, 1, 0]],
        x0=[0, 0, 0],
    )
    four = "t x[0] x[1] y[0] -lambda[0] -lambda[1] lambda[2] y[0]+lambda[2]"
    return {
        "circuit_rlcd": Run(
            Linear(A=[[0, -1e6], [100, 0]], B=[[-1e6], [0]], C=[[-1, 0]], D=[[1e3]], x0=[10, 0], theta=0.5000000000001),
            1e-5,
            499,
            "t x[0] x[1] -y[0] lambda[0]",
            1e-12,
        ),
        "circuit_rlcd_tg_gammahalf": Run(replace(one_diode, gamma=0.5), 0.05, 99, "t x[0] x[1] -y[0] lambda[0]", 1e-12),
        "circuit_rlcd_tg_gammafrhalf": Run(
            replace(one_diode, gamma=0.5, at_gamma=True), 0.05, 99, "t x[0] x[1] -y[0] lambda[0]", 1e-12
        ),
        "diode_bridge": Run(bridge, 1e-6, 1500, four, 1e-11),
        "diode_bridge_tg_frhalf": Run(replace(bridge, gamma=0.5, at_gamma=True), 1e-6, 1500, four, 1e-10),
        "diode_bridge_capfilter_stdhalf": Run(filtered, 1e-6, 1500, "t x[0] x[1] lambda[0] lambda[2]", 1e-10),
        "diode_bridge_powsup": Run(supply, 1e-6, 1500, "t lambda[0] lambda[2] y[1] lambda[3]", 1e-10),
        "colpitts_oscillator": Run(colpitts, 1e-3, 10_000, "t x[0] x[1] x[2] y[0] y[1]", 1e-8),
    }


def relays() -> dict[str, Run]:
    """Relays and a normal cone; the twisting controller's polytope is the image of a square."""
    shear = np.array([[1, 0], [0.05, 1]])
    names = "t x[0] x[1] x[2] lambda[0] y[0]"
    relay = partial(Linear, low=-1.0, high=1.0)
    xi = 0.2
    return {
        "filippov": Run(
            relay(A=np.zeros((2, 2)), B=[[2, -52], [52, 2]], C=np.eye(2), x0=[3, 3]),
            1e-3,
            1999,
            "t x[0] x[1] lambda[0] lambda[1] y[0] y[1]",
            1e-9,
        ),
        "friction_oscillator": Run(
            relay(A=[[0, 1], [-1, 0]], B=[[0], [1]], C=[[0, 1]], x0=[12, 6]), 0.01, 3000, "t x[0] x[1]", 1e-10
        ),
        "simple_example_relay": Run(
            relay(A=np.zeros((2, 2)), B=2 * np.eye(2), C=np.eye(2), x0=[1, -1]),
            1e-3,
            799,
            "t x[0] x[1] lambda[0] lambda[1] y[0] y[1]",
            1e-11,
        ),
        "relay_oscillator": Run(
            relay(
                A=[[0, 1, 0], [0, 0, 1], [0, -3, -2]],
                B=[[0], [0], [1]],
                C=[[1, 0, 0]],
                x0=[0, 3 * math.sqrt(2) / (2 * math.pi), 0],
            ),
            0.01,
            2000,
            names,
            1e-11,
        ),
        "relay_oscillator_chattering": Run(
            relay(
                A=[[0, 1, 0, 0], [-6, 0, 1, 0], [-4, 0, 0, 1], [-1, 0, 0, 0]],
                B=[[0], [1], [-2 * xi], [xi**2]],
                C=[[1, 0, 0, 0]],
                x0=[-0.01, -0.02, -1, 0.5],
            ),
            1e-4,
            10_000,
            names,
            1e-11,
        ),
        "twisting": Run(
            relay(A=[[0, 1], [0, 0]], B=np.array([[0, 0], [10, 3]]) @ shear, C=shear.T, x0=[10, 10]),
            0.1,
            199,
            "t x[0] x[1]",
            1e-11,
        ),
        "step_system_reduced": Run(
            Linear(
                A=[[-4.5, 0], [0, -1.5]],
                B=-40 * np.eye(2),
                C=-np.eye(2),
                x0=[1, 6],
                b=lambda t: np.array([40, 40]),
                e=lambda t: np.array([8, 8]),
                low=0,
                high=1,
            ),
            1e-3,
            1500,
            "t x[0] x[1] lambda[0]",
            1e-10,
        ),
    }


def term(text: str, values: dict[str, np.ndarray]) -> np.ndarray:
    """What ``t``, ``x[1]`` or ``-lambda[0]`` stands for, (n,)."""
    name, _, place = text.lstrip("-").rstrip("]").partition("[")
    found = values[name][int(place)] if place else values[name]
    return -found if text.startswith("-") else found


def table_of(run: Run) -> dict[str, np.ndarray]:
    """The columns of a run, (n,) each."""
    x, lam, y = steps_of(run.system, run.h, run.steps)
    values = {"t": run.h * np.arange(run.steps + 1), "x": x.T, "lambda": lam.T, "y": y.T}
    return {name: sum(term(part, values) for part in name.split("+")) for name in run.columns.split()}


def write(slug: str, h: float, columns: dict[str, np.ndarray], tolerance: float) -> None:
    """One case folder: about a hundred rows, spread over the run."""
    steps = len(columns["t"]) - 1
    rows = np.unique(np.linspace(1, steps, ROWS).astype(np.int64))
    folder = DATA / slug
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "reference.npz", data=np.column_stack([column[rows] for column in columns.values()]), rows=rows)
    quoted = ", ".join(f'"{name}"' for name in columns)
    (folder / "case.toml").write_text(
        f'slug = "{slug}"\nh = {h!r}\ncolumns = [{quoted}]\nsuggested_tolerance = {tolerance!r}\n'
        f'reference_origin = "tests/conformance/derive_data.py, {steps} steps"\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    for name, planned in (circuits() | relays()).items():
        write(name, planned.h, table_of(planned), planned.tolerance)
    write("pid_double_integrator", 0.05, pid(0.05, 2000), 1e-10)
    write("smc_implicit", 1e-4, sliding(1e-4, 3000, 100, lambda s, _, H: float(np.clip(-s / (2 * H), -1, 1))), 1e-10)
    write(
        "smc_implicit_ot2",
        1e-4,
        sliding(1e-4, 3000, 100, lambda s, p, H: float(np.clip(-(2 * s - p) / H, -2, 2))),
        1e-10,
    )
    write("observer_lcs", 1e-4, observer(1e-4, 5000), 1e-8)
