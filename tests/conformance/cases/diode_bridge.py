"""The diode bridge, trapezoidal rule with the diodes at the end of the step."""

import nsdgen as nsd

from ..circuits import bridge

case = bridge("diode_bridge", nsd.ThetaGamma(theta=0.5, gamma=1))
