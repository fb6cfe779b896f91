"""A linear first-order system with one relation in the peer: Euler-Moreau with theta and gamma, an LCP or a relay.

x' = A x + b + B lambda, y = C x + D lambda + e with constant matrices, which come with the request; observes x. Where
b or e is a function of time, the request names its function in the shared object of ``sources.c``, the first argument.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import siconos.kernel as sk
from loop import serve


def integrator(p: dict[str, Any]) -> Any:
    """Euler-Moreau with gamma on the input, or on the relation where ``p["at_gamma"]``."""
    osi = sk.EulerMoreauOSI(p["theta"], p["gamma"])
    osi.setUseGamma(not p["at_gamma"] and p["gamma"] != 1)
    osi.setUseGammaForRelation(p["at_gamma"])
    return osi


def build(p: dict[str, Any], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """All states as one system; ``p["bounds"]`` are those of a relay, None means complementarity."""
    system = sk.FirstOrderLinearDS(p["x0"], p["A"], p["b"])
    relation = (sk.FirstOrderLinearR if "e" in p["functions"] else sk.FirstOrderLinearTIR)(p["C"], p["B"])
    relation.setDPtr(p["D"])
    if "b" in p["functions"]:
        system.setComputebFunction(sys.argv[1], p["functions"]["b"])
    if "e" in p["functions"]:
        relation.setComputeEFunction(sys.argv[1], p["functions"]["e"])
    else:
        relation.setePtr(p["e"])
    rows, bounds = len(p["D"]), p["bounds"]
    law = sk.RelayNSL(rows, *bounds) if bounds else sk.ComplementarityConditionNSL(rows)
    nsds = sk.NonSmoothDynamicalSystem(0.0, end)
    nsds.insertDynamicalSystem(system)
    nsds.link(sk.Interaction(law, relation), system)
    problem = sk.Relay() if bounds else sk.LCP()
    simulation = sk.TimeStepping(nsds, sk.TimeDiscretisation(0.0, h), integrator(p), problem)
    return simulation, lambda: [*system.x()]


if __name__ == "__main__":
    serve(build)
