"""Every plot of a study: ``python docs/figures/studies.py`` writes ``docs/figures/studies``; two minutes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import numpy as np
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd

FOLDER = Path(__file__).resolve().parent / "studies"

x = dynamicsymbols("x")
F, omega = sp.symbols("F omega", positive=True)
PERIOD = 2 * sp.pi / omega


def oscillator() -> nsd.Model:
    """A forced oscillator that hits a wall."""
    forces = [F * sp.cos(omega * nsd.time) - x.diff() / 10]
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2, forces=forces, units=["m"])
    wall = nsd.Contact("wall", 1 - x, nsd.NewtonImpact(sp.Rational(4, 5)))
    parameters = {F: nsd.Parameter(0.5, "N"), omega: nsd.Parameter(0.8, "rad/s")}
    given = {"step": 0.1, "end": 10, "parameters": parameters, "initial": {x: 0, x.diff(): 0}}
    return nsd.Model("oscillator", [mass], [wall], scheme=nsd.EventDriven(rtol=1e-13, atol=1e-14), **given)


def wells() -> nsd.Model:
    """A particle in two wells, damped and shaken a little: two orbits."""
    force = [x - x**3 - x.diff() / 4 + sp.Rational(1, 10) * sp.cos(omega * nsd.time)]
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, forces=force, units=["m"])
    given = {"step": 0.1, "end": 10, "parameters": {omega: nsd.Parameter(1.0, "rad/s")}, "initial": {x: 1, x.diff(): 0}}
    return nsd.Model("wells", [mass], [], scheme=nsd.EventDriven(rtol=1e-10, atol=1e-12), **given)


def shaken() -> nsd.Model:
    """A ball on a table that shakes, by time-stepping, for a sweep."""
    g, e = sp.symbols("g e", positive=True)
    ball = nsd.LagrangianSystem("ball", [x], kinetic=x.diff() ** 2 / 2, forces=[-g], units=["m"])
    table = nsd.Contact("table", x - sp.sin(omega * nsd.time) / 100, nsd.NewtonImpact(e))
    parameters = {g: nsd.Parameter(9.81, "m/s^2"), e: 0.5, omega: nsd.Parameter(40, "rad/s")}
    given = {"step": 1e-3, "end": 2, "parameters": parameters, "initial": {x: 0.02, x.diff(): 0}}
    return nsd.Model("shaken", [ball], [table], scheme=nsd.MoreauJean(), **given)


def sweep_plot() -> Any:
    """A reduction over two parameters, drawn by xarray."""
    over = {"omega": np.linspace(30, 80, 101), "e": np.linspace(0.1, 0.9, 41)}
    found = nsd.sweep(shaken(), over, reduce=["max x"], last=["x"], since=1)
    return found["max ball.x"].plot(x="omega", y="e").figure


def plots(model: nsd.Model) -> dict[str, Callable[[], Any]]:
    """What is drawn, by the name of its file."""
    chaos, T = {F: 5.5, omega: 2.5}, 2 * np.pi / 2.5
    return {
        "orbit": lambda: nsd.periodic_orbit(model, PERIOD, settle=100).motion.phase_plot("x"),
        "branch": lambda: nsd.follow_orbit(model, PERIOD, F, (0.3, 0.6), parameters={F: 0.3}).plot("x_dot"),
        "section": lambda: nsd.poincare_section(model, PERIOD, since=200 * T, end=2200 * T, parameters=chaos).plot(
            "x", "x_dot"
        ),
        "impacts": lambda: nsd.poincare_section(
            model, "wall.closes", period=PERIOD, since=200 * T, end=2200 * T, parameters=chaos
        ).plot("phase", "x_dot"),
        "diagram": lambda: nsd.bifurcation_diagram(
            model, F, np.linspace(5.2, 8.0, 201), PERIOD, settle=150, keep=60, parameters={omega: 2.5}
        ).plot("x"),
        "exponents": lambda: nsd.lyapunov_exponents(model, PERIOD, periods=600, settle=100, parameters=chaos).plot(),
        "response": lambda: nsd.frequency_response(
            model, omega, np.linspace(0.4, 1.6, 61), x, parameters={F: 0.05}
        ).plot(),
        "basins": lambda: nsd.basins_of_attraction(
            wells(), {x: np.linspace(-2, 2, 81), x.diff(): np.linspace(-2, 2, 81)}, PERIOD, settle=40
        ).plot(),
        "sweep": sweep_plot,
    }


if __name__ == "__main__":
    import sys

    FOLDER.mkdir(exist_ok=True)
    for name, draw in plots(oscillator()).items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        drawn = draw()
        figure = getattr(drawn, "figure", drawn)
        figure.savefig(FOLDER / f"{name}.png", dpi=80)
        print(f"written: {FOLDER / name}.png", flush=True)
