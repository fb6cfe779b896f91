"""Mechanisms that jam off their manifold: which steps pass, and by how much joints part.

    python benchmarks/jams.py

A row for each scheme and mechanism: the largest gap [m], or where a step was refused.
"""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import nsdgen as nsd

STEPS = (5e-3, 3e-3, 2e-3, 1.7e-3, 1e-3, 5e-4)
EXAMPLES = Path(__file__).parents[1] / "examples"
SCHEMES = {
    "MoreauJean()": nsd.MoreauJean(),
    'MoreauJean(gradient_at="predicted", projection=Projection())': nsd.MoreauJean(
        gradient_at="predicted", projection=nsd.Projection()
    ),
    "Rattle()": nsd.Rattle(),
}


def example(name: str) -> Any:
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(name, next(EXAMPLES.rglob(f"{name}.py")))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(compiled: Any, step: float) -> str:
    """The largest gap of a run, or when it was refused."""
    try:
        found = compiled.run(step=step)
    except nsd.errors.StepError as error:
        return f"refused at {error.trajectory.time[-1]:.3f} s"
    gaps = [c.name for c in found.columns if c.name.rpartition(".")[2].startswith("gap[")]
    return f"{max(np.abs(found[name]).max() for name in gaps):.0e}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name in ("four_bars", "bricard"):
        for label, scheme in SCHEMES.items():
            compiled = example(name).make(scheme=scheme).compile(interpret=True)
            print(f"{name:10} {label:62}", *(f"{run(compiled, h):>18}" for h in STEPS), flush=True)
