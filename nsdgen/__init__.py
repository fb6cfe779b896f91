"""nsdgen: symbolic-to-numeric code generation for nonsmooth dynamical systems.

``import nsdgen as nsd`` loads neither SymPy nor NumPy; every name below is imported
from its module when it is first used (PEP 562).
"""

from __future__ import annotations

import importlib
import os
from typing import Any

from nsdgen.checkout import require_built

require_built(os.path.dirname(os.path.abspath(__file__)))

__version__ = "0.1.0"

_HOME = {
    "Bilateral": "nsdgen.symbolic.contact",
    "Box": "nsdgen.symbolic.laws",
    "Complementarity": "nsdgen.symbolic.laws",
    "Contact": "nsdgen.symbolic.contact",
    "Equality": "nsdgen.symbolic.laws",
    "FirstOrderRelation": "nsdgen.symbolic.first_order",
    "FirstOrderSystem": "nsdgen.symbolic.first_order",
    "LagrangianSystem": "nsdgen.symbolic.lagrangian",
    "Mixed": "nsdgen.symbolic.laws",
    "Model": "nsdgen.model",
    "MoreauJean": "nsdgen.schemes.moreau_jean",
    "Newton": "nsdgen.schemes.newton",
    "NewtonImpact": "nsdgen.symbolic.laws",
    "NewtonImpactFriction": "nsdgen.symbolic.friction",
    "NewtonImpactRollingFriction": "nsdgen.symbolic.friction",
    "Parameter": "nsdgen.symbolic.parameter",
    "Plane": "nsdgen.symbolic.contact",
    "Projection": "nsdgen.schemes.projection",
    "Relay": "nsdgen.symbolic.laws",
    "RigidBody": "nsdgen.symbolic.rigid_body",
    "ThetaGamma": "nsdgen.schemes.theta_gamma",
    "Trajectory": "nsdgen.study.trajectory",
    "contacts_between": "nsdgen.symbolic.contact",
    "depends_on": "nsdgen.model",
    "from_axis_angle": "nsdgen.symbolic.quaternion",
    "let": "nsdgen.symbolic.nodes",
    "mod": "nsdgen.symbolic.nodes",
    "multipliers": "nsdgen.symbolic.first_order",
    "piecewise": "nsdgen.symbolic.nodes",
    "time": "nsdgen.symbolic.time",
}
_MODULES = ("errors", "solvers", "study", "schemes", "symbolic", "verify")

__all__ = [*_HOME, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in _MODULES:
        return importlib.import_module(f"nsdgen.{name}")
    raise AttributeError(f"module 'nsdgen' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})
