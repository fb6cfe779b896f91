"""What the collections of misleading claims share: how a claim is written, and what its verdict may not be."""

from __future__ import annotations

from nsdgen.verify import Claim, Latex, decide

__all__ = ["check", "eq", "labelled", "latex", "st"]


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


def labelled(true, false, open_):
    """The claims of a collection, each with what is true of it.

    ``true`` hold where both sides have values, ``false`` fail somewhere, ``open_`` have no value, no one reading, or no
    point where they could be asked.
    """
    return [(truth, claim) for truth, claims in (("true", true), ("false", false), ("open", open_)) for claim in claims]


def check(number, truth, claim):
    """No false proof, no false refutation, nothing false that is consistent, and a reason where nothing is decided."""
    found = decide(claim, budget=8.0, repairs=False)
    said = (number, claim, found.verdict, found.reason, found.counterexample)
    assert not (truth == "true" and found.verdict == "refuted"), said
    assert not (truth == "false" and found.verdict in ("proved", "proved under", "consistent")), said
    assert found.verdict and (found.reason or found.verdict != "undecided"), said
