"""The circuit with a diode, input and law in the middle of the step: energy is conserved to rounding."""

import nsdgen as nsd

from ..circuits import rlcd

case = rlcd(
    "circuit_rlcd_tg_gammafrhalf",
    nsd.ThetaGamma(theta=0.5, gamma=0.5, relation_at="gamma"),
    rule="the law holds at x_gamma (relation_at='gamma')",
)
