"""Linear mechanical systems with contacts in the peer, by their matrices, under its scheme of the same name.

``{"systems": [{"M", "C", "K", "f", "q0", "v0"}], "contacts": [{"H", "b", "systems", "law": [e, e_t, mu], "friction"}],
"theta", "osi"}``; observes q and v of all systems.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import siconos.kernel as sk
from loop import serve


def build(p: dict[str, Any], h: float, end: float) -> tuple[Any, Callable[[], list[float]]]:
    """All systems and contacts; friction makes the one-step problem one of friction."""
    nsds = sk.NonSmoothDynamicalSystem(p.get("start", 0.0), end)
    systems = []
    for given in p["systems"]:
        system = sk.LagrangianLinearTIDS(given["q0"], given["v0"], given["M"])
        if np.any(given["K"]):
            system.setKPtr(np.array(given["K"]))
        if np.any(given["C"]):
            system.setCPtr(np.array(given["C"]))
        system.setFExtPtr(given["f"])
        nsds.insertDynamicalSystem(system)
        systems.append(system)
    heights = set()
    for contact in p["contacts"]:
        matrix = np.hstack([np.array(part) for part in contact["H"]])
        heights.add(len(matrix))
        e, e_t, mu = contact["law"]
        law = sk.NewtonImpactFrictionNSL(e, e_t, mu, len(matrix)) if contact["friction"] else sk.NewtonImpactNSL(e)
        relation = sk.LagrangianLinearTIR(matrix, [contact["b"]] + [0.0] * (len(matrix) - 1))
        nsds.link(sk.Interaction(law, relation), *(systems[i] for i in contact["systems"]))
    return simulation(nsds, p, h, max(heights)), lambda: [x for s in systems for x in (*s.q(), *s.velocity())]


def simulation(nsds: Any, p: dict[str, Any], h: float, rows: int) -> Any:
    """The peer's simulation of the scheme."""
    times = sk.TimeDiscretisation(p.get("start", 0.0), h)
    if p["osi"] == "D1Minus":
        found = sk.TimeSteppingD1Minus(nsds, times, 2)
        found.insertIntegrator(sk.D1MinusLinearOSI())
        found.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_TS_VELOCITY)
        found.insertNonSmoothProblem(sk.LCP(), sk.SICONOS_OSNSP_TS_VELOCITY + 1)
        return found
    osi = sk.SchatzmanPaoliOSI(0.5) if p["osi"] == "SchatzmanPaoli" else sk.MoreauJeanOSI(p["theta"])
    return sk.TimeStepping(nsds, times, osi, sk.FrictionContact(rows) if rows > 1 else sk.LCP())


if __name__ == "__main__":
    serve(build)
