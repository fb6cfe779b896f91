"""Circuits of which there are several published tables, one for each variant of the theta-gamma scheme."""

import numpy as np
import sympy as sp
from numpy.typing import NDArray
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

from .case import Case

L, C, C_f, R = sp.symbols("L C C_f R", positive=True)
Q, v, i, v_f = dynamicsymbols("Q v i v_f")


def energies(storage: NDArray[np.float64], power: NDArray[np.float64], h: float) -> dict[str, NDArray[np.float64]]:
    """Stored, dissipated (the power at the end of each step, summed) and total energy over a run."""
    dissipated = h * np.cumsum(power)
    return {"storage": storage, "dissipation": dissipated, "total": storage + dissipated}


def rlcd(name: str, scheme: nsd.ThetaGamma, rule: str = "") -> Case:
    """A capacitor of charge Q, a coil and, in parallel, a resistor in series with a diode."""
    lam = nsd.multipliers("lam", 1)
    circuit = nsd.FirstOrderSystem("circuit", state=[Q, i], rhs=[-i, Q / (L * C)], units=["C", "A"])
    diode = nsd.FirstOrderRelation(
        "diode",
        lam,
        output=[Q / C + R * lam[0]],
        reaction={circuit: [lam[0], 0]},
        law=nsd.Complementarity(),
        units=["A"],
        output_units=["V"],
    )
    model = nsd.Model(
        name,
        [circuit],
        [diode],
        scheme=scheme,
        step=0.05,
        end=5,
        parameters={L: 1, C: 1 / (4 * np.pi**2), R: 10},
        initial={Q: 1, i: 1, lam[0]: 0},
    )

    def energy(run: nsd.Trajectory) -> dict[str, NDArray[np.float64]]:
        return energies(2 * np.pi**2 * run["Q"] ** 2 + run["i"] ** 2 / 2, 10 * run["lam[0]"] ** 2, model.step)

    return Case(
        model,
        {
            "x[0]": "Q",
            "x[1]": "i",
            "-y[0]": lambda run: -run["output"],
            "lambda[0]": "lam[0]",
            "storage": lambda run: energy(run)["storage"],
            "total": lambda run: energy(run)["total"],
            "dissipation": lambda run: energy(run)["dissipation"],
        },
        rule,
    )


def bridge(name: str, scheme: nsd.ThetaGamma, rule: str = "") -> Case:
    """An LC oscillator that feeds a resistor through four ideal diodes (see examples/diode_bridge.py)."""
    lam = nsd.multipliers("lam", 4)
    oscillator = nsd.FirstOrderSystem("oscillator", state=[v, i], rhs=[-i / C, v / L], units=["V", "A"])
    diodes = nsd.FirstOrderRelation(
        "bridge",
        lam,
        output=[(lam[0] + lam[1]) / R - lam[2], (lam[0] + lam[1]) / R - lam[3], lam[0] - v, lam[1] + v],
        reaction={oscillator: [(lam[3] - lam[2]) / C, 0]},
        law=nsd.Complementarity(),
        units=["V", "V", "A", "A"],
        output_units=["A", "A", "V", "V"],
    )
    model = nsd.Model(
        name,
        [oscillator],
        [diodes],
        scheme=scheme,
        step=1e-6,
        end=5e-3,
        parameters={L: 1e-2, C: 1e-6, R: 1e3},
        initial={v: 10, i: 0},
    )

    def energy(run: nsd.Trajectory) -> dict[str, NDArray[np.float64]]:
        power = (run["lam[0]"] + run["lam[1]"]) ** 2 / 1e3
        return energies((1e-6 * run["v"] ** 2 + 1e-2 * run["i"] ** 2) / 2, power, model.step)

    return Case(
        model,
        {
            "x[0]": "v",
            "x[1]": "i",
            "y[0]": "output[0]",
            "-lambda[0]": lambda run: -run["lam[0]"],
            "-lambda[1]": lambda run: -run["lam[1]"],
            "lambda[2]": "lam[2]",
            "y[0]+lambda[2]": lambda run: run["output[0]"] + run["lam[2]"],
            "storage": lambda run: energy(run)["storage"],
            "total": lambda run: energy(run)["total"],
            "dissipation": lambda run: energy(run)["dissipation"],
        },
        rule,
    )


def capfilter(name: str, theta: float) -> Case:
    """An oscillator that charges a capacitor through four ideal diodes: two systems, one relation.

    Multipliers are the currents of R1, F1 and R2 and, second, the reverse voltage of F2.
    """
    r1, f2, f1, r2 = lam = nsd.multipliers("lam", 4)
    oscillator = nsd.FirstOrderSystem("oscillator", state=[v, i], rhs=[-i / C, v / L], units=["V", "A"])
    load = nsd.FirstOrderSystem("load", state=[v_f], rhs=[-v_f / (R * C_f)], units=["V"])
    bridge = nsd.FirstOrderRelation(
        "bridge",
        lam,
        output=[v_f - f2, r1 + f1 - r2, v_f - v - f2, v + f2],
        reaction={oscillator: [(r2 - f1) / C, 0], load: [(r1 + f1) / C_f]},
        law=nsd.Complementarity(),
        units=["A", "V", "A", "A"],
        output_units=["V", "A", "V", "V"],
    )
    model = nsd.Model(
        name,
        [oscillator, load],
        [bridge],
        scheme=nsd.ThetaGamma(theta=theta),
        step=1e-6,
        end=5e-3,
        parameters={L: 1e-2, C: 1e-6, C_f: 300e-9, R: 1e3},
        initial={v: 10, i: 0, v_f: 0},
    )
    return Case(
        model,
        {
            "x[0]": "v",
            "x[1]": "i",
            "lambda[0]": "lam[0]",
            "-y[0]": lambda run: -run["output[0]"],
            "-lambda[1]": lambda run: -run["lam[1]"],
            "lambda[2]": "lam[2]",
        },
    )
