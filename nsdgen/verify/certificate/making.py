"""The certificate of a claim: a proof for each goal of its text, or None where one has none.

A proof that was found is one where the checker accepts it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nsdgen.verify.claim import Reading
from nsdgen.verify.quantities import Hidden
from nsdgen.verify.setting import Deadline, Setting

from .checker import holds as accepted
from .claim_text import part_of, single_statements, stated_parts
from .proving import Steps, proofs_of_part
from .texts import Inexpressible


def holds(certificate: dict[str, Any], reading: Any) -> bool:
    """Whether the checker accepts a certificate, and it states what the reading of a claim says."""
    try:
        stated = stated_parts(reading)
    except Inexpressible:
        return False
    return bool(stated) and certificate["claim"] == _hash(stated) and accepted(certificate)


def _hash(stated: Sequence[Any]) -> str:
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class ProvedPart:
    """A single statement under assumptions with its text and the proofs of its goals, which the checker accepted."""

    statement: Any
    assumptions: tuple[Any, ...]
    part: dict[str, Any]
    proof: list[Steps]

    def is_of(self, statement: Any, assumptions: tuple[Any, ...]) -> bool:
        """Whether this is the statement, under these assumptions."""
        return bool(statement == self.statement) and assumptions == self.assumptions


def certified(reading: Any, deadline: Deadline, known: Sequence[ProvedPart] = ()) -> dict[str, Any] | None:
    """The certificate of a reading as it was typed, accepted by the checker part by part; None where none is found.

    ``known`` are parts that were proved before: they are not written and proved again.
    """
    try:
        parts = [_proved_part(s, assumed, deadline, known) for s, assumed in single_statements(reading)]
    except Exception:  # whatever stands in the way: the proof has no certificate
        return None
    return _certificate(parts) if parts else None


def proofs_of(statement: Any, setting: Setting, deadline: Deadline) -> tuple[ProvedPart, ...]:
    """The parts of one statement under a setting, where all are proved; else none."""
    assumptions = tuple(a for a in setting.assumptions if not isinstance(a, Hidden))
    try:
        singles = single_statements(Reading("", statement, assumptions))
        return tuple(_proved_part(*one, deadline, ()) for one in singles)
    except Exception:  # whatever stands in the way: there is no proof
        return ()


def _proved_part(
    statement: Any, assumptions: tuple[Any, ...], deadline: Deadline, known: Sequence[ProvedPart]
) -> ProvedPart:
    """The part of a single statement with its proof. Raises ``_Unproved``."""
    if (same := next((k for k in known if k.is_of(statement, assumptions)), None)) is not None:
        return same
    part = part_of(statement, assumptions)
    if (same := next((k for k in known if k.part == part), None)) is not None:
        return same
    for proof in proofs_of_part(part, deadline):
        proved = ProvedPart(statement, assumptions, part, proof)
        if accepted(_certificate([proved])):
            return proved
    raise _Unproved


class _Unproved(Exception):
    """A part for which no proof was found."""


def _certificate(parts: Sequence[ProvedPart]) -> dict[str, Any]:
    """What is stated, its hash, and its proofs, as they are read from a file."""
    stated = [p.part for p in parts]
    certificate = {"stated": stated, "claim": _hash(stated), "proofs": [p.proof for p in parts]}
    return dict(json.loads(json.dumps(certificate)))
