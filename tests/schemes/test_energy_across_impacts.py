"""e = 1 keeps the energy over many impacts, to the order of the scheme, and the table of it in the docs."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sympy.physics.mechanics import dynamicsymbols

import nsdgen as nsd
from nsdgen.study.compiled_model import CompiledModel

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "orders.md"
ROUNDING, FIRST, SECOND = "to rounding", "first order", "second order"
SCHEMES = {
    "MoreauJean()": (nsd.MoreauJean(), ROUNDING),
    "Rattle()": (nsd.Rattle(), ROUNDING),
    "SchatzmanPaoli()": (nsd.SchatzmanPaoli(), FIRST),
    "D1Minus()": (nsd.D1Minus(), SECOND),
}
x = dynamicsymbols("x")
PERIOD = 2 * (np.pi - np.arccos(0.3))
"""Of cos t between two impacts on a wall at -0.3."""


@cache
def oscillator(name: str) -> CompiledModel:
    """A mass on a spring that strikes a wall again and again."""
    mass = nsd.LagrangianSystem("mass", [x], kinetic=x.diff() ** 2 / 2, potential=x**2 / 2)
    wall = nsd.Contact("wall", x + 0.3, nsd.NewtonImpact(1.0))
    scheme = nsd.EventDriven() if name == "EventDriven()" else SCHEMES[name][0]
    return nsd.Model("o", [mass], [wall], scheme=scheme, step=0.004, end=1, initial={x: 1}).compile()


def changes(name: str, step: float, impacts: int) -> float:
    """The largest relative change of the energy, where the mass is away from the wall."""
    run = oscillator(name).run(step=step, end=(impacts + 0.5) * PERIOD)
    assert (run["impulse"] > 0).sum() > 0.99 * impacts
    away = run["x"] > 0.5
    return float(abs((run["x_dot"][away] ** 2 + run["x"][away] ** 2) - 1).max())


def check(name: str, impacts: int) -> None:
    """The change and, where there is one, what halving h makes of it."""
    kind = SCHEMES[name][1]
    coarse, fine = (changes(name, h, impacts) for h in (0.004, 0.002))
    if kind == ROUNDING:  # a rounding of every step, in the worst case
        assert max(coarse, fine) < 3e-16 * impacts * PERIOD / 0.002
    else:
        assert coarse < {FIRST: 1e-2, SECOND: 5e-6}[kind]
        assert 0.8 < np.log2(coarse / fine) / {FIRST: 1, SECOND: 2}[kind] < 1.2


@pytest.mark.parametrize("name", SCHEMES)
@pytest.mark.few(2)
def test_energy_over_300_impacts(name: str) -> None:
    check(name, 300)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEMES)
def test_energy_over_ten_thousand_impacts(name: str) -> None:
    check(name, 10_000)


@pytest.mark.parametrize("impacts", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_energy_from_event_to_event(impacts: int) -> None:
    """Each flight is integrated with an error near the default tolerance; these add."""
    assert changes("EventDriven()", 0.5, impacts) < 2e-11 * impacts


def test_the_page_says_which_scheme_does_what() -> None:
    text = PAGE.read_text(encoding="utf-8").split("| scheme | energy over 10⁴ impacts |")[1].split("\n\n")[0]
    for name, (_, kind) in SCHEMES.items():
        row = next(line for line in text.splitlines() if f"`{name}`" in line)
        assert kind in row
