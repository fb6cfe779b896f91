"""Nonsmooth analysis, as functions of the flow: orbits and multipliers, branches, sections, exponents, basins."""
