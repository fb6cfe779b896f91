"""Sliding-mode control, implicit: the nominal sigma at the end of the period decides."""

import nsdgen as nsd

from ..sliding import PERIOD, controlled, sigma, u

lam = nsd.multipliers("lam", 1)
controller = nsd.Sampled(
    "controller",
    PERIOD,
    samples={"s": sigma},
    multipliers=lam,
    law=nsd.Relay(),
    output=[nsd.sampled("s") + 2 * nsd.period * lam[0]],
    holds={u: lam[0]},
)
case = controlled("smc_implicit", controller)
