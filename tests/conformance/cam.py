"""The cam follower of examples/ at another speed."""

import math
import runpy
from pathlib import Path

from .case import Case

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "cam_follower.py"


def cam_follower(rpm: int) -> Case:
    """Turning ``rpm`` times a minute."""
    said = runpy.run_path(str(EXAMPLE))
    model = said["model"]
    model.parameters[said["omega"]] = 2 * math.pi * rpm / 60
    return Case(model, {"q[0]": "u", "v[0]": "u_dot", "p[0]": "impulse"}, tolerance=1e-8, relative=True)
