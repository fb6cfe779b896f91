"""Certificates written by hand, as a forger would: what is stated, steps, and the hash of it."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json

from nsdgen.verify.certificate import checker
from nsdgen.verify.certificate.syntax import needed


def signed(certificate):
    """The certificate with the hash of what it states, as a forger would give it."""
    text = json.dumps(certificate["stated"], sort_keys=True).encode()
    return {**certificate, "claim": hashlib.sha256(text).hexdigest()}


def text_of(left, right, kind="=", **said):
    part = {k: [] for k in ("given", "positive", "nonnegative", "nonzero", "complex")}
    part |= {"matrices": {}, "names": {}, **said}
    try:
        own = needed((left, right), not part["complex"])
    except SyntaxError:
        own = needed((), True)
    return {**part, "goals": [[kind, left, right, own]]}


def have(text, times=(), products=(), cofactors=()):
    return ["have", text, [[list(times), []]], list(products), [list(c) for c in cofactors]]


def accepted(left, right, times=(), cofactors=(), steps=None, before=(), **said):
    """Whether the checker takes steps for a proof: those before, and one that left - right vanishes."""
    part = text_of(left, right, **said)
    cofactors = [c if len(c) == 3 else [c[1], c[0], "1"] for c in cofactors]
    steps = [*before, have(difference(left, right), times, (), cofactors)] if steps is None else steps
    return checker.holds(signed({"stated": [part], "proofs": [[steps]]}))


def difference(left, right):
    """The text of the goal of an equality, as the checker writes it."""
    with contextlib.suppress(SyntaxError):
        left, right = (ast.unparse(ast.parse(t, mode="eval")) for t in (left, right))
    return f"({left}) - ({right})"
