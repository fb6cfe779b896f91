"""How a misleading claim is written, and what its verdict may not be."""

from __future__ import annotations

from nsdgen.verify import Claim, Latex, decide
from nsdgen.verify.verdict import PROVED

__all__ = ["check", "eq", "latex", "st"]


def eq(left, right, *assumptions):
    """left = right."""
    return Claim("c", left, right, assumptions)


def st(statement, *assumptions):
    """A statement of another kind."""
    return Claim("c", statements=[statement], assumptions=assumptions)


def latex(*symbols):
    """Writer of claims ``left = LaTeX``, for these symbols by their names and what else is named."""
    names = {s.name: s for s in symbols}

    def tex(left, text, more=None, **named):
        return Claim("c", left, Latex(text, {**names, **(more or {}), **named}))

    return tex


def check(truth, claim):
    """No false proof, no false refutation, nothing false that is consistent, and a reason where nothing is decided."""
    found = decide(claim, budget=8.0, repairs=False)
    said = (claim, found.verdict, found.reason, found.counterexample)
    assert not (truth == "true" and found.verdict == "refuted"), said
    assert not (truth == "false" and found.verdict in (*PROVED, "consistent")), said
    assert found.verdict and (found.reason or found.verdict != "undecided"), said
