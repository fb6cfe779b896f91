"""The bridge with a filter capacitor, trapezoidal rule."""

from ..circuits import capfilter

case = capfilter("diode_bridge_capfilter_stdhalf", theta=0.5)
