"""Sliding-mode control that predicts sigma and estimates the disturbance from the error of the last prediction."""

import sympy as sp

import nsdgen as nsd

from ..sliding import PERIOD, controlled, sigma, u

predicted, s = sp.Symbol("predicted"), nsd.sampled("s")
push = sp.Max(-2, sp.Min(2, -(2 * s - predicted) / nsd.period))
controller = nsd.Sampled(
    "controller",
    PERIOD,
    samples={"s": sigma},
    holds={u: push},
    state=[predicted],
    update={predicted: s + 2 * nsd.period * push},
    initial={predicted: -1},
)
case = controlled("smc_implicit_ot2", controller)
