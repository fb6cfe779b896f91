"""The circuit with a diode, input at the end of the step."""

import nsdgen as nsd

from ..circuits import rlcd

case = rlcd("circuit_rlcd_tg_gamma1", nsd.ThetaGamma(theta=0.5000000000001, gamma=1))
