"""The circuit with a diode, input and law at the end of the step."""

import nsdgen as nsd

from ..circuits import rlcd

case = rlcd("circuit_rlcd_tg_gammafr1", nsd.ThetaGamma(theta=0.5, gamma=1, relation_at="gamma"))
