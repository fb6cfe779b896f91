"""The circuit with a diode, input averaged over the step."""

import nsdgen as nsd

from ..circuits import rlcd

case = rlcd(
    "circuit_rlcd_tg_gammahalf",
    nsd.ThetaGamma(theta=0.5, gamma=0.5, initial_multiplier="zero"),
    rule="the first step remembers lambda(t_0) = 0 (initial_multiplier='zero'), not the multiplier of x(t_0)",
)
