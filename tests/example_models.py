"""The models of ``examples/``, each loaded once in a process: what is derived of one is shared by all tests."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parents[1] / "examples"
QUICK = (
    "bead_column",
    "bouncing_ball",
    "buck_converter",
    "cam_follower",
    "chopper",
    "colpitts_oscillator",
    "diode_bridge",
    "disc_pile",
    "gene_network",
    "loudspeaker",
    "motor_control",
    "rectifiers",
    "relief_valve",
    "slack_rope",
    "sliding_mode",
    "tumbling_brick",
    "twisting",
)
"""Those that are derived in less than a second, of all families, most laws and schemes."""


@cache
def load(name: str) -> ModuleType:
    """The module of an example, by the name of its file in whichever folder; ``load(name).model`` is the model."""
    (path,) = (p for p in FOLDER.rglob(f"{name}.py") if "\nmodel = " in p.read_text(encoding="utf-8"))
    spec = importlib.util.spec_from_file_location(f"example_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
