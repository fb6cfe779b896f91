"""The bridge with a filter capacitor, implicit Euler; where all diodes block, the least multiplier is taken."""

from ..circuits import capfilter

case = capfilter("diode_bridge_capfilter_be1us", theta=1)
