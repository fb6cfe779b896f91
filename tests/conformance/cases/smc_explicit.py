"""Sliding-mode control, explicit: the sign of sigma, held for a hundred steps."""

import sympy as sp

import nsdgen as nsd

from ..sliding import PERIOD, controlled, sigma, u

controller = nsd.Sampled("controller", PERIOD, samples={"s": sigma}, holds={u: -sp.sign(nsd.sampled("s"))})
case = controlled("smc_explicit", controller)
